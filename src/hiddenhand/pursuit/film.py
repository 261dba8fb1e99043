"""Films of matches of pursuit with limited sight, as a GIF or as one HTML file. They need
matplotlib and Pillow, which the optional extra ``plots`` installs.

On the left is what the pursuers believe of the evader, on the right what the evader believes of the
pursuing units: the darker, the likelier. Nodes in sight of that side are yellow. Below is the size
of PP, the nodes where the evader may be for all that the pursuers saw, at each time.
"""

import base64
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import Template
from typing import Any, Final

import numpy as np

from hiddenhand.errors import FileError, PlayerError
from hiddenhand.files import write_file
from hiddenhand.jit.arrays import Floats
from hiddenhand.pursuit.film_frames import Frame
from hiddenhand.pursuit.games.layout import EVADER, PURSUERS
from hiddenhand.pursuit.games.places import SCALE
from hiddenhand.pursuit.games.visibility import VisibilityPursuit

_SUFFIXES: Final = (".gif", ".html")
_SECONDS: Final = 0.2  # that a frame is shown
_COLOURS: Final = 200  # of a GIF
_INK: Final = np.array([[0.75, 0.10, 0.10], [0.13, 0.35, 0.70]])  # of where each side may be
_FREE, _SEEN, _WALL = np.array([[1.0, 1.0, 1.0], [1.0, 0.90, 0.45], [0.30, 0.30, 0.30]])
_BUILDING, _STREET = "#d8d2c8", "#a0a8b0"
_TITLES: Final = ("what the evader believes", "what the pursuers believe")


def verify_film(path: Path) -> None:
    """Raise PlayerError if matplotlib or Pillow is not installed, and FileError if the suffix of
    ``path`` is not that of a film. It is called before anything takes long.
    """
    try:
        import matplotlib.figure  # noqa: F401
        import PIL.Image  # noqa: F401
    except ImportError:
        raise PlayerError(
            "a film needs matplotlib and Pillow, which are not installed; install hiddenhand[plots]"
        ) from None
    if path.suffix not in _SUFFIXES:
        raise FileError(
            f"the film {path} cannot be written; give a path that ends in {' or '.join(_SUFFIXES)}"
        )


def write_film(
    path: Path, rules: VisibilityPursuit, names: Sequence[str], frames: Sequence[Frame]
) -> None:
    """Write a film. Raises what `verify_film` raises, and FileError where nothing can be written.

    path: the file to write; its suffix says the format: .gif or .html.
    rules: the game.
    names: what the players are called.
    frames: what is shown, a time each.
    """
    verify_film(path)
    pictures = list(drawn(rules, names, frames))
    write_file(path, _gif(pictures) if path.suffix == ".gif" else _html(pictures, names))


