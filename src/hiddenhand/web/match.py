"""A match at a table: it is taken up where it stood, tells each move as it is made, and can be
stopped at any time.

Whoever plays may be stopped in the middle of a thought. A person waits for an answer in a queue,
which a stop interrupts; a search reports between chunks of iterations, and there is told to stop.
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
from hiddenhand.players.match import Match
from hiddenhand.players.player import Decision, Player
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.web.sharing import Turn

_BETWEEN_LOOKS: Final = 0.05  # seconds: how late it can be to stop while a bot gets ready


class Stopped(BaseException):
    """The match is to end now; nobody may take this for an error of a player."""


class Gate:
    """Where a match waits while nobody looks, and where it learns that it has to stop."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._is_open = True
        self._is_stopped = False

    @property
    def is_open(self) -> bool:
        """Whether a match may go on."""
        return self._is_open and not self._is_stopped

    def set_open(self, is_open: bool) -> None:
        """Let the match go on, or wait at its next report."""
        with self._changed:
            self._is_open = is_open
            self._changed.notify_all()

    def stop(self) -> None:
        """End the match at its next report."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()

    def verify(self) -> None:
        """Raise Stopped if the match is to end; never wait."""
        if self._is_stopped:
            raise Stopped

    def pass_through(self) -> float:
        """Wait until the gate is open, and return for how many seconds. Raises Stopped."""
        began = clock.now()
        with self._changed:
            self._changed.wait_for(lambda: self._is_open or self._is_stopped)
            if self._is_stopped:
                raise Stopped
        return clock.now() - began


class PersonPlayer:
    """A person at a page. Answers come from `answer`, called in another thread."""

    def __init__(self) -> None:
        self._answers: SimpleQueue[int | None] = SimpleQueue()

    def start(self, game: Game, seat: int, seed: int) -> None:
        """See `Player.start`."""

    def prepare(self, budget: Budget) -> None:
        """People think when they want to."""

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
            if action in legal_actions:  # else it was meant for an earlier move
                break
        policy = tuple(float(legal == action) for legal in legal_actions)
        return Decision(action, policy, {}, clock.now() - began)

    def end(self, events: Sequence[Event], payoff: float) -> None:
        """The page shows how it ended."""


class WatchedSearch:
    """A search that reports to a second listener as well, wherever it is asked to think. All else
    is the search's own.
    """

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
    """Stops a thinking bot, or lets it wait, and tells whoever watches it.

    gate: where it waits and stops.
    turn: its turn at the processors, which others get while it waits.
    tell: called with each report.
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
    """A bot that gets ready, which may mean to compile, while others move already.

    bot: the bot.
    gate: where the match waits and stops.
    thinking: called with the bot's search, if it has one, and each of its reports.
    """

    def __init__(self, bot: Player, gate: Gate, thinking: Callable[[Any, Report], None]) -> None:
        self._bot, self._gate, self._thinking = bot, gate, thinking
        self._turn = Turn(gate.verify)
        self._is_ready = Flag()
        self._failed: Exception | None = None
        self._start: tuple[Game, int, int] | None = None

    def start(self, game: Game, seat: int, seed: int) -> None:
        """See `Player.start`. The bot itself is started by `get_ready`."""
        self._start = game, seat, seed

    def get_ready(self) -> None:
        """Start the bot, in whatever thread this is called."""
        assert self._start is not None
        try:
            self._bot.start(*self._start)
            if isinstance(self._bot, SearchPlayer):
                self._watch(self._bot)
        except Exception as error:
            self._failed = error
        finally:
            self._is_ready.set()

    def prepare(self, budget: Budget) -> None:
        """Bots at a table do not think before the first move."""

    def act(
        self, events: Sequence[Event], legal_actions: Sequence[int], budget: Budget | None
    ) -> Decision:
        """See `Player.act`. Raises Stopped, and whatever the bot's start has raised."""
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
    moved: called after each new move, with the histories before and after it.
    asking: called before a player is asked, with the seat.
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
    ) -> None:
        super().__init__(game, players, seed, budgets, chance_seed=chance_seed)
        self._gate, self._moved, self._asking = gate, moved, asking
        self._catching_up = False

    def catch_up(self, moves: Sequence[int]) -> None:
        """Make ``moves``, those of chance included, which were made before. Chance draws as many
        numbers as it did then, so that what follows is what would have followed.
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


def names_of(history: History) -> Mapping[int, str]:
    """The names of the legal actions of whoever is to move, by action."""
    return {
        action: history.game.action_name(history.state, history.player, action)
        for action in history.legal_actions()
    }
