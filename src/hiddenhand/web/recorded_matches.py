"""Finished matches from a file, for replays: a file that ``hiddenhand match --out`` or ``hiddenhand
tournament --out`` wrote, or a record that the table in the browser saved.
"""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from hiddenhand.errors import FileError, HiddenhandError
from hiddenhand.files import newer_format
from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import History
from hiddenhand.matches.stored_matches import matches_in, question_in
from hiddenhand.web.catalogue import loaded
from hiddenhand.web.setup import Seat, Setup
from hiddenhand.web.views import Plain

RECORD_FORMAT: Final = 1
"""The format of the records that the table saves; a record without a number has the first one."""
_WRONG_TYPES: Final = (TypeError, AttributeError, ArithmeticError)  # in a record made on purpose


class StoredMatches:
    """The matches of a file. Raises FileError for a file that holds none.

    file: an SQLite file of ``hiddenhand match`` or ``tournament``, or a JSON record.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._matches = _records(file) if _is_sqlite(file) else [_record(file)]
        if not self._matches:
            raise FileError(f"{file} has no finished match; give a file with at least one")

    def described(self) -> list[Plain]:
        """The matches for the start page."""
        return [
            {"number": number, "game": game, "players": list(players), "returns": list(returns)}
            for number, (game, players, _, returns) in enumerate(self._matches)
        ]

    def match(self, number: int) -> tuple[Setup, tuple[int, ...]]:
        """The setup of a match, and its moves. Raises FileError if it breaks the rules."""
        if number >= len(self._matches):
            raise FileError(
                f"{self._file} has {len(self._matches)} matches, and no number {number}; the first "
                "match has number 0"
            )
        game, players, moves, _ = self._matches[number]
        _verify_moves(self._file, game, players, moves)
        seats = tuple(Seat(player) for player in players)
        return Setup(game, seats, 1.0, 0, 0), tuple(moves)


_Match = tuple[str, tuple[str, ...], Sequence[int], Sequence[float]]


def _is_sqlite(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return opened.read(16) == b"SQLite format 3\0"
    except OSError as error:
        raise FileError(f"{file} cannot be read ({error.strerror}); give another file") from None


def _records(file: Path) -> list[_Match]:
    """The matches of ``hiddenhand match --out``."""
    name = str(question_in(file).get("game"))
    try:
        game = loaded(name)
    except HiddenhandError as error:
        raise FileError(
            f"{file} has matches of a game that cannot be loaded ({error}); give another file"
        ) from None
    kept = matches_in(file, game)
    return [(name, kept.seated(match), match.history, match.payoffs) for match in kept.played]


def _record(file: Path) -> _Match:
    """A record that the table saved."""
    try:
        read = json.loads(file.read_text(encoding="utf-8"))
        form = int(read.get("format", RECORD_FORMAT))
        found = _read_record(read) if form <= RECORD_FORMAT else None
    except (OSError, ValueError, LookupError, *_WRONG_TYPES, RecursionError) as error:
        raise FileError(
            f"{file} is no record of a match ({error!r:.100}); give a file that hiddenhand match "
            "--out or the table in the browser wrote"
        ) from None
    if found is None:
        raise newer_format(file, form, RECORD_FORMAT)
    return found


def _read_record(read: Any) -> _Match:
    players = tuple(str(player) for player in read["players"])
    moves, returns = (
        [int(move) for move in read["moves"]],
        [float(paid) for paid in read["returns"]],
    )
    if not all(map(math.isfinite, returns)):  # which no frame for a page can hold
        raise ValueError("returns must be finite")
    return str(read["game"]), players, moves, returns


def _verify_moves(file: Path, game: str, players: Sequence[str], moves: Sequence[int]) -> None:
    try:
        history = History(loaded(game))
        if len(players) != history.game.num_players:
            raise FileError(
                f"{game} is for {history.game.num_players} players, and the record names "
                f"{len(players)}"
            )
        for move in moves:
            legal = history.player == CHANCE or move in history.legal_actions()
            if history.is_terminal or not legal:
                raise FileError(f"{move} is not a legal move after {history.moves}")
            history = history.child(move)
        if not history.is_terminal:
            raise FileError("the match has no end")
    except HiddenhandError as error:
        raise FileError(f"{file} holds a match that breaks the rules: {error}") from None
