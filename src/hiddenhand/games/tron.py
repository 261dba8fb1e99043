"""Tron: two riders who leave walls behind them, each trying to outlast the other.

Source: Lisy (2014), thesis at the Czech Technical University in Prague, Section 4.1.1. The thesis
does not say whether a rider may choose to hit a wall. Its counts of histories on 5 x 6 do: riders
choose among free cells only, and the game is over as soon as one of them has none left.

Each row of the board is a mask of its walls, framed by a wall all around. The flood fill of the
evaluation function spreads over a whole row at once.
"""

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from hiddenhand.errors import ParameterError
from hiddenhand.games.about import AT_ONCE, BOARD, About
from hiddenhand.games.base import (
    SIMULTANEOUS,
    TERMINAL,
    EvaluationFunction,
    Game,
    State,
    verify_range,
)
from hiddenhand.games.grid import DIRECTIONS, MAX_SIDE, Cell, draw, read_cells, write_cells
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules
from hiddenhand.jit.views import view

# what the state holds, by the index where it begins; rows and columns count from 1, because row 0
# and column 0 are the frame
_ROW = 0  # the row of each player
_COLUMN = 2  # the column of each player
_FREE = 4  # for each player, a mask of the directions that are free; 0 says that the game is over
_WALLS = 6  # for each row, a mask of walls with a bit for each column


@dataclass(frozen=True)
class OwnedSpace(EvaluationFunction):
    """tanh((owned - owned by the opponent) / 5): a player owns the cells that they can reach first;
    a cell that both reach at once belongs to neither.

    The arrays are room to work in, so two threads must not share an instance. Each is an
    ``int64[rows + 2]`` of masks of cells, with a mask for each row of the board and its frame.

    rows: how many rows the board has.
    reached_0: the cells that player 0 reached in the last step.
    reached_1: the cells that player 1 reached in the last step.
    owned_0: the cells that player 0 reached first.
    owned_1: the cells that player 1 reached first.
    unreached: the free cells that no player has reached.
    """

    FAR_SIGHTED = True

    rows: int
    reached_0: Integers = field(init=False, repr=False, compare=False)
    reached_1: Integers = field(init=False, repr=False, compare=False)
    owned_0: Integers = field(init=False, repr=False, compare=False)
    owned_1: Integers = field(init=False, repr=False, compare=False)
    unreached: Integers = field(init=False, repr=False, compare=False)

    SCALE: ClassVar[float] = 5.0

    def __post_init__(self) -> None:
        verify_range(self, "rows", 2, MAX_SIDE)
        for name in ("reached_0", "reached_1", "owned_0", "owned_1", "unreached"):
            object.__setattr__(self, name, np.zeros(self.rows + 2, np.int64))

    def evaluate(self, game: Any, state: State, player: int) -> float:
        self._start(game.all_columns, state)
        while self._spread():
            pass
        difference = 0
        for row in range(1, self.rows + 1):
            difference += self._count(self.owned_0[row]) - self._count(self.owned_1[row])
        estimate = math.tanh(difference / self.SCALE)
        return estimate if player == 0 else -estimate

    def _start(self, all_columns: int, state: State) -> None:
        for row in range(self.rows + 2):
            self.reached_0[row] = 0
            self.reached_1[row] = 0
            self.owned_0[row] = 0
            self.owned_1[row] = 0
            self.unreached[row] = all_columns & ~state[_WALLS + row]
        self.reached_0[state[_ROW]] = 1 << state[_COLUMN]
        self.reached_1[state[_ROW + 1]] = 1 << state[_COLUMN + 1]

    def _spread(self) -> bool:
        """Make one step from the cells that were reached last. Returns whether new cells were
        reached.
        """
        above_0 = above_1 = spread = 0
        for row in range(1, self.rows + 1):
            here_0, here_1, free = self.reached_0[row], self.reached_1[row], self.unreached[row]
            new_0 = (here_0 << 1 | here_0 >> 1 | above_0 | self.reached_0[row + 1]) & free
            new_1 = (here_1 << 1 | here_1 >> 1 | above_1 | self.reached_1[row + 1]) & free
            above_0, above_1 = here_0, here_1
            self.reached_0[row], self.reached_1[row] = new_0, new_1
            self.owned_0[row] |= new_0 & ~new_1
            self.owned_1[row] |= new_1 & ~new_0
            self.unreached[row] = free & ~(new_0 | new_1)
            spread |= new_0 | new_1
        return spread != 0

    @staticmethod
    def _count(mask: int) -> int:
        """The bits of a mask of less than 32, added up in pairs, fours, eights and bytes."""
        mask -= mask >> 1 & 0x55555555
        mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333)
        mask = mask + (mask >> 4) & 0x0F0F0F0F
        return mask * 0x01010101 >> 24 & 0xFF


