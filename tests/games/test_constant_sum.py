"""Constant-sum games are solved and searched like zero-sum games; what players earn is reported in
the payoffs of the game.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from naive.small_games import small

from hiddenhand import (
    OOS,
    best_response_values,
    check,
    evaluate,
    expected_values,
    load_strategy,
    make_search,
    nash_conv,
    play_match,
    solve,
    unroll,
)
from hiddenhand.errors import ConformanceError, GameError
from hiddenhand.evaluation.exploit import trade_off_curve
from hiddenhand.evaluation.soundness import soundness
from hiddenhand.games.base import Game
from hiddenhand.games.constant_sum import zero_sum_form
from hiddenhand.games.matrix_game import MatrixGame
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.rule_digests import rules_of
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.games.wrapped import Wrapped
from hiddenhand.solvers.simultaneous.backward_induction import solve_by_induction

SHIFT = 3.5


@dataclass(frozen=True)
class Paid(Wrapped):
    """A game in which all players are paid for sitting down."""

    remembers_all = True

    @property
    def zero_sum(self) -> bool:
        return False

    @property
    def payoff_sum(self) -> float | None:
        return 2.0 * SHIFT

    @property
    def max_utility(self) -> float:
        return self.game.max_utility + SHIFT

    def returns(self, state: Any, player: int) -> float:
        return self.game.returns(self.inner_state(state), player) + SHIFT


PAID = Paid(KuhnPoker())


def games() -> dict[str, Game]:
    return {"tree": TreeGame.from_game(PAID), "rules": PAID}


@pytest.mark.parametrize("form", ["tree", "rules"])
@pytest.mark.parametrize("method", ["lp", "cfr+", "mccfr-external"])
def test_it_is_solved_as_the_zero_sum_game(form: str, method: str) -> None:
    game = games()[form]
    budget: Any = {} if method == "lp" else {"iterations": 300}
    found = solve(game, method, **budget)
    alike = solve(KuhnPoker(), method, **budget)
    assert found.nash_conv == pytest.approx(alike.nash_conv, abs=1e-9)
    assert found.values == pytest.approx([value + SHIFT for value in alike.values])
    assert sum(found.values) == pytest.approx(2.0 * SHIFT)
    for measure in (expected_values, best_response_values):
        shifted = measure(KuhnPoker(), alike) + SHIFT
        for way in ("tree", "stream"):
            assert measure(game, found, method=way) == pytest.approx(shifted)


def test_the_vector_form_reports_the_payoffs_of_the_game() -> None:
    found = solve(PAID, "vector-cfr", iterations=50)
    alike = solve(KuhnPoker(), "vector-cfr", iterations=50)
    assert found.values == pytest.approx([value + SHIFT for value in alike.values])
    for measure in (expected_values, best_response_values):
        by_tree = measure(PAID, found, method="tree")
        assert measure(PAID, found, method="vector") == pytest.approx(by_tree)


@pytest.mark.parametrize("spec", ["oos", "oos(baseline=predictive)", "mccfr"])
def test_samples_are_those_of_the_zero_sum_game(spec: str) -> None:
    """Payoffs and their shift are binary fractions, so not a bit differs."""
    for game in games().values():
        search: Any = make_search(game, spec, seed=3)
        alike: Any = make_search(KuhnPoker() if game == PAID else small("Kuhn"), spec, seed=3)
        for each in (search, alike):
            each.run(iterations=500)
        assert search.strategy().probabilities.tolist() == alike.strategy().probabilities.tolist()


@pytest.mark.parametrize("spec", ["cr", "mccr", "mccr-external", "auto", "vector-cr"])
def test_resolving_takes_it(spec: str) -> None:
    assert evaluate(PAID, spec, method="stitch-public", iterations=2000).nash_conv.value < 0.3
    record = play_match(PAID, [spec, "random"], iterations=100)
    assert sum(record.returns) == 2.0 * SHIFT


@pytest.mark.slow
def test_what_is_lost_does_not_depend_on_the_shift() -> None:
    """Also of its tree. Losses are differences of payoffs."""
    shifted = TreeGame.from_game(PAID)
    found = [soundness(game, "mccr", iterations=30) for game in (small("Kuhn"), unroll(shifted))]
    for name in ("expected", "repeated", "match", "local"):
        values = [getattr(one, name).value for one in found]
        assert values == pytest.approx([values[0]] * 2, abs=1e-9)
    bounds = [
        evaluate(game, "oos", method="opening", iterations=30, places=2)
        for game in (small("Kuhn"), shifted)
    ]
    assert bounds[1].nash_conv.value == pytest.approx(bounds[0].nash_conv.value, abs=1e-9)
    for plain, paid in zip(*(one.best_response_values for one in bounds), strict=True):
        assert paid.value == pytest.approx(plain.value + SHIFT, abs=1e-9)
    curves = [trade_off_curve(game, "random") for game in (small("Kuhn"), shifted)]
    for less, more in zip(*curves, strict=True):
        assert more.gains == pytest.approx([gain + SHIFT for gain in less.gains], abs=1e-6)
        assert more.losses == pytest.approx(less.losses, abs=1e-6)


def test_a_strategy_is_kept_for_the_game_itself(tmp_path: Path) -> None:
    game = PAID
    search = OOS(game, seed=1)
    search.run(iterations=1000)
    search.save(tmp_path / "search")
    search.strategy().save(tmp_path / "strategy")
    assert OOS.load(tmp_path / "search", game).run(10).iterations == 1010
    found = load_strategy(tmp_path / "strategy")
    found.verify(game)
    assert nash_conv(game, found) == nash_conv(game, search)
    assert rules_of(zero_sum_form(game)) == rules_of(game)
    assert repr(zero_sum_form(game)) == repr(game)


PENNIES = np.array([[3.0, 1.0], [1.0, 3.0]])
AT_ONCE = MatrixGame(PENNIES, 4.0 - PENNIES)


def test_moves_at_once_are_solved() -> None:
    assert (AT_ONCE.zero_sum, AT_ONCE.payoff_sum) == (False, 4.0)
    for method in ("lp", "induction"):
        assert solve(AT_ONCE, method).values == pytest.approx((2.0, 2.0))
    assert solve_by_induction(AT_ONCE).value == pytest.approx(2.0)


@pytest.mark.parametrize("spec", ["sm-mcts(selector=rm)", "sm-oos", "auto", "oos", "doab"])
def test_moves_at_once_are_searched(spec: str) -> None:
    assert play_match(AT_ONCE, [spec, "random"], iterations=50).returns[0] in (1.0, 3.0)
    found = evaluate(AT_ONCE, spec, iterations=3000, matches=2, method="aggregate")
    assert found.nash_conv.value < 0.5


def test_payoffs_that_are_rounded_count_as_zero_sum() -> None:
    rounded = replace(small("Kuhn"), utilities=small("Kuhn").utilities + np.array([[0.0, 1e-6]]))
    assert not rounded.zero_sum
    assert rounded.payoff_sum == pytest.approx(0.0, abs=2e-6)
    assert solve(rounded, "lp").value == pytest.approx(-1 / 18)


def test_why_a_game_is_not_zero_sum_is_told() -> None:
    utilities = small("Kuhn").utilities.copy()
    end = int(np.flatnonzero(small("Kuhn").player == -4)[0])
    utilities[end, 1] += 0.5
    game = replace(small("Kuhn"), utilities=utilities)
    payoffs = ", ".join(f"{paid:g}" for paid in utilities[end])
    with pytest.raises(GameError, match=rf"the payoffs {payoffs} at the end of '.*' sum to 0\.5"):
        solve(game, "lp")
    with pytest.raises(GameError, match=r"sum to 0\.5.*; use ismcts"):
        OOS(game)


@pytest.mark.slow
def test_a_class_may_say_the_sum_alone() -> None:
    """Such a class inherited zero_sum = True, and `auto` lost a tenth of the sum there."""

    @dataclass(frozen=True)
    class Said(Wrapped):
        remembers_all = True
        payoff_sum = 2.0 * SHIFT

        @property
        def max_utility(self) -> float:
            return self.game.max_utility + SHIFT

        def returns(self, state: Any, player: int) -> float:
            return self.game.returns(self.inner_state(state), player) + SHIFT

    game = Said(KuhnPoker())
    assert not game.zero_sum
    check(game)
    found = evaluate(game, "auto", method="stitch-public", iterations=2000)
    assert found.nash_conv.value < 1e-6


@pytest.mark.slow
def test_a_wrong_sum_breaks_a_law() -> None:
    @dataclass(frozen=True)
    class Wrong(Paid):
        @property
        def payoff_sum(self) -> float | None:
            return 6.0

    check(PAID)
    with pytest.raises(ConformanceError, match=r"payoff_sum = 7 if they always sum to that"):
        check(Wrong(KuhnPoker()))


def test_a_sum_beside_zero_sum_breaks_a_law() -> None:
    @dataclass(frozen=True)
    class Both(Paid):
        zero_sum = True

    with pytest.raises(ConformanceError, match=r"zero_sum is true, and payoff_sum is 7\.0; say"):
        check(Both(KuhnPoker()))
