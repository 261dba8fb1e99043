"""How well `auto` plays on from a blueprint:

    python -m studies.blueprints [--hours H] [--folder FOLDER] [--write] [GAME ...]

A blueprint of each game is trained for ten minutes on two threads. Then `auto` with the blueprint
plays against tree search (`ismcts(selector=uct)`) and against `auto` without it, with 0.1 s for
each move, each deal from both seats. The lead is half of what it earns more than the other in a
match, on average, as everywhere here; in brackets its 95 % interval. Two players play 800 deals, or
fewer where it is soon clear who is better: where 0 is 1.7 times as far from the lead as the
interval reaches. ``--threads`` and ``--deals`` set other numbers; the table has both for each game.

What is measured is kept in studies/results/blueprints.json, and the blueprints in a folder. So
the same command goes on where it stopped. ``--hours`` begins nothing after that, ``--write`` puts
the table into docs/large-games.md.
"""

import argparse
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from benchmarks.kept import ROOT, write_section
from benchmarks.measuring import surroundings

from hiddenhand import load_game
from hiddenhand.errors import FileError
from hiddenhand.games.rule_digests import rules_of
from hiddenhand.matches.tournament import Tournament, mirrored
from hiddenhand.search.training import train
from hiddenhand.trees.blueprint import about_blueprint
from studies.blueprint_report import HEADING, KEPT, MOVE, OTHERS, THREADS, TRAINING, lead, table
from studies.strength import LOOKS, figures_of

GAMES: Final = (
    "phantom_ttt",
    "phantom_ttt_abrupt",
    "LD(2,2,6)",
    "LD(2,2,5)",
    "dark_hex(size=3,abrupt=True)",
    "GP(4,6,4,4)",
    "IIGS(8)",
    "battleship(rows=3,columns=3,ships='2,1')",
    "limit_holdem(buckets=paper)",
    # the other large games of docs/which-search.md
    "phantom_ttt(forced_wins=True)",
    "dark_hex(size=4)",
    "battleship(rows=4,columns=4,ships='3,2')",
    "IIGS(13)",
    "tricks(players=2)",
    "goofspiel(13)",
    "OZ(50,3,1)",
    "tron",
)
DEALS: Final = 800
LATER: Final = (200, 400)
"""Looks at the lead after `LOOKS`."""
SEED: Final = 1


def trained(name: str, folder: Path, kept: dict[str, Any], threads: int) -> Path:
    """The file of the blueprint of a game, which is trained unless it is there."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / (name.replace("'", "") + ".blueprint")
    game = load_game(name)
    try:
        about_blueprint(file, game)
    except FileError:
        found = asdict(train(game, file, seconds=TRAINING, threads=threads))
        found.pop("file")
        if state := found.pop("state"):
            state.unlink()
        keep(kept, name, "training", {**found, "threads": threads})
    return file


def played(name: str, file: Path, other: str, most: int) -> dict[str, Any]:
    """How `auto` with a blueprint does against another search."""
    players = f"auto(blueprint='{file}')", other
    with Tournament.between(name, players, seconds=MOVE, seed=SEED) as matches:
        for deals in (*(look for look in (*LOOKS, *LATER) if look < most), most):
            matches.run([mirrored()], deals)
            figures = figures_of(matches.pairings())
            if figures["decided"]:
                break
    return figures


def keep(kept: dict[str, Any], name: str, what: str, figures: dict[str, Any]) -> None:
    """Keep some figures of a game."""
    rules = rules_of(load_game(name))
    if kept.get(name, {}).get("rules") != rules:
        kept[name] = {"rules": rules}
    kept[name][what] = {**figures, "at": surroundings()}
    KEPT.write(kept)


def main() -> None:
    """Measure what is not kept yet, a game after the other."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--hours", type=float, default=1e9)
    parser.add_argument("--threads", type=int, default=THREADS)
    parser.add_argument("--deals", type=int, default=DEALS)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "blueprints")
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    asked = parser.parse_args()
    kept = KEPT.read()
    ends = time.monotonic() + 3600.0 * asked.hours
    for name in asked.games:
        for other in OTHERS:
            if time.monotonic() < ends and other not in kept.get(name, {}):
                file = trained(name, asked.folder, kept, asked.threads)
                keep(kept, name, other, played(name, file, other, asked.deals))
                print(name, other, lead(kept[name][other]), flush=True)
    if asked.write:
        write_section("docs/large-games.md", "blueprints", [HEADING, "", *table(kept)])


if __name__ == "__main__":
    main()
