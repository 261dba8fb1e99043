"""Checks of the parameters of `VisibilityPursuit`; nothing here is compiled."""

import math
from typing import Any, Final

import numpy as np

from hiddenhand.compiled.arrays import Integers
from hiddenhand.errors import ParameterError
from hiddenhand.games.pursuit.places import SCALE, Places
from hiddenhand.text import shortened

MAX_UNITS: Final = 30
_MAX_JOINT: Final = 100_000  # joint actions of the pursuers
_LARGEST_TOKEN: Final = 2**61


def _refused(name: str, value: object, cure: str) -> ParameterError:
    return ParameterError(f"VisibilityPursuit: {name}={shortened(value)} is not allowed{cure}")


def verified_sight(game: Any, places: Places) -> float:
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


def verify_units(game: Any) -> None:
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


def named_starts(game: Any, places: Places) -> Integers:
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
