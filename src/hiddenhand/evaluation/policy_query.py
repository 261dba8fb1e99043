"""Queries of online players: what a search, or another player, plays at information sets.

What a player plays at a set depends on what it did before, so the measures query it in three ways.
They share this module, but not their results: each has seeds and a context of its own.

whole match  `decisions`: a search follows one match to the set. `soundness` reads the policy of
             each decision on the way, all of them of one seed. `per_state_search` starts with a
             new seed at each set or public state, and reads what the search accumulated there, for
             other sets, too.
public tree  `top_down`: the search at a public state goes on from the one above it, which is
             therefore searched once, and not once for each set.
set alone    `QueriedPolicy`: a player of any kind starts anew at each set, with a seed that follows
             from the seed of the whole, the seat and the set, and does not think on the way. So
             the answers do not depend on the order of the queries: several threads may query, a
             file keeps the answers as they come, and the game need not be written out.

A player gets all events that lead to a set at once. A search that is a `StartsFrom` can take the
histories of the set instead, which a walk through the game has in memory. Finding them anew takes
far longer than a millisecond of search. The answers are the same where a search would keep all
histories of a set, bit for bit. (Those of MMD search nearly always: its probabilities are products
in another order.) Where a search would keep a sample of a sample, it gets one sample of all.
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
from hiddenhand.errors import PlayerError
from hiddenhand.evaluation.infoset_enumeration import InformationSet, InfosetEnumeration
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event, History
from hiddenhand.games.rule_digests import rules_of
from hiddenhand.jit.arrays import Floats
from hiddenhand.players.fixed_policies import RandomPlayer, StrategyPlayer
from hiddenhand.players.named_files import NamedFiles
from hiddenhand.players.player import Player, Watching, derived_seed, verified_policy
from hiddenhand.players.registry import make_player
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.records import Answers, Table
from hiddenhand.search.belief.belief import most_kept
from hiddenhand.search.online import OnlineSearch, StartsFrom
from hiddenhand.trees.strategy import Strategy, Weights, sorted_strategy

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


def histories_along(game: Game, moves: Sequence[int]) -> list[History]:
    """The histories along ``moves``, the empty one included."""
    histories = [History(game)]
    for move in moves:
        histories.append(histories[-1].child(move))
    return histories


def decisions(
    search: OnlineSearch,
    seat: int,
    histories: Sequence[History],
    budget: Budget,
    on_the_way: bool = True,
) -> Iterator[History]:
    """Let a search follow a match along ``histories``, and yield those in which it has thought.

    search: at the beginning of a match.
    seat: the player for whom it thinks.
    histories: the empty one and all that follow, each by one move; in the last one the player is to
        move.
    budget: how long the search thinks each time.
    on_the_way: whether it thinks at each decision of the player; else only in the last history.
    """
    unheard: list[Event] = []
    for history in histories:
        if event := history.noticed(seat):
            unheard.append(event)
        if history.player == seat and (on_the_way or history is histories[-1]):
            search.notice(unheard, iterations=budget.iterations)
            search.think(budget.iterations, budget.seconds)
            unheard = []
            yield history


class QueriedPolicy:
    """The policy of a player in each information set alone. Answers are remembered.

    spec: the name of the player.
    game: the game, with moves in turns.
    budget: the player's budget in each information set; None if the player has a budget of its
        own, or does not search.
    seed: decides all random numbers of the player.
    file: the file that keeps the answers; None keeps them in memory. A query with the same file
        continues from them.
    by_histories: whether a player that can begin from the histories of a set gets these instead of
        events. With guarded rules no player does: the message about a broken rule names the moves
        that lead there.
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
        by_histories: bool = False,
        threads: int = 1,
    ) -> None:
        self.game = game
        self.budget = budget
        self.questions = 0
        self._seed = seed
        self._ending = _Ending()
        self._threads = ThreadPoolExecutor(threads) if threads > 1 else None
        self._asked: dict[tuple[int, int], Future[Floats]] = {}
        self.ahead = 1 if self._threads is None else _AHEAD * threads
        players = [_player(spec, game) for _ in range(threads)]
        self._player = players[0]
        self._idle: SimpleQueue[Player] = SimpleQueue()
        for player in players:
            if isinstance(player, SearchPlayer):
                player.progress = self._ending if threads > 1 else SILENT
                if by_histories:
                    player.start(game, 0, 0)  # which makes its search
            self._idle.put(player)
        self.by_histories = by_histories and not game.guarded and _starts_from(self._player)
        question: dict[str, Any] = {
            "game": repr(game),
            "rules": rules_of(game),
            "player": spec,
            "budget": None if budget is None else [budget.iterations, budget.seconds],
            "seed": seed,
            "told": "histories" if self.by_histories else "events",
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
        self, seat: int, key: int, events: Sequence[Event], legal_actions: list[int]
    ) -> Floats:
        """The policy of the player in ``seat`` after ``events``, which lead to the set ``key``."""
        return self.ask(seat, InformationSet(key, legal_actions, tuple(events)))()

    def ask(self, seat: int, here: InformationSet) -> Answer:
        """Query the player in a set. Where there is one action, no query is needed."""
        known = self._known.get((seat, here.key))
        if known is None and len(here.legal_actions) == 1:
            known = np.ones(1)
        if known is not None:
            return lambda: known
        if self._threads is None:
            return lambda: self._kept(seat, here.key, self._answer(seat, here))
        future = self._threads.submit(self._answer, seat, here)
        self._asked[seat, here.key] = future
        return lambda: self._kept(seat, here.key, future.result())

    def _answer(self, seat: int, here: InformationSet) -> Floats:
        """The policy of an idle player; called in any thread. Raises PlayerError for a player that
        tells nothing but its action.
        """
        player, seed = self._idle.get(), derived_seed(self._seed, seat, here.key)
        try:
            if self.by_histories and isinstance(player, SearchPlayer):
                player.start_from(here.root(seat, self._most(player.search), seed), seed)
                return np.array(player.policy(here.legal_actions, self.budget))
            player.start(self.game, seat, seed)
            told = np.array(player.act(here.events, here.legal_actions, self.budget).policy)
            return np.array(verified_policy(told, here.legal_actions, type(player).__name__))
        finally:
            self._idle.put(player)

    def _most(self, search: Any) -> int:
        """How many histories a search gets: as many as its belief would keep in a match."""
        if self.budget is None or self.budget.iterations is None:
            return int(search.cap)
        return most_kept(search.cap, self.budget.iterations)

    def _kept(self, seat: int, key: int, policy: Floats) -> Floats:
        """Write an answer into the file, and return it."""
        self._asked.pop((seat, key), None)
        self.questions += 1
        self._known[seat, key] = policy
        self._answers.add(seat, f"{key:016x}", json.dumps(policy.tolist()))
        return policy

    def whole(self) -> Strategy | None:
        """The strategy of a player that has it written down and needs no queries, else None."""
        if isinstance(self._player, RandomPlayer):
            return Strategy.uniform(self.game)
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
    if isinstance(player, Watching):
        raise PlayerError(
            f"{spec} reads pictures of a match, so it cannot be queried at information sets; name "
            "a player that reads events, such as random"
        )
    return player.with_one_search() if type(player) is SearchPlayer else player


