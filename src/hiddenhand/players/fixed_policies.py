"""Players who do not search: they play at random, by a strategy that is known beforehand, by an
equilibrium, or by a best response.

`written_out` and `_equilibrium` keep what they computed for the last few games, so that a
tournament solves a game only once in each process.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.errors import PlayerError, TooLargeError
from hiddenhand.games.base import CHANCE, Game, verify_constant_sum
from hiddenhand.games.history import Event
from hiddenhand.games.rule_digests import remembers_all
from hiddenhand.games.turn_based import TurnBased, as_sequential
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.history_step import first_keys, notice
from hiddenhand.players.player import Deciding, Probabilities
from hiddenhand.solvers.refined_lp import solve_refined_lp
from hiddenhand.text import one_line
from hiddenhand.trees.profile import best_response, uniform_profile
from hiddenhand.trees.strategy import Strategy, strategy_from_profile
from hiddenhand.trees.strategy_files import load_strategy
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

MAX_HISTORIES: Final = 1_000_000
"""Larger games are not written out for a player: the linear program would take minutes."""


@runtime_checkable
class KnownStrategy(Protocol):
    """A player whose whole strategy can be written down, so that a best response to it can be
    computed.
    """

    def profile(self, tree: GameTree) -> Floats:
        """``float64[S]``: the profile of ``tree`` in which this player plays all seats."""


class RandomPlayer(Deciding):
    """Plays all legal actions alike."""

    NAME = "random"

    def follow(self, events: Sequence[Event]) -> None:
        """Nothing matters."""

    def policy(self, legal_actions: Sequence[int], budget: Budget | None) -> Probabilities:
        """Uniform."""
        return _uniform(legal_actions)

    def profile(self, tree: GameTree) -> Floats:
        """See `KnownStrategy`."""
        return uniform_profile(tree)


class StrategyPlayer(Deciding):
    """Plays a strategy, and uniformly in information sets that the strategy does not know.

    strategy: a `Strategy`, or the path of a file that ``hiddenhand solve`` or ``hiddenhand search``
        wrote.
    greedy: whether to play the action with the highest mean payoff; for a file that a search by
        self-play wrote.

    Raises FileError at the start of a match if the strategy is for another game, or if the rules of
    the game have changed.
    """

    _what: object = "the strategy"  # in messages

    def __init__(self, strategy: Strategy | Path | str, greedy: bool = False) -> None:
        self.strategy = (
            strategy if isinstance(strategy, Strategy) else _read_once(Path(strategy), greedy)
        )
        if not isinstance(strategy, Strategy):
            self._what = strategy

    def __repr__(self) -> str:
        return one_line(self, self.strategy)

    def start(self, game: Game, seat: int, seed: int) -> None:
        super().start(game, seat, seed)
        self._follower = _follower(_verified(self.strategy, game, self._what, id(game)), seat)

    def follow(self, events: Sequence[Event]) -> None:
        """Go on to the next information set."""
        self._follower.follow(events)

    def policy(self, legal_actions: Sequence[int], budget: Budget | None) -> Probabilities:
        """The strategy's probabilities in the present information set."""
        known = self.strategy.at(self._follower.key())
        return _uniform(legal_actions) if known is None else known

    def profile(self, tree: GameTree) -> Floats:
        """See `KnownStrategy`."""
        _verified(self.strategy, tree.game, self._what, id(tree.game))
        return self.strategy.on(tree)


@lru_cache(maxsize=4)  # and not in each match of a tournament
def _verified(strategy: Strategy, game: Game, what: object, identity: int) -> Game:
    """The game that a strategy is for: ``game``, or an abstraction of it, in which players notice
    the same, and distinguish less. Raises FileError, about ``what``, and PlayerError.

    identity: the id of ``game``. An equal game may have other rules, after an edit of its class.
    """
    meant = game
    if isinstance(game, Followed) and strategy.game != repr(game):
        meant = game.abstraction_named(strategy.game) or game
    strategy.verify(meant, what)
    rules = meant.game if isinstance(meant, TurnBased) else meant
    if not remembers_all(rules) and not isinstance(rules, Followed):
        raise PlayerError(
            f"{game} files information sets under keys of its own, which a player cannot find "
            "from what it notices; use a search"
        )
    return meant


def _read_once(path: Path, greedy: bool) -> Strategy:
    """The strategy in a file, which is read again only where the file has changed: each match of a
    tournament makes its players anew.
    """
    try:
        about = path.stat()
    except (OSError, ValueError):
        return load_strategy(path, greedy)  # which says what is wrong
    return _read(path, greedy, (about.st_ino, about.st_size, about.st_mtime_ns))


