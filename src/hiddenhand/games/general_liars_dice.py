"""Liar's Dice for any number of players, with both orders of bids.

Source: OpenSpiel's `liars_dice` for the orders of bids, there for two players. With more players,
the player who is wrong at the end pays all others, as in the game at a real table, where that
player alone loses a die.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from hiddenhand.errors import ParameterError
from hiddenhand.games.base import CHANCE, TERMINAL, Game, State, verify_choice, verify_range
from hiddenhand.games.liars_dice import _BID, _BITS, _CALLER, _DICE, _PLAYER, _ROLLED, LiarsDice
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules


@dataclass(frozen=True)
class GeneralLiarsDice(LiarsDice):
    """Players roll dice with faces 1 .. ``faces``, each seeing only their own. Then they bid in
    turns until one calls the last bidder a liar.

    As in `LiarsDice`, but for these rules. With ``bidding_rule`` "reset_quantity", a bid is higher
    than the one before if its face is higher, or if it says more dice of the same face. The loser
    pays 1, and each other player gets the same part of it: the caller loses if the last bid holds,
    else the bidder.

    Actions: with "reset_face" ``(quantity - 1) * faces + face - 1`` for a bid, with
    "reset_quantity" ``(face - 1) * dice + quantity - 1`` for ``dice`` dice in all; the number of
    bids for "liar". Chance: face - 1 of the next die, in the order of the players.
    Observations: as in `LiarsDice`.

    dice1: how many dice player 0 has, 1 to 100; each player, if there are more than two.
    dice2: how many dice player 1 has, 1 to 100 [default: 1; ``dice1`` if there are more than two
        players].
    faces: how many faces each die has, 2 to 100.
    players: how many players there are, 2 to 10.
    bidding_rule: "reset_face", where a bid of more dice may show any face, or "reset_quantity",
        where a bid of a higher face may say any number of dice.
    """

    dice2: Any = None
    players: int = 2
    bidding_rule: str = "reset_face"
    by_face: bool = field(default=False, init=False, repr=False, compare=False)
    """Whether bids are in order by face, then by quantity."""

    MAX_PLAYERS: ClassVar[int] = 10

    def __post_init__(self) -> None:
        verify_range(self, "players", 2, self.MAX_PLAYERS)
        verify_range(self, "dice1", 1, self.MAX_DICE)
        if self.dice2 is None:
            object.__setattr__(self, "dice2", 1 if self.players == 2 else self.dice1)
        verify_range(self, "dice2", 1, self.MAX_DICE)
        verify_range(self, "faces", 2, self.MAX_FACES)
        if isinstance(self.bidding_rule, str):  # OpenSpiel writes a hyphen
            object.__setattr__(self, "bidding_rule", self.bidding_rule.replace("-", "_"))
        verify_choice(self, "bidding_rule", ("reset_face", "reset_quantity"))
        if self.players > 2 and self.dice2 != self.dice1:
            raise ParameterError(
                f"GeneralLiarsDice: dice2={self.dice2} is not allowed with players={self.players}, "
                f"who all have as many dice; give dice1={self.dice1} alone"
            )
        object.__setattr__(self, "by_face", self.bidding_rule == "reset_quantity")

    @property
    def num_players(self) -> int:
        return self.players

    @property
    def num_dice(self) -> int:
        """All dice, of all players."""
        return int(self.dice1 + (self.players - 1) * self.dice2)

    def _quantity(self, bid: int) -> int:
        return bid % self.num_dice + 1 if self.by_face else bid // self.faces + 1

    def _face(self, bid: int) -> int:
        return bid // self.num_dice + 1 if self.by_face else bid % self.faces + 1

    def _owner(self, die: int) -> int:
        """The player who rolls a die, counted in the order of the roll."""
        return 0 if die < self.dice1 else 1 + (die - self.dice1) // self.dice2

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        if state[_PLAYER] == CHANCE:
            die = state[_ROLLED]
            state[_DICE + die] = action + 1
            state[_ROLLED] = die + 1
            if die + 1 == self.num_dice:
                state[_PLAYER] = 0
            observations[self._owner(die)] = 2 + action
            observations[self.players] = 1
            return
        observations[self.players] = 2 + action
        if action == self.liar:
            state[_CALLER] = state[_PLAYER]
            state[_PLAYER] = TERMINAL
        else:
            state[_BID] = action + 1
            state[self._bids + action // _BITS] |= 1 << (action % _BITS)
            state[_PLAYER] = (state[_PLAYER] + 1) % self.players

    def returns(self, state: State, player: int) -> float:
        bid = state[_BID] - 1
        face = self._face(bid)
        count = 0
        for die in range(_DICE, _DICE + self.num_dice):
            if state[die] == face or state[die] == self.faces:
                count += 1
        bidder = (state[_CALLER] + self.players - 1) % self.players
        loser = bidder if count < self._quantity(bid) else state[_CALLER]
        return -1.0 if player == loser else 1.0 / (self.players - 1)

    # --- for people ---

    @beside_rules
    def usual(self) -> Game | None:
        """The game of `LiarsDice` that is the same game, if there is one."""
        same = self.players == 2 and not self.by_face
        return LiarsDice(self.dice1, self.dice2, self.faces) if same else None

    @PropertyBesideRules
    def rules_text(self) -> str:
        dice = (
            " and ".join(
                f"player {player} has {_counted(count)}"
                for player, count in enumerate((self.dice1, self.dice2), 1)
            )
            if self.players == 2
            else f"each of the {self.players} players has {_counted(self.dice1)}"
        )
        higher = (
            "a higher face, or more dice of the same face"
            if self.by_face
            else "more dice, or as many dice with a higher face"
        )
        others = "the other player" if self.players == 2 else "the player before you"
        share = "1 point" if self.players == 2 else f"1/{self.players - 1} point each"
        wins = "the other player wins" if self.players == 2 else "all other players win"
        return (
            f"Each player rolls dice under a cup and looks only at the own dice: {dice}, with the "
            f"faces 1 to {self.faces}.\n\n"
            "The players bid in turns, and player 1 begins. A bid such as 2-5 claims that all dice "
            "of all players together show the 5 at least twice. Each bid must be higher than the "
            f"last: {higher}. The highest face is a star. It counts as every other face, but a bid "
            "on stars counts stars alone.\n\n"
            f"Instead of a bid you may call {others} a liar. After the highest bid that is "
            "possible you must do so. Then all dice are shown. If the last bid is true, the player "
            f"who called loses 1 point; if not, its bidder does. Then {wins} {share}."
        )

    def action_name(self, state: State, player: int, action: int) -> str:
        if player == CHANCE:
            return str(action + 1)
        if action == self.liar:
            return "liar"
        return f"{self._quantity(action)}-{self._face(action)}"

    def render(self, state: State, player: int) -> str:
        dice, made, _ = self.told(state)
        own = [str(face) for face in dice[player] if face]
        made = [*made, *([self.liar] if state[_PLAYER] == TERMINAL else [])]
        called = ["you" if other == player else f"player {other + 1}" for other in range(len(dice))]
        bids = [
            f"{called[turn % self.players]} {self.action_name(state, player, bid)}"
            for turn, bid in enumerate(made)
        ]
        return (
            f"your dice: {' '.join(own) or 'not rolled'}; others: "
            f"{self.num_dice - len(dice[player])}; {self.faces} is the star\n"
            f"bids: {', '.join(bids) or 'none'}"
        )

    @beside_rules
    def bid(self, action: int) -> tuple[int, int]:
        return self._quantity(action), self._face(action)

    @beside_rules
    def told(self, state: State) -> tuple[tuple[tuple[int, ...], ...], list[int], int]:
        dice = list(map(int, state[_DICE : _DICE + self.num_dice]))
        made = [
            bid for bid in range(self.liar) if state[self._bids + bid // _BITS] >> (bid % _BITS) & 1
        ]
        hands = tuple(
            tuple(face for die, face in enumerate(dice) if self._owner(die) == player)
            for player in range(self.players)
        )
        return hands, made, int(state[_CALLER])


def _counted(dice: int) -> str:
    return f"{dice} {'die' if dice == 1 else 'dice'}"
