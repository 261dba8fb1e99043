"""Pictures of games whose players place marks or stones that the other does not see: Phantom
Tic-Tac-Toe and Dark Hex.
"""

import math
from functools import partial
from typing import Any, Final

from hiddenhand.games.base import ALL_SEEING, SPECTATOR, TERMINAL, State, seat_of
from hiddenhand.games.drawing import words
from hiddenhand.games.drawing.layout import (
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
from hiddenhand.games.grid import cell_name
from hiddenhand.games.scene import (
    WIDTH,
    Circle,
    Item,
    Line,
    Point,
    Polygon,
    Presentation,
    Scene,
    Text,
)


def hidden_marks(marks: tuple[list[str], list[str]], observer: int, pieces: tuple[str, str]) -> str:
    """What an observer does not know, in words: the marks of other players.

    marks: the names of the cells with each player's marks.
    pieces: what a mark of each player is called.
    """
    unseen = [player for player in range(2) if not knows(observer, player)]
    if len(unseen) == 1:
        return f"{pieces[unseen[0]]} on {' '.join(marks[unseen[0]]) or 'no cell'}"
    return "; ".join(f"{pieces[player]} on {' '.join(marks[player])}" for player in unseen)


def hidden_mark(
    game: Any, before: State, move: int, observer: int, *, piece: str, is_placed: bool, abrupt: bool
) -> str:
    """A mark that is placed or tried in vain, in words. Observers who see it read the place.

    piece: what is placed.
    is_placed: whether the place was free.
    abrupt: whether other observers notice only that the player has moved.
    """
    mover = game.current_player(before)
    place = game.action_name(before, mover, move)
    if knows(observer, mover):
        done = f"place a {piece} on {place}" if is_placed else f"try {place}: it is taken"
        return words.does(mover, observer, done)
    return (
        f"player {mover + 1} has moved"
        if abrupt
        else words.does(mover, observer, f"place a {piece}")
    )


# --- Phantom Tic-Tac-Toe ---


def phantom_ttt(game: Any, state: State, observer: int, counted: bool = True) -> Scene:
    """The board with the marks that the observer knows, and the squares tried in vain.

    counted: whether everybody knows how many marks were placed.
    """
    board = fitted_board(3, 3, 10, 92)
    can = choices(game, state, observer)
    items: list[Item] = [panel(2, board.bottom + 40), *board.names()]
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
    items.append(line_of(board.bottom + 20, _ttt_words(game, state, observer, counted), "title"))
    return sheet(board.bottom + 46, items, "the board of Phantom Tic-Tac-Toe")


def _mark(board: Board, square: int, player: int, observer: int) -> list[Item]:
    row, column = divmod(square, 3)
    role = side(player, observer)
    if player == 0:
        return board.cross(row, column, role)
    x, y = board.middle(row, column)
    return [Circle(x, y, board.size * 0.27, role=f"{role} ring heavy")]


def _ttt_words(game: Any, state: State, observer: int, counted: bool) -> str:
    placed = [int(mask).bit_count() for mask in state[2:4]]
    if game.current_player(state) != TERMINAL:
        seat = seat_of(observer)
        plays = f"you play {'xo'[seat]}; " if seat >= 0 else ""
        marks = f"; marks placed: {placed[0]} x, {placed[1]} o" if counted else ""
        return f"{plays}{turn(game, state, observer)}{marks}"
    known = observer >= 0 or observer == ALL_SEEING  # a full board does not tell who won
    return outcome(game, state, observer) if known else "the game is over"


def phantom_ttt_hidden(game: Any, state: State, observer: int) -> str:
    """The marks that the observer does not see."""
    first, second = (
        [game.action_name(state, 0, square) for square in range(9) if int(mask) >> square & 1]
        for mask in state[2:4]
    )
    return hidden_marks((first, second), observer, ("x", "o"))


def _phantom_ttt_told(
    game: Any, before: State, move: int, after: State, observer: int, abrupt: bool = False
) -> str:
    """A mark in words; ``abrupt`` is whether a try in vain ends the turn."""
    placed = bool(int(after[2 + game.current_player(before)]) >> move & 1)
    return hidden_mark(game, before, move, observer, piece="mark", is_placed=placed, abrupt=abrupt)


PHANTOM_TTT: Final = Presentation(phantom_ttt, phantom_ttt_hidden, _phantom_ttt_told)
ABRUPT_PHANTOM_TTT: Final = Presentation(
    partial(phantom_ttt, counted=False),
    phantom_ttt_hidden,
    partial(_phantom_ttt_told, abrupt=True),
)


# --- Dark Hex ---


def dark_hex(game: Any, state: State, observer: int) -> Scene:
    """The hexagons with the stones that the observer knows, and the cells tried in vain. The edges
    that a player connects have the player's colour.
    """
    (rows, columns), seen = game.shape(), _HexSight(game, state, observer)
    across = columns + rows / 2 - 0.5  # each row begins half a cell to the right of the last
    radius = min((WIDTH - 48) / (math.sqrt(3) * across), 40.0)
    wide = math.sqrt(3) * radius
    left, top = (WIDTH - wide * across) / 2 + 5, 34.0
    bottom = top + radius * (1.5 * rows + 0.5)
    can = choices(game, state, observer)
    items: list[Item] = [panel(2, bottom + 44)]

    def middle(row: int, column: int) -> Point:
        return left + wide * (column + row / 2 + 0.5), top + radius * (1 + 1.5 * row)

    items += _edges(rows, columns, middle, radius, observer)
    for cell in range(rows * columns):
        row, column = divmod(cell, columns)
        x, y = middle(row, column)
        stone, failed = seen.stone(cell), seen.failed(cell)
        name = game.action_name(state, 0, cell)
        what = "unknown" if stone is None else f"a stone of {called(stone, observer)}"
        role = "failed" if failed else "cell"
        action = cell if cell in can else None
        items.append(
            Polygon(_hexagon(x, y, radius), role=role, label=f"{name}: {what}", action=action)
        )
        if stone is not None:
            items.append(Circle(x, y, radius * 0.55, role=side(stone, observer)))
        elif observer == SPECTATOR:
            items.append(Text(x, y, "?", radius * 0.6, role="hidden faint"))
    items += _hex_names(rows, columns, middle, radius)
    items.append(line_of(bottom + 22, _hex_words(game, state, observer), "title"))
    return sheet(bottom + 50, items, "the board of Dark Hex")


class _HexSight:
    """What an observer knows of the cells."""

    def __init__(self, game: Any, state: State, observer: int) -> None:
        self.game, self.state, self.observer = game, state, observer

    def stone(self, cell: int) -> int | None:
        """Whose stone lies on a cell, for all that the observer knows."""
        for player in range(2):
            if self.game.has_stone(self.state, player, cell) and (
                knows(self.observer, player)
                or (self.observer >= 0 and self.game.has_tried(self.state, self.observer, cell))
            ):
                return player
        return None

    def failed(self, cell: int) -> bool:
        """Whether a player tried a cell in vain, and the observer knows it."""
        return any(
            knows(self.observer, player)
            and self.game.has_tried(self.state, player, cell)
            and self.game.has_stone(self.state, 1 - player, cell)
            for player in range(2)
        )


def _hexagon(x: float, y: float, radius: float) -> tuple[Point, ...]:
    """The corners of a hexagon that stands on a corner, the highest first, then to the right."""
    turns = [math.pi * (corner / 3 - 0.5) for corner in range(6)]
    return tuple((x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns)


def _edges(rows: int, columns: int, middle: Any, radius: float, observer: int) -> list[Item]:
    """The four edges of the board, in the colours of the players who connect them."""
    low, far, wide = rows - 1, columns - 1, max(radius * 0.3, 3.0)
    top = [point for c in range(columns) for point in _part(middle(0, c), radius, (5, 0, 1))]
    bottom = [point for c in range(columns) for point in _part(middle(low, c), radius, (4, 3, 2))]
    left = [point for r in range(rows) for point in _part(middle(r, 0), radius, (5, 4, 3))]
    right = [point for r in range(rows) for point in _part(middle(r, far), radius, (1, 2))]
    right.append(_part(middle(low, far), radius, (3,))[0])
    first, second = side(0, observer), side(1, observer)
    return [
        Line(tuple(left), wide, role=second),
        Line(tuple(right), wide, role=second),
        Line(tuple(top), wide, role=first),
        Line(tuple(bottom), wide, role=first),
    ]


def _part(middle: Point, radius: float, corners: tuple[int, ...]) -> list[Point]:
    hexagon = _hexagon(*middle, radius)
    return [hexagon[corner] for corner in corners]


def _hex_names(rows: int, columns: int, middle: Any, radius: float) -> list[Item]:
    letters, points = max(min(radius * 0.5, 13.0), 8.0), []
    for place in range(max(rows, columns)):
        if place < columns:
            x, y = middle(0, place)
            points.append((x, y - radius - 11, cell_name(0, place)[0]))
        if place < rows:
            x, y = middle(place, 0)
            points.append((x - radius * 0.87 - 11, y, str(place + 1)))
    return [Text(x, y, name, letters, role="note") for x, y, name in points]


def _hex_words(game: Any, state: State, observer: int) -> str:
    if game.current_player(state) != TERMINAL:
        ways = ("top and bottom", "left and right")
        seat = seat_of(observer)
        connects = f"you connect {ways[seat]}; " if seat >= 0 else ""
        return connects + turn(game, state, observer)
    return outcome(game, state, observer)


def dark_hex_hidden(game: Any, state: State, observer: int) -> str:
    """The stones that the observer does not see."""
    first, second = (
        [
            game.action_name(state, 0, cell)
            for cell in range(math.prod(game.shape()))
            if game.has_stone(state, player, cell)
        ]
        for player in range(2)
    )
    return hidden_marks((first, second), observer, ("x", "o"))


def _dark_hex_told(game: Any, before: State, move: int, after: State, observer: int) -> str:
    placed = game.has_stone(after, game.current_player(before), move)
    return hidden_mark(
        game, before, move, observer, piece="stone", is_placed=placed, abrupt=game.abrupt
    )


DARK_HEX: Final = Presentation(dark_hex, dark_hex_hidden, _dark_hex_told)
