"""Strategies of CFR, repaired where play hardly ever comes: against a slow twin, and by what they
play after errors.
"""

import numpy as np
import pytest
from naive.behaviour import behaviour_of, written_out
from naive.errors import wrong_sets
from naive.small_trees import THREE, game_of, tree_of
from naive.trembling import NaiveTrembling
from studies.errors import random_tree

from hiddenhand import make_search
from hiddenhand.budget import Budget
from hiddenhand.errors import OptionError
from hiddenhand.games.base import TERMINAL
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.jit.arrays import Floats
from hiddenhand.solvers import repair
from hiddenhand.solvers.cfr import CFR
from hiddenhand.solvers.cfr_variants import VARIANTS
from hiddenhand.solvers.repair import repaired, seldom_sets
from hiddenhand.trees.profile import (
    best_response_values,
    expected_values,
    nash_conv,
    normalised,
    reach_of_others,
    reach_of_sets,
    realisation_plan,
    uniform_profile,
)
from hiddenhand.trees.unroll import unroll


@pytest.mark.parametrize("variant", ["cfr", "cfr+", "dcfr", "pdcfr+"])
@pytest.mark.parametrize("game", ["Kuhn", "IIGS(3)", random_tree(4, 4, chance=0.3)], ids=str)
def test_trembles_are_those_of_the_slow_twin(game: str, variant: str) -> None:
    tree = tree_of(game)
    twin = NaiveTrembling(
        written_out(game_of(game)), tree.num_players, VARIANTS[variant], tremble=1e-3
    )
    for _ in range(37):
        twin.iterate()
    everywhere = np.ones(tree.num_sets, np.bool_)
    found = repair._with_trembles(CFR(tree, variant), everywhere, Budget(37), e=1e-3)
    expected = twin.average()
    for key, sigma in behaviour_of(tree, found).items():
        assert sigma == pytest.approx(expected[key], abs=1e-9)


THREE_IN_LEDUC = "leduc_poker(1,players=3,ranks=2)"


@pytest.mark.parametrize(
    ("game", "variant"), [("Leduc", "cfr+"), ("IIGS(4)", "pdcfr+"), (THREE_IN_LEDUC, "dcfr+")]
)
def test_a_repair_costs_nothing(game: str, variant: str) -> None:
    tree = tree_of(game)
    run = CFR(tree, variant)
    run.iterate(150)
    before = run.average_profile()
    seldom = np.repeat(seldom_sets(tree, before), np.diff(tree.set_start))
    found = repaired(run, 40)
    changed = (found != before)[tree.num_players :]
    assert changed.any()
    assert not changed[~seldom].any()
    np.testing.assert_array_less(
        best_response_values(tree, found), best_response_values(tree, before) + 1e-8
    )
    np.testing.assert_array_equal(run.average_profile(), before)


@pytest.mark.parametrize("chance", [0.0, 0.3])
@pytest.mark.parametrize(("depth", "most"), [(4, 3), (7, 3)])
def test_moves_in_plain_sight_are_right_after_errors_of_the_opponent(
    depth: int, most: int, chance: float
) -> None:
    wrong_before = 0
    for seed in range(12 if depth == 4 else 2):
        tree = unroll(random_tree(seed, depth, chance, most))
        run = CFR(tree, "pdcfr+")
        run.iterate(400)
        wrong_before += len(wrong_sets(tree, run.average_profile()))
        found = repaired(run, 400)
        assert wrong_sets(tree, found) == []
        assert nash_conv(tree, found) < 1e-3
    assert wrong_before > 10


def test_a_repaired_strategy_earns_more_from_players_who_err() -> None:
    """The third of three players, whose others act at random."""
    tree = tree_of(THREE_IN_LEDUC)
    run = CFR(tree, "dcfr+")
    run.iterate(50)

    def earned(profile: Floats) -> float:
        mine = tree.of_sets(tree.set_player == 2)
        return float(expected_values(tree, np.where(mine, profile, uniform_profile(tree)))[2])

    assert earned(repaired(run, 11)) > earned(run.average_profile()) + 0.5


def test_a_right_move_after_an_error_is_made_though_it_helps_the_other_player() -> None:
    """Player 0 keeps away from a choice of player 1 that is bad for both, and so CFR never learns
    what is good for both.
    """
    payoffs = np.array([[0, 0], [0, 0], [3, 1], [-7, 2], [5, 5]], np.float64)
    game = TreeGame(
        player=np.array([0, 1, TERMINAL, TERMINAL, TERMINAL]),
        first_child=np.array([1, 3, 0, 0, 0]),
        num_children=np.array([2, 2, 0, 0, 0]),
        probability=np.ones(5),
        information_set=np.array([0, 1, -1, -1, -1]),
        utilities=payoffs,
    )
    run = CFR(unroll(game), "dcfr+")
    run.iterate(1000)
    assert run.average_profile()[-2:].tolist() == [0.5, 0.5]
    assert repaired(run, 200)[-2:] == pytest.approx([0.0, 1.0], abs=1e-9)
    search = make_search(game, "auto")
    search.think(iterations=200)
    assert search.weights().values[-2:] == pytest.approx([0.0, 1.0], abs=1e-9)


def test_equal_iterations_give_equal_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """However the work is cut into pieces, which depends on the clock."""
    tree = tree_of("Leduc")
    run = CFR(tree, "pdcfr+")
    run.iterate(100)
    whole = repaired(run, 50)
    monkeypatch.setattr(Budget, "_next_chunk", lambda *arguments: 7)
    np.testing.assert_array_equal(repaired(run, 50), whole)


@pytest.mark.parametrize("game", ["Leduc", random_tree(2, 5, chance=0.3), THREE])
def test_the_reach_of_sets_is_that_of_their_histories(game: str) -> None:
    tree = tree_of(game)
    rng = np.random.default_rng(1)
    profile = normalised(tree, rng.random(tree.num_sequences))
    expected, found = reach_of_others(tree, profile), np.zeros(tree.num_sets)
    for player in range(tree.num_players):
        found += reach_of_sets(tree, realisation_plan(tree, profile), player)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_bad_input_is_refused() -> None:
    run = CFR(tree_of("Kuhn"), "cfr+")
    with pytest.raises(OptionError, match="iterations=0"):
        repaired(run, 0)
    with pytest.raises(OptionError, match="no budget was given"):
        repaired(run)
