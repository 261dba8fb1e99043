"""Generic Poker: two betting rounds with one private card each and one card on the table, in any
size.

Source: Lisy, Lanctot and Bowling (2015), "Online Monte Carlo counterfactual regret minimization for
search in imperfect information games", Section 4.3. There GP(T, C, R, B) is the game with T card
types, C cards of each type, R raises and B bet sizes.
"""

from dataclasses import dataclass, field

from hiddenhand.errors import ParameterError
from hiddenhand.games.about import CARDS, About
from hiddenhand.games.base import verify_range
from hiddenhand.games.poker.two_rounds import TwoRoundPoker


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
