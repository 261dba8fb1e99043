"""Games for tests: the small ones of the papers by short names, and some that no paper has."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from hiddenhand.games.base import CHANCE, TERMINAL, Game, Integers, Probabilities, State
from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.games.registry import describe_games, game_spec, load_game
from hiddenhand.games.tree_game import TreeGame


@lru_cache
def small(spec: str) -> TreeGame:
    """The game that ``spec`` names, written out.

    All games written out share their compiled code. So a test of an algorithm on ``small`` games
    compiles each kernel once for all of them, where the games' own rules would compile it once for
    each. What players notice, and so information sets, public states and payoffs, are those of the
    rules; only keys have other values. Simultaneous moves are taken in turns.
    """
    return TreeGame.from_game(load_game(spec))


def small_variants() -> list[str]:
    """The small variants of all games of the package, by name."""
    abouts = [game.about for game in describe_games()]
    return [text for about in abouts if about is not None for text in about.small]


def variants_of_all() -> list[str]:
    """The small variants of all games of the package, and the examples of games without any."""
    without = [game.example for game in describe_games() if game.about and not game.about.small]
    return small_variants() + without


class Written(Game):
    """`small` games for the command line: ``naive.small_games:Written(Kuhn)``."""

    def __new__(cls, game: Any) -> Any:
        return small(game if isinstance(game, str) else game_spec(game))

    def __init__(self, game: Any) -> None:
        raise NotImplementedError("a TreeGame stands for this")


@lru_cache
def bushy(deals: int = 6, depth: int = 8, actions: int = 4, hidden: bool = False) -> TreeGame:
    """Chance deals, in public, for ``deals`` levels; then two players move in turns. However a
    search chooses, chance leads it to many information sets, and such a tree is cheap to write.

    hidden: the first thing dealt is for player 0 to know, once player 0 moves, and for nobody else.
    """
    starts = np.cumsum([actions**level for level in range(depth + 1)])  # behind each level
    nodes = int(starts[-1])
    level = np.searchsorted(starts, np.arange(nodes), side="right")
    inner = np.arange(nodes) < starts[-2]
    moves = inner & (level >= deals)
    payoff = np.where(inner, 0.0, 1.0 - 2.0 * (np.arange(nodes) % 3 == 0))
    known = np.arange(nodes)
    if hidden:  # nodes that differ in the first thing dealt alone go by the number of one of them
        first = np.where(level > 0, starts[level - 1], 0)
        known = first + (known - first) % actions ** np.maximum(level - 1, 0)
    owned = np.where(level % 2 == 0, np.arange(nodes), known)
    return TreeGame(
        player=np.where(moves, level % 2, np.where(inner, CHANCE, TERMINAL)),
        first_child=np.where(inner, 1 + actions * np.arange(nodes), 0),
        num_children=np.where(inner, actions, 0),
        probability=np.full(nodes, 1.0 / actions),
        information_set=np.where(moves, owned, -1),
        utilities=np.stack([payoff, -payoff], axis=1),
        public_token=np.where((level > 0) & (level <= deals), 1 + known, 0),
    )


def ii_goofspiel(num_cards: int, lowest_card: int = 1) -> Goofspiel:
    """II-GS(num_cards): bids hidden, point cards ascending."""
    return Goofspiel(num_cards, imp_info=True, points_order="ascending", lowest_card=lowest_card)


# what the state of ThreeHands holds, by the index where it begins
_CARDS = 0  # a card for each player: 1 low, 2 high
_DONE = 3  # what each player did: 1 out, 2 in
_MOVES = 6  # how many moves were made, deals included


@dataclass(frozen=True)
class ThreeHands(Game):
    """Three players, not zero-sum. Each gets a high card with probability 1/3 and says in turn
    whether they are in, which costs 1.

    Those in with the highest card share 5, which the house pays.
    """

    prize: float = 5.0

    zero_sum = False
    num_players, state_size, max_actions, max_chance_outcomes, max_depth = 3, 7, 2, 2, 6

    @property
    def max_utility(self) -> float:
        return self.prize

    def initial_state(self, state: State) -> None:
        state[:] = 0

    def current_player(self, state: State) -> int:
        moves = state[_MOVES]
        return CHANCE if moves < 3 else moves - 3 if moves < 6 else TERMINAL

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        actions[0], actions[1] = 0, 1
        return 2

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        actions[0], actions[1] = 0, 1
        probabilities[0], probabilities[1] = 2.0 / 3.0, 1.0 / 3.0
        return 2

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        if state[_MOVES] < 3:
            observations[state[_MOVES]] = 1 + action
            observations[3] = 1
        else:
            observations[3] = 2 + action
        state[state[_MOVES]] = 1 + action
        state[_MOVES] += 1

    def returns(self, state: State, player: int) -> float:
        best, winners = 0, 0
        for other in range(3):
            if state[_DONE + other] == 2:
                if state[_CARDS + other] > best:
                    best, winners = state[_CARDS + other], 0
                winners += int(state[_CARDS + other] == best)
        if state[_DONE + player] != 2:
            return 0.0
        return (self.prize / winners if state[_CARDS + player] == best else 0.0) - 1.0

    def render(self, state: State, player: int) -> str:
        return f"your card: {state[_CARDS + player]}; moves: {state[_DONE:_MOVES].tolist()}"


@dataclass(frozen=True)
class Forgetful(Game):
    """Player 0 moves twice and player 1 once, and everybody forgets everything, so that there is no
    perfect recall.

    State: the three moves, and how many were made.
    """

    KEY_OF_ALL: ClassVar[int] = 12345
    DONE: ClassVar[int] = 3
    """Where the state says how many moves were made."""

    state_size, max_actions, max_depth, max_utility = 4, 2, 3, 1.0

    def initial_state(self, state: State) -> None:
        state[:] = 0

    def current_player(self, state: State) -> int:
        moves = state[self.DONE]
        return TERMINAL if moves == 3 else 0 if moves < 2 else 1

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        actions[0], actions[1] = 0, 1
        return 2

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        state[state[self.DONE]] = action
        state[self.DONE] += 1
        observations[2] = 1 + action

    def returns(self, state: State, player: int) -> float:
        payoff = 1.0 if (state[0] + state[1] + state[2]) % 2 == 0 else -1.0
        return payoff if player == 0 else -payoff

    def information(self, state: State, player: int, key: int) -> int:
        return self.KEY_OF_ALL + player

    def render(self, state: State, player: int) -> str:
        return "forgotten"


def untied(game: Game, seed: int = 0) -> TreeGame:
    """``game`` written out, with small random numbers added to all payoffs: it has no two equally
    good actions.

    Where two are equally good, rounding decides which one regret matching plays, and two right
    programs soon differ.
    """
    plain = TreeGame.from_game(game)
    utilities = plain.utilities + np.random.default_rng(seed).normal(
        scale=0.1, size=plain.utilities.shape
    )
    return TreeGame(
        plain.player,
        plain.first_child,
        plain.num_children,
        plain.probability,
        plain.information_set,
        utilities,
    )


@dataclass(frozen=True)
class Over(Game):
    """The game is over at once: player 0 wins 3."""

    state_size, max_actions, max_depth, max_utility = 1, 1, 1, 3.0

    def initial_state(self, state: State) -> None:
        state[0] = 0

    def current_player(self, state: State) -> int:
        return TERMINAL

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        return 0

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        state[0] = action

    def returns(self, state: State, player: int) -> float:
        return 3.0 if player == 0 else -3.0
