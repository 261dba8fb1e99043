"""What each search loses online in small games because its pieces do not fit together.

    python -m studies.soundness            the five smallest games; half an hour
    python -m studies.soundness Leduc      a larger one; some hours
    python -m studies.soundness --seeds 3  fewer seeds, for a first look

What was measured is kept in results/soundness.json, and is not measured again with as many seeds;
--anew forgets it. Then the tables of docs/soundness.md and their picture are written. Games are
written out, so that all share their compiled code.
"""

import argparse
from collections.abc import Iterator
from typing import Any, Final

from benchmarks.kept import ROOT, Kept, write_section
from benchmarks.measuring import surroundings

from hiddenhand import load_game
from hiddenhand.errors import HiddenhandError
from hiddenhand.evaluation.soundness import soundness
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.statistics import Interval
from hiddenhand.trees.unroll import unroll

KEPT: Final = Kept.of(__file__)
PICTURE: Final = ROOT / "docs" / "pictures" / "soundness.png"

SMALLEST: Final = ("coordinated_mp", "coordination_game", "Kuhn", "LD(1,1,2)", "IIGS(3)")
GAMES: Final = (*SMALLEST, "Leduc")
KNOWN: Final = ("equilibrium", "random")
SEARCHES: Final = (
    "cr",
    "mccr",
    "mccr(mode=keep)",
    "oos(targeting=ist)",
    "oos(targeting=pst)",
    "mccfr",
    "ismcts(selector=uct)",
    "ismcts(selector=rm)",
    "ismcts(selector=exp3)",
    "pimc",
    "mmd",
    "auto",
)
BUDGETS: Final = (100, 1_000, 10_000)
SEEDS: Final = dict.fromkeys(SMALLEST, 10) | {"coordinated_mp": 40, "Leduc": 3}
"""How many seeds each game has by default. In coordinated matching pennies the decisions that a
search makes with one seed fit together only by chance. So the average over ten seeds is still far
from the average over many.
"""
FIGURES: Final = ("expected", "repeated", "match", "local")

Cell = dict[str, Any]


def measure(seeds_of: dict[str, int], budgets: tuple[int, ...]) -> None:
    """Measure what is missing in some games with so many seeds, small budgets first."""
    trees = {name: unroll(TreeGame.from_game(load_game(name))) for name in seeds_of}
    for budget in budgets:
        for name, tree in trees.items():
            seeds = seeds_of[name]
            for player in (*KNOWN, *SEARCHES):
                is_known = player in KNOWN
                mark = "known" if is_known else f"{budget}"
                cells = KEPT.read().get("cells", {}).get(name, {}).get(player, {})
                if len(cells.get(mark, {}).get("seeds", ())) >= (1 if is_known else seeds):
                    continue
                try:
                    cell = measured(tree, player, None if is_known else budget, seeds)
                except HiddenhandError as error:  # this search is not for this game
                    cell = {"error": str(error), "seeds": list(range(seeds))}
                keep(name, player, mark, cell)
            print(f"{name}, {budget} iterations: done", flush=True)


def measured(tree: Any, player: str, budget: int | None, seeds: int) -> Cell:
    found = soundness(tree, player, iterations=budget, seeds=range(seeds))
    losses: dict[str, Interval] = {name: getattr(found, name) for name in FIGURES}
    return {
        **{name: [loss.value, loss.low, loss.high] for name, loss in losses.items()},
        "by_match": list(found.by_match),
        "alike": found.alike,
        "consistency": found.consistency,
        "seeds": list(found.seeds),
    }


def keep(game: str, player: str, mark: str, cell: Cell) -> None:
    with KEPT.changing() as results:
        results |= surroundings()
        cells = results.setdefault("cells", {})
        cells.setdefault(game, {}).setdefault(player, {})[mark] = finite(cell)


def finite(cell: Cell) -> Cell:
    """``cell`` without the infinite ends of intervals from one seed, which JSON does not have."""
    return {
        name: [value[0], None, None] if name in FIGURES and value[2] == float("inf") else value
        for name, value in cell.items()
    }


# --- the page ---


