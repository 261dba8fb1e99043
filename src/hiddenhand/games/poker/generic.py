"""Generic Poker: two betting rounds with one private card each and one card on the table, in any
size.

Source: Lisy, Lanctot and Bowling (2015), "Online Monte Carlo counterfactual regret minimization for
search in imperfect information games", Section 4.3. There GP(T, C, R, B) is the game with T card
types, C cards of each type, R raises and B bet sizes. Leduc poker is nearly one of these games:
`TwoRoundPoker` holds the rules that both share.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from hiddenhand.errors import ParameterError
from hiddenhand.games.about import CARDS, About
from hiddenhand.games.base import CHANCE, TERMINAL, Game, Probabilities, State, verify_range
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules

# what the state holds, by the index where it begins
_PLAYER = 0  # who is to move
_CARDS = 1  # a card for each player: rank + 1, or 0 before the deal
_TABLE = 3  # the card on the table: rank + 1, or 0 before it is dealt
_CHIPS = 4  # what each player has put in
_BETS = 6  # how many bets and raises there were in this round
_FOLDED = 7  # who folded: player + 1, or 0 for no player
_MOVES = 8  # how many moves the players made
_HISTORY = 9  # the moves, in order


class TwoRoundPoker(Game):
    """The rules of two-round limit poker for two. A subclass is a dataclass with the fields that
    are named here.

    Both ante 1. Chance deals a card to player 0, then to player 1; after the first betting round it
    deals the table card. Player 0 opens both rounds. A bet or raise is of 1 .. ``bet_sizes`` units,
    where a unit is 2 in the first round and 4 in the second; a raise first matches the other's bet.
    Two checks or a call end a round. A player who folds loses what they put in. At showdown a pair
    with the table card wins, else the higher rank; equal ranks split the pot.

    Actions: 0 fold (only when facing a bet), 1 check or call, 1 + n bet or raise by n units.
    Chance: the rank 0 .. card_types - 1 of the card, with probability copies left / cards left.
    Observations: private 1 + rank of the own card; public 1 for a card dealt to a player, 2 + rank
    of the table card, 2 + card_types + action for a move.

    card_types: how many ranks there are.
    cards_per_type: how many cards of each rank there are.
    bet_sizes: how many sizes of bets and raises there are.
    max_bets: how many bets and raises, together, a round can have.
    """

    card_types: int
    cards_per_type: int
    bet_sizes: int
    max_bets: int

    FOLD: ClassVar[int] = 0
    CALL: ClassVar[int] = 1
    BET: ClassVar[int] = 2
    FIRST_UNIT: ClassVar[int] = 2
    SECOND_UNIT: ClassVar[int] = 4

    @property
    def state_size(self) -> int:
        return _HISTORY + 2 * self._moves_in_round

    @property
    def max_actions(self) -> int:
        return 2 + self.bet_sizes

    @property
    def max_chance_outcomes(self) -> int:
        return self.card_types

    @property
    def max_depth(self) -> int:
        return 3 + 2 * self._moves_in_round

    @property
    def max_utility(self) -> float:
        return 1.0 + (self.FIRST_UNIT + self.SECOND_UNIT) * self.bet_sizes * self.max_bets

    @property
    def _moves_in_round(self) -> int:
        """The most moves in a round: a check, all bets and raises, a call."""
        return self.max_bets + 2

    def initial_state(self, state: State) -> None:
        state[:] = 0
        state[_PLAYER] = CHANCE
        state[_CHIPS] = 1
        state[_CHIPS + 1] = 1

    def current_player(self, state: State) -> int:
        return state[_PLAYER]

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        count = 0
        if state[_CHIPS + player] < state[_CHIPS + 1 - player]:
            actions[count] = self.FOLD
            count += 1
        actions[count] = self.CALL
        count += 1
        if state[_BETS] < self.max_bets:
            for size in range(self.bet_sizes):
                actions[count] = self.BET + size
                count += 1
        return count

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        dealt = int(state[_CARDS] != 0) + int(state[_CARDS + 1] != 0)
        cards_left = self.card_types * self.cards_per_type - dealt
        count = 0
        for rank in range(self.card_types):
            held = int(state[_CARDS] == rank + 1) + int(state[_CARDS + 1] == rank + 1)
            copies_left = self.cards_per_type - held
            if copies_left > 0:
                actions[count] = rank
                probabilities[count] = copies_left / cards_left
                count += 1
        return count

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        if state[_PLAYER] == CHANCE:
            self._deal(state, action, observations)
            return
        player = state[_PLAYER]
        theirs = state[_CHIPS + 1 - player]
        observations[2] = 2 + self.card_types + action
        state[_HISTORY + state[_MOVES]] = action
        state[_MOVES] += 1
        if action == self.FOLD:
            state[_FOLDED] = player + 1
            state[_PLAYER] = TERMINAL
        elif action == self.CALL:
            if player == 0 and state[_CHIPS] == theirs:  # the opening check
                state[_PLAYER] = 1
            else:
                state[_CHIPS + player] = theirs
                state[_PLAYER] = CHANCE if state[_TABLE] == 0 else TERMINAL
        else:
            unit = self.FIRST_UNIT if state[_TABLE] == 0 else self.SECOND_UNIT
            state[_CHIPS + player] = theirs + unit * (action - self.BET + 1)
            state[_BETS] += 1
            state[_PLAYER] = 1 - player

    def _deal(self, state: State, rank: int, observations: Integers) -> None:
        if state[_CARDS] == 0:
            state[_CARDS] = rank + 1
            observations[0] = rank + 1
            observations[2] = 1
        elif state[_CARDS + 1] == 0:
            state[_CARDS + 1] = rank + 1
            state[_PLAYER] = 0
            observations[1] = rank + 1
            observations[2] = 1
        else:
            state[_TABLE] = rank + 1
            state[_BETS] = 0
            state[_PLAYER] = 0
            observations[2] = 2 + rank

    def returns(self, state: State, player: int) -> float:
        mine, theirs, table = state[_CARDS + player], state[_CARDS + 1 - player], state[_TABLE]
        if state[_FOLDED] != 0:
            won = state[_FOLDED] != player + 1
        elif mine == theirs:
            return 0.0
        else:
            won = mine == table or (theirs != table and mine > theirs)
        return float(state[_CHIPS + 1 - player]) if won else -float(state[_CHIPS + player])

    def forget_past(self, state: State) -> None:
        state[_MOVES:] = 0

    # --- for people ---

    _presentation = "hiddenhand.games.poker.drawing:TWO_ROUND"
    payoff_unit = "chips"

    @PropertyBesideRules
    def rules_text(self) -> str:
        cards, bets = self.card_types * self.cards_per_type, self.max_bets
        sizes = [
            " or ".join(str(unit * size) for size in range(1, self.bet_sizes + 1))
            for unit in (2, 4)
        ]
        return (
            f"The pack has {cards} cards: {self.cards_per_type} of each of {self.card_types} "
            "ranks. Each player puts an ante of 1 chip into the pot and is dealt one card, which "
            "only this player sees.\n\n"
            "There are two rounds of betting, and player 1 begins both. A player may check if "
            "there is no bet to answer, or bet. A player who faces a bet may fold, call or raise. "
            f"Bets and raises are of {sizes[0]} chips in the first round and of {sizes[1]} chips "
            f"in the second. A round has at most {bets} bets and raises together. It ends with a "
            "call or with two checks.\n\n"
            "Between the rounds one card is laid on the table for all to see. A player who folds "
            "loses what they have put in. Otherwise both cards are shown after the second round. A "
            "card of the same rank as the card on the table is a pair and wins; without a pair the "
            "higher rank wins. Equal ranks share the pot. You win the chips that the other player "
            "put in, or lose your own."
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.max_actions

    def action_name(self, state: State, player: int, action: int) -> str:
        if player == CHANCE:
            return self._card_name(action)
        facing = bool(state[_CHIPS + player] < state[_CHIPS + 1 - player])
        return self._move_name(action, facing, bool(state[_TABLE]))

    def render(self, state: State, player: int) -> str:
        mine, table = (
            self._card_name(card - 1) if card else "not dealt"
            for card in (int(state[_CARDS + player]), int(state[_TABLE]))
        )
        lines = [
            f"your card: {mine}; table: {table}",
            f"put in: you {state[_CHIPS + player]}, they {state[_CHIPS + 1 - player]}",
        ]
        moves: list[str] = []
        mover, facing, second = 0, False, False
        for move in map(int, state[_HISTORY : _HISTORY + state[_MOVES]]):
            name = self._move_name(move, facing, second)
            moves.append(f"{'you' if mover == player else 'they'} {name}")
            ends = move == self.CALL and (facing or mover == 1)
            if ends and not second:
                moves.append("table card")
            second = second or ends
            facing = move >= self.BET
            mover = 0 if ends else 1 - mover
        lines.append(f"moves: {', '.join(moves) or 'none'}")
        return "\n".join(lines)

    @beside_rules
    def told(self, state: State) -> "TwoRoundHand":
        """A state taken apart, with what is hidden in it; for pictures."""
        cards = [self._card_name(int(card) - 1) if card else "" for card in state[_CARDS:_CHIPS]]
        moves: tuple[list[tuple[int, str]], ...] = ([], [])
        mover, facing, second = 0, False, False
        for move in map(int, state[_HISTORY : _HISTORY + state[_MOVES]]):
            moves[second].append((mover, self._move_name(move, facing, second)))
            ends = move == self.CALL and (facing or mover == 1)
            second, facing = second or ends, move >= self.BET
            mover = 0 if ends else 1 - mover
        return TwoRoundHand(
            cards=(cards[0], cards[1]),
            table=cards[2],
            chips=(int(state[_CHIPS]), int(state[_CHIPS + 1])),
            folded=(int(state[_FOLDED]) - 1,) if state[_FOLDED] else (),
            moves=(tuple(moves[0]), tuple(moves[1])),
        )

    def _move_name(self, action: int, facing: bool, second: bool) -> str:
        """The name of a move.

        facing: whether there is a bet to be met.
        second: whether the move is made in the second round.
        """
        if action == self.FOLD:
            return "fold"
        if action == self.CALL:
            return "call" if facing else "check"
        name = "raise" if facing else "bet"
        if self.bet_sizes == 1:
            return name
        unit = self.SECOND_UNIT if second else self.FIRST_UNIT
        return f"{name} {unit * (action - self.BET + 1)}"

    def _card_name(self, rank: int) -> str:
        return "JQK"[rank] if self.card_types == 3 else str(rank)


@dataclass(frozen=True)
class TwoRoundHand:
    """A state of two-round poker taken apart, with what is hidden in it.

    cards: the names of the players' cards; "" before they are dealt.
    table: the name of the table card, or "".
    chips: what each player has put in.
    folded: the players who folded.
    moves: for each round the moves in order, as the player and the name of the move.
    """

    cards: tuple[str, ...]
    table: str
    chips: tuple[int, ...]
    folded: tuple[int, ...]
    moves: tuple[tuple[tuple[int, str], ...], tuple[tuple[int, str], ...]]


@About(
    "Generic poker",
    "Two rounds of betting, with a small pack of your choice.",
    (CARDS,),
    place=170,
    minutes=1,
    small=("GP(2,2,1,2)",),
    card=(4, 1.0, 0.55),
)
@dataclass(frozen=True)
class GenericPoker(TwoRoundPoker):
    """GP(T, C, R, B): two-round poker with ``card_types`` ranks, ``cards_per_type`` cards of each,
    ``max_raises`` and ``bet_sizes``.

    Both ante 1 and get a card. In each of two rounds there is at most one bet and then up to
    ``max_raises`` raises. Bets and raises are 2, 4, .. 2 * ``bet_sizes`` in the first round and 4,
    8, .. 4 * ``bet_sizes`` in the second, after the table card. A pair with the table card wins,
    else the higher rank. The value for player 0 is -0.0856064 in GP(3,2,1,1), which is Leduc poker,
    and -0.1113531 in GP(3,3,2,2).

    Actions and observations: see `TwoRoundPoker`. Action 1 + n bets or raises 2 * n in the first
    round, 4 * n in the second.

    card_types: how many ranks there are, 2 to 1000.
    cards_per_type: how many cards of each rank there are, 1 to 1000; at least 3 cards in all.
    max_raises: how many raises a round can have after the bet, 0 to 100.
    bet_sizes: how many sizes of bets and raises there are, 1 to 100.
    """

    card_types: int = 3
    cards_per_type: int = 3
    max_raises: int = 2
    bet_sizes: int = 2
    max_bets: int = field(init=False, repr=False, compare=False)
    """How many bets and raises, together, a round can have."""

    def __post_init__(self) -> None:
        verify_range(self, "card_types", 2, 1000)
        verify_range(self, "cards_per_type", 1, 1000)
        verify_range(self, "max_raises", 0, 100)
        verify_range(self, "bet_sizes", 1, 100)
        if self.card_types * self.cards_per_type < 3:
            raise ParameterError(
                f"GenericPoker: card_types={self.card_types} with "
                f"cards_per_type={self.cards_per_type} is not allowed; give at least 3 cards in all"
            )
        object.__setattr__(self, "max_bets", self.max_raises + 1)
