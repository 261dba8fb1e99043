"""Finished matches in an SQLite file, with one row for each match, written as it finishes.

See `records` for such files. The players in seat order and a number identify a row, so that no
match is there twice. The players of a game for two have a column each, and those of other games
have one for all.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hiddenhand.records import Answers, Complaint, Table

Seats = tuple[int, ...]
"""Who sits where: the index of the player in each seat."""

_LISTS: Final = ("history", "payoffs", "moves", "seconds", "thoughts")
_CORRECTED: Final = "corrected"


def _table(seats: int, corrected: bool) -> Table:
    """How matches of a game with so many seats are written, with corrected payoffs or without."""
    key = {"number": "INTEGER"}
    key |= {"first": "INTEGER", "second": "INTEGER"} if seats == 2 else {"seats": "TEXT"}
    lists = (*_LISTS, _CORRECTED) if corrected else _LISTS
    return Table(
        name="match",
        columns=key | dict.fromkeys(lists, "TEXT"),
        key=tuple(key),
        mark=0x48494448,  # "HIDH"
        writers="a match or tournament",
    )


@dataclass(frozen=True)
class Played:
    """A finished match. Tuples are in the order of the seats.

    seats: the index of the player in each seat.
    number: the number of the match among those of these players in this order, from 0.
    history: all moves, those of chance included, so that the match can be looked at again.
    payoffs: the payoff of each player.
    moves: how many moves each player made.
    seconds: how long each player took for all of their moves.
    thoughts: for each player, the largest value of each figure about their thinking, by name.
    corrected: the payoffs without most of the luck, see `aivat`; None where payoffs are not
        corrected.
    """

    seats: Seats
    number: int
    history: tuple[int, ...]
    payoffs: tuple[float, ...]
    moves: tuple[int, ...]
    seconds: tuple[float, ...]
    thoughts: tuple[dict[str, float], ...]
    corrected: tuple[float, ...] | None = None


class MatchRecords:
    """The matches that answer a question. All methods raise FileError where the file cannot be
    used.

    corrected: whether matches are kept with corrected payoffs.
    seats: how many players the game has.

    The other arguments are those of `Answers`.
    """

    def __init__(
        self,
        file: Path | str | None,
        question: Mapping[str, Any],
        drawn: Mapping[str, Any] | None = None,
        complaints: Mapping[str, Complaint] | None = None,
        corrected: bool = False,
        seats: int = 2,
    ) -> None:
        self._seats = seats
        self._lists = (*_LISTS, _CORRECTED) if corrected else _LISTS
        self._answers = Answers(file, question, _table(seats, corrected), drawn, complaints)

    @property
    def question(self) -> dict[str, Any]:
        """What the matches answer, with all that was drawn for it."""
        return self._answers.question

    def add(self, match: Played) -> None:
        """Write a match, which is safe on disk when this returns. A match of the same players and
        number that is there already stays as it was.
        """
        players = match.seats if self._seats == 2 else (json.dumps(match.seats),)
        self._answers.add(
            match.number,
            *players,
            *(json.dumps(getattr(match, name)) for name in self._lists),
        )

    def played(self) -> list[Played]:
        """All matches, by number."""
        rows = self._answers.rows()
        try:
            return [self._read(*row) for row in rows]
        # one made on purpose: its checksum is right
        except (TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
            raise self._answers.damaged() from None

    def close(self) -> None:
        """Close the file."""
        self._answers.close()

    def _read(self, number: int, *row: Any) -> Played:
        if self._seats == 2:
            seats, lists = row[:2], row[2:]
        else:
            seats, lists = json.loads(row[0]), row[1:]
        history, payoffs, moves, seconds, thoughts, *rest = map(json.loads, lists)
        found = Played(
            seats=tuple(map(int, seats)),
            number=number,
            history=tuple(map(int, history)),
            payoffs=tuple(map(float, payoffs)),
            moves=tuple(map(int, moves)),
            seconds=tuple(map(float, seconds)),
            thoughts=tuple(
                {str(name): float(figure) for name, figure in thought.items()}
                for thought in thoughts
            ),
            corrected=tuple(map(float, rest[0])) if rest else None,
        )
        per_seat = (found.seats, found.payoffs, found.moves, found.seconds, found.thoughts)
        if any(len(values) != self._seats for values in (*per_seat, found.corrected or seats)):
            raise ValueError(f"a match of {self._seats} players has so many values each")
        return found
