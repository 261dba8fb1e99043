"""The tables of E[HS^2] on disk: built once, checked, and mapped into memory.

The folder holds one file for each array, in NumPy's format, and `contents.json`, which says the
SHA-256 of each complete array. The build writes an array into a file with the suffix `.part`, and
renames the file when the array is complete. An interrupted build continues after the complete
arrays, and in the longest array, of the boards of five cards, after the ranked boards. Each row of
that array can be checked by itself: of two holdings one beats the other, or both tie, so k sums to
1,081 * 990 over all holdings of a board.

A process maps the files instead of reading 370 MB, and processes share them. Each time, the program
compares the board numbers, by which kernels find their way, with their SHA-256. It compares all
other files when they are new or have changed.
"""

import contextlib
import copyreg
import hashlib
import json
import os
import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand import clock, locks
from hiddenhand.errors import FileError, GameError
from hiddenhand.files import user_data, write_file
from hiddenhand.games.poker.boards import (
    FIRST_BOARD,
    NUM_BOARDS,
    SAME_SUITS,
    Boards,
    all_boards,
    board_of,
    suits_of,
)
from hiddenhand.games.poker.hand_strength import HOLDINGS, StrengthTables, add_up, rank_rivers
from hiddenhand.games.poker.hands import hand_table, read_cards
from hiddenhand.jit.fingerprint import digest_text
from hiddenhand.progress import SILENT, Progress, Report

VERSION: Final = 1
COMMAND: Final = "hiddenhand buckets build"
CONTENTS: Final = "contents.json"

SHAPES: Final[Mapping[str, tuple[type[np.generic], tuple[int, int] | tuple[int]]]] = {
    "following": (np.int32, (FIRST_BOARD[5], 52)),
    "cards": (np.int64, (FIRST_BOARD[6],)),
    "river": (np.uint16, (NUM_BOARDS[5], HOLDINGS[5])),
    "turn": (np.uint32, (NUM_BOARDS[4], HOLDINGS[4])),
    "flop": (np.uint32, (NUM_BOARDS[3], HOLDINGS[3])),
    "preflop": (np.int64, (NUM_BOARDS[0], HOLDINGS[0])),
}
"""The arrays, in the order in which they are built."""

_ROWS_AT_ONCE: Final = 1024  # boards between two reports
_SUM_ON_RIVER: Final = HOLDINGS[5] * 990
_POLL: Final = 0.1  # seconds between two looks whether another process builds
_ALWAYS_COMPARED: Final = ("following", "cards")


def data_folder() -> Path:
    """Where the tables are: in the user's data folder, one for this version of the tables."""
    return user_data() / f"hand-strength-{VERSION}"


# --- reading ---


def open_tables(folder: Path | None = None) -> StrengthTables:
    """The tables, mapped into memory. Raises FileError if they were not built, or are damaged."""
    return _opened(data_folder() if folder is None else folder)


def _reduced(tables: StrengthTables) -> str | tuple[Any, ...]:
    """How tables are pickled: another process maps those of a folder itself."""
    if tables.folder:
        return open_tables, (Path(tables.folder),)
    return tables.__reduce_ex__(pickle.DEFAULT_PROTOCOL)


copyreg.pickle(StrengthTables, _reduced)


@lru_cache(maxsize=2)
def _opened(folder: Path) -> StrengthTables:
    contents = _contents(folder)
    if any(name not in contents for name in SHAPES):
        raise FileError(
            f"the buckets of Hold'em are not in {folder}; build them with: {COMMAND} (it takes a "
            "minute)"
        )
    arrays = {name: _mapped(folder, name, contents[name]) for name in SHAPES}
    boards = Boards(arrays.pop("following"), arrays.pop("cards"))
    digest = digest_text(" ".join(contents[name]["sha256"] for name in SHAPES))
    return StrengthTables(boards, **arrays, contents=digest, folder=str(folder))


def expected_strength(cards: str, board: str = "") -> float:
    """E[HS^2] of two cards on a board of no, three, four or five cards, from 0 to 1.

    cards: the two cards by name, such as "AhKd".
    board: the cards on the board, such as "7c 8c 9d".

    Raises GameError for cards that are no such deal, and FileError if the tables were not built.
    """
    held, table = read_cards(cards), read_cards(board)
    if len(held) != 2 or len(table) not in (0, 3, 4, 5):
        raise GameError(
            f"{len(held)} cards on a board of {len(table)} are not allowed; give two cards, and a "
            "board of three, four or five cards or none"
        )
    if len({*held, *table}) < len(held) + len(table):
        named = f"{cards} {board}".strip()
        raise GameError(f"a card is named twice in {named}; name different cards")
    tables = open_tables()
    number, suits = 0, SAME_SUITS
    for card in table:
        entry = tables.boards.next_board(number, suits, card)
        number, suits = board_of(entry), suits_of(entry)
    return float(tables.expected(number, suits, held[0], held[1]))


def _contents(folder: Path) -> dict[str, dict[str, Any]]:
    """What `contents.json` says of each array that is whole."""
    path = folder / CONTENTS
    try:
        contents = json.loads(path.read_text())
        arrays: dict[str, dict[str, Any]] = contents["arrays"]
        if contents["version"] != VERSION or not all(
            isinstance(said["sha256"], str) for said in arrays.values()
        ):
            raise ValueError
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise FileError(f"{path} is damaged; build the buckets anew with: {COMMAND}") from None
    return arrays


