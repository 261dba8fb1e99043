"""Pursuit and evasion on a grid: two pursuing units close in on an evader, and all move at once.

Source: Lisy (2014), thesis at the Czech Technical University in Prague, Section 4.1.1. The thesis
gives no starts, but only one kind of start on 4 x 4 has the counts of histories in its table: the
evader in a corner, one unit in the opposite corner and the other beside it.

The thesis' evaluation function is a number from 0 to 1; here it is stretched to the payoffs, -1 to
1.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from hiddenhand.errors import ParameterError
from hiddenhand.games.about import AT_ONCE, PURSUIT, About
from hiddenhand.games.base import (
    SIMULTANEOUS,
    TERMINAL,
    EvaluationFunction,
    Game,
    State,
    verify_range,
)
from hiddenhand.games.grid import DIRECTIONS, MAX_SIDE, STEPS, Cell, draw, read_cells, write_cells
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules
from hiddenhand.jit.random import seed_sequence

_MAX_MOVES = 1000
# what the state holds; a cell is row * columns + column
_MOVES = 0  # how many moves were made
_CAPTURED = 1  # whether the evader is captured
_EVADER = 2  # the cell of the evader
_FIRST = 3  # the cell of the first pursuing unit
_SECOND = 4  # the cell of the second pursuing unit


@dataclass(frozen=True)
class NearestPursuer(EvaluationFunction):
    """How far the pursuing units are: e = (d_1 + 0.01 d_2) / (1.01 (rows + columns)), where d_1 is
    how many moves the nearer unit is away from the evader, and d_2 how many the other is.

    The evader's estimate is 2 e - 1, the pursuer's 1 - 2 e.
    """

    FARTHER: ClassVar[float] = 0.01
    """The weight of the farther unit."""

    def evaluate(self, game: Any, state: State, player: int) -> float:
        first = self._distance(game.columns, state[_EVADER], state[_FIRST])
        second = self._distance(game.columns, state[_EVADER], state[_SECOND])
        e = (min(first, second) + self.FARTHER * max(first, second)) / (
            (1.0 + self.FARTHER) * (game.rows + game.columns)
        )
        return 2.0 * e - 1.0 if player == 0 else 1.0 - 2.0 * e

    @staticmethod
    def _distance(columns: int, cell: int, other: int) -> int:
        return abs(cell // columns - other // columns) + abs(cell % columns - other % columns)


@About(
    "Pursuit and evasion",
    "Escape two pursuers on a grid; all three step at once.",
    (PURSUIT, AT_ONCE),
    place=120,
    minutes=1,
    small=("PE(4,4,2)",),
    card=(5, 0.7, 0.6),
)
@dataclass(frozen=True)
class PursuitEvasion(Game):
    """Pursuit and evasion: player 0 is the evader, player 1 steers two pursuing units on a grid
    without obstacles.

    In each of ``moves`` moves all three step at once to a neighbouring cell, up, right, down or
    left; waiting is not allowed. A unit captures the evader if it ends on the same cell, or if the
    two change places. Units may share a cell. A captured evader is paid -1, and an evader that is
    free after the last move 1.

    By default the evader starts in the top left corner a1, and the units in the bottom right corner
    and the cell above it. On 4 x 4 with 5 moves this gives the thesis' counts of histories, 1, 12,
    324, 8664, 248712.

    Actions: 0 up, 1 right, 2 down, 3 left for the evader; ``4 * first + second`` for the units,
    named like "up,left".
    Observations (public): 1 + both actions as ``action_0 * 16 + action_1``.

    rows: how many rows the grid has, 2 to 26.
    columns: how many columns the grid has, 2 to 26.
    moves: how many moves the evader must stay free, 1 to 1000.
    evader: the cell where the evader starts, by column and row like a1.
    pursuers: the cells where the units start, like "d3 d4".
    start_seed: the seed for drawing all starts at random, instead of ``evader`` and ``pursuers``.
        Each unit then starts between 1 and 3/2 ``moves`` away from the evader, as in the thesis.
    """

    rows: int = 4
    columns: int = 4
    moves: int = 4
    evader: str | None = None
    pursuers: str | None = None
    start_seed: int | None = None
    exits: Integers = field(init=False, repr=False, compare=False)
    """``int64[rows * columns, 5]``: for each cell, how many directions lead to a neighbour, then
    which.
    """
    starts: Integers = field(init=False, repr=False, compare=False)
    """``int64[3]``: the first cells of the evader and the units."""

    simultaneous = True
    state_size, max_utility = 5, 1.0

    def __post_init__(self) -> None:
        verify_range(self, "rows", 2, MAX_SIDE)
        verify_range(self, "columns", 2, MAX_SIDE)
        verify_range(self, "moves", 1, _MAX_MOVES)
        seed = self.start_seed
        cells = self._named_cells() if seed is None else self._drawn_cells(seed)
        starts = np.array([row * self.columns + column for row, column in cells], np.int64)
        object.__setattr__(self, "starts", starts)
        object.__setattr__(self, "exits", self._find_exits())

    def _named_cells(self) -> list[Cell]:
        bottom, right = self.rows - 1, self.columns - 1
        evader, pursuers = [(0, 0)], [(bottom - 1, right), (bottom, right)]
        if self.evader is not None:
            evader = read_cells(self, "evader", self.rows, self.columns)
        if self.pursuers is not None:
            pursuers = read_cells(self, "pursuers", self.rows, self.columns)
        for name, cells, count, allowed in (
            ("evader", evader, 1, "one cell"),
            ("pursuers", pursuers, 2, "two cells"),
        ):
            if len(cells) != count:
                raise ParameterError(
                    f"PursuitEvasion: {name}={getattr(self, name)!r} is not allowed; give {allowed}"
                )
            if getattr(self, name) is not None:
                object.__setattr__(self, name, write_cells(cells))
        if evader[0] in pursuers:
            raise ParameterError(
                "PursuitEvasion: the evader and a pursuing unit both start on "
                f"{write_cells(evader)}; choose different cells"
            )
        return evader + pursuers

    def _drawn_cells(self, seed: int) -> list[Cell]:
        if self.evader is not None or self.pursuers is not None:
            raise ParameterError(
                "PursuitEvasion: start_seed draws all starting cells; leave out evader and "
                "pursuers, or start_seed"
            )
        verify_range(self, "start_seed", 0, 2**63 - 1)
        rng = np.random.default_rng(seed_sequence(seed))
        board = [(row, column) for row in range(self.rows) for column in range(self.columns)]
        evader = board[rng.integers(len(board))]
        near = [
            cell
            for cell in board
            if 1 <= abs(cell[0] - evader[0]) + abs(cell[1] - evader[1]) <= 3 * self.moves // 2
        ]
        return [evader, near[rng.integers(len(near))], near[rng.integers(len(near))]]

    def _find_exits(self) -> Integers:
        table = np.zeros((self.rows * self.columns, 1 + len(STEPS)), np.int64)
        for cell in range(len(table)):
            row, column = divmod(cell, self.columns)
            beside = [(row + down, column + right) for down, right in STEPS]
            exits = [
                direction
                for direction, (r, c) in enumerate(beside)
                if 0 <= r < self.rows and 0 <= c < self.columns
            ]
            table[cell, : 1 + len(exits)] = [len(exits), *exits]
        return table

    @property
    def max_actions(self) -> int:
        most = 2 + int(self.rows > 2) + int(self.columns > 2)  # neighbours of a cell
        return most * most

    @property
    def max_depth(self) -> int:
        return self.moves

    def initial_state(self, state: State) -> None:
        state[_MOVES] = 0
        state[_CAPTURED] = 0
        for unit in range(3):
            state[_EVADER + unit] = self.starts[unit]

    def current_player(self, state: State) -> int:
        return TERMINAL if state[_CAPTURED] == 1 or state[_MOVES] == self.moves else SIMULTANEOUS

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        if player == 0:
            evader = state[_EVADER]
            for index in range(self.exits[evader, 0]):
                actions[index] = self.exits[evader, 1 + index]
            return self.exits[evader, 0]
        first, second = state[_FIRST], state[_SECOND]
        count = 0
        for index in range(self.exits[first, 0]):
            for other in range(self.exits[second, 0]):
                actions[count] = 4 * self.exits[first, 1 + index] + self.exits[second, 1 + other]
                count += 1
        return count

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        evader = state[_EVADER]
        fled = self._neighbor(evader, actions[0])
        captured = False
        for unit in range(2):
            pursuer = state[_FIRST + unit]
            moved = self._neighbor(pursuer, actions[1] // 4 if unit == 0 else actions[1] % 4)
            captured = captured or moved == fled or (moved == evader and pursuer == fled)
            state[_FIRST + unit] = moved
        state[_EVADER] = fled
        state[_CAPTURED] = int(captured)
        state[_MOVES] += 1
        observations[2] = 1 + actions[0] * 16 + actions[1]

    def returns(self, state: State, player: int) -> float:
        return 1.0 if (state[_CAPTURED] == 1) == (player == 1) else -1.0

    def _neighbor(self, cell: int, direction: int) -> int:
        return (
            cell
            + self.columns * (int(direction == 2) - int(direction == 0))
            + int(direction == 1)
            - int(direction == 3)
        )

    # --- for people ---

    _presentation = "hiddenhand.games.drawing.squares:PURSUIT_EVASION"

    @PropertyBesideRules
    def rules_text(self) -> str:
        return (
            f"Player 1 is the evader on a grid of {self.columns} by {self.rows} cells. Player 2 "
            "steers two pursuing units. Both players see everything.\n\n"
            "In each round the evader and both units step at the same time: up, right, down or "
            "left. Waiting is not allowed. The units may share a cell.\n\n"
            "A unit catches the evader if it ends on the same cell, or if the two change places. "
            "Player 2 then wins 1 point from player 1. If the evader is free after "
            f"{self.moves} rounds, player 1 wins 1 point from player 2."
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return 16  # two directions of four

    def evaluation(self) -> NearestPursuer:
        return NearestPursuer()

    def action_name(self, state: State, player: int, action: int) -> str:
        if player == 0:
            return DIRECTIONS[action]
        return f"{DIRECTIONS[action // 4]},{DIRECTIONS[action % 4]}"

    def render(self, state: State, player: int) -> str:
        evader, first, second = (
            divmod(int(state[_EVADER + unit]), self.columns) for unit in range(3)
        )
        marks = {first: "1", second: "2"}
        if first == second:
            marks[first] = "="
        marks[evader] = "X" if evader in marks else "e"
        if self.current_player(state) == TERMINAL:
            captured = state[_CAPTURED] == 1
            result = "won" if captured == (player == 1) else "lost"
            line = f"the evader {'is captured' if captured else 'got away'}: you {result}"
        else:
            role = "the evader e" if player == 0 else "the pursuers 1 and 2"
            line = f"you are {role}; moves left: {self.moves - int(state[_MOVES])}"
        return f"{draw(self.rows, self.columns, marks)}\n{line}"
