"""Classes of users, named by their places: ``package.module:ClassName`` or
``path/to/file.py:ClassName``.

Loading such a class runs its module or file, so a name from a stranger must never come here. A file
is a module under a name of its own, which depends on the contents of the file: an edited file is
another module.
"""

import contextlib
import hashlib
import importlib
import importlib.util
import sys
import traceback
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from hiddenhand.text import without_middle

_FILE_OF_MODULE: dict[str, Path] = {}  # modules made from files that were named in a text


def is_place(name: str) -> bool:
    """Whether ``name`` is the place of a class, so that loading the class runs a module."""
    return ":" in name


def parted(name: str) -> tuple[str, str]:
    """The module or file of a place, and the name of the class there."""
    source, _, class_name = (part.strip() for part in name.rpartition(":"))
    return source, class_name


def imported(place: str) -> Any:
    """What stands at ``place``, ``package.module:name`` of an installed package."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def module_at(source: str) -> ModuleType:
    """The module called ``source``, or the module of the file there. Raises whatever the code
    raises when it runs, and ImportError if it ends the program.
    """
    try:
        return module_from_file(Path(source)) if source.endswith(".py") else _module(source)
    except SystemExit as error:
        raise ImportError(
            "its code ends the program, as sys.exit does; put what is not for imports below "
            'if __name__ == "__main__":'
        ) from error


def import_problem(source: str, error: Exception) -> str:
    """Why there is no module at ``source``, for which `module_at` raised ``error``. A failure of a
    file comes with its line.
    """
    said = without_middle(f"{type(error).__name__}: {error}", 300)
    shown = without_middle(source, 200)
    if source.endswith(".py"):
        path = Path(source).expanduser().absolute()
        if isinstance(error, FileNotFoundError) and not path.exists():
            return f"there is no file {shown}; correct its path"
        lines = [
            line
            for frame, line in traceback.walk_tb(error.__traceback__)
            if frame.f_code.co_filename == str(path.resolve())
        ]
        if lines:
            said += f" (line {lines[-1]})"
    return f"{shown} cannot be imported: {said}"


def classes_in(module: ModuleType) -> list[type]:
    """The classes that ``module`` defines itself."""
    classes = [value for value in vars(module).values() if isinstance(value, type)]
    return [cls for cls in classes if cls.__module__ == module.__name__]


def place_of_class(cls: type) -> str:
    """The place that names ``cls``."""
    return f"{_FILE_OF_MODULE.get(cls.__module__, cls.__module__)}:{cls.__qualname__}"


def origin_of_class(cls: type) -> str:
    """What tells ``cls`` from classes of the same name elsewhere, also after edits: its file and
    name. Modules in different folders may have the same name, so a module counts only where it has
    no file, or is of this package, which may move.
    """
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    if file is None or cls.__module__.partition(".")[0] == "hiddenhand":
        return place_of_class(cls)
    return f"{Path(file).resolve()}:{cls.__qualname__}"


def file_of_module(name: str) -> Path | None:
    """The file that the module called ``name`` was made from, where it was named by its file."""
    return _FILE_OF_MODULE.get(name)


def _module(name: str) -> ModuleType:
    """The module called ``name``, from wherever Python finds modules, or else from the current
    folder, which `sys.path` then keeps.
    """
    with contextlib.suppress(FileNotFoundError):  # the current folder was deleted
        _keep_on_path(Path.cwd())
    importlib.invalidate_caches()  # files written this moment count
    return importlib.import_module(name)


class _Text(SourceFileLoader):
    """Loads a module from its text. The bytecode that Python keeps is outdated if a file is edited
    twice in a second and keeps its size.
    """

    def path_stats(self, path: Any) -> Any:
        """Refuse the date and the size of the file, without which Python keeps no bytecode."""
        raise OSError


def module_from_file(path: Path) -> ModuleType:
    """The module of a file. An unchanged file gives the same module again, so that games from it
    stay equal.
    """
    path = path.expanduser().resolve(strict=True)
    if not path.is_file():
        raise OSError("it is not a regular file")  # reading a pipe would wait for ever
    name = name_of_module(path)
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path, loader=_Text(name, str(path)))
        assert spec is not None and spec.loader is not None  # noqa: PT018  a .py file has both
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # before it runs: dataclasses look their module up
        try:
            with _neighbours_first(path.parent):
                spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        _FILE_OF_MODULE[name] = path
    return sys.modules[name]


def edition(text: str) -> str:
    """A text that changes with each edit of the file that the place ``text`` names; "" for a name
    without a file.
    """
    source = parted(text)[0]
    if not source.endswith(".py"):
        return ""
    try:
        return name_of_module(Path(source).expanduser().resolve(strict=True))
    except OSError:
        return ""  # what loads the place says what is wrong with the file


def name_of_module(path: Path) -> str:
    """The name, in `sys.modules`, of the module of a file as it is now."""
    version = hashlib.sha256(str(path).encode() + path.read_bytes()).hexdigest()[:16]
    return f"_hiddenhand_{version}_{path.stem}"


@contextlib.contextmanager
def _neighbours_first(folder: Path) -> Iterator[None]:
    """Modules are looked for in ``folder`` first, as by ``python FILE.py``, and last from then on,
    for imports inside of functions.

    Modules from elsewhere that are named like one in ``folder`` make room meanwhile, and have their
    names back afterwards.
    """
    own = {path.stem: path for path in folder.glob("*.py")} | {
        path.parent.name: path for path in folder.glob("*/__init__.py")
    }
    own = {
        name: path
        for name, path in own.items()
        if name not in (*sys.stdlib_module_names, "hiddenhand")
    }
    hiding = {
        name
        for name, path in own.items()
        if getattr(sys.modules.get(name), "__file__", None) != str(path)
    }
    away = {
        name: sys.modules.pop(name)
        for name in list(sys.modules)
        if name.partition(".")[0] in hiding
    }
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()  # files written this moment count
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        _keep_on_path(folder)
        sys.modules.update(away)


def _keep_on_path(folder: Path) -> None:
    """Let modules in ``folder`` be found, after all others; processes that are started later find
    them, too.
    """
    if not {str(folder), ""} & set(sys.path):
        sys.path.append(str(folder))
