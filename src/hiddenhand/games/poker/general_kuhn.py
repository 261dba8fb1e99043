"""Kuhn poker for any number of players.

Source: Abou Risk and Szafron (2010), "Using counterfactual regret minimization to create
competitive multiplayer poker agents", for three players; for more the rules of OpenSpiel's
`kuhn_poker`. For two players it is the game of `KuhnPoker`.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from hiddenhand.games.base import CHANCE, TERMINAL, Game, Probabilities, State, verify_range
from hiddenhand.games.poker.kuhn import KuhnPoker, move_name
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules

# The state holds a card for each player: rank + 1, or 0 before the deal. Then follow the number of
# moves that the players made, and the moves in order.


@dataclass(frozen=True)
class GeneralKuhnPoker(Game):
    """All players ante 1 and get one of ``num_cards`` different cards. One bet of 1 is allowed; the
    highest card wins the pot.

    The players check or bet in turns until one of them bets. Then each other player folds or calls
    once, in the order of the seats. Of the players that bet or called, or of all if no player bet,
    the one with the highest card wins the pot.

    Actions: 0 check or fold, 1 bet or call. Chance: the rank 0 .. num_cards - 1 of the card dealt,
    to player 0 first.
    Observations: private 1 + rank of the own card; public 1 for a card dealt, 2 + action for a
    move.

    num_cards: how many cards there are, ``players`` to 1000, all of different rank [default:
        players + 1].
    players: how many players there are, 2 to 10.
    """

    num_cards: Any = None
    players: int = 2

    PASS: ClassVar[int] = 0
    BET: ClassVar[int] = 1

    max_actions = 2

    def __post_init__(self) -> None:
        verify_range(self, "players", 2, 10)
        if self.num_cards is None:
            object.__setattr__(self, "num_cards", int(self.players) + 1)
        verify_range(self, "num_cards", self.players, 1000)

    @property
    def num_players(self) -> int:
        return self.players

    @property
    def state_size(self) -> int:
        return 3 * self.players

    @property
    def max_depth(self) -> int:
        return 3 * self.players - 1

    @property
    def max_utility(self) -> float:
        return 2.0 * (self.players - 1)

    @property
    def max_chance_outcomes(self) -> int:
        return int(self.num_cards)

    def initial_state(self, state: State) -> None:
        state[:] = 0

    def current_player(self, state: State) -> int:
        if state[self.players - 1] == 0:
            return CHANCE
        moves, first_bet = state[self.players], self._first_bet(state)
        last = self.players if first_bet < 0 else first_bet + self.players
        return TERMINAL if moves == last else int(moves % self.players)

    def _first_bet(self, state: State) -> int:
        """The number of the first move that was a bet, from 0; -1 if no player bet."""
        for move in range(min(state[self.players], self.players)):
            if state[self.players + 1 + move] == self.BET:
                return move
        return -1

    def _has_bet(self, state: State, player: int) -> bool:
        """Whether ``player`` bet, in the first move or in the second."""
        for move in range(player, state[self.players], self.players):
            if state[self.players + 1 + move] == self.BET:
                return True
        return False

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        actions[0] = self.PASS
        actions[1] = self.BET
        return 2

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        count = 0
        for rank in range(self.num_cards):
            is_dealt = False
            for player in range(self.players):
                is_dealt = is_dealt or state[player] == rank + 1
            if not is_dealt:
                actions[count] = rank
                count += 1
        for index in range(count):
            probabilities[index] = 1.0 / count
        return count

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        if state[self.players - 1] == 0:
            player = 0
            while state[player] != 0:
                player += 1
            state[player] = action + 1
            observations[player] = action + 1
            observations[self.players] = 1
        else:
            state[self.players + 1 + state[self.players]] = action
            state[self.players] += 1
            observations[self.players] = 2 + action

    def returns(self, state: State, player: int) -> float:
        bets = 0
        winner = -1
        is_open = self._first_bet(state) < 0  # all show their cards where no player bet
        for other in range(self.players):
            has_bet = self._has_bet(state, other)
            bets += int(has_bet)
            if (has_bet or is_open) and (winner < 0 or state[other] > state[winner]):
                winner = other
        put_in = 1.0 + int(self._has_bet(state, player))
        return self.players + bets - put_in if player == winner else -put_in

    # --- for people ---

    _presentation = "hiddenhand.games.poker.drawing:KUHN"
    payoff_unit = "chips"

    @beside_rules
    def usual(self) -> Game | None:
        """The game of `KuhnPoker` that is the same game, if there is one."""
        return KuhnPoker(self.num_cards) if self.players == 2 else None

    @PropertyBesideRules
    def rules_text(self) -> str:
        return (
            f"The pack has {self.num_cards} cards of different rank, "
            f"{self._card_name(0)} to {self._card_name(self.num_cards - 1)}. Each of the "
            f"{self.players} players puts an ante of 1 chip into the pot and is dealt one card, "
            "which only this player sees.\n\n"
            "Player 1 moves first, and the others follow in the order of their seats. Each checks "
            "or bets 1 chip, until a player bets. Then each other player moves once more: the "
            "player either calls the bet with 1 chip, or folds.\n\n"
            "The players who folded lose their ante. The others show their cards, and the highest "
            "card wins the pot. If no player bets, all show their cards. You win what the others "
            "put in, or lose what you put in yourself: 1 chip, or 2 chips if you bet or called."
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.max_actions

    @beside_rules
    def action_name(self, state: State, player: int, action: int) -> str:
        if player == CHANCE:
            return self._card_name(action)
        return move_name(action, self._made(state))

    @beside_rules
    def render(self, state: State, player: int) -> str:
        from hiddenhand.games.drawing.words import does

        card = int(state[player])
        made = self._made(state)
        moves = [
            does(turn % self.players, player, move_name(move, made[:turn]))
            for turn, move in enumerate(made)
        ]
        return (
            f"your card: {self._card_name(card - 1) if card else 'not dealt'}; moves: "
            f"{', '.join(moves) or 'none'}"
        )

    @beside_rules
    def _made(self, state: State) -> Integers:
        """The moves so far, in order."""
        first = self.players + 1
        return state[first : first + state[self.players]]

    def _card_name(self, rank: int) -> str:
        return "JQK"[rank] if self.num_cards == 3 else str(rank)
