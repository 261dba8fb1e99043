"""A match as a film: an SVG file that shows one picture after the other, without any program in it.

If the viewer's system is set to less motion, the film shows only one picture: by default the last.
"""

import textwrap
from collections.abc import Sequence
from typing import Final

from hiddenhand.games.drawing.svg import Drawn, Node, drawn, file_of, item_drawn
from hiddenhand.games.scene import Scene, Text

_LETTERS: Final = 52  # of a line of words
_LINES: Final = 2  # of words below a picture
_STEP: Final = 18.0  # from line to line
_MOTION: Final = """
.frame {{ visibility: hidden; animation: frame {total:g}s step-end infinite; }}
@keyframes frame {{ 0% {{ visibility: visible; }} {share:.6f}% {{ visibility: hidden; }} }}
@media (prefers-reduced-motion: reduce) {{
  .frame {{ animation: none; }}
  .frame:nth-last-child({still}) {{ visibility: visible; }}
}}
"""


def film(
    frames: Sequence[tuple[Scene, str]],
    seconds: float = 1.5,
    ghosts: Sequence[Sequence[tuple[Drawn, float]]] = (),
    still: int = -1,
) -> str:
    """A film as the text of an SVG file. It begins again when it is over.

    frames: the pictures, at least one, each with what is said below it.
    seconds: how long each is shown.
    ghosts: for each picture, items as JSON has them, each with its opacity from 0 to 1, that are
        drawn above it. By default none.
    still: the index of the picture for viewers whose system is set to less motion. By default -1,
        the last.
    """
    width = max(scene.width for scene, _ in frames)
    height = max(scene.height for scene, _ in frames)
    root = drawn(Scene(width, height + _STEP * (_LINES + 0.5), (), "a film of a match").to_json())
    for number, (scene, said) in enumerate(frames):
        words = [
            Text(scene.width / 2, height + _STEP * (place + 0.75), line, role="title")
            for place, line in enumerate(textwrap.wrap(said, _LETTERS)[:_LINES])
        ]
        frame = drawn(Scene(scene.width, scene.height, (*scene.items, *words)).to_json())
        frame.tag = "g"
        frame.attributes = {
            "class": "frame",
            "style": f"animation-delay: {seconds * number:g}s",
            "transform": f"translate({(width - scene.width) / 2:g} 0)",
        }
        if ghosts:
            frame.children += [_faint(item, opacity) for item, opacity in ghosts[number]]
        root.children.append(frame)
    count = len(frames)
    motion = _MOTION.format(total=seconds * count, share=100 / count, still=count - still % count)
    return file_of(root, motion)


def _faint(item: Drawn, opacity: float) -> Node:
    drawn_item = item_drawn(item)
    drawn_item.attributes["opacity"] = f"{opacity:.2f}"
    return drawn_item
