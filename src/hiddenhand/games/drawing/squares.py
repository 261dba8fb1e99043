"""Pictures of games on boards of squares: Battleship, Tron, and pursuit and evasion."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from hiddenhand.games.base import TERMINAL, State, seat_of
from hiddenhand.games.drawing import words
from hiddenhand.games.drawing.layout import (
    Board,
    called,
    choices,
    does,
    fitted_board,
    knows,
    line_of,
    near,
    outcome,
    panel,
    sheet,
    side,
    step_chip,
    steps_of,
    turn,
)
from hiddenhand.games.grid import DIRECTIONS, STEPS, Cell, cell_name
from hiddenhand.games.scene import WIDTH, Arrow, Circle, Item, Presentation, Rect, Scene, Text

# --- Battleship ---

_SQUARE: Final = 46.0  # on a telephone a finger covers some 44 pixels
_SMALL: Final = 14.0  # the least square of a board that is only looked at
_HIGH: Final = 330.0  # the most height of the board of the present move


def battleship(game: Any, state: State, observer: int) -> Scene:
    """The board of the present move: that of the other for shots, the own for placing ships. The
    other board is smaller, beside it where that fits, else below it.
    """
    own, other, told = near(observer), 1 - near(observer), game.told(state)
    large, small = _two_boards(game.rows, game.columns)
    items: list[Item] = []
    first = own if told.placing else other
    for player, board in ((first, large), (1 - first, small)):
        name = called(player, observer)
        whose = {"you": "your fleet", "they": "their fleet"}.get(name, f"fleet of {name}")
        middle = board.left + board.columns * board.size / 2
        items.append(Text(middle, board.top - 28, whose, 12, role="title"))
        items += [*board.names(), *_fleet(game, state, told, player, observer, board)]
    bottom = max(large.bottom, small.bottom)
    items.append(line_of(bottom + 22, _battle_words(game, state, told.placing, observer), "title"))
    return sheet(bottom + 46, [panel(2, bottom + 40), *items], "two boards of Battleship")


def _two_boards(rows: int, columns: int) -> tuple[Board, Board]:
    """A large and a small board."""
    size = min(_SQUARE, (WIDTH - 44) / columns, _HIGH / rows)
    right = 24 + columns * size
    beside = (WIDTH - 8 - (right + 24)) / columns
    if beside >= _SMALL:
        small = min(beside, size / 2)
        return Board(rows, columns, 24, 42, size), Board(rows, columns, right + 24, 42, small)
    left = (WIDTH - columns * size) / 2 + 8
    large, small = Board(rows, columns, left, 42, size), max(_SMALL, 0.45 * size)
    left = (WIDTH - columns * small) / 2 + 8
    return large, Board(rows, columns, left, large.bottom + 42, small)


def _fleet(
    game: Any, state: State, told: Any, player: int, observer: int, board: Board
) -> list[Item]:
    """A board: water, the ships that the observer knows, shots, and what a click there means."""
    placing, fleet = told.placing, told.fleets[player]
    can = choices(game, state, observer)
    shoots = not placing and player != near(observer)
    places = placing and player == near(observer)
    items: list[Item] = []
    for square in range(game.squares):
        row, column = divmod(square, game.columns)
        action = square if shoots and square in can else None
        label = f"{cell_name(row, column)}: {fleet.said(square, knows(observer, player))}"
        items.append(board.cell(row, column, "cell water", label, action))
        if places and can:
            items += _placings(game, state, board, square, observer, can)
    if knows(observer, player):
        items += [_ship(board, ship, fleet.hits, side(player, observer)) for ship in fleet.ships]
    for square in sorted(fleet.shots):
        row, column = divmod(square, game.columns)
        if square not in fleet.hits:
            items.append(Circle(*board.middle(row, column), board.size * 0.14, role="note"))
            continue
        if square in fleet.sinking:
            x, y = board.corner(row, column)
            room = board.size
            items.append(Rect(x + 1, y + 1, room - 2, room - 2, 2, role="highlight"))
        items += board.cross(row, column, "title")
    return items


def _ship(board: Board, squares: tuple[int, ...], hits: frozenset[int], role: str) -> Rect:
    first, last = (divmod(square, board.columns) for square in (squares[0], squares[-1]))
    x, y = board.corner(*first)
    right, bottom = board.corner(*last)
    inset, size = board.size * 0.14, board.size
    sunk = " faint" if set(squares) <= hits else ""
    return Rect(
        x + inset,
        y + inset,
        right - x + size - 2 * inset,
        bottom - y + size - 2 * inset,
        size * 0.36,
        role=role + sunk,
        label=f"a ship of length {len(squares)}{' that sank' if sunk else ''}",
    )


def _placings(
    game: Any, state: State, board: Board, square: int, observer: int, can: set[int]
) -> list[Item]:
    """Arrows that place a ship from a square on, to the right and down."""
    x, y = board.corner(*divmod(square, board.columns))
    size = board.size
    found: list[Item] = []
    ways = (
        (square, ((x + size * 0.3, y + size * 0.28), (x + size * 0.78, y + size * 0.28))),
        (
            square + game.squares,
            ((x + size * 0.28, y + size * 0.45), (x + size * 0.28, y + size * 0.85)),
        ),
    )
    for action, points in ways:
        if action in can:
            label = f"place it at {game.action_name(state, seat_of(observer), action)}"
            found.append(Arrow(points, size * 0.06, role="mine", action=action, label=label))
    return found


def _battle_words(game: Any, state: State, length: int, observer: int) -> str:
    mover = game.current_player(state)
    if mover == TERMINAL:
        return outcome(game, state, observer)
    return does(mover, observer, f"place a ship of length {length}" if length else "shoot")


def battleship_hidden(game: Any, state: State, observer: int) -> str:
    """Where the ships are that the observer does not see."""
    unseen = []
    for player, fleet in enumerate(game.told(state).fleets):
        names = [
            "-".join(cell_name(*divmod(end, game.columns)) for end in (ship[0], ship[-1]))
            for ship in fleet.ships
        ]
        if names and not knows(observer, player):
            unseen.append(f"{does(player, observer, 'have')} ships on {' '.join(names)}")
    return ", ".join(unseen)


def battleship_told(game: Any, before: State, move: int, after: State, observer: int) -> str:
    """A placed ship, in full only for its player; or a shot and what it hits."""
    mover, placing = game.current_player(before), game.told(before).placing
    place = game.action_name(before, mover, move)
    if placing and knows(observer, mover):
        return words.does(mover, observer, f"place a ship of length {placing} on {place}")
    if placing:
        return words.does(mover, observer, "place a ship")
    found = game.told(after).fleets[1 - mover].said(move, knows=False)
    return f"{words.does(mover, observer, f'shoot at {place}')}: {found}"


BATTLESHIP: Final = Presentation(battleship, battleship_hidden, battleship_told)


# --- Tron ---


def tron(game: Any, state: State, observer: int) -> Scene:
    """The board with its walls, and the riders in their colours. A free cell beside the own rider
    can be clicked.
    """
    told = game.told(state)
    board = fitted_board(game.rows, game.columns, 6, 48)
    can = choices(game, state, observer)
    aims = {}
    if can:
        row, column = told.riders[seat_of(observer)]
        aims = {(row + STEPS[way][0], column + STEPS[way][1]): way for way in can}
    items: list[Item] = [panel(2, board.bottom + 38), *board.names()]
    for row in range(game.rows):
        for column in range(game.columns):
            cell = row, column
            wall = cell in told.walls
            label = f"{cell_name(row, column)}: {'wall' if wall else 'free'}"
            if cell in aims:
                label = f"{cell_name(row, column)}: ride {DIRECTIONS[aims[cell]]}"
            role = "wall" if wall else "sight" if cell in aims else "cell"
            items.append(board.cell(row, column, role, label, aims.get(cell)))
    for player, trail in enumerate(trails_of(told.trails, told.starts, told.riders)):
        role = f"{side(player, observer)} faint"
        items += [board.cell(row, column, role) for row, column in sorted(trail)]
    items += _riders(board, told.riders, observer)
    over = game.current_player(state) == TERMINAL
    words = outcome(game, state, observer) if over else turn(game, state, observer)
    items.append(line_of(board.bottom + 20, words, "title"))
    return sheet(board.bottom + 44, items, "the board of Tron")


def _riders(board: Board, riders: tuple[tuple[int, int], ...], observer: int) -> list[Item]:
    items: list[Item] = []
    crash = riders[0] == riders[1]
    for player, (row, column) in enumerate(riders):
        x, y = board.middle(row, column)
        label = f"{called(player, observer)} on {cell_name(row, column)}"
        role = side(player, observer)
        radius = board.size * (0.36 if not (crash and player == 1) else 0.2)
        items.append(Circle(x, y, radius, role=f"{role} edge", label=label))
        if not crash:
            items.append(Text(x, y, "xo"[player], board.size * 0.42, role="on"))
    return items


# which walls are whose: a state of Tron holds walls, and not who left them behind

_MOST_STEPS: Final = 6000
"""How many steps are tried. In narrow places there are many ways to lay two trails."""

Trail = tuple[Cell, ...]


class _TooManyError(Exception):
    """More steps than are tried."""


def trails_of(
    walls: frozenset[Cell], starts: tuple[Cell, Cell], riders: tuple[Cell, Cell]
) -> tuple[frozenset[Cell], frozenset[Cell]]:
    """The cells that certainly lie on the way of each rider: on all ways that leave these walls.
    None at all where there are too many ways to be tried.

    walls: the walls that riders left behind, those below the riders included.
    """
    crash = riders[0] == riders[1]
    length = (len(walls) + int(crash)) // 2
    tries = iter(range(_MOST_STEPS))
    mine, theirs = walls, walls
    found = False
    try:
        for first in _ways(walls, starts[0], riders[0], length, tries):
            left = walls - set(first) | ({riders[1]} if crash else set())
            for second in _ways(left, starts[1], riders[1], length, tries):
                mine, theirs, found = mine & set(first), theirs & set(second), True
    except _TooManyError:
        return frozenset(), frozenset()
    return (mine, theirs) if found else (frozenset(), frozenset())


def _ways(
    cells: frozenset[Cell], start: Cell, end: Cell, length: int, tries: Iterator[int]
) -> Iterator[Trail]:
    """All ways of so many cells from one to another."""
    waiting: list[Trail] = [(start,)]
    while waiting:
        if next(tries, None) is None:
            raise _TooManyError
        way = waiting.pop()
        row, column = way[-1]
        if len(way) == length:
            if way[-1] == end:
                yield way
            continue
        left = length - len(way)
        for down, right in STEPS:
            there = row + down, column + right
            near = abs(there[0] - end[0]) + abs(there[1] - end[1]) < left
            if near and there in cells and there not in way:
                waiting.append((*way, there))


TRON: Final = Presentation(tron, tell=partial(words.all_do, verb="move"))


# --- pursuit and evasion ---

_UNITS: Final = ("e", "1", "2")


def pursuit_evasion(game: Any, state: State, observer: int) -> Scene:
    """The grid with the evader and both pursuing units. The evader's exits can be clicked. The
    steps of two units are one action, so each unit has a chip on each of its exits, and two clicks
    are a move.
    """
    cells = [divmod(int(cell), game.columns) for cell in state[2:5]]
    board = fitted_board(game.rows, game.columns, 6, 72)
    aims, seat = {}, seat_of(observer)
    if seat == 0:
        row, column = cells[0]
        can = choices(game, state, observer)
        aims = {(row + STEPS[way][0], column + STEPS[way][1]): way for way in can}
    items: list[Item] = [panel(2, board.bottom + 38), *board.names()]
    for row in range(game.rows):
        for column in range(game.columns):
            aim = aims.get((row, column))
            name = cell_name(row, column)
            label = name if aim is None else f"{name}: flee {DIRECTIONS[aim]}"
            role = "cell" if aim is None else "sight"
            items.append(board.cell(row, column, role, label, aim))
    items += _units(board, cells, observer)
    if seat == 1:
        items += _steps(game, state, board, cells)
    items.append(line_of(board.bottom + 20, _pursuit_words(game, state, observer), "title"))
    return sheet(board.bottom + 44, items, "the grid of a pursuit")


def _units(board: Board, cells: list[tuple[int, int]], observer: int) -> list[Item]:
    """The units; those that share a cell stand side by side."""
    items: list[Item] = []
    for unit, cell in enumerate(cells):
        together = [other for other in range(3) if cells[other] == cell]
        x, y = board.middle(*cell)
        shift = (together.index(unit) - (len(together) - 1) / 2) * board.size * 0.32
        radius = board.size * (0.34 if len(together) == 1 else 0.2)
        player = 0 if unit == 0 else 1
        what = "the evader" if unit == 0 else f"pursuer {unit}"
        role, name = side(player, observer), cell_name(*cell)
        items.append(Circle(x + shift, y, radius, role=role, label=f"{what} on {name}"))
        items.append(Text(x + shift, y, _UNITS[unit], radius * 1.1, role="on"))
    return items


def _steps(game: Any, state: State, board: Board, cells: list[tuple[int, int]]) -> list[Item]:
    """A chip for each step of each pursuing unit, to be clicked."""
    can = choices(game, state, 1)
    names = {action: game.action_name(state, 1, action) for action in sorted(can)}
    items: list[Item] = []
    for unit, steps in enumerate(steps_of(names), 1):
        for name, actions in steps.items():
            down, right = STEPS[DIRECTIONS.index(name)]
            x, y = board.middle(cells[unit][0] + down, cells[unit][1] + right)
            shift = (unit - 1.5) * board.size * 0.5
            items.append(step_chip(x + shift, y + shift, board.size * 0.23, unit, name, actions))
    return items


def _pursuit_words(game: Any, state: State, observer: int) -> str:
    if game.current_player(state) == TERMINAL:
        return outcome(game, state, observer)
    seat = seat_of(observer)
    role = "" if seat < 0 else ("you flee; ", "you pursue; ")[seat]
    return f"{role}moves left: {game.moves - int(state[0])}"


PURSUIT_EVASION: Final = Presentation(pursuit_evasion, tell=partial(words.all_do, verb="move"))
