"""Writing a game out: `unroll` finds all histories, a level at a time, and makes a `GameTree`.

A level is all histories of one length. Its states are needed until its children exist and are let
go then, so that memory holds the states of two levels at most. Letters for dimensions as in `tree`;
here H is the number of histories of one level.
"""

import contextlib
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.compiled.arrays import Floats, Indices, Integers, Keys, Players
from hiddenhand.compiled.bridge import Compiled
from hiddenhand.compiled.kernels import kernel
from hiddenhand.compiled.table import MISSING, InformationSetTable, grown, new_table
from hiddenhand.compiled.walk import advance, write_root
from hiddenhand.errors import GameError, OptionError, TooLargeError
from hiddenhand.games.base import CHANCE, TERMINAL, Game, verify_listed
from hiddenhand.games.checking.conformance import verify_rules
from hiddenhand.games.checking.kernel_errors import explaining, first_broken
from hiddenhand.games.guards import BrokenRule
from hiddenhand.games.registry import game_of
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.progress import SILENT, Progress, Report, verify_progress
from hiddenhand.trees.tree import GameTree

DEFAULT_LIMIT: Final = 20_000_000
_MOST: Final = 2**31 - 1  # histories, which are numbered in 32 bits
_BYTES: Final = 90  # for each history
_LARGEST_BLOCK: Final = 2**25 - 2**16  # bytes; what is larger always goes back to the system
_SPARE: Final = 2**24  # bytes that are there in any case: asking how many takes time, too
_LASTING: Final = (
    *("player", "parent", "action", "probability", "first_child", "num_children", "keys"),
    "information_set",
)
"""The arrays of a level that become part of the tree."""


def unroll(
    game: Game | str,
    max_histories: int = DEFAULT_LIMIT,
    progress: Progress = SILENT,
    *,
    verified: bool = False,
) -> GameTree:
    """Write out all histories of ``game``, in turn-based form if moves are simultaneous.

    game: a game or its name.
    max_histories: how many there may be, from 1 to 2**31 - 1; each takes some 90 bytes.
    verified: whether the rules of the game are known to be sound and need no looking at.

    Raises TooLargeError when there are more than ``max_histories``, or more than fit into the
    memory that is left, and GameError if the game lacks perfect recall.
    """
    if not 1 <= max_histories <= _MOST:
        raise OptionError(
            f"max_histories={max_histories} is not allowed; give a number from 1 to {_MOST:,}"
        )
    game = as_sequential(game_of(game))
    verify_listed(game)
    verify_progress(progress)
    if not verified:
        verify_rules(game)
    _reuse_memory()
    unroller = _Unroller(game, max_histories, progress)
    with explaining(game, unroller.way):
        return unroller.run()


@cache
def _reuse_memory() -> None:
    """From now on, memory that is let go is used again. The C library gives large blocks back to
    the system, and asks for them anew, until a larger one was let go: half of the time that it
    takes to write out many games of some 100,000 histories would go into new pages of memory.
    """
    np.empty(_LARGEST_BLOCK, np.int8)


def memory_left() -> int:
    """The bytes of memory that are left for this process: the least of what the machine has, what
    it can still give, and what the container around the process may hold. 2**62 where the system
    tells none of them.
    """
    found = [2**62]
    with contextlib.suppress(OSError, ValueError, AttributeError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with contextlib.suppress(OSError, ValueError):
        told = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        found.append(1024 * int(told.get("MemAvailable", "none").removesuffix("kB")))
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):  # there is none, or it says "max"
            found.append(int(Path(limit).read_text()))
    return min(found)


@dataclass(frozen=True, eq=False)
class _Level(Compiled):
    """All histories of one length. What the arrays hold is said in `GameTree`, but for

    state: ``int64[H, state_size]``, the state after each history.
    last_sequence: ``int32[H, P]``, the last sequence of each player.
    """

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

    @staticmethod
    def of(game: Game, size: int) -> "_Level":
        """A level with room for ``size`` histories."""
        players = game.num_players
        return _Level(
            state=np.zeros((size, game.state_size), np.int64),
            last_sequence=np.zeros((size, players), np.int32),
            player=np.zeros(size, np.int8),
            parent=np.zeros(size, np.int32),
            action=np.zeros(size, np.int32),
            probability=np.zeros(size),
            first_child=np.zeros(size, np.int32),
            num_children=np.zeros(size, np.int32),
            keys=np.zeros((size, players + 1), np.uint64),
            information_set=np.full(size, -1, np.int32),
        )

    @property
    def size(self) -> int:
        return self.player.size


