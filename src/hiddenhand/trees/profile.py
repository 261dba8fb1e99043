"""How good is a strategy profile: expected values, counterfactual values, best responses,
exploitability. Everything is exact.

A profile is a ``float64[S]`` array over the sequences of a `GameTree`: the probability of each
action in its information set, and 1 for the empty sequences. Then, with the letters of Zinkevich et
al. (2007) and von Stengel (1996):

r [S]      realisation plan: the product of a player's own probabilities down to a sequence
pi_c(z)    chance's part in the probability of terminal history z
w_p(z)     pi_c(z) u_p(z) times the opponents' r: what z is worth to player p, weighted by
           all parts but the player's own
v_p [S]    counterfactual value of each sequence of p: all w_p below it, p continuing by the profile
           (or by a best response)

Perfect recall makes w_p depend on p only through p's last sequence. So all this takes one pass over
the terminal histories and one over the information sets, from the last to the first.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from hiddenhand.errors import OptionError
from hiddenhand.games.base import verify_player
from hiddenhand.jit.arrays import Floats, Indices, Integers
from hiddenhand.jit.kernels import kernel
from hiddenhand.trees.tree import GameTree, Histories, SequenceForm

_ROUNDING: Final = 1e-9
_TOLERANCE: Final = 1e-6  # how far the probabilities of an information set may be from summing to 1


@dataclass(frozen=True)
class BestResponse:
    """What a player can earn at most against a profile, and one way to earn it.

    player: who responds.
    value: what the player earns on average.
    profile: ``float64[S]``, the profile with the response in place of the player's strategy.
    """

    player: int
    value: float
    profile: Floats


def uniform_profile(tree: GameTree) -> Floats:
    """The profile ``float64[S]`` in which all legal actions are equally likely."""
    sizes = np.diff(tree.set_start)
    return np.concatenate([np.ones(tree.num_players), np.repeat(1.0 / sizes, sizes)])


def normalised(tree: GameTree, weights: Floats) -> Floats:
    """The profile proportional to non-negative ``weights`` ``float64[S]``; uniform in information
    sets where they are all 0.
    """
    own = proportional(weights[tree.num_players :], tree.set_start - tree.num_players)
    return np.concatenate([np.ones(tree.num_players), own])


def proportional(weights: Floats, starts: Indices | Integers) -> Floats:
    """Non-negative weights divided by the sums of their runs, which begin at ``starts[:-1]``;
    uniform in runs whose weights are all 0.
    """
    sizes = np.diff(starts)
    totals = np.repeat(np.add.reduceat(weights, starts[:-1]), sizes) if sizes.size else weights
    some = totals > 0
    return np.where(some, weights / np.where(some, totals, 1.0), np.repeat(1.0 / sizes, sizes))


def expected_values(tree: GameTree, profile: Floats) -> Floats:
    """``float64[P]``: what each player earns on average when all play ``profile``."""
    plan = realisation_plan(tree, profile)
    reach = tree.terminal_chance.copy()
    for p in range(tree.num_players):
        reach *= plan[tree.terminal_sequence[:, p]]
    return np.asarray(reach @ tree.utility)


def best_response(tree: GameTree, profile: Floats, player: int) -> BestResponse:
    """A deterministic best response of ``player`` to what the others do in ``profile``. Of equally
    good actions it takes the first.
    """
    response = verified_profile(tree, profile).copy()
    values = sequence_values(tree, realisation_plan(tree, profile), player)
    _maximise_up(tree.sequence_form, player, values, response)
    return BestResponse(player, float(values[player]), response)


def best_response_values(tree: GameTree, profile: Floats) -> Floats:
    """``float64[P]``: what each player's best response to ``profile`` earns."""
    return np.array([best_response(tree, profile, p).value for p in range(tree.num_players)])


def nash_conv(tree: GameTree, profile: Floats) -> float:
    """The sum over players of what a best response gains over playing ``profile``; 0 exactly in a
    Nash equilibrium.
    """
    return gap(best_response_values(tree, profile), expected_values(tree, profile))


