"""Limit Hold'em with buckets, trained in three ways for the same time:

    python -m studies.holdem_blueprints [--seconds 60] [--deals 50000]

Public chance sampling (`pcs`) lets all holdings play on a board that is drawn; `mccfr` samples one
hand of each player; `smooth-uct` searches by self-play, as Heinrich and Silver (2015) do, and plays
its average strategy. Each trains on one thread in Limit Hold'em of two players with the buckets of
that paper. Then the strategies play duplicate matches against each other, and against players who
always call, always raise, or play at random. What a row wins from a column is in thousandths of a
big blind a hand, with its standard error.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Final

import numpy as np
from benchmarks.kept import heading, row

from hiddenhand import load_game, make_search
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.search.training import train
from hiddenhand.trees.strategy import Strategy, strategy_from_weights
from hiddenhand.trees.strategy_files import load_strategy
from hiddenhand_papers.smooth.duels import CALL, RAISE, RANDOM, duel

GAME: Final = "limit_holdem(buckets=paper)"
SIMPLE: Final = {"always calls": CALL, "always raises": RAISE, "random": RANDOM}
SEED: Final = 1


def trained(algorithm: str, seconds: float) -> Strategy:
    """What an algorithm finds in a time."""
    if algorithm == "smooth-uct":
        search = make_search(GAME, algorithm, SEED)
        search.start(0, SEED)
        search.think(seconds=seconds)
        return strategy_from_weights(load_game(GAME), search.weights())
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "blueprint"
        train(GAME, file, seconds=seconds, algorithm=algorithm, seed=SEED)
        return load_strategy(file)


def wins(strategy: Strategy, other: Strategy | int, deals: int) -> str:
    """What a strategy wins from another one, or from a simple player."""
    game = load_game(GAME)
    assert isinstance(game, LimitHoldem)
    strategies = [strategy] if isinstance(other, int) else [strategy, other]
    second = other if isinstance(other, int) else 1
    found = duel(game, strategies, np.array([[0, second], [second, 0]]), deals, SEED)[0]
    return f"{found.mbb:+,.0f} ± {found.error:,.0f}"


def main() -> None:
    """Print a table, a row for each way to train."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--deals", type=int, default=50_000)
    asked = parser.parse_args()
    names = ["pcs", "mccfr", "smooth-uct"]
    strategies = [trained(name, asked.seconds) for name in names]
    print("\n".join(heading(["", *names, *SIMPLE])))
    for name, mine in zip(names, strategies, strict=True):
        cells = ["" if other is mine else wins(mine, other, asked.deals) for other in strategies]
        cells += [wins(mine, one, asked.deals) for one in SIMPLE.values()]
        print(row([f"`{name}`", *cells]), flush=True)


if __name__ == "__main__":
    main()
