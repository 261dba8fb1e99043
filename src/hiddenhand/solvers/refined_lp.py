"""An exact equilibrium that is also right after errors: the linear program, refined.

The linear program of `linear_program` says nothing of information sets that its equilibrium never
reaches, and of several equilibria it takes any. Here players may err. Each sequence t of a player
has at least a small probability k_t, the product of a floor for each of its actions: e, or half of
an even share where there are many actions. In the letters of `linear_program`, after the value v*
of the game is known,

maximise sum_t k_t (A^T x - F^T v)_t subject to v_0 >= v*, F^T v <= A^T x, E x = e, x >= 0

finds among all optimal plans of player 0 the one that earns most against a player 1 who errs and
otherwise responds best. Only the objective differs from the plain program, so x loses nothing
against a player 1 who never errs. The same is done for player 1. This is a one-sided refinement in
the sense of Farina and Sandholm (2021), "Equilibrium refinement for the age of machines: the
one-sided quasi-perfect equilibrium"; they weigh v_0 and the errors in one objective, and here the
errors decide only among equals.

Such a plan says nothing of sets that come only after errors of the own player. There the players
do what they do in one more program, in which both have floors: quasi-perfect equilibria after
Miltersen and Sorensen (2010), "Computing a quasi-perfect equilibrium of a two-player game". What a
player plays at these sets cannot lower what the plan earns from the start.

e cannot be arbitrarily small, because k_t must stay above what HiGHS takes for 0.
"""

from collections.abc import Callable
from dataclasses import replace
from threading import Thread
from typing import Any, Final

import numpy as np

from hiddenhand import clock
from hiddenhand.algorithm import Algorithm
from hiddenhand.errors import SolverError
from hiddenhand.games.base import verify_constant_sum
from hiddenhand.jit.arrays import Floats
from hiddenhand.solvers.highs import Optimum, optimum
from hiddenhand.solvers.linear_program import TOLERANCE, Program, solved_program
from hiddenhand.solvers.solution import Solution, solution
from hiddenhand.trees.profile import multiply_sequences, normalised
from hiddenhand.trees.stakes import stakes_of, worst_regret
from hiddenhand.trees.tree import GameTree

_LEAST: Final = 0.01  # the smallest e
_MOST: Final = 0.1  # the largest e
_SEEN: Final = 1e-8  # what the floor of the longest sequence should be at least
_AVOIDED: Final = 1e-9  # a plan with less probability than this does not come to a set
_TOLERANCE: Final = 1e-9  # of HiGHS; with less it does not find all plans that lose nothing
_TOLERANCE_OF_ERRORS: Final = 1e-10  # of HiGHS where both err


@Algorithm(
    name="lp",
    paper="Koller, Megiddo and von Stengel (1996), Efficient computation of equilibria for "
    "extensive two-person games; Farina and Sandholm (2021), Equilibrium refinement for the age "
    "of machines",
    summary="The linear program of the sequence form, solved by HiGHS; of its solutions the one "
    "that earns most from an opponent who errs.",
    games="zero-sum games of two players",
    guarantee="an exact equilibrium: nash_conv is at most 1e-9 of the largest payoff; right also "
    "after errors of the opponent, which are taken to be rare (a one-sided refinement)",
)
def solve_refined_lp(tree: GameTree) -> Solution:
    """An exact equilibrium of ``tree`` that is also right after errors: at every information set
    that a player's own plan comes to, the plan earns the most against an opponent who errs with a
    small probability, among all plans that lose nothing; elsewhere both are taken to err.

    nash_conv is at most 1e-9 times what is at stake (see `stakes`), and so are the regrets at sets
    that are reached. Where HiGHS finds no such equilibrium, the solution is that of `solve_lp`, and
    its method is "lp, not refined".

    Raises what `solve_lp` raises.
    """
    verify_constant_sum(tree.game, "the linear program", "cfr")
    began = clock.now()
    plain, program = solved_program(tree)
    stakes = stakes_of(tree)
    for error in _errors(tree):
        profile = _refined(tree, program, plain.value / program.unit, error)
        if profile is None or worst_regret(tree, stakes, profile) > TOLERANCE:
            continue
        found = solution(tree, "lp", profile, plain.iterations, clock.now() - began)
        if found.nash_conv <= TOLERANCE * stakes.game:
            return found
    return replace(plain, method="lp, not refined", seconds=clock.now() - began)


