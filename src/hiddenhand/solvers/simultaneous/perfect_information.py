"""The exact solution of a game in plain sight from a state on, and a choice among its best moves.

Where nothing is hidden, backward induction says what each state is worth when both players play as
well as possible. Often several moves are equally good: in a drawn position, all that hold the draw.
They are not alike against an opponent who errs. With

v(s)     what state s is worth to the player, when both play as well as possible
h(s)     the player's *hope*: what s is worth to the player when the opponent chooses at random one
         time in five, and one of the best moves otherwise, and the player makes the best moves
         that leave the largest hope
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from hiddenhand.errors import GameError
from hiddenhand.games.base import CHANCE, SIMULTANEOUS, TERMINAL, Game, State
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.kernels import kernel
from hiddenhand.progress import SILENT, Progress
from hiddenhand.solvers.simultaneous.backward_induction import solved_values
from hiddenhand.solvers.simultaneous.expansion import DEFAULT_MEMORY, expand
from hiddenhand.solvers.simultaneous.matrix_games import TOLERANCE
from hiddenhand.solvers.simultaneous.state_graph import StateGraph

ERROR: Final = 0.2
"""How often the opponent is expected to err."""


@dataclass(frozen=True)
class BestMoves:
    """What is best in a state.

    value: what the player earns from there on, when both play as well as possible.
    hope: what the player earns from an opponent who errs, see above.
    policy: ``float64[n]``, the probabilities of the n legal actions: alike for the best moves that
        leave the largest hope, 0 for all others.
    """

    value: float
    hope: float
    policy: Floats


def best_moves(
    game: Game,
    state: State,
    player: int,
    *,
    max_nodes: int,
    memory: int = DEFAULT_MEMORY,
    progress: Progress = SILENT,
) -> BestMoves:
    """What ``player`` should do in a state of a game in plain sight.

    state: ``int64[state_size]``, in which ``player`` moves.
    max_nodes: the most states that may come from there on, at least 1.
    memory: the most bytes that they may take.
    progress: receives the numbers of states found and solved so far.

    Raises TooLargeError if there are more states, and GameError if something is hidden.
    """
    graph = expand(game, max_nodes=max_nodes, memory=memory, progress=progress, root=state)
    if ((graph.mover == SIMULTANEOUS) & (graph.rows * graph.columns > 1)).any():
        raise GameError(f"{game} is not in plain sight; players choose at the same moment")
    values = solved_values(game, graph, progress)
    if player == 1:
        values = -values
    tolerance = TOLERANCE * game.max_utility
    hopes = values.copy()
    _hope(graph, values, hopes, player, tolerance)
    children = graph.cell[: graph.first_cell[1]]
    best = values[children] >= values[children].max() - tolerance
    best &= hopes[children] >= hopes[children][best].max() - tolerance
    return BestMoves(float(values[0]), float(hopes[0]), best / best.sum())


@kernel
def _hope(graph: StateGraph, values: Floats, hopes: Floats, player: int, tolerance: float) -> None:
    """Write the hope of ``player`` in each node.

    values: ``float64[N]``, what each node is worth to the player.
    hopes: ``float64[N]``; at the ends, what is paid.
    """
    for place in range(graph.order.size - 1, -1, -1):
        node = graph.order[place]
        begin, end = graph.first_cell[node], graph.first_cell[node + 1]
        if graph.mover[node] == TERMINAL:
            continue
        if graph.mover[node] == CHANCE:
            hopes[node] = 0.0
            for c in range(begin, end):
                hopes[node] += graph.probability[c] * hopes[graph.cell[c]]
            continue
        sign = 1.0 if graph.mover[node] == player else -1.0
        best = sign * values[graph.cell[begin]]
        for c in range(begin + 1, end):
            best = max(best, sign * values[graph.cell[c]])
        most, total, total_of_best, count = -np.inf, 0.0, 0.0, 0
        for c in range(begin, end):
            hope = hopes[graph.cell[c]]
            total += hope
            if sign * values[graph.cell[c]] >= best - tolerance:
                most = max(most, hope)
                total_of_best += hope
                count += 1
        if graph.mover[node] == player:
            hopes[node] = most
        else:
            mean = total / (end - begin)
            hopes[node] = ERROR * mean + (1.0 - ERROR) * total_of_best / count
