"""Files in the names of players, such as ``kuhn.strategy`` in
``best_response(strategy(kuhn.strategy))``.

A tournament may go on for days and in many processes, all of which must read the same files.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from hiddenhand.errors import FileError
from hiddenhand.files import open_to_read
from hiddenhand.games.base import Game
from hiddenhand.players.registry import file_of

_Stamp = tuple[int, int, int, int]


class NamedFiles:
    """The files that ``players`` of a game read, by their names, as the files are now. Raises
    FileError for a file that cannot be read.

    digests: the SHA-256 of each file, by its name.
    """

    def __init__(self, players: Iterable[str], game: Game) -> None:
        names = sorted({name for player in players if (name := file_of(player, game))})
        self._stamps = {name: _stamp(name) for name in names}
        self.digests = {name: _digest(name) for name in names}

    def verify_unchanged(self) -> None:
        """Raise FileError if a file has changed since. A file is read again only if its date or
        size has changed.
        """
        for name, before in self._stamps.items():
            now = _stamp(name)
            if now != before and _digest(name) != self.digests[name]:
                raise FileError(
                    f"{name} has changed during the run; the matches before are kept; put the old "
                    "file back to continue"
                )
            self._stamps[name] = now


def changed_files(players: Iterable[str], game: Game, file: object, kept: object) -> FileError:
    """The error for ``file``, which holds matches of ``players`` of a game when the digests of
    their files were ``kept``.
    """
    before = kept if isinstance(kept, dict) else {}
    now = NamedFiles(players, game).digests
    changed = ", ".join(name for name in now if before.get(name) != now[name])
    return FileError(
        f"{file} has matches with another version of {changed}; put that version back, or "
        "give a new file for matches"
    )


def _stamp(name: str) -> _Stamp | None:
    try:
        found = Path(name).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _digest(name: str) -> str:
    with open_to_read(name) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
