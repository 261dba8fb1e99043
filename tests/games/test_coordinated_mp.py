"""Coordinated matching pennies, against its description by Sustr et al. (2021)."""

import pytest
from naive.playing import played

from hiddenhand.games.coordinated_mp import CoordinatedMatchingPennies
from hiddenhand.games.history import all_histories

GAME = CoordinatedMatchingPennies()


def expected(first: str, heads_at_top: float, heads_at_bottom: float) -> float:
    """What player 0 gets for ``first``."""
    return sum(
        0.5 * p * played(GAME, f"{first} {place} {second}").returns()[0]
        for place, heads in (("top", heads_at_top), ("bottom", heads_at_bottom))
        for second, p in (("heads", heads), ("tails", 1.0 - heads))
    )


def test_leaves() -> None:
    for first in ("heads", "tails"):
        for place in ("top", "bottom"):
            for second in ("heads", "tails"):
                end = played(GAME, f"{first} {place} {second}")
                assert end.is_terminal
                value = 1.0 if first == second else -1.0
                assert end.returns() == (value, -value)
    assert sum(1 for _ in all_histories(GAME)) == 1 + 2 + 4 + 8


@pytest.mark.parametrize("p", [0.0, 0.25, 0.5, 1.0])
def test_player_1_plays_an_equilibrium_where_the_pieces_fit(p: float) -> None:
    for first in ("heads", "tails"):
        assert expected(first, p, 1.0 - p) == pytest.approx(0.0)
    assert max(expected(first, p, p) for first in ("heads", "tails")) == abs(2 * p - 1)
