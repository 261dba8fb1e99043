"""Pictures of games whose players place marks or stones that the other does not see: Phantom
Tic-Tac-Toe and Dark Hex.
"""

import math
from typing import Any, Final

from hiddenhand.games.base import ALL_SEEING, SPECTATOR, TERMINAL, State
from hiddenhand.games.grid import cell_name
from hiddenhand.games.scene import Circle, Item, Line, Point, Polygon, Scene, Text
from hiddenhand.games.scenes.layout import (
    WIDTH,
    Board,
    called,
    choices,
    fitted_board,
    knows,
    line_of,
    outcome,
    panel,
    sheet,
    side,
    turn,
)


def hidden_marks(marks: tuple[list[str], list[str]], observer: int, pieces: tuple[str, str]) -> str:
    """What an observer does not know: the marks of each player whom the observer does not see.

    marks: the names of the cells with each player's marks.
    pieces: what a mark of each player is called.
    """
    unseen = [player for player in range(2) if not knows(observer, player)]
    if len(unseen) == 1:
        return f"{pieces[unseen[0]]} on {' '.join(marks[unseen[0]]) or 'no cell'}"
    return "; ".join(f"{pieces[player]} on {' '.join(marks[player])}" for player in unseen)


# --- Phantom Tic-Tac-Toe ---


def phantom_ttt(game: Any, state: State, observer: int) -> Scene:
    """The board with the marks that the observer knows, and the squares tried in vain."""
    board = fitted_board(3, 3, 10, 92)
    can, items = choices(game, state, observer), [panel(2, board.bottom + 40), *board.names()]
    marks = [int(mask) for mask in state[2:4]]
    tried = [int(mask) for mask in state[4:6]]
    for square in range(9):
        row, column = divmod(square, 3)
        bit, name = 1 << square, game.action_name(state, 0, square)
        shown = [
            player
            for player in range(2)
            if marks[player] & bit
            and (knows(observer, player) or (observer == 1 - player and tried[observer] & bit))
        ]
        failed = [
            player
            for player in range(2)
            if knows(observer, player) and tried[player] & bit and marks[1 - player] & bit
        ]
        what = f"{'xo'[shown[0]]}" if shown else "empty" if observer == ALL_SEEING else "unknown"
        if failed:
            what += f", {called(failed[0], observer)} tried in vain"
        action = square if square in can else None
        role = "failed" if failed else "cell"
        items.append(board.cell(row, column, role, f"{name}: {what}", action))
        items += [item for player in shown for item in _mark(board, square, player, observer)]
        if observer == SPECTATOR:
            items.append(Text(*board.middle(row, column), "?", 30, role="hidden faint"))
    items.append(line_of(board.bottom + 20, _ttt_words(game, state, observer), "title"))
    return sheet(board.bottom + 46, items, "the board of Phantom Tic-Tac-Toe")


def _mark(board: Board, square: int, player: int, observer: int) -> list[Item]:
    row, column = divmod(square, 3)
    role = side(player, observer)
    if player == 0:
        return board.cross(row, column, role)
    x, y = board.middle(row, column)
    return [Circle(x, y, board.size * 0.27, role=f"{role} ring heavy")]


def _ttt_words(game: Any, state: State, observer: int) -> str:
    placed = [int(mask).bit_count() for mask in state[2:4]]
    if game.current_player(state) != TERMINAL:
        plays = f"you play {'xo'[observer]}; " if observer >= 0 else ""
        return f"{plays}{turn(game, state, observer)}; marks placed: {placed[0]} x, {placed[1]} o"
    known = observer >= 0 or observer == ALL_SEEING  # a full board does not tell who won
    return outcome(game, state, observer) if known else "the game is over"


def phantom_ttt_hidden(game: Any, state: State, observer: int) -> str:
    """The marks that the observer does not see."""
    first, second = (
        [game.action_name(state, 0, square) for square in range(9) if int(mask) >> square & 1]
        for mask in state[2:4]
    )
    return hidden_marks((first, second), observer, ("x", "o"))
