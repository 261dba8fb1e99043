"""Games of users, named by the places of their classes: see `user_code`."""

import copyreg
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from hiddenhand.errors import UnknownGameError
from hiddenhand.games.base import Game
from hiddenhand.text import shortened
from hiddenhand.user_code import (
    classes_in,
    file_of_module,
    import_problem,
    module_at,
    module_from_file,
    name_of_module,
    parted,
)


def user_class(name: str) -> type[Game]:
    """The class of a game at the place ``name``. Raises UnknownGameError if its module or file
    cannot be imported, or has no such game.
    """
    source, class_name = parted(name)
    try:
        module = module_at(source)
    except Exception as error:  # whatever the user's own code raises when it is imported
        said = import_problem(source, error)
        if isinstance(error, ModuleNotFoundError) and error.name == source.partition(".")[0]:
            said += (
                "; games of other programs have the prefixes efg:, nfg:, liteefg: and openspiel:"
            )
        raise UnknownGameError(said) from error
    _travel_with_their_file(module)
    found = getattr(module, class_name, None)
    if isinstance(found, type) and issubclass(found, Game) and found is not Game:
        return found
    games = ", ".join(cls.__name__ for cls in _games_in(module)) or "none"
    if found is Game:
        raise UnknownGameError(
            f"{class_name} is the base class of all games; name a game of {source}: {games}"
        )
    if found in classes_in(module):
        raise UnknownGameError(
            f"{class_name} in {source} does not derive from Game; write: class {class_name}(Game)"
        )
    raise UnknownGameError(f"{source} has no game {shortened(class_name)}; it has: {games}")


def _games_in(module: ModuleType) -> list[type[Game]]:
    """The games that ``module`` defines itself."""
    return [cls for cls in classes_in(module) if issubclass(cls, Game)]


def _travel_with_their_file(module: ModuleType) -> None:
    """Let games of a module that was made from a file be sent to other processes."""
    if file_of_module(module.__name__) is not None:
        for cls in _games_in(module):
            copyreg.pickle(cls, _reduced)


def _reduced(game: Game) -> tuple[Callable[..., Game], tuple[Any, ...]]:
    """How a game from a file travels to other processes, which load that file, too."""
    module = type(game).__module__
    return _restored, (str(file_of_module(module)), module, type(game).__qualname__, vars(game))


def _restored(path: str, module: str, class_name: str, fields: dict[str, Any]) -> Game:
    if name_of_module(Path(path)) != module:
        raise UnknownGameError(
            f"{path} has changed since {class_name} was loaded from it; load the game again"
        )
    loaded = module_from_file(Path(path))
    _travel_with_their_file(loaded)
    game: Game = object.__new__(getattr(loaded, class_name))
    vars(game).update(fields)
    return game
