"""The verb ``demo``: searches a game and shows how the strategy improves."""

from dataclasses import replace
from functools import partial
from math import ceil, isnan, nan
from typing import TYPE_CHECKING, Annotated

import typer

from hiddenhand.cli.common import (
    Seed,
    load_sequential,
    print_decisions,
    print_table,
    print_text,
    work,
    write_out,
)

if TYPE_CHECKING:
    from hiddenhand.progress import Progress, Report
    from hiddenhand.search.result import SearchResult
    from hiddenhand.search.table_search import TableSearch
    from hiddenhand.trees.tree import GameTree

_INTRODUCTION = """\
Imperfect-information Goofspiel: two players hold the cards 1 to 6. Point cards 1 to 6 come up
in this order. Each time, both players bid a card in secret. The higher bid wins the point card,
and the players see only which of them won. More points win. Online Outcome Sampling now
searches for a strategy that no opponent can exploit. nash_conv says how much two perfect
opponents would gain against it: 0 is optimal, 1.62 is random play.
"""


def demo(
    seconds: Annotated[float, typer.Option(help="Search time in seconds.")] = 10.0, seed: Seed = 1
) -> None:
    """Search imperfect-information Goofspiel with six cards and watch nash_conv fall."""
    from hiddenhand.budget import verify_budget
    from hiddenhand.evaluation.tracing import trace
    from hiddenhand.search.first_decision import root_strategy
    from hiddenhand.search.sampling.oos import OOS

    verify_budget(None, seconds)
    game = load_sequential("IIGS(6)")
    print_text(_INTRODUCTION)
    tree = write_out(game, 5_000_000)
    running = OOS(game, seed=seed)
    rows = list[list[str]]()
    with work("OOS") as bar:
        told = _WithNashConv(bar)
        measure = partial(_measured, running, tree)
        for point in trace(running.think, measure, seconds=_stops(seconds), progress=told):
            result, told.nash_conv = point.value
            counts = result.traversals, result.information_sets
            counted = [f"{count:,}" for count in counts]
            rows.append([f"{point.seconds:.1f}", *counted, f"{told.nash_conv:.4f}"])
    print_table(["seconds", "traversals", "information sets", "nash_conv"], rows)
    print_text(
        f"{result.traversals_per_second:,.0f} traversals a second; nash_conv now "
        f"{told.nash_conv:.4f}.\n"
    )
    print_decisions(root_strategy(game, running.strategy()))
    print_text(
        "\nPlay it yourself: hiddenhand play 'IIGS(6)', or in the browser: hiddenhand serve."
    )


def _stops(seconds: float) -> list[float]:
    """When nash_conv is measured: often at first, then every second, and at the end."""
    looks = [0.1, 0.2, 0.5, *range(1, ceil(seconds))]
    return [*(look for look in looks if look < seconds), seconds]


def _measured(running: "TableSearch", tree: "GameTree") -> "tuple[SearchResult, float]":
    """What a search counted so far, and nash_conv of its present strategy."""
    from hiddenhand.trees.profile import nash_conv

    return running.result(), nash_conv(tree, running.strategy().on(tree))


class _WithNashConv:
    """A progress that adds the last nash_conv to the figures of reports."""

    def __init__(self, told: "Progress") -> None:
        self.nash_conv = nan
        self._told = told

    def update(self, report: "Report") -> None:
        """See `Progress`."""
        known = {} if isnan(self.nash_conv) else {"nash_conv": self.nash_conv}
        self._told.update(replace(report, figures=known | dict(report.figures)))
