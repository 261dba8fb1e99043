"""A search that thinks about a position of a match while a page watches.

The search knows only what the seat noticed, so it may advise that seat during the match. It thinks
in a thread of its own, and reports to the page some times a second.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import isfinite
from threading import Event as Flag
from threading import Thread
from typing import Any, Final, Protocol, runtime_checkable

from hiddenhand import clock
from hiddenhand.errors import HiddenhandError, OptionError
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event, History
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.kernels import when_compiling
from hiddenhand.players.player import Deciding
from hiddenhand.players.registry import make_player
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.progress import Report
from hiddenhand.search.root_search import found_by
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.trees.profile import nash_conv
from hiddenhand.trees.strategy import Strategy
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll
from hiddenhand.web.beliefs import ShownBelief, belief_of
from hiddenhand.web.catalogue import bounded
from hiddenhand.web.cpu_share import Turn
from hiddenhand.web.instant_bot import Answered
from hiddenhand.web.payoffs import SampledPayoffs, payoffs_of
from hiddenhand.web.samples import sample
from hiddenhand.web.search_overlay import Pictured
from hiddenhand.web.subtree import has_payoffs, node_below, reasons, samples_of
from hiddenhand.web.throttled import Throttled
from hiddenhand.web.trust import EXACT, UNKNOWN, Course
from hiddenhand.web.views import Plain

_BETWEEN: Final = 0.1  # seconds between two reports
_ROLLOUTS: Final = 20_000  # for one look at payoffs
_ROLLING: Final = 0.3  # the most seconds that they take
_SMALL: Final = 30_000  # histories of a game whose nash_conv is shown


class Analysis:
    """A search that thinks about a position.

    history: the position, in a game with moves in turns. The search advises the player to move.
    player: the name of the search.
    seconds: how long it may think.
    send: the function that gets each report, in the thread that thinks.
    exact: whether to report nash_conv too, if the game is small.
    """

    def __init__(
        self,
        history: History,
        player: str,
        seconds: float,
        send: Callable[[Plain], None],
        exact: bool = False,
    ) -> None:
        self._history, self._player, self._seconds = history, player, seconds
        self._send, self._exact = send, exact
        self._is_stopped = Flag()
        self._turn = Turn(self._look)
        self._last = 0.0
        self._search: Any = None
        self._belief: ShownBelief | None = None
        self._aside: dict[str, Throttled] = {}
        self._pictured: Pictured | None = None
        self._course, self._has_named = Course(), False
        self._thread = Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Begin to think."""
        self._thread.start()

    def stop(self) -> None:
        """Stop thinking, without waiting until the search has ended."""
        self._is_stopped.set()

    def below(self, secret: str, way: Sequence[int]) -> Plain:
        """A node of the tree below; see `node_below`. Raises OptionError before there is one.

        secret: the secret, as the belief names it.
        way: the moves from the position to the node.
        """
        if self._belief is None:
            raise OptionError("this search has no tree yet; let it think first")
        leaf = self._belief.leaf_of(secret)
        return node_below(self._search, self._belief.belief, leaf, way)

    def update(self, report: Report) -> None:
        """See `Progress`."""
        self._look()
        self._turn.share()
        now = clock.now()
        if now - self._last >= _BETWEEN:
            self._last = now
            self._tell("thinking", report)

    def _look(self) -> None:
        """Raise StopIteration if this search must stop. Called while it waits or thinks."""
        if self._is_stopped.is_set():
            raise StopIteration

    def _run(self) -> None:
        try:
            with when_compiling(lambda name: self._send({"state": "preparing", "kernel": name})):
                self._think()
        except StopIteration:
            pass
        except HiddenhandError as error:
            self._send({"state": "failed", "why": str(error)})
        except MemoryError:
            self._send({"state": "failed", "why": "there is not enough memory for this search"})
        finally:
            self._turn.give()

    def _think(self) -> None:
        game, seat = self._history.game, self._history.player
        self._send({"state": "preparing"})
        player = make_player(game, bounded(self._player))
        assert isinstance(player, Deciding)
        player.start(game, seat, 0)
        events = noticed_by(self._history, seat)
        if not isinstance(player, SearchPlayer):
            self._ask_once(player, events)
            return
        search = player.search
        if isinstance(search, OOS):  # makes no difference to what it plays
            search.count_samples()
            search.start(seat, player.search_seed(0))
        self._turn.take()
        share = min(1.0, self._seconds)
        search.notice(events, share)
        self._search = search
        self._believe(search, events, share)
        if self._exact:
            self._aside["nash_conv"] = Throttled(
                lambda: gap_of(found_by(search, 0.0).strategy, game)
            )
        tree = written_out(game)
        if tree is not None:
            self._aside["ev"] = Throttled(
                lambda: _rounded(
                    payoffs_of(tree, found_by(search, 0.0).strategy.on(tree), self._history)
                )
            )
        elif not has_payoffs(search):
            self._sample_payoffs(events, share)
        self._pictured = Pictured(self._history, self._belief)
        for look in self._aside.values():
            look.value(now=True)  # compiles before the time starts
        search.think(seconds=self._seconds, progress=self)
        self._tell("done", Report(self._seconds, unit="seconds"))

    def _sample_payoffs(self, events: list[Event], seconds: float) -> None:
        """Show payoffs by rollouts with each report, and the number of rollouts."""
        try:
            sampled = SampledPayoffs(self._history, events, seconds)
        except OptionError:
            return

        def look() -> Plain:
            strategy = found_by(self._search, 0.0).strategy
            found, rollouts = sampled.of(strategy, _ROLLOUTS, _ROLLING)
            return {"ev": _rounded(found.tolist()), "rollouts": rollouts}

        self._aside["sampled"] = Throttled(look)

    def _believe(self, search: Any, events: list[Event], seconds: float) -> None:
        """Show the belief of ``search`` with each report, if there is one."""
        belief = belief_of(search, self._history.player, events, seconds)
        if belief is not None:
            self._belief = shown = ShownBelief(belief)
            course, began = Course(), clock.now()
            is_exact = isinstance(search, Answered)

            def look() -> Plain:
                said = shown.shown(search)
                if is_exact:
                    return said
                weights = shown.weights(search)
                course.note(clock.now() - began, weights / (weights.sum() or 1.0))
                moved = course.moved()
                return said if moved is None else {**said, "moved": round(moved, 3)}

            self._aside["belief"] = Throttled(look)

    def _ask_once(self, player: Deciding, events: list[Event]) -> None:
        """Report the answer of a bot that does not search, and so answers at once."""
        player.follow(events)
        self._search = answered = Answered(player, self._history)
        if answered.knows_strategy:
            self._believe(answered, events, 1.0)
        self._pictured = Pictured(self._history, self._belief)
        tree = written_out(self._history.game)
        if tree is not None and isinstance(player, Profiled):
            profile = player.profile(tree)
            payoffs = _rounded(payoffs_of(tree, profile, self._history))
            self._aside["ev"] = Throttled(lambda: payoffs)
            if self._exact:
                gap = float(nash_conv(tree, profile))
                self._aside["nash_conv"] = Throttled(lambda: gap)
        self._tell("done", Report(0.0, unit="seconds"))

    def _tell(self, state: str, report: Report) -> None:
        """Send a report. Only the first one has the seat, and the names of its moves."""
        said = {"state": state, **sample(self._search, self._history, report)}
        self._course.note(float(report.done), said["policy"])
        known = reasons(self._search, self._history, len(said["policy"]))
        said |= {name: _rounded(values) for name, values in known.items()}
        if "values" in said:
            said["ev"] = said["values"]
        said["trust"] = self._mark(said)
        if self._pictured is not None:
            said |= self._pictured.plan(said["actions"], said["policy"])
            said |= self._pictured.ghosts(self._search, is_last=state == "done")
        said["policy"] = [round(p, 4) for p in said["policy"]]
        for name, look in self._aside.items():
            value = look.value(now=state == "done")
            if name == "sampled":
                said |= value
            elif value is not None:
                said[name] = value
        if self._has_named:
            del said["names"], said["actions"]
        else:
            said["seat"] = self._history.player
        self._has_named = True
        self._send(said)

    def _mark(self, said: Plain) -> Plain:
        """How far the strategy of a report may be trusted."""
        if isinstance(self._search, Answered):
            return EXACT if self._search.is_exact else UNKNOWN
        return self._course.mark(samples_of(self._search, self._history, said.get("visits")))


