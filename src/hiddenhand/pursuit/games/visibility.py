"""Pursuit with limited sight: units of a pursuer keep an evader in view, and lose sight of it
behind walls.

Source: Lisy (2014), thesis at the Czech Technical University in Prague, Chapter 5, "Case study:
Pursuing smart targets". The letters are those of its Section 5.2:

t(n), v(n)     the nodes that can be reached from n in one move, and seen from n; of a set, all that
               can be reached or seen from its nodes
PP_P(e, s)     the nodes where the evader e may be after s moves, for all that the pursuers P saw
h              how many moves are made

After each move PP_P becomes t(PP_P). If the evader is seen, PP_P is its node; if not, the nodes in
sight of the pursuers are taken out. Equation 5.5 of the thesis differs from that: it keeps places
in sight. The text on page 98, and Equation 5.4, do not.

The thesis leaves some things open. Here units may wait by default, see ``stay``: pages 97 and 103
say that they cannot, 104 and Equation 5.11 that they can. Sight is as in `sight`. The evader starts
as far as possible from the nearest pursuer, among the nodes in sight of one.
"""

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

import numpy as np

from hiddenhand.errors import ParameterError
from hiddenhand.games.about import AT_ONCE, PURSUIT, About
from hiddenhand.games.base import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    Game,
    Probabilities,
    State,
    verify_choice,
    verify_range,
)
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.bits import ones
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules
from hiddenhand.jit.observation_keys import first_key, fold
from hiddenhand.jit.views import view
from hiddenhand.pursuit.games.information_model import PursuitModel
from hiddenhand.pursuit.games.layout import (
    EVADER,
    NODES,
    NOT_IN_SIGHT,
    PLACED,
    PURSUERS,
    SEEN,
    SIZE,
    SUM,
    TIME,
)
from hiddenhand.pursuit.games.lookahead import lookahead_of
from hiddenhand.pursuit.games.maps import LARGEST, load_map
from hiddenhand.pursuit.games.pictures import draw_state
from hiddenhand.pursuit.games.places import MAX_NODES, SCALE, Places
from hiddenhand.pursuit.games.terrain import Terrain, terrain_of
from hiddenhand.text import shortened

OBJECTIVES: Final = ("mean_size", "num_seen", "end_size")
MEAN_SIZE, NUM_SEEN, END_SIZE = range(3)
RECALLS: Final = ("perfect", "last_seen")
EVADER_SEES: Final = ("sight", "all")
PARTS: Final = ("all", "largest")
MAX_UNITS: Final = 30
_MAX_MOVES: Final = 1000
_MAX_JOINT: Final = 100_000  # joint actions of the pursuers
_LARGEST_TOKEN: Final = 2**61
_UNUSED_BITS: Final = np.uint64(2)  # numbers of 62 bits are never negative


Filed = Any
"""A number of 62 bits: an int64 in compiled code, and any integer in plain Python."""


@kernel
def _first_filed(player: int) -> Filed:
    return np.int64(first_key(player) >> _UNUSED_BITS)


@kernel
def _filed(filed: Filed, first: int, second: int) -> Filed:
    """A number of 62 bits for all that ``filed`` stands for, and two more numbers of at least 0."""
    return np.int64(fold(np.uint64(filed), first + 1, second + 1, 0) >> _UNUSED_BITS)


