"""The cards of a hand, and how the competition writes them (`Ks`, `2c`).

A card is a number, 4 * rank + suit, as in `hiddenhand.games.poker.hands`.
"""

from dataclasses import dataclass
from typing import Final

from hiddenhand.errors import ProtocolError
from hiddenhand.games.poker.definition import GameDefinition
from hiddenhand.games.poker.hands import NUM_CARDS, card_name
from hiddenhand.text import shortened

_NUMBER_OF: Final = {card_name(card): card for card in range(NUM_CARDS)}


@dataclass(frozen=True)
class Cards:
    """The cards of a hand, as a player, the dealer or a log knows them.

    holes: for each position, its hole cards; nothing for a position whose cards are not known.
    board: the cards on the board, in the order in which they were dealt.
    """

    holes: tuple[tuple[int, ...], ...]
    board: tuple[int, ...] = ()

    @property
    def known(self) -> tuple[int, ...]:
        """All cards that are known, hole cards first."""
        return (*(card for hole in self.holes for card in hole), *self.board)


def written_cards(cards: tuple[int, ...]) -> str:
    """``cards`` one behind the other, as in `TdAs`."""
    return "".join(map(card_name, cards))


def read_cards(text: str) -> tuple[int, ...]:
    """The cards that stand one behind the other in ``text``. Raises ProtocolError for anything that
    is no card.
    """
    names = [text[at : at + 2] for at in range(0, len(text), 2)]
    if not all(name in _NUMBER_OF for name in names):
        raise ProtocolError(f"{shortened(text)} are no cards; cards are written like TdAs")
    return tuple(_NUMBER_OF[name] for name in names)


def verify_dealt(cards: Cards, definition: GameDefinition) -> None:
    """Raise ProtocolError if a card is there twice, or is not in the deck of the game."""
    known = cards.known
    if len(set(known)) != len(known):
        raise ProtocolError(f"a card is there twice among {written_cards(known)}")
    if strange := set(known).difference(definition.deck):
        raise ProtocolError(f"{written_cards(tuple(sorted(strange)))} is not in the game's deck")
