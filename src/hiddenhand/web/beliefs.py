"""A belief for people: what may be hidden, and how likely each of it is.

The histories that fit what a seat noticed are grouped by what a person would call the secret: the
opponent's card, say. It is named by `secret_from`.

A history is as likely as chance and the strategies of the others make it. The strategies are those
that the search has in memory; where it has none, the others choose all moves alike.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from hiddenhand.compiled.arrays import Floats
from hiddenhand.compiled.table import table_from_arrays
from hiddenhand.errors import OptionError
from hiddenhand.games.base import Game, State
from hiddenhand.games.history import Event
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.thinking import TableSearch
from hiddenhand.trees.behaviour import secret_from
from hiddenhand.web.views import Plain

MOST_LISTED: Final = 12
"""Secrets that are told one by one; the rest is told as a sum."""
_MOST_NAMED: Final = 3000  # histories whose secrets are looked at
_LONGEST: Final = 90  # characters of a name
_ONE_RUN: Final = np.array([1, 0])  # rows that hold a number for each action, and nothing else


class ShownBelief:
    """The belief of a search, grouped by what is hidden.

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
        """A history in which ``secret`` is hidden. Raises OptionError if there is none."""
        if secret not in self._names:
            raise OptionError("nothing of that name may be hidden here; choose one that is shown")
        return self._names.index(secret)

    def shown(self, search: Any) -> Plain:
        """How likely each secret is when the others play as ``search`` believes."""
        weights = _weights(self._belief, search)[: len(self._names)]
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
    """The belief by which ``search`` follows a match; of a search that follows it by something
    else, a belief made here. None if no history is left.

    observer: the seat of the search.
    events: what the seat noticed.
    seconds: how long it may take to make a belief, roughly.
    """
    for holder in (search, getattr(search, "fallback", None)):
        found = getattr(holder, "belief", None)
        if isinstance(found, Belief) and found.is_alive:
            return found
    made = Belief(search.game, observer, cap=_MOST_NAMED)
    made.notice(events, seconds)
    return made if made.is_alive else None


def _weights(belief: Belief, search: Any) -> Floats:
    """``float64[F]``: how likely each history is."""
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
    """What is hidden in the first histories of ``belief``; they are in no order that matters."""
    game, observer = belief.game, belief.observer
    states = belief.leaves.state[:_MOST_NAMED]
    return [_named(game, np.array(state), observer) for state in states]


def _named(game: Game, state: State, observer: int) -> str:
    """What is hidden from ``observer``, as long as a name may be."""
    secret = secret_from(game, state, observer)
    return secret if len(secret) <= _LONGEST else f"{secret[: _LONGEST - 1]}…"
