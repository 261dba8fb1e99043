"""Pictures of games that are tables of payoffs: matrix games, random games, trees of joint actions.

A table is seen from the side of the observer: the own actions are the rows, and the numbers are
what the observer is paid. To an observer who plays not, that is player 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, Final

from hiddenhand.games.base import TERMINAL, State
from hiddenhand.games.drawing import words
from hiddenhand.games.drawing.layout import (
    MIDDLE,
    called,
    choices,
    does,
    line_of,
    near,
    panel,
    sheet,
    turn,
)
from hiddenhand.games.scene import WIDTH, Item, Presentation, Rect, Scene, Text

_WIDEST: Final = 10
_HIGHEST: Final = 16


@dataclass(frozen=True)
class PayoffTable:
    """A table of payoffs.

    rows, columns: the names of the observer's actions, and of the other's.
    paid: for each row and column what is written there.
    value: for each row and column what the observer is paid, which decides the colour.
    actions: for each row the action that a click on it means, or None.
    chosen: the row and the column that were chosen, or None.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    paid: Callable[[int, int], str]
    value: Callable[[int, int], float]
    actions: Sequence[int | None]
    chosen: tuple[int, int] | None = None

    def draw(self, top: float, names: tuple[str, str]) -> tuple[list[Item], float]:
        """The table, and where it ends.

        top: where it begins.
        names: what the player of the rows is called, and that of the columns.
        """
        head = min(20.0 + 6.2 * max(map(len, (*self.rows, names[0]))), 100.0)
        wide = min((WIDTH - 20 - head) / len(self.columns), 70.0)
        high = 34.0 if len(self.rows) <= 8 else 22.0
        left = MIDDLE - (head + wide * len(self.columns)) / 2 + head
        size = min(13.0, wide * 0.36)
        items: list[Item] = [
            Text(left + wide * len(self.columns) / 2, top + 8, names[1], 12, role="theirs title"),
            Text(left - 8, top + 28, names[0], 12, "end", role="mine title"),
        ]
        items += [
            Text(left + wide * (column + 0.5), top + 28, name, size, role="title")
            for column, name in enumerate(self.columns)
        ]
        top += 42
        for row, name in enumerate(self.rows):
            y = top + row * high
            action = self.actions[row]
            if action is not None:
                plate = Rect(
                    left - head + 3,
                    y + 3,
                    head - 8,
                    high - 6,
                    6,
                    role="sight",
                    action=action,
                    label=f"choose {name}",
                )
                items.append(plate)
            items.append(Text(left - head / 2 - 1, y + high / 2, name, 13, role="title"))
            for column in range(len(self.columns)):
                items += self._cell(row, column, (left + column * wide, y, wide, high), size)
        return items, top + len(self.rows) * high

    def _cell(
        self, row: int, column: int, box: tuple[float, float, float, float], size: float
    ) -> list[Item]:
        x, y, wide, high = box
        value, text = self.value(row, column), self.paid(row, column)
        role = "mine" if value > 0 else "theirs" if value < 0 else "title"
        chosen = self.chosen == (row, column)
        label = f"{self.rows[row]} against {self.columns[column]}: {text}"
        return [
            Rect(x, y, wide, high, role="cell highlight-edge" if chosen else "cell", label=label),
            Text(x + wide / 2, y + high / 2, text, size, role=role),
        ]


def _number(value: float) -> str:
    return f"{value + 0.0:.3g}"  # + 0.0 makes a negative zero positive


def _table_fits(rows: int, columns: int) -> bool:
    return columns <= _WIDEST and rows <= _HIGHEST


def _ending(game: Any, state: State, observer: int) -> str:
    own = near(observer)
    paid = game.returns(state, own)
    name = called(own, observer)
    return f"the game is over: {name} {'are' if name == 'you' else 'is'} paid {_number(paid)}"


# --- matrix games ---


