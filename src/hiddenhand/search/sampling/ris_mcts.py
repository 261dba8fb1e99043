"""Redetermined iterations of IS-MCTS, in which others do not profit from what the searcher knows.

Goodman (2019), "Re-determinizing information set Monte Carlo tree search in Hanabi". All histories
of the searcher's belief have the searcher's own cards in them. If the others' information sets
learn from them, they learn to play against those cards, which the others do not see. RIS-MCTS draws
what is hidden anew, from the perspective of the player to move. In Hanabi that means other cards in
a hand. In any game it means another history in which a player has noticed the same.

Here an iteration has a walk for each player. A *universe* is a history of the belief. The
searcher's walk starts there; the walk of another player starts in a history that this player cannot
tell from the universe, in which the searcher is to move as well. On a walk of player p, player p
learns, and so does each player to whom the start looks different from the universe. So each player
learns to play what they see in the universe from their own perspective only, and what they would
have seen otherwise from that of others. Histories are drawn once for an iteration and not at every
node: a walk from such a start can only come to what its player holds possible.

The histories are found by depth-first search in random order, with `STEPS` moves to look at for
each; where that does not do, the universe itself stands in, and what the searcher knows leaks.

Dimensions: U universes, M histories for each of them and each player, P players, D moves that a
history may have.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.jit.arrays import Flags, Floats, Indices, Integers, Keys
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.history_step import advance, begin
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.random import RandomState, below, uniform
from hiddenhand.jit.sampling import search_cumulative
from hiddenhand.jit.views import copy_row
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.belief.history_trie import Trie
from hiddenhand.search.belief.propagation import list_moves, room_of
from hiddenhand.search.sampling.tree_search import TreeSearch
from hiddenhand.search.traversal import begin_trail

UNIVERSES: Final = 100
"""How many histories of the belief an iteration may be about, at most."""
HISTORIES: Final = 4
"""How many histories are looked for, for each universe and each player; some may be equal."""
STEPS: Final = 1000
_DRAWS: Final = 4  # outcomes that are tried at a move of chance whose outcomes are not listed


@dataclass(frozen=True)
class Universes(Compiled):
    """Where walks start. Row (u P + p) M + i is history i of player p for universe u.

    state: ``int64[U P M, state_size]``.
    keys: ``uint64[U P M, P + 1]``, of each player and of the public.
    cumulative: ``float64[U]``, the sums of the universes' probabilities.
    histories: M.
    """

    state: Integers
    keys: Keys
    cumulative: Floats
    histories: int


@dataclass(frozen=True)
class Redetermined(TreeSearch):
    """An iteration with a walk for each player.

    universes: where walks start.
    seat: the player for whom the search decides.
    learns: ``bool[P]``, who learns from the present walk.
    """

    universes: Universes
    seat: int
    learns: Flags

    def iterate(self) -> None:
        """A walk for each player, the searcher first, all about one universe."""
        players, universes = self.game.num_players, self.universes
        universe = search_cumulative(universes.cumulative, uniform(self.rng))
        for turn in range(players):
            player = (self.seat + turn) % players
            history = below(self.rng, universes.histories) if turn > 0 else 0
            self.start_walk(universe, player, history)
            self.update(self.descend())

    def start_walk(self, universe: int, player: int, history: int) -> None:
        """Go to where the walk of ``player`` starts, and find out who learns from it."""
        path, universes, players = self.path, self.universes, self.game.num_players
        itself = (universe * players + self.seat) * universes.histories
        start = (universe * players + player) * universes.histories + history
        begin_trail(path.trail, start)
        copy_row(universes.state, start, path.state)
        copy_row(universes.keys, start, path.keys)
        for other in range(players):
            looks_alike = universes.keys[start, other] == universes.keys[itself, other]
            self.learns[other] = other == player or not looks_alike

    def update(self, depth: int) -> None:
        """Those sets on the path learn whose player may."""
        path = self.path
        for d in range(depth):
            if self.learns[path.player[d]]:
                row, n, a, sigma = path.row[d], path.num_actions[d], path.chosen[d], path.sigma[d]
                u = self.leaves.payoff(self.game, path.state, path.player[d])
                self.selector.update(self.table.values, row, n, a, sigma[a], u, sigma)


def universes_of(
    belief: Belief, weights: Floats, random: np.random.Generator, rng: RandomState
) -> tuple[Universes, Integers]:
    """Universes drawn from a belief by ``weights``, ``float64[F]``, with the histories that the
    others hold possible; and which leaf of the belief each of them is, ``int64[U]``.
    """
    game, leaves = belief.game, belief.leaves
    chosen = np.arange(leaves.size)
    if leaves.size > UNIVERSES:
        chosen = np.sort(random.choice(leaves.size, UNIVERSES, p=weights / weights.sum()))
        weights = np.ones(UNIVERSES)
    repeated = np.repeat(chosen, game.num_players * HISTORIES)
    state, keys = leaves.state[repeated], leaves.keys[repeated]
    universes = Universes(state, keys, np.cumsum(weights) / weights.sum(), HISTORIES)
    _fill(game, belief.trie, leaves.node[chosen], belief.observer, universes, _Room.of(game), rng)
    return universes, chosen


@dataclass(frozen=True)
class _Room(Compiled):
    """The history that a search has come to, with its prefixes, and what it has to explain.

    state, keys: ``[D + 2, ...]``, of each prefix.
    seen: ``int64[D + 2]``, how many events it explains.
    count, first, tried: ``int64[D + 2]``, its moves; the one tried first; how many were tried.
    wanted: ``uint64[D + 2]``, the player's key after each event.
    acted: ``int64[D + 2]``, 1 + their own action in it, or 0.
    moves: ``int64[D + 2]``, the numbers of the moves to the universe, the last first.
    actions, probabilities, observations: room for rules to write into.
    """

    state: Integers
    keys: Keys
    seen: Integers
    count: Integers
    first: Integers
    tried: Integers
    wanted: Keys
    acted: Integers
    moves: Integers
    actions: Integers
    probabilities: Floats
    observations: Integers

    @staticmethod
    def of(game: Game) -> "_Room":
        """Room for the longest history of a game."""
        lengths, most = game.max_depth + 2, room_of(game)
        names = ("seen", "count", "first", "tried", "acted", "moves")
        return _Room(
            state=np.zeros((lengths, game.state_size), np.int64),
            keys=np.zeros((lengths, game.num_players + 1), np.uint64),
            wanted=np.zeros(lengths, np.uint64),
            actions=np.zeros(most, np.int64),
            probabilities=np.zeros(most),
            observations=np.zeros(game.num_players + 1, np.int64),
            **{name: np.zeros(lengths, np.int64) for name in names},
        )

    def move_of(self, game: Game, d: int, number: int, rng: RandomState) -> int:
        """Move ``number`` after prefix ``d``; a drawn outcome of chance where none are listed."""
        player = game.current_player(self.state[d])
        if player == CHANCE and game.draws_chance:
            return game.sample_chance(self.state[d], rng)
        list_moves(game, self.state[d], player, self.actions, self.probabilities)
        return int(self.actions[number])

    def num_moves(self, game: Game, d: int) -> int:
        """How many moves there are to try after prefix ``d``."""
        player = game.current_player(self.state[d])
        if player == TERMINAL:
            return 0
        if player == CHANCE and game.draws_chance:
            return _DRAWS
        return list_moves(game, self.state[d], player, self.actions, self.probabilities)

    def advance_to(self, game: Game, d: int, move: int) -> None:
        """Make ``move`` after prefix ``d``, which gives prefix d + 1."""
        player = game.current_player(self.state[d])
        copy_row(self.state, d, self.state[d + 1])
        copy_row(self.keys, d, self.keys[d + 1])
        advance(game, self.state[d + 1], player, move, self.keys[d + 1], self.observations)


# --- kernels; d is the length of a prefix ---


@kernel
def _fill(
    game: Game,
    trie: Trie,
    nodes: Indices,
    seat: int,
    universes: Universes,
    room: _Room,
    rng: RandomState,
) -> None:
    """Replace the histories of all players but ``seat`` by others that they hold possible."""
    for universe in range(nodes.size):
        for player in range(game.num_players):
            if player == seat:
                continue
            events = _note_events(game, trie, nodes[universe], player, room, rng)
            for history in range(universes.histories):
                row = (universe * game.num_players + player) * universes.histories + history
                d = _redraw(game, player, seat, events, room, rng)
                if d >= 0:
                    copy_row(room.state, d, universes.state[row])
                    copy_row(room.keys, d, universes.keys[row])


@kernel
def _note_events(
    game: Game, trie: Trie, node: int, player: int, room: _Room, rng: RandomState
) -> int:
    """Write down what ``player`` noticed on the way to a node of the trie; returns how many events
    that were.
    """
    length, at = 0, node
    while trie.parent[at] >= 0:
        room.moves[length] = trie.index[at]
        at = trie.parent[at]
        length += 1
    begin(game, room.state[0], room.keys[0])
    events = 0
    room.wanted[0] = room.keys[0, player]
    for d in range(length):
        number, mover = room.moves[length - 1 - d], game.current_player(room.state[d])
        drawn = mover == CHANCE and game.draws_chance
        move = number if drawn else room.move_of(game, d, number, rng)
        room.advance_to(game, d, move)
        if room.keys[d + 1, player] != room.wanted[events]:
            events += 1
            room.wanted[events] = room.keys[d + 1, player]
            room.acted[events] = move + 1 if mover == player else 0
    return events


@kernel
def _redraw(game: Game, player: int, seat: int, events: int, room: _Room, rng: RandomState) -> int:
    """Find a history in which ``player`` noticed the same and ``seat`` is to move. Returns its
    length, or -1 where none was found in time.
    """
    begin(game, room.state[0], room.keys[0])
    d, opened = 0, False
    room.seen[0] = 0
    for _ in range(STEPS):
        if not opened:
            mover = game.current_player(room.state[d])
            if room.seen[d] == events and mover == seat:
                return d
            room.tried[d], room.count[d] = 0, room.num_moves(game, d)
            room.first[d] = below(rng, room.count[d]) if room.count[d] > 0 else 0
            opened = True
        if room.tried[d] == room.count[d] or d + 2 == room.seen.size:
            d -= 1
            if d < 0:
                return -1
            continue
        number = (room.first[d] + room.tried[d]) % room.count[d]
        room.tried[d] += 1
        move, mover = room.move_of(game, d, number, rng), game.current_player(room.state[d])
        so_far = room.seen[d]
        if mover == player and (so_far == events or move + 1 != room.acted[so_far + 1]):
            continue
        room.advance_to(game, d, move)
        key = room.keys[d + 1, player]
        if key != room.wanted[so_far]:
            if so_far == events or key != room.wanted[so_far + 1]:
                continue
            so_far += 1
        d, opened = d + 1, False
        room.seen[d] = so_far
    return -1
