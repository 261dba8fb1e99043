"""A page for each algorithm, from the registry, the docstrings and what was measured."""

import inspect
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from docs.site.docstrings import as_markdown, inline
from docs.site.links import ROOT

from hiddenhand.algorithm import Algorithm
from hiddenhand.plots.convergence import Converging, draw_convergence
from hiddenhand.search.algorithms import SEARCH, SOLVER, algorithms
from hiddenhand.statistics import Interval

MEASURED: Final = ROOT / "studies" / "results" / "strength.json"
CONVERGED: Final = ROOT / "studies" / "results" / "convergence.json"
TITLES: Final = {SEARCH: "Online searches", SOLVER: "Solvers"}
USED: Final = {
    SEARCH: "They think while a game is played, or from its beginning for as long as you allow.",
    SOLVER: "They solve games that are small enough to be written out.",
}


def pages(folder: Path) -> Iterator[tuple[str, str]]:
    """The name and the text of each page. Figures are written into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for entry in algorithms():
        yield f"{entry.name}.md", _page(entry, folder)
    yield "index.md", _index()


def _page(entry: Algorithm, folder: Path) -> str:
    lines = [f"# {entry.name}", "", inline(entry.summary), ""]
    facts = {
        "Paper": entry.paper,
        "When to use it": f"for {entry.games}",
        "What it guarantees": entry.guarantee,
        "Also called": ", ".join(entry.aliases),
    }
    lines += [f"- **{name}**: {inline(said)}" for name, said in facts.items() if said]
    lines += ["", "```python", *_example(entry), "```", "", "## The idea", "", _idea(entry), ""]
    if entry.parameters:
        lines += ["## Parameters", "", *_parameters(entry), ""]
    lines += _convergence(entry.name, folder) + _measured(entry.name)
    return "\n".join(lines)


def _convergence(name: str, folder: Path) -> list[str]:
    """The figure of how an algorithm converges: from the beginning of a game, or else in play, by
    the time that it had for each move; nothing if neither was measured.
    """
    kept = json.loads(CONVERGED.read_text(encoding="utf-8")).get(name)
    if kept is None:
        return _convergence_in_play(name, folder)
    points = [(at, Interval(mean, low, high)) for at, mean, low, high in kept["points"]]
    said = f"nash_conv against iterations from the beginning of `{kept['game']}`"
    if any(interval.width > 0 for _, interval in points):
        said += f", with the 95 % interval over {len(kept['seeds'])} seeds"
    said += ". `python -m studies.convergence` measured it."
    return _figure(name, {name: points}, "iterations", said, folder)


def _convergence_in_play(name: str, folder: Path) -> list[str]:
    found: dict[str, list[tuple[float, Interval]]] = {}
    for spec, kept in _strength(name):
        point = kept["seconds"], Interval(kept["nash_conv"], *kept["ends"])
        found.setdefault(f"{kept['game']}: {spec}", []).append(point)
    curves = {label: sorted(points) for label, points in found.items() if len(points) > 1}
    if not curves:
        return []
    said = "nash_conv against the time for each move, with 95 % intervals over repetitions."
    return _figure(name, curves, "seconds at each move", said, folder)


def _figure(
    name: str, curves: Mapping[str, Converging], x: str, said: str, folder: Path
) -> list[str]:
    file = f"{name.replace('+', '-plus')}.svg"
    draw_convergence(curves, folder / file, x=x)
    return ["## How it converges", "", said, "", f"![nash_conv against {x}]({file})", ""]


def _strength(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """What was measured of a search, whatever its parameters, in play: the search as it is written,
    and the measurement.
    """
    for kept in json.loads(MEASURED.read_text(encoding="utf-8")).values():
        if kept.get("kind") == "nash_conv" and isinstance(kept.get("nash_conv"), float):
            spec = kept["searches"][0]
            if spec == name or spec.startswith(f"{name}("):
                yield spec, kept


def _example(entry: Algorithm) -> list[str]:
    if entry.kind == SEARCH:
        made = f'search = make_search(game, "{entry.name}", seed=1)'
        return ["from hiddenhand import make_search", "", made]
    return ["from hiddenhand import solve", "", f'solution = solve(game, "{entry.name}")']


def _idea(entry: Algorithm) -> str:
    """The docstring of the module that the algorithm is in."""
    module = sys.modules[inspect.unwrap(entry.load()).__module__]
    file = Path(str(module.__file__)).relative_to(ROOT / "src")
    said = as_markdown(inspect.getdoc(module) or "")
    return f"{said}\n\nThis is what `{file}` says of itself."


def _parameters(entry: Algorithm) -> Iterator[str]:
    yield "| parameter | default | type | meaning |"
    yield "| --- | --- | --- | --- |"
    for parameter in entry.parameters:
        default = str(parameter.default)
        default = default.lower() if default in ("None", "True", "False") else default
        said = inline(parameter.description)
        yield f"| `{parameter.name}` | {default} | {parameter.said} | {said} |"


def _measured(name: str) -> list[str]:
    """How exploitable it was in small games; nothing if that was not measured."""
    found: dict[tuple[str, str], dict[float, float]] = {}
    for spec, kept in _strength(name):
        found.setdefault((kept["game"], spec), {})[kept["seconds"]] = kept["nash_conv"]
    if not found:
        return []
    times = sorted({seconds for row in found.values() for seconds in row})
    heads = [f"{seconds:g} s" for seconds in times]
    lines = ["## How good it was", "", "nash_conv after so much thinking at each move, measured"]
    lines += ["exactly; 0 is an equilibrium. [Which search?](../which-search.md) says how, and"]
    lines += ["compares all searches.", ""]
    lines += ["| game | search | " + " | ".join(heads) + " |"]
    lines += ["| --- | --- |" + " ---: |" * len(times)]
    for (game, spec), row in sorted(found.items()):
        cells = " | ".join(_short(row.get(seconds)) for seconds in times)
        lines.append(f"| `{game}` | `{spec}` | {cells} |")
    return [*lines, ""]


def _short(value: Any) -> str:
    return "" if value is None else f"{value:.3g}"


def _index() -> str:
    lines = ["# Algorithms", "", "All algorithms, by the names that the command line and"]
    lines += ["`make_search`, `make_player` and `solve` know. An algorithm is named with its"]
    lines += ["parameters in parentheses, such as `oos(targeting=ist,delta=0.5)`.", ""]
    for kind, title in TITLES.items():
        lines += [f"## {title}", "", USED[kind], "", "| name | what it does |", "| --- | --- |"]
        for entry in algorithms(kind):
            lines.append(f"| [{entry.name}]({entry.name}.md) | {inline(entry.summary)} |")
        names = "\n".join(entry.name for entry in algorithms(kind))
        lines += ["", "```{toctree}", ":hidden:", "", names, "```", ""]
    return "\n".join(lines)
