"""Intervals against published ones and against counting."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np
import pytest

from hiddenhand.errors import OptionError
from hiddenhand.statistics import (
    Interval,
    against_value,
    bounded_interval,
    jackknife_interval,
    jointly,
    mean_interval,
    wilson_interval,
    win_rate,
)


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


def test_squares_of_large_payoffs_do_not_overflow() -> None:
    small = mean_interval([1.0, 2.0, 3.0])
    found = mean_interval([1e300, 2e300, 3e300], low=0.0)
    assert (found.value, found.low, found.high) == pytest.approx(
        (1e300 * small.value, 0.0, 1e300 * small.high)
    )
    assert mean_interval([1e308, 1e308]).value == 1e308


def test_student_s_interval_ends_at_the_bounds() -> None:
    """By hand: 0.01, 0.09 has mean 0.05; half of the interval is 12.706 * 0.04 = 0.508."""
    found = mean_interval([0.01, 0.09], low=0.0)
    assert (found.value, found.low) == (pytest.approx(0.05), 0.0)
    assert found.high == pytest.approx(0.558, abs=1e-3)
    assert mean_interval([0.01, 0.09], 0.0, 0.5).high == 0.5
    assert jackknife_interval(0.05, [0.01, 0.09], 0.0, 0.3) == Interval(0.05, 0.0, 0.3)


TABLE_T = {2: 12.706, 5: 2.776, 12: 2.201, 20: 2.093, 100: 1.984}
"""The 97.5 % quantile of Student's t with n - 1 degrees of freedom, from a printed table."""


@pytest.mark.parametrize(("wins", "n"), [(1, 5), (3, 12), (13, 20), (20, 20), (60, 100)])
def test_of_two_outcomes_the_likelihood_decides(wins: int, n: int) -> None:
    """With payoffs -3 and 3 the likelihood ratio is that of the binomial distribution."""
    found = bounded_interval([3.0] * wins + [-3.0] * (n - wins), -3.0, 3.0)
    rate = wins / n
    for end in (found.low, found.high):
        p = (end + 3.0) / 6.0
        if p == 1.0:
            assert wins == n
            continue
        ratio = wins * math.log(rate / p)
        ratio += (n - wins) * math.log((1 - rate) / (1 - p)) if wins < n else 0.0
        assert ratio == pytest.approx(TABLE_T[n] ** 2 / 2, rel=1e-3)


def test_the_best_stake_in_hindsight_ends_an_interval() -> None:
    """Of 10,000 stakes in a bet against the end, the best one makes exp(t^2 / 2) of 1."""
    values = [-4.0, -1.0, -1.0, 0.5, 0.5, 0.5, 1.0, 2.0, 2.0, 2.5, 2.5, 6.0]
    found = bounded_interval(values, -5.0, 7.0)
    stakes = np.linspace(0.0, 1.0, 10_001)[:-1, None]
    above = np.log1p(stakes * ((np.array(values) + 5.0) / (found.low + 5.0) - 1.0)).sum(axis=1)
    below = np.log1p(stakes * ((7.0 - np.array(values)) / (7.0 - found.high) - 1.0)).sum(axis=1)
    for gained in (above, below):
        assert gained.max() == pytest.approx(TABLE_T[12] ** 2 / 2, rel=1e-3)


def test_many_payoffs_have_student_s_interval() -> None:
    values = np.random.default_rng(4).normal(0.3, 2.0, 4000).tolist()
    found, wanted = bounded_interval(values, -13.0, 13.0), mean_interval(values)
    assert found.low == pytest.approx(wanted.low, abs=0.02 * wanted.width)
    assert found.high == pytest.approx(wanted.high, abs=0.02 * wanted.width)


def test_few_payoffs_say_little() -> None:
    assert bounded_interval([2.0], -6.0, 6.0) == Interval(2.0, -6.0, 6.0)
    two = bounded_interval([1.0, 3.0], -6.0, 6.0)
    assert (two.low, two.high) == (pytest.approx(-6.0, abs=1e-6), pytest.approx(6.0, abs=1e-6))
    assert bounded_interval([7.0, 7.0], -6.0, 6.0).high == 7.0  # bounds of the wrong game
    assert bounded_interval([1.0, 2.0], -math.inf, math.inf) == mean_interval([1.0, 2.0])
    assert bounded_interval([0.0, 0.0], 0.0, 0.0) == Interval(0.0, 0.0, 0.0)


