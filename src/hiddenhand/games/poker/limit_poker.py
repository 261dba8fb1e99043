"""Limit poker by the rules of the Annual Computer Poker Competition, for any of its definitions.

Source: the competition's server, `game.c`, protocol 2.0.0. Positions, cards and the counting of
raises are those of the competition.

Cards are dealt one by one. Cards that are dealt together, a player's own cards or the flop, come in
increasing order. So each set of cards is dealt in one way, players remember no order of cards, and
all sets are equally likely. A deal of n cards from those that are left is drawn as Knuth draws a
sample from a list (The Art of Computer Programming, Volume 2, Algorithm 3.4.2 S).
"""

from typing import Any, ClassVar

from hiddenhand.games.base import CHANCE, TERMINAL, Probabilities, State
from hiddenhand.games.poker.betting import (
    FOLDED,
    NEXT,
    PLAYER,
    ROUND,
    STAKE,
    LimitBetting,
)
from hiddenhand.games.poker.hands import NUM_CARDS, HandTable, bit_of
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.bits import ones
from hiddenhand.jit.random import below

# the entries of the state behind those of `betting`, by the index where each begins
DEALT = NEXT  # how many cards were dealt
WINNERS = NEXT + 1  # a mask of those who share the pot, 0 before the end
USED = NEXT + 2  # the cards that were dealt: a mask with bit `card`
BOARD = NEXT + 3  # the cards on the board: a set as in `hands`
POT_THEN = NEXT + 4  # the chips in the pot when the betting round began
STILL_THEN = NEXT + 5  # the most chips that could still be added to the pot then
CHIPS = NEXT + 6  # what each player has put in; behind it, for each player, their cards as a set
# Then, for each round, come its moves; then the cards in the order in which they were dealt; then
# what the abstraction keeps.
MOVE_BITS = 2  # of a move in a word of moves: 1 + the action
MOVES_A_WORD = 31
_SHOWN = 2**56 - 5  # a prime: hands that are shown are told apart by their remainders

# what `rounds` holds of each round
RAISE_SIZE, FIRST_PLAYER, MOST_RAISES, CARDS_BY_THEN = range(4)
# what `deals` holds of each card
RECEIVER, WANTED, TOGETHER = range(3)


