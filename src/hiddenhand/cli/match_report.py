"""The result of the verb ``match``, as an object of JSON or in words."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hiddenhand.cli.common import ends, print_text, print_wrapped
from hiddenhand.cli.scores import (
    aivat_entry,
    measured,
    print_corrected,
    print_measured,
    print_scores,
    print_verdict,
    until_entry,
)
from hiddenhand.text import rounded

if TYPE_CHECKING:
    from hiddenhand.matches.stopping import Until, Verdict
    from hiddenhand.matches.tournament import Pairing, Question, Score, Winnings
    from hiddenhand.statistics import Interval


@dataclass(frozen=True)
class Finished:
    """Matches between two players, all from the point of view of the player named first.

    question: the game, the players and their budgets.
    pairings: the matches by order of the seats; in the first pairing, the player named first plays
        first.
    mirror: whether each match was played in both orders.
    deals: the text of ``--deals`` that gives the same deals again.
    until: the rule by which the matches stopped by themselves; None for no rule.
    verdict: which player is ahead then.
    """

    question: "Question"
    pairings: "Sequence[Pairing]"
    mirror: bool
    deals: str
    until: "Until | None"
    verdict: "Verdict | None"

    @cached_property
    def scores(self) -> "list[Score]":
        """The score of the player named first in each order."""
        return [pairing.score(seat) for seat, pairing in enumerate(self.pairings)]

    @property
    def players(self) -> tuple[str, str]:
        """The two names."""
        first, second = self.question.players
        return first, second

    @property
    def seconds_per_move(self) -> float:
        """The mean seconds over all moves of the player named first."""
        moves = [
            sum(played.moves[seat] for played in pairing.played)
            for seat, pairing in enumerate(self.pairings)
        ]
        times = zip(self.scores, moves, strict=True)
        return sum(score.seconds_per_move * count for score, count in times) / max(sum(moves), 1)

    @cached_property
    def means(self) -> list[dict[str, Any]]:
        """The game's own measures of its matches, in each order."""
        return measured(self.question.game, self.pairings)

    @cached_property
    def lead(self) -> "Interval | None":
        """The mean lead of the player named first over mirrored pairs, corrected if payoffs are.
        None without mirrored matches, for two copies of one player, and where a verdict has it.
        """
        from hiddenhand.matches.ratings import mean_leads

        if not self.mirror or self.verdict is not None:
            return None
        return mean_leads(self.pairings).get(self.players)

    @property
    def won(self) -> "Winnings | None":
        """What the player named first wins for each hand of poker; None in other games."""
        from hiddenhand.games.registry import load_game
        from hiddenhand.matches.tournament import winnings

        big_blind = getattr(load_game(self.question.game), "big_blind", 0)
        return winnings(self.pairings, big_blind) if big_blind else None

    def answer(self, value: float | None) -> dict[str, Any]:
        """Return an object of JSON, with lists over both orders if the matches are mirrored.

        value: the game's value for the first seat, if known.
        """
        payoffs = [score.payoff for score in self.scores]
        rates = [score.win_rate for score in self.scores]
        return {
            "game": self.question.game,
            "players": list(self.players),
            "seed": self.question.seed,
            "deals": self.deals,
            "matches": self.scores[0].matches,
            "mean": self._each([payoff.value for payoff in payoffs]),
            "ci95": self._each([ends(payoff) for payoff in payoffs]),
            "win_rate": self._each([rate.value for rate in rates]),
            "win_rate_ci95": self._each([ends(rate) for rate in rates]),
            "seconds_per_move": self.seconds_per_move,
            **({} if value is None else {"mean_above_value": self._each(self._above(value))}),
            **self._more(),
        }

    def _above(self, value: float) -> list[float]:
        """The mean payoffs in each order, relative to the value of the game for that seat."""
        values = self._values(value)
        return [score.payoff.value - own for score, own in zip(self.scores, values, strict=True)]

    def _values(self, value: float) -> list[float]:
        """The value of the game for the player named first in each order. The values of both seats
        sum to what payoffs always sum to.
        """
        from hiddenhand.games.registry import load_game

        total = load_game(self.question.game).payoff_sum or 0.0
        return [value, total - value][: len(self.scores)]

    def _more(self) -> dict[str, Any]:
        """Return the entries that only some matches have."""
        found: dict[str, Any] = {}
        if (values := self.question.aivat) is not None:
            corrected = aivat_entry(self.pairings)
            found["aivat"] = {"values": values} | {
                name: self._each(means) for name, means in corrected.items()
            }
        if self.lead is not None:
            found |= {"lead": self.lead.value, "lead_ci95": ends(self.lead)}
        if self.verdict is not None and self.until is not None:
            found["until"] = until_entry(self.verdict, self.until, self.players)
            found["until"]["iterations"] = self.question.iterations
        if any(self.means):
            found["measures"] = self._each(self.means)
        if (won := self.won) is not None:
            error = won.standard_error if math.isfinite(won.standard_error) else None
            found |= {"mbb_per_hand": won.mbb_per_hand, "standard_error": error}
        return found

    def _each(self, entries: list[Any]) -> Any:
        return entries if self.mirror else entries[0]

    def show(self, value: float | None) -> None:
        """Print the result in words. ``value``: the game's value for the first seat, if known."""
        first, second = self.players
        orders = " in each order" if self.mirror else ""
        count, iterations = self.scores[0].matches, self.question.iterations
        limits = "" if iterations is None else f", {iterations:,} iterations a move"
        print_text(
            f"{self.question.game}: {first} against {second}, {count:,} "
            f"{'match' if count == 1 else 'matches'}{orders}{limits}"
        )
        print_scores(first, self.scores, None if value is None else self._values(value))
        if self.question.aivat is not None:
            print_corrected(first, self.pairings, self.question.aivat)
        if self.lead is not None:
            by = "" if self.question.aivat is None else ", corrected by AIVAT"
            print_wrapped(
                f"Lead of {first} over {count:,} mirrored {'pair' if count == 1 else 'pairs'}{by}: "
                f"{self.lead}"
            )
        if self.verdict is not None and self.until is not None:
            print_verdict(self.verdict, self.until, self.players)
        for means in self.means:
            print_measured(means)
        if (won := self.won) is not None:
            print_text(
                f"{first} wins {won.mbb_per_hand:,.1f} mbb a hand, standard error "
                f"{won.standard_error:,.1f}"
            )
        print_text(
            f"{rounded(self.seconds_per_move, 3)} seconds a move. The same deals again: --deals "
            f"{self.deals}"
        )
