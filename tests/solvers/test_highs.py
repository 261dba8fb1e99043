"""Sparse matrices and linear programs against numpy, and against scipy's solver."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.optimize import linprog

from hiddenhand.errors import SolverError
from hiddenhand.solvers.highs import LinearProgram, Matrix, above, beside, optimum


def matrix_of(rng: np.random.Generator, rows: int, columns: int) -> tuple[Matrix, np.ndarray]:
    """A matrix with several entries in some places, and the same as an array."""
    count = int(rng.integers(0, 2 * rows * columns))
    at_row, at_column = rng.integers(rows, size=count), rng.integers(columns, size=count)
    values, dense = rng.normal(size=count), np.zeros((rows, columns))
    np.add.at(dense, (at_row, at_column), values)
    return Matrix(at_row, at_column, values, (rows, columns)), dense


def dense(matrix: Matrix) -> np.ndarray:
    return np.stack([matrix @ unit for unit in np.eye(matrix.shape[1])], axis=1)


@pytest.mark.parametrize("seed", range(20))
def test_matrices_are_those_of_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns, others = (int(n) for n in rng.integers(1, 6, size=3))
    (a, in_full), (b, b_in_full) = matrix_of(rng, rows, columns), matrix_of(rng, rows, others)
    assert dense(a) == pytest.approx(in_full)
    assert dense(-a.T) == pytest.approx(-in_full.T)
    assert dense(beside(a, b)) == pytest.approx(np.hstack([in_full, b_in_full]))
    assert dense(above(a.T, b.T)) == pytest.approx(np.vstack([in_full.T, b_in_full.T]))
    of_rows, of_columns = rng.normal(size=rows), rng.normal(size=columns)
    scaled = of_rows[:, None] * in_full * of_columns
    assert dense(a.scaled(of_rows, of_columns)) == pytest.approx(scaled)
    assert dense(Matrix.of_dense(in_full)) == pytest.approx(in_full)
    assert dense(Matrix.identity(rows)) == pytest.approx(np.eye(rows))
    assert dense(Matrix.empty(rows, columns)) == pytest.approx(np.zeros((rows, columns)))
    starts, of_entries, values = a.by_columns()
    for column in range(columns):
        part = slice(starts[column], starts[column + 1])
        assert np.unique(of_entries[part]).size == of_entries[part].size
        filled = np.zeros(rows)
        filled[of_entries[part]] = values[part]
        assert filled == pytest.approx(in_full[:, column])


def test_products_keep_extended_precision() -> None:
    tiny = np.array([1.0, 1e-19], np.longdouble)
    product = Matrix.of_dense(np.array([[1.0, 1.0]])) @ tiny
    assert product.dtype == np.longdouble
    assert product[0] - 1 == pytest.approx(1e-19, rel=0.5)


@pytest.mark.parametrize("seed", range(20))
def test_optima_and_duals_are_those_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    upper, equal = rng.normal(size=(4, 6)), rng.normal(size=(2, 6))
    inside = rng.random(6)  # fulfils all of the program
    program = LinearProgram(
        cost=rng.random(6),  # so that there is a least one
        upper=Matrix.of_dense(upper),
        most=upper @ inside + rng.random(4),
        equal=Matrix.of_dense(equal),
        given=equal @ inside,
        least=np.zeros(6),
    )
    theirs = linprog(
        program.cost, A_ub=upper, b_ub=program.most, A_eq=equal, b_eq=program.given, method="highs"
    )
    ours = optimum(program)
    assert program.cost @ ours.x == pytest.approx(theirs.fun)
    assert ours.x == pytest.approx(theirs.x, abs=1e-9)
    assert ours.slack == pytest.approx(theirs.slack, abs=1e-9)
    assert ours.of_upper == pytest.approx(theirs.ineqlin.marginals, abs=1e-9)
    assert ours.of_equal == pytest.approx(theirs.eqlin.marginals, abs=1e-9)


@pytest.mark.parametrize(("given", "words"), [(-1.0, "nfeasible"), (1.0, "nbounded")])
def test_programs_without_an_optimum_are_refused(given: float, words: str) -> None:
    """x = -1 with x >= 0; and -y of any size with y free, beside x = 1."""
    program = LinearProgram(
        cost=np.array([0.0, 1.0]),
        upper=Matrix.empty(0, 2),
        most=np.zeros(0),
        equal=Matrix.of_dense(np.array([[1.0, 0.0]])),
        given=np.array([given]),
        least=np.array([0.0, -np.inf]),
    )
    with pytest.raises(SolverError, match=words):
        optimum(program)


def test_nothing_is_printed() -> None:
    """In a process of its own, because HiGHS would print its name once."""
    program = (
        "import numpy as np; from hiddenhand.solvers.highs import LinearProgram, Matrix, optimum; "
        "one = Matrix.identity(1); "
        "optimum(LinearProgram(np.ones(1), -one, np.zeros(1), one, np.ones(1), np.zeros(1)))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert (found.stdout, found.stderr) == (b"", b"")
