"""A first-price sealed-bid auction.

Source: Vickrey (1961), "Counterspeculation, auctions, and competitive sealed tenders"; the rules of
OpenSpiel's `first_sealed_auction`. OpenSpiel has a move of chance that names the winner also where
there is no tie.
"""

from dataclasses import dataclass

from hiddenhand.games.about import AT_ONCE, About
from hiddenhand.games.base import CHANCE, TERMINAL, Game, Probabilities, State, verify_range
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules

# The state holds how many moves were made before the winner is drawn, and 1 + the winner, or 0 as
# long as no player has won. Then follow for each player the value of the item, 0 before it is
# drawn, and 1 + the bid, or 0 before the player has bid.
_MADE = 0
_WINNER = 1
_VALUES = 2


@About(
    "Sealed auction",
    "One secret bid for an item, as far below its value as you dare.",
    (AT_ONCE,),
    place=100,
    minutes=1,
    small=("first_sealed_auction(max_value=3)",),
    card=(2, 0.6, 0.5),
)
@dataclass(frozen=True)
class FirstSealedAuction(Game):
    """Each player has a value for an item, which no other player knows, and makes one sealed bid.
    The highest bid wins the item and is paid.

    Chance draws the value of each player from 1 .. ``max_value``, all equally likely. Then the
    players bid in the order of the seats, unseen: less than their value, and at least 0. The
    highest bid wins; of equal bids, chance draws one. The winner earns the value minus the bid, and
    the others earn 0. So this is no zero-sum game.

    Two players whose values are at most 3 are in equilibrium if they bid 0 for the value 1, and 1
    for the values 2 and 3.

    Actions: the bid. Chance: value - 1 for a value, the player for the winner of a tie.
    Observations: private 1 + value of the own item; public 1 for a value drawn, 2 for a bid that
    does not end the auction, 3 + the winner.

    players: how many players there are, 2 to 10.
    max_value: the largest value, 1 to 1000.
    """

    players: int = 2
    max_value: int = 10

    def __post_init__(self) -> None:
        verify_range(self, "players", 2, 10)
        verify_range(self, "max_value", 1, 1000)

    @property
    def zero_sum(self) -> bool:
        return False

    @property
    def num_players(self) -> int:
        return self.players

    @property
    def state_size(self) -> int:
        return _VALUES + 2 * self.players

    @property
    def max_actions(self) -> int:
        return self.max_value

    @property
    def max_chance_outcomes(self) -> int:
        return max(self.max_value, self.players)

    @property
    def max_depth(self) -> int:
        return 2 * self.players + 1

    @property
    def max_utility(self) -> float:
        return float(self.max_value)

    @property
    def _bids(self) -> int:
        """Where the bids begin in the state."""
        return _VALUES + self.players

    def initial_state(self, state: State) -> None:
        state[:] = 0

    def current_player(self, state: State) -> int:
        if state[_WINNER] != 0:
            return TERMINAL
        bids = state[_MADE] - self.players
        return bids if 0 <= bids < self.players else CHANCE

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        value = state[_VALUES + player]
        for bid in range(value):
            actions[bid] = bid
        return value

    def _highest(self, state: State) -> int:
        """1 + the highest bid so far."""
        highest = 0
        for player in range(self.players):
            highest = max(highest, state[self._bids + player])
        return highest

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        count = 0
        if state[_MADE] < self.players:
            for value in range(self.max_value):
                actions[value] = value
            count = self.max_value
        else:
            highest = self._highest(state)
            for player in range(self.players):
                if state[self._bids + player] == highest:
                    actions[count] = player
                    count += 1
        for outcome in range(count):
            probabilities[outcome] = 1.0 / count
        return count

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        made = state[_MADE]
        if made < self.players:
            state[_VALUES + made] = action + 1
            observations[made] = action + 2
            observations[self.players] = 1
        elif made < 2 * self.players:
            state[_VALUES + made] = action + 1
            observations[self.players] = 2
            if made == 2 * self.players - 1:
                self._decide(state, observations)
        else:
            state[_WINNER] = 1 + action
            observations[self.players] = 3 + action
        state[_MADE] = made + 1

    def _decide(self, state: State, observations: Integers) -> None:
        """Name the winner, unless several made the highest bid."""
        highest = self._highest(state)
        count = 0
        winner = 0
        for player in range(self.players):
            if state[self._bids + player] == highest:
                count += 1
                winner = player
        if count == 1:
            state[_WINNER] = 1 + winner
            observations[self.players] = 3 + winner

    def returns(self, state: State, player: int) -> float:
        if state[_WINNER] != player + 1:
            return 0.0
        return float(state[_VALUES + player] - (state[self._bids + player] - 1))

    # --- for people ---

    _presentation = "hiddenhand.games.drawing.bids:SEALED_AUCTION"

    @PropertyBesideRules
    def rules_text(self) -> str:
        return (
            f"Each of the {self.players} players has a value for an item, from 1 to "
            f"{self.max_value}. All values are equally likely, and you know only your own.\n\n"
            "Each player makes one bid in secret: 0 or more, and less than the own value. The "
            "highest bid wins the item. Of equal bids, one is drawn. Then the winner is named, and "
            "no bid is shown.\n\n"
            "The winner pays the bid, and so earns the value minus the bid. The others earn "
            "nothing."
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.max_value

    def action_name(self, state: State, player: int, action: int) -> str:
        if player == CHANCE and state[_MADE] >= 2 * self.players:
            return f"player {action + 1} wins"
        return str(action + 1 if player == CHANCE else action)

    def render(self, state: State, player: int) -> str:
        value, bid = int(state[_VALUES + player]), int(state[self._bids + player])
        lines = [f"your value: {value or 'not drawn'}; your bid: {bid - 1 if bid else 'none'}"]
        if winner := int(state[_WINNER]):
            won = "you win" if winner == player + 1 else f"player {winner} wins"
            lines.append(f"{won} the item")
        return "\n".join(lines)

    @beside_rules
    def told(self, state: State) -> tuple[list[int], list[int], int]:
        """For pictures: the value of each player, 0 before it is drawn; the bid of each, or -1; and
        the winner, or -1.
        """
        values = [int(value) for value in state[_VALUES : self._bids]]
        made = [int(bid) - 1 for bid in state[self._bids :]]
        return values, made, int(state[_WINNER]) - 1
