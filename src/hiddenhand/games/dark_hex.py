"""Dark Hex: Hex on a board on which players see only their own stones.

Source: OpenSpiel's `dark_hex`, whose classical and abrupt versions these are; also known as phantom
Hex and Kriegspiel Hex.

The board of player 1 is transposed, rows for columns. Neighbours stay neighbours, and both players
have the same task: to connect line 0 with the last line. A line is a mask of its cells.
"""

from dataclasses import dataclass

import numpy as np

from hiddenhand.errors import ParameterError
from hiddenhand.games.about import BOARD, About
from hiddenhand.games.base import TERMINAL, Game, State, verify_range
from hiddenhand.games.grid import MAX_SIDE, cell_name
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules

# what the state holds, by the index where it begins
_PLAYER = 0  # who is to move
_WINNER = 1  # who won: player + 1, or 0 for no player
_BOARDS = 2  # three boards for player 0, then three for player 1, each with a mask for each line
# the boards of a player, in order
_STONES = 0  # the player's stones
_TRIED = 1  # the cells that the player tried
_LINKED = 2  # the player's stones that are connected with line 0


@About(
    "Dark Hex",
    "Connect your two sides of the board without seeing the other's stones.",
    (BOARD,),
    place=80,
    small=("dark_hex(size=2)", "dark_hex(rows=1,columns=3)"),
    card=(1, 0.6, 0.1),
)
@dataclass(frozen=True)
class DarkHex(Game):
    """Dark Hex: on a ``size`` by ``size`` board of hexagons, player 0 connects top and bottom,
    player 1 left and right, unseen.

    The players place stones in turns, and do not see each other's stones. If a player tries a cell
    that the other holds, the attempt fails, and the player notices it and tries again. With
    ``abrupt`` the player loses the turn instead. The other learns only that it is their turn. A
    player never tries a cell twice. A cell's neighbours are the cells left and right of it, the one
    above and the one above to the right, the one below and the one below to the left. The player
    who connects their two sides wins 1 from the other; there is no draw.

    Actions: a cell, ``row * size + column``; named by column and row, a1 at the top left.
    Observations: private 1 to a player whose attempt failed; public 1 when the turn passed, 2 when
    a stone ended the game.

    size: how many rows and how many columns the board has, 1 to 26.
    abrupt: whether a failed attempt loses the turn.

    By its name the game also takes ``rows`` and ``columns``, such as dark_hex(rows=3,columns=4):
    see `GeneralDarkHex`.
    """

    size: int = 3
    abrupt: bool = False

    max_utility = 1.0

    def __post_init__(self) -> None:
        verify_range(self, "size", 1, MAX_SIDE)
        if not isinstance(self.abrupt, (bool, np.bool_)):
            raise ParameterError(
                f"DarkHex: abrupt={self.abrupt!r} is not allowed; give True or False"
            )
        object.__setattr__(self, "abrupt", bool(self.abrupt))

    @property
    def state_size(self) -> int:
        return self._board(2, _STONES)

    @property
    def max_actions(self) -> int:
        return self.size * self.size

    @property
    def max_depth(self) -> int:
        # there is a stone for each cell, and an attempt can fail at each cell but the last
        return 2 * self.size * self.size - 1

    def _board(self, player: int, board: int) -> int:
        """Where a board of ``player`` begins in the state."""
        return _BOARDS + (3 * player + board) * self.size

    def _line(self, player: int, cell: int) -> int:
        """The line of a cell, as ``player`` counts lines."""
        return cell // self.size if player == 0 else cell % self.size

    def _bit(self, player: int, cell: int) -> int:
        """The mask of a cell in its line."""
        return 1 << (cell % self.size if player == 0 else cell // self.size)

    def initial_state(self, state: State) -> None:
        state[:] = 0

    def current_player(self, state: State) -> int:
        return state[_PLAYER]

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        tried = self._board(player, _TRIED)
        count = 0
        for cell in range(self.size * self.size):
            if state[tried + self._line(player, cell)] & self._bit(player, cell) == 0:
                actions[count] = cell
                count += 1
        return count

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        player = state[_PLAYER]
        other = 1 - player
        line, bit = self._line(player, action), self._bit(player, action)
        state[self._board(player, _TRIED) + line] |= bit
        other_line = state[self._board(other, _STONES) + self._line(other, action)]
        if other_line & self._bit(other, action):
            observations[player] = 1
            if self.abrupt:
                state[_PLAYER] = other
                observations[2] = 1
            return
        state[self._board(player, _STONES) + line] |= bit
        if self._connects(state, player, line):
            state[_WINNER] = player + 1
            state[_PLAYER] = TERMINAL
            observations[2] = 2
        else:
            state[_PLAYER] = other
            observations[2] = 1

    def _connects(self, state: State, player: int, line: int) -> bool:
        """Whether the player's new stone, in ``line``, connects their sides. Finds the stones
        connected with line 0 anew.
        """
        linked = self._board(player, _LINKED)
        spread = self._reached(state, player, line) != state[linked + line]
        while spread:
            spread = False
            for near in range(self.size):
                reached = self._reached(state, player, near)
                if reached != state[linked + near]:
                    state[linked + near] = reached
                    spread = True
        return state[linked + self.size - 1] != 0

    def _reached(self, state: State, player: int, line: int) -> int:
        """The stones of a line that are connected with line 0: those known to be, and those at most
        one step away from them.
        """
        stones = state[self._board(player, _STONES) + line]
        linked = self._board(player, _LINKED) + line
        here = state[linked]
        if line == 0:
            return stones
        above = state[linked - 1]
        below = state[linked + 1] if line + 1 < self.size else 0
        return (here | here << 1 | here >> 1 | above | above >> 1 | below | below << 1) & stones

    def returns(self, state: State, player: int) -> float:
        return 1.0 if state[_WINNER] == player + 1 else -1.0

    # --- for people ---

    _presentation = "hiddenhand.games.drawing.marks:DARK_HEX"

    @PropertyBesideRules
    def rules_text(self) -> str:
        taken = (
            "If the other player holds it, you notice that, and your turn is over."
            if self.abrupt
            else "If the other player holds it, you notice that, and try another cell."
        )
        rows, columns = self.shape()
        return (
            f"The board has {rows} by {columns} cells of six sides. Player 1 connects "
            "the top with the bottom, and player 2 the left side with the right side. A connection "
            "is a chain of own stones that touch.\n\n"
            "You do not see the stones of the other player. In your turn you try to place a stone "
            f"on a cell. {taken} The other player learns only that the turn has passed. You "
            "never try a cell twice.\n\n"
            "The first chain from side to side wins 1 point from the other player. A draw is "
            "impossible."
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.max_actions

    def action_name(self, state: State, player: int, action: int) -> str:
        return cell_name(*divmod(action, self.size))

    def render(self, state: State, player: int) -> str:
        mine, theirs = "xo"[player], "ox"[player]
        columns = " ".join(cell_name(0, column)[0] for column in range(self.size))
        lines = [f"   {columns}"]
        for row in range(self.size):
            cells = range(row * self.size, (row + 1) * self.size)
            marks = [
                (mine if self._is_on(_STONES, state, player, cell) else theirs)
                if self._is_on(_TRIED, state, player, cell)
                else "."
                for cell in cells
            ]
            lines.append(f"{' ' * row}{row + 1:2} {' '.join(marks)}")
        mover = int(state[_PLAYER])
        if mover == TERMINAL:
            result = "won" if state[_WINNER] == player + 1 else "lost"
            lines.append(f"the game is over: you {result}")
        else:
            sides = ("top and bottom", "left and right")[player]
            turn = "your" if mover == player else "their"
            lines.append(f"you play {mine} and connect {sides}; {turn} turn")
        return "\n".join(lines)

    @beside_rules
    def shape(self) -> tuple[int, int]:
        """How many rows and columns the board has."""
        return self.size, self.size

    @beside_rules
    def has_stone(self, state: State, player: int, cell: int) -> bool:
        """Whether a stone of ``player`` lies on a cell; for pictures."""
        return self._is_on(_STONES, state, player, cell)

    @beside_rules
    def has_tried(self, state: State, player: int, cell: int) -> bool:
        """Whether ``player`` tried a cell; for pictures."""
        return self._is_on(_TRIED, state, player, cell)

    def _is_on(self, board: int, state: State, player: int, cell: int) -> bool:
        """Whether a cell is marked on a board of ``player``."""
        line = state[self._board(player, board) + self._line(player, cell)]
        return bool(line & self._bit(player, cell))
