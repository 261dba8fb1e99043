"""Random numbers for kernels, by the generator xoshiro256++ (Blackman and Vigna 2019).

The state of a generator is a ``uint64[4]`` array, seeded through `numpy.random.SeedSequence`. It is
an argument of every function that draws. No state is global, so equal seeds give equal numbers,
whatever else runs. `sampling` has functions that draw from distributions.
"""

import numpy as np
import numpy.typing as npt

from hiddenhand.errors import OptionError
from hiddenhand.jit.kernels import inline

RandomState = npt.NDArray[np.uint64]

_TO_UNIT = 1.0 / 9007199254740992.0  # 2**-53


def seed_sequence(seed: int) -> np.random.SeedSequence:
    """What all random numbers of one run are made from. Raises OptionError for a ``seed`` that is
    not an integer of at least 0.
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise OptionError(f"seed {seed!r} is not allowed; give an integer of at least 0")
    return np.random.SeedSequence(int(seed))


def new_state(seed: int | np.random.SeedSequence) -> RandomState:
    """A generator state, ``uint64[4]``, from a seed."""
    sequence = seed if isinstance(seed, np.random.SeedSequence) else seed_sequence(seed)
    return sequence.generate_state(4, np.uint64).astype(np.uint64)


@inline
def _rotate_left(x: np.uint64, k: int) -> np.uint64:
    return (x << np.uint64(k)) | (x >> np.uint64(64 - k))


@inline
def next_uint64(state: RandomState) -> np.uint64:
    """64 random bits; moves ``state`` on."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    result = _rotate_left(s0 + s3, 23) + s0
    t = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= t
    s3 = _rotate_left(s3, 45)
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3
    return result


@inline
def uniform(state: RandomState) -> float:
    """A float64 in [0, 1) with 53 random bits."""
    return np.float64(next_uint64(state) >> np.uint64(11)) * _TO_UNIT


@inline
def below(state: RandomState, n: int) -> int:
    """An integer in 0..n-1, uniform up to a bias of n / 2**53."""
    return int(uniform(state) * n)
