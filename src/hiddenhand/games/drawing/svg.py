"""Scenes as SVG files, for documentation and films.

The table in the browser draws the same shapes: ``web/static/scene.js`` has the same functions in
the same order, and both take colours from ``web/static/scene.css``.
"""

import functools
import math
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from hiddenhand.games.scene import CARD_SHAPE, Scene

_SUITS: Final = {"c": ("♣", "green"), "d": ("♦", "blue"), "h": ("♥", "red"), "s": ("♠", "")}
_PIPS: Final = ((), (4,), (0, 8), (0, 4, 8), (0, 2, 6, 8), (0, 2, 4, 6, 8), (0, 2, 3, 5, 6, 8))
_SVG: Final = "http://www.w3.org/2000/svg"

Drawn = dict[str, Any]
"""An item as JSON has it."""


@dataclass
class Node:
    """An element of SVG.

    tag: its name.
    attributes: by name, as they are written.
    children: the elements in it.
    text: the words in it.
    """

    tag: str
    attributes: dict[str, str]
    children: list["Node"] = field(default_factory=list)
    text: str = ""

    def write(self) -> str:
        """The element as it stands in a file."""
        said = "".join(f" {name}={quoteattr(value)}" for name, value in self.attributes.items())
        inside = escape(self.text) + "".join(child.write() for child in self.children)
        return f"<{self.tag}{said}>{inside}</{self.tag}>"


def svg(scene: Scene) -> str:
    """A picture as the text of an SVG file, with its style sheet in it."""
    return file_of(drawn(scene.to_json()))


def file_of(root: Node, more: str = "") -> str:
    """The text of a file with a picture and its style sheet.

    root: what `drawn` returned.
    more: what stands in the style sheet besides.
    """
    style = Node("style", {}, text=style_sheet() + more)
    return Node(root.tag, root.attributes, [style, *root.children]).write() + "\n"


def drawn(scene: Drawn) -> Node:
    """The element of a scene, given as JSON has it. It holds an element for each item."""
    width, height = scene["width"], scene["height"]
    paper = _node("rect", {"class": "paper", "width": width, "height": height})
    attributes = {
        "xmlns": _SVG,
        "class": "scene",
        "viewBox": f"0 0 {_number(width)} {_number(height)}",
        "width": width,
        "height": height,
        "role": "group",
        "aria-label": scene["label"] or "picture",
    }
    return _node("svg", attributes, [paper, *map(item_drawn, scene["items"])])


@functools.cache
def style_sheet() -> str:
    """The style sheet of scenes."""
    return resources.files("hiddenhand").joinpath("web/static/scene.css").read_text("utf-8")


def item_drawn(item: Drawn) -> Node:
    """The element of an item, given as JSON has it."""
    attributes: dict[str, Any] = {"class": " ".join(filter(None, (item["kind"], item.get("role"))))}
    if "action" in item or "choices" in item:
        if "action" in item:
            attributes["data-action"] = item["action"]
        else:
            attributes["data-choices"] = " ".join(map(str, item["choices"]))
        attributes["tabindex"] = 0
        attributes["role"] = "button"
        attributes["aria-label"] = item.get("label", "a choice")
    elif "label" in item:
        attributes["role"] = "img"
        attributes["aria-label"] = item["label"]
    else:
        attributes["aria-hidden"] = "true"
    return _node("g", attributes, _SHAPES[item["kind"]](item))


def _rect(item: Drawn) -> list[Node]:
    place = {name: item[name] for name in ("x", "y", "width", "height")}
    return [_node("rect", place | {"rx": item["corner"]})]


def _circle(item: Drawn) -> list[Node]:
    return [_node("circle", {"cx": item["x"], "cy": item["y"], "r": item["radius"]})]


def _polygon(item: Drawn) -> list[Node]:
    return [_node("polygon", {"points": _corners(item["points"])})]


def _line(item: Drawn) -> list[Node]:
    return [_node("polyline", {"points": _corners(item["points"]), "stroke-width": item["width"]})]


def _arrow(item: Drawn) -> list[Node]:
    head = _node("polygon", {"class": "head", "points": _corners(_arrow_head(item))})
    return [*_line(item), head]


def _arrow_head(item: Drawn) -> list[list[float]]:
    """The corners of the head of an arrow, whose length goes with its width."""
    (from_x, from_y), (x, y) = item["points"][-2:]
    length = math.hypot(x - from_x, y - from_y) or 1
    size = 3 + 2 * item["width"]
    right, down = (x - from_x) / length * size, (y - from_y) / length * size
    return [
        [x + right / 2, y + down / 2],
        [x - right / 2 - down / 2, y - down / 2 + right / 2],
        [x - right / 2 + down / 2, y - down / 2 - right / 2],
    ]


