"""A small game written out: all its histories as flat arrays, and its sequence form.

Histories lie in breadth-first order, so the children of a history are a range and every walk is a
loop. Information sets are numbered in the order in which they are first met, which puts every set
after the set of the same player that leads to it: a loop over the numbers upwards goes down the
game. `unroll` writes a game out.

A *sequence* of a player is an information set of that player with an action, and stands for all
choices of the player up to there; each player also has an empty sequence (von Stengel 1996). All
quantities per action (strategies, regrets, values) are arrays ``[S]`` over the sequences of all
players: sequence p is the empty one of player p; the actions of information set I are sequences
``set_start[I] .. set_start[I + 1] - 1``. In a game with perfect recall that is all there is to
know: what a terminal history pays is found by the last sequence of each player.

Kernels take the arrays that they need as one of two records: `Histories`, for walks over the
histories, and `SequenceForm`, for passes over the information sets and the terminal histories.

Dimensions: H histories, L levels, I information sets, S sequences, Z terminal histories, P players.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from hiddenhand.errors import OptionError
from hiddenhand.games.base import CHANCE, Game, verify_player
from hiddenhand.games.history import History
from hiddenhand.jit.arrays import Flags, Floats, Indices, Integers, Keys, Players, ReadOnlyArrays
from hiddenhand.jit.bridge import Compiled
from hiddenhand.notebooks import Plotted, Shown
from hiddenhand.text import indented, shortened


@dataclass(frozen=True)
class SetInWords:
    """An information set in words.

    player: who moves there.
    information: what that player sees.
    actions: the names of the legal actions, in their order.
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


@dataclass(frozen=True, eq=False)
class Histories(Compiled):
    """The arrays of a `GameTree` that a walk over its histories needs; see there."""

    player: Players
    parent: Indices
    probability: Floats
    first_child: Indices
    num_children: Indices
    information_set: Indices
    set_start: Indices
    terminal_number: Indices
    utility: Floats

    def sequence_to(self, history: int) -> int:
        """The sequence that the last move before ``history`` ended; a player made that move."""
        before = self.parent[history]
        move = history - self.first_child[before]
        return self.set_start[self.information_set[before]] + move


@dataclass(frozen=True, eq=False)
class SequenceForm(ReadOnlyArrays, Compiled):
    """The arrays of a `GameTree` that a pass over its information sets or its terminal histories
    needs; see there.
    """

    set_player: Players
    set_start: Indices
    set_parent: Indices
    terminal_chance: Floats
    terminal_sequence: Indices
    utility: Floats


_Record = TypeVar("_Record", Histories, SequenceForm)


