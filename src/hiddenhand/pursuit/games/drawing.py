"""Maps as pictures, and what an observer of `VisibilityPursuit` may see on one. Nothing here is
compiled.
"""

import functools
from collections.abc import Iterator
from typing import Any, Final

from hiddenhand.games.base import ALL_SEEING, SPECTATOR, State, seat_of
from hiddenhand.games.drawing.layout import (
    choices,
    knows,
    line_of,
    panel,
    sheet,
    side,
    step_chip,
    steps_of,
)
from hiddenhand.games.scene import (
    WIDTH,
    Circle,
    Item,
    Line,
    Point,
    Polygon,
    Presentation,
    Rect,
    Scene,
    Text,
)
from hiddenhand.pursuit.games.layout import EVADER, NODES, PLACED, PURSUERS, TIME
from hiddenhand.pursuit.games.pictures import evader_seat, pursuer_seat
from hiddenhand.pursuit.games.places import SCALE, Places

_MARGIN: Final = 10.0
_MOST_DOTS: Final = 150  # nodes of a graph that are drawn one by one
_MOST_LABELS: Final = 200  # of places in a picture that have a label for screen readers


class Map:
    """Where the places of a map lie on a sheet.

    places: the map.
    size: how wide a place is drawn.
    height: where the map ends.
    """

    def __init__(self, places: Places) -> None:
        self.places = places
        points = places.points.astype(float)
        if places.walls is not None:
            rows, columns = places.walls.shape
            self.size = min((WIDTH - 2 * _MARGIN) / columns, 44.0)
            left = (WIDTH - self.size * columns) / 2
            middles = points * self.size + (left + self.size / 2, _MARGIN + self.size / 2)
            self.height = _MARGIN + rows * self.size
            self._left = left
        else:
            low, high = points.min(0) - 10 * SCALE, points.max(0) + 10 * SCALE
            self._scale = (WIDTH - 2 * _MARGIN) / max(high[0] - low[0], 1)
            self._low = low
            middles = (points - low) * self._scale + _MARGIN
            self.size = min(max(places._spacing() * self._scale * 0.55, 4.0), 14.0)
            self.height = _MARGIN + (high[1] - low[1]) * self._scale
        self.middles: list[Point] = [(x, y) for x, y in middles.tolist()]

    def ground(self) -> list[Item]:
        """What does not change during a match: walls, or buildings and ways."""
        return self._walls() if self.places.walls is not None else self._streets()

    def _walls(self) -> list[Item]:
        assert self.places.walls is not None
        rows, columns = self.places.walls.shape
        free = Rect(self._left, _MARGIN, columns * self.size, rows * self.size, role="cell")
        return [
            free,
            *(
                Rect(
                    self._left + column * self.size,
                    _MARGIN + row * self.size,
                    wide * self.size,
                    high * self.size,
                    role="wall",
                )
                for row, column, high, wide in _blocks(self.places)
            ),
        ]

    def _streets(self) -> list[Item]:
        ground: list[Item] = []
        for building in self.places.buildings:
            corners = tuple(self._point(x, y) for x, y in building)
            ground.append(Polygon(corners, role="building"))
        for way in _ways(self.places):
            ground.append(Line(tuple(self.middles[node] for node in way), 1.2, role="street"))
        if len(self.middles) <= _MOST_DOTS:
            dots = self.size * 0.28
            ground += [Circle(x, y, dots, role="street") for x, y in self.middles]
        return ground

    def _point(self, x: float, y: float) -> Point:
        left, top = (self._low * self._scale).tolist()
        return x * self._scale - left + _MARGIN, y * self._scale - top + _MARGIN

    def mark(self, node: int, role: str, label: str = "", action: int | None = None) -> Item:
        """A place with a colour."""
        x, y = self.middles[node]
        if self.places.walls is None:
            return Circle(x, y, self.size * 0.6, role=role, label=label, action=action)
        half = self.size / 2
        return Rect(x - half, y - half, self.size, self.size, role=role, label=label, action=action)

    def unit(self, node: int, letter: str, role: str, label: str, place: Point) -> list[Item]:
        """A unit on a place.

        place: which of the units there it is, and how many there are.
        """
        x, y = self.middles[node]
        radius = max(self.size * (0.4 if place[1] == 1 else 0.28), 5.0)
        x += (place[0] - (place[1] - 1) / 2) * radius * 1.3
        return [
            Circle(x, y, radius, role=f"{role} edge", label=label),
            Text(x, y, letter, radius * 1.3, role="on"),
        ]


