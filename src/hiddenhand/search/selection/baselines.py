"""Baselines: what an action that was not sampled is believed to be worth, so that samples vary
less.

Schmid, Burch, Lanctot, Moravcik, Kadlec and Bowling (2019), "Variance reduction in Monte Carlo
counterfactual regret minimization (VR-MCCFR) for extensive form games using baselines". Walking
back from the end of a traversal, with xi(a) the probability with which action a was sampled at h,

value of the sampled action      b(h, a) + (value(h a) - b(h, a)) / xi(a)
value of another action          b(h, a)
value(h)                         sum_a sigma(a) times those

which is right on average whatever b is, and varies the less the better b is. The value of a history
out of memory is the payoff at the end. b learns each value that it was used for: b += (value(h a) -
b) * rate; the first one as it is.

A baseline belongs to an information set and an action of the player to move, or to a history and an
action, chance's outcomes included. Without one, b is 0 everywhere, and the regrets are those of
plain outcome sampling.

The predictive baseline of Davis, Schmid and Bowling (2020), "Low-variance and zero-variance
baselines for extensive-form games", belongs to a history and an action, too. It does not learn what
a traversal found, but becomes what the strategy sigma' after that traversal makes of the baselines
below: b(h, a) = sum_c sigma'(ha, c) b(ha, c). Only where the path leaves memory, or ends, it learns
the value there. It is defined for every kind of sampling, but without variance only where one
sampled path updates all histories of each public state on it: see `hiddenhand.trees`.

row: where the numbers of a history begin in ``values``; n: its number of actions; a: one of them.
Values are payoffs of player 0.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from hiddenhand.games.base import Game
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.infoset_table import (
    MISSING,
    InformationSetTable,
    made_ready,
    new_table,
    num_bytes,
)
from hiddenhand.jit.observation_keys import Key
from hiddenhand.solvers.baselines import verify_baseline, verify_rate

_RATE: Final = 0.1
_WIDE: Final = 1000  # outcomes of chance


@dataclass(frozen=True)
class NoBaseline(Compiled):
    """b = 0."""

    KNOWS: ClassVar[int] = 0
    """Whether b is ever anything but 0."""
    PREDICTS: ClassVar[int] = 0
    """Whether b becomes what the next strategy makes of the baselines below."""

    def find(self, key: Key, history: Key, n: int) -> int:
        """The row of a history at which a set with ``key`` decides, added if need be; MISSING if
        there is none.
        """
        return MISSING

    def of(self, row: int, a: int) -> float:
        """b(h, a)."""
        return 0.0

    def learn(self, row: int, a: int, value: float) -> None:
        """Move b(h, a) towards ``value``."""

    def put(self, row: int, a: int, value: float) -> None:
        """Let b(h, a) be ``value``."""

    def predicted(self, row: int, n: int, sigma: Floats, otherwise: float) -> float:
        """sum_a sigma(a) b(h, a); ``otherwise`` where nothing is known of h."""
        return otherwise

    def is_ready(self) -> bool:
        """Whether there is room for whatever the next iteration may add."""
        return True


@dataclass(frozen=True)
class Baseline(Compiled):
    """Baselines in a table with two runs a row: b, and whether anything was learnt.

    by_history: rows belong to histories, else to information sets.
    """

    table: InformationSetTable
    by_history: bool
    rate: float

    KNOWS: ClassVar[int] = 1
    PREDICTS: ClassVar[int] = 0

    def find(self, key: Key, history: Key, n: int) -> int:
        name = history if self.by_history else key
        row = self.table.find(name)
        if row == MISSING and self.table.has_room(1, n):
            row = self.table.add(name, n)
        return row

    def of(self, row: int, a: int) -> float:
        return self.table.values[row + 2 * a] if row != MISSING else 0.0

    def learn(self, row: int, a: int, value: float) -> None:
        if row == MISSING:
            return
        values, at = self.table.values, row + 2 * a
        if values[at + 1] == 0.0:
            values[at], values[at + 1] = value, 1.0
        else:
            values[at] += self.rate * (value - values[at])

    def put(self, row: int, a: int, value: float) -> None:
        if row != MISSING:
            self.table.values[row + 2 * a], self.table.values[row + 2 * a + 1] = value, 1.0

    def predicted(self, row: int, n: int, sigma: Floats, otherwise: float) -> float:
        if row == MISSING:
            return otherwise
        total = 0.0
        for a in range(n):
            total += sigma[a] * self.table.values[row + 2 * a]
        return total

    def is_ready(self) -> bool:
        return self.table.is_ready()


@dataclass(frozen=True)
class PredictiveBaseline(Baseline):
    """Baselines of histories that follow the strategy: see Davis, Schmid and Bowling (2020)."""

    PREDICTS: ClassVar[int] = 1


def most_known(game: Game) -> int:
    """How many actions or outcomes a history may have to get a baseline. Chance has none where it
    has more, or is drawn.
    """
    outcomes = 0 if game.draws_chance else game.max_chance_outcomes
    return max(game.max_actions, outcomes if outcomes <= _WIDE else 0, 1)


def make_baseline(kind: str, game: Game, rate: float = _RATE) -> NoBaseline | Baseline:
    """An empty baseline of one of the `BASELINES` for a search of ``game`` that makes two
    traversals an iteration. Raises OptionError.
    """
    verify_baseline(kind)
    rate = verify_rate(rate)
    if kind == "off":
        return NoBaseline()
    table = new_table(per_action=2, rows=2 * (game.max_depth + 1), row_actions=most_known(game))
    if kind == "predictive":
        return PredictiveBaseline(table, True, rate)
    return Baseline(table, kind == "history", rate)


def ready_baseline(baseline: Any, memory: int) -> Any:
    """The same with room for the next iteration, or without growing any more if it would take more
    than ``memory`` bytes: see `made_ready`.
    """
    return (
        replace(baseline, table=made_ready(baseline.table, memory)) if baseline.KNOWS else baseline
    )


def baseline_bytes(baseline: Any) -> int:
    """What a baseline takes in memory."""
    return num_bytes(baseline.table) if baseline.KNOWS else 0