def drawn(rules: VisibilityPursuit, names: Sequence[str], frames: Sequence[Frame]) -> Iterator[Any]:
    """The frames as pictures of Pillow."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image

    figure = Figure(figsize=(9.0, 6.2), dpi=80, layout="constrained")
    canvas = FigureCanvasAgg(figure)
    parts = figure.subplot_mosaic([["left", "right"], ["below", "below"]], height_ratios=(3, 1))
    sides = [
        _Side(rules, PURSUERS, parts["left"], names[PURSUERS]),
        _Side(rules, EVADER, parts["right"], names[EVADER]),
    ]
    sizes = [frame.size for frame in frames]
    below = parts["below"]
    below.plot(range(len(sizes)), sizes, color=_INK[EVADER], linewidth=1)
    below.set(xlabel="moves", ylabel="|PP|", xlim=(0, max(len(sizes) - 1, 1)), ylim=(0, None))
    (now,) = below.plot([0], [sizes[0]], "o", color=_INK[EVADER])
    for frame in frames:
        for side in sides:
            side.show(frame)
        now.set_data([frame.time], [frame.size])
        is_seen = any(rules.terrain.sees(here, frame.nodes[0]) for here in frame.nodes[1:])
        sight = "in sight" if is_seen else "hidden"
        figure.suptitle(f"move {frame.time} of {rules.moves}: evader {sight}, |PP| = {frame.size}")
        canvas.draw()  # type: ignore[no-untyped-call]
        pixels = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
        yield Image.fromarray(pixels).convert("RGB")


class _Side:
    """A map with what one side sees and believes."""

    def __init__(self, rules: VisibilityPursuit, seat: int, axes: Any, name: str) -> None:
        self._rules, self._seat, self._axes = rules, seat, axes
        places = rules.places
        axes.set_title(f"{_TITLES[seat]} ({name})", fontsize=9)
        axes.set(xticks=[], yticks=[], aspect="equal")
        self._points = places.points / (1 if places.walls is not None else SCALE)
        if places.walls is not None:
            self._picture = np.where(places.walls[:, :, None], _WALL, _FREE)
            self._shown = axes.imshow(self._picture, interpolation="nearest")
        else:
            self._draw_streets()
            self._shown = axes.scatter(*self._points.T, s=22, linewidths=0.3, edgecolors=_STREET)
            axes.invert_yaxis()
        style = {"markeredgecolor": "black", "markeredgewidth": 0.6, "linestyle": "none"}
        (self._evader,) = axes.plot([], [], "o", color="#ff5040", markersize=7, **style)
        (self._pursuers,) = axes.plot([], [], "^", color="#50a0ff", markersize=8, **style)

    def _draw_streets(self) -> None:
        from matplotlib.collections import LineCollection
        from matplotlib.patches import Polygon

        places = self._rules.places
        for building in places.buildings:
            self._axes.add_patch(Polygon(np.array(building) / SCALE, color=_BUILDING))
        lines = [self._points[list(link)] for link in places.links]
        self._axes.add_collection(LineCollection(lines, colors=_STREET, linewidths=0.6))

    def show(self, frame: Frame) -> None:
        """Go over to another time."""
        colours = self._colours(frame)
        if self._rules.places.walls is not None:
            columns, rows = self._points.T
            self._picture[rows.astype(int), columns.astype(int)] = colours
            self._shown.set_data(self._picture)
        else:
            self._shown.set_facecolors(colours)
        points = self._points[list(frame.nodes)]
        self._evader.set_data(points[:1].T)
        self._pursuers.set_data(points[1:].T)

    def _colours(self, frame: Frame) -> Floats:
        """``float64[N, 3]``: the colour of each node."""
        terrain, size = self._rules.terrain, self._rules.terrain.num_nodes
        own = frame.nodes[:1] if self._seat == EVADER else frame.nodes[1:]
        seen = np.array([any(terrain.sees(here, n) for here in own) for n in range(size)])
        heat = frame.beliefs[self._seat].max(0)
        # roots, so that what is unlikely can still be told from what is impossible
        share = np.sqrt(heat / heat.max())[:, None] if heat.any() else np.zeros((size, 1))
        share = np.where(share > 0, 0.15 + 0.85 * share, 0.0)
        paper = np.where(seen[:, None], _SEEN, _FREE)
        return np.asarray(share * _INK[1 - self._seat] + (1 - share) * paper)


def _gif(pictures: Sequence[Any]) -> bytes:
    file = io.BytesIO()
    first, *others = [picture.quantize(_COLOURS) for picture in pictures]
    first.save(
        file,
        format="gif",
        save_all=True,
        append_images=others,
        duration=int(1000 * _SECONDS),
        loop=0,
    )
    return file.getvalue()


_PAGE: Final = Template("""<!doctype html>
<meta charset="utf-8">
<title>$title</title>
<style>body { font-family: sans-serif; text-align: center } img { max-width: 100% }
input { width: 60% }</style>
<img id="picture" alt="$title">
<p><button id="play">pause</button> <input id="time" type="range" min="0" max="$last" value="0"></p>
<script>
const frames = [$frames];
const [picture, time, play] = ["picture", "time", "play"].map(id => document.getElementById(id));
let running = true;
const show = () => { picture.src = "data:image/png;base64," + frames[time.value]; };
time.oninput = show;
play.onclick = () => { running = !running; play.textContent = running ? "pause" : "play"; };
setInterval(() => {
  if (running) { time.value = (Number(time.value) + 1) % frames.length; show(); }
}, $pause);
show();
</script>
""")


def _html(pictures: Sequence[Any], names: Sequence[str]) -> bytes:
    encoded = []
    for picture in pictures:
        file = io.BytesIO()
        picture.quantize(_COLOURS).save(file, format="png")
        encoded.append(f'"{base64.b64encode(file.getvalue()).decode()}"')
    page = _PAGE.substitute(
        title=" against ".join(name.replace("<", "&lt;").replace('"', "&quot;") for name in names),
        frames=",\n".join(encoded),
        last=len(encoded) - 1,
        pause=int(1000 * _SECONDS),
    )
    return page.encode()
