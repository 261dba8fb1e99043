"""The verb ``export``: writes a game to a file for another program."""

from pathlib import Path
from typing import Annotated

import typer

from hiddenhand.cli.common import AsJson, GameSpec, MaxHistories, print_text, show, verify_writable
from hiddenhand.errors import OptionError

_KINDS = (".efg", ".nfg")


def export(
    game: GameSpec,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="FILE.efg for Gambit's extensive form, FILE.nfg for its reduced normal form.",
        ),
    ],
    max_histories: MaxHistories = 1_000_000,
    as_json: AsJson = False,
) -> None:
    """Write a game to a file that Gambit reads."""
    from hiddenhand.files import write_file
    from hiddenhand.games.registry import load_game
    from hiddenhand.interop.gambit.converting import form_of
    from hiddenhand.interop.gambit.normal_form import nfg_text
    from hiddenhand.interop.gambit.writing import efg_text

    if file.suffix not in _KINDS:
        raise OptionError(f"{file} is not allowed; name a file that ends in {' or '.join(_KINDS)}")
    verify_writable(file)
    form = form_of(load_game(game), max_histories)
    text = efg_text(form) if file.suffix == ".efg" else nfg_text(form)
    write_file(file, text.encode())
    if as_json:
        sets = sum(1 for player, _ in form.sets if player)
        show(
            {"game": game, "file": str(file), "nodes": len(form.nodes), "information_sets": sets},
            as_json,
        )
    else:
        print_text(f"{file} holds {game}, {len(form.nodes):,} nodes.")
