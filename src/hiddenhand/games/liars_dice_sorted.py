"""Liar's Dice in which a player's dice lie in no order.

Source: OpenSpiel's `liars_dice`, whose information states have a player's dice sorted, and Rudolph
et al. (2025), arXiv 2502.08938, who count its information sets: 15.73 million with two dice of five
faces each. `LiarsDice` tells the dice of a player apart. That changes no value, because the order
of the dice does not matter to any player, but it makes more information sets.
"""

from dataclasses import dataclass

from hiddenhand.errors import ParameterError
from hiddenhand.games.about import DICE, RESEARCH, About
from hiddenhand.games.base import CHANCE, TERMINAL, State
from hiddenhand.games.liars_dice import _BID, _BITS, _CALLER, _DICE, _PLAYER, _ROLLED, LiarsDice
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import beside_rules

_MOST = 2**40  # what a player's dice may show, as a number


@About(
    "Sorted Liar's Dice",
    "Liar's Dice with the dice in order of size.",
    (RESEARCH, DICE),
    place=200,
    minutes=1,
    small=("SLD(2,1,2)",),
    card=(5, 1.0, 0.12),
)
@dataclass(frozen=True)
class SortedLiarsDice(LiarsDice):
    """Liar's Dice in which a player sees the own dice once all of them are rolled, in increasing
    order. Everything else, also the value, is as in `LiarsDice`.

    Actions: as in `LiarsDice`.
    Observations: private 2 + the own dice, when the last of them is rolled, as the digits of a
    number: the sum over the dice of (face - 1) times ``faces`` ** (place of the die in the order);
    public as in `LiarsDice`.

    dice1, dice2, faces: as in `LiarsDice`; ``faces`` to the power of the number of a player's dice
        is at most 2**40.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.faces ** max(self.dice1, self.dice2) > _MOST:
            raise ParameterError(
                f"faces={self.faces} is not allowed with {max(self.dice1, self.dice2)} dice of a "
                f"player; give fewer, so that faces ** dice is at most {_MOST:,}"
            )

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        if state[_PLAYER] == CHANCE:
            self._roll(state, action + 1, observations)
            return
        observations[2] = 2 + action  # the bids of `LiarsDice`, whose rule cannot be called here
        if action == self.liar:
            state[_CALLER] = state[_PLAYER]
            state[_PLAYER] = TERMINAL
        else:
            state[_BID] = action + 1
            state[self._bids + action // _BITS] |= 1 << (action % _BITS)
            state[_PLAYER] = 1 - state[_PLAYER]

    def _roll(self, state: State, face: int, observations: Integers) -> None:
        """The next die shows a face."""
        die = state[_ROLLED]
        player = 0 if die < self.dice1 else 1
        first = _DICE + player * self.dice1
        place = _DICE + die
        while place > first and state[place - 1] > face:
            state[place] = state[place - 1]
            place -= 1
        state[place] = face
        state[_ROLLED] = die + 1
        observations[2] = 1
        if die + 1 == self.num_dice:
            state[_PLAYER] = 0
        if die + 1 == self.dice1 or die + 1 == self.num_dice:
            seen = 0
            for other in range(_DICE + die, first - 1, -1):
                seen = seen * self.faces + state[other] - 1
            observations[player] = 2 + seen

    # --- for people ---

    _presentation = "hiddenhand.games.drawing.dice:SORTED_LIARS_DICE"

    def render(self, state: State, player: int) -> str:
        return super().render(self._seen(state), player)

    @beside_rules
    def told(self, state: State) -> tuple[tuple[tuple[int, ...], ...], list[int], int]:
        return super().told(self._seen(state))

    @beside_rules
    def _seen(self, state: State) -> State:
        """``state`` without the dice of a player who has not rolled all of them."""
        seen, rolled = state.copy(), int(state[_ROLLED])
        if rolled < self.dice1:
            seen[_DICE : _DICE + rolled] = 0
        elif rolled < self.num_dice:
            seen[_DICE + self.dice1 : _DICE + rolled] = 0
        return seen
