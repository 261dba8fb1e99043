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

from hiddenhand.compiled.arrays import Flags, Floats, Indices, Integers, Keys
from hiddenhand.compiled.bridge import Compiled
from hiddenhand.compiled.keys import mix
from hiddenhand.compiled.views import view
from hiddenhand.compiled.walk import advance_within
from hiddenhand.games.base import CHANCE, TERMINAL, Game, Probabilities, State
from hiddenhand.games.wrapped import Wrapped
from hiddenhand.search.belief.public_states import Frontier, root_frontier

GADGETS: Final = ("resolving", "max_margin", "reach")
FOLLOW: Final = 0
TERMINATE: Final = 1


_PHASE, _SET, _HISTORY, _GAME_KEYS = 0, 1, 2, 3  # where things begin in the state
_CHOOSE, _DRAW, _PLAY, _OVER = range(4)  # phases
_BEGUN = 1 << 40  # public token "a history was drawn"; far from the tokens of any game
# the opponent's set at the root of a max-margin gadget
_CHOICE: Any = np.uint64(0xA24BAED4963EE407)
_THREE = np.uint64(3)


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


@dataclass(frozen=True)
class GadgetGame(Wrapped):
    """What the gadget games share: a history of the frontier is drawn, and after that ``game`` is
    played on from this history.

    Information sets of ``game`` have the keys that they have in ``game``. The state holds the
    phase, the opponent's set, the history drawn, the keys of ``game``, and its state.

    game: the game that is resolved.
    gadget: a `Gadget`, with the frontier and what the opponent can have instead.
    """

    gadget: Any

    draws_chance = False  # chance's outcomes are the histories of the frontier, which are listed

    @property
    def state_size(self) -> int:
        return _GAME_KEYS + self.game.num_players + 1 + self.game.state_size

    @property
    def max_chance_outcomes(self) -> int:
        return max(self.game.max_chance_outcomes, self.gadget.probability.size)

    @property
    def max_depth(self) -> int:
        return self.game.max_depth + 2

    def inner_state(self, state: State) -> State:
        """The state of ``game``, which means nothing before a history is drawn."""
        return view(state, _GAME_KEYS + self.game.num_players + 1, self.game.state_size)

    def keys_in(self, state: State) -> Keys:
        """The keys of ``game``, which mean nothing before a history is drawn."""
        return view(state, _GAME_KEYS, self.game.num_players + 1).view(np.uint64)

    def initial_state(self, state: State) -> None:
        state[:] = 0

    def current_player(self, state: State) -> int:
        if state[_PHASE] == _CHOOSE:
            return 1 - self.gadget.resolver
        if state[_PHASE] == _DRAW:
            return CHANCE
        if state[_PHASE] == _OVER:
            return TERMINAL
        return self.game.current_player(self.inner_state(state))

    def _begin_play(self, state: State, drawn: int, observations: Integers) -> None:
        """Put history number ``drawn`` of the frontier into ``state``. It is public that a history
        was drawn. Each player gets what they had noticed in it, as one token.
        """
        keys, inner = self.keys_in(state), self.inner_state(state)
        state[_SET], state[_HISTORY] = self.gadget.set[drawn], drawn
        for i in range(inner.size):
            inner[i] = self.gadget.state[drawn, i]
        for observer in range(keys.size):
            keys[observer] = self.gadget.keys[drawn, observer]
            observations[observer] = np.int64(keys[observer] >> _THREE) + 1
        observations[keys.size - 1] = _BEGUN

    def _go_on(self, state: State, action: int, observations: Integers) -> None:
        inner = self.inner_state(state)
        advance_within(
            self.game,
            inner,
            self.game.current_player(inner),
            action,
            self.keys_in(state),
            observations,
        )

    # --- for people ---

    def action_name(self, state: State, player: int, action: int) -> str:
        return str(action)

    def parse_action(self, state: State, player: int, text: str) -> int:
        return Game.parse_action(self, state, player, text)

    def render(self, state: State, player: int) -> str:
        if state[_PHASE] == _PLAY:
            return self.game.render(self.inner_state(state), player)
        return "the subgame has not begun"


