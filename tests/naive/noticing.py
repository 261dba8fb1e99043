"""What players notice along a history, gathered move by move."""

from collections.abc import Sequence
from typing import Any

from hiddenhand.games.base import Game
from hiddenhand.games.history import Event, History


def noticed(game: Game, observer: int, moves: Sequence[Any]) -> list[Event]:
    """What a player has noticed after ``moves``."""
    history, found = History(game), list[Event]()
    for move in moves:
        history = history.child(move)
        if event := history.noticed(observer):
            found.append(event)
    return found


def events_of(history: History, observer: int) -> list[Event]:
    """What a player noticed on the way to a history."""
    return noticed(history.game, observer, history.moves)
