"""What an experiment shows, as values that JSON can hold."""

import math
from typing import Any

from hiddenhand_papers.findings import Grid
from hiddenhand_papers.report.pages import Shown


def json_of(shown: Shown) -> dict[str, Any]:
    """The verdict, the tables, the curves and the sentences of an experiment, judged as on its
    page. A limit of an interval that is infinite is null.
    """
    findings = shown.findings
    return {
        "experiment": shown.experiment.name,
        "verdict": shown.verdict.word,
        "results": len(shown.rows),
        "tables": [_table(grid) for grid in findings.grids],
        "curves": [
            {"of": plot.title, "x": plot.x, "y": plot.y, "name": curve.name}
            | {"points": [[at, found.value] for at, found in curve.points]}
            for plot in findings.plots
            for curve in plot.curves
        ],
        "sentences": [
            vars(shown.found.check(check.name, check.reading)) for check in findings.checks
        ],
    }


def _table(grid: Grid) -> dict[str, Any]:
    return {
        "name": grid.name,
        "reading": grid.reading,
        "unit": grid.unit,
        "fewest": grid.observations,
        "cells": [
            {"row": row, "column": column, "value": cell.value}
            | {"low": _finite(cell.low), "high": _finite(cell.high)}
            | {"marks": list(grid.marks.get((row, column), ()))}
            for (row, column), cell in grid.cells.items()
        ],
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
