"""Pairs of players whose matches stop together, and how many of their matches count.

That is decided on the matches in the order of their numbers, not in the order in which they finish.
"""

from typing import Final

from hiddenhand.players.match_records import Played
from hiddenhand.players.stopping import Leads, Until
from hiddenhand.statistics import wilson_interval, win_points

FEWEST: Final = 30  # matches before a tournament may stop early

Pair = tuple[int, int]
"""Who sits where: the index of the first player, and that of the second."""


class Group:
    """The matches of pairs that stop together.

    pairs: the pairs.
    matches: how many matches each pair plays at most.
    width: the matches end early once the intervals are at most this wide; None for never.
    leads: ends the matches early once it is known who is ahead; None for never.
    settled: whether no more matches are needed.
    prefix: all pairs have played the matches with the numbers 0 .. prefix - 1.
    points: for each pair, the wins of its first player in these matches, a draw being half a win.
    """

    def __init__(
        self,
        pairs: tuple[Pair, ...],
        matches: int,
        width: float | None,
        leads: Leads | None = None,
    ) -> None:
        self.pairs = pairs
        self.matches = matches
        self.settled = False
        self.prefix = 0
        self.points = [0.0] * len(pairs)
        self.width = width
        self.leads = leads
        self._played: list[dict[int, Played]] = [{} for _ in pairs]

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
        return len(self.pairs) * (self.prefix if self.settled else self.matches)

    def has(self, first: int, second: int, number: int) -> bool:
        return number in self._played[self.pairs.index((first, second))]

    def played(self, first: int, second: int, number: int) -> Played:
        """A match that was played."""
        return self._played[self.pairs.index((first, second))][number]

    def add(self, match: Played) -> None:
        if match.number >= self.matches:
            return
        self._played[self.pairs.index((match.first, match.second))][match.number] = match
        while not self.settled and all(self.prefix in played for played in self._played):
            for index, played in enumerate(self._played):
                self.points[index] += win_points(*played[self.prefix].payoffs)
            is_decided = self.leads is not None and self.leads.add(
                *(played[self.prefix] for played in self._played)
            )
            self.prefix += 1
            self.settled = self.prefix == self.matches or is_decided or self._is_known()

    def counted(self, first: int, second: int) -> tuple[Played, ...]:
        played = self._played[self.pairs.index((first, second))]
        return tuple(played[number] for number in range(self.prefix))

    def _is_known(self) -> bool:
        if self.width is None or self.prefix < FEWEST:
            return False
        return (
            max(wilson_interval(points, self.prefix).width for points in self.points) <= self.width
        )
