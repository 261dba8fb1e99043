"""Hold'em of the Smooth UCT paper: what is shown of stored matches."""

from hiddenhand.experiments.catalogue import catalogue
from hiddenhand.experiments.experiment import PAPER, QUICK
from hiddenhand.experiments.smooth_holdem import HoldemRow, experiments
from hiddenhand.experiments.units import Result, Unit


def played(smooth_wins: float) -> Result:
    names = [f"{name} {simple}" for name in ("smooth", "uct") for simple in ("call", "raise")]
    names += ["smooth random", "uct random", "smooth uct"]
    values = dict.fromkeys(names, 100.0) | {"smooth uct": smooth_wins}
    return {
        f"{name} {kind}": {"mbb": value, "error": 2.0}
        for name, value in values.items()
        for kind in ("greedy", "average")
    }


def test_training_doubles() -> None:
    units = list(catalogue()["smooth/fig3"].units(PAPER))
    assert [unit.episodes for unit in units if isinstance(unit, HoldemRow)] == [
        200_000_000 // 2**back for back in reversed(range(11))
    ]
    assert list(catalogue()["smooth/tab2"].units(QUICK)) == units[:2]
    assert all(unit.digest for unit in units)  # without the tables of buckets


def test_curves_and_the_table_of_the_end() -> None:
    figure, table = experiments()
    results: dict[Unit, Result] = {
        unit: played(won) for unit, won in zip(figure.units(QUICK), (-30.0, -9.0), strict=True)
    }
    found = figure.findings(results)
    assert [curve.last.value for curve in found.plots[0].curves] == [-9.0, -9.0]
    assert found.checks[0].holds is True
    cells = table.findings(results).grids[0].cells
    assert cells["UCT", "Smooth UCT"].value == -9.0
    assert cells["Smooth UCT", "UCT"].value == 9.0
    assert round(cells["UCT", "Smooth UCT"].width / 2, 2) == 3.92
    assert table.findings(results).checks[0].holds is None
    assert not figure.findings({}).plots
