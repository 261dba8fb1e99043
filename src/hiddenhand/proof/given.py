"""A search that gets the histories of an information set, and need not look for them.

A search in a match gets events, and finds the histories that explain them from the beginning of
the game on. That takes far longer than a millisecond of search. A walk through the game has these
histories in memory. IS-MCTS and PIMC begin in a history of the set, all of which count alike, and
do not use the events that led there: so they can take the histories instead of the events. MMD
search draws a history as often as chance and a blueprint make it. Where the blueprint is uniform
play, the walk has these probabilities, too. The order of the histories is that of the search's own
belief. So where that belief would keep all of them, the search finds the same, bit for bit (MMD
search, whose probabilities are products in another order, nearly always). Where it would keep a
sample of a sample, the search gets one sample of all.

Where little is searched in each of millions of sets, most of the time would be spent on beginning:
`_TreeAgain` begins a search of IS-MCTS anew with the table that it has, `_StepAgain` one of MMD
with no belief.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.compiled.arrays import Floats, Integers, Keys
from hiddenhand.compiled.random import new_state
from hiddenhand.compiled.table import InformationSetTable, num_sets
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.players.player import Player
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.progress import Report
from hiddenhand.proof.finding import InformationSet
from hiddenhand.search.belief.belief import PER_ITERATION, Belief
from hiddenhand.search.belief.trie import Leaves, Trie
from hiddenhand.search.rules.leaves import PlayOn
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.search.sampling.mmd import MMD, Rollouts
from hiddenhand.search.sampling.observers import OWNER
from hiddenhand.search.sampling.pimc import PIMC
from hiddenhand.search.sampling.tree_search import Starts
from hiddenhand.search.traversal import iterations_made

_FEWEST: Final = 1000  # histories that are kept, if there are so many, however short the search is
_CHUNK: Final = 65_536  # iterations


class GivenBelief(Belief):
    """The histories of one information set, without what led to them.

    game: the game, with moves in turns.
    seat: the player whose set it is.
    here: the set.
    cap: how many histories are kept at most; of more, a random sample.
    seed: decides the sample.
    """

    def __init__(self, game: Game, seat: int, here: InformationSet, cap: int, seed: int) -> None:
        super().__init__(game, seat, cap=cap, seed=seed)
        states, keys, self._likelihood = _kept_histories(game, here, self.cap, seed)
        count = len(states)
        self.is_sample = count < here.part.weights.size
        trie = Trie.empty(count)
        trie.parent[:] = -1
        trie.player[:] = seat
        trie.key[:] = np.uint64(here.key)
        trie.num_actions[:] = len(here.legal_actions)
        nodes = np.arange(count, dtype=np.int32)
        leaves = Leaves(nodes, states, keys, np.zeros(count, np.int32), np.ones(count))
        self._kept = leaves, trie

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """Everything is noticed already."""

    def modelled(self, table: InformationSetTable, column: int) -> Floats:
        """How likely each history is if the others play uniformly, as ``table`` says that they
        do.
        """
        assert num_sets(table) == 0
        return np.asarray(self._likelihood / self._likelihood.sum())


def takes_histories(player: Player, game: Game) -> bool:
    """Whether a player can take histories instead of events. With guarded rules no player can: the
    message about a broken rule names the moves that lead there.
    """
    if not isinstance(player, SearchPlayer) or game.guarded:
        return False
    player.start(game, 0, 0)
    search = player.search
    if isinstance(search, ISMCTS):
        return (
            search.observer == OWNER
            and search.belief_model == "uniform"
            and not search.redetermined
        )
    if isinstance(search, MMD):
        return search.plays_uniformly
    return isinstance(search, PIMC) and search.depth == 1


class Given:
    """A player that gets the histories of one set after another, and chooses in each set as if a
    match had just begun.

    player: one that takes histories, see `takes_histories`.
    game: the game, with moves in turns.
    """

    def __init__(self, player: Player, game: Game) -> None:
        assert isinstance(player, SearchPlayer)
        self._player = player
        self._game = game
        player.start(game, 0, 0)
        self._again = _again_with(player.search)

    def policy(self, seat: int, here: InformationSet, budget: Budget | None, seed: int) -> Floats:
        """The policy of the player in a set of ``seat``.

        budget: the budget of the search; with fewer iterations it keeps fewer histories, as in a
            match.
        seed: decides which histories, and what the search finds.
        """
        search: Any = self._player.search
        cap = search.cap
        if budget is not None and budget.iterations is not None:
            cap = min(cap, max(_FEWEST, PER_ITERATION * budget.iterations))
        allowed = self._player.allowed(budget)
        if self._again is not None and allowed.iterations is not None and allowed.seconds is None:
            histories = _kept_histories(self._game, here, cap, seed)
            self._again.begin(histories, here, self._player.search_seed(seed))
            done = 0
            while done < allowed.iterations:  # tables grow between, and Ctrl-C is heard
                done += self._again.iterate(min(allowed.iterations - done, _CHUNK))
                self._player.progress.update(Report(done, allowed.iterations))
            return self._again.policy(len(here.legal_actions))
        self._player.start(self._game, seat, seed)
        search = self._player.search
        search.belief = GivenBelief(search.game, seat, here, cap, seed)
        self._player.follow(())
        return np.asarray(self._player.policy(here.legal_actions, budget))


class _Histories(NamedTuple):
    """The histories of a set.

    states: ``int64[F, state_size]``; keys: ``uint64[F, P + 1]``, that of the public is 0.
    weights: ``float64[F]``, how likely they are if the others play uniformly.
    """

    states: Integers
    keys: Keys
    weights: Floats


class _Again(Protocol):
    """A search that begins in one set after another, without a match or a belief. It finds what it
    would find after `OnlineSearch.start`, to the last bit.
    """

    def begin(self, histories: _Histories, here: InformationSet, seed: int) -> None:
        """Forget everything, and be in a set. ``seed`` is that of `OnlineSearch.start`."""

    def iterate(self, count: int) -> int:
        """Search on, for at most so many iterations. Returns how many were made."""

    def policy(self, num_actions: int) -> Floats:
        """What is played."""


def _again_with(search: object) -> _Again | None:
    """The same search, begun anew in each set; None for one that needs its match."""
    if isinstance(search, ISMCTS) and search._streams.count == 1:
        return _TreeAgain(search)
    if isinstance(search, MMD) and search.particles == 0:
        return _StepAgain(search)
    return None


@dataclass(frozen=True)
class _Here:
    """All that IS-MCTS asks of a belief once it knows where to start."""

    information_key: int


class _TreeAgain:
    """IS-MCTS, whose table is emptied and used again.

    search: of one stream. It is this class that works with it from now on.
    """

    def __init__(self, search: Any) -> None:
        self._search = search

    def begin(self, histories: _Histories, here: InformationSet, seed: int) -> None:
        """See `_Again.begin`. All histories count alike."""
        search, count = self._search, len(histories.states)
        search._rng[:] = _search_state(seed)
        search._counters[:] = 0
        search._starts = _starts(histories, np.full(count, 1.0 / count), search.repetitions)
        search.belief = _Here(here.key)
        table = search.table
        table.slots[:] = 0
        table.values[: table.starts[num_sets(table)]] = 0.0
        table.counts[:] = 0

    def iterate(self, count: int) -> int:
        """See `_Again.iterate`."""
        return int(self._search._iterate(count))

    def policy(self, num_actions: int) -> Floats:
        """See `_Again.policy`."""
        return np.asarray(self._search.policy(num_actions))


class _StepAgain:
    """MMD search, whose rollouts begin in any history, as likely as it is.

    search: one that draws no particles.
    """

    def __init__(self, search: Any) -> None:
        self._search = search

    def begin(self, histories: _Histories, here: InformationSet, seed: int) -> None:
        """See `_Again.begin`."""
        search, likelihood = self._search, histories.weights / histories.weights.sum()
        self._key = here.key
        self._rollouts = Rollouts(
            game=search.game,
            table=search._blueprint,
            path=search._path,
            leaves=PlayOn(),
            rng=_search_state(seed),
            counters=np.zeros_like(search._counters),
            starts=_starts(histories, likelihood, repetitions=0),
            totals=np.zeros(2 * len(here.legal_actions)),
        )

    def iterate(self, count: int) -> int:
        """See `_Again.iterate`."""
        return iterations_made(self._rollouts, count)

    def policy(self, num_actions: int) -> Floats:
        """See `_Again.policy`."""
        return np.asarray(self._search._after_a_step(self._key, self._rollouts.totals))


def _search_state(seed: int) -> Keys:
    """The state of a search's random numbers at its start: the first of the seeds that it draws."""
    return new_state(np.random.SeedSequence(seed, spawn_key=(0,)))


def _starts(histories: _Histories, chances: Floats, repetitions: int) -> Starts:
    """Where iterations begin, with the chances that sum to about 1."""
    cumulative = np.cumsum(chances) / chances.sum()
    return Starts(histories.states, histories.keys, cumulative, repetitions)


def _kept_histories(game: Game, here: InformationSet, cap: int, seed: int) -> _Histories:
    """The histories of a set; a random sample of them if there are more than ``cap``."""
    part = here.part
    states = part.states.reshape(-1, game.state_size)
    keys = np.zeros((len(states), game.num_players + 1), np.uint64)  # the public key is not needed
    keys[:, :-1] = part.keys.reshape(-1, game.num_players)
    if len(states) <= cap:
        return _Histories(states, keys, part.weights)
    random = np.random.default_rng(seed)
    kept = np.sort(random.choice(len(states), cap, replace=False))
    return _Histories(states[kept], keys[kept], part.weights[kept])
