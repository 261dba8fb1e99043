"""The thinking of the bots of a match, for pages that may see everything."""

from typing import Any, Final

from hiddenhand import clock
from hiddenhand.games.history import History
from hiddenhand.progress import Report
from hiddenhand.search.belief.belief import Belief
from hiddenhand.web.beliefs import ShownBelief
from hiddenhand.web.samples import sample
from hiddenhand.web.subtree import reasons
from hiddenhand.web.throttled import Throttled
from hiddenhand.web.views import Plain

_BETWEEN: Final = 0.2  # seconds between two reports of a bot that thinks


class Watching:
    """What the bots of a match think, and what they believe."""

    def __init__(self) -> None:
        self._last = dict[int, float]()
        self._beliefs = dict[int, tuple[int, Throttled]]()

    def frame(self, seat: int, search: Any, history: History, report: Report) -> Plain | None:
        """The frame about a bot that thinks; None if the last one was sent just now.

        seat: the seat of the bot, which is to move.
        search: its search.
        history: the match so far.
        """
        now = clock.now()
        if now - self._last.get(seat, 0.0) < _BETWEEN:
            return None
        self._last[seat] = now
        said = sample(search, history, report)
        said |= reasons(search, history, len(said["names"]))
        if "values" in said:
            said["ev"] = said["values"]
        belief = self._belief(seat, search, len(history.moves))
        return {"type": "bot", "seat": seat, "ply": len(history.moves), **said, **belief}

    def _belief(self, seat: int, search: Any, ply: int) -> Plain:
        """The belief by which a search follows the match, if it has one."""
        known = self._beliefs.get(seat)
        if known is None or known[0] != ply:
            found = getattr(search, "belief", None)
            if not isinstance(found, Belief) or not found.is_alive:
                return {}
            shown = ShownBelief(found)
            known = self._beliefs[seat] = ply, Throttled(lambda: shown.shown(search))
        return {"belief": known[1].value()}
