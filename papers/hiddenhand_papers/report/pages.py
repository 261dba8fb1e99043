"""Pages of results: what was printed and what was found, with a verdict for each item. Everything
on a page is computed from stored results.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hiddenhand.files import write_file
from hiddenhand.statistics import Interval
from hiddenhand_papers.experiment import Experiment
from hiddenhand_papers.findings import (
    BOLD,
    GREY,
    UNDERLINED,
    Findings,
    Grid,
    Picture,
    Plot,
    is_lopsided,
    written,
)
from hiddenhand_papers.printed import PrintedItem, PrintedTable, printed, printed_item
from hiddenhand_papers.report.drawing import draw, draw_comparison
from hiddenhand_papers.report.verdicts import (
    AGREES,
    DIFFERS,
    EXPLAINED,
    NOT_RUN,
    UNDECIDED,
    VERDICTS,
    Levels,
    Verdict,
    cell_verdict,
    claim_verdict,
    readings_of,
    verdict,
)
from hiddenhand_papers.store import Row

_SIGNS: Final = {AGREES: "✓", DIFFERS: "✗", UNDECIDED: "?"}
_MARKED: Final = (
    (BOLD, "**", "**"),
    (UNDERLINED, "<u>", "</u>"),
    (GREY, "<mark>", "</mark>"),
)
COLOURS: Final = {
    AGREES: "#1b9e77",
    EXPLAINED: "#7570b3",
    DIFFERS: "#d95f02",
    UNDECIDED: "#bdbdbd",
    NOT_RUN: "#ffffff",
}
"""The colours of verdicts: told apart by people who see no red or green, on white and on black."""
_KEY: Final = (
    "In each cell: ours, then theirs in brackets, and ✓ where the two agree, ✗ where they differ, "
    "? where our interval is too wide to tell."
)

_FEWEST: Final = 3  # cells of a table that a picture compares


@dataclass(frozen=True)
class Shown:
    """An experiment with what its stored results show.

    experiment: the experiment.
    found: what it shows.
    rows: the stored results that it was computed from.
    stale: how many results were made with other rules or other code.
    shows_stale: whether they are among ``rows``.
    """

    experiment: Experiment
    found: Levels
    rows: Sequence[Row]
    stale: int
    shows_stale: bool = False

    @property
    def printed(self) -> PrintedItem | None:
        """What the paper printed."""
        return printed_item(self.experiment.name)

    @property
    def findings(self) -> Findings:
        """What it shows, with 95 % intervals."""
        return self.found.single

    @property
    def verdict(self) -> Verdict:
        """What is to be said of the item."""
        return verdict(self.printed, self.found)


def write_page(paper: str, items: Sequence[Shown], folder: Path, command: str) -> list[Path]:
    """Write ``PAPER.md`` and its pictures into ``folder``, and return their paths.

    paper: the paper's short name.
    items: all its experiments.
    command: the command that writes the page.
    """
    written_files = [folder / f"{paper}.md"]
    lines = [*_head(paper, items, command)]
    for shown in items:
        lines += ["", *section(shown, pictures="pictures")]
        for plot in shown.findings.plots:
            if plot.curves:
                path = folder / "pictures" / picture_name(shown.experiment, plot)
                write_file(path, draw(plot))
                written_files.append(path)
        for picture in shown.findings.pictures:
            path = folder / "pictures" / picture_name(shown.experiment, picture)
            write_file(path, picture.svg)
            written_files.append(path)
        for number, (grid, joint, same) in enumerate(_tables(shown)):
            if (cells := compared_cells(shown, grid, joint)) and same is None:
                path = folder / "pictures" / comparison_name(shown.experiment, number)
                write_file(path, draw_comparison(cells, COLOURS))
                written_files.append(path)
    write_file(written_files[0], ("\n".join(lines) + "\n").encode())
    return written_files


def picture_name(experiment: Experiment, plot: Plot | Picture) -> str:
    """The file that a picture is in."""
    end = f"-{plot.name}" if plot.name else ""
    return f"{experiment.paper}-{experiment.item}{end}.svg"


def comparison_name(experiment: Experiment, number: int) -> str:
    """Return the file of the picture that compares table ``number`` of an experiment."""
    return f"{experiment.paper}-{experiment.item}--table{number + 1}.svg"


def compared_cells(shown: Shown, grid: Grid, joint: Grid) -> list[tuple[Interval, Interval, str]]:
    """Return the cells of a table that were printed, too: the printed value, ours, and the verdict.
    Nothing is returned for fewer than three cells, which need no picture.
    """
    theirs = shown.printed.table(grid.name) if shown.printed else None
    if theirs is None:
        return []
    found = []
    for place, ours in grid.cells.items():
        if (value := theirs.cells.get(place)) is not None:
            word = cell_verdict(ours, joint.cells[place], shown.found.stretch, value, theirs)
            found.append((value, ours, word))
    return found if len(found) >= _FEWEST else []


def _head(paper: str, items: Sequence[Shown], command: str) -> Iterator[str]:
    about = printed(paper) if any(shown.printed for shown in items) else None
    yield f"# {about.title if about else paper}"
    yield ""
    if about:
        yield f"{about.reference}."
        yield ""
    yield "The command below writes this whole page from stored results."
    yield "[How to read these pages](README.md) explains the verdicts."
    yield ""
    yield f"```text\n{command}\n```"
    yield ""
    yield "| item | printed as | verdict |"
    yield "| --- | --- | --- |"
    for shown in items:
        item = shown.printed
        where = item.with_page if item else ""
        name = shown.experiment.name
        yield f"| [{name}](#{anchor_of(name)}) | {where} | {shown.verdict.word} |"
    yield ""
    yield f"Together: {_counted([shown.verdict for shown in items])}."


def anchor_of(name: str) -> str:
    """Return the anchor of the section of an experiment on its page."""
    return "".join(letter for letter in name.casefold() if letter.isalnum() or letter in "-_")


def _counted(verdicts: Sequence[Verdict]) -> str:
    counts = Counter(found.word for found in verdicts)
    return "; ".join(f"{counts[word]} {word}" for word in VERDICTS if counts[word])


def section(shown: Shown, pictures: str | None = None) -> Iterator[str]:
    """The lines about an experiment.

    pictures: the folder of the pictures, as seen from the page; None for a text without them.
    """
    experiment, findings, item = shown.experiment, shown.findings, shown.printed
    yield f"## {experiment.name}"
    yield ""
    title = f"{experiment.title}."
    yield f"{item.with_page}: {item.caption.rstrip('.')}." if item else title
    yield ""
    found = shown.verdict
    yield f"**Verdict: {found.word}.** {' '.join(found.reasons)}"
    yield ""
    yield from (f"- {sentence}" for sentence in (*experiment.setup, *findings.notes))
    if pictures is not None:
        shown_here: list[Plot | Picture] = [plot for plot in findings.plots if plot.curves]
        for picture in [*shown_here, *findings.pictures]:
            yield ""
            yield f"![{picture.title}]({pictures}/{picture_name(experiment, picture)})"
    else:
        for plot in findings.plots:
            yield ""
            yield from _plotted(plot)
    for number, (grid, joint, same) in enumerate(_tables(shown)):
        yield ""
        if same is not None:
            yield f"Table {grid.name} ({grid.reading}): that of the reading “{same.reading}”."
            continue
        signs = _signs(grid, joint, shown.found.stretch, item.table(grid.name) if item else None)
        yield from _table(grid, item.table(grid.name) if item else None, signs)
        if pictures is not None and compared_cells(shown, grid, joint):
            yield ""
            yield f"![Printed and ours]({pictures}/{comparison_name(experiment, number)})"
    yield from _sentences(shown)
    yield ""
    yield from _provenance(shown)


def _tables(shown: Shown) -> Iterator[tuple[Grid, Grid, Grid | None]]:
    """Each table with single intervals and with joint ones, and an earlier one of another reading
    that has the same matches, if there is one.
    """
    before: list[Grid] = []
    for grid, joint in shown.found.grids():
        same = (one for one in before if one.name == grid.name)
        yield grid, joint, next((one for one in same if one.samples == grid.samples != {}), None)
        before.append(grid)


def _plotted(plot: Plot) -> Iterator[str]:
    """The numbers of a picture, as a table."""
    yield f"{plot.title}: {plot.y} by {plot.x}."
    yield ""
    curves = {
        curve.name: {f"{at:,.3g}": (at, found) for at, found in curve.points}
        for curve in plot.curves
    }
    known = {at: x for points in curves.values() for at, (x, _) in points.items()}
    places = sorted(known, key=lambda at: known[at])  # looks a rounding error apart are one
    yield _row(["", *places])
    yield _row(["---"] * (len(places) + 1))
    for name, points in curves.items():
        yield _row([name, *(written(points[at][1]) if at in points else "" for at in places)])


def _signs(
    grid: Grid, joint: Grid, stretch: float, theirs: PrintedTable | None
) -> dict[tuple[str, str], str]:
    """By row and column, the sign of the verdict on a cell."""
    if theirs is None:
        return {}
    return {
        place: _SIGNS[cell_verdict(ours, joint.cells[place], stretch, printed_value, theirs)]
        for place, ours in grid.cells.items()
        if (printed_value := theirs.cells.get(place)) is not None
    }


def _table(
    grid: Grid, theirs: PrintedTable | None, signs: Mapping[tuple[str, str], str]
) -> Iterator[str]:
    named = f" ({grid.reading})" if grid.reading else ""
    what = f"Table {grid.name}" if grid.name != "main" else "Table"
    about = f"{what}{named}: {grid.unit}." if grid.unit else f"{what}{named}."
    fewest = f" At least {grid.observations:,} a cell." if grid.observations else ""
    yield f"{about}{fewest}{' ' + _KEY if theirs else ''}"
    yield ""
    yield _row([theirs.corner if theirs else "", *grid.columns])
    yield _row(["---"] * (len(grid.columns) + 1))
    for row in grid.rows:
        yield _row([row, *(_cell(grid, theirs, signs, (row, column)) for column in grid.columns)])


def _cell(
    grid: Grid,
    theirs: PrintedTable | None,
    signs: Mapping[tuple[str, str], str],
    place: tuple[str, str],
) -> str:
    ours = ""
    if place in grid.cells:
        ours = _marked(_number(grid.cells[place]), grid.marks.get(place, ()))
    printed_value = theirs.cells.get(place) if theirs else None
    if printed_value is None:
        return ours
    return f"{ours} [{_number(printed_value)}] {signs.get(place, '')}".strip()


def _marked(text: str, marks: Sequence[str]) -> str:
    """A cell that stands out, in Markdown."""
    for mark, begin, end in _MARKED:
        if mark in marks:
            text = f"{begin}{text}{end}"
    return text


def _number(interval: Interval) -> str:
    """An interval as a cell shows it: with its ends, if the value is not in its middle."""
    half = interval.width / 2
    value = _figure(interval.value)
    if half == 0:
        return value
    if not math.isfinite(half):
        return f"{value} ± ∞"
    if is_lopsided(interval):
        return f"{value} ({_figure(interval.low)} to {_figure(interval.high)})"
    return f"{value} ± {_figure(half)}"


def _figure(value: float) -> str:
    if abs(value) >= 1000 and float(value).is_integer():
        return f"{value:,.0f}"
    if abs(value) >= 1e6:
        return f"{value:.2e}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _sentences(shown: Shown) -> Iterator[str]:
    item, findings = shown.printed, shown.findings
    claims = item.claims if item else ()
    readings = readings_of(findings)
    if claims:
        yield ""
        yield from ("| what the paper says | where | ours | |", "| --- | --- | --- | --- |")
    for claim in claims:
        tested = [reading for reading in readings if shown.found.check(claim.check, reading)]
        alike: dict[tuple[str, str], list[str]] = {}
        for reading in tested or readings[:1]:
            alike.setdefault(claim_verdict(claim, shown.found, reading), []).append(reading)
        for (word, words), names in alike.items():
            said = f"{'; '.join(names)}: {words}" if any(names) else words
            yield _row([claim.text, claim.page, said, word])
    named = {claim.check for claim in claims}
    further = [check for check in findings.checks if check.name not in named]
    if further:
        yield ""
        yield from ("| also tested | ours | |", "| --- | --- | --- |")
    for check in further:
        judged = shown.found.check(check.name, check.reading)
        assert judged is not None  # it is one of them
        holds = {True: "holds", False: "fails", None: UNDECIDED}[judged.holds]
        reading = f"{check.reading}: " if check.reading else ""
        yield _row([check.name.replace("-", " "), f"{reading}{check.words}", holds])


def _provenance(shown: Shown) -> Iterator[str]:
    yield f"```text\nhiddenhand experiment run {shown.experiment.name}\n```"
    yield ""
    made = [row.made for row in shown.rows]
    if not made:
        yield "Nothing is stored yet."
        return
    seconds = sum(float(entry.get("seconds", 0)) for entry in made)
    days = sorted({str(entry.get("when", ""))[:10] for entry in made})
    stale = ""
    if shown.stale:
        are = "are among them" if shown.shows_stale else "are not shown"
        stale = f" {shown.stale:,} results that were made with other rules or other code {are}."
    yield (
        f"From {len(made):,} stored units, {_time(seconds)} of one process in all; "
        f"{_listed('commit', [entry.get('commit') or 'unknown' for entry in made])}; "
        f"{_listed('machine', [entry.get('machine', '') for entry in made])}; "
        f"{_versions(made)}; {' to '.join(dict.fromkeys([days[0], days[-1]]))}.{stale}"
    )


def _time(seconds: float) -> str:
    return f"{seconds / 3600:.1f} hours" if seconds >= 3600 else f"{seconds / 60:.1f} minutes"


def _listed(name: str, values: Sequence[str]) -> str:
    return f"{name} {', '.join(sorted(set(values)))}"


def _versions(made: Sequence[Mapping[str, Any]]) -> str:
    found = {
        ", ".join(
            f"{name} {number}"
            for name, number in {"Python": entry.get("python"), **entry.get("packages", {})}.items()
        )
        for entry in made
    }
    return " or ".join(sorted(found))
