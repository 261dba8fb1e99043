"""The small table of measured facts in the README of the project.

``python -m benchmarks.facts`` writes it from the kept results, between its markers; a test compares
the README with what this would write.
"""

import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from benchmarks.kept import ROOT, Kept, with_section
from benchmarks.measuring import RESULTS, Measurement, from_record
from benchmarks.report import short

README: Final = ROOT / "README.md"
STRENGTH: Final = Kept(ROOT / "studies" / "results" / "strength_openspiel.json")
SPEEDS: Final = (
    ("outcome sampling", "Leduc poker", "MCCFR, outcome sampling: Leduc poker"),
    ("outcome sampling", "Liar's Dice(1,1,6)", "MCCFR, outcome sampling: Liar's Dice(1,1,6)"),
    ("online", "IS-MCTS (UCT) on Leduc poker", "IS-MCTS with UCT: Leduc poker"),
    ("CFR+", "OpenSpiel's Leduc", "CFR+: OpenSpiel's Leduc poker"),
)
"""Measurements by group and name, and what the table calls them."""
FIRST_USE: Final = Kept(RESULTS.path.with_name("first_use.json"))
WAITED: Final = (
    ("README's game: `match` with `oos`", "`match` with `oos`"),
    ("README's game: `match` with `auto`", "`match` with `auto`"),
    ("README's game: `solve`", "`solve`"),
)
"""What a user waits for after an edit, by the names in the results, and what the text calls it."""


def facts() -> Iterator[str]:
    """The lines between the markers."""
    results = RESULTS.read()
    kept = {(record["group"], record["name"]): record for record in results["measurements"]}
    yield "| measured | Hiddenhand | OpenSpiel | |"
    yield "| --- | ---: | ---: | ---: |"
    for group, name, said in SPEEDS:
        yield _speed(from_record(kept[group, name]), said)
    yield _strength(STRENGTH.read())
    yield ""
    first_use = FIRST_USE.read()
    around = first_use["surroundings"]
    edits = {row["name"]: row["auto"] for row in first_use["edits"]}
    waited = [f"{short(statistics.median(edits[name]))} s ({said})" for name, said in WAITED]
    yield (
        f"After an edit of the game below, a whole command takes {', '.join(waited[:-1])} or "
        f"{waited[-1]}; each `match` plays two games, with 0.05 s a move."
    )
    yield (
        f"These are medians on {around['cores']} cores of {around['processor']}. The table is from "
        f"one core of {results['processor']}."
    )
    yield (
        "[Benchmarks](benchmarks/README.md) has all figures, with their ranges, and "
        "[Which search?](docs/which-search.md) compares the searches."
    )


def _speed(measurement: Measurement, said: str) -> str:
    ours, theirs = statistics.median(measurement.ours), statistics.median(measurement.theirs)
    unit, ratio = measurement.unit, statistics.median(measurement.ratios)
    note = f"; {measurement.note}" if measurement.note else ""
    return (
        f"| {said} | {short(ours)} {unit} | {short(theirs)} {unit} | {short(ratio)} times{note} |"
    )


def _strength(results: dict[str, Any]) -> str:
    """nash_conv of both after equal time to think, on average over seeds."""
    ours, theirs = (
        statistics.mean(row[name] for row in results["rows"])
        for name in ("auto", "OpenSpiel's bot")
    )
    said = f"nash_conv after {results['seconds']:g} s at each move: OpenSpiel's Leduc poker"
    ratio = f"{short(theirs / ours)} times less"
    return f"| {said}, `auto` and `ISMCTSBot` | {short(ours)} | {short(theirs)} | {ratio} |"


def written(text: str) -> str:
    """``text`` of the README with the table of now."""
    return with_section(text, "facts", facts())


def main(readme: Path = README) -> None:
    """Put the table into the README."""
    readme.write_text(written(readme.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
