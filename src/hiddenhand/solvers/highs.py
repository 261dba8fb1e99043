"""Linear programs, given to the solver HiGHS.

Source: Huangfu and Hall (2018), "Parallelizing the dual revised simplex method", Mathematical
Programming Computation 10(1). scipy.optimize has the same solver. But its import takes ten times
as long as that of HiGHS's own package, a good part of what it takes to solve a small game.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.errors import SolverError
from hiddenhand.jit.arrays import Floats, Integers

_DEFAULT_TOLERANCE: Final = 1e-7  # of HiGHS


@dataclass(frozen=True, eq=False)
class Matrix:
    """A sparse matrix. Entries in the same place add up.

    rows, columns: ``int64[n]``, the places of the entries.
    values: ``float64[n]``, the entries.
    shape: the number of rows and of columns.
    """

    rows: Integers
    columns: Integers
    values: Floats
    shape: tuple[int, int]

    @classmethod
    def of_dense(cls, entries: Floats) -> "Matrix":
        """The matrix of the array ``float64[rows, columns]``."""
        rows, columns = np.nonzero(entries)
        return cls(rows, columns, entries[rows, columns], (entries.shape[0], entries.shape[1]))

    @classmethod
    def empty(cls, rows: int, columns: int) -> "Matrix":
        """A matrix in which every entry is 0."""
        places = np.zeros(0, np.int64)
        return cls(places, places, np.zeros(0), (rows, columns))

    @classmethod
    def identity(cls, size: int) -> "Matrix":
        """The identity matrix."""
        places = np.arange(size)
        return cls(places, places, np.ones(size), (size, size))

    @property
    def T(self) -> "Matrix":  # noqa: N802 - as numpy has it
        """The transposed matrix."""
        return Matrix(self.columns, self.rows, self.values, self.shape[::-1])

    def __neg__(self) -> "Matrix":
        return Matrix(self.rows, self.columns, -self.values, self.shape)

    def __matmul__(self, vector: Any) -> Any:
        """The product with a vector, in extended precision if the vector has it."""
        products = self.values * np.asarray(vector)[self.columns]
        if products.dtype == np.float64:
            return np.bincount(self.rows, products, self.shape[0])
        total = np.zeros(self.shape[0], products.dtype)
        np.add.at(total, self.rows, products)
        return total

    def scaled(self, of_rows: Floats, of_columns: Floats) -> "Matrix":
        """The matrix with each row and each column multiplied by a number."""
        values = of_rows[self.rows] * self.values * of_columns[self.columns]
        return Matrix(self.rows, self.columns, values, self.shape)

    def by_columns(self) -> tuple[Integers, Integers, Floats]:
        """Where each column starts, ``int64[columns + 1]``, and the rows and values of its entries,
        one for each place.
        """
        places, inverse = np.unique(self.columns * self.shape[0] + self.rows, return_inverse=True)
        columns, rows = np.divmod(places, max(self.shape[0], 1))
        starts = np.searchsorted(columns, np.arange(self.shape[1] + 1)).astype(np.int64)
        values = np.bincount(inverse.ravel(), self.values, places.size)
        return starts, rows, values.astype(np.float64)


def beside(*parts: Matrix) -> Matrix:
    """Matrices with as many rows, side by side."""
    starts = np.cumsum([0, *(part.shape[1] for part in parts)])
    return Matrix(
        np.concatenate([part.rows for part in parts]),
        np.concatenate(
            [start + part.columns for start, part in zip(starts[:-1], parts, strict=True)]
        ),
        np.concatenate([part.values for part in parts]),
        (parts[0].shape[0], int(starts[-1])),
    )


def above(*parts: Matrix) -> Matrix:
    """Matrices with as many columns, the first one on top."""
    return beside(*(part.T for part in parts)).T


@dataclass(frozen=True, eq=False)
class LinearProgram:
    """Minimise ``cost`` x subject to ``upper`` x <= ``most``, ``equal`` x = ``given``, x >=
    ``least``.

    cost: ``float64[n]``.
    upper: ``[m, n]``; most: ``float64[m]``.
    equal: ``[k, n]``; given: ``float64[k]``.
    least: ``float64[n]``, minus infinity where there is no bound.
    """

    cost: Floats
    upper: Matrix
    most: Floats
    equal: Matrix
    given: Floats
    least: Floats


@dataclass(frozen=True, eq=False)
class Optimum:
    """A solution of a `LinearProgram`; arrays may be in extended precision.

    x: ``float[n]``.
    slack: ``float[m]``, of the inequalities.
    of_upper, of_equal: the duals, ``float[m]`` and ``float[k]``.
    iterations: the number that HiGHS took.
    scales: by how much primal violations and reduced costs were scaled up.
    """

    x: Any
    slack: Any
    of_upper: Any
    of_equal: Any
    iterations: int
    scales: tuple[float, float] = (1.0, 1.0)


def optimum(program: LinearProgram, tolerance: float = _DEFAULT_TOLERANCE) -> Optimum:
    """The solution that the simplex method of HiGHS finds. Other threads may run meanwhile. Raises
    SolverError with what HiGHS says if it finds none.

    tolerance: by how much bounds may be violated, and reduced costs be negative.
    """
    import highspy  # here, because few programs solve one

    # highspy.Highs, which is made from this class, prints a line before it can be told not to
    solver: Any = highspy._Highs()  # type: ignore[attr-defined]
    for option, value in (
        ("output_flag", False),
        ("solver", "simplex"),
        ("primal_feasibility_tolerance", tolerance),
        ("dual_feasibility_tolerance", tolerance),
    ):
        solver.setOptionValue(option, value)
    solver.passModel(_model(program))
    solver.run()
    status = solver.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        raise SolverError(f"HiGHS ended with: {solver.modelStatusToString(status)}")
    found = solver.getSolution()
    x, duals = np.array(found.col_value), np.array(found.row_dual)
    m = program.most.size
    return Optimum(
        x,
        program.most - program.upper @ x,
        duals[:m],
        duals[m:],
        int(solver.getInfo().simplex_iteration_count),
    )


def _model(program: LinearProgram) -> Any:
    """The program as HiGHS takes it."""
    import highspy

    model = highspy.HighsLp()
    matrix = above(program.upper, program.equal)
    starts, rows, values = matrix.by_columns()
    model.num_row_, model.num_col_ = matrix.shape
    model.a_matrix_.num_row_, model.a_matrix_.num_col_ = matrix.shape
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_, model.a_matrix_.index_ = starts, rows
    model.a_matrix_.value_ = values
    model.col_cost_ = program.cost
    model.col_lower_ = program.least
    model.col_upper_ = np.full(program.least.size, np.inf)
    model.row_lower_ = np.concatenate([np.full(program.most.size, -np.inf), program.given])
    model.row_upper_ = np.concatenate([program.most, program.given])
    return model
