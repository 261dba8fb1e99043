"""Backward induction: games with simultaneous moves solved exactly, one state after the other, from
the end to the beginning.

Ross (1971), "Goofspiel: the game of pure strategy"; Buro (2003), "Solving the Oshi-Zumo game"; as
BI in Bosansky, Lisy, Lanctot, Cermak and Winands (2016), "Algorithms for computing strategies in
two-player simultaneous move games". With

s        a state; the game from there on is a game of its own, since nothing but the present choice
         is hidden
A(s)     the matrix of the values of the states that the pairs of actions lead to
v(s)     the value of s to player 0: the value of the matrix game A(s); at the end, what is paid; at
         a move of chance, the mean of the values of the states that it leads to

The optimal strategies of all A(s) together are a subgame-perfect equilibrium. A state is *pure* if
A(s) has a saddle point, so that no player need mix there. The number of pure states by depth
characterises a game (Lisy 2014, thesis, Section 4.1.1).
"""

from dataclasses import dataclass

import numpy as np

from hiddenhand import clock
from hiddenhand.algorithm import Algorithm
from hiddenhand.budget import Budget
from hiddenhand.errors import SolverError
from hiddenhand.games.base import CHANCE, TERMINAL, Game, State
from hiddenhand.jit.arrays import Flags, Floats
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import kernel
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.solvers.simultaneous.expansion import DEFAULT_LIMIT, DEFAULT_MEMORY, expand
from hiddenhand.solvers.simultaneous.joint_profile import (
    joint_nash_conv,
    profile_on_histories,
    strategy_from_joint_profile,
)
from hiddenhand.solvers.simultaneous.matrix_games import (
    GAP,
    TOLERANCE,
    VALUE,
    Workspace,
    solve_game,
)
from hiddenhand.solvers.simultaneous.state_graph import StateGraph, simultaneous_form
from hiddenhand.solvers.solution import Play, Solution
from hiddenhand.trees.strategy import Strategy


@dataclass(frozen=True)
class StatesByDepth:
    """How many histories of 0, 1, 2, ... moves have a pure or a mixed state. Moves of chance are
    not counted as moves, and ends are not counted at all. Exact up to 2**53.

    pure: the histories with a pure state, for each number of moves.
    mixed: the histories with a mixed state.
    """

    pure: list[int]
    mixed: list[int]


@dataclass(frozen=True, eq=False)
class Induction:
    """What backward induction found.

    game: the game, with simultaneous moves.
    graph: the states of the game.
    values: ``float64[N]``, what player 0 earns from each node of ``graph`` on.
    profile: ``float64[A]``, the equilibrium, see `joint_profile`.
    mixed: ``bool[N]``, whether the matrix game of the node has no saddle point.
    states_by_depth: how many histories have a pure or a mixed state.
    gap: the largest difference that rounding left, in any node, between what the best replies to
        the two strategies earn.
    nash_conv: nash_conv of the profile in the whole game, in payoffs.
    seconds: how long solving took.
    """

    game: Game
    graph: StateGraph
    values: Floats
    profile: Floats
    mixed: Flags
    states_by_depth: StatesByDepth
    gap: float
    nash_conv: float
    seconds: float

    @property
    def value(self) -> float:
        """What player 0 earns on average in equilibrium."""
        return float(self.values[0])

    def strategy(
        self,
        *,
        max_nodes: int = DEFAULT_LIMIT,
        memory: int = DEFAULT_MEMORY,
        progress: Progress = SILENT,
    ) -> Strategy:
        """The equilibrium as a strategy for the game with moves in turns, which files what players
        know by history.

        Raises TooLargeError if there are more than ``max_nodes`` histories, or they take more than
        ``memory`` bytes.
        """
        histories = expand(
            self.game, by_history=True, max_nodes=max_nodes, memory=memory, progress=progress
        )
        return strategy_from_joint_profile(
            self.game, histories, profile_on_histories(histories, self.graph, self.profile)
        )


