"""How exploitable searches from the root are, against the seconds that processors worked:

    python -m studies.against_seconds [--only TEXT] [--report]

The games are the five of Rudolph et al. (2025), arXiv 2502.08938. What a search finds follows from
its iterations and its seed, and `exploitability` keeps its exact nash_conv. So this program runs
the same iterations with the first seed again, and takes the time. A blueprint in vector form is
trained and measured here. Each unit is kept in studies/results/against_seconds.json as soon as it
is over; ``--only`` makes the units whose names contain a text. ``--report`` only writes the page
docs/results/nash-conv-against-seconds.md with its pictures.
"""

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from time import process_time
from typing import Any, Final

from benchmarks.kept import ROOT, Kept
from benchmarks.measuring import surroundings

from hiddenhand import load_game, make_search
from hiddenhand.jit.tier_choice import using_tier
from hiddenhand.solvers.vector_form.public_game import vector_form
from hiddenhand.solvers.vector_form.vector_cfr import VectorCFR
from studies import exploitability
from studies.against_seconds_report import BLUEPRINT, GAMES, write_report
from studies.exploitability_report import IN_WORDS

KEPT: Final = Kept.of(__file__)
EXACT: Final = Kept.of(exploitability.__file__)
ITERATIONS: Final = (6_000_000, 36_000_000)
"""Those of `exploitability`."""
TRAINED: Final = (5, 20, 80)
"""Iterations of CFR, all hands at once."""
SEED: Final = 1
IN_VECTOR_FORM: Final = "SLD(2,2,5)"
"""The only one of the games in which all moves are public."""


def main() -> None:
    """Make the units that are missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="units whose names contain this text")
    parser.add_argument("--report", action="store_true", help="only write the page")
    asked = parser.parse_args()
    if not asked.report:
        with using_tier("specialised"):
            _measure(asked.only)
    write_report(KEPT.read(), EXACT.read(), ROOT / "docs")


def _measure(only: str) -> None:
    for name, measure in _units():
        if only in name and name not in KEPT.read():
            KEPT.add(name, {**measure(), "machine": surroundings()})
            print(name, flush=True)


def _units() -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """The names of the units and what makes them, the shortest first."""
    for iterations in ITERATIONS:
        for game in GAMES:
            for algorithm in IN_WORDS:
                measure = partial(_search, game, algorithm, iterations)
                yield f"{game} | {algorithm} | {iterations}", measure
    yield f"{IN_VECTOR_FORM} | {BLUEPRINT}", _blueprint


def _search(game: str, algorithm: str, iterations: int) -> dict[str, Any]:
    """The seconds of a search. Those of the compiler do not count."""
    searches: list[Any] = [
        make_search(load_game(game), algorithm, seed=SEED) for _ in ("compiles", "counts")
    ]
    searches[0].run(iterations=1000)
    began = process_time()
    searches[1].run(iterations=iterations)
    return {"iterations": iterations, "seconds": process_time() - began}


def _blueprint() -> dict[str, Any]:
    """The seconds of a training in vector form, its form included, and the exact nash_conv."""
    VectorCFR(vector_form(load_game("SLD(1,1,2)"))).iterate(2)  # compiles
    began = process_time()
    training = VectorCFR(vector_form(load_game(IN_VECTOR_FORM)))
    spent, points = process_time() - began, list[dict[str, float]]()
    for iterations in TRAINED:
        began = process_time()
        training.iterate(iterations - training.iterations)
        spent += process_time() - began
        nash_conv = float(training.nash_conv())
        points.append({"iterations": iterations, "seconds": spent, "nash_conv": nash_conv})
    return {"points": points}


if __name__ == "__main__":
    main()
