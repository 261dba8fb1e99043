"""Cards as the competition writes them (`Ks`, `2c`) and numbers them, and its decks.

A card is a number, 4 * rank + suit: ranks are 0 (a two) to 12 (an ace), suits 0 to 3 (clubs,
diamonds, hearts, spades).
"""

from dataclasses import dataclass
from typing import Final

from hiddenhand.errors import ProtocolError
from hiddenhand.games.poker.definition import GameDefinition
from hiddenhand.text import shortened

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
_NUM_RANKS: Final = len(RANKS)
_NUM_SUITS: Final = len(SUITS)
_NUMBER_OF: Final = {
    f"{rank}{suit}": _NUM_SUITS * r + s
    for r, rank in enumerate(RANKS)
    for s, suit in enumerate(SUITS)
}
_NAME_OF: Final = {number: name for name, number in _NUMBER_OF.items()}


@dataclass(frozen=True)
class Cards:
    """The cards of a hand, as somebody knows them.

    holes: for each position, its hole cards; nothing for a position whose cards are not known.
    board: the cards on the board, in the order in which they were dealt.
    """

    holes: tuple[tuple[int, ...], ...]
    board: tuple[int, ...] = ()

    @property
    def known(self) -> tuple[int, ...]:
        """All cards that are known, hole cards first."""
        return (*(card for hole in self.holes for card in hole), *self.board)


def deck(definition: GameDefinition) -> list[int]:
    """All cards of a game, suit by suit, from the lowest rank to the highest within a suit. A game
    with fewer suits or ranks has the last of them.
    """
    return [
        _NUM_SUITS * rank + suit
        for suit in range(_NUM_SUITS - definition.num_suits, _NUM_SUITS)
        for rank in range(_NUM_RANKS - definition.num_ranks, _NUM_RANKS)
    ]


def written_cards(cards: tuple[int, ...]) -> str:
    """``cards`` one behind the other, as in `TdAs`."""
    return "".join(_NAME_OF[card] for card in cards)


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
    if strange := set(known).difference(deck(definition)):
        raise ProtocolError(f"{written_cards(tuple(sorted(strange)))} is not in the game's deck")
