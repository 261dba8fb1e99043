"""What histories are worth, by name: the value estimates of AIVAT.

    zero             nothing is worth anything: the corrected payoff is the payoff
    evaluation       what the game's own evaluation function says
    solved           what an equilibrium of the written-out game earns from there on; if the game
                     has more than `MOST_FOR_LP` histories, what `CFR_ITERATIONS` iterations of
                     CFR+ found
    rollouts(N)      the mean of N rollouts with random moves
    calls(N)         in poker, the mean of N rollouts in which all players check and call
    strategy(FILE)   what the strategy in a file earns from there on; if the game is too large to
                     be written out, the mean of rollouts by the strategy
    auto             solved for games of perfect recall and at most `MOST_FOR_AUTO` histories, else
                     calls in poker and rollouts in other games

All are made before a match begins and know nothing of it.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from hiddenhand.errors import GameError, OptionError, TooLargeError
from hiddenhand.games.base import TERMINAL, Game, is_constant_sum
from hiddenhand.games.history import History
from hiddenhand.games.turn_based import TurnBased
from hiddenhand.jit.arrays import Floats
from hiddenhand.matches.aivat import ValueEstimate
from hiddenhand.matches.rollouts import NOTHING, ROLLOUTS, RolloutValues
from hiddenhand.players.fixed_policies import MAX_HISTORIES, written_out
from hiddenhand.solvers.cfr import CFR
from hiddenhand.solvers.refined_lp import solve_refined_lp
from hiddenhand.text import Unreadable, read_arguments, shortened, split
from hiddenhand.trees.profile import history_values
from hiddenhand.trees.strategy import Strategy
from hiddenhand.trees.strategy_files import load_strategy
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

VALUES: Final = ("auto", "zero", "evaluation", "solved", "rollouts", "calls", "strategy")
MOST_FOR_LP: Final = 20_000
MOST_FOR_AUTO: Final = 200_000
CFR_ITERATIONS: Final = 500

_EXAMPLE: Final = "write it like solved, rollouts(100) or strategy(FILE)"


class ZeroValues:
    """Nothing is worth anything."""

    def after(self, history: History, moves: Sequence[int]) -> Floats:
        """See `ValueEstimate.after`."""
        return np.zeros((len(moves), history.game.num_players))


class EvaluationValues:
    """What the evaluation function of a game says; at the end of the game, what is paid.

    game: the game. Raises GameError if it has no evaluation function.
    """

    def __init__(self, game: Game) -> None:
        self._evaluation = game.evaluation()

    def after(self, history: History, moves: Sequence[int]) -> Floats:
        """See `ValueEstimate.after`."""
        return np.array([self._value(history.child(move)) for move in moves])

    def _value(self, history: History) -> Sequence[float]:
        game, state = history.game, history.state
        if game.current_player(state) == TERMINAL:
            return history.returns()
        return [
            float(self._evaluation.evaluate(game, state, player))
            for player in range(game.num_players)
        ]


class TreeValues:
    """What a profile earns from each history of a written-out game on.

    tree: the game, written out.
    profile: ``float64[S]``, what all players play.
    """

    def __init__(self, tree: GameTree, profile: Floats) -> None:
        self.tree = tree
        self._values = history_values(tree, profile)

    def after(self, history: History, moves: Sequence[int]) -> Floats:
        """See `ValueEstimate.after`."""
        here = 0
        for move in history.moves:
            assert isinstance(move, int)  # the moves of a match are made in turns
            here = self._child(here, move)
        return np.array([self._values[self._child(here, move)] for move in moves])

    def _child(self, history: int, move: int) -> int:
        first = int(self.tree.first_child[history])
        count = int(self.tree.num_children[history])
        below = self.tree.action[first : first + count]
        found = np.flatnonzero(below == move)
        if not found.size:
            raise OptionError(
                f"the values are those of {self.tree.game}, which has no such match; make values "
                "for the game of the match"
            )
        return first + int(found[0])


def make_values(name: str, game: Game, seed: int = 0) -> ValueEstimate:
    """The value estimate with a name.

    name: one of `VALUES`, with its argument where it takes one.
    game: the game, with moves in turns.
    seed: the seed of rollouts, which must be independent of those of the match.

    Raises OptionError for a name that cannot be read, and for one that the game has no use for;
    FileError for a file that cannot be used.
    """
    kind, inside = parse_values(name)
    match kind:
        case "zero":
            return ZeroValues()
        case "evaluation":
            return _evaluation(game)
        case "solved":
            return _solved(game)
        case "rollouts":
            return RolloutValues(game, _count(inside), seed=seed)
        case "calls":
            return RolloutValues(game, _count(inside), preferred=_call(game, name), seed=seed)
        case "strategy":
            return _of_strategy(game, inside, seed)
        case _:
            return _automatic(game, seed)


def parse_values(name: str) -> tuple[str, str]:
    """The name of a value estimate, and what stands between its parentheses. Raises OptionError for
    a name that does not exist.
    """
    try:
        kind, inside = split(name)
    except Unreadable:
        kind, inside = "", ""
    kind = kind.casefold()
    if kind not in VALUES:
        raise OptionError(
            f"there are no values {shortened(name)}; {_EXAMPLE}, choose one of: {', '.join(VALUES)}"
        )
    if kind == "strategy" and not inside:
        raise OptionError(f"the values strategy need a file; {_EXAMPLE}")
    if kind in ("auto", "zero", "evaluation", "solved") and inside:
        raise OptionError(f"the values {kind} take no argument, such as {shortened(inside)}")
    if kind in ("rollouts", "calls"):
        _count(inside)
    return kind, inside.strip("\"'")


def _count(inside: str) -> int:
    """How many rollouts the text between parentheses says."""
    try:
        arguments = read_arguments(inside) if inside else ((None, ROLLOUTS),)
    except Unreadable:
        arguments = ()
    counts = [value for _, value in arguments]
    if len(counts) != 1 or type(counts[0]) is not int or counts[0] < 1:
        raise OptionError(
            f"{shortened(inside)} is no number of rollouts; give a whole number of at least 1, "
            "such as rollouts(100)"
        )
    return int(counts[0])


def _evaluation(game: Game) -> ValueEstimate:
    try:
        return EvaluationValues(game)
    except GameError as error:
        raise OptionError(f"{game} has no evaluation function; use the values rollouts") from error


@lru_cache(maxsize=4)
def _solved(game: Game) -> ValueEstimate:
    if not is_constant_sum(game):
        raise OptionError(
            f"{game} is no zero-sum game for two players, so it cannot be solved; use the values "
            "rollouts"
        )
    tree = written_out(game)
    if tree.num_histories <= MOST_FOR_LP:
        return TreeValues(tree, solve_refined_lp(tree).profile)
    return TreeValues(tree, CFR(tree).run(CFR_ITERATIONS).profile)


def _call(game: Game, name: str) -> int:
    """The action that calls."""
    rules = game.game if isinstance(game, TurnBased) else game
    call = getattr(rules, "CALL", None)
    if not isinstance(call, int):
        raise OptionError(
            f"{shortened(name)} is for games of poker that have an action CALL; {game} has none; "
            "use the values rollouts"
        )
    return call


@lru_cache(maxsize=4)
def _strategy_values(game: Game, file: str) -> TreeValues | Strategy:
    """What a strategy earns, or the strategy itself where the game is too large to be written
    out.
    """
    strategy = load_strategy(file)
    strategy.verify(game, file)
    try:
        tree = unroll(game, MAX_HISTORIES)
    except (TooLargeError, GameError):
        return strategy
    return TreeValues(tree, strategy.on(tree))


def _of_strategy(game: Game, file: str, seed: int) -> ValueEstimate:
    found = _strategy_values(game, file)
    if isinstance(found, TreeValues):
        return found
    return RolloutValues(game, strategy=found, seed=seed)


@lru_cache(maxsize=4)
def _is_small(game: Game) -> bool:
    if not game.lists_chance or not is_constant_sum(game):
        return False
    try:
        unroll(game, MOST_FOR_AUTO)
    except (TooLargeError, GameError):  # the second of imperfect recall
        return False
    return True


def _automatic(game: Game, seed: int) -> ValueEstimate:
    if _is_small(game):
        return _solved(game)
    rules = game.game if isinstance(game, TurnBased) else game
    call = getattr(rules, "CALL", NOTHING)
    return RolloutValues(game, preferred=call if isinstance(call, int) else NOTHING, seed=seed)
