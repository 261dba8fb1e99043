"""Maps as SVG pictures, for documentation; nothing here is compiled."""

import itertools
from typing import Final

from hiddenhand.games.pursuit.places import SCALE, Places

_WIDTH: Final = 400  # of a picture, in pixels
_WALL: Final = "#404040"
_BUILDING: Final = "#c8c0b4"
_STREET: Final = "#2060a0"


def svg(places: Places) -> str:
    """A picture of a map: walls of a grid; ways, nodes and buildings of a graph."""
    if places.walls is not None:
        rows, columns = places.walls.shape
        return _framed(0, 0, columns, rows, _wall_runs(places))
    low, high = places.points.min(0) / SCALE - 10, places.points.max(0) / SCALE + 10
    inside = [*_polygons(places), *_ways(places)]
    return _framed(low[0], low[1], high[0] - low[0], high[1] - low[1], inside)


def _framed(left: float, top: float, width: float, height: float, inside: list[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" '
        f'height="{_WIDTH * height / width:.0f}" '
        f'viewBox="{left:g} {top:g} {width:g} {height:g}">'
    )
    paper = f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" fill="white"/>'
    return "\n".join([head, paper, *inside, "</svg>", ""])


def _wall_runs(places: Places) -> list[str]:
    """The walls of each row, from one free cell to the next."""
    assert places.walls is not None
    path = []
    for row, cells in enumerate(places.walls.tolist()):
        column = 0
        for wall, run in itertools.groupby(cells):
            length = len(list(run))
            if wall:
                path.append(f"M{column} {row}h{length}v1h-{length}z")
            column += length
    return [f'<path fill="{_WALL}" d="{"".join(path)}"/>']


def _polygons(places: Places) -> list[str]:
    corners = [
        " ".join(f"{x / SCALE:.1f},{y / SCALE:.1f}" for x, y in building)
        for building in places.buildings
    ]
    return [f'<polygon fill="{_BUILDING}" points="{points}"/>' for points in corners]


def _ways(places: Places) -> list[str]:
    points = (places.points / SCALE).round(1).tolist()
    path = "".join(
        f"M{points[one][0]:g} {points[one][1]:g}L{points[other][0]:g} {points[other][1]:g}"
        for one, other in places.links
    )
    dots = "".join(f"M{x:g} {y:g}h0" for x, y in points)
    style = f'stroke="{_STREET}" fill="none" stroke-linecap="round"'
    return [
        f'<path {style} stroke-width="0.6" d="{path}"/>',
        f'<path {style} stroke-width="2" d="{dots}"/>',
    ]