def _errors(tree: GameTree) -> list[float]:
    """The e that are tried, the best first: small, but long sequences must still be seen."""
    error = float(np.clip(_SEEN ** (1.0 / max(1, tree.sequence_length.max())), _LEAST, _MOST))
    return [error, min(2.0 * error, _MOST), _MOST]


def _floors(tree: GameTree, error: float) -> Floats:
    """``float64[S]``: k_t."""
    sizes = np.diff(tree.set_start)
    floors = np.concatenate(
        [np.ones(tree.num_players), np.repeat(np.minimum(error, 0.5 / sizes), sizes)]
    )
    multiply_sequences(tree.sequence_form, floors)
    return floors


def _refined(tree: GameTree, program: Program, value: float, error: float) -> Floats | None:
    """The refined profile for one e; None where HiGHS gives up."""
    floors = _floors(tree, error)
    first, second, erring = _at_once(
        lambda: _plan(program, 0, floors / error, value),
        lambda: _plan(program, 1, floors / error, -value),
        lambda: _both_err(program, floors),
    )
    if first is None or second is None or erring is None:
        return None
    own, after_errors = np.zeros(tree.num_sequences), np.zeros(tree.num_sequences)
    own[program.own[0]], own[program.own[1]] = first, second
    after_errors[program.own[0]], after_errors[program.own[1]] = erring
    avoided = tree.of_sets(own[tree.set_parent] < _AVOIDED)
    return np.where(avoided, normalised(tree, after_errors), normalised(tree, own))


def _plan(program: Program, player: int, floors: Floats, value: float) -> Floats | None:
    """x: of the player's plans that earn ``value``, the one that earns most from errors.

    floors: ``float64[S]``, k_t in units of e, so that single errors weigh 1.
    """
    errors = floors[program.own[1 - player]]
    errors[0] = 0.0  # of the empty sequence
    anything = np.zeros(program.own[player].size)
    found = _solve(program, player, errors, anything, value, _TOLERANCE)
    return None if found is None else np.maximum(found.x[: program.own[player].size], 0.0)


def _both_err(program: Program, floors: Floats) -> tuple[Floats, Floats] | None:
    """What both players' plans have above the floors where both have floors: the one that is
    looked for, and the other, which is the dual solution.
    """
    least, errors = floors[program.own[0]], floors[program.own[1]]
    least[0] = errors[0] = 0.0  # of the empty sequences
    found = _solve(program, 0, errors, least, None, _TOLERANCE_OF_ERRORS)
    if found is None:
        return None
    return np.maximum(found.x[: least.size], 0.0), program.plan_of_duals(0, found.of_upper)


def _solve(
    program: Program,
    player: int,
    errors: Floats,
    least: Floats,
    value: float | None,
    tolerance: float,
) -> Optimum | None:
    """Minimise -v_0 - sum_t k_t (A^T x - F^T v)_t over (x - least, v); without its first term where
    v_0 must be at least ``value``. None where HiGHS gives up.

    errors: k_t of the other player's sequences.
    least: what x must be at least.
    """
    payoff = program.payoff if player == 0 else -program.payoff.T
    cost = np.concatenate([-(payoff @ errors), program.constraints[1 - player] @ errors])
    cost[least.size] = -1.0 if value is None else 0.0
    try:
        return optimum(program.linear(player, cost, least, value), tolerance)
    except SolverError:
        return None


def _at_once(*calls: Callable[[], Any]) -> list[Any]:
    """The results of ``calls``, each made in a thread of its own: HiGHS lets several threads run at
    once. A process that has to end does not wait for them. Raises what one of them raises.
    """
    results: list[Any] = [None] * len(calls)
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            results[number] = calls[number]()
        except BaseException as error:  # is raised below, in the thread that called
            errors.append(error)

    threads = [Thread(target=work, args=(n,), daemon=True) for n in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results
