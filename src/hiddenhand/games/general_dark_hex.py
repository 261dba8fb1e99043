"""Dark Hex on boards of any shape: `DarkHex` with any number of rows and columns."""

from dataclasses import dataclass
from typing import Any

from hiddenhand.games.base import TERMINAL, Game, State, verify_range
from hiddenhand.games.dark_hex import _BOARDS, _LINKED, _PLAYER, _STONES, _TRIED, _WINNER, DarkHex
from hiddenhand.games.grid import MAX_SIDE, cell_name
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import beside_rules


@dataclass(frozen=True)
class GeneralDarkHex(DarkHex):
    """Dark Hex: on a board of ``rows`` by ``columns`` hexagons, player 0 connects top and bottom,
    player 1 left and right, unseen. Everything else is as in `DarkHex`.

    Actions: a cell, ``row * columns + column``; named by column and row, a1 at the top left.
    Observations: as in `DarkHex`.

    size: how many rows and columns the board has where these are not given, 1 to 26.
    abrupt: whether a failed attempt loses the turn.
    rows: how many rows the board has, 1 to 26 [default: size].
    columns: how many columns the board has, 1 to 26 [default: size].
    """

    rows: Any = None
    columns: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for side in ("rows", "columns"):
            if getattr(self, side) is None:
                object.__setattr__(self, side, self.size)
            verify_range(self, side, 1, MAX_SIDE)
        object.__setattr__(self, "size", self.rows)  # so that equal games are equal

    @property
    def state_size(self) -> int:
        return self._board(2, _STONES)

    @property
    def max_actions(self) -> int:
        return int(self.rows * self.columns)

    @property
    def max_depth(self) -> int:
        return int(2 * self.rows * self.columns - 1)

    def _lines(self, player: int) -> int:
        """How many lines a board of ``player`` has."""
        return self.rows if player == 0 else self.columns

    def _board(self, player: int, board: int) -> int:
        of_first = 3 * self.rows if player > 0 else board * self.rows
        of_second = 0 if player == 0 else 3 * self.columns if player > 1 else board * self.columns
        return _BOARDS + of_first + of_second

    def _line(self, player: int, cell: int) -> int:
        return cell // self.columns if player == 0 else cell % self.columns

    def _bit(self, player: int, cell: int) -> int:
        return 1 << (cell % self.columns if player == 0 else cell // self.columns)

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        tried = self._board(player, _TRIED)
        count = 0
        for cell in range(self.rows * self.columns):
            if state[tried + self._line(player, cell)] & self._bit(player, cell) == 0:
                actions[count] = cell
                count += 1
        return count

    def _connects(self, state: State, player: int, line: int) -> bool:
        linked = self._board(player, _LINKED)
        spread = self._reached(state, player, line) != state[linked + line]
        while spread:
            spread = False
            for near in range(self._lines(player)):
                reached = self._reached(state, player, near)
                if reached != state[linked + near]:
                    state[linked + near] = reached
                    spread = True
        return state[linked + self._lines(player) - 1] != 0

    def _reached(self, state: State, player: int, line: int) -> int:
        stones = state[self._board(player, _STONES) + line]
        linked = self._board(player, _LINKED) + line
        here = state[linked]
        if line == 0:
            return stones
        above = state[linked - 1]
        below = state[linked + 1] if line + 1 < self._lines(player) else 0
        return (here | here << 1 | here >> 1 | above | above >> 1 | below | below << 1) & stones

    # --- for people ---

    @beside_rules
    def usual(self) -> Game | None:
        """The game of `DarkHex` that is the same game, if there is one."""
        return DarkHex(self.rows, self.abrupt) if self.rows == self.columns else None

    def action_name(self, state: State, player: int, action: int) -> str:
        return cell_name(*divmod(action, self.columns))

    def render(self, state: State, player: int) -> str:
        lines = [f"   {' '.join(cell_name(0, column)[0] for column in range(self.columns))}"]
        for row in range(self.rows):
            cells = range(row * self.columns, (row + 1) * self.columns)
            marks = [self._mark(state, player, cell) for cell in cells]
            lines.append(f"{' ' * row}{row + 1:2} {' '.join(marks)}")
        mover = int(state[_PLAYER])
        if mover == TERMINAL:
            result = "won" if state[_WINNER] == player + 1 else "lost"
            return "\n".join([*lines, f"the game is over: you {result}"])
        sides = ("top and bottom", "left and right")[player]
        turn = "your" if mover == player else "their"
        lines.append(f"you play {'xo'[player]} and connect {sides}; {turn} turn")
        return "\n".join(lines)

    @beside_rules
    def _mark(self, state: State, player: int, cell: int) -> str:
        """What ``player`` knows of a cell, as a letter."""
        if not self.has_tried(state, player, cell):
            return "."
        return "xo"[player] if self.has_stone(state, player, cell) else "ox"[player]

    @beside_rules
    def shape(self) -> tuple[int, int]:
        return self.rows, self.columns
