"""Small leads of `auto` with a blueprint, which AIVAT makes clear with fewer deals:

    python -m studies.corrected_leads GAME OTHER [--deals N] [--jobs J] [--folder FOLDER] [--exact]
        [--write]

`auto` with the blueprint of `studies.blueprints` plays against another search, with 0.1 s for each
move, each deal from both seats. AIVAT takes a part of the luck out of what both earn. It values a
history by the mean of 400 rollouts, in which both players follow the blueprint. The sum of its
terms may reach four times the largest payoff. The deals have other seeds than those of
`studies.blueprints`.

What is measured is kept in studies/results/corrected_leads.json, so the same command goes on where
it stopped. ``--jobs`` plays several deals at once, each on a core of its own. ``--exact`` computes
nash_conv of the blueprint by a walk through the whole game: in Phantom Tic-Tac-Toe in a minute or
two. ``--write`` puts the table into docs/large-games.md.
"""

import argparse
import multiprocessing
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from benchmarks.kept import ROOT, Kept, row, write_section
from benchmarks.measuring import surroundings

from hiddenhand import load_game, play_match
from hiddenhand.evaluation.nash_conv import nash_conv
from hiddenhand.games.rule_digests import rules_of
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.matches.aivat import corrected
from hiddenhand.matches.rollouts import RolloutValues
from hiddenhand.players.player import derived_seed
from hiddenhand.statistics import mean_interval
from hiddenhand.trees.blueprint import about_blueprint
from hiddenhand.trees.strategy_files import load_strategy
from studies import blueprint_report, blueprints

KEPT: Final = Kept.of(__file__, indent=None)
DEALS: Final = 2400
SEED: Final = 2
ROLLOUTS: Final = 400
LIMIT: Final = 4.0  # largest payoffs
COLUMNS: Final = (
    "game",
    "trained by",
    "nash_conv of the blueprint",
    "against",
    "deals",
    "lead",
    "lead, corrected by AIVAT",
)
_BATCH: Final = 20  # deals


strategy_of = lru_cache(maxsize=1)(load_strategy)
"""What a blueprint by sets plays."""


def leads(name: str, file: Path, other: str, deal: int) -> tuple[float, float]:
    """The mean lead over both seats in a deal: as paid, and corrected."""
    game = as_sequential(load_game(name))
    paid = fair = 0.0
    for seat in range(2):
        players = [f"auto(blueprint='{file}')", other]
        seed = derived_seed(SEED, seat, deal)
        record = play_match(
            game,
            players[::-1] if seat else players,
            seed,
            seconds=blueprint_report.MOVE,
            chance_seed=derived_seed(SEED, deal),
        )
        values = RolloutValues(game, ROLLOUTS, strategy_of(file), seed=derived_seed(seed, 9))
        right = corrected(record, values, limit=LIMIT * game.max_utility)
        paid += (record.returns[seat] - record.returns[1 - seat]) / 4
        fair += (right[seat] - right[1 - seat]) / 4
    return round(paid, 6), round(fair, 6)


def measure(name: str, file: Path, other: str, deals: int, jobs: int) -> None:
    """Play the deals that are not kept yet."""
    rules = rules_of(load_game(name))
    known = len(_kept(KEPT.read(), name, other, rules)["deals"])
    with multiprocessing.get_context("fork").Pool(jobs) as workers:
        for first in range(known, deals, _BATCH):
            numbers = range(first, min(first + _BATCH, deals))
            found = workers.starmap(leads, [(name, file, other, deal) for deal in numbers], 1)
            with KEPT.changing() as results:
                kept = _kept(results, name, other, rules)
                kept["deals"] += found
                kept["at"] = surroundings()
                results.setdefault(name, {})[other] = kept


def describe(name: str, file: Path, other: str, exactly: bool) -> None:
    """Keep how the blueprint was trained and, if ``exactly``, its nash_conv."""
    game = load_game(name)
    about = about_blueprint(file, game)
    found: dict[str, Any] = {"method": about.method, "iterations": about.iterations}
    if exactly:
        found["nash_conv"] = float(nash_conv(as_sequential(game), strategy_of(file)))
    with KEPT.changing() as results:
        kept = _kept(results, name, other, rules_of(game))
        kept["blueprint"] = {**kept.get("blueprint", {}), **found}
        results.setdefault(name, {})[other] = kept


def _kept(results: dict[str, Any], name: str, other: str, rules: str) -> dict[str, Any]:
    """What is known of a game with these rules."""
    kept: dict[str, Any] = results.get(name, {}).get(other, {})
    return kept if kept.get("rules") == rules else {"rules": rules, "deals": []}


def table(results: dict[str, Any]) -> Iterator[str]:
    """The lines of the table."""
    yield row([*COLUMNS])
    yield row(["---"] * len(COLUMNS))
    for name, others in results.items():
        for other, kept in others.items():
            of = kept.get("blueprint", {})
            by = f"`{of['method']}`, {of['iterations']:,} iterations" if of else ""
            gap = f"{of['nash_conv']:.2g}" if "nash_conv" in of else ""
            cells = [f"`{name}`", by, gap, f"`{other}`", f"{len(kept['deals']):,}"]
            for values in zip(*kept["deals"], strict=True):
                lead = mean_interval(values)
                cells.append(f"{lead.value:+.3f} ({lead.low:+.3f} to {lead.high:+.3f})")
            yield row(cells)


def main() -> None:
    """Measure what is not kept yet, and print all that is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("game")
    parser.add_argument("other", choices=blueprint_report.OTHERS)
    parser.add_argument("--deals", type=int, default=DEALS)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "blueprints")
    parser.add_argument("--exact", action="store_true", help="compute nash_conv of the blueprint")
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    asked = parser.parse_args()
    trainings = blueprint_report.KEPT.read()
    file = blueprints.trained(asked.game, asked.folder, trainings, blueprint_report.THREADS)
    measure(asked.game, file, asked.other, asked.deals, asked.jobs)
    describe(asked.game, file, asked.other, asked.exact)
    lines = list(table(KEPT.read()))
    print("\n".join(lines))
    if asked.write:
        write_section("docs/large-games.md", "corrected leads", lines)


if __name__ == "__main__":
    main()
