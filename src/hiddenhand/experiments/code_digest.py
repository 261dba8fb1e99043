"""A digest of the code of a search, by which results of older code are told from those of now.

It covers the module of the search and the modules that it imports, directly or not, as far as they
decide what a search does: those of `_DECIDING` but for those of `_FOR_PEOPLE`. What is left out
only arranges the work (chunks, streams, files), and tests hold its results equal bit for bit. The
digest is taken from the syntax trees without docstrings, so it is the same in all processes and for
all versions of Python, and a changed comment makes no difference.
"""

import ast
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from hiddenhand.compiled.fingerprint import digest_text
from hiddenhand.search.algorithms import SEARCH, find

_PACKAGE: Final = "hiddenhand"
_DECIDING: Final = (
    *("search.sampling", "search.joint", "search.resolving", "search.rules", "search.belief"),
    *("search.auto", "search.fitting", "search.traversal", "compiled.table", "compiled.walk"),
    *("compiled.keys", "compiled.random", "compiled.draws"),
    *("search.pursuit", "games.pursuit", "games.information_model"),
)
_FOR_PEOPLE: Final = ("games.pursuit.scenes", "games.pursuit.pictures")
"""Modules of these that decide nothing: they draw what people see."""


@cache
def search_digest(name: str, given: frozenset[str] = frozenset()) -> str:
    """The digest of the code of the search called ``name``; empty for a player who is no search.

    given: the names of its parameters that are given, which decide its form.
    """
    algorithm = find(name, SEARCH)
    if algorithm is None:
        return ""
    if algorithm.special is not None:
        algorithm = algorithm.form(given)
    first = algorithm.target.partition(":")[0]
    found, waiting = {first}, [first]
    while waiting:
        new = set(_imports(waiting.pop())) - found
        found |= new
        waiting += new
    return digest_text("\n".join(f"{module} {_code(module)}" for module in sorted(found)))


@cache
def _tree(module: str) -> ast.Module:
    spec = find_spec(module)
    assert spec is not None  # it was imported, or is about to be
    assert spec.origin is not None
    return ast.parse(Path(spec.origin).read_text(encoding="utf-8"))


@cache
def _code(module: str) -> str:
    """The syntax tree of a module without docstrings, as text."""
    tree = ast.parse(ast.unparse(_tree(module)))  # without what comments and line breaks leave
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            kept = [line for line in body if not _is_text(line)]
            node.body = kept or [ast.Pass()]  # type: ignore[attr-defined]
    return digest_text(ast.unparse(tree))


def _is_text(node: ast.AST) -> bool:
    """Whether a statement is a text that stands for itself: a docstring."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _imports(module: str) -> Iterator[str]:
    """The modules that ``module`` imports and that decide what a search does."""
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (name for name in (node.module, *_submodules(node)) if _decides(name))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if _decides(alias.name))


def _submodules(node: ast.ImportFrom) -> Iterator[str]:
    """Modules that are imported as names from their package."""
    for alias in node.names:
        name = f"{node.module}.{alias.name}"
        if _decides(name) and find_spec(str(node.module)) and _is_module(name):
            yield name


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # its parent is no package
        return False


def _decides(module: str) -> bool:
    return _is_in(module, _DECIDING) and not _is_in(module, _FOR_PEOPLE)


def _is_in(module: str, parts: tuple[str, ...]) -> bool:
    return any(
        module == f"{_PACKAGE}.{part}" or module.startswith(f"{_PACKAGE}.{part}.") for part in parts
    )
