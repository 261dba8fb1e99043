"""Battleship by hand, and against ships that are sets of squares."""

from collections import Counter

import numpy as np
import pytest
from naive.battleship import endings, fleets
from naive.playing import names_of, played

from hiddenhand.errors import ParameterError
from hiddenhand.games.battleship import Battleship
from hiddenhand.games.checking.conformance import verify_rules
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.registry import game_spec, load_game

GAME = Battleship(2, 3, "2,1")


@pytest.mark.parametrize(
    ("rows", "columns", "lengths", "shots"),
    [
        (2, 2, [1], 0),
        (2, 2, [1], 2),
        (1, 3, [2], 0),
        (2, 2, [2, 1], 2),
        (1, 4, [2, 1], 1),
        (2, 2, [2], 3),
    ],
)
def test_all_plays_end_as_with_sets(
    rows: int, columns: int, lengths: list[int], shots: int
) -> None:
    game = Battleship(rows, columns, tuple(lengths), shots)
    ends = [history for history in all_histories(game) if history.is_terminal]
    assert Counter(end.returns()[0] for end in ends) == endings(
        rows, columns, lengths, shots or rows * columns
    )
    assert max(len(end.moves) for end in ends) == game.max_depth


@pytest.mark.parametrize(
    ("rows", "columns", "lengths"),
    [(3, 3, [3, 2]), (2, 4, [2, 2]), (4, 3, [3, 1, 2]), (1, 5, [2, 2])],
)
def test_fleets_are_placed_in_every_way(rows: int, columns: int, lengths: list[int]) -> None:
    game = Battleship(rows, columns, tuple(lengths))
    placed = [History(game)]
    for ship in range(len(lengths)):
        assert max(len(history.legal_actions()) for history in placed) <= game.max_actions
        placed = [history.child(action) for history in placed for action in history.legal_actions()]
        other = [
            history.child(history.legal_actions()[0]) for history in placed
        ]  # player 1 need not vary
        assert {history.observations for history in other} == {(0, 0, 1)}
        placed = other
        assert len(placed) == len(fleets(rows, columns, lengths[: ship + 1]))


def test_shots_are_answered() -> None:
    placed = "a1_across a1_down c1 b1"  # player 0 has a1 b1 and c1, player 1 a1 a2 and b1
    assert played(GAME, f"{placed} c2").observations == (0, 0, 2 + 3 * 5)
    assert played(GAME, f"{placed} a1").observations == (0, 0, 2 + 3 * 0 + 1)
    assert played(GAME, f"{placed} b1").observations == (0, 0, 2 + 3 * 1 + 2)
    sunk = played(GAME, f"{placed} a1 c2 a2")
    assert sunk.observations == (0, 0, 2 + 3 * 3 + 2)
    assert not sunk.is_terminal
    assert "a1" not in names_of(played(GAME, f"{placed} a1 c2"))
    won = played(GAME, f"{placed} a1 c2 a2 b2 b1")
    assert won.is_terminal
    assert won.returns() == (1, -1)
    assert played(GAME, f"{placed} c2 a1 b2 b1 c1 c1").returns() == (-1, 1)


def test_a_limit_of_shots() -> None:
    game = Battleship(2, 3, "2,1", shots=1)
    end = played(game, "a1_across a1_down c1 b1 a1 c2")
    assert end.is_terminal
    assert end.returns() == (0, 0)


def test_where_a_ship_lies_is_hidden() -> None:
    histories = [
        played(GAME, f"{place} a1_across") for place in ("a1_across", "b1_across", "a1_down")
    ]
    assert len({history.key(1) for history in histories}) == 1
    assert len({history.key(0) for history in histories}) == 3
    assert len({GAME.render(history.state, 1) for history in histories}) == 1


def test_render_shows_what_is_known() -> None:
    history = played(GAME, "a1_across a1_down c1 b1 a1 c2 a2 b1 c1")
    assert GAME.render(history.state, 0) == (
        "your board; hits in small letters, misses o\n  a b c\n1 A a B\n2 . . o\n"
        "their board; hits x, sinking hits #, misses o\n  a b c\n1 x . o\n2 # . .\nthey shoot"
    )
    assert GAME.render(history.state, 1) == (
        "your board; hits in small letters, misses o\n  a b c\n1 a B o\n2 a . .\n"
        "their board; hits x, sinking hits #, misses o\n  a b c\n1 . x .\n2 . . o\nyou shoot"
    )


def test_the_whole_board() -> None:
    game = Battleship()
    assert (game.rows, game.columns, game.ships, game.max_depth) == (
        10,
        10,
        "5,4,3,3,2",
        2 * 5 + 199,
    )
    assert len(History(game).legal_actions()) == 120  # 2 * 10 * 6
    verify_rules(game, plays=1)


@pytest.mark.parametrize(
    "ships", ["3,2", " 3 , 2 ", "3 2", (3, 2), [3, 2], np.array([3, 2]).tolist()]
)
def test_lengths_may_be_given_in_several_ways(ships: object) -> None:
    game = Battleship(4, 4, ships)  # type: ignore[arg-type]
    assert game == Battleship(4, 4, "3,2")
    assert game.lengths.tolist() == [3, 2]


def test_by_name() -> None:
    for text in (
        'battleship(4,4,"3,2")',
        "battleship(4,4,(3,2))",
        "battleship(rows=4,columns=4,ships=[3,2])",
    ):
        assert load_game(text) == Battleship(4, 4, "3,2")
    assert load_game("battleship(2,2,2)") == Battleship(2, 2, "2")
    assert (
        game_spec(Battleship(4, 4, "3,2", 5)) == "battleship(rows=4,columns=4,ships='3,2',shots=5)"
    )


@pytest.mark.parametrize("ships", ["2,2", "2,1,1", "1,1,1,1"])
def test_room_is_left_for_every_ship(ships: str) -> None:
    """On 2 x 2 squares: what is allowed never leaves a player without a place."""
    verify_rules(Battleship(2, 2, ships), plays=20)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 4, "2"), "rows=0 is not allowed"),
        ((4, 27, "2"), "columns=27 is not allowed; give an integer from 1 to 26"),
        ((4, 4, "2", 17), "shots=17 is not allowed; give an integer from 0 to 16"),
        ((4, 4, ""), "ships='' is not allowed; give the lengths of 1 to 26 ships"),
        ((4, 4, "2,x"), "ships='2,x' is not allowed"),
        ((4, 4, (2, 0)), r"ships=\(2, 0\) is not allowed"),
        ((4, 4, None), "ships=None is not allowed"),
        ((4, 4, (2.5,)), "is not allowed"),
        ((4, 4, "5"), "no room for ship 1, of length 5"),
        ((1, 4, "2,2"), "no room for ship 2, of length 2"),  # the first may lie in the middle
        ((2, 2, "1,1,1,1,1"), "no room for ship 5, of length 1"),
    ],
)
def test_rejects(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Battleship(*arguments)  # type: ignore[arg-type]