def test_equal_payoffs_are_no_certainty() -> None:
    """By hand: where all 50 matches paid 1 of at most 3, the end below is the m with
    50 log((3 + 1) / (3 + m)) = t^2 / 2, t = 2.0096 with 49 degrees of freedom.
    """
    found = bounded_interval([1.0] * 50, -3.0, 3.0)
    assert found.low == pytest.approx(4.0 * math.exp(-(2.0096**2) / 100) - 3.0, abs=1e-4)
    assert found.high == pytest.approx(3.0 - 2.0 * math.exp(-(2.0096**2) / 100), abs=1e-4)


@pytest.mark.parametrize(
    ("payoffs", "chances", "largest"),
    [
        ((-1.0, 1.0), (0.3, 0.7), 1.0),
        ((-1.0, 0.0, 1.0), (0.1, 0.8, 0.1), 1.0),
        ((-6.0, 1.0, 2.0), (0.05, 0.6, 0.35), 6.0),
        ((-13.0, -1.0, 1.0), (0.02, 0.43, 0.55), 13.0),
    ],
)
@pytest.mark.parametrize("n", [2, 5, 12, 20])
def test_intervals_of_payoffs_hold_the_truth(
    payoffs: Sequence[float], chances: Sequence[float], largest: float, n: int
) -> None:
    """The exact probability, over all counts of outcomes. With rare losses, Student's interval
    holds the truth in 63 of 100 runs, and less.
    """
    truth = sum(payoff * chance for payoff, chance in zip(payoffs, chances, strict=True))
    held = 0.0
    for drawn in combinations_with_replacement(range(len(payoffs)), n):
        found = bounded_interval([payoffs[one] for one in drawn], -largest, largest)
        assert -largest <= found.low <= found.value <= found.high <= largest
        if found.low <= truth <= found.high:
            probability = float(math.factorial(n))
            for one, count in Counter(drawn).items():
                probability *= chances[one] ** count / math.factorial(count)
            held += probability
    assert held > 0.94


@pytest.mark.parametrize(
    ("interval", "spec", "said"),
    [
        (Interval(1.25, 0.94, 1.56), "", "1.25 ± 0.31"),
        (Interval(1.25, 0.9, 2.1), "", "1.25 (0.9 to 2.1)"),
        (Interval(2.0, -6.0, 6.0), "", "2 (-6 to 6)"),
        (Interval(0.85, 0.640, 0.948), ".1%", "85.0% (64.0% to 94.8%)"),
        (Interval(0.5, 0.402, 0.598), ".1%", "50.0% ± 9.8%"),
        (Interval(-1e-17, -0.1, 0.1), "", "0 ± 0.1"),
        (Interval(-0.004, -0.5, 0.25), "", "0 (-0.5 to 0.25)"),
        (Interval(12345.6, 12000.0, 13000.0), "", "12350 (12000 to 13000)"),
        (Interval(2e-9, 0.0, 5e-9), "", "2e-09 (0 to 5e-09)"),
        (Interval(0.25, -math.inf, math.inf), "", "0.25"),
        (Interval(0.25, 0.25, 0.25), "", "0.25"),
        (Interval(-1e-18, -1e-18, -1e-18), "", "0"),
    ],
)
def test_intervals_in_words(interval: Interval, spec: str, said: str) -> None:
    assert format(interval, spec) == said


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


@pytest.mark.parametrize(("tail", "precision"), [(0.025, 1e-12), (0.025 / 40, 1e-10)])
def test_quantiles_are_those_of_scipy(tail: float, precision: float) -> None:
    """Of Student's t with few and with many degrees of freedom: half the width of the interval of
    n values, n / 2 times -1 and as often 1.
    """
    from scipy.special import ndtri, stdtrit

    for n in (2, 4, 6, 8, 40, 298, 300, 302, 1000, 20_000):
        with jointly(round(0.025 / tail)) as joint:
            half = mean_interval([-1.0, 1.0] * (n // 2)).high
            assert joint.stretch * ndtri(0.975) == pytest.approx(-ndtri(tail), rel=1e-12)
        spread = half * math.sqrt(n - 1)
        assert spread == pytest.approx(float(stdtrit(n - 1, 1.0 - tail)), rel=precision)
