"""Tables of measurements: for the terminal, and for the README beside this file.

``python -m benchmarks.report`` writes the results that were kept last into benchmarks/README.md,
between its two markers.
"""

import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from rich.table import Table

from benchmarks.measuring import RESULTS, Measurement, from_record

README: Final = Path(__file__).parent / "README.md"
BEGIN: Final = "<!-- results: written by python -m benchmarks.report -->"
END: Final = "<!-- end of results -->"
COLUMNS: Final = ("what", "ours", "theirs", "ratio", "target", "note")


def table_of(measurements: list[Measurement]) -> Table:
    """For the terminal."""
    table = Table(*COLUMNS, title="medians, with the range over rounds")
    for measurement in measurements:
        colour = {True: "green", False: "red", None: ""}[measurement.is_met]
        table.add_row(*cells(measurement), style=colour)
    return table


def cells(measurement: Measurement) -> tuple[str, ...]:
    """One row: `COLUMNS`."""
    met = {True: " (met)", False: " (missed)", None: ""}[measurement.is_met]
    return (
        f"{measurement.group}: {measurement.name}",
        f"{spread(measurement.ours)} {measurement.unit}",
        f"{spread(measurement.theirs)} ({measurement.peer})" if measurement.theirs else "",
        spread(measurement.ratios) if measurement.theirs else "",
        f"{measurement.target}{met}" if measurement.target else "",
        measurement.note,
    )


def spread(values: list[float]) -> str:
    """The median, and how far the values range."""
    median, low, high = short(statistics.median(values)), short(min(values)), short(max(values))
    return median if low == high else f"{median} ({low} to {high})"


def short(value: float) -> str:
    """Three significant digits, whole thousands written out."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def markdown(results: dict[str, Any]) -> Iterator[str]:
    """The lines of the README's section of results."""
    packages = ", ".join(
        f"{name} {number}" for name, number in results["packages"].items() if number
    )
    changed = " with uncommitted changes" if results["uncommitted changes"] else ""
    machine = f"{results['cores']} cores of {results['processor']}"
    yield f"Measured {results['date']} at commit {results['commit'][:12]}{changed}, on {machine},"
    yield f"{results['system']}, Python {results['python']}, {packages}."
    yield ""
    yield "| " + " | ".join(COLUMNS) + " |"
    yield "|" + " --- |" * len(COLUMNS)
    for record in results["measurements"]:
        yield "| " + " | ".join(cells(from_record(record))) + " |"


def main() -> None:
    """Put the kept results into the README."""
    before, rest = README.read_text().split(BEGIN)
    _, after = rest.split(END)
    lines = markdown(json.loads(RESULTS.read_text()))
    README.write_text(before + "\n".join([BEGIN, "", *lines, "", END]) + after)


if __name__ == "__main__":
    main()
