"""The verb that trains: ``train`` makes a blueprint of a game, from which ``auto`` plays on."""

from pathlib import Path
from typing import Annotated

import typer

from hiddenhand.cli.common import (
    AsJson,
    GameSpec,
    Seed,
    load_sequential,
    show,
    verify_writable,
    work,
)
from hiddenhand.errors import OptionError

_MINUTES = 10.0  # of training, by default


def train(
    game: GameSpec,
    out: Annotated[Path, typer.Option(help="Write the blueprint to this file.")],
    seconds: Annotated[float | None, typer.Option(help="How many seconds to train.")] = None,
    minutes: Annotated[
        float | None, typer.Option(help="How many minutes to train; 10 by default.")
    ] = None,
    iterations: Annotated[int | None, typer.Option(help="How many iterations to make.")] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="vector-cfr or vector-mccfr, where all moves are public: the first one comes "
            "nearer to an equilibrium, the second one is sooner a fair player in very large games; "
            "or mccfr, for all games. By default, the one that suits the game and the time."
        ),
    ] = None,
    threads: Annotated[
        int, typer.Option(help="On how many threads to train; vector-mccfr takes one.")
    ] = 1,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Make a blueprint of a zero-sum game of two players: a strategy for all of it, which auto then
    plays and improves on.

    Run the command again with the same file to continue the training. The state of the run is kept
    in a second file beside the blueprint, and is written now and then during the training.
    """
    from hiddenhand.search import training

    given = [one for one in (seconds, minutes, iterations) if one is not None]
    if len(given) > 1:
        raise OptionError("give only one of --seconds, --minutes and --iterations")
    if not given:
        minutes = _MINUTES
    if minutes is not None:
        seconds = 60.0 * minutes
    verify_writable(out)
    rules = load_sequential(game)
    with work(f"Training a blueprint of {game}") as progress:
        found = training.train(
            rules,
            out,
            iterations=iterations,
            seconds=seconds,
            algorithm=algorithm,
            seed=seed,
            threads=threads,
            progress=progress,
        )
    show(
        {
            "game": game,
            "algorithm": found.method,
            "iterations": found.iterations,
            "earlier iterations": found.began_at,
            "seconds": found.seconds,
            "information sets": found.information_sets,
            "nash_conv": "not measured" if found.nash_conv is None else found.nash_conv,
            "file": str(out),
            "goes on from": "nothing" if found.state is None else str(found.state),
        },
        as_json,
    )
