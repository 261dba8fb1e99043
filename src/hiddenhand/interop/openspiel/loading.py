"""Games of OpenSpiel as games of this package: `from_openspiel`, and ``openspiel:`` in
`load_game`.
"""

from typing import Any

from hiddenhand.errors import GameError, TooLargeError
from hiddenhand.games.base import Game
from hiddenhand.interop.openspiel.foreign import ForeignGame
from hiddenhand.interop.openspiel.peer import Eyes, in_turns, load_peer, named, openspiel, said_by
from hiddenhand.interop.openspiel.written import SMALL, surely_too_large, write_out


def load(text: str) -> Game:
    """The game that OpenSpiel calls ``text``, such as ``liars_dice(numdice=2)``."""
    return from_openspiel(load_peer(text))


def from_openspiel(game: Any, max_histories: int = SMALL) -> Game:
    """A game of OpenSpiel as a game of this package.

    A game of at most ``max_histories`` histories is written out as a `TreeGame` and runs at machine
    speed; its actions are numbered in OpenSpiel's order. A larger one becomes a `ForeignGame`,
    which asks OpenSpiel at every move and keeps OpenSpiel's actions. Simultaneous moves are made in
    turns.

    game: a ``pyspiel.Game``, or its name.
    max_histories: how many histories are written out; 0 for none.

    Raises GameError for a game that cannot be followed, and UnknownGameError for a name that
    OpenSpiel does not know.
    """
    peer = in_turns(load_peer(game) if isinstance(game, str) else game)
    try:
        return _formed(peer, max_histories)
    except openspiel().SpielError as error:
        raise GameError(
            f"{named(peer)} cannot be followed, because OpenSpiel fails: {said_by(error):.300}"
        ) from error


def _formed(peer: Any, max_histories: int) -> Game:
    """A sequential game, written out or followed."""
    eyes = Eyes(peer)
    if max_histories > 0 and not surely_too_large(peer, max_histories):
        try:
            tree = write_out(peer, eyes, max_histories)
        except TooLargeError:
            pass
        else:
            object.__setattr__(tree, "origin", named(peer))
            return tree
    eyes.texts = None
    return ForeignGame.of(peer, eyes)
