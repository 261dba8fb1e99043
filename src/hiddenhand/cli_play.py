"""The verbs that play: ``play`` against a bot in the terminal, ``match`` and ``tournament`` between bots. They are part of `hiddenhand.cli`."""

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hiddenhand.cli import app
from hiddenhand.cli_common import (
    INTERRUPTED,
    AsJson,
    GameSpec,
    Seed,
    ends,
    load_sequential,
    print_json,
    print_table,
    print_text,
    readable,
    verify_writable,
    work,
)
from hiddenhand.errors import BudgetError

if TYPE_CHECKING:
    from hiddenhand.players.match import Match
    from hiddenhand.players.statistics import Interval
    from hiddenhand.players.tournament import Pair, Pairing, Question

_PLAYERS = "random, oos(targeting=ist,delta=0.9), ismcts(selector=rm), mccfr, pimc, equilibrium, strategy(FILE), best_response(SPEC)"

PlayerText = Annotated[str, typer.Argument(metavar="SPEC", help=f"A player, such as: {_PLAYERS}.")]
Matches = Annotated[int, typer.Option(help="How many matches; with --mirror in each order of seats.")]
Iterations = Annotated[int | None, typer.Option(help="What players who search may do for each move.")]
Seconds = Annotated[float | None, typer.Option(help="How long players who search may think for each move.")]
Preplay = Annotated[float | None, typer.Option(help="How many seconds players who search may think before the first move.")]
Width = Annotated[float | None, typer.Option(help="Stop when the 95 % interval of the win rate is no wider than this.")]
Jobs = Annotated[int, typer.Option(help="How many matches to play at once; -1: one for each processor.")]
Backend = Annotated[str, typer.Option(help="Who runs them, a backend of joblib: loky, multiprocessing, threading, or ray.")]
Value = Annotated[float | None, typer.Option(help="The known value of the game for who plays first: payoffs are also told relative to it.")]
Out = Annotated[Path | None, typer.Option(help="Keep finished matches in this SQLite file; the same command goes on where it stopped.")]


@app.command()
def play(
    game: GameSpec,
    against: Annotated[str, typer.Option(metavar="SPEC", help=f"Who plays the other seats: {_PLAYERS}.")],
    seat: Annotated[int, typer.Option(help="Your seat, counted from 1, which moves first in most games.")] = 1,
    seconds: Annotated[float, typer.Option(help="How long a player who searches may think for each move.")] = 1.0,
    seed: Annotated[int | None, typer.Option(help="Equal seeds give equal deals, and equal answers to equal moves; drawn unless given.")] = None,
) -> None:
    """Play against a bot. You see what your seat sees. Type a move; ``hint`` shows what the bot would do in your place; ``quit`` ends the match."""
    from secrets import randbelow

    from hiddenhand.budget import Budget
    from hiddenhand.players.human import HumanPlayer, Quit
    from hiddenhand.players.match import Match
    from hiddenhand.players.player import Deciding
    from hiddenhand.players.specs import make_player

    loaded = load_sequential(game)
    if not 1 <= seat <= loaded.num_players:
        raise BudgetError(f"--seat {seat} is not allowed; {game} has the seats 1 to {loaded.num_players}")
    budget = Budget(seconds=seconds)
    drawn = randbelow(2**32) if seed is None else seed
    players = [make_player(against, loaded) for _ in range(loaded.num_players)]
    adviser = players[seat - 1]
    players[seat - 1] = HumanPlayer(_ask, print_text, adviser if isinstance(adviser, Deciding) else None)
    match = Match(loaded, players, drawn, [budget] * len(players))
    with work("Getting ready"):
        match.start()
    try:
        returns = match.play().returns
    except Quit:
        print_text("You left.")
    else:
        print_text(match.picture(seat - 1))
        print_text("; ".join(f"{'you' if p == seat - 1 else f'player {p + 1}'} earned {value:g}" for p, value in enumerate(returns)) + ".")
    _print_hidden(match, seat - 1)
    print_text(f"Again: --seed {drawn}")


