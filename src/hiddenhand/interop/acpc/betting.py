"""The betting of a limit game, in plain Python, from a game definition alone.

Source: `game.c` of the competition's server (`isValidAction`, `doAction`, `currentPlayer`). This
module stands beside the compiled rules of `limit_holdem` on purpose: it reads lines of the protocol
and keeps the dealer's pots, and the tests compare both.
"""

from dataclasses import dataclass, replace
from typing import Final, Self

from hiddenhand.errors import ProtocolError
from hiddenhand.games.poker.definition import GameDefinition
from hiddenhand.text import shortened

FOLD: Final = "f"
CALL: Final = "c"
RAISE: Final = "r"
NOBODY: Final = -1
"""The actor when the hand is over."""

MOST_ACTIONS: Final = 64
"""Actions that a round can have in the competition's server. A player may not raise where the raise
and the calls of all others might not fit.
"""

LONGEST: Final = 1024
"""Characters of the betting of one hand, which the server's lines allow at the most."""


@dataclass(frozen=True)
class Betting:
    """What has been bet so far in a hand.

    definition: the game.
    text: the actions so far, `f`, `c` or `r` each, with a `/` wherever a round begins.
    round: the round, from 0.
    actor: the position that is to act, or `NOBODY` when the hand is over.
    spent: for each position, the chips it has put in.
    folded: for each position, whether it has folded.
    raises: how many bets and raises there were in this round.
    called: how many players have put in as much as anybody since the last bet or raise, or since
        the round began.
    acted: how many actions there were in this round.
    """

    definition: GameDefinition
    text: str
    round: int
    actor: int
    spent: tuple[int, ...]
    folded: tuple[bool, ...]
    raises: int = 0
    called: int = 0
    acted: int = 0

    @classmethod
    def begun(cls, definition: GameDefinition) -> Self:
        """The beginning of a hand: the blinds are in."""
        return cls(
            definition=definition,
            text="",
            round=0,
            actor=definition.first_players[0],
            spent=definition.blinds,
            folded=(False,) * definition.num_players,
        )

    @property
    def is_over(self) -> bool:
        """Whether the hand is over."""
        return self.actor == NOBODY

    @property
    def left(self) -> tuple[int, ...]:
        """The positions that have not folded."""
        return tuple(position for position, folded in enumerate(self.folded) if not folded)

    @property
    def is_showdown(self) -> bool:
        """Whether the hand is over and cards decide it."""
        return self.is_over and len(self.left) > 1

    @property
    def num_board_cards(self) -> int:
        """How many cards are on the board."""
        return sum(self.definition.num_board_cards[: self.round + 1])

    def legal(self) -> str:
        """The legal actions, in the order `f`, `c`, `r`; none when the hand is over."""
        if self.is_over:
            return ""
        fold = FOLD if self.spent[self.actor] < max(self.spent) else ""
        may_raise = (
            self.raises < self.definition.max_raises[self.round]
            and self.acted + self.definition.num_players <= MOST_ACTIONS
        )
        return f"{fold}{CALL}{RAISE if may_raise else ''}"

    def after(self, action: str) -> Self:
        """The betting after one more action. Raises ProtocolError for one that is not legal."""
        legal = self.legal()
        if len(action) != 1 or action not in legal:
            said = f"legal are {', '.join(legal)}" if legal else "the hand is over"
            raise ProtocolError(
                f"{shortened(action)} is not a legal action after "
                f"{shortened(self.text) if self.text else 'the blinds'}; {said}"
            )
        spent, folded = list(self.spent), list(self.folded)
        raises, called = self.raises, self.called
        if action == FOLD:
            folded[self.actor] = True
        elif action == CALL:
            spent[self.actor] = max(spent)
            called += 1
        else:
            spent[self.actor] = max(spent) + self.definition.raise_sizes[self.round]
            raises, called = raises + 1, 1
        acted = replace(
            self,
            text=self.text + action,
            spent=tuple(spent),
            folded=tuple(folded),
            raises=raises,
            called=called,
            acted=self.acted + 1,
        )
        return acted._moved_on()

    def _moved_on(self) -> Self:
        """The same with the next position to act, in the next round if this one is over."""
        if len(self.left) == 1:
            return replace(self, actor=NOBODY)
        if self.called < len(self.left):
            return replace(self, actor=self._next_from(self.actor + 1))
        if self.round + 1 == self.definition.num_rounds:
            return replace(self, actor=NOBODY)
        return replace(
            self,
            text=f"{self.text}/",
            round=self.round + 1,
            actor=self._next_from(self.definition.first_players[self.round + 1]),
            raises=0,
            called=0,
            acted=0,
        )

    def _next_from(self, position: int) -> int:
        """The first position from ``position`` on that has not folded."""
        players = self.definition.num_players
        return next(
            p % players for p in range(position, position + players) if not self.folded[p % players]
        )


def read_betting(definition: GameDefinition, text: str) -> Betting:
    """The betting that ``text`` tells, such as `crc/cc/r`. Raises ProtocolError where an action is
    not legal, or where a `/` is missing or too much.
    """
    if len(text) > LONGEST:
        raise ProtocolError(
            f"a betting of {len(text)} characters is more than the {LONGEST} there are"
        )
    if any(letter.isdigit() for letter in text):
        raise ProtocolError(
            f"the betting {shortened(text)} tells sizes, as in no-limit games; these are not "
            "played here"
        )
    betting = Betting.begun(definition)
    for action in text.replace("/", ""):
        betting = betting.after(action)
    if betting.text != text:
        raise ProtocolError(
            f"the betting {shortened(text)} has its rounds elsewhere; it is written "
            f"{shortened(betting.text)}"
        )
    return betting
