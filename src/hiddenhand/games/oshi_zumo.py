"""Oshi-Zumo: bids of coins push a wrestler.

Source: Buro (2003), "Solving the Oshi-Zumo game"; rules, letters and evaluation function as in Lisy
(2014), thesis at the Czech Technical University in Prague, Section 4.1.1. The names of parameters
follow OpenSpiel, and so does the rule that a player with less than the minimal bid must bid all. A
minimal bid of 0, OpenSpiel's default, needs a limit on the number of rounds, which
`general_oshi_zumo` has.

    N   coins       K   size        M   min_bid
"""

import math
from dataclasses import dataclass
from typing import Any

from hiddenhand.errors import ParameterError
from hiddenhand.games.about import AT_ONCE, About
from hiddenhand.games.base import (
    SIMULTANEOUS,
    TERMINAL,
    EvaluationFunction,
    Game,
    State,
    verify_range,
)
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules

_MAX_COINS = 1000
_MAX_SIZE = 100
# what the state holds, by the index where it begins
_COINS = 0  # the coins of each player
_WRESTLER = 2  # the place of the wrestler
# The places are 0 .. 2 * size on the field, and -1 and 2 * size + 1 outside of it. Player 0 pushes
# the wrestler towards higher numbers.


@About(
    "Oshi-Zumo",
    "Bid your coins in secret to push the wrestler off the ring.",
    (AT_ONCE,),
    place=140,
    example="OZ(20,3,1)",
    small=("OZ(4,1,1)", "oshi_zumo(coins=3,min_bid=0,horizon=4)"),
    card=(1, 0.6, 0.0),
)
@dataclass(frozen=True)
class OshiZumo(Game):
    """Each round both pay a bid from their coins, and the higher one pushes the wrestler a step
    away; equal bids do not move him.

    Each player has ``coins``, and the wrestler starts in the middle of ``2 * size + 1`` places. A
    bid is at least ``min_bid``. A player who has fewer coins bids all of them, even if that is 0.
    The game is over when the wrestler is pushed out, or when both players have no coins. Then a
    player wins 1 if the wrestler is in the other player's half, or out on the other player's side.
    If the wrestler is in the middle, the game is a draw.

    Actions: the bid, 0 .. coins.
    Observations (public): 1 + both bids as ``bid_0 * (coins + 1) + bid_1``.

    coins: what each player has at the start, 1 to 1000.
    size: how many places there are on each side of the middle, 1 to 100.
    min_bid: the least bid of a player who has as much, 1 to ``coins``.

    By its name the game also takes ``min_bid=0`` and ``horizon``, a limit on the rounds of 1000 by
    default, such as oshi_zumo(coins=6,min_bid=0,horizon=10): see `GeneralOshiZumo`.
    """

    coins: int = 50
    size: int = 3
    min_bid: int = 1

    simultaneous = True
    state_size, max_utility = 3, 1.0

    def __post_init__(self) -> None:
        verify_range(self, "coins", 1, _MAX_COINS)
        verify_range(self, "size", 1, _MAX_SIZE)
        if type(self.min_bid) is int and self.min_bid == 0:
            raise ParameterError(
                f"OshiZumo: min_bid=0 is not allowed; give an integer from 1 to {self.coins}, or "
                "use GeneralOshiZumo, which limits the rounds; by name: oshi_zumo(min_bid=0)"
            )
        verify_range(self, "min_bid", 1, self.coins)

    @property
    def max_actions(self) -> int:
        return self.coins - self.min_bid + 1

    @property
    def max_depth(self) -> int:
        return (self.coins + self.min_bid - 1) // self.min_bid

    def initial_state(self, state: State) -> None:
        state[_COINS] = self.coins
        state[_COINS + 1] = self.coins
        state[_WRESTLER] = self.size

    def current_player(self, state: State) -> int:
        broke = state[_COINS] == 0 and state[_COINS + 1] == 0
        pushed_out = state[_WRESTLER] < 0 or state[_WRESTLER] > 2 * self.size
        return TERMINAL if broke or pushed_out else SIMULTANEOUS

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        most = state[_COINS + player]
        least = min(self.min_bid, most)
        for bid in range(least, most + 1):
            actions[bid - least] = bid
        return most - least + 1

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        state[_COINS] -= actions[0]
        state[_COINS + 1] -= actions[1]
        state[_WRESTLER] += int(actions[0] > actions[1]) - int(actions[0] < actions[1])
        observations[2] = 1 + actions[0] * (self.coins + 1) + actions[1]

    def returns(self, state: State, player: int) -> float:
        pushed = state[_WRESTLER] - self.size
        payoff = float(int(pushed > 0) - int(pushed < 0))
        return payoff if player == 0 else -payoff

    # --- for people ---

    _presentation = "hiddenhand.games.drawing.bids:OSHI_ZUMO"

    @PropertyBesideRules
    def rules_text(self) -> str:
        return (
            f"A wrestler stands in the middle of {2 * self.size + 1} places in a row. Each player "
            f"has {self.coins} coins.\n\n"
            "In each round both players secretly choose a bid, and pay it. The player with the "
            "higher bid pushes the wrestler one place towards the other player. Equal bids do not "
            "move him. Then both bids are shown, and the coins are gone. A bid is of at least "
            f"{self.min_bid} {'coin' if self.min_bid == 1 else 'coins'}; a player who has fewer "
            "bids all of them.\n\n"
            "The game ends when the wrestler is pushed off the end, or when both have no coins "
            "left. You win 1 point from the other player if the wrestler then stands on their "
            "half, or has fallen off at their end. If he stands in the middle, the game is a draw."
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.coins + 1

    def evaluation(self) -> EvaluationFunction:
        return OshiZumoEvaluation()

    def render(self, state: State, player: int) -> str:
        field = ["#", *"." * (2 * self.size + 1), "#"]
        field[int(state[_WRESTLER]) + 1] = "W"
        names = ("you", "they") if player == 0 else ("they", "you")
        lines = [
            f"{names[0]} -> {' '.join(field)} <- {names[1]}",
            f"coins: you {state[_COINS + player]}, they {state[_COINS + 1 - player]}",
        ]
        if self.current_player(state) == TERMINAL:
            result = ("a draw", "you won", "you lost")[int(self.returns(state, player))]
            lines.append(f"the game is over: {result}")
        return "\n".join(lines)


@dataclass(frozen=True)
class OshiZumoEvaluation(EvaluationFunction):
    """Where the wrestler is, and who has more coins: ``tanh(b / 2 + ((coins_0 - coins_1) / M +
    wrestler - K) / 3)`` for player 0, and the negative for player 1.

    b is 1 if player 0 has at least as many coins and the wrestler is not in the half of player 0,
    unless coins and places are equal for both. b is -1 if the same holds for player 1, else 0.
    """

    FAR_SIGHTED = True

    def evaluate(self, game: Any, state: State, player: int) -> float:
        coins = state[_COINS] - state[_COINS + 1]
        pushed = state[_WRESTLER] - game.size
        # where both are 0, so is b
        b = int(coins >= 0 and pushed >= 0) - int(coins <= 0 and pushed <= 0)
        value = math.tanh(b / 2 + (coins / game.min_bid + pushed) / 3)
        return value if player == 0 else -value
