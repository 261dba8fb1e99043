"""The walk through a game that all sampling searches make: one history from where an iteration
begins to the end, and back.

A search is a frozen dataclass that derives from `Traversal`. It holds what an iteration works with,
and says in ``iterate`` what an iteration does. `run`, one kernel for all, makes many of them.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.games.base import Game
from hiddenhand.games.guards import BrokenRule
from hiddenhand.jit.arrays import Floats, Integers, Keys
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.history_step import advance
from hiddenhand.jit.infoset_table import MISSING, InformationSetTable
from hiddenhand.jit.kernels import inline, kernel_apart
from hiddenhand.jit.observation_keys import Key
from hiddenhand.jit.random import RandomState

# what the counters of every search count
ITERATIONS, IN_TREE, PLAYOUTS, ADDED, REFUSED, MOVES = range(6)
NUM_COUNTERS: Final = 6


@dataclass(frozen=True)
class Traversal(Compiled):
    """What an iteration works with. Arrays, and those in `path` and `table`, are written in place.

    game: the rules.
    table: what is known of each information set.
    path: where the iteration is, and how it got there: a `Trajectory`, or one that remembers more;
        searches of simultaneous moves have another, and moves of their own (see `joint.nodes`).
    leaves: what is done where the part of the game in memory ends, see
    `search.selection.leaf_values`.
    rng: the state of the generator of random numbers.
    counters: ``int64[NUM_COUNTERS]`` or more, what was done so far.
    """

    game: Any
    table: InformationSetTable
    path: Any
    leaves: Any
    rng: RandomState
    counters: Integers

    def has_room(self) -> bool:
        """Whether there is room for whatever the next iteration may add."""
        return self.table.is_ready()

    def iterate(self) -> None:
        """Make one iteration. Derived classes say how."""

    def find_or_enter(self, key: Key, size: int) -> tuple[int, bool]:
        """The row of an information set, or node, for ``size`` actions, and whether it was in
        memory. If it was not, it is added, and the part in memory is left here; the row is MISSING
        if there is no room for it.
        """
        row = self.table.find(key)
        if row != MISSING:
            return row, True
        self.counters[PLAYOUTS] += 1
        if not self.table.has_room(1, size):
            self.counters[REFUSED] += 1
            return MISSING, False
        self.counters[ADDED] += 1
        return self.table.add(key, size), False

    def move(self, player: int, action: int) -> int:
        """Let ``player``, or chance, take ``action``. Returns who moves next."""
        game, path = self.game, self.path
        self.counters[MOVES] += 1
        note_move(game, path.trail, action)
        advance(game, path.state, player, action, path.keys, path.observations)
        return game.current_player(path.state)


@kernel_apart
def run(search: Any, count: int) -> None:
    """Make up to ``count`` iterations of ``search``, a `Traversal`. It ends early when a table has
    to grow.
    """
    for _ in range(count):
        if not search.has_room():
            return
        search.iterate()
        search.counters[ITERATIONS] += 1


def iterations_made(search: Traversal, count: int) -> int:
    """`run`, which tells how many iterations it made."""
    before = int(search.counters[ITERATIONS])
    run(search, count)
    return int(search.counters[ITERATIONS]) - before


@dataclass(frozen=True)
class Trajectory(Compiled):
    """Where an iteration is, and how it got there. The arrays are made once and written by kernels.

    trail: ``int64[2 + D]``, how many moves the iteration has made, which history it started from,
        and the moves.
    state: ``int64[state_size]``, the present one.
    keys: ``uint64[P + 1]``, of each player and of the public.
    observations: ``int64[P + 1]``, room for rules to write tokens into.
    actions: ``int64[A]``, room for rules to write legal actions or outcomes into.
    probabilities: ``float64[A]``, room for the probabilities of outcomes.

    The others are filled for each depth d in memory:

    row: ``int64[D]``, where the row of the information set begins in the table.
    player: ``int64[D]``, who moves.
    num_actions: ``int64[D]``, how many actions there are.
    chosen: ``int64[D]``, the index of the action that was taken.
    sigma: ``float64[D, A]``, the distribution from which it was chosen, or is believed to be. Of a
        move of chance it may be one probability, that of the outcome.
    """

    trail: Integers
    state: Integers
    keys: Keys
    observations: Integers
    actions: Integers
    probabilities: Floats
    row: Integers
    player: Integers
    num_actions: Integers
    chosen: Integers
    sigma: Floats


def trajectory_arrays(game: Game, *, width: int = 0) -> dict[str, Any]:
    """The arrays of a `Trajectory` for ``game``, by name; one more depth than a history has moves.

    width: for how many probabilities sigma has room, if that is more than the most actions.
    """
    observers, depth = game.num_players + 1, game.max_depth + 1
    room = max(game.max_actions, game.max_chance_outcomes, 1)
    return {
        "trail": np.zeros(2 + game.max_depth, np.int64),
        "state": np.zeros(game.state_size, np.int64),
        "keys": np.zeros(observers, np.uint64),
        "observations": np.zeros(observers, np.int64),
        "actions": np.zeros(room, np.int64),
        "probabilities": np.zeros(room),
        **{name: np.zeros(depth, np.int64) for name in ("row", "player", "num_actions", "chosen")},
        "sigma": np.ones((depth, max(game.max_actions, width, 1))),
    }


@inline
def begin_trail(trail: Integers, start: int = 0) -> None:
    """An iteration begins in history number ``start`` of those it may begin in."""
    trail[0] = 0
    trail[1] = start


@inline
def note_move(game: Any, trail: Integers, action: int) -> None:
    """Write a move down before it is made, so that an error can name the moves after which a rule
    of a guarded game broke a law.

    Raises BrokenRule where the game should have ended.
    """
    if game.guarded:
        count = trail[0]
        if count + 2 == trail.size:
            raise BrokenRule("the game goes on after max_depth moves")
        trail[2 + count] = action
        trail[0] = count + 1


def trail_moves(trail: Integers) -> list[int]:
    """The moves that were written down last."""
    return [int(move) for move in trail[2 : 2 + trail[0]]]
