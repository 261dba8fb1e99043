"""Pictures of games as plain data: a scene is a sheet with cards, chips, cells and words on it.

A game that defines `Game.picture` returns a `Scene` for each observer of a state. A scene gives the
place and the role of each item, never its colour. The table in the browser
(``web/static/scene.js``) and the writer of SVG files (`hiddenhand.games.drawing.svg`) take colours,
light and dark, from one style sheet, ``web/static/scene.css``.

Coordinates grow to the right and downwards from the top left corner. A sheet is `WIDTH` units wide,
so that a unit is about a pixel on a small telephone; text of size 10 can be read there.

A role is a name of the style sheet, or several, separated by blanks:

    board, cell, wall   what the game is played on
    mine, theirs        what belongs to the observer's side, and to the others
    hidden              a place whose contents the observer does not know
    failed              what was tried in vain
    highlight           what the present move is about
    sight, possible     what units see, and where something may be
    title, note, on     words: the first in importance, the second, and words on a coloured place
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cache
from operator import attrgetter
from typing import Any, ClassVar, Final

from hiddenhand.jit.arrays import Integers
from hiddenhand.user_code import imported

WIDTH: Final = 360.0
"""The width of a sheet, unless the picture needs another shape."""
CARD_SHAPE: Final = 1.4
"""The height of a card, as a multiple of its width."""

Point = tuple[float, float]
Shape = tuple[Any, ...]
"""What an item shows and where; see `shape_of`."""


@dataclass(frozen=True, kw_only=True)
class Item:
    """A thing in a scene.

    role: what it is for the observer; see the module.
    action: the legal action, of the player for whom the scene is drawn, that a click on the item
        means; None for an item that cannot be clicked.
    choices: for an action with several parts, such as the steps of two units, the legal actions
        that a click on the item leaves to choose from. Clicks on several items mean the one action
        that is a choice of all of them. None for other items.
    label: what a screen reader says of the item; "" for an item that is decoration.
    """

    KIND: ClassVar[str]

    role: str = ""
    action: int | None = None
    choices: tuple[int, ...] | None = None
    label: str = ""

    def to_json(self) -> dict[str, Any]:
        """The item as JSON has it, without empty entries, such as no action."""
        said = {"kind": self.KIND}
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and value != "":
                said[field.name] = _plain(value)
        return said


@dataclass(frozen=True)
class Rect(Item):
    """A rectangle.

    x, y: the top left corner.
    width, height: how large it is.
    corner: the radius of its corners.
    """

    KIND = "rect"

    x: float
    y: float
    width: float
    height: float
    corner: float = 0.0


@dataclass(frozen=True)
class Circle(Item):
    """A circle.

    x, y: the middle.
    radius: half its width.
    """

    KIND = "circle"

    x: float
    y: float
    radius: float


@dataclass(frozen=True)
class Polygon(Item):
    """A closed polygon.

    points: its corners, in order.
    """

    KIND = "polygon"

    points: tuple[Point, ...]


@dataclass(frozen=True)
class Line(Item):
    """A line that may have bends.

    points: its ends, and between them its bends, in order.
    width: how thick it is.
    """

    KIND = "line"

    points: tuple[Point, ...]
    width: float = 1.5


@dataclass(frozen=True)
class Arrow(Line):
    """A line with a head at its last point."""

    KIND = "arrow"


@dataclass(frozen=True)
class Text(Item):
    """A line of words.

    x, y: the point that the words begin at, are centred around or end at; the middle of the letters
        is as high as this point.
    text: the words.
    size: the size of the letters.
    anchor: "start", "middle" or "end".
    """

    KIND = "text"

    x: float
    y: float
    text: str
    size: float = 13.0
    anchor: str = "middle"


@dataclass(frozen=True)
class Card(Item):
    """A playing card, `CARD_SHAPE` times as high as it is wide.

    x, y: the top left corner.
    width: how wide it is.
    rank: what stands on it, such as "K"; "" for a card that lies face down.
    suit: "c", "d", "h" or "s", which is drawn as a symbol; another text is drawn as it is; "" for
        a card without a suit.
    """

    KIND = "card"

    x: float
    y: float
    width: float
    rank: str = ""
    suit: str = ""


@dataclass(frozen=True)
class Chip(Item):
    """A chip or a coin.

    x, y: the middle.
    radius: half its width.
    text: what stands on it.
    """

    KIND = "chip"

    x: float
    y: float
    radius: float
    text: str = ""


@dataclass(frozen=True)
class Die(Item):
    """A die.

    x, y: the top left corner.
    size: how wide and high it is.
    face: what it shows, from 1; 0 for a die that the observer does not see. Faces to 6 have pips,
        others a number.
    """

    KIND = "die"

    x: float
    y: float
    size: float
    face: int = 0


@dataclass(frozen=True)
class Scene:
    """A picture of a state for one observer.

    width, height: how large the sheet is.
    items: what is drawn; what comes later lies above.
    label: what a screen reader says of the whole picture.
    """

    width: float
    height: float
    items: tuple[Item, ...]
    label: str = ""

    def to_json(self) -> dict[str, Any]:
        """The scene as JSON has it: ``{"width", "height", "label", "items"}``."""
        return {
            "width": _plain(self.width),
            "height": _plain(self.height),
            "label": self.label,
            "items": [item.to_json() for item in self.items],
        }

    @property
    def actions(self) -> set[int]:
        """The actions that clicks can mean."""
        single = {item.action for item in self.items if item.action is not None}
        return single.union(*(item.choices for item in self.items if item.choices))

    def with_line(self, text: str) -> "Scene":
        """The same picture with a line of words below it."""
        line = Text(self.width / 2, self.height + 9, text, role="title")
        return replace(self, height=self.height + 22, items=(*self.items, line))

    def limited_to(self, actions: set[int]) -> "Scene":
        """The same picture in which clicks mean nothing unless they mean one of ``actions``."""
        if self.actions <= actions:
            return self

        def limited(item: Item) -> Item:
            action = item.action if item.action in actions else None
            choices = tuple(choice for choice in item.choices or () if choice in actions)
            return replace(item, action=action, choices=choices or None)

        return replace(self, items=tuple(map(limited, self.items)))


_STYLE: Final = {field.name for field in fields(Item)}
_CONTENTS: Final[dict[type, Any]] = {}  # for each kind, what gets the fields of a shape


def shape_of(item: Item) -> Shape:
    """What an item shows and where, without its style: role, action, choices and label."""
    kind = type(item)
    if kind not in _CONTENTS:
        names = [field.name for field in fields(kind) if field.name not in _STYLE]
        _CONTENTS[kind] = attrgetter("KIND", *names)
    shape: Shape = _CONTENTS[kind](item)
    return shape


def _plain(value: Any) -> Any:
    """A value as JSON has it; coordinates in hundredths, whole ones as integers."""
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float):
        rounded = round(value, 2)
        return int(rounded) if rounded.is_integer() else rounded
    return value


# --- how a game is shown ---


def nothing_hidden(game: Any, state: Integers, observer: int) -> str:
    """What is hidden in a game whose players see all states."""
    return ""


@dataclass(frozen=True)
class Presentation:
    """How a game of this package is shown to people: the functions behind `Game.picture`,
    `Game.hidden` and `Game.tell`. They take the game, and then what the method takes.

    tell: None for a game that does not tell its moves.
    """

    picture: Callable[[Any, Integers, int], Scene]
    hidden: Callable[[Any, Integers, int], str] = nothing_hidden
    tell: Callable[[Any, Integers, Any, Integers, int], str] | None = None


@cache
def presentation_at(place: str) -> Presentation:
    """The presentation at "module:NAME". Its module is imported when a picture is first asked for:
    searches need none.
    """
    found: Presentation = imported(place)
    return found
