"""Players in orders of seats whose matches stop together, and how many of the matches count.

That is decided on the matches in the order of their numbers, not in the order in which they finish.
"""

from collections.abc import Sequence
from itertools import permutations
from typing import Final

from hiddenhand.matches.match_records import Played, Seats
from hiddenhand.matches.stopping import Leads, Until
from hiddenhand.statistics import points_among, wilson_interval

FEWEST: Final = 30  # matches before a tournament may stop early

MOST_PERMUTED: Final = 5
"""The most players whom all orders of seats are played with: 120 orders."""


def orders(players: Sequence[int]) -> tuple[Seats, ...]:
    """The orders of seats in which players meet, so that luck with seats cancels out: for up to
    `MOST_PERMUTED` players all of them, for more those in which all move on by some seats.
    """
    seats = tuple(players)
    if len(seats) <= MOST_PERMUTED:
        return tuple(permutations(seats))
    return tuple(seats[step:] + seats[:step] for step in range(len(seats)))


class Group:
    """The matches of players in orders of seats that stop together.

    seatings: the orders of seats.
    matches: how many matches are played in each order at most.
    width: the matches end early once the intervals are at most this wide; None for never.
    leads: ends the matches early once it is known who is ahead; None for never.
    settled: whether no more matches are needed.
    prefix: the matches with the numbers 0 .. prefix - 1 are played in all orders.
    points: for each order and seat, the points of the player in these matches: the share of the
        others that the player beat, a draw being half a win. Between two players, those of the
        first seat alone.
    """

    def __init__(
        self,
        seatings: tuple[Seats, ...],
        matches: int,
        width: float | None,
        leads: Leads | None = None,
    ) -> None:
        self.seatings = seatings
        self.matches = matches
        self.settled = False
        self.prefix = 0
        seats = len(seatings[0])
        self._watched = range(seats if seats > 2 else 1)
        self.points = [[0.0] * len(self._watched) for _ in seatings]
        self.width = width
        self.leads = leads
        self._played: list[dict[int, Played]] = [{} for _ in seatings]

    @property
    def until(self) -> Until | None:
        return None if self.leads is None else self.leads.until

    @property
    def total(self) -> int:
        """The number of matches played."""
        return sum(len(played) for played in self._played)

    @property
    def settled_matches(self) -> int:
        """How many matches count, or will if the group does not stop early."""
        return len(self.seatings) * (self.prefix if self.settled else self.matches)

    def has(self, seats: Seats, number: int) -> bool:
        return number in self._played[self.seatings.index(seats)]

    def played(self, seats: Seats, number: int) -> Played:
        """A match that was played."""
        return self._played[self.seatings.index(seats)][number]

    def add(self, match: Played) -> None:
        if match.number >= self.matches:
            return
        self._played[self.seatings.index(match.seats)][match.number] = match
        while not self.settled and all(self.prefix in played for played in self._played):
            for index, played in enumerate(self._played):
                for seat in self._watched:
                    self.points[index][seat] += points_among(played[self.prefix].payoffs, seat)
            is_decided = self.leads is not None and self.leads.add(
                *(played[self.prefix] for played in self._played)
            )
            self.prefix += 1
            self.settled = self.prefix == self.matches or is_decided or self._is_known()

    def counted(self, seats: Seats) -> tuple[Played, ...]:
        played = self._played[self.seatings.index(seats)]
        return tuple(played[number] for number in range(self.prefix))

    def _is_known(self) -> bool:
        if self.width is None or self.prefix < FEWEST:
            return False
        widths = [
            wilson_interval(points, self.prefix).width
            for in_order in self.points
            for points in in_order
        ]
        return max(widths) <= self.width
