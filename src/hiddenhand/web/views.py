"""The views of a match, as plain data for pages.

An onlooker is a seat, the public, or the all-seeing observer. The view of a seat has the picture
that the game draws for that seat, the names of the seat's own legal actions, and the moves in the
words for that seat. So two deals that agree for a seat give the same view, to the last byte. A view
never has the number of moves, their times, or the player to move if that is another seat: in some
games these are secrets.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from hiddenhand.errors import OptionError
from hiddenhand.games.base import ALL_SEEING, SPECTATOR, Game
from hiddenhand.games.drawing.film import film
from hiddenhand.games.history import History
from hiddenhand.games.scene import Scene
from hiddenhand.games.validation.rule_errors import explained
from hiddenhand.games.validation.scenes import scene_of
from hiddenhand.matches.narration import Announcer, is_noticed
from hiddenhand.web.match import names_of

PUBLIC: Final = SPECTATOR
"""The onlooker that knows only what all players know."""
ALL: Final = ALL_SEEING
"""The onlooker that sees everything."""

Onlooker = int
Plain = dict[str, Any]


@lru_cache(maxsize=32)
def announcer_of(game: Game) -> Announcer:
    """The announcer of a game. It is kept, because making one plays the game at random."""
    return Announcer(game)


def said(before: History, after: History, onlooker: Onlooker) -> str | None:
    """The last move in words for ``onlooker``; None if the onlooker does not notice it."""
    return announcer_of(before.game).said(before, after, onlooker)


def pictures(history: History, onlooker: Onlooker, asked: bool) -> list[Plain]:
    """The pictures of the state for ``onlooker``. If a game draws no scene, the public gets no
    picture, and the all-seeing onlooker gets the picture of each seat.

    asked: whether the onlooker must move, so that items can be clicked.
    """
    if onlooker >= 0:
        return [_picture(history, onlooker, asked)]
    scene = _scene(history, onlooker)
    if scene is not None:
        return [{"of": onlooker, "scene": scene}]
    seats = range(history.game.num_players) if onlooker == ALL else ()
    return [_picture(history, seat, False) for seat in seats]


def _picture(history: History, seat: int, asked: bool) -> Plain:
    """The picture of a seat: text, and a scene if the game draws one."""
    with explained(history):
        shown: Plain = {"of": seat, "text": history.game.render(history.state, seat)}
    scene = _scene(history, seat)
    if scene is not None:
        shown["scene"] = scene if asked else _without_actions(scene)
    return shown


def _scene(history: History, observer: int) -> Plain | None:
    scene = scene_of(history, observer)
    with explained(history):
        return None if scene is None else scene.to_json()


def _without_actions(scene: Plain) -> Plain:
    items = [
        {name: value for name, value in item.items() if name not in ("action", "choices")}
        for item in scene["items"]
    ]
    return {**scene, "items": items}


def view(history: History, onlooker: Onlooker, log: Sequence[str], asked: bool = False) -> Plain:
    """The view of a match for a page of ``onlooker``, during the match or at its end.

    asked: whether the match waits for a move of the onlooker. The caller says so, because the
        history would also show whether others have moved unseen.
    """
    with explained(history):
        over = history.is_terminal
    shown: Plain = {
        "type": "view",
        "turn": turns_of(history, onlooker),
        "mine": asked,
        "over": over,
        "pictures": pictures(history, onlooker, asked),
        "actions": _actions(history) if asked else [],
        "log": list(log),
    }
    if over:
        shown["returns"] = list(history.returns())
        shown["plies"] = len(history.moves)
    return shown


def position(history: History, onlooker: Onlooker) -> Plain:
    """The view of a position in a replay."""
    mover = history.player
    may_decide = mover >= 0 and onlooker in (ALL, mover)
    return {
        "type": "position",
        "ply": len(history.moves),
        "mover": mover,
        "pictures": pictures(history, onlooker, False),
        "actions": _actions(history) if may_decide else [],
    }


def turns_of(history: History, onlooker: Onlooker) -> int:
    """The number of decisions of ``onlooker`` so far; 0 for an onlooker without a seat."""
    return sum(mover == onlooker for mover in history.movers) if onlooker >= 0 else 0


def film_of(moves: Sequence[int], game: Game, onlooker: Onlooker) -> str:
    """A film of a match, as ``onlooker`` saw it; see `film`. Raises OptionError for a game that
    draws no scenes.
    """
    history, frames = History(game), list[tuple[Scene, str]]()
    lines = told(moves, game, onlooker)
    for move, line in zip((None, *moves), ("", *lines), strict=True):
        if move is not None:
            history = history.child(move)
        if move is None or is_noticed(history, onlooker):
            scene = scene_of(history, onlooker)
            if scene is None:
                raise OptionError(
                    "this game draws no pictures, so its matches have no film; save the record"
                )
            frames.append((scene, line or ""))
    return film(frames)


def log_of(moves: Sequence[int], game: Game, onlooker: Onlooker) -> list[str]:
    """The log of a match for ``onlooker``, line by line."""
    return [line for line in told(moves, game, onlooker) if line is not None]


def told(moves: Sequence[int], game: Game, onlooker: Onlooker) -> list[str | None]:
    """The words for each move to ``onlooker``; None for a move that it did not notice."""
    history, lines = History(game), list[str | None]()
    for move in moves:
        after = history.child(move)
        lines.append(said(history, after, onlooker))
        history = after
    return lines


def _actions(history: History) -> list[Plain]:
    with explained(history):
        return [{"action": action, "name": name} for action, name in names_of(history).items()]
