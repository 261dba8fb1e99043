"""All equilibria of a small game of two players, by enumerating supports.

Dickhaut and Kaplan (1993), "A program for finding Nash equilibria"; Avis, Rosenberg, Savani and von
Stengel (2010), "Enumeration of Nash equilibria for two-player games". The method works in the
reduced normal form, with each pair of supports of one size. A system of linear equations finds the
mixture over one support that makes the other player indifferent among the plans of the other
support. The mixture is a *corner* if all its probabilities are positive, and if no other plan pays
the other player more. Two corners are an equilibrium if the plans of each are best responses to the
other.

In a *nondegenerate* game no mixture has more best responses than plans. Such a game has finitely
many equilibria, and this finds all of them. A degenerate game may have infinitely many. They are
mixtures of those that are found here (Mangasarian 1964), and `Equilibria.is_degenerate` is true.
"""

import math
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Final, NamedTuple

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
_TOLERANCE: Final = 1e-9  # in units of the player's largest payoff


@dataclass(frozen=True)
class Equilibria:
    """The equilibria of a game.

    found: each as a `Solution`, that with the largest sum of payoffs first.
    mixtures: of each the probabilities of the plans, ``float64[N_p]`` for each player.
    is_degenerate: whether there may be further equilibria, which are mixtures of those found.
    """

    found: tuple[Solution, ...]
    mixtures: tuple[tuple[Floats, Floats], ...]
    is_degenerate: bool


class _Corner(NamedTuple):
    """A mixture that is the only one with its support against which these are best responses.

    mixture: ``float64[N_p]``, the probabilities of the plans.
    support: the plans that it plays.
    best: the plans of the other player that pay most against it.
    """

    mixture: Floats
    support: frozenset[int]
    best: frozenset[int]


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
    units = form.units
    ours, theirs = form.payoffs[0] / units[0], form.payoffs[1].T / units[1]
    first, second = dict[tuple[int, ...], list[_Corner]](), dict[tuple[int, ...], list[_Corner]]()
    tried = 0
    for size in range(1, min(rows, columns) + 1):
        for own in combinations(range(rows), size):
            for other in combinations(range(columns), size):
                tried += 1
                _add_corner(first, theirs, own, other)
                _add_corner(second, ours, other, own)
            progress.update(Report(tried, pairs, "pairs of supports"))
    found = [
        (one, two)
        for one in chain(*first.values())
        for two in chain(*second.values())
        if one.support <= two.best and two.support <= one.best
    ]
    mixtures = [(one.mixture, two.mixture) for one, two in found]
    is_degenerate = any(len(one.best) > len(one.support) for one in chain(*found))
    solved = [
        (_as_solution(form, mixture, len(mixtures), clock.now() - began), mixture)
        for mixture in mixtures
    ]
    solved.sort(key=lambda one: -sum(one[0].values))
    return Equilibria(
        tuple(one for one, _ in solved), tuple(mixture for _, mixture in solved), is_degenerate
    )


def _add_corner(
    found: dict[tuple[int, ...], list[_Corner]],
    payoffs: Floats,
    own: tuple[int, ...],
    other: tuple[int, ...],
) -> None:
    """Add the corner over the plans ``own`` that makes the other player indifferent among ``other``
    to those ``found``, by their supports, if there is one and it is new. ``payoffs``: as in
    `_making_indifferent`.
    """
    mixture = _making_indifferent(payoffs, own, other)
    if mixture is None:
        return
    best, alike = _best(payoffs @ mixture), found.setdefault(own, [])
    if best.issuperset(other) and not any(
        np.allclose(mixture, one.mixture, atol=1e-7) for one in alike
    ):
        alike.append(_Corner(mixture, frozenset(own), best))


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


def _best(values: Floats) -> frozenset[int]:
    """The plans that pay most."""
    return frozenset(np.flatnonzero(values >= values.max() - _TOLERANCE).tolist())


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
