"""What pictures share: names of players, whose turn it is, and boards of squares."""

import string
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from hiddenhand.games.base import ALL_SEEING, CHANCE, SIMULTANEOUS, TERMINAL, Game, State, seat_of
from hiddenhand.games.scene import WIDTH, Chip, Item, Line, Rect, Scene, Text

MIDDLE: Final = WIDTH / 2
_IRREGULAR: Final = {"have": "has", "push": "pushes", "try": "tries"}
_OTHERS: Final = ("theirs", "third", "fourth")


# --- observers and players ---


def near(observer: int) -> int:
    """The player at the bottom of the picture: the player from whose seat the observer looks, or
    player 0 if the observer has no seat.
    """
    return max(seat_of(observer), 0)


def knows(observer: int, player: int) -> bool:
    """Whether ``observer`` knows what ``player`` knows."""
    return observer in (player, ALL_SEEING)


def side(player: int, observer: int, players: int = 2) -> str:
    """The role of items of ``player``: the side of the observer is "mine". For an observer who does
    not play, that is the side of player 0.
    """
    if player == near(observer):
        return "mine"
    return _OTHERS[((player - near(observer)) % players - 1) % len(_OTHERS)]


def called(player: int, observer: int, players: int = 2) -> str:
    """What ``observer`` calls ``player``; players are counted from 1, as people count seats."""
    seat = seat_of(observer)
    if player == seat:
        return "you"
    return "they" if players == 2 and seat >= 0 else f"player {player + 1}"


def does(player: int, observer: int, verb: str, players: int = 2) -> str:
    """A sentence such as "they win" or "player 1 wins"."""
    name = called(player, observer, players)
    if name in ("you", "they"):
        return f"{name} {verb}"
    first, _, rest = verb.partition(" ")
    verb = _IRREGULAR.get(first, f"{first}{'es' if first.endswith('s') else 's'}")
    return f"{name} {verb} {rest}".rstrip()


def choices(game: Game, state: State, observer: int) -> set[int]:
    """The actions that the player in the observer's seat may choose now; none for an observer who
    has no seat.
    """
    seat = seat_of(observer)
    if seat < 0 or game.current_player(state) not in (seat, SIMULTANEOUS):
        return set()
    return set(game.actions_of(state, seat))


def steps_of(names: dict[int, str]) -> list[dict[str, tuple[int, ...]]]:
    """For each of several units, its steps, each with the actions in which the unit makes it.

    names: the names of the actions, in which the steps of the units are divided by commas.
    """
    steps: list[dict[str, tuple[int, ...]]] = []
    for action, name in names.items():
        for unit, step in enumerate(name.split(",")):
            if unit == len(steps):
                steps.append({})
            steps[unit][step] = (*steps[unit].get(step, ()), action)
    return steps


def step_chip(
    x: float, y: float, radius: float, unit: int, step: str, actions: tuple[int, ...]
) -> Chip:
    """A chip that stands for one step of a unit; see `steps_of`."""
    return Chip(
        x, y, radius, str(unit), role="highlight", choices=actions, label=f"unit {unit}: {step}"
    )


def turn(game: Game, state: State, observer: int) -> str:
    """Whose turn it is, in words."""
    mover = game.current_player(state)
    if mover == TERMINAL:
        return "the game is over"
    if mover == CHANCE:
        return "chance moves"
    if mover == SIMULTANEOUS:
        return "all choose at once" if game.num_players > 2 else "both choose"
    name = called(mover, observer, game.num_players)
    return {"you": "your turn", "they": "their turn"}.get(name, f"{name} is to move")


def outcome(game: Game, state: State, observer: int) -> str:
    """The winner of a game of two players that pays 1 to one of them, or nothing to both, in words.
    The observer must know the result.
    """
    paid = game.returns(state, near(observer))
    if paid == 0:
        return "the game is over: a draw"
    winner = near(observer) if paid > 0 else 1 - near(observer)
    won = {"you": "you won", "they": "you lost"}
    name = called(winner, observer)
    return f"the game is over: {won.get(name, name + ' won')}"


# --- sheets ---


def sheet(height: float, items: Iterable[Item], label: str, width: float = WIDTH) -> Scene:
    """A scene on one sheet."""
    return Scene(width, height, tuple(items), label)


def panel(top: float, height: float, width: float = WIDTH, role: str = "board") -> Rect:
    """A part of the sheet on which something lies."""
    return Rect(4, top, width - 8, height, 10, role=role)


def line_of(y: float, text: str, role: str = "note", size: float = 13.0) -> Text:
    """Words in the middle of the sheet."""
    return Text(MIDDLE, y, text, size, role=role)


def wrapped_lines(
    parts: list[str], y: float, width: int = 50, step: float = 18.0, most: int = 4
) -> list[Item]:
    """A list in words, divided by commas, in a limited number of lines, which keep the last parts.

    width: how many letters a line may have.
    """
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + 2 + len(part) <= width:
            lines[-1] += f", {part}"
        else:
            lines.append(part)
    if len(lines) > most:
        lines = ["… " + lines[-most], *lines[1 - most :]]
    return [line_of(y + step * number, text) for number, text in enumerate(lines)]


# --- boards of squares ---


@dataclass(frozen=True)
class Board:
    """Where the squares of a board lie.

    rows, columns: how many there are.
    left, top: the top left corner of the first square.
    size: how wide and high a square is.
    """

    rows: int
    columns: int
    left: float
    top: float
    size: float

    def corner(self, row: int, column: int) -> tuple[float, float]:
        """The top left corner of a square."""
        return self.left + column * self.size, self.top + row * self.size

    def middle(self, row: int, column: int) -> tuple[float, float]:
        """The middle of a square."""
        x, y = self.corner(row, column)
        return x + self.size / 2, y + self.size / 2

    @property
    def bottom(self) -> float:
        """Where the board ends."""
        return self.top + self.rows * self.size

    def cell(
        self, row: int, column: int, role: str = "cell", label: str = "", action: int | None = None
    ) -> Rect:
        """A square."""
        x, y = self.corner(row, column)
        return Rect(x, y, self.size, self.size, role=role, label=label, action=action)

    def names(self) -> list[Item]:
        """The letters of the columns above the board, and the numbers of the rows beside it."""
        size = max(min(self.size * 0.5, 13.0), 8.0)
        letters = [
            Text(self.middle(0, column)[0], self.top - 9, letter, size, role="note")
            for column, letter in zip(range(self.columns), string.ascii_lowercase, strict=False)
        ]
        numbers = [
            Text(self.left - 5, self.middle(row, 0)[1], str(row + 1), size, "end", role="note")
            for row in range(self.rows)
        ]
        return [*letters, *numbers]

    def cross(self, row: int, column: int, role: str, part: float = 0.5) -> list[Item]:
        """A cross in a square, so much of the square wide."""
        x, y = self.middle(row, column)
        reach, width = self.size * part / 2, max(self.size * 0.09, 1.5)
        return [
            Line(((x - reach, y - reach), (x + reach, y + reach)), width, role=role),
            Line(((x - reach, y + reach), (x + reach, y - reach)), width, role=role),
        ]


def fitted_board(rows: int, columns: int, top: float, most: float = 60.0) -> Board:
    """A board in the middle of the sheet, with room for names, as large as fits.

    top: where its names begin.
    most: the most that a square may have.
    """
    size = min((WIDTH - 44) / max(columns, 1), most)
    left = (WIDTH - size * columns) / 2 + 8
    return Board(rows, columns, left, top + 18, size)
