"""Finished matches in an SQLite file, with one row for each match, written as it finishes.

See `records` for such files. The players in seat order and a number identify a row, so that no
match is there twice.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from hiddenhand.records import Answers, Complaint, Table

_Value = TypeVar("_Value")

_KEY: Final = ("number", "first", "second")
_LISTS: Final = ("history", "payoffs", "moves", "seconds", "thoughts")
_CORRECTED: Final = "corrected"


def _table(corrected: bool) -> Table:
    """How matches are written, with corrected payoffs or without them."""
    lists = (*_LISTS, _CORRECTED) if corrected else _LISTS
    return Table(
        name="match",
        columns=dict.fromkeys(_KEY, "INTEGER") | dict.fromkeys(lists, "TEXT"),
        key=_KEY,
        mark=0x48494448,  # "HIDH"
        writers="a match or tournament",
    )


@dataclass(frozen=True)
class Played:
    """A finished match. Pairs are in the order of the seats.

    first: the index of the player in the first seat.
    second: the index of the player in the second seat.
    number: the number of the match among those of these two players in this order, from 0.
    history: all moves, those of chance included, so that the match can be looked at again.
    payoffs: the payoff of each player.
    moves: how many moves each player made.
    seconds: how long each player took for all of their moves.
    thoughts: for each player, the largest value of each figure about their thinking, by name.
    corrected: the payoffs without most of the luck, see `aivat`; None where payoffs are not
        corrected.
    """

    first: int
    second: int
    number: int
    history: tuple[int, ...]
    payoffs: tuple[float, float]
    moves: tuple[int, int]
    seconds: tuple[float, float]
    thoughts: tuple[dict[str, float], dict[str, float]]
    corrected: tuple[float, float] | None = None


class MatchRecords:
    """The matches that answer a question. All methods raise FileError where the file cannot be
    used.

    corrected: whether matches are kept with corrected payoffs.

    The other arguments are those of `Answers`.
    """

    def __init__(
        self,
        file: Path | str | None,
        question: Mapping[str, Any],
        drawn: Mapping[str, Any] | None = None,
        complaints: Mapping[str, Complaint] | None = None,
        corrected: bool = False,
    ) -> None:
        self._lists = (*_LISTS, _CORRECTED) if corrected else _LISTS
        self._answers = Answers(file, question, _table(corrected), drawn, complaints)

    @property
    def question(self) -> dict[str, Any]:
        """What the matches answer, with all that was drawn for it."""
        return self._answers.question

    def add(self, match: Played) -> None:
        """Write a match, which is safe on disk when this returns. A match of the same players and
        number that is there already stays as it was.
        """
        self._answers.add(
            *(getattr(match, name) for name in _KEY),
            *(json.dumps(getattr(match, name)) for name in self._lists),
        )

    def played(self) -> list[Played]:
        """All matches, by number."""
        rows = self._answers.rows()
        try:
            return [_read(*row) for row in rows]
        # one made on purpose: its checksum is right
        except (TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
            raise self._answers.damaged() from None

    def close(self) -> None:
        """Close the file."""
        self._answers.close()


def _read(number: int, first: int, second: int, *lists: str) -> Played:
    history, payoffs, moves, seconds, thoughts, *rest = map(json.loads, lists)
    return Played(
        first=first,
        second=second,
        number=number,
        history=tuple(map(int, history)),
        payoffs=_pair(map(float, payoffs)),
        moves=_pair(map(int, moves)),
        seconds=_pair(map(float, seconds)),
        thoughts=_pair(
            {str(name): float(figure) for name, figure in thought.items()} for thought in thoughts
        ),
        corrected=_pair(map(float, rest[0])) if rest else None,
    )


def _pair(values: Iterable[_Value]) -> tuple[_Value, _Value]:
    first, second = values
    return first, second
