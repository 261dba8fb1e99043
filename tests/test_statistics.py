"""Intervals against published ones and against counting."""

import math

import numpy as np
import pytest

from hiddenhand.errors import OptionError
from hiddenhand.statistics import against_value, mean_interval, wilson_interval, win_rate


@pytest.mark.parametrize(
    ("wins", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_s_interval(wins: int, n: int, low: float, high: float) -> None:
    """Newcombe (1998), "Two-sided confidence intervals for the single proportion", Table I, method
    3.
    """
    found = wilson_interval(wins, n)
    assert found.value == wins / n
    assert (found.low, found.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


def test_wilson_s_interval_solves_his_equation() -> None:
    """Wilson (1927): the ends are the rates p from which the observed one is z standard deviations,
    sqrt(p (1 - p) / n), away.
    """
    z = 1.959963984540054
    for wins, n in ((1, 3), (7.5, 20), (500, 1000)):
        found = wilson_interval(wins, n)
        for p in (found.low, found.high):
            assert abs(wins / n - p) == pytest.approx(z * math.sqrt(p * (1 - p) / n))


def test_the_ends_of_the_scale() -> None:
    assert wilson_interval(0, 5).low == 0.0
    assert wilson_interval(5, 5).high == 1.0


def test_student_s_interval() -> None:
    """By hand: 1, 2, 3 has mean 2 and variance 1; the table's t for 2 degrees of freedom is
    4.303.
    """
    found = mean_interval([1.0, 2.0, 3.0])
    assert found.value == 2.0
    assert found.high - 2.0 == pytest.approx(4.303 / math.sqrt(3), abs=1e-3)
    assert found.width == pytest.approx(2 * (2.0 - found.low))


def test_one_value_says_nothing_about_the_spread() -> None:
    found = mean_interval([0.25])
    assert (found.value, found.low, found.high) == (0.25, -math.inf, math.inf)


def test_intervals_hold_the_truth_about_95_times_in_100() -> None:
    random = np.random.default_rng(1)
    held = {"mean": 0, "rate": 0}
    for _ in range(2000):
        mean = mean_interval(random.normal(0.3, 2.0, 10).tolist())
        rate = wilson_interval(int(random.binomial(50, 0.3)), 50)
        held["mean"] += mean.low <= 0.3 <= mean.high
        held["rate"] += rate.low <= 0.3 <= rate.high
    assert 0.93 < held["mean"] / 2000 < 0.97
    assert 0.92 < held["rate"] / 2000 < 0.98


def test_a_draw_is_half_a_win() -> None:
    assert win_rate([(1.0, -1.0), (0.0, 0.0), (-1.0, 1.0), (0.0, 0.0)]) == wilson_interval(2, 4)


def test_payoffs_relative_to_the_value_of_the_game() -> None:
    payoff = mean_interval([0.0, 1.0])
    above = against_value(payoff, 0.25)
    assert above.value == 0.25
    assert above.width == pytest.approx(payoff.width)


def test_refusals() -> None:
    with pytest.raises(OptionError, match="at least one match"):
        mean_interval([])
    with pytest.raises(OptionError, match="3 wins in 2 matches"):
        wilson_interval(3, 2)
