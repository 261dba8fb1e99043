"""Goofspiel, the game of pure strategy: bidding cards for point cards.

Source: Ross (1971), "Goofspiel: the game of pure strategy"; the imperfect-information variant as in
Lisy, Lanctot and Bowling (2015), Section 4.3. The papers call several games II-GS(N). The cards are
0 .. N-1 and the point cards descend in Lisy (2014) and in Lisy, Lanctot and Bowling (2015); the
latter says that they ascend, but most of its matches are those of the former's tables. In the
registry that is IIGS0(N). The cards are 1 .. N and the point cards ascend in Sustr, Kovarik and
Lisy (2019) and in the authors' later program: IIGS(N). The two games differ in their figures:
after 490,000 iterations of OOS, over three seeds, nash_conv is 0.15 on IIGS0(6), 0.47 on IIGS(6),
and 0.36 with cards 0 .. 5 ascending.

The evaluation function is that of Lisy (2014), thesis at the Czech Technical University in Prague,
Section 4.1.1, with these letters:

    d       number of rounds                    r       rounds played
    p_i     points of player i                  c_i     sum of the values in the hand of player i
    c_c     points still to be won, the card on top included
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from hiddenhand.errors import ParameterError
from hiddenhand.games.about import AT_ONCE, CARDS, About
from hiddenhand.games.base import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    EvaluationFunction,
    Game,
    Probabilities,
    State,
    verify_choice,
    verify_range,
)
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules

_MAX_CARDS = 20
# what the state holds, by the index where it begins
_ROUND = 0  # how many rounds are played
_POINTS = 1  # the points of each player
_HANDS = 3  # for each player, a mask of the cards in the hand
_PAST = 5  # for each round, what was bid for which point card, or 0 before the round is played
# A round that was played is 1 + bid_0 * num_cards + bid_1 + place * num_cards**2, with the place of
# its point card in the stack. In random order two entries follow the rounds: 1 + the place of the
# card on top, or 0 as long as it is not revealed; and a mask of the places that are not revealed.


@dataclass(frozen=True)
class _KnownOrder(Compiled):
    """The order of the point stack is known. A type of its own, so that compiled searches of such
    games have no moves of chance in them.
    """

    RANDOM: ClassVar[int] = 0


@dataclass(frozen=True)
class _RandomOrder(Compiled):
    """Chance reveals the point cards."""

    RANDOM: ClassVar[int] = 1


@About(
    "Goofspiel",
    "Bid your cards in secret for the prizes; you see only who won.",
    (CARDS, AT_ONCE),
    place=40,
    example="IIGS(6)",
    small=("IIGS(4)", "GS(4)", "goofspiel(num_cards=3,players=3)"),
    card=(3, 0.6, 0.3),
)
@dataclass(frozen=True)
class Goofspiel(Game):
    """Goofspiel for two: each round both bid a card from their hand for the point card on top, the
    higher bid takes it, a tie discards it.

    Each player holds cards of values ``lowest_card`` .. ``lowest_card + num_cards - 1``, as does
    the point stack. Its order is known if ``points_order`` is "ascending", "descending", or "given"
    with the ``points`` listed; if it is "random", chance reveals the card on top at the beginning
    of each round. The player with more points wins.

    Actions, also of chance: the index 0 .. num_cards - 1 of a card (its value minus
    ``lowest_card``). The last card is bid like any other.
    Observations (public): with ``imp_info`` 1 if player 0 took the point card, 2 for a tie, 3 if
    player 1 took it; else 1 + both bids as ``bid_0 * num_cards + bid_1``. For a point card that is
    revealed: 1 + its index.

    num_cards: how many cards each player and the point stack have, 1 to 20.
    imp_info: whether the players learn only who took the point card, and not the bids.
    points_order: "ascending", "descending", "given" or "random".
    returns_type: "win_loss" pays 1, 0 or -1; "point_difference" pays the points won minus those of
        the opponent.
    lowest_card: the value of the lowest card, 0 or 1.
    points: the point cards from the top, if their order is "given".

    By its name the game also takes ``players``, 2 to 10, ``ties``, which are "discard", "split" or
    "carry", and the ``returns_type`` "total_points": see `GeneralGoofspiel`. An example is
    goofspiel(num_cards=4,players=3,ties=split).
    """

    num_cards: int = 13
    imp_info: bool = False
    points_order: str = "descending"
    returns_type: str = "win_loss"
    lowest_card: int = 1
    points: Any = None
    stack: Integers = field(init=False, repr=False, compare=False)
    """``[num_cards]``, the point cards; from the top, or in random order ascending."""
    win_loss: bool = field(init=False, repr=False, compare=False)
    """Whether payoffs are 1, 0 and -1."""
    order: Any = field(init=False, repr=False, compare=False)
    """A `_KnownOrder` or a `_RandomOrder`."""

    simultaneous = True

    def __post_init__(self) -> None:
        verify_range(self, "num_cards", 1, _MAX_CARDS)
        verify_range(self, "lowest_card", 0, 1)
        verify_choice(self, "points_order", ("ascending", "descending", "given", "random"))
        verify_choice(self, "returns_type", ("win_loss", "point_difference"))
        object.__setattr__(self, "win_loss", self.returns_type == "win_loss")
        order = _RandomOrder() if self.points_order == "random" else _KnownOrder()
        object.__setattr__(self, "order", order)
        object.__setattr__(self, "points", listed(self.points))
        object.__setattr__(self, "stack", self._point_stack())
        if self.points is not None:
            object.__setattr__(self, "points", tuple(map(int, self.stack)))

    def _point_stack(self) -> Integers:
        values = list(range(self.lowest_card, self.lowest_card + self.num_cards))
        if self.points_order == "descending":
            values.reverse()
        if (self.points is not None) != (self.points_order == "given"):
            raise ParameterError(
                f"Goofspiel: points={self.points!r} with points_order={self.points_order!r}; "
                "points are listed exactly when the order is 'given'"
            )
        if self.points is not None:
            if sorted(self.points) != values:
                raise ParameterError(
                    f"Goofspiel: points={self.points!r} is not allowed; give an order of "
                    f"{', '.join(map(str, values))}"
                )
            values = [int(card) for card in self.points]
        return np.array(values, np.int64)

    @property
    def state_size(self) -> int:
        return _PAST + self.num_cards + (2 if self.order.RANDOM else 0)

    @property
    def max_actions(self) -> int:
        return self.num_cards

    @property
    def max_chance_outcomes(self) -> int:
        return self.num_cards if self.order.RANDOM else 0

    @property
    def max_depth(self) -> int:
        return 2 * self.num_cards if self.order.RANDOM else self.num_cards

    @property
    def max_utility(self) -> float:
        return 1.0 if self.win_loss else float(self.stack.sum())

    def initial_state(self, state: State) -> None:
        state[:] = 0
        every_card = (1 << self.num_cards) - 1
        state[_HANDS] = every_card
        state[_HANDS + 1] = every_card
        if self.order.RANDOM:
            state[self._hidden] = every_card

    def current_player(self, state: State) -> int:
        if state[_ROUND] == self.num_cards:
            return TERMINAL
        return CHANCE if self.order.RANDOM and state[self._top] == 0 else SIMULTANEOUS

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        return self._cards(state[_HANDS + player], actions)

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        count = self._cards(state[self._hidden], actions)
        for outcome in range(count):
            probabilities[outcome] = 1.0 / count
        return count

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        state[self._top] = 1 + action
        state[self._hidden] &= ~(1 << action)
        observations[2] = 1 + action

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        turn = state[_ROUND]
        place = self._place(state)
        bids = 1 + actions[0] * self.num_cards + actions[1]
        state[_PAST + turn] = bids + place * self.num_cards**2
        for player in range(2):
            state[_HANDS + player] &= ~(1 << actions[player])
        # -1 if player 0 takes the point card, 0 for a tie, 1 if player 1 takes it
        winner = int(actions[1] > actions[0]) - int(actions[1] < actions[0])
        state[_POINTS] += int(winner < 0) * self.stack[place]
        state[_POINTS + 1] += int(winner > 0) * self.stack[place]
        state[_ROUND] = turn + 1
        if self.order.RANDOM:
            state[self._top] = 0
        observations[2] = 2 + winner if self.imp_info else bids

    def returns(self, state: State, player: int) -> float:
        difference = state[_POINTS + player] - state[_POINTS + 1 - player]
        if self.win_loss:
            return float(int(difference > 0) - int(difference < 0))
        return float(difference)

    def forget_past(self, state: State) -> None:
        for turn in range(self.num_cards):
            state[_PAST + turn] = 0

    @property
    def _top(self) -> int:
        return _PAST + self.num_cards

    @property
    def _hidden(self) -> int:
        return _PAST + self.num_cards + 1

    def _place(self, state: State) -> int:
        """The place in the stack of the point card on top."""
        return state[self._top] - 1 if self.order.RANDOM else state[_ROUND]

    def _cards(self, mask: int, actions: Integers) -> int:
        """Write the cards in ``mask`` into ``actions`` and return how many there are."""
        count = 0
        for card in range(self.num_cards):
            # a card that is not in the mask is overwritten by the next: faster than a branch
            actions[count] = card
            count += mask >> card & 1
        return count

    # --- what the evaluation function weighs ---

    def points_to_come(self, state: State) -> int:
        """The sum of the point cards that were not bid for yet, the one on top included."""
        if self.order.RANDOM:
            revealed = state[self._top]
            on_top = self.stack[revealed - 1] if revealed > 0 else 0
            return self._sum(state[self._hidden]) + on_top
        total = 0
        for place in range(state[_ROUND], self.num_cards):
            total += self.stack[place]
        return total

    def hand_sum(self, state: State, player: int) -> int:
        """The sum of the values in the hand of ``player``."""
        return self._sum(state[_HANDS + player])

    def _sum(self, mask: int) -> int:
        """The sum of the values of the cards in ``mask``."""
        total = 0
        for card in range(self.num_cards):
            total += (mask >> card & 1) * (card + self.lowest_card)
        return total

    # --- for people ---

    _presentation = "hiddenhand.games.drawing.bids:GOOFSPIEL"

    @PropertyBesideRules
    def rules_text(self) -> str:
        low, high = self.lowest_card, self.lowest_card + self.num_cards - 1
        seen = (
            "The bids stay secret. You learn only who took the prize, or that the bids were equal."
            if self.imp_info
            else "Then both bids are shown."
        )
        paid = (
            "The player with more points wins 1 from the other. Equal points are a draw."
            if self.returns_type == "win_loss"
            else "You win, or lose, the difference between your points and those of the other."
        )
        return (
            f"Both players hold the cards {low} to {high}. A pile holds {self.num_cards} prizes "
            f"with the same values. {self._order_in_words()}\n\n"
            "In each round both players choose a card from their hand at the same time, as a bid "
            "for the prize on top. The higher bid takes the prize, and its value counts as points. "
            f"If the bids are equal, the prize is lost. Both cards are used up. {seen}\n\n"
            f"The game ends when all cards are played. {paid}"
        )

    @beside_rules
    def _order_in_words(self) -> str:
        low, high = self.lowest_card, self.lowest_card + self.num_cards - 1
        return {
            "ascending": f"The prizes come in rising order, from {low} to {high}.",
            "descending": f"The prizes come in falling order, from {high} to {low}.",
            "random": "The prizes come in random order, one at a time.",
        }.get(self.points_order, "The order of the prizes is known from the start.")

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.max_actions

    def action_name(self, state: State, player: int, action: int) -> str:
        return str(action + self.lowest_card)

    def evaluation(self) -> EvaluationFunction:
        return GoofspielEvaluation()

    def render(self, state: State, player: int) -> str:
        lines = [
            self._past_round(int(code) - 1, number, player)
            for number, code in enumerate(state[_PAST : _PAST + int(state[_ROUND])], 1)
        ]
        if state[_ROUND] < self.num_cards:
            hand = [
                str(card + self.lowest_card)
                for card in range(self.num_cards)
                if state[_HANDS + player] >> card & 1
            ]
            lines += [self._stack_line(state), f"your hand: {' '.join(hand)}"]
        return "\n".join(lines)

    @beside_rules
    def told(self, state: State) -> "GoofspielPlayed":
        """A state taken apart, with what is hidden in it; for pictures."""
        played = [int(code) - 1 for code in state[_PAST : _PAST + int(state[_ROUND])]]
        rounds = []
        for code in played:
            place, both = divmod(code, self.num_cards**2)
            bids = divmod(both, self.num_cards)
            rounds.append((int(self.stack[place]), *(bid + self.lowest_card for bid in bids)))
        takers = [() if bids[0] == bids[1] else (int(bids[1] > bids[0]),) for _, *bids in rounds]
        points = [int(points) for points in state[_POINTS:_HANDS]]
        return self._played(state, rounds, takers, points, state[_HANDS:_PAST])

    @beside_rules
    def _played(
        self,
        state: State,
        rounds: Sequence[tuple[int, ...]],
        takers: Sequence[tuple[int, ...]],
        points: Sequence[float],
        hands: State,
        carried: int = 0,
    ) -> "GoofspielPlayed":
        """What `told` returns.

        hands: for each player a mask of the cards in the hand; the rest as in `GoofspielPlayed`.
        """
        unordered = self.points_order == "random"
        if unordered:
            hidden, revealed = int(state[self._hidden]), int(state[self._top]) - 1
            to_come = [card for card in range(self.num_cards) if hidden >> card & 1]
        else:
            to_come = list(range(len(rounds) + 1, self.num_cards))
            revealed = len(rounds) if len(rounds) < self.num_cards else -1
        return GoofspielPlayed(
            rounds=tuple(rounds),
            takers=tuple(takers),
            points=tuple(points),
            hands=tuple(
                tuple(card for card in range(self.num_cards) if mask >> card & 1)
                for mask in map(int, hands)
            ),
            top=int(self.stack[revealed]) if revealed >= 0 else None,
            to_come=tuple(int(self.stack[place]) for place in to_come),
            unordered=unordered,
            carried=carried,
        )

    def _past_round(self, code: int, number: int, player: int) -> str:
        place, both = divmod(code, self.num_cards**2)
        bids = divmod(both, self.num_cards)
        theirs = "" if self.imp_info else f", they bid {bids[1 - player] + self.lowest_card}"
        won = bids[player] > bids[1 - player]
        outcome = "tie" if bids[0] == bids[1] else "won" if won else "lost"
        mine = bids[player] + self.lowest_card
        return f"round {number} for {self.stack[place]}: you bid {mine}{theirs}: {outcome}"

    def _stack_line(self, state: State) -> str:
        if not self.order.RANDOM:
            top, to_come, how = self.stack[state[_ROUND]], self.stack[state[_ROUND] + 1 :], ""
        else:
            revealed = int(state[self._top])
            top = self.stack[revealed - 1] if revealed else "not revealed yet"
            hidden = int(state[self._hidden])
            to_come = self.stack[[place for place in range(self.num_cards) if hidden >> place & 1]]
            how = ", in random order"
        named = " ".join(map(str, to_come)) + how if len(to_come) else "nothing"
        return f"on top: {top}; to come: {named}"


def listed(points: Any) -> tuple[Any, ...] | None:
    """Point cards as a tuple; a single value is one card."""
    if points is None:
        return None
    return tuple(points) if isinstance(points, Iterable) else (points,)


@dataclass(frozen=True)
class GoofspielPlayed:
    """A state of Goofspiel taken apart, with what is hidden in it.

    rounds: for each round that was played, the values of the point card and of all bids.
    takers: for each of these rounds, the players who took the point card or a part of it.
    points: the points of each player.
    hands: the cards that each player still has, as actions.
    top: the value of the point card that is bid for; None where there is none.
    to_come: the values of the point cards below it.
    unordered: whether these come in random order.
    carried: the points that ties have left for the next round.
    """

    rounds: tuple[tuple[int, ...], ...]
    takers: tuple[tuple[int, ...], ...]
    points: tuple[float, ...]
    hands: tuple[tuple[int, ...], ...]
    top: int | None
    to_come: tuple[int, ...]
    unordered: bool
    carried: int = 0


@dataclass(frozen=True)
class GoofspielEvaluation(EvaluationFunction):
    """The points won, which weigh more in later rounds, and the points to come, shared out by the
    strength of the hands.

    For player 0 it is ``tanh((p_0 - p_1) / (p_0 + p_1) * r / d + (c_0 - c_1) / (c_0 + c_1) * c_c /
    (d * (d + 1) / 2))``, and for player 1 the negative. It is 0 as long as no player has a point,
    and the payoff itself once the points to come cannot change the winner any more.

    The thesis has no formula for games in which the payoff is the difference of points. There the
    evaluation estimates that difference: the difference so far, plus the part ``(c_0 - c_1) / (c_0
    + c_1)`` of the points to come.
    """

    def evaluate(self, game: Any, state: State, player: int) -> float:
        p_0, p_1 = state[_POINTS], state[_POINTS + 1]
        c_0, c_1 = game.hand_sum(state, 0), game.hand_sum(state, 1)
        c_c = game.points_to_come(state)
        r, d = state[_ROUND], game.num_cards
        hands = (c_0 - c_1) / (c_0 + c_1) if c_0 + c_1 > 0 else 0.0
        if not game.win_loss:
            value = p_0 - p_1 + c_c * hands
        elif abs(p_0 - p_1) > c_c or c_0 + c_1 == 0:
            value = float(int(p_0 > p_1) - int(p_0 < p_1))
        elif p_0 + p_1 == 0:
            value = 0.0
        else:
            value = math.tanh((p_0 - p_1) / (p_0 + p_1) * r / d + hands * c_c / (0.5 * d * (d + 1)))
        return value if player == 0 else -value
