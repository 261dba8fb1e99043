"""Experiments: a figure or table of a paper, made anew.

An experiment is a frozen dataclass that says what is run: which searches play or are measured in
which games, with which budgets, how often. From that follow its *units* (see `units`), and from the
results of these its *findings* (see `findings`). It never runs anything by itself.

The scale says how much is run. ``paper`` is as many matches and seeds as the paper had. A factor
multiplies these numbers. Two scales are short: ``evening`` has few of everything, and curves may be
shorter, so that all experiments together take some two hours on two cores; ``quick`` has a quarter
of that, as far as anything is left then, and takes less than an hour. Intervals are wider there.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from hiddenhand.errors import RefusedOptionError
from hiddenhand_papers.findings import Findings
from hiddenhand_papers.units import Result, Unit

Results = Mapping[Unit, Result]
"""What is known of the units of an experiment."""


@dataclass(frozen=True)
class Scale:
    """How much is run.

    factor: what the paper's numbers of matches and seeds are multiplied by; None for a short scale.
    part: which part of the numbers of ``evening`` a short scale has.
    by_clock: whether searches think for the printed times on this machine, all equally long; by
        default they make as many iterations as the paper's machine made.
    """

    factor: float | None
    part: float = 1.0
    by_clock: bool = False

    def count(self, paper: int, evening: int) -> int:
        """How many of something, of which the paper had ``paper``; at least 1."""
        return max(1, math.ceil(self.factor * paper)) if self.factor else self.few(evening)

    def seeds(self, paper: int, evening: int) -> int:
        """How many seeds, of which the paper had ``paper``: a short scale has at least 2 where
        ``evening`` has, because the mean of a single one has no interval.
        """
        few = min(evening, 2) if self.is_short else 1
        return max(few, self.count(paper, evening))

    def few(self, evening: int) -> int:
        """How many of something a short scale has, of which ``evening`` has as many."""
        return math.ceil(self.part * evening)

    @property
    def is_short(self) -> bool:
        """Whether curves may be shorter than those of the paper."""
        return self.factor is None

    @property
    def steps(self) -> list["Scale"]:
        """The scales at which an item is looked at, up to this one: from a 64th of the paper on,
        each twice as large as the one before.
        """
        if self.factor is None:
            return [self]
        smaller = (replace(self, factor=part) for part in STEPS if part < self.factor)
        return [*smaller, self]

    def __str__(self) -> str:
        named = {replace(scale, by_clock=self.by_clock): name for name, scale in NAMED.items()}
        return named.get(self, f"{self.factor:g}" if self.factor else "")


STEPS: Final = (1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
QUICK: Final = Scale(None, part=0.25)
EVENING: Final = Scale(None)
PAPER: Final = Scale(1.0)
NAMED: Final = {"quick": QUICK, "evening": EVENING, "paper": PAPER}


BUDGETS: Final = ("iterations", "seconds")
"""What limits searches: see `Scale.by_clock`."""


def read_scale(text: str, budget: str = "iterations") -> Scale:
    """The scale that ``text`` says, with a budget of `BUDGETS`. Raises OptionError."""
    if budget not in BUDGETS:
        raise RefusedOptionError("budget", budget, f"give one of: {', '.join(BUDGETS)}")
    return replace(_read_scale(text), by_clock=budget == "seconds")


def _read_scale(text: str) -> Scale:
    if text in NAMED:
        return NAMED[text]
    try:
        factor = float(text)
    except ValueError:
        factor = math.nan
    if not 0 < factor <= 1000:
        raise RefusedOptionError(
            "scale",
            text,
            "give quick, evening, paper, or a number above 0 by which the paper's numbers of "
            "matches and seeds are multiplied, such as 0.1",
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

    @property
    def deciding(self) -> "Experiment":
        """The experiment with nothing but the reading that decides its verdict."""
        return self

    @property
    def parts(self) -> Mapping[str, "Experiment"]:
        """The pictures and tables one by one, each as an experiment of its own with all of its
        readings, by name; by default the whole experiment.
        """
        return {"": self}

    @abstractmethod
    def findings(self, results: Results) -> Findings:
        """What ``results`` show; they may be of only a part of the units."""
