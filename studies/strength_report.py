"""The page docs/which-search.md and its pictures, made from what `studies.strength` kept."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hiddenhand.files import write_whole
from studies.blueprint_report import HEADING, KEPT, table

GOOD_ENOUGH: Final = 1e-3
"""A nash_conv below this counts as solved, whoever is lower still."""
DEFAULT: Final = "oos"
SECONDS_DEFAULT: Final = 0.2
"""The search that auto is compared with, and its seconds a move."""
CLOSE: Final = 1.1
"""How many times the best search's nash_conv `auto` may have."""

Unit = dict[str, Any]

_ZERO: Final = 1e-6
"""A nash_conv below this counts as 0."""
_LATE: Final = 1.05
"""How many times the time given a move takes, on average, that is told."""


@dataclass(frozen=True)
class Standing:
    """How much is measured.

    measured: how many units.
    needless: how many others can change nothing.
    missing: how many are to be measured yet.
    """

    measured: int
    needless: int
    missing: int


_INTRODUCTION: Final = """# Which search?

*Written by `python -m studies.strength` from studies/results/strength.json; not by hand.*

This page is for users who choose a search. At its end you know how the searches compare in your
kind of game, and where another search is better than `auto`.

`auto` is the default. It picks an algorithm from the game's size and the time limit.

In small games the figures are nash_conv, which is exact and 0 in an equilibrium. The benchmark
writes the game out and runs the search at every public state, as in a match: the search thinks
for the given time before play, at each earlier move of its own, and at this state. A search that
aims at one information set runs in every information set. The time does not include following the
match, as it does in matches.

- A figure after "≥" is a lower bound. Here the search ran at the first public states only. For
  all its later moves, it is at least so exploitable.
- The benchmark skips measurements that cannot change the ranking: where the bound is at least the
  figure of `auto`, within a tenth, or `auto` is below 0.001, which counts as solved.
- A figure below 0.000001 is printed as 0.
- A number in brackets is the number of seeds. The figure is then that of their average strategy.
- A search is late if a move takes more than twice its time, and 0.02 s. The table has its longest
  move, and its figure does not count for the best of the row.

In large games two searches play each other, each deal from both seats.

- A share of the points of 0.5 means that they win equally many matches.
- The lead is half of the difference between the payoffs of the first and the second: 0 if they
  are equally strong.
- They play 400 matches. They play fewer if 0 is soon 1.7 times as far from the lead as the end of
  the 95 % interval.
- 95 % intervals, in brackets, are over deals. Intervals after "~" are over matches, as if the two
  matches of a deal were independent, and wider than necessary.
- The table has the time of a move if it is, on average over all matches, a twentieth above the
  given time.

[What to aim at](results/targeting.md) compares the targets of OOS. [Rare
moves](results/thresholds.md) shows what a search earns if it does not play them. [Playing against
people who err](opponents.md) shows how well each search plays after errors of others.
"""


def write_report(kept: Mapping[str, Unit], standing: Standing, docs: Path) -> None:
    """Write the page and the pictures into ``docs``."""
    measured = [unit for unit in kept.values() if "why_not" not in unit]
    refused = [unit for unit in kept.values() if "why_not" in unit]
    small = [unit for unit in measured if unit["kind"] != "match"]
    large = [unit for unit in measured if unit["kind"] == "match"]
    lines = [
        _INTRODUCTION,
        _told(standing),
        *_small(small),
        *_beside_default(small),
        *_large(large),
        *_with_blueprints(),
        *_cells_not_won(small, large),
    ]
    lines += ["", "## What cannot be measured", "", *_refused(refused), *_machine(measured)]
    write_whole(docs / "which-search.md", ("\n".join(lines).rstrip() + "\n").encode())
    if small:
        _draw_small(small, docs / "pictures" / "which-search.png")


