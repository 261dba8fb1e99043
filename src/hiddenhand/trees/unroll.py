"""Writing a game out: `unroll` finds all histories, a level at a time, and makes a `GameTree`.

A level is all histories of one length. A history is *open* if the game goes on after it. The states
of open histories are needed until their children exist, and are freed then. So memory holds the
states of two levels at most. What goes from one level to the next is in `levels`.
"""

import contextlib
import os
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.errors import GameError, RefusedOptionError, TooLargeError
from hiddenhand.games.base import Game, verify_listed
from hiddenhand.games.guards import BrokenRule
from hiddenhand.games.history import History
from hiddenhand.games.registry import game_of
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.games.validation.conformance import verify_rules
from hiddenhand.games.validation.kernel_errors import explaining, first_broken
from hiddenhand.jit.arrays import Floats, Indices, starts_of
from hiddenhand.jit.kernels import kernel
from hiddenhand.parameters import plain_number
from hiddenhand.progress import SILENT, Progress, Report, verify_progress
from hiddenhand.trees.levels import BEGUN, Level, Sets, expand_level, file_level
from hiddenhand.trees.tree import GameTree

DEFAULT_LIMIT: Final = 20_000_000
_MOST: Final = 2**31 - 1  # histories, which are numbered in 32 bits
_BYTES: Final = 90  # for each history
_MOST_PLAYERS: Final = 2**7  # who are numbered in 8 bits
_LARGEST_BLOCK: Final = 2**25 - 2**16  # bytes; what is larger always goes back to the system
_AT_HAND: Final = 3 * 2**24  # bytes of memory to have available
_SPARE: Final = 2**24  # bytes that are there in any case: asking how many takes time, too


def unroll(
    game: Game | str,
    max_histories: int = DEFAULT_LIMIT,
    progress: Progress = SILENT,
    *,
    verified: bool = False,
    decided: bool = True,
) -> GameTree:
    """Write out all histories of ``game``, in turn-based form if moves are simultaneous.

    game: a game or its name.
    max_histories: how many there may be, from 1 to 2**31 - 1; each takes some 90 bytes.
    verified: whether the rules of the game are known to be sound and need no looking at.
    decided: whether moves are written out after which neither players nor chance have a choice up
        to the end. Without them a history is terminal as soon as its payoffs are decided. Solvers
        lose nothing by that, and Goofspiel has half as many histories.

    Raises TooLargeError when there are more than ``max_histories``, or more than fit into the
    memory that is left, or more than 128 players, and GameError if the game lacks perfect recall.
    """
    limit = plain_number(max_histories)
    if not isinstance(limit, (int, float)) or not 1 <= limit <= _MOST:
        raise RefusedOptionError(
            "max_histories", max_histories, f"give a number from 1 to {_MOST:,}"
        )
    game = as_sequential(game_of(game))
    verify_listed(game)
    verify_progress(progress)
    if not verified:
        verify_rules(game)
    unroller = Unroller(game, max_histories, progress, decided)
    with explaining(game, unroller.way):
        unroller.go_on(unroller.root())
    return unroller.tree(game)


def as_tree(game: GameTree | Game | str) -> GameTree:
    """A game that is written out, or the tree of a game or of its name; see `unroll`."""
    return game if isinstance(game, GameTree) else unroll(game)


@cache
def _reuse_memory() -> None:
    """From now on, use freed memory again. The C library gives large blocks back to the system, and
    asks for them anew, until a larger one was freed: half of the time that it takes to write out
    many games of some 100,000 histories would go into new pages of memory.
    """
    np.empty(_LARGEST_BLOCK, np.int8)


