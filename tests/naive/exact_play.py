"""Games with simultaneous moves solved in fractions, by recursion over histories: slow, obvious,
and without rounding.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from hiddenhand.games.base import CHANCE, SIMULTANEOUS, Game
from hiddenhand.games.history import History

Matrix = Sequence[Sequence[Fraction]]


def has_saddle(matrix: Matrix) -> bool:
    """Whether the best guarantee of a row is that of a column."""
    return max(map(min, matrix)) == min(map(max, zip(*matrix, strict=True)))


def matrix_value(matrix: Matrix) -> Fraction:
    """The value of a matrix game: maximise the sum of y subject to A y <= 1, by the simplex method
    with Bland's rule, for A made positive.
    """
    shift = 1 - min(map(min, matrix))
    m, n = len(matrix), len(matrix[0])
    rows = [
        [entry + shift for entry in row] + [Fraction(int(i == k)) for k in range(m)] + [Fraction(1)]
        for i, row in enumerate(matrix)
    ]
    objective = [Fraction(1)] * n + [Fraction(0)] * (m + 1)
    basis = list(range(n, n + m))
    while (column := next((j for j in range(n + m) if objective[j] > 0), -1)) >= 0:
        _, _, row = min(
            (rows[i][-1] / rows[i][column], basis[i], i) for i in range(m) if rows[i][column] > 0
        )
        pivot = rows[row][column]
        rows[row] = [entry / pivot for entry in rows[row]]
        for i in range(m):
            if i != row:
                rows[i] = [a - rows[i][column] * b for a, b in zip(rows[i], rows[row], strict=True)]
        objective = [a - objective[column] * b for a, b in zip(objective, rows[row], strict=True)]
        basis[row] = column
    return 1 / -objective[-1] - shift


@dataclass
class ExactPlay:
    """``values``: of each history that is looked at, by its state; ``pure``, ``mixed``: how many
    histories of each number of moves.
    """

    game: Game

    def __post_init__(self) -> None:
        self.values: dict[bytes, tuple[Fraction, bool]] = {}
        self.pure: list[int] = []
        self.mixed: list[int] = []

    def value(self) -> Fraction:
        """The value of the game. Counts all histories on the way, chance's moves not counted."""
        return self._value(History(self.game), 0)

    def _value(self, history: History, depth: int) -> Fraction:
        if history.is_terminal:
            return Fraction(history.returns()[0])
        if history.player == CHANCE:
            drawn = [
                (Fraction(p).limit_denominator(1000), history.child(action))
                for action, p in history.chance_outcomes()
            ]
            return sum((p * self._value(child, depth) for p, child in drawn), Fraction(0))
        matrix = [
            [self._value(history.child(move), depth + 1) for move in row]
            for row in moves_of(history)
        ]
        state = history.state.tobytes()
        if state not in self.values:
            self.values[state] = matrix_value(matrix), has_saddle(matrix)
        value, pure = self.values[state]
        while len(self.pure) <= depth:
            self.pure.append(0)
            self.mixed.append(0)
        (self.pure if pure else self.mixed)[depth] += 1
        return value


def moves_of(history: History) -> list[list]:
    """The moves at a history in which somebody decides, as a matrix: a row for each action of
    player 0.
    """
    if history.player == SIMULTANEOUS:
        return [[(a, b) for b in history.legal_actions(1)] for a in history.legal_actions(0)]
    actions = history.legal_actions()
    return [[action] for action in actions] if history.player == 0 else [list(actions)]
