"""Tries inputs on parsers: each input comes from a seed and a number, so each can be tried again.

A parser fails where anything but a HiddenhandError comes out of it, where that is not a short
sentence, where it reads what it must refuse, and where it takes more than `LONGEST` seconds of
processor time. An input of which it takes `ENDLESS` seconds is given up.
"""

import argparse
import random
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hiddenhand.errors import HiddenhandError

LONGEST = 2.0
ENDLESS = 20.0
_MOST_DEFECTS = 5  # of a parser, after which the next one is tried
_LONGEST_REFUSAL = 600  # characters


@dataclass(frozen=True)
class Parser:
    """Something that reads what strangers write.

    name: what it is called.
    draw: makes an input.
    read: reads it. Raises HiddenhandError to refuse it, and AssertionError where what was read is
        wrong.
    """

    name: str
    draw: Callable[[random.Random], Any]
    read: Callable[[Any], object]


@dataclass
class Tally:
    """What became of the inputs of a parser.

    defects: each as a line.
    slowest: the longest time of an input, in seconds of the processor, and its number.
    """

    parser: str
    read: int = 0
    refused: int = 0
    seconds: float = 0.0
    slowest: tuple[float, int] = (0.0, 0)
    defects: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        longest, number = self.slowest
        return (
            f"{self.parser:20} {self.read + self.refused:9,} inputs, {self.read:9,} read, "
            f"{self.refused:9,} refused, {self.seconds:6.1f} s, slowest {1000 * longest:7.1f} ms "
            f"(case {number}), {len(self.defects)} defects"
        )


class EndlessError(Exception):
    """A parser does not come to an end."""


def tried(parser: Parser, numbers: Sequence[int], seed: int) -> Tally:
    """Try inputs on a parser, those with these numbers."""
    tally = Tally(parser.name)
    began = time.monotonic()
    for number in numbers:
        given = parser.draw(random.Random(f"{seed} {parser.name} {number}"))
        defect = _tried(parser, given, number, tally)
        if defect is not None:
            again = f"scripts/fuzz --parser '{parser.name}' --seed {seed} --case {number}"
            tally.defects.append(f"{defect}; again: {again}; the input: {repr(given)[:300]}")
            if len(tally.defects) == _MOST_DEFECTS:
                break
    tally.seconds = time.monotonic() - began
    return tally


def _tried(parser: Parser, given: Any, number: int, tally: Tally) -> str | None:
    """Try one input; returns what is wrong with the parser, if anything."""
    before = time.thread_time()
    defect = None
    try:
        parser.read(given)
        tally.read += 1
    except HiddenhandError as error:
        tally.refused += 1
        said = str(error)
        if not said.strip() or "\n" in said or len(said) > _LONGEST_REFUSAL:
            defect = f"it refuses with {said!r:.2000}"
    except Exception as error:
        tally.refused += 1
        defect = f"{type(error).__name__}: {str(error)[:300]}"
    taken = time.thread_time() - before
    tally.slowest = max(tally.slowest, (taken, number))
    return defect


@contextmanager
def _given_up() -> Iterator[None]:
    """Within the block, what takes too long raises EndlessError."""

    def give_up(number: int, frame: object) -> None:
        raise EndlessError(f"it has worked for {ENDLESS:g} s of processor time")

    before = signal.signal(signal.SIGPROF, give_up)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def _bounded(parser: Parser) -> Parser:
    """A parser that gives an input up that takes too long."""

    def read(given: Any) -> object:
        signal.setitimer(signal.ITIMER_PROF, ENDLESS)
        return parser.read(given)

    return Parser(parser.name, parser.draw, read)


@contextmanager
def working_folder() -> Iterator[Path]:
    """A folder, in memory if possible: parsers read some thousand files a second."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


def main(arguments: Sequence[str]) -> int:
    """Try what the arguments say, and return the exit status."""
    from fuzzing.parsers import PARSERS

    ask = argparse.ArgumentParser("scripts/fuzz", description=__doc__.partition("\n")[0])
    ask.add_argument("cases", type=int, nargs="?", default=100_000, help="for each parser")
    ask.add_argument("--parser", action="append", choices=PARSERS, help="only this one")
    ask.add_argument("--seed", type=int, default=time.time_ns() % 10**6, help="by default, drawn")
    ask.add_argument("--case", type=int, help="only the input with this number")
    asked = ask.parse_args(arguments)
    numbers = range(asked.cases) if asked.case is None else [asked.case]
    print(f"seed {asked.seed}", flush=True)
    failed = total = 0
    path = sys.path[:]
    with working_folder() as folder:
        for name in asked.parser or PARSERS:
            with _given_up(), PARSERS[name](folder) as parser:
                tally = tried(_bounded(parser), numbers, asked.seed)
            sys.path[:] = path
            if tally.slowest[0] > LONGEST:
                tally.defects.append(f"case {tally.slowest[1]} takes {tally.slowest[0]:.1f} s")
            print("\n    ".join([str(tally), *tally.defects]), flush=True)
            failed += len(tally.defects)
            total += tally.read + tally.refused
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{total:,} inputs, {failed} defects, at most {peak:.0f} MiB of memory")
    return int(failed > 0)
