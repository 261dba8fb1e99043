"""The hand-written C program `limit/oos_goofspiel.c`: compiling it, running it, and reading what it
dumps.
"""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from hiddenhand.jit.random import new_state

SOURCE: Final = Path(__file__).parent / "limit" / "oos_goofspiel.c"
FAST: Final = ("-O3", "-march=native")
EXACT: Final = (*FAST, "-ffp-contract=off")  # no fused multiply-add: as Numba rounds


@dataclass(frozen=True)
class Counts:
    """What the program prints."""

    seconds: float
    iterations_per_second: float
    information_sets: int
    in_tree: int
    playouts: int
    moves: int


def compiler() -> str | None:
    """A C compiler, if there is one: ``$CC``, cc, gcc or clang."""
    return next(
        (
            path
            for name in (os.environ.get("CC"), "cc", "gcc", "clang")
            if name and (path := shutil.which(name))
        ),
        None,
    )


def compiled(folder: Path, flags: tuple[str, ...] = FAST) -> Path:
    """Compile the program into ``folder`` and return where it is. Raises RuntimeError without a
    compiler.
    """
    command = compiler()
    if command is None:
        raise RuntimeError("no C compiler was found; install gcc, or set CC")
    program = folder / ("oos_goofspiel_exact" if flags == EXACT else "oos_goofspiel")
    subprocess.run([command, *flags, "-o", str(program), str(SOURCE)], check=True)
    return program


def run(
    program: Path,
    iterations: int,
    num_cards: int,
    lowest_card: int,
    seed: int,
    dump: Path | None = None,
) -> Counts:
    """Search II-Goofspiel for ``iterations``, from the generator state that our search has for
    ``seed``.
    """
    state = [str(int(word)) for word in new_state(seed)]
    command = [
        str(program),
        str(iterations),
        str(num_cards),
        str(lowest_card),
        *state,
        *([str(dump)] if dump else []),
    ]
    seconds, rate, sets, in_tree, playouts, moves = subprocess.run(
        command, check=True, capture_output=True, text=True
    ).stdout.split()
    return Counts(float(seconds), float(rate), int(sets), int(in_tree), int(playouts), int(moves))


def rows(dump: Path) -> dict[int, npt.NDArray[np.float64]]:
    """The row of each information set, by its key: n regrets and n strategy sums."""
    read = {}
    for line in dump.read_text().splitlines():
        key, _, *numbers = line.split()
        read[int(key, 16)] = np.array([int(number, 16) for number in numbers], np.uint64).view(
            np.float64
        )
    return read
