"""The verbs of players among themselves: ``match`` between two, ``tournament`` between many."""

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hiddenhand.cli.common import (
    AsJson,
    Deals,
    GameSpec,
    ends,
    print_json,
    print_text,
    read_deals,
    readable,
    then_kept,
    verify_writable,
    work,
    written_deals,
)
from hiddenhand.cli.filming import verify_filming, write_film_of
from hiddenhand.cli.process import INTERRUPTED
from hiddenhand.cli.scores import (
    entry,
    measured,
    place,
    print_measured,
    print_pairings,
    print_ranking,
    print_scores,
)
from hiddenhand.players.specs import EXAMPLES

if TYPE_CHECKING:
    from hiddenhand.players.tournament import Pair, Pairing, Question

PlayerText = Annotated[str, typer.Argument(metavar="SPEC", help=f"A player, such as: {EXAMPLES}.")]
SecondText = Annotated[str, typer.Argument(metavar="SPEC", help="Another player.")]
Matches = Annotated[
    int, typer.Option(help="How many matches; with --mirror in each order of seats.")
]
Iterations = Annotated[
    int | None, typer.Option(help="What players who search may do for each move.")
]
Seconds = Annotated[
    float | None, typer.Option(help="How long players who search may think for each move.")
]
Preplay = Annotated[
    float | None,
    typer.Option(help="How many seconds players who search may think before the first move."),
]
PlayersSeed = Annotated[
    int, typer.Option(help="Of the players; equal seeds and equal deals give equal results.")
]
Width = Annotated[
    float | None,
    typer.Option(help="Stop when the 95 % interval of the win rate is no wider than this."),
]
Jobs = Annotated[
    int, typer.Option(help="How many matches to play at once; -1: one for each processor.")
]
Backend = Annotated[
    str,
    typer.Option(
        help="Who runs them, a backend of joblib: loky, multiprocessing, threading, or ray."
    ),
]
Value = Annotated[
    float | None,
    typer.Option(
        help=(
            "The known value of the game for who plays first: payoffs are also told relative to it."
        )
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        help="Keep finished matches in this SQLite file; the same command goes on where it stopped."
    ),
]