def page(content: dict[str, Any]) -> Iterator[str]:
    """The tables of the page."""
    yield f"Measured until {content['date']} at commit {content['commit'][:12]}."
    games = measured_games(content)
    for game, budget in games.items():
        seeds = min(
            len(cell["seeds"])
            for player in SEARCHES
            if (cell := cell_of(content, game, player, budget)) and not cell["alike"]
        )
        yield from ("", f"### {game}, {budget:,} iterations at each decision, {seeds} seeds", "")
        yield (
            "| player | expected | repeated | match | local | misfit: repeated - local | "
            "in matches 1, 4 and 16 with one seed | seeds alike |"
        )
        yield "|" + " --- |" * 8
        for player in (*KNOWN, *SEARCHES):
            cell = cell_of(content, game, player, budget)
            if cell is not None:
                misfit = cell["repeated"][0] - cell["local"][0]
                losses = [loss_of(cell[name]) for name in FIGURES]
                alike = "yes" if cell["alike"] else ""
                learnt = ", ".join(
                    small(cell["by_match"][match - 1])
                    for match in (1, 4, 16)
                    if "by_match" in cell and not cell["alike"]
                )
                yield (
                    f"| `{player}` | {' | '.join(losses)} | {small(misfit)} | {learnt} | {alike} |"
                )
    yield from ("", "### What players say of their pieces", "")
    players = dict[str, list[str]]()
    for player in (*KNOWN, *SEARCHES):
        cells = [cell_of(content, game, player, budget) for game, budget in games.items()]
        for said in {cell["consistency"]: None for cell in cells if cell}:
            players.setdefault(said, []).append(f"`{player}`")
    yield from (f"- {', '.join(names)}: {said}." for said, names in players.items())
    yield from ("", "### By the budget", "", "Repeated loss, and in brackets the misfit in it:", "")
    budgets = [one for one in BUDGETS if one <= max(games.values())]
    yield "| game | player | " + " | ".join(f"{one:,}" for one in budgets) + " |"
    yield "|" + " --- |" * (2 + len(budgets))
    for game in games:
        for player in SEARCHES:
            found = [cell_of(content, game, player, one) for one in budgets]
            if any(found):
                shown = [_with_misfit(cell) if cell else "" for cell in found]
                yield f"| {game} | `{player}` | {' | '.join(shown)} |"


def _with_misfit(cell: Cell) -> str:
    repeated = cell["repeated"][0]
    return f"{small(repeated)} ({small(repeated - cell['local'][0])})"


def measured_games(content: dict[str, Any]) -> dict[str, int]:
    """The games in which all searches were measured, and their largest such budget."""
    found = {}
    for game in GAMES:
        cells = content["cells"].get(game, {})
        for budget in BUDGETS:
            if all(str(budget) in cells.get(player, {}) for player in SEARCHES):
                found[game] = budget
    return found


def cell_of(content: dict[str, Any], game: str, player: str, budget: int) -> Cell | None:
    mark = "known" if player in KNOWN else str(budget)
    cell: Cell | None = content["cells"][game].get(player, {}).get(mark)
    return None if cell is None or "error" in cell else cell


def small(value: float) -> str:
    return "0" if abs(value) < 5e-7 else f"{value:.3g}"


def loss_of(figure: list[float | None]) -> str:
    value, low, high = figure
    assert value is not None
    if low is None or high is None or high - low < 1e-6:
        return small(value)
    return f"{Interval(value, max(low, 0.0), high)}"  # no loss is below 0


def draw(content: dict[str, Any]) -> None:
    """The picture: for each game and search the expected and the repeated loss, the latter split
    into the worst piece and the misfit.
    """
    from matplotlib.figure import Figure

    games = measured_games(content)
    figure = Figure(figsize=(11.0, 1.2 + 3.3 * ((len(games) + 1) // 2)), layout="constrained")
    grid = figure.subplots((len(games) + 1) // 2, 2, squeeze=False)
    for axes, (game, budget) in zip(grid.ravel(), games.items(), strict=False):
        players = [one for one in SEARCHES if cell_of(content, game, one, budget)]
        cells = [cell for one in players if (cell := cell_of(content, game, one, budget))]
        places = range(len(players))
        local = [cell["local"][0] for cell in cells]
        misfit = [cell["repeated"][0] - cell["local"][0] for cell in cells]
        axes.barh(places, local, color="#7a8ca3", label="worst piece")
        axes.barh(places, misfit, left=local, color="#d1495b", label="misfit of the pieces")
        axes.plot(
            [cell["expected"][0] for cell in cells],
            places,
            "D",
            color="black",
            markersize=4,
            label="expected: seed unknown to the opponent",
        )
        axes.set_yticks(places, players, fontsize=8)
        axes.invert_yaxis()
        axes.set_title(f"{game}, {budget:,} iterations", fontsize=10, loc="left")
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_xlim(left=0.0)
    for axes in grid.ravel()[len(games) :]:
        axes.set_visible(False)
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=9, frameon=False)
    figure.suptitle("Loss against a best response, by the iterations at each decision", fontsize=11)
    figure.savefig(PICTURE, dpi=110)


def main() -> None:
    """Measure what was asked for, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("games", nargs="*", help=f"of: {', '.join(GAMES)}")
    parser.add_argument("--seeds", type=int, help="by default 40, 10 or 3, by the game")
    parser.add_argument("--most", type=int, default=BUDGETS[-1], help="the largest budget")
    parser.add_argument("--anew", action="store_true", help="forget what was measured before")
    parser.add_argument("--page", action="store_true", help="write the page, and measure nothing")
    given = parser.parse_args()
    if unknown := [name for name in given.games if name not in GAMES]:
        parser.error(f"{unknown[0]} is not measured; the games are {', '.join(GAMES)}")
    if given.anew:
        KEPT.forget()
    if not given.page:
        seeds_of = {name: given.seeds or SEEDS[name] for name in given.games or SMALLEST}
        measure(seeds_of, tuple(b for b in BUDGETS if b <= given.most))
    content = KEPT.read()
    draw(content)
    write_section("docs/soundness.md", "results", page(content))


if __name__ == "__main__":
    main()
