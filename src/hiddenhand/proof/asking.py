"""Queries a player at each information set that its own moves lead to: this gives its strategy.

A player gets all events that lead to an information set at once, and answers with its policy there.
Some searches can take the histories of the set instead, which saves most of the time in large
games, see `given`. The player starts anew at each set, with a seed that follows from the seed of
the whole, the seat and the set. So the answers do not depend on the order of the queries, and a
strategy is a function of the player's name, the budget and the seed. A search thinks at the set
only, and not on the way to it. Sets with one action need no query. Several threads may query, each
a player of its own: the answers are the same.

A file keeps the answers as they come. A later query with the same file continues from them.
"""

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from queue import SimpleQueue
from threading import Event as Flag
from typing import Any, Final

import numpy as np

from hiddenhand import clock
from hiddenhand.budget import Budget
from hiddenhand.compiled.arrays import Floats
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.games.rules import rules_of
from hiddenhand.players.named_files import NamedFiles
from hiddenhand.players.player import Player, derived_seed
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.players.simple import RandomPlayer, StrategyPlayer
from hiddenhand.players.specs import make_player
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.proof.finding import Finder, InformationSet
from hiddenhand.proof.given import Given, takes_histories
from hiddenhand.records import Answers, Table
from hiddenhand.trees.strategy import Strategy, sorted_strategy

_TABLE: Final = Table(
    name="answers",
    columns={"seat": "INTEGER", "key": "TEXT", "policy": "TEXT"},
    key=("seat", "key"),
    mark=0x48485052,
    writers="`hiddenhand exploit`",
)
_EVERY: Final = 100  # sets between two reports
_AHEAD: Final = 4  # queries before the answer is needed, for each thread
_PATIENCE: Final = 0.2  # seconds in which an answer may still come after the last query

Answer = Callable[[], Floats]
"""Waits for an answer if it must, keeps it and returns it."""


class Asked:
    """A player whose answers are remembered.

    spec: the name of the player.
    game: the game, with moves in turns.
    budget: the player's budget in each information set; None if the player has a budget of its
        own, or does not search.
    seed: decides all random numbers of the player.
    file: the file that keeps the answers; None keeps them in memory.
    gives_histories: whether a player that can take the histories of a set gets these instead of
        events. The answers are the same to the last bit where a search would keep all histories of
        a set, and differ by chance where it would keep a sample.
    threads: number of threads that query. With a budget in seconds, take at most as many as there
        are cores: each search of more threads finds less.
    """

    def __init__(
        self,
        spec: str,
        game: Game,
        budget: Budget | None = None,
        seed: int = 0,
        file: Path | None = None,
        gives_histories: bool = False,
        threads: int = 1,
    ) -> None:
        self.game = game
        self.questions = 0
        self._budget = budget
        self._seed = seed
        self._ending = _Ending()
        self._player = _player(spec, game)
        self._threads = ThreadPoolExecutor(threads) if threads > 1 else None
        self._asked: dict[tuple[int, int], Future[Floats]] = {}
        self.ahead = 1 if self._threads is None else _AHEAD * threads
        self.gives_histories = gives_histories and takes_histories(self._player, game)
        self._idle: SimpleQueue[Player | Given] = SimpleQueue()
        for number in range(threads):
            player = self._player if number == 0 else _player(spec, game)
            if threads > 1 and isinstance(player, SearchPlayer):
                player.progress = self._ending
            self._idle.put(Given(player, game) if self.gives_histories else player)
        told = None if budget is None else [budget.iterations, budget.seconds]
        question: dict[str, Any] = {
            "game": repr(game),
            "rules": rules_of(game),
            "player": spec,
            "budget": told,
            "seed": seed,
            "told": "histories" if self.gives_histories else "events",
        }
        if files := NamedFiles([spec], game).digests:
            question["files"] = files
        self._answers = Answers(file, question, _TABLE)
        self._known: dict[tuple[int, int], Floats] = {
            (seat, int(key, 16)): np.array(json.loads(policy))
            for seat, key, policy in self._answers.rows()
        }

    @property
    def num_known(self) -> int:
        """How many information sets have an answer, also from earlier runs."""
        return len(self._known)

    def policy(
        self, seat: int, key: int, events: Sequence[Event], legal_actions: Sequence[int]
    ) -> Floats:
        """The policy of the player in ``seat`` after ``events``, which lead to the set ``key``."""
        known = self._known.get((seat, key))
        if known is None and len(legal_actions) == 1:
            return np.ones(1)
        if known is None:
            self._player.start(self.game, seat, derived_seed(self._seed, seat, key))
            policy = np.array(self._player.act(events, legal_actions, self._budget).policy)
            return self._kept(seat, key, policy)
        return known

    def ask(self, seat: int, here: InformationSet) -> Answer:
        """Query the player in a set whose histories are known."""
        known = self._known.get((seat, here.key))
        if known is not None:
            return lambda: known
        if len(here.legal_actions) == 1:
            return lambda: np.ones(1)
        if self._threads is None:
            return lambda: self._kept(seat, here.key, self._answer(seat, here))
        future = self._threads.submit(self._answer, seat, here)
        self._asked[seat, here.key] = future
        return lambda: self._kept(seat, here.key, future.result())

    def _answer(self, seat: int, here: InformationSet) -> Floats:
        """The policy of an idle player; called in any thread."""
        player, seed = self._idle.get(), derived_seed(self._seed, seat, here.key)
        try:
            if isinstance(player, Given):
                return player.policy(seat, here, self._budget, seed)
            player.start(self.game, seat, seed)
            return np.array(player.act(here.events, here.legal_actions, self._budget).policy)
        finally:
            self._idle.put(player)

    def _kept(self, seat: int, key: int, policy: Floats) -> Floats:
        """Write an answer into the file, and return it."""
        self._asked.pop((seat, key), None)
        self.questions += 1
        self._known[seat, key] = policy
        self._answers.add(seat, f"{key:016x}", json.dumps(policy.tolist()))
        return policy

    def whole(self) -> Strategy | None:
        """The strategy of a player that has it written down and needs no queries, else None."""
        nothing = np.zeros(0, np.uint64), np.zeros(1, np.int64), np.zeros(0)
        if isinstance(self._player, RandomPlayer):
            return Strategy(repr(self.game), *nothing)
        if type(self._player) is StrategyPlayer:
            self._player.strategy.verify(self.game)
            return self._player.strategy
        return None

    def close(self) -> None:
        """Stop all queries, keep the answers that come soon, and close the file. Searches of other
        threads end.
        """
        try:
            if self._threads is not None:
                self._end(self._threads)
            for (seat, key), future in list(self._asked.items()):
                if not future.cancelled() and future.exception() is None:
                    self._kept(seat, key, future.result())
        finally:
            self._answers.close()

    def _end(self, threads: ThreadPoolExecutor) -> None:
        threads.shutdown(wait=False, cancel_futures=True)
        try:
            due = [future for future in self._asked.values() if not future.cancelled()]
            wait(due, timeout=clock.timeout(_PATIENCE))
        finally:  # also where Ctrl-C comes once more
            self._ending.flag.set()
        threads.shutdown()


