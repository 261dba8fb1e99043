"""Matrix games: known values, the linear program of a library, and the same in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from naive.exact_play import has_saddle, matrix_value
from scipy.optimize import linprog

from hiddenhand.errors import ParameterError, SolverError
from hiddenhand.solvers.simultaneous.matrix_games import solve_matrix

KINDS = ["normal", "signs", "thirds", "degenerate"]


def random_matrix(rng: np.random.Generator, kind: str, most: int = 9) -> np.ndarray:
    shape = tuple(rng.integers(1, most + 1, 2))
    if kind == "normal":
        return rng.normal(size=shape)
    if kind == "signs":
        return rng.integers(-1, 2, shape).astype(float)
    if kind == "thirds":
        return rng.integers(-6, 7, shape) / 3.0
    low = rng.integers(-1, 2, (2, 3)).astype(float)  # equal and almost equal rows and columns
    return low[rng.integers(0, 2, shape[0])][:, rng.integers(0, 3, shape[1])] + rng.choice(
        [0.0, 1e-13], shape
    )


def highs_value(matrix: np.ndarray) -> float:
    """The largest v that some mixture of rows guarantees."""
    m, n = matrix.shape
    answer = linprog(
        np.append(np.zeros(m), -1.0),
        A_ub=np.hstack([-matrix.T, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=np.append(np.ones(m), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * m + [(None, None)],
        method="highs",
    )
    return -answer.fun


@pytest.mark.parametrize(
    ("matrix", "value", "rows", "columns", "pure"),
    [  # all by hand
        ([[3.0]], 3.0, [1], [1], True),
        ([[1.0, 2.0], [3.0, 4.0]], 3.0, [0, 1], [1, 0], True),
        ([[1.0, -1.0], [-1.0, 1.0]], 0.0, [0.5, 0.5], [0.5, 0.5], False),
        ([[3.0, 0.0], [1.0, 2.0]], 1.5, [0.25, 0.75], [0.5, 0.5], False),
        (
            [[0.0, -1.0, 10.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]],
            0.25,
            [1 / 12, 7 / 12, 4 / 12],
            None,
            False,
        ),  # see test_linear_program
        ([[0.0, 0.0], [0.0, 0.0]], 0.0, [1, 0], [1, 0], True),
        ([[2.0, 5.0, -1.0]], -1.0, [1], [0, 0, 1], True),
    ],
)
def test_known_games(
    matrix: list, value: float, rows: list, columns: list | None, pure: bool
) -> None:
    found = solve_matrix(matrix)
    assert found.value == pytest.approx(value, abs=1e-14)
    assert found.rows == pytest.approx(rows, abs=1e-14)
    if columns is not None:
        assert found.columns == pytest.approx(columns, abs=1e-14)
    assert found.pure == pure


@pytest.mark.parametrize("kind", KINDS)
def test_it_agrees_with_a_library(kind: str) -> None:
    rng = np.random.default_rng(KINDS.index(kind))
    for _ in range(60):
        matrix = random_matrix(rng, kind)
        found = solve_matrix(matrix)
        assert found.value == pytest.approx(highs_value(matrix), abs=1e-9), matrix
        assert found.rows.sum() == pytest.approx(1.0)
        assert found.columns.sum() == pytest.approx(1.0)
        assert min(found.rows.min(), found.columns.min()) >= 0.0
        assert (found.rows @ matrix).min() == pytest.approx(found.value, abs=1e-9)
        assert (matrix @ found.columns).max() == pytest.approx(found.value, abs=1e-9)


def test_it_agrees_with_fractions() -> None:
    rng = np.random.default_rng(1)
    for _ in range(60):
        matrix = random_matrix(rng, "signs", most=7)
        exact = [[Fraction(int(entry)) for entry in row] for row in matrix]
        found = solve_matrix(matrix)
        assert found.value == pytest.approx(float(matrix_value(exact)), abs=1e-13)
        assert found.pure == has_saddle(exact)


def test_large_games_are_solved_precisely() -> None:
    """Bids of up to 30 for a prize that is worth as much as 20: many entries are equal or almost
    so, which makes pivots small.
    """
    bids = np.arange(1, 31)
    matrix = np.tanh(
        (20.0 * (bids[:, None] > bids) - bids[:, None] - 20.0 * (bids[:, None] < bids) + bids)
        / 10.0
    )
    found = solve_matrix(matrix)
    assert not found.pure
    assert found.value == pytest.approx(0.0, abs=1e-12)  # by symmetry
    assert found.gap < 1e-12


@pytest.mark.parametrize(
    "matrix",
    [[], [[]], [[1.0, float("nan")]], [[float("inf")]], [[[1.0]]], [[1.0], [1.0, 2.0]], ["a"]],
)
def test_what_is_no_game_is_refused(matrix: list) -> None:
    with pytest.raises(
        ParameterError, match="is no matrix game that can be solved; give rows of equal length"
    ):
        solve_matrix(matrix)


def test_a_program_that_rounding_spoils_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hiddenhand.solvers.simultaneous.matrix_games.TOLERANCE", -1.0)
    with pytest.raises(
        SolverError, match=r"rounding left a gap of .*; scale its payoffs to similar sizes"
    ):
        solve_matrix([[0.0, -1.0, 10.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
