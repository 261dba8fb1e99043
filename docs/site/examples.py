"""What the examples of pages print, shown below them on the site.

Each page is run by the reader of the tests (`tests/pages.py`, and `tests/notebooks.py` for
notebooks), in a process of its own and an empty folder; a page that fails ends the build. What was
printed is kept in ``build/site/examples``, under a digest of the page and of all sources of the
package, so a second build runs what has changed.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, Final

from docs.site.links import ROOT

KEPT: Final = ROOT / "build" / "site" / "examples"
READER: Final = ROOT / "tests" / "pages.py"
NOTEBOOK_READER: Final = ROOT / "tests" / "notebooks.py"
MOST_LINES: Final = 40
"""How many lines of what a block printed are shown; of more, the first."""

Printed = list[list[Any]]
"""What a page printed: for each block a text, or one for each command; for each cell of a notebook
pairs of a kind and a content. Nothing for a page that has nothing to run.
"""
_RUN: Final = re.compile(r"^```(python|console|bash)", re.MULTILINE)


class ExampleError(Exception):
    """A page whose examples do not run."""


@cache
def sources() -> str:
    """A digest of what decides what examples print, besides the pages."""
    readers = [READER.read_bytes(), NOTEBOOK_READER.read_bytes()]
    digest = hashlib.sha256(f"{sys.version} {readers!r}".encode())
    for file in sorted((ROOT / "src").rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def kept_under(*texts: str) -> Path:
    """The file that keeps what was computed from ``texts`` and the package as it is."""
    digest = hashlib.sha256("\0".join((sources(), *texts)).encode())
    return KEPT / f"{digest.hexdigest()[:32]}.json"


def printed_by(pages: Iterable[Path], tell: Callable[[str], None]) -> dict[Path, Printed]:
    """What the blocks of each page printed. Raises ExampleError for a page that fails.

    tell: is told what is run.
    """
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as several:
        waiting = {page: several.submit(_printed_by, page, tell) for page in pages}
        try:
            return {page: future.result() for page, future in waiting.items()}
        except ExampleError:
            several.shutdown(cancel_futures=True)
            raise


def _printed_by(page: Path, tell: Callable[[str], None]) -> Printed:
    is_notebook = page.suffix == ".ipynb"
    if not is_notebook and not _RUN.search(page.read_text(encoding="utf-8")):
        return []
    file = kept_under(str(page.relative_to(ROOT)), page.read_text(encoding="utf-8"))
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        tell(f"running the examples of {page.relative_to(ROOT)}")
        new = file.with_suffix(".new")
        with tempfile.TemporaryDirectory() as folder:
            reader = NOTEBOOK_READER if is_notebook else READER
            command = [sys.executable, str(reader), str(page), folder, str(new)]
            surroundings = os.environ | {"COLUMNS": "96", "NO_COLOR": "1"}
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, env=surroundings
            )
        if done.returncode:
            raise ExampleError(f"{page.relative_to(ROOT)}:\n{done.stderr}")
        new.replace(file)
    found: Printed = json.loads(file.read_text(encoding="utf-8"))
    return found


def with_output(text: str, printed: Printed) -> str:
    """``text`` of a page, with what each block printed below it."""
    if not printed:
        return text
    sys.path.insert(0, str(READER.parent))
    from pages import BLOCK  # type: ignore[import-not-found]  # beside the tests

    parts, end = [], 0
    for match, outputs in zip(BLOCK.finditer(text), printed, strict=True):
        parts.append(text[end : match.start()])
        parts.append(_block(match[0], match[1], outputs))
        end = match.end()
    return "".join([*parts, text[end:]])


def _block(block: str, language: str, outputs: list[str]) -> str:
    """A code block, with what it printed."""
    if language == "python":
        shown = _shortened("".join(outputs))
        below = f"\n\n```{{code-block}} text\n:class: output\n\n{shown}\n```"
        return block + below if shown else block
    first, *lines, last = [line for line in block.splitlines() if line]
    if not any(outputs) or not all(line.startswith("$ ") for line in lines):
        return block  # nothing was printed, or the page says itself what was
    said = zip(lines, map(_shortened, outputs), strict=True)
    return "\n".join([first, *(f"{line}\n{out}".rstrip() for line, out in said), last])


def _shortened(printed: str) -> str:
    lines = [line.rstrip() for line in printed.rstrip().splitlines()]
    if len(lines) > MOST_LINES:
        left = len(lines) - MOST_LINES
        lines = [*lines[:MOST_LINES], f"... and {left} more lines"]
    return "\n".join(lines)
