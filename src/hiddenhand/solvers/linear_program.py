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

The tolerances of HiGHS are absolute, some 1e-7. So payoffs are in units of the largest one. Where
that leaves regrets, because payoffs or probabilities differ by many powers of ten, the program is
equilibrated: each row of F^T v <= A^T x, and each v, is in units of what is at stake at its
information set (see `stakes`). Then its solution is refined in extended precision
(`solvers.lp_refinement`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from hiddenhand import clock
from hiddenhand.errors import SolverError
from hiddenhand.games.base import verify_constant_sum
from hiddenhand.jit.arrays import Floats, Indices
from hiddenhand.solvers.highs import LinearProgram, Matrix, Optimum, beside, optimum
from hiddenhand.solvers.lp_refinement import refined
from hiddenhand.solvers.solution import Solution, solution
from hiddenhand.trees.profile import normalised
from hiddenhand.trees.stakes import Stakes, stakes_of, worst_regret
from hiddenhand.trees.tree import GameTree

TOLERANCE: Final = 1e-9  # of nash_conv and of regrets, in units of what is at stake
_SOUGHT: Final = 1e-12  # regrets, in the same unit, above which a solution is refined
_REFUSED: Final = 1e-3  # a nash_conv above this, in the same unit, is that of no solution
_SEEN: Final = 1e-8  # the least entry in the row of another set that HiGHS surely sees
_CORRECTIONS: Final = 5  # how often a solution is refined at most


def solve_lp(tree: GameTree) -> Solution:
    """An exact equilibrium of ``tree``, checked by best responses: nash_conv is at most 1e-9 times
    what is at stake, which is at most the largest payoff. Where errors of rounding keep it above
    that, `Solution.fell_short` is true.

    Raises GameError if the game is not zero-sum for two players, SolverError if HiGHS finds no
    solution, or one that is far from an equilibrium.
    """
    return solved_program(tree)[0]


def solved_program(tree: GameTree) -> "tuple[Solution, Program]":
    """What `solve_lp` returns, and the program that led to it."""
    verify_constant_sum(tree.game, "the linear program", "cfr")
    began, stakes = clock.now(), stakes_of(tree)
    least, best = np.inf, None
    for program, profile, iterations in _attempts(tree, stakes):
        regret = worst_regret(tree, stakes, profile)
        if regret < least:
            least, best = regret, (program, profile, iterations)
        if regret <= _SOUGHT:
            break
    assert best is not None  # or an error was raised
    program, profile, iterations = best
    solved = solution(tree, "lp", profile, iterations, clock.now() - began)
    if not solved.nash_conv <= _REFUSED * (stakes.game or 1.0):
        raise SolverError(
            f"the linear program of {tree.game} was solved only to a nash_conv of "
            f"{solved.nash_conv:.3g}; use cfr with a target"
        )
    target = TOLERANCE * stakes.game
    return (replace(solved, target=target) if solved.nash_conv > target else solved), program


def _attempts(tree: GameTree, stakes: Stakes) -> "Iterator[tuple[Program, Floats, int]]":
    """Programs and profiles that solve them, with the iterations that it took: the plain program,
    the equilibrated one, and corrections of its solution. Raises SolverError if HiGHS solves
    neither.
    """
    said, found_any = SolverError(), False
    for units in (None, stakes):
        program = sequence_program(tree, units)
        linear = program.linear(0, program.worth(0))
        try:
            found, found_any = optimum(linear), True
        except SolverError as error:
            said = error
            continue
        yield program, _profile(tree, program, found), found.iterations
        for _ in range(_CORRECTIONS if units is not None else 0):
            corrected = refined(linear, found)
            if corrected is None:
                break
            found = corrected
            yield program, _profile(tree, program, found), found.iterations
    if not found_any:
        raise SolverError(f"HiGHS found no solution of the linear program of {tree.game}: {said}")


def _profile(tree: GameTree, program: "Program", found: Optimum) -> Floats:
    weights = np.zeros(tree.num_sequences)
    own = np.maximum(found.x[: program.own[0].size], 0.0)
    weights[program.own[0]] = own
    weights[program.own[1]] = program.plan_of_duals(0, found.of_upper)
    return normalised(tree, weights)


@dataclass(frozen=True, eq=False)
class Program:
    """The parts of the program of a game, for either player.

    own: the sequences of each player.
    payoff: A, in units of ``unit``.
    constraints: E and F.
    rows: for each player and sequence, its own row of E or F: that of its information set.
    set_units: for each player, the unit of v in each row of E or F, as a part of ``unit``.
    row_units: for each player, the unit of the inequalities of the sequences of each row of E or F.
    unit: a number of payoffs.
    """

    own: tuple[Any, Any]
    payoff: Matrix
    constraints: tuple[Matrix, Matrix]
    rows: tuple[Indices, Indices]
    set_units: tuple[Floats, Floats]
    row_units: tuple[Floats, Floats]
    unit: float

    @property
    def equilibrated(self) -> bool:
        """Whether information sets have units of their own."""
        return any((units != 1.0).any() for units in self.set_units)

    def worth(self, player: int) -> Floats:
        """``float64[n]``: the cost -v_0 of (x, v) in the program of ``player``."""
        plans, responses = self.constraints[player], self.constraints[1 - player]
        cost = np.zeros(plans.shape[1] + responses.shape[0])
        cost[plans.shape[1]] = -1.0
        return cost

    def linear(
        self,
        player: int,
        cost: Floats,
        floors: Floats | None = None,
        value: float | None = None,
    ) -> LinearProgram:
        """The program of ``player``'s plan x and of v: F^T v <= A^T x, E x = e, x >= 0. Its
        variables are (x, v in the units of sets).

        cost: ``float64[n]``, of x and of v in payoffs of ``unit``.
        floors: what is added to x, ``float64[S_p]``; nothing by default.
        value: what v_0 must be at least, in the same payoffs; None for no bound.
        """
        payoff = self.payoff if player == 0 else -self.payoff.T
        plans, responses = self.constraints[player], self.constraints[1 - player]
        units, num_x = self.set_units[1 - player], plans.shape[1]
        scale = 1.0 / self.row_units[1 - player][self.rows[1 - player]]
        floors = np.zeros(num_x) if floors is None else floors
        given = -(plans @ floors)
        given[0] += 1.0
        bound = -np.inf if value is None else value / units[0]
        sizes = np.concatenate([np.ones(num_x), units])
        return LinearProgram(
            cost=cost * sizes,
            upper=beside(-payoff.T, responses.T).scaled(scale, sizes),
            most=scale * (payoff.T @ floors),
            equal=beside(plans, Matrix.empty(plans.shape[0], units.size)),
            given=given,
            least=np.concatenate([np.zeros(num_x), [bound], np.full(units.size - 1, -np.inf)]),
        )

    def plan_of_duals(self, player: int, of_upper: Any) -> Floats:
        """The other player's plan, from the duals of the inequalities in ``player``'s program."""
        scale = 1.0 / self.row_units[1 - player][self.rows[1 - player]]
        return np.asarray(np.maximum(-of_upper * scale, 0.0) + 0.0, np.float64)  # 0 for -0


def sequence_program(tree: GameTree, stakes: Stakes | None = None) -> Program:
    """The program with payoffs in units of the largest one. With ``stakes``, they are in units of
    what is at stake in the game, and v in units of what is at stake at each information set.
    """
    unit = float(np.abs(tree.utility).max()) if stakes is None else stakes.game
    unit = unit or 1.0
    own = tuple(np.flatnonzero(tree.sequence_player == p) for p in range(2))
    column = np.zeros(tree.num_sequences, np.int64)  # of each sequence among those of its player
    for sequences in own:
        column[sequences] = np.arange(sequences.size)
    rows, columns = column[tree.terminal_sequence].T
    paid = tree.terminal_chance * tree.utility[:, 0] / unit
    units = [_units(tree, player, stakes) for player in range(2)]
    return Program(
        own=(own[0], own[1]),
        payoff=Matrix(rows, columns, paid, (own[0].size, own[1].size)),
        constraints=(plan_constraints(tree, 0, column), plan_constraints(tree, 1, column)),
        rows=(_set_rows(tree, 0), _set_rows(tree, 1)),
        set_units=(units[0][0], units[1][0]),
        row_units=(units[0][1], units[1][1]),
        unit=unit,
    )


def _set_rows(tree: GameTree, player: int) -> Indices:
    """For each sequence of ``player`` the row of its information set; 0 for the empty sequence."""
    sets = tree.sets_of(player)
    row = np.zeros(tree.num_sets + 1, np.int32)  # the last one stands for no set
    row[sets] = 1 + np.arange(sets.size)
    return row[tree.sequence_set[tree.sequence_player == player]]


def _units(tree: GameTree, player: int, stakes: Stakes | None) -> tuple[Floats, Floats]:
    """The unit of v in each row of the constraints of ``player``, and that of the inequalities of
    its sequences.

    HiGHS takes entries below 1e-9 for 0. So the unit of v is at least 1e-8 of the unit at the set
    before. The unit of inequalities lies between that of v and what is at stake.
    """
    sets = tree.sets_of(player)
    if stakes is None or not stakes.game:
        return np.ones(1 + sets.size), np.ones(1 + sets.size)
    rows = _set_rows(tree, player)
    own = np.flatnonzero(tree.sequence_player == player)
    before = rows[np.searchsorted(own, tree.set_parent[sets])]  # the row of the set before
    at_stake = np.concatenate([[1.0], stakes.sets[sets] / stakes.game])
    units = at_stake.copy()
    for row in range(1, units.size):  # sets come after those before them
        units[row] = max(units[row], _SEEN * units[before[row - 1]])
    return units, np.sqrt(units * np.maximum(at_stake, _SEEN**2 * units))


def plan_constraints(tree: GameTree, player: int, column: Any) -> Matrix:
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
    return Matrix(rows, columns, entries, (1 + sets.size, 1 + within.size))
