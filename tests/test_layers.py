"""The layers of the package: an import stays in its own part or goes to a layer named earlier,
never to a later one. No modules import each other in a circle, those of papers, studies and
benchmarks included.
"""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "hiddenhand"

TOGETHER = (
    # Parts of one of these layers may import each other.
    (
        "algorithm",
        "archives",
        "budget",
        "clock",
        "dataframes",
        "errors",
        "files",
        "locks",
        "mapped",
        "notebooks",
        "parameters",
        "plugins",
        "processors",
        "progress",
        "records",
        "statistics",
        "systems",
        "text",
        "user_code",
        "workers",
    ),
    ("jit",),
    ("games",),
    ("trees",),
    ("solvers",),
    ("solvers.simultaneous",),
    ("solvers.vector_form",),
    (
        "search.belief",
        "search.belief_search",
        "search.cost_model",
        "search.exclusive_use",
        "search.first_decision",
        "search.online",
        "search.opponent_model",
        "search.parallel",
        "search.result",
        "search.selection",
        "search.table_search",
        "search.traversal",
        "search.tree_budget",
    ),
)
APART = ("search.sampling", "search.simultaneous", "search.resolving")
"""One layer, whose parts know nothing of each other."""
ABOVE = (
    ("search",),
    ("players",),
    ("matches",),
    ("pursuit.games",),
    ("pursuit.search",),
    ("pursuit",),
    ("evaluation",),
    ("plots",),
    ("display",),
)
WINGS = ("interop", "web")
"""Another layer whose parts know nothing of each other."""
LAYERS = (*TOGETHER, APART, *ABOVE, WINGS, ("cli", "__main__"), ("",))
LAYER_OF = {part: layer for layer, parts in enumerate(LAYERS) for part in parts}


def module_name(path: Path, package: Path = PACKAGE) -> str:
    parts = path.relative_to(package).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def part_of(module: str) -> str:
    """The longest name in `LAYERS` at which ``module`` lies; nothing for the package itself."""
    names = module.split(".")
    return next(
        part for end in range(len(names), -1, -1) if (part := ".".join(names[:end])) in LAYER_OF
    )