class LimitPoker(LimitBetting):
    """The rules of limit poker. A subclass is a dataclass with the fields that are named here.

    Actions: see `LimitBetting`; 2 bets or raises.
    Chance: the next card, rank * 4 + suit with ranks 2 to ace and suits c, d, h, s; the cards of
    position 0 first. What is dealt together is dealt in increasing order.
    Observations: private 1 + card to the player to whom it is dealt; public 1 for a card dealt to a
    player, 2 + card for one on the board, 54 + action for a move. The move that leads to a showdown
    also tells all the hands that are shown.

    players: how many players there are.
    blinds: ``int64[players]``, what each position puts in before the cards are dealt.
    rounds: ``int64[rounds, 4]``, the size of a raise, who acts first, the most raises, and how many
        cards are dealt by then, those of the players included.
    deals: ``int64[cards, 3]``, of each card in the order of dealing: who receives it, ``players``
        for the board; how many cards are still dealt together with it, itself included; and whether
        the card before it is one of these.
    hole_cards: how many cards each player is dealt.
    words: how many entries of the state the moves of a round take.
    cards_at: where in the state the cards begin, in the order in which they were dealt.
    deck: the cards of the deck, a mask with bit ``card``.
    table: the table that evaluates hands.
    abstraction: which holdings players tell apart: an `Unabstracted` or a `Bucketed`. It may keep
        numbers of its own at the end of the state.
    """

    players: int
    blinds: Integers
    rounds: Integers
    deals: Integers
    hole_cards: int
    words: int
    cards_at: int
    deck: int
    table: HandTable
    abstraction: Any

    CHIPS_AT: ClassVar[int] = CHIPS
    RAISE: ClassVar[int] = 2
    MOVE_TOKEN: ClassVar[int] = 2 + NUM_CARDS
    """The public token of a move is this and the action."""

    bet_sizes = 1
    max_actions = 3

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
        return self.abstraction_at + self.abstraction.room(self.players)

    @property
    def abstraction_at(self) -> int:
        """Where in the state begins what the abstraction keeps."""
        return self.cards_at + self.most_dealt

    @property
    def max_chance_outcomes(self) -> int:
        return NUM_CARDS

    @property
    def most_dealt(self) -> int:
        """How many cards are dealt in all, if no player wins earlier."""
        return self.rounds[self.num_rounds - 1, CARDS_BY_THEN]

    @property
    def max_depth(self) -> int:
        depth = self.most_dealt
        for number in range(self.num_rounds):
            # all but one check, the last bets, and each raise comes after all but one have called
            depth += self.players + (self.players - 1) * self.rounds[number, MOST_RAISES]
        return depth

    @property
    def max_utility(self) -> float:
        return float((self.players - 1) * self.most_chips)

    @property
    def big_blind(self) -> int:
        """The largest blind, the unit in which poker players count; 0 if there is none."""
        chips = 0
        for player in range(self.players):
            chips = max(chips, self.blinds[player])
        return chips

    @property
    def most_chips(self) -> int:
        """The most chips that a player can put in."""
        chips = self.big_blind
        for number in range(self.num_rounds):
            chips += self.rounds[number, RAISE_SIZE] * self.rounds[number, MOST_RAISES]
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
            self._put_in(state, player, self.blinds[player])

    def _unit(self, number: int) -> int:
        return self.rounds[number, RAISE_SIZE]

    def _most_raises(self, number: int) -> int:
        return self.rounds[number, MOST_RAISES]

    def _opener(self, number: int) -> int:
        return self.rounds[number, FIRST_PLAYER]

    def _least(self, state: State) -> int:
        """The least card that may be dealt next: one above what was dealt together with it."""
        dealt = state[DEALT]
        return state[self.cards_at + dealt - 1] + 1 if self.deals[dealt, TOGETHER] else 0

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        wanted, least = self.deals[state[DEALT], WANTED], self._least(state)
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
        wanted, least = self.deals[state[DEALT], WANTED], self._least(state)
        open_cards = (self.deck & ~state[USED]) >> least
        left = ones(open_cards)
        place = self._least_place(left, wanted, rng)
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
        player = self.deals[dealt, RECEIVER]
        if player < self.players:
            state[self.holdings_at + player] |= bit_of(card)
            observations[player] = 1 + card
            observations[self.players] = 1
        else:
            state[BOARD] |= bit_of(card)
            observations[self.players] = 2 + card
        if dealt + 1 == self.rounds[state[ROUND], CARDS_BY_THEN]:
            self._open_round(state)

    def _open_round(self, state: State) -> None:
        """Begin a betting round."""
        self.abstraction.open_round(self, state)
        state[POT_THEN] = self.chips_in_pot(state)
        state[STILL_THEN] = self._most_added(state)
        self._open_betting(state)

    def _move(self, state: State, action: int, observations: Integers) -> None:
        self._note(state, action)
        observations[self.players] = self.MOVE_TOKEN + action
        if not self._act(state, action):
            return
        if state[PLAYER] == TERMINAL:  # one is left, who wins
            state[WINNERS] = ~state[FOLDED] & ((1 << self.players) - 1)
        elif state[ROUND] + 1 < self.num_rounds:
            state[ROUND] += 1
            state[PLAYER] = CHANCE
            if state[DEALT] == self.rounds[state[ROUND], CARDS_BY_THEN]:
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
        """End the hand at a showdown: the strongest hands win, and all notice the shown hands."""
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
        return self.chips_in_pot(state) / ones(state[WINNERS]) - put_in

    def _most_added(self, state: State) -> int:
        """The most chips that can still be put in when a betting round begins: by all who have not
        folded, until all raises are made.
        """
        stake = state[STAKE]
        for number in range(state[ROUND], self.num_rounds):
            stake += self.rounds[number, RAISE_SIZE] * self.rounds[number, MOST_RAISES]
        chips = 0
        for player in range(self.players):
            if not state[FOLDED] >> player & 1:
                chips += stake - state[CHIPS + player]
        return chips

    def exploration_bound(self, state: State, share: float) -> float:
        """The chips in the pot when the present betting round began, and ``share`` of the most that
        could still be added to it then: how much a search should explore by Heinrich and Silver
        (2015), Eq. 3, where ``share`` is k.
        """
        return state[POT_THEN] + share * state[STILL_THEN]

    def information(self, state: State, player: int, key: int) -> int:
        return self.abstraction.information(self, state, player, key)
