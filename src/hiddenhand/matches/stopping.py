"""Matches that stop once they are decided, and are rarely wrong about it.

One observation is the *lead* of the player named first in a mirrored pair of matches: two matches
with the same deals, in which the players have changed seats. In each match the lead is half of what
the player was paid more than the other; in a zero-sum game that is the player's payoff. A pair
counts with the mean of its two leads. If payoffs are corrected (see `aivat`), there are two views
of each lead, by payoffs and by corrected payoffs, which have the same mean.

Pairs are independent of each other, each pair has the same expected lead, and leads are bounded: by
the game's largest payoff U, with corrected payoffs by 2 U, because corrections are limited to U. So
the intervals of `ConfidenceSequence` hold at all times at once. Consider a match that stops as soon
as 0 lies outside of the interval. With a probability of at most 1 - confidence it names the wrong
player, or a player although both are equally good.
"""

from dataclasses import dataclass
from typing import Final

from hiddenhand.errors import OptionError, RefusedOptionError
from hiddenhand.games.base import Game
from hiddenhand.matches.aivat import default_limit
from hiddenhand.matches.match_records import Played
from hiddenhand.statistics import Betting, ConfidenceSequence, Interval

_GROWTH: Final = 1.05  # by how much the number of pairs grows between looks at the interval's width


@dataclass(frozen=True)
class Until:
    """When a match stops.

    confidence: the probability with which what is said when it stops is right, above 0 and below 1.
    decided: whether it stops once it is known who is ahead.
    width: it stops also once the interval of the lead is no wider than this; None for never.
    """

    confidence: float = 0.95
    decided: bool = True
    width: float | None = None

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise RefusedOptionError(
                "until", self.confidence, "give a confidence above 0 and below 1, such as 0.95"
            )
        if self.width is not None and not self.width > 0:
            raise RefusedOptionError(
                "until_width", self.width, "give the width of an interval of payoffs, above 0"
            )
        if not self.decided and self.width is None:
            raise OptionError("until needs a reason to stop a match; give decided=True or a width")


@dataclass(frozen=True)
class Verdict:
    """What is known about two players after some pairs of matches.

    pairs: how many pairs were played.
    lead: the mean lead of the player named first, by corrected payoffs if there are any, with its
        interval, which holds at all times.
    ahead: 1 if the player named first is ahead, -1 if the other player is, 0 if that is not known.
    """

    pairs: int
    lead: Interval
    ahead: int


class Leads:
    """The leads of one pair of players, in the order of their matches.

    game: the game that is played.
    until: when the match stops.
    corrected: whether there are corrected payoffs.
    """

    def __init__(self, game: Game, until: Until, corrected: bool) -> None:
        largest = float(game.max_utility)
        bounds = [(-largest, largest)]
        if corrected:
            wider = largest + default_limit(game)
            bounds.append((-wider, wider))
        self.until = until
        self._corrected = corrected
        self._sequence = ConfidenceSequence(bounds, until.confidence)
        self._betting = Betting(bounds)
        self._ahead = 0
        self._next_look = 2

    def add(self, there: Played, back: Played) -> bool:
        """Take a pair of matches, in the second of which the players have changed seats. Returns
        whether the match may stop.
        """
        views = [plain_lead(there, back)]
        if self._corrected:
            views.append(lead_of(there, back))
        self._sequence.add(*views)
        self._betting.add(*views)
        self._ahead = self._ahead or self._betting.side(self.until.confidence)
        if self.until.decided and self._ahead:
            return True
        return self._is_narrow()

    def verdict(self) -> Verdict:
        """What is known so far."""
        return Verdict(self._sequence.count, self._sequence.interval(), self._ahead)

    def _is_narrow(self) -> bool:
        count = self._sequence.count
        if self.until.width is None or count < self._next_look:
            return False
        self._next_look = int(count * _GROWTH) + 1
        return self._sequence.interval().width <= self.until.width


def lead_of(there: Played, back: Played) -> float:
    """The lead, in a mirrored pair of matches, of the player in the first seat of ``there``: by
    corrected payoffs where both matches have them.
    """
    if there.corrected is not None and back.corrected is not None:
        return (_lead(there.corrected) - _lead(back.corrected)) / 2
    return plain_lead(there, back)


def plain_lead(there: Played, back: Played) -> float:
    """The lead, in a mirrored pair of matches, of the player in the first seat of ``there``: by
    payoffs.
    """
    return (_lead(there.payoffs) - _lead(back.payoffs)) / 2


def _lead(paid: tuple[float, ...]) -> float:
    """The lead of the player in the first seat."""
    return (paid[0] - paid[1]) / 2
