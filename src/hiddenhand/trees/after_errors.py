"""How good is a strategy profile after errors.

nash_conv says nothing of information sets that play by the profile never reaches. Here all players
may err: in each information set a player plays any legal action, all equally likely, with a small
probability e, and by the profile otherwise. So every set is reached. The regret of a player in a
set is what a best response from there on would earn more than the profile does. There the others
erred on the way with a tiny e, and play by the profile from then on. So a Nash equilibrium regrets
nothing where it comes, and a sequential equilibrium whose beliefs come from such errors regrets
nothing anywhere.

There is one pass over the histories for each number d of decisions that a player has made before a
set: others err until the player's decision number d, and play by the profile after it.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from hiddenhand.errors import OptionError
from hiddenhand.jit.arrays import Floats, Indices
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import kernel
from hiddenhand.trees.profile import reach_probabilities, realisation_plan, uniform_profile
from hiddenhand.trees.tree import GameTree, Histories, SequenceForm

RARE: Final = 1e-6
"""The e with which others err on the way to a set."""


@dataclass(frozen=True)
class RegretAfterErrors:
    """What players regret at the information sets that are reached when all players err.

    mean: the average over the decisions of a match in which all players err: each set counts as
        often as matches with errors come to it.
    largest: the largest of all sets.
    at: the number of that set; -1 in a game without decisions.
    in_set: ``float64[I]``, of each set.
    """

    mean: float
    largest: float
    at: int
    in_set: Floats


def regret_after_errors(tree: GameTree, profile: Floats, error: float = 0.05) -> RegretAfterErrors:
    """What players regret after errors under ``profile`` ``float64[S]``, in the unit of payoffs.

    error: the e that says how often matches come to each set, for the mean; above 0 and at most 1.

    Raises OptionError for another e, and for an array that is no profile.
    """
    if not 0.0 < error <= 1.0:
        raise OptionError(f"error={error} is not allowed; give a probability above 0, at most 1")
    realisation_plan(tree, profile)  # says where it is no profile
    if not tree.num_sets:
        return RegretAfterErrors(0.0, 0.0, -1, np.zeros(0))
    erring = (1.0 - error) * profile + error * uniform_profile(tree)
    rarely = (1.0 - RARE) * profile + RARE * uniform_profile(tree)
    deciding = tree.information_set >= 0
    reach = reach_probabilities(tree, erring)[deciding].prod(axis=1)
    weight = np.bincount(tree.information_set[deciding], reach, tree.num_sets)
    before = tree.sequence_length[tree.set_parent]
    regret = np.zeros(tree.num_sets)
    for player in range(tree.num_players):
        for decisions in np.unique(before[tree.sets_of(player)]):
            _add_regrets(
                tree.histories,
                tree.sequence_form,
                before,
                _Errors(player, int(decisions), profile, rarely),
                regret,
            )
    at = int(np.argmax(regret))
    return RegretAfterErrors(
        float(np.average(regret, weights=weight)), float(regret[at]), at, regret
    )


@dataclass(frozen=True, eq=False)
class _Errors(Compiled):
    """Others err until ``player`` has made a number of ``decisions``.

    profile, erring: ``float64[S]``, how all play without errors, and with them.
    """

    player: int
    decisions: int
    profile: Floats
    erring: Floats


@kernel
def _add_regrets(
    tree: Histories, form: SequenceForm, before: Indices, errors: _Errors, regret: Floats
) -> None:
    """Write what the player regrets at the sets before which they have made those decisions.

    before: ``int32[I]``, how many decisions the player of a set has made before it.
    """
    player, decisions = errors.player, errors.decisions
    num_histories, num_sequences = tree.parent.size, errors.profile.size
    reach, made = np.ones(num_histories), np.zeros(num_histories, np.int64)
    by_profile, best = np.zeros(num_sequences), np.zeros(num_sequences)
    entered = np.zeros(before.size)
    for h in range(num_histories):
        if h > 0:
            parent = tree.parent[h]
            mover = tree.player[parent]
            made[h], reach[h] = made[parent], reach[parent] * tree.probability[h]
            if mover == player:
                made[h] += 1
            elif mover >= 0:
                probability = errors.erring if made[h] <= decisions else errors.profile
                reach[h] *= probability[tree.sequence_to(h)]
        z = tree.terminal_number[h]
        if z >= 0 and made[h] > decisions:
            by_profile[form.terminal_sequence[z, player]] += reach[h] * tree.utility[z, player]
        elif tree.player[h] == player and made[h] == decisions:
            entered[tree.information_set[h]] += reach[h]
    best[:] = by_profile
    for i in range(before.size - 1, -1, -1):
        if form.set_player[i] != player or before[i] < decisions:
            continue
        mean, most = 0.0, -np.inf
        for s in range(form.set_start[i], form.set_start[i + 1]):
            mean += errors.profile[s] * by_profile[s]
            most = max(most, best[s])
        if before[i] == decisions:
            if entered[i] > 0.0:  # else more errors lead there than a float can weigh
                regret[i] = (most - mean) / entered[i]
        else:
            by_profile[form.set_parent[i]] += mean
            best[form.set_parent[i]] += most
