"""How to earn from an opponent who errs, and stay safe: restricted Nash responses.

A *model* says what the opponent is believed to do: a strategy, right or wrong. A best response to
it earns most where it is right, and may lose everything where it is not. An equilibrium loses
nothing, and earns little. Between the two lie the *restricted Nash responses* of Johanson,
Zinkevich and Bowling (2007), "Computing robust counter-strategies": the equilibria of the game in
which the opponent is held to the model with probability p, the *trust*, and is free otherwise. They
are the best trades there are between what is earned against the model and what may be lost.

CFR finds them. Let m be the plan of the model, and y that of the free opponent, which CFR changes
in each iteration. The responder sees the plan p m + (1 - p) y of the opponent in place of y.

`safe_response` takes limits for what may be lost, and finds the trust for them. Plans may be mixed:
of two plans x and x', the plan (1 - w) x + w x' earns the mixture of what they earn, and loses at
most the mixture of what they lose. So what is returned is never a plan that loses too much, however
little time there was: what is lost is computed exactly, by best responses.

With the letters of `profile`: S sequences. A plan is the product of a player's own probabilities.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hiddenhand import clock
from hiddenhand.budget import Budget
from hiddenhand.errors import OptionError
from hiddenhand.games.base import verify_constant_sum
from hiddenhand.jit.arrays import Flags, Floats, Indices
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import kernel_apart
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.solvers.cfr import CFR, Iterations
from hiddenhand.trees.profile import (
    best_response,
    best_sequence_values,
    multiply_sequences,
    normalised,
    realisation_plan,
    sequence_values,
)
from hiddenhand.trees.tree import GameTree

TRUSTS: Final = (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0)
FIRST_TRUST: Final = 0.2
_ROUNDS: Final = 7  # trusts that are tried
_HALVINGS: Final = 20  # of the share of one plan in a mixture
_SOLVING: Final = 0.5  # of the time that goes into responses; the rest is for best responses
_ROUNDING: Final = 1e-10  # of the largest payoff


@dataclass(frozen=True)
class Limits:
    """What the opponent may earn at most.

    sequence: ``int[K]``, sequences of the opponent.
    most: ``float64[K]``, of each, what it may be worth to an opponent who plays on as well as
        possible, weighed by the part of the others in getting there.
    """

    sequence: Indices
    most: Floats


@dataclass(frozen=True, eq=False)
class Response:
    """What is played against a model.

    profile: ``float64[S]``, in which the responder plays the response.
    gain: what the response earns against the model.
    trust: the p of the restricted Nash response in it; 0 where there is none.
    share: how much of that is mixed into the safe strategy.
    """

    profile: Floats
    gain: float
    trust: float
    share: float


@dataclass(frozen=True)
class TradeOff:
    """What restricted Nash responses earn and lose. Tuples over players are in order of the seats.

    trust: p; 1 for best responses.
    gains: what the response of each player earns against the model.
    losses: how much more the opponent can earn against it than against a safe strategy.
    """

    trust: float
    gains: tuple[float, ...]
    losses: tuple[float, ...]

    @property
    def gain(self) -> float:
        """The mean over seats."""
        return sum(self.gains) / len(self.gains)

    @property
    def loss(self) -> float:
        """The mean over seats."""
        return sum(self.losses) / len(self.losses)


def trade_offs(
    tree: GameTree,
    model: Floats,
    trusts: Sequence[float] = TRUSTS,
    iterations: int = 2000,
    progress: Progress = SILENT,
) -> list[TradeOff]:
    """What can be earned against a model ``float64[S]``, a profile, and what is risked by it.

    trusts: from 0, an equilibrium, to 1, best responses.
    iterations: of CFR, for the safe strategy and for each response.
    progress: receives reports of how many trusts are done.

    Raises GameError unless the game is zero-sum for two players, OptionError for a bad trust.
    """
    verify_constant_sum(tree.game, "a restricted Nash response", "cfr")
    for trust in trusts:
        if not 0 <= trust <= 1:
            raise OptionError(f"trust={trust} is not allowed; give a probability")
    plan, run = realisation_plan(tree, model), CFR(tree, "pdcfr+")
    run.iterate(iterations)
    safe = run.average_profile()
    found = list[TradeOff]()
    for trust in trusts:
        pairs = [_earned_and_lost(run, safe, p, plan, trust, iterations) for p in range(2)]
        gains, losses = zip(*pairs, strict=True)
        found.append(TradeOff(trust, gains, losses))
        progress.update(Report(len(found), len(trusts), "trusts"))
    return found


def _earned_and_lost(
    run: CFR, safe: Floats, player: int, model: Floats, trust: float, iterations: int
) -> tuple[float, float]:
    tree, opponent = run.tree, 1 - player
    if trust == 1.0:
        response = _best_response_to(tree, model, player)
    elif trust == 0.0:
        response = safe
    else:
        response = restricted_response(run, player, model, trust, Budget(iterations))
    plan = realisation_plan(tree, response)
    worst = (
        best_sequence_values(tree, against, opponent)[opponent]
        for against in (plan, realisation_plan(tree, safe))
    )
    lost = float(next(worst) - next(worst))
    return float(sequence_values(tree, model, player) @ plan), lost


def _best_response_to(tree: GameTree, model: Floats, player: int) -> Floats:
    return best_response(tree, normalised(tree, model), player).profile


def keeps(tree: GameTree, plan: Floats, player: int, limits: Limits) -> bool:
    """Whether the opponent of ``player`` earns no more than ``limits`` allow against a plan
    ``float64[S]``.
    """
    worth = best_sequence_values(tree, plan, 1 - player)[limits.sequence]
    return bool((worth <= limits.most + _ROUNDING * np.abs(tree.utility).max()).all())


def restricted_response(
    run: CFR, player: int, model: Floats, trust: float, budget: Budget
) -> Floats:
    """The restricted Nash response of ``player``, as a profile ``float64[S]``, in which the
    opponent plays freely.

    run: CFR on the game, from whose regrets this one goes on. It does not change.
    model: ``float64[S]``, the plan that the opponent is believed to follow.
    trust: p, from 0 to below 1.
    """
    verify_constant_sum(run.tree.game, "a restricted Nash response", "cfr")
    verify_trust(trust)
    iterations = replace(
        run.going_on(np.zeros(1, np.int64)),
        regret=run.regret.copy(),
        last_regret=run.last_regret.copy(),
        average=np.zeros(run.tree.num_sequences),
        strategy=run.strategy.copy(),
    )
    restricted = _Restricted(iterations, player, trust, model)

    def work(count: int) -> int:
        _run(restricted, count)
        return count

    budget.spend(work)
    return normalised(run.tree, iterations.average)


def safe_response(
    run: CFR,
    safe: Floats,
    player: int,
    model: Floats,
    limits: Limits,
    budget: Budget,
    fixed: Flags | None = None,
) -> Response:
    """Of mixtures of a safe strategy and restricted Nash responses, one that earns most against a
    model and keeps within limits.

    run: CFR on the game. It does not change.
    safe: ``float64[S]``, the profile in which ``player`` plays the safe strategy, which is taken to
        keep within limits.
    model: ``float64[S]``, the plan that the opponent is believed to follow.
    limits: what the opponent may earn.
    budget: for all responses that are tried.
    fixed: ``bool[I]``, in which information sets the safe strategy stays as it is; None for none.
    """
    tree, began = run.tree, clock.now()
    worth = sequence_values(tree, model, player)
    plan = realisation_plan(tree, safe)
    best = Response(safe, float(worth @ plan), 0.0, 0.0)
    stays = tree.sequence_player != player
    if fixed is not None:
        stays |= tree.of_sets(fixed)
    least, most, trust = 0.0, 1.0, FIRST_TRUST
    for number in range(_ROUNDS):
        if _is_late(budget, began, number):
            break
        found = restricted_response(run, player, model, trust, _part(budget))
        tried = realisation_plan(tree, np.where(stays, safe, found))
        share = _largest_share(tree, plan, tried, player, limits, _part(budget).seconds)
        mixed = (1.0 - share) * plan + share * tried
        if (gain := float(worth @ mixed)) > best.gain:
            best = Response(_profile_of(tree, mixed, safe), gain, trust, share)
        least, most = (trust, most) if share == 1.0 else (least, trust)
        trust = (least + most) / 2
    return best


def _part(budget: Budget) -> Budget:
    """The budget of one round."""
    iterations, seconds = budget.iterations, budget.seconds
    return Budget(
        None if iterations is None else max(iterations // _ROUNDS, 1),
        None if seconds is None else _SOLVING * seconds / _ROUNDS,
    )


def _is_late(budget: Budget, began: float, rounds: int) -> bool:
    """Whether another round, as long as those before, would take too long."""
    if budget.seconds is None:
        return False
    took = clock.now() - began
    return took + took / max(rounds, 1) > budget.seconds


def _largest_share(
    tree: GameTree,
    plan: Floats,
    other: Floats,
    player: int,
    limits: Limits,
    seconds: float | None,
) -> float:
    """How much of ``other`` may be mixed into ``plan`` within limits, but for a millionth, or for
    what cannot be found out in a time.
    """
    began = clock.now()
    if keeps(tree, other, player, limits):
        return 1.0
    look = clock.now() - began
    halvings = _HALVINGS if seconds is None else min(_HALVINGS, int(seconds / max(look, 1e-7)))
    least, most = 0.0, 1.0
    for _ in range(halvings):
        share = (least + most) / 2
        if keeps(tree, (1.0 - share) * plan + share * other, player, limits):
            least = share
        else:
            most = share
    return least


def _profile_of(tree: GameTree, plan: Floats, elsewhere: Floats) -> Floats:
    """The profile ``float64[S]`` of a plan, and of ``elsewhere`` where the plan never comes."""
    reached = np.repeat(plan[tree.set_parent] > 0.0, np.diff(tree.set_start))
    found = normalised(tree, plan)
    found[tree.num_players :] = np.where(
        reached, found[tree.num_players :], elsewhere[tree.num_players :]
    )
    return found


def verify_trust(trust: float) -> float:
    """``trust`` as a number. Raises OptionError unless it is at least 0 and below 1."""
    if not 0 <= trust < 1:
        raise OptionError(
            f"trust={trust} is not allowed; give a probability from 0 to below 1, because at 1 "
            "nothing would guard against an opponent who plays otherwise"
        )
    return float(trust)


# --- CFR with a restricted opponent ---


@dataclass(frozen=True, eq=False)
class _Restricted(Compiled):
    """Iterations in which a player's opponent is held to a model now and then.

    iterations: those of CFR.
    player: who responds.
    trust: p.
    model: ``float64[S]``, the plan of the model.
    """

    iterations: Iterations
    player: int
    trust: float
    model: Floats

    def show(self, plan: Floats, shown: Floats) -> None:
        """Write into ``shown`` the plan of the opponent as the player sees it."""
        form, opponent = self.iterations.form, 1 - self.player
        for i in range(form.set_player.size):
            if form.set_player[i] == opponent:
                for s in range(form.set_start[i], form.set_start[i + 1]):
                    shown[s] = self.trust * self.model[s] + (1.0 - self.trust) * plan[s]
        shown[opponent] = 1.0


@kernel_apart
def _run(run: _Restricted, count: int) -> None:
    """Make ``count`` iterations after the ``done[0]`` ones before."""
    iterations = run.iterations
    values, shown = np.zeros(iterations.strategy.size), np.ones(iterations.strategy.size)
    plan = iterations.strategy.copy()
    multiply_sequences(iterations.form, plan)
    for _ in range(count):
        t = iterations.done[0] + 1
        for p in range(2):
            if p == run.player:
                run.show(plan, shown)
                iterations.collect(p, shown, values)
            else:
                iterations.collect(p, plan, values)
            iterations.update(p, t, plan, values)
            iterations.match_regrets(p, plan)
        iterations.done[0] = t