@functools.lru_cache(maxsize=16)
def _map_of(places: Places) -> tuple[Map, tuple[Item, ...]]:
    drawn = Map(places)
    return drawn, tuple(drawn.ground())


def _blocks(places: Places) -> list[tuple[int, int, int, int]]:
    """The walls of a grid as few rectangles: row, column, height and width of each."""
    assert places.walls is not None
    left = places.walls.copy()
    rows, columns = left.shape
    blocks = []
    for row in range(rows):
        for column in range(columns):
            if not left[row, column]:
                continue
            wide = 1
            while column + wide < columns and left[row, column + wide]:
                wide += 1
            high = 1
            while row + high < rows and left[row + high, column : column + wide].all():
                high += 1
            left[row : row + high, column : column + wide] = False
            blocks.append((row, column, high, wide))
    return blocks


def map_scene(places: Places) -> Scene:
    """A picture of a map without units."""
    drawn, ground = _map_of(places)
    return sheet(drawn.height + _MARGIN, ground, f"the map {places.name}")


def _ways(places: Places) -> list[list[int]]:
    """The links of a graph as few ways, each from node to node."""
    left = {node: set(beside) for node, beside in enumerate(places.beside)}
    ways = []
    # ways begin where they must, at crossings and dead ends, and only then anywhere
    for node in sorted(left, key=lambda node: (len(left[node]) == 2, node)):
        while left[node]:
            way = [node]
            while left[way[-1]] and (len(way) == 1 or len(places.beside[way[-1]]) == 2):
                there = min(left[way[-1]])
                left[way[-1]].remove(there)
                left[there].remove(way[-1])
                way.append(there)
            ways.append(way)
    return ways


# --- what an observer sees of a match ---


def visibility_pursuit(game: Any, state: State, observer: int) -> Scene:
    """The map with the units that the observer knows to be there, what the own units see, and where
    the evader may be, for all that the pursuers saw.
    """
    drawn, ground = _map_of(game.places)
    view = _View(game, state, observer)
    items: list[Item] = [panel(2, drawn.height + 6), *ground]
    labelled = len(view.sight) + len(view.possible) <= _MOST_LABELS
    names = game.places.names
    for node in sorted(view.sight - view.possible):
        items.append(drawn.mark(node, "sight", f"{names[node]}: in sight" if labelled else ""))
    for node in sorted(view.possible):
        words = f"{names[node]}: the evader may be here" if labelled else ""
        items.append(drawn.mark(node, "possible", words))
    for node, action in view.exits().items():
        words = f"go to {names[node]}"
        items.append(drawn.mark(node, "sight", words, action))
    for unit in view.units:
        node = view.nodes[unit]
        together = [other for other in view.units if view.nodes[other] == node]
        what = "the evader" if unit == EVADER else f"pursuer {unit}"
        place = together.index(unit), len(together)
        letter = "e" if unit == EVADER else str(unit)
        items += drawn.unit(
            node, letter, side(_owner(unit), observer), f"{what} on {names[node]}", place
        )
    for node, unit, step, actions in view.steps():
        x, y = drawn.middles[node]
        radius = max(drawn.size * 0.23, 5.0)
        shift = (unit - (game.pursuers + 1) / 2) * radius * 2.1
        items.append(step_chip(x + shift, y + shift, radius, unit, step, actions))
    y = drawn.height + 24
    lines = view.lines()
    items += [
        line_of(y + 18 * number, text, "note" if number else "title", 11 if number else 13)
        for number, text in enumerate(lines)
    ]
    return sheet(y + 18 * len(lines), items, f"the map {game.places.name}")


