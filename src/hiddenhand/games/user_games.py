"""Games of users, named by the place of their class: ``package.module:ClassName`` or
``path/to/file.py:ClassName``.

Loading such a class runs its module or file. A file is a module under a name of its own, which
depends on the contents of the file: an edited file is another module.
"""

import contextlib
import copyreg
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from hiddenhand.errors import UnknownGameError
from hiddenhand.games.base import Game
from hiddenhand.text import shortened, without_middle

_FILE_OF_MODULE: dict[str, Path] = {}  # modules made from files that were named in a text


def user_class(name: str) -> type[Game]:
    """The class of a game at the place ``name``. Raises UnknownGameError if its module or file
    cannot be imported, or has no such game.
    """
    source, _, class_name = (part.strip() for part in name.rpartition(":"))
    try:
        module = _module_from_file(Path(source)) if source.endswith(".py") else _module(source)
    except Exception as error:  # whatever the user's own code raises when it is imported
        said = without_middle(f"{type(error).__name__}: {error}", 300)
        if isinstance(error, ModuleNotFoundError) and error.name == source.partition(".")[0]:
            said += "; games of other programs have the prefixes efg:, nfg: and openspiel:"
        raise UnknownGameError(
            f"{without_middle(source, 200)} cannot be imported: {said}"
        ) from error
    found = getattr(module, class_name, None)
    if isinstance(found, type) and issubclass(found, Game):
        return found
    raise UnknownGameError(
        f"{source} has no game {shortened(class_name)}; it has: "
        f"{', '.join(cls.__name__ for cls in _games_in(module)) or 'none'}"
    )


def place_of_class(cls: type) -> str:
    """The name that `user_class` reads back to ``cls``."""
    return f"{_FILE_OF_MODULE.get(cls.__module__, cls.__module__)}:{cls.__qualname__}"


def _games_in(module: ModuleType) -> list[type[Game]]:
    """The games that ``module`` defines itself."""
    classes = [value for value in vars(module).values() if isinstance(value, type)]
    return [cls for cls in classes if issubclass(cls, Game) and cls.__module__ == module.__name__]


def _module(name: str) -> ModuleType:
    """The module called ``name``, from wherever Python finds modules, or else from the current
    folder, which `sys.path` then keeps.
    """
    with contextlib.suppress(FileNotFoundError):  # the current folder was deleted
        _keep_on_path(Path.cwd())
    importlib.invalidate_caches()  # files written this moment count
    return importlib.import_module(name)


def _module_from_file(path: Path) -> ModuleType:
    """The module of a file. An unchanged file gives the same module again, so that games from it
    stay equal.
    """
    path = path.expanduser().resolve(strict=True)
    if not path.is_file():
        raise OSError("it is not a regular file")  # reading a pipe would wait for ever
    name = _name_of_module(path)
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
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
        for cls in _games_in(module):
            copyreg.pickle(cls, _reduced)
    return sys.modules[name]


def _name_of_module(path: Path) -> str:
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


def _reduced(game: Game) -> tuple[Callable[..., Game], tuple[Any, ...]]:
    """How a game from a file travels to other processes, which load that file, too."""
    module = type(game).__module__
    return _restored, (str(_FILE_OF_MODULE[module]), module, type(game).__qualname__, vars(game))


def _restored(path: str, module: str, class_name: str, fields: dict[str, Any]) -> Game:
    if _name_of_module(Path(path)) != module:
        raise UnknownGameError(
            f"{path} has changed since {class_name} was loaded from it; load the game again"
        )
    game: Game = object.__new__(getattr(_module_from_file(Path(path)), class_name))
    vars(game).update(fields)
    return game