@lru_cache(maxsize=4)
def _read(path: Path, greedy: bool, stamp: tuple[int, ...]) -> Strategy:
    return load_strategy(path, greedy)


class Follower(Protocol):
    """What finds a player's information sets from what the player notices."""

    def follow(self, events: Sequence[Event]) -> None:
        """Go on by what the player noticed."""

    def key(self) -> int:
        """The key of the information set of the player, who is to move."""


@runtime_checkable
class Followed(Protocol):
    """A game that files information sets under keys of its own, and yet can tell them from what a
    player notices.
    """

    def follower(self, player: int) -> Follower:
        """What finds the information sets of ``player``."""

    def abstraction_named(self, text: str) -> Game | None:
        """The game that `repr` writes as ``text``, if players notice in it the same as in this one;
        else None.
        """


class _Folding:
    """Follows a game in which players remember all they noticed."""

    def __init__(self, game: Game, seat: int) -> None:
        self._seat = seat
        self._keys = np.zeros(game.num_players + 1, np.uint64)
        first_keys(self._keys)

    def follow(self, events: Sequence[Event]) -> None:
        """Fold the events into the player's key."""
        for event in events:
            observations = np.zeros(self._keys.size, np.int64)
            observations[self._seat], observations[-1] = event.private, event.public
            notice(
                self._keys, self._seat if event.action else CHANCE, event.action - 1, observations
            )

    def key(self) -> int:
        """All that the player noticed."""
        return int(self._keys[self._seat])


def _follower(game: Game, seat: int) -> Follower:
    if isinstance(game, Followed) and not remembers_all(game):
        return game.follower(seat)
    return _Folding(game, seat)


class ComputedPlayer(StrategyPlayer):
    """Plays a strategy that is computed, from the game written out, when a match starts."""

    def __init__(self) -> None:
        pass

    def __repr__(self) -> str:
        return one_line(self)

    def start(self, game: Game, seat: int, seed: int) -> None:
        tree = written_out(game)
        self.strategy = strategy_from_profile(tree, self.profile(tree))
        super().start(game, seat, seed)

    def profile(self, tree: GameTree) -> Floats:
        raise NotImplementedError


class EquilibriumPlayer(ComputedPlayer):
    """Plays an exact equilibrium of a two-player zero-sum game that is small enough to be written
    out.
    """

    NAME = "equilibrium"

    @classmethod
    def verify_game(cls, game: Game) -> None:
        """Raise GameError for a game that has no constant sum or more than two players, and
        TooLargeError for one that is too large to be written out.
        """
        verify_constant_sum(game, "the player equilibrium", "auto or ismcts")
        written_out(as_sequential(game))

    def profile(self, tree: GameTree) -> Floats:
        return _equilibrium(tree.game)


class BestResponsePlayer(ComputedPlayer):
    """Earns the most that can be earned against another player.

    other: a player whose strategy is known beforehand: random, strategy, equilibrium or
        best_response.
    """

    def __init__(self, other: object) -> None:
        if not isinstance(other, KnownStrategy):
            raise PlayerError(
                f"{type(other).__name__} has no strategy known beforehand, so its best response "
                "is not known; best_response takes random, strategy(FILE), greedy(FILE), "
                "equilibrium or best_response(...)"
            )
        self.other = other

    def __repr__(self) -> str:
        return one_line(self, self.other)

    def profile(self, tree: GameTree) -> Floats:
        against = self.other.profile(tree)
        responses = against.copy()
        for player in range(tree.num_players):
            own = tree.sequence_player == player
            responses[own] = best_response(tree, against, player).profile[own]
        return responses


@lru_cache(maxsize=4)
def written_out(game: Game) -> GameTree:
    """All histories of ``game``. Raises TooLargeError when there are more than `MAX_HISTORIES`."""
    try:
        return unroll(game, MAX_HISTORIES)
    except TooLargeError:
        raise TooLargeError(
            f"{game} has more than {MAX_HISTORIES:,} histories, too many for an equilibrium or a "
            "best response; use a search, such as oos, instead"
        ) from None


@lru_cache(maxsize=4)
def _equilibrium(game: Game) -> Floats:
    return solve_refined_lp(written_out(game)).profile


def _uniform(legal_actions: Sequence[int]) -> Probabilities:
    return np.full(len(legal_actions), 1.0 / len(legal_actions))