@dataclass(frozen=True, eq=False, repr=False)
class GameTree(ReadOnlyArrays, Shown, Plotted):
    """All histories of ``game`` (in turn-based form). Arrays are read-only.

    Of the histories:

    player: ``int8[H]``, who moves: a player, CHANCE or TERMINAL.
    parent: ``int32[H]``, the history before, -1 at the root.
    action: ``int32[H]``, the move that leads here from the parent, -1 at the root.
    probability: ``float64[H]``, chance's probability of that move, 1 for moves of players.
    first_child: ``int32[H]``, the first of the children, which are a range.
    num_children: ``int32[H]``, how many children there are.
    level_start: ``int64[L + 1]``, the histories of l moves are ``level_start[l] ..
        level_start[l + 1] - 1``.
    keys: ``uint64[H, P + 1]``, the keys of what each player noticed, and last the public key.
    information_set: ``int32[H]``, the set of the player to move, -1 where no player decides.

    Of the information sets and the sequences:

    set_player: ``int8[I]``, who moves there.
    set_key: ``uint64[I]``, the key of the set.
    set_start: ``int32[I + 1]``, the first sequence of the set.
    set_parent: ``int32[I]``, the sequence of the same player that leads there.
    sequence_action: ``int32[S]``, the action that ends the sequence, -1 for the empty ones.

    Of the terminal histories:

    terminal: ``int32[Z]``, which histories they are.
    terminal_chance: ``float64[Z]``, chance's part in their probability.
    terminal_sequence: ``int32[Z, P]``, the last sequence of each player.
    utility: ``float64[Z, P]``, what each player is paid.
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
        """P."""
        return self.game.num_players

    @property
    def num_histories(self) -> int:
        """H."""
        return self.player.size

    @property
    def num_sets(self) -> int:
        """I, the information sets of all players."""
        return self.set_player.size

    @property
    def num_sequences(self) -> int:
        """S, the sequences of all players, the empty ones included."""
        return self.sequence_action.size

    @cached_property
    def histories(self) -> Histories:
        """The histories as kernels take them."""
        return self._part(Histories)

    @cached_property
    def sequence_form(self) -> SequenceForm:
        """The sequence form as kernels take it."""
        return self._part(SequenceForm)

    def _part(self, record: type[_Record]) -> _Record:
        """Some of the arrays as a record that has fields of their names."""
        return record(**{field.name: getattr(self, field.name) for field in fields(record)})

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
    def sequence_length(self) -> Indices:
        """``int32[S]``: how many actions each sequence has, all of its own player."""
        length = np.zeros(self.num_sequences, np.int32)
        while True:  # once for each decision that a player can make in a match
            longer = length.copy()
            longer[self.num_players :] = (
                1 + length[self.set_parent[self.sequence_set[self.num_players :]]]
            )
            if np.array_equal(longer, length):
                return length
            length = longer

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
        """``int32[H]``: the augmented information set of ``player`` at each history, which is all
        that the player noticed, also where another player moves. Numbered as first met. Raises
        OptionError for a player that the game does not have.
        """
        verify_player(self.game, player)
        return _number(self.keys[:, player])

    def sets_of(self, player: int) -> npt.NDArray[np.intp]:
        """The information sets of ``player``. Raises OptionError for a player that the game does
        not have.
        """
        verify_player(self.game, player)
        return np.flatnonzero(self.set_player == player)

    def of_sets(self, sets: Flags) -> Flags:
        """``bool[S]``: which sequences are actions of ``sets`` ``bool[I]``."""
        return np.concatenate(
            [np.zeros(self.num_players, np.bool_), np.repeat(sets, np.diff(self.set_start))]
        )

    def actions_of_set(self, information_set: int) -> Indices:
        """The legal actions in an information set. Raises OptionError for another number."""
        self._verify_number("information set", information_set, self.num_sets)
        start, end = self.set_start[information_set : information_set + 2]
        return self.sequence_action[start:end]

    def find_set(self, key: int) -> int:
        """The information set with a key. Raises KeyError."""
        return self._set_by_key[key]

    @cached_property
    def _set_by_key(self) -> dict[int, int]:
        return {int(key): number for number, key in enumerate(self.set_key)}

    def _verify_number(self, what: str, number: object, count: int) -> None:
        """Raise OptionError unless ``number`` is one of the ``count`` numbers from 0."""
        if not isinstance(number, (int, np.integer)) or not 0 <= number < count:
            raise OptionError(
                f"there is no {what} {shortened(number)}; {self.game} has those from 0 to "
                f"{count - 1}"
            )

    def path(self, history: int) -> list[int]:
        """The actions that lead to a history. Raises OptionError for a number that none has."""
        self._verify_number("history", history, self.num_histories)
        actions: list[int] = []
        while history > 0:
            actions.append(int(self.action[history]))
            history = int(self.parent[history])
        return actions[::-1]

    def history(self, number: int) -> History:
        """A history by its number, to be looked at and walked on from by hand. Raises OptionError
        for a number that none has.
        """
        history = History(self.game)
        for action in self.path(number):
            history = history.child(action)
        return history

    def describe(self, information_set: int) -> SetInWords:
        """An information set in words. Raises OptionError for a number that none has."""
        return describe(self.a_history_in(information_set))

    def a_history_in(self, information_set: int) -> History:
        """The first history of an information set. Raises OptionError for another number."""
        self._verify_number("information set", information_set, self.num_sets)
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
    """The size of a game.

    decision_histories: for each player, the histories after which the player moves.
    chance_histories: the histories after which chance moves.
    terminal_histories: the histories that end the game.
    information_sets: for each player, the information sets.
    sequences: for each player, the sequences, the empty one included.
    public_states: the public states in which a player decides.
    """

    decision_histories: list[int]
    chance_histories: int
    terminal_histories: int
    information_sets: list[int]
    sequences: list[int]
    public_states: int


def _number(keys: Keys) -> Indices:
    """Number equal keys alike, in the order in which they are first met."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    rank = np.empty(first.size, np.int32)
    rank[np.argsort(first)] = np.arange(first.size, dtype=np.int32)
    return rank[inverse]
