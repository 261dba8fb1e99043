"""Games of two players without a constant sum: equilibria that are known, slow twins for gaps, and
the verb `solve`.
"""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from typing_commands import Typed

from hiddenhand import general_sum, load_game, unroll
from hiddenhand.errors import GameError, TooLargeError
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.jit.arrays import Floats
from hiddenhand.solvers import correlated_equilibria, support_enumeration
from hiddenhand.solvers.correlated_equilibria import correlated, play_of_cfr
from hiddenhand.solvers.support_enumeration import enumerate_supports, num_pairs
from hiddenhand.trees.profile import (
    best_response_values,
    counterfactual_values,
    expected_values,
    normalised,
)
from hiddenhand.trees.reduced_normal_form import count_plans, normal_form
from hiddenhand.trees.tree import GameTree

BATTLE = "matrix_game([[2,0],[0,1]],[[1,0],[0,2]])"
CHICKEN = "matrix_game([[0,7],[2,6]],[[0,2],[7,6]])"
"""Dare and swerve, in Aumann's (1974) form with the payoffs 7 and 2, 6 and 6."""
DEGENERATE = "matrix_game([[1,1],[0,1]],[[1,1],[1,0]])"
UNEQUAL = "matrix_game([[1,1],[2,-2],[-2,2]],[[0,0],[0,1],[1,0]])"


def written_out(text: str) -> GameTree:
    return unroll(TreeGame.from_game(load_game(text)))


def with_payoffs(tree: GameTree, seed: int) -> GameTree:
    """The same game, with payoffs drawn for each player."""
    random = np.random.default_rng(seed)
    return replace(tree, utility=random.integers(-5, 6, tree.utility.shape).astype(float))


@pytest.fixture(scope="module")
def kuhn() -> GameTree:
    """Kuhn poker with payoffs drawn for each player."""
    return with_payoffs(written_out("Kuhn"), 3)


# --- Nash equilibria ---


def test_the_battle_of_the_sexes_has_three_equilibria() -> None:
    """Luce and Raiffa (1957), chapter 5: two pure ones, and a mixed one with 2/3 each."""
    found = enumerate_supports(normal_form(written_out(BATTLE)))
    assert [one.values for one in found.found[:2]] in ([(2, 1), (1, 2)], [(1, 2), (2, 1)])
    assert found.found[2].values == pytest.approx((2 / 3, 2 / 3))
    for part, expected in zip(found.mixtures[2], ((2 / 3, 1 / 3), (1 / 3, 2 / 3)), strict=True):
        assert part == pytest.approx(np.array(expected))
    assert all(one.nash_conv <= 1e-12 for one in found.found)
    assert not found.is_degenerate


@pytest.mark.parametrize("seed", range(8))
def test_a_nondegenerate_game_has_an_odd_number_of_equilibria(seed: int) -> None:
    """Wilson (1971). Games drawn at random are nondegenerate."""
    random = np.random.default_rng(seed)
    payoffs = [random.integers(-99, 100, (3, 4)).tolist() for _ in range(2)]
    found = enumerate_supports(normal_form(written_out(f"matrix_game({payoffs[0]},{payoffs[1]})")))
    assert len(found.found) % 2 == 1
    assert not found.is_degenerate
    assert max(one.nash_conv for one in found.found) <= 1e-9
    sums = [sum(one.values) for one in found.found]
    assert sums == sorted(sums, reverse=True)


def test_a_degenerate_game_is_called_so() -> None:
    assert enumerate_supports(normal_form(written_out(DEGENERATE))).is_degenerate


def test_an_equilibrium_may_have_supports_of_different_sizes() -> None:
    """By hand: only against the first row does the second player mix, and only against columns of
    1/4 to 3/4 is the first row best.
    """
    found = enumerate_supports(normal_form(written_out(UNEQUAL)))
    assert all(row == pytest.approx(np.array([1, 0, 0])) for row, _ in found.mixtures)
    columns = sorted(column.tolist() for _, column in found.mixtures)
    assert columns == [pytest.approx([0.25, 0.75]), pytest.approx([0.75, 0.25])]
    assert [one.values for one in found.found] == [pytest.approx((1, 0))] * 2
    assert max(one.nash_conv for one in found.found) <= 1e-9
    assert found.is_degenerate


def test_each_player_counts_payoffs_in_a_unit_of_its_own() -> None:
    """The prisoners' dilemma, where one prisoner earns millions and the other one millionths."""
    dilemma = "matrix_game([[5e6,0],[6e6,1e6]],[[5e-6,6e-6],[0,1e-6]])"
    form = normal_form(written_out(dilemma))
    defect = pytest.approx((1e6, 1e-6))
    assert [one.values for one in enumerate_supports(form).found] == [defect]
    for kind in ("ce", "cce"):
        best = correlated(form, kind)
        assert best.values == defect
        assert best.gap <= 1e-9


