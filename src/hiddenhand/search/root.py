"""What a strategy does at the first decision of a game: for reports and for people."""

from dataclasses import dataclass
from typing import Final

from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History
from hiddenhand.games.rule_errors import explained
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.trees.strategy import Strategy

_MOST: Final = 5000  # histories looked at: a game may begin with more deals than anybody wants to read


@dataclass(frozen=True)
class FirstDecision:
    """``player`` sees ``information`` and plays the actions named in ``probabilities``; the strategy may not have ``known`` it."""

    player: int
    information: str
    probabilities: dict[str, float]
    known: bool


def root_strategy(game: Game, strategy: Strategy) -> list[FirstDecision]:
    """What ``strategy`` does in the information sets in which the first decision can be made; uniform where it does not know."""
    decisions = {}
    for history in _first_decisions(as_sequential(game)):
        key = history.information_key
        if key not in decisions:
            decisions[key] = _decision(history, strategy)
    return list(decisions.values())


def _first_decisions(game: Game) -> list[History]:
    """The histories reached by chance alone in which a player moves, as far as `_MOST` histories go."""
    found, stack, seen = [], [History(game)], 0
    while stack and seen < _MOST:
        history = stack.pop()
        seen += 1
        if history.player >= 0:
            found.append(history)
        elif history.player == CHANCE:
            stack.extend(history.child(outcome) for outcome, _ in reversed(history.chance_outcomes()))
    return found


def _decision(history: History, strategy: Strategy) -> FirstDecision:
    player, game = history.player, history.game
    actions = history.legal_actions()
    known = strategy.at(history.information_key)
    probabilities = [1.0 / len(actions)] * len(actions) if known is None else [float(p) for p in known]
    with explained(history):
        names = [game.action_name(history.state, player, action) for action in actions]
        picture = game.render(history.state, player)
    return FirstDecision(player, picture, dict(zip(names, probabilities, strict=True)), known is not None)