@About(
    "Tron",
    "Both ride at once and leave a wall; the first to crash loses.",
    (BOARD, AT_ONCE),
    place=130,
    example="tron(rows=7,columns=7)",
    small=("tron(rows=2,columns=3)",),
)
@dataclass(frozen=True)
class Tron(Game):
    """Tron for two: riders start in opposite corners, both step to a neighbouring cell at once, and
    a wall rises where they were.

    Player 0 starts top left, player 1 bottom right. A rider may step to a free cell only. A rider
    without a free cell is paid -1, and the other 1. If both have no free cell, or if both step to
    the same cell, the game is a draw. On 5 x 6 this gives the thesis' counts of histories: 1, 4,
    16, 100, 574, 2605, 9559, 26056, 54410, 83745, 87083, 63642, 23296, 3127.

    Actions: 0 up, 1 right, 2 down, 3 left.
    Observations (public): 1 + both actions as ``action_0 * 4 + action_1``.

    rows: how many rows the board has, 2 to 26.
    columns: how many columns the board has, 2 to 26.
    obstacles: the cells that are walls from the start, by column and row like "b3 c3".
    """

    rows: int = 13
    columns: int = 13
    obstacles: str | None = None
    first_walls: Integers = field(init=False, repr=False, compare=False)
    """``int64[rows + 2]``: the walls at the start, a mask for each row, with the frame and the
    riders' own cells.
    """
    num_free: int = field(init=False, repr=False, compare=False)
    """How many cells have no obstacle."""

    simultaneous = True
    # a rider cannot go back to the cell it came from, and a corner has two neighbours
    max_actions, max_utility = 3, 1.0

    def __post_init__(self) -> None:
        verify_range(self, "rows", 2, MAX_SIDE)
        verify_range(self, "columns", 2, MAX_SIDE)
        cells: list[Cell] = []
        if self.obstacles is not None:
            cells = sorted(set(read_cells(self, "obstacles", self.rows, self.columns)))
            object.__setattr__(self, "obstacles", write_cells(cells))
        object.__setattr__(self, "num_free", self.rows * self.columns - len(cells))
        object.__setattr__(self, "first_walls", self._mark_walls(cells))

    def _mark_walls(self, obstacles: list[Cell]) -> Integers:
        corners = [(0, 0), (self.rows - 1, self.columns - 1)]
        frame = 1 | 2 << self.columns
        walls = np.full(self.rows + 2, frame, np.int64)
        walls[[0, -1]] |= self.all_columns
        for row, column in obstacles + corners:
            walls[row + 1] |= 2 << column
        for row, column in corners:
            if (row, column) in obstacles or not self._free_directions(walls, row + 1, column + 1):
                raise ParameterError(
                    f"Tron: obstacles={self.obstacles!r} block the rider on "
                    f"{write_cells([(row, column)])}; leave both corners free, and a cell beside "
                    "each"
                )
        return walls

    @property
    def all_columns(self) -> int:
        """The mask of all cells of a row."""
        return (2 << self.columns) - 2

    @property
    def state_size(self) -> int:
        return _WALLS + self.rows + 2

    @property
    def max_depth(self) -> int:
        # a joint move fills two cells, except that in the last one both may step to the same cell
        return (self.num_free - 1) // 2

    def initial_state(self, state: State) -> None:
        for row in range(self.rows + 2):
            state[_WALLS + row] = self.first_walls[row]
        state[_ROW] = 1
        state[_COLUMN] = 1
        state[_ROW + 1] = self.rows
        state[_COLUMN + 1] = self.columns
        self._look_around(state)

    def current_player(self, state: State) -> int:
        return TERMINAL if state[_FREE] == 0 or state[_FREE + 1] == 0 else SIMULTANEOUS

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        free = state[_FREE + player]
        count = 0
        for direction in range(4):
            if free >> direction & 1:
                actions[count] = direction
                count += 1
        return count

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        for player in range(2):
            direction = actions[player]
            state[_ROW + player] += int(direction == 2) - int(direction == 0)
            state[_COLUMN + player] += int(direction == 1) - int(direction == 3)
            state[_WALLS + state[_ROW + player]] |= 1 << state[_COLUMN + player]
        if state[_ROW] == state[_ROW + 1] and state[_COLUMN] == state[_COLUMN + 1]:
            state[_FREE] = 0
            state[_FREE + 1] = 0
        else:
            self._look_around(state)
        observations[2] = 1 + actions[0] * 4 + actions[1]

    def returns(self, state: State, player: int) -> float:
        return float(int(state[_FREE + player] > 0) - int(state[_FREE + 1 - player] > 0))

    def _look_around(self, state: State) -> None:
        walls = view(state, _WALLS, self.rows + 2)
        for player in range(2):
            state[_FREE + player] = self._free_directions(
                walls, state[_ROW + player], state[_COLUMN + player]
            )

    @staticmethod
    def _free_directions(walls: Integers, row: int, column: int) -> int:
        """The mask of the directions in which the cell beside is free."""
        up, down = walls[row - 1] >> column, walls[row + 1] >> column
        here = walls[row] >> (column - 1)
        return 15 ^ (up & 1 | (here >> 2 & 1) << 1 | (down & 1) << 2 | (here & 1) << 3)

    # --- for people ---

    _presentation = "hiddenhand.games.drawing.squares:TRON"

    @PropertyBesideRules
    def rules_text(self) -> str:
        return (
            f"Two riders stand on a board of {self.columns} by {self.rows} cells: player 1 in the "
            "upper left corner, player 2 in the lower right corner.\n\n"
            "In each round both riders step to a neighbouring cell at the same time: up, right, "
            "down or left. A wall rises on the cell that a rider leaves. You may step only to a "
            "cell that is free.\n\n"
            "A rider who cannot move loses 1 point to the other. If neither rider can move, or "
            "both step to the same cell, the game is a draw."
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return 4

    def evaluation(self) -> OwnedSpace:
        return OwnedSpace(self.rows)

    def action_name(self, state: State, player: int, action: int) -> str:
        return DIRECTIONS[action]

    def render(self, state: State, player: int) -> str:
        board = [(row, column) for row in range(self.rows) for column in range(self.columns)]
        marks = {
            (row, column): "#"
            for row, column in board
            if state[_WALLS + row + 1] >> (column + 1) & 1
        }
        riders = [
            (int(state[_ROW + rider]) - 1, int(state[_COLUMN + rider]) - 1) for rider in range(2)
        ]
        marks |= {riders[0]: "x", riders[1]: "o"} if riders[0] != riders[1] else {riders[0]: "*"}
        line = f"you ride {'xo'[player]}"
        if self.current_player(state) == TERMINAL:
            result = ("a draw", "you won", "you lost")[int(self.returns(state, player))]
            line = f"the game is over: {result}"
        return f"{draw(self.rows, self.columns, marks)}\n{line}"

    @beside_rules
    def told(self, state: State) -> "TronBoard":
        """A state taken apart; for pictures."""
        walls = {
            (row, column)
            for row in range(self.rows)
            for column in range(self.columns)
            if state[_WALLS + row + 1] >> (column + 1) & 1
        }
        riders = [(int(state[_ROW + p]) - 1, int(state[_COLUMN + p]) - 1) for p in range(2)]
        obstacles = () if self.obstacles is None else self._obstacles()
        return TronBoard(
            walls=frozenset(walls),
            trails=frozenset(walls - set(obstacles)),
            starts=((0, 0), (self.rows - 1, self.columns - 1)),
            riders=(riders[0], riders[1]),
        )

    @beside_rules
    def _obstacles(self) -> list[Cell]:
        return read_cells(self, "obstacles", self.rows, self.columns)


@dataclass(frozen=True)
class TronBoard:
    """A state of `Tron` taken apart.

    walls: the cells with walls, those of the riders included.
    trails: those of them that are no obstacles.
    starts: where each player began.
    riders: where each player is.
    """

    walls: frozenset[Cell]
    trails: frozenset[Cell]
    starts: tuple[Cell, Cell]
    riders: tuple[Cell, Cell]
