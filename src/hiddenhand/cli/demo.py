"""The verb ``demo``: searches a game and shows how the strategy improves."""

from dataclasses import replace
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
    from hiddenhand.search.first_decision import root_strategy
    from hiddenhand.search.sampling.oos import OOS

    verify_budget(None, seconds)
    game = load_sequential("IIGS(6)")
    print_text(_INTRODUCTION)
    tree = write_out(game, 5_000_000)
    running = OOS(game, seed=seed)
    with work("OOS") as progress:
        watch = _Watch(running, tree, progress)
        result = running.run(seconds=seconds, progress=watch)
    print_table(["seconds", "traversals", "information sets", "nash_conv"], watch.rows)
    print_text(
        f"{result.traversals_per_second:,.0f} traversals a second; nash_conv now "
        f"{watch.gap():.4f}.\n"
    )
    print_decisions(root_strategy(game, running.strategy()))
    print_text(
        "\nPlay it yourself: hiddenhand play 'IIGS(6)', or in the browser: hiddenhand serve."
    )


class _Watch:
    """Adds nash_conv to the reports of a search, and keeps a row of figures now and then."""

    def __init__(self, running: "TableSearch", tree: "GameTree", progress: "Progress") -> None:
        self.rows: list[list[str]] = []
        self._running, self._tree, self._progress = running, tree, progress
        self._next_look = 0.1
        self._gap: float | None = None

    def gap(self) -> float:
        """Return the nash_conv of the search's present strategy."""
        from hiddenhand.trees.profile import nash_conv

        return nash_conv(self._tree, self._running.strategy().on(self._tree))

    def update(self, report: "Report") -> None:
        """See `Progress`."""
        if report.done >= self._next_look:
            self._next_look = 2 * report.done if report.done < 1 else report.done + 1
            self._gap = self.gap()
            self.rows.append(
                [
                    f"{report.done:.1f}",
                    f"{report.figures['traversals']:,}",
                    f"{report.figures['information sets']:,}",
                    f"{self._gap:.4f}",
                ]
            )
        known = {} if self._gap is None else {"nash_conv": self._gap}
        self._progress.update(replace(report, figures=known | dict(report.figures)))