@app.command()
def match(
    game: GameSpec,
    first: PlayerText,
    second: PlayerText,
    matches: Matches,
    iterations: Iterations = None,
    seconds: Seconds = None,
    preplay: Preplay = None,
    seed: Seed = 0,
    mirror: Annotated[bool, typer.Option("--mirror", help="Play each match twice, with the seats changed and the same deals.")] = False,
    width: Width = None,
    value: Value = None,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Play matches between two players and say who earns what, seen from the player named first.

    With --mirror, mean, ci95, win_rate and win_rate_ci95 are lists: first the named first player playing first, then the same player playing second.
    seconds_per_move is the named first player's, over all matches.
    """
    from hiddenhand.players.tournament import Question, mirrored

    group: tuple[Pair, ...] = mirrored() if mirror else ((0, 1),)
    question = Question(game, (first, second), iterations, seconds, preplay, seed)
    pairings, interrupted = _run(question, [group], matches, width, jobs, backend, out)
    scores = [pairing.score(seat) for seat, pairing in enumerate(pairings)]
    payoffs = [score.payoff for score in scores]
    rates = [score.win_rate for score in scores]
    moves = [sum(played.moves[seat] for played in pairing.played) for seat, pairing in enumerate(pairings)]
    seconds_per_move = sum(score.seconds_per_move * count for score, count in zip(scores, moves, strict=True)) / max(sum(moves), 1)
    if as_json:
        one_or_both: Any = (lambda entries: entries) if mirror else (lambda entries: entries[0])
        print_json(
            {
                "game": game,
                "players": [first, second],
                "matches": scores[0].matches,
                "mean": one_or_both([payoff.value for payoff in payoffs]),
                "ci95": one_or_both([ends(payoff) for payoff in payoffs]),
                "win_rate": one_or_both([rate.value for rate in rates]),
                "win_rate_ci95": one_or_both([ends(rate) for rate in rates]),
                "seconds_per_move": seconds_per_move,
            }
        )
    else:
        print_text(f"{game}: {first} against {second}, {scores[0].matches:,} matches{' in each order' if mirror else ''}")
        rows = []
        for seat, (payoff, rate) in enumerate(zip(payoffs, rates, strict=True)):
            above = [] if value is None else [_estimate(_above(payoff, value, seat))]
            rows.append([f"{first} plays {'first' if seat == 0 else 'second'}", _estimate(payoff), *above, _percent(rate)])
        print_table(["", "mean payoff", *([] if value is None else ["above the value"]), "win rate"], rows)
        print_text(f"{readable(seconds_per_move)} seconds a move")
    if interrupted:
        sys.exit(INTERRUPTED)


@app.command()
def tournament(
    game: GameSpec,
    specs: Annotated[list[str], typer.Argument(metavar="SPEC...", help=f"Two or more players, such as: {_PLAYERS}.")],
    matches: Annotated[int, typer.Option(help="How many matches for each entry of the table.")],
    iterations: Iterations = None,
    seconds: Seconds = None,
    preplay: Preplay = None,
    seed: Seed = 0,
    width: Width = None,
    value: Value = None,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    out: Out = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the table into this file: .png, .svg or .pdf.")] = None,
    as_json: AsJson = False,
) -> None:
    """Play everybody against everybody, copies of themselves included. The row plays first; all entries share their deals."""
    from hiddenhand.players.picture import draw_table, verify_picture
    from hiddenhand.players.tournament import Question, all_pairs

    if len(specs) < 2 or len(set(specs)) < len(specs):
        raise BudgetError(f"a tournament is between two or more different players, not {', '.join(specs)}; name each once")
    if picture is not None:
        verify_picture(picture)
        verify_writable(picture)
    question = Question(game, tuple(specs), iterations, seconds, preplay, seed)
    pairings, interrupted = _run(question, all_pairs(len(specs)), matches, width, jobs, backend, out)
    if picture is not None:
        draw_table(picture, _title(question, matches), specs, pairings)
    if as_json:
        print_json({"game": game, "players": specs, "seed": seed, "table": [_entry(pairing, value) for pairing in pairings]})
    else:
        _print_pairings(specs, pairings, value)
    if interrupted:
        sys.exit(INTERRUPTED)


# --- work ---


def _run(
    question: "Question", groups: "list[tuple[Pair, ...]]", matches: int, width: float | None, jobs: int, backend: str, out: Path | None
) -> "tuple[list[Pairing], bool]":
    """The pairings with at least one match that counts, and whether Ctrl-C ended them. Exits where it ended them before all had one."""
    from hiddenhand.players.tournament import Tournament

    sys.path.insert(0, str(Path.cwd()))  # where a user's own game may be
    with Tournament(question, out) as running:
        interrupted = False
        try:
            with work("Playing") as progress:
                running.run(groups, matches, width=width, jobs=jobs, backend=backend, progress=progress)
        except KeyboardInterrupt:
            interrupted = True
        pairings = running.pairings()
    if not all(pairing.played for pairing in pairings):
        sys.exit(INTERRUPTED)
    return pairings, interrupted


def _ask(prompt: str) -> str:
    """A line that somebody types, or a pipe sends."""
    typer.echo(prompt, nl=False)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _above(payoff: "Interval", value: float, seat: int) -> "Interval":
    """``value`` is for who plays first; in a zero-sum game the other's is the opposite."""
    from hiddenhand.players.statistics import against_value

    return against_value(payoff, value if seat == 0 else -value)


# --- printing ---


def _print_hidden(match: "Match", own_seat: int) -> None:
    """What the others had."""
    for player in range(match.game.num_players):
        if player != own_seat:
            print_text(f"What player {player + 1} saw:")
            print_text("".join(f"  {line}\n" for line in match.picture(player).splitlines()).rstrip("\n"))


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
    payoffs = [score.payoff if value is None else _above(score.payoff, value, 0) for score in scores]
    print_text("".join(f"{number}  {name}\n" for number, name in zip(numbers, specs, strict=True)))
    for title, cells in (
        ("Win rate of the row, which plays first:", [_percent(score.win_rate) for score in scores]),
        (f"Mean payoff of the row{'' if value is None else ' above the value of the game'}:", [_estimate(payoff) for payoff in payoffs]),
    ):
        print_text(title)
        print_table(["", *numbers], [[number, *cells[row * len(specs) : (row + 1) * len(specs)]] for row, number in enumerate(numbers)])


def _title(question: "Question", matches: int) -> str:
    budget = [f"{limit:,} {unit} a move" for limit, unit in ((question.iterations, "iterations"), (question.seconds, "s")) if limit is not None]
    return ", ".join([question.game, f"{matches:,} matches", *budget])


def _estimate(interval: "Interval") -> str:
    return f"{interval.value:.4g} ± {interval.width / 2:.2g}" if math.isfinite(interval.width) else f"{interval.value:.4g}"


def _percent(interval: "Interval") -> str:
    return f"{interval.value:.1%} ± {interval.width / 2:.1%}"
