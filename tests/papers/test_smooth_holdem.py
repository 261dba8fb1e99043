"""Hold'em of the Smooth UCT paper: what is shown of stored matches."""

from dataclasses import replace

import numpy as np
import pytest

from hiddenhand.games.poker import strength_files
from hiddenhand.games.poker.boards import NUM_BOARDS, all_boards
from hiddenhand.games.poker.hand_strength import HOLDINGS, MOST_SUM, StrengthTables
from hiddenhand_papers.catalogue import catalogue
from hiddenhand_papers.experiment import PAPER, QUICK
from hiddenhand_papers.smooth.holdem import HoldemRow, experiments
from hiddenhand_papers.units import Result, Unit


def played(smooth_wins: float) -> Result:
    names = [f"{name} {simple}" for name in ("smooth", "uct") for simple in ("call", "raise")]
    names += ["smooth random", "uct random"]
    values = dict.fromkeys(names, 100.0)
    values |= {"smooth uct": smooth_wins, "uct smooth": -smooth_wins - 2.0}
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
    figure, table, _ = experiments()
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


def test_three_players_are_one_against_two() -> None:
    *_, table = experiments()
    units = list(table.units(QUICK))
    found = table.findings({units[-1]: played(7.0)})
    cells = found.grids[0].cells
    assert cells["2x UCT", "Smooth UCT"].value == 7.0
    assert cells["2x Smooth UCT", "UCT"].value == -9.0
    assert found.checks[0].holds is True
    assert table.findings({units[-1]: played(3.0)}).checks[0].holds is None


@pytest.fixture
def buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables by which buckets tell something before the flop, and nothing after it."""
    tables = StrengthTables(
        all_boards(),
        preflop=np.random.default_rng(1).integers(MOST_SUM[0], size=(1, HOLDINGS[0])),
        flop=np.zeros((NUM_BOARDS[3], HOLDINGS[3]), np.uint32),
        turn=np.zeros((NUM_BOARDS[4], HOLDINGS[4]), np.uint32),
        river=np.zeros((NUM_BOARDS[5], HOLDINGS[5]), np.uint16),
        contents="of another test",
        folder="nowhere",
    )
    monkeypatch.setattr(strength_files, "open_tables", lambda folder=None: tables)


@pytest.mark.usefixtures("buckets")
def test_a_row_of_three_players_is_played() -> None:
    """Of so few episodes they learn little, but not the same."""
    *_, table = experiments()
    row = replace(next(table.units(QUICK)), episodes=2000, deals=50)
    assert isinstance(row, HoldemRow)
    found = row.run()
    assert len(found) == 2 * (2 + 2 * 3)
    assert all(won["error"] > 0.0 for won in found.values())
    assert found["smooth uct greedy"] != found["uct smooth greedy"]
    assert found["smooth uct greedy"] != found["smooth uct average"]
