"""The lab: runs experiments one after the other, keeps their events, and shows them again later.

An experiment is a list of events in a `Store`, as a table is. If the server ends during one, the
lab shows the events up to then.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from logging import getLogger
from pathlib import Path
from queue import SimpleQueue
from secrets import token_urlsafe
from threading import Event as Flag
from threading import RLock, Thread
from typing import Final

from hiddenhand.errors import HiddenhandError, OptionError
from hiddenhand.jit.kernels import when_compiling
from hiddenhand.web.catalogue import Allowed, loaded, verified_game, verified_player
from hiddenhand.web.lab_work import (
    CONVERGENCE,
    Work,
    do_work,
    is_variant,
    matches_of_pair,
    read_work,
    verify_feasible,
)
from hiddenhand.web.match import Stopped
from hiddenhand.web.setup import PERSON
from hiddenhand.web.store import Event, Store
from hiddenhand.web.views import Plain

MOST_WAITING: Final = 20
"""The most experiments that may wait or run at once."""

WAITING, WORKING, DONE, STOPPED = "waiting", "working", "done", "stopped"

Send = Callable[[Plain], None]


@dataclass(eq=False)
class Piece:
    """An experiment, and its results so far.

    name: its name in addresses.
    work: what to measure or play.
    state: "waiting", "working", "done" or "stopped".
    events: the events so far.
    why: the reason why it stopped; "" if it did not.
    stop: the flag that ends the experiment.
    pages: the pages that show it.
    """

    name: str
    work: Work
    state: str = WAITING
    events: list[Event] = field(default_factory=list)
    why: str = ""
    stop: Flag = field(default_factory=Flag)
    pages: list[Send] = field(default_factory=list)

    def summary(self) -> Plain:
        """The entry of the experiment in a list."""
        return {"run": self.name, "state": self.state, "why": self.why, **self.work.written()}

    def shown(self) -> Plain:
        """The whole experiment. Of the scores of two bots, and of the standings, it holds only the
        last ones.
        """
        last: dict[object, Event] = {}
        for number, event in enumerate(self.events):
            names = {"score": ("first", "second"), "standings": ()}.get(event["event"])
            key = number if names is None else tuple(event[name] for name in names)
            last.pop(key, None)
            last[key] = event
        return {
            "type": "lab_run",
            **self.summary(),
            **_figures_of(self.work),
            "events": list(last.values()),
        }


class Lab:
    """All experiments of a server.

    store: where they are kept.
    allowed: the games and bots that pages may name besides those of the registries.
    """

    def __init__(self, store: Store, allowed: Allowed) -> None:
        self._store, self._allowed = store, allowed
        self._lock = RLock()
        self._queue: SimpleQueue[Piece | None] = SimpleQueue()
        self._lists: list[Send] = []
        kept = store.tables()
        self._pieces = {
            name: piece for name, events in kept.items() if (piece := _read(name, events))
        }
        self._counts = {name: len(events) for name, events in kept.items()}
        self._thread = Thread(target=self._work, daemon=True)
        self._thread.start()

    def open(self, work: Work) -> Piece:
        """A new experiment, which begins as soon as those before it are done. Raises
        HiddenhandError if it cannot run.
        """
        work = work.verified()
        game = verified_game(work.game, self._allowed)
        for player in work.players:
            if work.kind == CONVERGENCE and is_variant(player):
                continue
            if verified_player(player, self._allowed) == PERSON:
                raise OptionError(f"{PERSON} has no seat in the lab; name bots")
        verify_feasible(work, game)
        with self._lock:
            if sum(piece.state in (WAITING, WORKING) for piece in self._pieces.values()) >= (
                MOST_WAITING
            ):
                raise OptionError(f"{MOST_WAITING} experiments are waiting; stop one first")
            piece = Piece(token_urlsafe(9), work)
            self._pieces[piece.name] = piece
            self._keep(piece, {"event": "opened", "work": work.written()})
            self._queue.put(piece)
            self._tell_lists()
            return piece

    def piece(self, name: str) -> Piece:
        """The experiment with a name. Raises OptionError if there is none."""
        with self._lock:
            if name not in self._pieces:
                raise OptionError(
                    "there is no such experiment in this lab; choose one from the list"
                )
            return self._pieces[name]

    def stop(self, name: str) -> None:
        """Stop an experiment; its events stay."""
        piece = self.piece(name)
        piece.stop.set()
        with self._lock:
            if piece.state == WAITING:
                self._set_state(piece, STOPPED, "it was stopped")

    def forget(self, name: str) -> None:
        """Remove an experiment from the list. Raises OptionError if it waits or runs."""
        piece = self.piece(name)
        with self._lock:
            if piece.state in (WAITING, WORKING):
                raise OptionError("this experiment has not ended; stop it first")
            self._keep(piece, {"event": "forgotten"})
            del self._pieces[name]
            self._tell_lists()

    def join(self, page: Send) -> None:
        """Send a page the list of experiments, now and after each change."""
        with self._lock:
            self._lists.append(page)
            page(self._described())

    def look(self, name: str, page: Send, also: bool = False) -> None:
        """Send a page an experiment, now and after each new event.

        also: whether the page goes on to get the events of the experiments that it shows already.
        """
        piece = self.piece(name)
        with self._lock:
            if not also:
                self._look_away(page)
            if page not in piece.pages:
                piece.pages.append(page)
            page(piece.shown())

    def look_away(self, name: str, page: Send) -> None:
        """Send a page no more events of an experiment."""
        piece = self.piece(name)
        with self._lock:
            piece.pages = [send for send in piece.pages if send != page]

    def leave(self, page: Send) -> None:
        """Send no more to a page, which has closed."""
        with self._lock:
            self._lists = [send for send in self._lists if send != page]
            self._look_away(page)

    def close(self) -> None:
        """Stop all experiments, and close the file."""
        for piece in list(self._pieces.values()):
            piece.stop.set()
        self._queue.put(None)
        self._thread.join(2.0)
        self._store.close()

    def _look_away(self, page: Send) -> None:
        for piece in self._pieces.values():
            piece.pages = [send for send in piece.pages if send != page]

    def _described(self) -> Plain:
        runs = [piece.summary() for piece in reversed(self._pieces.values())]
        return {"type": "lab", "runs": runs}

    def _tell_lists(self) -> None:
        described = self._described()
        for page in self._lists:
            page(described)

    # --- in the thread that works ---

    def _work(self) -> None:
        while (piece := self._queue.get()) is not None:
            if not piece.stop.is_set():
                self._do(piece)

    def _do(self, piece: Piece) -> None:
        with self._lock:
            self._set_state(piece, WORKING)

        def compiling(name: str) -> None:
            self._tell(piece, {"event": "compiling"})

        def found(event: Event) -> None:
            self._found(piece, event)

        try:
            game = verified_game(piece.work.game, self._allowed)
            with when_compiling(compiling):
                do_work(piece.work, game, found, piece.stop.is_set)
            state, why = DONE, ""
        except Stopped:
            state, why = STOPPED, "it was stopped"
        except HiddenhandError as error:
            state, why = STOPPED, str(error)
        except MemoryError:
            state, why = (
                STOPPED,
                "there is not enough memory for this experiment; choose a smaller game",
            )
        except Exception:
            getLogger("hiddenhand.web").exception("a piece of work ended by a defect")
            state, why = STOPPED, "the program has a defect; see the log of the server"
        with self._lock:
            self._set_state(piece, state, why)

    def _found(self, piece: Piece, event: Event) -> None:
        with self._lock:
            piece.events.append(event)
            self._keep(piece, event)
            self._tell(piece, event)

    def _set_state(self, piece: Piece, state: str, why: str = "") -> None:
        piece.state, piece.why = state, why
        if state in (DONE, STOPPED):
            self._keep(piece, {"event": state, "why": why})
        self._tell(piece, {"event": "state", "state": state, "why": why})
        self._tell_lists()

    def _tell(self, piece: Piece, event: Event) -> None:
        for page in list(piece.pages):
            page({"type": "lab_event", "run": piece.name, "event": event})

    def _keep(self, piece: Piece, event: Event) -> None:
        number = self._counts.get(piece.name, 0)
        self._store.add(piece.name, number, event)
        self._counts[piece.name] = number + 1


def lab_file(tables: Path | None) -> Path | None:
    """The file of the lab, beside the file of the tables; None if these are in memory."""
    return None if tables is None else tables.with_name(f"{tables.stem}-lab{tables.suffix}")


def _figures_of(work: Work) -> Plain:
    """What payoffs are counted in, and how many matches each two bots play. The game of an old
    experiment may be gone.
    """
    unit, seats = "points", 2
    with suppress(HiddenhandError):
        game = loaded(work.game)
        unit, seats = game.payoff_unit, game.num_players
    return {"unit": unit, "each": matches_of_pair(work, seats)}


def _read(name: str, events: list[Event]) -> Piece | None:
    """The experiment that these events describe; None if it was removed from the list."""
    piece = Piece(
        name, read_work(events[0]["work"]), STOPPED, why="the server ended during the experiment"
    )
    for event in events[1:]:
        kind = event["event"]
        if kind == "forgotten":
            return None
        if kind in (DONE, STOPPED):
            piece.state, piece.why = kind, event["why"]
        else:
            piece.events.append(event)
    return piece
