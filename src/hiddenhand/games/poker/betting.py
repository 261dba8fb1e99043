"""The betting of limit poker, by one engine: from Leduc poker for two to Hold'em for ten.

Source: the server of the Annual Computer Poker Competition, `game.c`, protocol 2.0.0: whose turn
it is, and how raises are counted.
"""

from typing import ClassVar

from hiddenhand.games.base import TERMINAL, Game, State
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.bits import ones

# the first entries of the state, by their index
PLAYER = 0  # who is to move
ROUND = 1  # the betting round, from 0
WAITED_FOR = 2  # how many players are still to move before the round ends
RAISES = 3  # bets and raises in this round
FOLDED = 4  # a mask of those who folded
STAKE = 5  # the most chips that any player put in
NEXT = 6  # the first entry that a game has for itself


class LimitBetting(Game):
    """Rounds of betting with fixed sizes of bets. A subclass deals the cards, and shows them.

    Actions: 0 fold (only when facing a bet), 1 check or call, 1 + n bet or raise by n units.

    bet_sizes: how many sizes of bets and raises there are: 1 .. ``bet_sizes`` units.
    """

    bet_sizes: int

    CHIPS_AT: ClassVar[int]
    """Where in the state begins what each player has put in."""
    FOLD: ClassVar[int] = 0
    CALL: ClassVar[int] = 1
    BET: ClassVar[int] = 2

    def _unit(self, number: int) -> int:
        """The chips of the smallest bet or raise of a round."""
        raise NotImplementedError

    def _most_raises(self, number: int) -> int:
        """How many bets and raises, together, a round can have."""
        raise NotImplementedError

    def _opener(self, number: int) -> int:
        """The player who acts first in a round, unless this player has folded."""
        raise NotImplementedError

    def current_player(self, state: State) -> int:
        return state[PLAYER]

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        count = 0
        if state[self.CHIPS_AT + player] < state[STAKE]:
            actions[count] = self.FOLD
            count += 1
        actions[count] = self.CALL
        count += 1
        if state[RAISES] < self._most_raises(state[ROUND]):
            for size in range(self.bet_sizes):
                actions[count] = self.BET + size
                count += 1
        return count

    def _put_in(self, state: State, player: int, chips: int) -> None:
        """Let a player put in an ante or a blind."""
        state[self.CHIPS_AT + player] = chips
        state[STAKE] = max(state[STAKE], chips)

    def _open_betting(self, state: State) -> None:
        """Begin a round: all who have not folded are to move, the opener first."""
        state[RAISES] = 0
        state[WAITED_FOR] = self._num_staying(state)
        state[PLAYER] = self._staying(state, self._opener(state[ROUND]))

    def _act(self, state: State, action: int) -> bool:
        """Make a move, and pass the turn on. Returns whether the round has ended.

        If only one player is left, the game is over: ``PLAYER`` is `TERMINAL`.
        """
        player, waited_for = state[PLAYER], state[WAITED_FOR] - 1
        if action == self.FOLD:
            state[FOLDED] |= 1 << player
            if self._num_staying(state) == 1:
                state[PLAYER] = TERMINAL
                return True
        else:
            stake = state[STAKE]
            if action != self.CALL:
                stake += self._unit(state[ROUND]) * (action - self.CALL)
                state[STAKE] = stake
                state[RAISES] += 1
                waited_for = self._num_staying(state) - 1
            state[self.CHIPS_AT + player] = stake
        if waited_for == 0:
            return True
        state[WAITED_FOR] = waited_for
        state[PLAYER] = self._staying(state, player + 1)
        return False

    def _num_staying(self, state: State) -> int:
        """How many players have not folded."""
        return self.num_players - ones(state[FOLDED])

    def _staying(self, state: State, player: int) -> int:
        """The first player from ``player`` on, around the table, who has not folded."""
        if player == self.num_players:
            player = 0
        while state[FOLDED] >> player & 1:
            player = player + 1 if player + 1 < self.num_players else 0
        return player

    def chips_in_pot(self, state: State) -> int:
        """The chips that all players have put in so far."""
        chips = 0
        for player in range(self.num_players):
            chips += state[self.CHIPS_AT + player]
        return chips
