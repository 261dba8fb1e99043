"""The floors of the house: an import goes to the same floor or to one named earlier, never to a later one."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "hiddenhand"
FLOORS = (
    ("answers", "archives", "budget", "errors", "files", "progress", "text"),
    ("compiled",),
    ("games",),
    ("trees",),
    ("search",),
    ("players",),
    ("evaluation",),
    ("experiments",),
    ("interop",),
    ("web",),
    ("cli", "cli_common", "cli_evaluate", "cli_play", "cli_process", "cli_progress", "__main__"),
    ("",),  # hiddenhand/__init__.py hands out public names from everywhere, and nothing inside imports it
)
FLOOR_OF = {name: floor for floor, names in enumerate(FLOORS) for name in names}


def module_name(path: Path) -> str:
    parts = ("hiddenhand", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def floor_name(module: str) -> str:
    """The part of the house that ``module`` belongs to: the name after ``hiddenhand``, nothing for the package itself."""
    return [*module.split("."), ""][1]


def imports_of(source: str, module: str, is_package: bool) -> Iterator[tuple[int, str]]:
    """Line and name of each of our modules that ``module`` imports, wherever in the file the import stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name.split(".")[0] == "hiddenhand")
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = module.split(".") if is_package else module.split(".")[:-1]
                parents = parents[: len(parents) - node.level + 1]
                base = ".".join([*parents, base]).rstrip(".")
            if base == "hiddenhand":  # from hiddenhand import games: the floor is the imported name, if it is one
                yield from ((node.lineno, f"hiddenhand.{alias.name}" if alias.name in FLOOR_OF else "hiddenhand") for alias in node.names)
            elif base.startswith("hiddenhand."):
                yield node.lineno, base


def arrows_down(source: str, module: str, is_package: bool = False) -> list[str]:
    own = FLOOR_OF[floor_name(module)]
    return [f"{module}, line {line}: {name}" for line, name in imports_of(source, module, is_package) if FLOOR_OF[floor_name(name)] > own]


SOURCES = sorted(PACKAGE.rglob("*.py"))


def test_every_module_has_a_floor() -> None:
    assert {floor_name(module_name(path)) for path in SOURCES} <= set(FLOOR_OF)


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_imports_go_up(path: Path) -> None:
    assert arrows_down(path.read_text(), module_name(path), path.name == "__init__.py") == []


@pytest.mark.parametrize(
    "line",
    [
        "import hiddenhand.games.base",
        "from hiddenhand.games.base import Game",
        "from hiddenhand import games",
        "from hiddenhand import load_game",
        "from ..games import base",
        "def late():\n    from hiddenhand.cli import main",
    ],
)
def test_an_arrow_down_is_seen(line: str) -> None:
    assert len(arrows_down(line, "hiddenhand.compiled.bridge")) == 1


@pytest.mark.parametrize(
    "line", ["from hiddenhand.errors import RuleError", "from .kernels import kernel", "from hiddenhand import errors", "import numba"]
)
def test_an_arrow_up_is_allowed(line: str) -> None:
    assert arrows_down(line, "hiddenhand.compiled.bridge") == []