def _text(item: Drawn) -> list[Node]:
    return [_words(None, item["x"], item["y"], item["size"], item["text"], item["anchor"])]


def _card(item: Drawn) -> list[Node]:
    return _card_face(item) if "rank" in item else _card_back(item)


def _card_face(item: Drawn) -> list[Node]:
    suit = item.get("suit", "")
    symbol, colour = _SUITS.get(suit, (suit, ""))
    name = " ".join(filter(None, ("print", colour)))
    middle, height = item["x"] + item["width"] / 2, item["width"] * CARD_SHAPE
    size = item["width"] * (0.36 if len(item["rank"]) > 2 else 0.52)
    if not symbol:
        inside = [_words(name, middle, item["y"] + height / 2, size, item["rank"])]
    else:
        inside = [
            _words(name, middle, item["y"] + height * 0.32, size, item["rank"]),
            _words(name, middle, item["y"] + height * 0.72, size, symbol),
        ]
    return [_paper_of(item, "face"), *inside]


def _card_back(item: Drawn) -> list[Node]:
    height, inset = item["width"] * CARD_SHAPE, item["width"] * 0.14
    left, right = item["x"] + inset, item["x"] + item["width"] - inset
    top, bottom = item["y"] + inset, item["y"] + height - inset
    x, y = (left + right) / 2, (top + bottom) / 2
    frame = {"x": left, "y": top, "width": right - left, "height": bottom - top}
    diamond = _corners([[x, top], [right, y], [x, bottom], [left, y]])
    return [
        _paper_of(item, "back"),
        _node("rect", {"class": "weave"} | frame | {"rx": item["width"] * 0.06}),
        _node("polygon", {"class": "weave", "points": diamond}),
    ]


def _paper_of(item: Drawn, name: str) -> Node:
    return _node(
        "rect",
        {
            "class": name,
            "x": item["x"],
            "y": item["y"],
            "width": item["width"],
            "height": item["width"] * CARD_SHAPE,
            "rx": item["width"] * 0.1,
        },
    )


def _chip(item: Drawn) -> list[Node]:
    x, y, radius, text = item["x"], item["y"], item["radius"], item.get("text", "")
    parts = [
        _node("circle", {"class": "coin", "cx": x, "cy": y, "r": radius}),
        _node("circle", {"class": "rim", "cx": x, "cy": y, "r": radius * 0.8}),
    ]
    if text:
        parts.append(_words("stamp", x, y, radius * (0.7 if len(text) > 2 else 0.9), text))
    return parts


def _die(item: Drawn) -> list[Node]:
    size, face = item["size"], item["face"]
    x, y = item["x"] + size / 2, item["y"] + size / 2
    if face == 0:
        return [_die_body(item, "cup"), _words("stamp", x, y, size * 0.55, "?")]
    if face >= len(_PIPS):
        return [_die_body(item, "face"), _words("print", x, y, size * 0.5, str(face))]
    pips = [
        _node(
            "circle",
            {
                "class": "pip",
                "cx": item["x"] + size * (0.25 + 0.25 * (place % 3)),
                "cy": item["y"] + size * (0.25 + 0.25 * (place // 3)),
                "r": size * 0.09,
            },
        )
        for place in _PIPS[face]
    ]
    return [_die_body(item, "face"), *pips]


def _die_body(item: Drawn, name: str) -> Node:
    size = item["size"]
    place = {"class": name, "x": item["x"], "y": item["y"], "width": size, "height": size}
    return _node("rect", place | {"rx": size * 0.18})


_SHAPES: Final = {
    "rect": _rect,
    "circle": _circle,
    "polygon": _polygon,
    "line": _line,
    "arrow": _arrow,
    "text": _text,
    "card": _card,
    "chip": _chip,
    "die": _die,
}


def _words(
    name: str | None, x: float, y: float, size: float, text: str, anchor: str = "middle"
) -> Node:
    """A line of words whose letters have their middle at height y."""
    place = {"class": name, "x": x, "y": y + size * 0.35, "font-size": size, "text-anchor": anchor}
    return _node("text", place, text=text)


def _corners(points: list[list[float]]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _number(value: float) -> str:
    """A number as it is written: in hundredths, which are rounded as JavaScript rounds."""
    rounded = math.floor(value * 100 + 0.5) / 100
    return str(int(rounded)) if rounded.is_integer() else repr(rounded)


def _node(
    tag: str, attributes: dict[str, Any], children: list[Node] | None = None, text: str = ""
) -> Node:
    written = {
        name: value if isinstance(value, str) else _number(value)
        for name, value in attributes.items()
        if value is not None
    }
    return Node(tag, written, children or [], text)
