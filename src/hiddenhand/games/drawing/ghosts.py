"""A belief as a picture: what a seat does not see, drawn where it may be.

For each history of a search's belief the game draws its picture with all shown, from the seat. What
the seat sees in its own picture is left out. The rest are the *ghosts*: an item, and the
probability that it is there, the sum of the weights of the histories that show it. So ghosts depend
only on what the seat noticed, and on what the search found out from that.

Some ghosts are put together, because single items would be hard to read:

- A *hand* is a row of cards that lie face down, or of dice under cups. Each card that may be among
  them has the probability that it is. A hand of two cards of a deck of 52 has the probability of
  each pair.
- A *cell* of the board has the probability that something lies on it.
- *Words* that stand alone are listed.

A belief may have many histories, so pictures are drawn of a sample: by priority sampling (Duffield,
Lund and Thorup 2007), in which a history of weight w has the priority w / u, and those of the
highest priorities are drawn. So heavy histories come first, and the sums stay unbiased. In place of
random numbers, u runs through the multiples of the golden ratio modulo 1. Neighbouring histories
differ little, and this spreads the sample evenly over them. It also keeps the sample nearly the
same while the weights change, so that few pictures are new.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final

import numpy as np

from hiddenhand import clock
from hiddenhand.games.base import Game, all_shown
from hiddenhand.games.scene import (
    CARD_SHAPE,
    Card,
    Circle,
    Die,
    Item,
    Rect,
    Scene,
    Shape,
    Text,
    shape_of,
)
from hiddenhand.jit.arrays import Floats, Integers

Plain = dict[str, Any]

MOST_LEAVES: Final = 1500
"""The most histories of which pictures are drawn."""
MOST_ITEMS: Final = 200
"""The most items that a page gets; the likeliest ones."""
_LEAST: Final = 0.0005  # the least probability that a page gets
_GOLDEN: Final = 0.6180339887498949
_FEWEST_CELLS: Final = 4  # equal cells that are a board
_LOOKED_AT: Final = 3  # histories whose pictures must be drawn from the seat
_DECK: Final = tuple(rank + suit for rank in "23456789TJQKA" for suit in "cdhs")
_PAIRS: Final = {pair: number for number, pair in enumerate(combinations(range(52), 2))}
_MILLION: Final = 1_000_000


@dataclass(frozen=True)
class _Held:
    """A card or a die among those of a hand. hand: the number of the hand."""

    hand: int
    item: Card | Die


@dataclass(frozen=True)
class _Pair:
    """Both cards of a hand. pair: their number among all pairs of a deck."""

    hand: int
    pair: int


@dataclass(frozen=True)
class _Covered:
    """A cell on which something lies. at: the number of the cell among the items of the scene."""

    at: int


Ghost = Item | _Held | _Pair | _Covered


class Hand:
    """Places side by side for cards or dice that the seat does not see.

    places: the face-down cards, or cups, as the seat sees them.
    name: the words of the scene nearest to them, such as the name of the player.
    """

    def __init__(self, places: Sequence[Card | Die], own: Scene) -> None:
        self.places = places
        sizes = [_size_of(place) for place in places]
        self.x = min(place.x for place in places)
        self.y = min(place.y for place in places)
        self.width = max(p.x + size[0] for p, size in zip(places, sizes, strict=True)) - self.x
        self.height = max(p.y + size[1] for p, size in zip(places, sizes, strict=True)) - self.y
        self.is_pair = len(places) == 2 and all(isinstance(place, Card) for place in places)
        x, y = self.x + self.width / 2, self.y + self.height / 2
        titles = [item for item in own.items if isinstance(item, Text) and "title" in item.role]
        nearest = min(titles, key=lambda item: (item.x - x) ** 2 + (item.y - y) ** 2, default=None)
        self.name = "" if nearest is None else nearest.text

    def to_json(self) -> Plain:
        """The name of the hand, and where it lies."""
        place = {name: round(getattr(self, name), 2) for name in ("x", "y", "width", "height")}
        return {"name": self.name, **place}


class Ghosts:
    """The ghosts of a belief.

    game: a game with moves in turns.
    seat: the player whose belief it is.
    own: the picture that this player sees.
    states: ``int64[F, state_size]``, the states of the histories.
    most: the most histories of which pictures are drawn.
    """

    def __init__(
        self, game: Game, seat: int, own: Scene, states: Integers, most: int = MOST_LEAVES
    ) -> None:
        self._game, self._seat, self._own, self._states, self._most = game, seat, own, states, most
        self._same = {id(item) for item in own.items}  # a quick look before shapes are compared
        self._shapes = {shape_of(item) for item in own.items}
        self._cells = list(_cells_of(own))
        self._hands: list[Hand] = []
        self._hand_at: dict[Shape, int] = {}
        for places in _rows_of_hidden(own):
            self._add_hand(places)
        self._numbers: dict[Ghost, int] = {}
        self._drawn: dict[int, list[int]] = {}
        self._covers: dict[Item, list[_Covered]] = {}
        self._fits: bool | None = None

    def shown(self, weights: Floats, seconds: float | None = None) -> Plain:
        """The ghosts, as plain data for a page. Or ``{"why": a sentence}`` for pictures that are
        not drawn from the seat.

        items: ``[{"p", "item"}]``, at most `MOST_ITEMS`, the likeliest last, so that they lie on
            top; ``more`` counts those left out.
        cells: ``[[number of the cell among the items of the seat's picture, p]]``.
        hands: ``[{"name", "x", "y", "width", "height", "held"}]``, with the likeliest card or die
            first in ``held``. A hand of two cards has ``pairs`` in place of them: 1,326 numbers,
            the chances in millionths of 2c 2d, 2c 2h, ... Ah As; -1 for what the seat rules out.
        words: ``[{"text", "p"}]``.
        histories, of: of how many histories the pictures were drawn, and how many there are.
        is_whole: whether these are all that have a weight.

        weights: ``float64[F]``, the weight of each history.
        seconds: roughly the most seconds for drawing pictures that were not drawn before. After
            that the sample has only the histories drawn so far.
        """
        order, priorities = _by_priority(weights, self._most)
        until = None if seconds is None else clock.now() + seconds
        drawn = list[list[int]]()
        for leaf in order[: self._most].tolist():
            if leaf not in self._drawn:
                if until is not None and drawn and clock.now() >= until:
                    break
                self._drawn[leaf] = [self._number(ghost) for ghost in self._ghosts_of(leaf)]
            drawn.append(self._drawn[leaf])
        if self._fits is None:
            self._fits = self._is_from_seat(order[:_LOOKED_AT].tolist())
        if not self._fits:
            return {"why": "the picture of this game with all shown is not drawn from your seat"}
        sample = weights[order[: len(drawn)]]
        if len(drawn) < order.size:
            sample = np.maximum(sample, priorities[len(drawn)])
        each = np.repeat(sample / sample.sum(), [len(numbers) for numbers in drawn])
        found = np.array([number for numbers in drawn for number in numbers], np.int64)
        chances = np.bincount(found, each, minlength=len(self._numbers)).clip(max=1.0)
        return {
            "seat": self._seat,
            **self._listed(chances.tolist()),
            "histories": len(drawn),
            "of": weights.size,
            "is_whole": len(drawn) == order.size,
        }

    def _listed(self, chances: list[float]) -> Plain:
        items, words, cells = list[Plain](), list[Plain](), list[list[float]]()
        hands = [dict[str, Any](hand.to_json(), held=[]) for hand in self._hands]
        for ghost, number in self._numbers.items():
            p = chances[number]
            if isinstance(ghost, _Pair):
                hand = hands[ghost.hand]
                if "pairs" not in hand:
                    hand["pairs"] = self._possible_pairs()
                hand["pairs"][ghost.pair] = round(p * _MILLION)
            elif p < _LEAST:
                continue
            elif isinstance(ghost, _Held):
                hands[ghost.hand]["held"].append(_face_of(ghost.item) | {"p": round(p, 4)})
            elif isinstance(ghost, _Covered):
                cells.append([ghost.at, round(p, 4)])
            elif isinstance(ghost, Text) and not self._is_part(ghost):
                if p < 1 - 1e-9:  # else they are no secret, but other words for what is known
                    words.append({"text": ghost.text, "p": round(p, 4)})
            else:
                items.append({"p": round(p, 4), "item": ghost.to_json()})
        for some in (items, words, *(hand["held"] for hand in hands)):
            some.sort(key=lambda entry: -entry["p"])
        return {
            "items": sorted(items[:MOST_ITEMS], key=lambda entry: entry["p"]),  # likely ones on top
            "more": max(len(items) - MOST_ITEMS, 0),
            "cells": sorted(cells),
            "hands": [hand for hand in hands if hand["held"] or "pairs" in hand],
            "words": words[:MOST_ITEMS],
        }

    # --- pictures ---

    def _picture(self, leaf: int) -> Scene:
        scene = self._game.picture(np.array(self._states[leaf]), all_shown(self._seat))
        return self._own if scene is None else scene

    def _ghosts_of(self, leaf: int) -> Iterable[Ghost]:
        """What the picture of a history shows and the seat does not see, in the picture's order."""
        found: dict[Ghost, None] = {}
        held: dict[int, list[Card]] = {}
        for item in self._picture(leaf).items:
            if id(item) in self._same or shape_of(item) in self._shapes:
                continue
            if isinstance(item, Card | Die) and _face_of(item):
                hand = self._hand_of(item)
                found[_Held(hand, _face_only(item))] = None
                if isinstance(item, Card):
                    held.setdefault(hand, []).append(item)
                continue
            ghost = replace(item, action=None, choices=None)
            found[ghost] = None
            found.update(dict.fromkeys(self._covered_by(ghost)))
        for hand, cards in held.items():
            if self._hands[hand].is_pair and (pair := _pair_of(cards)) is not None:
                for card in cards:
                    del found[_Held(hand, _face_only(card))]
                found[_Pair(hand, pair)] = None
        return found

    def _number(self, ghost: Ghost) -> int:
        return self._numbers.setdefault(ghost, len(self._numbers))

    def _is_from_seat(self, leaves: Sequence[int]) -> bool:
        """Whether the pictures of some histories show what the seat sees of its own. If a game does
        not ask for the seat, it may draw them from another side.
        """
        wanted = {
            shape_of(item)
            for item in self._own.items
            if item.action is None
            and item.choices is None
            and ("mine" in item.role.split() or (isinstance(item, Card | Die) and _face_of(item)))
        }
        return all(
            wanted <= {shape_of(item) for item in self._picture(leaf).items} for leaf in leaves
        )

    # --- hands ---

    def _add_hand(self, places: Sequence[Card | Die]) -> int:
        for place in places:
            self._hand_at[_place_of(place)] = len(self._hands)
        self._hands.append(Hand(places, self._own))
        return len(self._hands) - 1

    def _hand_of(self, item: Card | Die) -> int:
        """The number of the hand in whose place an item lies, which may be a new hand."""
        hand = self._hand_at.get(_place_of(item))
        return self._add_hand([item]) if hand is None else hand

    def _possible_pairs(self) -> list[int]:
        """For each pair of cards 0; -1 if the seat sees that it cannot be."""
        seen = {item.rank + item.suit for item in self._own.items if isinstance(item, Card)}
        return [
            -1 if _DECK[first] in seen or _DECK[second] in seen else 0 for first, second in _PAIRS
        ]

    # --- cells and words ---

    def _covered_by(self, item: Item) -> list[_Covered]:
        """The cells whose middle an item covers."""
        if item not in self._covers:
            box = None if isinstance(item, Text) else _box_of(item)
            self._covers[item] = [
                _Covered(at)
                for at, x, y in self._cells
                if box is not None and box[0] <= x <= box[2] and box[1] <= y <= box[3]
            ]
        return self._covers[item]

    def _is_part(self, text: Text) -> bool:
        """Whether words stand in the middle of another ghost, such as the number of a unit."""
        return any(
            isinstance(ghost, Circle) and (ghost.x, ghost.y) == (text.x, text.y)
            for ghost in self._numbers
        )


def plan_on(own: Scene, actions: Sequence[int], policy: Sequence[float]) -> list[list[float]]:
    """For each item of a scene that can be clicked, its number and the probability with which a
    search plays one of its actions.

    own: the picture of the player who is to move.
    actions: the legal actions.
    policy: the probability of each.
    """
    chances = dict(zip(actions, policy, strict=True))
    plan = []
    for at, item in enumerate(own.items):
        meant = item.choices if item.action is None else (item.action,)
        if meant:
            plan.append([at, round(sum(chances.get(action, 0.0) for action in meant), 4)])
    return plan


def _by_priority(weights: Floats, most: int) -> tuple[Integers, Floats]:
    """The histories with a weight, those of the highest priority first, and their priorities: at
    most ``most``, and one more if there are more.
    """
    spread = (np.arange(1, weights.size + 1) * _GOLDEN) % 1.0
    priority = weights / spread
    leaves = np.flatnonzero(weights > 0)
    if leaves.size > most + 1:
        leaves = leaves[np.argpartition(-priority[leaves], most)[: most + 1]]
    leaves = leaves[np.argsort(-priority[leaves], kind="stable")]
    return leaves, priority[leaves]


# --- items ---


def _face_of(item: Card | Die) -> Plain:
    """What stands on a card or a die; nothing if it lies face down or under a cup."""
    if isinstance(item, Card):
        return {"rank": item.rank, "suit": item.suit} if item.rank else {}
    return {"face": item.face} if item.face else {}


def _face_only(item: Card | Die) -> Card | Die:
    """The same card or die at no special place."""
    if isinstance(item, Card):
        return Card(0, 0, 1, item.rank, item.suit)
    return Die(0, 0, 1, item.face)


def _size_of(item: Card | Die) -> tuple[float, float]:
    if isinstance(item, Card):
        return item.width, item.width * CARD_SHAPE
    return item.size, item.size


def _place_of(item: Card | Die) -> Shape:
    return item.KIND, item.x, item.y, _size_of(item)


def _rows_of_hidden(scene: Scene) -> Iterator[list[Card | Die]]:
    """The runs of cards that lie face down, and of dice under cups, each of one size."""
    row = list[Card | Die]()
    for item in (*scene.items, None):
        is_hidden = isinstance(item, Card | Die) and not _face_of(item)
        if row and not (is_hidden and item is not None and _alike(row[-1], item)):
            yield row
            row = []
        if isinstance(item, Card | Die) and is_hidden:
            row.append(item)


def _alike(one: Card | Die, other: Item) -> bool:
    return type(one) is type(other) and _size_of(one) == _size_of(other)


def _pair_of(cards: Sequence[Card]) -> int | None:
    """The number of a pair among all pairs of a deck; None for other cards."""
    names = [card.rank + card.suit for card in cards]
    if len(names) != 2 or not set(names) <= set(_DECK):
        return None
    first, second = sorted(_DECK.index(name) for name in names)
    return _PAIRS.get((first, second))


def _cells_of(scene: Scene) -> Iterator[tuple[int, float, float]]:
    """The cells of a board: their numbers among the items, and their middles."""
    cells = {
        at: _box_of(item)
        for at, item in enumerate(scene.items)
        if {"cell", "failed"} & set(item.role.split()) and not isinstance(item, Text)
    }
    sizes = {
        at: (round(right - left, 2), round(bottom - top, 2))
        for at, (left, top, right, bottom) in cells.items()
    }
    count = Counter(sizes.values())
    for at, box in cells.items():
        if count[sizes[at]] >= _FEWEST_CELLS:
            yield at, (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _box_of(item: Item) -> tuple[float, float, float, float]:
    """The least and the greatest coordinates of an item: x, y, x, y."""
    if isinstance(item, Rect):
        return item.x, item.y, item.x + item.width, item.y + item.height
    if isinstance(item, Card | Die):
        wide, high = _size_of(item)
        return item.x, item.y, item.x + wide, item.y + high
    points = getattr(item, "points", None)
    if points is not None:
        xs, ys = zip(*points, strict=True)
        return min(xs), min(ys), max(xs), max(ys)
    x, y, radius = item.x, item.y, getattr(item, "radius", 0.0)  # type: ignore[attr-defined]
    return x - radius, y - radius, x + radius, y + radius
