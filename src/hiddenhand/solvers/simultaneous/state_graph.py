"""All states of a game with simultaneous moves in which nothing else is hidden: a directed graph of
states, as flat arrays.

If the players know the state whenever they choose, what comes after a state does not depend on how
it was reached (Ross 1971; Buro 2003; Bosansky, Lisy, Lanctot, Cermak and Winands 2016). So a state
is one node, however many histories lead to it. All ends of the game with the same payoff are one
node, too. A node at which both players choose is a matrix of nodes: its *cells* lie row by row,
with a row for each action of player 0 and a column for each action of player 1. A node at which one
player or chance moves is a matrix of one column or one row.

A game is finite, so no state comes before itself, and the nodes can be put in order. With
``by_history`` a node is a history instead, and has the keys of what was noticed. Strategies of
searches have these keys, see `joint_profile`. `expansion` finds the nodes.

Dimensions: N nodes, C cells, A actions of both players in all nodes.
"""

from dataclasses import dataclass

import numpy as np

from hiddenhand.errors import GameError
from hiddenhand.games.base import TERMINAL, Game
from hiddenhand.games.registry import game_of
from hiddenhand.games.turn_based import TurnBased
from hiddenhand.jit.arrays import Floats, Indices, Integers, Keys, Players
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import kernel


class HiddenStateError(GameError):
    """A player may not know the state when they choose, so the game cannot be solved state by
    state.
    """


@dataclass(frozen=True, eq=False)
class StateGraph(Compiled):
    """The nodes and where they lead; node 0 is the root. Arrays are read-only.

    mover: ``int8[N]``, a player, SIMULTANEOUS, CHANCE or TERMINAL.
    rows: ``int32[N]``, the actions of player 0, or the outcomes of chance; 0 at the end.
    columns: ``int32[N]``, the actions of player 1; 0 at the end.
    first_cell: ``int64[N + 1]``, the first cell of each node.
    cell: ``int32[C]``, the node that each pair of actions leads to.
    probability: ``float64[C]``, chance's, and 1 elsewhere; empty in games without chance.
    first_action: ``int64[N + 1]``, where the probabilities of a node begin in strategies, which are
        ``float64[A]``: first those of its rows, then those of its columns.
    payoff: ``float64[N]``, what player 0 is paid, 0 where the game goes on.
    order: ``int32[N]``, the nodes such that each comes before those it leads to.
    keys: ``uint64[N, 3]`` with ``by_history``, else empty: the keys of player 0's and player 1's
        information sets, with moves in turns, and the public key.
    state_key: ``uint64[N]``, a hash of what matters of the state, see `Game.forget_past`.
    """

    mover: Players
    rows: Indices
    columns: Indices
    first_cell: Integers
    cell: Indices
    probability: Floats
    first_action: Integers
    payoff: Floats
    order: Indices
    keys: Keys
    state_key: Keys

    @property
    def num_nodes(self) -> int:
        """N."""
        return self.mover.size

    @property
    def num_actions(self) -> int:
        """A, the actions of both players in all nodes."""
        return int(self.first_action[-1])

    @property
    def by_history(self) -> bool:
        """Whether nodes are histories."""
        return self.keys.size > 0

    @property
    def num_states(self) -> int:
        """The nodes at which the game goes on."""
        return int(np.sum(self.mover != TERMINAL))


def simultaneous_form(game: Game | str) -> Game:
    """The inner game of a `TurnBased` ``game``, with simultaneous moves; any other game itself.

    game: a game or its name.
    """
    game = game_of(game)
    return game.game if isinstance(game, TurnBased) else game


def put_in_order(graph: StateGraph) -> bool:
    """Write ``order``. Returns whether that can be done: no node comes before itself."""
    return bool(_sort(graph, np.zeros(graph.num_nodes, np.int32)) == graph.num_nodes)


@kernel
def _sort(graph: StateGraph, entries: Indices) -> int:
    """Write ``order`` (Kahn 1962) and return how many nodes it has: all of them unless some node
    comes before itself.

    entries: ``int32[N]`` zeros; counts the cells that lead to each node from nodes that are not in
        order yet.
    """
    for c in range(graph.cell.size):
        entries[graph.cell[c]] += 1
    if entries[0] > 0:  # all nodes come after the root
        return 0
    done, placed = 0, 1
    graph.order[0] = 0
    while done < placed:
        node = graph.order[done]
        done += 1
        for c in range(graph.first_cell[node], graph.first_cell[node + 1]):
            child = graph.cell[c]
            entries[child] -= 1
            if entries[child] == 0:
                graph.order[placed] = child
                placed += 1
    return placed
