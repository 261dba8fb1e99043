"""The verbs of players among themselves: ``match`` at one table, ``tournament`` between many."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from hiddenhand.cli.common import (
    AsJson,
    Backend,
    Deals,
    GameSpec,
    Jobs,
    Kept,
    print_json,
    print_text,
    read_deals,
    tell,
    then_kept,
    tier_used,
    verify_writable,
    work,
    written_deals,
)
from hiddenhand.cli.match_report import Finished
from hiddenhand.cli.multiplayer_report import AtATable
from hiddenhand.cli.process import INTERRUPTED
from hiddenhand.cli.scores import (
    compared,
    entry,
    measured,
    place,
    print_comparison,
    print_pairings,
    print_ranking,
    print_seats,
)
from hiddenhand.errors import OptionError, PlayerError
from hiddenhand.players.registry import EXAMPLES

if TYPE_CHECKING:
    from hiddenhand.matches.match_records import Played, Seats
    from hiddenhand.matches.stopping import Until, Verdict
    from hiddenhand.matches.tournament import Pairing, Question

MOST_UNTIL: Final = 10_000
ITERATIONS_UNTIL: Final = 1_000

Iterations = Annotated[
    int | None, typer.Option(help="Search iterations for each move, for players that search.")
]
Seconds = Annotated[
    float | None,
    typer.Option(help="Search time for each move in seconds, for players that search."),
]
Preplay = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="Search time before the first move in seconds, for players that search.",
    ),
]
PlayersSeed = Annotated[
    int, typer.Option(help="Seed of the players; equal seeds and deals give equal results.")
]
Width = Annotated[
    float | None,
    typer.Option(help="Stop when the 95 % interval of the win rate is at most this wide."),
]
Aivat = Annotated[
    bool,
    typer.Option(
        "--aivat",
        help="Also report payoffs corrected by AIVAT. The correction removes most of the luck of "
        "cards and draws, and keeps the mean.",
    ),
]
AivatValues = Annotated[
    str | None,
    typer.Option(
        metavar="VALUES",
        help="Turn on --aivat with these estimates of the values of histories: auto, solved, "
        "evaluation, rollouts(N), calls(N), strategy(FILE) or zero.",
        show_default="auto",
    ),
]
Value = Annotated[
    float | None,
    typer.Option(
        help="Known value of the game for the player that plays first. Payoffs are then also "
        "reported relative to it."
    ),
]


def match(
    game: GameSpec,
    first: Annotated[str, typer.Argument(metavar="SPEC", help=f"A player, such as: {EXAMPLES}.")],
    others: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SPEC]...",
            help="The other players, in the order of their seats; auto for those not named.",
            show_default=False,
        ),
    ] = None,
    matches: Annotated[
        int | None,
        typer.Option(
            help="Number of matches; with --mirror, in each order of seats; with --until, the "
            "largest number.",
            show_default=f"{MOST_UNTIL:,} with --until",
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            help="Search iterations for each move, for players that search.",
            show_default=f"{ITERATIONS_UNTIL:,} with --until",
        ),
    ] = None,
    seconds: Seconds = None,
    preplay: Preplay = None,
    seed: PlayersSeed = 0,
    deals: Deals = None,
    mirror: Annotated[
        bool,
        typer.Option(
            "--mirror",
            "--duplicate",
            help="Play each match twice, with the seats exchanged and the same deals; with more "
            "than two players, in all orders of seats.",
        ),
    ] = False,
    width: Width = None,
    until: Annotated[
        float | None,
        typer.Option(
            metavar="CONFIDENCE",
            help="Play mirrored pairs of matches until one player is ahead with this confidence, "
            "such as 0.95.",
        ),
    ] = None,
    until_width: Annotated[
        float | None,
        typer.Option(
            metavar="WIDTH",
            help="Play mirrored pairs of matches until the interval of the lead is at most this "
            "wide. Its confidence is that of --until, or 0.95.",
        ),
    ] = None,
    value: Value = None,
    aivat: Aivat = False,
    aivat_values: AivatValues = None,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    out: Kept = None,
    film: Annotated[
        Path | None,
        typer.Option(
            help="In VP only: write a film of the first match to this file: .gif or .html."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play matches between the players of a game. Between two players, report payoffs from the
    first player's point of view. The first player is the one named first, whichever seat it has.

    With --mirror, mean, ci95, win_rate and win_rate_ci95 are lists: first with the first player in
    seat 1, then with it in seat 2. lead is half of the difference between the payoffs of the first
    and the second player, over both seats; with --aivat, after correction. seconds_per_move is the
    first player's mean over all matches. In poker, mbb_per_hand is what the first player wins for
    each hand over both seats, in thousandths of a big blind; standard_error is its standard error.

    With --until or --until-width, matches are mirrored, and their number is not fixed. lead_ci is
    then right whenever you look at it: see docs/matches.md.

    With more than two players, report each player. Points are the share of the others whom the
    player beat in a match; an equal payoff counts half. With --mirror, intervals are those of the
    means over all orders of seats with one deal. --until and --value are for two players.
    """
    from hiddenhand.matches.seat_groups import orders
    from hiddenhand.matches.tournament import Question

    stop = _stop(until, until_width)
    named = (first, *(others or ()))
    players = _players_of(game, named)
    seats = len(players)
    if seats != 2 and (stop is not None or value is not None):
        option = "--value" if stop is None else "--until or --until-width"
        raise OptionError(
            f"{option} is for games of two players, and {game} has {seats}; leave it out, and give "
            "--matches or --width"
        )
    if stop is not None:
        mirror, matches = True, MOST_UNTIL if matches is None else matches
        if iterations is None and seconds is None:
            iterations = ITERATIONS_UNTIL
    if mirror and value is not None:
        _verify_constant_sum(game)
    if film is not None:
        _verify_film(film, game)
    in_order: Seats = tuple(range(seats))
    group: tuple[Seats, ...] = orders(in_order) if mirror else (in_order,)
    values = _values(aivat, aivat_values)
    question = Question(
        game, players, iterations, seconds, preplay, seed, read_deals(deals), values
    )
    _tell_of_seats_without_a_name(len(named), seats)
    pairings, verdicts, played_deals, interrupted = _run(
        question, [group], _verified_matches(matches), width, stop, jobs, backend, out
    )
    verdict = verdicts[0] if verdicts else None
    finished = (
        Finished(question, pairings, mirror, played_deals, stop, verdict)
        if seats == 2
        else AtATable(question, pairings, group, played_deals)
    )
    if film is not None:
        with work("Filming"):
            _film(film, question, pairings[0].played[0])
    if as_json:
        print_json(finished.answer(value) | tier_used())
    else:
        finished.show(value)
    if interrupted:
        sys.exit(INTERRUPTED)


