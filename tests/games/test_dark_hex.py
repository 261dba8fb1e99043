"""Dark Hex by hand, and against stones that are sets of cells."""

import itertools
import random
from collections import Counter
from collections.abc import Iterable

import pytest
from naive.hex_board import connects, endings
from naive.playing import names_of, played

from hiddenhand.errors import GameError
from hiddenhand.games.dark_hex import DarkHex
from hiddenhand.games.history import History, all_histories


@pytest.mark.parametrize("abrupt", [False, True])
@pytest.mark.parametrize("size", [1, 2])
def test_all_plays_end_as_with_sets(size: int, abrupt: bool) -> None:
    game = DarkHex(size, abrupt)
    ends = [history for history in all_histories(game) if history.is_terminal]
    assert Counter(
        ((0 if end.returns() == (1, -1) else 1), len(end.moves)) for end in ends
    ) == endings(size, abrupt)
    assert max(len(end.moves) for end in ends) == game.max_depth


def colourings(size: int) -> Iterable[tuple[int, ...]]:
    """The cells of player 0 on full boards: all of them on 3 x 3, some of them on larger ones."""
    cells, stones = range(size * size), (size * size + 1) // 2
    if size <= 3:
        return itertools.combinations(cells, stones)
    rng = random.Random(size)
    return [tuple(rng.sample(cells, stones)) for _ in range(100)]


@pytest.mark.parametrize("size", [2, 3, 4, 7])
def test_every_full_board_has_exactly_one_winner_whom_the_game_finds(size: int) -> None:
    for first in colourings(size):
        second = [cell for cell in range(size * size) if cell not in first]
        sides = [
            connects(player, frozenset(divmod(cell, size) for cell in cells), size)
            for player, cells in enumerate((first, second))
        ]
        assert sum(sides) == 1
        history = History(DarkHex(size))
        for mine, theirs in itertools.zip_longest(first, second):
            for cell in (mine, theirs):
                history = history if history.is_terminal else history.child(cell)
        assert history.returns()[0] == (1 if sides[0] else -1)


def test_failed_attempts_are_private_and_repeat_the_turn() -> None:
    game = DarkHex(3)
    taken = played(game, "b2")
    assert (taken.player, taken.observations) == (1, (0, 0, 1))
    failed = taken.child(4)
    assert (failed.player, failed.observations) == (1, (0, 1, 0))
    assert failed.key(0) == taken.key(0)
    assert failed.public_key == taken.public_key
    assert "b2" not in names_of(failed)
    with pytest.raises(GameError, match="'b2' is not a legal action"):
        played(game, "b2 b2 b2")
    assert played(game, "c1 a1 b2 b1 a3").observations == (0, 0, 2)  # the end is public


def test_an_abrupt_failure_loses_the_turn_and_looks_like_a_success() -> None:
    game = DarkHex(3, abrupt=True)
    failed, placed = played(game, "b2 b2"), played(game, "b2 a1")
    assert (failed.player, failed.observations) == (0, (0, 1, 1))
    assert (placed.player, placed.observations) == (0, (0, 0, 1))
    assert failed.key(0) == placed.key(0)
    assert failed.key(1) != placed.key(1)