class _Ending:
    """Ends the search of a thread, between two chunks of its work, once the flag is set."""

    def __init__(self) -> None:
        self.flag = Flag()

    def update(self, report: Report) -> None:
        """See `Progress.update`."""
        if self.flag.is_set():
            raise RuntimeError("this answer is not needed any more")


def _player(spec: str, game: Game) -> Player:
    player = make_player(game, spec)
    return player.with_one_search() if type(player) is SearchPlayer else player


def asked_strategy(asked: Asked, progress: Progress = SILENT) -> Strategy:
    """The strategy of a player in all seats, in all sets that the player's own moves lead to."""
    whole = asked.whole()
    if whole is not None:
        return whole
    keys, rows = list[int](), list[Floats]()
    began, players, before = clock.now(), asked.game.num_players, 0.0
    for seat in range(players):
        done = seat / players
        for key, policy, share in _answers_of(asked, seat):
            keys.append(key)
            rows.append(policy)
            done += share / players
            if asked.questions == 0:  # so far, all is known from an earlier run
                began, before = clock.now(), done
            if len(keys) % _EVERY == 0:
                figures = {"sets": float(len(keys))}
                if done > before:
                    to_go = round((clock.now() - began) * (1 - done) / (done - before))
                    figures = {"seconds to go": to_go, **figures}
                progress.update(Report(100.0 * done, 100.0, "% of probability", figures))
    starts = np.cumsum([0, *(row.size for row in rows)]).astype(np.int64)
    return sorted_strategy(
        asked.game, np.array(keys, np.uint64), starts, np.concatenate([np.zeros(0), *rows])
    )


def _answers_of(asked: Asked, seat: int) -> Iterator[tuple[int, Floats, float]]:
    """For each set that the own moves of ``seat`` lead to: its key, the policy there, and the share
    of all probability that ends there.
    """
    finder = Finder(asked.game, seat, tells_events=not asked.gives_histories)
    waiting = [(one, 1.0) for one in finder.first()][::-1]
    total = sum(one.mass for one, _ in waiting) or 1.0
    asking = deque[tuple[InformationSet, float, Answer]]()
    while waiting or asking:
        while waiting and len(asking) < asked.ahead:
            here, reach = waiting.pop()
            asking.append((here, reach, asked.ask(seat, here)))
        here, reach, answer = asking.popleft()
        policy = answer()
        share = reach * here.mass
        for a, one in reversed(finder.after(here)):
            if policy[a] > 0.0:
                share -= reach * float(policy[a]) * one.mass
                waiting.append((one, reach * float(policy[a])))
        yield here.key, policy, max(0.0, share) / total
