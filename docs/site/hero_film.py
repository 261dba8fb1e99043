"""The film of the start page of the table in the browser: a match of Phantom Tic-Tac-Toe, with what
a search believes about the marks that its seat does not see.

    python -m docs.site.hero_film

writes it again. The frames are the decisions of player 1. On each square stands the probability
that the other player has a mark there, and the mark is drawn as faintly as it is unlikely. Viewers
whose system is set to less motion see the frame with the most such marks.
"""

from pathlib import Path
from typing import Any, Final

import numpy as np
from docs.site.links import ROOT

from hiddenhand.games import History, load_game
from hiddenhand.games.drawing.film import film
from hiddenhand.games.drawing.ghosts import Ghosts
from hiddenhand.games.scene import Rect, Scene, Text
from hiddenhand.search.making import make_search
from hiddenhand.web.analysis import noticed_by
from hiddenhand.web.beliefs import ShownBelief, belief_of
from hiddenhand.web.views import told

FILE: Final = ROOT / "src" / "hiddenhand" / "web" / "static" / "film.svg"
GAME: Final = "phantom_ttt"
SEED: Final = 3
ITERATIONS: Final = 100_000
SECONDS: Final = 2.2
_FAINTEST: Final = 0.04  # a probability that is not drawn

Frame = tuple[Scene, str, list[tuple[dict[str, Any], float]]]


def frames(seed: int = SEED) -> list[Frame]:
    """The frames of a match: the picture of player 1, a line, and ghosts with their opacities."""
    game = load_game(GAME)
    search: Any = make_search(game, "oos(targeting=ist)", seed)
    search.start(0, seed)
    random, history = np.random.default_rng(seed), History(game)
    found = list[Frame]()
    while not history.is_terminal:
        moves = history.legal_actions()
        if history.player == 1:
            history = history.child(int(random.choice(moves)))
            continue
        events = noticed_by(history, 0)
        search.notice(events)
        search.think(iterations=ITERATIONS)
        found.append(_frame(history, search))
        history = history.child(moves[int(np.argmax(search.policy(len(moves))))])
    said = _said(history)
    found.append((_bare(game.picture(history.state, 0)), f"{said[-1]}: three in a line", []))
    return found


def _frame(history: History, search: Any) -> Frame:
    game = history.game
    own = game.picture(history.state, 0)
    assert own is not None
    said = _said(history)
    belief = belief_of(search, 0, noticed_by(history, 0), 1.0)
    if belief is None or not history.moves:
        return _bare(own), "you begin, and see only your own crosses", []
    shown = ShownBelief(belief)
    ghosts = Ghosts(game, 0, own, belief.leaves.state).shown(shown.weights(search))
    faint = [
        (ghost["item"], float(ghost["p"])) for ghost in ghosts["items"] if ghost["p"] > _FAINTEST
    ]
    faint += [(_percent(own, at, p), 1.0) for at, p in ghosts["cells"] if _FAINTEST < p < 0.995]
    return _bare(own), said[-1], faint


def _said(history: History) -> list[str]:
    """What player 1 noticed, in words."""
    lines = told(history.moves, history.game, 0)
    return [line for line in lines if line]


def _percent(scene: Scene, cell: int, p: float) -> dict[str, Any]:
    """A probability in the corner of a cell."""
    place = scene.items[cell]
    assert isinstance(place, Rect)
    x, y = place.x + place.width - 6, place.y + 13
    return Text(x, y, f"{100 * p:.0f}%", 13, "end", role="theirs title").to_json()


def _bare(scene: Scene | None) -> Scene:
    """A picture without the line below the board, and without its clicks."""
    assert scene is not None
    board = max(
        item.y + item.height for item in scene.items if isinstance(item, Rect) and item.width > 300
    )
    items = tuple(
        item for item in scene.items if not (isinstance(item, Text) and item.y > board - 40)
    )
    return Scene(scene.width, scene.height, items, scene.label).limited_to(set())


if __name__ == "__main__":
    shown = frames()
    ghosts = [faint for _, _, faint in shown]
    still = max(range(len(ghosts)), key=lambda number: len(ghosts[number]))
    text = film([(scene, said) for scene, said, _ in shown], SECONDS, ghosts, still)
    Path(FILE).write_text(text, encoding="utf-8")