def _mapped(folder: Path, name: str, said: Mapping[str, Any]) -> npt.NDArray[Any]:
    """An array, mapped into memory, if it is what `contents.json` says."""
    path = folder / f"{name}.npy"
    damaged = FileError(f"{path} is damaged or missing; build the buckets anew with: {COMMAND}")
    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
        unchanged = said.get("seen") == _stamp(path)
    except Exception:  # NumPy's parser of headers raises all kinds of errors
        raise damaged from None
    dtype, shape = SHAPES[name]
    if found.dtype != np.dtype(dtype) or found.shape != shape or not found.flags.c_contiguous:
        raise damaged
    if (name in _ALWAYS_COMPARED or not unchanged) and _sha256(found) != said["sha256"]:
        raise damaged
    return np.asarray(found)


def _stamp(path: Path) -> list[int]:
    """Numbers that differ when a file was changed."""
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns, stat.st_ino]


def _sha256(array: npt.NDArray[Any]) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).reshape(-1).data).hexdigest()


# --- building ---


def build_tables(folder: Path | None = None, progress: Progress = SILENT) -> StrengthTables:
    """Build what is not yet built of the tables, and return them. If another process builds them,
    this one waits. Raises FileError where they cannot be written.
    """
    folder = data_folder() if folder is None else folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder):
            _build(folder, progress)
    except OSError as error:
        raise FileError(
            f"the buckets cannot be written to {folder} ({error.strerror or error}); set "
            "HIDDENHAND_DATA to a folder with 400 MB of room"
        ) from None
    _opened.cache_clear()
    return open_tables(folder)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Within the block no other process builds in ``folder``."""
    with (folder / "building").open("w") as file:
        while not locks.takes_lock_if_there_is_one(file.fileno()):
            clock.sleep(_POLL)
        yield


def _build(folder: Path, progress: Progress) -> None:
    """Build all arrays that are not whole, each from those before it."""
    work = _Work(folder, progress)
    boards = all_boards()
    work.array("following", lambda start, stop, out: _copy_rows(boards.following, start, stop, out))
    work.array("cards", lambda start, stop, out: _copy_rows(boards.cards, start, stop, out))
    table, cards = hand_table(), boards.cards[FIRST_BOARD[5] :]
    longer = work.array(
        "river", lambda start, stop, out: rank_rivers(table, cards, start, stop, out)
    )
    for size, name in ((4, "turn"), (3, "flop")):
        longer = work.array(name, partial(add_up, boards, FIRST_BOARD[size], longer, size == 4))
    for size in (2, 1):  # not kept: nobody plays with one or two cards on the board
        shorter = np.zeros((NUM_BOARDS[size], HOLDINGS[size]), np.int64)
        add_up(boards, FIRST_BOARD[size], longer, False, 0, NUM_BOARDS[size], shorter)
        longer = shorter
    work.array("preflop", partial(add_up, boards, 0, longer, False))


def _copy_rows(source: npt.NDArray[Any], start: int, stop: int, out: npt.NDArray[Any]) -> None:
    out[start:stop] = source[start:stop]


@dataclass
class _Work:
    """A build in a folder.

    progress: receives the number of finished boards, from 0 for each array.
    """

    folder: Path
    progress: Progress

    def array(self, name: str, fill: "_Fill") -> npt.NDArray[Any]:
        """An array, which is built if it is not there and whole.

        fill: writes rows from a start to a stop of an array.
        """
        known = _known(self.folder)
        if name in known:
            with contextlib.suppress(FileError):
                return _mapped(self.folder, name, {**known[name], "seen": None})
        part = self.folder / f"{name}.npy.part"
        out, done = _part(part, name)
        for start in range(done, out.shape[0], _ROWS_AT_ONCE):
            stop = min(start + _ROWS_AT_ONCE, out.shape[0])
            fill(start, stop, out)
            self.progress.update(Report(stop, out.shape[0], unit=f"boards of the {name}"))
        out.flush()
        del out  # Windows renames no file that is mapped
        part.replace(self.folder / f"{name}.npy")
        return self._entered(name)

    def _entered(self, name: str) -> npt.NDArray[Any]:
        """A new array, after it was entered into `contents.json`."""
        path = self.folder / f"{name}.npy"
        array = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
        arrays = _known(self.folder)
        arrays[name] = {"sha256": _sha256(array), "seen": _stamp(path)}
        text = json.dumps({"version": VERSION, "arrays": arrays}, indent=1)
        write_file(self.folder / CONTENTS, text.encode())
        return array


_Fill = Callable[[int, int, npt.NDArray[Any]], None]


def _known(folder: Path) -> dict[str, dict[str, Any]]:
    """What is known of the arrays that are whole; nothing where `contents.json` is damaged."""
    with contextlib.suppress(FileError):
        return _contents(folder)
    return {}


def _part(path: Path, name: str) -> tuple["np.memmap[Any, Any]", int]:
    """The array that is being built, and how many of its rows are done already."""
    dtype, shape = SHAPES[name]
    if name == "river" and path.exists():
        with contextlib.suppress(OSError, ValueError):
            old = np.lib.format.open_memmap(path, mode="r+")
            if old.dtype == np.dtype(dtype) and old.shape == shape:
                return old, _ranked(old)
    new = np.lib.format.open_memmap(path, mode="w+", dtype=np.dtype(dtype), shape=shape)
    if hasattr(os, "posix_fallocate"):  # a full disk is told now, and not by a signal later
        with path.open("r+b") as file:
            os.posix_fallocate(file.fileno(), 0, path.stat().st_size)
    return new, 0


def _ranked(river: npt.NDArray[Any]) -> int:
    """How many of the first boards of five cards are ranked."""
    for start in range(0, river.shape[0], _ROWS_AT_ONCE):
        right = river[start : start + _ROWS_AT_ONCE].sum(axis=1, dtype=np.int64) == _SUM_ON_RIVER
        if not right.all():
            return start + int(np.argmin(right))
    return river.shape[0]
