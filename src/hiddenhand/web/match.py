"""A match at a table: it can resume where it stood, reports each move, and can stop at any time.

A stop interrupts a player in the middle of a thought. The player for a person waits for an answer
in a queue, and a stop puts None there. A search reports between chunks of iterations, and a report
raises `Stopped`.
"""

from collections.abc import Callable, Mapping, Sequence
from queue import SimpleQueue
from threading import Condition
from threading import Event as Flag
from typing import Any, Final

from hiddenhand import clock
from hiddenhand.budget import Budget
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import Event, History
from hiddenhand.matches.match import Match
from hiddenhand.players.player import Decision, Player
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.web.cpu_share import Turn

_BETWEEN_LOOKS: Final = 0.05  # seconds: how late it can be to stop while a bot gets ready


class Stopped(BaseException):
    """Ends the match now. It is no Exception, so no handler takes it for an error of a player."""


class Gate:
    """Holds a match while no page shows it, and stops it."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._is_open = True
        self._is_stopped = False

    @property
    def is_open(self) -> bool:
        """Whether the match may continue."""
        return self._is_open and not self._is_stopped

    def set_open(self, is_open: bool) -> None:
        """Let the match continue, or make it wait at its next report."""
        with self._changed:
            self._is_open = is_open
            self._changed.notify_all()

    def stop(self) -> None:
        """End the match at its next report."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()

    def verify(self) -> None:
        """Raise Stopped if the match must end; never wait."""
        if self._is_stopped:
            raise Stopped

    def pass_through(self) -> float:
        """Wait until the gate is open. Returns the seconds of waiting. Raises Stopped."""
        began = clock.now()
        with self._changed:
            self._changed.wait_for(lambda: self._is_open or self._is_stopped)
            if self._is_stopped:
                raise Stopped
        return clock.now() - began


class PersonPlayer:
    """A person at a page. Another thread calls `answer` with the person's actions."""

    def __init__(self) -> None:
        self._answers: SimpleQueue[int | None] = SimpleQueue()

    def start(self, game: Game, seat: int, seed: int) -> None:
        """See `Player.start`."""

    def prepare(self, budget: Budget) -> None:
        """Do nothing: people need no preparation."""

    def answer(self, action: int | None) -> None:
        """The person's action; None ends the match."""
        self._answers.put(action)

    def act(
        self, events: Sequence[Event], legal_actions: Sequence[int], budget: Budget | None
    ) -> Decision:
        """Wait for an answer. Raises Stopped."""
        began = clock.now()
        while True:
            action = self._answers.get()
            if action is None:
                raise Stopped
            if action in legal_actions:  # else it answers an earlier turn
                break
        policy = tuple(float(legal == action) for legal in legal_actions)
        return Decision(action, policy, {}, clock.now() - began)

    def end(self, events: Sequence[Event], payoff: float) -> None:
        """Do nothing: the page shows the end."""


class WatchedSearch:
    """A search that reports to a second listener too. Everything else is the search's own."""

    def __init__(self, search: Any, listener: Progress) -> None:
        self._search = search
        self._listener = listener

    def __getattr__(self, name: str) -> Any:
        return getattr(self._search, name)

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """See `OnlineSearch.think`."""
        self._search.think(iterations, seconds, _Both(progress, self._listener))


class _Both:
    def __init__(self, first: Progress, second: Progress) -> None:
        self._first, self._second = first, second

    def update(self, report: Report) -> None:
        self._second.update(report)
        self._first.update(report)


class GateListener:
    """Stops a thinking bot or makes it wait, and passes its reports on.

    gate: where it waits and stops.
    turn: its turn at the processors. Others get it while the bot waits.
    tell: the function that gets each report.
    """

    def __init__(self, gate: Gate, turn: Turn, tell: Callable[[Report], None]) -> None:
        self._gate, self._turn, self._tell = gate, turn, tell

    def update(self, report: Report) -> None:
        """See `Progress`. Raises Stopped."""
        if self._gate.is_open:
            self._turn.share()
        else:
            self._turn.give()
            self._gate.pass_through()
            self._turn.take()
        self._tell(report)