@Algorithm(
    name="induction",
    paper="Ross (1971), Goofspiel: the game of pure strategy; Buro (2003), Solving the Oshi-Zumo "
    "game",
    summary="Backward induction: a matrix game is solved at every state, from the last to the "
    "first.",
    games="zero-sum games of two players with simultaneous moves, in which nothing else is hidden",
    guarantee="an exact equilibrium, also of every part of the game",
)
def solve_by_induction(
    game: Game,
    *,
    max_nodes: int = DEFAULT_LIMIT,
    memory: int = DEFAULT_MEMORY,
    progress: Progress = SILENT,
) -> Induction:
    """A subgame-perfect equilibrium of a zero-sum game of two players in which nothing is hidden
    but what both choose at the same time.

    game: the game, with simultaneous moves or in its form with turns.
    max_nodes: the most states that are allowed, at least 1.
    memory: the most bytes that they may take.
    progress: receives the numbers of states found and solved so far.

    Raises what `expand` raises, and SolverError if rounding spoils the result.
    """
    game = simultaneous_form(game)
    began = clock.now()
    graph = expand(game, max_nodes=max_nodes, memory=memory, progress=progress)
    solution, gap = _solved(game, graph, progress)
    return Induction(
        game,
        graph,
        solution.values,
        solution.profile,
        solution.mixed,
        count_by_depth(graph, solution.mixed, game.max_depth),
        gap,
        joint_nash_conv(graph, solution.profile),
        clock.now() - began,
    )


class StatePlay(Play):
    """An equilibrium by states.

    induction: what was found.
    max_histories: how many histories are written out at most.
    """

    def __init__(self, induction: Induction, max_histories: int) -> None:
        self.game = induction.game
        self.induction = induction
        self.max_histories = max_histories

    def strategy(self, progress: Progress = SILENT) -> Strategy:
        """See `Play.strategy`. Raises TooLargeError."""
        return self.induction.strategy(max_nodes=self.max_histories, progress=progress)


def induction_solution(induction: Induction, max_histories: int = DEFAULT_LIMIT) -> Solution:
    """What ``induction`` found as a `Solution`, of which at most ``max_histories`` histories are
    written out.
    """
    return Solution(
        StatePlay(induction, max_histories),
        "induction",
        (induction.value, (induction.game.payoff_sum or 0.0) - induction.value),
        induction.nash_conv,
        iterations=0,
        seconds=induction.seconds,
    )


def solve_state(
    game: Game,
    state: State,
    *,
    max_nodes: int,
    memory: int = DEFAULT_MEMORY,
    progress: Progress = SILENT,
) -> tuple[float, Floats, Floats]:
    """Backward induction from one state of a game with simultaneous moves on.

    state: ``int64[state_size]``, in which at least one player moves.
    memory: the most bytes that the states may take.

    Returns what player 0 earns from there on, and with which probabilities the players choose among
    their legal actions in equilibrium: ``float64[R]`` and ``float64[C]``, with one entry where a
    player has nothing to choose. Raises what `solve_by_induction` raises.
    """
    graph = expand(game, max_nodes=max_nodes, memory=memory, progress=progress, root=state)
    solution, _ = _solved(game, graph, progress)
    rows, columns = int(graph.rows[0]), int(graph.columns[0])
    chosen = solution.profile[: rows + columns]
    return float(solution.values[0]), chosen[:rows], chosen[rows:]


def solved_values(game: Game, graph: StateGraph, progress: Progress = SILENT) -> Floats:
    """``float64[N]``: what player 0 earns from each node of a game's ``graph`` on. Raises
    SolverError if rounding spoils the result.
    """
    return _solved(game, graph, progress)[0].values


def _solved(game: Game, graph: StateGraph, progress: Progress) -> "tuple[_Solution, float]":
    """All nodes of a graph solved, and the largest gap. Raises SolverError."""
    tolerance = TOLERANCE * game.max_utility
    solution = _Solution.of(graph, tolerance)
    gap = _solve(solution, progress)
    if not gap <= tolerance:
        raise SolverError(
            f"rounding left a gap of {gap:.3g} in a state of {game}; use cfr with a target"
        )
    return solution, gap