def gap(responses: Floats, values: Floats) -> float:
    """nash_conv: the sum over players of what a best response gains; at least 0, which errors of
    rounding may miss.

    responses: ``float64[P]``, what each player's best response earns.
    values: ``float64[P]``, what each player earns.
    """
    gain = float(np.sum(responses - values))
    size = max(1.0, float(np.abs(responses).sum() + np.abs(values).sum()))
    return 0.0 if -_ROUNDING * size < gain < 0.0 else gain


def exploitability(tree: GameTree, profile: Floats) -> float:
    """`nash_conv` divided by the number of players: the mean gain of a best response."""
    return nash_conv(tree, profile) / tree.num_players


def sequence_values(tree: GameTree, plan: Floats, player: int) -> Floats:
    """``float64[S]``: the sum of w_player over the terminal histories whose last sequence of
    ``player`` it is.
    """
    verify_player(tree.game, player)
    values = np.zeros(tree.num_sequences)
    _collect(tree.sequence_form, plan, player, values)
    return values


def best_sequence_values(tree: GameTree, plan: Floats, player: int) -> Floats:
    """``float64[S]``: v_player of each sequence of ``player``, who plays a best response below it.

    plan: ``float64[S]``, a product of own probabilities, or a mixture of such products, of all
        other players.
    """
    values = sequence_values(tree, plan, player)
    _maximise_up(tree.sequence_form, player, values, np.zeros(tree.num_sequences))
    return values


def counterfactual_values(tree: GameTree, profile: Floats, player: int) -> Floats:
    """``float64[S]``: v_player of each sequence of ``player`` (0 elsewhere), all following
    ``profile`` below it.

    The entry of the player's empty sequence is the expected value of the game.
    """
    values = sequence_values(tree, realisation_plan(tree, profile), player)
    _average_up(tree.sequence_form, player, profile, values)
    return values


def reach_probabilities(tree: GameTree, profile: Floats) -> Floats:
    """``float64[H, P + 1]``: each player's part, and last chance's, in the probability of each
    history.
    """
    factors = np.ones((tree.num_histories, tree.num_players + 1))
    factors[:, -1] = tree.probability
    _fill_own_factors(tree.histories, verified_profile(tree, profile), factors)
    return factors


def reach_of_others(tree: GameTree, profile: Floats) -> Floats:
    """``float64[I]``: the part of chance and of all players but the one to move in the probability
    that a match comes to each information set.
    """
    decisions = np.flatnonzero(tree.information_set >= 0)
    factors = reach_probabilities(tree, profile)[decisions]
    factors[np.arange(decisions.size), tree.player[decisions]] = 1.0
    return np.bincount(tree.information_set[decisions], factors.prod(axis=1), tree.num_sets).astype(
        np.float64
    )


def reach_of_sets(tree: GameTree, plan: Floats, player: int) -> Floats:
    """``float64[I]``: the part of chance and of all others in the probability that a match comes to
    each information set of ``player``, 0 for the sets of others; faster than `reach_of_others`.

    plan: ``float64[S]``, the plans of all players.
    """
    reach = np.zeros(tree.num_sets)
    _pass_reach_up(tree.sequence_form, plan, player, np.zeros(tree.num_sequences), reach)
    return reach


def history_values(tree: GameTree, profile: Floats) -> Floats:
    """``float64[H, P]``: what each player earns on average from each history on, when all play
    ``profile``.
    """
    values = np.zeros((tree.num_histories, tree.num_players))
    values[tree.terminal] = tree.utility
    factors = np.where(tree.player[tree.parent] >= 0, 0.0, tree.probability)
    _fill_move_probabilities(tree.histories, verified_profile(tree, profile), factors)
    _average_histories(tree.parent, factors, values)
    return values


def realisation_plan(tree: GameTree, profile: Floats) -> Floats:
    """``float64[S]``: for each sequence the product of its player's own probabilities."""
    plan = verified_profile(tree, profile).copy()
    multiply_sequences(tree.sequence_form, plan)
    return plan


