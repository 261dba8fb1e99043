"""The scores of the verbs ``match`` and ``tournament``, as entries of JSON and as tables."""

import math
import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hiddenhand.cli.common import ends, print_table, print_text, print_wrapped

if TYPE_CHECKING:
    from hiddenhand.matches.ranking import Standing
    from hiddenhand.matches.ratings import Comparison
    from hiddenhand.matches.stopping import Until, Verdict
    from hiddenhand.matches.tournament import Pairing, Score


def print_scores(player: str, scores: "Sequence[Score]", values: Sequence[float] | None) -> None:
    """Print a line for each seat of ``player``: what it earned there, also above the value of the
    game for that seat, if ``values`` are known.
    """
    from hiddenhand.statistics import against_value

    rows = []
    for seat, score in enumerate(scores):
        more = [] if values is None else [f"{against_value(score.payoff, values[seat])}"]
        plays = f"{player} plays {'first' if seat == 0 else 'second'}"
        rows.append([plays, f"{score.payoff}", *more, f"{score.win_rate:.1%}"])
    headings = ["mean payoff", *([] if values is None else ["above the value"]), "win rate"]
    print_table(["", *headings], rows)


def print_corrected(player: str, pairings: "Sequence[Pairing]", values: str) -> None:
    """Print a line for each seat of ``player``: what it earned there, corrected by AIVAT."""
    rows = [
        [f"{player} plays {'first' if seat == 0 else 'second'}", f"{found}", _less(pairing, seat)]
        for seat, pairing in enumerate(pairings)
        if (found := pairing.corrected(seat)) is not None
    ]
    print_table([f"by AIVAT with values {values}", "mean payoff", "variance"], rows)


def _less(pairing: "Pairing", seat: int) -> str:
    """Return the variance of a seat's corrected payoffs as a share of that of its payoffs, in
    words.
    """
    share = _variance_share(pairing, seat)
    return "" if share is None else f"{share:.1%} of the payoffs' variance"


def _variance_share(pairing: "Pairing", seat: int) -> float | None:
    plain = [match.payoffs[seat] for match in pairing.played]
    corrected = [match.corrected[seat] for match in pairing.played if match.corrected is not None]
    if len(plain) < 2 or len(corrected) < 2 or not statistics.variance(plain):
        return None
    return statistics.variance(corrected) / statistics.variance(plain)


def aivat_entry(pairings: "Sequence[Pairing]") -> dict[str, list[Any]]:
    """Return AIVAT's results as an entry of JSON: lists over the seats of the first player."""
    found = [
        (seat, pairing, corrected)
        for seat, pairing in enumerate(pairings)
        if (corrected := pairing.corrected(seat)) is not None
    ]
    return {
        "mean": [corrected.value for _, _, corrected in found],
        "ci95": [ends(corrected) for _, _, corrected in found],
        "variance_share": [_variance_share(pairing, seat) for seat, pairing, _ in found],
    }


def until_entry(verdict: "Verdict", until: "Until", players: tuple[str, str]) -> dict[str, Any]:
    """Return the verdict on which player is ahead, as an entry of JSON."""
    ahead = {1: players[0], -1: players[1]}.get(verdict.ahead)
    return {
        "confidence": until.confidence,
        "width": until.width,
        "ahead": ahead,
        "pairs": verdict.pairs,
        "lead": verdict.lead.value,
        "lead_ci": [verdict.lead.low, verdict.lead.high],
    }


def print_verdict(verdict: "Verdict", until: "Until", players: tuple[str, str]) -> None:
    """Print which player is ahead, in a sentence."""
    lead = verdict.lead
    known = {1: f"{players[0]} is ahead", -1: f"{players[1]} is ahead"}
    print_wrapped(
        f"{known.get(verdict.ahead, 'It is not known who is ahead')} after {verdict.pairs:,} "
        f"mirrored pairs. Lead of {players[0]}: {lead.value:.4g}, with confidence "
        f"{until.confidence:.6g} between {lead.low:.4g} and {lead.high:.4g}."
    )


