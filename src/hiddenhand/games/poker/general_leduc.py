"""Leduc poker for any number of players, ranks and suits.

Source: Southey and others (2005), "Bayes' bluff: opponent modelling in poker"; for more than two
players the rules of OpenSpiel's `leduc_poker`. With two players, three ranks and two suits it is
the game of `LeducPoker`.
"""

from dataclasses import dataclass, field
from typing import Any

from hiddenhand.errors import ParameterError
from hiddenhand.games.base import Game, verify_range
from hiddenhand.games.poker.leduc import LeducPoker
from hiddenhand.games.poker.two_rounds import TwoRoundPoker
from hiddenhand.jit.methods import beside_rules


@dataclass(frozen=True)
class GeneralLeducPoker(TwoRoundPoker):
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
    # what `TwoRoundPoker` asks for
    card_types: int = field(init=False, repr=False, compare=False)
    cards_per_type: int = field(init=False, repr=False, compare=False)
    bet_sizes: int = field(default=1, init=False, repr=False, compare=False)
    max_bets: int = field(init=False, repr=False, compare=False)

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
        object.__setattr__(self, "card_types", self.ranks)
        object.__setattr__(self, "cards_per_type", self.suits)
        object.__setattr__(self, "max_bets", self.max_raises)

    @property
    def num_players(self) -> int:
        return self.players

    @beside_rules
    def usual(self) -> Game | None:
        """The game of `LeducPoker` that is the same game, if there is one."""
        same = (self.players, self.ranks, self.suits) == (2, 3, 2)
        return LeducPoker(self.max_raises) if same else None
