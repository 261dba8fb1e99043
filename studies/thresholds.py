"""What searches that sample earn and risk if they do not play rare moves.

    python -m studies.thresholds [--only TEXT] [--hours H] [--jobs J] [--report]

A search with ``threshold=T`` plays a move only if its probability is at least T times that of the
likeliest move (Ganzfried, Sandholm and Waugh 2012, "Strategy purification and thresholding"). What
that risks is measured in small games: nash_conv of the expected strategy, where the search thinks
in each public state, or in each information set if it aims at these. What it earns is measured in
large games: its lead over the same search that plays all moves. There both think once at each
information set, see `studies.remembered_leads`. The interval of 95 % is over the seeds.

What is measured is kept in studies/results/thresholds.json, so the same command goes on where it
stopped. ``--only`` takes the rows whose name contains a text, ``--report`` only writes
docs/results/thresholds.md.
"""

import argparse
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from benchmarks.kept import ROOT, Kept, heading, row
from benchmarks.measuring import surroundings

from hiddenhand import evaluate, load_game
from hiddenhand.budget import Budget
from hiddenhand.files import write_whole
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.players.player import Deciding, Player, Probabilities, derived_seed
from hiddenhand.search.online import above, mean_or_uniform
from hiddenhand.statistics import mean_interval
from studies.remembered_leads import Remembering, lead, remembering

KEPT: Final = Kept.of(__file__)
THRESHOLDS: Final = (0.0, 0.1, 0.2, 0.3)
OOS: Final = "oos(targeting=ist,delta=0.5)"  # as `oos-aimed` and `auto` use it in large games
MCCR: Final = "mccr"
SMALL: Final = ("leduc_poker", "LD(1,1,3)", "IIGS(4)")
SMALL_SEEDS: Final = 16
LARGE: Final = (
    ("LD(2,2,5)", OOS, 5_000),
    ("LD(2,2,5)", OOS, 50_000),
    ("phantom_ttt", OOS, 5_000),
    ("dark_hex(size=3,abrupt=True)", OOS, 5_000),
    ("IIGS(8)", OOS, 5_000),
    ("GP(4,6,4,4)", OOS, 5_000),
    ("LD(2,2,5)", MCCR, 5_000),
    ("GP(4,6,4,4)", MCCR, 5_000),
)
SEEDS: Final = 60
PAIRS: Final = 50
SEED: Final = 11

_INTRODUCTION: Final = f"""# Rare moves

*Written by `python -m studies.thresholds` from studies/results/thresholds.json; not by hand.*

This page is for users of `oos`, `mccr` and `auto`. At its end you know what these searches risk and
what they earn if they do not play rare moves.

With `threshold=0.2` a search plays a move only if its probability is at least 0.2 times that of the
likeliest move. The other moves of a mean strategy are often left over from the first samples. With
`threshold=0`, the default of `oos` and `mccr`, a search plays all of them, as in the papers.

- OOS wins more matches with a threshold, in all large games below. In the small games its nash_conv
  is not clearly larger. `mccr` clearly wins more in one of two games.
- A search that is near an equilibrium may need rare moves. In Leduc poker, nash_conv of `mccr` gets
  larger with the most iterations.

So `auto` uses `threshold=0.2` where it samples a large game by OOS. It plays all moves where it
solves or resolves, and in games that OOS samples well.

## What it risks

nash_conv of the expected strategy over {SMALL_SEEDS} seeds, with its 95 % interval, by threshold.
The search makes the iterations in every public state. If it aims at information sets, it makes them
in each of these."""

_LEADS: Final = f"""## What it earns

The lead over the same search with `threshold=0`, with its 95 % interval over {SEEDS} seeds. A lead
is half of what a player earns more than the other in two matches, from both seats. Each seed plays
{PAIRS} pairs of matches. With each seed the players think once at each information set, and play
there what they found in all its matches."""


class LeavingOut(Deciding):
    """Plays as another player does, but for the moves below a threshold."""

    def __init__(self, player: Remembering, threshold: float) -> None:
        self._player = player
        self._threshold = threshold

    def start(self, game: Game, seat: int, seed: int) -> None:
        super().start(game, seat, seed)
        self._player.start(game, seat, seed)

    def follow(self, events: Sequence[Event]) -> None:
        self._player.follow(events)

    def policy(self, legal_actions: Sequence[int], budget: Budget | None) -> Probabilities:
        found = self._player.policy(legal_actions, budget)
        return mean_or_uniform(above(found, self._threshold))


