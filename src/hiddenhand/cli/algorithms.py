"""The verb ``algorithms``: lists and describes the searches and solvers."""

import inspect
import shutil
import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hiddenhand.cli.common import AsJson, print_json, print_text, tell
from hiddenhand.errors import OptionError
from hiddenhand.parameters import meant
from hiddenhand.search.algorithms import SEARCH, SOLVER, added_algorithms, find, names
from hiddenhand.search.algorithms import algorithms as registered

if TYPE_CHECKING:
    from hiddenhand.parameters import Parameter
    from hiddenhand.search.algorithms import Algorithm

_WIDEST = 100  # characters of a line
_SAID_IN_LISTS = {"": "summary", "For ": "games", "From the package ": "package"}
_KINDS = {
    SEARCH: ("Online searches", "for search, play, match, tournament and evaluate"),
    SOLVER: ("Solvers", "for solve, of games that are written out"),
}


def algorithms(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Describe this algorithm; by default, list all."),
    ] = None,
    as_json: AsJson = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the page docs/algorithms.md.")
    ] = False,
) -> None:
    """List the algorithms that search and solve games: their papers, games, guarantees and
    parameters.
    """
    if markdown:
        if name is not None or as_json:
            raise OptionError(
                f"--markdown prints the page of all algorithms, so {name or '--json'} has no "
                "meaning beside it; leave one of the two out"
            )
        print_text(_page())
        return
    if name is None:
        if as_json:
            every = [*registered(), *added_algorithms(report=tell)]
            print_json({"algorithms": [_described(entry) for entry in every]})
        else:
            _print_list()
        return
    found = find(name)
    if found is None:
        raise OptionError(
            f"there is no algorithm {name!r}; {meant(name, names())}choose one of: "
            f"{', '.join(names())}"
        )
    if as_json:
        print_json(_described(found))
    else:
        _print_one(found)


def _described(entry: "Algorithm") -> dict[str, Any]:
    return {
        "name": entry.name,
        "kind": entry.kind,
        "aliases": list(entry.aliases),
        "summary": entry.summary,
        "paper": entry.paper,
        "games": entry.games,
        "guarantee": entry.guarantee,
        "package": entry.package,
        "parameters": [
            {
                "name": parameter.name,
                "type": parameter.said,
                "default": parameter.default,
                "description": parameter.description,
            }
            for parameter in entry.parameters
        ],
    }


def _print_list() -> None:
    added = added_algorithms(report=tell)
    for kind, (title, used) in _KINDS.items():
        print_text(f"{title}, {used}:\n")
        others = [entry for entry in added if entry.kind == kind]
        for entry in (*registered(kind), *others):
            also = f"   also {', '.join(entry.aliases)}" if entry.aliases else ""
            print_text(f"{entry.name}{also}")
            for before, words in _SAID_IN_LISTS.items():
                if said := getattr(entry, words):
                    _print_wrapped(f"{before}{said}".rstrip(".") + ".", "    ")
        print_text("")
    print_text("hiddenhand algorithms NAME describes one of them, with its parameters.")


def _print_one(entry: "Algorithm") -> None:
    _print_wrapped(f"{entry.name}: {entry.summary}")
    print_text("")
    facts = {
        "From": entry.paper,
        "For": entry.games,
        "Guarantee": entry.guarantee,
        "Also called": ", ".join(entry.aliases),
        "From the package": entry.package,
    }
    for title, fact in facts.items():
        if fact:
            _print_wrapped(f"{title}: {fact}.")
    if entry.parameters:
        print_text("\nParameters, with their defaults:\n")
    for name, default, said, meaning in _rows(entry):
        print_text(f"  {name}={default}   {said}")
        _print_wrapped(meaning, "      ")


def _print_wrapped(text: str, indent: str = "") -> None:
    """Print a text in lines as wide as the terminal, 80 characters in a pipe."""
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    print_text(textwrap.fill(text, width, initial_indent=indent, subsequent_indent=indent))


def _rows(entry: "Algorithm") -> list[list[str]]:
    return [
        [parameter.name, _default(parameter), parameter.said, parameter.description]
        for parameter in entry.parameters
    ]


def _default(parameter: "Parameter") -> str:
    value = parameter.default
    if value is inspect.Parameter.empty:
        return "VALUE"
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


# --- the page of the documentation ---

_INTRODUCTION = """\
# Algorithms

This page is written by `hiddenhand algorithms --markdown` from the registry of algorithms
(`src/hiddenhand/search/algorithms.py`), which everything that names an algorithm reads. In the
terminal:

```console
$ hiddenhand algorithms
$ hiddenhand algorithms oos
$ hiddenhand algorithms --json
```

An algorithm is named with its parameters in parentheses, such as `oos(targeting=ist,delta=0.5)`.
Case, hyphens and underscores of names make no difference: `sm-mcts`, `SM_MCTS` and `smmcts` are
one. `hiddenhand search` also takes parameters as options, so that these two mean the same:

```console
$ hiddenhand search kuhn_poker "oos(epsilon=0.4)" --iterations 100
$ hiddenhand search kuhn_poker --algorithm oos --epsilon 0.4 --iterations 100
```

In Python, `make_search(game, "oos(epsilon=0.4)")` makes a search, and `solve(game, "cfr+")` solves
a game. Memory is given in bytes there, and as `--memory` in MiB."""


def _page() -> str:
    parts = [_INTRODUCTION]
    for kind, (title, used) in _KINDS.items():
        parts.append(f"## {title}\n\n{used[0].upper()}{used[1:]}.")
        parts += [_section(entry) for entry in registered(kind)]
    return "\n\n".join(parts)


def _section(entry: "Algorithm") -> str:
    facts = [
        ("Paper", entry.paper),
        ("Games", entry.games),
        ("Guarantee", entry.guarantee),
        ("Also called", ", ".join(entry.aliases)),
    ]
    listed = "\n".join(_wrapped(f"- {title}: {fact}.", "  ") for title, fact in facts if fact)
    parts = [f"### {entry.name}", _wrapped(entry.summary), listed]
    if entry.parameters:
        head = "| parameter | default | type | meaning |\n| --- | --- | --- | --- |"
        rows = "\n".join(f"| {' | '.join(map(_cell, row))} |" for row in _rows(entry))
        parts.append(f"{head}\n{rows}")
    return "\n\n".join(parts)


def _wrapped(text: str, indent: str = "") -> str:
    """Return ``text`` in lines of at most 100 columns, with all lines but the first indented."""
    return textwrap.fill(text, 100, subsequent_indent=indent, break_on_hyphens=False)


def _cell(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|")
