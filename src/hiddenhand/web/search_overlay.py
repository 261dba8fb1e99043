"""What a page draws on the board about a search that thinks: its plan, and its belief as ghosts."""

from collections.abc import Sequence
from typing import Any, Final

from hiddenhand import clock
from hiddenhand.games.drawing.ghosts import Ghosts, plan_on
from hiddenhand.games.history import History
from hiddenhand.games.validation.rule_errors import explained
from hiddenhand.web.beliefs import ShownBelief
from hiddenhand.web.views import Plain

_BETWEEN: Final = 0.3  # the least number of seconds between two pictures of a belief
_PAUSE: Final = 5.0  # the least pause after a picture, in times of its own duration
_DRAWING: Final = 0.15  # seconds for drawing histories that were not drawn before
_DRAWING_LAST: Final = 2.0  # the same after the search has thought


class Pictured:
    """Pictures for the seat that is to move.

    history: the position.
    belief: the belief of the search, if it has one.
    """

    def __init__(self, history: History, belief: ShownBelief | None) -> None:
        self._belief = belief
        self._next = 0.0
        self._ghosts: Ghosts | None = None
        game, seat = history.game, history.player
        self._seat = seat
        with explained(history):
            self._own = game.picture(history.state, seat)
        if self._own is not None and belief is not None:
            self._ghosts = Ghosts(game, seat, self._own, belief.belief.leaves.state)

    def plan(self, actions: Sequence[int], policy: Sequence[float]) -> Plain:
        """The ``plan`` of a frame: the seat, and the items of `plan_on`. Nothing for a picture in
        which no item can be clicked.
        """
        plan = [] if self._own is None else plan_on(self._own, actions, policy)
        return {"plan": {"seat": self._seat, "items": plan}} if plan else {}

    def ghosts(self, search: Any, is_last: bool = False) -> Plain:
        """The ``ghosts`` of a frame; see `Ghosts.shown`. Nothing where no new ones are due, so that
        they take only a small part of the time.

        is_last: whether the search has thought; then new ones are due.
        """
        began = clock.now()
        if self._ghosts is None or (began < self._next and not is_last):
            return {}
        assert self._belief is not None
        seconds = _DRAWING_LAST if is_last else _DRAWING
        try:
            found = self._ghosts.shown(self._belief.weights(search), seconds)
        except Exception as error:  # of the game, which may be a game of one's own
            self._ghosts = None
            why = f"picture fails where all is shown: {type(error).__name__}: {error}"
            return {"ghosts": {"why": why}}
        self._next = clock.now() + max(_BETWEEN, _PAUSE * (clock.now() - began))
        return {"ghosts": found | {"is_sample": self._belief.belief.is_sample}}
