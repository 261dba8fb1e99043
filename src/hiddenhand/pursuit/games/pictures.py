"""What a person at one seat of `VisibilityPursuit` may see, drawn with letters. Nothing here is
compiled.

    #     a wall
    .     a free place
    :     a free place in sight of an own unit
    ?     where the evader may be, for all that the pursuers saw
    e     the evader; 1, 2, ... the pursuing units; * several units
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from hiddenhand.games.base import State
from hiddenhand.pursuit.games.layout import EVADER, NODES, PLACED, SIZE, TIME
from hiddenhand.pursuit.games.places import Places, column_name
from hiddenhand.pursuit.games.terrain import nodes_of

_SEVERAL: Final = "*"


def draw_places(places: Places, marks: Mapping[int, str]) -> str:
    """A map with a letter for each node in ``marks``, and a dot for all others. A grid has names of
    rows and columns; a graph is drawn roughly, two nodes can share a place.
    """
    rows = 1 + max(row for row, _ in places.cells)
    columns = 1 + max(column for _, column in places.cells)
    if places.walls is not None:
        rows, columns = places.walls.shape
    empty = " " if places.walls is None else "#"
    lines = [[empty] * columns for _ in range(rows)]
    for node, (row, column) in enumerate(places.cells):
        if node in marks or lines[row][column] == empty:
            lines[row][column] = marks.get(node, ".")
    for node, mark in marks.items():  # units above all else
        if mark not in ":?":
            row, column = places.cells[node]
            lines[row][column] = mark
    drawn = ["".join(line).rstrip() for line in lines]
    if places.walls is None:
        return "\n".join(drawn)
    return "\n".join([*_heading(columns, rows), *_numbered(drawn)])


def _heading(columns: int, rows: int) -> list[str]:
    """The names of the columns, from top to bottom where they have two letters."""
    names = [column_name(column) for column in range(columns)]
    longest, margin = max(map(len, names)), len(str(rows))
    return [
        (" " * margin + " " + "".join(name.rjust(longest)[line] for name in names)).rstrip()
        for line in range(longest)
    ]


def _numbered(lines: list[str]) -> list[str]:
    margin = len(str(len(lines)))
    return [f"{number:{margin}} {line}" for number, line in enumerate(lines, 1)]


def draw_state(game: Any, state: State, player: int) -> str:
    """What ``player`` knows in a state of ``game``, a `VisibilityPursuit`: a map and some lines."""
    seat = _Evader(game, state) if player == EVADER else _Pursuers(game, state)
    return "\n".join([draw_places(game.places, seat.marks()), *seat.lines()])


def evader_seat(game: Any, state: State) -> "_Evader":
    """What the evader knows in a state of ``game``, a `VisibilityPursuit`."""
    return _Evader(game, state)


def pursuer_seat(game: Any, state: State) -> "_Pursuers":
    """What the pursuers know in a state of ``game``, a `VisibilityPursuit`."""
    return _Pursuers(game, state)


class _Seat:
    """A seat in a state. nodes: where each unit is, the evader's node first."""

    def __init__(self, game: Any, state: State) -> None:
        self.game = game
        self.state = state
        self.time = int(state[TIME])
        self.nodes = [int(node) for node in state[NODES : NODES + game.num_units]]

    def name(self, node: int) -> str:
        return self.game.places.names[node]

    def progress(self) -> str:
        if self.state[PLACED] < self.game.num_units:
            return "the units are being placed"
        if self.time == self.game.moves:
            return f"the match is over after {self.time} moves"
        return f"move {self.time + 1} of {self.game.moves}"

    def sighting(self, unit: int) -> str:
        """What a player knows of the place of a unit of the other side."""
        when = int(self.state[self.game.when + unit])
        where = self.name(int(self.state[self.game.where + unit]))
        if when == 0:
            return "never seen"
        if when == self.time + 1:
            return f"in sight on {where}"
        return f"last seen on {where} after move {when - 1}"

    def in_sight(self, units: Iterable[int]) -> list[int]:
        """The nodes that some of ``units`` see."""
        terrain = self.game.terrain
        return [
            node for unit in units for node in nodes_of(terrain, terrain.visible[self.nodes[unit]])
        ]


class _Evader(_Seat):
    def marks(self) -> dict[int, str]:
        if self.state[PLACED] < self.game.num_units:
            return {}
        marks = dict.fromkeys(self.in_sight([EVADER]), ":")
        now = self.time + 1
        units = [
            (str(unit), self.nodes[unit])
            for unit in range(1, self.game.num_units)
            if self.state[self.game.when + unit] == now
        ]
        return marks | _of_units([("e", self.nodes[EVADER]), *units])

    def lines(self) -> list[str]:
        if self.state[PLACED] < self.game.num_units:
            return ["you are the evader", self.progress()]
        return [
            f"you are the evader, on {self.name(self.nodes[EVADER])}",
            *(f"pursuer {unit}: {self.sighting(unit)}" for unit in range(1, self.game.num_units)),
            self.progress(),
        ]


class _Pursuers(_Seat):
    def own(self) -> list[int]:
        """The own units that have a place already."""
        return list(range(1, 1 + min(int(self.state[PLACED]), self.game.pursuers)))

    def marks(self) -> dict[int, str]:
        own = self.own()
        marks = dict.fromkeys(self.in_sight(own), ":")
        units = [(str(unit), self.nodes[unit]) for unit in own]
        if self.state[PLACED] == self.game.num_units:
            marks |= dict.fromkeys(self.possible(), "?")
            if self.state[self.game.when] == self.time + 1:
                units.append(("e", self.nodes[EVADER]))
        return marks | _of_units(units)

    def lines(self) -> list[str]:
        own = [f"pursuer {unit}: {self.name(self.nodes[unit])}" for unit in self.own()]
        if self.state[PLACED] < self.game.num_units:
            return ["you are the pursuers", *own, self.progress()]
        size = int(self.state[SIZE])
        places = f"{size} possible place{'s' if size > 1 else ''}"
        return [
            "you are the pursuers",
            *own,
            f"the evader: {self.sighting(EVADER)}, {places}",
            self.progress(),
        ]

    def possible(self) -> list[int]:
        terrain = self.game.terrain
        return nodes_of(terrain, self.state[self.game.possible :][: terrain.num_words])


def _of_units(units: Iterable[tuple[str, int]]) -> dict[int, str]:
    """A letter for each node with units."""
    marks: dict[int, str] = {}
    for letter, node in units:
        marks[node] = _SEVERAL if node in marks else letter
    return marks