def test_too_many_supports_are_refused(monkeypatch: pytest.MonkeyPatch, kuhn: GameTree) -> None:
    assert num_pairs((2, 3)) == 2 * 3 + 1 * 3
    with pytest.raises(TooLargeError, match=r"pairs of supports, and at most 200,000 are tried"):
        enumerate_supports(normal_form(kuhn))


# --- plans ---


def test_plans_of_kuhn_poker(kuhn: GameTree) -> None:
    """With each card: bet, pass and then pass, or pass and then bet: 3 ** 3. The second player has
    two choices at six sets: 2 ** 6.
    """
    form = normal_form(kuhn)
    assert form.payoffs.shape == (2, 27, 64)
    assert [count_plans(kuhn, player) for player in range(2)] == [27, 64]
    assert form.named(0, 0).count(",") >= 2


def test_what_plans_pay_is_what_their_profiles_pay(kuhn: GameTree) -> None:
    form = normal_form(kuhn)
    for row, column in ((0, 0), (5, 33), (26, 63)):
        profile = form.plans[0][row] + form.plans[1][column]
        assert form.payoffs[:, row, column] == pytest.approx(
            expected_values(kuhn, normalised(kuhn, profile))
        )


def test_more_plans_than_allowed_are_refused(kuhn: GameTree) -> None:
    with pytest.raises(TooLargeError, match=r"player 2 of .* has 64 pure plans, and at most"):
        normal_form(kuhn, most=30)


# --- correlated equilibria ---


def test_the_best_correlated_equilibrium_of_chicken() -> None:
    """Aumann (1974): swerve, swerve half of the time, and one dares in a quarter each: 5.25 for
    both, more than any mixture of Nash equilibria with equal payoffs.
    """
    form = normal_form(written_out(CHICKEN))
    best = correlated(form, "ce")
    assert best.values == pytest.approx((5.25, 5.25))
    assert best.probabilities == pytest.approx(np.array([[0, 0.25], [0.25, 0.5]]))
    assert best.gap <= 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_no_deviation_gains(seed: int) -> None:
    """Each deviation, one by one. A CE is a CCE, so the best CCE has no smaller sum."""
    random = np.random.default_rng(seed)
    payoffs = [random.integers(-9, 10, (4, 3)).tolist() for _ in range(2)]
    form = normal_form(written_out(f"matrix_game({payoffs[0]},{payoffs[1]})"))
    fine, coarse = correlated(form, "ce"), correlated(form, "cce")
    p = fine.probabilities
    for told, plan in product(range(4), range(4)):
        assert (p[told] * (form.payoffs[0, plan] - form.payoffs[0, told])).sum() <= 1e-9
    for told, plan in product(range(3), range(3)):
        gain = form.payoffs[1, :, plan] - form.payoffs[1, :, told]
        assert (p[:, told] * gain).sum() <= 1e-9
    for plan in range(4):
        gain = form.payoffs[0, plan] - form.payoffs[0]
        assert (coarse.probabilities * gain).sum() <= 1e-9
    assert sum(coarse.values) >= sum(fine.values) - 1e-9


# --- what CFR plays ---


def profiles_of_cfr(tree: GameTree, iterations: int) -> list[Floats]:
    """CFR with simultaneous updates, word for word: regret matching on sums of counterfactual
    regrets.
    """
    regrets, found = np.zeros(tree.num_sequences), []
    for _ in range(iterations):
        profile = np.ones(tree.num_sequences)
        for start, end in zip(tree.set_start[:-1], tree.set_start[1:], strict=True):
            positive = np.maximum(regrets[start:end], 0.0)
            total = positive.sum()
            profile[start:end] = positive / total if total > 0 else 1.0 / (end - start)
        found.append(profile)
        for player in range(2):
            values = counterfactual_values(tree, profile, player)
            for number in tree.sets_of(player):
                at = slice(tree.set_start[number], tree.set_start[number + 1])
                regrets[at] += values[at] - profile[at] @ values[at]
    return found


def naive_gaps(tree: GameTree, profiles: list[Floats]) -> tuple[float, float]:
    """CCE and EFCCE: all plans, from the beginning and from each set on."""
    form, coarse, extensive = normal_form(tree), [0.0], [0.0]
    followed = np.mean([expected_values(tree, profile) for profile in profiles], axis=0)
    for player in range(2):
        below = {int(number): sets_below(tree, int(number)) for number in tree.sets_of(player)}
        for plan in form.plans[player]:
            own = normalised(tree, plan)
            for sets, gaps in ((None, coarse), *((there, extensive) for there in below.values())):
                values = [
                    expected_values(tree, deviating(tree, profile, own, player, sets))[player]
                    for profile in profiles
                ]
                gaps.append(float(np.mean(values) - followed[player]))
    return max(coarse), max(extensive)


def sets_below(tree: GameTree, number: int) -> set[int]:
    """A set, and the sets of the same player that come after it."""
    found = {number}
    for other in tree.sets_of(int(tree.set_player[number])):
        if tree.sequence_set[tree.set_parent[other]] in found:
            found.add(int(other))
    return found


