"""What onlookers are shown of a match, as plain data for a page.

An onlooker is a seat, the public, or somebody who sees all. What a seat is shown is made of the
picture that the game draws for that seat, the names of the seat's own legal actions, and what was
said at that seat of each move; so two deals that agree for a seat look the same there, to the last
byte. Nobody is shown how many moves were made, how long they took, or whose turn it is when it is
not their own: in some games that is a secret.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from hiddenhand.errors import OptionError
from hiddenhand.games.base import ALL_SEEING, SPECTATOR, Game
from hiddenhand.games.checking.rule_errors import explained
from hiddenhand.games.history import History
from hiddenhand.games.scene import Scene
from hiddenhand.games.scenes.film import film
from hiddenhand.players.announcing import Announcer, is_noticed
from hiddenhand.web.match import names_of

PUBLIC: Final = SPECTATOR
"""The onlooker who knows what everybody knows."""
ALL: Final = ALL_SEEING
"""The onlooker from whom nothing is hidden."""

Onlooker = int
Plain = dict[str, Any]


@lru_cache(maxsize=32)
def announcer_of(game: Game) -> Announcer:
    """The announcer of a game, made once, because it plays the game at random for a moment."""
    return Announcer(game)


def said(before: History, after: History, onlooker: Onlooker) -> str | None:
    """The last move in words, as it is told to ``onlooker``; None if it is not told."""
    return announcer_of(before.game).said(before, after, onlooker)


def pictures(history: History, onlooker: Onlooker, asked: bool) -> list[Plain]:
    """The state as it is drawn for ``onlooker``. Where a game draws no scene, the public sees no
    picture, and who sees all is shown what each seat sees.

    asked: whether the onlooker is asked for a move, so that items may be clicked.
    """
    if onlooker >= 0:
        return [_picture(history, onlooker, asked)]
    scene = _scene(history, onlooker)
    if scene is not None:
        return [{"of": onlooker, "scene": scene}]
    seats = range(history.game.num_players) if onlooker == ALL else ()
    return [_picture(history, seat, False) for seat in seats]


def _picture(history: History, seat: int, asked: bool) -> Plain:
    """What a seat sees: a scene if the game has one, and always text."""
    with explained(history):
        shown: Plain = {"of": seat, "text": history.game.render(history.state, seat)}
    scene = _scene(history, seat)
    if scene is not None:
        shown["scene"] = scene if asked else _without_actions(scene)
    return shown


def _scene(history: History, observer: int) -> Plain | None:
    with explained(history):
        scene = history.game.picture(history.state, observer)
    return None if scene is None else scene.to_json()


def _without_actions(scene: Plain) -> Plain:
    items = [
        {name: value for name, value in item.items() if name not in ("action", "choices")}
        for item in scene["items"]
    ]
    return {**scene, "items": items}


def view(history: History, onlooker: Onlooker, log: Sequence[str], asked: bool = False) -> Plain:
    """What a page of ``onlooker`` shows of a match that goes on, or has ended.

    asked: whether the match waits for a move of the onlooker. It is not found out from the history:
        whether others moved unseen before must not show.
    """
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
    """What a page shows of a position of a match that is looked through."""
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
    """How many decisions ``onlooker`` has made; 0 for whoever has no seat."""
    return sum(mover == onlooker for mover in history.movers) if onlooker >= 0 else 0


def film_of(moves: Sequence[int], game: Game, onlooker: Onlooker) -> str:
    """A match as ``onlooker`` saw it, as a film; see `film`. Raises OptionError for a game that
    draws no scenes.
    """
    history, frames = History(game), list[tuple[Scene, str]]()
    lines = told(moves, game, onlooker)
    for move, line in zip((None, *moves), ("", *lines), strict=True):
        if move is not None:
            history = history.child(move)
        if move is None or is_noticed(history, onlooker):
            with explained(history):
                scene = game.picture(history.state, onlooker)
            if scene is None:
                raise OptionError("this game draws no pictures, so there is no film of its matches")
            frames.append((scene, line or ""))
    return film(frames)


def log_of(moves: Sequence[int], game: Game, onlooker: Onlooker) -> list[str]:
    """What ``onlooker`` was told of a match, line by line."""
    return [line for line in told(moves, game, onlooker) if line is not None]


def told(moves: Sequence[int], game: Game, onlooker: Onlooker) -> list[str | None]:
    """What ``onlooker`` was told of each move; None for a move that was not told."""
    history, lines = History(game), list[str | None]()
    for move in moves:
        after = history.child(move)
        lines.append(said(history, after, onlooker))
        history = after
    return lines


def _actions(history: History) -> list[Plain]:
    with explained(history):
        return [{"action": action, "name": name} for action, name in names_of(history).items()]