@dataclass(frozen=True, eq=False)
class _Sets(Compiled):
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
    def of(game: Game) -> "_Sets":
        """Room for the first sets of a game."""
        table = new_table(per_action=1)
        size = table.keys.size
        return _Sets(
            table,
            np.zeros(size, np.int8),
            np.zeros(size, np.int32),
            np.full(game.num_players + table.values.size, -1, np.int32),
        )

    def with_room(self, game: Game, more: int) -> "_Sets":
        """The same with room for ``more`` further sets."""
        if self.table.has_room(more, game.max_actions):
            return self
        larger = grown(self.table, more, game.max_actions, memory_limit=2**62)
        assert larger is not None  # there is no limit
        return _Sets(
            larger,
            _lengthened(self.player, larger.keys.size),
            _lengthened(self.parent, larger.keys.size),
            _lengthened(self.action, game.num_players + larger.values.size),
        )


class _Unroller:
    """Grows the tree a level at a time."""

    def __init__(self, game: Game, max_histories: int, progress: Progress) -> None:
        self.game = game
        self.max_histories = max_histories
        self.progress = progress
        self.room = max(game.max_actions, game.max_chance_outcomes, 1)
        self.num_histories = 0
        self.sets = _Sets.of(game)
        self.finished: list[dict[str, npt.NDArray[Any]]] = []  # of each level what lasts

    def run(self) -> GameTree:
        level = self._root()
        while level.size:
            self._present, self._first = level, self.num_histories - level.size
            if len(self.finished) > self.game.max_depth:
                raise BrokenRule("the game goes on after max_depth moves")
            _count_children(self.game, level, self.room)
            lasting = self._paid(level)
            self._file(level)
            children = self._expand(level)
            self.finished.append(lasting | {name: vars(level)[name] for name in _LASTING})
            self.progress.update(Report(done=self.num_histories, total=None, unit="histories"))
            level = children
        self._present = level  # the states of the last level are let go
        return self._assemble()

    def way(self) -> list[int] | None:
        """The moves to the first history of the present level in which a rule fails."""
        index = first_broken(self.game, self._present.state)
        if index is None:
            return None
        action, parent, first = self._present.action, self._present.parent, self._first
        moves = list[int]()
        for above in reversed(self.finished):
            moves.append(int(action[index]))
            first -= above["action"].size
            index = int(parent[index]) - first
            action, parent = above["action"], above["parent"]
        return moves[::-1]

    def _root(self) -> _Level:
        level = self._new_level(1)
        write_root(self.game, level.state[0], level.keys[0])
        level.last_sequence[0] = np.arange(self.game.num_players)
        level.parent[0] = level.action[0] = -1
        level.probability[0] = 1.0
        return level

    def _new_level(self, size: int) -> _Level:
        self.num_histories += size
        if self.num_histories > self.max_histories:
            raise TooLargeError(
                f"{self.game} has more than {self.max_histories:,} histories "
                f"({self.num_histories:,} with at most {len(self.finished) + 1} moves); "
                "allow more with max_histories, or search the game instead of writing it out"
            )
        # for this level, and to put all levels together
        needed = _BYTES * (size + self.num_histories) + 8 * self.game.state_size * size
        if needed > _SPARE and needed > memory_left():
            raise TooLargeError(
                f"{self.game} has at least {self.num_histories:,} histories, which do not fit into "
                f"the memory that is left ({memory_left() / 2**30:.1f} GiB); search the game "
                "instead of writing it out"
            )
        return _Level.of(self.game, size)

    def _paid(self, level: _Level) -> dict[str, npt.NDArray[Any]]:
        """The terminal histories of a level, counted from its first: which they are, the last
        sequences of the players, and what they pay.
        """
        terminal = np.flatnonzero(level.player == TERMINAL)
        utility = np.zeros((terminal.size, self.game.num_players))
        _pay(self.game, level.state, terminal, utility)
        return {
            "terminal": terminal,
            "terminal_sequence": level.last_sequence[terminal],
            "utility": utility,
        }

    def _file(self, level: _Level) -> None:
        """Number the information sets of a level."""
        self.sets = self.sets.with_room(self.game, int(np.sum(level.player >= 0)))
        if _file_level(self.game, self.sets, level, self.room) >= 0:
            raise GameError(
                f"{self.game} has no perfect recall: some player forgets an own choice, or has "
                "different legal actions in one information set, "
                f"after {len(self.finished)} moves; hiddenhand.games.check tells where"
            )

    def _expand(self, level: _Level) -> _Level:
        offsets = np.concatenate([[0], np.cumsum(level.num_children, dtype=np.int64)])
        before = self.num_histories - level.size
        level.first_child[:] = self.num_histories + offsets[:-1]
        children = self._new_level(int(offsets[-1]))
        _expand_level(self.game, self.sets.table.starts, level, offsets, children, self.room)
        children.parent[:] = before + np.repeat(np.arange(level.size), level.num_children)
        return children

    def _assemble(self) -> GameTree:
        sizes = [part["player"].size for part in self.finished]
        level_start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        for start, part in zip(level_start, self.finished, strict=False):
            part["terminal"] = (start + part["terminal"]).astype(np.int32)
        terminal, parent, probability = map(self._joined, ("terminal", "parent", "probability"))
        chance = probability.copy()
        multiply_down(parent, chance)
        starts = self.sets.table.starts
        sets, actions = self.sets.table.counts
        players = self.game.num_players
        tree = GameTree(
            game=self.game,
            player=self._joined("player"),
            parent=parent,
            action=self._joined("action"),
            probability=probability,
            first_child=self._joined("first_child"),
            num_children=self._joined("num_children"),
            level_start=level_start,
            keys=self._joined("keys"),
            information_set=self._joined("information_set"),
            set_player=self.sets.player[:sets].copy(),
            set_key=self.sets.table.keys[:sets].copy(),
            set_start=(players + starts[: sets + 1]).astype(np.int32),
            set_parent=self.sets.parent[:sets].copy(),
            sequence_action=self.sets.action[: players + actions].copy(),
            terminal=terminal,
            terminal_chance=chance[terminal],
            terminal_sequence=self._joined("terminal_sequence"),
            utility=self._joined("utility"),
        )
        for array in vars(tree).values():
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
        return tree

    def _joined(self, name: str) -> npt.NDArray[Any]:
        """One array of all levels. The parts that the levels held are let go."""
        return np.concatenate([part.pop(name) for part in self.finished])


