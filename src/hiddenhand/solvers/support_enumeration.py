"""All equilibria of a small game of two players, by enumerating supports.

Dickhaut and Kaplan (1993), "A program for finding Nash equilibria"; Porter, Nudelman and Shoham
(2008), "Simple search methods for finding a Nash equilibrium". In the reduced normal form, for each
pair of supports of one size, two systems of linear equations make each player indifferent among the
plans of the support. Their solution is an equilibrium if all probabilities are positive, and if no
other plan pays more.

In a *nondegenerate* game no mixture has more best responses than plans. Such a game has finitely
many equilibria, and this finds all of them. In a degenerate game there may be further ones, and
`Equilibria.is_degenerate` says so.
"""

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from hiddenhand import clock
from hiddenhand.errors import TooLargeError
from hiddenhand.jit.arrays import Floats
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.solvers.solution import Solution, solution
from hiddenhand.trees.profile import normalised
from hiddenhand.trees.reduced_normal_form import NormalForm

MOST_PAIRS: Final = 200_000
"""The most pairs of supports that are tried."""
_TOLERANCE: Final = 1e-9  # in units of the largest payoff


@dataclass(frozen=True)
class Equilibria:
    """The equilibria of a game.

    found: each as a `Solution`, that with the largest sum of payoffs first.
    mixtures: of each the probabilities of the plans, ``float64[N_p]`` for each player.
    is_degenerate: whether there may be further equilibria.
    """

    found: tuple[Solution, ...]
    mixtures: tuple[tuple[Floats, Floats], ...]
    is_degenerate: bool


def num_pairs(plans: tuple[int, int]) -> int:
    """How many pairs of supports of one size there are."""
    first, second = plans
    return sum(math.comb(first, k) * math.comb(second, k) for k in range(1, min(plans) + 1))


def enumerate_supports(form: NormalForm, progress: Progress = SILENT) -> Equilibria:
    """The equilibria of a game. Raises TooLargeError if there are too many pairs of supports."""
    began, (rows, columns) = clock.now(), form.payoffs.shape[1:]
    pairs = num_pairs((rows, columns))
    if pairs > MOST_PAIRS:
        raise TooLargeError(
            f"{form.tree.game} has {pairs:,} pairs of supports, and at most {MOST_PAIRS:,} are "
            "tried for Nash equilibria"
        )
    unit = float(np.abs(form.payoffs).max()) or 1.0
    ours, theirs = form.payoffs[0] / unit, form.payoffs[1].T / unit
    mixtures = list[tuple[Floats, Floats]]()
    tried, is_degenerate = 0, False
    for size in range(1, min(rows, columns) + 1):
        for own in combinations(range(rows), size):
            for other in combinations(range(columns), size):
                tried += 1
                x = _making_indifferent(theirs, own, other)
                y = None if x is None else _making_indifferent(ours, other, own)
                if x is None or y is None:
                    continue
                best_own, best_other = _best(ours @ y), _best(theirs @ x)
                if not {*own} <= best_own or not {*other} <= best_other:
                    continue
                is_degenerate |= len(best_own) > size or len(best_other) > size
                if not any(_equal((x, y), known) for known in mixtures):
                    mixtures.append((x, y))
            progress.update(Report(tried, pairs, "pairs of supports"))
    solved = [
        (_as_solution(form, mixture, len(mixtures), clock.now() - began), mixture)
        for mixture in mixtures
    ]
    solved.sort(key=lambda one: -sum(one[0].values))
    return Equilibria(
        tuple(one for one, _ in solved), tuple(mixture for _, mixture in solved), is_degenerate
    )


def _making_indifferent(
    payoffs: Floats, own: tuple[int, ...], other: tuple[int, ...]
) -> Floats | None:
    """The mixture over the plans ``own`` against which the other player earns the same with each
    plan of ``other``; None if there is none, or more than one.

    payoffs: ``float64[N_other, N_own]``, of the other player.
    """
    size = len(own)
    system = np.zeros((size + 1, size + 1))
    system[:size, :size] = payoffs[np.ix_(other, own)]
    system[:size, size] = -1.0
    system[size, :size] = 1.0
    right = np.zeros(size + 1)
    right[size] = 1.0
    try:
        answer = np.linalg.solve(system, right)[:size]
    except np.linalg.LinAlgError:
        return None
    if not (answer > _TOLERANCE).all():
        return None
    mixture = np.zeros(payoffs.shape[1])
    mixture[list(own)] = answer / answer.sum()
    return mixture


def _best(values: Floats) -> set[int]:
    """The plans that pay most."""
    return set(np.flatnonzero(values >= values.max() - _TOLERANCE).tolist())


def _equal(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> bool:
    return all(np.allclose(a, b, atol=1e-7) for a, b in zip(one, other, strict=True))


def _as_solution(
    form: NormalForm, mixture: tuple[Floats, Floats], number: int, seconds: float
) -> Solution:
    """A pair of mixtures as a profile: behaviour strategies with the same probabilities."""
    weights = sum(
        (part @ plans for part, plans in zip(mixture, form.plans, strict=True)),
        np.zeros(form.tree.num_sequences),
    )
    profile = normalised(form.tree, weights)
    return solution(form.tree, "support-enumeration", profile, number, seconds)
