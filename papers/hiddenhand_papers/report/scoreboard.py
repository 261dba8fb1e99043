"""The scoreboard: every figure and table of the papers in one table and one picture, with its
verdict, what the verdict stands on, and what is missing. All of it is computed from stored results.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hiddenhand.errors import FileError
from hiddenhand.files import write_file
from hiddenhand_papers.experiment import Experiment, Scale
from hiddenhand_papers.report.drawing import saved, sized_figure
from hiddenhand_papers.report.pages import COLOURS, Shown, anchor_of
from hiddenhand_papers.report.shown import shown
from hiddenhand_papers.report.verdicts import (
    NOT_RUN,
    UNDECIDED,
    VERDICTS,
    Tally,
    readings_of,
    tally,
)
from hiddenhand_papers.store import Row, Store
from hiddenhand_papers.units import Unit
from hiddenhand_papers.work import OPEN, guesses, missing_to, next_step

BEGIN: Final = "<!-- scoreboard: written by hiddenhand experiment report --summary --out FOLDER -->"
END: Final = "<!-- end of scoreboard -->"
PICTURE: Final = "pictures/scoreboard.svg"

_ACROSS: Final = 12  # tiles in a row of the picture
_GAP: Final = 0.9  # rows between two papers


@dataclass(frozen=True)
class Score:
    """An item on the scoreboard.

    name: the name of the experiment.
    printed_as: what the paper calls it; empty for an item that is no paper's.
    verdict: one of `VERDICTS`.
    agree: how many cells and sentences of the deciding reading agree.
    differ: how many differ; a table that differs as a whole counts as one.
    undecided: how many are undecided.
    pooled: how many of these are cells of tables that agree as a whole.
    units: how many stored units the verdict stands on.
    matches: how many matches are among them.
    hours: processor hours that these units took.
    missing: processor hours that the missing units of the next step take, as far as is known; 0.0
        for an item that is decided.
    step: the scale of that step; empty if nothing is missing.
    missing_in_all: processor hours that the missing units of all steps take.
    """

    name: str
    printed_as: str
    verdict: str
    agree: int
    differ: int
    undecided: int
    pooled: int
    units: int
    matches: int
    hours: float
    missing: float
    step: str = ""
    missing_in_all: float = 0.0

    @property
    def paper(self) -> str:
        """The short name of the paper."""
        return self.name.partition("/")[0]

    @property
    def item(self) -> str:
        """The short name of the item in its paper."""
        return self.name.partition("/")[2]


def scores(experiments: Sequence[Experiment], scale: Scale, store: Store) -> list[Score]:
    """Return the scores of ``experiments`` from all results up to ``scale``."""
    kept, guess = store.keys(), guesses(store.rows())
    return [_score(one, scale, kept, guess) for one in shown(experiments, scale, store)]


def _score(
    one: Shown, scale: Scale, kept: Collection[str], guess: Callable[[Unit], float]
) -> Score:
    found, word = _tally(one), one.verdict.word
    step, units = (word in OPEN and next_step(one.experiment, word, scale, kept, guess)) or ("", ())
    return Score(
        name=one.experiment.name,
        printed_as=one.printed.printed_as if one.printed else "",
        verdict=word,
        agree=found.agree,
        differ=found.differ + found.tables,
        undecided=found.undecided,
        pooled=found.pooled,
        units=len(one.rows),
        matches=sum(len(row.result.get("payoffs", ())) for row in one.rows),
        hours=sum(map(_hours, one.rows)),
        missing=sum(unit.seconds for unit in units) / 3600,
        step=str(step),
        missing_in_all=(
            missing_to(one.experiment, scale, kept, guess) / 3600 if word in OPEN else 0.0
        ),
    )


def _tally(one: Shown) -> Tally:
    if one.printed is None or one.verdict.word == NOT_RUN:
        return Tally("", 0, 0, 0)
    return tally(one.printed, one.found, readings_of(one.findings)[0])


def _hours(row: Row) -> float:
    return float(row.made.get("processor_seconds", row.made.get("seconds", 0.0))) / 3600


def counted(found: Sequence[Score]) -> str:
    """Return how many items have each verdict, as a line."""
    counts = Counter(score.verdict for score in found)
    numbers = "; ".join(f"{word}: {counts[word]}" for word in VERDICTS if counts[word])
    return f"Items: {len(found)}. Verdicts: {numbers}."


def reason(score: Score) -> str:
    """Return why an item is undecided; nothing for other items."""
    if score.verdict == NOT_RUN:
        return f"no results yet; the scale {score.step} takes {hours_text(score.missing)}"
    if score.verdict != UNDECIDED:
        return ""
    if not score.agree + score.differ + score.undecided:
        return "nothing printed on file to compare with"
    why = f"{score.undecided} of {score.agree + score.undecided} cells and sentences are undecided"
    if not score.step:
        return f"{why}, although all matches and seeds of the experiment are stored"
    next_one = f"the next step, to the scale {score.step}, takes {hours_text(score.missing)}"
    return f"{why}; {next_one}, all steps together {hours_text(score.missing_in_all)}"


def hours_text(hours: float) -> str:
    """Return a number of processor hours as people read it."""
    return f"{hours:.1f} hours" if hours >= 1 else f"{60 * hours:.0f} minutes"


def write_scoreboard(found: Sequence[Score], folder: Path, scale: Scale) -> list[Path]:
    """Write the picture, and the table into the marked place of ``README.md`` in ``folder``. Return
    the paths of both. Raises FileError where there is no such place.
    """
    page, picture = folder / "README.md", folder / PICTURE
    try:
        text = page.read_text(encoding="utf-8")
        before, rest = text.split(BEGIN)
        _, after = rest.split(END)
    except (OSError, ValueError):
        raise FileError(
            f"{page} has no place for the scoreboard; give a file with the lines {BEGIN} and {END}"
        ) from None
    lines = "\n".join(_section(found, scale))
    write_file(picture, draw_scores(found))
    write_file(page, f"{before}{BEGIN}\n\n{lines}\n\n{END}{after}".encode())
    return [page, picture]


def _section(found: Sequence[Score], scale: Scale) -> Iterator[str]:
    yield f"![Verdicts on all items]({PICTURE})"
    yield ""
    yield counted(found)
    yield (
        "Numbers are cells and sentences of the reading that decides. A table that differs as a "
        "whole counts as one more. Pooled ones are undecided cells in tables that agree as a "
        "whole. Hours are of one processor: those that the stored units took, and those to the "
        f"scale of the next step of an undecided item, at most {scale}."
    )
    yield ""
    numbers = ("agree", "differ", "undecided", "pooled", "matches", "units", "hours", "next step")
    yield f"| item | printed as | verdict | {' | '.join(numbers)} |"
    yield f"| --- | --- | ---{' | ---:' * len(numbers)} |"
    for one in found:
        link = f"[{one.name}]({one.paper}.md#{anchor_of(one.name)})"
        cells = (
            *(link, one.printed_as, one.verdict, one.agree, one.differ, one.undecided, one.pooled),
            *(f"{one.matches:,}", f"{one.units:,}", f"{one.hours:.2f}"),
            f"{one.missing:.1f} to {one.step}" if one.step else "",
        )
        yield f"| {' | '.join(map(str, cells))} |"


def draw_scores(found: Sequence[Score], form: str = "svg") -> bytes:
    """Return a picture with a tile for each item, in the colour of its verdict. Equal scores give
    equal bytes. Raises OptionError where matplotlib is missing.

    form: "svg" or "png".
    """
    places, top = list[tuple[Score, float, float]](), 0.0
    heads = list[tuple[str, float]]()
    for paper in dict.fromkeys(score.paper for score in found):
        own = [score for score in found if score.paper == paper]
        heads.append((paper, top))
        places += [
            (score, number % _ACROSS, top + 1 + number // _ACROSS)
            for number, score in enumerate(own)
        ]
        top += 1 + -(-len(own) // _ACROSS) + _GAP - 0.5
    with sized_figure((9.0, 0.42 * top + 0.5)) as (figure, axes):
        from matplotlib.patches import Patch, Rectangle

        for paper, y in heads:
            axes.text(0.0, y + 0.8, paper, va="bottom", color="#808080", weight="bold")
        for score, x, y in places:
            tile = Rectangle(
                (x + 0.03, y + 0.04),
                0.94,
                0.92,
                facecolor=COLOURS[score.verdict],
                edgecolor="#808080",
            )
            axes.add_patch(tile)
            dark = score.verdict in (UNDECIDED, NOT_RUN)
            axes.text(
                *(x + 0.5, y + 0.5, score.item.replace("-", "\n", 1)),
                ha="center",
                va="center",
                fontsize=6.5,
                color="black" if dark else "white",
            )
        axes.set(xlim=(0, _ACROSS), ylim=(top, 0))
        axes.axis("off")
        words = [word for word in VERDICTS if any(score.verdict == word for score in found)]
        legend = axes.legend(
            handles=[
                Patch(facecolor=COLOURS[word], edgecolor="#808080", label=word) for word in words
            ],
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            ncols=len(words),
            frameon=False,
        )
        for text in legend.get_texts():
            text.set_color("#808080")
        return saved(figure, form, transparent=True)
