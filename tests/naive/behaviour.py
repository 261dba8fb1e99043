"""How good is a strategy profile, by recursion over nodes and dictionaries: slow, obvious, and
without a tree in arrays.

A behaviour is a dictionary from the key of an information set to the probability of each legal
action there.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.trees.tree import GameTree

Behaviour = dict[int, dict[int, float]]


@dataclass(frozen=True, eq=False)
class Node:
    """A history: who moves, under which key, what follows each move, chance's probabilities of the
    moves, what is paid at the end.
    """

    player: int
    key: int
    children: "dict[int, Node]"
    chance: dict[int, float]
    payoffs: tuple[float, ...]


def written_out(game: Game) -> Node:
    """All histories of ``game``, with simultaneous moves taken in turns."""
    return _node(History(as_sequential(game)))


def _node(history: History) -> Node:
    if history.is_terminal:
        return Node(history.player, 0, {}, {}, history.returns())
    if history.player == CHANCE:
        chance = dict(history.chance_outcomes())
        return Node(
            CHANCE, 0, {action: _node(history.child(action)) for action in chance}, chance, ()
        )
    return Node(
        history.player,
        history.information_key,
        {action: _node(history.child(action)) for action in history.legal_actions()},
        {},
        (),
    )


def probabilities(node: Node, behaviour: Behaviour) -> dict[int, float]:
    """The probability of each move, by chance or by ``behaviour``."""
    return node.chance if node.player == CHANCE else behaviour[node.key]


def expected(node: Node, behaviour: Behaviour) -> tuple[float, ...]:
    """What each player earns on average from ``node`` on."""
    if node.payoffs:
        return node.payoffs
    parts = [
        (p, expected(node.children[move], behaviour))
        for move, p in probabilities(node, behaviour).items()
    ]
    return tuple(
        math.fsum(p * value[player] for p, value in parts) for player in range(len(parts[0][1]))
    )


def ends(
    node: Node, path: tuple[tuple[Node, int], ...] = ()
) -> Iterator[tuple[tuple[tuple[Node, int], ...], Node]]:
    """Every end of the game, with the path to it: the nodes, and the moves made there."""
    if node.payoffs:
        yield path, node
    for move, child in node.children.items():
        yield from ends(child, (*path, (node, move)))


def counterfactual(root: Node, behaviour: Behaviour, player: int) -> dict[tuple[int, int], float]:
    """v(I, a) of each information set and action of ``player``: Eq. 1 of Lisy, Lanctot and Bowling
    (2015), for the strategy that takes a at I.

    The sum over the ends z after a at I of pi_{-i}(z[I]) pi(z[I] a, z) u_i(z).
    """
    values: dict[tuple[int, int], float] = {}
    for path, end in ends(root):
        for place, (node, move) in enumerate(path):
            if node.player == player:
                before = math.prod(
                    probabilities(n, behaviour)[m] for n, m in path[:place] if n.player != player
                )
                after = math.prod(probabilities(n, behaviour)[m] for n, m in path[place + 1 :])
                values[node.key, move] = (
                    values.get((node.key, move), 0.0) + before * after * end.payoffs[player]
                )
    return values


def best_response_value(root: Node, behaviour: Behaviour, player: int) -> float:
    """What ``player`` can earn at most if the others play ``behaviour``."""
    weights: dict[int, list[tuple[float, Node]]] = {}
    _weigh(root, behaviour, player, 1.0, weights)
    chosen: dict[int, int] = {}

    def value(node: Node) -> float:
        if node.payoffs:
            return node.payoffs[player]
        if node.player == player:
            return value(node.children[choice(node.key)])
        return math.fsum(
            p * value(node.children[move]) for move, p in probabilities(node, behaviour).items()
        )

    def choice(key: int) -> int:
        if key not in chosen:
            moves = weights[key][0][1].children
            chosen[key] = max(
                moves,
                key=lambda move: math.fsum(
                    weight * value(node.children[move]) for weight, node in weights[key]
                ),
            )
        return chosen[key]

    return value(root)


def _weigh(
    node: Node,
    behaviour: Behaviour,
    player: int,
    weight: float,
    weights: dict[int, list[tuple[float, Node]]],
) -> None:
    """List the nodes of each information set of ``player``, each with everybody else's part in its
    probability.
    """
    if node.player == player:
        weights.setdefault(node.key, []).append((weight, node))
    for move, child in node.children.items():
        factor = 1.0 if node.player == player else probabilities(node, behaviour)[move]
        _weigh(child, behaviour, player, weight * factor, weights)


def nash_conv(root: Node, behaviour: Behaviour) -> float:
    """The sum of what the players' best responses gain over playing ``behaviour``."""
    return math.fsum(
        best_response_value(root, behaviour, player) - value
        for player, value in enumerate(expected(root, behaviour))
    )


def behaviour_of(tree: GameTree, profile: np.ndarray) -> Behaviour:
    """A profile ``float64[S]`` of a tree as a dictionary."""
    return {
        int(tree.set_key[i]): dict(
            zip(
                tree.actions_of_set(i).tolist(),
                profile[tree.set_start[i] : tree.set_start[i + 1]].tolist(),
                strict=True,
            )
        )
        for i in range(tree.num_sets)
    }


def random_profile(tree: GameTree, seed: int) -> np.ndarray:
    """A profile with some probabilities of 0, and a pure choice here and there."""
    rng = np.random.default_rng(seed)
    profile = np.ones(tree.num_sequences)
    for start, end in zip(tree.set_start[:-1], tree.set_start[1:], strict=True):
        weights = rng.exponential(size=end - start) * (rng.random(end - start) < 0.7)
        weights[rng.integers(end - start)] += 0.1
        profile[start:end] = weights / weights.sum()
    return profile
