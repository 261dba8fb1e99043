"""What the verbs of the command line share: their common options, the progress of long work, the
loading of games and the printing of answers.
"""

import json
import math
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TextIO

import typer

from hiddenhand.cli.progress import live_progress
from hiddenhand.errors import FileError, OptionError
from hiddenhand.parameters import read_parameters
from hiddenhand.search.algorithms import SEARCH, read_algorithm
from hiddenhand.text import rounded

if TYPE_CHECKING:
    from hiddenhand.games.base import Game
    from hiddenhand.progress import Progress
    from hiddenhand.statistics import Interval
    from hiddenhand.trees.policy_report import Behaviour
    from hiddenhand.trees.tree import GameTree

_WIDEST: Final = 100  # characters of a line of sentences
_ANSWERS: Final = ContextVar[TextIO | None]("where JSON is printed", default=None)

GameSpec = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A game, such as 'LD(1,1,6)' or 'goofspiel(num_cards=6,imp_info=True)'.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Params = Annotated[
    list[str] | None,
    typer.Option(
        "-p",
        "--param",
        metavar="NAME=VALUE",
        help="A parameter of the algorithm, such as epsilon=0.4; repeat the option for more.",
    ),
]
Seed = Annotated[
    int, typer.Option(help="Seed of all random numbers; equal seeds give equal results.")
]
Seeds = Annotated[
    int,
    typer.Option(
        help="Number of seeds to repeat the measurement with: --seed, the next one, and so on."
    ),
]
Deals = Annotated[
    str | None,
    typer.Option(
        metavar="HEX",
        help="Hexadecimal seed of the moves of chance, as an earlier run printed it.",
        show_default="drawn, so that no player can know it, and printed at the end",
    ),
]
Unseen = Annotated[
    str,
    typer.Option(
        help="Strategy in information sets that are not known: uniform, or fixed (one random "
        "action in each)."
    ),
]
Jobs = Annotated[
    int,
    typer.Option(help="Number of processes that share the work; -1: one for each processor."),
]
Backend = Annotated[
    str,
    typer.Option(help="Backend of joblib for --jobs: loky, multiprocessing, threading, or ray."),
]
Kept = Annotated[
    Path | None,
    typer.Option(
        help="Keep finished work in this SQLite file. The same command then continues where it "
        "stopped."
    ),
]
MaxHistories = Annotated[int, typer.Option(help="Largest number of histories to write out.")]


def with_params(spec: str, params: list[str] | None, kind: str = SEARCH) -> str:
    """Return the text of an algorithm with the parameters that ``--param`` adds. Raises OptionError
    for parameters that the algorithm does not have, and for those that are given twice.
    """
    if not params:
        return spec
    entry, in_spec = read_algorithm(spec, kind)
    given = read_parameters(entry.name, ",".join(params), "write it like -p epsilon=0.4")
    return entry.spec(entry.given_once(in_spec, given))


def verify_unseen(unseen: str) -> None:
    """Raise OptionError for an ``--unseen`` that does not exist."""
    if unseen not in ("uniform", "fixed"):
        raise OptionError(f"--unseen {unseen} is not allowed; choose uniform or fixed")


def seeds_from(seed: int, seeds: int) -> range:
    """Return the seeds of a measurement. Raises OptionError unless there is one."""
    if seeds < 1:
        raise OptionError(f"--seeds {seeds} is not allowed; give at least 1")
    return range(seed, seed + seeds)


# --- work ---


@contextmanager
def work(title: str) -> Iterator["Progress"]:
    """Yield the progress for long work. A line on standard error says when the work has to compile
    something first, other than the rules of a game.
    """
    from hiddenhand.jit.kernels import when_compiling

    told: list[str] = []

    def announce(name: str) -> None:
        if not told and name != "write_rules":
            told.append(name)
            from hiddenhand.cli.compiling_ahead import compile_beside
            from hiddenhand.jit.cache import cache_root, keeps_code

            if keeps_code():
                tell("Compiling, once for this version of Hiddenhand: some seconds.")
            else:
                tell(f"Compiling, each time anew: {cache_root()} cannot be written or trusted.")
            compile_beside()

    with when_compiling(announce), live_progress(title) as progress:
        yield progress


def load_sequential(spec: str) -> "Game":
    """Return the game that ``spec`` names, with moves in turns."""
    from hiddenhand.games.registry import load_game
    from hiddenhand.games.turn_based import as_sequential

    game = load_game(spec)
    tell_notes(game)
    return as_sequential(game)


def tell_notes(game: "Game") -> None:
    """Print on standard error what was changed when a game was read from a file."""
    for note in getattr(game, "notes", ()):
        tell(f"Note: {note}.")


def write_out(game: "Game", max_histories: int) -> "GameTree":
    """Write out all histories of ``game``, with progress. Raises TooLargeError if the game has more
    than ``max_histories``.
    """
    from hiddenhand.trees.unroll import unroll

    with work("Writing out the game") as progress:
        return unroll(game, max_histories, progress)