def match(
    game: GameSpec,
    first: PlayerText,
    matches: Matches,
    second: SecondText = "auto",
    iterations: Iterations = None,
    seconds: Seconds = None,
    preplay: Preplay = None,
    seed: PlayersSeed = 0,
    deals: Deals = None,
    mirror: Annotated[
        bool,
        typer.Option(
            "--mirror",
            "--duplicate",
            help="Play each match twice, with the seats changed and the same deals.",
        ),
    ] = False,
    width: Width = None,
    value: Value = None,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    out: Out = None,
    film: Annotated[
        Path | None,
        typer.Option(help="In VP: show the first match, in this file: .gif or .html."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play matches between two players and say who earns what, seen from the player named first.

    With --mirror, mean, ci95, win_rate and win_rate_ci95 are lists: first the named first player
    playing first, then the same player playing second. seconds_per_move is the named first
    player's, over all matches. In poker, mbb_per_hand is what the named first player wins in
    thousandths of a big blind for each hand, over both seats, with its standard_error.
    """
    from hiddenhand.games.registry import load_game
    from hiddenhand.players.per_hand import winnings
    from hiddenhand.players.tournament import Question, mirrored

    if film is not None:
        verify_filming(film, game)
    group: tuple[Pair, ...] = mirrored() if mirror else ((0, 1),)
    question = Question(
        game, (first, second), iterations, seconds, preplay, seed, read_deals(deals)
    )
    pairings, played_deals, interrupted = _run(
        question, [group], matches, width, jobs, backend, out
    )
    scores = [pairing.score(seat) for seat, pairing in enumerate(pairings)]
    payoffs, rates = [score.payoff for score in scores], [score.win_rate for score in scores]
    moves = [
        sum(played.moves[seat] for played in pairing.played)
        for seat, pairing in enumerate(pairings)
    ]
    seconds_per_move = sum(
        score.seconds_per_move * count for score, count in zip(scores, moves, strict=True)
    ) / max(sum(moves), 1)
    big_blind = getattr(load_game(game), "big_blind", 0)
    won = winnings(pairings, big_blind) if big_blind else None
    means = measured(game, pairings)
    if film is not None:
        with work("Filming"):
            write_film_of(film, question, pairings[0].played[0])
    if as_json:
        one_or_both: Any = (lambda entries: entries) if mirror else (lambda entries: entries[0])
        answer = {
            "game": game,
            "players": [first, second],
            "seed": seed,
            "deals": played_deals,
            "matches": scores[0].matches,
            "mean": one_or_both([payoff.value for payoff in payoffs]),
            "ci95": one_or_both([ends(payoff) for payoff in payoffs]),
            "win_rate": one_or_both([rate.value for rate in rates]),
            "win_rate_ci95": one_or_both([ends(rate) for rate in rates]),
            "seconds_per_move": seconds_per_move,
        }
        if any(means):
            answer["measures"] = one_or_both(means)
        if won is not None:
            error = won.standard_error if math.isfinite(won.standard_error) else None
            answer |= {"mbb_per_hand": won.mbb_per_hand, "standard_error": error}
        print_json(answer)
    else:
        orders = " in each order" if mirror else ""
        print_text(f"{game}: {first} against {second}, {scores[0].matches:,} matches{orders}")
        print_scores(first, scores, value)
        for of_pairing in means:
            print_measured(of_pairing)
        if won is not None:
            print_text(
                f"{first} wins {won.mbb_per_hand:,.1f} mbb a hand, standard error "
                f"{won.standard_error:,.1f}"
            )
        print_text(
            f"{readable(seconds_per_move)} seconds a move. The same deals again: --deals "
            f"{played_deals}"
        )
    if interrupted:
        sys.exit(INTERRUPTED)


def tournament(
    game: GameSpec,
    specs: Annotated[
        list[str],
        typer.Argument(metavar="SPEC...", help=f"Two or more players, such as: {EXAMPLES}."),
    ],
    matches: Annotated[int, typer.Option(help="How many matches for each entry of the table.")],
    iterations: Iterations = None,
    seconds: Seconds = None,
    preplay: Preplay = None,
    seed: PlayersSeed = 0,
    deals: Deals = None,
    width: Width = None,
    value: Value = None,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    out: Out = None,
    picture: Annotated[
        Path | None, typer.Option(help="Draw the table into this file: .png, .svg or .pdf.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play everybody against everybody, copies of themselves included, and rank them. The row plays
    first; all entries share their deals.
    """
    from hiddenhand.players.picture import draw_table, verify_picture
    from hiddenhand.players.ranking import ranking, verify_different
    from hiddenhand.players.tournament import Question, all_pairs

    verify_different(specs)
    if picture is not None:
        verify_picture(picture)
        verify_writable(picture)
    question = Question(game, tuple(specs), iterations, seconds, preplay, seed, read_deals(deals))
    pairings, played_deals, interrupted = _run(
        question, all_pairs(len(specs)), matches, width, jobs, backend, out
    )
    title = _title(question, matches)
    with then_kept(picture, lambda path: draw_table(path, title, specs, pairings)):
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
            }
            print_json(answer)
        else:
            print_pairings(specs, pairings, value)
            print_ranking(ranking(pairings))
            print_text(f"The same deals again: --deals {played_deals}")
    if interrupted:
        sys.exit(INTERRUPTED)


def _run(
    question: "Question",
    groups: "list[tuple[Pair, ...]]",
    matches: int,
    width: float | None,
    jobs: int,
    backend: str,
    out: Path | None,
) -> "tuple[list[Pairing], str, bool]":
    """The pairings with at least one match that counts, their deals, and whether Ctrl-C ended them.
    Exits where it ended them before all had one.
    """
    from hiddenhand.players.tournament import Tournament

    with Tournament(question, out) as running:
        interrupted = False
        try:
            with work("Playing") as progress:
                running.run(
                    groups, matches, width=width, jobs=jobs, backend=backend, progress=progress
                )
        except KeyboardInterrupt:
            interrupted = True
        pairings, deals = running.pairings(), running.question.deals
    if not all(pairing.played for pairing in pairings):
        sys.exit(INTERRUPTED)
    return pairings, written_deals(deals or 0), interrupted


def _title(question: "Question", matches: int) -> str:
    budget = [
        f"{limit:,} {unit} a move"
        for limit, unit in ((question.iterations, "iterations"), (question.seconds, "s"))
        if limit is not None
    ]
    return ", ".join([question.game, f"{matches:,} matches", *budget])
