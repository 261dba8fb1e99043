"""Games that are written out: sizes, and the tree itself if it is small."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from hiddenhand.display.games import spec_of
from hiddenhand.display.parts import Markup, figures, joined, number, player_colour, tag, title
from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.jit.arrays import Floats
from hiddenhand.plots.trees import places_of
from hiddenhand.trees.tree import GameTree

_MOST_ENDS: Final = 40
_ROW, _COLUMN, _EDGE = 19.0, 120.0, 12.0


def tree(shown: GameTree) -> Markup:
    """A tree: how many histories and information sets it has, and the picture of a small one."""
    counts = shown.counts()
    sizes = {
        "histories": shown.num_histories,
        "ends": counts.terminal_histories,
        "information sets": ", ".join(f"{many:,}" for many in counts.information_sets),
        "sequences": ", ".join(f"{many:,}" for many in counts.sequences),
        "public states": counts.public_states,
    }
    head = joined(title("GameTree", spec_of(shown.game)), figures(sizes))
    if shown.terminal.size > _MOST_ENDS:
        return head
    said = "nodes have the numbers of their information sets; payoffs stand at the ends"
    return joined(head, _drawn(shown), tag("p", said, class_="soft"))


def _drawn(shown: GameTree) -> Markup:
    places = places_of(shown) * (_COLUMN, _ROW) + (_EDGE, _ROW)
    width = float(places[:, 0].max()) + _COLUMN / 2 + 2 * _EDGE
    height = float(places[:, 1].max()) + _ROW
    size = {"width": number(width), "height": number(height), "viewBox": f"0 0 {width} {height}"}
    inside = [*_edges(shown, places), *_nodes(shown, places)]
    said = f"the tree of {spec_of(shown.game)}"
    return tag("svg", *inside, **size, class_="curve", role="img", aria_label=said)


def _edges(shown: GameTree, places: Floats) -> Iterator[Markup]:
    """A line for each move, and its name."""
    for history in range(shown.num_histories):
        first, count = int(shown.first_child[history]), int(shown.num_children[history])
        if not count:
            continue
        mover, here = int(shown.player[history]), shown.history(history)
        for child in range(first, first + count):
            (x, y), (to_x, to_y) = places[history], places[child]
            yield tag("line", x1=f"{x:.1f}", y1=f"{y:.1f}", x2=f"{to_x:.1f}", y2=f"{to_y:.1f}",
                      stroke="var(--hh-line)", stroke_width=1.5)  # fmt: skip
            name = shown.game.action_name(here.state, mover, int(shown.action[child]))
            if mover == CHANCE:
                name = f"{name} {number(float(shown.probability[child]))}"
            at_x, at_y = x + 0.6 * (to_x - x), y + 0.6 * (to_y - y)
            at_y += 11 if to_y > y else -3  # beside the line, on the side away from its siblings
            yield tag("text", name[:18], x=f"{at_x:.1f}", y=f"{at_y:.1f}", text_anchor="middle")


def _nodes(shown: GameTree, places: Floats) -> Iterator[Markup]:
    """A dot for each decision with the number of its information set, and payoffs at the ends."""
    for history, (x, y) in enumerate(places):
        mover = int(shown.player[history])
        if mover == TERMINAL:
            paid = shown.utility[np.searchsorted(shown.terminal, history)]
            yield tag("text", ", ".join(map(number, paid)), x=f"{x + 5:.1f}", y=f"{y + 4:.1f}")
            continue
        yield tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=8, fill=player_colour(mover))
        if mover != CHANCE:
            name = str(int(shown.information_set[history]) + 1)
            yield tag("text", name, x=f"{x:.1f}", y=f"{y + 3.5:.1f}", text_anchor="middle",
                      style="fill:#fff;font-size:9px")  # fmt: skip
