"""Random numbers: the published generator, and fair draws from it."""

import numpy as np
import pytest

from hiddenhand.errors import OptionError
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.random import below, new_state, next_uint64, seed_sequence, uniform


@kernel
def draw(state, out):
    for index in range(out.size):
        out[index] = next_uint64(state)


@kernel
def draw_uniform(state, out):
    for index in range(out.size):
        out[index] = uniform(state)


@kernel
def draw_below(state, n, out):
    for index in range(out.size):
        out[index] = below(state, n)


def chi_square(counts: np.ndarray, probabilities: np.ndarray) -> float:
    expected = counts.sum() * probabilities
    return float(np.sum((counts - expected) ** 2 / expected))


def test_the_first_numbers_of_the_published_generator() -> None:
    """From the state 1, 2, 3, 4: the first by hand, (rotl(1 + 4, 23) + 1); the others are test
    vectors of the Rust crate rand_xoshiro.
    """
    out = np.zeros(5, np.uint64)
    draw(np.array([1, 2, 3, 4], np.uint64), out)
    assert out.tolist() == [
        41943041,
        58720359,
        3588806011781223,
        3591011842654386,
        9228616714210784205,
    ]


def test_the_largest_number_is_below_1() -> None:
    """The state that gives 2**64 - 1: s0 = 2**64 - 1 and s0 + s3 = 0 in 64 bits."""
    state = np.array([2**64 - 1, 0, 0, 1], np.uint64)
    out = np.zeros(1)
    draw_uniform(state, out)
    assert out[0] == 1 - 2**-53


@pytest.mark.parametrize("n", [1, 2, 7])
def test_below(n: int) -> None:
    """Chi-square with at most 6 degrees of freedom: 22.5 is passed by one fair draw in a
    thousand.
    """
    out = np.zeros(50_000, np.int64)
    draw_below(new_state(5), n, out)
    assert set(out.tolist()) == set(range(n))
    assert chi_square(np.bincount(out, minlength=n), np.full(n, 1 / n)) < 22.5


def test_spawned_seeds_are_different_streams() -> None:
    states = [
        new_state(8),
        *(new_state(sequence) for sequence in seed_sequence(8).spawn(20)),
        *(new_state(sequence) for sequence in seed_sequence(9).spawn(20)),
    ]
    assert len({tuple(state.tolist()) for state in states}) == 41


@pytest.mark.parametrize("seed", [-1, 1.0, "1", None, True])
def test_seeds_that_make_no_sense(seed: object) -> None:
    for use in (seed_sequence, new_state):
        with pytest.raises(
            OptionError, match=f"seed {seed!r} is not allowed; give an integer of at least 0"
        ):
            use(seed)
