"""What a page draws on the board about a decision of a match that is over.

It is the move that the player made, how often each move is played, and what the player could
believe.
"""

from logging import getLogger
from typing import Final

from hiddenhand.games.drawing.ghosts import Ghosts, plan_on
from hiddenhand.games.history import History
from hiddenhand.games.validation.rule_errors import explained
from hiddenhand.web.judging import Judgement
from hiddenhand.web.views import Plain

_DRAWING: Final = 0.3  # seconds for the pictures of a belief


def on_the_board(before: History, judged: Judgement) -> Plain:
    """The picture of a decision, for a page. It is empty for a game that draws no scenes.

    plan: the seat, and the probability of each item that is a move; see `plan_on`.
    moved: the numbers of the items that stand for the move that was made.
    ghosts: the belief; see `Ghosts.shown`.

    before: the history at the decision.
    """
    with explained(before):
        own = before.game.picture(before.state, judged.seat)
    if own is None:
        return {}
    items = plan_on(own, judged.actions, judged.policy.tolist())
    chosen = plan_on(own, (judged.actions[judged.chosen],), (1.0,))
    shown: Plain = {"moved": [number for number, p in chosen if p > 0]}
    if items:
        shown["plan"] = {"seat": judged.seat, "items": items}
    try:
        ghosts = Ghosts(before.game, judged.seat, own, judged.states)
        shown["ghosts"] = ghosts.shown(judged.weights, _DRAWING)
    except Exception:  # of the game, which may be a game of one's own
        getLogger("hiddenhand.web").exception("the picture of a belief failed")
    return shown
