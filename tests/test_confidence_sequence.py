"""Intervals that hold at all times: by their definition, and by how often they err."""

import math

import numpy as np
import pytest

from hiddenhand.errors import OptionError
from hiddenhand.statistics import Betting, ConfidenceSequence

SHARES = [0.95, *(2.0 ** (-g / 2) for g in range(1, 16))]
PARTS = [0.8**g for g in range(16)]


def capital(scaled: list[float], mean: float) -> float:
    """What a capital of 1 becomes that is bet on more than ``mean``, product by product."""
    return sum(
        part * math.prod(1.0 + share * (y / mean - 1.0) for y in scaled)
        for share, part in zip(SHARES, PARTS, strict=True)
    ) / sum(PARTS)


def test_the_interval_has_the_means_against_which_nobody_gets_rich() -> None:
    observed = [0.5, -1.0, 2.0, 1.5, 1.0, 0.0, 2.0, 1.0, 1.8, 1.9] * 3
    sequence = ConfidenceSequence([(-2.0, 2.0)], confidence=0.8)
    for value in observed:
        sequence.add(value)
    found = sequence.interval()
    scaled = [(value + 2.0) / 4.0 for value in observed]
    for step in range(1, 400):
        mean = -2.0 + step / 100
        low = capital(scaled, (mean + 2.0) / 4.0) >= 10.0
        high = capital([1.0 - y for y in scaled], (2.0 - mean) / 4.0) >= 10.0
        assert (mean < found.low, mean > found.high) == (low, high)
    assert found.value == pytest.approx(sum(observed) / len(observed))
    assert sequence.count == 30


@pytest.mark.slow
def test_one_mean_is_enough_to_know_who_is_ahead() -> None:
    """The capital against 1/2 grows to 2 / (1 - confidence) when the interval leaves 1/2."""
    for sign in (1, -1):
        sequence, betting = ConfidenceSequence([(-1.0, 1.0)], 0.9), Betting([(-1.0, 1.0)])
        for number in range(30):
            value = sign * (0.4 + 0.3 * (-1) ** number)
            sequence.add(value)
            betting.add(value)
            interval = sequence.interval()
            assert betting.side(0.9) == (sign if not interval.low <= 0 <= interval.high else 0)
        assert betting.side(0.9) == sign


@pytest.mark.slow
def test_it_errs_rarely_however_often_one_looks() -> None:
    """Of 300 players who are as good as their opponents, at most 10 % are ever said not to be. By
    Student's intervals it would be half of them.
    """
    random = np.random.default_rng(5)
    wrong = 0
    for _ in range(300):
        betting = Betting([(-1.0, 1.0)])
        for lead in random.choice([-1.0, 0.25], size=150, p=[0.2, 0.8]).tolist():
            betting.add(lead)
            if betting.side(0.9):
                wrong += 1
                break
    assert 0 < wrong <= 30


def test_two_views_share_the_capital() -> None:
    """The second view varies less: what both say together is nearly what it says alone."""
    random = np.random.default_rng(1)
    both = ConfidenceSequence([(-1.0, 1.0), (-2.0, 2.0)])
    alone, plain = ConfidenceSequence([(-2.0, 2.0)]), ConfidenceSequence([(-1.0, 1.0)])
    betting, sides = Betting(both.bounds), list[int]()
    for luck in random.choice([-0.8, 0.8], size=200).tolist():
        both.add(0.1 + luck, 0.1 + luck / 40)
        alone.add(0.1 + luck / 40)
        plain.add(0.1 + luck)
        betting.add(0.1 + luck, 0.1 + luck / 40)
        sides.append(betting.side(0.95))
    assert plain.interval().low < 0 < alone.interval().low < both.interval().high
    assert 0 < both.interval().low < 0.1 < both.interval().high
    assert alone.interval().width < both.interval().width < plain.interval().width
    assert (sides[0], sides[-1]) == (0, 1)
    assert both.interval().value == alone.interval().value


def test_extreme_observations() -> None:
    sequence = ConfidenceSequence([(0.0, 1.0)])
    assert (sequence.interval().low, sequence.interval().high) == (0.0, 1.0)
    for _ in range(50):
        sequence.add(1.0)
    found = sequence.interval()
    assert 0.8 < found.low < found.high == 1.0


@pytest.mark.parametrize("bounds", [(1.0, 1.0), (0.0, math.inf), (2.0, 1.0)])
def test_bounds_that_are_none(bounds: tuple[float, float]) -> None:
    with pytest.raises(OptionError, match="two finite bounds"):
        ConfidenceSequence([bounds])


def test_what_is_refused() -> None:
    with pytest.raises(OptionError, match=r"confidence=1\.0 is not allowed"):
        ConfidenceSequence([(0.0, 1.0)], 1.0)
    with pytest.raises(OptionError, match=r"value=1\.5 is not allowed"):
        ConfidenceSequence([(0.0, 1.0)]).add(1.5)
