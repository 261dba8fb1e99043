r"""Coordinated matching pennies: a game with many equilibria, whose pieces do not fit together.

Source: Sustr, Schmid, Moravcik, Burch, Lanctot and Bowling (2021), "Sound algorithms in imperfect
information games", where it shows that to play some equilibrium at each information set is not
enough. Payoffs and the order of moves are those of ``coordinated_mp`` in OpenSpiel.

                              player 0
                        heads /      \ tails
                        chance        chance
                     1/2 /  \ 1/2  1/2 /  \ 1/2
                      top  bottom   top  bottom       player 1 sees top or bottom only
                      / \    / \    / \    / \
                     1 -1   1 -1  -1  1  -1  1        heads left, tails right

The numbers are what player 1 pays player 0.
"""

from dataclasses import dataclass
from typing import ClassVar

from hiddenhand.games.about import RESEARCH, About
from hiddenhand.games.base import CHANCE, TERMINAL, Game, Probabilities, State
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules

# The state holds the three choices, each as action + 1, or 0 before the choice was made.
_FIRST = 0  # the choice of player 0
_CHANCE = 1  # the choice of chance
_SECOND = 2  # the choice of player 1


@About(
    "Matching pennies",
    "Guess a hidden penny; you know only what chance said.",
    (RESEARCH,),
    place=180,
    minutes=1,
    exact=True,
    small=("coordinated_mp",),
    card=(1, 0.6, 0.1),
)
@dataclass(frozen=True)
class CoordinatedMatchingPennies(Game):
    """Player 0 lays a penny unseen, chance says top or bottom to all, and player 1 names a side;
    player 0 wins 1 if the sides agree, else player 1 does.

    The value is 0. Player 0 mixes (1/2, 1/2). Player 1 names heads with probability p at the top
    and q at the bottom, and plays an equilibrium wherever p + q = 1. So player 1 may do anything at
    the top, if what is done at the bottom fits it: heads here and tails there is as good as
    (1/2, 1/2) at both. Heads at both is not, although each is part of some equilibrium.

    Actions: 0 heads, 1 tails; of chance: 0 top, 1 bottom.
    Observations (public): 1 when player 0 has chosen, 2 for top, 3 for bottom, 4 when the game is
    over.
    """

    HEADS: ClassVar[int] = 0
    TAILS: ClassVar[int] = 1
    TOP: ClassVar[int] = 0
    BOTTOM: ClassVar[int] = 1

    state_size, max_actions, max_chance_outcomes, max_depth, max_utility = 3, 2, 2, 3, 1.0

    def initial_state(self, state: State) -> None:
        state[:] = 0

    def current_player(self, state: State) -> int:
        if state[_FIRST] == 0:
            return 0
        if state[_CHANCE] == 0:
            return CHANCE
        return 1 if state[_SECOND] == 0 else TERMINAL

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        actions[0] = self.HEADS
        actions[1] = self.TAILS
        return 2

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        actions[0] = self.TOP
        actions[1] = self.BOTTOM
        probabilities[0] = 0.5
        probabilities[1] = 0.5
        return 2

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        if state[_FIRST] == 0:
            state[_FIRST] = action + 1
            observations[2] = 1
        elif state[_CHANCE] == 0:
            state[_CHANCE] = action + 1
            observations[2] = 2 + action
        else:
            state[_SECOND] = action + 1
            observations[2] = 4

    def returns(self, state: State, player: int) -> float:
        payoff = 1.0 if state[_FIRST] == state[_SECOND] else -1.0
        return payoff if player == 0 else -payoff

    # --- for people ---

    _presentation = "hiddenhand.games.drawing.trees:COORDINATED_MP"

    @PropertyBesideRules
    def rules_text(self) -> str:
        return (
            "Player 1 lays a penny on the table, heads or tails, and covers it. Then chance says "
            "top or bottom aloud. It means nothing, but player 2 may act on it.\n\n"
            "Player 2 guesses heads or tails. If the guess names the side of the penny, player 1 "
            "wins 1 point from player 2. Otherwise player 2 wins 1 point from player 1. So player "
            "2 wants to name the other side."
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.max_actions

    def action_name(self, state: State, player: int, action: int) -> str:
        if player == CHANCE:
            return "top" if action == self.TOP else "bottom"
        return "heads" if action == self.HEADS else "tails"

    def render(self, state: State, player: int) -> str:
        mover = self.current_player(state)
        place = "top" if state[_CHANCE] == self.TOP + 1 else "bottom"
        lines = [
            {
                0: "player 0 lays a penny",
                CHANCE: "chance chooses",
                1: f"{place}: player 1 names a side",
                TERMINAL: f"{place}: the game is over",
            }[mover]
        ]
        choice = int(state[_FIRST] if player == 0 else state[_SECOND])
        if choice:
            lines.append(f"you chose {self.action_name(state, player, choice - 1)}")
        return "\n".join(lines)
