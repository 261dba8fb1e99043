"""One table: a match in a thread of its own, and the pages that show it.

A table sleeps until a page opens it, and plays while a page shows it. When the last page closes,
the bots stop thinking at once. Some seconds later the match goes to sleep and frees its memory. To
wake, the table replays the moves that it has written; the bots do not think again about them.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from logging import getLogger
from threading import RLock, Thread, Timer
from typing import Any, Final, Protocol

from hiddenhand import clock
from hiddenhand.budget import Budget
from hiddenhand.errors import HiddenhandError, OptionError
from hiddenhand.games.base import Game
from hiddenhand.games.history import History
from hiddenhand.jit.kernels import when_compiling
from hiddenhand.matches.narration import is_noticed
from hiddenhand.players.human import rules
from hiddenhand.players.player import Player
from hiddenhand.players.registry import make_player
from hiddenhand.progress import Report
from hiddenhand.web import views
from hiddenhand.web.catalogue import bounded, offered_bots, title_of
from hiddenhand.web.match import Gate, LateBot, PersonPlayer, Stopped, TableMatch
from hiddenhand.web.pace import Pace
from hiddenhand.web.presence import Presence
from hiddenhand.web.refusals import with_title
from hiddenhand.web.setup import Setup
from hiddenhand.web.views import ALL, PUBLIC, Onlooker, Plain
from hiddenhand.web.watching import Watching

GRACE: Final = 30.0
"""How many seconds a match without pages keeps the memory of its bots."""


class Page(Protocol):
    """A page that shows a table."""

    @property
    def onlooker(self) -> Onlooker:
        """What this page may see."""

    def send(self, frame: Plain) -> None:
        """Take a frame; may be called from any thread."""


class _Run:
    """A match that plays.

    gate: where it waits and stops.
    players: the players, as soon as they are made.
    match: the match, as soon as it has caught up.
    """

    def __init__(self) -> None:
        self.gate = Gate()
        self.players: list[Player] = []
        self.match: TableMatch | None = None

    def stop(self) -> None:
        """End the match, without waiting until it has ended."""
        self.gate.stop()
        for player in self.players:
            if isinstance(player, PersonPlayer):
                player.answer(None)


class Table:
    """A table. Its methods may be called from any thread.

    place: the name of the table in addresses.
    setup: the game, the seats and the seeds.
    game: the game, with moves in turns.
    moves: the moves so far, those of chance included.
    write: the function that keeps each new event.
    is_over: whether the match has ended.
    came: the seats of people whose page was here before.
    pace: the seconds between two moves, if only bots play.
    next: the name of the table of the next match, once there is one.
    stored: for a match of the replay file its number, and the number of matches of the file.
    review: what all pages share of the review of the match; see `SharedReview`.
    """

    def __init__(
        self,
        place: str,
        setup: Setup,
        game: Game,
        write: Callable[[Plain], None],
        moves: Sequence[int] = (),
        is_over: bool = False,
        grace: float = GRACE,
        came: Iterable[int] = (),
        pace: float = 0.0,
    ) -> None:
        self.place, self.setup, self.game = place, setup, game
        self.moves = list(moves)
        self.is_over = is_over
        self.next: str | None = None
        self.stored: tuple[int, int] | None = None
        self.review: object | None = None
        self._write, self._grace = write, grace
        self._lock = RLock()
        self._pages: list[Page] = []
        self._run: _Run | None = None
        self._bedtime: Timer | None = None
        self._status: Plain = {"type": "status", "state": "over" if is_over else "asleep"}
        self._logs: dict[Onlooker, list[str]] = {}
        self._shown: dict[Onlooker, Plain] = {}
        self._seat_asked: int | None = None
        self._watching = Watching()
        self._presence = Presence(setup.people, came, write)
        self._pace = None if setup.people else Pace(pace)

    # --- pages ---

    def onlooker(self, token: str) -> Onlooker:
        """What a page with this token may see."""
        seat = self.setup.seat_of(token)
        return self._spectator if seat is None else seat

    @property
    def _spectator(self) -> Onlooker:
        """What a page without a seat may see while the match goes on."""
        return PUBLIC if self.setup.people else ALL

    def join(self, page: Page) -> None:
        """Show the table to a page from now on, and wake it."""
        with self._lock:
            self._pages.append(page)
            self._presence.come(page.onlooker)
            if self._bedtime is not None:
                self._bedtime.cancel()
                self._bedtime = None
            page.send(self.described(page.onlooker))
            if self._run is None and not (self.is_over and self._logs):
                self._look_up()
            self._wake()
            page.send(self._status)
            self._tell_presence()
            if self._pace is not None:
                page.send(self._pace.frame())
            page.send(self._present(page.onlooker))

    def leave(self, page: Page) -> None:
        """Stop showing the table to a page. After the last page the bots stop thinking."""
        with self._lock:
            if page in self._pages:
                self._pages.remove(page)
                self._presence.set_engine(page, page.onlooker, False)
                self._tell_presence()
            if not self._pages and self._run is not None:
                self._run.gate.set_open(False)
                self._bedtime = Timer(clock.timeout(self._grace), self._fall_asleep)
                self._bedtime.daemon = True
                self._bedtime.start()
            elif not self._pages:
                self._forget_views()

    def described(self, onlooker: Onlooker) -> Plain:
        """The part of a view that does not change during the match."""
        people = self.setup.people
        return {
            "type": "table",
            "place": self.place,
            "game": self.setup.game,
            "title": title_of(self.game, self.setup.game),
            "rules": rules(self.game),
            "unit": self.game.payoff_unit,
            "players": [seat.player for seat in self.setup.seats],
            "you": onlooker if onlooker >= 0 else None,
            "sees": {PUBLIC: "public", ALL: "all"}.get(onlooker, "seat"),
            "bots": [bot["player"] for bot in offered_bots()],
            "seconds": self.setup.seconds,
            "stored": self.stored,
            "can_take_back": len(people) == 1 and len(self.setup.seats) > 1,
            "score": list(self.setup.score or (0,) * len(self.setup.seats)),
        }

    def standing(self, token: str) -> Plain:
        """How the match stands, for the list of a browser's tables on the start page. It tells the
        player to move only to that player.
        """
        with self._lock:
            seat = self.setup.seat_of(token)
            match = None if self._run is None else self._run.match
            history = self.history() if match is None else match.history
            is_mine = seat is not None and history.player == seat
            return {
                "place": self.place,
                "name": title_of(self.game, self.setup.game),
                "players": [seat.player for seat in self.setup.seats],
                "you": seat,
                "state": "over" if self.is_over else "mine" if is_mine else "waiting",
                "here": sorted({page.onlooker for page in self._pages if page.onlooker >= 0}),
            }

    def tell(self, frame: Plain) -> None:
        """Send all pages a frame that does not concern the match."""
        with self._lock:
            self._send_all(frame)

    def set_engine(self, page: Page, is_on: bool) -> None:
        """Note that a page lets an engine help its seat. If others play too, tell everybody."""
        with self._lock:
            if self._presence.set_engine(page, page.onlooker, is_on):
                self._tell_presence()

    def set_next(self, place: str) -> None:
        """Note the table of the next match."""
        with self._lock:
            self._write({"event": "again", "place": place})
            self.next = place

    def ask_for_rematch(self, seat: int) -> None:
        """Tell everybody that a seat has moved on to the next match."""
        with self._lock:
            if self._presence.ask_for_rematch(seat):
                self._tell_presence()

    def missing(self) -> list[int]:
        """The seats of people for which no page was ever opened. Their links may still be sent."""
        with self._lock:
            return self._presence.missing

    def set_pace(self, seconds: float, is_paused: bool, is_step: bool) -> None:
        """Set how fast bots play; see `Pace.set`. Raises OptionError at a table of people."""
        with self._lock:
            if self._pace is None:
                raise OptionError("only a match between bots can be paused; open a table of bots")
            self._pace.set(seconds, is_paused, is_step)
            self._send_all(self._pace.frame())

    def _tell_presence(self) -> None:
        self._send_all(self._presence.frame(page.onlooker for page in self._pages))

    def close(self) -> None:
        """End the match's thread. The moves so far stay written."""
        with self._lock:
            if self._bedtime is not None:
                self._bedtime.cancel()
            run, self._run = self._run, None
            if run is not None:
                run.stop()

    # --- what people do ---

    def act(self, seat: int, turn: int, action: int) -> None:
        """Play an action for a person. A second click may answer an earlier turn; ignore it.
        Raises OptionError for an action that is not legal now.
        """
        with self._lock:
            history = self._asked(seat, turn)
            if history is not None:
                if action not in history.legal_actions():
                    raise OptionError(
                        f"{action} is not one of your moves; choose one of those shown"
                    )
                self._answer(seat, action)

    def type_move(self, seat: int, turn: int, text: str) -> None:
        """Play a move that a person typed. Raises GameError, which lists the moves, for others."""
        with self._lock:
            history = self._asked(seat, turn)
            if history is not None:
                self._answer(seat, self.game.parse_action(history.state, seat, text))

    def take_back(self, seat: int) -> None:
        """Go back to the last decision of the only person at the table. Raises OptionError if
        there is none, or if others are there.
        """
        with self._lock:
            if self.setup.people != (seat,) or self.is_over:
                raise OptionError(
                    "moves can be taken back only against bots, and before the end of a match"
                )
            movers = self.history().movers
            own = [number for number, mover in enumerate(movers) if mover == seat]
            if not own:
                raise OptionError("there is no move of yours to take back yet; play a move first")
            self._write({"event": "took_back", "moves": own[-1]})
            self.moves = self.moves[: own[-1]]
            self._start_again()

    def history(self, ply: int | None = None) -> History:
        """The match after ``ply`` moves, or now. Raises OptionError if it has fewer moves."""
        moves = self.moves if ply is None else self.moves[:ply]
        if ply is not None and not 0 <= ply <= len(self.moves):
            raise OptionError(f"this match has {len(self.moves)} moves; there is no move {ply}")
        history = History(self.game)
        for move in moves:
            history = history.child(move)
        return history

    def _asked(self, seat: int, turn: int) -> History | None:
        """The history at which ``seat`` must move; None if the message is about another turn of
        it. Raises OptionError if it is not its turn.
        """
        match = None if self._run is None else self._run.match
        if match is not None and match.history.player == seat:
            return match.history if turn == views.turns_of(match.history, seat) else None
        if turn < views.turns_of(self.history(), seat):
            return None
        raise OptionError("it is not your turn; wait for the others")

    def _answer(self, seat: int, action: int) -> None:
        assert self._run is not None
        player = self._run.players[seat]
        assert isinstance(player, PersonPlayer)
        player.answer(action)

    # --- waking and sleeping ---

    def _wake(self) -> None:
        if self._run is not None:
            self._run.gate.set_open(True)
        elif not self.is_over:
            self._status = _playing(is_waking=True)
            self._run = _Run()
            self._start(self._run, partial(self._play, self._run))

    def _fall_asleep(self) -> None:
        with self._lock:
            self._bedtime = None  # a timer holds the table in memory
            if not self._pages:
                self.close()
                self._forget_views()

    def _forget_views(self) -> None:
        """Free what a page makes anew when it comes: most of the memory of a table."""
        self._logs, self._shown = {}, {}

    def _start_again(self) -> None:
        self.close()
        self._look_up()
        self._wake()
        self._send_all(self._status)
        for page in self._pages:
            page.send(self._present(page.onlooker))

    def _look_up(self) -> None:
        """Make the log of each onlooker up to now."""
        onlookers = {*self.setup.people, self._spectator}
        self._logs = {
            onlooker: views.log_of(self.moves, self.game, onlooker) for onlooker in onlookers
        }
        self._seat_asked, self._shown = None, {}

    def _present(self, onlooker: Onlooker) -> Plain:
        """The view of an onlooker now. The match may be a move ahead, which is not written yet."""
        if onlooker not in self._shown:
            match = None if self._run is None else self._run.match
            history = self.history() if match is None else match.history
            if len(history.moves) != len(self.moves):
                history = self.history()
            asked = self._seat_asked == onlooker
            self._shown[onlooker] = views.view(history, onlooker, self._logs[onlooker], asked)
        return self._shown[onlooker]

    def _start(self, run: _Run, work: Callable[[], None]) -> None:
        """Begin a thread of a match."""
        Thread(target=self._work, args=(run, work), daemon=True).start()

    def _work(self, run: _Run, work: Callable[[], None]) -> None:
        """Do the work of a thread of a match; turn errors into a status."""
        try:
            work()
        except Stopped:
            pass
        except HiddenhandError as error:
            title = title_of(self.game, self.setup.game)
            self._fail(run, with_title(str(error), self.game, title))
        except MemoryError:
            self._fail(run, "there is not enough memory for this bot; open a table with another")
        except Exception:
            getLogger("hiddenhand.web").exception("a match ended by a defect")
            self._fail(
                run, "the match ended because the program has a defect; see the log of the server"
            )

    def _fail(self, run: _Run, why: str) -> None:
        """Stop the match, and say why. The table tries again when a page opens it."""
        with self._lock:
            self._set_status(run, {"type": "status", "state": "failed", "why": why})
            if self._run is run:
                self._run = None
        run.stop()

    def _play(self, run: _Run) -> None:
        """Play a match to its end."""
        players = [self._player(run, number) for number in range(len(self.setup.seats))]
        match = TableMatch(
            self.game,
            players,
            self.setup.seed,
            [Budget(seconds=self.setup.seconds)] * len(players),
            self.setup.chance_seed,
            run.gate,
            moved=lambda before, after: self._moved(run, before, after),
            asking=lambda seat: self._asking(run, seat),
            pause=lambda: None if self._pace is None else self._pace.wait(run.gate),
        )
        match.start()
        with self._lock:
            self._verify_present(run)
            match.catch_up(self.moves)
            run.players, run.match = players, match
            bots = [player for player in players if isinstance(player, LateBot)]
            self._set_status(run, _playing(is_waking=bool(bots)))
        if bots:
            self._start(run, lambda: self._get_ready(run, bots))
        match.play()
        self._end(run)

    def _player(self, run: _Run, number: int) -> Player:
        seat = self.setup.seats[number]
        if seat.is_person:
            return PersonPlayer()
        bot = make_player(self.game, bounded(seat.player))

        def thinking(search: Any, report: Report) -> None:
            self._thinking(run, number, search, report)

        return LateBot(bot, run.gate, thinking)

    def _get_ready(self, run: _Run, bots: Sequence[LateBot]) -> None:
        """Let the bots compile what they need. Raises the error of a bot that cannot play."""
        names = list[str]()

        def compiling(name: str) -> None:
            names.append(name)
            self._set_status(run, _playing(is_waking=True, compiled=len(names)))

        with when_compiling(compiling):
            for bot in bots:
                bot.get_ready()
        self._set_status(run, _playing())

    def _verify_present(self, run: _Run) -> None:
        """Raise Stopped if the match was stopped, or another one has replaced it."""
        if self._run is not run:
            raise Stopped

    # --- what the match tells ---

    def _moved(self, run: _Run, before: History, after: History) -> None:
        move = after.moves[-1]
        assert isinstance(move, int)
        with self._lock:
            self._verify_present(run)
            self._write({"event": "moved", "move": move})
            self.moves.append(move)
            self._seat_asked = None
            for onlooker, log in self._logs.items():
                line = views.said(before, after, onlooker)
                if line is not None:
                    log.append(line)
                if is_noticed(after, onlooker) and not after.is_terminal:
                    self._show(after, onlooker)

    def _asking(self, run: _Run, seat: int) -> None:
        with self._lock:
            self._verify_present(run)
            assert run.match is not None
            self._seat_asked = seat
            if seat in self._logs:
                self._show(run.match.history, seat, asked=True)

    def _end(self, run: _Run) -> None:
        with self._lock:
            self._verify_present(run)
            self._write({"event": "over"})
            self.is_over, self._run = True, None
            self._status = {"type": "status", "state": "over"}
            self._look_up()
            self._send_all(self._status)
            for page in self._pages:
                page.send(self._present(page.onlooker))

    def _thinking(self, run: _Run, seat: int, search: Any, report: Report) -> None:
        """Send the thinking of a bot to all-seeing pages, some times a second."""
        with self._lock:
            watching = [page for page in self._pages if page.onlooker == ALL]
            if not watching or run.match is None or run.match.history.player != seat:
                return
            history = run.match.history
        frame = self._watching.frame(seat, search, history, report)
        if frame is not None:
            for page in watching:
                page.send(frame)

    def _show(self, history: History, onlooker: Onlooker, asked: bool = False) -> None:
        """Send an onlooker its view. Skip views that no page has open; see `_present`."""
        self._shown.pop(onlooker, None)
        pages = [page for page in self._pages if page.onlooker == onlooker]
        if pages:
            shown = views.view(history, onlooker, self._logs[onlooker], asked)
            self._shown[onlooker] = shown
            for page in pages:
                page.send(shown)

    def _set_status(self, run: _Run, status: Plain) -> None:
        with self._lock:
            if self._run is run:
                self._status = status
                self._send_all(status)

    def _send_all(self, frame: Plain) -> None:
        for page in self._pages:
            page.send(frame)


def _playing(is_waking: bool = False, compiled: int = 0) -> Plain:
    """The status of a match that goes on.

    is_waking: whether bots are still starting.
    compiled: how many kernels were compiled for that.
    """
    return {"type": "status", "state": "playing", "waking": is_waking, "compiled": compiled}
