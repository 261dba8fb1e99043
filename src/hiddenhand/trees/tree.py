"""A small game written out: all its histories as flat arrays, and its sequence form.

Histories lie in breadth-first order, so children are a range and every walk is a loop. Information
sets are numbered in the order in which they are first met, which puts every set after the set of
the same player that leads to it: a loop over the numbers upwards goes down the game.

A *sequence* of a player is an information set of theirs with an action, and stands for all their
choices up to there; each player also has an empty sequence (von Stengel 1996). All quantities per
action (strategies, regrets, values) are arrays ``[S]`` over the sequences of all players: sequence
p is the empty one of player p; the actions of information set I are sequences ``set_start[I] ..
set_start[I + 1] - 1``. In a game with perfect recall that is all there is to know: a terminal
history pays by the last sequence of each player.

Dimensions: H histories, L levels, I information sets, S sequences, Z terminal histories, P players.
"""

import contextlib
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.compiled.arrays import Floats, Indices, Integers, Keys, Players
from hiddenhand.compiled.kernels import kernel
from hiddenhand.compiled.table import MISSING, InformationSetTable, grown, new_table
from hiddenhand.compiled.walk import advance, begin
from hiddenhand.errors import GameError, OptionError, TooLargeError
from hiddenhand.games.base import CHANCE, TERMINAL, Game, verify_listed
from hiddenhand.games.checking.conformance import verify_rules
from hiddenhand.games.checking.kernel_errors import explaining, first_broken
from hiddenhand.games.guards import BrokenRule
from hiddenhand.games.history import History
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.text import indented

DEFAULT_LIMIT: Final = 20_000_000
_MOST: Final = 2**31 - 1  # histories, which are numbered in 32 bits
_BYTES: Final = 90  # for each history


@dataclass(frozen=True)
class SetInWords:
    """What ``player`` sees in an information set, and the names of the legal ``actions`` there, in
    their order.
    """

    player: int
    information: str
    actions: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"{indented(f'player {self.player + 1} sees ', self.information)}\nand may play "
            f"{', '.join(self.actions)}"
        )


def describe(history: History) -> SetInWords:
    """The information set of the player to move after ``history``, in words."""
    game, player = history.game, history.player
    actions = tuple(
        game.action_name(history.state, player, action) for action in history.legal_actions()
    )
    return SetInWords(player, game.render(history.state, player), actions)


