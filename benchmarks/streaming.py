"""How many histories a second a walk through a game visits.

Usage: python -m benchmarks.streaming [--game G] [--strategy FILE] [--histories N], in the root of
the repository. Without a file the strategy is uniform. Time is processor time of one thread.
"""

import argparse
import time

from hiddenhand.proof.book import new_book
from hiddenhand.proof.measure import as_strategy, sequential
from hiddenhand.proof.walker import Task, Walker


def main() -> None:
    """Measure, and print a line for each player."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--game", default="phantom_ttt")
    parser.add_argument("--strategy")
    parser.add_argument("--histories", type=int, default=100_000_000)
    asked = parser.parse_args()
    game, strategy = sequential(asked.game), as_strategy(asked.game, asked.strategy)
    book = new_book(strategy)
    for player in range(game.num_players):
        merges = game.max_chance_outcomes > 0
        walker = Walker(Task(game, book, player, drops=True, merges=merges))
        walker.begin()
        walker.go(1)  # compiles
        before, began = walker.found.histories, time.process_time()
        walker.go(asked.histories)
        visited, seconds = walker.found.histories - before, time.process_time() - began
        rate = visited / seconds / 1e6
        print(
            f"{asked.game}, player {player + 1}: {visited:,} histories, {rate:.1f} million a second"
        )


if __name__ == "__main__":
    main()