class _View:
    """What an observer knows of a state.

    nodes: where each unit is.
    there: the units that have a place.
    units: those of them whose place the observer knows.
    sight: the nodes that the own units see.
    possible: where the evader may be, for all that the pursuers saw.
    """

    def __init__(self, game: Any, state: State, observer: int) -> None:
        self.game, self.state, self.observer = game, state, observer
        self.nodes = [int(node) for node in state[NODES : NODES + game.num_units]]
        pursuers = pursuer_seat(game, state)
        all_placed = int(state[PLACED]) == game.num_units
        self.there = [EVADER, *pursuers.own()] if all_placed else pursuers.own()
        self.units = [unit for unit in self.there if self._knows(unit)]
        self.seat = seat_of(observer)
        own = [unit for unit in self.units if _owner(unit) == self.seat]
        self.sight = set(pursuers.in_sight(own))
        self.possible: set[int] = set()
        if all_placed and self.seat in (PURSUERS, ALL_SEEING):
            self.possible = set(pursuers.possible())

    def _knows(self, unit: int) -> bool:
        """Whether the observer knows where a unit is."""
        time = int(self.state[TIME])
        if self.observer == SPECTATOR:
            # starts that the game names are known to all, until the first move
            return bool(self.game.starts.size > 0 and time == 0)
        if knows(self.observer, _owner(unit)):
            return True
        return EVADER in self.there and int(self.state[self.game.when + unit]) == time + 1

    def exits(self) -> dict[int, int]:
        """For each node to which a step of the only own unit leads, the action."""
        units = 1 if self.seat == EVADER else self.game.pursuers
        can = choices(self.game, self.state, self.observer)
        if units > 1 or not can:
            return {}
        here = self.nodes[EVADER if self.seat == EVADER else 1]
        exits = self.game.terrain.exits[here]
        return {int(exits[1 + action]): action for action in sorted(can)}

    def steps(self) -> Iterator[tuple[int, int, str, tuple[int, ...]]]:
        """For each step of each of several own units: the node to which it leads, the unit, the
        name of the step, and the actions in which the unit makes it.
        """
        if self.seat != PURSUERS or self.game.pursuers == 1:
            return
        can = sorted(choices(self.game, self.state, PURSUERS))
        names = {action: self.game.action_name(self.state, PURSUERS, action) for action in can}
        for unit, steps in enumerate(steps_of(names), 1):
            here = self.nodes[unit]
            count, *exits = map(int, self.game.terrain.exits[here])
            nodes = {self.game.places.way_name(here, node): node for node in exits[:count]}
            for step, actions in steps.items():
                yield nodes[step], unit, step, actions

    def lines(self) -> list[str]:
        """The lines of text below the map."""
        if self.seat == EVADER:
            return evader_seat(self.game, self.state).lines()
        seat = pursuer_seat(self.game, self.state)
        if self.seat == PURSUERS:
            return seat.lines()
        lines = [seat.progress()]
        if self.possible:
            lines.append(f"possible places of the evader: {len(self.possible)}")
        return lines


def _owner(unit: int) -> int:
    return EVADER if unit == EVADER else PURSUERS


def visibility_pursuit_hidden(game: Any, state: State, observer: int) -> str:
    """Where the units are that the observer does not see."""
    view = _View(game, state, observer)
    unseen = []
    for unit in view.there:
        if unit not in view.units:
            name = "evader" if unit == EVADER else f"pursuer {unit}"
            unseen.append(f"{name} on {game.places.names[view.nodes[unit]]}")
    return ", ".join(unseen)


VISIBILITY_PURSUIT: Final = Presentation(visibility_pursuit, visibility_pursuit_hidden)
