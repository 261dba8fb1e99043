"""Results as tables of pandas."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("pandas", exc_type=ImportError)

from naive.small_games import small

from hiddenhand import make_player, play_match, unroll
from hiddenhand.dataframes import columns, frame, save_table
from hiddenhand.errors import FileError, OptionError
from hiddenhand.matches.tournament import Question, Tournament
from hiddenhand.search.snapshots import Curve
from hiddenhand.solvers.solution import solution
from hiddenhand.statistics import Interval
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.strategy import strategy_from_profile


def test_a_tournament_has_a_row_for_each_seat_of_each_match() -> None:
    question = Question("naive.small_games:Written(Kuhn)", ("random", "equilibrium"), seed=1)
    with Tournament(question) as tournament:
        tournament.run([((0, 1), (1, 0))], 3)
        table = tournament.to_frame()
    assert set(table["player"]) == {"random", "equilibrium"}
    assert table.groupby("player")["payoff"].sum().sum() == 0
    assert set(table["match"]) == {0, 1, 2}
    assert len(table) == 2 * 2 * 3
    assert (table["player"] != table["opponent"]).all()


def test_a_solution_has_its_convergence() -> None:
    tree = unroll(small("Kuhn"), verified=True)
    found = solution(tree, "cfr+", uniform_profile(tree), 2, 0.1, ((1, 0.5), (2, 0.25)))
    table = found.to_frame()
    assert table["iteration"].tolist()[:2] == [1, 2]
    assert list(zip(table["iteration"], table["nash_conv"], strict=True)) == list(found.convergence)
    assert table["nash_conv"].tolist()[0] == 0.5
    assert set(table["method"]) == {"cfr+"}


def test_a_match_has_a_row_for_each_decision() -> None:
    game = small("Kuhn")
    record = play_match(game, [make_player(game, "random") for _ in range(2)], 1, chance_seed=1)
    table = record.to_frame()
    assert table["move"].tolist() == list(range(2, len(record.moves)))  # the first two are deals
    assert table["player"].tolist() == [number % 2 for number in range(len(table))]
    assert table["probability"].tolist() == [0.5] * len(table)
    assert table["seconds"].tolist() == [
        record.seconds[number % 2][number // 2] for number in range(len(table))
    ]


def test_a_strategy_has_a_row_for_each_action() -> None:
    tree = unroll(small("Kuhn"), verified=True)
    table = strategy_from_profile(tree, uniform_profile(tree)).table(tree).to_frame()
    assert len(table) == tree.num_sequences - tree.num_players
    assert table["probability"].tolist() == [0.5] * len(table)
    assert table.groupby(["player", "information", "events"])["regret"].sum().abs().max() < 1e-12


def test_a_curve_of_a_long_search_is_a_table_without_its_plan(tmp_path: Path) -> None:
    curve = Curve(tmp_path / "a.curve.jsonl")
    curve.lines = [{"iterations": 0, "plan": {}}, {"iterations": 8, "nash_conv": 0.5, "plan": {}}]
    assert curve.to_frame().columns.tolist() == ["iterations", "nash_conv"]


def test_tables_are_written_and_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = frame([{"name": "a,b", "value": 0.1}, {"name": "c", "value": None}])
    save_table(table, tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_text() == 'name,value\n"a,b",0.1\nc,\n'
    with pytest.raises(FileError, match=r"ends in \.csv or \.parquet"):
        save_table(table, tmp_path / "table.txt")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(OptionError, match=r"PyArrow.*install hiddenhand\[frames\]"):
        save_table(table, tmp_path / "table.parquet")
    assert not (tmp_path / "table.parquet").exists()


def test_parquet_keeps_numbers_to_the_last_bit(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", exc_type=ImportError)
    pandas = pytest.importorskip("pandas", exc_type=ImportError)
    table = frame([{"name": "a", "value": 0.1}, {"name": "b", "value": 1 / 3}])
    save_table(table, tmp_path / "table.parquet")
    assert pandas.read_parquet(tmp_path / "table.parquet").equals(table)


def test_intervals_have_three_columns() -> None:
    assert columns("x", Interval(1.0, 0.5, 2.0)) == {"x": 1.0, "x_low": 0.5, "x_high": 2.0}


def test_a_missing_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(OptionError, match=r"install hiddenhand\[frames\]"):
        frame([])
