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
import math
import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Any

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
from hiddenhand.cli.search import search, take_parameters
from hiddenhand.cli.serve import serve
from hiddenhand.cli.solve import solve
from hiddenhand.cli.soundness import soundness
from hiddenhand.cli.strategies import strategy
from hiddenhand.cli.train import train
from hiddenhand.compiled.tier_choice import use_tier, verify_tier
from hiddenhand.errors import OptionError, UnusedOptionError
from hiddenhand.plugins import VERBS, loaded

app = typer.Typer(
    help="Play, search and solve games with hidden information, and measure how good the play is.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
_EXPERIMENT = "experiment"
_VERBS: tuple[Callable[..., None], ...] = (
    games,
    maps,
    info,
    check,
    algorithms,
    solve,
    search,
    train,
    nash_conv,
    strategy,
    export,
    evaluate,
    exploit,
    soundness,
    play,
    serve,
    match,
    tournament,
    demo,
)


@app.callback()
def _everywhere(
    tier: Annotated[
        str | None,
        typer.Option(
            help="Kind of machine code: generic (starts at once, serves every game), specialised "
            "(compiled for the game first, then faster), or auto (generic, then specialised). By "
            "default, $HIDDENHAND_TIER or auto."
        ),
    ] = None,
) -> None:
    if tier is not None:
        use_tier(verify_tier(tier, "--tier "))


for _verb in _VERBS:
    app.command(_verb.__name__.replace("_", "-"))(_verb)
app.add_typer(acpc_app, name="acpc")
app.add_typer(cache_app, name="cache")
app.add_typer(buckets_app, name="buckets")


def main() -> None:
    """Run the command line."""
    sys.exit(run(_command))


def _command() -> None:
    """Run the verb that was typed."""
    verb = _verb_typed(sys.argv[1:])
    if verb == "search":
        take_parameters()  # this loads all searches
    if verb not in _names():
        _add_verbs_of_others()
        if verb == _EXPERIMENT and verb not in _names():
            raise OptionError(
                f"the verb {verb} belongs to the package hiddenhand-papers, which is not "
                "installed; in the repository of Hiddenhand, type: pip install ./papers"
            )
    typed = typer.main.get_command(app)
    for command in _commands(typed):
        command.callback = _as_typed(command.callback)
    typed()


def _names() -> set[str | None]:
    """The names of all verbs so far."""
    groups = {group.name for group in app.registered_groups}
    return groups | {command.name for command in app.registered_commands}


@functools.cache
def _add_verbs_of_others() -> None:
    """Add the verbs of installed packages."""
    for plugin, verb in loaded(VERBS, tell):
        if isinstance(verb, typer.Typer):
            app.add_typer(verb, name=plugin.name)
        else:
            app.command(plugin.name)(verb)


def _verb_typed(words: list[str]) -> str:
    """Return the first word that is neither an option nor the value of ``--tier``."""
    before = ["", *words]
    verbs = (
        word
        for previous, word in zip(before, words, strict=False)
        if not word.startswith("-") and previous != "--tier"
    )
    return next(verbs, "")


def _commands(command: Any) -> Iterator[Any]:
    """Yield all commands at or below ``command`` that are not groups of commands."""
    inner = getattr(command, "commands", {})
    if not inner:
        yield command
    for part in inner.values():
        yield from _commands(part)


def _as_typed(call: Callable[..., object]) -> Callable[..., object]:
    """Return ``call`` with two changes: it refuses nan and infinity as values of options, and its
    errors name options as they are typed.
    """

    @functools.wraps(call)
    def called(**options: Any) -> object:
        for name, value in options.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise OptionError(
                    f"--{name.replace('_', '-')} {value} is not allowed; give a finite number"
                )
        try:
            return call(**options)
        except UnusedOptionError as unused:
            rest = str(unused).removeprefix(unused.option)
            raise OptionError(f"--{unused.option.replace('_', '-')}{rest}") from unused
        except OptionError as error:
            if type(error) is OptionError and (said := _about_an_option(str(error), options)):
                raise OptionError(said) from error
            raise

    return called


def _about_an_option(message: str, options: dict[str, Any]) -> str | None:
    """Return ``message`` with the option as it was typed, such as ``--iterations 0`` in place of
    ``iterations=0``. None if ``message`` does not begin with one of ``options`` and its value.
    """
    for name, value in options.items():
        if value is not None and message.startswith(f"{name}={value!r} "):
            rest = message.removeprefix(f"{name}={value!r}")
            return f"--{name.replace('_', '-')} {value}{rest}"
    return None
