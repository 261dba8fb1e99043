"""The verbs of the poker competition's protocol: ``acpc connect``, ``acpc deal``, ``acpc log``."""

import math
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hiddenhand.cli.common import (
    AsJson,
    ends,
    print_json,
    print_table,
    print_text,
    readable,
    tell,
    verify_writable,
    work,
)
from hiddenhand.cli.process import INTERRUPTED
from hiddenhand.errors import OptionError, ProtocolError
from hiddenhand.players.registry import EXAMPLES

if TYPE_CHECKING:
    from hiddenhand.games.poker.definition import GameDefinition
    from hiddenhand.interop.acpc.client import Played
    from hiddenhand.interop.acpc.dealer import MatchPlan
    from hiddenhand.interop.acpc.logs import MatchLog
    from hiddenhand.interop.acpc.results import Results
    from hiddenhand.interop.acpc.states import HandRecord, MatchState, Score

BROKEN_OFF = 1
"""The exit status of a match that did not reach its end, as in the competition's programs."""

acpc_app = typer.Typer(
    name="acpc",
    help=(
        "Play poker against other people's programs, over the protocol of the Annual Computer "
        "Poker Competition."
    ),
    no_args_is_help=True,
)

GameFile = Annotated[
    str,
    typer.Option(
        metavar="NAME|FILE",
        help=(
            "The game: holdem.limit.2p.reverse_blinds, holdem.limit.3p, a file with a game "
            "definition, or limit_holdem(...)."
        ),
    ),
]
DEFAULT_GAME = "holdem.limit.2p.reverse_blinds"


@acpc_app.command("connect")
def connect(
    host: Annotated[str, typer.Argument(metavar="HOST", help="Address of the dealer's machine.")],
    port: Annotated[
        int, typer.Argument(metavar="PORT", min=1, max=65535, help="Dealer's port for your seat.")
    ],
    player: Annotated[str, typer.Option(metavar="SPEC", help=f"Player to play: {EXAMPLES}.")],
    game: GameFile = DEFAULT_GAME,
    iterations: Annotated[
        int | None,
        typer.Option(help="Search iterations for each move, if the player searches."),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            help="Search time for each move in seconds, if the player searches.",
            show_default="0.5, if there is no --iterations",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Seed of the player.",
            show_default="drawn, so that opponents cannot foresee moves, and printed at the end",
        ),
    ] = None,
    hands: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of hands to expect; a match with fewer hands counts as broken off."
        ),
    ] = None,
    patience: Annotated[
        float,
        typer.Option(min=0.0, help="Longest time to wait for the dealer to listen, in seconds."),
    ] = 5.0,
    as_json: AsJson = False,
) -> None:
    """Play a match at a dealer, until the dealer closes the connection.

    The exit status is 0 after a whole match, and 1 if the match was broken off. The winnings are
    printed in both cases.
    """
    from secrets import randbelow

    from hiddenhand.budget import Budget
    from hiddenhand.interop.acpc.client import Client, warm_up
    from hiddenhand.interop.acpc.connection import connected
    from hiddenhand.interop.acpc.observation_tracker import load_table
    from hiddenhand.players.human import Quit
    from hiddenhand.players.player import Watching
    from hiddenhand.players.registry import make_player

    if iterations is None and seconds is None:
        seconds = 0.5
    budget = Budget(iterations=iterations, seconds=seconds)
    drawn = randbelow(2**32) if seed is None else seed
    table = load_table(game)
    playing = make_player(table.game, player)
    with work("Getting ready"):
        warm_up(table, playing, drawn)
    seen = _tell_end if isinstance(playing, Watching) else lambda state, value: None
    status = BROKEN_OFF
    with connected(host, port, patience) as connection:
        client = Client(connection, table, playing, drawn, budget, seen, tell)
        try:
            played = client.play()
        except (KeyboardInterrupt, Quit) as stopped:
            played = client.played("the player has left the match")
            status = INTERRUPTED if isinstance(stopped, KeyboardInterrupt) else BROKEN_OFF
    broken = played.broken_off
    if not broken and hands is not None and len(played.values) < hands:
        broken = f"the match ended after {len(played.values)} of {hands} hands"
    told = {"game": game, "player": player, "seed": drawn}
    _show_played(played, told, table.definition, broken, as_json)
    if broken:
        tell(f"hiddenhand: {broken}")
        sys.exit(status)


