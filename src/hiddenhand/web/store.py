"""The events of each table, in an SQLite file, written as they happen.

A table is a list of events, each a JSON object with the name of the event: ``opened``, ``came``,
``moved``, ``took_back``, ``over``, ``again``. The server only adds events, so after a crash it
finds every table as it stood. See `records` for the format of the file.
"""

import json
import os
from collections import defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, TypeVar

from hiddenhand import locks
from hiddenhand.errors import FileError
from hiddenhand.records import Answers, Table

Event = dict[str, Any]
_Result = TypeVar("_Result")

_EVENTS: Final = Table(
    name="event",
    columns={"place": "TEXT", "number": "INTEGER", "event": "TEXT"},
    key=("place", "number"),
    mark=0x48494457,  # "HIDW"
    writers="hiddenhand serve",
)


def default_file() -> Path:
    """The file of the tables by default, in the user's folder for the state of programs. Raises
    FileError if there is no home folder.
    """
    base = os.environ.get("XDG_STATE_HOME")
    try:
        root = Path(base) if base else Path.home() / ".local" / "state"
    except RuntimeError:
        raise FileError(
            "there is no home folder to keep tables in; give a file with --tables"
        ) from None
    return root / "hiddenhand" / "tables.sqlite"


class Store:
    """The events of all tables. Any thread may call the methods. They raise FileError if the file
    cannot be used.

    file: the file that keeps them; None keeps them in memory. Only the owner can read the file,
        because it holds the secret tokens of seats.
    """

    def __init__(self, file: Path | None) -> None:
        self._lock = None if file is None else _locked(file)
        # SQLite answers only the thread that opened the file, so one thread does all work
        self._thread = ThreadPoolExecutor(1, "tables")
        self._events = self._call(lambda: Answers(file, {"what": "tables"}, _EVENTS))

    def add(self, place: str, number: int, event: Mapping[str, Any]) -> None:
        """Write event ``number`` of a table; it is safe on disk when this returns."""
        text = json.dumps(event, separators=(",", ":"))
        self._call(lambda: self._events.add(place, number, text))

    def tables(self) -> dict[str, list[Event]]:
        """The events of each table, in order."""
        found: defaultdict[str, list[Event]] = defaultdict(list)
        for place, _, text in self._call(self._events.rows):
            found[place].append(json.loads(text))
        return dict(found)

    def events(self, place: str) -> list[Event]:
        """The events of a table, in order."""
        return [json.loads(text) for _, _, text in self._call(lambda: self._events.under(place))]

    def close(self) -> None:
        """Close the file."""
        self._call(self._events.close)
        self._thread.shutdown()
        if self._lock is not None:
            os.close(self._lock)

    def _call(self, work: Callable[[], _Result]) -> _Result:
        return self._thread.submit(work).result()


def _locked(file: Path) -> int:
    """A descriptor that holds the lock of ``file`` until it is closed, or the process ends."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(f"{file}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
        file.chmod(0o600)
    except OSError as error:
        raise FileError(
            f"{file} cannot be written ({error.strerror}); give another file with --tables"
        ) from None
    if not locks.takes_lock_if_there_is_one(descriptor):
        os.close(descriptor)
        raise FileError(
            f"{file} is in use by another server; stop that one, or give another file with --tables"
        )
    return descriptor