@functools.cache
def import_statements(source: str) -> list[ast.Import | ast.ImportFrom]:
    """All imports in a file. Expressions, which hold none, are not looked through."""
    found, waiting = [], list[ast.AST](ast.parse(source).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        for block in ("body", "handlers", "orelse", "finalbody", "cases"):
            if isinstance(inner := getattr(node, block, None), list):
                waiting += inner
    return sorted(found, key=lambda node: node.lineno)


def imports_of(
    source: str, module: str, is_package: bool, package: str = "hiddenhand"
) -> Iterator[tuple[int, str]]:
    """Line and name of each module of ``package`` that ``module``, which belongs to it, imports,
    wherever in the file the import stands.
    """
    before = f"{package}."
    for node in import_statements(source):
        if isinstance(node, ast.Import):
            yield from (
                (node.lineno, alias.name.removeprefix(before))
                for alias in node.names
                if f"{alias.name}.".startswith(before)
            )
        else:
            base = node.module or ""
            if node.level:
                parents = [package, *module.split(".")]
                parents = parents[: len(parents) - node.level + is_package]
                base = ".".join([*parents, base]).rstrip(".")
            if f"{base}.".startswith(before):  # from hiddenhand import games: a part, or a name
                names = [f"{base}.{alias.name}" for alias in node.names]
                yield from ((node.lineno, name.removeprefix(before)) for name in names)


def arrows_up(source: str, module: str, is_package: bool = False) -> list[str]:
    """What ``module`` imports and may not."""
    own = part_of(module)
    return [
        f"{module}, line {line}: {name}"
        for line, name in imports_of(source, module, is_package)
        if not allowed(own, part_of(name))
    ]


def allowed(own: str, other: str) -> bool:
    if LAYER_OF[other] == LAYER_OF[own]:
        return own == other or own not in (*APART, *WINGS)
    return LAYER_OF[other] < LAYER_OF[own]


SOURCES = sorted(PACKAGE.rglob("*.py"))


def test_every_module_has_a_layer() -> None:
    assert [
        module_name(path)
        for path in SOURCES
        if path.parent != PACKAGE and not part_of(module_name(path))
    ] == []


def test_imports_go_down() -> None:
    assert [
        arrow
        for path in SOURCES
        for arrow in arrows_up(path.read_text(), module_name(path), path.name == "__init__.py")
    ] == []


@pytest.mark.parametrize(
    "line",
    [
        "import hiddenhand.games.base",
        "from hiddenhand.games.base import Game",
        "from hiddenhand import games",
        "from hiddenhand import load_game",
        "from ..games import base",
        "def late():\n    from hiddenhand.cli.main import main",
    ],
)
def test_an_arrow_up_is_seen(line: str) -> None:
    assert len(arrows_up(line, "jit.bridge")) == 1


@pytest.mark.parametrize(
    "line",
    [
        "from hiddenhand.errors import RuleError",
        "from .kernels import kernel",
        "from hiddenhand import errors",
        "import numba",
    ],
)
def test_an_arrow_down_is_allowed(line: str) -> None:
    assert arrows_up(line, "jit.bridge") == []


def test_searches_of_different_kinds_do_not_know_each_other() -> None:
    line = "from hiddenhand.search.simultaneous.sm_oos import SMOOS"
    assert arrows_up(line, "search.sampling.oos") == [
        "search.sampling.oos, line 1: search.simultaneous.sm_oos.SMOOS"
    ]
    assert arrows_up(line, "search.simultaneous.sm_mcts") == []
    assert arrows_up(line, "search.algorithms") == []


# --- circles ---


def graph_of(sources: dict[str, str], package: str = "hiddenhand") -> dict[str, set[str]]:
    """Which modules of ``package`` each of them imports, late imports and those for types included.

    sources: the text of each module, by its name; a package has the name of its folder.
    """
    packages = {name.rpartition(".")[0] for name in sources} | {""}
    graph = {}
    for name, source in sources.items():
        imported = set()
        for _, full in imports_of(source, name, name in packages, package):
            while full and full not in sources:  # a name within a module
                full = full.rpartition(".")[0]
            imported.add(full)
        graph[name] = imported & sources.keys() - {name, ""}
    return graph


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The groups of modules that import each other, directly or by way of others."""
    reached = {name: reachable(graph, name) for name in graph}
    groups = {
        tuple(sorted(other for other in there if name in reached[other]))
        for name, there in reached.items()
        if name in there
    }
    return sorted(map(list, groups))


def reachable(graph: dict[str, set[str]], name: str) -> set[str]:
    """All that a module imports, directly or by way of others."""
    found, waiting = set[str](), [name]
    while waiting:
        for other in graph[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return found


@pytest.mark.parametrize(
    "package",
    [PACKAGE, ROOT / "papers" / "hiddenhand_papers", ROOT / "benchmarks", ROOT / "studies"],
    ids=lambda path: path.name,
)
def test_no_modules_import_each_other_in_a_circle(package: Path) -> None:
    sources = {module_name(path, package): path.read_text() for path in package.rglob("*.py")}
    assert sources.keys() - {""}
    assert circles(graph_of(sources, package.name)) == []


def test_the_package_does_not_know_of_the_papers() -> None:
    assert [
        module_name(path)
        for path in SOURCES
        if re.search("(import|from) hiddenhand_papers", path.read_text())
    ] == []


def test_a_planted_circle_of_three_is_found() -> None:
    planted = {
        "games.a": "from hiddenhand.games.b import one\n",
        "games.b": "def late():\n    from hiddenhand.games import c\n",
        "games.c": "if TYPE_CHECKING:\n    from hiddenhand.games.a import Two\n",
        "games.d": "import hiddenhand.games.a\n",
    }
    assert circles(graph_of(planted)) == [["games.a", "games.b", "games.c"]]
    del planted["games.b"]
    assert circles(graph_of(planted)) == []
