"""The verb that measures a strategy: ``nash-conv`` says how much best responses gain against it."""

from pathlib import Path
from typing import Annotated

import typer

from hiddenhand.cli.common import (
    AsJson,
    GameSpec,
    MaxHistories,
    Seed,
    Unseen,
    load_sequential,
    show,
    verify_unseen,
    write_out,
)
from hiddenhand.errors import OptionError


def nash_conv(
    game: GameSpec,
    uniform: Annotated[
        bool, typer.Option("--uniform", help="Of the strategy that plays all actions alike.")
    ] = False,
    strategy: Annotated[
        Path | None, typer.Option(help="Of the strategy in this file, which solve or search wrote.")
    ] = None,
    unseen: Unseen = "uniform",
    seed: Seed = 0,
    as_json: AsJson = False,
    max_histories: MaxHistories = 20_000_000,
) -> None:
    """How much best responses gain against a strategy, summed over the players: 0 in an
    equilibrium.
    """
    from hiddenhand.trees import profile as profiles
    from hiddenhand.trees.strategy import load_strategy

    if uniform == (strategy is not None):
        raise OptionError("give either --uniform or --strategy FILE")
    verify_unseen(unseen)
    loaded = None if strategy is None else load_strategy(strategy)
    played = load_sequential(game)
    if loaded is not None:
        loaded.verify(played, strategy)
    tree = write_out(played, max_histories)
    profile = profiles.uniform_profile(tree) if loaded is None else loaded.on(tree, unseen, seed)
    answer = {
        "game": game,
        "nash_conv": profiles.nash_conv(tree, profile),
        "best_response_values": [
            float(value) for value in profiles.best_response_values(tree, profile)
        ],
    }
    show(answer, as_json)
