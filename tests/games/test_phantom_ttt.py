"""Phantom Tic-Tac-Toe by hand, and counted without writing it out."""

from functools import cache

import pytest
from naive.playing import names_of, played

from hiddenhand.errors import GameError
from hiddenhand.games.history import History
from hiddenhand.games.phantom_ttt import PhantomTicTacToe

GAME = PhantomTicTacToe()
ALL = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]


def count_histories(forced_wins: bool) -> tuple[int, int]:
    """Non-terminal and terminal histories, summed over positions that many histories share. Knows
    the rules, not the game's code.
    """
    bit = {square: 1 << place for place, square in enumerate(ALL)}
    lines = [
        sum(bit[square] for square in line)
        for line in (
            ALL[:3],
            ALL[3:6],
            ALL[6:],
            ALL[::3],
            ALL[1::3],
            ALL[2::3],
            ALL[::4],
            ALL[2:7:2],
        )
    ]
    squares = list(bit.values())
    wins_first = [bit[name] for name in ("b2", "a1", "c3", "a3", "c1", "b1", "a2", "b3", "c2")]
    counted: dict[tuple[int, ...], tuple[int, int]] = {}

    @cache
    def winning(marks: int, square: int) -> bool:
        return any(square & line and not line & ~(marks | square) for line in lines)

    def visit(mine: int, my_tries: int, theirs: int, their_tries: int) -> tuple[int, int]:
        position = (mine, my_tries, theirs, their_tries)
        if position not in counted:
            forced = [
                square
                for square in wins_first
                if forced_wins and not square & my_tries and winning(mine, square)
            ]
            inner, leaves = 1, 0
            for square in forced[:1] or squares:
                if square & my_tries:
                    continue
                if square & theirs:
                    below = visit(mine, my_tries | square, theirs, their_tries)
                elif winning(mine, square) or (mine | theirs).bit_count() == 8:
                    below = (0, 1)
                else:
                    below = visit(theirs, their_tries, mine | square, my_tries | square)
                inner, leaves = inner + below[0], leaves + below[1]
            counted[position] = (inner, leaves)
        return counted[position]

    return visit(0, 0, 0, 0)


@pytest.mark.slow
def test_count_with_forced_wins_says_which_win_is_forced() -> None:
    """Counts from a program written independently of this one. Other orders of the winning squares
    give other counts (lowest first: 234096111).
    """
    assert count_histories(forced_wins=True) == (232_702_103, 135_964_368)


def test_failed_attempts_are_private_and_repeat_the_turn() -> None:
    taken = played(GAME, "b2")
    assert (taken.player, taken.observations) == (1, (0, 0, 1))  # public: a mark was placed
    failed = taken.child(4)
    assert (failed.player, failed.observations) == (1, (0, 1, 0))  # private: it failed
    assert failed.key(0) == taken.key(0)
    assert failed.public_key == taken.public_key
    assert names_of(failed) == [square for square in ALL if square != "b2"]
    again = failed.child(0)
    assert (again.player, again.observations) == (0, (0, 0, 1))
    assert names_of(again) == [
        square for square in ALL if square != "b2"
    ]  # player 0 knows nothing of a1
    with pytest.raises(GameError, match="'b2' is not a legal action"):
        played(GAME, "b2 b2 b2")


def test_forced_center() -> None:
    game = PhantomTicTacToe(forced_center=True)
    assert names_of(History(game)) == ["b2"]
    assert names_of(played(game, "b2")) == ["b2"]
    failed = played(game, "b2 b2")
    assert failed.player == 1
    assert names_of(failed) == [square for square in ALL if square != "b2"]


def test_forced_wins() -> None:
    game = PhantomTicTacToe(forced_wins=True)
    assert names_of(played(game, "a1 b1 a2 b2")) == ["a3"]
    assert names_of(played(game, "a1 a3 a2 b2")) == ["a3"]  # taken, but player 0 does not know
    assert names_of(played(game, "a1 a3 a2 b2 a3")) == [
        "b1",
        "c1",
        "b2",
        "c2",
        "b3",
        "c3",
    ]  # tried, so no longer forced


@pytest.mark.parametrize(
    ("moves", "forced"),
    [  # the centre comes first, then the corners a1, c3, a3, c1, then b1, a2, b3, c2
        ("b3 c1 a1 a2 c3 c2", "b2"),  # or a3
        ("a1 b3 c2 a2 c1 a3", "c3"),  # or b1
        ("b1 a1 c2 b3 b2 c1", "a2"),  # or b3
        ("c3 a2 b1 c1 b2 a3", "a1"),  # or b3
        ("a2 b3 b1 c1 a1 c2", "a3"),  # or c1
    ],
)
def test_first_of_several_wins(moves: str, forced: str) -> None:
    assert names_of(played(PhantomTicTacToe(forced_wins=True), moves)) == [forced]
