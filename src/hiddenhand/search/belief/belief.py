"""Beliefs: the histories consistent with what was noticed, kept with all their prefixes.

An *observer* is a player, or the public. A player in a match receives events. Folded, they are
keys, and a history is consistent if it gives the observer equal keys. `Belief` keeps the consistent
histories as the leaves of a trie from the root of the game. When new events arrive, each leaf is
continued by all actions that explain them, through as many unnoticed moves as it takes; branches
that die are pruned. This works for every game, with no code in the game.

For a player who must move, the leaves are the histories in the information set. For the public they
are the first histories at which the public noticed the last event: the upper frontier of the public
state.

While all consistent histories are kept, this is exact filtering. Where there are more than ``cap``,
the belief is a *particle filter*: it keeps a random subset of that size, half of it by the odds of
chance, and the weight of each particle grows so that sums over the leaves stay unbiased. A search
with little time keeps fewer still: see `Belief.notice`. If a game draws its chance and has too many
outcomes to look at, the belief draws some, and each weighs as its share of them. Moves after which
a particle would not explain what was noticed are never made, so no weight falls to 0, and nothing
is resampled.

Later observations may fit few particles (*impoverishment*): a player who gets a hand last knows at
once that most kept histories are wrong. They fit none (*deprivation*) if the opponent makes a move
that no kept history foresaw. Then *reinvigoration* finds new particles: a depth-first search from
the root, which needs no room for wrong ones. If it comes to its end, the belief is whole again, and
no sample any more. Otherwise it finds some histories, in random order. `recoveries` counts the
deprivations. If the search finds nothing, the belief stays dead, and the player plays uniformly.

`history_trie` has the particles and their prefixes, `propagation` propagates them, `reinvigoration`
reinvigorates them.

Dimensions: N nodes of the trie, F leaves, P players.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from hiddenhand import clock
from hiddenhand.errors import OptionError
from hiddenhand.games.base import TERMINAL, Game
from hiddenhand.games.guards import BrokenRule
from hiddenhand.games.history import Event
from hiddenhand.games.validation.kernel_errors import explaining, first_broken
from hiddenhand.jit.arrays import Flags, Floats, Integers
from hiddenhand.jit.infoset_table import InformationSetTable, new_table
from hiddenhand.jit.random import new_state
from hiddenhand.notebooks import Shown
from hiddenhand.search.belief.history_trie import (
    Leaves,
    Trie,
    end_to_end,
    joined,
    likelihoods,
    moves_to,
    pruned,
    select,
    step_probabilities,
)
from hiddenhand.search.belief.propagation import (
    MOST_LISTED,
    Generation,
    Noticed,
    draws_for,
    explaining_moves,
    first_generation,
    first_of,
    folded,
    moved,
    num_moves,
)
from hiddenhand.search.belief.reinvigoration import Dives, dive, rebuilt
from hiddenhand.text import one_line

DEFAULT_CAP: Final = 100_000
PER_ITERATION: Final = 10
"""Histories that a belief keeps for each iteration of the search that is to follow: more would
never be looked at.
"""

_THIN: Final = 100  # leaves; a sample with fewer is looked for anew
_ALL: Final = 20_000  # histories that depth-first search finds at most where it is to find all
_SOME: Final = 1000  # histories that it finds at most where it is to find some
_STEPS: Final = 5_000_000  # moves that it looks at, at most
_STEPS_AN_ITERATION: Final = 5000  # moves that it looks at for each iteration that is to follow
_STEPS_A_DIVE: Final = 2000  # moves before another dive in random order is likely to be luckier
_FEWEST: Final = 1000  # leaves that are continued however little time is left
_LEVEL: Final = 1e-12  # differences of likelihoods that come from rounding
_PACE: Final = 1e-7  # seconds to look at a move, before anything was measured


def most_kept(cap: int, iterations: int) -> int:
    """How many histories a belief of at most ``cap`` keeps for so many iterations of a search."""
    return min(cap, max(_FEWEST, PER_ITERATION * iterations))


def kept_in(shares: Floats, count: int) -> Floats:
    """``float64[F]``: the probabilities with which F particles are kept if ``count`` of them are,
    in proportion to their ``shares``, but at most 1.
    """
    chances, surely = np.ones(shares.size), np.zeros(shares.size, np.bool_)
    while True:
        others = ~surely
        chances[others] = shares[others] * ((count - surely.sum()) / shares[others].sum())
        over = others & (chances > 1.0)
        if not over.any():
            return chances
        surely |= over
        chances[surely] = 1.0


class Belief(Shown):
    """What an observer knows about the present history of a match.

    observer: a player, or ``game.num_players`` for the public.
    cap: how many histories are kept at most.
    is_sample: whether there were more consistent histories than are kept.
    is_drawn: whether outcomes of chance were drawn, whose probabilities are unknown.
    recoveries: how often nothing was left, and histories had to be looked for from the root.
    """

    def __init__(
        self,
        game: Game,
        observer: int,
        *,
        cap: int = DEFAULT_CAP,
        seed: int | np.random.SeedSequence = 0,
    ) -> None:
        if cap < 1:
            raise OptionError(f"cap={cap} is not allowed; a belief keeps at least 1 history")
        self.game = game
        self.observer = observer
        self.cap = cap
        self.recoveries = 0
        self.is_sample = False
        self.is_drawn = False
        self._most = cap
        self._random = np.random.default_rng(seed)
        self._wanted = [int(first_of(observer))]  # the observer's key after each event
        self._acted = [0]  # their own action + 1 in it, 0 if they only watched
        self._pace = _PACE
        self._growing: tuple[Leaves, list[Trie]] | None = None
        self._searchable = True  # whether depth-first search may find all histories
        self._recoverable = True  # whether it may find some
        self._steps = _STEPS
        self._over = False  # whether the match is
        # made at its first use: a search from the root does not need it
        self._kept: tuple[Leaves, Trie] | None = None

    def __repr__(self) -> str:
        who = (
            f"player {self.observer + 1}" if self.observer < self.game.num_players else "the public"
        )
        grown = self._kept is not None
        known = f"{self.leaves.size:,} histories" if grown else "before the first move"
        return one_line(self, self.game, who, known)

    @property
    def leaves(self) -> Leaves:
        """The consistent histories."""
        return self._present()[0]

    @property
    def trie(self) -> Trie:
        """The same with all their prefixes."""
        return self._present()[1]

    @property
    def is_alive(self) -> bool:
        """Whether any history is left."""
        return self.leaves.size > 0

    @property
    def key(self) -> int:
        """What the observer noticed, folded."""
        return self._wanted[-1]

    @property
    def num_events(self) -> int:
        """How many events the observer has noticed."""
        return len(self._wanted) - 1

    @property
    def information_key(self) -> int:
        """The key under which the observer, a player who is to move, files what they know."""
        if self.is_alive:
            return int(self.trie.key[self.leaves.node[0]])
        return self.key

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """Continue all histories by what the observer noticed. The public notices the public token
        of an event.

        seconds: what it may take, roughly. Where it would take longer, a random subset is kept, as
            it is for the cap.
        iterations: how many of a search are to follow; no more than `PER_ITERATION` histories are
            kept for each of them, but at least 1,000.
        """
        self._most, self._steps = self.cap, _STEPS
        if iterations is not None:
            self._most = most_kept(self.cap, iterations)
            self._steps = min(_STEPS, _STEPS_AN_ITERATION * iterations)
        until = math.inf if seconds is None else clock.now() + seconds
        public = self.observer == self.game.num_players
        for event in events:
            noticed = Event(0, 0, event.public) if public else event
            if any(noticed):
                self._wanted.append(int(folded(np.uint64(self._wanted[-1]), *noticed)))
                self._acted.append(noticed.action)
        if self.is_alive:
            self._continue(until)
        if self.is_sample and self.leaves.size < _THIN and not self._over:
            self.recoveries += not self.is_alive
            if self._recoverable:
                self._search(until)

    def end(self, events: Sequence[Event]) -> None:
        """Continue all histories to the end of the match by the last ``events`` of the observer."""
        self._over = True
        self.notice(events)

    def moves_to(self, leaf: int) -> list[int]:
        """The actions and outcomes that led to a leaf."""
        return moves_to(self.game, self.trie, int(self.leaves.node[leaf]))

    def way(self) -> list[int] | None:
        """The moves to where a rule ended the growth of this belief."""
        if self._growing is None:
            return None
        leaves, grown = self._growing
        broken = first_broken(self.game, leaves.state)
        if broken is None:
            return None
        return moves_to(self.game, end_to_end(grown), int(leaves.node[broken]))

    def modelled(self, table: InformationSetTable, column: int) -> Floats:
        """``float64[F]``: how likely each leaf is when the others play the mean strategies in run
        ``column`` of ``table``; uniform if they never come here.
        """
        step = step_probabilities(self.trie, table, column)
        likelihood = likelihoods(self.trie, self.observer, step)
        weights = likelihood[self.leaves.node] * self.leaves.weight
        total = weights.sum()
        return weights / total if total > 0 else self.uniform()

    def by_chance(self) -> Floats:
        """``float64[F]``: how likely each leaf is when the others play uniformly."""
        weights = self.modelled(new_table(per_action=1), 0)
        is_level = np.ptp(weights) <= _LEVEL * weights.max()
        return self.uniform() if is_level else weights

    def uniform(self) -> Floats:
        """``float64[F]``: all consistent histories alike."""
        return np.asarray(self.leaves.weight / self.leaves.weight.sum())

    def _present(self) -> tuple[Leaves, Trie]:
        if self._kept is None:
            with explaining(self.game):
                root = first_generation(self.game)
            self._kept = root.leaves, root.trie
        return self._kept

    def _noticed(self) -> Noticed:
        return Noticed(self.observer, np.array(self._wanted, np.uint64), np.array(self._acted))

    # --- growing ---

    def _continue(self, until: float) -> None:
        """Grow the leaves until all have explained all events and wait for the observer; then
        prune. ``until`` is a time of `clock.now`.
        """
        noticed = self._noticed()
        began, looked_at = clock.now(), 0
        finished: list[Leaves] = []
        grown, last = [self.trie], Generation(self.leaves, self.trie, 0)
        while last.leaves.size:
            self._growing = last.leaves, grown
            done = self._is_done(last, noticed.num_events)
            finished.append(select(last.leaves, done))
            waiting = self._affordable(last.only(~done), until)
            looked_at += num_moves(self.game, waiting)
            if len(grown) > self.game.max_depth + 1:
                raise BrokenRule("the game goes on after max_depth moves")
            last = self._grow(waiting, noticed)
            grown.append(last.trie)
        self._kept = pruned(self._subset(joined(finished), self._most), end_to_end(grown))
        self._growing = None
        if looked_at > _FEWEST:
            self._pace = (clock.now() - began) / looked_at

    def _is_done(self, generation: Generation, events: int) -> Flags:
        """``bool[F]``: which leaves explain all events, and wait for the observer if they are a
        player; or are at their end, once the match is over.
        """
        done = generation.leaves.seen == events
        if self.observer < self.game.num_players:
            mover = TERMINAL if self._over else self.observer
            done &= generation.trie.player[generation.places] == mover
        return done

    def _affordable(self, generation: Generation, until: float) -> Generation:
        """As many leaves as can be continued in half of the time that is left, because the number
        of generations that follow is unknown; and no more than have some millions of moves.
        """
        leaves_a_move = generation.leaves.size / max(num_moves(self.game, generation), 1)
        count = int(MOST_LISTED * leaves_a_move)
        if until < math.inf:
            in_time = int((until - clock.now()) / 2 / self._pace * leaves_a_move)
            count = min(count, max(in_time, _FEWEST))
        fewer = self._subset(generation.leaves, max(count, 1))
        return Generation(fewer, generation.trie, generation.first)

    def _subset(self, leaves: Leaves, count: int) -> Leaves:
        """A random subset if there are more leaves than ``count``; each weighs as much more."""
        if leaves.size <= count:
            return leaves
        self.is_sample = True
        kept, times = self._drawn(leaves.weight * leaves.odds, count)
        chosen = np.zeros(leaves.size, np.bool_)
        chosen[kept] = True
        fewer = select(leaves, chosen)
        return replace(fewer, weight=fewer.weight * times)

    def _drawn(self, shares: Floats, count: int) -> tuple[Integers, Floats | float]:
        """Which particles are kept if there is room for ``count``, in their order, and how many
        times as much each of them weighs then. Half of the room goes to all alike, and half by
        ``shares``, ``float64[F]``, by systematic sampling (Kitagawa 1996).
        """
        size = shares.size
        if np.ptp(shares) <= _LEVEL * shares.max():
            return np.sort(self._random.choice(size, count, replace=False)), size / count
        chances = kept_in(0.5 / size + 0.5 * shares / shares.sum(), count)
        ticks = self._random.random() + np.arange(count)
        kept = np.unique(np.minimum(np.searchsorted(np.cumsum(chances), ticks), size - 1))
        return kept, 1.0 / chances[kept]

    def _grow(self, last: Generation, noticed: Noticed) -> Generation:
        """One move on from each leaf, as far as it explains what was noticed."""
        draws = draws_for(self.game, last)
        rng = new_state(int(self._random.integers(2**63)) if draws else 0)
        moves = explaining_moves(self.game, last, noticed, draws, rng)
        weight = last.leaves.weight[moves.parent]
        if draws:
            weight = np.where(last.at_chance[moves.parent], weight / draws, weight)
            self.is_sample = self.is_drawn = True
        if moves.parent.size > self._most:
            odds = last.leaves.odds[moves.parent] * moves.probability
            kept, times = self._drawn(weight * odds, self._most)
            weight, moves = weight[kept] * times, moves.only(kept)
            self.is_sample = True
        return moved(self.game, last, moves, weight)

    # --- depth-first search ---

    def _search(self, until: float) -> None:
        """Look for consistent histories from the root: for all of them, and if nothing is left, for
        some. What was in vain once is not tried again.
        """
        steps = self._steps
        if until < math.inf:
            steps = int(min(steps, max(until - clock.now(), 0.0) / 2 / self._pace))
        if self._searchable and not self.game.draws_chance:
            dives = Dives.of(self.game, min(self._most, _ALL), steps, steps)
            found = self._dive(dives)
            self._searchable = found >= 0
            if self._searchable:
                self.is_sample = False
                self._take(dives, found)
                return
        if not self.is_alive:
            self.is_drawn |= self.game.draws_chance
            steps = max(steps // 5, _STEPS_A_DIVE + 1)
            dives = Dives.of(self.game, min(self._most, _SOME), steps, _STEPS_A_DIVE)
            found = self._dive(dives)
            self._recoverable = found > 0
            self._take(dives, found)

    def _dive(self, dives: Dives) -> int:
        rng = new_state(int(self._random.integers(2**63)))
        return dive(self.game, self._noticed(), dives, rng)

    def _take(self, dives: Dives, found: int) -> None:
        """Make the first ``found`` histories the belief, if there are any."""
        if found > 0:
            self._kept = pruned(*rebuilt(self.game, dives, found))
