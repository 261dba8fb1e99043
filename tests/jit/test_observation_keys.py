"""Keys: the chain of what was noticed, against a twin in plain integers, and different for
different histories.
"""

import numpy as np
import pytest

from hiddenhand.jit.observation_keys import first_key, fold, mix

Event = tuple[int, int, int]  # own action + 1, private token, public token


def naive_mix(x: int) -> int:
    """The finaliser of MurmurHash3."""
    x ^= x >> 33
    x = x * 0xFF51AFD7ED558CCD % 2**64
    x ^= x >> 33
    x = x * 0xC4CEB9FE1A85EC53 % 2**64
    return x ^ x >> 33


def naive_first_key(observer: int) -> int:
    return naive_mix((0xD6E8FEB86659FD93 + observer) % 2**64)


def naive_fold(key: int, action: int, private: int, public: int) -> int:
    if (action, private, public) == (0, 0, 0):
        return key
    tokens = (
        action * 0x9E3779B97F4A7C15 + private * 0xC2B2AE3D27D4EB4F + public * 0x165667B19E3779F9
    )
    return naive_mix(key ^ tokens % 2**64)


def random_integers(count: int, bits: int, seed: int) -> list[int]:
    return [
        int(x) >> 64 - bits
        for x in np.random.default_rng(seed).integers(2**64, size=count, dtype=np.uint64)
    ]


@pytest.mark.parametrize("x", [0, 1, 2**33, 2**63, 2**64 - 1, *random_integers(20, 64, seed=1)])
def test_mix_is_its_twin(x: int) -> None:
    assert int(mix(np.uint64(x))) == naive_mix(x)


@pytest.mark.parametrize("observer", range(5))
def test_first_keys_are_their_twins(observer: int) -> None:
    assert int(first_key(observer)) == naive_first_key(observer)


@pytest.mark.parametrize("event", [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (3, 7, 2**62 - 1)])
def test_fold_is_its_twin(event: Event) -> None:
    for key in random_integers(20, 64, seed=2):
        assert int(fold(np.uint64(key), *event)) == naive_fold(key, *event)


def test_the_place_of_a_token_matters() -> None:
    key = np.uint64(99)
    assert (
        len(
            {
                int(fold(key, *event))
                for event in [
                    (0, 0, 0),
                    (1, 0, 0),
                    (0, 1, 0),
                    (0, 0, 1),
                    (1, 1, 0),
                    (1, 0, 1),
                    (0, 1, 1),
                ]
            }
        )
        == 7
    )
