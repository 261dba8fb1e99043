"""What a strategy does at the first decision of a game: for reports and for people."""

from typing import Final

import numpy as np

from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.trees.policy_report import Behaviour
from hiddenhand.trees.strategy import Strategy

_MOST: Final = 5000
"""Histories that are looked at. A game may begin with more deals than anybody wants to read."""
_DRAWN: Final = 2
"""Outcomes that are drawn at a move of chance whose outcomes are not listed."""


def root_strategy(game: Game, strategy: Strategy) -> list[Behaviour]:
    """What ``strategy`` does in the information sets in which the first decision can be made. Sets
    that the strategy does not know play uniformly.
    """
    decisions = {}
    for history in _first_decisions(as_sequential(game)):
        key = history.information_key
        if key not in decisions:
            decisions[key] = strategy.behaviour(history)
    return list(decisions.values())


def _first_decisions(game: Game) -> list[History]:
    """The histories reached by chance alone in which a player moves, as far as `_MOST` histories
    go.
    """
    found, stack, seen = [], [History(game)], 0
    random = np.random.default_rng(0)
    while stack and seen < _MOST:
        history = stack.pop()
        seen += 1
        if history.player >= 0:
            found.append(history)
        elif history.player == CHANCE and not game.lists_chance:
            stack.extend(history.child(history.sample_chance(random)) for _ in range(_DRAWN))
        elif history.player == CHANCE:
            stack.extend(
                history.child(outcome) for outcome, _ in reversed(history.chance_outcomes())
            )
    return found
