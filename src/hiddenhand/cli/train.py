"""The verb that trains: ``train`` makes a blueprint of a game, from which ``auto`` plays on."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hiddenhand.cli.common import (
    AsJson,
    Seed,
    load_sequential,
    print_json,
    print_table,
    print_text,
    show,
    tell,
    verify_writable,
    work,
)
from hiddenhand.errors import OptionError, RefusedOptionError

if TYPE_CHECKING:
    from hiddenhand.games.base import Game
    from hiddenhand.search.training import Trained

_MINUTES = 10.0  # of training, by default


def train(
    game: Annotated[
        str,
        typer.Argument(
            metavar="[GAME]",
            help="A game, such as phantom_ttt, or one of your own, such as my_game.py:MyGame.",
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write the blueprint to this file.",
            show_default="kept in the user's data folder, where auto(blueprint=trained) finds it",
        ),
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Training time in seconds.")] = None,
    minutes: Annotated[
        float | None,
        typer.Option(help="Training time in minutes.", show_default=f"{_MINUTES:g}"),
    ] = None,
    iterations: Annotated[int | None, typer.Option(help="Number of iterations.")] = None,
    all_games: Annotated[
        bool,
        typer.Option(
            "--all-games",
            help="Train each game of the catalogue for which this is possible, until it has had "
            "the training time in total.",
        ),
    ] = False,
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="One of: vector-cfr and vector-mccfr, for games whose moves are public; pcs, for "
            "Limit Hold'em with buckets; mccfr and external, for all games. vector-cfr comes "
            "nearer to an equilibrium; vector-mccfr plays fairly well sooner in very large games.",
            show_default="the one that suits the game and the time",
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            help="Number of training threads; vector-mccfr and pcs use one.",
            show_default="one for each processor",
        ),
    ] = None,
    remove_outdated: Annotated[
        bool,
        typer.Option(
            "--remove-outdated",
            help="Also remove kept blueprints of this game that were made with other rules, before "
            "the game was edited.",
        ),
    ] = False,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Make a blueprint of a zero-sum game of two players: a strategy for the whole game, from which
    auto plays.

    Run the command again to continue the training. The state of the run is kept in a second file
    beside the blueprint, and is written now and then during the training.
    """
    from hiddenhand.processors import num_processors

    given = [one for one in (seconds, minutes, iterations) if one is not None]
    if len(given) > 1:
        raise OptionError("give only one of --seconds, --minutes and --iterations")
    if not given:
        minutes = _MINUTES
    if minutes is not None:
        if not minutes > 0:
            raise RefusedOptionError("minutes", minutes, "give a number above 0")
        seconds = 60.0 * minutes
    how: dict[str, Any] = {
        "algorithm": algorithm,
        "seed": seed,
        "threads": num_processors() if threads is None else threads,
    }
    if all_games:
        if game or out is not None or seconds is None or remove_outdated:
            raise OptionError(
                "with --all-games, give no game, no --out, no --iterations and no --remove-outdated"
            )
        _train_all(seconds, how, as_json)
        return
    if not game:
        raise OptionError("give a game, such as phantom_ttt, or --all-games")
    verify_writable(out)
    rules = load_sequential(game)  # once: the file of a game may be edited while it is trained
    found = _trained(game, rules, out, {"seconds": seconds, "iterations": iterations, **how})
    _mind_outdated(game, rules, remove_outdated)
    answer: dict[str, Any] = {
        "game": game,
        "algorithm": found.method,
        "iterations": found.iterations,
        "earlier_iterations": found.began_at,
        "seconds": found.seconds,
        "information_sets": found.information_sets,
        "nash_conv": "not measured" if found.nash_conv is None else found.nash_conv,
    }
    if as_json:
        state = None if found.state is None else str(found.state)
        curve = [list(look) for look in found.curve]
        print_json({**answer, "curve": curve, "file": str(found.file), "state": state})
        return
    show(answer, as_json=False)
    if found.curve:
        print_table(
            ["seconds", "nash_conv"], [[f"{at:.3g}", f"{gap:.3g}"] for at, gap in found.curve]
        )
    print_text(f"The blueprint: {found.file}")
    print_text(f"The state of the training: {found.state or 'too large to be kept'}")
    if out is None:
        print_text(f'Play against it: hiddenhand play "{game}" --against "auto(blueprint=trained)"')


def _mind_outdated(game: str, rules: "Game", remove: bool) -> None:
    """Remove what an edit of the game left behind, or say how to do that.

    rules: the game that was trained.
    """
    from hiddenhand.errors import FileError
    from hiddenhand.trees.blueprint import outdated_blueprints

    try:
        files = outdated_blueprints(rules)
    except FileError:  # there is no folder for kept blueprints
        return
    if not files:
        return
    size = sum(file.stat().st_size for file in files) / 2**20
    if remove:
        for file in files:
            file.unlink(missing_ok=True)
        tell(f"Removed {len(files)} files of blueprints with other rules: {size:,.1f} MB.")
    else:
        tell(
            f"{len(files)} files of blueprints of {game} were made with other rules, and take "
            f"{size:,.1f} MB; --remove-outdated removes them."
        )


def _trained(game: str, rules: "Game", out: Path | None, how: dict[str, Any]) -> "Trained":
    from hiddenhand.search import training

    with work(f"Training a blueprint of {game}") as progress:
        return training.train(rules, out, progress=progress, **how)


def _train_all(seconds: float, how: dict[str, Any], as_json: bool) -> None:
    """Train the games of the catalogue in turn, each for what is left of its time."""
    from hiddenhand.errors import HiddenhandError
    from hiddenhand.games.registry import describe_games
    from hiddenhand.trees.blueprint import found_blueprint

    rows = []
    for described in describe_games():
        game = described.example
        try:
            rules = load_sequential(game)
            kept = found_blueprint(rules)
            left = seconds - (0.0 if kept is None else kept[1].seconds)
            if left > 0:
                _trained(game, rules, None, {"seconds": left, **how})
                kept = found_blueprint(rules)
        except HiddenhandError as reason:
            rows.append([game, "not trained", str(reason)])
        else:
            assert kept is not None
            rows.append([game, f"{kept[1].seconds:.0f} s of {kept[1].method}", str(kept[0])])
        if as_json:
            print_json(dict(zip(("game", "trained", "file"), rows[-1], strict=True)))
    if not as_json:
        print_table(["game", "trained", "file, or why not"], rows)