def read_deals(text: str | None) -> int | None:
    """Return the number that was given with ``--deals``. Raises OptionError for other text."""
    if text is None:
        return None
    if not 0 < len(text) <= 64 or set(text.casefold()) - set("0123456789abcdef"):
        raise OptionError(
            f"--deals {text:.80} is not allowed; give a hexadecimal number of at most 64 digits, "
            "such as an earlier run printed"
        )
    return int(text, 16)


def written_deals(deals: int) -> str:
    """Return ``deals`` as the text that `read_deals` reads."""
    return f"{deals:x}"


def verify_writable(*paths: Path | None) -> None:
    """Raise FileError before long work starts if its result cannot be written."""
    for path in paths:
        if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise FileError(
                f"{path} cannot be written: "
                f"{'it is a folder' if path.is_dir() else 'its folder does not exist'}"
            )


@contextmanager
def then_kept(path: Path | None, keep: Callable[[Path], None] | None) -> Iterator[None]:
    """Run the block, which prints an answer; then ``keep`` writes the answer to ``path``, if there
    is one.

    The block comes first, so that the answer is printed even if writing fails. The answer is also
    written if the block fails, because standard output may have no reader.
    """
    try:
        yield
    finally:
        if path is not None and keep is not None:
            keep(path)


# --- printing ---


@contextmanager
def json_alone() -> Iterator[None]:
    """Run the block, in which standard output gets what `print_json` prints, and nothing else. What
    the rules of a game print there goes to standard error.
    """
    token = _ANSWERS.set(sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _ANSWERS.reset(token)


def print_json(answer: dict[str, Any]) -> None:
    """Print ``answer`` on one line."""
    stream = _ANSWERS.get() or sys.stdout
    stream.write(f"{json.dumps(answer, allow_nan=False)}\n")
    stream.flush()


def tier_used() -> dict[str, str]:
    """Return the tier in which the kernels of this process ran, for ``--json``."""
    from hiddenhand.jit.tiers import calls

    return {"tier": calls().tier}


def show(answer: dict[str, Any], as_json: bool) -> None:
    """Print ``answer`` as JSON, or for people as a table of names and values."""
    if as_json:
        print_json(answer)
    else:
        print_table(
            ["", ""],
            [
                [name.replace("_", " "), readable(value, _digits(name))]
                for name, value in answer.items()
            ],
        )


def _digits(name: str) -> int:
    """Return the number of significant digits to print of a figure."""
    return 3 if "seconds" in name else 6


def print_text(text: str) -> None:
    """Print one or more lines on standard output."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def print_wrapped(text: str, indent: str = "", hanging: str = "") -> None:
    """Print sentences in lines as wide as the terminal, 80 characters in a pipe.

    indent: what all lines begin with. hanging: what all but the first have besides.
    """
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    lines = textwrap.TextWrapper(width, indent, indent + hanging, break_on_hyphens=False)
    print_text(lines.fill(text))


def for_people(text: str) -> str:
    """Return ``text`` of a docstring without markup, and with players counted from 1."""
    plain = text.replace("``", "")
    return re.sub(r"(?<=player )\d+", lambda number: str(int(number[0]) + 1), plain, flags=re.I)


def tell(text: str) -> None:
    """Print a line about the work, not its result, on standard error. Failures are ignored."""
    with suppress(OSError):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def print_table(headings: list[str], rows: list[list[Any]], *, whole: int = 0) -> None:
    """Print ``rows`` under ``headings``, which may all be empty.

    whole: how many columns, from the first on, are never shortened in a narrow terminal.
    """
    from rich.console import Console
    from rich.table import Table

    table = Table(
        *headings, show_header=any(headings), box=None, padding=(0, 2, 0, 0), header_style="bold"
    )
    for column in table.columns[:whole]:
        column.no_wrap = True
    for row in rows:
        table.add_row(*map(str, row))
    Console(markup=False, emoji=False).print(table)  # names in brackets are names


def print_decisions(decisions: "Sequence[Behaviour]") -> None:
    """Print the strategy at the first decision, in words, with bars."""
    for decision in decisions:
        unknown = "" if decision.known else " (never seen by the search)"
        print_text(f"Player {decision.player + 1} to move{unknown}:")
        print_text("\n".join(f"  {line}" for line in decision.information.splitlines()))
        rows = [
            [f"  {name}", f"{p:7.2%}", "█" * round(30 * p)]
            for name, p in decision.probabilities.items()
        ]
        print_table(["", "", ""], rows)


def readable(value: Any, digits: int = 6) -> str:
    """Return a number with some significant digits, or a list of numbers, as text."""
    if isinstance(value, list):
        return "  ".join(readable(item, digits) for item in value)
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else rounded(value, digits)
    return f"{value:,}" if isinstance(value, int) else str(value)


def ends(interval: "Interval") -> list[float] | None:
    """Return the ends of an interval. They are None where they are infinite, because there is only
    one seed or one match.
    """
    return [interval.low, interval.high] if math.isfinite(interval.width) else None
