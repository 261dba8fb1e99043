"""Results of measurements in JSON files, and the sections of pages that show them."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

from hiddenhand.files import alone_at, write_whole

ROOT: Final = Path(__file__).parent.parent


class Kept:
    """Results in a JSON file. Several processes may add to it at the same time.

    path: the file.
    indent: the spaces of each level of nesting; None writes one line.
    """

    def __init__(self, path: Path, indent: int | None = 1) -> None:
        self.path = path
        self._indent = indent

    @classmethod
    def of(cls, program: str, indent: int | None = 1) -> Self:
        """The file of a program, which has its name, in ``results`` beside it."""
        path = Path(program)
        return cls(path.parent / "results" / f"{path.stem}.json", indent)

    def read(self) -> dict[str, Any]:
        """All results; nothing if there is no file yet."""
        found: dict[str, Any] = {}
        if self.path.exists():
            found = json.loads(self.path.read_text(encoding="utf-8"))
        return found

    def write(self, results: Any) -> None:
        """Write the whole file."""
        write_whole(self.path, (json.dumps(results, indent=self._indent) + "\n").encode())

    @contextmanager
    def changing(self) -> Iterator[dict[str, Any]]:
        """Write what the block makes of the results. Other processes wait meanwhile."""
        with alone_at(self.path.with_suffix(".lock")):
            results = self.read()
            yield results
            self.write(results)

    def add(self, name: str, found: Any) -> None:
        """Write one result."""
        with self.changing() as results:
            results[name] = found

    def forget(self) -> None:
        """Delete the file."""
        self.path.unlink(missing_ok=True)


def row(cells: Iterable[str]) -> str:
    """A line of a table."""
    return f"| {' | '.join(cells)} |"


def heading(cells: Iterable[str]) -> list[str]:
    """The first two lines of a table."""
    names = list(cells)
    return [row(names), row(["---"] * len(names))]


def with_section(text: str, name: str, lines: Iterable[str]) -> str:
    """``text`` with other lines in the section ``name``. Its first line is the comment
    ``<!-- NAME: written by PROGRAM -->``, and its last line ``<!-- end of NAME -->``.
    """
    begin = next(line for line in text.splitlines() if line.startswith(f"<!-- {name}: written by"))
    end = f"<!-- end of {name} -->"
    before, rest = text.split(begin)
    after = rest.split(end, 1)[1]
    return before + "\n".join([begin, "", *lines, "", end]) + after


def write_section(page: str, name: str, lines: Iterable[str]) -> None:
    """Put lines into a section of a page, whose path begins at the root of the repository."""
    path = ROOT / page
    write_whole(path, with_section(path.read_text(encoding="utf-8"), name, lines).encode())