def deviating(
    tree: GameTree, profile: Floats, own: Floats, player: int, sets: set[int] | None
) -> Floats:
    changed = profile.copy()
    for number in tree.sets_of(player):
        if sets is None or int(number) in sets:
            at = slice(tree.set_start[number], tree.set_start[number + 1])
            changed[at] = own[at]
    return changed


def test_gaps_are_those_of_all_deviations(kuhn: GameTree) -> None:
    profiles = profiles_of_cfr(kuhn, 4)
    found = play_of_cfr(kuhn, 4)
    coarse, extensive = naive_gaps(kuhn, profiles)
    assert found.coarse_gap == pytest.approx(coarse, abs=1e-12)
    assert found.extensive_gap == pytest.approx(extensive, abs=1e-12)
    values = np.mean([expected_values(kuhn, profile) for profile in profiles], axis=0)
    assert found.values == pytest.approx(tuple(values))


def test_batches_make_no_difference(kuhn: GameTree, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = play_of_cfr(kuhn, 10)
    monkeypatch.setattr(correlated_equilibria, "_BATCH", 3)
    parts = play_of_cfr(kuhn, 10)
    assert parts.coarse_gap == pytest.approx(whole.coarse_gap, abs=1e-12)
    assert parts.extensive_gap == pytest.approx(whole.extensive_gap, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_coarse_gap_falls(seed: int) -> None:
    """The regret of CFR bounds it, also without a constant sum."""
    tree = with_payoffs(written_out("Kuhn"), seed)
    few, many = (play_of_cfr(tree, iterations) for iterations in (10, 1000))
    assert many.coarse_gap < 0.2 * few.coarse_gap
    assert many.coarse_gap < 0.05


def test_in_a_zero_sum_game_the_coarse_gap_bounds_the_distance_to_the_value() -> None:
    """Kuhn poker is worth -1/18 to the first player."""
    found = play_of_cfr(written_out("Kuhn"), 1000)
    assert abs(found.values[0] + 1 / 18) <= found.coarse_gap + 1e-12


# --- all of it ---


def test_all_of_a_small_game() -> None:
    found = general_sum(CHICKEN, iterations=50)
    assert found.equilibria is not None
    assert len(found.equilibria.found) == 3
    assert found.left_out == ()
    assert repr(found).endswith("3 Nash equilibria)")
    best = found.equilibria.found[0]
    gain = best_response_values(best.tree, best.profile) - expected_values(best.tree, best.profile)
    assert np.abs(gain).max() <= 1e-12


def test_a_game_without_choices_has_one_equilibrium() -> None:
    found = general_sum("matrix_game([[1]],[[2]])", iterations=5)
    assert found.equilibria is not None
    assert found.correlated is not None
    assert found.coarse is not None
    assert found.equilibria.found[0].values == found.correlated.values == found.coarse.values
    assert (found.correlated.values, found.correlated.gap) == ((1.0, 2.0), 0.0)


def test_what_is_too_large_is_left_out(kuhn: GameTree) -> None:
    found = general_sum(kuhn, iterations=5)
    assert found.equilibria is None
    assert found.correlated is not None
    assert found.play is not None
    assert len(found.left_out) == 1
    assert "pairs of supports" in found.left_out[0]


def test_a_game_that_is_too_large_for_all_of_it_names_another_program(
    kuhn: GameTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(correlated_equilibria, "MOST_ENTRIES", 10)
    monkeypatch.setattr(support_enumeration, "MOST_PAIRS", 10)
    with pytest.raises(GameError, match="try Gambit, for which hiddenhand export writes it"):
        general_sum(kuhn, iterations=5)


def test_three_players_are_refused() -> None:
    with pytest.raises(
        GameError, match="has 3 players, and equilibria of games without a constant"
    ):
        general_sum("tricks(players=3)")


# --- the verb ---


def test_solve_shows_what_is_known(typed: Typed, tmp_path: Path) -> None:
    status, out, err = typed("solve", CHICKEN, "--iterations", "20", "--out", str(tmp_path / "s"))
    assert (status, err) == (0, "")
    words = " ".join(out.split())
    assert "Nash equilibrium 1 4.67 4.67 0 Nash equilibrium 2" in words
    assert "correlated equilibrium with the largest sum 5.25 5.25 0" in words
    assert "what CFR plays in 20 iterations, as an EFCCE" in words
    assert (tmp_path / "s").exists()
    answer = typed.json("solve", BATTLE, "--iterations", "20")
    assert [one["what"] for one in answer["found"][:3]] == [
        f"Nash equilibrium {n}" for n in (1, 2, 3)
    ]
    assert answer["degenerate"] is False
    status, _, err = typed("solve", BATTLE, "--seconds", "1")
    assert status == 2
    assert "--seconds has no meaning for a game without a constant sum" in err
