"""Results as tables of pandas."""

import pytest

pytest.importorskip("pandas", exc_type=ImportError)

from naive.small_games import small

from hiddenhand import unroll
from hiddenhand.errors import OptionError
from hiddenhand.frames import columns, frame
from hiddenhand.players.tournament import Question, Tournament
from hiddenhand.statistics import Interval
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.solution import solution


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


def test_intervals_have_three_columns() -> None:
    assert columns("x", Interval(1.0, 0.5, 2.0)) == {"x": 1.0, "x_low": 0.5, "x_high": 2.0}


def test_a_missing_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(OptionError, match=r"install hiddenhand\[frames\]"):
        frame([])
