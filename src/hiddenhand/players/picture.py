"""A tournament as a picture: a table of win rates in colours, in which the player of a row sits in
the first seat. It needs matplotlib, which the optional extra ``plots`` installs.
"""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from hiddenhand.errors import FileError, PlayerError
from hiddenhand.files import write_file
from hiddenhand.players.tournament import Pairing

_SUFFIXES: Final = (".png", ".svg", ".pdf")


def verify_picture(path: Path) -> None:
    """Raise PlayerError if matplotlib is not installed, and FileError if the suffix of ``path`` is
    not that of a format. It is called before anything takes long.
    """
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise PlayerError(
            "a picture needs matplotlib, which is not installed; install hiddenhand[plots]"
        ) from None
    if path.suffix not in _SUFFIXES:
        raise FileError(
            f"the picture {path} cannot be written; give a path that ends in {', '.join(_SUFFIXES)}"
        )


def draw_table(path: Path, title: str, players: Sequence[str], pairings: Sequence[Pairing]) -> None:
    """Write the picture of a tournament. Raises what `verify_picture` raises, and FileError where
    nothing can be written.

    path: the file to write; its suffix says the format: .png, .svg or .pdf.
    title: what stands above the table.
    players: the names of the players, in the order of rows and columns.
    pairings: the matches of each two players and order of seats.
    """
    verify_picture(path)
    if any(len(pairing.players) != 2 for pairing in pairings):
        raise PlayerError(
            "the table of win rates is for games of two players; draw the mean leads with "
            "hiddenhand.plots.draw_payoffs"
        )
    from matplotlib.figure import Figure

    size = len(players)
    rates = np.full((size, size), np.nan)
    figure = Figure(figsize=(4.0 + 1.1 * size, 2.2 + 0.7 * size), layout="constrained")
    axes = figure.subplots()
    for pairing in pairings:
        row, column = players.index(pairing.first), players.index(pairing.second)
        rate = pairing.score().win_rate
        rates[row, column] = rate.value
        colour = "white" if abs(rate.value - 0.5) > 0.3 else "black"
        axes.text(
            column,
            row,
            f"{rate.value:.1%}\n{rate.low:.1%} to {rate.high:.1%}",
            ha="center",
            va="center",
            color=colour,
            fontsize=9,
        )
    shown = axes.imshow(rates, cmap="RdBu", vmin=0.0, vmax=1.0, aspect="auto")
    axes.set_xticks(range(size), [f"{number}" for number in range(1, size + 1)])
    axes.set_yticks(range(size), [f"{name}  {number}" for number, name in enumerate(players, 1)])
    axes.set_xlabel("player in the second seat")
    axes.set_ylabel("player in the first seat")
    axes.set_title(title)
    figure.colorbar(shown, ax=axes, label="win rate in the first seat, a draw is half a win")
    drawn = io.BytesIO()
    figure.savefig(drawn, format=path.suffix[1:], dpi=150)
    write_file(path, drawn.getvalue())
