"""Winnings as poker players count them: thousandths of a big blind for each hand.

Where players changed seats with the same cards, the two hands of a deal are one observation, their
mean. The luck of the cards cancels out in it, and the standard error is that of these means. The
poker competition calls such matches duplicate.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from hiddenhand.players.tournament import Pairing


@dataclass(frozen=True)
class Winnings:
    """What a player wins.

    mbb_per_hand: the mean, in thousandths of a big blind for each hand.
    standard_error: the standard error of the mean, in the same unit; infinity if there is only one
        deal.
    deals: how many deals were played to the end in all seats.
    """

    mbb_per_hand: float
    standard_error: float
    deals: int


def winnings(pairings: Sequence[Pairing], big_blind: float) -> Winnings:
    """The winnings of the player in seat i of ``pairings[i]``, from all deals that were played in
    every seat. There is at least one such deal.

    big_blind: the unit of payoffs, above 0.
    """
    paid = [
        {match.number: match.payoffs[seat] for match in pairing.played}
        for seat, pairing in enumerate(pairings)
    ]
    numbers = sorted(set(paid[0]).intersection(*paid[1:]))
    unit = 1000.0 / big_blind / len(pairings)
    deals = [unit * math.fsum(payoffs[number] for payoffs in paid) for number in numbers]
    error = math.inf
    if len(deals) > 1:
        error = statistics.stdev(deals) / math.sqrt(len(deals))
    return Winnings(statistics.fmean(deals), error, len(deals))
