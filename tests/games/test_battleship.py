"""Battleship by hand, and against ships that are sets of squares."""

from collections import Counter

import numpy as np
import pytest
from naive.battleship import endings, fleets
from naive.playing import names_of, played

from hiddenhand.games.battleship import Battleship
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.validation.conformance import verify_rules

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


def test_where_a_ship_lies_is_hidden() -> None:
    histories = [
        played(GAME, f"{place} a1_across") for place in ("a1_across", "b1_across", "a1_down")
    ]
    assert len({history.key(1) for history in histories}) == 1
    assert len({history.key(0) for history in histories}) == 3
    assert len({GAME.render(history.state, 1) for history in histories}) == 1


@pytest.mark.parametrize(
    "ships", ["3,2", " 3 , 2 ", "3 2", (3, 2), [3, 2], np.array([3, 2]).tolist()]
)
def test_lengths_may_be_given_in_several_ways(ships: object) -> None:
    game = Battleship(4, 4, ships)  # type: ignore[arg-type]
    assert game == Battleship(4, 4, "3,2")
    assert game.lengths.tolist() == [3, 2]


@pytest.mark.parametrize("ships", ["2,2", "2,1,1", "1,1,1,1"])
def test_room_is_left_for_every_ship(ships: str) -> None:
    """On 2 x 2 squares: what is allowed never leaves a player without a place."""
    verify_rules(Battleship(2, 2, ships), plays=20)
