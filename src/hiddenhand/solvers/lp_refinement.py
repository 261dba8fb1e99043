"""Linear programs solved more precisely than HiGHS does: one more program for what is left.

Gleixner, Steffy and Wolter (2016), "Iterative refinement for linear programming", INFORMS Journal
on Computing 28(3). HiGHS takes violations below some 1e-7 for 0. So a part of a program with small
numbers, in which nothing is larger than that, is left as it comes. Here the violations of a
solution are computed in extended precision. The program of what must be added to the solution has
the same matrix. Its right sides and bounds are the primal violations, and its objective is the
reduced costs. Both are scaled up until HiGHS sees them.

minimise c x subject to U x <= u, E x = e, x >= l, with the duals y_U <= 0 and y_E. Slack variables
s = u - U x >= 0 make all rows equations, because a slack has a reduced cost as well: -y_U.
"""

from typing import Any, Final

import numpy as np

from hiddenhand.errors import SolverError
from hiddenhand.solvers.highs import LinearProgram, Matrix, Optimum, above, beside, optimum

_GROWTHS: Final = (1e8, 1e6, 1e4)  # by how much scales may grow from one correction to the next
_LARGEST: Final = 1e25  # the largest scale
_AT_BOUND: Final = 1e-9  # a variable that is closer to its bound is there


def refined(program: LinearProgram, found: Optimum) -> Optimum | None:
    """The optimum with one correction; None where HiGHS finds none, also if violations are scaled
    up less.
    """
    for growth in _GROWTHS:
        corrected = _corrected(program, found, growth)
        if corrected is not None:
            return corrected
    return None


def _corrected(program: LinearProgram, found: Optimum, growth: float) -> Optimum | None:
    """The optimum with one correction. growth: by how much scales may grow."""
    x, of_upper, of_equal = (_extended(one) for one in (found.x, found.of_upper, found.of_equal))
    slack = _extended(program.most) - program.upper @ x
    missing = _extended(program.given) - program.equal @ x
    reduced = _extended(program.cost)
    reduced = reduced - program.upper.T @ of_upper - program.equal.T @ of_equal
    costs = np.concatenate([reduced, -of_upper])
    room = np.concatenate([x - program.least, np.maximum(slack, 0.0)])
    # what is missing of an inequality, a variable of its own may not make up for
    short = np.minimum(slack, 0.0)
    primal = max(_largest(missing), _largest(short), _largest(np.minimum(room, 0.0)))
    scale = _scale(primal, growth * found.scales[0])
    is_free = np.isinf(room)
    dual = max(_largest(np.minimum(costs, 0.0)), _largest(costs[is_free]), _idle(costs, room))
    if not primal and not dual:
        return found
    size = _scale(dual, growth * found.scales[1])
    rows, others = program.upper.shape[0], program.equal.shape[0]
    matrix = above(
        beside(program.upper, Matrix.identity(rows)),
        beside(program.equal, Matrix.empty(others, rows)),
    )
    try:
        answer = optimum(
            LinearProgram(
                cost=(size * costs).astype(np.float64),
                upper=Matrix.empty(0, room.size),
                most=np.zeros(0),
                equal=matrix,
                given=(scale * np.concatenate([short, missing])).astype(np.float64),
                least=(-scale * room).astype(np.float64),
            )
        )
    except SolverError:
        return None
    z, duals = _extended(answer.x) / scale, _extended(answer.of_equal) / size
    return Optimum(
        x + z[: x.size],
        np.maximum(slack, 0.0) + z[x.size :],
        of_upper + duals[:rows],
        of_equal + duals[rows:],
        found.iterations + answer.iterations,
        (scale, size),
    )


def _scale(violation: float, most: float) -> float:
    """The scale that makes a violation 1, if it is at most ``most``."""
    most = min(most, _LARGEST)
    return most if violation * most < 1.0 else 1.0 / violation


def _idle(costs: Any, room: Any) -> float:
    """The largest reduced cost of a variable above its bound, which is 0 in an optimum."""
    return _largest(costs[(room > _AT_BOUND) & ~np.isinf(room)])


def _largest(values: Any) -> float:
    return float(np.abs(values).max(initial=0.0))


def _extended(values: Any) -> Any:
    return np.asarray(values, np.longdouble)
