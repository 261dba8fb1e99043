"""Abrupt Phantom Tic-Tac-Toe: Phantom Tic-Tac-Toe in which a failed attempt ends the turn.

Source: OpenSpiel's `phantom_ttt` with its parameter ``gameversion=abrupt``, and Rudolph et al.
(2025), arXiv 2502.08938.
"""

from dataclasses import dataclass
from typing import ClassVar

from hiddenhand.games.about import BOARD, About
from hiddenhand.games.base import TERMINAL, State
from hiddenhand.games.phantom_ttt import (
    _COMPLETING,
    _MARKS,
    _PLAYER,
    _TRIED,
    _WINNER,
    PhantomTicTacToe,
)
from hiddenhand.jit.arrays import Integers


@About(
    "Abrupt Tic-Tac-Toe",
    "As Phantom Tic-Tac-Toe, but a failed try ends the turn.",
    (BOARD,),
    place=160,
    card=(4, 0.6, 0.6),
)
@dataclass(frozen=True)
class AbruptPhantomTicTacToe(PhantomTicTacToe):
    """Phantom Tic-Tac-Toe in which a player who tries a square that the other holds loses the turn.
    Everything else is as in `PhantomTicTacToe`.

    The player notices that the attempt failed. The other player learns only that it is their turn,
    and not whether a mark was placed.

    Actions: a square 0 .. 8, row by row from the top left; named by column and row, a1 .. c3.
    Observations: private 1 to a player whose attempt failed; public 1 when the turn passed, 2 when
    a mark ended the game.

    forced_wins, forced_center: as in `PhantomTicTacToe`.
    """

    _presentation = "hiddenhand.games.drawing.marks:ABRUPT_PHANTOM_TTT"
    _WHEN_TAKEN: ClassVar[str] = (
        "If the other player holds it, you notice that, and your turn is over. The other player "
        "learns only that it is their turn."
    )

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        player = state[_PLAYER]
        square = 1 << action
        state[_TRIED + player] |= square
        state[_PLAYER] = 1 - player
        observations[2] = 1
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

    def render(self, state: State, player: int) -> str:
        return super().render(state, player).partition("; marks placed")[0]
