"""Battleship: two fleets, each hidden from the other, and shots in turn.

Source: the pencil game; OpenSpiel's `battleship` has the same moves. There fleets may be paid by ship, and shots are always
limited; here the first to sink the other fleet wins, and shots are limited only if asked for.
"""

import re
import string
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from hiddenhand.errors import ParameterError
from hiddenhand.games.base import TERMINAL, Game, Integers, State, verify_range
from hiddenhand.games.grid import MAX_SIDE, Cell, cell_name, draw

# state: moves so far; for each player how many squares of the fleet were not hit; then for each player where the ships
# are (action + 1, 0 before they are placed), and masks of squares, in words of 62: with a ship, shot at by the other,
# and where a shot sank a ship
_MOVES, _AFLOAT, _FLEETS = 0, 1, 3
_BITS = 62  # of a state entry that holds squares
_MISS, _HIT, _SUNK = 0, 1, 2


@dataclass(frozen=True)
class Battleship(Game):
    """Battleship for two: both place ``ships`` in secret on boards of ``rows`` by ``columns`` squares, then shoot in turn.

    Players place one ship each in turn, in the order of ``ships``, across or down; ships do not overlap, but may touch. Then
    each shot at a square of the other's board is answered for all to hear: a miss, a hit, or a hit that sank a ship, which is
    not said. A player never shoots at a square twice. Who sinks the last ship of the other's fleet wins 1 from them.

    ``ships``: the lengths, as a tuple or a text such as "3,2,2"; the game keeps the text. ``shots``: how many shots each
    player has, after which the game is a draw; 0 for no limit.

    Actions: to place a ship, ``row * columns + column`` of its upper left square, and ``rows * columns`` more if it lies
    downwards, named like "b3 across"; to shoot, ``row * columns + column``, named like b3.
    Observations (public): 1 for a ship placed; for a shot 2 + 3 * square, and 1 more for a hit, 2 more if a ship was sunk.
    """

    rows: int = 10
    columns: int = 10
    ships: str | tuple[int, ...] = "5,4,3,3,2"
    shots: int = 0
    lengths: npt.NDArray[np.int64] = field(init=False, repr=False, compare=False)
    """``int64[ships]``: how many squares each ship covers."""

    def __post_init__(self) -> None:
        verify_range(self, "rows", 1, MAX_SIDE)
        verify_range(self, "columns", 1, MAX_SIDE)
        verify_range(self, "shots", 0, self.squares)
        lengths = self._read_ships()
        for ship, length in enumerate(lengths):
            places = [_covered(*place) for place in self._places(length)]
            taken = [max(self._most_crossed(places, earlier), 0) for earlier in lengths[:ship]]
            if len(places) <= sum(taken):
                raise ParameterError(
                    f"Battleship: ships={self.ships!r} on {self.rows} x {self.columns} squares is not allowed, because there may be no "
                    f"room for ship {ship + 1}, of length {length}; give fewer or shorter ships, longer ones first, or a larger board"
                )
        object.__setattr__(self, "ships", ",".join(map(str, lengths)))
        object.__setattr__(self, "lengths", np.array(lengths, np.int64))

    def _read_ships(self) -> tuple[int, ...]:
        words = re.findall(r"[^\s,;]+", self.ships) if isinstance(self.ships, str) else self.ships
        try:
            lengths = tuple(int(word) for word in (words if isinstance(words, (list, tuple)) else (words,)))
        except (TypeError, ValueError):
            lengths = ()
        if not lengths or min(lengths) < 1 or len(lengths) > len(string.ascii_uppercase):
            raise ParameterError(f'Battleship: ships={self.ships!r} is not allowed; give the lengths of 1 to 26 ships, like "3,2"')
        return lengths
