"""Rankings: all players play each other, and their points against the others rank them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hiddenhand.errors import PlayerError
from hiddenhand.games.base import Game
from hiddenhand.games.registry import game_spec
from hiddenhand.notebooks import Plotted, Shown
from hiddenhand.players.ratings import Comparison, compare
from hiddenhand.players.tournament import Pairing, Question, Tournament, all_pairs, frame_of
from hiddenhand.progress import SILENT, Progress
from hiddenhand.statistics import Interval, bounded_interval, wilson_interval, win_points
from hiddenhand.text import one_line


@dataclass(frozen=True)
class Standing:
    """How a player did against all others, from both seats.

    player: the name of the player.
    matches: how many matches the player played.
    points: the share of the points that the player won, half a point for a draw, with its 95 %
        interval.
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
        included; first all pairings with the first player in the first seat, and so on.
    ranking: the players, best first.
    """

    question: Question
    table: tuple[Pairing, ...]
    ranking: tuple[Standing, ...]

    def __repr__(self) -> str:
        played = sum(len(pairing.played) for pairing in self.table)
        best = f"{self.ranking[0].player} leads" if self.ranking else "nobody leads"
        return one_line(self, self.question.game, f"{played:,} matches", best)

    def pairing(self, first: str, second: str) -> Pairing:
        """The matches in which ``first`` sat in the first seat. Raises PlayerError for a player
        that did not take part.
        """
        for pairing in self.table:
            if (pairing.first, pairing.second) == (first, second):
                return pairing
        raise PlayerError(
            f"{first} did not play against {second}; the players were "
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
    """Play all players against each other, and each against a copy of itself.

    game: a game for two players, or its name.
    players: the names of the players, as for `make_player`, two or more and each once.
    matches: how many matches are played for each pair and order of seats.
    iterations: the budget of each move in iterations; None for no limit.
    seconds: the budget of each move in seconds; None for no limit.
    preplay: how many seconds players may think before the first move; None for not at all.
    seed: the seed of the players.
    deals: the seed of chance, a whole number of 128 bits, drawn at random by default.
    aivat: the name of the value estimate by which payoffs are also corrected, see `estimates`; None
        for no correction.
    width: matches of a pair end early when its win rate is known to an interval of this width,
        above 0 and below 1; None for never.
    jobs: how many processes play at once; -1 for one for each processor.
    backend: which of joblib's backends runs the processes.
    file: an SQLite file that keeps the matches, so that an equal call continues where an earlier
        one stopped.
    progress: receives reports of how many matches are done.
    """
    verify_different(players)
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
            all_pairs(len(players)),
            matches,
            width=width,
            jobs=jobs,
            backend=backend,
            progress=progress,
        )
        pairings = running.pairings()
    return TournamentRecord(question, tuple(pairings), ranking(pairings))


def ranking(pairings: Sequence[Pairing]) -> tuple[Standing, ...]:
    """The players by the points they took from others. Matches against copies of themselves do not
    count.
    """
    payoffs: dict[str, list[tuple[float, float]]] = {}  # of each player: their own, and the other's
    largest = max((pairing.largest for pairing in pairings), default=math.inf)
    for pairing in pairings:
        if pairing.first != pairing.second:
            for match in pairing.played:
                first, second = match.payoffs
                payoffs.setdefault(pairing.first, []).append((first, second))
                payoffs.setdefault(pairing.second, []).append((second, first))
    standings = [_standing(player, paid, largest) for player, paid in payoffs.items()]
    return tuple(
        sorted(standings, key=lambda standing: (-standing.points.value, -standing.payoff.value))
    )


def _standing(player: str, paid: Sequence[tuple[float, float]], largest: float) -> Standing:
    points = sum(win_points(own, other) for own, other in paid)
    return Standing(
        player,
        len(paid),
        wilson_interval(points, len(paid)),
        bounded_interval([own for own, _ in paid], -largest, largest),
    )


def verify_different(players: Sequence[str]) -> None:
    """Raise PlayerError unless there are two or more players, all different."""
    if len(players) < 2 or len(set(players)) < len(players):
        raise PlayerError(
            f"a tournament is between two or more different players, not {', '.join(players)}; "
            "name each once"
        )
