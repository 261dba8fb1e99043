"""Rankings: all players play each other, and their points against the others rank them."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hiddenhand.errors import PlayerError
from hiddenhand.games.base import Game
from hiddenhand.games.registry import game_of, game_spec
from hiddenhand.matches.match_records import Seats
from hiddenhand.matches.ratings import Comparison, compare
from hiddenhand.matches.tournament import (
    Pairing,
    Question,
    Tournament,
    all_pairs,
    all_tables,
    frame_of,
)
from hiddenhand.notebooks import Plotted, Shown
from hiddenhand.players.registry import verify_several
from hiddenhand.progress import SILENT, Progress
from hiddenhand.statistics import Interval, bounded_interval, points_among, wilson_interval
from hiddenhand.text import one_line


@dataclass(frozen=True)
class Standing:
    """How a player did against all others, from all seats.

    player: the name of the player.
    matches: how many matches the player played.
    points: the share of the points that the player won, half a point for a draw, with its 95 %
        interval. A match among n players has n - 1 points for each, one for each other player.
    payoff: the mean payoff, with its 95 % interval.
    """

    player: str
    matches: int
    points: Interval
    payoff: Interval

    def __repr__(self) -> str:
        points = f"{self.points:.1%} of the points"
        return one_line(self, self.player, f"{self.matches:,} matches", points)


@dataclass(frozen=True)
class TournamentRecord(Shown, Plotted):
    """A tournament that was played.

    question: the game, the players and the budgets.
    table: a pairing for each two players and order of seats, a player against a copy of itself
        included; first all pairings with the first player in the first seat, and so on. For each
        choice of players and order of seats, if the game is for more than two.
    ranking: the players, best first.
    """

    question: Question
    table: tuple[Pairing, ...]
    ranking: tuple[Standing, ...]

    def __repr__(self) -> str:
        played = sum(len(pairing.played) for pairing in self.table)
        best = f"{self.ranking[0].player} leads" if self.ranking else "nobody leads"
        return one_line(self, self.question.game, f"{played:,} matches", best)

    def pairing(self, *players: str) -> Pairing:
        """The matches in which ``players`` sat in the seats in this order. Raises PlayerError if
        they did not meet.
        """
        for pairing in self.table:
            if pairing.players == players:
                return pairing
        raise PlayerError(
            f"{players[0]} did not play against {' and '.join(players[1:])}; the players were "
            f"{', '.join(self.question.players)}"
        )

    def compare(self) -> Comparison:
        """Ratings, the payoff matrix, the Nash average and cycles, with intervals."""
        return compare(self.table)

    def to_frame(self) -> Any:
        """A ``pandas.DataFrame`` with a row for each seat of each match."""
        return frame_of(self.table)

    def __str__(self) -> str:
        return "\n".join(
            f"{place}. {standing.player}: {standing.points.value:.1%} of the points (95 % interval "
            f"{standing.points.low:.1%} to "
            f"{standing.points.high:.1%}) in {standing.matches:,} matches"
            for place, standing in enumerate(self.ranking, 1)
        )


def play_tournament(
    game: Game | str,
    players: Sequence[str],
    matches: int,
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    preplay: float | None = None,
    seed: int = 0,
    deals: int | None = None,
    aivat: str | None = None,
    width: float | None = None,
    jobs: int = 1,
    backend: str = "loky",
    file: Path | str | None = None,
    progress: Progress = SILENT,
) -> TournamentRecord:
    """Play all players against each other, and each against a copy of itself. In a game for more
    than two players, each group of different players that fills the seats meets, in all `orders` of
    seats.

    game: a game, or its name.
    players: the names of the players, as for `make_player`, at least as many as the game has and
        each once.
    matches: how many matches are played in each order of seats.
    iterations: the budget of each move in iterations; None for no limit.
    seconds: the budget of each move in seconds; None for no limit.
    preplay: how many seconds players may think before the first move; None for not at all.
    seed: the seed of the players.
    deals: the seed of chance, a whole number of 128 bits, drawn at random by default.
    aivat: the name of the value estimate by which payoffs are also corrected, see
        `matches.value_estimates`; None for no correction.
    width: matches of a pair end early when its win rate is known to an interval of this width,
        above 0 and below 1; None for never.
    jobs: how many processes play at once; -1 for one for each processor.
    backend: which of joblib's backends runs the processes.
    file: an SQLite file that keeps the matches, so that an equal call continues where an earlier
        one stopped.
    progress: receives reports of how many matches are done.
    """
    seats = game_of(game).num_players
    verify_different(players, seats)
    question = Question(
        game if isinstance(game, str) else game_spec(game),
        tuple(players),
        iterations,
        seconds,
        preplay,
        seed,
        deals,
        aivat,
    )
    with Tournament(question, file) as running:
        running.run(
            all_meetings(len(players), seats),
            matches,
            width=width,
            jobs=jobs,
            backend=backend,
            progress=progress,
        )
        pairings = running.pairings()
    return TournamentRecord(question, tuple(pairings), ranking(pairings))


def all_meetings(num_players: int, seats: int) -> list[tuple[Seats, ...]]:
    """The groups of a tournament among so many players in a game for so many."""
    return all_pairs(num_players) if seats == 2 else all_tables(num_players, seats)


def ranking(pairings: Sequence[Pairing]) -> tuple[Standing, ...]:
    """The players by the points they took from others. Matches against copies of themselves do not
    count.

    Among more than two players, the observations behind the intervals are the means over all
    matches with one deal: these depend on each other, because they share the cards.
    """
    largest = max((pairing.largest for pairing in pairings), default=math.inf)
    different = [one for one in pairings if len(set(one.players)) == len(one.players)]
    names = dict.fromkeys(name for pairing in different for name in pairing.players)
    standings = [
        standing(name, [(one, one.players.index(name)) for one in different if name in one.players],
                 largest)
        for name in names
    ]  # fmt: skip
    return tuple(
        sorted(standings, key=lambda standing: (-standing.points.value, -standing.payoff.value))
    )


def standing(
    player: str, seated: Sequence[tuple[Pairing, int]], largest: float = math.inf
) -> Standing:
    """How a player did.

    player: the name of the player.
    seated: the matches that count, each pairing with the seat of the player.
    largest: the largest payoff of the game, positive or negative; infinite if it is not known.
    """
    paid: dict[int, list[float]] = {}  # of each deal
    points: dict[int, list[float]] = {}
    for pairing, seat in seated:
        for match in pairing.played:
            paid.setdefault(match.number, []).append(match.payoffs[seat])
            points.setdefault(match.number, []).append(points_among(match.payoffs, seat))
    won = [one for found in points.values() for one in found]
    if len(seated[0][0].players) == 2:
        return Standing(
            player,
            len(won),
            wilson_interval(sum(won), len(won)),
            bounded_interval([one for found in paid.values() for one in found], -largest, largest),
        )
    return Standing(
        player,
        len(won),
        bounded_interval([statistics.fmean(found) for found in points.values()], 0.0, 1.0),
        bounded_interval([statistics.fmean(found) for found in paid.values()], -largest, largest),
    )


def verify_different(players: Sequence[str], seats: int = 2) -> None:
    """Raise PlayerError unless there are at least as many players as ``seats``, all different."""
    verify_several(players)
    if len(players) < seats or len(set(players)) < len(players):
        least = "two" if seats == 2 else str(seats)
        raise PlayerError(
            f"a tournament is between {least} or more different players, not {', '.join(players)}; "
            "name each once"
        )