@dataclass(frozen=True)
class ResolvingGame(GadgetGame):
    """The resolving gadget and, if the payoffs have gifts in them, the reach gadget."""

    @property
    def max_actions(self) -> int:
        return max(self.game.max_actions, 2)

    def initial_state(self, state: State) -> None:
        state[:] = 0
        state[_PHASE] = _DRAW

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        if state[_PHASE] == _CHOOSE:
            actions[0], actions[1] = FOLLOW, TERMINATE
            return 2
        return self.game.legal_actions(self.inner_state(state), player, actions)

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        if state[_PHASE] == _PLAY:
            return self.game.chance_outcomes(self.inner_state(state), actions, probabilities)
        count = 0
        for h in range(self.gadget.probability.size):
            if self.gadget.probability[h] > 0.0:
                actions[count], probabilities[count] = h, self.gadget.probability[h]
                count += 1
        return count

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        if state[_PHASE] == _PLAY:
            self._go_on(state, action, observations)
        elif state[_PHASE] == _DRAW:
            self._begin_play(state, action, observations)
            state[_PHASE] = _CHOOSE if self.gadget.may_terminate[state[_SET]] else _PLAY
        else:
            state[_PHASE] = _PLAY if action == FOLLOW else _OVER

    def returns(self, state: State, player: int) -> float:
        if state[_PHASE] == _PLAY:
            return self.game.returns(self.inner_state(state), player)
        paid = self.gadget.payoff[state[_SET]]
        return -paid if player == self.gadget.resolver else paid

    def information(self, state: State, player: int, key: int) -> int:
        own = self.keys_in(state)[player]
        if state[_PHASE] == _CHOOSE:
            return mix(own)
        return self.game.information(self.inner_state(state), player, own)


@dataclass(frozen=True)
class MaxMarginGame(GadgetGame):
    """The max-margin gadget: the opponent chooses a set I, chance draws a history of I by p(h), and
    t(I) is subtracted from what the opponent is paid.
    """

    @property
    def max_actions(self) -> int:
        return max(self.game.max_actions, self.gadget.payoff.size)

    @property
    def max_utility(self) -> float:
        return 2.0 * self.game.max_utility

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        if state[_PHASE] == _PLAY:
            return self.game.legal_actions(self.inner_state(state), player, actions)
        count = 0
        for chosen in range(self.gadget.payoff.size):
            if self._mass(chosen) > 0.0:
                actions[count] = chosen
                count += 1
        return count

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        if state[_PHASE] == _PLAY:
            return self.game.chance_outcomes(self.inner_state(state), actions, probabilities)
        count, mass = 0, self._mass(state[_SET])
        for h in range(self.gadget.probability.size):
            if self.gadget.set[h] == state[_SET] and self.gadget.probability[h] > 0.0:
                actions[count], probabilities[count] = h, self.gadget.probability[h] / mass
                count += 1
        return count

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        if state[_PHASE] == _PLAY:
            self._go_on(state, action, observations)
        elif state[_PHASE] == _CHOOSE:
            state[_PHASE], state[_SET] = _DRAW, action
        else:
            self._begin_play(state, action, observations)
            state[_PHASE] = _PLAY

    def returns(self, state: State, player: int) -> float:
        margin = self.gadget.payoff[state[_SET]]
        paid = self.game.returns(self.inner_state(state), player)
        return paid + margin if player == self.gadget.resolver else paid - margin

    def information(self, state: State, player: int, key: int) -> int:
        if state[_PHASE] == _CHOOSE:
            return _CHOICE
        return self.game.information(self.inner_state(state), player, self.keys_in(state)[player])

    def _mass(self, chosen: int) -> float:
        total = 0.0
        for h in range(self.gadget.probability.size):
            if self.gadget.set[h] == chosen:
                total += self.gadget.probability[h]
        return total


def choice_keys(gadget: Gadget, kind: str) -> Keys:
    """``uint64[C]``: the keys of the information sets in which the opponent chooses before the
    subgame begins. They are sets of the gadget game, and not of the game.
    """
    if kind == "max_margin":
        return np.array([_CHOICE], np.uint64)
    own = np.unique(gadget.keys[:, 1 - gadget.resolver])
    return np.array([mix(key) for key in own], np.uint64)


def gadget_game(game: Game, gadget: Gadget, kind: str) -> GadgetGame:
    """The gadget of that kind (one of `GADGETS`) as a game."""
    return MaxMarginGame(game, gadget) if kind == "max_margin" else ResolvingGame(game, gadget)
