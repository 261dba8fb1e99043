"""Pictures of games for cards of the start page: a position of a random play, as an SVG file.

A picture is drawn in plain Python within some milliseconds; nothing is compiled for it.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

import numpy as np

from hiddenhand.errors import GameError
from hiddenhand.games.about import About
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.drawing.svg import Node, drawn, style_sheet
from hiddenhand.games.history import History
from hiddenhand.games.scene import WIDTH, Scene, Text
from hiddenhand.web.catalogue import NOTHING_ELSE, Allowed, about_game, loaded, offered_examples

_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE: Final = re.compile(r"^([^\s{}@][^{}@]*)\{[^{}]*\}\n", re.MULTILINE)  # outside of @media
_COLOUR: Final = re.compile(r"(--scene-\w+): [^;]*; ?")
_USED_COLOUR: Final = re.compile(r"var\((--scene-\w+)\)")
_CLASS: Final = re.compile(r"\.([\w-]+)")
_SHAPE: Final = 10 / 16  # the height of a picture, as a multiple of its width
_MOST_MOVES: Final = 60  # of the random play
_LINE: Final = 24.0  # from line to line of a game that has only text
_MOST_LINES: Final = 9
_LONGEST_LINE: Final = 36


def picture_of(text: str, allowed: Allowed = NOTHING_ELSE) -> str:
    """The picture of a game of the start page, as the text of an SVG file. Raises GameError for
    any other game.

    text: the game, as the start page names it.
    """
    if not (text in allowed.games or text in offered_examples()):
        raise GameError("there is a picture only for the games of the start page")
    return _drawn(text, about_game(text))


@lru_cache(maxsize=256)
def _drawn(text: str, about: About) -> str:
    seed, share, focus = about.card
    history = _position(loaded(text), seed, share)
    observer = max(history.player, 0)
    scene = history.game.picture(history.state, observer)
    if scene is None:
        scene = _in_words(history, observer)
    bare = tuple(replace(item, action=None, choices=None, label="") for item in scene.items)
    root = _cut_out(replace(scene, items=bare), focus)
    style = Node("style", {}, text=_needed(style_sheet(), root))
    return Node(root.tag, root.attributes, [style, *root.children]).write()


def _cut_out(scene: Scene, focus: float) -> Node:
    """The part of a scene that a card shows.

    focus: which part of the height, from 0, the top, to 1, the bottom.
    """
    height = scene.width * _SHAPE
    top = (scene.height - height) * focus
    root = drawn(scene.to_json())
    root.attributes |= {
        "viewBox": " ".join(f"{number:g}" for number in (0, top, scene.width, height)),
        "width": "320",
        "height": "200",
    }
    return root


def _needed(sheet: str, root: Node) -> str:
    """The part of the style sheet that the elements of a picture use. The page loads many pictures,
    so they are small.
    """
    used = {name for node in _all(root) for name in node.attributes.get("class", "").split()}

    def kept(rule: re.Match[str]) -> str:
        selectors = rule[1].split(",")
        needed = [
            selector
            for selector in selectors
            if "[" not in selector and used.issuperset(_CLASS.findall(selector))
        ]
        return rule[0] if needed else ""

    rules = _RULE.sub(kept, _COMMENT.sub("", sheet))
    colours = set(_USED_COLOUR.findall(rules))
    rules = _COLOUR.sub(lambda found: found[0] if found[1] in colours else "", rules)
    return re.sub(r"\s*\n\s*", "\n", rules)


def _all(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _all(child)


def _position(game: Game, seed: int, share: float) -> History:
    """A position of a random play, where a player is to move."""
    random = np.random.default_rng(seed)
    history = History(game)
    decisions = [history]
    for _ in range(_MOST_MOVES):
        if history.is_terminal:
            break
        if history.player == CHANCE:
            history = history.child(history.sample_chance(random))
            continue
        decisions.append(history)
        moves = history.legal_moves()
        history = history.child(moves[int(random.integers(len(moves)))])
    return decisions[round(share * (len(decisions) - 1))]


def _in_words(history: History, observer: int) -> Scene:
    """What a game without pictures writes, as a scene."""
    written = history.game.render(history.state, observer)
    lines = [line[:_LONGEST_LINE] for line in written.replace("; ", "\n").splitlines()]
    lines = lines[:_MOST_LINES] or [""]
    height = max(WIDTH * _SHAPE, _LINE * (len(lines) + 1))
    top = (height - _LINE * (len(lines) - 1)) / 2
    items = tuple(
        Text(WIDTH / 2, top + _LINE * number, line, 16, role="title")
        for number, line in enumerate(lines)
    )
    return Scene(WIDTH, height, items, "the game in words")