def entry(pairing: "Pairing", value: float | None) -> dict[str, Any]:
    """Return a pairing as an entry of JSON, from the point of view of the row's player."""
    if len(pairing.players) > 2:
        return _entry_among(pairing)
    score = pairing.score()
    relative = {} if value is None else {"mean_above_value": score.payoff.value - value}
    return {
        "first": pairing.first,
        "second": pairing.second,
        "matches": score.matches,
        "mean": score.payoff.value,
        "ci95": ends(score.payoff),
        "win_rate": score.win_rate.value,
        "win_rate_ci95": ends(score.win_rate),
        "seconds_per_move": [score.seconds_per_move, pairing.score(1).seconds_per_move],
        **relative,
        **_corrected_entry(pairing),
    }


def _entry_among(pairing: "Pairing") -> dict[str, Any]:
    """Return a pairing of more than two players as an entry of JSON: lists over the seats."""
    seats = range(len(pairing.players))
    scores = [pairing.score(seat) for seat in seats]
    corrected = [found for seat in seats if (found := pairing.corrected(seat)) is not None]
    aivat = {
        "aivat_mean": [found.value for found in corrected],
        "aivat_ci95": [ends(found) for found in corrected],
    }
    return {
        "players": list(pairing.players),
        "matches": scores[0].matches,
        "mean": [score.payoff.value for score in scores],
        "ci95": [ends(score.payoff) for score in scores],
        "points": [score.win_rate.value for score in scores],
        "points_ci95": [ends(score.win_rate) for score in scores],
        "seconds_per_move": [score.seconds_per_move for score in scores],
        **(aivat if corrected else {}),
    }


def _corrected_entry(pairing: "Pairing") -> dict[str, Any]:
    corrected = pairing.corrected()
    if corrected is None:
        return {}
    return {"aivat_mean": corrected.value, "aivat_ci95": ends(corrected)}


def measured(game: str, pairings: "Sequence[Pairing]") -> list[dict[str, Any]]:
    """Return the game's own measures of each pairing's matches, by name: the mean and its interval.
    Empty for a game without measures.
    """
    from hiddenhand.cli.common import load_sequential
    from hiddenhand.matches.match import mean_measures

    rules = load_sequential(game)
    found = [mean_measures(rules, pairing.played) for pairing in pairings]
    return [
        {name: {"mean": mean.value, "ci95": ends(mean)} for name, mean in means.items()}
        for means in found
    ]


def print_measured(means: dict[str, Any]) -> None:
    """Print the means of one pairing, a line each."""
    from hiddenhand.statistics import Interval

    for name, mean in means.items():
        both = mean["ci95"] or (-math.inf, math.inf)
        print_text(f"{name.replace('_', ' ')}: {Interval(mean['mean'], *both)}")


def print_pairings(specs: list[str], pairings: "list[Pairing]", value: float | None) -> None:
    """Print two tables in which the row plays first: win rates, and mean payoffs."""
    from hiddenhand.statistics import against_value

    numbers = [str(number) for number in range(1, len(specs) + 1)]
    scores = [pairing.score() for pairing in pairings]
    payoffs = [
        score.payoff if value is None else against_value(score.payoff, value) for score in scores
    ]
    print_text("".join(f"{number}  {name}\n" for number, name in zip(numbers, specs, strict=True)))
    for title, cells in (
        ("Win rate of the row, which plays first:", [f"{score.win_rate:.1%}" for score in scores]),
        (
            f"Mean payoff of the row{'' if value is None else ' above the value of the game'}:",
            [f"{payoff}" for payoff in payoffs],
        ),
    ):
        print_text(title)
        print_table(
            ["", *numbers],
            [
                [number, *cells[row * len(specs) : (row + 1) * len(specs)]]
                for row, number in enumerate(numbers)
            ],
        )