def _lengthened(array: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    longer = np.full(size, -1, array.dtype)
    longer[: array.size] = array
    return longer


# --- kernels; ``room`` is the size of the arrays that rules write actions into ---


@kernel
def _count_children(game: Game, level: _Level, room: int) -> None:
    """Write who moves at each history of a level, and how many children it has."""
    actions = np.zeros(room, np.int64)
    probabilities = np.zeros(room)
    states = level.state
    for h in range(states.shape[0]):
        mover = game.current_player(states[h])
        level.player[h] = mover
        if mover == CHANCE:
            level.num_children[h] = game.chance_outcomes(states[h], actions, probabilities)
        elif mover != TERMINAL:
            level.num_children[h] = game.legal_actions(states[h], mover, actions)


@kernel
def _pay(game: Game, states: Integers, terminal: npt.NDArray[np.intp], utility: Floats) -> None:
    """Write what each player is paid at each of the ``terminal`` histories."""
    for z in range(terminal.size):
        for p in range(utility.shape[1]):
            utility[z, p] = game.returns(states[terminal[z]], p)


@kernel
def _file_level(game: Game, sets: _Sets, level: _Level, room: int) -> int:
    """Find or add the information set of each history. Returns -1, or a history where perfect
    recall fails.
    """
    actions = np.zeros(room, np.int64)
    table, states, last_sequence = sets.table, level.state, level.last_sequence
    num_players = last_sequence.shape[1]
    for h in range(states.shape[0]):
        p, n = level.player[h], level.num_children[h]
        if p < 0:
            continue
        key = game.information(states[h], p, level.keys[h, p])
        start = table.find(key)
        if start == MISSING:
            number = table.counts[0]
            start = table.add(key, n)
            table.values[start] = number
            sets.player[number] = p
            sets.parent[number] = last_sequence[h, p]
            game.legal_actions(states[h], p, actions)
            for a in range(n):
                sets.action[num_players + start + a] = actions[a]
        number = np.int64(table.values[start])
        level.information_set[h] = number
        same_actions = table.starts[number + 1] - table.starts[number] == n
        same_past = sets.player[number] == p and sets.parent[number] == last_sequence[h, p]
        if not same_actions or not same_past:
            return h
    return -1


@kernel
def _expand_level(
    game: Game, starts: Integers, level: _Level, offsets: Integers, children: _Level, room: int
) -> None:
    """Write the children of all histories of a level.

    starts: ``int64[I + 1]``, where the rows of the information sets begin.
    offsets: ``int64[H + 1]``, where the children of each history begin among ``children``.
    """
    num_players = level.last_sequence.shape[1]
    observations = np.zeros(num_players + 1, np.int64)
    actions = np.zeros(room, np.int64)
    probabilities = np.zeros(room)
    for h in range(level.state.shape[0]):
        p = level.player[h]
        if p == TERMINAL:
            continue
        if p == CHANCE:
            game.chance_outcomes(level.state[h], actions, probabilities)
        else:
            game.legal_actions(level.state[h], p, actions)
        for a in range(offsets[h + 1] - offsets[h]):
            c = offsets[h] + a
            children.state[c] = level.state[h]
            children.keys[c] = level.keys[h]
            children.last_sequence[c] = level.last_sequence[h]
            if p >= 0:
                sequence = num_players + starts[level.information_set[h]] + a
                children.last_sequence[c, p] = sequence
            children.action[c] = actions[a]
            children.probability[c] = probabilities[a] if p == CHANCE else 1.0
            advance(game, children.state[c], p, actions[a], children.keys[c], observations)


@kernel
def multiply_down(parent: Indices, values: Floats) -> None:
    """Turn the factor of each history into the product along its path, in place."""
    for h in range(1, values.size):
        values[h] *= values[parent[h]]
