"""Limit Texas Hold'em for two or more players, whole or with an abstraction of its cards.

Source: the game definitions of the Annual Computer Poker Competition, see `definition`; the rules
are those of `limit_poker`. The abstraction is that of Heinrich and Silver (2015), "Smooth UCT
search in computer poker", Section 4.3.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hiddenhand.errors import ParameterError
from hiddenhand.games.about import CARDS, About
from hiddenhand.games.base import State, verify_choice, verify_range
from hiddenhand.games.poker.abstraction import (
    CLASSES,
    GRID,
    MOST_BEFORE_FLOP,
    MOST_CELLS,
    NUM_CLASSES,
    Unabstracted,
    bucketed,
)
from hiddenhand.games.poker.definition import (
    DEFINITIONS,
    THREE_PLAYERS,
    TWO_PLAYERS,
    GameDefinition,
    load_definition,
    parse_definition,
)
from hiddenhand.games.poker.hands import MOST_CARDS, HandTable, hand_table
from hiddenhand.games.poker.limit_poker import CHIPS, MOVES_A_WORD, LimitPoker
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules
from hiddenhand.text import Unreadable, read_arguments, shortened, split

if TYPE_CHECKING:
    from hiddenhand.games.poker.following import HoldemFollower

PAPER: Final[Mapping[int, tuple[int, ...]]] = {2: (169, 1000, 500, 200), 3: (169, 1000, 100, 20)}
"""The buckets of Heinrich and Silver (2015), Table 1, by how many players there are."""

_MOST_MOVES: Final = 64  # of a round, as in the competition's server
_FULL_DECK: Final = (4, 13, 2, (0, 3, 1, 1))  # suits, ranks, own cards and cards on the board


@About(
    "Limit Hold'em",
    "Texas Hold'em with fixed bets, for two or three players.",
    (CARDS,),
    place=60,
    minutes=3,
    card=(2, 0.6, 0.5),
)
@dataclass(frozen=True)
class LimitHoldem(LimitPoker):
    """Limit Texas Hold'em for 2 or 3 ``players``, or the limit game of another ``definition``.

    Payoffs are chips; the big blind is 10. Position 0 is the big blind of two players, and
    position 1, the button, acts first before the flop and last after it. Of three, position 0 is
    the small blind, position 1 the big blind, and position 2, the button, acts first before the
    flop. A bet or raise is of 10 chips in the first two rounds and of 20 in the last two. There are
    at most three raises before the flop and four bets and raises in each later round. So a player
    puts in at most 240 chips. Equal hands split the pot.

    Actions: 0 fold (only when facing a bet), 1 check or call, 2 bet or raise.
    Chance: the next card, rank * 4 + suit with ranks 2 to ace and suits c, d, h, s; the cards of
    position 0 first. What is dealt together is dealt in increasing order.
    Observations: private 1 + card to the player to whom it is dealt; public 1 for a card dealt to a
    player, 2 + card for one on the board, 54 + action for a move. The move that leads to a showdown
    also tells all the hands that are shown.

    players: how many players there are, 2 or 3; as many as the definition has, if there is one.
    definition: the name of one of the competition's definitions, the path of a file with one, or
        its text. The game keeps the text. It must be a limit game with one to seven cards for each
        player and the board together.
    buckets: the number of buckets for the holdings of each betting round: four numbers, "paper"
        for those of Heinrich and Silver (2015), or None for no buckets. With buckets players have
        imperfect recall: of the cards they know the bucket of the present round. Build the tables
        for the buckets once, with ``hiddenhand buckets build``.
    preflop: the kind of buckets before the flop: "classes", the 169 classes of holdings that
        differ in more than the names of suits, or "grid", cells of equal width like those of the
        later rounds.
    """

    players: int = 2
    definition: str | None = None
    buckets: str | tuple[int, ...] | None = None
    preflop: str = CLASSES
    blinds: Integers = field(init=False, repr=False, compare=False)
    """``int64[P]``: the chips that each position puts in before the cards are dealt."""
    rounds: Integers = field(init=False, repr=False, compare=False)
    """``int64[rounds, 4]``: the size of a raise, who acts first, the most raises, and how many
    cards are dealt by then, those of the players included.
    """
    deals: Integers = field(init=False, repr=False, compare=False)
    """``int64[cards, 3]``: of each card in the order of dealing: who receives it, ``players`` for
    the board; how many cards are still dealt together with it, itself included; and whether the
    card before it is one of these.
    """
    hole_cards: int = field(init=False, repr=False, compare=False)
    """How many cards each player is dealt."""
    words: int = field(init=False, repr=False, compare=False)
    """How many entries of the state the moves of a round take."""
    cards_at: int = field(init=False, repr=False, compare=False)
    """Where in the state the cards begin, in the order in which they were dealt."""
    deck: int = field(init=False, repr=False, compare=False)
    """The cards of the deck: a mask with bit ``card``."""
    table: HandTable = field(init=False, repr=False, compare=False)
    """The table that evaluates hands."""
    abstraction: Any = field(init=False, repr=False, compare=False)
    """Which holdings players tell apart."""

    def __post_init__(self) -> None:
        definition = self._read_definition()
        deals = np.cumsum(definition.num_board_cards)
        dealt = definition.num_players * definition.num_hole_cards + deals
        rounds = zip(
            definition.raise_sizes,
            definition.first_players,
            definition.max_raises,
            dealt,
            strict=True,
        )
        most_moves = max(definition.most_moves)
        words = (most_moves + MOVES_A_WORD - 1) // MOVES_A_WORD
        numbers = {
            "players": definition.num_players,
            "blinds": np.array(definition.blinds, np.int64),
            "rounds": np.array(list(rounds), np.int64),
            "deals": np.array(_deals(definition), np.int64),
            "hole_cards": definition.num_hole_cards,
            "words": words,
            "cards_at": CHIPS + 2 * definition.num_players + definition.num_rounds * words,
            "deck": sum(1 << card for card in definition.deck),
            "table": hand_table(),
            "buckets": (buckets := self._read_buckets(definition)),
            "abstraction": bucketed(buckets, self.preflop) if buckets else Unabstracted(),
        }
        for name, value in numbers.items():
            object.__setattr__(self, name, value)

    def _read_definition(self) -> GameDefinition:
        """The definition of the game; `definition` becomes its text, or None if ``players`` alone
        says which it is.
        """
        given: Any = self.definition
        if given is None:
            verify_range(self, "players", 2, 3)
            return parse_definition(TWO_PLAYERS if self.players == 2 else THREE_PLAYERS)
        if not isinstance(given, str):
            raise ParameterError(
                f"LimitHoldem: definition={shortened(given)} is not allowed; give the path of a "
                f"file, or one of: {', '.join(DEFINITIONS)}"
            )
        is_text = "gamedef" in given.casefold() and "\n" in given
        definition = parse_definition(given) if is_text else load_definition(given)
        verify_range(self, "players", 2, 10)
        if self.players not in (2, definition.num_players):
            raise ParameterError(
                f"LimitHoldem: players={self.players} is not allowed, because the definition has "
                f"{definition.num_players}; leave it out"
            )
        _verify_playable(definition)
        built_in = definition.text in (TWO_PLAYERS, THREE_PLAYERS)
        object.__setattr__(self, "definition", None if built_in else definition.text)
        return definition

    def _read_buckets(self, definition: GameDefinition) -> tuple[int, ...] | None:
        """How many buckets each betting round has; None for no buckets."""
        verify_choice(self, "preflop", (CLASSES, GRID))
        given: Any = self.buckets
        if given is None:
            return None
        shape = (
            definition.num_suits,
            definition.num_ranks,
            definition.num_hole_cards,
            definition.num_board_cards,
        )
        if shape != _FULL_DECK:
            raise ParameterError(
                "LimitHoldem: buckets are known of Hold'em with 52 cards only; leave buckets out, "
                "or give another definition"
            )
        if given == "paper" and definition.num_players in PAPER:
            given = PAPER[definition.num_players]
        if not _is_buckets(given):
            raise ParameterError(
                f"LimitHoldem: buckets={shortened(given)} is not allowed; give four numbers from 1 "
                f"to {MOST_CELLS}, such as (169,1000,500,200), or paper, with 2 or 3 players"
            )
        if self.preflop == CLASSES and given[0] != NUM_CLASSES:
            raise ParameterError(
                f"LimitHoldem: buckets={shortened(given)} is not allowed, because before the flop "
                f"there are {NUM_CLASSES} classes; begin with {NUM_CLASSES}, or give preflop=grid"
            )
        if given[0] > MOST_BEFORE_FLOP:
            raise ParameterError(
                f"LimitHoldem: buckets={shortened(given)} is not allowed; before the flop give at "
                f"most {MOST_BEFORE_FLOP}"
            )
        return tuple(map(int, given))

    # --- abstractions, in plain Python ---

    @property
    def remembers_all(self) -> bool:
        """Whether players remember all they noticed: whether there are no buckets."""
        return self.buckets is None

    @property
    def unabstracted(self) -> "LimitHoldem":
        """The same game without buckets: the same moves, and players notice the same."""
        return LimitHoldem(self.players, self.definition)

    def abstraction_named(self, text: str) -> "LimitHoldem | None":
        """The game with buckets that `repr` writes as ``text``, if it differs from this game only
        in the buckets; else None. Raises what the game raises.
        """
        game = _read(text)
        return game if game is not None and game.unabstracted == self.unabstracted else None

    def follower(self, player: int) -> "HoldemFollower":
        """A follower, which finds ``player``'s information sets from what they notice."""
        from hiddenhand.games.poker.following import HoldemFollower

        return HoldemFollower(self, player)

    # --- for people ---

    _presentation = "hiddenhand.games.poker.drawing:LIMIT"
    payoff_unit = "chips"

    @PropertyBesideRules
    def rules_text(self) -> str:
        if self.definition is not None:
            return (
                f"Poker with fixed bets for {self.players} players, by a definition of the Annual "
                "Computer Poker Competition. Each player holds secret cards. Players bet in "
                "several rounds, and cards are laid on the table between the rounds.\n\n"
                "In your turn you fold, call or check, or raise by a fixed number of chips. If two "
                "or more players are left at the end, the best hand wins the pot. You win the "
                "chips that the others put in, or lose your own."
            )
        blinds = (
            "Player 1 puts in the big blind of 10 chips and player 2 the small blind of 5. Player "
            "2 moves first in the first round, and player 1 moves first in the other rounds."
            if self.players == 2
            else "Player 1 puts in the small blind of 5 chips and player 2 the big blind of 10. "
            "Player 3 moves first in the first round, and player 1 moves first in the other rounds."
        )
        return (
            "Texas Hold'em with fixed bets. Each player is dealt two cards that only this player "
            f"sees. {blinds}\n\n"
            "There are four rounds of betting. Three cards are laid on the table after the first "
            "round, and one more card after the second and after the third. A player who faces a "
            "bet may fold, call or raise; otherwise a player may check or bet. Bets and raises are "
            "of 10 chips in the first two rounds and of 20 chips in the last two. The first round "
            "has at most three raises, each other round at most four bets and raises.\n\n"
            "If all others fold, the last player takes the pot. Otherwise the best hand of five "
            "cards, from the own two and the five on the table, wins it. Equal hands share the "
            "pot. You win the chips that the others put in, or lose your own."
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.max_actions

    def action_name(self, state: State, player: int, action: int) -> str:
        from hiddenhand.games.poker import pictures

        return pictures.action_name(self, state, player, action)

    def render(self, state: State, player: int) -> str:
        from hiddenhand.games.poker import pictures

        return pictures.picture(self, state, player)


@lru_cache(maxsize=16)
def _read(text: str) -> LimitHoldem | None:
    """The game that `repr` writes as ``text``, if it is Hold'em; else None."""
    try:
        name, inside = split(text)
        values = {str(label): value for label, value in read_arguments(inside)}
    except Unreadable:
        return None
    known = {field.name for field in fields(LimitHoldem) if field.init}
    return LimitHoldem(**values) if name == LimitHoldem.__name__ and set(values) == known else None


def _deals(definition: GameDefinition) -> list[tuple[int, int, bool]]:
    """The rows of `LimitPoker.deals`."""
    players = definition.num_players
    counts = [definition.num_hole_cards] * players + list(definition.num_board_cards)
    return [
        (min(deal, players), count - place, place > 0)
        for deal, count in enumerate(counts)
        for place in range(count)
    ]


def _verify_playable(definition: GameDefinition) -> None:
    """Raise ParameterError for a definition that `LimitHoldem` cannot play."""
    cards = definition.num_hole_cards + sum(definition.num_board_cards)
    if cards > MOST_CARDS:
        raise ParameterError(
            f"LimitHoldem: a hand of {cards} cards is not allowed; give a definition with at most "
            f"{MOST_CARDS} cards for each player and the board together"
        )
    moves = max(definition.most_moves)
    if moves > _MOST_MOVES:
        raise ParameterError(
            f"LimitHoldem: a round of {moves} moves is not allowed; give a definition with "
            f"maxRaises that leave at most {_MOST_MOVES} moves"
        )


def _is_buckets(given: object) -> bool:
    """Whether ``given`` is a number of buckets for each betting round of Hold'em."""
    return (
        isinstance(given, (tuple, list))
        and len(given) == len(_FULL_DECK[3])
        and all(isinstance(cells, (int, np.integer)) for cells in given)
        and all(1 <= cells <= MOST_CELLS for cells in given)
    )
