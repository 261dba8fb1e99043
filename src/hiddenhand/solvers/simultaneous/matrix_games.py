"""Zero-sum matrix games: the value and an optimal mixed strategy of each player.

A game is a matrix ``A [R, C]``: player 0 chooses row i, player 1 column j, and player 1 pays ``A[i,
j]``. With

x [R], y [C]   what the players play: probabilities of rows and columns
v              the value: min_j (x A)_j = max_i (A y)_i for optimal x and y (von Neumann 1928)

There are three ways to solve a game, of which the cheapest that applies is taken. A saddle point is
found by looking at each row and column once. A 2 x 2 game without a saddle point has a closed form.
Any other game is a linear program (Dantzig 1951): with all entries positive, maximise sum_j y_j
subject to A y <= 1, y >= 0. Its optimum is 1 / v. Its solution and its dual variables are y and x,
once they are made to sum to 1. The tableau is condensed: the columns of basic variables, which are
unit vectors, are not stored (Tucker 1960).

What is different here: backward induction solves some 100,000 small programs, and to call a library
takes longer than to solve such a program. So the simplex method is written out and compiled, and
its answer is checked: ``gap`` is the difference between what the best replies to x and to y earn.
The column that enters is the one of the largest coefficient. After many pivots it is the one of the
smallest label (Bland 1977), with which the method cannot cycle.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.errors import ParameterError, SolverError
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import inline, kernel

TOLERANCE: Final = 1e-9  # below which two payoffs are equal, in units of the largest
_PIVOT = 1e-11  # the least entry to pivot on; entries of the program are 1 to 2 at first
_BLAND = 20  # pivots for each row and column after which Bland's rule takes over
_LIMIT = 400  # and after which it is given up
VALUE, GAP = 0, 1


@dataclass(frozen=True, eq=False)
class MatrixSolution:
    """An equilibrium of a matrix game.

    value: what player 0 earns.
    rows: ``float64[R]``, what player 0 plays.
    columns: ``float64[C]``, what player 1 plays.
    pure: whether both play one action only, a saddle point.
    gap: how much the best replies to the two strategies differ; 0 up to rounding.
    """

    value: float
    rows: Floats
    columns: Floats
    pure: bool
    gap: float


@dataclass(frozen=True)
class Workspace(Compiled):
    """Room for a game of up to R rows and C columns, for solving it, and for the solution.

    payoffs: ``float64[R, C]``, the game, in the first rows and columns.
    x: ``float64[R]``, what player 0 plays.
    y: ``float64[C]``, what player 1 plays.
    found: ``float64[2]``, the value and the gap, see VALUE and GAP.
    tableau: ``float64[R + 1, C + 1]``, the tableau of the simplex method; the last column is the
        right side, the last row the objective.
    row_label: ``int64[R]``, the variable of each row of the tableau: 0 .. C - 1 for y, and C + i
        for the slack of row i.
    column_label: ``int64[C]``, the variable of each column of the tableau, numbered likewise.
    """

    payoffs: Floats
    x: Floats
    y: Floats
    found: Floats
    tableau: Floats
    row_label: Integers
    column_label: Integers

    @staticmethod
    def of(rows: int, columns: int) -> "Workspace":
        """Room for games of up to so many rows and columns."""
        return Workspace(
            payoffs=np.zeros((rows, columns)),
            x=np.zeros(rows),
            y=np.zeros(columns),
            found=np.zeros(2),
            tableau=np.zeros((rows + 1, columns + 1)),
            row_label=np.zeros(rows, np.int64),
            column_label=np.zeros(columns, np.int64),
        )


def solve_matrix(payoffs: Any) -> MatrixSolution:
    """An equilibrium of the zero-sum game ``payoffs [R, C]``, what player 1 pays to player 0.

    Raises ParameterError for what is no matrix of finite numbers, SolverError if rounding leaves a
    gap above 1e-9 in units of the largest payoff.
    """
    try:
        matrix = np.array(payoffs, np.float64, order="C")
    except (TypeError, ValueError):
        matrix = np.zeros(0)
    if matrix.ndim != 2 or matrix.size == 0 or not np.all(np.isfinite(matrix)):
        raise ParameterError(
            f"{payoffs!r} is no matrix game that can be solved; give rows of equal length, of "
            "finite numbers"
        )
    (rows, columns), tolerance = matrix.shape, TOLERANCE * float(np.abs(matrix).max())
    room = Workspace.of(rows, columns)
    room.payoffs[:] = matrix
    mixed = solve_game(room, rows, columns, tolerance)
    value, gap = room.found.tolist()
    if not gap <= tolerance:
        raise SolverError(
            f"rounding left a gap of {gap:.3g} in a matrix game of shape {matrix.shape}; "
            "scale its payoffs to similar sizes"
        )
    return MatrixSolution(value, room.x, room.y, not mixed, gap)


# --- kernels; a game is the first m rows and n columns of a matrix ---


@kernel
def solve_game(room: Workspace, m: int, n: int, tolerance: float) -> bool:
    """Write an equilibrium into ``x[:m]`` and ``y[:n]`` of the room, its value and gap into
    ``found``. Returns whether it is mixed.

    A saddle point counts as one up to ``tolerance``.
    """
    if _find_saddle(room, m, n, tolerance):
        return False
    if m == 2 and n == 2:
        _solve_two_by_two(room.payoffs, room.x, room.y)
    else:
        _solve_program(room, m, n)
    _judge(room, m, n)
    return True


@inline
def _find_saddle(room: Workspace, m: int, n: int, tolerance: float) -> bool:
    """Whether the best guarantee of a row meets that of a column. ``y`` is used for the largest
    entry of each column.
    """
    payoffs, x, y = room.payoffs, room.x, room.y
    row, lower = 0, -np.inf
    for j in range(n):
        y[j] = -np.inf
    for i in range(m):
        least = np.inf
        for j in range(n):
            least = min(least, payoffs[i, j])
            y[j] = max(y[j], payoffs[i, j])
        if least > lower:
            row, lower = i, least
    column = 0
    for j in range(n):
        if y[j] < y[column]:
            column = j
    upper = y[column]
    if upper - lower > tolerance:
        return False
    for i in range(m):
        x[i] = 1.0 if i == row else 0.0
    for j in range(n):
        y[j] = 1.0 if j == column else 0.0
    room.found[VALUE] = payoffs[row, column]
    room.found[GAP] = upper - lower
    return True


@inline
def _solve_two_by_two(payoffs: Floats, x: Floats, y: Floats) -> None:
    """Write x and y of a 2 x 2 game without a saddle point: each player makes the other
    indifferent. Without a saddle point both rows and both columns differ, so nothing is divided by
    0.
    """
    a, b, c, d = payoffs[0, 0], payoffs[0, 1], payoffs[1, 0], payoffs[1, 1]
    both = (a - b) + (d - c)
    x[0] = min(max((d - c) / both, 0.0), 1.0)
    y[0] = min(max((d - b) / both, 0.0), 1.0)
    x[1], y[1] = 1.0 - x[0], 1.0 - y[0]


@inline
def _judge(room: Workspace, m: int, n: int) -> None:
    """Write the value, which lies between what x and y guarantee, and the gap between these."""
    payoffs, x, y = room.payoffs, room.x, room.y
    lower, upper = np.inf, -np.inf
    for j in range(n):
        total = 0.0
        for i in range(m):
            total += x[i] * payoffs[i, j]
        lower = min(lower, total)
    for i in range(m):
        total = 0.0
        for j in range(n):
            total += y[j] * payoffs[i, j]
        upper = max(upper, total)
    room.found[VALUE] = 0.5 * (lower + upper)
    room.found[GAP] = upper - lower


@kernel
def _solve_program(room: Workspace, m: int, n: int) -> None:
    """Solve the linear program by the simplex method."""
    _fill(room, m, n)
    tableau, pivots = room.tableau, 0
    while pivots < _LIMIT * (m + n):
        bland = pivots >= _BLAND * (m + n)
        column = _entering(room, m, n, bland)
        if column < 0:
            break
        row = _leaving(room, m, n, column, bland)
        if row < 0:
            break
        _pivot(tableau, m, n, row, column)
        entering = room.column_label[column]
        room.column_label[column] = room.row_label[row]
        room.row_label[row] = entering
        pivots += 1
    _read(room, m, n)


@inline
def _fill(room: Workspace, m: int, n: int) -> None:
    """Write the program of the game, with payoffs moved and scaled to 1 .. 2, which changes no
    strategy. All slacks are basic: y = 0.
    """
    payoffs = room.payoffs
    least, most = payoffs[0, 0], payoffs[0, 0]
    for i in range(m):
        for j in range(n):
            least = min(least, payoffs[i, j])
            most = max(most, payoffs[i, j])
    tableau, scale = room.tableau, 1.0 / (most - least)
    for i in range(m):
        for j in range(n):
            tableau[i, j] = 1.0 + (payoffs[i, j] - least) * scale
        tableau[i, n] = 1.0
        room.row_label[i] = n + i
    for j in range(n):
        tableau[m, j] = 1.0
        room.column_label[j] = j
    tableau[m, n] = 0.0


@inline
def _entering(room: Workspace, m: int, n: int, bland: bool) -> int:
    """The column that improves the objective, or -1."""
    best, chosen = _PIVOT, -1
    for j in range(n):
        coefficient = room.tableau[m, j]
        if coefficient <= _PIVOT:
            continue
        if bland:
            if chosen < 0 or room.column_label[j] < room.column_label[chosen]:
                chosen = j
        elif coefficient > best:
            best, chosen = coefficient, j
    return chosen


@inline
def _leaving(room: Workspace, m: int, n: int, column: int, bland: bool) -> int:
    """The row whose variable reaches 0 first. Among equals the one of the largest entry, which
    rounding hurts least, or of the smallest label.
    """
    tableau, least = room.tableau, np.inf
    for i in range(m):
        if tableau[i, column] > _PIVOT:
            least = min(least, max(tableau[i, n], 0.0) / tableau[i, column])
    chosen = -1
    for i in range(m):
        entry = tableau[i, column]
        if entry <= _PIVOT or max(tableau[i, n], 0.0) > (least + _PIVOT) * entry:
            continue
        if chosen < 0 or (
            room.row_label[i] < room.row_label[chosen] if bland else entry > tableau[chosen, column]
        ):
            chosen = i
    return chosen


@inline
def _pivot(tableau: Floats, m: int, n: int, row: int, column: int) -> None:
    """Exchange the variables of a row and a column."""
    inverse = 1.0 / tableau[row, column]
    for j in range(n + 1):
        tableau[row, j] *= inverse
    tableau[row, column] = inverse
    for i in range(m + 1):
        if i == row:
            continue
        factor = tableau[i, column]
        if factor == 0.0:
            continue
        tableau[i, column] = 0.0
        for j in range(n + 1):
            tableau[i, j] -= factor * tableau[row, j]


@inline
def _read(room: Workspace, m: int, n: int) -> None:
    """Read x and y from the last tableau. A basic y_j is on the right side, and any other y_j is 0.
    x_i is minus the coefficient of the slack of row i in the objective, or 0 if the slack is basic.
    """
    x, y = room.x, room.y
    for i in range(m):
        x[i] = 0.0
    for j in range(n):
        y[j] = 0.0
    for i in range(m):
        if room.row_label[i] < n:
            y[room.row_label[i]] = max(room.tableau[i, n], 0.0)
    for j in range(n):
        if room.column_label[j] >= n:
            x[room.column_label[j] - n] = max(-room.tableau[m, j], 0.0)
    _normalise(x, m)
    _normalise(y, n)


@inline
def _normalise(weights: Floats, count: int) -> None:
    """Make the first ``count`` weights sum to 1. Weights that are only rounding become 0."""
    total = 0.0
    for k in range(count):
        if weights[k] < _PIVOT:
            weights[k] = 0.0
        total += weights[k]
    for k in range(count):
        weights[k] /= total
