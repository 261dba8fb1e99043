"""The gain against a player, and the risk of each such strategy: `draw_trade_offs`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from hiddenhand.errors import OptionError
from hiddenhand.plots.figures import colour, new_figure, save, verify_picture
from hiddenhand.solvers.restricted_nash_response import TradeOff

_NARROW: Final = 0.01  # payoff up to which the axis of risks is linear; from there, logarithmic


def draw_trade_offs(
    results: Mapping[str, Sequence[TradeOff]], path: Path | str, title: str = ""
) -> None:
    """Write a picture of gain against risk: a line for each result, from an equilibrium on the left
    to a best response on the right. Some points are labelled with their trust.

    results: the results of `trade_offs`, by name.
    path: the file to write; its suffix gives the format: .png, .svg or .pdf.
    title: the title above the picture.

    Raises OptionError if a result has no points, or if matplotlib is not installed. Raises
    FileError if the picture cannot be written.
    """
    verify_picture(path)
    figure, axes = new_figure(6.4, 4.0)
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
