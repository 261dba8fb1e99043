"""What can be earned against a player, and what is risked by it: `draw_trade_offs`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from hiddenhand.errors import OptionError
from hiddenhand.plots.figures import colour, new_figure, save
from hiddenhand.trees.responding import TradeOff

_NARROW: Final = 0.01  # payoffs up to which risks are drawn in proportion, and larger ones narrower


def draw_trade_offs(
    results: Mapping[str, Sequence[TradeOff]], path: Path | str, title: str = ""
) -> None:
    """Write a picture of gain against risk: a line for each result, from an equilibrium on the left
    to a best response on the right. Some points are labelled with their trust.

    results: by their names, what `trade_offs` found.
    path: the file to write; its suffix says the format: .png, .svg or .pdf.
    title: what stands above the picture.

    Raises OptionError for a result without points, and if matplotlib is not installed; FileError if
    the picture cannot be written.
    """
    figure, axes = new_figure(path, 6.4, 4.0)
    for number, (name, points) in enumerate(results.items()):
        if not points:
            raise OptionError(f"{name} has no points to draw; give at least one trust")
        risked, earned = [one.loss for one in points], [one.gain for one in points]
        axes.plot(
            risked,
            earned,
            color=colour(number),
            marker="o",
            markersize=3,
            label=name,
            clip_on=False,
        )
        for one in (points[0], points[len(points) // 2], points[-1]):
            axes.annotate(
                f"{one.trust:g}",
                (one.loss, one.gain),
                xytext=(4, -9),
                textcoords="offset points",
                fontsize=7,
            )
    axes.set(
        title=title,
        xlabel="risked: what a perfect opponent could win more",
        ylabel="earned against the model",
    )
    axes.set_xscale("symlog", linthresh=_NARROW)
    axes.set_xlim(left=0)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, frameon=False, loc="lower right")
    save(figure, path)
