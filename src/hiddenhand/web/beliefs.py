"""A belief for people: the possible secrets, with the probability of each.

A belief holds the histories that fit what a seat noticed. This module groups them by the secret in
them, such as the opponent's card. `secret_from` names the secret.

The probability of a history follows from chance and from the strategies of the others. The search
has these strategies in memory; where it has none, the others choose all moves alike.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from hiddenhand.errors import OptionError
from hiddenhand.games.base import Game, State
from hiddenhand.games.history import Event
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.infoset_table import table_from_arrays
from hiddenhand.search.auto.candidates import Auto
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.table_search import TableSearch
from hiddenhand.trees.policy_report import secret_from
from hiddenhand.web.views import Plain

MOST_LISTED: Final = 12
"""The most secrets that a page lists; the others appear as one sum."""
_MOST_NAMED: Final = 3000  # histories whose secrets get a name
_LONGEST: Final = 90  # characters of a name
_ONE_RUN: Final = np.array([1, 0])  # rows that hold a number for each action, and nothing else


class ShownBelief:
    """The belief of a search, grouped by secrets.

    belief: the histories that fit what the observer noticed.
    """

    def __init__(self, belief: Belief) -> None:
        self._belief = belief
        self._names = _names(belief)

    @property
    def belief(self) -> Belief:
        """The histories that fit."""
        return self._belief

    def leaf_of(self, secret: str) -> int:
        """The number of a history with this secret. Raises OptionError if there is none."""
        if secret not in self._names:
            raise OptionError("this position has no secret of that name; choose one of the list")
        return self._names.index(secret)

    def weights(self, search: Any) -> Floats:
        """``float64[F]``: the weight of each history, if the others play as ``search`` believes."""
        return weights_of(self._belief, search)

    def shown(self, search: Any) -> Plain:
        """The probability of each secret, if the others play as ``search`` believes."""
        weights = self.weights(search)[: len(self._names)]
        sums: defaultdict[str, float] = defaultdict(float)
        for name, weight in zip(self._names, weights, strict=True):
            sums[name] += float(weight)
        total = sum(sums.values()) or 1.0
        ordered = sorted(sums.items(), key=lambda entry: (-entry[1], entry[0]))
        listed = ordered[:MOST_LISTED]
        return {
            "secrets": [{"name": name, "p": weight / total} for name, weight in listed],
            "rest": {
                "count": len(ordered) - len(listed),
                "p": sum(weight for _, weight in ordered[MOST_LISTED:]) / total,
            },
            "histories": self._belief.leaves.size,
            "is_sample": self._belief.is_sample or len(self._names) < self._belief.leaves.size,
        }


def belief_of(search: Any, observer: int, events: Sequence[Event], seconds: float) -> Belief | None:
    """The belief by which ``search`` follows a match. Makes one for a search that follows the match
    in another way. None if no history is left.

    observer: the seat of the search.
    events: what the seat noticed.
    seconds: roughly the most seconds for making a belief.
    """
    for holder in (search, getattr(search, "fallback", None)):
        found = getattr(holder, "belief", None)
        if isinstance(found, Belief) and found.is_alive:
            return found
    made = Belief(search.game, observer, cap=_MOST_NAMED)
    made.notice(events, seconds)
    return made if made.is_alive else None


def weights_of(belief: Belief, search: Any) -> Floats:
    """``float64[F]``: the probability of each history if the others play as ``search`` believes.
    They may also make rare moves, which the search itself leaves out.
    """
    if isinstance(search, Auto):
        search = search.present.plays
    if isinstance(search, TableSearch):
        return belief.modelled(search.table, search._strategy_column)
    known = search.weights()
    arrays = {
        "keys": known.keys,
        "starts": known.starts,
        "values": known.values,
        "layout": _ONE_RUN,
    }
    return belief.modelled(table_from_arrays(arrays, row_actions=belief.game.max_actions), 0)


def _names(belief: Belief) -> list[str]:
    """The secrets in the first histories of ``belief``. The histories are in no special order."""
    game, observer = belief.game, belief.observer
    states = belief.leaves.state[:_MOST_NAMED]
    return [_named(game, np.array(state), observer) for state in states]


def _named(game: Game, state: State, observer: int) -> str:
    """The secret that a state hides from ``observer``, cut to the length of a name."""
    secret = secret_from(game, state, observer)
    return secret if len(secret) <= _LONGEST else f"{secret[: _LONGEST - 1]}…"
