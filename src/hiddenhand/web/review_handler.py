"""Answers the messages of a page about a match that is over: its review, what bots would have done,
a new match from one of its decisions, and its hand history.

All pages of a table share one review. It works while a page waits for it, and a page that comes
later gets what was found so far.
"""

from collections.abc import Callable
from logging import getLogger
from secrets import randbits
from threading import Event as Flag
from threading import RLock, Thread
from typing import Final

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.errors import HiddenhandError, OptionError
from hiddenhand.jit.kernels import when_compiling
from hiddenhand.web.branching import dealt_anew, setup_to_retry
from hiddenhand.web.catalogue import verified_player
from hiddenhand.web.hand_history import hand_history
from hiddenhand.web.lobby import Lobby
from hiddenhand.web.match import Stopped
from hiddenhand.web.messages import Message
from hiddenhand.web.review import bot_moves, review
from hiddenhand.web.setup import PERSON
from hiddenhand.web.table import Table
from hiddenhand.web.views import Plain

REVIEW: Final = ("review", "review_stop", "ask", "retry", "hand_history")
"""The kinds of messages that `ReviewHandler` answers."""
SECONDS: Final = 0.5
"""The time of the search for each decision that it judges; rollouts take as much again."""

Send = Callable[[Plain], None]


class SharedReview:
    """The review of a match for all pages that show it.

    table: the table of the match, which is over.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._lock = RLock()
        self._frames: list[Plain] = []
        self._pages: list[Send] = []
        self._stop = Flag()
        self._is_done = False

    def join(self, page: Send) -> None:
        """Send a page what was found, and what will be. Begin to work if no page waits already."""
        with self._lock:
            if page in self._pages:
                return
            works = bool(self._pages) or self._is_done
            self._pages.append(page)
            if works:
                for frame in self._frames:
                    page(frame)
                return
            self._frames, self._stop = [], Flag()
            Thread(target=self._work, args=(self._stop,), daemon=True).start()

    def leave(self, page: Send) -> None:
        """Send no more to a page. The work ends when no page waits for it."""
        with self._lock:
            self._pages = [send for send in self._pages if send != page]
            if not self._pages:
                self._stop.set()

    def _work(self, stop: Flag) -> None:
        def say(found: Plain) -> None:
            with self._lock:
                if not stop.is_set():
                    self._is_done |= found["state"] == "done"
                    self._say({"type": "review", **found}, keep=found["state"] != "compiling")

        setup = self._table.setup
        seats = setup.people or tuple(range(len(setup.seats)))
        try:
            with when_compiling(lambda name: say({"state": "compiling"})):
                review(self._table.history(), seats, Budget(seconds=SECONDS), say, stop.is_set)
        except Stopped:
            pass
        except (HiddenhandError, MemoryError) as error:
            say({"state": "failed", "why": _why(error)})
        except Exception:
            getLogger("hiddenhand.web").exception("a review ended by a defect")
            say({"state": "failed", "why": _DEFECT})

    def _say(self, frame: Plain, keep: bool) -> None:
        if keep:
            self._frames.append(frame)
        for page in list(self._pages):
            page(frame)


_MAKING: Final = RLock()


def shared_review(table: Table) -> SharedReview:
    """The review of a table."""
    with _MAKING:
        if table.review is None:
            table.review = SharedReview(table)
        found = table.review
    assert isinstance(found, SharedReview)
    return found


class ReviewHandler:
    """Answers the messages of one page about a match that is over.

    lobby: the server's tables.
    send: sends a frame to the page; may be called from any thread.
    """

    def __init__(self, lobby: Lobby, send: Send) -> None:
        self._lobby, self._send = lobby, send
        self._review: SharedReview | None = None
        self._stop = Flag()

    def do(self, table: Table, message: Message) -> None:
        """Answer a message of a page. Raises HiddenhandError for a message that the handler
        refuses.

        table: the table of the page, whose match is over.
        """
        match message["type"]:
            case "review":
                self._review = shared_review(table)
                self._review.join(self._send)
            case "review_stop":
                self._leave_review()
                self._send({"type": "review", "state": "stopped"})
            case "ask":
                self._ask(table, message)
            case "retry":
                self._send(self._retried(table, message["ply"]))
            case "hand_history":
                self._send(told_hand(table, bool(message["masked"])))

    def leave(self) -> None:
        """End what works for this page alone."""
        self._stop.set()
        self._leave_review()

    def _leave_review(self) -> None:
        if self._review is not None:
            self._review.leave(self._send)

    def _ask(self, table: Table, message: Message) -> None:
        """Begin to ask a bot what it would have done, and stop asking the one before."""
        player = verified_player(message["player"], self._lobby.allowed)
        if player == PERSON:
            raise OptionError(f"{PERSON} is not allowed here; name a bot")
        if not message["seconds"] > 0:
            raise OptionError("seconds=0 is not allowed; give a number above 0, for each move")
        self._stop.set()
        self._stop = stop = Flag()
        Thread(
            target=self._look, args=(table, player, message["seconds"], stop), daemon=True
        ).start()

    def _look(self, table: Table, player: str, seconds: float, stop: Flag) -> None:
        def say(found: Plain) -> None:
            if not stop.is_set():
                self._send({"type": "review", **found})

        try:
            bot_moves(table.history(), player, seconds, say, stop.is_set)
        except Stopped:
            pass
        except (HiddenhandError, MemoryError) as error:
            say({"state": "unanswered", "why": _why(error)})
        except Exception:
            getLogger("hiddenhand.web").exception("a bot ended by a defect in a review")
            say({"state": "unanswered", "why": _DEFECT})

    def _retried(self, table: Table, ply: int) -> Plain:
        """The frame that sends the page to a new table, at which it plays on from a decision."""
        before = table.history(ply)
        if before.player < 0:
            raise OptionError("no player moves in this position; go to one where a player does")
        moves = dealt_anew(before, Budget(seconds=SECONDS), np.random.default_rng(randbits(64)))
        setup = setup_to_retry(table.setup, before.player)
        opened = self._lobby.opened(setup, table.game, moves, is_over=False)
        token = opened.setup.seats[before.player].token
        return {"type": "opened", "place": opened.place, "token": token}


_DEFECT: Final = "the program has a defect; see the log of the server"


def _why(error: HiddenhandError | MemoryError) -> str:
    """An error in words for a page."""
    if isinstance(error, MemoryError):
        return "there is not enough memory for this search; ask another bot"
    return str(error)


def told_hand(table: Table, masked: bool) -> Plain:
    """The hand history of a match of poker, for a page. Raises OptionError for other games."""
    names = [seat.player for seat in table.setup.seats]
    if masked:
        names = [f"Player {number}" for number in range(1, len(names) + 1)]
    return {"type": "hand_history", "text": hand_history(table.history(), names, table.place)}
