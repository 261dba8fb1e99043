"""The tree of a small game as a picture, nodes from left to right and information sets as dashed
lines: `draw_tree`.
"""

import itertools
from pathlib import Path
from typing import Any, Final

import numpy as np

from hiddenhand.errors import TooLargeError
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.jit.arrays import Floats
from hiddenhand.plots.figures import colour, new_figure, save, verify_picture
from hiddenhand.trees.strategy import Strategy
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

MOST_ENDS: Final = 200
"""The most terminal histories in a picture; with more, it would be unreadable."""

_CHANCE_COLOUR: Final = "#9a9a9a"
_ROW, _COLUMN = 0.24, 2.0  # inches for an end, and for a move


def draw_tree(game: GameTree | Game, path: Path | str, strategy: Strategy | None = None) -> None:
    """Write the tree of ``game`` as a picture.

    Moves go from left to right. Nodes have the colour of the player who moves, and chance's are
    grey. The payoffs stand at the ends. A dashed line joins the nodes of an information set, and
    the nodes show its number.

    game: the game, or its tree; at most `MOST_ENDS` terminal histories.
    path: the file to write; its suffix gives the format: .png, .svg or .pdf.
    strategy: a strategy to show. Likely moves get thick lines, and each move its probability.

    Raises TooLargeError for a larger game, OptionError if matplotlib is not installed, and
    FileError if the picture cannot be written.
    """
    verify_picture(path)
    save(tree_figure(game, strategy), path)


def tree_figure(game: GameTree | Game, strategy: Strategy | None = None) -> Any:
    """The figure of `draw_tree`."""
    tree = game if isinstance(game, GameTree) else unroll(game)
    if tree.terminal.size > MOST_ENDS:
        raise TooLargeError(
            f"{tree.game} has {tree.terminal.size:,} terminal histories, and a picture shows "
            f"at most {MOST_ENDS}; draw a smaller game"
        )
    places = places_of(tree)
    figure, axes = new_figure(
        _COLUMN * (tree.level_start.size - 1), 1.2 + _ROW * tree.terminal.size
    )
    _draw_sets(axes, tree, places)
    _draw_moves(axes, tree, places, None if strategy is None else strategy.on(tree))
    _draw_nodes(axes, tree, places)
    axes.set_title(str(tree.game), fontsize=10)
    axes.set_xlim(-0.3, tree.level_start.size - 1.4)
    axes.invert_yaxis()
    axes.axis("off")
    return figure


def places_of(tree: GameTree) -> Floats:
    """``float64[H, 2]``: the place of each history: its number of moves, and its height in rows, of
    which each end has one. A history stands in the middle of its children.
    """
    depth = np.repeat(np.arange(tree.level_start.size - 1), np.diff(tree.level_start))
    height = np.zeros(tree.num_histories)
    waiting, ends = [0], 0
    while waiting:  # depth first, so that ends are numbered from top to bottom
        history = waiting.pop()
        first, count = int(tree.first_child[history]), int(tree.num_children[history])
        waiting += range(first + count - 1, first - 1, -1)
        if not count:
            height[history] = ends
            ends += 1
    for history in range(tree.num_histories - 1, -1, -1):
        first, count = int(tree.first_child[history]), int(tree.num_children[history])
        if count:
            height[history] = (height[first] + height[first + count - 1]) / 2
    return np.column_stack([depth, height])


def _draw_sets(axes: Any, tree: GameTree, places: Floats) -> None:
    """Draw a dashed line through all nodes of each information set with more than one. The bends
    of the lines differ from set to set, to tell them apart.
    """
    for number in range(tree.num_sets):
        members = np.flatnonzero(tree.information_set == number)
        members = members[np.argsort(places[members, 1])]
        bend = 0.06 + 0.05 * (number % 4)
        for above, below in itertools.pairwise(members):
            axes.annotate(
                "",
                xy=places[below],
                xytext=places[above],
                arrowprops={
                    "arrowstyle": "-",
                    "linestyle": (0, (4, 3)),
                    "color": colour(int(tree.set_player[number])),
                    "alpha": 0.55,
                    "connectionstyle": f"arc3,rad={bend}",
                },
                zorder=1,
            )


def _draw_moves(axes: Any, tree: GameTree, places: Floats, profile: Floats | None) -> None:
    """Draw a line for each move, with its name, and its probability if it has one."""
    for history in range(tree.num_histories):
        first, count = int(tree.first_child[history]), int(tree.num_children[history])
        if not count:
            continue
        mover = int(tree.player[history])
        here = tree.history(history)
        for position, child in enumerate(range(first, first + count)):
            name = tree.game.action_name(here.state, mover, int(tree.action[child]))
            chance: float | None = float(tree.probability[child]) if mover == CHANCE else None
            if mover >= 0 and profile is not None:
                number = int(tree.information_set[history])
                chance = float(profile[int(tree.set_start[number]) + position])
            width = 1.0 if mover == CHANCE or chance is None else 0.4 + 3.0 * chance
            (x, y), (to_x, to_y) = places[history], places[child]
            stroke = _CHANCE_COLOUR if mover == CHANCE else "#303030"
            axes.plot([x, to_x], [y, to_y], color=stroke, linewidth=width, zorder=2)
            said = name if chance is None else f"{name} {chance:.3g}"
            axes.text(
                x + 0.62 * (to_x - x),
                y + 0.62 * (to_y - y),
                said,
                fontsize=6.5,
                ha="center",
                va="center",
                zorder=4,
                bbox={"boxstyle": "square,pad=0.12", "color": "white", "linewidth": 0},
            )


def _draw_nodes(axes: Any, tree: GameTree, places: Floats) -> None:
    """Draw a dot for each decision, and the payoffs at the ends."""
    for history, (x, y) in enumerate(places):
        mover = int(tree.player[history])
        if mover == TERMINAL:
            paid = tree.utility[np.searchsorted(tree.terminal, history)]
            text = ", ".join(f"{pay + 0.0:.3g}" for pay in paid)  # no -0
            axes.text(x + 0.04, y, text, fontsize=6.5, ha="left", va="center", zorder=4)
        else:
            filled = _CHANCE_COLOUR if mover == CHANCE else colour(mover)
            axes.plot(x, y, "o", color=filled, markersize=9.0, zorder=3)
            number = "" if mover == CHANCE else str(int(tree.information_set[history]) + 1)
            axes.text(x, y, number, fontsize=5.5, color="white", ha="center", va="center", zorder=5)
    for player in range(tree.num_players):
        axes.plot([], [], "o", color=colour(player), label=f"player {player + 1}")
    if CHANCE in tree.player:
        axes.plot([], [], "o", color=_CHANCE_COLOUR, label="chance")
    axes.legend(loc="lower left", fontsize=7, frameon=False, ncols=tree.num_players + 1)