@dataclass(frozen=True, eq=False)
class _Solution(Compiled):
    """What is known of the nodes of a graph so far; the last nodes are solved first.

    graph: the states.
    tolerance: two payoffs that differ by no more are equal when a saddle point is looked for.
    values: ``float64[N]``, as in `Induction`.
    profile: ``float64[A]``, as in `Induction`.
    mixed: ``bool[N]``, as in `Induction`.
    """

    graph: StateGraph
    tolerance: float
    values: Floats
    profile: Floats
    mixed: Flags

    @staticmethod
    def of(graph: StateGraph, tolerance: float) -> "_Solution":
        """Nothing is known but what is paid at the ends."""
        profile, mixed = np.zeros(graph.num_actions), np.zeros(graph.num_nodes, np.bool_)
        return _Solution(graph, tolerance, graph.payoff.copy(), profile, mixed)


def _solve(solution: _Solution, progress: Progress) -> float:
    """Solve all nodes, the last ones first; returns the largest gap."""
    graph = solution.graph
    room = Workspace.of(max(int(graph.rows.max()), 1), max(int(graph.columns.max()), 1))
    left, gap = graph.num_nodes, 0.0

    def work(count: int) -> int:
        nonlocal left, gap
        count = min(count, left)
        gap = max(gap, _solve_nodes(solution, room, left - count, left))
        left -= count
        return count

    Budget(graph.num_nodes).spend(
        work, lambda done: progress.update(Report(done, graph.num_nodes, "states solved"))
    )
    return gap


def count_by_depth(graph: StateGraph, mixed: Flags, max_depth: int) -> StatesByDepth:
    """How many histories of up to ``max_depth`` moves have a pure and a mixed node; ``mixed``,
    ``bool[N]``, says which nodes are mixed.
    """
    now = np.zeros(graph.num_nodes)
    now[0] = 1.0
    pure_counts: list[int] = []
    mixed_counts: list[int] = []
    while len(pure_counts) <= max_depth:
        after = np.zeros(graph.num_nodes)
        _count(graph, now, after)
        decides = (graph.mover != TERMINAL) & (graph.mover != CHANCE)
        counts = [int(now[decides & kind].sum()) for kind in (~mixed, mixed)]
        if not any(counts):
            break
        pure_counts.append(counts[0])
        mixed_counts.append(counts[1])
        now = after
    return StatesByDepth(pure_counts, mixed_counts)


@kernel
def _solve_nodes(solution: _Solution, room: Workspace, begin: int, end: int) -> float:
    """Solve the nodes at places ``begin .. end - 1`` of the order, the last first. Returns the
    largest gap.
    """
    graph, values, profile = solution.graph, solution.values, solution.profile
    gap = 0.0
    for place in range(end - 1, begin - 1, -1):
        node = graph.order[place]
        m, n, first = graph.rows[node], graph.columns[node], graph.first_cell[node]
        if graph.mover[node] == TERMINAL:
            continue
        if graph.mover[node] == CHANCE:
            for c in range(first, first + m):
                values[node] += graph.probability[c] * values[graph.cell[c]]
            continue
        for i in range(m):
            for j in range(n):
                room.payoffs[i, j] = values[graph.cell[first + i * n + j]]
        solution.mixed[node] = solve_game(room, m, n, solution.tolerance)
        gap = max(gap, room.found[GAP])
        values[node] = room.found[VALUE]
        start = graph.first_action[node]
        for i in range(m):
            profile[start + i] = room.x[i]
        for j in range(n):
            profile[start + m + j] = room.y[j]
    return gap


@kernel
def _count(graph: StateGraph, now: Floats, after: Floats) -> None:
    """Hand the number of histories that lead to each node on to its cells: to ``after``, or at
    chance's moves to ``now``.
    """
    for place in range(graph.order.size):
        node = graph.order[place]
        if now[node] == 0.0:
            continue
        for c in range(graph.first_cell[node], graph.first_cell[node + 1]):
            if graph.mover[node] == CHANCE:
                now[graph.cell[c]] += now[node]
            else:
                after[graph.cell[c]] += now[node]