def _told(standing: Standing) -> str:
    """How many units are measured."""
    count = "All units are" if not standing.missing else f"{standing.missing:,} units are not"
    return (
        f"{count} measured: {standing.measured:,} are, and {standing.needless:,} others cannot "
        "change the ranking. Their cells are empty.\n"
    )


def _small(units: list[Unit]) -> Iterator[str]:
    """A table for each time: games down, searches across."""
    yield "## Small games: nash_conv\n"
    if units:
        yield "![nash_conv of each search in each small game](pictures/which-search.png)\n"
        yield "Triangles are bounds: nash_conv is that or more.\n"
    for seconds in sorted({unit["seconds"] for unit in units}):
        here = [unit for unit in units if unit["seconds"] == seconds]
        yield f"### {seconds:g} s a move\n"
        yield from _table(here, "game", _cell, best=min)


def _table(units: list[Unit], head: str, cell: Any, best: Any) -> Iterator[str]:
    games = list(dict.fromkeys(unit["game"] for unit in units))
    searches = _searches(units)
    found = _cells(units)
    yield f"| {head} | " + " | ".join(f"`{search}`" for search in searches) + " |"
    yield "| --- " * (len(searches) + 1) + "|"
    for game in games:
        row = [found.get((game, search)) for search in searches]
        in_time = [unit["nash_conv"] for unit in row if unit and not unit.get("late")]
        lowest = max(best(in_time, default=0.0), _ZERO)
        yield (
            f"| {game} | "
            + " | ".join(
                ""
                if unit is None
                else f"**{cell(unit)}**"
                if unit["nash_conv"] <= lowest and not unit.get("late") and not _is_bound(unit)
                else cell(unit)
                for unit in row
            )
            + " |"
        )
    yield ""


def _cells(units: list[Unit]) -> dict[tuple[str, str], Unit]:
    """What is known of each search in each game, by their names: a bound only where there is
    nothing else.
    """
    ordered = sorted(units, key=lambda unit: not _is_bound(unit))
    return {(unit["game"], unit["searches"][0]): unit for unit in ordered}


def _is_bound(unit: Unit) -> bool:
    return bool(unit["kind"] == "opening")


def _cell(unit: Unit) -> str:
    """nash_conv, and in brackets the number of seeds, and how long the search took where it did not
    keep its time.
    """
    longest = f" (late: {unit['longest']:.2g} s)" if unit.get("late") else ""
    seeds = f" ({unit['repeats']})" if unit["repeats"] > 1 else ""
    value = unit["nash_conv"] if unit["nash_conv"] >= _ZERO else 0
    return f"{'≥ ' if _is_bound(unit) else ''}{value:.3g}{seeds}{longest}"


def _beside_default(units: list[Unit]) -> Iterator[str]:
    """How many times less exploitable `auto` is than the paper's OOS."""
    found = _cells([unit for unit in units if unit["seconds"] == SECONDS_DEFAULT])
    yield f"### auto beside `{DEFAULT}`, {SECONDS_DEFAULT:g} s a move\n"
    yield f"| game | `auto` | `{DEFAULT}` | `{DEFAULT}` / `auto` |"
    yield "| --- | ---: | ---: | ---: |"
    for game in dict.fromkeys(game for game, _ in found):
        ours, theirs = (found.get((game, search)) for search in ("auto", DEFAULT))
        if ours is not None and theirs is not None:
            ratio = theirs["nash_conv"] / max(ours["nash_conv"], _ZERO)
            times = f"{'≥ ' if _is_bound(theirs) or ours['nash_conv'] < _ZERO else ''}{ratio:,.0f}"
            yield f"| {game} | {_cell(ours)} | {_cell(theirs)} | {times} |"
    yield ""


def _searches(units: list[Unit]) -> list[str]:
    """All searches of small games, `auto` first."""
    return sorted({unit["searches"][0] for unit in units}, key=lambda name: (name != "auto", name))


