"""Which step MMD should take from a blueprint that is near an equilibrium:

    python -m studies.mmd_steps [--rollouts 10000] [GAME ...]

Blueprints are what CFR+ finds in 10 and in 100 iterations. The table has nash_conv of the
blueprint, and of a step of each size in every information set, with the seed 0.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Final

from benchmarks.kept import heading, row

from hiddenhand import evaluate, load_game, solve

GAMES: Final = ("Leduc", "LD(1,1,3)", "IIGS(4)")
STEPS: Final = (
    "eta=10,alpha=0.1",
    "eta=10,alpha=0.1,magnet=blueprint",
    *(f"eta={eta},alpha=0" for eta in ("2", "1", "0.5", "0.2", "0.05")),
)


def main() -> None:
    """Print a row for each blueprint."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--rollouts", type=int, default=10_000)
    asked = parser.parse_args()
    columns = ["game", "iterations", "blueprint", *STEPS]
    print("\n".join(heading(columns)))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "blueprint"
        for name in asked.games:
            for iterations in (10, 100):
                found = solve(name, "cfr+", iterations=iterations)
                found.strategy().save(file)
                gaps = [
                    evaluate(
                        load_game(name),
                        f"mmd(blueprint='{file}',{step})",
                        method="stitch-public",
                        iterations=asked.rollouts,
                        every_set=True,
                    ).nash_conv.value
                    for step in STEPS
                ]
                figures = (f"{gap:.3g}" for gap in (found.nash_conv, *gaps))
                print(row([name, str(iterations), *figures]), flush=True)


if __name__ == "__main__":
    main()
