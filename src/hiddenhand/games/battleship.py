"""Battleship: two fleets, each hidden from the other, and shots in turn.

Source: the pencil game; OpenSpiel's `battleship` has the same moves. There ships may have different
values and shots are always limited. Here the first player to sink the other fleet wins, and shots
are limited only with ``shots`` above 0.
"""

import re
import string
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hiddenhand.errors import ParameterError
from hiddenhand.games.about import BOARD, About
from hiddenhand.games.base import TERMINAL, Game, State, verify_range
from hiddenhand.games.grid import MAX_SIDE, Cell, cell_name, draw
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules

# what the state holds, by the index where it begins
_MOVES = 0  # how many moves were made
_AFLOAT = 1  # for each player, how many squares of the fleet are not hit
_FLEETS = 3  # the fleet of player 0, then that of player 1
# A fleet is an entry for each ship, action + 1 or 0 before it is placed, and then three masks of
# squares: those with a ship, those that were shot at, those at which a shot sank a ship.
_BITS = 62  # how many squares a state entry holds
_MISS, _HIT, _SUNK = 0, 1, 2  # the answers to a shot


@About(
    "Battleship",
    "Hide your fleet, then find the other one, shot by shot.",
    (BOARD,),
    place=70,
    minutes=5,
    example="battleship(rows=5,columns=5,ships=(3,2))",
    small=("battleship(rows=2,columns=2,ships='1')",),
    card=(3, 0.6, 0.03),
)
@dataclass(frozen=True)
class Battleship(Game):
    """Battleship for two: both place ``ships`` in secret on boards of ``rows`` by ``columns``
    squares, then shoot in turn.

    Players place one ship each in turn, in the order of ``ships``, across or down. Ships do not
    overlap, but may touch. Then players shoot in turn at a square of the other's board. All hear
    the answer: a miss, a hit, or a hit that sank a ship, but not which ship. A player never shoots
    at a square twice. The player who sinks the last ship of the other's fleet wins 1 from them.

    Actions: to place a ship, ``row * columns + column`` of its upper left square, and ``rows *
    columns`` more if it lies downwards, named like "b3 across"; to shoot, ``row * columns +
    column``, named like b3.
    Observations (public): 1 for a ship placed; 2 + 3 * square for a miss, 1 more for a hit, 2 more
    if a ship was sunk.

    rows: how many rows a board has, 1 to 26.
    columns: how many columns a board has, 1 to 26.
    ships: the lengths of 1 to 26 ships, as a tuple or as a text such as "3,2,2". The game keeps the
        text.
    shots: how many shots each player has, after which the game is a draw; 0 for no limit.
    """

    rows: int = 10
    columns: int = 10
    ships: str | tuple[int, ...] = "5,4,3,3,2"
    shots: int = 0
    lengths: Integers = field(init=False, repr=False, compare=False)
    """``int64[ships]``: how many squares each ship covers."""

    max_utility = 1.0

    def __post_init__(self) -> None:
        verify_range(self, "rows", 1, MAX_SIDE)
        verify_range(self, "columns", 1, MAX_SIDE)
        verify_range(self, "shots", 0, self.squares)
        lengths = self._read_ships()
        for ship, length in enumerate(lengths):
            crossed = sum(self._most_crossed(length, earlier) for earlier in lengths[:ship])
            if self._num_places(length) <= crossed:
                raise ParameterError(
                    f"Battleship: ships={self.ships!r} on {self.rows} x {self.columns} squares is "
                    f"not allowed, because there may be no room for ship {ship + 1}, of length "
                    f"{length}; give fewer or shorter ships, or a larger board"
                )
        object.__setattr__(self, "ships", ",".join(map(str, lengths)))
        object.__setattr__(self, "lengths", np.array(lengths, np.int64))

    def _read_ships(self) -> tuple[int, ...]:
        given: Any = self.ships
        if isinstance(given, str):
            given = re.findall(r"[^\s,]+", given)
        elif not isinstance(given, (list, tuple)):
            given = [given]
        try:
            lengths = tuple(int(str(length)) for length in given)
        except (TypeError, ValueError):
            lengths = ()
        if not 1 <= len(lengths) <= len(string.ascii_uppercase) or min(lengths) < 1:
            raise ParameterError(
                f"Battleship: ships={self.ships!r} is not allowed; give the lengths of 1 to 26 "
                'ships, like "3,2"'
            )
        return lengths

    def _num_places(self, length: int) -> int:
        """In how many ways a ship can lie on the empty board."""
        if length == 1:
            return self.squares
        across = self.rows * max(self.columns - length + 1, 0)
        down = self.columns * max(self.rows - length + 1, 0)
        return across + down

    def _most_crossed(self, length: int, earlier: int) -> int:
        """How many of the `_num_places` a ship of length ``earlier`` can block at most."""
        if length == 1:
            return earlier
        crossed = 0
        for along, beside in ((self.columns, self.rows), (self.rows, self.columns)):
            if earlier <= along:
                in_line = min(earlier + length - 1, max(along - length + 1, 0))
                crossed = max(crossed, in_line + earlier * min(length, max(beside - length + 1, 0)))
        return crossed

    @property
    def squares(self) -> int:
        """The squares of a board."""
        return self.rows * self.columns

    @property
    def num_ships(self) -> int:
        """The ships of a fleet."""
        return self.lengths.size

    @property
    def max_shots(self) -> int:
        """The most shots a player can have."""
        return self.shots if self.shots > 0 else self.squares

    @property
    def _words(self) -> int:
        """The state entries of a mask of squares."""
        return (self.squares + _BITS - 1) // _BITS

    @property
    def state_size(self) -> int:
        return self._fleet(2)

    @property
    def max_actions(self) -> int:
        places = self.squares
        for ship in range(self.num_ships):
            places = max(places, self._num_places(int(self.lengths[ship])))
        return places

    @property
    def max_depth(self) -> int:
        # a player's shot at the last square of a board always ends the game
        return 2 * self.num_ships + min(2 * self.max_shots, 2 * self.squares - 1)

    # --- where things are in the state ---

    def _fleet(self, player: int) -> int:
        """Where the ships of ``player`` begin."""
        return _FLEETS + player * (self.num_ships + 3 * self._words)

    def _occupied(self, player: int) -> int:
        """Where the mask of squares with ships of ``player`` begins."""
        return self._fleet(player) + self.num_ships

    def _shot_at(self, player: int) -> int:
        """Where the mask of squares of ``player`` that were shot at begins."""
        return self._occupied(player) + self._words

    def _sinking(self, player: int) -> int:
        """Where the mask of squares at which a ship of ``player`` was sunk begins."""
        return self._shot_at(player) + self._words

    def _has(self, state: State, mask: int, square: int) -> bool:
        """Whether ``square`` is in the mask that begins at ``mask``."""
        return state[mask + square // _BITS] >> (square % _BITS) & 1 != 0

    def _add(self, state: State, mask: int, square: int) -> None:
        state[mask + square // _BITS] |= 1 << (square % _BITS)

    def _square(self, place: int, part: int) -> int:
        """The square that part number ``part`` of a ship covers. ``place`` is the action that put
        the ship there.
        """
        return place + part if place < self.squares else place - self.squares + part * self.columns

    # --- rules ---

    def initial_state(self, state: State) -> None:
        state[:] = 0
        for ship in range(self.num_ships):
            state[_AFLOAT] += self.lengths[ship]
            state[_AFLOAT + 1] += self.lengths[ship]

    def current_player(self, state: State) -> int:
        over = state[_AFLOAT] == 0 or state[_AFLOAT + 1] == 0
        if over or state[_MOVES] == 2 * (self.num_ships + self.max_shots):
            return TERMINAL
        return state[_MOVES] % 2

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        ship = state[_MOVES] // 2
        if ship < self.num_ships:
            return self._free_places(state, player, self.lengths[ship], actions)
        count = 0
        for square in range(self.squares):
            if not self._has(state, self._shot_at(1 - player), square):
                actions[count] = square
                count += 1
        return count

    def _free_places(self, state: State, player: int, length: int, actions: Integers) -> int:
        """Write where a ship can lie into ``actions``, and return in how many ways it can."""
        count = 0
        for down in range(2 if length > 1 else 1):
            last_row = self.rows - length if down else self.rows - 1
            last_column = self.columns - 1 if down else self.columns - length
            for row in range(last_row + 1):
                for column in range(last_column + 1):
                    place = down * self.squares + row * self.columns + column
                    free = True
                    for part in range(length):
                        free = free and not self._has(
                            state, self._occupied(player), self._square(place, part)
                        )
                    if free:
                        actions[count] = place
                        count += 1
        return count

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        player = state[_MOVES] % 2
        ship = state[_MOVES] // 2
        state[_MOVES] += 1
        if ship < self.num_ships:
            state[self._fleet(player) + ship] = action + 1
            for part in range(self.lengths[ship]):
                self._add(state, self._occupied(player), self._square(action, part))
            observations[2] = 1
        else:
            observations[2] = 2 + 3 * action + self._shoot(state, 1 - player, action)

    def _shoot(self, state: State, target: int, square: int) -> int:
        """Shoot at a square of ``target``, and return the answer."""
        self._add(state, self._shot_at(target), square)
        if not self._has(state, self._occupied(target), square):
            return _MISS
        state[_AFLOAT + target] -= 1
        for ship in range(self.num_ships):
            covers, afloat = self._inspect(state, target, ship, square)
            if covers and not afloat:
                self._add(state, self._sinking(target), square)
                return _SUNK
        return _HIT

    def _inspect(self, state: State, player: int, ship: int, square: int) -> tuple[bool, bool]:
        """Whether a ship of ``player`` covers ``square``, and whether some part of it was not
        hit.
        """
        place = state[self._fleet(player) + ship] - 1
        covers = False
        afloat = False
        for part in range(self.lengths[ship]):
            covered = self._square(place, part)
            covers = covers or covered == square
            afloat = afloat or not self._has(state, self._shot_at(player), covered)
        return covers, afloat

    def returns(self, state: State, player: int) -> float:
        if state[_AFLOAT] > 0 and state[_AFLOAT + 1] > 0:
            return 0.0
        return 1.0 if state[_AFLOAT + player] > 0 else -1.0

    # --- for people ---

    _presentation = "hiddenhand.games.drawing.squares:BATTLESHIP"

    @PropertyBesideRules
    def rules_text(self) -> str:
        lengths = str(self.ships).replace(",", ", ")
        limit = (
            f" Each player has {self.shots} shots. If both fleets survive them, the game is a draw."
            if self.shots
            else ""
        )
        return (
            f"Each player has a secret board of {self.columns} by {self.rows} squares, and ships "
            f"of these lengths: {lengths}.\n\n"
            "First the players place their ships in turns, across or down. Ships may touch but not "
            "overlap. Then the players shoot in turns, each time at one square of the other's "
            "board. All hear the answer: a miss, a hit, or a hit that sank a ship. The answer "
            "does not name the ship.\n\n"
            "The player who sinks the last ship of the other fleet wins 1 point from the other "
            f"player.{limit}"
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return 2 * self.squares  # a ship may lie downwards

    def action_name(self, state: State, player: int, action: int) -> str:
        name = cell_name(*divmod(action % self.squares, self.columns))
        ship = int(state[_MOVES]) // 2
        if ship >= self.num_ships or self.lengths[ship] == 1:
            return name
        return f"{name} {'down' if action >= self.squares else 'across'}"

    def render(self, state: State, player: int) -> str:
        mine, theirs = self._draw_own(state, player), self._draw_other(state, 1 - player)
        mover = self.current_player(state)
        if mover == TERMINAL:
            result = ("a draw", "you won", "you lost")[int(self.returns(state, player))]
            line = f"the game is over: {result}"
        else:
            ship = int(state[_MOVES]) // 2
            placing = ship < self.num_ships
            task = f"place a ship of length {self.lengths[ship]}" if placing else "shoot"
            line = f"{'you' if mover == player else 'they'} {task}"
        return (
            f"your board; hits in small letters, misses o\n{mine}\ntheir board; hits x, sinking "
            f"hits #, misses o\n{theirs}\n{line}"
        )

    @beside_rules
    def told(self, state: State) -> "BattleshipBoards":
        """A state taken apart, with what is hidden in it; for pictures."""
        ship = int(state[_MOVES]) // 2
        placing = int(self.lengths[ship]) if ship < self.num_ships else 0
        return BattleshipBoards(placing, (self._told_fleet(state, 0), self._told_fleet(state, 1)))

    @beside_rules
    def _told_fleet(self, state: State, player: int) -> "Fleet":
        def squares(mask: int) -> frozenset[int]:
            return frozenset(s for s in range(self.squares) if self._has(state, mask, s))

        ships = []
        for ship in range(self.num_ships):
            place = int(state[self._fleet(player) + ship]) - 1
            if place >= 0:
                parts = range(int(self.lengths[ship]))
                ships.append(tuple(self._square(place, part) for part in parts))
        shots = squares(self._shot_at(player))
        return Fleet(
            ships=tuple(ships),
            shots=shots,
            hits=shots & squares(self._occupied(player)),
            sinking=squares(self._sinking(player)),
        )

    def _draw_own(self, state: State, player: int) -> str:
        marks = {
            cell: "o"
            for cell, square in self._cells()
            if self._has(state, self._shot_at(player), square)
        }
        hits = set(marks)
        for ship, letter in zip(range(self.num_ships), string.ascii_uppercase, strict=False):
            place = int(state[self._fleet(player) + ship]) - 1
            for part in range(int(self.lengths[ship]) if place >= 0 else 0):
                cell = divmod(self._square(place, part), self.columns)
                marks[cell] = letter.lower() if cell in hits else letter
        return draw(self.rows, self.columns, marks)

    def _draw_other(self, state: State, player: int) -> str:
        marks = {}
        for cell, square in self._cells():
            if self._has(state, self._shot_at(player), square):
                hit = "#" if self._has(state, self._sinking(player), square) else "x"
                marks[cell] = hit if self._has(state, self._occupied(player), square) else "o"
        return draw(self.rows, self.columns, marks)

    def _cells(self) -> list[tuple[Cell, int]]:
        return [(divmod(square, self.columns), square) for square in range(self.squares)]


@dataclass(frozen=True)
class Fleet:
    """The board of a player, with what is hidden on it. A square is ``row * columns + column``.

    ships: the squares of each ship.
    shots: the squares that were shot at.
    hits: those where a ship was hit.
    sinking: those where the shot sank a ship.
    """

    ships: tuple[tuple[int, ...], ...]
    shots: frozenset[int]
    hits: frozenset[int]
    sinking: frozenset[int]

    def said(self, square: int, knows: bool) -> str:
        """A square in words. ``knows``: whether the reader knows where the ships are."""
        if square in self.shots:
            if square not in self.hits:
                return "a miss"
            return "a hit that sank a ship" if square in self.sinking else "a hit"
        if not knows:
            return "not shot at"
        return "a ship" if any(square in ship for ship in self.ships) else "water"


@dataclass(frozen=True)
class BattleshipBoards:
    """A state of `Battleship` taken apart, with what is hidden in it.

    placing: the length of the ship that is to be placed; 0 once shots are fired.
    fleets: the board of each player.
    """

    placing: int
    fleets: tuple[Fleet, Fleet]
