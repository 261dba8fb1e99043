"""Answers to a model of the opponent in gadget games, which earn from the opponent's mistakes and
lose no more than is allowed.

In a public state S the opponent plays by the model with some probability, and anything with the
rest: see `trees.responding`. What may be lost is counted for each set I of the opponent in which S
is entered: an opponent who has I may earn t(I) and what may be lost, and no more. For then the
opponent can earn that much more in the whole game at most, whatever public states they go to.

t(I) is what I is worth against the strategy that was played so far. So what was risked at one move
is not risked again at the next one: of what may be lost, only the rest is left. The strategy that
was played so far loses nothing compared with itself, and is what answers are mixed into.

Where the trust is given and not the loss, it counts in the first gadget game. From then on, nothing
more may be lost.

With "reach" as the gadget, t(I) has the gifts in it, which may be lost besides: Ganzfried and
Sandholm (2015), "Safe opponent exploitation".
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.compiled.arrays import Floats, Indices, Keys
from hiddenhand.compiled.kernels import kernel
from hiddenhand.compiled.table import MISSING, InformationSetTable, num_sets
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.search.opponents import Model
from hiddenhand.search.resolving.gadget_tree import gates
from hiddenhand.search.resolving.gadgets import FOLLOW, TERMINATE, Gadget
from hiddenhand.trees.cfr import CFR
from hiddenhand.trees.profile import (
    best_sequence_values,
    multiply_sequences,
    realisation_plan,
    sequence_values,
    uniform_profile,
)
from hiddenhand.trees.repair import passes_in, seldom_sets
from hiddenhand.trees.responding import (
    Limits,
    keeps,
    restricted_response,
    safe_response,
)
from hiddenhand.trees.strategy import strategy_from_profile
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

_OF_WHAT_IS_MISSED: Final = 0.1
"""Of what the safe strategy misses an equilibrium by, what may be lost where nothing should be."""

_LEAST_PASSES: Final = 60
"""Best responses that there is time for, below which what is free is left alone."""


class Paid:
    """What is played against a model, from gadget to gadget of a match.

    model: what the opponent is believed to do.
    likely: ``float64[F]``, how likely the model goes to each history of the present frontier; None
        where nobody knows.
    told: what was done last, in a sentence.
    """

    def __init__(self, model: Model) -> None:
        if not model.tremble:
            _load()
        self.model = model
        self.likely: Floats | None = None
        self.told = ""
        self._gadget: Gadget | None = None
        self._played: InformationSetTable | None = None
        self._left = self._left_after = model.loss  # of what may be lost

    def begin(self, gadget: Gadget, played: InformationSetTable) -> None:
        """Turn to another gadget game. ``played``: the strategy in the one before."""
        self._gadget, self.likely = gadget, None
        self._played = played if num_sets(played) > 0 else None
        self._left = self._left_after

    def answer(self, run: CFR, safe: Floats, budget: Budget) -> Floats:
        """The profile ``float64[S]`` in which the resolver answers the model.

        run: CFR on the gadget game.
        safe: the profile that it found.
        """
        assert self._gadget is not None
        tree, player, seconds = run.tree, self._gadget.resolver, budget.seconds
        is_free = self.model.tremble > 0.0
        if is_free and seconds is not None and passes_in(seconds, tree) < _LEAST_PASSES:
            return safe
        entries = _Entries.of(tree, self._gadget)
        model = self._plan(tree, entries, safe)
        self.told = self._tell(tree, 1 - player, entries.set.size)
        if self.model.trust is not None and self._played is None:
            found = restricted_response(run, player, model, self.model.trust, budget)
            return np.where(tree.sequence_player == player, found, safe)
        limits = self._limits(tree, safe, player, entries)
        if is_free:  # after errors, what is sound is not given away
            fixed = seldom_sets(tree, safe)
            return safe_response(run, safe, player, model, limits, budget, fixed).profile
        base = self._base(tree, safe, player, model, limits)
        response = safe_response(run, base, player, model, limits, budget)
        plan = realisation_plan(tree, response.profile)
        earned = best_sequence_values(tree, plan, 1 - player)[limits.sequence]
        spared = float(((limits.most - earned) / entries.weight).min())
        self._left_after = min(max(spared, 0.0), self._left)
        return response.profile

    def _plan(self, tree: GameTree, entries: "_Entries", safe: Floats) -> Floats:
        """The plan ``float64[S]`` of the model. Where the opponent chooses whether to enter, it
        says how much likelier than in the gadget the model comes with each set.
        """
        assert self._gadget is not None
        plan = self.model.profile(tree, safe)
        if entries.set.size:
            plan[entries.sequence] = self._ratios(self._gadget)[entries.set]
            plan[entries.sequence + TERMINATE - FOLLOW] = 0.0
        multiply_sequences(tree.sequence_form, plan)
        return plan

    def _limits(self, tree: GameTree, safe: Floats, player: int, entries: "_Entries") -> Limits:
        if self.model.tremble > 0.0:
            # what is free need not be freer than the safe strategy is exact
            plan = realisation_plan(tree, safe)
            missed = sum(best_sequence_values(tree, plan, p)[p] for p in range(2)) / 2
            loss = _OF_WHAT_IS_MISSED * max(missed, 0.0)
            return entries.limits(tree, safe, player, loss, is_strict=True)
        return entries.limits(tree, safe, player, self._left, is_strict=False)

    def _tell(self, tree: GameTree, opponent: int, num_gates: int) -> str:
        """What is done, in a sentence; nothing where nobody has asked for it."""
        if self.model.tremble > 0.0:
            return ""
        told = "the model of the opponent is answered"
        if unknown := self.model.unknown(tree, opponent) - num_gates:
            told += (
                f"; it says nothing in {unknown:,} of {tree.sets_of(opponent).size - num_gates:,} "
                "information sets, where all actions are taken to be alike"
            )
        return told

    def _ratios(self, gadget: Gadget) -> Floats:
        """``float64[G]``: how likely the model comes with each set of the opponent, divided by how
        likely the gadget takes that to be; on average 1.
        """
        sets = gadget.payoff.size
        if self.likely is None:
            return np.ones(sets)
        mass = np.bincount(gadget.set, gadget.probability, sets)
        told = np.bincount(gadget.set, gadget.probability * self.likely / gadget.reach[:, 1], sets)
        if not told.sum() > 0.0:  # by the model nobody comes here: it says nothing
            return np.ones(sets)
        return told / np.where(mass > 0.0, mass, 1.0) / told.sum()

    def _base(
        self, tree: GameTree, safe: Floats, player: int, model: Floats, limits: Limits
    ) -> Floats:
        """What answers are mixed into: the strategy that was played so far, if it keeps within the
        limits and earns more than the ``safe`` one.
        """
        if self._played is None:
            return safe
        played = safe.copy()
        _read(self._played, tree.set_key, tree.set_start, played)
        before, now = (realisation_plan(tree, one) for one in (played, safe))
        worth = sequence_values(tree, model, player)
        if worth @ before > worth @ now and keeps(tree, before, player, limits):
            return played
        return safe


@dataclass(frozen=True)
class _Entries:
    """Where the opponent enters a gadget game: at the root, or at each set that may terminate.

    set: ``int32[C]``, which of the opponent's sets of the gadget each is; empty at the root.
    sequence: ``int32[K]``, the opponent's sequences after entering; at the root the empty one.
    weight: ``float64[K]``, the others' part in the probability of each.
    worth: ``float64[K]``, what the opponent can have instead, times the weight; 0 at the root.
    """

    set: Indices
    sequence: Indices
    weight: Floats
    worth: Floats

    @staticmethod
    def of(tree: GameTree, gadget: Gadget) -> "_Entries":
        """Those of a gadget game that is written out."""
        entered = gates(gadget)
        if not entered.size:
            opponent = np.array([1 - gadget.resolver], np.int32)
            return _Entries(entered, opponent, np.ones(1), np.zeros(1))
        mass = np.bincount(gadget.set, gadget.probability, gadget.payoff.size)
        weight = np.asarray(mass[entered], np.float64)
        sequence = tree.set_start[: entered.size] + FOLLOW
        return _Entries(entered, sequence.astype(np.int32), weight, weight * gadget.payoff[entered])

    def limits(
        self, tree: GameTree, safe: Floats, player: int, loss: float, *, is_strict: bool
    ) -> Limits:
        """That nowhere more than ``loss`` is lost, compared with what the opponent can have instead
        or can have against the ``safe`` strategy, whichever is more; if it is strict, compared with
        the second.
        """
        plan = realisation_plan(tree, safe)
        earned = best_sequence_values(tree, plan, 1 - player)[self.sequence]
        most = earned if is_strict or not self.set.size else np.maximum(earned, self.worth)
        return Limits(self.sequence, most + loss * self.weight)


@cache
def _load() -> None:
    """Have everything compiled, or loaded, that answers need, before a clock runs."""
    tree = unroll(KuhnPoker())
    profile = uniform_profile(tree)
    model = Model(strategy_from_profile(tree, profile), None, 0.0, gifts=False)
    _read(model.table, tree.set_key, tree.set_start, model.profile(tree, profile))


@kernel
def _read(table: InformationSetTable, keys: Keys, starts: Indices, profile: Floats) -> None:
    """Write what a table with one run a row says into a profile, in the sets that it has."""
    for i in range(keys.size):
        row = table.find(keys[i])
        if row != MISSING:
            for s in range(starts[i], starts[i + 1]):
                profile[s] = table.values[row + s - starts[i]]
