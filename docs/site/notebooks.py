"""Pages of the site made of notebooks: the cells, with what each code cell shows below it.

`docs.site.examples` runs notebooks by the reader of the tests (`tests/notebooks.py`).
"""

import base64
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs.site.links import ROOT

sys.path.insert(0, str(ROOT / "tests"))
from notebooks import Cell, cells_of  # type: ignore[import-not-found]  # beside the tests

MOST_LINES = 40
"""How many lines of a text are shown; of more, the first."""


def markdown_of(path: Path) -> str:
    """The Markdown cells of a notebook, in which links are found, one after the other."""
    return "\n\n".join(cell.text for cell in cells_of(path) if not cell.is_code)


def page_of(path: Path, words: str, shown: Any, pictures: Path) -> str:
    """A notebook as a page.

    words: what `markdown_of` returned, with the links of the site.
    shown: what each cell showed, see ``tests/notebooks.py``.
    pictures: the folder for pictures, beside the page.
    """
    cells, texts = list(cells_of(path)), iter(_split(words, cells_of(path)))
    parts = []
    for number, (cell, outputs) in enumerate(zip(cells, shown, strict=True), 1):
        if not cell.is_code:
            parts.append(next(texts))
            continue
        parts.append(f"```python\n{cell.text}\n```")
        for kind, content in outputs:
            name = f"{path.stem}-{number}.png"
            parts.append(_output(kind, content, pictures / name))
    first, *rest = parts
    download = f"Open it in Jupyter: {{download}}`{path.name}`."
    return "\n\n".join([first, download, *rest]) + "\n"


def _split(words: str, cells: Iterator[Cell]) -> Iterator[str]:
    """The text of each Markdown cell, found in all of them by its number of lines."""
    lines, begin = words.split("\n"), 0
    for cell in cells:
        if not cell.is_code:
            count = cell.text.count("\n") + 1
            yield "\n".join(lines[begin : begin + count])
            begin += count + 1


def _output(kind: str, content: str, picture: Path) -> str:
    if kind == "png":
        picture.parent.mkdir(parents=True, exist_ok=True)
        picture.write_bytes(base64.b64decode(content))
        return f"![what the cell draws]({picture.name})"
    if kind == "html":
        return f"``````{{raw}} html\n{content}\n``````"
    lines = content.rstrip().splitlines()
    more = [f"... and {len(lines) - MOST_LINES} more lines"] if len(lines) > MOST_LINES else []
    text = "\n".join([*lines[:MOST_LINES], *more])
    return f"```{{code-block}} text\n:class: output\n\n{text}\n```"
