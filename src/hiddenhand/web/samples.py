"""The results of a search so far, as plain data for a page: a point of each curve, and bars."""

from math import isfinite
from typing import Any

from hiddenhand.games.history import History
from hiddenhand.progress import Report
from hiddenhand.web.match import names_of
from hiddenhand.web.views import Plain


def sample(search: Any, history: History, report: Report) -> Plain:
    """The present strategy of ``search`` at ``history``, and figures about its thinking.

    search: a search, or another player who has a policy and ``thought``, that follows the match to
        ``history``, where its player is to move.
    report: the last report of the search.
    """
    names = names_of(history)
    return {
        "done": float(report.done),
        "unit": report.unit,
        "figures": {
            name: float(value) for name, value in search.thought().items() if isfinite(float(value))
        },
        "names": list(names.values()),
        "actions": list(names),
        "policy": [float(p) for p in search.policy(len(names))],
    }
