r"""The coordination game: a small game in which a search that starts from the current information
set goes wrong.

Source: Lisy, Lanctot and Bowling (2015), "Online Monte Carlo counterfactual regret minimization for
search in imperfect information games", Figure 1, as an example of non-locality.

                    chance
               1/2 /      \ 1/2
           player 0 ...... player 0          dots: cannot be told apart
            /   \          /     \
         left    0   player 1 ... player 1
                      /   \        /   \
                     3     0      0     3

The numbers are what player 1 pays player 0.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from hiddenhand.errors import ParameterError
from hiddenhand.games.about import RESEARCH, About, KnownValue
from hiddenhand.games.base import CHANCE, TERMINAL, Game, Probabilities, State
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules

# The state holds the three choices, each as action + 1, or 0 before the choice was made.
_CHANCE = 0  # the choice of chance
_FIRST = 1  # the choice of player 0
_SECOND = 2  # the choice of player 1


@About(
    "Coordination",
    "Choose a side without seeing what the other chose.",
    (RESEARCH,),
    place=190,
    minutes=1,
    exact=True,
    small=("coordination_game",),
    known=(KnownValue("coordination_game", "1", "Lisy, Lanctot and Bowling (2015), Section 2.2"),),
    card=(1, 0.6, 0.1),
)
@dataclass(frozen=True)
class CoordinationGame(Game):
    """Chance chooses a side unseen, player 0 chooses a side, and if chance chose right, player 1,
    who has not seen what player 0 chose, chooses a side too.

    If chance chose left, player 0 gets ``left`` for choosing left and 0 for choosing right.
    Otherwise player 0 gets 3 if both players chose the same side, and 0 if not. Player 1 gets the
    negative. For ``left`` = 1 the value is 1, player 0 mixes (1/2, 1/2) and player 1 (1/3, 2/3).
    The best choice of player 1 depends on ``left``, although that payoff can no longer be reached
    when player 1 chooses: player 1 plays left with probability (3 - left) / 6.

    Actions, also of chance: 0 left, 1 right.
    Observations (public): 1 when chance has chosen, 2 when player 0 has chosen and the game goes
    on, 3 when the game is over.

    left: what player 0 gets if chance and player 0 both chose left; any finite number.
    """

    left: float = 1.0

    LEFT: ClassVar[int] = 0
    RIGHT: ClassVar[int] = 1
    MATCHED: ClassVar[float] = 3.0
    """What player 0 gets for choosing the same side as player 1."""

    state_size, max_actions, max_chance_outcomes, max_depth = 3, 2, 2, 3

    def __post_init__(self) -> None:
        try:
            left = float(self.left)
        except (TypeError, ValueError):
            left = math.nan
        if not math.isfinite(left):
            raise ParameterError(
                f"CoordinationGame: left={self.left!r} is not allowed; give a finite number"
            )
        object.__setattr__(self, "left", left)

    @property
    def max_utility(self) -> float:
        return max(self.MATCHED, abs(self.left))

    def initial_state(self, state: State) -> None:
        state[:] = 0

    def current_player(self, state: State) -> int:
        if state[_CHANCE] == 0:
            return CHANCE
        if state[_FIRST] == 0:
            return 0
        return 1 if state[_CHANCE] == self.RIGHT + 1 and state[_SECOND] == 0 else TERMINAL

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        actions[0] = self.LEFT
        actions[1] = self.RIGHT
        return 2

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        actions[0] = self.LEFT
        actions[1] = self.RIGHT
        probabilities[0] = 0.5
        probabilities[1] = 0.5
        return 2

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        if state[_CHANCE] == 0:
            state[_CHANCE] = action + 1
            observations[2] = 1
        elif state[_FIRST] == 0:
            state[_FIRST] = action + 1
            observations[2] = 2 if state[_CHANCE] == self.RIGHT + 1 else 3
        else:
            state[_SECOND] = action + 1
            observations[2] = 3

    def returns(self, state: State, player: int) -> float:
        payoff = 0.0
        if state[_CHANCE] == self.LEFT + 1:
            if state[_FIRST] == self.LEFT + 1:
                payoff = self.left
        elif state[_FIRST] == state[_SECOND]:
            payoff = self.MATCHED
        return payoff if player == 0 else -payoff

    # --- for people ---

    _presentation = "hiddenhand.games.drawing.trees:COORDINATION_GAME"

    @PropertyBesideRules
    def rules_text(self) -> str:
        return (
            "Chance secretly chooses left or right. Then player 1 chooses a side without knowing "
            "which one chance chose.\n\n"
            "If chance chose left, the game is over: player 1 wins "
            f"{self.left:g} from player 2 with left, and nothing with right. If chance chose "
            "right, player 2 chooses a side too, without seeing the choice of player 1. If the "
            "sides are equal, player 1 wins 3 from player 2. Otherwise nothing is paid."
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.max_actions

    def action_name(self, state: State, player: int, action: int) -> str:
        return "left" if action == self.LEFT else "right"

    def render(self, state: State, player: int) -> str:
        mover = self.current_player(state)
        lines = [
            {
                CHANCE: "chance chooses",
                0: "player 0 chooses",
                1: "chance chose right; player 1 chooses",
                TERMINAL: "the game is over",
            }[mover]
        ]
        if choice := int(state[_FIRST + player]):
            lines.append(f"you chose {self.action_name(state, player, choice - 1)}")
        return "\n".join(lines)
