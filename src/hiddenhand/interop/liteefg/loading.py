"""Files of LiteEFG: `read_liteefg`, `write_liteefg`, and ``liteefg:`` in `load_game`."""

from pathlib import Path
from typing import Final

from hiddenhand.errors import FileError
from hiddenhand.files import open_to_read, write_file
from hiddenhand.games.base import Game
from hiddenhand.games.registry import game_of
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.interop.gambit.converting import MAX_HISTORIES, form_of, game_of_form
from hiddenhand.interop.liteefg.reading import parse_liteefg
from hiddenhand.interop.liteefg.writing import liteefg_text

PREFIX: Final = "liteefg:"


def read_liteefg(path: Path | str) -> TreeGame:
    """The game in a ``.game`` file of LiteEFG.

    Players are numbered from 0, and all that the information sets let everybody know is public. The
    weights of chance are divided by their sum. The attribute ``notes`` of the game holds sentences
    on what was changed.

    Raises FileError for a file that cannot be read, with the line that is wrong, and for a game
    that cannot be played here, because a player forgets.
    """
    with open_to_read(path) as file:
        content = file.read()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path} is no file of LiteEFG: byte {error.start} is no UTF-8; give a .game file"
        ) from error
    form = parse_liteefg(text, path)
    game = game_of_form(form, path)
    object.__setattr__(game, "origin", f"{PREFIX}{path}")
    object.__setattr__(game, "notes", form.notes)
    return game


def write_liteefg(game: Game | str, path: Path | str, max_histories: int = MAX_HISTORIES) -> None:
    """Write a game of ours as a ``.game`` file of LiteEFG. Simultaneous moves are made in turns.

    game: the game, or its name.
    path: of the file.
    max_histories: how many histories are written at most.

    Raises TooLargeError, GameError for a game that does not list its chance, and FileError if the
    file cannot be written.
    """
    write_file(path, liteefg_text(form_of(game_of(game), max_histories)).encode())


def load(text: str) -> Game:
    """The game in the file that stands after ``liteefg:``."""
    return read_liteefg(text)