@cache
def have_memory() -> None:
    """Take memory from the system and free it, so that it is available when a game is written out
    while a clock runs. New pages take as long as what is written on them. Done once in each
    process.
    """
    _reuse_memory()
    _ = [np.ones(_AT_HAND // 24) for _ in range(3)]  # one large block would be given back


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


class Unroller:
    """Grows a tree a level at a time. For the parameters see `unroll`.

    sets: the information sets that were met so far.
    """

    def __init__(self, game: Game, max_histories: int, progress: Progress, decided: bool) -> None:
        if game.num_players > _MOST_PLAYERS:
            raise TooLargeError(
                f"{game} has {game.num_players:,} players, and a game with more than "
                f"{_MOST_PLAYERS} cannot be written out; search the game instead"
            )
        _reuse_memory()
        self.game = game
        self.max_histories = max_histories
        self.progress = progress
        self.decided = decided
        self.room = max(game.max_actions, game.max_chance_outcomes, 1)
        self.num_histories = 0
        self.spare = _SPARE
        self.sets = Sets.of(game)
        self.finished: list[dict[str, npt.NDArray[Any]]] = []  # of each level what lasts
        self._present: Level | None = None
        self._children: Level | None = None

    def go_on(self, level: Level) -> None:
        """Write out all that follows upon the histories of a level of ``game``."""
        longest = len(self.finished) + self.game.max_depth
        while level.size:
            if len(self.finished) > longest:
                raise BrokenRule("the game goes on after max_depth moves")
            self._present, self._children = level, None
            self._file(level)
            children = self._expand(level)
            self.finish(level)
            level = children
        self._present = self._children = None  # the states of the last level are freed

    def finish(self, level: Level) -> None:
        """Free a level, except for what becomes part of the tree."""
        self.finished.append(level.lasting())
        self.progress.update(Report(done=self.num_histories, total=None, unit="histories"))

    def way(self) -> list[int] | None:
        """The moves to the first history in which a rule fails, of the present level, or of the
        next one as far as it is written.
        """
        level, after = self._present, self._children
        if level is None:
            return None
        broken = first_broken(self.game, level.state[: level.num_open])
        if broken is not None:
            return self._moves_to(level, int(level.open[broken]))
        if after is None or first_broken(self.game, after.state[after.num_open :][:1]) is None:
            return None
        child = int(after.counts[BEGUN]) - 1
        before = int(after.parent[child]) - (self.num_histories - after.size - level.size)
        return [*self._moves_to(level, before), int(after.action[child])]

    def _moves_to(self, level: Level, index: int) -> list[int]:
        """The moves that lead to a history of the present level."""
        action, parent = level.action, level.parent
        first = sum(above["action"].size for above in self.finished)
        moves = list[int]()
        for above in reversed(self.finished):
            moves.append(int(action[index]))
            first -= above["action"].size
            index = int(parent[index]) - first
            action, parent = above["action"], above["parent"]
        return moves[::-1]

    def root(self) -> Level:
        """The level of the empty history."""
        level, root = self.new_level(1), History(self.game)
        level.state[0], level.player[0] = root.state, root.player
        level.keys[0] = [*map(root.key, range(self.game.num_players)), root.public_key]
        level.last_sequence[0] = level.terminal_sequence[0] = np.arange(self.game.num_players)
        level.parent[0] = level.action[0] = level.information_set[0] = -1
        level.probability[0] = 1.0
        level.open[0] = level.terminal[0] = level.num_children[0] = 0
        if root.is_terminal:
            level.utility[0] = root.returns()
        else:
            level.num_children[0] = len(root.legal_actions())
        level.counts[:] = not root.is_terminal, root.is_terminal, 1
        return level

    def new_level(self, size: int) -> Level:
        """Room for the next level of ``size`` histories. Raises TooLargeError."""
        self.num_histories += size
        if self.num_histories > self.max_histories:
            raise TooLargeError(
                f"{self.game} has more than {self.max_histories:,} histories "
                f"({self.num_histories:,} with at most {len(self.finished) + 1} moves); "
                "allow more with max_histories, or search the game instead of writing it out"
            )
        # for this level, and to put all levels together
        needed = _BYTES * (size + self.num_histories) + 8 * self.game.state_size * size
        if needed > self.spare:
            left = memory_left()
            if needed > left:
                raise TooLargeError(
                    f"{self.game} has at least {self.num_histories:,} histories, which do not fit "
                    f"into the memory that is left ({left / 2**30:.1f} GiB); search the game "
                    "instead of writing it out"
                )
            self.spare = left // 2
        return Level.of(self.game, size)

    def _file(self, level: Level) -> None:
        """Number the information sets of a level."""
        filed, recalls = 0, True
        while recalls and filed < level.num_open:
            self.sets = self.sets.with_room(self.game, 1, self.game.max_actions)
            filed, recalls = file_level(self.game, self.sets, level, filed, self.room)
        if not recalls:
            raise GameError(
                f"{self.game} has no perfect recall: some player forgets an own choice, or has "
                "different legal actions in one information set, "
                f"after {len(self.finished)} moves; hiddenhand.games.check tells where"
            )

    def _expand(self, level: Level) -> Level:
        end = self.num_histories
        children = self.new_level(int(np.sum(level.num_children, dtype=np.int64)))
        self._children = children
        starts = self.sets.table.starts
        expand_level(self.game, starts, level, end, children, self.room, self.decided)
        return children

    def tree(self, game: Game) -> GameTree:
        """All levels together, as what ``game`` is when it is written out."""
        sizes = [part["player"].size for part in self.finished]
        level_start = starts_of(sizes)
        for start, part in zip(level_start, self.finished, strict=False):
            part["terminal"] = (start + part["terminal"]).astype(np.int32)
        terminal, parent, probability = map(self._joined, ("terminal", "parent", "probability"))
        chance = probability.copy()
        multiply_down(parent, chance)
        starts = self.sets.table.starts
        sets, actions = self.sets.table.counts
        players = self.game.num_players
        lasting = ("player", "action", "first_child", "num_children", "keys", "information_set")
        of_terminals = ("terminal_sequence", "utility")
        return GameTree(
            game=game,
            parent=parent,
            probability=probability,
            level_start=level_start,
            set_player=self.sets.player[:sets].copy(),
            set_key=self.sets.table.keys[:sets].copy(),
            set_start=(players + starts[: sets + 1]).astype(np.int32),
            set_parent=self.sets.parent[:sets].copy(),
            sequence_action=self.sets.action[: players + actions].copy(),
            terminal=terminal,
            terminal_chance=chance[terminal],
            **{name: self._joined(name) for name in (*lasting, *of_terminals)},
        )

    def _joined(self, name: str) -> npt.NDArray[Any]:
        """One array of all levels. The parts that the levels held are freed."""
        return np.concatenate([part.pop(name) for part in self.finished])


@kernel
def multiply_down(parent: Indices, values: Floats) -> None:
    """Turn the factor of each history into the product along its path, in place."""
    for h in range(1, values.size):
        values[h] *= values[parent[h]]
