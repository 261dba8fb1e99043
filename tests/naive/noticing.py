"""What players notice along a history, gathered move by move."""

from hiddenhand.games.history import Event, History


def events_of(history: History, observer: int) -> list[Event]:
    """What a player noticed on the way to a history."""
    at, found = History(history.game), []
    for move in history.moves:
        at = at.child(move)
        event = at.noticed(observer)
        if event is not None:
            found.append(event)
    return found
