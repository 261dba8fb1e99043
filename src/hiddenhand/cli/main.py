"""The command line: ``hiddenhand <verb>``. It imports nothing heavy until a verb needs it.

People get tables on standard output and progress on standard error; ``--json`` gives one JSON
object on standard output and nothing else there. Bad input is one sentence on standard error and
exit status 2. Ctrl-C ends long work, keeps what was done, and exits with 130; see `process`.

Each verb has a module, or shares one with its likes: it takes options, calls the library, and shows
the answer.
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
from hiddenhand.cli.demo import demo
from hiddenhand.cli.evaluate import evaluate
from hiddenhand.cli.experiment import experiment_app
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

app = typer.Typer(
    help="Play games in which players hide things from each other, and know how well.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
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
            help="Which machine code runs: generic (at once, for every game), specialised (faster; "
            "compiled first), or auto (one after the other). $HIDDENHAND_TIER says the same."
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
app.add_typer(experiment_app, name="experiment")


def main() -> None:
    """Run the command line."""
    sys.exit(run(_command))


def _command() -> None:
    """What was typed."""
    if _verb_typed(sys.argv[1:]) == "search":
        take_parameters()  # of all searches, which takes loading them
    typed = typer.main.get_command(app)
    for command in _commands(typed):
        command.callback = _as_typed(command.callback)
    typed()


def _verb_typed(words: list[str]) -> str:
    """The first word that is no option, and no value of one that all verbs have."""
    before = ["", *words]
    verbs = (
        word
        for previous, word in zip(before, words, strict=False)
        if not word.startswith("-") and previous != "--tier"
    )
    return next(verbs, "")


def _commands(command: Any) -> Iterator[Any]:
    """All commands at or below ``command`` that do something themselves."""
    inner = getattr(command, "commands", {})
    if not inner:
        yield command
    for part in inner.values():
        yield from _commands(part)


def _as_typed(call: Callable[..., object]) -> Callable[..., object]:
    """``call``, which refuses nan and infinity for whatever option is a number, and names options
    as they are typed.
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
    """``message`` with the option as it was typed, if it begins with one of ``options`` and its
    value as functions have them: ``--iterations 0`` in place of ``iterations=0``.
    """
    for name, value in options.items():
        if value is not None and message.startswith(f"{name}={value!r} "):
            rest = message.removeprefix(f"{name}={value!r}")
            return f"--{name.replace('_', '-')} {value}{rest}"
    return None