def _starts_from(player: Player) -> bool:
    """Whether a player, once started, searches by nothing but the histories of a set."""
    search = player.search if isinstance(player, SearchPlayer) else None
    return isinstance(search, StartsFrom) and search.can_start_from


def queried_strategy(queried: QueriedPolicy, progress: Progress = SILENT) -> Strategy:
    """The strategy of a player in all seats, in all sets that the player's own moves lead to."""
    whole = queried.whole()
    if whole is not None:
        return whole
    rows = dict[int, Floats]()
    began, players, before = clock.now(), queried.game.num_players, 0.0
    for seat in range(players):
        done = seat / players
        for key, policy, share in _answers_of(queried, seat):
            rows[key] = policy
            done += share / players
            if queried.questions == 0:  # so far, all is known from an earlier run
                began, before = clock.now(), done
            if len(rows) % _EVERY == 0:
                figures = {"sets": float(len(rows))}
                if done > before:
                    to_go = round((clock.now() - began) * (1 - done) / (done - before))
                    figures = {"seconds to go": to_go, **figures}
                progress.update(Report(100.0 * done, 100.0, "% of probability", figures))
    found = Weights.of(rows)
    return sorted_strategy(queried.game, found.keys, found.starts, found.values)


def _answers_of(queried: QueriedPolicy, seat: int) -> Iterator[tuple[int, Floats, float]]:
    """For each set that the own moves of ``seat`` lead to: its key, the policy there, and the share
    of all probability that ends there.
    """
    sets = InfosetEnumeration(queried.game, seat, with_events=not queried.by_histories)
    waiting = [(one, 1.0) for one in sets.first()][::-1]
    total = sum(one.mass for one, _ in waiting) or 1.0
    asking = deque[tuple[InformationSet, float, Answer]]()
    while waiting or asking:
        while waiting and len(asking) < queried.ahead:
            here, reach = waiting.pop()
            asking.append((here, reach, queried.ask(seat, here)))
        here, reach, answer = asking.popleft()
        policy = answer()
        share = reach * here.mass
        for a, one in reversed(sets.after(here)):
            if policy[a] > 0.0:
                share -= reach * float(policy[a]) * one.mass
                waiting.append((one, reach * float(policy[a])))
        yield here.key, policy, max(0.0, share) / total