def memory_left() -> int:
    """The bytes of memory that this machine can still give, and the container around this process
    holds at most; 2**62 where nobody tells.
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


@dataclass(frozen=True, eq=False, repr=False)
class GameTree:
    """All histories of ``game`` (in turn-based form). Arrays are read-only.

    player: ``int8[H]``, who moves: a player, CHANCE or TERMINAL. parent: ``int32[H]``, the history
    before (-1 at the root); action: ``int32[H]``, the move from there. probability: ``float64[H]``,
    chance's probability of that move, 1 for moves of players. first_child, num_children:
    ``int32[H]``, children are a range. level_start: ``int64[L + 1]``, the histories of l moves are
    ``level_start[l] .. level_start[l + 1] - 1``. keys: ``uint64[H, P + 1]``, what each player
    noticed, and the public. information_set: ``int32[H]``, the set of the player to move, -1 where
    nobody decides.

    set_player: ``int8[I]``; set_key: ``uint64[I]``; set_start: ``int32[I + 1]``, its first
    sequence; set_parent: ``int32[I]``, the sequence of the same player that leads there.
    sequence_action: ``int32[S]``, the action that ends the sequence (-1 for the empty ones).

    terminal: ``int32[Z]``, the terminal histories; terminal_chance: ``float64[Z]``, chance's part
    in their probability; terminal_sequence: ``int32[Z, P]``, each player's last sequence; utility:
    ``float64[Z, P]``.
    """

    game: Game
    player: Players
    parent: Indices
    action: Indices
    probability: Floats
    first_child: Indices
    num_children: Indices
    level_start: Integers
    keys: Keys
    information_set: Indices
    set_player: Players
    set_key: Keys
    set_start: Indices
    set_parent: Indices
    sequence_action: Indices
    terminal: Indices
    terminal_chance: Floats
    terminal_sequence: Indices
    utility: Floats

    @property
    def num_players(self) -> int:
        return self.game.num_players

    @property
    def num_histories(self) -> int:
        return self.player.size

    @property
    def num_sets(self) -> int:
        return self.set_player.size

    @property
    def num_sequences(self) -> int:
        """Sequences of all players, the empty ones included."""
        return self.sequence_action.size

    @cached_property
    def sequence_set(self) -> Indices:
        """``int32[S]``: the information set of each sequence, -1 for the empty ones."""
        sets = np.repeat(np.arange(self.num_sets, dtype=np.int32), np.diff(self.set_start))
        return np.concatenate([np.full(self.num_players, -1, np.int32), sets])

    @cached_property
    def sequence_player(self) -> Players:
        """``int8[S]``: whose sequence it is."""
        empty = np.arange(self.num_players, dtype=np.int8)
        return np.concatenate([empty, self.set_player[self.sequence_set[self.num_players :]]])

    @cached_property
    def terminal_number(self) -> Indices:
        """``int32[H]``: which terminal history each is, -1 for those that are none."""
        number = np.full(self.num_histories, -1, np.int32)
        number[self.terminal] = np.arange(self.terminal.size)
        return number

    @cached_property
    def public_state(self) -> Indices:
        """``int32[H]``: the public state of each history, numbered as first met."""
        return _number(self.keys[:, -1])

    def augmented_set(self, player: int) -> Indices:
        """``int32[H]``: what ``player`` noticed, also where somebody else moves, numbered as first
        met.
        """
        return _number(self.keys[:, player])

    def sets_of(self, player: int) -> npt.NDArray[np.intp]:
        """The information sets of ``player``."""
        return np.flatnonzero(self.set_player == player)

    def actions_of_set(self, information_set: int) -> Indices:
        """The legal actions in an information set."""
        return self.sequence_action[
            self.set_start[information_set] : self.set_start[information_set + 1]
        ]

    def find_set(self, key: int) -> int:
        """The information set with a key. Raises KeyError."""
        return self._set_by_key[key]

    @cached_property
    def _set_by_key(self) -> dict[int, int]:
        return {int(key): number for number, key in enumerate(self.set_key)}

    def path(self, history: int) -> list[int]:
        """The actions that lead to a history."""
        actions: list[int] = []
        while history > 0:
            actions.append(int(self.action[history]))
            history = int(self.parent[history])
        return actions[::-1]

    def history(self, number: int) -> History:
        """A history by its number, to be looked at and walked on from by hand."""
        history = History(self.game)
        for action in self.path(number):
            history = history.child(action)
        return history

    def describe(self, information_set: int) -> "SetInWords":
        """An information set in words. Raises OptionError for a number that none has."""
        if not 0 <= information_set < self.num_sets:
            raise OptionError(
                f"there is no information set {information_set}; {self.game} has those from 0 to "
                f"{self.num_sets - 1}"
            )
        return describe(self.a_history_in(information_set))

    def a_history_in(self, information_set: int) -> History:
        """The first history of an information set."""
        return self.history(int(self._history_in_set[information_set]))

    @cached_property
    def _history_in_set(self) -> npt.NDArray[np.intp]:
        """The first history of each information set."""
        return np.unique(self.information_set, return_index=True)[1][-self.num_sets :]

    def counts(self) -> "TreeCounts":
        """How large the game is."""
        players = range(self.num_players)
        return TreeCounts(
            decision_histories=[int(np.sum(self.player == p)) for p in players],
            chance_histories=int(np.sum(self.player == CHANCE)),
            terminal_histories=self.terminal.size,
            information_sets=[int(np.sum(self.set_player == p)) for p in players],
            sequences=[int(np.sum(self.sequence_player == p)) for p in players],
            public_states=int(np.unique(self.keys[self.player >= 0, -1]).size),
        )

    def __repr__(self) -> str:
        return (
            f"GameTree({self.game}, {self.num_histories} histories, {self.num_sets} information "
            "sets)"
        )


@dataclass(frozen=True)
class TreeCounts:
    """The size of a game: lists have an entry for each player; ``public_states`` are those in which
    somebody decides.
    """

    decision_histories: list[int]
    chance_histories: int
    terminal_histories: int
    information_sets: list[int]
    sequences: list[int]
    public_states: int


def unroll(
    game: Game,
    max_histories: int = DEFAULT_LIMIT,
    progress: Progress = SILENT,
    *,
    verified: bool = False,
) -> GameTree:
    """Write out all histories of ``game``, in turn-based form if moves are simultaneous.
    ``verified``: its rules need no looking at.

    Raises TooLargeError when there are more than ``max_histories`` (some 90 bytes each), or more
    than fit into the memory that is left, and GameError if the game lacks perfect recall.
    """
    if not 1 <= max_histories <= _MOST:
        raise OptionError(
            f"max_histories={max_histories} is not allowed; give a number from 1 to {_MOST:,}"
        )
    game = as_sequential(game)
    verify_listed(game)
    if not verified:
        verify_rules(game)
    unroller = _Unroller(game, max_histories, progress)
    with explaining(game, unroller.way):
        return unroller.run()


class _Unroller:
    """Grows the tree a level at a time. A level's states are thrown away once its children
    exist.
    """

    def __init__(self, game: Game, max_histories: int, progress: Progress) -> None:
        self.game = game
        self.max_histories = max_histories
        self.progress = progress
        self.room = max(game.max_actions, game.max_chance_outcomes, 1)
        self.num_histories = 0
        self.levels: list[_Level] = []
        # One value for each action, so that a row's start plus P is its first sequence. The first
        # value holds the set's number.
        self.table = new_table(per_action=1)
        self.set_player = np.zeros(self.table.keys.size, np.int8)
        self.set_parent = np.zeros(self.table.keys.size, np.int32)
        self.sequence_action = np.full(game.num_players + self.table.values.size, -1, np.int32)

    def run(self) -> GameTree:
        level = self._root()
        while level.size:
            self._present, self._first = level, self.num_histories - level.size
            if len(self.levels) > self.game.max_depth:
                raise BrokenRule("the game goes on after max_depth moves")
            self._look_at(level)
            self._file(level)
            children = self._expand(level)
            level.forget_states()
            self.levels.append(level)
            self.progress.update(Report(done=self.num_histories, total=None, unit="histories"))
            level = children
        return self._assemble()

    def way(self) -> list[int] | None:
        """The moves to the first history of the present level in which a rule fails."""
        index = first_broken(self.game, self._present.state)
        if index is None:
            return None
        moves, level, first = list[int](), self._present, self._first
        for above in reversed(self.levels):
            moves.append(int(level.action[index]))
            first -= above.size
            index, level = int(level.parent[index]) - first, above
        return moves[::-1]

    def _root(self) -> "_Level":
        level = self._new_level(1)
        _write_root(self.game, level.state[0], level.keys[0])
        level.last_sequence[0] = np.arange(self.game.num_players)
        level.parent[0] = level.action[0] = -1
        level.probability[0] = 1.0
        return level

    def _new_level(self, size: int) -> "_Level":
        self.num_histories += size
        if self.num_histories > self.max_histories:
            raise TooLargeError(
                f"{self.game} has more than {self.max_histories:,} histories "
                f"({self.num_histories:,} with at most {len(self.levels) + 1} moves); "
                "allow more with max_histories, or search the game instead of writing it out"
            )
        needed = (
            _BYTES * (size + self.num_histories) + 8 * self.game.state_size * size
        )  # for this level, and to put all levels together
        if needed > memory_left():
            raise TooLargeError(
                f"{self.game} has at least {self.num_histories:,} histories, which do not fit into "
                "the memory that is left "
                f"({memory_left() / 2**30:.1f} GiB); search the game instead of writing it out"
            )
        return _Level(self.game, size)

    def _look_at(self, level: "_Level") -> None:
        """Who moves where, with how many actions, and what is paid where nobody does."""
        _count_children(self.game, level.state, level.player, level.num_children, self.room)
        level.terminal = np.flatnonzero(level.player == TERMINAL)
        level.terminal_sequence = level.last_sequence[level.terminal]
        level.utility = np.zeros((level.terminal.size, self.game.num_players))
        _pay(self.game, level.state, level.terminal, level.utility)

    def _file(self, level: "_Level") -> None:
        """Number the information sets of a level."""
        deciding = int(np.sum(level.player >= 0))
        if not self.table.has_room(deciding, self.game.max_actions):
            self._make_room(deciding)
        broken = _file_level(
            self.game,
            self.table,
            level.state,
            level.keys,
            level.player,
            level.num_children,
            level.last_sequence,
            level.information_set,
            self.set_player,
            self.set_parent,
            self.sequence_action,
            self.room,
        )
        if broken >= 0:
            raise GameError(
                f"{self.game} has no perfect recall: some player forgets an own choice, or has "
                "different legal actions in one information set, "
                f"after {len(self.levels)} moves; hiddenhand.games.check tells where"
            )

    def _make_room(self, sets: int) -> None:
        larger = grown(self.table, sets, self.game.max_actions, memory_limit=2**62)
        assert larger is not None  # there is no limit
        self.table = larger
        self.set_player = _lengthened(self.set_player, larger.keys.size)
        self.set_parent = _lengthened(self.set_parent, larger.keys.size)
        self.sequence_action = _lengthened(
            self.sequence_action, self.game.num_players + larger.values.size
        )

    def _expand(self, level: "_Level") -> "_Level":
        offsets = np.concatenate([[0], np.cumsum(level.num_children, dtype=np.int64)])
        before = self.num_histories - level.size
        level.first_child = (self.num_histories + offsets[:-1]).astype(np.int32)
        children = self._new_level(int(offsets[-1]))
        _expand_level(
            self.game,
            level.state,
            level.keys,
            level.player,
            level.last_sequence,
            level.information_set,
            self.table.starts,
            offsets,
            children.state,
            children.keys,
            children.last_sequence,
            children.action,
            children.probability,
            self.room,
        )
        children.parent[:] = before + np.repeat(np.arange(level.size), level.num_children)
        return children

    def _assemble(self) -> GameTree:
        level_start = np.concatenate(
            [[0], np.cumsum([level.size for level in self.levels])]
        ).astype(np.int64)
        starts = zip(level_start, self.levels, strict=False)
        terminal = np.concatenate([start + level.terminal for start, level in starts]).astype(
            np.int32
        )
        parent, probability = self._joined("parent"), self._joined("probability")
        chance = probability.copy()
        _multiply_down(parent, chance)
        sets, actions = self.table.counts
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
            set_player=self.set_player[:sets].copy(),
            set_key=self.table.keys[:sets].copy(),
            set_start=(players + self.table.starts[: sets + 1]).astype(np.int32),
            set_parent=self.set_parent[:sets].copy(),
            sequence_action=self.sequence_action[: players + actions].copy(),
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
        """One array of all levels, whose own parts are let go."""
        return np.concatenate([vars(level).pop(name) for level in self.levels])


class _Level:
    """All histories of one length."""

    def __init__(self, game: Game, size: int) -> None:
        players = game.num_players
        self.size = size
        self.state = np.zeros((size, game.state_size), np.int64)
        self.keys = np.zeros((size, players + 1), np.uint64)
        self.last_sequence = np.zeros((size, players), np.int32)
        self.parent = np.zeros(size, np.int32)
        self.action = np.zeros(size, np.int32)
        self.probability = np.zeros(size)
        self.player = np.zeros(size, np.int8)
        self.num_children = np.zeros(size, np.int32)
        self.first_child = np.zeros(size, np.int32)
        self.information_set = np.full(size, -1, np.int32)
        self.terminal = np.zeros(0, np.intp)
        self.terminal_sequence = np.zeros((0, players), np.int32)
        self.utility = np.zeros((0, players))

    def forget_states(self) -> None:
        del self.state, self.last_sequence


# --- kernels; ``room`` is the size of the arrays that rules write actions into ---


@kernel
def _write_root(game: Game, state: Integers, keys: Keys) -> None:
    begin(game, state, keys)


@kernel
def _count_children(
    game: Game,
    states: Integers,
    player: Players,
    num_children: Indices,
    room: int,
) -> None:
    """Write who moves at each history of a level, and how many children it has."""
    actions = np.zeros(room, np.int64)
    probabilities = np.zeros(room)
    for h in range(states.shape[0]):
        mover = game.current_player(states[h])
        player[h] = mover
        if mover == CHANCE:
            num_children[h] = game.chance_outcomes(states[h], actions, probabilities)
        elif mover != TERMINAL:
            num_children[h] = game.legal_actions(states[h], mover, actions)


@kernel
def _pay(game: Game, states: Integers, terminal: npt.NDArray[np.intp], utility: Floats) -> None:
    for z in range(terminal.size):
        for p in range(utility.shape[1]):
            utility[z, p] = game.returns(states[terminal[z]], p)


@kernel
def _file_level(
    game: Game,
    table: InformationSetTable,
    states: Integers,
    keys: Keys,
    player: Players,
    num_children: Indices,
    last_sequence: Indices,
    information_set: Indices,
    set_player: Players,
    set_parent: Indices,
    sequence_action: Indices,
    room: int,
) -> int:
    """Find or add the information set of each history. Returns -1, or a history where perfect
    recall fails.
    """
    actions = np.zeros(room, np.int64)
    num_players = last_sequence.shape[1]
    for h in range(states.shape[0]):
        p = player[h]
        if p < 0:
            continue
        key = game.information(states[h], p, keys[h, p])
        start = table.find(key)
        if start == MISSING:
            number = table.counts[0]
            start = table.add(key, num_children[h])
            table.values[start] = number
            set_player[number] = p
            set_parent[number] = last_sequence[h, p]
            game.legal_actions(states[h], p, actions)
            for a in range(num_children[h]):
                sequence_action[num_players + start + a] = actions[a]
        number = np.int64(table.values[start])
        information_set[h] = number
        same_actions = table.starts[number + 1] - table.starts[number] == num_children[h]
        if not same_actions or set_player[number] != p or set_parent[number] != last_sequence[h, p]:
            return h
    return -1


@kernel
def _expand_level(
    game: Game,
    states: Integers,
    keys: Keys,
    player: Players,
    last_sequence: Indices,
    information_set: Indices,
    starts: Integers,
    offsets: Integers,
    child_state: Integers,
    child_keys: Keys,
    child_sequence: Indices,
    child_action: Indices,
    child_probability: Floats,
    room: int,
) -> None:
    """Write the children of all histories of a level."""
    num_players = last_sequence.shape[1]
    observations = np.zeros(num_players + 1, np.int64)
    actions = np.zeros(room, np.int64)
    probabilities = np.zeros(room)
    for h in range(states.shape[0]):
        p = player[h]
        if p == TERMINAL:
            continue
        if p == CHANCE:
            game.chance_outcomes(states[h], actions, probabilities)
        else:
            game.legal_actions(states[h], p, actions)
        for a in range(offsets[h + 1] - offsets[h]):
            c = offsets[h] + a
            child_state[c] = states[h]
            child_keys[c] = keys[h]
            child_sequence[c] = last_sequence[h]
            if p >= 0:
                child_sequence[c, p] = num_players + starts[information_set[h]] + a
            child_action[c] = actions[a]
            child_probability[c] = probabilities[a] if p == CHANCE else 1.0
            advance(game, child_state[c], p, actions[a], child_keys[c], observations)


@kernel
def _multiply_down(parent: Indices, values: Floats) -> None:
    """Turn the factor of each history into the product along its path, in place."""
    for h in range(1, values.size):
        values[h] *= values[parent[h]]


def _lengthened(array: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    longer = np.full(size, -1, array.dtype)
    longer[: array.size] = array
    return longer


def _number(keys: Keys) -> Indices:
    """Number equal keys alike, in the order in which they are first met."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    rank = np.empty(first.size, np.int32)
    rank[np.argsort(first)] = np.arange(first.size, dtype=np.int32)
    return rank[inverse]
