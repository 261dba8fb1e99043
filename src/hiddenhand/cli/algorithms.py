"""The verb ``algorithms``: lists and describes the searches and solvers."""

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from hiddenhand.cli.common import AsJson, print_json, print_text, print_wrapped, tell
from hiddenhand.errors import OptionError
from hiddenhand.parameters import meant
from hiddenhand.search.algorithms import SEARCH, SOLVER, added_algorithms, find, names
from hiddenhand.search.algorithms import algorithms as registered

if TYPE_CHECKING:
    from hiddenhand.parameters import Parameter
    from hiddenhand.search.algorithms import Algorithm

KINDS: Final = {
    SEARCH: ("Online searches", "for search, play, match, tournament and evaluate"),
    SOLVER: ("Solvers", "for solve, of games that are written out"),
}


def algorithms(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Describe this algorithm, not all.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the algorithms that search and solve games: their papers, games, guarantees and
    parameters.
    """
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


def rows(entry: "Algorithm") -> list[list[str]]:
    """Return the name, default, type and meaning of each parameter, as people read them."""
    return [
        [parameter.name, _default(parameter), parameter.said, parameter.description]
        for parameter in entry.parameters
    ]


def facts(entry: "Algorithm") -> dict[str, str]:
    """Return what is known of an algorithm, under short titles."""
    found = {
        "Paper": entry.paper,
        "Games": entry.games,
        "Guarantee": entry.guarantee,
        "Also called": ", ".join(entry.aliases),
        "From the package": entry.package,
    }
    return {title: f"{fact}." for title, fact in found.items() if fact}


def _described(entry: "Algorithm") -> dict[str, Any]:
    own = ("name", "kind", "aliases", "summary", "paper", "games", "guarantee", "package")
    return {name: getattr(entry, name) for name in own} | {
        "parameters": [
            {
                "name": parameter.name,
                "type": parameter.said,
                **({} if parameter.is_needed else {"default": _plain(parameter.default)}),
                "description": parameter.description,
            }
            for parameter in entry.parameters
        ],
    }


def _print_list() -> None:
    added = added_algorithms(report=tell)
    for kind, (title, used) in KINDS.items():
        print_text(f"{title}, {used}:\n")
        for entry in (*registered(kind), *(one for one in added if one.kind == kind)):
            also = f"   also {', '.join(entry.aliases)}" if entry.aliases else ""
            print_text(f"{entry.name}{also}")
            known = {"": entry.summary, "For ": entry.games, "From the package ": entry.package}
            for before, said in known.items():
                if said:
                    print_wrapped(f"{before}{said}".rstrip(".") + ".", "    ")
        print_text("")
    print_text("hiddenhand algorithms NAME describes one of them, with its parameters.")


def _print_one(entry: "Algorithm") -> None:
    print_wrapped(f"{entry.name}: {entry.summary}")
    print_text("")
    for title, fact in facts(entry).items():
        print_wrapped(f"{title}: {fact}")
    if entry.parameters:
        print_text("\nParameters, with their defaults:\n")
    for name, default, said, meaning in rows(entry):
        print_text(f"  {name}={default}   {said}")
        print_wrapped(meaning.replace("`", ""), "      ")  # without the marks of docstrings


def _plain(value: Any) -> Any:
    """A default as JSON has it; of an object that only Python has, how it prints."""
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _default(parameter: "Parameter") -> str:
    if parameter.is_needed:
        return "VALUE"
    value = parameter.default
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
