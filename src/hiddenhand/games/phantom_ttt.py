"""Phantom Tic-Tac-Toe: tic-tac-toe on a board on which players see only their own marks.

Source: Lisy (2014), thesis at the Czech Technical University in Prague, Sections 4.1.2 and 4.3.4.

Forced wins are not in the thesis, but its published runs used them: the authors' program
(aicenter/gtlibrary-java) always tries a win that the player can see and, where there are several,
the first in `_FORCED_ORDER`. The number of histories depends on that order.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hiddenhand.errors import ParameterError
from hiddenhand.games.about import BOARD, About
from hiddenhand.games.base import TERMINAL, Game, State
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules

_SQUARES = 9
_LINES = (
    0b000000111,
    0b000111000,
    0b111000000,
    0b001001001,
    0b010010010,
    0b100100100,
    0b100010001,
    0b001010100,
)
_FORCED_ORDER = (4, 0, 8, 6, 2, 1, 3, 7, 5)
# what the state holds, by the index where it begins
_PLAYER = 0  # who is to move
_WINNER = 1  # who won: player + 1, or 0 for no player
_MARKS = 2  # for each player, a mask of the squares with their marks
_TRIED = 4  # for each player, a mask of the squares that they tried


def _completing_squares() -> Integers:
    """For each of the 512 masks of marks, the mask of the squares that would complete a line."""
    table = np.zeros(1 << _SQUARES, np.int64)
    for marks in range(table.size):
        for line in _LINES:
            missing = line & ~marks
            if missing.bit_count() == 1:
                table[marks] |= missing
    return table


def _forced_squares() -> Integers:
    """For each of the 512 masks of winning squares, the mask of the square that must be taken."""
    table = np.zeros(1 << _SQUARES, np.int64)
    for winning in range(1, table.size):
        table[winning] = 1 << next(square for square in _FORCED_ORDER if winning >> square & 1)
    return table


_COMPLETING = _completing_squares()
_FORCED = _forced_squares()


@About(
    "Phantom Tic-Tac-Toe",
    "Three in a row, but you do not see the other's marks.",
    (BOARD,),
    place=20,
    card=(1, 0.6, 0.6),
)
@dataclass(frozen=True)
class PhantomTicTacToe(Game):
    """Player 0 places crosses, player 1 noughts, in turns; three in a line win 1, a full board is a
    draw. Players do not see each other's marks.

    If a player tries a square that the other holds, the attempt fails, and the player notices it
    and tries again. A placed mark passes the turn. The other learns only that a mark was placed,
    not where, nor how many attempts it took. A player never tries a square twice. Optimal play wins
    83 % for player 0.

    Actions: a square 0 .. 8, row by row from the top left; named by column and row, a1 .. c3.
    Observations: private 1 to a player whose attempt failed; public 1 when a mark was placed, 2
    when that mark ended the game.

    forced_wins: whether a player who has two marks in a line and has not tried the third square
        must try it; of several such squares, the centre comes first, then the corners a1, c3, a3,
        c1, then b1, a2, b3, c2.
    forced_center: whether each player's first attempt must be at the centre.
    """

    forced_wins: bool = False
    forced_center: bool = False

    CENTER: ClassVar[int] = 4
    ALL: ClassVar[int] = (1 << _SQUARES) - 1
    _WHEN_TAKEN: ClassVar[str] = (
        "If the other player holds it, you notice that, and try another square. The other player "
        "learns only that you placed a mark in the end."
    )

    # nine moves place marks; each player's attempts can fail on the first four marks of the other
    state_size, max_actions, max_depth, max_utility = 6, _SQUARES, 17, 1.0

    def __post_init__(self) -> None:
        for name in ("forced_wins", "forced_center"):
            value = getattr(self, name)
            if not isinstance(value, (bool, np.bool_)):
                raise ParameterError(
                    f"PhantomTicTacToe: {name}={value!r} is not allowed; give True or False"
                )
            object.__setattr__(self, name, bool(value))

    def initial_state(self, state: State) -> None:
        state[:] = 0

    def current_player(self, state: State) -> int:
        return state[_PLAYER]

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        tried = state[_TRIED + player]
        if self.forced_center and tried == 0:
            actions[0] = self.CENTER
            return 1
        squares = self.ALL & ~tried
        if self.forced_wins:
            winning = squares & _COMPLETING[state[_MARKS + player]]
            if winning != 0:
                squares = _FORCED[winning]
        count = 0
        for square in range(_SQUARES):
            if squares >> square & 1:
                actions[count] = square
                count += 1
        return count

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        player = state[_PLAYER]
        square = 1 << action
        state[_TRIED + player] |= square
        if state[_MARKS + 1 - player] & square:
            observations[player] = 1
            return
        won = _COMPLETING[state[_MARKS + player]] & square
        state[_MARKS + player] |= square
        if won:
            state[_WINNER] = player + 1
        if won or state[_MARKS] | state[_MARKS + 1] == self.ALL:
            state[_PLAYER] = TERMINAL
            observations[2] = 2
        else:
            state[_PLAYER] = 1 - player
            observations[2] = 1

    def returns(self, state: State, player: int) -> float:
        if state[_WINNER] == 0:
            return 0.0
        return 1.0 if state[_WINNER] == player + 1 else -1.0

    # --- for people ---

    _presentation = "hiddenhand.games.drawing.marks:PHANTOM_TTT"

    @PropertyBesideRules
    def rules_text(self) -> str:
        forced = "\n\nA player with two marks in a line must try to complete it."
        centre = "\n\nEach player must first try the square in the centre."
        return (
            "Tic-tac-toe in which you do not see the marks of the other player. Player 1 places "
            "crosses, player 2 places noughts, and player 1 begins.\n\n"
            f"In your turn you try a square. {self._WHEN_TAKEN} "
            "You never try the same square twice.\n\n"
            "Three marks in a row, a column or a diagonal win 1 point from the other player. A "
            "full board without such a line is a draw."
            + (forced if self.forced_wins else "")
            + (centre if self.forced_center else "")
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.max_actions

    def action_name(self, state: State, player: int, action: int) -> str:
        return f"{'abc'[action % 3]}{action // 3 + 1}"

    def render(self, state: State, player: int) -> str:
        marks, tried = int(state[_MARKS + player]), int(state[_TRIED + player])
        mine, theirs = "xo"[player], "ox"[player]
        squares = [
            mine if marks >> square & 1 else theirs if tried >> square & 1 else "."
            for square in range(_SQUARES)
        ]
        lines = [
            "  a b c",
            *(f"{row + 1} {' '.join(squares[3 * row : 3 * row + 3])}" for row in range(3)),
        ]
        mover = int(state[_PLAYER])
        if mover == TERMINAL:
            results = {0: "a draw", player + 1: "you won"}
            lines.append(f"the game is over: {results.get(int(state[_WINNER]), 'you lost')}")
        else:
            placed = int(state[_MARKS]).bit_count() + int(state[_MARKS + 1]).bit_count()
            turn = "your" if mover == player else "their"
            lines.append(f"you play {mine}; {turn} turn; marks placed: {placed}")
        return "\n".join(lines)
