"""Experiments: a figure or table of a paper, made anew.

An experiment is a frozen dataclass that says what is run: which searches play or are measured in
which games, with which budgets, how often. From that follow its *units* (see `units`), and from the
results of these its *findings* (see `findings`). It never runs anything by itself.

The scale says how much is run. ``paper`` is as many matches and seeds as the paper had. A factor
multiplies these numbers. ``quick`` has few of everything, so that all experiments together take
less than an hour on two cores; intervals are wider then, and curves may be shorter.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from hiddenhand.errors import OptionError
from hiddenhand.experiments.findings import Findings
from hiddenhand.experiments.units import Result, Unit

Results = Mapping[Unit, Result]
"""What is known of the units of an experiment."""


@dataclass(frozen=True)
class Scale:
    """How much is run.

    factor: what the paper's numbers of matches and seeds are multiplied by; None for quick.
    by_clock: whether searches think for the printed times on this machine, all equally long;
        unless it is said, they make as many iterations as the paper's machine made.
    """

    factor: float | None
    by_clock: bool = False

    def count(self, paper: int, quick: int) -> int:
        """How many of something, of which the paper had ``paper``, at least 1."""
        return quick if self.factor is None else max(1, math.ceil(self.factor * paper))

    @property
    def is_quick(self) -> bool:
        """Whether this is the smallest scale."""
        return self.factor is None

    def __str__(self) -> str:
        names = {None: "quick", 1.0: "paper"}
        return names.get(self.factor, f"{self.factor:g}" if self.factor else "")


QUICK: Final = Scale(None)
PAPER: Final = Scale(1.0)


BUDGETS: Final = ("iterations", "seconds")
"""What limits searches: see `Scale.by_clock`."""


def read_scale(text: str, budget: str = "iterations") -> Scale:
    """The scale that ``text`` says, with a budget of `BUDGETS`. Raises OptionError."""
    if budget not in BUDGETS:
        raise OptionError(f"budget={budget!r} is not allowed; give one of: {', '.join(BUDGETS)}")
    return replace(_read_scale(text), by_clock=budget == "seconds")


def _read_scale(text: str) -> Scale:
    named = {"quick": QUICK, "paper": PAPER}
    if text in named:
        return named[text]
    try:
        factor = float(text)
    except ValueError:
        factor = math.nan
    if not 0 < factor <= 1000:
        raise OptionError(
            f"scale={text!r} is not allowed; give quick, paper, or a number above 0 by which the "
            "paper's numbers of matches and seeds are multiplied, such as 0.1"
        )
    return Scale(factor)


@dataclass(frozen=True)
class Experiment(ABC):
    """A figure or table of a paper.

    paper: the paper's short name.
    item: the short name of the figure or table in the paper.
    title: what it shows, in a few words.
    setup: how it was set up here, a sentence each: budgets, and what the paper leaves open.
    """

    paper: str
    item: str
    title: str
    setup: tuple[str, ...]

    @property
    def name(self) -> str:
        """What the experiment is called."""
        return f"{self.paper}/{self.item}"

    @abstractmethod
    def units(self, scale: Scale) -> Iterator[Unit]:
        """What is run at a scale. The units of a larger scale include those of a smaller one
        wherever that is possible.
        """

    @abstractmethod
    def findings(self, results: Results) -> Findings:
        """What ``results`` show; they may be of only a part of the units."""