def matrix_game(game: Any, state: State, observer: int) -> Scene:
    """The payoff table; where payoffs do not sum to 0, both are written into it."""
    own, other = near(observer), 1 - near(observer)
    utilities = game.utilities if own == 0 else game.utilities.transpose(0, 2, 1)
    rows, columns = utilities.shape[1:]
    over = game.current_player(state) == TERMINAL
    can = choices(game, state, observer)

    def paid(row: int, column: int) -> str:
        mine = _number(utilities[own, row, column])
        return mine if game.zero_sum else f"{mine}, {_number(utilities[other, row, column])}"

    items: list[Item] = []
    y = 14.0
    if _table_fits(rows, columns):
        table = PayoffTable(
            rows=[game.action_name(state, own, row) for row in range(rows)],
            columns=[game.action_name(state, other, column) for column in range(columns)],
            paid=paid,
            value=lambda row, column: float(utilities[own, row, column]),
            actions=[row if row in can else None for row in range(rows)],
            chosen=(int(state[own]) - 1, int(state[other]) - 1) if over else None,
        )
        items, y = table.draw(14, (called(own, observer), called(other, observer)))
    words = [turn(game, state, observer)]
    if over:
        words = [
            f"{does(player, observer, 'play')} "
            + game.action_name(state, player, int(state[player]) - 1)
            for player in (own, other)
        ]
        words = [", ".join(words), _ending(game, state, observer)]
    items += [line_of(y + 34 + 20 * number, text, "title") for number, text in enumerate(words)]
    return sheet(y + 30 + 20 * len(words), [panel(2, y + 12), *items], "a matrix game")


# --- random games, and trees of joint actions whose payoffs are listed ---


def random_game(game: Any, state: State, observer: int) -> Scene:
    """What each pair of actions adds to the sum of the observer in this round, or pays."""
    own = near(observer)
    played = int(state[0])
    words = [f"round {played + 1} of {game.depth}"]
    if game.steps:
        total = int(state[1]) if own == 0 else -int(state[1])
        words.append(f"sum so far: {total}")
    last = played + 1 == game.depth
    names = [str(action) for action in range(game.actions)]

    def value(row: int, column: int) -> float:
        return float(game._drawn(state, own, row, column))

    known = game.steps or last
    what = "what this round adds" if game.steps else "what this round pays"
    return _round_table(game, state, observer, words, names if known else [], value, what)


def matrix_tree(game: Any, state: State, observer: int) -> Scene:
    """What each two plans for all rounds to come pay, if they can be drawn. In the last round a
    plan is an action.
    """
    played = int(state[0])
    rounds = game.depth - played
    fits = _table_fits(game.actions**rounds, game.actions**rounds)
    plans = product(map(str, range(game.actions)), repeat=rounds) if fits else ()
    below: Any = game._below(state, near(observer)) if fits and rounds else None

    def value(row: int, column: int) -> float:
        return float(below[row, column])

    words = [f"round {played + 1} of {game.depth}"]
    what = "what this round pays" if rounds == 1 else "what plans for all rounds pay"
    names = [",".join(plan) for plan in plans]
    return _round_table(game, state, observer, words, names, value, what)


def _round_table(
    game: Any,
    state: State,
    observer: int,
    words: list[str],
    names: list[str],
    value: Callable[[int, int], float],
    what: str,
) -> Scene:
    """A round with its table; without one where ``names`` are none, or too many to be drawn."""
    if game.current_player(state) == TERMINAL:
        end = line_of(36, _ending(game, state, observer), "title")
        return sheet(72, [panel(2, 68), end], "a game of joint actions")
    own, other = near(observer), 1 - near(observer)
    can = choices(game, state, observer)
    items: list[Item] = [line_of(18 + 20 * n, text, "title") for n, text in enumerate(words)]
    y = 14 + 20.0 * len(words)
    if names and _table_fits(len(names), len(names)):
        items.append(line_of(y + 4, f"{what} {called(own, observer)}", "note", 12))
        table = PayoffTable(
            rows=names,
            columns=names,
            paid=lambda row, column: _number(value(row, column)),
            value=value,
            actions=[int(name) if name in map(str, can) else None for name in names],
        )
        drawn, y = table.draw(y + 20, (called(own, observer), called(other, observer)))
        items += drawn
    return sheet(y + 14, [panel(2, y + 8), *items], "a game of joint actions")


MATRIX_GAME: Final = Presentation(matrix_game, tell=partial(words.all_do, verb="choose"))
RANDOM_GAME: Final = Presentation(random_game, tell=partial(words.all_do, verb="choose"))
MATRIX_TREE: Final = Presentation(matrix_tree, tell=partial(words.all_do, verb="choose"))
