"""The verbs that play: ``play`` against a bot in the terminal, ``match`` and ``tournament`` between
bots. They are part of `hiddenhand.cli.main`.
"""

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
    load_sequential,
    print_json,
    print_table,
    print_text,
    read_deals,
    readable,
    then_kept,
    verify_writable,
    work,
    written_deals,
)
from hiddenhand.cli.main import app
from hiddenhand.cli.process import INTERRUPTED
from hiddenhand.errors import OptionError

if TYPE_CHECKING:
    from hiddenhand.budget import Budget
    from hiddenhand.games.base import Game
    from hiddenhand.players.match import Match
    from hiddenhand.players.ranking import Standing
    from hiddenhand.players.tournament import Pair, Pairing, Question
    from hiddenhand.statistics import Interval

_PLAYERS = (
    "random, oos(targeting=ist,delta=0.9), ismcts(selector=rm), mccfr, pimc, equilibrium, "
    "strategy(FILE), best_response(SPEC)"
)

PlayerText = Annotated[str, typer.Argument(metavar="SPEC", help=f"A player, such as: {_PLAYERS}.")]
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


@app.command()
def play(
    game: GameSpec,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            help=f"Who plays the other seats: {_PLAYERS}; unless said, one who suits the game.",
        ),
    ] = None,
    seat: Annotated[
        int, typer.Option(help="Your seat, counted from 1, which moves first in most games.")
    ] = 1,
    seconds: Annotated[
        float, typer.Option(help="How long a player who searches may think for each move.")
    ] = 1.0,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Equal seeds and deals give equal answers to equal moves; drawn unless given."
        ),
    ] = None,
    deals: Deals = None,
) -> None:
    """Play against a bot. You see what your seat sees. Type a move, or ``help``, which tells the
    rules and what else you can type.
    """
    from secrets import randbelow

    from hiddenhand.budget import Budget
    from hiddenhand.players.match import drawn_chance_seed
    from hiddenhand.players.specs import default_spec

    loaded = load_sequential(game)
    if not 1 <= seat <= loaded.num_players:
        raise OptionError(
            f"--seat {seat} is not allowed; {game} has the seats 1 to {loaded.num_players}"
        )
    budget = Budget(seconds=seconds)
    opponent = default_spec(loaded) if against is None else against
    drawn = randbelow(2**32) if seed is None else seed
    chosen_deals = read_deals(deals)
    chance_seed = drawn_chance_seed() if chosen_deals is None else chosen_deals
    match = _seated(loaded, opponent, seat - 1, drawn, chance_seed, budget)
    print_text(
        f"You are player {seat} of {loaded.num_players}, against {opponent}. Type help for the "
        "rules."
    )
    while True:
        left = not _play_once(match, seat - 1)
        print_text(f"Again: --seed {drawn} --deals {written_deals(chance_seed)}")
        if left or not _wants_more():
            return
        drawn, chance_seed = randbelow(2**32), drawn_chance_seed()
        match = _seated(loaded, opponent, seat - 1, drawn, chance_seed, budget)