@About(
    "Pursuit with limited sight",
    "Hide behind walls, or keep the other in sight.",
    (PURSUIT, AT_ONCE),
    place=110,
    minutes=3,
    example="VP(map=block5,pursuers=1,moves=10)",
    small=("VP(map=block5,pursuers=1,moves=1)",),
    card=(1, 0.6, 0.0),
)
@dataclass(frozen=True)
class VisibilityPursuit(Game):
    """Pursuit with limited sight: player 0 moves an evader on a map, and player 1 moves units that
    try to keep it in sight.

    All move at once, to a neighbouring node each, ``moves`` times. There are no captures, and units
    may share a node. Both players know the map. At each time a player sees the units of the other
    side that are in sight of an own unit, and remembers all of it.

    Starts are drawn: the first pursuing unit anywhere, further ones at least ``apart`` moves away
    from it, the evader in sight of a unit and as far as possible from the nearest one.

    Actions: for the evader the number of an exit of its node; for the pursuers the numbers of all
    units' exits, as digits to the base X, the most exits of a node. They are named by directions on
    a grid and by nodes on a graph.
    Observations: private, for the pursuers 1 while no unit sees the evader, else 2 + its node, and
    1 + the node as a unit is placed. For the evader 1 + a number to the base N + 1 whose digits
    are, for each unit, 0 or 1 + the node where the evader sees it; when the evader is placed, 1 +
    its own node comes first. Public: 1 for each move.

    map: the map by name, such as maze50x49 or town465_1; a file; or the rows of a grid, as in
        '.../.#./...'. See ``hiddenhand maps``.
    pursuers: how many units player 1 has, at least 1.
    moves: h, how many moves are made, 1 to 1000.
    sight: how far units see, in cells, or in the unit of a map that is a graph; by default what the
        map says.
    stay: whether units may wait.
    objective: what player 0 is paid and player 1 pays: "mean_size", the mean size of PP_P after
        each move; "num_seen", minus how many times, 0 to h, the evader was in sight; "end_size",
        the size of PP_P in the end.
    recall: "perfect", or "last_seen" for information sets that keep only the time, the own nodes,
        and where and when each unit of the other side was seen last.
    evader_sees: "sight", or "all" for an evader that knows where all units are.
    apart: how many moves lie between the starts of the first and the other pursuing units, at
        least.
    start: the starts instead of drawing them, the evader's first, such as "e1 a1 a5"; both players
        know them.
    part: "all", or "largest" for the largest part of a map whose parts no way joins.
    """

    map: str
    pursuers: int = 2
    moves: int = 100
    sight: float | None = None
    stay: bool = True
    objective: str = "mean_size"
    recall: str = "perfect"
    evader_sees: str = "sight"
    apart: int = 25
    start: str | None = None
    part: str = "all"
    terrain: Terrain = field(init=False)
    """The map with the way units move and see on it."""
    starts: Integers = field(init=False, repr=False, compare=False)
    """``int64[1 + pursuers]``: the nodes that ``start`` names; empty if starts are drawn."""
    measure: int = field(init=False, repr=False, compare=False)
    """The number of the objective: MEAN_SIZE, NUM_SEEN or END_SIZE."""
    forgets: bool = field(init=False, repr=False, compare=False)
    """Whether ``recall`` is "last_seen"."""
    sees_all: bool = field(init=False, repr=False, compare=False)
    """Whether ``evader_sees`` is "all"."""

    simultaneous: ClassVar[bool] = True

    def __post_init__(self) -> None:
        verify_choice(self, "part", PARTS)
        if self.part == "largest":  # the name of the map says so from now on
            self._set("map", f"{LARGEST}{self.map}")
            self._set("part", "all")
        places = load_map(self.map)
        self._set("map", self.map.strip())
        verify_range(self, "pursuers", 1, MAX_UNITS)
        verify_range(self, "moves", 1, _MAX_MOVES)
        verify_range(self, "apart", 0, MAX_NODES)
        verify_choice(self, "objective", OBJECTIVES)
        verify_choice(self, "recall", RECALLS)
        verify_choice(self, "evader_sees", EVADER_SEES)
        self._set("sight", _verified_sight(self, places))
        self._set("terrain", terrain_of(self.map, self.sight or 0.0, self.stay))
        _verify_units(self)
        self._set("starts", _named_starts(self, places))
        if self.starts.size > 0:
            self._set("start", " ".join(places.names[node] for node in self.starts))
        self._set("measure", OBJECTIVES.index(self.objective))
        self._set("forgets", self.recall == "last_seen")
        self._set("sees_all", self.evader_sees == "all")

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    # --- sizes, and where the state holds what ---

    @property
    def remembers_all(self) -> bool:
        """Whether information sets are filed under all that a player noticed."""
        return not self.forgets

    @property
    def num_units(self) -> int:
        """The evader and the pursuing units."""
        return 1 + self.pursuers

    @property
    def where(self) -> int:
        """The index at which the state tells where each unit was seen last."""
        return NODES + self.num_units

    @property
    def when(self) -> int:
        """The index at which the state tells when each unit was seen last."""
        return NODES + 2 * self.num_units

    @property
    def possible(self) -> int:
        """The index at which PP_P begins in the state."""
        return NODES + 3 * self.num_units

    @property
    def state_size(self) -> int:
        return NODES + 3 * self.num_units + 2 * self.terrain.num_words

    @property
    def max_actions(self) -> int:
        return self.terrain.widest**self.pursuers

    @property
    def max_chance_outcomes(self) -> int:
        return self.terrain.num_nodes

    @property
    def max_depth(self) -> int:
        return self.moves + self.num_units - self.starts.size

    @property
    def max_utility(self) -> float:
        return float(self.moves + 1 if self.measure == NUM_SEEN else self.terrain.num_nodes)

    # --- rules ---

    def initial_state(self, state: State) -> None:
        for index in range(self.state_size):
            state[index] = 0
        for unit in range(self.starts.size):
            state[NODES + unit] = self.starts[unit]
            state[self.where + unit] = self.starts[unit]
            state[self.when + unit] = 1
        if self.starts.size > 0:
            state[PLACED] = self.num_units
            self._know_evader(state)
            state[SEEN] = int(self._is_seen(state))

    def current_player(self, state: State) -> int:
        if state[PLACED] < self.num_units:
            return CHANCE
        return TERMINAL if state[TIME] == self.moves else SIMULTANEOUS

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        units = 1 if player == EVADER else self.pursuers
        return self.terrain.list_actions(state, NODES + player, units, actions)

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        count, placed, farthest = 0, state[PLACED], 0
        for node in range(self.terrain.num_nodes):
            if placed == 0:
                fits = self.pursuers == 1 or self.terrain.eccentricity[node] >= self.apart
            elif placed < self.pursuers:
                fits = self.terrain.distance[state[NODES + 1], node] >= self.apart
            else:
                away = self._away_in_sight(state, node)
                fits = away >= farthest
                if away > farthest:
                    count, farthest = 0, away
            if fits:
                actions[count] = node
                count += 1
        for index in range(count):
            probabilities[index] = 1.0 / count
        return count

    def _away_in_sight(self, state: State, node: int) -> int:
        """How far ``node`` is from the nearest pursuing unit; -1 if no unit sees it."""
        nearest, seen = self.terrain.num_nodes, False
        for unit in range(1, self.num_units):
            here = state[NODES + unit]
            nearest = min(nearest, int(self.terrain.distance[here, node]))
            seen = seen or self.terrain.sees(here, node)
        return nearest if seen else -1

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        placed = state[PLACED]
        unit = placed + 1 if placed < self.pursuers else EVADER
        state[NODES + unit] = action
        state[PLACED] = placed + 1
        if unit == EVADER:
            self._know_evader(state)
            state[SEEN] = int(self._is_seen(state))
            self.look(state, action + 1, observations)
        else:
            observations[PURSUERS] = 1 + action
        observations[2] = 1

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        self.terrain.move(state, NODES, 1, actions[EVADER])
        self.terrain.move(state, NODES + 1, self.pursuers, actions[PURSUERS])
        self.pass_time(state)
        self.look(state, 0, observations)
        observations[2] = 1

    def pass_time(self, state: State) -> None:
        """All units have moved: PP_P follows."""
        state[TIME] += 1
        if self._is_seen(state):
            state[SEEN] += 1
            self._know_evader(state)
        else:
            self._search_on(state)
        state[SUM] += state[SIZE]

    def _is_seen(self, state: State) -> bool:
        """Whether a pursuing unit sees the evader."""
        seen = False
        for unit in range(1, self.num_units):
            seen = seen or self.terrain.sees(state[NODES + unit], state[NODES])
        return seen

    def _know_evader(self, state: State) -> None:
        """PP_P becomes the node of the evader."""
        self.terrain.only(state[NODES], view(state, self.possible, self.terrain.num_words))
        state[SIZE] = 1

    def _search_on(self, state: State) -> None:
        """PP_P becomes t(PP_P) without all that the pursuers see, where the evader is not."""
        words = self.terrain.num_words
        nodes = view(state, self.possible, words)
        room = view(state, self.possible + words, words)
        self.terrain.spread(nodes, room)
        size = 0
        for word in range(words):
            hidden = room[word]
            if hidden != 0:
                for unit in range(1, self.num_units):
                    hidden &= ~self.terrain.visible[state[NODES + unit], word]
                size += ones(hidden)
            nodes[word] = hidden
            room[word] = 0
        state[SIZE] = size

    def look(self, state: State, told: int, observations: Integers) -> None:
        """Write the tokens for the units that both sides see. ``told``: a first digit for the
        evader.
        """
        evader, time, base = state[NODES], state[TIME], self.terrain.num_nodes + 1
        seen = False
        for unit in range(1, self.num_units):
            here = state[NODES + unit]
            in_sight = self.terrain.sees(here, evader)
            seen = seen or in_sight
            told *= base
            if in_sight or self.sees_all:
                told += here + 1
                state[self.where + unit] = here
                state[self.when + unit] = time + 1
        observations[EVADER] = 1 + told
        observations[PURSUERS] = NOT_IN_SIGHT
        if seen:
            observations[PURSUERS] = 2 + evader
            state[self.where] = evader
            state[self.when] = time + 1

    def returns(self, state: State, player: int) -> float:
        if self.measure == MEAN_SIZE:
            paid = state[SUM] / self.moves
        elif self.measure == NUM_SEEN:
            paid = -float(state[SEEN])
        else:
            paid = float(state[SIZE])
        return paid if player == EVADER else -paid

    def information(self, state: State, player: int, key: Any) -> Any:
        """With ``recall`` "last_seen", a key of the time, the own nodes, and where and when each
        unit of the other side was seen last (page 101 of the thesis, which leaves out the time;
        without it one history could meet a set twice).
        """
        if not self.forgets:
            return key
        filed = _filed(_first_filed(player), state[TIME], 0)
        for unit in range(self.num_units):
            if (unit == EVADER) == (player == EVADER):
                filed = _filed(filed, state[NODES + unit], 0)
            else:
                filed = _filed(filed, state[self.where + unit], state[self.when + unit])
        return np.uint64(filed)

    # --- for people ---

    _presentation = "hiddenhand.pursuit.games.drawing:VISIBILITY_PURSUIT"

    @PropertyBesideRules
    def rules_text(self) -> str:
        units = "one unit that tries" if self.pursuers == 1 else f"{self.pursuers} units that try"
        sees = (
            "The evader always sees the units."
            if self.evader_sees == "all"
            else "The evader sees the units only where nothing blocks the view."
        )
        paid = {
            "num_seen": "Player 1 pays 1 point for each time at which a unit sees the evader.",
            "end_size": "Player 2 pays player 1 as many points as there are places, at the end, "
            "where the evader may be for all that the units know.",
        }.get(
            self.objective,
            "After each round we count the places where the evader may be, for all that the units "
            "know. Player 2 pays player 1 the mean of these numbers in points.",
        )
        return (
            f"Player 1 is the evader on a map. Player 2 steers {units} to keep the evader in "
            "sight. Both players know the map.\n\n"
            "In each round all move at the same time, each to a neighbouring place"
            f"{', or wait' if self.stay else ''}. "
            f"There are no captures, and several may share a place. Walls and distance hide the "
            f"evader from the units. {sees}\n\n"
            f"The game ends after {self.moves} rounds. {paid}"
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.max_actions

    @property
    def places(self) -> Places:
        """The map."""
        return load_map(self.map)

    def measures(self, state: State) -> dict[str, float]:
        """All three measures of a state, in which the match may be over: "mean_size", "num_seen"
        and "end_size". The mean is over the moves that were made.
        """
        return {
            "mean_size": int(state[SUM]) / max(int(state[TIME]), 1),
            "num_seen": float(state[SEEN]),
            "end_size": float(state[SIZE]),
        }

    def information_model(
        self, player: int, *, depth: int = 10, threshold: int = 250
    ) -> PursuitModel:
        """See `Game.information_model`. The evader's model no longer follows a pursuing unit that
        may be on more than ``threshold`` nodes. The pursuers' model always follows the evader.
        """
        is_evader = player == EVADER
        return PursuitModel(
            terrain=self.terrain,
            tables=lookahead_of(self.terrain, depth),
            player=player,
            num_own=1 if is_evader else self.pursuers,
            num_others=self.pursuers if is_evader else 1,
            moves=self.moves,
            threshold=threshold if is_evader else self.terrain.num_nodes,
            sees_all=is_evader and self.sees_all,
            measure=self.measure,
            starts=self.starts,
        )

    def action_name(self, state: State, player: int, action: int) -> str:
        places = self.places
        if player == CHANCE:
            return places.names[action]
        units = [EVADER] if player == EVADER else range(1, self.num_units)
        names = []
        for unit in reversed(units):
            action, digit = divmod(action, self.terrain.widest)
            here = int(state[NODES + unit])
            names.append(places.way_name(here, int(self.terrain.exits[here, 1 + digit])))
        return ",".join(reversed(names))

    def render(self, state: State, player: int) -> str:
        return draw_state(self, state, player)


# --- checks of parameters ---


def _refused(name: str, value: object, cure: str) -> ParameterError:
    return ParameterError(f"VisibilityPursuit: {name}={shortened(value)} is not allowed{cure}")


def _verified_sight(game: VisibilityPursuit, places: Places) -> float:
    """How far units see in ``game``, as a finite number: without limit the diagonal of the map.
    Raises ParameterError for a number that is not above 0.
    """
    if not isinstance(game.stay, bool):
        raise _refused("stay", game.stay, "; give true or false")
    sight = places.sight if game.sight is None else game.sight
    is_number = isinstance(sight, (int, float)) and not isinstance(sight, bool)
    if not is_number or not sight > 0 or (game.sight is not None and math.isinf(sight)):
        cure = "; give a number above 0, or leave it out for what the map says"
        raise _refused("sight", game.sight, cure)
    if math.isinf(sight):
        unit = 1 if places.walls is not None else SCALE
        extent = (places.points.max(0) - places.points.min(0)) / unit
        return float(math.ceil(np.hypot(*extent)) or 1)
    return float(sight)


def _verify_units(game: VisibilityPursuit) -> None:
    """Raise ParameterError if the pursuers of ``game`` are too many for tokens and actions, or if
    there is no place for a second one.
    """
    most, base, name = game.pursuers, game.terrain.num_nodes + 1, game.places.name
    while most > 1 and (
        base ** (most + 1) >= _LARGEST_TOKEN or game.terrain.widest**most > _MAX_JOINT
    ):
        most -= 1
    if most < game.pursuers:
        cure = f" on map {name}; give an integer from 1 to {most}"
        raise _refused("pursuers", game.pursuers, cure)
    farthest = int(game.terrain.eccentricity.max())
    if game.start is None and game.pursuers > 1 and farthest < game.apart:
        raise ParameterError(
            f"VisibilityPursuit: map {name} has no second place {game.apart} moves away from a "
            f"first one; give a smaller apart, at most {farthest}"
        )


def _named_starts(game: VisibilityPursuit, places: Places) -> Integers:
    """``int64[1 + pursuers]``, the nodes that ``game.start`` names; empty if it names none. Raises
    ParameterError.
    """
    if game.start is None:
        return np.zeros(0, np.int64)
    words = game.start.replace(",", " ").split() if isinstance(game.start, str) else []
    units = 1 + game.pursuers
    if len(words) != units:
        cure = f"; give {units} nodes, the evader's and one for each of {game.pursuers} pursuers"
        raise _refused("start", game.start, cure)
    for word in words:
        if word.casefold() not in places.number:
            raise _refused(
                "start",
                game.start,
                f", because {shortened(word)} is no free place of map {places.name}; give places "
                f"such as {' '.join(places.names[:units])}",
            )
    return np.array([places.number[word.casefold()] for word in words], np.int64)
