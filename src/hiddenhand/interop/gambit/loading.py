"""Files of Gambit: `read_efg`, `read_nfg`, `write_efg` and `write_nfg`, and ``efg:`` and ``nfg:``
in `load_game`.
"""

from pathlib import Path
from typing import Final

from hiddenhand.errors import FileError
from hiddenhand.files import open_to_read, write_file
from hiddenhand.games.base import Game
from hiddenhand.games.registry import game_of
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.interop.gambit.converting import MAX_HISTORIES, form_of, game_of_form
from hiddenhand.interop.gambit.normal_form import MAX_PROFILES, nfg_text
from hiddenhand.interop.gambit.reading import parse_efg, parse_nfg
from hiddenhand.interop.gambit.writing import efg_text

PREFIX: Final = "efg:"
NORMAL_FORM: Final = "nfg:"


def read_efg(path: Path | str) -> TreeGame:
    """The game in an ``.efg`` file of Gambit.

    Players are numbered from 0 and nothing is public. Payoffs and probabilities, which are exact in
    the file, become floating point. Branches of probability 0 are left out. The attribute ``notes``
    of the game holds sentences on what was changed.

    Raises FileError for a file that cannot be read, with the line that is wrong, and for a game
    that cannot be played here, because a player forgets.
    """
    form = parse_efg(_text_of(path), path)
    game = game_of_form(form, path)
    object.__setattr__(game, "origin", f"{PREFIX}{path}")
    object.__setattr__(game, "notes", form.notes)
    return game


def read_nfg(path: Path | str) -> Game:
    """The game in an ``.nfg`` file of Gambit, of the payoff form or of the outcome form.

    With two players it is a `MatrixGame`. With more it is a `TreeGame` in which they move one after
    the other, and no player sees what the others chose. Payoffs become floating point.

    Raises FileError for a file that cannot be read, with the line that is wrong.
    """
    form = parse_nfg(_text_of(path), path)
    game = form.matrix_game() if len(form.players) == 2 else game_of_form(form.in_turns(), path)
    if isinstance(game, TreeGame):
        object.__setattr__(game, "origin", f"{NORMAL_FORM}{path}")
    return game


def _text_of(path: Path | str) -> str:
    """The text of a file. A byte-order mark at its beginning is left out."""
    with open_to_read(path) as file:
        content = file.read()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path} is no file of Gambit: byte {error.start} is no UTF-8; give an .efg or .nfg "
            "file"
        ) from error


def write_efg(game: Game | str, path: Path | str, max_histories: int = MAX_HISTORIES) -> None:
    """Write a game of ours as an ``.efg`` file of Gambit. Simultaneous moves are made in turns, and
    what is public is lost.

    game: the game, or its name.
    path: of the file.
    max_histories: how many histories are written at most.

    Raises TooLargeError, GameError for a game that does not list its chance, and FileError if the
    file cannot be written.
    """
    write_file(path, efg_text(form_of(game_of(game), max_histories)).encode())


def write_nfg(game: Game | str, path: Path | str, max_profiles: int = MAX_PROFILES) -> None:
    """Write the reduced normal form of a game of ours as an ``.nfg`` file of Gambit.

    max_profiles: how many combinations of pure strategies are written at most.
    Otherwise as `write_efg`.
    """
    write_file(path, nfg_text(form_of(game_of(game)), max_profiles).encode())


def load(text: str) -> Game:
    """The game in the file that stands after ``efg:``."""
    return read_efg(text)


def load_normal_form(text: str) -> Game:
    """The game in the file that stands after ``nfg:``."""
    return read_nfg(text)
