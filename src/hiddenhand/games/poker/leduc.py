"""Leduc poker. Source: Southey and others (2005), "Bayes' bluff: opponent modelling in poker"; the
rules as in OpenSpiel's `leduc_poker`.
"""

from dataclasses import dataclass, field

from hiddenhand.games.about import CARDS, About, KnownValue
from hiddenhand.games.base import verify_range
from hiddenhand.games.poker.two_rounds import TwoRoundPoker


@About(
    "Leduc poker",
    "Six cards, two rounds, a pair wins: poker in a nutshell.",
    (CARDS,),
    place=10,
    minutes=1,
    exact=True,
    against="equilibrium",
    small=("leduc_poker", "leduc_poker(1,players=3,ranks=2)", "leduc_poker(ranks=4,suits=3)"),
    known=(KnownValue("leduc_poker", "-0.085606", "OpenSpiel, sequence_form_lp_test.cc"),),
    card=(2, 1.0, 0.55),
)
@dataclass(frozen=True)
class LeducPoker(TwoRoundPoker):
    """Two-round poker with six cards: two each of jack, queen and king. Both ante 1; raises are 2
    in the first round and 4 in the second.

    In each round there are at most ``max_raises`` raises; as in OpenSpiel, a bet counts as one. A
    pair with the table card wins, else the higher rank; equal ranks split the pot. The value for
    player 0 is -0.0856064.

    Players see ranks, not suits, which do not matter: there are 288 information sets in all, where
    OpenSpiel, which tells suits, has 936.

    Actions: 0 fold (only when facing a bet), 1 check or call, 2 bet or raise.
    Chance: the rank 0 .. 2 of the card.
    Observations: private 1 + rank of the own card; public 1 for a card dealt to a player, 2 + rank
    of the table card, 5 + action for a move.

    max_raises: how many bets and raises, together, a round can have, 1 to 100.

    By its name the game also takes ``players``, 2 to 10, ``ranks`` and ``suits``, such as
    leduc_poker(players=3,suits=3): see `GeneralLeducPoker`.
    """

    max_raises: int = 2
    # what `TwoRoundPoker` asks for, and what is fixed here
    card_types: int = field(default=3, init=False, repr=False)
    cards_per_type: int = field(default=2, init=False, repr=False)
    bet_sizes: int = field(default=1, init=False, repr=False)
    max_bets: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        verify_range(self, "max_raises", 1, 100)
        object.__setattr__(self, "max_bets", self.max_raises)