def _players_of(game: str, named: tuple[str, ...]) -> tuple[str, ...]:
    """Return the player of each seat, auto where none is named. Raises PlayerError for too many
    names.
    """
    from hiddenhand.games.registry import load_game

    seats = load_game(game).num_players
    if len(named) > seats:
        raise PlayerError(
            f"{game} is for {seats} players, and {len(named)} are named; name {seats}, or play a "
            "tournament among all"
        )
    return named + ("auto",) * (seats - len(named))


def _verify_constant_sum(game: str) -> None:
    """Raise OptionError for a game in which the value for one seat does not tell the other's."""
    from hiddenhand.games.registry import load_game

    if load_game(game).payoff_sum is None:
        raise OptionError(
            f"--value is the value of one seat, and the payoffs of {game} have no constant sum, "
            "from which that of the other would follow; leave out --value, --mirror and --until"
        )


def _tell_of_seats_without_a_name(named: int, seats: int) -> None:
    unnamed = [f"seat {seat}" for seat in range(named + 1, seats + 1)]
    if unnamed:
        tell(f"No player is named for {' and '.join(unnamed)}: auto plays there.")


def _verify_film(path: Path, game: str) -> None:
    """Raise an error before the matches if no film of ``game`` can be written to ``path``."""
    from hiddenhand.pursuit.film import verify_film
    from hiddenhand.pursuit.film_frames import rules_of_film

    verify_film(path)
    verify_writable(path)
    rules_of_film(game)


def _film(path: Path, question: "Question", played: "Played") -> None:
    """Write the film of a match. For that, both players think again, as long as before."""
    from hiddenhand.pursuit.film import write_film
    from hiddenhand.pursuit.film_frames import frames_of, rules_of_film

    names = [question.players[index] for index in played.seats]
    write_film(path, rules_of_film(question.game), names, frames_of(question, played))


