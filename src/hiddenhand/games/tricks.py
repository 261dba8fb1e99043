"""Tricks: cards are dealt in secret, suits must be followed, and tricks count.

Source: the play of whist, which bridge, skat and their kin share; without bidding, partners or a
dummy.

A hand is dealt in increasing order. The rules draw its cards as one draws a random sample from a
list in one pass (Knuth, The Art of Computer Programming, Volume 2, Algorithm 3.4.2 S). So all hands
are equally likely, each is dealt in one way, and players remember no order of cards.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hiddenhand.errors import ParameterError
from hiddenhand.games.about import CARDS, About
from hiddenhand.games.base import CHANCE, TERMINAL, Game, Probabilities, State, verify_range
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules

# what the state holds, by the index where it begins
_PLAYER = 0  # who is to move
_MOVES = 1  # how many moves were made, deals included
_LEADER = 2  # who leads the present trick
_HANDS = 3  # for each player, a mask of the cards in the hand
# After the hands come, for each player, how many tricks they took, and then the cards that were
# played, in order.
_MAX_CARDS = 62  # of a mask
_SUITS = "abcdefghijklmnopqrstuvwxyz"


@About(
    "Tricks",
    "A trick-taking card game: follow suit, count cards, take tricks.",
    (CARDS,),
    place=90,
    minutes=3,
    small=("tricks(suits=2,ranks=2,players=2,hand=1)",),
    card=(9, 0.6, 0.4),
)
@dataclass(frozen=True)
class Tricks(Game):
    """A trick-taking card game: each of ``players`` is dealt a secret ``hand`` from a pack of
    ``suits`` suits of ``ranks`` cards each.

    Player 0 leads a card to the first trick, and the others follow in turn with a card of the same
    suit, or with any card if they have none. The highest card of the suit that was led takes the
    trick, and its player leads to the next. Cards are played face up; cards that are not dealt stay
    hidden. A player is paid the number of tricks they took, so the game is not zero-sum without
    ``margin``.

    Chance: the next card of a hand, ``suit * ranks + rank``, in increasing order; player 0's hand
    first.
    Actions: a card, named by the letter of its suit and its rank from 1, like a1.
    Observations: private 1 + card to the player to whom it is dealt; public 1 for a card dealt, 2 +
    card for a card played.

    suits: how many suits there are, 1 to 26; at most 62 cards in all.
    ranks: how many cards a suit has.
    players: how many players there are, 2 to 4.
    hand: how many cards each player is dealt.
    trumps: whether suit 0 is trumps, whose highest card takes a trick.
    margin: whether a player is paid how many more tricks they took than each other player, added up
        over the others. That makes the game zero-sum.
    """

    suits: int = 3
    ranks: int = 5
    players: int = 3
    hand: int = 5
    trumps: bool = False
    margin: bool = False

    MAX_PLAYERS: ClassVar[int] = 4

    def __post_init__(self) -> None:
        verify_range(self, "suits", 1, len(_SUITS))
        verify_range(self, "ranks", 1, _MAX_CARDS)
        verify_range(self, "players", 2, self.MAX_PLAYERS)
        verify_range(self, "hand", 1, _MAX_CARDS)
        for name in ("trumps", "margin"):
            value = getattr(self, name)
            if not isinstance(value, (bool, np.bool_)):
                raise ParameterError(f"Tricks: {name}={value!r} is not allowed; give True or False")
            object.__setattr__(self, name, bool(value))
        if self.num_cards > _MAX_CARDS:
            raise ParameterError(
                f"Tricks: suits={self.suits} with ranks={self.ranks} is not allowed; give at most "
                f"{_MAX_CARDS} cards in all"
            )
        if self.num_dealt > self.num_cards:
            raise ParameterError(
                f"Tricks: hand={self.hand} for {self.players} players is not allowed; there are "
                f"{self.num_cards} cards"
            )

    @property
    def num_cards(self) -> int:
        """The cards of the pack."""
        return self.suits * self.ranks

    @property
    def num_dealt(self) -> int:
        """How many cards are dealt, and played, in all."""
        return self.players * self.hand

    @property
    def zero_sum(self) -> bool:
        return self.margin

    @PropertyBesideRules
    def payoff_sum(self) -> float | None:
        return 0.0 if self.margin else float(self.hand)

    @property
    def num_players(self) -> int:
        return self.players

    @property
    def state_size(self) -> int:
        return self._played + self.num_dealt

    @property
    def _taken(self) -> int:
        """Where the numbers of tricks begin in the state."""
        return _HANDS + self.players

    @property
    def _played(self) -> int:
        """Where the cards that were played begin in the state."""
        return _HANDS + 2 * self.players

    @property
    def max_actions(self) -> int:
        return self.hand

    @property
    def max_chance_outcomes(self) -> int:
        # the lowest card of a hand leaves as many cards above it as the hand still needs
        return self.num_cards - self.hand + 1

    @property
    def max_depth(self) -> int:
        return 2 * self.num_dealt

    @property
    def max_utility(self) -> float:
        return float(self.hand * (self.players - 1)) if self.margin else float(self.hand)

    def initial_state(self, state: State) -> None:
        state[:] = 0
        state[_PLAYER] = CHANCE

    def current_player(self, state: State) -> int:
        return state[_PLAYER]

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        cards = state[_HANDS + player]
        played = state[_MOVES] - self.num_dealt
        if played % self.players > 0:
            led = state[self._played + played - played % self.players] // self.ranks
            following = cards & ((1 << self.ranks) - 1) << (led * self.ranks)
            if following != 0:
                cards = following
        count = 0
        for card in range(self.num_cards):
            if cards >> card & 1:
                actions[count] = card
                count += 1
        return count

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        receiver = state[_MOVES] // self.hand
        wanted = self.hand - state[_MOVES] % self.hand
        gone = 0
        for player in range(receiver + 1):
            gone |= state[_HANDS + player]
        lowest = 0  # above the cards that the receiver has
        while state[_HANDS + receiver] >> lowest != 0:
            lowest += 1
        left = 0
        for card in range(lowest, self.num_cards):
            left += 1 - (gone >> card & 1)
        count = 0
        passed_by = 1.0  # the probability that none of the lower cards is next
        for card in range(lowest, self.num_cards):
            if left >= wanted and not gone >> card & 1:
                actions[count] = card
                probabilities[count] = passed_by * wanted / left
                passed_by *= (left - wanted) / left
                left -= 1
                count += 1
        return count

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        move = state[_MOVES]
        state[_MOVES] = move + 1
        if move < self.num_dealt:
            receiver = move // self.hand
            state[_HANDS + receiver] |= 1 << action
            observations[receiver] = 1 + action
            observations[self.players] = 1
            if move + 1 == self.num_dealt:
                state[_PLAYER] = 0
            return
        player = state[_PLAYER]
        played = move - self.num_dealt
        state[_HANDS + player] ^= 1 << action
        state[self._played + played] = action
        state[_PLAYER] = (player + 1) % self.players
        observations[self.players] = 2 + action
        if (played + 1) % self.players == 0:
            self._end_trick(state, played + 1)

    def _end_trick(self, state: State, played: int) -> None:
        """Give the trick that the last of the ``played`` cards completed to its winner, who leads
        to the next trick.
        """
        winner = (state[_LEADER] + self._best_turn(state, played - self.players)) % self.players
        state[self._taken + winner] += 1
        state[_LEADER] = winner
        state[_PLAYER] = winner if played < self.num_dealt else TERMINAL

    def _best_turn(self, state: State, first: int) -> int:
        """The turn, 0 for the card that was led, of the card that takes a trick. ``first`` is the
        number, among all cards played, of the card that was led.
        """
        best = state[self._played + first]
        best_turn = 0
        for turn in range(1, self.players):
            card = state[self._played + first + turn]
            same_suit = card // self.ranks == best // self.ranks
            if card > best if same_suit else self.trumps and card < self.ranks:
                best = card
                best_turn = turn
        return best_turn

    def returns(self, state: State, player: int) -> float:
        taken = state[self._taken + player]
        return float(self.players * taken - self.hand) if self.margin else float(taken)

    # --- for people ---

    _presentation = "hiddenhand.games.drawing.tricks:TRICKS"

    payoff_unit = "tricks"

    @PropertyBesideRules
    def rules_text(self) -> str:
        trumps = (
            " The first suit is trumps: the highest trump in a trick takes it."
            if self.trumps
            else ""
        )
        paid = (
            "You win one for each trick that you take more than another player, counted against "
            "each of them, and lose one for each trick less."
            if self.margin
            else "You are paid one for each trick that you take."
        )
        return (
            f"The pack has {self.suits} suits of {self.ranks} cards each. Each of {self.players} "
            f"players is dealt {self.hand} cards, which only this player sees. The cards that are "
            "left over stay hidden.\n\n"
            "Player 1 plays a card to the first trick, face up, and the others follow in turn. You "
            "must play a card of the suit that was led, if you have one; otherwise any card. The "
            f"highest card of the suit that was led takes the trick.{trumps} The player who takes "
            "a trick leads to the next one.\n\n"
            f"The game ends when all cards are played. {paid}"
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.num_cards

    def action_name(self, state: State, player: int, action: int) -> str:
        return f"{_SUITS[action // self.ranks]}{action % self.ranks + 1}"

    def render(self, state: State, player: int) -> str:
        def name(card: int) -> str:
            return self.action_name(state, player, card)

        held = [name(card) for card in range(self.num_cards) if state[_HANDS + player] >> card & 1]
        lines = [f"your hand: {' '.join(held) or 'empty'}"]
        if state[_PLAYER] == CHANCE:
            lines.append(f"cards dealt: {state[_MOVES]} of {self.num_dealt}")
        cards = [
            int(card)
            for card in state[self._played : self._played + max(state[_MOVES] - self.num_dealt, 0)]
        ]
        leader = 0
        for first in range(0, len(cards), self.players):
            trick = cards[first : first + self.players]
            shown = [
                f"{self._called((leader + turn) % self.players, player)} {name(card)}"
                for turn, card in enumerate(trick)
            ]
            lines.append(f"trick {first // self.players + 1}: {', '.join(shown)}")
            if len(trick) == self.players:
                leader = (leader + self._best_turn(state, first)) % self.players
        taken = [
            f"{self._called(other, player)} {state[self._taken + other]}"
            for other in range(self.players)
        ]
        return "\n".join([*lines, f"tricks taken: {', '.join(taken)}"])

    @beside_rules
    def hand_of(self, state: State, player: int) -> int:
        """The cards in a hand, as a mask; for pictures."""
        return int(state[_HANDS + player])

    @beside_rules
    def told(self, state: State) -> "TricksPlayed":
        """What everybody saw of the play; for pictures."""
        count = max(int(state[_MOVES]) - self.num_dealt, 0)
        cards = [int(card) for card in state[self._played : self._played + count]]
        played, winners, leader = [], [], 0
        for first in range(0, count, self.players):
            trick = cards[first : first + self.players]
            names = [self.action_name(state, 0, card) for card in trick]
            order = [(leader + turn) % self.players for turn in range(len(trick))]
            played.append(tuple(zip(order, names, strict=True)))
            if len(trick) == self.players:
                leader = (leader + self._best_turn(state, first)) % self.players
                winners.append(leader)
        taken = tuple(winners.count(player) for player in range(self.players))
        return TricksPlayed(tuple(played), tuple(winners), taken)

    @staticmethod
    def _called(player: int, observer: int) -> str:
        return "you" if player == observer else f"player {player + 1}"  # as people count seats


@dataclass(frozen=True)
class TricksPlayed:
    """The play so far.

    tricks: the cards of each trick, in order, as the player and the name of the card.
    winners: who took each trick that is complete.
    taken: how many tricks each player took.
    """

    tricks: tuple[tuple[tuple[int, str], ...], ...]
    winners: tuple[int, ...]
    taken: tuple[int, ...]
