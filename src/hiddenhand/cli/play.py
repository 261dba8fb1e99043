"""The verb ``play``: a person plays against a bot in the terminal."""

import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from hiddenhand.cli.common import (
    Deals,
    GameSpec,
    load_sequential,
    print_text,
    read_deals,
    tell,
    work,
    written_deals,
)
from hiddenhand.errors import OptionError
from hiddenhand.players.registry import EXAMPLES

if TYPE_CHECKING:
    from hiddenhand.budget import Budget
    from hiddenhand.games.base import Game
    from hiddenhand.matches.match import Match
    from hiddenhand.search.background_training import QuietTraining


_WITH_BLUEPRINT = "auto(blueprint={})"


def play(
    game: GameSpec,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            help=f"Player of the other seats: {EXAMPLES}. Repeat the option to name a player for "
            "each other seat, in order.",
            show_default="auto",
        ),
    ] = None,
    seat: Annotated[
        int, typer.Option(help="Your seat, counted from 1; seat 1 moves first in most games.")
    ] = 1,
    seconds: Annotated[
        float, typer.Option(help="Search time for each move in seconds, for players that search.")
    ] = 1.0,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Seed of the players. Equal seeds and deals give equal answers to equal moves.",
            show_default="drawn, and printed at the end",
        ),
    ] = None,
    deals: Deals = None,
    learn: Annotated[
        bool,
        typer.Option(
            "--learn",
            help="Train auto in this game while you play, also between matches; see hiddenhand "
            "train.",
        ),
    ] = False,
) -> None:
    """Play against a bot. You see what your seat sees. Type a move, or "help" for the rules and
    everything else that you can type.
    """
    from secrets import randbelow

    from hiddenhand.budget import Budget
    from hiddenhand.matches.match import drawn_chance_seed

    loaded = load_sequential(game)
    if not 1 <= seat <= loaded.num_players:
        raise OptionError(
            f"--seat {seat} is not allowed; {game} has the seats 1 to {loaded.num_players}"
        )
    budget = Budget(seconds=seconds)
    drawn = randbelow(2**32) if seed is None else seed
    chosen_deals = read_deals(deals)
    chance_seed = drawn_chance_seed() if chosen_deals is None else chosen_deals
    opponents = _named(game, loaded.num_players - 1, against or ["auto"])
    is_auto = set(opponents) == {"auto"}
    if is_auto and not learn:
        opponents = [_offered(loaded)] * len(opponents)
    with _training(game) if learn else nullcontext() as training:
        while True:
            if is_auto and training is not None:
                opponents = [_learned(loaded, training)] * len(opponents)
            match = _seated(loaded, opponents, seat - 1, drawn, chance_seed, budget)
            told = opponents if len(set(opponents)) > 1 else opponents[:1]
            print_text(
                f"You are player {seat} of {loaded.num_players}, against {' and '.join(told)}. "
                "Type help for the rules."
            )
            left = not _play_once(match, seat - 1)
            print_text(f"Again: --seed {drawn} --deals {written_deals(chance_seed)}")
            if training is not None and not training.is_alive:
                tell(f'auto no longer trains in this game: hiddenhand train "{game}" says why.')
            if left or not _agrees("Play again? (yes or no) "):
                return
            drawn, chance_seed = randbelow(2**32), drawn_chance_seed()


# --- work ---


def _named(game: str, others: int, specs: list[str]) -> list[str]:
    """Return the player of each other seat. Raises OptionError unless there is one, or as many as
    there are seats.
    """
    if len(specs) == 1:
        return specs * others
    if len(specs) != others:
        raise OptionError(
            f"--against is given {len(specs)} times, and {game} has {others} other "
            f"{'seat' if others == 1 else 'seats'}; give it once, or once for each"
        )
    return specs


def _training(game: str) -> "QuietTraining":
    from hiddenhand.search.background_training import QuietTraining

    return QuietTraining(game)


def _learned(game: "Game", training: "QuietTraining") -> str:
    """Return the spec of `auto` with its blueprint, if there is one by now."""
    from hiddenhand.trees.blueprint import TRAINED, found_blueprint

    found, goes_on = found_blueprint(game), training.is_alive
    if found is None:
        print_text(
            f"auto {'is training in this game, and ' if goes_on else ''}has no blueprint yet."
        )
        return "auto"
    continues = ", and continues to train" if goes_on else ""
    print_text(f"auto was trained in this game for {found[1].trained}{continues}.")
    return _WITH_BLUEPRINT.format(TRAINED)


def _offered(game: "Game") -> str:
    """Return the spec of `auto`: with the blueprint that is kept for the game, if there is one and
    the user at the terminal wants it.
    """
    from hiddenhand.trees.blueprint import TRAINED, found_blueprint

    found = found_blueprint(game)
    if found is None:
        return "auto"
    trained = f"auto was trained in this game for {found[1].trained}"
    spec = _WITH_BLUEPRINT.format(TRAINED)
    if not sys.stdin.isatty():
        tell(f'{trained}; to play against that: --against "{spec}"')
        return "auto"
    return spec if _agrees(f"{trained}. Play against that? (yes or no) ") else "auto"


def _seated(
    game: "Game",
    opponents: list[str],
    own_seat: int,
    seed: int,
    chance_seed: int,
    budget: "Budget",
) -> "Match":
    """Return a match that is about to begin. A person has one seat and bots have the others. A bot
    like the first of them advises the person.
    """
    from hiddenhand.matches.match import Match
    from hiddenhand.players.human import HumanPlayer
    from hiddenhand.players.player import Deciding
    from hiddenhand.players.registry import make_player

    players = [make_player(game, opponent) for opponent in opponents]
    adviser = make_player(game, opponents[0])
    players.insert(
        own_seat,
        HumanPlayer(_ask, print_text, adviser if isinstance(adviser, Deciding) else None),
    )
    match = Match(game, players, seed, [budget] * len(players), chance_seed=chance_seed)
    with work("Getting ready"):
        match.start()
    return match


def _play_once(match: "Match", own_seat: int) -> bool:
    """Play to the end, or until the person leaves, and print the result. Returns whether the match
    came to its end.
    """
    from hiddenhand.players.human import Quit

    others = [player for player in range(match.game.num_players) if player != own_seat]
    try:
        record = match.play()
    except Quit:
        print_text("You left.")
        _print_hidden(match, others)
        return False
    for said in match.news(own_seat):
        print_text(said)
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


def _agrees(question: str) -> bool:
    """Ask until the answer is yes or no; the end of the input means no."""
    while True:
        try:
            answer = _ask(question).strip().casefold()
        except EOFError:
            print_text("")
            return False
        if answer in ("y", "yes", "n", "no", "quit"):
            return answer in ("y", "yes")


def _ask(prompt: str) -> str:
    """Return a line that the user types, or that a pipe sends."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


# --- printing ---


def _print_hidden(match: "Match", others: list[int]) -> None:
    """Print what the other seats saw."""
    for player in others:
        print_text(f"What player {player + 1} saw:")
        print_text(_under(match.picture(player)))


def _under(text: str) -> str:
    """Return ``text``, indented by two spaces."""
    return "\n".join(f"  {line}".rstrip() for line in text.splitlines())
