"""Answers the messages of a page about the lab."""

from collections.abc import Callable

from hiddenhand.errors import GameError, HiddenhandError, OptionError, PlayerError
from hiddenhand.web.lab import Lab
from hiddenhand.web.lab_work import Work
from hiddenhand.web.lobby import Lobby
from hiddenhand.web.messages import Message
from hiddenhand.web.views import Plain

LAB: tuple[str, ...] = ("lab", "lab_open", "lab_look", "lab_away", "lab_stop", "lab_forget")
"""The kinds of messages that `LabHandler` answers."""


class LabHandler:
    """Answers the messages of one page about the lab.

    lobby: the server's tables, and its lab.
    send: sends a frame to the page; may be called from any thread.
    """

    def __init__(self, lobby: Lobby, send: Callable[[Plain], None]) -> None:
        self._lobby, self._send = lobby, send

    def do(self, message: Message) -> None:
        """Answer a message. Raises HiddenhandError for a message that the handler refuses."""
        lab = self._lab()
        match message["type"]:
            case "lab":
                lab.join(self._send)
            case "lab_open":
                self._open(lab, message)
            case "lab_look":
                lab.look(message["run"], self._send, bool(message["also"]))
            case "lab_away":
                lab.look_away(message["run"], self._send)
            case "lab_stop":
                lab.stop(message["run"])
            case "lab_forget":
                lab.forget(message["run"])

    def _open(self, lab: Lab, message: Message) -> None:
        """Begin an experiment, or tell the page which of its fields is wrong."""
        work = Work(
            message["kind"],
            message["game"],
            tuple(message["players"]),
            float(message["seconds"]),
            message["matches"] or 0,
            message["seed"] or 0,
        )
        try:
            opened = lab.open(work)
        except HiddenhandError as error:
            self._send({"type": "lab_refused", "field": _field_of(error), "why": str(error)})
        else:
            self._send({"type": "lab_opened", "run": opened.name})

    def leave(self) -> None:
        """Forget a page that has closed. Its experiments continue."""
        if self._lobby.lab is not None:
            self._lobby.lab.leave(self._send)

    def _lab(self) -> Lab:
        if self._lobby.lab is None:
            raise OptionError("this server runs no lab; start one with hiddenhand serve")
        return self._lobby.lab


def _field_of(error: HiddenhandError) -> str:
    """The field of the form that an error is about: "game", "players", or "" for all the others."""
    if isinstance(error, GameError):
        return "game"
    return "players" if isinstance(error, PlayerError) else ""
