"""The twin of `hiddenhand.search.resolving.gadget_tree`: gadget games as games like any other,
around the game that is resolved. So their rules can be read, and any solver can solve them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hiddenhand.games.base import CHANCE, TERMINAL, Game, Probabilities, State
from hiddenhand.games.wrapped import Wrapped
from hiddenhand.jit.arrays import Integers, Keys
from hiddenhand.jit.history_step import _clear, _notice
from hiddenhand.jit.kernels import inline
from hiddenhand.jit.observation_keys import mix
from hiddenhand.jit.views import view
from hiddenhand.search.resolving.gadgets import CHOICE, FOLLOW, TERMINATE, Gadget

_PHASE, _SET, _HISTORY, _GAME_KEYS = 0, 1, 2, 3  # where things begin in the state
_CHOOSE, _DRAW, _PLAY, _OVER = range(4)  # phases
_BEGUN = 1 << 40  # public token "a history was drawn"; far from the tokens of any game
_THREE = np.uint64(3)


@inline
def advance_within(
    game: Any, state: Integers, player: int, action: int, keys: Keys, observations: Integers
) -> None:
    """`advance`, for the rules of a game that contains another game. Such rules run within
    `advance`, which compiled code must not call a second time from there.
    """
    _clear(observations, game.num_players)
    game.apply_action(state, action, observations)
    _notice(keys, game.num_players, player, action, observations)


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
            return CHOICE
        return self.game.information(self.inner_state(state), player, self.keys_in(state)[player])

    def _mass(self, chosen: int) -> float:
        total = 0.0
        for h in range(self.gadget.probability.size):
            if self.gadget.set[h] == chosen:
                total += self.gadget.probability[h]
        return total


def gadget_game(game: Game, gadget: Gadget, kind: str) -> GadgetGame:
    """The gadget of that kind (one of `GADGETS`) as a game."""
    return MaxMarginGame(game, gadget) if kind == "max_margin" else ResolvingGame(game, gadget)
