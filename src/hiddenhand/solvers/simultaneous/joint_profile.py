"""How good a strategy profile is in a game with simultaneous moves: best responses by one pass
backwards over the states of the game.

A profile is a ``float64[A]`` array over the actions of a `StateGraph`: in each node the
probabilities of player 0's actions, then those of player 1's; a player who does not move there has
one action, of probability 1. Nothing but the present choice is hidden. So a best response can be
found in each node alone, from what the players earn in its cells, without information sets and
without the sequence form. `nash_conv` is as in `profile`.

A profile of a graph of states plays alike however a state was reached. A strategy of the game with
moves in turns has a policy for each information set. `strategy_from_joint_profile` finds it on a
graph of the game expanded ``by_history``.
"""

from typing import Final

import numpy as np

from hiddenhand.errors import OptionError
from hiddenhand.games.base import CHANCE, SIMULTANEOUS, Game
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.arrays import Flags, Floats, Integers, places_of, starts_of
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.solvers.simultaneous.state_graph import StateGraph
from hiddenhand.trees.profile import gap
from hiddenhand.trees.strategy import Strategy, sorted_strategy

_TOLERANCE: Final = 1e-6  # how far the probabilities of a player in a node may be from summing to 1

# --- making profiles ---


def uniform_joint_profile(graph: StateGraph) -> Floats:
    """The profile ``float64[A]`` in which all actions of a player are equally likely."""
    sizes = np.diff(_segments(graph))
    return np.repeat(1.0 / np.maximum(sizes, 1), sizes)


def profile_on_histories(histories: StateGraph, states: StateGraph, profile: Floats) -> Floats:
    """A ``profile`` of the graph ``states`` as one of the graph ``histories`` of the same game: it
    plays by the state alone.
    """
    _verify_history(histories)
    order = np.argsort(states.state_key)
    node = order[np.searchsorted(states.state_key, histories.state_key, sorter=order)]
    return profile[places_of(states.first_action[node], np.diff(histories.first_action))]


def strategy_from_joint_profile(game: Game, graph: StateGraph, profile: Floats) -> Strategy:
    """The strategy, for the game with moves in turns, that plays a ``profile`` of a graph
    ``by_history``. Where a player need not notice a move, several histories are one information
    set; the first of them counts.
    """
    _verify_history(graph)
    decides, starts = np.flatnonzero(_decides(graph)), _segments(graph)
    keys, first = np.unique(graph.keys[:, :2].ravel()[decides], return_index=True)
    sizes = np.diff(starts)[decides[first]]
    return sorted_strategy(
        as_sequential(game),
        keys,
        starts_of(sizes),
        profile[places_of(starts[:-1][decides[first]], sizes)],
    )


def _segments(graph: StateGraph) -> Integers:
    """``int64[2 N + 1]``: where in a profile the actions of player p in node i begin, at ``2 i +
    p``; they end where the next begin.
    """
    starts = np.empty(2 * graph.num_nodes + 1, np.int64)
    starts[::2] = graph.first_action
    starts[1::2] = graph.first_action[:-1] + np.where(graph.mover == CHANCE, 0, graph.rows)
    return starts


def _decides(graph: StateGraph) -> Flags:
    """``bool[N, 2]``: who decides where."""
    return np.stack(
        [(graph.mover == player) | (graph.mover == SIMULTANEOUS) for player in range(2)], axis=1
    )


def _verify_history(graph: StateGraph) -> None:
    if not graph.by_history:
        raise OptionError(
            "a graph of states does not know the history, which strategies depend on; expand the "
            "game with by_history=True"
        )


# --- what profiles are worth ---


def best_joint_response_values(graph: StateGraph, profile: Floats) -> Floats:
    """``float64[2]``: what each player's best response to ``profile`` ``float64[A]`` earns."""
    return np.array([_values(graph, profile, 0)[0], -_values(graph, profile, 1)[0]])


def joint_nash_conv(graph: StateGraph, profile: Floats) -> float:
    """The sum of what the players' best responses gain, which is `nash_conv` of the same strategies
    in the game with moves in turns.

    profile: ``float64[A]``, the strategies of both players.
    """
    return gap(best_joint_response_values(graph, profile), np.zeros(2))  # payoffs sum to 0


def _values(graph: StateGraph, profile: Floats, responding: int) -> Floats:
    """``float64[N]``: what player 0 earns from each node on if player ``responding`` plays a best
    response, and the other player plays ``profile``.
    """
    _verify_profile(graph, profile)
    values = graph.payoff.copy()
    _evaluate(graph, profile, responding, values)
    return values


def _verify_profile(graph: StateGraph, profile: Floats) -> None:
    if profile.shape != (graph.num_actions,):
        raise OptionError(
            f"a profile of shape {profile.shape} does not fit this graph; it needs one number for "
            f"each of {graph.num_actions} actions"
        )
    starts = _segments(graph)
    starts = starts[:-1][np.diff(starts) > 0]
    if starts.size and not (
        np.abs(np.add.reduceat(profile, starts) - 1.0).max() <= _TOLERANCE and profile.min() >= 0.0
    ):
        raise OptionError(
            "this is no profile: probabilities must not be negative, and those of a player in a "
            "node must sum to 1"
        )


@kernel
def _evaluate(graph: StateGraph, profile: Floats, responding: int, values: Floats) -> None:
    """Write what player 0 earns from each node on into ``values``, from the last node to the first.
    Before the call ``values`` holds the payoffs at the ends.
    """
    for place in range(graph.order.size - 1, -1, -1):
        node = graph.order[place]
        m = graph.rows[node]
        if m == 0:
            continue
        first = graph.first_cell[node]
        if graph.mover[node] == CHANCE:
            total = 0.0
            for c in range(first, first + m):
                total += graph.probability[c] * values[graph.cell[c]]
            values[node] = total
            continue
        values[node] = _matrix_value(graph, profile, responding, node, values)


@inline
def _matrix_value(
    graph: StateGraph, profile: Floats, responding: int, node: int, values: Floats
) -> float:
    """The value of a node at which players move: that of the best row against y if player 0
    responds, that of the best column against x if player 1 does. Row i has probability
    ``profile[x + i]``, column j has ``profile[y + j]``.
    """
    m, n, first = graph.rows[node], graph.columns[node], graph.first_cell[node]
    x = graph.first_action[node]
    y = x + m
    if responding == 1:
        least = np.inf
        for j in range(n):
            total = 0.0
            for i in range(m):
                total += profile[x + i] * values[graph.cell[first + i * n + j]]
            least = min(least, total)
        return least
    most = -np.inf
    for i in range(m):
        total = 0.0
        for j in range(n):
            total += profile[y + j] * values[graph.cell[first + i * n + j]]
        most = max(most, total)
    return most
