"""The result of the verb ``match`` in games for more than two players, as an object of JSON or in
words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hiddenhand.cli.common import ends, print_table, print_text
from hiddenhand.cli.scores import measured, print_measured
from hiddenhand.text import rounded

if TYPE_CHECKING:
    from hiddenhand.matches.match_records import Seats
    from hiddenhand.matches.ranking import Standing
    from hiddenhand.matches.tournament import Pairing, Question
    from hiddenhand.statistics import Interval


@dataclass(frozen=True)
class AtATable:
    """Matches between more than two players.

    question: the game, the players and their budgets.
    pairings: the matches by order of the seats.
    seatings: for each order the index of the player in each seat.
    deals: the text of ``--deals`` that gives the same deals again.
    """

    question: "Question"
    pairings: "Sequence[Pairing]"
    seatings: "Sequence[Seats]"
    deals: str

    def _seated(self, player: int) -> "list[tuple[Pairing, int]]":
        """The pairings, each with the seat of the player."""
        return [
            (pairing, seats.index(player))
            for pairing, seats in zip(self.pairings, self.seatings, strict=True)
        ]

    @cached_property
    def standings(self) -> "list[Standing]":
        """How each player did over all orders."""
        from hiddenhand.matches.ranking import standing

        return [
            standing(name, self._seated(player), self.pairings[0].largest)
            for player, name in enumerate(self.question.players)
        ]

    @cached_property
    def by_seat(self) -> "list[list[Interval | None]]":
        """The mean payoff of each player in each seat; None where the player did not sit."""
        from hiddenhand.matches.ranking import standing

        found: list[list[Interval | None]] = []
        for player, name in enumerate(self.question.players):
            row: list[Interval | None] = []
            for seat in range(len(self.seatings[0])):
                there = [one for one in self._seated(player) if one[1] == seat]
                paid = standing(name, there, self.pairings[0].largest).payoff if there else None
                row.append(paid)
            found.append(row)
        return found

    @cached_property
    def corrected(self) -> "list[Interval]":
        """The mean payoff of each player, corrected by AIVAT; nothing without AIVAT."""
        from statistics import fmean

        from hiddenhand.statistics import mean_interval

        found = []
        for player in range(len(self.question.players)):
            by_deal: dict[int, list[float]] = {}
            for pairing, seat in self._seated(player):
                for match in pairing.played:
                    if match.corrected is not None:
                        by_deal.setdefault(match.number, []).append(match.corrected[seat])
            if by_deal:
                largest = self.pairings[0].largest
                found.append(mean_interval(list(map(fmean, by_deal.values())), -largest, largest))
        return found

    @cached_property
    def seconds_per_move(self) -> list[float]:
        """The mean seconds over all moves of each player."""
        found = []
        for player in range(len(self.question.players)):
            played = [
                (match, seat) for pairing, seat in self._seated(player) for match in pairing.played
            ]
            moves = sum(match.moves[seat] for match, seat in played)
            found.append(sum(match.seconds[seat] for match, seat in played) / max(moves, 1))
        return found

    @cached_property
    def means(self) -> list[dict[str, Any]]:
        """The game's own measures of its matches, in each order."""
        return measured(self.question.game, self.pairings)

    def answer(self, value: float | None = None) -> dict[str, Any]:
        """Return an object of JSON, with lists over the players. ``value`` is for games of two
        players.
        """
        aivat = {
            "aivat": {
                "values": self.question.aivat,
                "mean": [one.value for one in self.corrected],
                "ci95": [ends(one) for one in self.corrected],
            }
        }
        return {
            "game": self.question.game,
            "players": list(self.question.players),
            "seed": self.question.seed,
            "deals": self.deals,
            "matches": len(self.pairings[0].played),
            "orders": [list(seats) for seats in self.seatings],
            "mean": [one.payoff.value for one in self.standings],
            "ci95": [ends(one.payoff) for one in self.standings],
            "points": [one.points.value for one in self.standings],
            "points_ci95": [ends(one.points) for one in self.standings],
            "mean_by_seat": [
                [None if paid is None else paid.value for paid in row] for row in self.by_seat
            ],
            "seconds_per_move": self.seconds_per_move,
            **(aivat if self.corrected else {}),
            **({"measures": self.means} if any(self.means) else {}),
        }

    def show(self, value: float | None = None) -> None:
        """Print the result in words. ``value`` is for games of two players."""
        count, iterations = len(self.pairings[0].played), self.question.iterations
        limits = "" if iterations is None else f", {iterations:,} iterations a move"
        in_orders = f" in each of {len(self.seatings)} orders of seats"
        print_text(
            f"{self.question.game}: {count:,} {'match' if count == 1 else 'matches'}"
            f"{in_orders if len(self.seatings) > 1 else ''}{limits}"
        )
        seats = range(len(self.seatings[0]))
        many = len(self.seatings) > 1
        rows = []
        for player, one in enumerate(self.standings):
            aivat = [f"{self.corrected[player]}"] if self.corrected else []
            where = [f"{paid}" for paid in self.by_seat[player]] if many else []
            rows.append([one.player, f"{one.payoff}", *aivat, f"{one.points:.1%}", *where])
        corrected = [f"by AIVAT, {self.question.aivat}"] if self.corrected else []
        where = [f"in seat {seat + 1}" for seat in seats] if many else []
        print_table(["", "mean payoff", *corrected, "points", *where], rows)
        for means in self.means:
            print_measured(means)
        seconds = ", ".join(rounded(each, 3) for each in self.seconds_per_move)
        print_text(f"{seconds} seconds a move. The same deals again: --deals {self.deals}")
