"""Goofspiel for any number of players, with other ways to settle ties and payoffs.

Source: OpenSpiel's `goofspiel` for the rules of more than two players and for total points. There
"point_difference" pays the points minus the mean of all players. Here it pays the points minus the
mean of the other players, which is n / (n - 1) times as much for n players, and for two players the
difference. Ties that split the point card, or leave it for the next round, are rules of the card
table.
"""

import math
from dataclasses import dataclass, field

from hiddenhand.errors import GameError
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
from hiddenhand.games.goofspiel import (
    _MAX_CARDS,
    Goofspiel,
    GoofspielPlayed,
    _KnownOrder,
    _RandomOrder,
    listed,
)
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules

# What the state holds, by the index where it begins. After these come the points of each player and
# a mask of the cards in each hand. Then follow for each round 1 + the place of its point card in
# the stack, and 1 + the bid of each player, or 0 before the round is played. In random order two
# entries follow the rounds: 1 + the place of the card on top, or 0 as long as it is not revealed;
# and a mask of the places that are not revealed. Points are counted in parts, so that shares of a
# point card are whole numbers.
_ROUND = 0  # how many rounds are played
_CARRIED = 1  # the points that ties have left for the next round
_POINTS = 2


@dataclass(frozen=True)
class GeneralGoofspiel(Goofspiel):
    """Goofspiel: each round all bid a card from their hand for the point card on top, and the
    highest bid takes it.

    As in `Goofspiel`, but for these rules. A point card is taken by the highest bid, if only one
    player made it. If more players made the highest bid, ``ties`` says what becomes of the card.

    Actions, also of chance: as in `Goofspiel`.
    Observations (public): with ``imp_info`` 1 for a tie, 2 + player for the player who took the
    point card; where ties split it, 1 + a mask of the players who took parts of it. Else 1 + all
    bids as the digits of a number in base ``num_cards``. For a point card that is revealed: 1 + its
    index.

    num_cards: how many cards each player and the point stack have, 1 to 20.
    imp_info: whether the players learn only who took the point card, and not the bids.
    points_order: "ascending", "descending", "given" or "random".
    returns_type: "win_loss" pays 1 in all to the players with the most points, in equal parts, and
        takes 1 in all from the others; "point_difference" pays the points won minus the mean of the
        other players; "total_points" pays the points won.
    lowest_card: the value of the lowest card, 0 or 1.
    points: the point cards from the top, if their order is "given".
    players: how many players there are, 2 to 10.
    ties: "discard" loses a point card for which several made the highest bid, "split" divides its
        points among them, "carry" adds its points to the next point card.
    """

    players: int = 2
    ties: str = "discard"
    parts: int = field(default=1, init=False, repr=False, compare=False)
    """How many parts a point has."""
    splits: bool = field(default=False, init=False, repr=False, compare=False)
    carries: bool = field(default=False, init=False, repr=False, compare=False)
    pays_total: bool = field(default=False, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        verify_range(self, "num_cards", 1, _MAX_CARDS)
        verify_range(self, "lowest_card", 0, 1)
        verify_range(self, "players", 2, 10)
        verify_choice(self, "points_order", ("ascending", "descending", "given", "random"))
        returns = ("win_loss", "point_difference", "total_points")
        verify_choice(self, "returns_type", returns)
        verify_choice(self, "ties", ("discard", "split", "carry"))
        object.__setattr__(self, "points", listed(self.points))
        found = {
            "stack": (stack := self._point_stack()),
            "points": None if self.points is None else tuple(map(int, stack)),
            "win_loss": self.returns_type == "win_loss",
            "pays_total": self.returns_type == "total_points",
            "order": _RandomOrder() if self.points_order == "random" else _KnownOrder(),
            "splits": self.ties == "split",
            "carries": self.ties == "carry",
            "parts": math.lcm(*range(1, self.players + 1)) if self.ties == "split" else 1,
        }
        for name, value in found.items():
            object.__setattr__(self, name, value)

    @property
    def num_players(self) -> int:
        return self.players

    @property
    def zero_sum(self) -> bool:
        return not self.pays_total

    @PropertyBesideRules
    def payoff_sum(self) -> float | None:
        if not self.pays_total:
            return 0.0
        return float(self.stack.sum()) if self.splits else None

    @property
    def state_size(self) -> int:
        return self._top + (2 if self.order.RANDOM else 0)

    @property
    def _hands(self) -> int:
        """Where the hands begin in the state."""
        return _POINTS + self.players

    @property
    def _past(self) -> int:
        """Where the rounds begin in the state."""
        return _POINTS + 2 * self.players

    @property
    def _top(self) -> int:
        return self._past + self.num_cards * (self.players + 1)

    @property
    def _hidden(self) -> int:
        return self._top + 1

    @property
    def max_utility(self) -> float:
        return 1.0 if self.win_loss else float(self.stack.sum())

    def initial_state(self, state: State) -> None:
        state[:] = 0
        every_card = (1 << self.num_cards) - 1
        for player in range(self.players):
            state[self._hands + player] = every_card
        if self.order.RANDOM:
            state[self._hidden] = every_card

    def current_player(self, state: State) -> int:
        if state[_ROUND] == self.num_cards:
            return TERMINAL
        return CHANCE if self.order.RANDOM and state[self._top] == 0 else SIMULTANEOUS

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        return self._cards(state[self._hands + player], actions)

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        count = self._cards(state[self._hidden], actions)
        for outcome in range(count):
            probabilities[outcome] = 1.0 / count
        return count

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        state[self._top] = 1 + action
        state[self._hidden] &= ~(1 << action)
        observations[self.players] = 1 + action

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        place = self._place(state)
        past = self._past + state[_ROUND] * (self.players + 1)
        state[past] = 1 + place
        highest = 0
        bids = 0
        for player in range(self.players):
            state[self._hands + player] &= ~(1 << actions[player])
            state[past + 1 + player] = 1 + actions[player]
            highest = max(highest, actions[player])
            bids = bids * self.num_cards + actions[player]
        takers = 0
        count = 0
        winner = 0
        for player in range(self.players):
            if actions[player] == highest:
                takers |= 1 << player
                count += 1
                winner = player
        prize = self.stack[place] * self.parts + state[_CARRIED]
        state[_CARRIED] = 0
        if count == 1 or self.splits:
            for player in range(self.players):
                state[_POINTS + player] += (takers >> player & 1) * (prize // count)
        elif self.carries:
            state[_CARRIED] = prize
        state[_ROUND] += 1
        if self.order.RANDOM:
            state[self._top] = 0
        if not self.imp_info:
            observations[self.players] = 1 + bids
        elif self.splits:
            observations[self.players] = 1 + takers
        else:
            observations[self.players] = 2 + winner if count == 1 else 1

    def _place(self, state: State) -> int:
        return state[self._top] - 1 if self.order.RANDOM else state[_ROUND]

    def returns(self, state: State, player: int) -> float:
        own = state[_POINTS + player]
        if self.pays_total:
            return own / self.parts
        total = 0
        most = 0
        for other in range(self.players):
            total += state[_POINTS + other]
            most = max(most, state[_POINTS + other])
        if not self.win_loss:
            return (own - (total - own) / (self.players - 1)) / self.parts
        winners = 0
        for other in range(self.players):
            winners += int(state[_POINTS + other] == most)
        if winners == self.players:
            return 0.0
        return 1.0 / winners if own == most else -1.0 / (self.players - winners)

    def forget_past(self, state: State) -> None:
        for entry in range(self._past, self._top):
            state[entry] = 0

    def points_to_come(self, state: State) -> int:
        if self.order.RANDOM:
            revealed = state[self._top]
            on_top = self.stack[revealed - 1] if revealed > 0 else 0
            return self._sum(state[self._hidden]) + on_top
        total = 0
        for place in range(state[_ROUND], self.num_cards):
            total += self.stack[place]
        return total

    def hand_sum(self, state: State, player: int) -> int:
        return self._sum(state[self._hands + player])

    # --- for people ---

    @beside_rules
    def usual(self) -> Game | None:
        """The game of `Goofspiel` that is the same game, if there is one."""
        if self.players > 2 or self.pays_total or self.ties != "discard":
            return None
        kept = (self.num_cards, self.imp_info, self.points_order, self.returns_type)
        return Goofspiel(*kept, self.lowest_card, self.points)

    @PropertyBesideRules
    def rules_text(self) -> str:
        low, high = self.lowest_card, self.lowest_card + self.num_cards - 1
        seen = (
            "The bids stay secret. You learn only who took the prize, or that the highest bids "
            "were equal."
            if self.imp_info
            else "Then all bids are shown."
        )
        tie = {
            "discard": "the prize is lost",
            "split": "its points are divided among these players",
            "carry": "its points are added to the next prize",
        }[self.ties]
        paid = {
            "win_loss": "The player with the most points wins 1 point, and the others lose 1 point "
            "in all. Players who share the lead share the win; if all have the same points, "
            "the game is a draw.",
            "point_difference": "You win, or lose, the difference between your points and the mean "
            "of the other players' points.",
            "total_points": "You win the points of your prizes.",
        }[self.returns_type]
        return (
            f"Each of the {self.players} players holds the cards {low} to {high}. A pile holds "
            f"{self.num_cards} prizes with the same values. {self._order_in_words()}\n\n"
            "In each round all players choose a card from their hand at the same time, as a bid "
            "for the prize on top. The highest bid takes the prize, and its value counts as "
            f"points. If several players made the highest bid, {tie}. All cards that were bid are "
            f"used up. {seen}\n\n"
            f"The game ends when all cards are played. {paid}"
        )

    def evaluation(self) -> EvaluationFunction:
        raise GameError(f"{self} has no evaluation function; search it with rollouts")

    def render(self, state: State, player: int) -> str:
        told = self.told(state)
        lines = [self._round_in_words(told, number, player) for number in range(len(told.rounds))]
        points = ", ".join(
            f"{'you' if other == player else f'player {other + 1}'} {won:g}"
            for other, won in enumerate(told.points)
        )
        lines.append(f"points: {points}")
        if state[_ROUND] < self.num_cards:
            hand = [str(card + self.lowest_card) for card in told.hands[player]]
            how = ", in random order" if told.unordered else ""
            rest = " ".join(map(str, told.to_come))
            more = f" and {told.carried:g} left by ties" if told.carried else ""
            top = "not revealed yet" if told.top is None else f"{told.top}{more}"
            lines.append(f"on top: {top}; to come: {rest + how if rest else 'nothing'}")
            lines.append(f"your hand: {' '.join(hand)}")
        return "\n".join(lines)

    @beside_rules
    def _round_in_words(self, told: GoofspielPlayed, number: int, player: int) -> str:
        """A round as ``player`` knows it."""
        card, *bids = told.rounds[number]
        others = [
            f", player {other + 1} {bid}"
            for other, bid in enumerate(bids)
            if other != player and not self.imp_info
        ]
        takers = told.takers[number]
        outcome = "tie"
        if len(takers) == 1:
            outcome = "won" if takers == (player,) else f"player {takers[0] + 1} won"
        elif takers:
            names = ["you" if one == player else f"player {one + 1}" for one in takers]
            outcome = f"shared by {', '.join(names)}"
        return f"round {number + 1} for {card}: you bid {bids[player]}{''.join(others)}: {outcome}"

    @beside_rules
    def told(self, state: State) -> GoofspielPlayed:
        rounds, takers = [], []
        for number in range(int(state[_ROUND])):
            past = self._past + number * (self.players + 1)
            place, *bids = (int(entry) - 1 for entry in state[past : past + self.players + 1])
            rounds.append((int(self.stack[place]), *(bid + self.lowest_card for bid in bids)))
            best = tuple(one for one, bid in enumerate(bids) if bid == max(bids))
            takers.append(best if len(best) == 1 or self.splits else ())
        won = [int(parts) / self.parts for parts in state[_POINTS : self._hands]]
        points = [int(one) if one.is_integer() else one for one in won]
        hands = state[self._hands : self._past]
        carried = int(state[_CARRIED]) // self.parts
        return self._played(state, rounds, takers, points, hands, carried)
