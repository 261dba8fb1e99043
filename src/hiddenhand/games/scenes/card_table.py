"""A card table: seats with cards and chips, cards on the table, and words. Every poker is drawn on
it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hiddenhand.games.scene import CARD_SHAPE, WIDTH, Card, Chip, Item, Rect, Scene, Text
from hiddenhand.games.scenes.layout import MIDDLE, line_of, panel, sheet, wrapped_lines

_GAP = 4.0
_MOST_IN_A_ROW = 3


@dataclass(frozen=True)
class TableCard:
    """A card as an observer sees it.

    rank, suit: as in `Card`; a rank of "" for a card that the observer does not see.
    role: as in `Item`.
    """

    rank: str = ""
    suit: str = ""
    role: str = ""

    def said(self) -> str:
        """The card in words."""
        return f"{self.rank}{self.suit}" if self.rank else "face down"


@dataclass(frozen=True)
class Seat:
    """A player at the table, as an observer sees them.

    name: what the player is called.
    role: the colour of the player's chips.
    cards: the cards of the player.
    chips: what the player has put in.
    note: what is said of the player, such as "folded".
    """

    name: str
    role: str
    cards: tuple[TableCard, ...]
    chips: int
    note: str = ""

    def said(self) -> str:
        """The seat in words."""
        cards = " ".join(card.said() for card in self.cards) or "none"
        note = f", {self.note}" if self.note else ""
        return f"{self.name}: cards {cards}, put in {self.chips}{note}"


def card_table(
    seats: Sequence[Seat],
    table: Sequence[TableCard],
    moves: list[str],
    status: str,
    label: str,
    places: int = 0,
) -> Scene:
    """A table with the first seat at the bottom, and the others at the top.

    seats: the seats, the nearest first.
    table: the cards on the table.
    moves: what happened, a line for each list of moves that belong together.
    status: what is to be done, or who won.
    label: what the whole picture shows.
    places: how many cards can lie on the table; missing ones are drawn as empty places.
    """
    items: list[Item] = []
    y = 10.0
    for first in range(1, len(seats), _MOST_IN_A_ROW):
        row = seats[first : first + _MOST_IN_A_ROW]
        wide = (WIDTH - 16) / len(row)
        width = 46.0 if len(row) == 1 else 34.0
        for number, seat in enumerate(row):
            items += _seat(seat, 8 + wide * (number + 0.5), y, width, chips_below=True)
        y += 22 + width * CARD_SHAPE + 44
    if places:
        items += _spread(_filled(table, places), MIDDLE - 24, y + 4, 42)
        # in words: chips that lie in front of the seats are not drawn a second time
        pot = sum(seat.chips for seat in seats)
        items.append(Text(WIDTH - 44, y + 34, f"pot: {pot}", 14, role="note"))
        y += 76
    own = seats[0]
    items += _stack(MIDDLE, y + 20, own.chips, own.role, "")
    y += 42
    items += _seat(own, MIDDLE, y, 56, chips_below=False)
    y += 56 * CARD_SHAPE + 26
    background = panel(2, y, role="felt")
    items.append(line_of(y + 20, status, "title"))
    y += 40
    for line in moves:
        items += (lines := wrapped_lines(line.split(", "), y))
        y += 18 * len(lines)
    return sheet(y + 2, [background, *items], label)


def _filled(table: Sequence[TableCard], places: int) -> list[TableCard | None]:
    return [*table, *[None] * (places - len(table))]


def _seat(seat: Seat, x: float, y: float, width: float, *, chips_below: bool) -> list[Item]:
    """A seat around ``x``, from ``y`` on: name, cards, and the chips below, or name below."""
    height = width * CARD_SHAPE
    words = f"{seat.name} ({seat.note})" if seat.note else seat.name
    role = f"{seat.role} title"
    if chips_below:
        name = Text(x, y + 8, words, 12, role=role)
        cards = _spread(seat.cards, x, y + 20, width)
        chips = _stack(x, y + 20 + height + 20, seat.chips, seat.role, seat.said())
        return [name, *cards, *chips]
    below = y + height + 14
    return [
        *_spread(seat.cards, x, y, width),
        Text(x, below, words, 12, role=role, label=seat.said()),
    ]


def _spread(cards: Sequence[TableCard | None], x: float, y: float, width: float) -> list[Item]:
    """Cards side by side around ``x``; None is an empty place."""
    left = x - (len(cards) * (width + _GAP) - _GAP) / 2
    items: list[Item] = []
    for number, card in enumerate(cards):
        at = left + number * (width + _GAP)
        if card is None:
            items.append(Rect(at, y, width, width * CARD_SHAPE, width * 0.1, role="cell faint"))
        else:
            items.append(
                Card(at, y, width, card.rank, card.suit, role=card.role, label=card.said())
            )
    return items


def _stack(x: float, y: float, amount: int, role: str, label: str) -> list[Item]:
    """A small stack of chips, with the amount on the upmost one."""
    if amount == 0:
        return []
    high = min(amount, 4) - 1
    below: list[Item] = [Chip(x, y + 3.5 * (high - n), 14, role=role) for n in range(high)]
    return [*below, Chip(x, y, 14, str(amount), role=role, label=label)]
