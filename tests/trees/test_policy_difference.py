"""Where strategies differ, and what that costs, by hand and by playing."""

import numpy as np
import pytest
from naive.small_games import small

from hiddenhand import unroll
from hiddenhand.errors import FileError
from hiddenhand.trees.policy_difference import compare
from hiddenhand.trees.profile import expected_values, nash_conv, uniform_profile
from hiddenhand.trees.strategy import strategy_from_profile


def test_a_cost_is_what_is_lost_by_changing_one_set() -> None:
    tree = unroll(small("Kuhn"), verified=True)
    random = np.random.default_rng(5)
    rows = [random.dirichlet(np.ones(n), 2) for n in np.diff(tree.set_start)]
    one, other = (
        np.concatenate([np.ones(tree.num_players), *(row[which] for row in rows)])
        for which in (0, 1)
    )
    strategies = [strategy_from_profile(tree, profile) for profile in (one, other)]
    found = compare(*strategies, tree)
    assert len(found.differences) == tree.num_sets
    assert found.nash_conv == (nash_conv(tree, one), nash_conv(tree, other))
    costs = {(row.player, row.information): row.cost for row in found.differences}
    for number in range(tree.num_sets):
        here, changed = tree.describe(number), one.copy()
        own = slice(int(tree.set_start[number]), int(tree.set_start[number + 1]))
        changed[own] = other[own]
        lost = (expected_values(tree, one) - expected_values(tree, changed))[here.player]
        assert costs[here.player, here.information] == pytest.approx(lost, abs=1e-12)
    # player 0 holds one of three cards before anybody has moved
    before = [
        row.reach for row in found.differences if row.player == 0 and "chose" not in row.information
    ]
    assert len(before) == 3
    assert sum(before) == pytest.approx(1.0)
    assert [row.cost for row in found.differences] == sorted(costs.values(), reverse=True)
    assert "->" in str(found)


def test_the_first_decision_is_always_reached() -> None:
    tree = unroll(small("coordination_game"), verified=True)
    one = uniform_profile(tree)
    other = one.copy()
    other[int(tree.set_start[0])] = 1.0
    other[int(tree.set_start[0]) + 1] = 0.0
    (row,) = compare(*(strategy_from_profile(tree, p) for p in (one, other)), tree).differences
    assert row.distance == 0.5
    assert row.one == (0.5, 0.5)
    assert row.other == (1.0, 0.0)


def test_strategies_for_another_game_are_refused() -> None:
    tree, other = (unroll(small(spec), verified=True) for spec in ("Kuhn", "BRPS(10)"))
    strategies = [strategy_from_profile(t, uniform_profile(t)) for t in (tree, other)]
    with pytest.raises(FileError, match="not for"):
        compare(*strategies, tree)


def test_a_comparison_is_a_table_of_pandas() -> None:
    pytest.importorskip("pandas", exc_type=ImportError)
    tree = unroll(small("Kuhn"), verified=True)
    uniform = uniform_profile(tree)
    other = uniform.copy()
    other[int(tree.set_start[3])] = 0.25
    other[int(tree.set_start[3]) + 1] = 0.75
    table = compare(*(strategy_from_profile(tree, p) for p in (uniform, other)), tree).to_frame()
    assert table["one"].tolist() == [0.5, 0.5]
    assert table["other"].tolist() == [0.25, 0.75]
    assert table["cost"].nunique() == 1