@acpc_app.command("deal")
def deal(
    game: GameFile = DEFAULT_GAME,
    hands: Annotated[int, typer.Option(min=1, help="Number of hands to deal.")] = 1000,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Seed of the cards, 0 to 4294967295, from which the competition's dealer deals "
            "the same cards.",
            show_default="drawn, and printed at the end",
        ),
    ] = None,
    names: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="Names of the players, in the order of the ports.",
            show_default="player1,player2,...",
        ),
    ] = None,
    port: Annotated[
        list[int] | None,
        typer.Option(
            metavar="PORT",
            min=0,
            max=65535,
            help="Port of a seat; give it once for each seat.",
            show_default="free ports",
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen at; at the default, only programs on this machine can connect."
        ),
    ] = "127.0.0.1",
    log: Annotated[
        Path | None, typer.Option(help="Write the match into this file, hand by hand.")
    ] = None,
    move_seconds: Annotated[
        float, typer.Option(help="Longest time of a player for a move, in seconds.")
    ] = 600.0,
    hand_seconds: Annotated[
        float, typer.Option(help="Longest time of a player for a hand, in seconds.")
    ] = 600.0,
    per_hand_seconds: Annotated[
        float,
        typer.Option(help="Longest mean time of a player for a hand, over all hands, in seconds."),
    ] = 7.0,
    start_seconds: Annotated[
        float | None,
        typer.Option(
            help="Longest time for players to connect, in seconds.", show_default="no limit"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Deal a match to players who connect, each to the port of a seat.

    The first line has the ports, the last one the score. With --json, the ports are printed on
    standard error. If a player has left or is too slow, the match ends with exit status 1.
    """
    from secrets import randbelow

    from hiddenhand.interop.acpc.dealer import Dealer, Limits, MatchPlan
    from hiddenhand.interop.acpc.logs import LogWriter, by_seat
    from hiddenhand.interop.acpc.observation_tracker import load_table
    from hiddenhand.interop.acpc.results import match_results

    definition = load_table(game).definition
    drawn = randbelow(2**32) if seed is None else seed
    plan = MatchPlan(definition, hands, drawn, _names(names, definition.num_players))
    limits = Limits(move_seconds, hand_seconds, per_hand_seconds, start_seconds)
    verify_writable(log)
    with ExitStack() as stack:
        dealer = stack.enter_context(Dealer(plan, limits, host, port or (), warn=tell))
        writer = log and stack.enter_context(LogWriter(log, plan, game, limits))
        ports = " ".join(map(str, dealer.ports))
        if as_json:
            tell(ports)
        else:
            print_text(ports)
        values: list[tuple[float, ...]] = []

        def keep(record: "HandRecord") -> None:
            values.append(by_seat(record.values, record.hand))
            if writer:
                writer.add(record)

        try:
            score = dealer.play(keep)
        except ProtocolError as error:
            tell(f"hiddenhand: {error}; the match is broken off after {len(values)} hands")
            sys.exit(BROKEN_OFF)
        except KeyboardInterrupt:
            tell(f"hiddenhand: the match is broken off after {len(values)} hands")
            sys.exit(INTERRUPTED)
        if writer:
            writer.add(score)
    has_blinds = max(definition.blinds) > 0  # in which results are counted
    found = match_results(definition, plan.names, values) if has_blinds else None
    _show_score(plan, found, score, as_json)


@acpc_app.command("log")
def log(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Logs of matches between the same players."),
    ],
    game: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="The game: a name or a file, as for acpc deal.",
            show_default="the game that the logs name",
        ),
    ] = None,
    replay: Annotated[
        str | None,
        typer.Option(
            metavar="HAND|all",
            help="Describe the hand of this number, or all hands, in words, in place of results.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the results of the players in logged matches, or describe the hands.

    Results are in milli-big-blinds per hand, with standard errors. Logs of the same cards with
    exchanged seats count as one duplicate match, in which a deal is one observation. A file may
    hold several matches. A match that was given before counts once.
    """
    from hiddenhand.games.poker.definition import load_definition
    from hiddenhand.interop.acpc.logs import read_logs, told_before
    from hiddenhand.interop.acpc.results import results

    definition = None if game is None else load_definition(game)
    read = [(file, one) for file in files for one in read_logs(file, definition)]
    again = told_before([one for _, one in read])
    for (file, one), earlier in zip(read, again, strict=True):
        if earlier is not None:
            whose = "again" if read[earlier][0] == file else f"that {read[earlier][0]} has"
            tell(f"Note: {file} has a match of {len(one.hands):,} hands {whose}; it counts once.")
    counted = [pair for pair, earlier in zip(read, again, strict=True) if earlier is None]
    logs = [one for _, one in counted]
    if replay is not None:
        if as_json:
            raise OptionError("--json has no meaning for --replay; leave it out")
        print_text(_told(logs, replay))
        return
    found = results(logs)
    if as_json:
        print_json(_answer(found) | {"whole": [one.is_whole for one in logs]})
        return
    _print_results(found)
    for file, one in counted:
        if one.score is None:
            print_text(f"{file} has no score: the match was broken off, or still goes on.")
        elif not one.is_whole:
            print_text(f"{file} is not complete: its hands do not sum up to its score.")


# --- work ---


def _names(text: str | None, players: int) -> tuple[str, ...]:
    if text is None:
        return tuple(f"player{seat + 1}" for seat in range(players))
    return tuple(name.strip() for name in text.split(","))


def _told(logs: "list[MatchLog]", replay: str) -> str:
    """Return the hands that ``--replay`` names, in words."""
    from hiddenhand.interop.acpc.logs import in_words

    records = [record for one in logs for record in one.hands]
    if replay.casefold() != "all":
        records = [record for record in records if str(record.hand) == replay]
    if not records:
        raise OptionError(
            f"--replay {replay:.80} is not allowed; give the number of a hand in the logs, or all"
        )
    return "\n".join(map(in_words, records))


# --- printing ---


def _tell_end(state: "MatchState", value: float | None) -> None:
    """Print how a hand ended, for a person that plays it."""
    cards = state.text.split(":")[-1]
    won = "" if value is None else f"; you {'lost' if value < 0 else 'won'} {abs(value):g}"
    print_text(f"Hand {state.hand} is over. The cards were {cards}{won}.")


def _show_played(
    played: "Played", told: dict[str, Any], definition: "GameDefinition", broken: str, as_json: bool
) -> None:
    """Print the winnings of a client. ``told``: the game, the player and the seed."""
    from hiddenhand.interop.acpc.results import bounds_in_mbb, standard_error
    from hiddenhand.statistics import mean_interval

    blind = max(definition.blinds)
    won = [1000 * value / blind for value in played.values] if blind else []
    mean = mean_interval(won, *bounds_in_mbb(definition)) if won else None
    if as_json:
        answer = told | {
            "hands": len(played.values),
            "chips": math.fsum(played.values),
            "mbb_per_hand": mean and mean.value,
            "standard_error": _finite(standard_error(won)),
            "ci95": mean and ends(mean),
            "answers": played.answers,
            "lines_not_understood": played.not_understood,
            "broken_off": broken or None,
        }
        print_json(answer)
        return
    print_text(
        f"{told['player']}: {len(played.values):,} hands, {math.fsum(played.values):+g} chips"
    )
    if mean is not None:
        print_text(
            f"{_with_error(mean.value, standard_error(won))} milli-big-blinds per hand, "
            f"played with --seed {told['seed']}"
        )


def _show_score(plan: "MatchPlan", found: "Results | None", score: "Score", as_json: bool) -> None:
    """Print how a match ended that was dealt here. ``found``: None for a game without blinds."""
    if as_json:
        known = {} if found is None else _answer(found)
        print_json(known | {"seed": plan.seed, "score": list(score.values)})
        return
    if found is not None:
        _print_results(found)
    print_text(f"The same cards again: --seed {plan.seed}")
    print_text(score.text)


def _answer(found: "Results") -> dict[str, Any]:
    return {
        "players": [
            {
                "name": player.name,
                "hands": player.hands,
                "chips": player.chips,
                "mbb_per_hand": player.mbb_per_hand.value,
                "standard_error": _finite(player.standard_error),
                "ci95": ends(player.mbb_per_hand),
            }
            for player in found.players
        ],
        "duplicate": found.duplicate,
        "deals": found.deals,
    }


def _print_results(found: "Results") -> None:
    what = "deals of a duplicate match" if found.duplicate else "hands"
    print_text(f"{found.deals:,} {what}")
    rows = [
        [
            player.name,
            f"{player.hands:,}",
            readable(player.chips),
            _with_error(player.mbb_per_hand.value, player.standard_error),
            ""
            if (both := ends(player.mbb_per_hand)) is None
            else f"{both[0]:.1f} to {both[1]:.1f}",
        ]
        for player in found.players
    ]
    print_table(["player", "hands", "chips", "mbb per hand ± error", "95 % interval"], rows)


def _with_error(mean: float, error: float) -> str:
    """Return a mean with its standard error, as text."""
    return f"{mean:.1f} ± {error:.1f}" if math.isfinite(error) else f"{mean:.1f}"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
