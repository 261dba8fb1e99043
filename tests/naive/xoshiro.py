"""xoshiro256++ in Python integers, from the published algorithm (Blackman and Vigna 2019)."""

from collections.abc import Sequence

_MASK = 2**64 - 1


class Xoshiro:
    def __init__(self, state: Sequence[int]) -> None:
        self.state = [int(word) for word in state]

    def next_uint64(self) -> int:
        s = self.state
        result = (_rotated((s[0] + s[3]) & _MASK, 23) + s[0]) & _MASK
        t = (s[1] << 17) & _MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = _rotated(s[3], 45)
        return result

    def uniform(self) -> float:
        return (self.next_uint64() >> 11) * 2.0**-53

    def below(self, n: int) -> int:
        """0 to n - 1, all alike."""
        return int(self.uniform() * n)

    def draw(self, probabilities: Sequence[float]) -> int:
        """An index, in proportion; never one of probability 0."""
        r, chosen = self.uniform(), 0
        for index, p in enumerate(probabilities):
            if p > 0:
                chosen = index
                if r < p:
                    break
                r -= p
        return chosen


def _rotated(x: int, k: int) -> int:
    return ((x << k) | (x >> (64 - k))) & _MASK