def tournament(
    game: GameSpec,
    specs: Annotated[
        list[str],
        typer.Argument(
            metavar="SPEC...",
            help=f"Two or more players, at least as many as the game has, such as: {EXAMPLES}.",
        ),
    ],
    matches: Annotated[int, typer.Option(help="Number of matches for each entry of the table.")],
    iterations: Iterations = None,
    seconds: Seconds = None,
    preplay: Preplay = None,
    seed: PlayersSeed = 0,
    deals: Deals = None,
    width: Width = None,
    value: Value = None,
    aivat: Aivat = False,
    aivat_values: AivatValues = None,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    out: Kept = None,
    picture: Annotated[
        Path | None, typer.Option(help="Draw the table into this file: .png, .svg or .pdf.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play all players against each other and against copies of themselves, and rank them. In the
    table, the player of the row plays first; all entries share their deals. docs/matches.md
    explains Elo, the payoff matrix, the Nash average and cycles.

    In a game for more than two players, each group of players that fills the seats meets, in all
    orders of seats. The table has a row for each player, and a column for the mean payoff in each
    seat. The picture has mean leads in place of win rates.
    """
    from hiddenhand.games.registry import load_game
    from hiddenhand.matches.ranking import all_meetings, ranking, verify_different
    from hiddenhand.matches.ratings import compare
    from hiddenhand.matches.tournament import Question
    from hiddenhand.plots.figures import verify_picture
    from hiddenhand.plots.payoffs import draw_payoffs, draw_win_rates

    seats = load_game(game).num_players
    verify_different(specs, seats)
    if seats != 2 and value is not None:
        raise OptionError(
            f"--value is for games of two players, and {game} has {seats}; leave it out"
        )
    if picture is not None:
        verify_picture(picture)
        verify_writable(picture)
    values = _values(aivat, aivat_values)
    question = Question(
        game, tuple(specs), iterations, seconds, preplay, seed, read_deals(deals), values
    )
    pairings, _, played_deals, interrupted = _run(
        question, all_meetings(len(specs), seats), matches, width, None, jobs, backend, out
    )
    title = _title(question, matches)
    draw = draw_win_rates if seats == 2 else draw_payoffs
    with then_kept(picture, lambda path: draw(pairings, path, title)):
        if as_json:
            answer = {
                "game": game,
                "players": specs,
                "seed": seed,
                "deals": played_deals,
                "table": [
                    entry(pairing, value) | ({"measures": means} if means else {})
                    for pairing, means in zip(pairings, measured(game, pairings), strict=True)
                ],
                "ranking": [place(standing) for standing in ranking(pairings)],
                "comparison": compared(compare(pairings)),
            }
            print_json(answer)
        else:
            if seats == 2:
                print_pairings(specs, pairings, value)
            else:
                print_seats(specs, pairings)
            print_ranking(ranking(pairings))
            print_comparison(compare(pairings))
            print_text(f"The same deals again: --deals {played_deals}")
    if interrupted:
        sys.exit(INTERRUPTED)


def _run(
    question: "Question",
    groups: "list[tuple[Seats, ...]]",
    matches: int,
    width: float | None,
    until: "Until | None",
    jobs: int,
    backend: str,
    out: Path | None,
) -> "tuple[list[Pairing], list[Verdict], str, bool]":
    """Return the pairings, the verdicts on which player is ahead, the deals, and whether Ctrl-C
    ended the matches. Exits if Ctrl-C came before each pairing had a match that counts.
    """
    from hiddenhand.matches.tournament import Tournament

    with Tournament(question, out) as running:
        interrupted = False
        try:
            with work("Playing") as progress:
                running.run(
                    groups,
                    matches,
                    width=width,
                    until=until,
                    jobs=jobs,
                    backend=backend,
                    progress=progress,
                )
        except KeyboardInterrupt:
            interrupted = True
        pairings, deals = running.pairings(), running.question.deals
        verdicts = running.verdicts()
    if not all(pairing.played for pairing in pairings):
        sys.exit(INTERRUPTED)
    return pairings, verdicts, written_deals(deals or 0), interrupted


def _verified_matches(matches: int | None) -> int:
    if matches is None:
        raise OptionError("the number of matches is missing; give --matches, or --until 0.95")
    return matches


def _stop(confidence: float | None, width: float | None) -> "Until | None":
    """Return the rule by which matches stop by themselves; None for no rule."""
    from hiddenhand.matches.stopping import Until

    if confidence is None and width is None:
        return None
    return Until(0.95 if confidence is None else confidence, confidence is not None, width)


def _values(aivat: bool, name: str | None) -> str | None:
    """Return the name of AIVAT's values; None without AIVAT."""
    if name is not None:
        return name
    return "auto" if aivat else None


def _title(question: "Question", matches: int) -> str:
    budget = [
        f"{limit:,} {unit} a move"
        for limit, unit in ((question.iterations, "iterations"), (question.seconds, "s"))
        if limit is not None
    ]
    return ", ".join([question.game, f"{matches:,} matches", *budget])
