"""How well `auto` plays on from a blueprint:

    python -m benchmarks.blueprints [--train 60] [--seconds 0.1] [--pairs 400] [--write] [GAME ...]

A blueprint of each game is trained on one core, for some seconds. Then `auto` with the blueprint
plays against tree search (`ismcts(selector=uct)`) and against `auto` without it, each deal from
both seats. The lead is half of what it earns more than the other in a match, on average, as
everywhere here; in brackets its 95 % interval. ``--write`` puts the table into docs/large-games.md.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Final

from benchmarks.errors import row
from benchmarks.measuring import ROOT, between
from hiddenhand import Budget, load_game, make_player, play_match
from hiddenhand.files import write_whole
from hiddenhand.search.training import train
from hiddenhand.statistics import mean_interval

GAMES: Final = ("LD(2,2,5)", "LD(2,2,6)")
OTHERS: Final = ("ismcts(selector=uct)", "auto")
PAGE: Final = ROOT / "docs" / "large-games.md"
BEGIN: Final = "<!-- blueprints: written by python -m benchmarks.blueprints --write -->"
END: Final = "<!-- end of blueprints -->"
COLUMNS: Final = ("game", "trained", "nash_conv", *(f"lead over `{other}`" for other in OTHERS))


def lead(name: str, spec: str, other: str, pairs: int, budget: Budget) -> str:
    """The lead of a player over another one, with its interval."""
    game = load_game(name)
    players = make_player(spec, game), make_player(other, game)
    leads = []
    for number in range(pairs):
        first = play_match(game, list(players), number, [budget] * 2).returns[0]
        second = play_match(game, list(players[::-1]), number, [budget] * 2).returns[1]
        leads.append((first + second) / 2)
    found = mean_interval(leads)
    return f"{found.value:+.3f} ({found.low:+.3f} to {found.high:+.3f})"


def measured(name: str, seconds: float, pairs: int, budget: Budget) -> list[str]:
    """The row of a game."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "blueprint"
        trained = train(load_game(name), file, seconds=seconds)
        gap = "not measured" if trained.nash_conv is None else f"{trained.nash_conv:.2g}"
        leads = [lead(name, f"auto(blueprint='{file}')", one, pairs, budget) for one in OTHERS]
    return [f"`{name}`", f"{seconds:g} s of `{trained.method}`", gap, *leads]


def main() -> None:
    """Print a table, a row for each game."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--train", type=float, default=60.0)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--pairs", type=int, default=400)
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    asked = parser.parse_args()
    lines = [row([*COLUMNS]), row(["---"] * len(COLUMNS))]
    print(lines[0])
    for name in asked.games:
        lines.append(row(measured(name, asked.train, asked.pairs, Budget(seconds=asked.seconds))))
        print(lines[-1], flush=True)
    if asked.write:
        told = (
            f"`auto` with a blueprint, {asked.seconds:g} s a move, {asked.pairs} deals from both "
            "seats. The lead is half of what it earns more than the other in a match; its 95 % "
            "interval is in brackets:"
        )
        write_whole(PAGE, between(PAGE.read_text(), BEGIN, [told, "", *lines], END).encode())


if __name__ == "__main__":
    main()
