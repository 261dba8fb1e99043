"""Whether search on top of a blueprint is ever more exploitable than the blueprint:

    python -m studies.on_blueprints [--seconds 0.1] [--write]

A blueprint of each game is trained for a while. Its nash_conv is exact. Then `auto` plays on from
it: it thinks in every public state, for the time of a move, and its play there is put together. In
games that are small enough, nash_conv of that is exact, too. In larger games the same
responder tries to exploit both. It learns by search on its own information sets. How much it wins
is a lower bound, with a 95 % interval.

The time of training includes compiling, so a second of training may leave a poor blueprint. Rows
are kept in studies/results/on_blueprints.json; those that are there are not measured again.
``--write`` puts the table into docs/large-games.md.
"""

import argparse
import tempfile
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from benchmarks.kept import Kept, heading, write_section
from benchmarks.measuring import measured_rows

from hiddenhand import Budget, evaluate, load_game
from hiddenhand.evaluation.exploit import Responding, exploit
from hiddenhand.evaluation.nash_conv import nash_conv
from hiddenhand.mapped import Mapped
from hiddenhand.search.training import train
from hiddenhand.solvers.vector_form.blueprint import HandBlueprint
from hiddenhand.solvers.vector_form.profile import Walks
from hiddenhand.solvers.vector_form.public_game import vector_form
from hiddenhand.trees.blueprint import SETS, TRAIN

EXACT: Final = (
    # game, algorithm, seconds of training
    ("leduc_poker", "mccfr", 1.0),
    ("leduc_poker", "vector-cfr", 1.0),
    ("IIGS(6)", "mccfr", 20.0),
    ("LD(1,1,6)", "mccfr", 20.0),
    ("LD(1,1,6)", "vector-cfr", 1.0),
    ("GP(3,3,2,2)", "mccfr", 20.0),
)
BOUNDS: Final = (("phantom_ttt", "mccfr", 60.0), ("dark_hex(size=3,abrupt=True)", "mccfr", 60.0))
RESPONSE: Final = Responding(iterations=100_000, seconds=None, plays=4_000)
KEPT: Final = Kept.of(__file__)
HEADING: Final = (
    "nash_conv of a blueprint, and of `auto` that plays on from it with 0.1 s a move. In the last "
    "games it is a lower bound: what a response wins that was found by search, with its 95 % "
    "interval. The time of training includes compiling:"
)
COLUMNS: Final = ("game", "trained", "how measured", "blueprint", "`auto` on top of it")


def measured(name: str, algorithm: str, seconds: float, move: float, exactly: bool) -> list[str]:
    """The row of a game."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "blueprint"
        train(load_game(name), file, seconds=seconds, algorithm=algorithm)
        spec = f"auto(blueprint='{file}')"
        cells = [f"`{name}`", f"{seconds:g} s of `{algorithm}`"]
        if not exactly:
            both = [wins(name, f"strategy({file})", move), wins(name, spec, move)]
            return [*cells, "at least", *both]
        before = exact(name, file)
        found = evaluate(name, spec, method="stitch-public", seconds=move, on_the_way=True)
        return [*cells, "exactly", f"{before:.3g}", f"{found.nash_conv.value:.3g}"]


def exact(name: str, file: Path) -> float:
    """nash_conv of a blueprint as it is in its file, with 16 bits for each number."""
    if Mapped.load(file, TRAIN).kind == SETS:
        return nash_conv(name, file)
    form = vector_form(load_game(name))
    known = HandBlueprint.load(file, form)
    numbers = (known.numbers(player, 0, form.sizes[player]) for player in range(2))
    return Walks(form).nash_conv([one.astype(np.float64) for one in numbers])


def wins(name: str, spec: str, move: float) -> str:
    """What a responder wins from a player, in both seats together."""
    found = exploit(name, spec, "ismcts", budget=Budget(seconds=move), responding=RESPONSE)
    value = sum(found.values)
    off = sum((one.high - one.value) ** 2 for one in found.intervals) ** 0.5
    return f"{value:.3f} ({value - off:.3f} to {value + off:.3f})"


def main() -> None:
    """Print a table, a row for each game."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    asked = parser.parse_args()
    cases = (
        (
            f"{case[2]:g} s of {case[1]} in {case[0]}, {asked.seconds:g} s a move",
            partial(measured, *case, asked.seconds, exactly),
        )
        for group, exactly in ((EXACT, True), (BOUNDS, False))
        for case in group
    )
    lines = [HEADING, "", *heading(COLUMNS), *measured_rows(KEPT, cases)]
    if asked.write:
        write_section("docs/large-games.md", "on blueprints", lines)


if __name__ == "__main__":
    main()
