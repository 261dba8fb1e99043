"""What predictive variants of CFR gain where they count the last regret a third once more, in place
of once:

    python -m studies.predictions [--iterations 5000] [GAME ...]

For each game nash_conv with either weight, and their ratio; at the end the geometric mean of the
ratios.
"""

import argparse
from dataclasses import replace
from typing import Final

import numpy as np
from benchmarks.kept import heading, row

from hiddenhand import load_game, unroll
from hiddenhand.solvers.cfr import CFR
from hiddenhand.solvers.cfr_variants import VARIANTS
from hiddenhand.trees.profile import nash_conv

GAMES: Final = (*("Kuhn", "Leduc", "LD(1,1,4)", "IIGS(4)", "GP(3,3,2,2)", "IIGS(5)", "LD(1,1,6)"),)
PREDICTIVE: Final = ("pcfr+", "pdcfr+")
_ROUNDING: Final = 1e-14  # nash_conv below which figures say nothing, in payoffs


def main() -> None:
    """Print a table for each variant."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--iterations", type=int, default=5000)
    asked = parser.parse_args()
    for name in PREDICTIVE:
        variant, ratios = VARIANTS[name], list[float]()
        print("\n".join(heading([name, "once", "a third", "ratio"])))
        for game in asked.games:
            tree, gaps = unroll(load_game(game)), list[float]()
            for weight in (1.0, variant.prediction):
                run = CFR(tree, replace(variant, prediction=weight))
                run.iterate(asked.iterations)
                gaps.append(max(nash_conv(tree, run.average_profile()), _ROUNDING))
            ratios.append(gaps[1] / gaps[0])
            print(row([game, *(f"{gap:.2g}" for gap in gaps), f"{ratios[-1]:.2g}"]), flush=True)
        print(f"geometric mean of the ratios: {float(np.exp(np.mean(np.log(ratios)))):.2g}\n")


if __name__ == "__main__":
    main()
