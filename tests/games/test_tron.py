"""Tron by hand, against rules written a second time, and counted against the thesis."""

import math
import random

import numpy as np
import numpy.typing as npt
import pytest
from naive.histories_by_depth import count_by_depth

from hiddenhand.errors import ParameterError
from hiddenhand.games.history import History
from hiddenhand.games.tron import OwnedSpace, Tron
from hiddenhand.jit.kernels import kernel

# Lisy (2014), Section 4.1.1, the table for 5 x 6: states with pure and with mixed strategies, added
TABLE = [1, 4, 16, 100, 574, 2605, 9559, 26056, 54410, 83745, 87083, 63642, 23296, 3127]
BOARDS = [
    Tron(),
    Tron(5, 6),
    Tron(2, 2),
    Tron(2, 26),
    Tron(26, 3),
    Tron(5, 5, "c3"),
    Tron(6, 7, "b2 c2 d2 e4 e5 f5"),
]


def played(game: Tron, *moves: str) -> History:
    """The history after moves, each written by two initials, player 0's first: "rl" is right and
    left.
    """
    history = History(game)
    for initials in moves:
        history = history.child(tuple("urdl".index(initial) for initial in initials))
    return history


# --- the rules a second time ---

STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
Spot = tuple[int, int]


class Twin:
    """The same game as a set of free cells."""

    def __init__(self, game: Tron) -> None:
        blocked = {
            (int(cell[1:]) - 1, ord(cell[0]) - ord("a")) for cell in (game.obstacles or "").split()
        }
        self.riders: list[Spot] = [(0, 0), (game.rows - 1, game.columns - 1)]
        self.free = (
            {(row, column) for row in range(game.rows) for column in range(game.columns)}
            - blocked
            - set(self.riders)
        )

    def beside(self, cell: Spot) -> list[Spot]:
        return [(cell[0] + down, cell[1] + right) for down, right in STEPS]

    def legal(self, player: int) -> list[int]:
        if self.riders[0] == self.riders[1]:
            return []
        return [
            direction
            for direction, cell in enumerate(self.beside(self.riders[player]))
            if cell in self.free
        ]

    def move(self, directions: tuple[int, ...]) -> None:
        self.riders = [
            self.beside(rider)[direction]
            for rider, direction in zip(self.riders, directions, strict=True)
        ]
        self.free -= set(self.riders)

    def returns(self) -> tuple[int, int]:
        first = bool(self.legal(0)) - bool(self.legal(1))
        return first, -first

    def distances(self, start: Spot) -> dict[Spot, int]:
        """How many steps each free cell is away, by breadth-first search."""
        found, border, steps = {start: 0}, [start], 0
        while border:
            steps += 1
            border = [
                cell
                for cell in dict.fromkeys(cell for rider in border for cell in self.beside(rider))
                if cell in self.free - found.keys()
            ]
            found |= dict.fromkeys(border, steps)
        return found

    def estimate(self) -> float:
        mine, theirs = (self.distances(rider) for rider in self.riders)
        far = math.inf
        owned = [
            sum(one.get(cell, far) < other.get(cell, far) for cell in self.free)
            for one, other in ((mine, theirs), (theirs, mine))
        ]
        return math.tanh((owned[0] - owned[1]) / 5)


@kernel
def compiled_estimate(evaluation: OwnedSpace, game: Tron, state: npt.NDArray[np.int64]) -> float:
    return evaluation.evaluate(game, state, 0)


@pytest.mark.slow
@pytest.mark.parametrize("game", BOARDS, ids=str)
def test_random_plays_follow_the_rules(game: Tron) -> None:
    rng = random.Random(0)
    evaluation = game.evaluation()
    endings = set()
    for _ in range(40 if game.num_free < 100 else 15):
        history, twin = History(game), Twin(game)
        while not history.is_terminal:
            assert [history.legal_actions(player) for player in range(2)] == [
                twin.legal(player) for player in range(2)
            ], history
            estimate = evaluation.evaluate(game, history.state, 0)
            assert (
                estimate == twin.estimate() == compiled_estimate(evaluation, game, history.state)
            ), history
            assert evaluation.evaluate(game, history.state, 1) == -estimate
            move = rng.choice(history.legal_moves())
            assert isinstance(move, tuple)
            history = history.child(move)
            twin.move(move)
        assert not twin.legal(0) or not twin.legal(1), history
        assert history.returns() == twin.returns(), history
        endings.add(twin.returns()[0])
    assert endings == ({0} if game.num_free == 4 else {-1, 0, 1})


# --- the thesis' table ---


def test_counts_of_the_thesis() -> None:
    assert count_by_depth(Tron(5, 6)) == TABLE


# --- by hand ---


def test_longest_history() -> None:
    end = played(Tron(3, 3), "rl", "rl", "du", "lr")
    assert end.is_terminal
    assert len(end.moves) == end.game.max_depth == 4


def test_walls_cannot_be_entered() -> None:
    start = played(Tron(3, 4, "b2"))
    assert [start.legal_actions(player) for player in range(2)] == [[1, 2], [0, 3]]
    after = played(Tron(3, 4, "b2"), "rl")
    assert [after.legal_actions(player) for player in range(2)] == [[1], [0, 3]]


def test_evaluation_by_hand() -> None:
    """With a wall on b1, player 0 is first on a2, player 1 on c2, b3 and c1; they reach b2 and a3
    at once.
    """
    game = Tron(3, 3, "b1")
    start = History(game).state
    assert game.evaluation().evaluate(game, start, 0) == pytest.approx(math.tanh(-2 / 5))
    assert game.evaluation().evaluate(game, start, 1) == pytest.approx(math.tanh(2 / 5))


def test_evaluation_rejects() -> None:
    with pytest.raises(
        ParameterError, match="OwnedSpace: rows=0 is not allowed; give an integer from 2 to 26"
    ):
        OwnedSpace(0)
