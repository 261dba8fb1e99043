"""Corrections of linear programs, against solutions by hand."""

import numpy as np
import scipy

from hiddenhand.trees.linear_program import optimised
from hiddenhand.trees.refinement import LinearProgram, Optimum, optimum_of, refined


def program(size: float) -> LinearProgram:
    """Maximise v + size * w subject to v <= x, v <= 1 - x, w <= y, w <= 3 (1 - y): by hand x = 1/2,
    and y = 3/4.
    """
    columns = ["x", "1-x", "y", "1-y", "v", "w"]
    rows = [{"v": 1, "x": -1}, {"v": 1, "1-x": -1}, {"w": 1, "y": -1}, {"w": 1, "1-y": -3}]
    upper = np.array([[row.get(name, 0.0) for name in columns] for row in rows])
    equal = np.array([[1.0, 1, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0]])
    return LinearProgram(
        cost=np.array([0, 0, 0, 0, -1.0, -size]),
        upper=scipy.sparse.csc_array(upper),
        most=np.zeros(4),
        equal=scipy.sparse.csc_array(equal),
        given=np.ones(2),
        least=np.array([0, 0, 0, 0, -np.inf, -np.inf]),
    )


def test_a_part_that_highs_does_not_see() -> None:
    linear = program(1e-15)
    found = optimum_of(linear, optimised(linear, method="highs"))
    assert abs(found.x[2] - 0.75) > 0.1  # else this test shows nothing
    better = refined(linear, found)
    assert better is not None
    np.testing.assert_allclose(
        better.x.astype(float), [0.5, 0.5, 0.75, 0.25, 0.5, 0.75], atol=1e-15
    )
    duals = (-better.of_upper).astype(float)
    np.testing.assert_allclose(duals, [0.5, 0.5, 0.75e-15, 0.25e-15], rtol=1e-9)


def test_a_solution_with_a_wrong_digit() -> None:
    linear = program(1.0)
    found = optimum_of(linear, optimised(linear, method="highs"))
    x = found.x + np.array([1e-7, 0, 0, 1e-8, 0, 1e-6])
    spoilt = Optimum(x, linear.most - linear.upper @ x, found.of_upper, found.of_equal, 5)
    better = refined(linear, spoilt)
    assert better is not None
    np.testing.assert_allclose(
        better.x.astype(float), [0.5, 0.5, 0.75, 0.25, 0.5, 0.75], atol=1e-14
    )
    assert better.iterations >= 5


def test_an_exact_solution_stays() -> None:
    linear = program(1.0)
    exact = Optimum(
        np.array([0.5, 0.5, 0.75, 0.25, 0.5, 0.75]),
        np.zeros(4),
        np.array([-0.5, -0.5, -0.75, -0.25]),
        np.array([-0.5, -0.75]),
        0,
    )
    assert refined(linear, exact) is exact
