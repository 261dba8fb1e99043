"""The tree below a position as a search knows it, node by node.

The way to a node begins at a history of the search's belief. A secret selects that history, and
moves lead on from there. So a page sees what would follow from a possible secret, and never the
real one.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hiddenhand.errors import GameError
from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import History
from hiddenhand.games.validation.rule_errors import explained
from hiddenhand.jit.infoset_table import MISSING
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.online import mean_or_uniform
from hiddenhand.search.root_search import found_by
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.search.sampling.smooth_uct import SmoothUCT
from hiddenhand.search.selection.selectors import UCT
from hiddenhand.search.table_search import TableSearch
from hiddenhand.web.instant_bot import Answered
from hiddenhand.web.match import names_of
from hiddenhand.web.views import Plain


def node_below(search: Any, belief: Belief, leaf: int, way: Sequence[int]) -> Plain:
    """A node: the player to move, and for each move its name, the probability with which the search
    plays it, and the search's figures for it. Raises GameError for a way that is not legal.

    search: a search that has thought.
    belief: the belief by which it follows the match.
    leaf: the history of the belief at which the way begins.
    way: the moves from there, those of chance included.
    """
    history = History(belief.game)
    for move in (*belief.moves_to(leaf), *way):
        if history.is_terminal:
            raise GameError("the match is over before these moves end; give fewer moves")
        history = history.child(move)
    if history.is_terminal:
        return {"mover": None, "returns": list(history.returns())}
    with explained(history):
        moves = names_of(history)
    shown: Plain = {
        "mover": history.player,
        "moves": [{"action": action, "name": name} for action, name in moves.items()],
    }
    if history.player == CHANCE:
        if not history.game.lists_chance:
            return {**shown, "moves": []}
        outcomes = dict(history.chance_outcomes())
        return {**shown, "policy": [outcomes[action] for action in moves]}
    return shown | _known(search, history, len(moves))


def _known(search: Any, history: History, num_actions: int) -> Plain:
    """The strategy and the figures that a search has in memory for the end of a history."""
    if isinstance(search, Answered):
        return {"policy": search.policy_at(history.information_key)}
    if not isinstance(search, TableSearch):
        policy = found_by(search, 0.0).strategy.at(history.information_key)
        return {"policy": None if policy is None else policy.tolist()}
    row = _row(search, history)
    if row == MISSING:
        return {"policy": None}
    column = row + search._strategy_column * num_actions
    sums = search.table.values[column : column + num_actions].copy()
    known: Plain = {"policy": mean_or_uniform(sums).tolist(), "weight": float(sums.sum())}
    return known | reasons(search, history, num_actions)


def reasons(search: Any, history: History, num_actions: int) -> Plain:
    """The reasons for the strategy at the end of a history, from the table of the search. OOS has
    sums of regrets. UCT has the visits and the mean payoff of each action; without visits an action
    has no mean payoff.
    """
    row = _row(search, history) if isinstance(search, TableSearch) else MISSING
    if row == MISSING:
        return {}
    first, second = search.table.values[row : row + 2 * num_actions].copy().reshape(2, -1).tolist()
    if isinstance(search, OOS):
        return {"regrets": first}
    if not has_payoffs(search):
        return {}
    pairs = zip(first, second, strict=True)
    return {"visits": first, "values": [paid / tried if tried else None for tried, paid in pairs]}


def has_payoffs(search: Any) -> bool:
    """Whether the table of a search has visits and mean payoffs."""
    return isinstance(search, SmoothUCT) or isinstance(getattr(search, "selector", None), UCT)


def samples_of(search: Any, history: History, visits: Sequence[float] | None) -> float | None:
    """The number of samples of the strategy at the end of a history; None where the search does not
    count them.

    visits: the visits of each action, of a search that has them.
    """
    if visits is not None:
        return sum(visits)
    if not isinstance(search, OOS) or search.table.per_set == 0:
        return None
    row = _row(search, history)
    return (
        0.0
        if row == MISSING
        else float(search.table.values[row + 2 * len(history.legal_actions())])
    )


def _row(search: TableSearch, history: History) -> int:
    return int(search.table.find(np.uint64(history.information_key)))
