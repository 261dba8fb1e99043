"""Oshi-Zumo with a limit on the rounds, so that bids of 0 are possible: the game of OpenSpiel's
`oshi_zumo`, without its variant `alesia`.
"""

import math
from dataclasses import dataclass
from typing import Any

from hiddenhand.games.base import (
    SIMULTANEOUS,
    TERMINAL,
    EvaluationFunction,
    Game,
    State,
    verify_range,
)
from hiddenhand.games.oshi_zumo import _COINS, _MAX_COINS, _MAX_SIZE, _WRESTLER, OshiZumo
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules

_ROUNDS = 3  # where the state counts rounds
_MAX_HORIZON = 1_000_000


@dataclass(frozen=True)
class GeneralOshiZumo(OshiZumo):
    """Each round both pay a bid from their coins, and the higher one pushes the wrestler a step
    away; equal bids do not move him. The game also ends after ``horizon`` rounds.

    Everything else is as in `OshiZumo`: after the last round the player wins in whose opponent's
    half the wrestler is.

    Actions: the bid. Observations: public ``1 + bid_0 * (coins + 1) + bid_1``.

    coins: how many coins each player has, 1 to 1000.
    size: how many places there are on each side of the middle, 1 to 100.
    min_bid: the least bid of a player who has as much, 0 to ``coins``.
    horizon: how many rounds there are at most, 1 to 1,000,000.
    """

    horizon: int = 1000

    state_size = 4

    def __post_init__(self) -> None:
        verify_range(self, "coins", 1, _MAX_COINS)
        verify_range(self, "size", 1, _MAX_SIZE)
        verify_range(self, "min_bid", 0, self.coins)
        verify_range(self, "horizon", 1, _MAX_HORIZON)

    @property
    def _most_rounds(self) -> int:
        """How many rounds the coins of a player last, at most ``horizon``."""
        if self.min_bid == 0:
            return self.horizon
        return min(self.horizon, (self.coins + self.min_bid - 1) // self.min_bid)

    @property
    def max_depth(self) -> int:
        return self._most_rounds

    def initial_state(self, state: State) -> None:
        state[_COINS] = self.coins
        state[_COINS + 1] = self.coins
        state[_WRESTLER] = self.size
        state[_ROUNDS] = 0

    def current_player(self, state: State) -> int:
        broke = state[_COINS] == 0 and state[_COINS + 1] == 0
        pushed_out = state[_WRESTLER] < 0 or state[_WRESTLER] > 2 * self.size
        is_over = broke or pushed_out or state[_ROUNDS] == self.horizon
        return TERMINAL if is_over else SIMULTANEOUS

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        state[_COINS] -= actions[0]
        state[_COINS + 1] -= actions[1]
        state[_WRESTLER] += int(actions[0] > actions[1]) - int(actions[0] < actions[1])
        state[_ROUNDS] += 1
        observations[2] = 1 + actions[0] * (self.coins + 1) + actions[1]

    # --- for people ---

    @beside_rules
    def usual(self) -> Game | None:
        """The game of `OshiZumo` that is the same game, if there is one."""
        if self.min_bid == 0 or self.horizon * self.min_bid < self.coins:
            return None
        return OshiZumo(self.coins, self.size, self.min_bid)

    @PropertyBesideRules
    def rules_text(self) -> str:
        usual = OshiZumo(self.coins, self.size, max(self.min_bid, 1)).rules_text
        if self.min_bid == 0:
            usual = usual.replace(
                "A bid is of at least 1 coin; a player who has fewer bids all of them.",
                "A bid of no coins is possible.",
            )
        return f"{usual} The game also ends after {self.horizon:,} rounds."

    def evaluation(self) -> EvaluationFunction:
        return GeneralOshiZumoEvaluation()

    def render(self, state: State, player: int) -> str:
        picture, rounds = super().render(state, player), f"rounds to come: {self._to_come(state)}"
        return picture if self.current_player(state) == TERMINAL else f"{picture}\n{rounds}"

    @beside_rules
    def _to_come(self, state: State) -> int:
        return int(self.horizon - state[_ROUNDS])


@dataclass(frozen=True)
class GeneralOshiZumoEvaluation(EvaluationFunction):
    """As `OshiZumoEvaluation`, where a minimal bid of 0 counts as 1."""

    FAR_SIGHTED = True

    def evaluate(self, game: Any, state: State, player: int) -> float:
        coins = state[_COINS] - state[_COINS + 1]
        pushed = state[_WRESTLER] - game.size
        b = int(coins >= 0 and pushed >= 0) - int(coins <= 0 and pushed <= 0)
        value = math.tanh(b / 2 + (coins / max(game.min_bid, 1) + pushed) / 3)
        return value if player == 0 else -value
