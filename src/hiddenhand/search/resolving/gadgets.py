"""Gadget games: a subgame is solved anew, and kept safe by what the opponent could have had instead
of entering it.

Sustr, Kovarik and Lisy (2019), Section 3.3, after Burch, Johanson and Bowling (2014). The searching
player, the *resolver*, plays the subgame of a public state S anew, given the ranges that lead there
and how much the opponent's sets are worth. In the resolving gadget

- chance draws a history h of the upper frontier of S, in proportion to p(h);
- the opponent, who knows their own augmented set I of h, *follows* into h, or *terminates* and is
  paid t(I);
- from h on, everything is as in the game, information sets and their keys included.

pi_r, pi_o, pi_c   the resolver's, the opponent's and chance's part in the probability of h;
pi_{-o}            pi_r pi_c, the part of all but the opponent;
v(h)               what the opponent is believed to be paid on average from h on;
t(I)               sum_h pi_{-o}(h) v(h) / sum_h pi_{-o}(h) over h in I, kept within what the game
                   can pay;
p(h)               pi_{-o}(h), or, with a floor, pi_{-o}(h) (pi_o(h) + floor max pi_o), where max
                   pi_o is the largest pi_o in S. The second one pays more attention to what the
                   opponent is likely to have done. It does not change what is optimal in any set I,
                   because pi_o is the same for all h in I

In the paper all payoffs are also multiplied by sum_S pi_{-o}(h); without that factor, as here, the
game is the same. The opponent cannot terminate if one set covers the whole frontier, because there
is nothing to choose between, nor if no value is known at all. A set whose value is not known gets
the mean of the others.

In the *max-margin* gadget (Moravcik et al. 2016) the opponent chooses the set I, and t(I) is
subtracted from what the opponent is paid. So the resolver maximises the smallest margin, whereas in
the resolving gadget it only keeps all margins from being negative. The *reach* gadget (Brown and
Sandholm 2017) is the resolving gadget with t(I) raised by the gift g(I): what the opponent gave
away on the way to I, compared with a best response.

Dimensions: F histories in the frontier, G augmented sets of the opponent among them.
"""

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.games.base import Game
from hiddenhand.jit.arrays import Flags, Floats, Indices, Integers, Keys
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.observation_keys import mix
from hiddenhand.search.belief.public_states import FIRST_HISTORY, Frontier, root_frontier

GADGETS: Final = ("resolving", "max_margin", "reach")
FOLLOW: Final = 0
TERMINATE: Final = 1
_UNSAFE: Final = 30.0  # how many times worse it is to lose safety than to let the opponent earn

CHOICE: Any = np.uint64(0xA24BAED4963EE407)
"""The opponent's set at the root of a max-margin gadget."""


@dataclass(frozen=True)
class Gadget(Compiled):
    """What all gadget games of a public state are made of.

    resolver: the player whose strategy is sought.
    state: ``int64[F, state_size]``, the state after each history.
    keys: ``uint64[F, P + 1]``, the key of each player, and last the public key.
    history: ``uint64[F]``, the keys of the histories.
    probability: ``float64[F]``, p(h) normalised.
    reach: ``float64[F, 3]``, the three parts whose product is p(h) before it is normalised: pi_r;
        pi_o + floor max pi_o, or 1 without a floor; and pi_c.
    focus: ``bool[F]``, whether the history is in the resolver's present information set.
    set: ``int32[F]``, the opponent's set of each history.
    payoff: ``float64[G]``, t(I).
    may_terminate: ``bool[G]``, whether the opponent may take t(I) instead of playing on.
    """

    resolver: int
    state: Integers = field(repr=False)
    keys: Keys = field(repr=False)
    history: Keys = field(repr=False)
    probability: Floats
    reach: Floats = field(repr=False)
    focus: Flags = field(repr=False)
    set: Indices
    payoff: Floats
    may_terminate: Flags

    @property
    def size(self) -> int:
        """F, the number of histories."""
        return self.probability.size


def root_gadget(game: Game, resolver: int) -> Gadget:
    """The gadget of the whole game, in which no player has a choice before the game begins."""
    return build_gadget(
        game, root_frontier(game), resolver, np.full(1, np.nan), np.zeros(1), floor=None
    )