def _large(units: list[Unit]) -> Iterator[str]:
    """For each game and time, what share of the points each search wins from each other."""
    yield "## Large games: shares of points\n"
    if not units:
        yield "Not measured yet: `python -m studies.strength` does it.\n"
    grouped = defaultdict[tuple[str, float], list[Unit]](list)
    for unit in units:
        grouped[unit["game"], unit["seconds"]].append(unit)
    for (game, seconds), here in sorted(grouped.items()):
        yield f"### {game}, {seconds:g} s a move\n"
        yield "| first | second | share of the first | lead of the first | matches |"
        yield "| --- | --- | --- | --- | --- |"
        for unit in here:
            yield (
                f"| {_player(unit, 0)} | {_player(unit, 1)} | {_figure(unit, 'share', 'ends')} | "
                f"{_figure(unit, 'lead', 'lead_ends')} | {unit['matches']} |"
            )
        yield ""


def _with_blueprints() -> Iterator[str]:
    """How `auto` does that was trained before. Another program measures that."""
    yield "## With a blueprint\n"
    yield (
        "[Large games](large-games.md#train-once-then-play) explains blueprints, and how "
        "`auto(blueprint=...)` plays on from them.\n"
    )
    yield f"{HEADING}\n"
    yield from table(KEPT.read())
    yield ""


def _player(unit: Unit, number: int) -> str:
    """A search, with the time of its moves where that is more than was given."""
    pace = unit["pace"][number] if "pace" in unit else 0.0
    late = f" ({pace:.2g} s a move)" if pace > _LATE * unit["seconds"] else ""
    return f"`{unit['searches'][number]}`{late}"


def _figure(unit: Unit, name: str, interval: str) -> str:
    ends = unit[interval]
    if name == "share" and ends is not None:  # as nobody wins more than all
        ends = [max(ends[0], 0.0), min(ends[1], 1.0)]
    wide = "" if "deals" in unit else "~"
    around = "" if ends is None else f" ({wide}{ends[0]:.3g} to {ends[1]:.3g})"
    return f"{unit[name]:.3g}{around}"


def _cells_not_won(small: list[Unit], large: list[Unit]) -> Iterator[str]:
    yield "## Where auto meets its match\n"
    lost = [*_beaten_in_small(small), *_beaten_in_large(large), *_open_in_small(small)]
    if not lost:
        yield "Nowhere in what was measured.\n"
    for line in lost:
        yield f"- {line}"


def _beaten_in_small(units: list[Unit]) -> Iterator[str]:
    for unit in units:
        if unit["searches"][0] == "auto" and unit.get("late"):
            longest = f"auto was late, its longest move took {unit['longest']:.2g} s"
            yield f"{unit['game']}, {unit['seconds']:g} s a move: {longest}"
    for (game, seconds), found in _by_cell(units):
        ours, whole = found.pop("auto"), [u for u in found.values() if not _is_bound(u)]
        in_time = [unit for unit in whole if not unit.get("late")]
        best = min(in_time, key=lambda unit: unit["nash_conv"], default=None)
        if best is not None and ours["nash_conv"] > CLOSE * best["nash_conv"]:
            yield (
                f"{game}, {seconds:g} s a move: `{best['searches'][0]}` has a nash_conv of "
                f"{_cell(best)}, auto {_cell(ours)}"
            )


def _open_in_small(units: list[Unit]) -> Iterator[str]:
    """Where a bound does not say whether `auto` is better."""
    for (game, seconds), found in _by_cell(units):
        ours = found.pop("auto")
        for search, unit in found.items():
            if _is_bound(unit) and ours["nash_conv"] > CLOSE * unit["nash_conv"]:
                yield (
                    f"{game}, {seconds:g} s a move: open beside `{search}`, which has a nash_conv "
                    f"{_cell(unit)}; auto {_cell(ours)}"
                )


