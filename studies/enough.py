"""In which games a blueprint is worth using:

    python -m studies.enough [--train 60] [--seconds 0.1] [--pairs 100] [--folder F] [GAME ...]

`auto` plays on from a blueprint by sets, here also where it would not use it. It plays against
`auto` without the blueprint, each deal from both seats. The lead is half of what the first one
earns more, with its 95 % interval. Beside it stands which share of the decisions in its own plays
the blueprint knows, and which share of the first player's moves came from it.

With a folder, blueprints that are there are taken, as `studies.blueprints` keeps them.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Final

from benchmarks.kept import heading, row

from hiddenhand import Budget, load_game, make_player, play_match, train
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.search.auto import blueprint_lookup
from hiddenhand.search.auto.blueprint_lookup import known_share
from hiddenhand.statistics import mean_interval
from hiddenhand.trees.blueprint import SetBlueprint

GAMES: Final = (
    "phantom_ttt",
    "IIGS(6)",
    "IIGS(8)",
    "battleship(rows=3,columns=3,ships='2,1')",
    "battleship(rows=4,columns=4,ships='3,2')",
    "dark_hex(size=4)",
)
COLUMNS: Final = ("game", "known", "moves from it", "lead with it")


def measured(name: str, file: Path, pairs: int, budget: Budget) -> list[str]:
    """The row of a game."""
    game = load_game(name)
    rules = as_sequential(game)
    share = known_share(rules, SetBlueprint.load(file, rules))
    spec = f"auto(blueprint='{file}')"
    players = [make_player(game, spec), make_player(game, "auto")]
    leads, known = [], []
    for number in range(pairs):
        there = play_match(game, players, number, budget)
        back = play_match(game, players[::-1], number, budget)
        leads.append((there.returns[0] + back.returns[1]) / 2)
        made = [*there.decisions[0], *back.decisions[1]]
        known += ["the blueprint says" in decision.choice for decision in made]
    found = mean_interval(leads)
    believed = sum(known) / len(known)
    lead = f"{found.value:+.3f} ± {found.high - found.value:.3f}"
    return [f"`{name}`", f"{share:.0%}", f"{believed:.0%}", lead]


def main() -> None:
    """Print a table, a row for each game."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--train", type=float, default=60.0)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    blueprint_lookup.LEAST_KNOWN = 0.0  # type: ignore[misc]
    print("\n".join(heading(COLUMNS)))
    for name in asked.games:
        with tempfile.TemporaryDirectory() as folder:
            file = (asked.folder or Path(folder)) / (name.replace("'", "") + ".blueprint")
            if not file.exists():
                train(load_game(name), file, seconds=asked.train, algorithm="mccfr")
            print(row(measured(name, file, asked.pairs, Budget(seconds=asked.seconds))), flush=True)


if __name__ == "__main__":
    main()
