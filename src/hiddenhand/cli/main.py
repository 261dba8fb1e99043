"""The command line: ``hiddenhand <verb>``. It imports nothing heavy until a verb needs it.

People get tables on standard output and progress on standard error; ``--json`` gives one JSON
object on standard output and nothing else there. Bad input gives one sentence on standard
error and exit status 2. Ctrl-C ends long work, keeps what was done, and exits with 130; see
`process`.

Each verb has a module, or shares one with related verbs. The module takes options, calls the
library, and shows the answer. Other packages add verbs by the entry points `plugins.VERBS`. These
are looked up only for a verb that is not one of ours, and for the list of all verbs.
"""

import functools
import gc
import sys
from collections.abc import Callable
from typing import Annotated, Final

import typer

from hiddenhand.cli.acpc import acpc_app
from hiddenhand.cli.algorithms import algorithms
from hiddenhand.cli.buckets import buckets_app
from hiddenhand.cli.cache import cache_app
from hiddenhand.cli.common import tell
from hiddenhand.cli.demo import demo
from hiddenhand.cli.evaluate import evaluate
from hiddenhand.cli.exploit import exploit
from hiddenhand.cli.export import export
from hiddenhand.cli.games import check, games, info
from hiddenhand.cli.maps import maps
from hiddenhand.cli.matches import match, tournament
from hiddenhand.cli.nash_conv import nash_conv
from hiddenhand.cli.play import play
from hiddenhand.cli.process import run
from hiddenhand.cli.search import search
from hiddenhand.cli.serve import serve
from hiddenhand.cli.solve import solve
from hiddenhand.cli.soundness import soundness
from hiddenhand.cli.strategies import strategy
from hiddenhand.cli.train import train
from hiddenhand.cli.verb import Verb, Verbs
from hiddenhand.errors import OptionError
from hiddenhand.jit.tier_choice import use_tier, verify_tier
from hiddenhand.plugins import VERBS, loaded

app = typer.Typer(
    cls=Verbs,
    help="Play, search and solve games with hidden information, and measure how good the play is.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
OF_OTHERS: Final = "Of other packages"  # a heading of the help page
_EXPERIMENT: Final = "experiment"
_VERBS: Final[dict[str, tuple[Callable[..., None] | typer.Typer, ...]]] = {
    "Games and algorithms": (games, info, check, export, maps, algorithms),
    "Solve and search": (solve, search, train, strategy, demo),
    "Measure": (nash_conv, exploit, evaluate, soundness),
    "Play": (play, serve, match, tournament, acpc_app),
    "Files of Hiddenhand": (cache_app, buckets_app),
}
"""The verbs, under the headings of the help page."""


@app.callback()
def _everywhere(
    tier: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Kind of machine code: generic (starts at once, serves every game), specialised "
            "(compiled for the game first, then faster), or auto (generic, then specialised).",
            show_default="$HIDDENHAND_TIER or auto",
        ),
    ] = None,
) -> None:
    if tier is not None:
        use_tier(verify_tier(tier, "--tier "))


def _add(verb: Callable[..., None] | typer.Typer, heading: str, name: str = "") -> None:
    """Add a verb, or a group of verbs, by another name than its own if one is given."""
    if isinstance(verb, typer.Typer):
        for command in verb.registered_commands:
            command.cls = Verb
        app.add_typer(verb, name=name or verb.info.name, cls=Verbs, rich_help_panel=heading)
    else:
        name = name or verb.__name__.replace("_", "-")
        app.command(name, cls=Verb, rich_help_panel=heading)(verb)


for _heading, _verbs in _VERBS.items():
    for _verb in _verbs:
        _add(_verb, _heading)


def main() -> None:
    """Run the command line. Imports make no garbage, so the garbage collector rests meanwhile.
    `Verb` turns it on again. That saves about a tenth of the time of a short command.
    """
    gc.disable()
    try:
        sys.exit(run(_command))
    finally:
        gc.enable()


def _command() -> None:
    """Run the verb that was typed."""
    verb = _verb_typed(sys.argv[1:])
    if verb not in _names():
        _add_verbs_of_others()
        if verb == _EXPERIMENT and verb not in _names():
            raise OptionError(
                f"the verb {verb} belongs to the package hiddenhand-papers, which is not "
                "installed; in the repository of Hiddenhand, type: pip install ./papers"
            )
    app(prog_name="hiddenhand")


def _names() -> set[str | None]:
    """The names of all verbs so far."""
    groups = {group.name for group in app.registered_groups}
    return groups | {command.name for command in app.registered_commands}


@functools.cache
def _add_verbs_of_others() -> None:
    """Add the verbs of installed packages."""
    for plugin, verb in loaded(VERBS, tell):
        _add(verb, OF_OTHERS, plugin.name)


def _verb_typed(words: list[str]) -> str:
    """Return the first word that is neither an option nor the value of ``--tier``."""
    before = ["", *words]
    verbs = (
        word
        for previous, word in zip(before, words, strict=False)
        if not word.startswith("-") and previous != "--tier"
    )
    return next(verbs, "")