@dataclass(frozen=True)
class Case:
    """A row of a table.

    measure: makes its figures, by threshold, with as many processes as it is given.
    """

    table: str
    game: str
    search: str
    iterations: int
    measure: Callable[[int], dict[str, str]]

    @property
    def key(self) -> str:
        """Its name in the file of results."""
        return f"{self.table} {self.game} {self.search} {self.iterations}"


def cases() -> Iterator[Case]:
    """All rows, in their order."""
    for game in SMALL:
        for search in (OOS, MCCR):
            for iterations in (300, 3_000, 30_000):
                found = partial(risks, game, search, iterations)
                yield Case("nash_conv", game, search, iterations, found)
    for game, search, iterations in LARGE:
        yield Case("lead", game, search, iterations, partial(leads, game, search, iterations))


def risks(game: str, search: str, iterations: int, jobs: int) -> dict[str, str]:
    """nash_conv with each threshold."""
    tree, found = load_game(game), {}
    for threshold in THRESHOLDS:
        with_it = f"{search.rstrip(')')}{',' if '(' in search else '('}threshold={threshold})"
        measured = evaluate(
            tree,
            with_it,
            method="stitch-public",
            iterations=iterations,
            every_set=search == OOS,
            seeds=range(SMALL_SEEDS),
            jobs=jobs,
        )
        found[f"{threshold:g}"] = f"{measured.nash_conv}"
    return found


def leads(game: str, search: str, iterations: int, jobs: int) -> dict[str, str]:
    """The lead with each threshold over the same search without one."""
    with multiprocessing.get_context("fork").Pool(jobs) as workers:
        calls = [(game, search, iterations, number) for number in range(SEEDS)]
        by_seed = workers.starmap(leads_of_seed, calls, 1)
    found = {}
    for threshold, of_one in zip(THRESHOLDS[1:], zip(*by_seed, strict=True), strict=True):
        interval = mean_interval(of_one)
        found[f"{threshold:g}"] = f"{interval.value:+.3f} ± {interval.width / 2:.3f}"
    return found


def leads_of_seed(name: str, search: str, iterations: int, number: int) -> list[float]:
    """The mean lead with each threshold above 0. A search thinks the same whatever its threshold,
    so for each seat there is one memory for all players.
    """
    game, budget = as_sequential(load_game(name)), Budget(iterations)
    seed = derived_seed(SEED, number)
    known = [remembering(game, search, derived_seed(seed, seat)) for seat in range(2)]
    without: list[Player] = [LeavingOut(one, 0.0) for one in known]
    return [
        lead(game, [[LeavingOut(one, threshold) for one in known], without], budget, PAIRS, seed)
        for threshold in THRESHOLDS[1:]
    ]


def page(kept: dict[str, Any]) -> str:
    """docs/results/thresholds.md."""
    lines = [_INTRODUCTION, "", *table("nash_conv", THRESHOLDS, kept)]
    lines += ["", _LEADS, "", *table("lead", THRESHOLDS[1:], kept)]
    return "\n".join(lines) + "\n"


def table(name: str, thresholds: Sequence[float], kept: dict[str, Any]) -> Iterator[str]:
    """The lines of a table."""
    yield from heading(["game", "search", "iterations", *(f"{one:g}" for one in thresholds)])
    for case in cases():
        if case.table == name and case.key in kept:
            found = kept[case.key]["found"]
            cells = [found[f"{one:g}"] for one in thresholds]
            yield row([f"`{case.game}`", f"`{case.search}`", f"{case.iterations:,}", *cells])


def main() -> None:
    """Measure what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--hours", type=float, default=1e9)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--report", action="store_true", help="only write the page")
    asked = parser.parse_args()
    until = time.monotonic() + 3600.0 * asked.hours
    for case in () if asked.report else cases():
        if asked.only in case.key and case.key not in KEPT.read() and time.monotonic() < until:
            found = case.measure(asked.jobs)
            KEPT.add(case.key, {"found": found, "at": surroundings()})
            print(case.key, found, flush=True)
    write_whole(ROOT / "docs" / "results" / "thresholds.md", page(KEPT.read()).encode())


if __name__ == "__main__":
    main()
