"""The public names: one sorted list, all there, nothing beside them, and type checkers are shown
the same.
"""

import ast
import subprocess
import sys
import types
from pathlib import Path

import pytest

import hiddenhand

SOURCE = Path(hiddenhand.__file__)


def test_all_is_sorted() -> None:
    assert list(hiddenhand.__all__) == sorted(set(hiddenhand.__all__))


def test_every_name_resolves() -> None:
    missing = [name for name in hiddenhand.__all__ if not hasattr(hiddenhand, name)]
    assert missing == []


def test_no_other_name_leaks() -> None:
    """Modules of the package appear as its attributes once imported; anything else that is public
    must be in the list.
    """
    names = [
        name
        for name in dir(hiddenhand)
        if not name.startswith("_") and name not in hiddenhand.__all__
    ]
    leaks = [name for name in names if not is_own_module(getattr(hiddenhand, name))]
    assert leaks == []


def is_own_module(value: object) -> bool:
    return isinstance(value, types.ModuleType) and value.__name__.startswith("hiddenhand.")


def test_type_checkers_are_shown_the_same_names() -> None:
    """The imports below ``if TYPE_CHECKING`` name what the tables name, from where they name it."""
    shown = {}  # `errors` is a module, from the package itself
    for node in ast.walk(ast.parse(SOURCE.read_text())):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("hiddenhand."):
            module = str(node.module).removeprefix("hiddenhand.")
            for alias in node.names:
                assert alias.asname == alias.name
                shown[alias.asname] = module
    assert shown == hiddenhand._PUBLIC


def test_errors_are_in_a_module_of_their_own() -> None:
    assert issubclass(hiddenhand.errors.GameError, hiddenhand.errors.HiddenhandError)
    assert not [name for name in hiddenhand.__all__ if name.endswith("Error")]


def test_names_that_do_not_exist() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'magic'"):
        _ = hiddenhand.magic


def test_a_star_import_brings_the_public_names() -> None:
    brought: dict[str, object] = {}
    exec("from hiddenhand import *", brought)
    assert set(brought) - {"__builtins__"} == set(hiddenhand.__all__)


def test_types_are_announced() -> None:
    assert SOURCE.with_name("py.typed").exists()


def test_importing_loads_no_module_of_the_package() -> None:
    """So it takes a millisecond. The command line loads only what is light."""
    program = "import sys, {}; print(*sorted(sys.modules))"
    loaded = [
        subprocess.run(
            [sys.executable, "-c", program.format(module)],
            capture_output=True,
            check=True,
            text=True,
        ).stdout.split()
        for module in ("hiddenhand", "hiddenhand.cli.main")
    ]
    assert [name for name in loaded[0] if name.startswith("hiddenhand.")] == []
    assert {"numpy", "numba", "scipy"} & set(loaded[1]) == set()
