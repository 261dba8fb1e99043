"""How fast games are solved in vector form, all hands at once on the public tree, on one core:

    python -m benchmarks.vector_form [--seconds 60] [--variant dcfr] [--write] [GAME ...]

For each game: its information sets, the numbers that are kept of them, how long an exact nash_conv
takes, and nash_conv and the value after some seconds. ``--write`` puts the table into
docs/large-games.md.
"""

import argparse
import time
from typing import Final

from benchmarks.kept import heading, row, write_section
from hiddenhand import load_game
from hiddenhand.solvers.vector_form.public_game import vector_form
from hiddenhand.solvers.vector_form.vector_cfr import VectorCFR

GAMES: Final = ("Leduc", "LD(1,1,6)", "GP(3,3,2,2)", "SLD(2,2,4)", "SLD(2,2,5)", "LD(2,2,5)")
COLUMNS: Final = (
    *("game", "information sets", "hands at most", "situations", "found in"),
    *("exact nash_conv in", "iterations", "nash_conv", "value"),
)


def measured(name: str, variant: str, seconds: float) -> list[str]:
    """The row of a game."""
    began = time.perf_counter()
    form = vector_form(load_game(name))
    found_in = time.perf_counter() - began
    VectorCFR(form, variant=variant).run(1)  # everything is compiled
    run = VectorCFR(form, variant=variant)
    found = run.run(seconds=seconds)
    began = time.perf_counter()
    gap = run.nash_conv()
    measured_in = time.perf_counter() - began
    return [
        f"`{name}`",
        f"{form.num_sets:,}",
        str(form.most_hands),
        f"{len(form.merged):,}",
        f"{found_in:.2g} s",
        f"{measured_in:.2g} s",
        f"{found.iterations:,}",
        f"{gap:.2g}",
        f"{found.value:.5f}",
    ]


def main() -> None:
    """Print a table, a row for each game."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--variant", default="dcfr")
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    asked = parser.parse_args()
    lines = heading(COLUMNS)
    print(lines[0])
    for name in asked.games:
        lines.append(row(measured(name, asked.variant, asked.seconds)))
        print(lines[-1], flush=True)
    if asked.write:
        told = f"`{asked.variant}`, {asked.seconds:g} s for each game, on one core:"
        write_section("docs/large-games.md", "vector form", [told, "", *lines])


if __name__ == "__main__":
    main()
