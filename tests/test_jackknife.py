"""The jackknife: for a mean it must say what Student's interval says."""

import math

import pytest

from hiddenhand.errors import OptionError
from hiddenhand.statistics import jackknife_interval, mean_interval


def test_of_a_mean_it_is_students_interval() -> None:
    values = [0.3, 1.7, 0.9, 2.2, 0.1]
    without = [(sum(values) - value) / (len(values) - 1) for value in values]
    found, wanted = jackknife_interval(sum(values) / len(values), without), mean_interval(values)
    assert (found.value, found.low, found.high) == pytest.approx(
        (wanted.value, wanted.low, wanted.high)
    )


def test_one_seed_says_nothing_about_others() -> None:
    assert jackknife_interval(0.5, [0.0]).width == math.inf
    with pytest.raises(OptionError, match="at least one seed"):
        jackknife_interval(0.5, [])
