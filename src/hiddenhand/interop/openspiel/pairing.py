"""A game of ours and a game of OpenSpiel that are the same, walked through together.

Both list their moves in increasing order, and the first move of one is the first of the other. That
holds for games of OpenSpiel that came here by `from_openspiel`, and for our games that went there.
Players who move at once there choose in turns here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hiddenhand.errors import GameError
from hiddenhand.games.base import Game
from hiddenhand.games.history import History
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.interop.openspiel.loading import from_openspiel
from hiddenhand.interop.openspiel.ours import HiddenhandGame
from hiddenhand.interop.openspiel.state_tracker import mover, moves_of


@dataclass(frozen=True)
class Pair:
    """The same history in both programs.

    theirs: the ``pyspiel.State``.
    ours: the history of our game, in turns.
    """

    theirs: Any
    ours: History

    @property
    def moves(self) -> list[tuple[int, int]]:
        """The moves that are possible: OpenSpiel's action, and ours."""
        player = mover(self.theirs)
        actions, _ = moves_of(self.theirs, player)
        own = self.ours.legal_actions() if not self.ours.is_terminal else []
        if player != self.ours.player or len(own) != len(actions):
            raise GameError(
                f"{self.ours.game} is not the same game as OpenSpiel's {self.theirs.get_game()}: "
                f"after {self.ours.moves} other moves are possible"
            )
        return list(zip(actions, sorted(own), strict=True))

    def child(self, action: int, move: int) -> "Pair":
        """What follows by OpenSpiel's ``action``, which is our ``move``."""
        return Pair(self.theirs.child(action), self.ours.child(move))


def our_form(game: Any) -> Game:
    """The game of ours that is the ``pyspiel.Game``, with moves in turns."""
    if isinstance(game, HiddenhandGame):
        return as_sequential(game.ours)
    return from_openspiel(game)


def decisions(game: Any, ours: Game) -> Iterator[Pair]:
    """A pair of histories for each information set of the same game in both programs: the first
    that is found. ``game`` is sequential.
    """
    met: set[int] = set()
    waiting = [Pair(game.new_initial_state(), History(ours))]
    while waiting:
        pair = waiting.pop()
        if pair.ours.player >= 0 and pair.ours.information_key not in met:
            met.add(pair.ours.information_key)
            yield pair
        waiting += [pair.child(action, move) for action, move in pair.moves]


class Replay:
    """The history of ours that belongs to a state of OpenSpiel, in the course of a match.

    game: a ``pyspiel.Game``; players may move at once.
    ours: the same game here, in turns.
    """

    def __init__(self, game: Any, ours: Game) -> None:
        self._game = game
        self._ours = ours
        self.begin()

    def begin(self) -> None:
        """Go back to the root."""
        self._actions: list[int] = []
        self._state = self._game.new_initial_state()
        self._history = History(self._ours)

    def to(self, state: Any) -> History:
        """The history of ours that ``state`` has come to. It is found from the one before, if the
        match went on from there.
        """
        wanted = list(state.history())
        if wanted[: len(self._actions)] != self._actions:
            self.begin()
        rest = wanted[len(self._actions) :]
        while rest:
            taken = self._step(rest)
            rest = rest[taken:]
        self._actions = wanted
        return self._history

    def numbers(self, state: Any, player: int) -> dict[int, int]:
        """OpenSpiel's legal actions of ``player``, by ours, where ``player`` chooses."""
        history = self.at_turn(state, player)
        theirs = sorted(state.legal_actions(player))
        return dict(zip(sorted(history.legal_actions()), theirs, strict=True))

    def at_turn(self, state: Any, player: int) -> History:
        """The history of ours in which it is the turn of ``player``. Where players move at once,
        those before ``player`` have chosen here; what they chose cannot be seen, so it is their
        first action.
        """
        history = self.to(state)
        while state.is_simultaneous_node() and history.player < player:
            history = history.child(history.legal_actions()[0])
        return history

    def _step(self, rest: Sequence[int]) -> int:
        """Make the next move of ``rest``, and return how many entries it takes."""
        if not self._state.is_simultaneous_node():
            moves = dict(Pair(self._state, self._history).moves)
            self._history = self._history.child(moves[rest[0]])
            self._state = self._state.child(rest[0])
            return 1
        joint = list(rest[: self._game.num_players()])
        for player, action in enumerate(joint):
            place = sorted(self._state.legal_actions(player)).index(action)
            self._history = self._history.child(sorted(self._history.legal_actions())[place])
        self._state = self._state.clone()
        self._state.apply_actions(joint)
        return len(joint)
