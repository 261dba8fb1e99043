"""Notebooks, read and run without Jupyter: the code cells in order, in one namespace.

A cell whose tags include ``needs-MODULE`` is run where that module is installed. What a cell shows
is what it prints, and the value of its last line as Jupyter shows it: as HTML, as a PNG, or as
text.

The tests run notebooks with `run_notebook`. The documentation site runs this file as a program,
which writes down what each cell showed: ``python tests/notebooks.py NOTEBOOK FOLDER RESULT``.
"""

import ast
import base64
import contextlib
import importlib.util
import io
import json
import os
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Shown = list[tuple[str, str]]
"""What a cell shows: kinds ("text", "html" or "png") and contents; a PNG as Base64."""


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook.

    is_code: whether it is code; else it is Markdown.
    text: what is in it.
    needs: the modules without which it cannot run.
    """

    is_code: bool
    text: str
    needs: tuple[str, ...] = ()

    @property
    def can_run(self) -> bool:
        """Whether what it needs is installed."""
        return all(importlib.util.find_spec(module) is not None for module in self.needs)


def cells_of(path: Path) -> Iterator[Cell]:
    """The cells of a notebook, in order."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        tags = cell["metadata"].get("tags", [])
        needs = (tag.removeprefix("needs-") for tag in tags if tag.startswith("needs-"))
        yield Cell(cell["cell_type"] == "code", "".join(cell["source"]), tuple(needs))


def run_notebook(path: Path) -> list[Shown]:
    """Run the cells of a notebook in the present folder: what each showed."""
    module = types.ModuleType(path.stem.replace("-", "_"))
    sys.modules[module.__name__] = module  # classes of cells belong to it
    try:
        return [
            list(_run(cell.text, f"{path.name}, cell {number}", vars(module)))
            if cell.is_code and cell.can_run
            else []
            for number, cell in enumerate(cells_of(path), 1)
        ]
    finally:
        del sys.modules[module.__name__]


def _run(code: str, where: str, namespace: dict[str, Any]) -> Iterator[tuple[str, str]]:
    tree = ast.parse(code, where)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value = None
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(tree, where, "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), where, "eval"), namespace)
    if out.getvalue():
        yield "text", out.getvalue()
    if value is not None:
        yield _displayed(value)


def _displayed(value: Any) -> tuple[str, str]:
    """A value as Jupyter shows it."""
    html = value._repr_html_() if hasattr(value, "_repr_html_") else None
    if html is not None:
        return "html", html
    if hasattr(value, "_repr_png_"):
        return "png", base64.b64encode(value._repr_png_()).decode()
    return "text", f"{value!r}\n"


def _main(notebook: str, folder: str, result: str) -> None:
    path, kept = Path(notebook).resolve(), Path(result).resolve()
    os.chdir(folder)
    kept.write_text(json.dumps(run_notebook(path)), encoding="utf-8")


if __name__ == "__main__":
    _main(*sys.argv[1:])