def is_whole(gadget: Gadget) -> bool:
    """Whether it is the gadget of the whole game."""
    return gadget.size == 1 and bool(gadget.history[0] == FIRST_HISTORY)


def build_gadget(
    game: Game,
    frontier: Frontier,
    resolver: int,
    values: Floats,
    gifts: Floats,
    floor: float | None,
) -> Gadget:
    """The gadget of a public state.

    game: the game.
    frontier: the histories with which the public state is entered.
    resolver: the player whose strategy is sought.
    values: ``float64[F]``, v(h), NaN where it is not known.
    gifts: ``float64[F]``, g(I) of the set I that each history is in.
    floor: the floor in p(h), above 0; None for p(h) = pi_{-o}(h).
    """
    opponent = 1 - resolver
    sets, group = np.unique(frontier.keys[:, opponent], return_inverse=True)
    reach = _parts(frontier, resolver, floor)
    ours, product = reach[:, 0] * reach[:, 2], reach.prod(axis=1)
    payoff, known = _terminate_payoffs(group, sets.size, ours, values, gifts)
    may_terminate = known & (sets.size > 1)
    largest = game.max_utility
    return Gadget(
        resolver=resolver,
        state=frontier.state,
        keys=frontier.keys,
        history=frontier.history,
        probability=product / product.sum(),
        reach=reach,
        focus=frontier.focus,
        set=group.ravel().astype(np.int32),
        payoff=np.clip(payoff, -largest, largest),
        may_terminate=may_terminate,
    )


def _terminate_payoffs(
    group: npt.NDArray[np.intp], sets: int, ours: Floats, values: Floats, gifts: Floats
) -> tuple[Floats, Flags]:
    """t(I), and whether it is known: for all sets or for none."""
    known = ~np.isnan(values)
    if not known.any():
        return np.zeros(sets), np.zeros(sets, np.bool_)
    worth = np.where(known, values, 0.0)
    mass = ours * known
    total, mean = np.bincount(group, mass, sets), np.bincount(group, mass * worth, sets)
    plain = (
        np.bincount(group, known, sets),
        np.bincount(group, known * worth, sets),
    )  # for sets that the resolver's strategy does not reach
    overall = (
        float(worth[known].mean())
        if not mass.sum() > 0
        else float((mass * worth).sum() / mass.sum())
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        payoff = np.where(
            total > 0, mean / total, np.where(plain[0] > 0, plain[1] / plain[0], overall)
        )
    gift = np.zeros(sets)
    gift[group] = gifts
    return payoff + gift, np.ones(sets, np.bool_)


def _parts(frontier: Frontier, resolver: int, floor: float | None) -> Floats:
    """``float64[F, 3]``, see `Gadget.reach`. If the resolver's strategy never comes here, pi_r is 1
    for all histories.
    """
    chance = frontier.weight * frontier.reach[:, -1]
    ours, theirs = frontier.reach[:, resolver], frontier.reach[:, 1 - resolver]
    if not (ours * chance).sum() > 0:
        ours = np.ones(frontier.size)
    most = float(theirs.max())
    looks = np.ones(frontier.size) if floor is None or not most > 0 else theirs + floor * most
    return np.stack([ours, looks, chance], axis=1)


def choice_keys(gadget: Gadget, kind: str) -> Keys:
    """``uint64[C]``: the keys of the information sets in which the opponent chooses before the
    subgame begins. They are sets of the gadget game, and not of the game.
    """
    if kind == "max_margin":
        return np.array([CHOICE], np.uint64)
    own = np.unique(gadget.keys[:, 1 - gadget.resolver])
    return np.array([mix(key) for key in own], np.uint64)


def danger(earned: Floats, gate: Floats | None) -> float:
    """How dangerous a strategy is: what the opponent earns, and, which counts for far more, how
    much of that is above t(I), which the opponent must not earn. A solution keeps safe once it is
    good. After a few iterations it is not, and a blueprint may be less dangerous.

    earned: ``float64[G]``, what a best response to the strategy earns with each of the opponent's
        sets, times how much attention the set gets.
    gate: ``float64[G]``, t(I) times the same; None where the opponent has no such choice.
    """
    above = 0.0 if gate is None else float(np.maximum(earned - gate, 0.0).sum())
    return float(earned.sum()) + _UNSAFE * above
