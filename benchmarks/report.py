"""Tables of measurements: for the terminal, and for the README beside this file.

``python -m benchmarks.report`` writes the results that were kept last into benchmarks/README.md,
between its markers; and beside each of our figures the one of an earlier version, if there is a
file of its results, made by the same command in the same hour.
"""

import statistics
from collections.abc import Iterator
from typing import Any, Final

from rich.table import Table

from benchmarks.kept import Kept, write_section
from benchmarks.measuring import RESULTS, Measurement, from_record

README: Final = "benchmarks/README.md"
BEFORE: Final = Kept(RESULTS.path.with_name("peers_before.json"))
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


def compared(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """The lines of the section that sets two versions side by side. The last column says how much
    more of a speed, or how much less of a time or of memory, there is now.
    """
    yield (
        f"Commit {before['commit'][:12]}, measured {before['date']}, and commit "
        f"{after['commit'][:12]}, measured {after['date']}, on the same machine."
    )
    yield ""
    yield "| what | before | after | better by |"
    yield "| --- | --- | --- | --- |"
    earlier = {(one["group"], one["name"]): from_record(one) for one in before["measurements"]}
    for record in after["measurements"]:
        now = from_record(record)
        then = earlier.get((now.group, now.name))
        if then is not None:
            yield "| " + " | ".join(_beside(then, now)) + " |"


def _beside(then: Measurement, now: Measurement) -> tuple[str, ...]:
    old, new = statistics.median(then.ours), statistics.median(now.ours)
    is_speed = now.unit.endswith("/s")
    better = (new / old if is_speed else old / new) if old > 0 and new > 0 else 1.0
    what = f"{now.group}: {now.name}"
    return (
        what,
        f"{spread(then.ours)} {then.unit}",
        f"{spread(now.ours)} {now.unit}",
        f"{better:.2f}",
    )


def main() -> None:
    """Put the kept results into the README."""
    results = RESULTS.read()
    write_section(README, "results", markdown(results))
    if before := BEFORE.read():
        write_section(README, "before and after", compared(before, results))


if __name__ == "__main__":
    main()
