"""Follows the states of a game of OpenSpiel: one `pyspiel.State` for each history that a search is
looking at, found by the actions that lead there.

Searches copy and forget states at any time, so nothing of OpenSpiel can be in them. They hold the
history, and `Follower` finds or makes the state again. It keeps a limited number of histories. It
drops those that were not needed for the longest time, and replays them when they are needed again.
"""

import math
import struct
import threading
from typing import Any, Final

from hiddenhand.errors import GameError
from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.interop.openspiel.peer import Eyes, named

WORD: Final = 8  # bytes of an action
KEPT: Final = 50_000
"""How many histories a game remembers the states of."""


class Place:
    """What is known of one history.

    state: the ``pyspiel.State``.
    player: who moves: a player, CHANCE or TERMINAL.
    actions: the legal actions, or the outcomes of chance, in increasing order.
    probabilities: of the outcomes of chance; empty elsewhere.
    returns: what each player is paid; empty before the end.
    public: what all see, as a token; 0 if the game does not say.
    tokens: what was noticed of the last move: a token for each player, and last the public one.
    """

    __slots__ = (
        *("state", "player", "actions", "probabilities", "returns", "public", "tokens"),
        *("_names", "_packed"),
    )

    def __init__(self, state: Any, eyes: Eyes, before: "Place | None" = None) -> None:
        self.state = state
        self.player = mover(state)
        self.actions, self.probabilities = moves_of(state, self.player)
        self.returns = tuple(0.0 + pay for pay in state.returns()) if state.is_terminal() else ()
        self.public = eyes.public_token(state)
        self.tokens = [0] * (state.get_game().num_players() + 1)
        if before is not None:
            self._notice(eyes, before)
        self._names: dict[int, str] | None = None
        self._packed: tuple[bytes, bytes, bytes] | None = None

    def _notice(self, eyes: Eyes, before: "Place") -> None:
        """Write the tokens. Only the player that moves gets a private token; all players get the
        public token when it has changed.
        """
        if self.player >= 0:
            self.tokens[self.player] = eyes.private_token(self.state, self.player)
        if self.public != before.public:
            self.tokens[-1] = self.public

    @property
    def names(self) -> dict[int, str]:
        """The names of the actions, in their order. Where OpenSpiel calls two of them alike, the
        number of the action is added.
        """
        if self._names is None:
            names = [
                " ".join(self.state.action_to_string(self.player, action).split())
                for action in self.actions
            ]
            alike = len({name.casefold() for name in names}) < len(names)
            self._names = {
                action: f"{name} [{action}]" if alike or not name else name
                for action, name in zip(self.actions, names, strict=True)
            }
        return self._names

    @property
    def packed(self) -> tuple[bytes, bytes, bytes]:
        """The actions, the probabilities and the tokens as they lie in arrays."""
        if self._packed is None:
            self._packed = (
                struct.pack(f"{len(self.actions)}q", *self.actions),
                struct.pack(f"{len(self.probabilities)}d", *self.probabilities),
                struct.pack(f"{len(self.tokens)}q", *self.tokens),
            )
        return self._packed


def mover(state: Any) -> int:
    """Who moves in a state of OpenSpiel: a player, CHANCE or TERMINAL."""
    if state.is_terminal():
        return TERMINAL
    return CHANCE if state.is_chance_node() else int(state.current_player())


def moves_of(state: Any, player: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """The legal actions of ``player``, who moves in ``state``, in increasing order. For chance,
    the outcomes that can happen and their probabilities, which sum to 1.
    """
    if player == TERMINAL:
        return (), ()
    if player != CHANCE:
        return tuple(sorted(state.legal_actions())), ()
    outcomes = sorted((action, p) for action, p in state.chance_outcomes() if p > 0.0)
    total = math.fsum(p for _, p in outcomes)
    return tuple(a for a, _ in outcomes), tuple(p / total for _, p in outcomes)


class Follower:
    """Finds what is known of a history of ``game``.

    game: a sequential ``pyspiel.Game``.
    eyes: what its players see.
    longest: how many moves OpenSpiel says that a history has at most.
    kept: how many histories are remembered, at least 2.
    """

    def __init__(self, game: Any, eyes: Eyes, kept: int = KEPT) -> None:
        self.game = game
        self.eyes = eyes
        self.longest = int(game.max_history_length())
        self.root = Place(game.new_initial_state(), eyes)
        self._kept = kept
        self._lock = threading.Lock()
        self._places: dict[bytes, Place] = {}

    def place(self, history: bytes) -> Place:
        """What is known of the history with these actions, as the bytes of an ``int64`` array."""
        with self._lock:
            return self._found(history)

    def verify_room(self, count: int, of_chance: bool) -> None:
        """Raise GameError if ``count`` outcomes of chance, or actions, are more than OpenSpiel says
        there can be: arrays have room for no more.
        """
        what = "max_chance_outcomes" if of_chance else "num_distinct_actions"
        most = getattr(self.game, what)()
        if count > most:
            raise GameError(
                f"{named(self.game)} has {count} {'outcomes' if of_chance else 'actions'} in one "
                f"place, though OpenSpiel says that {what} is {most}"
            )

    def _found(self, history: bytes) -> Place:
        if not history:
            return self.root
        place = self._places.pop(history, None)
        if place is None:
            place = self._made(history)
        self._places[history] = place  # the place that was needed last is dropped last
        return place

    def _made(self, history: bytes) -> Place:
        """The place after ``history``, from the longest part of it that is remembered."""
        known = len(history) - WORD
        while known and history[:known] not in self._places:
            known -= WORD
        place = self._places[history[:known]] if known else self.root
        for (action,) in struct.iter_unpack("q", history[known:]):
            place = Place(place.state.child(action), self.eyes, place)
        while len(self._places) >= self._kept:
            del self._places[next(iter(self._places))]
        return place
