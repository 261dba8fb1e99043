"""Drawing from distributions: in proportion, and never what has no probability."""

import numpy as np
import pytest

from hiddenhand.compiled.draws import sample, search_cumulative
from hiddenhand.compiled.kernels import kernel
from hiddenhand.compiled.random import new_state


@kernel
def draw_sample(state, probabilities, n, out):
    for index in range(out.size):
        out[index] = sample(state, probabilities, n)


@kernel
def places_of(cumulative, numbers, out):
    for index in range(out.size):
        out[index] = search_cumulative(cumulative, numbers[index])


def chi_square(counts: np.ndarray, probabilities: np.ndarray) -> float:
    expected = counts.sum() * probabilities
    return float(np.sum((counts - expected) ** 2 / expected))


@pytest.mark.parametrize(
    "probabilities",
    [
        [1.0],
        [0.5, 0.5],
        [0.1, 0.2, 0.7],
        [0.0, 0.25, 0.0, 0.75, 0.0],
        [0.999, 0.001],
        [1e-300, 1.0, 0.0],
    ],
    ids=str,
)
def test_samples_follow_the_probabilities(probabilities: list[float]) -> None:
    """Chi-square with at most 2 degrees of freedom: 13.8 is passed by one fair draw in a thousand.
    What has no probability is never drawn.
    """
    p, out = (
        np.array([*probabilities, 5.0]),
        np.zeros(50_000, np.int64),
    )  # the last is room that must not be looked at
    draw_sample(new_state(6), p, len(probabilities), out)
    counts = np.bincount(out, minlength=len(probabilities))
    possible = np.array(probabilities) > 1e-9
    assert np.all(counts[~possible] == 0)
    assert chi_square(counts[possible], np.array(probabilities)[possible]) < 13.8


@pytest.mark.parametrize("probabilities", [[0.3, 0.3, 0.3, 0.0], [0.0, 0.0, 0.9, 0.0]], ids=str)
def test_rounding_never_gives_what_has_no_probability(probabilities: list[float]) -> None:
    """Where the sum falls short of 1, here on purpose, the rest goes to the last action that is
    possible.
    """
    out = np.zeros(20_000, np.int64)
    draw_sample(new_state(7), np.array(probabilities), 4, out)
    assert set(out.tolist()) == set(np.flatnonzero(probabilities).tolist())


@pytest.mark.parametrize(
    "cumulative",
    [[1.0], [0.25, 1.0], [0.0, 0.25, 0.25, 0.75, 1.0], [0.5, 0.5, 0.9]],
    ids=str,
)
def test_a_place_is_found_as_by_numpy(cumulative: list[float]) -> None:
    """Equal sums belong to indices of probability 0, which are passed over. Where the last sum
    falls short of 1, the rest goes to the last index.
    """
    sums = np.array(cumulative)
    numbers = np.concatenate([sums[sums < 1], np.linspace(0, 1, 97)[:-1]])
    out = np.zeros(numbers.size, np.int64)
    places_of(sums, numbers, out)
    expected = np.minimum(np.searchsorted(sums, numbers, side="right"), sums.size - 1)
    assert out.tolist() == expected.tolist()
