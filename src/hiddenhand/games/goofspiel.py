"""Goofspiel, the game of pure strategy: bidding cards for point cards.

Source: Ross (1971), "Goofspiel: the game of pure strategy"; the imperfect-information variant as in Lisy, Lanctot and Bowling (2015), Section 4.3.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from hiddenhand.errors import ParameterError
from hiddenhand.games.base import SIMULTANEOUS, TERMINAL, Game, Integers, State, verify_choice, verify_range

_MAX_CARDS = 20
# state: the round, the point difference, then a mask of cards for each player, then the bids of each round, as 1 + bid_0 * num_cards + bid_1
_ROUND, _DIFFERENCE, _HANDS, _BIDS = 0, 1, 2, 4


@dataclass(frozen=True)
class Goofspiel(Game):
    """Goofspiel for two: each round both bid a card from their hand for the point card on top, the higher bid takes it, a tie discards it.

    Each player holds cards of values ``lowest_card`` .. ``lowest_card + num_cards - 1``, as does the point stack, whose order is known:
    ``points_order`` is "ascending", "descending", or "given" with the ``points`` listed. Who has more points wins.

    With ``imp_info`` the players learn only who took the point card, not the bids. ``returns_type`` "win_loss" pays 1, 0, -1; "point_difference"
    pays the points won minus those of the opponent.

    Actions: the index 0 .. num_cards - 1 of a card in the hand (its value minus ``lowest_card``). The last card is bid like any other.
    Observations (public): with ``imp_info`` 1 if player 0 took the point card, 2 for a tie, 3 if player 1 took it; else 1 + both bids as
    ``bid_0 * num_cards + bid_1``.
    """

    num_cards: int = 13
    imp_info: bool = False
    points_order: str = "descending"
    returns_type: str = "win_loss"
    lowest_card: int = 1
    points: Any = None
    stack: npt.NDArray[np.int64] = field(init=False, repr=False, compare=False)
    win_loss: bool = field(init=False, repr=False, compare=False)

    simultaneous = True

    def __post_init__(self) -> None:
        verify_range(self, "num_cards", 1, _MAX_CARDS)
        verify_range(self, "lowest_card", 0, 1)
        verify_choice(self, "points_order", ("ascending", "descending", "given"))
        verify_choice(self, "returns_type", ("win_loss", "point_difference"))
        object.__setattr__(self, "win_loss", self.returns_type == "win_loss")
        object.__setattr__(self, "stack", self._point_stack())
        if self.points is not None:
            object.__setattr__(self, "points", tuple(int(card) for card in self.points))

    def _point_stack(self) -> npt.NDArray[np.int64]:
        values = list(range(self.lowest_card, self.lowest_card + self.num_cards))
        if self.points_order == "descending":
            values.reverse()
        if (self.points is not None) != (self.points_order == "given"):
            raise ParameterError(
                f"Goofspiel: points={self.points!r} with points_order={self.points_order!r}; points are listed exactly when the order is 'given'"
            )
        if self.points is not None:
            if sorted(self.points) != values:
                raise ParameterError(f"Goofspiel: points={self.points!r} is not allowed; give an order of {', '.join(map(str, values))}")
            values = [int(card) for card in self.points]
        return np.array(values, np.int64)

    @property
    def state_size(self) -> int:
        return _BIDS + self.num_cards

    @property
    def max_actions(self) -> int:
        return self.num_cards

    @property
    def max_depth(self) -> int:
        return self.num_cards

    @property
    def max_utility(self) -> float:
        return 1.0 if self.win_loss else float(self.stack.sum())

    def initial_state(self, state: State) -> None:
        state[:] = 0
        state[_HANDS] = (1 << self.num_cards) - 1
        state[_HANDS + 1] = (1 << self.num_cards) - 1

    def current_player(self, state: State) -> int:
        return TERMINAL if state[_ROUND] == self.num_cards else SIMULTANEOUS

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        hand = state[_HANDS + player]
        count = 0
        for card in range(self.num_cards):
            actions[count] = card  # overwritten by the next one if it is not in the hand: faster than a branch
            count += hand >> card & 1
        return count

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        turn = state[_ROUND]
        bids = 1 + actions[0] * self.num_cards + actions[1]
        state[_BIDS + turn] = bids
        for player in range(2):
            state[_HANDS + player] &= ~(1 << actions[player])
        winner = int(actions[1] > actions[0]) - int(actions[1] < actions[0])  # -1 player 0, 0 tie, 1 player 1
        state[_DIFFERENCE] -= winner * self.stack[turn]
        state[_ROUND] = turn + 1
        observations[2] = 2 + winner if self.imp_info else bids

    def returns(self, state: State, player: int) -> float:
        difference = state[_DIFFERENCE] if player == 0 else -state[_DIFFERENCE]
        if self.win_loss:
            return float(int(difference > 0) - int(difference < 0))
        return float(difference)

    # --- for people ---

    def action_name(self, state: State, player: int, action: int) -> str:
        return str(action + self.lowest_card)

    def render(self, state: State, player: int) -> str:
        turn = int(state[_ROUND])
        hand = [str(card + self.lowest_card) for card in range(self.num_cards) if state[_HANDS + player] >> card & 1]
        lines = []
        for past in range(turn):
            bids = divmod(int(state[_BIDS + past]) - 1, self.num_cards)
            theirs = "" if self.imp_info else f", they bid {bids[1 - player] + self.lowest_card}"
            outcome = "tie" if bids[0] == bids[1] else ("won" if bids[player] > bids[1 - player] else "lost")
            lines.append(f"round {past + 1} for {self.stack[past]}: you bid {bids[player] + self.lowest_card}{theirs}: {outcome}")
        if turn < self.num_cards:
            lines.append(f"on top: {self.stack[turn]}; to come: {' '.join(map(str, self.stack[turn + 1 :])) or 'nothing'}")
            lines.append(f"your hand: {' '.join(hand)}")
        return "\n".join(lines)
