"""The page docs/results/nash-conv-against-seconds.md and its pictures.

They are made from what `against_seconds` and `exploitability` kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from textwrap import wrap
from typing import Any, Final

from benchmarks.kept import heading, row

from hiddenhand.files import write_whole
from studies.exploitability_report import IN_WORDS

Kept = dict[str, dict[str, Any]]

BLUEPRINT: Final = "vector-cfr"
GAMES: Final = {
    "phantom_ttt": "Phantom Tic-Tac-Toe",
    "phantom_ttt_abrupt": "Phantom Tic-Tac-Toe, abrupt",
    "dark_hex(3)": "Dark Hex 3",
    "dark_hex(3,true)": "Dark Hex 3, abrupt",
    "SLD(2,2,5)": "Liar's Dice, two dice of five faces each",
}
_WORDS: Final = {**IN_WORDS, BLUEPRINT: "Blueprint by CFR, all hands at once"}
_COLOURS: Final = {"light": ("white", "#222222"), "dark": ("#0d1117", "#e6edf3")}
"""By theme: paper and ink."""
_PAGE: Final = """\
# nash_conv against seconds

<!-- written by python -m studies.against_seconds -->

This page is for users who choose a search for a large game. At its end you know how exploitable
strategies are after some seconds of work, in five games of millions of information sets.

<picture>
<source media="(prefers-color-scheme: dark)" srcset="../pictures/nash-conv-seconds-dark.png">
<img alt="nash_conv by processor seconds" src="../pictures/nash-conv-seconds-light.png">
</picture>

The games are the five of Rudolph et al. (2025), arXiv 2502.08938. All figures are exact values of
`nash_conv`, by walks through the whole game. [Exploitability](exploitability.md) has them seed by
seed, and counts the information sets.

Each search runs once from the root. Seconds are those of one processor for the first seed, without
compiling and measuring, on a machine with other work. nash_conv is a mean over seeds; brackets have
the least and the largest value.

- OOS is `oos(epsilon=0.6,gamma=0.01)`, which from the root is MCCFR. `hiddenhand train` makes
  blueprints by the same sampling, except where all moves are public.
- In Liar's Dice all moves are public. There `hiddenhand train` makes a blueprint by CFR for all
  hands at once. Its seconds include writing the game out.
- Seconds of 36 million iterations are not measured for each search. Its nash_conv is on the page
  [Exploitability](exploitability.md) all the same.

"""


@dataclass(frozen=True)
class Point:
    """What was found after some seconds. found: nash_conv of each seed."""

    seconds: float
    iterations: int
    found: tuple[float, ...]


def write_report(kept: Kept, exact: Kept, docs: Path) -> None:
    """Write the page and its pictures.

    kept: what `against_seconds` measured.
    exact: what `exploitability` measured.
    """
    lines = {
        (game, search): points
        for game in GAMES
        for search in _WORDS
        if (points := _points(kept, exact, game, search))
    }
    text = _PAGE + "\n".join(_table(lines)) + "\n"
    write_whole(docs / "results" / "nash-conv-against-seconds.md", text.encode())
    for theme in _COLOURS:
        _draw(lines, theme, docs / "pictures" / f"nash-conv-seconds-{theme}.png")


def _points(kept: Kept, exact: Kept, game: str, search: str) -> list[Point]:
    if search == BLUEPRINT:
        made = kept.get(f"{game} | {search}", {"points": []})["points"]
        return [Point(one["seconds"], one["iterations"], (one["nash_conv"],)) for one in made]
    points = []
    for name, timed in kept.items():
        if name == f"{game} | {search} | {timed.get('iterations')}":
            found = [
                one["nash_conv"] for key, one in exact.items() if key.startswith(f"{name} | seed ")
            ]
            points.append(Point(timed["seconds"], timed["iterations"], tuple(found)))
    return sorted(points, key=lambda point: point.seconds)


def _table(lines: dict[tuple[str, str], list[Point]]) -> Iterator[str]:
    yield from heading(["game", "search", "seconds", "iterations", "nash_conv", "seeds"])
    for (game, search), points in lines.items():
        for point in points:
            ends = f" ({min(point.found):.4f} to {max(point.found):.4f})"
            found = f"{fmean(point.found):.4f}{ends if len(point.found) > 1 else ''}"
            cells = (f"{point.seconds:.1f}", f"{point.iterations:,}", found, str(len(point.found)))
            yield row([f"{GAMES[game]}: `{game}`", _WORDS[search], *cells])


def _draw(lines: dict[tuple[str, str], list[Point]], theme: str, file: Path) -> None:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    paper, ink = _COLOURS[theme]
    inked = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    with rc_context({**dict.fromkeys(inked, ink), "axes.facecolor": paper}):
        figure = Figure(figsize=(11, 6.4), layout="constrained", facecolor=paper)
        panels = figure.subplots(2, 3, sharey=True).flat
        for panel, (game, title) in zip(panels, GAMES.items(), strict=False):
            for number, search in enumerate(_WORDS):
                points = lines.get((game, search), [])
                seconds = [point.seconds for point in points]
                colour = f"C{number}"
                panel.plot(seconds, [fmean(point.found) for point in points], "-", color=colour)
                for point in points:
                    one = [point.seconds] * len(point.found)
                    panel.plot(one, point.found, "o", color=colour, markersize=4)
            panel.set(xscale="log", yscale="log", title="\n".join(wrap(title, 42)))
            panel.set(ylim=(2e-3, 2.5), xlim=(1, 1000))
            panel.set_yticks([0.01, 0.1, 1.0], ["0.01", "0.1", "1"])
            panel.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
        legend = figure.axes[-1]
        legend.set_axis_off()
        for number, words in enumerate(_WORDS.values()):
            legend.plot([], [], "o-", color=f"C{number}", label=words)
        legend.legend(loc="center", frameon=False)
        figure.supxlabel("processor seconds")
        figure.supylabel("nash_conv")
        figure.savefig(file, dpi=110)