def print_seats(specs: list[str], pairings: "list[Pairing]") -> None:
    """Print a row for each player, with the mean payoff in each seat over all tables."""
    from hiddenhand.matches.ranking import standing

    print_text("Mean payoff in each seat:")
    rows = []
    for number, name in enumerate(specs, 1):
        seated = [
            [(pairing, seat) for pairing in pairings if pairing.players[seat] == name]
            for seat in range(len(pairings[0].players))
        ]
        earned = [standing(name, one, one[0][0].largest).payoff for one in seated]
        rows.append([str(number), name, *(f"{paid}" for paid in earned)])
    seats = [f"seat {seat}" for seat in range(1, len(pairings[0].players) + 1)]
    print_table(["", "player", *seats], rows)


def place(standing: "Standing") -> dict[str, Any]:
    """Return a player's place in the ranking as an entry of JSON."""
    return {
        "player": standing.player,
        "matches": standing.matches,
        "points": standing.points.value,
        "points_ci95": ends(standing.points),
        "mean": standing.payoff.value,
        "ci95": ends(standing.payoff),
    }


def print_ranking(standings: "tuple[Standing, ...]") -> None:
    """Print the players, best first."""
    print_text("\nRanking, by the points taken from others in all seats:")
    rows = [
        [number, one.player, f"{one.points:.1%}", f"{one.payoff}"]
        for number, one in enumerate(standings, 1)
    ]
    print_table(["place", "player", "points", "mean payoff"], rows)


def compared(comparison: "Comparison") -> dict[str, Any]:
    """Return a comparison as an entry of JSON: lists in the order of the players, the payoff matrix
    by rows.
    """
    named = {
        "elo": comparison.elo,
        "nash_average": comparison.nash,
        "skill": comparison.skill,
    }
    both = {name: [one.value for one in found] for name, found in named.items()} | {
        f"{name}_ci95": [ends(one) for one in found] for name, found in named.items()
    }
    return {
        "players": list(comparison.players),
        **both,
        "places": [list(one) for one in comparison.places],
        "leads": [[lead.value for lead in row] for row in comparison.leads],
        "leads_ci95": [[ends(lead) for lead in row] for row in comparison.leads],
        "leads_by": "aivat" if comparison.corrected else "payoffs",
        "cyclic": comparison.cyclic,
        "cycles": [list(cycle) for cycle in comparison.cycles],
    }


def print_comparison(comparison: "Comparison") -> None:
    """Print ratings, the payoff matrix and cycles."""
    numbers = [str(number) for number in range(1, 1 + len(comparison.players))]
    print_text("\nElo, and the Nash average of the mean leads:")
    columns = zip(
        numbers,
        comparison.players,
        comparison.elo,
        comparison.places,
        comparison.nash,
        comparison.skill,
        strict=True,
    )
    print_table(
        ["", "player", "Elo", "place", "Nash average", "skill"],
        [
            [
                number,
                name,
                f"{round(elo.value)} ± {elo.width / 2:.0f}",
                str(best) if best == worst else f"{best} to {worst}",
                f"{part.value:.1%} ({part.low:.0%} to {part.high:.0%})",
                f"{skill}",
            ]
            for number, name, elo, (best, worst), part, skill in columns
        ],
    )
    corrected = ", corrected by AIVAT" if comparison.corrected else ""
    print_text(f"Mean lead of the row over all orders of seats{corrected}:")
    print_table(
        ["", *numbers],
        [
            [number, *("" if i == j else f"{lead}" for j, lead in enumerate(row))]
            for i, (number, row) in enumerate(zip(numbers, comparison.leads, strict=True))
        ],
    )
    for one, next_one, last in comparison.cycles:
        print_text(f"{one} is ahead of {next_one}, {next_one} of {last}, and {last} of {one}.")
    if len(comparison.players) > 2:
        print_text(f"{comparison.cyclic:.1%} of the squared leads is cyclic.")
