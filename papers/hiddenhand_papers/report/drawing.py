"""Pictures of experiments, drawn with matplotlib: lines with the bands of their 95 % intervals."""

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from hiddenhand.errors import OptionError
from hiddenhand.statistics import Interval
from hiddenhand_papers.findings import Curve, Plot

_SIZE: Final = (5.6, 3.6)  # inches
_PARTS: Final = 2  # things that the name of a line may be made of
_LABELLED: Final = 5  # places on the horizontal axis that get labels of their own
_FEW: Final = 4  # lines whose legend fits into the picture
_STYLES: Final = ("-", "--", ":", "-.")
_MARKS: Final = ("o", "s", "^", "D", "v", "P", "X", "*")
_SETTINGS: Final[dict[Any, Any]] = {
    "svg.fonttype": "none",  # text stays text, which is short
    "svg.hashsalt": "hiddenhand",  # equal pictures are equal bytes
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def draw(plot: Plot, form: str = "svg") -> bytes:
    """The picture as a file. Equal plots give equal bytes. Raises OptionError where matplotlib is
    missing.

    form: "svg" or "png".
    """
    with sized_figure() as (figure, axes):
        styles = _styles([curve.name for curve in plot.curves])
        for curve, style in zip(plot.curves, styles, strict=True):
            _draw_curve(axes, curve, style)
        axes.set(title=plot.title, xlabel=plot.x, ylabel=plot.y)
        if plot.log_x:
            axes.set_xscale("log")
            places = sorted({at for curve in plot.curves for at, _ in curve.points})
            if len(places) <= _LABELLED:  # else powers of ten are labelled
                axes.set_xticks(places, [f"{at:,g}" for at in places])
                axes.minorticks_off()
        if plot.log_y and _is_positive(plot):
            axes.set_yscale("log")
        if not plot.log_y:
            axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
        outside = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)}
        axes.legend(frameon=False, fontsize=8, **({} if len(plot.curves) <= _FEW else outside))
        return saved(figure, form)


@contextmanager
def sized_figure(size: tuple[float, float] = _SIZE) -> Iterator[tuple[Any, Any]]:
    """Yield a figure of ``size`` in inches, and its axes. Raises OptionError where matplotlib is
    missing.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise OptionError(
            "pictures need matplotlib, which is not installed; install hiddenhand[plots]"
        ) from None
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=size)
        yield figure, figure.subplots()


def draw_comparison(
    cells: Sequence[tuple[Interval, Interval, str]], colours: Mapping[str, str]
) -> bytes:
    """Return an SVG file with a point for each cell of a table: what was printed to the right, ours
    upwards, and the diagonal on which both are equal. Raises OptionError where matplotlib is
    missing.

    cells: what was printed, ours, and the verdict, a key of ``colours``.
    """
    with sized_figure((3.4, 3.4)) as (figure, axes):
        for verdict, colour in colours.items():
            own = [(theirs, ours) for theirs, ours, word in cells if word == verdict]
            if own:
                axes.errorbar(
                    [theirs.value for theirs, _ in own],
                    [ours.value for _, ours in own],
                    xerr=_arms([theirs for theirs, _ in own]),
                    yerr=_arms([ours for _, ours in own]),
                    fmt="o",
                    markersize=3,
                    elinewidth=0.7,
                    color=colour,
                    label=verdict,
                )
        values = [interval.value for pair in cells for interval in pair[:2]]
        margin = 0.08 * (max(values) - min(values)) or 1.0
        low, high = min(values) - margin, max(values) + margin
        axes.plot([low, high], [low, high], color="#808080", linewidth=0.8, zorder=0)
        axes.set(xlim=(low, high), ylim=(low, high), xlabel="printed", ylabel="ours")
        axes.set_aspect("equal")
        axes.legend(frameon=False, fontsize=7, loc="upper left")
        return saved(figure, "svg")


def _arms(intervals: Sequence[Interval]) -> list[list[float]]:
    """How far intervals reach below and above their values; not at all where that is no number."""
    below = [interval.value - interval.low for interval in intervals]
    above = [interval.high - interval.value for interval in intervals]
    return [
        [arm if math.isfinite(arm) and arm > 0 else 0.0 for arm in arms] for arms in (below, above)
    ]


def saved(figure: Any, form: str, *, transparent: bool = False) -> bytes:
    """Return a figure of matplotlib as a file. Equal figures give equal bytes.

    form: "svg" or "png".
    transparent: whether the background shows through.
    """
    file, metadata = io.BytesIO(), {"Date": None} if form == "svg" else None
    figure.savefig(
        file, format=form, metadata=metadata, bbox_inches="tight", dpi=110, transparent=transparent
    )
    return _compact(file.getvalue()) if form == "svg" else file.getvalue()


def _styles(names: Sequence[str]) -> list[tuple[int, int, int]]:
    """The colour, the mark and the kind of each line. Where the names are all combinations of two
    things with a comma between them, the first decides the colour and the second the rest.
    """
    parts = [name.split(", ") for name in names]
    if len(names) > _FEW and all(len(part) == _PARTS for part in parts):
        first, second = (list(dict.fromkeys(column)) for column in zip(*parts, strict=True))
        if len(first) * len(second) == len(names):
            return [
                (first.index(one), second.index(other), second.index(other)) for one, other in parts
            ]
    return [(number, number, number // 10) for number in range(len(names))]


def _draw_curve(axes: Any, curve: Curve, style: tuple[int, int, int]) -> None:
    """style: the numbers of the colour, of the mark and of the kind of line."""
    number, mark, kind = style
    colour = f"C{number % 10}"
    x = [at for at, _ in curve.points]
    y = [interval.value for _, interval in curve.points]
    axes.plot(
        x,
        y,
        color=colour,
        label=curve.name,
        linestyle=_STYLES[kind % len(_STYLES)],
        marker=_MARKS[mark % len(_MARKS)],
        markersize=3,
        linewidth=1.2,
    )
    banded = [(at, i) for at, i in curve.points if math.isfinite(i.width)]
    if banded:
        least = min(y) / 10 if min(y) > 0 else -math.inf  # a logarithmic axis ends somewhere
        axes.fill_between(
            [at for at, _ in banded],
            [max(i.low, least) for _, i in banded],
            [i.high for _, i in banded],
            color=colour,
            alpha=0.15,
            linewidth=0,
        )


def _is_positive(plot: Plot) -> bool:
    return all(interval.value > 0 for curve in plot.curves for _, interval in curve.points)


def _compact(content: bytes) -> bytes:
    """An SVG file without the blanks at the beginnings of its lines."""
    return b"\n".join(line.strip() for line in content.splitlines()) + b"\n"