def gap_of(strategy: Strategy, game: Game) -> float | None:
    """nash_conv of a strategy; None for a game that is too large to measure exactly here. In sets
    that the strategy does not know, it plays all moves alike.
    """
    tree = written_out(game)
    return None if tree is None else float(nash_conv(tree, strategy.on(tree)))


@runtime_checkable
class Profiled(Protocol):
    """A bot with a strategy for the whole game."""

    def profile(self, tree: GameTree) -> Floats:
        """The strategy on a tree."""


def _rounded(values: Sequence[float | None]) -> list[float | None]:
    """The values with as many digits as a page shows; None for those that are no finite number."""
    return [
        None if value is None or not isfinite(value) else float(f"{value:.5g}") for value in values
    ]


def noticed_by(history: History, seat: int) -> list[Event]:
    """The events that ``seat`` noticed up to ``history``."""
    walked, events = History(history.game), list[Event]()
    for move in history.moves:
        walked = walked.child(move)
        event = walked.noticed(seat)
        if event is not None:
            events.append(event)
    return events


@lru_cache(maxsize=8)
def written_out(game: Game) -> GameTree | None:
    """The tree of a small game; None for a game that is too large to measure exactly here, or that
    cannot be written out.
    """
    try:
        return unroll(game, _SMALL)
    except HiddenhandError:
        return None
