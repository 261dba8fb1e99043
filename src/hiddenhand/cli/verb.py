"""How a verb of the command line is called: the help page, and errors in the words of the user."""

import gc
import importlib
import math
import re
import textwrap
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import zip_longest
from typing import Any, Final

from typer.core import TyperCommand, TyperGroup

from hiddenhand.cli.common import json_alone
from hiddenhand.errors import OptionError, RefusedOptionError, TooLargeError, UnusedOptionError

COMMON: Final = (
    "iterations",
    "seconds",
    "seed",
    "jobs",
    "backend",
    "threads",
    "memory",
    "max_histories",
    "out",
    "picture",
    "as_json",
    "help",
)
"""Options that mean the same for many verbs, in the order of all help pages."""

_VALUES: Final = {
    "int": "N",
    "integer": "N",
    "range": "N",
    "float": "NUMBER",
    "path": "FILE",
    "str": "NAME",
    "text": "NAME",
}
"""What help pages call a value, by what older and newer versions of typer call its type."""

_LIMIT: Final = "--max-histories"
_LOADS_LATER: Final = "serve"  # imports what it needs while the browser opens the first page
_DEFAULT_IN_WORDS: Final = re.compile(r"\[default: \((.*)\)(?=[;\]])")  # typer's brackets
_WIDEST: Final = 26  # columns of an option's name; the meaning of a longer one begins below it


class Verb(TyperCommand):
    """A verb. Its help page is plain text, with the `COMMON` options under a heading."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words after the name of the verb."""
        return ["[OPTIONS]", *map(_argument, self._arguments(ctx))]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the verb's own options, then the common ones."""
        arguments = list(self._arguments(ctx))
        options = [one for one in self.get_params(ctx) if one not in arguments]
        common = [one for name in COMMON for one in options if one.name == name]
        parts = {
            "Arguments": arguments,
            "Options": [one for one in options if one not in common],
            "Common options": common,
        }
        for heading, listed in parts.items():
            _write(formatter, heading, [_row(one, ctx) for one in listed])

    def invoke(self, ctx: Any) -> Any:
        """Run the verb. Refuses nan and infinity, and calls options as the user typed them."""
        for name, value in ctx.params.items():
            if isinstance(value, float) and not math.isfinite(value):
                typed = self._typed(name)
                raise OptionError(f"{typed} {value} is not allowed; give a finite number")
        if "game" in ctx.params and self.name != _LOADS_LATER:
            importlib.import_module("hiddenhand.games.base")  # and Numba, which takes longest
        gc.freeze()  # what was imported stays to the end
        gc.enable()
        try:
            with json_alone() if ctx.params.get("as_json") else nullcontext():
                return super().invoke(ctx)
        except UnusedOptionError as error:
            typed = self._typed(error.option)
            raise OptionError(f"{typed} has no meaning for {error.asked}; {error.cure}") from error
        except RefusedOptionError as error:
            if ctx.params.get(error.option) != error.value:
                raise  # it was given within a SPEC, or in a file
            value = f"{error.value:g}" if isinstance(error.value, float) else error.value
            typed = self._typed(error.option)
            raise OptionError(f"{typed} {value} is not allowed; {error.cure}") from error
        except TooLargeError as error:
            raise TooLargeError(as_typed(error, "max_histories" in ctx.params)) from error

    def _arguments(self, ctx: Any) -> Iterator[Any]:
        return (one for one in self.get_params(ctx) if one.param_type_name == "argument")

    def _typed(self, name: str) -> str:
        """Return the option for the argument ``name`` of the verb's function."""
        return next((one.opts[-1] for one in self.params if one.name == name), name)


def as_typed(error: TooLargeError, has_option: bool = True) -> str:
    """Return a message about a game that is too large in the words of the command line.

    has_option: whether the verb has the option ``--max-histories``.
    """
    if not has_option:
        return str(error).replace("allow more with max_histories, or ", "")
    return re.sub(
        r"max_histories(=)?", lambda found: f"{_LIMIT}{' ' if found[1] else ''}", str(error)
    )


def _write(formatter: Any, heading: str, rows: list[tuple[str, str]]) -> None:
    """Write names beside their meanings, under a heading, if there are any."""
    if not rows:
        return
    with formatter.section(heading):
        column = min(max(len(name) for name, _ in rows), _WIDEST) + 2
        indent = " " * formatter.current_indent
        for name, meaning in rows:
            lines = textwrap.wrap(
                meaning, formatter.width - len(indent) - column, break_on_hyphens=False
            )
            if len(name) + 2 > column:
                lines.insert(0, "")
            for first, line in zip_longest([name], lines, fillvalue=""):
                formatter.write(f"{indent}{first:{column}}{line}".rstrip() + "\n")


def _argument(parameter: Any) -> str:
    return parameter.metavar or str(parameter.name).upper()


def _row(parameter: Any, ctx: Any) -> tuple[str, str]:
    """Return what a help page calls a parameter, and its meaning."""
    called, meaning = parameter.get_help_record(ctx)
    meaning = _DEFAULT_IN_WORDS.sub(r"[default: \1", meaning.replace("\\[", "["))
    if parameter.param_type_name == "argument":
        return _argument(parameter), meaning
    names = ", ".join((*parameter.opts, *parameter.secondary_opts))
    if parameter.is_flag:
        return names, meaning
    kind = called.split()[-1].strip("<>").lower()
    value = parameter.metavar or _VALUES.get(kind, "VALUE")
    return f"{names} {value}", meaning


class Verbs(TyperGroup):
    """Verbs, which a help page lists under their headings, each with its first sentence."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, then the verbs."""
        _write(formatter, "Options", [_row(one, ctx) for one in self.get_params(ctx)])
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of verbs."""
        headings: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            heading = getattr(command, "rich_help_panel", None)
            said = (command.help or "").replace("\n", " ").partition(". ")[0].rstrip(".")
            listed = headings.setdefault(heading if isinstance(heading, str) else "Commands", [])
            listed.append((name, f"{said}."))
        for heading, rows in headings.items():
            _write(formatter, heading, rows)
