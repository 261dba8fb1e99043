"""Leduc poker for any number of players, ranks and suits.

Source: Southey and others (2005), "Bayes' bluff: opponent modelling in poker"; for more than two
players the rules of OpenSpiel's `leduc_poker`. With two players, three ranks and two suits it is
the game of `LeducPoker`.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from hiddenhand.errors import ParameterError
from hiddenhand.games.base import CHANCE, TERMINAL, Game, Probabilities, State, verify_range
from hiddenhand.games.poker.generic import TwoRoundHand
from hiddenhand.games.poker.leduc import LeducPoker
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules

# What the state holds, by the index where it begins. After these come a card for each player, what
# each player has put in, and the moves in order.
_PLAYER = 0  # who is to move
_TABLE = 1  # the card on the table: rank + 1, or 0 before it is dealt
_BETS = 2  # how many bets and raises there were in this round
_CALLS = 3  # how many players checked in this round, or called since the last bet or raise
_FOLDED = 4  # a mask of the players who folded
_MOVES = 5  # how many moves the players made
_CARDS = 6


@dataclass(frozen=True)
class GeneralLeducPoker(Game):
    """Two-round poker with ``suits`` cards of each of ``ranks`` ranks. All ante 1; raises are 2 in
    the first round and 4 in the second.

    Each player gets a card. After the first betting round a card is laid on the table. In each
    round there are at most ``max_raises`` raises; as in OpenSpiel, a bet counts as one. In both
    rounds the first player who has not folded opens. A round ends when all who stay have checked,
    or have called the last bet or raise. A pair with the table card wins, else the highest rank;
    equal ranks split the pot. Players see ranks, not suits.

    Actions: 0 fold (only when facing a bet), 1 check or call, 2 bet or raise.
    Chance: the rank 0 .. ranks - 1 of the card, with probability copies left / cards left.
    Observations: private 1 + rank of the own card; public 1 for a card dealt to a player, 2 + rank
    of the table card, 2 + ranks + action for a move.

    max_raises: how many bets and raises, together, a round can have, 1 to 100.
    players: how many players there are, 2 to 10.
    ranks: how many ranks there are, 2 to 1000 [default: players + 1].
    suits: how many cards of each rank there are, 1 to 1000; at least players + 1 cards in all.
    """

    max_raises: int = 2
    players: int = 2
    ranks: Any = None
    suits: int = 2

    FOLD: ClassVar[int] = 0
    CALL: ClassVar[int] = 1
    BET: ClassVar[int] = 2
    FIRST_UNIT: ClassVar[int] = 2
    SECOND_UNIT: ClassVar[int] = 4

    max_actions = 3

    def __post_init__(self) -> None:
        verify_range(self, "max_raises", 1, 100)
        verify_range(self, "players", 2, 10)
        if self.ranks is None:
            object.__setattr__(self, "ranks", int(self.players) + 1)
        verify_range(self, "ranks", 2, 1000)
        verify_range(self, "suits", 1, 1000)
        if self.ranks * self.suits <= self.players:
            raise ParameterError(
                f"GeneralLeducPoker: ranks={self.ranks} with suits={self.suits} is not allowed; "
                f"{self.players} players and the table need {self.players + 1} cards or more"
            )

    @property
    def num_players(self) -> int:
        return self.players

    @property
    def state_size(self) -> int:
        return self._history + 2 * self._moves_in_round

    @property
    def max_chance_outcomes(self) -> int:
        return int(self.ranks)

    @property
    def max_depth(self) -> int:
        return self.players + 1 + 2 * self._moves_in_round

    @property
    def max_utility(self) -> float:
        most = 1.0 + (self.FIRST_UNIT + self.SECOND_UNIT) * self.max_raises
        return most * (self.players - 1)

    @property
    def _moves_in_round(self) -> int:
        """The most moves in a round: the checks of all but one player, all bets and raises with the
        calls of all others but the next to raise, and the last call.
        """
        return (self.players - 1) * (1 + self.max_raises) + 1

    @property
    def _chips(self) -> int:
        """Where the state says what each player has put in."""
        return _CARDS + self.players

    @property
    def _history(self) -> int:
        """Where the moves begin in the state."""
        return _CARDS + 2 * self.players

    def initial_state(self, state: State) -> None:
        state[:] = 0
        state[_PLAYER] = CHANCE
        for player in range(self.players):
            state[self._chips + player] = 1

    def current_player(self, state: State) -> int:
        return state[_PLAYER]

    def _stake(self, state: State) -> int:
        """The most that a player has put in."""
        most = 0
        for player in range(self.players):
            most = max(most, state[self._chips + player])
        return most

    def _staying(self, state: State) -> int:
        """How many players have not folded."""
        count = 0
        for player in range(self.players):
            count += 1 - (state[_FOLDED] >> player & 1)
        return count

    def _first_staying(self, state: State, player: int) -> int:
        """The first player from ``player`` on, in the order of the seats, who has not folded."""
        while state[_FOLDED] >> player & 1:
            player = (player + 1) % self.players
        return player

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        count = 0
        if state[self._chips + player] < self._stake(state):
            actions[count] = self.FOLD
            count += 1
        actions[count] = self.CALL
        count += 1
        if state[_BETS] < self.max_raises:
            actions[count] = self.BET
            count += 1
        return count

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        dealt = 0
        for player in range(self.players):
            dealt += int(state[_CARDS + player] != 0)
        cards_left = self.ranks * self.suits - dealt
        count = 0
        for rank in range(self.ranks):
            copies_left = self.suits
            for player in range(self.players):
                copies_left -= int(state[_CARDS + player] == rank + 1)
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
        stake = self._stake(state)
        observations[self.players] = 2 + self.ranks + action
        state[self._history + state[_MOVES]] = action
        state[_MOVES] += 1
        if action == self.FOLD:
            state[_FOLDED] |= 1 << player
        elif action == self.CALL:
            state[self._chips + player] = stake
            state[_CALLS] += 1
        else:
            unit = self.FIRST_UNIT if state[_TABLE] == 0 else self.SECOND_UNIT
            state[self._chips + player] = stake + unit
            state[_BETS] += 1
            state[_CALLS] = 0
        staying = self._staying(state)
        answers = staying if state[_BETS] == 0 else staying - 1  # the player who bet need not call
        if staying == 1:
            state[_PLAYER] = TERMINAL
        elif state[_CALLS] < answers:
            state[_PLAYER] = self._first_staying(state, (player + 1) % self.players)
        else:
            state[_PLAYER] = CHANCE if state[_TABLE] == 0 else TERMINAL

    def _deal(self, state: State, rank: int, observations: Integers) -> None:
        player = 0
        while player < self.players and state[_CARDS + player] != 0:
            player += 1
        if player < self.players:
            state[_CARDS + player] = rank + 1
            observations[player] = rank + 1
            observations[self.players] = 1
            if player == self.players - 1:
                state[_PLAYER] = 0
        else:
            state[_TABLE] = rank + 1
            state[_BETS] = 0
            state[_CALLS] = 0
            state[_PLAYER] = self._first_staying(state, 0)
            observations[self.players] = 2 + rank

    def _strength(self, state: State, player: int) -> int:
        """How good the hand of ``player`` is: a pair, or the rank; 0 for a player who folded."""
        if state[_FOLDED] >> player & 1:
            return 0
        card = state[_CARDS + player]
        return card + self.ranks if card == state[_TABLE] else card

    def returns(self, state: State, player: int) -> float:
        pot = 0
        best = 0
        for other in range(self.players):
            pot += state[self._chips + other]
            best = max(best, self._strength(state, other))
        winners = 0
        for other in range(self.players):
            winners += int(self._strength(state, other) == best)
        put_in = float(state[self._chips + player])
        return pot / winners - put_in if self._strength(state, player) == best else -put_in

    def forget_past(self, state: State) -> None:
        state[_MOVES] = 0
        state[self._history :] = 0

    # --- for people ---

    _presentation = "hiddenhand.games.poker.drawing:TWO_ROUND"
    payoff_unit = "chips"

    @beside_rules
    def usual(self) -> Game | None:
        """The game of `LeducPoker` that is the same game, if there is one."""
        same = (self.players, self.ranks, self.suits) == (2, 3, 2)
        return LeducPoker(self.max_raises) if same else None

    @PropertyBesideRules
    def rules_text(self) -> str:
        return (
            f"The pack has {self.ranks * self.suits} cards: {self.suits} of each of {self.ranks} "
            f"ranks. Each of the {self.players} players puts an ante of 1 chip into the pot and is "
            "dealt one card, which only this player sees.\n\n"
            "There are two rounds of betting, and the first player who has not folded begins. A "
            "player may check if there is no bet to answer, or bet. A player who faces a bet may "
            "fold, call or raise. Bets and raises are of 2 chips in the first round and of 4 chips "
            f"in the second. A round has at most {self.max_raises} bets and raises together. It "
            "ends when all have checked, or all others have answered the last bet or raise.\n\n"
            "Between the rounds one card is laid on the table for all to see. A player who folds "
            "loses what they have put in, and the last player left wins the pot. Otherwise the "
            "cards are shown after the second round. A card of the same rank as the card on the "
            "table is a pair and wins; without a pair the highest rank wins. Equal ranks share the "
            "pot. You win what the others put in, or lose your own chips."
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.max_actions

    def action_name(self, state: State, player: int, action: int) -> str:
        if player == CHANCE:
            return self._card_name(action)
        return self._move_name(action, bool(state[self._chips + player] < self._stake(state)))

    def render(self, state: State, player: int) -> str:
        from hiddenhand.games.drawing.words import does

        hand = self.told(state)
        names = [
            "you" if other == player else f"player {other + 1}" for other in range(self.players)
        ]
        put_in = ", ".join(
            f"{name} {chips}{' (folded)' if other in hand.folded else ''}"
            for other, (name, chips) in enumerate(zip(names, hand.chips, strict=True))
        )
        told = [[does(mover, player, move) for mover, move in moves] for moves in hand.moves]
        table = ["table card"] if hand.table else []
        moves = ", ".join([*told[0], *table, *told[1]])
        return (
            f"your card: {hand.cards[player] or 'not dealt'}; table: {hand.table or 'not dealt'}\n"
            f"put in: {put_in}\nmoves: {moves or 'none'}"
        )

    @beside_rules
    def told(self, state: State) -> TwoRoundHand:
        """A state taken apart, with what is hidden in it; for pictures."""
        rounds: tuple[list[tuple[int, str]], ...] = ([], [])
        replayed = state.copy()
        self.initial_state(replayed)
        unseen = [0] * (self.players + 1)
        for card in state[_CARDS : self._chips]:
            if card:
                self.apply_action(replayed, int(card) - 1, unseen)  # type: ignore[arg-type]
        for move in map(int, state[self._history : self._history + int(state[_MOVES])]):
            if replayed[_PLAYER] == CHANCE:
                self.apply_action(replayed, int(state[_TABLE]) - 1, unseen)  # type: ignore[arg-type]
            mover = int(replayed[_PLAYER])
            name = self.action_name(replayed, mover, move)
            rounds[bool(replayed[_TABLE])].append((mover, name))
            self.apply_action(replayed, move, unseen)  # type: ignore[arg-type]
        cards = [
            self._card_name(int(card) - 1) if card else ""
            for card in (*state[_CARDS : self._chips], state[_TABLE])
        ]
        return TwoRoundHand(
            cards=tuple(cards[:-1]),
            table=cards[-1],
            chips=tuple(map(int, state[self._chips : self._history])),
            folded=tuple(p for p in range(self.players) if state[_FOLDED] >> p & 1),
            moves=(tuple(rounds[0]), tuple(rounds[1])),
        )

    def _move_name(self, action: int, facing: bool) -> str:
        """The name of a move; ``facing``: whether there is a bet to be met."""
        if action == self.FOLD:
            return "fold"
        if action == self.CALL:
            return "call" if facing else "check"
        return "raise" if facing else "bet"

    def _card_name(self, rank: int) -> str:
        return "JQK"[rank] if self.ranks == 3 else str(rank)
