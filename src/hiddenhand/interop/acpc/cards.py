"""The cards of a hand, how the competition writes them (`Ks`, `2c`), and how it deals them: for
equal seeds, the deals are those of its dealer.

A card is a number, 4 * rank + suit, as in `hiddenhand.games.poker.hands`.

Source: `game.c` (`dealCards`, `dealCard`) and `rng.c` of the competition's server, which is the
MT19937 of Matsumoto and Nishimura (1998), seeded by one number of 32 bits.

Each card takes one output of the generator, modulo the number of cards left; the last card of the
deck fills the gap. The hole cards are dealt position by position, then all of the board, whether or
not the hand comes that far. So the deals of a match do not depend on how it is played, and the same
match can be played again by the same players in other seats.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.errors import ProtocolError, RefusedOptionError
from hiddenhand.games.poker.definition import GameDefinition
from hiddenhand.games.poker.hands import NUM_CARDS, NUM_SUITS, card_name
from hiddenhand.text import shortened

LAST_SEED: Final = 2**32 - 1
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


class Deals:
    """The deals of a match, one after the other. Raises OptionError for a seed that is not a whole
    number from 0 to 2**32 - 1.

    definition: the game.
    seed: the seed of the match.
    """

    def __init__(self, definition: GameDefinition, seed: int) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= LAST_SEED:
            raise RefusedOptionError("seed", seed, f"give a number from 0 to {LAST_SEED}")
        self._definition = definition
        # the older class seeds the generator as its authors do, and a bare MT19937 otherwise
        seeded: Any = np.random.RandomState(seed).get_state(legacy=False)
        self._generator = np.random.MT19937()
        self._generator.state = seeded

    def next(self) -> Cards:
        """All cards of the next hand: the hole cards of all positions, and the whole board."""
        cards = deck_in_order(self._definition)
        holes = tuple(
            self._drawn(cards, self._definition.num_hole_cards)
            for _ in range(self._definition.num_players)
        )
        return Cards(holes, self._drawn(cards, sum(self._definition.num_board_cards)))

    def _drawn(self, cards: list[int], count: int) -> tuple[int, ...]:
        """``count`` cards, which are taken out of ``cards``."""
        drawn = []
        for _ in range(count):
            at = int(self._generator.random_raw()) % len(cards)
            drawn.append(cards[at])
            cards[at] = cards[-1]
            cards.pop()
        return tuple(drawn)


def deck_in_order(definition: GameDefinition) -> list[int]:
    """The deck as it lies before a deal: suit by suit, from the lowest rank to the highest within a
    suit.
    """
    return sorted(definition.deck, key=lambda card: (card % NUM_SUITS, card))
