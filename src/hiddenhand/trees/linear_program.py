"""An exact equilibrium of a two-player zero-sum game: the sequence-form linear program.

Koller, Megiddo and von Stengel (1996), "Efficient computation of equilibria for extensive
two-person games". With

x [S_0]    realisation plan of player 0: E x = e, that is x(empty) = 1 and in each information set
           the entries sum to that of the sequence before
A          A(s, t): chance-weighted payoff of player 0, summed over the terminal histories whose
           last sequences are s and t
F          what E is for player 0, for player 1
v          for each information set of player 1 what it is worth to player 0 when player 1 responds
           best; v_0 for the whole game

maximise v_0 subject to F^T v <= A^T x, E x = e, x >= 0. The dual variables of the inequalities are
an optimal realisation plan of player 1, so one program gives both strategies. HiGHS solves it.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import scipy  # which loads its parts when they are first used

from hiddenhand import clock
from hiddenhand.compiled.arrays import Floats
from hiddenhand.errors import SolverError
from hiddenhand.games.base import verify_constant_sum
from hiddenhand.trees.profile import normalised
from hiddenhand.trees.solution import Solution, solution
from hiddenhand.trees.tree import GameTree

TOLERANCE: Final = 1e-9  # of nash_conv, in units of the largest payoff


def solve_lp(tree: GameTree) -> Solution:
    """An exact equilibrium of ``tree``, checked by best responses: nash_conv is at most 1e-9 times
    the largest payoff.

    Raises GameError if the game is not zero-sum for two players, SolverError if HiGHS finds no
    solution or the check fails.
    """
    verify_constant_sum(tree.game, "the linear program", "cfr")
    began = clock.now()
    largest = float(np.abs(tree.utility).max()) or 1.0
    program = sequence_program(tree, largest)
    answer = _highs(program)
    if answer.status != 0:
        raise SolverError(
            f"HiGHS found no solution of the linear program of {tree.game}: {answer.message}"
        )
    weights = np.zeros(tree.num_sequences)
    weights[program.own[0]] = np.maximum(answer.x[: program.own[0].size], 0.0)
    weights[program.own[1]] = np.maximum(-answer.ineqlin.marginals, 0.0)
    solved = solution(tree, "lp", normalised(tree, weights), int(answer.nit), clock.now() - began)
    if not solved.nash_conv <= TOLERANCE * largest:
        raise SolverError(
            f"the linear program of {tree.game} was solved only to a nash_conv of "
            f"{solved.nash_conv:.3g}; use cfr with a target"
        )
    return solved


@dataclass(frozen=True)
class Program:
    """own: the sequences of each player; payoff: A; constraints: E and F."""

    own: tuple[Any, Any]
    payoff: "scipy.sparse.csc_array"
    constraints: "tuple[scipy.sparse.csc_array, scipy.sparse.csc_array]"


def sequence_program(tree: GameTree, unit: float) -> Program:
    """The program with payoffs in units of ``unit``: the tolerances of HiGHS are absolute."""
    own = tuple(np.flatnonzero(tree.sequence_player == p) for p in range(2))
    column = np.zeros(tree.num_sequences, np.int64)  # of each sequence among those of its player
    for sequences in own:
        column[sequences] = np.arange(sequences.size)
    rows, columns = column[tree.terminal_sequence].T
    payoff = scipy.sparse.coo_array(
        (tree.terminal_chance * tree.utility[:, 0] / unit, (rows, columns)),
        shape=(own[0].size, own[1].size),
    )
    return Program(
        (own[0], own[1]),
        payoff.tocsc(),
        (plan_constraints(tree, 0, column), plan_constraints(tree, 1, column)),
    )


def plan_constraints(tree: GameTree, player: int, column: Any) -> "scipy.sparse.csc_array":
    """E: a row for the empty sequence, then a row for each information set, its sequences minus the
    one before.
    """
    sets = tree.sets_of(player)
    set_row = np.zeros(tree.num_sets, np.int64)
    set_row[sets] = 1 + np.arange(sets.size)
    within = np.flatnonzero((tree.sequence_player == player) & (tree.sequence_set >= 0))
    rows = np.concatenate([[0], set_row[tree.sequence_set[within]], set_row[sets]])
    columns = np.concatenate([[0], column[within], column[tree.set_parent[sets]]])
    entries = np.concatenate([[1.0], np.ones(within.size), -np.ones(sets.size)])
    return scipy.sparse.coo_array(
        (entries, (rows, columns)), shape=(1 + sets.size, 1 + within.size)
    ).tocsc()


def _highs(program: Program) -> Any:
    """Minimise -v_0 over (x, v)."""
    plans, responses = program.constraints
    num_x, num_v = plans.shape[1], responses.shape[0]
    cost: Floats = np.zeros(num_x + num_v)
    cost[num_x] = -1.0
    right = np.zeros(plans.shape[0])
    right[0] = 1.0
    return scipy.optimize.linprog(
        cost,
        A_ub=scipy.sparse.hstack([-program.payoff.T, responses.T]).tocsc(),
        b_ub=np.zeros(responses.shape[1]),
        A_eq=scipy.sparse.hstack([plans, scipy.sparse.csc_array((plans.shape[0], num_v))]).tocsc(),
        b_eq=right,
        bounds=[(0, None)] * num_x + [(None, None)] * num_v,
        method="highs",
    )
