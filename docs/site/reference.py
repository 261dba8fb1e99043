"""The reference: the public names, by the part of the package that they are in."""

import inspect
from collections.abc import Iterator
from typing import Any, Final

import hiddenhand

TITLES: Final = {
    "games": "Games",
    "search": "Searches and solvers",
    "solvers": "Solvers",
    "players": "Players",
    "matches": "Matches and tournaments",
    "evaluation": "How exploitable a search is",
    "trees": "Games written out, and strategies",
    "budget": "Budgets",
    "errors": "Errors",
}
"""The parts in the order of the reference. A part that is not named here follows under its own
name.
"""


def pages() -> Iterator[tuple[str, str]]:
    """The name and the text of each page."""
    found: dict[str, list[str]] = {part: [] for part in TITLES}
    for name, module in hiddenhand._PUBLIC.items():
        found.setdefault(module.split(".")[0], []).append(name)
    for part, names in found.items():
        yield f"{part}.md", _page(TITLES.get(part, part), names)
    yield "index.md", _index(found)


def _page(title: str, names: list[str]) -> str:
    lines = [f"# {title}", ""]
    for name in names:
        lines += ["```{eval-rst}", *_directive(name), "```", ""]
    return "\n".join(lines)


def _directive(name: str) -> list[str]:
    value: Any = getattr(hiddenhand, name)
    if isinstance(value, type):
        kind = "exception" if issubclass(value, BaseException) else "class"
        members = ["   :members:"] if kind == "class" else []
        inherited = [f"   :inherited-members: {_foreign(value)}"] if members else []
        return [f".. auto{kind}:: hiddenhand.{name}", *members, *inherited, "   :show-inheritance:"]
    if callable(value):
        return [f".. autofunction:: hiddenhand.{name}"]
    return [f".. autodata:: hiddenhand.{hiddenhand._PUBLIC[name]}.{name}"]


def _foreign(cls: type) -> str:
    """The bases whose members are no concern of the reader: those of other packages, and what
    everything compiled has.
    """
    bases = [base.__name__ for base in cls.__mro__ if not base.__module__.startswith("hiddenhand")]
    return ", ".join(dict.fromkeys(["Compiled", *bases]))


def summary(name: str) -> str:
    """The first sentence of the docstring of a public name."""
    value: Any = getattr(hiddenhand, name)
    if isinstance(value, int):
        return "a constant of the rules"
    said = " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())
    return said.split(". ")[0].rstrip(".").replace("|", r"\|").replace("``", "`")


def _index(found: dict[str, list[str]]) -> str:
    lines = ["# Reference", "", "All public names, as `from hiddenhand import ...` has them.", ""]
    for part, names in found.items():
        lines += [f"## [{TITLES.get(part, part)}]({part}.md)", "", "| name | what it is |"]
        lines += ["| --- | --- |"]
        lines += [f"| {{py:obj}}`hiddenhand.{name}` | {summary(name)} |" for name in names]
        lines.append("")
    inside = "\n".join(found)
    return "\n".join([*lines, "```{toctree}", ":hidden:", "", inside, "```", ""])
