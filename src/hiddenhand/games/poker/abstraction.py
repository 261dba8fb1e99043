"""Which holdings players of Hold'em tell apart: all of them, or only those in different buckets.

The abstraction of Heinrich and Silver (2015), "Smooth UCT search in computer poker", Section 4.3,
has *imperfect recall*: a player knows all moves, but of the cards only the bucket of the present
round. Buckets are the cells of a grid of equal width over E[HS^2] (see `hand_strength`). Before the
flop the grid would be coarse where it matters: of 169 cells only 57 are occupied. So there, by
default, the buckets are the 169 classes of holdings that differ in more than the names of suits.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.games.base import State
from hiddenhand.games.poker.betting import FOLDED, ROUND
from hiddenhand.games.poker.boards import SAME_SUITS, board_of, renamed, suits_of
from hiddenhand.games.poker.hand_strength import StrengthTables, holding
from hiddenhand.games.poker.limit_poker import CARDS_BY_THEN, LimitPoker
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.observation_keys import first_key, fold

CLASSES: Final = "classes"
GRID: Final = "grid"
NUM_CLASSES: Final = 169
MOST_CELLS: Final = 1_000_000
MOST_BEFORE_FLOP: Final = 1000

# what a `Bucketed` keeps in the state, from `LimitPoker.abstraction_at` on
_BOARD = 0  # the number of the board, as in `boards`
_SUITS = 1  # what suits are called on it
_CARDS = 2  # the cards on it as they are called, a mask with bit `card`
_BUCKETS = 3  # the bucket of each player
_ROUND_BITS = 32  # above the bucket, where both are one number


@dataclass(frozen=True)
class Unabstracted(Compiled):
    """Players remember all they noticed."""

    def room(self, players: int) -> int:
        """The entries of the state that are needed."""
        return 0

    def open_round(self, game: LimitPoker, state: State) -> None:
        """Called when all cards of a betting round are dealt."""

    def information(self, game: LimitPoker, state: State, player: int, key: int) -> int:
        """The key of the information set of ``player``; see `Game.information`."""
        return key


@dataclass(frozen=True)
class Bucketed(Compiled):
    """Players remember all moves, and the bucket that their cards are in now.

    cells: ``int64[4]``, how many buckets each betting round has.
    by_class: whether the buckets before the flop are the 169 classes.
    tables: E[HS^2] of all holdings.
    """

    cells: Integers
    by_class: bool
    tables: StrengthTables

    def room(self, players: int) -> int:
        """The entries of the state that are needed."""
        return _BUCKETS + players

    def open_round(self, game: LimitPoker, state: State) -> None:
        """Find the number of the board, and the buckets of all who have not folded."""
        self.find_board(game, state, state[ROUND])
        for player in range(game.players):
            if not state[FOLDED] >> player & 1:
                self.find_bucket(game, state, player)

    def find_board(self, game: LimitPoker, state: State, number: int) -> None:
        """Find the number of the board after the cards of betting round ``number``, from the one
        before.
        """
        at = game.abstraction_at
        if number == 0:
            state[at + _BOARD], state[at + _SUITS], state[at + _CARDS] = 0, SAME_SUITS, 0
            return
        first, last = game.rounds[number - 1, CARDS_BY_THEN], game.rounds[number, CARDS_BY_THEN]
        for place in range(first, last):
            found = self.tables.boards.next_board(
                state[at + _BOARD], state[at + _SUITS], state[game.cards_at + place]
            )
            state[at + _BOARD], state[at + _SUITS] = board_of(found), suits_of(found)
        # the table of boards knows the cards, too, but this is faster than to wait for memory
        cards = 0
        for place in range(game.rounds[0, CARDS_BY_THEN], last):
            cards |= 1 << renamed(state[game.cards_at + place], state[at + _SUITS])
        state[at + _CARDS] = cards

    def find_bucket(self, game: LimitPoker, state: State, player: int) -> None:
        """Find the bucket of a player, from their cards and the number of the board."""
        at, number, own = game.abstraction_at, state[ROUND], game.cards_at + 2 * player
        first, second = state[own], state[own + 1]
        if number == 0 and self.by_class:
            state[at + _BUCKETS + player] = self.tables.boards.pair_class(first, second)
        else:
            suits = state[at + _SUITS]
            held = holding(state[at + _CARDS], renamed(first, suits), renamed(second, suits))
            state[at + _BUCKETS + player] = self.tables.cell(
                state[at + _BOARD], held, self.cells[number]
            )

    def put_in_bucket(self, game: LimitPoker, state: State, player: int, bucket: int) -> None:
        """Take a player to have a bucket, whatever their cards are."""
        state[game.abstraction_at + _BUCKETS + player] = bucket

    def bucket_of(self, game: LimitPoker, state: State, player: int) -> int:
        """The bucket of a player who has not folded."""
        return state[game.abstraction_at + _BUCKETS + player]

    def information(self, game: LimitPoker, state: State, player: int, key: int) -> int:
        """The key of the information set of ``player``: all moves, and the present bucket."""
        number = state[ROUND]
        bucket = self.bucket_of(game, state, player)
        # plain Python has no type for the keys that compiled functions return
        found: Any = np.uint64(first_key(player))
        found = np.uint64(fold(found, 0, 1 + bucket + (number << _ROUND_BITS), 0))
        for word in range(game.moves_at, game.moves_at + (number + 1) * game.words):
            found = np.uint64(fold(found, 0, 0, state[word]))
        return found


def bucketed(buckets: tuple[int, ...], preflop: str) -> Bucketed:
    """The abstraction with these numbers of buckets in the betting rounds. Raises FileError where
    the tables of E[HS^2] were not built.

    preflop: `CLASSES` or `GRID`, the kind of buckets before the flop.
    """
    from hiddenhand.games.poker.strength_files import open_tables

    return Bucketed(np.array(buckets, np.int64), preflop == CLASSES, open_tables())