def verified_profile(tree: GameTree, profile: Floats) -> Floats:
    """``profile``, if it is one of ``tree``. Raises OptionError if not."""
    if not isinstance(profile, np.ndarray) or profile.shape != (tree.num_sequences,):
        raise OptionError(
            f"a profile of shape {np.shape(profile)} does not fit {tree}; it needs one number for "
            f"each of {tree.num_sequences} sequences"
        )
    if tree.num_sets:
        sums = np.add.reduceat(profile, tree.set_start[:-1])
        worst = int(np.argmax(np.abs(sums - 1.0)))
        if not abs(sums[worst] - 1.0) <= _TOLERANCE or not profile.min() >= 0.0:
            raise OptionError(
                f"this is no profile: probabilities in information set {worst} sum to "
                f"{sums[worst]:.9g}, the smallest of all is {profile.min():.9g}; "
                "they must not be negative and sum to 1 in each set"
            )
    return profile


# --- kernels; the last argument is modified in place, everything else is read only ---


@kernel
def multiply_sequences(form: SequenceForm, plan: Floats) -> None:
    """Turn the probability of each action into the product along its sequence."""
    for i in range(form.set_parent.size):
        reach = plan[form.set_parent[i]]
        for s in range(form.set_start[i], form.set_start[i + 1]):
            plan[s] *= reach


@kernel
def _collect(form: SequenceForm, plan: Floats, player: int, values: Floats) -> None:
    """Add w_player of every terminal history to the player's last sequence."""
    sequence = form.terminal_sequence
    for z in range(form.terminal_chance.size):
        w = form.terminal_chance[z] * form.utility[z, player]
        for p in range(sequence.shape[1]):
            if p != player:
                w *= plan[sequence[z, p]]
        values[sequence[z, player]] += w


@kernel
def _pass_reach_up(
    form: SequenceForm, plan: Floats, player: int, below: Floats, reach: Floats
) -> None:
    """Write the others' reach of each set of ``player``: that of all terminal histories below any
    one of its actions, because the others and chance surely go somewhere.
    """
    sequence = form.terminal_sequence
    for z in range(form.terminal_chance.size):
        w = form.terminal_chance[z]
        for p in range(sequence.shape[1]):
            if p != player:
                w *= plan[sequence[z, p]]
        below[sequence[z, player]] += w
    for i in range(form.set_parent.size - 1, -1, -1):
        if form.set_player[i] == player:
            reach[i] = below[form.set_start[i]]
            below[form.set_parent[i]] += reach[i]


@kernel
def _maximise_up(form: SequenceForm, player: int, values: Floats, response: Floats) -> None:
    """Take the best action in each set of ``player``, the last first: write it into ``response``,
    and add what it earns to the set's parent in ``values``.
    """
    for i in range(form.set_parent.size - 1, -1, -1):
        if form.set_player[i] != player:
            continue
        best = form.set_start[i]
        for s in range(form.set_start[i], form.set_start[i + 1]):
            response[s] = 0.0
            if values[s] > values[best]:
                best = s
        response[best] = 1.0
        values[form.set_parent[i]] += values[best]


@kernel
def _average_up(form: SequenceForm, player: int, profile: Floats, values: Floats) -> None:
    """Add the mean value of each set of ``player``, the last first, to the set's parent."""
    for i in range(form.set_parent.size - 1, -1, -1):
        if form.set_player[i] != player:
            continue
        value = 0.0
        for s in range(form.set_start[i], form.set_start[i + 1]):
            value += profile[s] * values[s]
        values[form.set_parent[i]] += value


@kernel
def _fill_own_factors(tree: Histories, profile: Floats, reach: Floats) -> None:
    """Turn the factors of chance into all players' parts in the probability of each history."""
    for h in range(1, tree.parent.size):
        before = tree.parent[h]
        for p in range(reach.shape[1]):
            reach[h, p] *= reach[before, p]
        if tree.player[before] >= 0:
            reach[h, tree.player[before]] *= profile[tree.sequence_to(h)]


@kernel
def _fill_move_probabilities(tree: Histories, profile: Floats, factors: Floats) -> None:
    """Write the probability of the last move before each history that a player made."""
    for h in range(1, tree.parent.size):
        if tree.player[tree.parent[h]] >= 0:
            factors[h] = profile[tree.sequence_to(h)]


@kernel
def _average_histories(parent: Indices, factors: Floats, values: Floats) -> None:
    """Add to the values of each history those of its children, the last first."""
    for h in range(parent.size - 1, 0, -1):
        for p in range(values.shape[1]):
            values[parent[h], p] += factors[h] * values[h, p]