def _by_cell(units: list[Unit]) -> Iterator[tuple[tuple[str, float], dict[str, Unit]]]:
    """For each small game and time that `auto` has not solved, what is known of each search."""
    for seconds in sorted({unit["seconds"] for unit in units}):
        games = defaultdict[str, dict[str, Unit]](dict)
        for (game, search), unit in _cells([u for u in units if u["seconds"] == seconds]).items():
            games[game][search] = unit
        for game, found in games.items():
            if "auto" in found and found["auto"]["nash_conv"] >= GOOD_ENOUGH:
                yield (game, seconds), found


def _beaten_in_large(units: list[Unit]) -> Iterator[str]:
    for unit in units:
        first, second = unit["searches"]
        ends = unit["lead_ends"]
        if first == "auto" and ends is not None and ends[1] < 0:
            lead = _figure(unit, "lead", "lead_ends")
            yield f"{unit['game']}, {unit['seconds']:g} s a move: `{second}`, lead of auto {lead}"


def _refused(units: list[Unit]) -> Iterator[str]:
    reasons = defaultdict[str, set[str]](set)
    for unit in units:
        reasons[unit["why_not"]].add(f"{' - '.join(unit['searches'])} in {unit['game']}")
    for reason, where in reasons.items():
        yield f"- {', '.join(sorted(where))}: {reason}"
    if not units:
        yield "Nothing was refused."


def _machine(units: list[Unit]) -> Iterator[str]:
    around = {unit["at"]["processor"] for unit in units}
    commits = {unit["at"]["commit"][:12] for unit in units}
    where, listed = ", ".join(sorted(around)), " ".join(sorted(commits))
    yield f"\nMeasured on {where}, at the commits `{listed}`."


def _draw_small(units: list[Unit], path: Path) -> None:
    """A panel for each game: nash_conv against seconds, a line for each search."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    games = list(dict.fromkeys(unit["game"] for unit in units))
    searches = _searches(units)
    columns = min(4, len(games))
    rows = -(-len(games) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(3.6 * columns, 3.0 * rows), squeeze=False, layout="constrained"
    )
    colours = plt.get_cmap("tab20")
    for place, axis in enumerate(axes.flat):
        if place >= len(games):
            axis.set_axis_off()
            continue
        _draw_game(axis, games[place], searches, units, colours)
    handles = {line.get_label(): line for axis in axes.flat for line in axis.get_lines()}
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=4, fontsize=8)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _draw_game(axis: Any, game: str, searches: list[str], units: list[Unit], colours: Any) -> None:
    for number, search in enumerate(searches):
        points = sorted(
            (unit["seconds"], max(unit["nash_conv"], 1e-9))
            for unit in units
            if unit["game"] == game and unit["searches"][0] == search and not _is_bound(unit)
        )
        bounds = [
            (unit["seconds"], unit["nash_conv"])
            for unit in units
            if unit["game"] == game and unit["searches"][0] == search and _is_bound(unit)
            if unit["nash_conv"] > 0 and unit["seconds"] not in dict(points)
        ]
        if bounds:
            axis.scatter(*zip(*bounds, strict=True), marker="^", s=9, color=colours(number))
        if points:
            axis.plot(
                *zip(*points, strict=True),
                marker="o",
                markersize=5 if search == "auto" else 3,
                linewidth=2.5 if search == "auto" else 1,
                color="black" if search == "auto" else colours(number),
                label=search,
                zorder=3 if search == "auto" else 2,
            )
    times = sorted({unit["seconds"] for unit in units})
    axis.set(xscale="log", yscale="log", xlim=(0.6 * times[0], 1.7 * times[-1]))
    axis.set_title(game, fontsize=9)
    axis.set_xticks(times, [f"{seconds:g}" for seconds in times])
    axis.minorticks_off()
    axis.set_xlabel("seconds a move", fontsize=8)
    axis.set_ylabel("nash_conv", fontsize=8)
    axis.grid(alpha=0.3)