@app.command()
def match(
    game: GameSpec,
    first: PlayerText,
    second: PlayerText,
    matches: Matches,
    iterations: Iterations = None,
    seconds: Seconds = None,
    preplay: Preplay = None,
    seed: PlayersSeed = 0,
    deals: Deals = None,
    mirror: Annotated[
        bool,
        typer.Option(
            "--mirror", help="Play each match twice, with the seats changed and the same deals."
        ),
    ] = False,
    width: Width = None,
    value: Value = None,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Play matches between two players and say who earns what, seen from the player named first.

    With --mirror, mean, ci95, win_rate and win_rate_ci95 are lists: first the named first player
    playing first, then the same player playing second. seconds_per_move is the named first
    player's, over all matches.
    """
    from hiddenhand.players.tournament import Question, mirrored

    group: tuple[Pair, ...] = mirrored() if mirror else ((0, 1),)
    question = Question(
        game, (first, second), iterations, seconds, preplay, seed, read_deals(deals)
    )
    pairings, played_deals, interrupted = _run(
        question, [group], matches, width, jobs, backend, out
    )
    scores = [pairing.score(seat) for seat, pairing in enumerate(pairings)]
    payoffs = [score.payoff for score in scores]
    rates = [score.win_rate for score in scores]
    moves = [
        sum(played.moves[seat] for played in pairing.played)
        for seat, pairing in enumerate(pairings)
    ]
    seconds_per_move = sum(
        score.seconds_per_move * count for score, count in zip(scores, moves, strict=True)
    ) / max(sum(moves), 1)
    if as_json:
        one_or_both: Any = (lambda entries: entries) if mirror else (lambda entries: entries[0])
        print_json(
            {
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
        )
    else:
        print_text(
            f"{game}: {first} against {second}, {scores[0].matches:,} "
            f"matches{' in each order' if mirror else ''}"
        )
        rows = []
        for seat, (payoff, rate) in enumerate(zip(payoffs, rates, strict=True)):
            above = [] if value is None else [_estimate(_above(payoff, value, seat))]
            rows.append(
                [
                    f"{first} plays {'first' if seat == 0 else 'second'}",
                    _estimate(payoff),
                    *above,
                    _percent(rate),
                ]
            )
        print_table(
            ["", "mean payoff", *([] if value is None else ["above the value"]), "win rate"], rows
        )
        print_text(
            f"{readable(seconds_per_move)} seconds a move. The same deals again: --deals "
            f"{played_deals}"
        )
    if interrupted:
        sys.exit(INTERRUPTED)


@app.command()
def tournament(
    game: GameSpec,
    specs: Annotated[
        list[str],
        typer.Argument(metavar="SPEC...", help=f"Two or more players, such as: {_PLAYERS}."),
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
    with then_kept(
        picture, lambda path: draw_table(path, _title(question, matches), specs, pairings)
    ):
        if as_json:
            table, standings = (
                [_entry(pairing, value) for pairing in pairings],
                [_place(standing) for standing in ranking(pairings)],
            )
            print_json(
                {
                    "game": game,
                    "players": specs,
                    "seed": seed,
                    "deals": played_deals,
                    "table": table,
                    "ranking": standings,
                }
            )
        else:
            _print_pairings(specs, pairings, value)
            _print_ranking(ranking(pairings))
            print_text(f"The same deals again: --deals {played_deals}")
    if interrupted:
        sys.exit(INTERRUPTED)


# --- work ---


def _seated(
    game: "Game", opponent: str, own_seat: int, seed: int, chance_seed: int, budget: "Budget"
) -> "Match":
    """A match about to begin, in which a person has a seat and bots have the others. A bot of the
    same kind advises the person.
    """
    from hiddenhand.players.human import HumanPlayer
    from hiddenhand.players.match import Match
    from hiddenhand.players.player import Deciding
    from hiddenhand.players.specs import make_player

    players = [make_player(opponent, game) for _ in range(game.num_players)]
    adviser = players[own_seat]
    players[own_seat] = HumanPlayer(
        _ask, print_text, adviser if isinstance(adviser, Deciding) else None
    )
    match = Match(game, players, seed, [budget] * len(players), chance_seed=chance_seed)
    with work("Getting ready"):
        match.start()
    return match


def _play_once(match: "Match", own_seat: int) -> bool:
    """Play to the end, or until the person leaves, and say how it ended. Returns whether it came to
    its end.
    """
    from hiddenhand.players.human import Quit

    others = [player for player in range(match.game.num_players) if player != own_seat]
    try:
        record = match.play()
    except Quit:
        print_text("You left.")
        _print_hidden(match, others)
        return False
    print_text(match.picture(own_seat))
    print_text(
        "; ".join(
            f"{'you' if p == own_seat else f'player {p + 1}'} earned {value:g}"
            for p, value in enumerate(record.returns)
        )
        + "."
    )
    _print_hidden(match, others)
    if any(record.decisions[player] for player in others):
        print_text("What the others thought:")
        print_text(_under(record.explain(others)))
    return True


def _wants_more() -> bool:
    """Ask until the answer is one; the end of the input is a no."""
    while True:
        try:
            answer = _ask("Play again? (yes or no) ").strip().casefold()
        except EOFError:
            print_text("")
            return False
        if answer in ("y", "yes", "n", "no", "quit"):
            return answer in ("y", "yes")


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


def _ask(prompt: str) -> str:
    """A line that somebody types, or a pipe sends."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _above(payoff: "Interval", value: float, seat: int) -> "Interval":
    """``value`` is for who plays first; in a zero-sum game the other's is the opposite."""
    from hiddenhand.statistics import against_value

    return against_value(payoff, value if seat == 0 else -value)


# --- printing ---


def _print_hidden(match: "Match", others: list[int]) -> None:
    """What the others had."""
    for player in others:
        print_text(f"What player {player + 1} saw:")
        print_text(_under(match.picture(player)))


def _under(text: str) -> str:
    """``text``, two letters to the right."""
    return "\n".join(f"  {line}".rstrip() for line in text.splitlines())


def _entry(pairing: "Pairing", value: float | None) -> dict[str, Any]:
    score = pairing.score()
    above = {} if value is None else {"mean_above_value": score.payoff.value - value}
    return {
        "first": pairing.first,
        "second": pairing.second,
        "matches": score.matches,
        "mean": score.payoff.value,
        "ci95": ends(score.payoff),
        "win_rate": score.win_rate.value,
        "win_rate_ci95": ends(score.win_rate),
        "seconds_per_move": [score.seconds_per_move, pairing.score(1).seconds_per_move],
        **above,
    }


def _print_pairings(specs: list[str], pairings: "list[Pairing]", value: float | None) -> None:
    """Two tables in which the row plays first: win rates, and mean payoffs."""
    numbers = [str(number) for number in range(1, len(specs) + 1)]
    scores = [pairing.score() for pairing in pairings]
    payoffs = [
        score.payoff if value is None else _above(score.payoff, value, 0) for score in scores
    ]
    print_text("".join(f"{number}  {name}\n" for number, name in zip(numbers, specs, strict=True)))
    for title, cells in (
        ("Win rate of the row, which plays first:", [_percent(score.win_rate) for score in scores]),
        (
            f"Mean payoff of the row{'' if value is None else ' above the value of the game'}:",
            [_estimate(payoff) for payoff in payoffs],
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


def _place(standing: "Standing") -> dict[str, Any]:
    return {
        "player": standing.player,
        "matches": standing.matches,
        "points": standing.points.value,
        "points_ci95": ends(standing.points),
        "mean": standing.payoff.value,
        "ci95": ends(standing.payoff),
    }


def _print_ranking(standings: "tuple[Standing, ...]") -> None:
    print_text("\nRanking, by the points taken from others in either seat:")
    rows = [
        [place, one.player, _percent(one.points), _estimate(one.payoff)]
        for place, one in enumerate(standings, 1)
    ]
    print_table(["", "player", "points", "mean payoff"], rows)


def _title(question: "Question", matches: int) -> str:
    budget = [
        f"{limit:,} {unit} a move"
        for limit, unit in ((question.iterations, "iterations"), (question.seconds, "s"))
        if limit is not None
    ]
    return ", ".join([question.game, f"{matches:,} matches", *budget])


def _estimate(interval: "Interval") -> str:
    return (
        f"{interval.value:.4g} ± {interval.width / 2:.2g}"
        if math.isfinite(interval.width)
        else f"{interval.value:.4g}"
    )


def _percent(interval: "Interval") -> str:
    return f"{interval.value:.1%} ± {interval.width / 2:.1%}"
