"""MMD search word for word: recursive rollouts on histories, and one exact step on a game that is
written out. The rollouts draw their random numbers in the order in which the compiled ones do.
"""

import numpy as np
from naive.xoshiro import Xoshiro

from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import History
from hiddenhand.jit.arrays import Floats, Indices
from hiddenhand.trees.profile import counterfactual_values, reach_probabilities
from hiddenhand.trees.strategy import Strategy
from hiddenhand.trees.tree import GameTree


def rollouts(
    starts: list[History], cumulative: Floats, blueprint: Strategy | None, rng: Xoshiro, count: int
) -> list[list[float]]:
    """The payoffs of the decider after each action, of so many rollouts."""
    found: list[list[float]] = [[] for _ in starts[0].legal_actions()]
    start = starts[0]
    for number in range(count):
        a = number % len(found)
        if a == 0:
            r = rng.uniform()
            start = starts[next(i for i, total in enumerate(cumulative) if r < total)]
        end = played_on(start.child(start.legal_actions()[a]), blueprint, rng)
        found[a].append(end.returns()[start.player])
    return found


def played_on(history: History, blueprint: Strategy | None, rng: Xoshiro) -> History:
    if history.is_terminal:
        return history
    if history.player == CHANCE:
        outcomes = history.chance_outcomes()
        moves, chances = [move for move, _ in outcomes], [p for _, p in outcomes]
    else:
        moves = history.legal_actions()
        known = None if blueprint is None else blueprint.at(history.information_key)
        if known is None:
            return played_on(history.child(moves[int(rng.uniform() * len(moves))]), blueprint, rng)
        chances = list(known)
    return played_on(history.child(moves[rng.draw(chances)]), blueprint, rng)


def exact_values(tree: GameTree, profile: Floats, number: int) -> Floats:
    """What each action of an information set earns on average, when all play ``profile``."""
    player = int(tree.set_player[number])
    own = slice(int(tree.set_start[number]), int(tree.set_start[number + 1]))
    reach = reach_probabilities(tree, profile)
    others = np.delete(reach, player, axis=1).prod(axis=1)
    total = others[histories_of(tree, number)].sum()
    return np.asarray(counterfactual_values(tree, profile, player)[own] / total)


def histories_of(tree: GameTree, number: int) -> Indices:
    return np.flatnonzero(tree.information_set == number)


def exact_step(q: Floats, blueprint: Floats, magnet: Floats, eta: float, alpha: float) -> Floats:
    """The papers' form of the step."""
    powers = (blueprint * np.exp(eta * q) * magnet ** (alpha * eta)) ** (1 / (1 + alpha * eta))
    return np.asarray(powers / powers.sum())
