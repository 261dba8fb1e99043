"""One level of a game while it is written out: its histories, the information sets met so far, and
the kernels that go from one level to the next; see `unroll`.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.jit.arrays import Floats, Indices, Integers, Keys, Players, lengthened
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.history_step import advance
from hiddenhand.jit.infoset_table import MISSING, InformationSetTable, grown, new_table, num_sets
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.jit.views import copy_into, copy_row

_LASTING: Final = (
    *("player", "parent", "action", "probability", "first_child", "num_children", "keys"),
    "information_set",
)
"""The arrays of a level that become part of the tree."""
_OF_TERMINALS: Final = ("terminal", "terminal_sequence", "utility")
"""Those of its terminal histories."""
OPEN, ENDED, BEGUN = 0, 1, 2  # what `counts` counts


@dataclass(frozen=True, eq=False)
class Level(Compiled):
    """All histories of one length. What the arrays hold is said in `GameTree`, but for

    counts: ``int64[3]``, how many histories are open, how many are terminal, and how many were
        begun to be written.
    open: ``int32[H]``, which histories are open.
    state: ``int64[H, state_size]``, the state after each open history.
    last_sequence: ``int32[H, P]``, the last sequence of each player at each open history.

    Of these arrays, and those of terminal histories, only as much is written as there are such
    histories. The rest takes no memory.
    """

    counts: Integers
    open: Indices
    state: Integers
    last_sequence: Indices
    player: Players
    parent: Indices
    action: Indices
    probability: Floats
    first_child: Indices
    num_children: Indices
    keys: Keys
    information_set: Indices
    terminal: Indices
    terminal_sequence: Indices
    utility: Floats

    @staticmethod
    def of(game: Game, size: int) -> "Level":
        """A level with room for ``size`` histories, of which nothing is written yet."""
        players = game.num_players
        return Level(
            counts=np.zeros(3, np.int64),
            open=np.empty(size, np.int32),
            state=np.empty((size, game.state_size), np.int64),
            last_sequence=np.empty((size, players), np.int32),
            player=np.empty(size, np.int8),
            parent=np.empty(size, np.int32),
            action=np.empty(size, np.int32),
            probability=np.empty(size),
            first_child=np.empty(size, np.int32),
            num_children=np.empty(size, np.int32),
            keys=np.empty((size, players + 1), np.uint64),
            information_set=np.empty(size, np.int32),
            terminal=np.empty(size, np.int32),
            terminal_sequence=np.empty((size, players), np.int32),
            utility=np.empty((size, players)),
        )

    @property
    def size(self) -> int:
        return self.player.size

    @property
    def num_open(self) -> int:
        return int(self.counts[OPEN])

    def lasting(self) -> dict[str, npt.NDArray[Any]]:
        """What becomes part of the tree."""
        ended = int(self.counts[ENDED])
        return {name: getattr(self, name) for name in _LASTING} | {
            name: getattr(self, name)[:ended] for name in _OF_TERMINALS
        }


@dataclass(frozen=True, eq=False)
class Sets(Compiled):
    """The information sets that were met so far.

    table: a row for each set, with one value for each action, so that the start of a row plus P is
        the first sequence of the set. The first value of a row holds the number of the set.
    player, parent: ``set_player`` and ``set_parent`` of `GameTree`, with room for more.
    action: ``sequence_action`` of `GameTree`, with room for more.
    """

    table: InformationSetTable
    player: Players
    parent: Indices
    action: Indices

    @staticmethod
    def of(game: Game) -> "Sets":
        """Room for the first sets of a game."""
        table = new_table(per_action=1)
        size = table.keys.size
        return Sets(
            table,
            np.zeros(size, np.int8),
            np.zeros(size, np.int32),
            np.full(game.num_players + table.values.size, -1, np.int32),
        )

    def with_room(self, game: Game, more: int, max_actions: int) -> "Sets":
        """The same with room for ``more`` further sets of up to ``max_actions`` actions: twice as
        large at least, unless there is room.
        """
        if self.table.has_room(more, max_actions):
            return self
        more = max(more, num_sets(self.table))
        larger = grown(self.table, more, max_actions, memory_limit=2**62)
        assert larger is not None  # there is no limit
        return Sets(
            larger,
            lengthened(self.player, larger.keys.size),
            lengthened(self.parent, larger.keys.size),
            lengthened(self.action, game.num_players + larger.values.size, -1),
        )


# --- kernels; ``room`` is the size of the arrays that rules write actions into ---


@kernel
def file_level(game: Game, sets: Sets, level: Level, begin: int, room: int) -> tuple[int, bool]:
    """Find or add the information set of each open history from number ``begin`` on, as long as
    there is room. Returns the number before which it ended, and False if that is because perfect
    recall fails.
    """
    actions = np.zeros(room, np.int64)
    table, states, last_sequence = sets.table, level.state, level.last_sequence
    num_players = last_sequence.shape[1]
    for i in range(begin, level.counts[OPEN]):
        h = level.open[i]
        p, n = level.player[h], level.num_children[h]
        if p < 0:
            continue
        key = game.information(states[i], p, level.keys[h, p])
        start = table.find(key)
        if start == MISSING:
            if not table.has_room(1, game.max_actions):
                return i, True
            number = table.counts[0]
            start = table.add(key, n)
            table.values[start] = number
            sets.player[number] = p
            sets.parent[number] = last_sequence[i, p]
            game.legal_actions(states[i], p, actions)
            for a in range(n):
                sets.action[num_players + start + a] = actions[a]
        number = np.int64(table.values[start])
        level.information_set[h] = number
        same_actions = table.starts[number + 1] - table.starts[number] == n
        same_past = sets.player[number] == p and sets.parent[number] == last_sequence[i, p]
        if not same_actions or not same_past:
            return i, False
    return level.counts[OPEN], True


@kernel
def add_sets(sets: Sets, player: int, keys: Keys, actions: Integers) -> None:
    """Add the first information sets of ``player``, all with the same ``actions``. There is room.

    keys: ``uint64[I]``, their keys, which are different from each other and from those met so far.
    """
    num_players = sets.action.size - sets.table.values.size
    for key in keys:
        number = sets.table.counts[0]
        start = sets.table.add(key, actions.size)
        sets.table.values[start] = number
        sets.player[number] = sets.parent[number] = player  # whose empty sequence has that number
        for a in range(actions.size):
            sets.action[num_players + start + a] = actions[a]


@kernel
def expand_level(
    game: Game,
    starts: Integers,
    level: Level,
    end: int,
    children: Level,
    room: int,
    decided: bool,
) -> None:
    """Write the children of all histories of a level.

    starts: ``int64[I + 1]``, where the rows of the information sets begin.
    end: how many histories there are up to the level, which is the number of its first child.
    decided: whether moves are written out once the end is decided. If not, a child is terminal if
        there is no choice from it on.
    """
    num_players = level.last_sequence.shape[1]
    first, i, c, longest = end - level.player.size, 0, 0, 1 if decided else game.max_depth
    actions, next_actions = np.zeros(room, np.int64), np.zeros(room, np.int64)
    probabilities, next_probabilities = np.zeros(room), np.zeros(room)
    observations = np.zeros(num_players + 1, np.int64)
    kept_state = np.zeros(game.state_size, np.int64)
    kept_keys = np.zeros(num_players + 1, np.uint64)
    for h in range(level.player.size):
        level.first_child[h] = end + c
        p = level.player[h]
        if p == TERMINAL:
            continue
        if p == CHANCE:
            game.chance_outcomes(level.state[i], actions, probabilities)
        else:
            game.legal_actions(level.state[i], p, actions)
        for a in range(level.num_children[h]):
            o = children.counts[OPEN]
            state, keys, last = children.state[o], children.keys[c], children.last_sequence[o]
            copy_row(level.state, i, state)
            copy_row(level.keys, h, keys)
            copy_row(level.last_sequence, i, last)
            if p >= 0:
                last[p] = num_players + starts[level.information_set[h]] + a
            children.parent[c], children.action[c] = first + h, actions[a]
            children.probability[c] = probabilities[a] if p == CHANCE else 1.0
            children.counts[BEGUN] = c + 1
            move, mover, mover_here, moves = actions[a], p, p, 0
            while True:
                advance(game, state, mover, move, keys, observations)
                mover, n = game.current_player(state), 0
                if mover == CHANCE:
                    n = game.chance_outcomes(state, next_actions, next_probabilities)
                elif mover != TERMINAL:
                    n = game.legal_actions(state, mover, next_actions)
                moves += 1
                if moves == 1:
                    mover_here = mover
                if mover < 0 or n != 1 or moves == longest:
                    break
                if moves == 1:
                    copy_into(kept_state, state)
                    copy_into(kept_keys, keys)
                move = next_actions[0]
            if moves > 1 and mover != TERMINAL:  # there is a choice to come
                copy_into(state, kept_state)
                copy_into(keys, kept_keys)
                mover, n = mover_here, 1
            add_history(game, children, c, mover, n)
            c += 1
        i += 1


@inline
def add_history(game: Any, level: Any, h: int, mover: int, num_children: int) -> None:
    """Write who moves at a history of a level; at a terminal history, what it pays. Its state and
    last sequences are written where those of the next open history belong.
    """
    o = level.counts[OPEN]
    level.player[h], level.num_children[h], level.information_set[h] = mover, num_children, -1
    if mover != TERMINAL:
        level.open[o] = h
        level.counts[OPEN] = o + 1
        return
    z = level.counts[ENDED]
    level.terminal[z] = h
    for p in range(level.utility.shape[1]):
        level.terminal_sequence[z, p] = level.last_sequence[o, p]
        level.utility[z, p] = game.returns(level.state[o], p)
    level.counts[ENDED] = z + 1