class LateBot:
    """A bot that starts in another thread, and perhaps compiles there, while others move.

    bot: the bot.
    gate: where the match waits and stops.
    thinking: the function that gets the bot's search, if it has one, and each report.
    """

    def __init__(self, bot: Player, gate: Gate, thinking: Callable[[Any, Report], None]) -> None:
        self._bot, self._gate, self._thinking = bot, gate, thinking
        self._turn = Turn(gate.verify)
        self._is_ready = Flag()
        self._failed: Exception | None = None
        self._start: tuple[Game, int, int] | None = None

    def start(self, game: Game, seat: int, seed: int) -> None:
        """See `Player.start`. Only `get_ready` starts the bot itself."""
        self._start = game, seat, seed

    def get_ready(self) -> None:
        """Start the bot, in the thread of the caller. Raises its error if it cannot start."""
        assert self._start is not None
        try:
            self._bot.start(*self._start)
            if isinstance(self._bot, SearchPlayer):
                self._watch(self._bot)
        except Exception as error:
            self._failed = error
            raise
        finally:
            self._is_ready.set()

    def prepare(self, budget: Budget) -> None:
        """Do nothing: bots at a table do not think before the first move."""

    def act(
        self, events: Sequence[Event], legal_actions: Sequence[int], budget: Budget | None
    ) -> Decision:
        """See `Player.act`. Raises Stopped, and the error of the bot's start if it failed."""
        while not self._is_ready.wait(clock.timeout(_BETWEEN_LOOKS)):
            self._gate.pass_through()
        if self._failed is not None:
            raise self._failed
        self._turn.take()
        try:
            return self._bot.act(events, legal_actions, budget)
        finally:
            self._turn.give()

    def end(self, events: Sequence[Event], payoff: float) -> None:
        """See `Player.end`."""
        if self._is_ready.is_set() and self._failed is None:
            self._bot.end(events, payoff)

    def _watch(self, player: SearchPlayer) -> None:
        search: Any = player.search

        def tell(report: Report) -> None:
            self._thinking(search, report)

        player.search = WatchedSearch(search, GateListener(self._gate, self._turn, tell))


class TableMatch(Match):
    """A match at a table. Arguments are those of `Match`, and:

    gate: where the match waits and stops.
    moved: the function to call after each new move, with the histories before and after it.
    asking: the function to call, with the seat, before a player must move.
    pause: the function to call after a move of a player; it waits until the match may go on.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        seed: int,
        budgets: Sequence[Budget | None],
        chance_seed: int,
        gate: Gate,
        moved: Callable[[History, History], None],
        asking: Callable[[int], None],
        pause: Callable[[], None],
    ) -> None:
        super().__init__(game, players, seed, budgets, chance_seed=chance_seed)
        self._gate, self._moved, self._asking, self._pause = gate, moved, asking, pause
        self._catching_up = False

    def catch_up(self, moves: Sequence[int]) -> None:
        """Replay the earlier ``moves``, those of chance included. Chance draws as many numbers as
        it did then, so the rest of the match does not depend on the interruption.
        """
        self._catching_up = True
        for move in moves:
            if self._mover() == CHANCE:
                self._deal()
            self._advance(move)
        self._catching_up = False

    def _ask(self, seat: int) -> int:
        self._gate.pass_through()
        self._asking(seat)
        return super()._ask(seat)

    def _advance(self, move: int) -> None:
        before = self.history
        super()._advance(move)
        if not self._catching_up:
            self._moved(before, self.history)
            self._gate.pass_through()
            if before.player != CHANCE and not self.history.is_terminal:
                self._pause()


def names_of(history: History) -> Mapping[int, str]:
    """The names of the legal actions of the player to move, by action."""
    return {
        action: history.game.action_name(history.state, history.player, action)
        for action in history.legal_actions()
    }
