"""Answers the messages of a page about the lab, and about a match that is over."""

from collections.abc import Callable
from logging import getLogger
from threading import Event as Flag
from threading import Thread

from hiddenhand.errors import HiddenhandError, OptionError
from hiddenhand.games.history import History
from hiddenhand.web.catalogue import verified_player
from hiddenhand.web.hall import Hall
from hiddenhand.web.hand_history import hand_history
from hiddenhand.web.lab import Lab
from hiddenhand.web.lab_work import Work
from hiddenhand.web.match import Stopped
from hiddenhand.web.messages import Message
from hiddenhand.web.review import review
from hiddenhand.web.setup import PERSON
from hiddenhand.web.table import Table
from hiddenhand.web.views import Plain

LAB: tuple[str, ...] = ("lab", "lab_open", "lab_look", "lab_stop", "lab_forget")
"""The kinds of messages that `LabDesk` answers."""


class LabDesk:
    """Answers the messages of one page about the lab.

    hall: the server's tables, and its lab.
    send: sends a frame to the page; may be called from any thread.
    """

    def __init__(self, hall: Hall, send: Callable[[Plain], None]) -> None:
        self._hall, self._send = hall, send

    def do(self, message: Message) -> None:
        """Answer a message. Raises HiddenhandError for a message that the desk refuses."""
        lab = self._lab()
        match message["type"]:
            case "lab":
                lab.join(self._send)
            case "lab_open":
                work = Work(
                    message["kind"],
                    message["game"],
                    tuple(message["players"]),
                    float(message["seconds"]),
                    message["matches"] or 0,
                    message["seed"] or 0,
                )
                self._send({"type": "lab_opened", "run": lab.open(work).name})
            case "lab_look":
                lab.look(message["run"], self._send)
            case "lab_stop":
                lab.stop(message["run"])
            case "lab_forget":
                lab.forget(message["run"])

    def leave(self) -> None:
        """Forget a page that has closed. Its experiments continue."""
        if self._hall.lab is not None:
            self._hall.lab.leave(self._send)

    def _lab(self) -> Lab:
        if self._hall.lab is None:
            raise OptionError("this server runs no lab; start one with hiddenhand serve")
        return self._hall.lab


class ReviewDesk:
    """Reviews a match that is over for one page, in a thread.

    hall: the server's tables.
    send: sends a frame to the page; may be called from any thread.
    """

    def __init__(self, hall: Hall, send: Callable[[Plain], None]) -> None:
        self._hall, self._send = hall, send
        self._stop = Flag()

    def begin(self, history: History, message: Message) -> None:
        """Begin a review of a match, and end the one before."""
        player = message["player"] or ""
        if player:
            player = verified_player(player, self._hall.allowed)
        if player == PERSON:
            raise OptionError(f"{PERSON} is not allowed here; name a bot")
        if player and not message["seconds"] > 0:
            raise OptionError("seconds=0 is not allowed; give a number above 0, for each move")
        self.leave()
        self._stop = stop = Flag()
        work = (history, bool(message["exact"]), player, message["seconds"], stop)
        Thread(target=self._look, args=work, daemon=True).start()

    def leave(self) -> None:
        """End the review."""
        self._stop.set()

    def _look(self, history: History, exact: bool, player: str, seconds: float, stop: Flag) -> None:
        def say(found: Plain) -> None:
            if not stop.is_set():
                self._send({"type": "review", **found})

        try:
            review(history, exact, player, seconds, say, stop.is_set)
        except Stopped:
            pass
        except HiddenhandError as error:
            say({"state": "failed", "why": str(error)})
        except Exception:
            getLogger("hiddenhand.web").exception("a review ended by a defect")
            say({"state": "failed", "why": "the program has a defect; see the log of the server"})


def told_hand(table: Table, masked: bool) -> Plain:
    """The hand history of a match of poker, for a page. Raises OptionError for other games."""
    names = [seat.player for seat in table.setup.seats]
    if masked:
        names = [f"Player {number}" for number in range(1, len(names) + 1)]
    return {"type": "hand_history", "text": hand_history(table.history(), names, table.place)}
