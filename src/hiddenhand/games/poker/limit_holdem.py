"""Limit Texas Hold'em for two or more players, by the rules of the Annual Computer Poker
Competition.

Source: the competition's game definitions and its server's `game.c`, protocol 2.0.0; see
`definition`. Positions, cards and the counting of raises are those of the competition.

Cards are dealt one by one. What is dealt together, a player's own cards or the flop, is dealt in
increasing order, each set of cards in one way: nobody remembers in which order cards came, and all
sets are equally likely. A deal of n cards from those that are left is drawn as Knuth draws a sample
from a list (The Art of Computer Programming, Volume 2, Algorithm 3.4.2 S).
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from hiddenhand.compiled.arrays import Integers
from hiddenhand.compiled.random import below
from hiddenhand.errors import ParameterError
from hiddenhand.games.base import CHANCE, TERMINAL, Game, Probabilities, State, verify_range
from hiddenhand.games.poker.definition import (
    DEFINITIONS,
    THREE_PLAYERS,
    TWO_PLAYERS,
    GameDefinition,
    load_definition,
    parse_definition,
)
from hiddenhand.games.poker.hands import (
    MOST_CARDS,
    NUM_CARDS,
    HandTable,
    bit_of,
    hand_table,
)
from hiddenhand.text import shortened

# what the state holds, by the index where it begins
PLAYER = 0  # who is to move
ROUND = 1  # the betting round, from 0
DEALT = 2  # how many cards were dealt
WAITED_FOR = 3  # how many players are still to move before the round ends
RAISES = 4  # bets and raises in this round
FOLDED = 5  # a mask of those who folded
WINNERS = 6  # a mask of those who share the pot, 0 before the end
STAKE = 7  # the most chips that any player put in
USED = 8  # the cards that were dealt: a mask with bit `card`
BOARD = 9  # the cards on the board: a set as in `hands`
CHIPS = 10  # what each player has put in; behind it, for each player, their cards as a set
# Then, for each round, come its moves, and then the cards in the order in which they were dealt.
MOVE_BITS = 2  # of a move in a word of moves: 1 + the action
MOVES_A_WORD = 31
_MOST_MOVES = 64  # of a round, as in the competition's server
_SHOWN = 2**56 - 5  # a prime: hands that are shown are told apart by their remainders

# what `rounds` holds of each round
_RAISE, _FIRST, _MOST_RAISES, _CARDS_BY_THEN = range(4)


def ones(mask: int) -> int:
    """How many bits of a mask of 52 cards are set."""
    mask -= mask >> 1 & 0x5555555555555555
    mask = (mask & 0x3333333333333333) + (mask >> 2 & 0x3333333333333333)
    mask = (mask + (mask >> 4)) & 0x0F0F0F0F0F0F0F0F
    mask += mask >> 8
    mask += mask >> 16
    return (mask + (mask >> 32)) & 0x7F


@dataclass(frozen=True)
class LimitHoldem(Game):
    """Limit Texas Hold'em for 2 or 3 ``players``, or the limit game of another ``definition``.

    Payoffs are chips; the big blind is 10. Position 0 is the big blind of two players, and
    position 1, the button, acts first before the flop and last after it. Of three, position 0 is
    the small blind, position 1 the big blind, and position 2, the button, acts first before the
    flop. A bet or raise is of 10 chips in the first two rounds and of 20 in the last two; there are
    at most three raises before the flop and four bets and raises in each later round. So nobody
    puts in more than 240 chips. Equal hands split the pot.

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
    """

    players: int = 2
    definition: str | None = None
    blinds: Integers = field(init=False, repr=False, compare=False)
    """``int64[P]``: what each position puts in before the cards are dealt."""
    rounds: Integers = field(init=False, repr=False, compare=False)
    """``int64[rounds, 4]``: the size of a raise, who acts first, the most raises, and how many
    cards are dealt by then, those of the players included.
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
    """What hands are evaluated with."""

    FOLD: ClassVar[int] = 0
    CALL: ClassVar[int] = 1
    RAISE: ClassVar[int] = 2
    MOVE_TOKEN: ClassVar[int] = 2 + NUM_CARDS
    """The public token of a move is this and the action."""

    max_actions = 3

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
            "hole_cards": definition.num_hole_cards,
            "words": words,
            "cards_at": CHIPS + 2 * definition.num_players + definition.num_rounds * words,
            "deck": sum(1 << card for card in definition.deck),
            "table": hand_table(),
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

    # --- sizes ---

    @property
    def num_players(self) -> int:
        return self.players

    @property
    def num_rounds(self) -> int:
        """The betting rounds."""
        return self.rounds.shape[0]

    @property
    def state_size(self) -> int:
        return self.cards_at + self.most_dealt

    @property
    def max_chance_outcomes(self) -> int:
        return NUM_CARDS

    @property
    def most_dealt(self) -> int:
        """How many cards are dealt in all, if nobody wins earlier."""
        return self.rounds[self.num_rounds - 1, _CARDS_BY_THEN]

    @property
    def max_depth(self) -> int:
        depth = self.most_dealt
        for number in range(self.num_rounds):
            # all but one check, the last bets, and each raise comes after all but one have called
            depth += self.players + (self.players - 1) * self.rounds[number, _MOST_RAISES]
        return depth

    @property
    def max_utility(self) -> float:
        return float((self.players - 1) * self.most_chips)

    @property
    def most_chips(self) -> int:
        """The most chips that a player can put in."""
        chips = 0
        for player in range(self.players):
            chips = max(chips, self.blinds[player])
        for number in range(self.num_rounds):
            chips += self.rounds[number, _RAISE] * self.rounds[number, _MOST_RAISES]
        return chips

    # --- where things are in the state ---

    @property
    def holdings_at(self) -> int:
        """Where the sets of the players' cards begin."""
        return CHIPS + self.players

    @property
    def moves_at(self) -> int:
        """Where the moves begin: for each round some words."""
        return self.holdings_at + self.players

    # --- rules ---

    def initial_state(self, state: State) -> None:
        state[:] = 0
        state[PLAYER] = CHANCE
        for player in range(self.players):
            chips = self.blinds[player]
            state[CHIPS + player] = chips
            state[STAKE] = max(state[STAKE], chips)

    def current_player(self, state: State) -> int:
        return state[PLAYER]

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        count = 0
        if state[CHIPS + player] < state[STAKE]:
            actions[count] = self.FOLD
            count += 1
        actions[count] = self.CALL
        count += 1
        if state[RAISES] < self.rounds[state[ROUND], _MOST_RAISES]:
            actions[count] = self.RAISE
            count += 1
        return count

    def _still_dealt(self, state: State) -> int:
        """How many cards are still to be dealt together, the next one included."""
        dealt, held = state[DEALT], self.players * self.hole_cards
        if dealt < held:
            return self.hole_cards - dealt % self.hole_cards
        return self.rounds[state[ROUND], _CARDS_BY_THEN] - dealt

    def _least(self, state: State) -> int:
        """The least card that may be dealt next: one above what was dealt together with it."""
        dealt, held = state[DEALT], self.players * self.hole_cards
        together = dealt % self.hole_cards
        if dealt >= held:
            number = state[ROUND]
            together = dealt - (self.rounds[number - 1, _CARDS_BY_THEN] if number > 0 else held)
        return state[self.cards_at + dealt - 1] + 1 if together > 0 else 0

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        wanted, least = self._still_dealt(state), self._least(state)
        open_cards = self.deck & ~state[USED]
        left = ones(open_cards >> least)
        count, passed_by = 0, 1.0  # the probability that none of the lower cards is next
        for card in range(least, NUM_CARDS):
            if open_cards >> card & 1 and left >= wanted:
                actions[count] = card
                probabilities[count] = passed_by * wanted / left
                passed_by *= (left - wanted) / left
                left -= 1
                count += 1
        return count

    def sample_chance(self, state: State, rng: Any) -> int:
        """The least of as many cards as are still to be dealt together, drawn from those that may
        be dealt.
        """
        wanted, least = self._still_dealt(state), self._least(state)
        open_cards = (self.deck & ~state[USED]) >> least
        left = ones(open_cards)
        place = (
            below(rng, left - wanted + 1) if wanted == 1 else self._least_place(left, wanted, rng)
        )
        card = place  # the card with as many open cards below it; cards that are not open are few
        below_it = ones(open_cards & ((1 << card) - 1))
        while below_it < place or not open_cards >> card & 1:
            card += max(place - below_it, 1)
            below_it = ones(open_cards & ((1 << card) - 1))
        return least + card

    def _least_place(self, left: int, wanted: int, rng: Any) -> int:
        """The least of ``wanted`` different numbers below ``left``, all sets alike."""
        chosen, count, place = 0, 0, left
        while count < wanted:
            drawn = below(rng, left)
            if not chosen >> drawn & 1:
                chosen |= 1 << drawn
                count += 1
                place = min(place, drawn)
        return place

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        if state[PLAYER] == CHANCE:
            self._deal(state, action, observations)
        else:
            self._move(state, action, observations)

    def _deal(self, state: State, card: int, observations: Integers) -> None:
        dealt = state[DEALT]
        state[DEALT] = dealt + 1
        state[USED] |= 1 << card
        state[self.cards_at + dealt] = card
        if dealt < self.players * self.hole_cards:
            player = dealt // self.hole_cards
            state[self.holdings_at + player] |= bit_of(card)
            observations[player] = 1 + card
            observations[self.players] = 1
        else:
            state[BOARD] |= bit_of(card)
            observations[self.players] = 2 + card
        if dealt + 1 == self.rounds[state[ROUND], _CARDS_BY_THEN]:
            self._open_round(state)

    def _open_round(self, state: State) -> None:
        """Let the first player of a round act who has not folded."""
        state[RAISES] = 0
        state[WAITED_FOR] = self.players - ones(state[FOLDED])
        player = self.rounds[state[ROUND], _FIRST]
        while state[FOLDED] >> player & 1:
            player = (player + 1) % self.players
        state[PLAYER] = player

    def _move(self, state: State, action: int, observations: Integers) -> None:
        player, number = state[PLAYER], state[ROUND]
        self._note(state, action)
        observations[self.players] = self.MOVE_TOKEN + action
        state[WAITED_FOR] -= 1
        if action == self.FOLD:
            state[FOLDED] |= 1 << player
            others = ~state[FOLDED] & ((1 << self.players) - 1)
            if others & (others - 1) == 0:  # one is left, who wins
                state[WINNERS] = others
                state[PLAYER] = TERMINAL
                return
        elif action == self.CALL:
            state[CHIPS + player] = state[STAKE]
        else:
            state[STAKE] += self.rounds[number, _RAISE]
            state[CHIPS + player] = state[STAKE]
            state[RAISES] += 1
            state[WAITED_FOR] = self.players - ones(state[FOLDED]) - 1
        if state[WAITED_FOR] > 0:
            player = (player + 1) % self.players
            while state[FOLDED] >> player & 1:
                player = (player + 1) % self.players
            state[PLAYER] = player
        elif number + 1 < self.num_rounds:
            state[ROUND] = number + 1
            state[PLAYER] = CHANCE
            if state[DEALT] == self.rounds[number + 1, _CARDS_BY_THEN]:
                self._open_round(state)
        else:
            self._show(state, observations)

    def _note(self, state: State, action: int) -> None:
        """Write a move down in the words of its round."""
        word = self.moves_at + state[ROUND] * self.words
        while state[word] >> MOVE_BITS * (MOVES_A_WORD - 1) > 0:
            word += 1
        state[word] = state[word] << MOVE_BITS | action + 1

    def _show(self, state: State, observations: Integers) -> None:
        """Let the strongest of those who did not fold win, and tell all what they hold."""
        best, winners, shown = -1, 0, 0
        for player in range(self.players):
            stays = not state[FOLDED] >> player & 1
            if stays:
                strength = self.table.strength(state[self.holdings_at + player] | state[BOARD])
                if strength > best:
                    best, winners = strength, 0
                if strength == best:
                    winners |= 1 << player
            for place in range(self.hole_cards):
                card = state[self.cards_at + player * self.hole_cards + place]
                # who folded shows nothing; up to nine cards are told apart for certain
                shown = (shown * (1 + NUM_CARDS) + (1 + card if stays else 0)) % _SHOWN
        state[WINNERS] = winners
        state[PLAYER] = TERMINAL
        observations[self.players] += (self.MOVE_TOKEN + self.max_actions) * (1 + shown)

    def returns(self, state: State, player: int) -> float:
        put_in = float(state[CHIPS + player])
        if not state[WINNERS] >> player & 1:
            return -put_in
        return self.pot(state) / ones(state[WINNERS]) - put_in

    def pot(self, state: State) -> float:
        """The chips that all players have put in so far."""
        chips = 0
        for player in range(self.players):
            chips += state[CHIPS + player]
        return float(chips)

    # --- for people ---

    def action_name(self, state: State, player: int, action: int) -> str:
        from hiddenhand.games.poker import pictures

        return pictures.action_name(self, state, player, action)

    def render(self, state: State, player: int) -> str:
        from hiddenhand.games.poker import pictures

        return pictures.picture(self, state, player)


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
