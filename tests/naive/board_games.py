"""Board games in plain sight, by rules: tic-tac-toe and Connect Four, of any size."""

from dataclasses import dataclass
from typing import Any

from hiddenhand.games import TERMINAL, Game


@dataclass(frozen=True)
class InARow(Game):
    """Whoever has ``wanted`` marks in a row wins. With ``falls``, marks fall down a column.

    The state is the board, row by row from the top, with 0 for an empty square; then the number of
    moves, and who has won, 1 or 2, or 0.
    """

    rows: int = 3
    columns: int = 3
    wanted: int = 3
    falls: bool = False

    max_utility, max_chance_outcomes = 1.0, 0
    state_size = property(lambda self: self.rows * self.columns + 2)
    max_actions = property(lambda self: self.columns if self.falls else self.rows * self.columns)
    max_depth = property(lambda self: self.rows * self.columns)

    def initial_state(self, state: Any) -> None:
        state[:] = 0

    def current_player(self, state: Any) -> int:
        squares = self.rows * self.columns
        over = state[squares + 1] > 0 or state[squares] == squares
        return TERMINAL if over else state[squares] % 2

    def legal_actions(self, state: Any, player: int, actions: Any) -> int:
        count = 0
        for square in range(self.columns if self.falls else self.rows * self.columns):
            if state[square] == 0:
                actions[count] = square
                count += 1
        return count

    def apply_action(self, state: Any, action: int, observations: Any) -> None:
        squares = self.rows * self.columns
        mark, square = state[squares] % 2 + 1, action
        while self.falls and square + self.columns < squares and state[square + self.columns] == 0:
            square += self.columns
        state[square] = mark
        state[squares] += 1
        if self.has_row(state, square, mark):
            state[squares + 1] = mark
        observations[2] = action + 1

    def has_row(self, state: Any, square: int, mark: int) -> bool:
        """Whether a row of ``mark`` goes through a square."""
        row, column = square // self.columns, square % self.columns
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            length = 1
            for sign in (1, -1):
                r, c = row + sign * down, column + sign * right
                while 0 <= r < self.rows and 0 <= c < self.columns:
                    if state[r * self.columns + c] != mark:
                        break
                    length += 1
                    r, c = r + sign * down, c + sign * right
            if length >= self.wanted:
                return True
        return False

    def returns(self, state: Any, player: int) -> float:
        winner = state[self.rows * self.columns + 1]
        if winner == 0:
            return 0.0
        return 1.0 if winner == player + 1 else -1.0


def tic_tac_toe() -> InARow:
    return InARow()


def connect_four(rows: int = 4, columns: int = 4) -> InARow:
    return InARow(rows, columns, 4, falls=True)
