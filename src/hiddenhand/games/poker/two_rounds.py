"""Poker with two betting rounds, one private card each and one card on the table: the rules that
Leduc poker, for any number of players, and Generic Poker share.
"""

from dataclasses import dataclass
from typing import ClassVar

from hiddenhand.games.base import CHANCE, TERMINAL, Probabilities, State
from hiddenhand.games.poker.betting import FOLDED, NEXT, PLAYER, ROUND, STAKE, LimitBetting
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules

# The entries of the state behind those of `betting`, by the index where each begins. After the
# chips come a card for each player, rank + 1, or 0 before the deal; then the moves in order.
_TABLE = NEXT  # the card on the table: rank + 1, or 0 before it is dealt
_DEALT = NEXT + 1  # how many players have a card
_MADE = NEXT + 2  # how many moves the players made
_CHIPS = NEXT + 3  # what each player has put in


class TwoRoundPoker(LimitBetting):
    """The rules of two-round limit poker. A subclass is a dataclass with the fields that are named
    here.

    All ante 1. Chance deals a card to each player; after the first betting round it deals the table
    card. The first player who has not folded opens both rounds. A bet or raise is of 1 ..
    ``bet_sizes`` units, where a unit is 2 in the first round and 4 in the second; a raise first
    matches the bet of another. A round ends when all who stay have checked, or have called the last
    bet or raise. A player who folds loses what they put in. At showdown a pair with the table card
    wins, else the highest rank; equal ranks split the pot.

    Actions: see `LimitBetting`.
    Chance: the rank 0 .. card_types - 1 of the card, with probability copies left / cards left.
    Observations: private 1 + rank of the own card; public 1 for a card dealt to a player, 2 + rank
    of the table card, 2 + card_types + action for a move.

    card_types: how many ranks there are.
    cards_per_type: how many cards of each rank there are.
    max_bets: how many bets and raises, together, a round can have.
    """

    card_types: int
    cards_per_type: int
    max_bets: int

    CHIPS_AT: ClassVar[int] = _CHIPS
    FIRST_UNIT: ClassVar[int] = 2
    SECOND_UNIT: ClassVar[int] = 4

    @property
    def state_size(self) -> int:
        return self._moves_at + 2 * self._moves_in_round

    @property
    def max_actions(self) -> int:
        return 2 + self.bet_sizes

    @property
    def max_chance_outcomes(self) -> int:
        return self.card_types

    @property
    def max_depth(self) -> int:
        return self.num_players + 1 + 2 * self._moves_in_round

    @property
    def max_utility(self) -> float:
        most = 1.0 + (self.FIRST_UNIT + self.SECOND_UNIT) * self.bet_sizes * self.max_bets
        return most * (self.num_players - 1)

    @property
    def _moves_in_round(self) -> int:
        """The most moves in a round: the checks of all but one player, all bets and raises with the
        calls of all others but the next to raise, and the last call.
        """
        return (self.num_players - 1) * (1 + self.max_bets) + 1

    @property
    def _cards(self) -> int:
        """Where the players' cards begin in the state."""
        return _CHIPS + self.num_players

    @property
    def _moves_at(self) -> int:
        """Where the moves begin in the state."""
        return _CHIPS + 2 * self.num_players

    def _unit(self, number: int) -> int:
        return self.FIRST_UNIT if number == 0 else self.SECOND_UNIT

    def _most_raises(self, number: int) -> int:
        return self.max_bets

    def _opener(self, number: int) -> int:
        return 0

    def initial_state(self, state: State) -> None:
        state[:] = 0
        state[PLAYER] = CHANCE
        for player in range(self.num_players):
            self._put_in(state, player, 1)

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        cards_left = self.card_types * self.cards_per_type - state[_DEALT]
        count = 0
        for rank in range(self.card_types):
            copies_left = self.cards_per_type
            for player in range(self.num_players):
                copies_left -= int(state[self._cards + player] == rank + 1)
            if copies_left > 0:
                actions[count] = rank
                probabilities[count] = copies_left / cards_left
                count += 1
        return count

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        if state[PLAYER] == CHANCE:
            self._deal(state, action, observations)
            return
        observations[self.num_players] = 2 + self.card_types + action
        state[self._moves_at + state[_MADE]] = action
        state[_MADE] += 1
        if self._act(state, action) and state[PLAYER] != TERMINAL:
            state[PLAYER] = CHANCE if state[ROUND] == 0 else TERMINAL

    def _deal(self, state: State, rank: int, observations: Integers) -> None:
        player = state[_DEALT]
        if player < self.num_players:
            state[_DEALT] += 1
            for receiver in range(self.num_players):
                if receiver == player:  # constant places are faster than one that is looked up
                    state[self._cards + receiver] = rank + 1
                    observations[receiver] = rank + 1
            observations[self.num_players] = 1
            if player + 1 < self.num_players:
                return
        else:
            state[ROUND] = 1
            state[_TABLE] = rank + 1
            observations[self.num_players] = 2 + rank
        self._open_betting(state)

    def _strength(self, state: State, player: int) -> int:
        """How good the hand of ``player`` is: a pair, or the rank; 0 for a player who folded."""
        if state[FOLDED] >> player & 1:
            return 0
        card = state[self._cards + player]
        return card + self.card_types if card == state[_TABLE] else card

    def returns(self, state: State, player: int) -> float:
        mine = self._strength(state, player)
        pot, winners = 0, 1
        for other in range(self.num_players):
            pot += state[_CHIPS + other]
            if other != player:
                theirs = self._strength(state, other)
                if theirs > mine:
                    return -float(state[_CHIPS + player])
                winners += int(theirs == mine)
        return pot / winners - state[_CHIPS + player]

    def forget_past(self, state: State) -> None:
        state[_MADE] = 0
        state[self._moves_at :] = 0

    # --- for people ---

    _presentation = "hiddenhand.games.poker.drawing:TWO_ROUND"
    payoff_unit = "chips"

    @PropertyBesideRules
    def rules_text(self) -> str:
        cards, bets = self.card_types * self.cards_per_type, self.max_bets
        sizes = [
            " or ".join(str(unit * size) for size in range(1, self.bet_sizes + 1))
            for unit in (self.FIRST_UNIT, self.SECOND_UNIT)
        ]
        if self.num_players == 2:
            each, opens = "Each player", "player 1 begins both"
            ends = "with a call or with two checks"
            last, shown, best = "", "both cards", "higher"
            win = "the chips that the other player put in"
        else:
            each = f"Each of the {self.num_players} players"
            opens = "the first player who has not folded begins both"
            ends = "when all have checked, or all others have answered the last bet or raise"
            last, shown, best = ", and the last player left wins the pot", "the cards", "highest"
            win = "what the others put in"
        return (
            f"The pack has {cards} cards: {self.cards_per_type} of each of {self.card_types} "
            f"ranks. {each} puts an ante of 1 chip into the pot and is dealt one card, which only "
            "this player sees.\n\n"
            f"There are two rounds of betting, and {opens}. A player may check if there is no bet "
            "to answer, or bet. A player who faces a bet may fold, call or raise. Bets and raises "
            f"are of {sizes[0]} chips in the first round and of {sizes[1]} chips in the second. A "
            f"round has at most {bets} bets and raises together. It ends {ends}.\n\n"
            "Between the rounds one card is laid on the table for all to see. A player who folds "
            f"loses what they have put in{last}. Otherwise {shown} are shown after the second "
            "round. A card of the same rank as the card on the table is a pair and wins; without a "
            f"pair the {best} rank wins. Equal ranks share the pot. You win {win}, or lose your "
            "own."
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.max_actions

    def action_name(self, state: State, player: int, action: int) -> str:
        if player == CHANCE:
            return self._card_name(action)
        if action == self.FOLD:
            return "fold"
        facing = bool(state[_CHIPS + player] < state[STAKE])
        if action == self.CALL:
            return "call" if facing else "check"
        name = "raise" if facing else "bet"
        if self.bet_sizes == 1:
            return name
        return f"{name} {self._unit(int(state[ROUND])) * (action - self.CALL)}"

    def render(self, state: State, player: int) -> str:
        from hiddenhand.games.drawing.layout import called, does

        hand, players = self.told(state), self.num_players
        around = [(player + step) % players for step in range(players)]
        put_in = ", ".join(
            f"{called(other, player, players)} {hand.chips[other]}"
            f"{' (folded)' if other in hand.folded else ''}"
            for other in around
        )
        told = [[does(mover, player, move, players) for mover, move in one] for one in hand.moves]
        table = ["table card"] if hand.table else []
        moves = ", ".join([*told[0], *table, *told[1]])
        return (
            f"your card: {hand.cards[player] or 'not dealt'}; table: {hand.table or 'not dealt'}\n"
            f"put in: {put_in}\nmoves: {moves or 'none'}"
        )

    @beside_rules
    def told(self, state: State) -> "TwoRoundHand":
        """A state taken apart, with what is hidden in it; for pictures."""
        moves: tuple[list[tuple[int, str]], ...] = ([], [])
        replayed, unseen = state.copy(), [0] * (self.num_players + 1)
        self.initial_state(replayed)
        cards = [int(card) for card in state[self._cards : self._moves_at]]
        table = int(state[_TABLE])
        for card in cards[: int(state[_DEALT])]:
            self.apply_action(replayed, card - 1, unseen)  # type: ignore[arg-type]
        for move in map(int, state[self._moves_at : self._moves_at + int(state[_MADE])]):
            if replayed[PLAYER] == CHANCE:
                self.apply_action(replayed, table - 1, unseen)  # type: ignore[arg-type]
            mover = int(replayed[PLAYER])
            moves[replayed[ROUND]].append((mover, self.action_name(replayed, mover, move)))
            self.apply_action(replayed, move, unseen)  # type: ignore[arg-type]
        names = [self._card_name(card - 1) if card else "" for card in (*cards, table)]
        return TwoRoundHand(
            cards=tuple(names[:-1]),
            table=names[-1],
            chips=tuple(map(int, state[_CHIPS : self._cards])),
            folded=tuple(p for p in range(self.num_players) if state[FOLDED] >> p & 1),
            moves=(tuple(moves[0]), tuple(moves[1])),
        )

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
