"""The verb ``export``: writes a game, or what was played, to a file for another program."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from hiddenhand.cli.common import AsJson, GameSpec, MaxHistories, print_text, show, verify_writable
from hiddenhand.errors import OptionError, UnusedOptionError

_GAMES: Final = (".efg", ".nfg", ".game")
_HANDS: Final = (".phh", ".phhs")
_ROWS: Final = (".csv", ".parquet", ".arrow")

Source = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="File of a match or tournament (its --out), whose matches are written: as hands of "
        f"limit Hold'em ({', '.join(_HANDS)}), or as rows of a table ({', '.join(_ROWS)}).",
    ),
]
CurveFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Curve of a long search (.curve.jsonl), written as rows of a table."
    ),
]


def export(
    game: GameSpec,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="FILE.efg for Gambit's extensive form, FILE.nfg for its reduced normal form, "
            "FILE.game for LiteEFG; with --matches or --curve, see there.",
        ),
    ],
    matches: Source = None,
    curve: CurveFile = None,
    max_histories: MaxHistories = 1_000_000,
    as_json: AsJson = False,
) -> None:
    """Write a game, or what was played, to a file for another program."""
    if matches is not None and curve is not None:
        raise UnusedOptionError("curve", "--matches")
    wanted = _GAMES if matches is curve is None else _ROWS if matches is None else _HANDS + _ROWS
    if file.suffix not in wanted:
        raise OptionError(f"{file} is not allowed; name a file that ends in {' or '.join(wanted)}")
    verify_writable(file)
    if matches is not None:
        answer = _matches(game, file, matches)
    elif curve is not None:
        answer = _curve(game, file, curve)
    else:
        answer = _game(game, file, max_histories)
    if as_json:
        show({"game": game, "file": str(file), **answer}, as_json)
    else:
        what, count = next(iter(answer.items()))
        print_text(f"{file} holds {game}, {count:,} {what}.")


def _game(game: str, file: Path, max_histories: int) -> dict[str, Any]:
    """Write the game itself."""
    from hiddenhand.files import write_file
    from hiddenhand.games.registry import load_game
    from hiddenhand.interop.gambit.converting import form_of
    from hiddenhand.interop.gambit.normal_form import nfg_text
    from hiddenhand.interop.gambit.writing import efg_text
    from hiddenhand.interop.liteefg.writing import liteefg_text

    form = form_of(load_game(game), max_histories)
    texts: dict[str, Callable[..., str]] = {
        ".efg": efg_text,
        ".nfg": nfg_text,
        ".game": liteefg_text,
    }
    write_file(file, texts[file.suffix](form).encode())
    sets = sum(1 for player, _ in form.sets if player)
    return {"nodes": len(form.nodes), "information_sets": sets}


def _matches(game: str, file: Path, matches: Path) -> dict[str, Any]:
    """Write the matches that a file keeps."""
    from hiddenhand.dataframes import save_table
    from hiddenhand.interop.phh import write_hands
    from hiddenhand.matches.stored_matches import kept_matches

    kept = kept_matches(matches, game)
    if file.suffix in _ROWS:
        save_table(kept.to_frame(), file)
        return {"matches": len(kept.played)}
    write_hands(file, list(kept.histories()), [kept.seated(match) for match in kept.played])
    return {"hands": len(kept.played)}


def _curve(game: str, file: Path, curve: Path) -> dict[str, Any]:
    """Write the points of the curve of a long search."""
    from hiddenhand.dataframes import save_table
    from hiddenhand.errors import FileError
    from hiddenhand.games.registry import load_game
    from hiddenhand.games.turn_based import as_sequential
    from hiddenhand.search.snapshots import Curve

    if not curve.is_file():
        raise FileError(f"{curve} does not exist; name the curve that search --out wrote")
    read, asked = Curve.read(curve), repr(as_sequential(load_game(game)))
    other = next((line["game"] for line in read.lines if line["game"] != asked), None)
    if other is not None:
        raise FileError(f"{curve} is of a search of {other}, not of {game}; name that game")
    save_table(read.to_frame(), file)
    return {"points": len(read.lines)}
