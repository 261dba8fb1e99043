"""Liar's Dice: bidding on dice, of which each player sees only their own.

Source: Lisy, Lanctot and Bowling (2015), "Online Monte Carlo counterfactual regret minimization for
search in imperfect information games", Section 4.3, where LD(D1, D2) is the game in which player 1
has D1 dice and player 2 has D2. The paper lets a bid raise the quantity or the face; as in the
authors' program and in OpenSpiel's `liars_dice`, bids here are in one order: by quantity, then by
face.
"""

from dataclasses import dataclass
from typing import ClassVar

from hiddenhand.games.about import DICE, About
from hiddenhand.games.base import CHANCE, TERMINAL, Game, Probabilities, State, verify_range
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules

# what the state holds, by the index where it begins
_PLAYER = 0  # who is to move
_ROLLED = 1  # how many dice are rolled
_BID = 2  # the highest bid: action + 1, or 0 for none
_CALLER = 3  # who called liar
_DICE = 4  # the dice, player 0's first: the face 1 .. faces, or 0 before the roll
# After the dice, a bit for each bid says whether it was made. Bids only rise and players alternate,
# so these bits say all of the bidding.
_BITS = 62  # how many bids a state entry holds


@About(
    "Liar's Dice",
    "Roll under the cup, raise the bid, or call the bluff.",
    (DICE,),
    place=30,
    minutes=1,
    small=("LD(1,1,3)", "liars_dice(players=3,faces=2)"),
    card=(1, 1.0, 0.12),
)
@dataclass(frozen=True)
class LiarsDice(Game):
    """Player 0 rolls ``dice1`` dice and player 1 ``dice2``, with faces 1 .. ``faces``, each seeing
    only their own. Then they bid in turns.

    A bid says that all dice together show a face at least so many times. Each bid must be higher
    than the one before: more dice, or as many dice with a higher face. Instead of bidding, a player
    may call the other a liar. After the highest possible bid the player must call. The highest face
    is a star: it counts as every face, but a bid on stars counts stars only. If the last bid holds,
    the caller loses, else the bidder: 1 and -1.

    The value for player 0 is 1/9 for LiarsDice(1, 1, 3) and -0.0271318 for LiarsDice(1, 1, 6).

    Actions: ``(quantity - 1) * faces + face - 1`` for a bid, ``(dice1 + dice2) * faces`` for
    "liar". Chance: face - 1 of the next die, player 0's dice first.
    Observations: private 1 + face of an own die, in the order of the roll; public 1 for a die
    rolled, 2 + action for a bid or call.

    dice1: how many dice player 0 has, 1 to 100. (The paper counts players from 1.)
    dice2: how many dice player 1 has, 1 to 100.
    faces: how many faces each die has, 2 to 100.

    By its name the game also takes ``players``, 2 to 10 of whom each has ``dice1`` dice, and
    ``bidding_rule``, such as liars_dice(players=3,faces=4,bidding_rule=reset_quantity): see
    `GeneralLiarsDice`.
    """

    dice1: int = 1
    dice2: int = 1
    faces: int = 6

    MAX_DICE: ClassVar[int] = 100
    MAX_FACES: ClassVar[int] = 100

    max_utility = 1.0

    def __post_init__(self) -> None:
        verify_range(self, "dice1", 1, self.MAX_DICE)
        verify_range(self, "dice2", 1, self.MAX_DICE)
        verify_range(self, "faces", 2, self.MAX_FACES)

    @property
    def num_dice(self) -> int:
        """All dice, of both players."""
        return self.dice1 + self.dice2

    @property
    def liar(self) -> int:
        """The action that calls the other a liar, which is also the number of bids."""
        return self.num_dice * self.faces

    @property
    def state_size(self) -> int:
        return self._bids + (self.liar + _BITS - 1) // _BITS

    @property
    def _bids(self) -> int:
        """Where the bids begin in the state."""
        return _DICE + self.num_dice

    @property
    def max_actions(self) -> int:
        return self.liar

    @property
    def max_chance_outcomes(self) -> int:
        return self.faces

    @property
    def max_depth(self) -> int:
        return self.num_dice + self.liar + 1

    def initial_state(self, state: State) -> None:
        state[:] = 0
        state[_PLAYER] = CHANCE

    def current_player(self, state: State) -> int:
        return state[_PLAYER]

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        lowest = state[_BID]  # as an action, the bid just above
        highest = self.liar if lowest > 0 else self.liar - 1
        for action in range(lowest, highest + 1):
            actions[action - lowest] = action
        return highest + 1 - lowest

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        for face in range(self.faces):
            actions[face] = face
            probabilities[face] = 1.0 / self.faces
        return self.faces

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        if state[_PLAYER] == CHANCE:
            die = state[_ROLLED]
            state[_DICE + die] = action + 1
            state[_ROLLED] = die + 1
            if die + 1 == self.num_dice:
                state[_PLAYER] = 0
            observations[0 if die < self.dice1 else 1] = 2 + action
            observations[2] = 1
            return
        observations[2] = 2 + action
        if action == self.liar:
            state[_CALLER] = state[_PLAYER]
            state[_PLAYER] = TERMINAL
        else:
            state[_BID] = action + 1
            state[self._bids + action // _BITS] |= 1 << (action % _BITS)
            state[_PLAYER] = 1 - state[_PLAYER]

    def returns(self, state: State, player: int) -> float:
        bid = state[_BID] - 1
        quantity = bid // self.faces + 1
        face = bid % self.faces + 1
        count = 0
        for die in range(_DICE, _DICE + self.num_dice):
            if state[die] == face or state[die] == self.faces:
                count += 1
        caller_wins = count < quantity
        return 1.0 if caller_wins == (state[_CALLER] == player) else -1.0

    def forget_past(self, state: State) -> None:
        state[self._bids :] = 0  # all but the last one

    # --- for people ---

    _presentation = "hiddenhand.games.drawing.dice:LIARS_DICE"

    @PropertyBesideRules
    def rules_text(self) -> str:
        dice = " and ".join(
            f"player {player} has {count} {'die' if count == 1 else 'dice'}"
            for player, count in enumerate((self.dice1, self.dice2), 1)
        )
        return (
            f"Each player rolls dice under a cup and looks only at the own dice: {dice}, with the "
            f"faces 1 to {self.faces}.\n\n"
            "The players bid in turns, and player 1 begins. A bid such as 2-5 claims that all dice "
            "of both players together show the 5 at least twice. Each bid must be higher than the "
            "last: more dice, or as many dice with a higher face. The highest face is a star. It "
            "counts as every other face, but a bid on stars counts stars alone.\n\n"
            "Instead of a bid you may call the other player a liar. After the highest bid that is "
            "possible you must do so. Then all dice are shown. If the last bid is true, its bidder "
            "wins 1 point; if not, the player who called wins 1 point from the bidder."
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.liar + 1

    def action_name(self, state: State, player: int, action: int) -> str:
        if player == CHANCE:
            return str(action + 1)
        if action == self.liar:
            return "liar"
        return f"{action // self.faces + 1}-{action % self.faces + 1}"

    def render(self, state: State, player: int) -> str:
        first, last = (0, self.dice1) if player == 0 else (self.dice1, self.num_dice)
        dice = [str(face) for face in state[_DICE + first : _DICE + last] if face]
        made = [
            bid for bid in range(self.liar) if state[self._bids + bid // _BITS] >> (bid % _BITS) & 1
        ]
        if state[_PLAYER] == TERMINAL:
            made.append(self.liar)
        bids = [
            f"{'you' if turn % 2 == player else 'they'} {self.action_name(state, player, bid)}"
            for turn, bid in enumerate(made)
        ]
        theirs = self.num_dice - (last - first)
        return (
            f"your dice: {' '.join(dice) or 'not rolled'}; theirs: {theirs}; {self.faces} is the "
            f"star\nbids: {', '.join(bids) or 'none'}"
        )

    @beside_rules
    def bid(self, action: int) -> tuple[int, int]:
        """For pictures: how many dice a bid says, and of which face."""
        return action // self.faces + 1, action % self.faces + 1

    @beside_rules
    def told(self, state: State) -> tuple[tuple[tuple[int, ...], ...], list[int], int]:
        """For pictures: the dice of each player, 0 before they are rolled; the bids in order; and
        who called liar, if a player did.
        """
        dice = tuple(int(face) for face in state[_DICE : _DICE + self.num_dice])
        made = [
            bid for bid in range(self.liar) if state[self._bids + bid // _BITS] >> (bid % _BITS) & 1
        ]
        return (dice[: self.dice1], dice[self.dice1 :]), made, int(state[_CALLER])
