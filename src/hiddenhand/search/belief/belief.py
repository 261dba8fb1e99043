"""Beliefs: the histories consistent with what was noticed, kept with all their prefixes.

An *observer* is a player, or the public. Whoever plays a match is told events; folded, they are
keys, and a history is consistent if it gave the observer the same keys. `Belief` keeps the
consistent histories as the leaves of a trie from the root of the game. When new events arrive, each
leaf is continued by all actions that explain them, through as many unnoticed moves as it takes;
branches that die are pruned. This works for every game, with no code in the game.

For a player, who is asked to move, the leaves are the histories in their information set. For the
public they are the first histories at which the public noticed the last event: the upper frontier
of the public state.

Where there are more than ``cap`` candidates, a uniformly random subset of that size is kept, and
each weighs as much more: sums over the leaves stay unbiased. Who has little time keeps fewer still:
see `Belief.notice`. Where a game draws its chance and has too many outcomes to look at, some are
drawn, and each weighs as its share of them.

A sample can be thin, when what is noticed later leaves little of it: who is dealt a hand last knows
at once that most of what was kept is wrong. And it can die, when the opponent did what no kept
history foresaw. Then histories are looked for by depth-first search from the root, which needs no
room for those that are wrong. Where it comes to an end, the belief is whole again, and no sample
any more. Else some are found in random order. A death is counted in `recoveries`. If nothing is
found, the belief stays dead, and whoever asks plays uniformly.

Dimensions: N nodes of the trie, F leaves, P players.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Final

import numpy as np
import numpy.typing as npt

from hiddenhand.compiled.arrays import Flags, Floats, Indices, Integers, Keys, Players
from hiddenhand.compiled.bridge import Compiled
from hiddenhand.compiled.kernels import inline, kernel
from hiddenhand.compiled.keys import Key, first_key, fold
from hiddenhand.compiled.random import RandomState, below, new_state
from hiddenhand.compiled.table import MISSING, InformationSetTable
from hiddenhand.compiled.views import copy_row
from hiddenhand.compiled.walk import advance, begin
from hiddenhand.errors import OptionError
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.checking.kernel_errors import explaining, first_broken
from hiddenhand.games.guards import BrokenRule
from hiddenhand.games.history import Event, History

DEFAULT_CAP: Final = 100_000
PER_ITERATION: Final = 10
"""Histories that a belief keeps for each iteration of search that is to follow: more would never be
looked at.
"""

_MOST_LISTED: Final = 5_000_000  # moves looked at in one generation
_DRAWS: Final = 200_000  # outcomes drawn in one generation instead
_THIN: Final = 100  # leaves of a sample
_ALL: Final = 20_000  # histories, if depth-first search is to find all of them
_SOME: Final = 1000  # if it is to find some
_STEPS: Final = 5_000_000  # moves that it looks at, at most
_STEPS_AN_ITERATION: Final = 5000
_STEPS_A_DIVE: Final = 2000  # before another one in random order is likely to be luckier
_FEWEST: Final = 1000  # leaves that are continued however little time is left
_PACE: Final = 1e-7  # seconds to look at a move, before anything was measured


@dataclass(frozen=True)
class Trie(Compiled):
    """All kept histories and their prefixes. Parents come before children, and the children of a
    node are a range.

    parent: ``int32[N]``, -1 at the root; player: ``int8[N]``, who moves; key: ``uint64[N]``, the
    key of the mover's information set. index: ``int64[N]``, which of the legal actions (or
    outcomes) of the parent leads here, or the outcome itself where the game draws its chance;
    probability: ``float64[N]``, chance's part in that move, 1 where it was drawn. num_actions:
    ``int32[N]``, legal actions at the node, kept or not; first_child, num_children: ``int32[N]``,
    the kept ones. A leaf has none.
    """

    parent: Indices
    player: Players
    key: Keys
    index: Integers
    probability: Floats
    num_actions: Indices
    first_child: Indices
    num_children: Indices

    @property
    def size(self) -> int:
        return self.parent.size


@dataclass(frozen=True)
class Leaves(Compiled):
    """The kept histories themselves.

    node: ``int32[F]``, where in the trie; state: ``int64[F, state_size]``; keys: ``uint64[F, P +
    1]``; seen: ``int32[F]``, how many events of the observer they explain; weight: ``float64[F]``,
    how many consistent histories each stands for (1 unless sampled).
    """

    node: Indices
    state: Integers
    keys: Keys
    seen: Indices
    weight: Floats

    @property
    def size(self) -> int:
        return self.node.size


class Belief:
    """What ``observer`` (a player, or ``game.num_players`` for the public) knows about the present
    history of a match.

    is_sample: whether there were ever more than are kept. is_drawn: whether outcomes of chance were
    drawn, whose probabilities nobody knows. recoveries: how often nothing was left, and histories
    had to be looked for from the root.
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
        self._wanted = [_first_key(observer)]  # the observer's key after each event
        self._acted = [0]  # their own action + 1 in it, 0 if they only watched
        self._pace = _PACE
        self._growing: tuple[Leaves, list[Trie]] | None = None
        self._searchable = self._recoverable = (
            True  # whether depth-first search may find all histories, or some
        )
        self._steps = _STEPS
        self._room = max(game.max_actions, game.max_chance_outcomes, 1)
        self._kept: tuple[Leaves, Trie] | None = (
            None  # nothing before it is asked for: a search from the root has no use for it
        )

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

        ``seconds``: what it may take, roughly. Where it would take longer, a random subset is kept,
        as it is for the cap. ``iterations``: how many of a search are to follow; no more than
        `PER_ITERATION` histories are kept for each of them, but at least 1,000.
        """
        self._most = (
            self.cap
            if iterations is None
            else min(self.cap, max(_FEWEST, PER_ITERATION * iterations))
        )
        self._steps = (
            _STEPS if iterations is None else min(_STEPS, _STEPS_AN_ITERATION * iterations)
        )
        until = math.inf if seconds is None else perf_counter() + seconds
        public = self.observer == self.game.num_players
        for event in events:
            noticed = Event(0, 0, event.public) if public else event
            if any(noticed):
                self._wanted.append(int(_fold(np.uint64(self._wanted[-1]), *noticed)))
                self._acted.append(noticed.action)
        if self.is_alive:
            self._continue(until)
        if self.is_sample and self.leaves.size < _THIN:
            self.recoveries += not self.is_alive
            if self._recoverable:
                self._search(until)

    def moves_to(self, leaf: int) -> list[int]:
        """The actions and outcomes that led to a leaf."""
        return moves_to(self.game, self.trie, int(self.leaves.node[leaf]))

    def way(self) -> list[int] | None:
        """The moves to where a rule ended the growth of this belief."""
        if self._growing is None:
            return None
        leaves, grown = self._growing
        broken = first_broken(self.game, leaves.state)
        return (
            None
            if broken is None
            else moves_to(self.game, _end_to_end(grown), int(leaves.node[broken]))
        )

    def modelled(self, table: InformationSetTable, column: int) -> Floats:
        """``float64[F]``: how likely each leaf is when the others play the mean strategies in
        ``table``; uniform if they never come here.
        """
        likelihood = np.ones(self.trie.size)
        _weigh(self.trie, self.observer, step_probabilities(self.trie, table, column), likelihood)
        weights = likelihood[self.leaves.node] * self.leaves.weight
        total = weights.sum()
        return weights / total if total > 0 else self.uniform()

    def uniform(self) -> Floats:
        """``float64[F]``: all consistent histories alike."""
        return np.asarray(self.leaves.weight / self.leaves.weight.sum())

    def _present(self) -> tuple[Leaves, Trie]:
        if self._kept is None:
            with explaining(self.game):
                self._kept = self._root()
        return self._kept

    def _root(self) -> tuple[Leaves, Trie]:
        """The empty history alone."""
        game = self.game
        state, keys = (
            np.zeros((1, game.state_size), np.int64),
            np.zeros((1, game.num_players + 1), np.uint64),
        )
        _write_root(game, state[0], keys[0])
        leaves, trie = (
            Leaves(np.zeros(1, np.int32), state, keys, np.zeros(1, np.int32), np.ones(1)),
            _empty_trie(1),
        )
        trie.parent[0] = -1
        _describe(game, leaves, trie, self._room)
        return leaves, trie

    def _continue(self, until: float) -> None:
        """Grow the leaves until all have explained all events and wait for the observer; then
        prune. ``until`` is a time of `perf_counter`.
        """
        events, wanted, acted = (
            len(self._wanted) - 1,
            np.array(self._wanted, np.uint64),
            np.array(self._acted),
        )
        began, looked_at = perf_counter(), 0
        finished: list[Leaves] = []
        grown, last = [self.trie], _Generation(self.leaves, self.trie, 0)
        while last.leaves.size:
            self._growing = last.leaves, grown
            done = self._is_done(last, events)
            finished.append(_select(last.leaves, done))
            waiting = self._affordable(last.only(~done), until)
            looked_at += self._num_moves(waiting)
            if len(grown) > self.game.max_depth + 1:
                raise BrokenRule("the game goes on after max_depth moves")
            last = self._grow(waiting, wanted, acted)
            grown.append(last.trie)
        self._keep(self._subset(_joined(finished), self._most), _end_to_end(grown))
        self._growing = None
        if looked_at > _FEWEST:
            self._pace = (perf_counter() - began) / looked_at

    def _affordable(self, generation: "_Generation", until: float) -> "_Generation":
        """As many leaves as can be continued in half of the time that is left: nobody knows how
        many generations are to follow. And no more than have some millions of moves.
        """
        leaves_a_move = generation.leaves.size / max(self._num_moves(generation), 1)
        count = int(_MOST_LISTED * leaves_a_move)
        if until < math.inf:
            in_time = int((until - perf_counter()) / 2 / self._pace * leaves_a_move)
            count = min(count, max(in_time, _FEWEST))
        return _Generation(
            self._subset(generation.leaves, max(count, 1)), generation.trie, generation.first
        )

    def _subset(self, leaves: Leaves, count: int) -> Leaves:
        """A random subset if there are more leaves than ``count``; each weighs as much more."""
        if leaves.size <= count:
            return leaves
        self.is_sample = True
        kept = np.zeros(leaves.size, np.bool_)
        kept[self._random.choice(leaves.size, count, replace=False)] = True
        fewer = _select(leaves, kept)
        return Leaves(
            fewer.node, fewer.state, fewer.keys, fewer.seen, fewer.weight * (leaves.size / count)
        )

    def _is_done(self, generation: "_Generation", events: int) -> Flags:
        done = generation.leaves.seen == events
        if self.observer < self.game.num_players:
            done &= generation.trie.player[generation.places] == self.observer
        return done

    def _grow(self, last: "_Generation", wanted: Keys, acted: Integers) -> "_Generation":
        """One move on from each leaf, as far as it explains what was noticed."""
        draws = self._draws(last)
        rng = new_state(int(self._random.integers(2**63)) if draws else 0)
        room = self._num_moves(last), self._room
        moves = _Moves(
            *_candidates(
                self.game,
                last.leaves,
                last.places,
                last.trie,
                self.observer,
                wanted,
                acted,
                draws,
                rng,
                *room,
            )
        )
        weight = last.leaves.weight[moves.parent]
        if draws:
            weight = np.where(last.at_chance[moves.parent], weight / draws, weight)
            self.is_sample = self.is_drawn = True
        if moves.parent.size > self._most:
            kept = np.sort(self._random.choice(moves.parent.size, self._most, replace=False))
            weight = weight[kept] * (moves.parent.size / self._most)
            moves = moves.only(kept)
            self.is_sample = True
        return self._moved(last, moves, weight)

    def _draws(self, last: "_Generation") -> int:
        """How many outcomes of chance to draw for each leaf; 0 if all of them are looked at."""
        game, chances = self.game, int(last.at_chance.sum())
        if (
            not game.draws_chance
            or chances == 0
            or (game.lists_chance and chances * game.max_chance_outcomes <= _MOST_LISTED)
        ):
            return 0
        return max(_DRAWS // chances, 1)

    def _num_moves(self, generation: "_Generation") -> int:
        """How many moves from its leaves are looked at."""
        draws, moves = self._draws(generation), generation.trie.num_actions[generation.places]
        return int(
            moves.sum() if draws == 0 else np.where(generation.at_chance, draws, moves).sum()
        )

    def _moved(self, last: "_Generation", moves: "_Moves", weight: Floats) -> "_Generation":
        """The histories after ``moves``."""
        game, size, first = self.game, moves.parent.size, last.first + last.trie.size
        state = np.empty((size, game.state_size), np.int64)
        keys = np.empty((size, game.num_players + 1), np.uint64)
        grown, trie = (
            Leaves(np.arange(first, first + size, dtype=np.int32), state, keys, moves.seen, weight),
            _empty_trie(size),
        )
        trie.index[:], trie.probability[:], trie.parent[:] = (
            moves.index,
            moves.probability,
            last.leaves.node[moves.parent],
        )
        _materialise(
            game,
            last.leaves,
            last.trie.player[last.places],
            moves.parent,
            moves.action,
            grown,
            trie,
            self._room,
        )
        return _Generation(grown, trie, first)

    def _keep(self, leaves: Leaves, trie: Trie) -> None:
        """Make these the belief, without the nodes that have no leaf below."""
        kept = np.zeros(trie.size, np.bool_)
        kept[leaves.node] = True
        _mark_ancestors(trie.parent, kept)
        place = np.cumsum(kept, dtype=np.int32) - 1
        at_leaves = Leaves(
            place[leaves.node], leaves.state, leaves.keys, leaves.seen, leaves.weight
        )
        self._kept = at_leaves, _compacted(trie, kept, place)

    def _search(self, until: float) -> None:
        """Look for consistent histories from the root: for all, and if nothing is left, for some.
        What was in vain once is not tried again.
        """
        steps = (
            self._steps
            if until == math.inf
            else int(min(self._steps, max(until - perf_counter(), 0.0) / 2 / self._pace))
        )
        if self._searchable and not self.game.draws_chance:
            dives = _Dives.of(self.game, min(self._most, _ALL))
            found = self._dive(dives, steps, steps)
            self._searchable = found >= 0
            if self._searchable:
                self.is_sample = False
                self._rebuild(dives, found)
                return
        if not self.is_alive:
            self.is_drawn |= self.game.draws_chance
            dives = _Dives.of(self.game, min(self._most, _SOME))
            found = self._dive(dives, max(steps // 5, _STEPS_A_DIVE + 1), _STEPS_A_DIVE)
            self._recoverable = found > 0
            self._rebuild(dives, found)

    def _dive(self, dives: "_Dives", steps: int, a_dive: int) -> int:
        rng = new_state(int(self._random.integers(2**63)))
        wanted, acted = np.array(self._wanted, np.uint64), np.array(self._acted)
        return int(
            _dive(self.game, self.observer, wanted, acted, dives, steps, a_dive, rng, self._room)
        )

    def _rebuild(self, dives: "_Dives", found: int) -> None:
        """Make the first ``found`` histories the belief, if there are any."""
        if found == 0:
            return
        last, at = _Generation(*self._root(), 0), np.zeros(found, np.int64)
        grown, finished = [last.trie], list[Leaves]()
        for depth in range(int(dives.length[:found].max()) + 1):
            finished.append(
                _select(
                    last.leaves,
                    np.isin(np.arange(last.leaves.size), at[dives.length[:found] == depth]),
                )
            )
            going = np.flatnonzero(dives.length[:found] > depth)
            steps = np.stack([at[going], dives.index[going, depth]], axis=1)
            _, first, which = np.unique(steps, axis=0, return_index=True, return_inverse=True)
            one = going[first]
            columns = (
                dives.index[one, depth],
                dives.seen[one, depth],
                dives.action[one, depth],
                dives.probability[one, depth],
            )
            last = self._moved(last, _Moves(at[one].astype(np.int32), *columns), np.ones(one.size))
            grown.append(last.trie)
            at[going] = which.ravel()
        self._keep(_joined(finished), _end_to_end(grown))


@dataclass(frozen=True)
class _Generation:
    """Leaves of equal age. trie: the nodes made with them, the first of which will be number
    ``first`` when all generations are put end to end.
    """

    leaves: Leaves
    trie: Trie
    first: int

    @property
    def places(self) -> Indices:
        """``int32[F]``: the node of each leaf in ``trie``."""
        return self.leaves.node - np.int32(self.first)

    @property
    def at_chance(self) -> Flags:
        """``bool[F]``: whether chance moves next."""
        return self.trie.player[self.places] == CHANCE

    def only(self, chosen: Flags) -> "_Generation":
        return _Generation(_select(self.leaves, chosen), self.trie, self.first)


@dataclass(frozen=True)
class _Moves:
    """Moves from leaves. parent: ``int32[M]``, the leaf; index, probability: as in `Trie`; seen:
    ``int32[M]``, the events explained after it; action: ``int64[M]``.
    """

    parent: Indices
    index: Integers
    seen: Indices
    action: Integers
    probability: Floats

    def only(self, chosen: npt.NDArray[np.intp]) -> "_Moves":
        return _Moves(**{name: array[chosen] for name, array in vars(self).items()})


@dataclass(frozen=True)
class _Dives(Compiled):
    """Room for K histories found by depth-first search, each of up to D moves: ``[K, D]`` arrays as
    in `_Moves`; length: ``int64[K]``.
    """

    index: Integers
    seen: Indices
    action: Integers
    probability: Floats
    length: Integers

    @classmethod
    def of(cls, game: Game, count: int) -> "_Dives":
        shape = (count, game.max_depth + 1)
        return cls(
            np.zeros(shape, np.int64),
            np.zeros(shape, np.int32),
            np.zeros(shape, np.int64),
            np.ones(shape),
            np.zeros(count, np.int64),
        )


def moves_to(game: Game, trie: Trie, node: int) -> list[int]:
    """The actions and outcomes that led to a node of a trie."""
    nodes = list[int]()
    while node > 0:
        nodes.append(node)
        node = int(trie.parent[node])
    history = History(game)
    for node in reversed(nodes):
        number = int(trie.index[node])
        drawn = history.player == CHANCE and game.draws_chance
        history = history.child(number if drawn else history.legal_actions()[number])
    return [move for move in history.moves if isinstance(move, int)]


def _first_key(observer: int) -> int:
    return int(_first(observer))


def _empty_trie(size: int) -> Trie:
    def ints() -> Indices:
        return np.zeros(size, np.int32)

    index = np.zeros(size, np.int64)
    return Trie(
        ints(),
        np.zeros(size, np.int8),
        np.zeros(size, np.uint64),
        index,
        np.ones(size),
        ints(),
        ints(),
        ints(),
    )


def _end_to_end(tries: list[Trie]) -> Trie:
    return Trie(
        **{name: np.concatenate([getattr(trie, name) for trie in tries]) for name in vars(tries[0])}
    )


def _compacted(trie: Trie, kept: Flags, place: Indices) -> Trie:
    nodes = np.flatnonzero(kept)
    smaller = Trie(**{name: array.take(nodes) for name, array in vars(trie).items()})
    has_parent = smaller.parent >= 0
    smaller.parent[has_parent] = place[smaller.parent[has_parent]]
    smaller.num_children[:] = 0
    _link_children(smaller)
    return smaller


def _select(leaves: Leaves, chosen: Flags) -> Leaves:
    if chosen.all():
        return leaves
    places = np.flatnonzero(chosen)
    return Leaves(**{name: array.take(places, axis=0) for name, array in vars(leaves).items()})


def _joined(parts: list[Leaves]) -> Leaves:
    parts = [part for part in parts if part.size] or parts[:1]
    if len(parts) == 1:
        return parts[0]
    return Leaves(
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in vars(parts[0])}
    )


# --- kernels; ``room`` is the size of the arrays that rules write actions into ---


@kernel
def _first(observer: int) -> Key:
    return first_key(observer)


@kernel
def _fold(key: Key, action: int, private: int, public: int) -> Key:
    return fold(key, action, private, public)


@kernel
def _write_root(game: Game, state: Integers, keys: Keys) -> None:
    begin(game, state, keys)


@kernel
def _describe(game: Game, leaves: Leaves, trie: Trie, room: int) -> None:
    """Write who moves at each leaf, their information set and how many actions they have; leaf l is
    node l.
    """
    actions, probabilities = np.zeros(room, np.int64), np.zeros(room)
    for leaf in range(leaves.node.size):
        state = leaves.state[leaf]
        player = game.current_player(state)
        trie.player[leaf] = player
        if player == CHANCE:
            trie.num_actions[leaf] = (
                game.max_chance_outcomes
                if game.draws_chance
                else game.chance_outcomes(state, actions, probabilities)
            )
        elif player != TERMINAL:
            trie.num_actions[leaf] = game.legal_actions(state, player, actions)
            trie.key[leaf] = game.information(state, player, leaves.keys[leaf, player])


@kernel
def _candidates(
    game: Game,
    leaves: Leaves,
    places: Indices,
    trie: Trie,
    observer: int,
    wanted: Keys,
    acted: Integers,
    draws: int,
    rng: RandomState,
    most: int,
    room: int,
) -> tuple[Indices, Integers, Indices, Integers, Floats]:
    """The moves from the leaves that explain what was noticed, of ``most`` that there are: the
    columns of `_Moves`. Leaf l is node ``places[l]`` of ``trie``. draws: how many outcomes of
    chance to draw for each leaf, 0 to look at all.
    """
    parent, index, seen = (
        np.empty(most, np.int32),
        np.empty(most, np.int64),
        np.empty(most, np.int32),
    )
    action, probability = np.empty(most, np.int64), np.empty(most)
    found = 0
    state, keys = (
        np.zeros(leaves.state.shape[1], np.int64),
        np.zeros(leaves.keys.shape[1], np.uint64),
    )
    observations = np.zeros(keys.size, np.int64)
    actions, probabilities = np.zeros(room, np.int64), np.zeros(room)
    for leaf in range(leaves.node.size):
        player = trie.player[places[leaf]]
        if player == TERMINAL:
            continue
        drawn = draws > 0 and player == CHANCE
        n = draws if drawn else _moves(game, leaves.state[leaf], player, actions, probabilities)
        explained = leaves.seen[leaf]
        for a in range(n):
            move = game.sample_chance(leaves.state[leaf], rng) if drawn else actions[a]
            if player == observer and move + 1 != acted[explained + 1]:
                continue  # its key would say so, too, but this is faster
            copy_row(leaves.state, leaf, state)
            copy_row(leaves.keys, leaf, keys)
            advance(game, state, player, move, keys, observations)
            after = _explained(keys[observer], wanted, explained)
            if after < 0:
                continue
            parent[found], index[found], seen[found], action[found] = (
                leaf,
                _index(game, player, a, move),
                after,
                move,
            )
            probability[found] = probabilities[a] if player == CHANCE and not drawn else 1.0
            found += 1
    return (
        parent[:found].copy(),
        index[:found].copy(),
        seen[:found].copy(),
        action[:found].copy(),
        probability[:found].copy(),
    )


@inline
def _explained(key: Key, wanted: Keys, explained: int) -> int:
    """How many events are explained after a move that gave the observer ``key``; -1 if it is not
    what they noticed.
    """
    if key == wanted[explained]:
        return explained
    if explained + 1 < wanted.size and key == wanted[explained + 1]:
        return explained + 1
    return -1


@inline
def _index(game: Game, player: int, a: int, move: int) -> int:
    """What a trie calls move number ``a``."""
    return move if game.draws_chance and player == CHANCE else a


@kernel
def _materialise(
    game: Game,
    leaves: Leaves,
    player: Players,
    parent: Indices,
    action: Integers,
    grown: Leaves,
    grown_trie: Trie,
    room: int,
) -> None:
    """Write the states and keys after each ``action`` of ``player[l]`` at leaf l, the ``parent``,
    and what there is to know of the new nodes.
    """
    observations = np.zeros(leaves.keys.shape[1], np.int64)
    for child in range(parent.size):
        leaf = parent[child]
        copy_row(leaves.state, leaf, grown.state[child])
        copy_row(leaves.keys, leaf, grown.keys[child])
        advance(
            game, grown.state[child], player[leaf], action[child], grown.keys[child], observations
        )
    _describe(game, grown, grown_trie, room)


@kernel
def _dive(
    game: Game,
    observer: int,
    wanted: Keys,
    acted: Integers,
    dives: _Dives,
    steps: int,
    a_dive: int,
    rng: RandomState,
    room: int,
) -> int:
    """Find histories that explain all that was noticed, by depth-first search from the root;
    returns how many.

    Each dive takes the moves of a history in random order, goes back where nothing fits, and gives
    up after ``a_dive`` moves or with the first history that it finds. If ``a_dive`` is as large as
    ``steps``, there is one dive, which finds all of them; -1 if there are more, or it had to give
    up.
    """
    all_of_them = a_dive == steps
    depths = dives.index.shape[1]
    state, keys = (
        np.zeros((depths + 1, game.state_size), np.int64),
        np.zeros((depths + 1, game.num_players + 1), np.uint64),
    )
    count, first, tried = (
        np.zeros(depths + 1, np.int64),
        np.zeros(depths + 1, np.int64),
        np.zeros(depths + 1, np.int64),
    )
    seen, observations = np.zeros(depths + 1, np.int64), np.zeros(game.num_players + 1, np.int64)
    actions, probabilities = np.zeros(room, np.int64), np.zeros(room)
    found, made = 0, 0
    while found < dives.length.size and made < steps:
        begin(game, state[0], keys[0])
        d, last = 0, made + a_dive
        count[0], seen[0] = -1, 0
        while made < last:
            made += 1
            player = game.current_player(state[d])
            if count[d] < 0:  # newly come to
                if seen[d] == wanted.size - 1 and observer in (game.num_players, player):
                    dives.length[found] = d
                    found += 1
                    if not all_of_them:
                        break
                    if found == dives.length.size:
                        return -1
                    for step in range(d):
                        _copy_move(dives, found - 1, found, step)
                    d -= 1
                    continue
                count[d], tried[d] = 0, 0
                if player == CHANCE and game.draws_chance:
                    count[d] = a_dive
                elif player != TERMINAL:
                    count[d] = _moves(game, state[d], player, actions, probabilities)
                    first[d] = below(rng, count[d])
            if tried[d] == count[d]:  # nothing fits
                d -= 1
                if d < 0:
                    return found
                continue
            if d + 1 == depths:
                raise BrokenRule("the game goes on after max_depth moves")
            a = (first[d] + tried[d]) % count[d]
            tried[d] += 1
            if player == CHANCE and game.draws_chance:
                move, p = game.sample_chance(state[d], rng), 1.0
            else:
                _moves(game, state[d], player, actions, probabilities)
                move, p = actions[a], probabilities[a] if player == CHANCE else 1.0
            if player == observer and (
                seen[d] + 1 >= wanted.size or move + 1 != acted[seen[d] + 1]
            ):
                continue
            copy_row(state, d, state[d + 1])
            copy_row(keys, d, keys[d + 1])
            advance(game, state[d + 1], player, move, keys[d + 1], observations)
            after = _explained(keys[d + 1, observer], wanted, seen[d])
            if after >= 0:
                dives.index[found, d], dives.seen[found, d], dives.action[found, d] = (
                    _index(game, player, a, move),
                    after,
                    move,
                )
                dives.probability[found, d] = p
                d += 1
                count[d], seen[d] = -1, after
    return -1 if all_of_them else found


@inline
def _copy_move(dives: _Dives, source: int, to: int, step: int) -> None:
    """Write a move of one history into another: they share what they begin with."""
    dives.index[to, step], dives.seen[to, step] = (
        dives.index[source, step],
        dives.seen[source, step],
    )
    dives.action[to, step], dives.probability[to, step] = (
        dives.action[source, step],
        dives.probability[source, step],
    )


@kernel
def _moves(
    game: Game, state: Integers, player: int, actions: Integers, probabilities: Floats
) -> int:
    if player == CHANCE:
        return game.chance_outcomes(state, actions, probabilities)
    return game.legal_actions(state, player, actions)


@kernel
def _mark_ancestors(parent: Indices, kept: Flags) -> None:
    for node in range(parent.size - 1, 0, -1):
        if kept[node]:
            kept[parent[node]] = True


@kernel
def _link_children(trie: Trie) -> None:
    for node in range(1, trie.parent.size):
        before = trie.parent[node]
        if trie.num_children[before] == 0:
            trie.first_child[before] = node
        trie.num_children[before] += 1


@kernel
def _mean(table: InformationSetTable, column: int, key: Key, index: int, n: int) -> float:
    """The probability of an action under the mean strategy; uniform where nothing is known."""
    row = table.find(key)
    if row == MISSING:
        return 1.0 / n
    total = 0.0
    for a in range(n):
        total += table.values[row + column * n + a]
    return table.values[row + column * n + index] / total if total > 0.0 else 1.0 / n


@kernel
def step_probability(trie: Trie, table: InformationSetTable, column: int, node: int) -> float:
    """The probability of the move that leads to ``node``, by chance or the mean strategy."""
    before = trie.parent[node]
    if trie.player[before] == CHANCE:
        return trie.probability[node]
    return _mean(table, column, trie.key[before], trie.index[node], trie.num_actions[before])


@kernel
def step_probabilities(trie: Trie, table: InformationSetTable, column: int) -> Floats:
    """``float64[N]``: `step_probability` of all nodes, 1 at the root. A large table is not in the
    processor's cache, so siblings share a look-up.
    """
    step = np.ones(trie.parent.size)
    for before in range(trie.parent.size):
        first, n = trie.first_child[before], trie.num_actions[before]
        last = first + trie.num_children[before]
        if first == last:
            continue
        if trie.player[before] == CHANCE:
            for node in range(first, last):
                step[node] = trie.probability[node]
            continue
        row, total = table.find(trie.key[before]), 0.0
        if row != MISSING:
            for a in range(n):
                total += table.values[row + column * n + a]
        for node in range(first, last):
            step[node] = (
                table.values[row + column * n + trie.index[node]] / total
                if total > 0.0
                else 1.0 / n
            )
    return step


@kernel
def _weigh(trie: Trie, observer: int, step: Floats, likelihood: Floats) -> None:
    for node in range(1, trie.parent.size):
        before = trie.parent[node]
        likelihood[node] = likelihood[before]
        if trie.player[before] != observer:
            likelihood[node] *= step[node]
