"""How strong every search is for the time it gets: how exploitable in small games, and who beats
whom in large ones.

Usage: python -m studies.strength [--quick] [--only TEXT] [--seeds N] [--places N] [--hours H]
[--report], in the root of the repository.

Each *unit* is kept in a file as soon as it is finished, so the same command goes on where it
stopped; what was measured when the rules of a game did something else is measured again. A unit is
a search in a small game, asked at all public states, as in matches with a move's time before play;
or only at the first of them, its opening, which shows how exploitable it is at least; or auto and
another search that play each other in a large game. A search is not asked everywhere where that can
change nothing: its opening loses already, or auto has solved the game. Matches come last; otherwise
units that take less time come first. ``--only`` takes those whose name contains a text, ``--seeds``
measures small games with so many seeds at least, where one leaves open who is better, ``--places``
asks openings in so many public states, where 32 leave that open or take hours, ``--hours`` begins
no unit after that, ``--report`` writes docs/which-search.md and its pictures from what is kept, and
measures nothing.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cache, wraps
from itertools import product
from typing import Any, Final

from benchmarks.kept import ROOT, Kept
from benchmarks.measuring import surroundings

from hiddenhand import evaluate, load_game, unroll
from hiddenhand.matches.match_records import Played
from hiddenhand.matches.stopping import plain_lead
from hiddenhand.matches.tournament import Pairing, Tournament, mirrored
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.making import make_search
from hiddenhand.statistics import mean_interval
from hiddenhand_papers.behaviour import rules_behaviour
from studies.strength_report import (
    CLOSE,
    DEFAULT,
    GOOD_ENOUGH,
    SECONDS_DEFAULT,
    Standing,
    write_report,
)

KEPT: Final = Kept.of(__file__)
KEPT_QUICK: Final = Kept(KEPT.path.with_name("strength_quick.json"))
"""What quick runs measured, which is too little for the report."""

HIDDEN: Final = (
    "auto",
    "oos",
    "oos(targeting=ist)",
    "oos(delta=0.5)",
    "mccfr",
    "ismcts(selector=uct)",
    "ismcts(selector=rm)",
    "ismcts(selector=exp3)",
    "mccr",
    "mccr(mode=keep)",
    "cr",
    "mmd",
)
"""Searches of games that hide things."""

OPEN: Final = (
    "auto",
    "sm-mcts(selector=rm)",
    "sm-mcts(selector=duct)",
    "sm-mcts(selector=exp3)",
    "sm-oos",
    "doab",
)
"""Searches of games that hide nothing but what is chosen at the same moment."""

SMALL: Final = {
    # game: public states in which somebody has a choice
    "Kuhn": 4,
    "coordination_game": 2,
    "battleship(rows=2,columns=2,ships='1')": 503,
    "dark_hex(size=2)": 4,
    "leduc_poker": 96,
    "LD(1,1,3)": 32,
    "IIGS(4)": 26,
    "GP(3,3,2,2)": 2640,
    "IIGS(5)": 80,
    "LD(1,1,6)": 2048,
    "IIGS(6)": 242,
}
"""Games small enough to be written out, with how often a search is asked: what a unit costs."""

PLACES: Final = 32
"""Public states of an opening, unless said."""
FACTOR: Final = 100.0
"""How many times less exploitable auto is to be than `DEFAULT` with `SECONDS_DEFAULT`."""

LARGE: Final = {
    "IIGS(13)": 26,
    "LD(2,2,6)": 8,
    "GP(4,6,4,4)": 8,
    "phantom_ttt": 12,
    "phantom_ttt(forced_wins=True)": 12,
    "battleship(rows=4,columns=4,ships='3,2')": 30,
    "dark_hex(size=4)": 20,
    "tricks(players=2)": 10,
    "OZ(50,3,1)": 30,
    "goofspiel(13)": 26,
    "tron": 60,
}
"""Games too large for that, with the moves of a match, roughly."""

SECONDS_SMALL: Final = (0.02, 0.2, 1.0)
SECONDS_LARGE: Final = 0.1
MATCHES: Final = 200  # in each order of seats
LOOKS: Final = (30, 60, 100)
SURE: Final = 1.7  # how many times a 95 % interval must lie off 0.5 for no more to be played
SEED: Final = 5
LATE: Final = 2.0
JITTER: Final = 0.02  # seconds
"""A move is late that takes so many times the time given, and so many seconds more."""
LEAST_SEEDS: Final = 2

QUICK_SMALL: Final = ("Kuhn", "coordination_game", "leduc_poker", "LD(1,1,3)")
QUICK_LARGE: Final = ("phantom_ttt", "goofspiel(13)")
QUICK_MATCHES: Final = 4
"""What a quick run measures."""


@dataclass(frozen=True)
class Unit:
    """One thing to measure.

    kind: "nash_conv", "opening" or "match".
    game: by name.
    searches: one, or the two that play each other.
    seconds: for each move.
    repeats: seeds, or matches in each order of seats.
    cost: seconds that it takes, roughly.
    places: the public states of an opening, if not `PLACES`.
    """

    kind: str
    game: str
    searches: tuple[str, ...]
    seconds: float
    repeats: int
    cost: float
    places: int | None = None

    @property
    def key(self) -> str:
        """Its name in the file."""
        return f"{self.kind} {self.game} {' - '.join(self.searches)} {self.seconds:g} s"


def units(least_seeds: int = 1, opening: int | None = None) -> Iterator[Unit]:
    """All that is measured; small games with ``least_seeds`` at least, and openings of ``opening``
    public states, if not `PLACES`.
    """
    for game, places in SMALL.items():
        seeds = max(least_seeds, 1 if places > 100 else LEAST_SEEDS)
        for seconds, search in product(SECONDS_SMALL, HIDDEN):
            yield Unit("nash_conv", game, (search,), seconds, seeds, seeds * places * seconds)
            if search != "auto" and places > PLACES:
                cost = seeds * (opening or PLACES) * seconds
                yield Unit("opening", game, (search,), seconds, seeds, cost, opening)
    for game, moves in LARGE.items():
        auto, *others = _searches_of(game)
        cost = 2 * MATCHES * moves * SECONDS_LARGE
        for other in others:
            yield Unit("match", game, (auto, other), SECONDS_LARGE, MATCHES, cost)


def quick_units() -> Iterator[Unit]:
    """A few cheap units: the smallest games with the least time, and matches of auto in two large
    games.
    """
    seconds = SECONDS_SMALL[0]
    for game, search in product(QUICK_SMALL, HIDDEN):
        yield Unit("nash_conv", game, (search,), seconds, 1, SMALL[game] * seconds)
    for game in QUICK_LARGE:
        auto, *others = _searches_of(game)
        for other in others:
            cost = 2 * QUICK_MATCHES * LARGE[game] * seconds
            yield Unit("match", game, (auto, other), seconds, QUICK_MATCHES, cost)


def chosen(asked: argparse.Namespace) -> list[Unit]:
    """The units to measure: those of small games first, and the cheapest of them."""
    all_units = quick_units() if asked.quick else units(asked.seeds, asked.places)
    wanted = [unit for unit in all_units if asked.only in unit.key]
    return sorted(wanted, key=lambda unit: (unit.kind == "match", unit.cost))


def changes_nothing(unit: Unit, kept: dict[str, Any]) -> bool:
    """Whether a search need not be asked in a small game, because what it would be found to play
    makes no difference: auto has solved the game, or the search was asked elsewhere, or its opening
    loses already.
    """
    if unit.kind == "match" or unit.searches == ("auto",):
        return False
    ours = _value(replace(unit, kind="nash_conv", searches=("auto",)), kept)
    whole, bound = (_value(replace(unit, kind=kind), kept) for kind in ("nash_conv", "opening"))
    if unit.kind == "opening" and whole is not None:
        return True
    if ours is None:
        return False
    is_default = unit.searches == (DEFAULT,) and unit.seconds == SECONDS_DEFAULT
    is_solved = ours < GOOD_ENOUGH
    if not is_default and is_solved:
        return True
    factor = FACTOR if is_default and is_solved else 1.0 / CLOSE
    return unit.kind == "nash_conv" and bound is not None and factor * ours <= bound


def _value(unit: Unit, kept: dict[str, Any]) -> float | None:
    found: float | None = kept.get(unit.key, {}).get("nash_conv")
    return found


def standing(kept: dict[str, Any]) -> Standing:
    """How much of all that is to be measured is in ``kept``."""
    asked = list(units())
    missing = [unit for unit in asked if not is_kept(unit, kept)]
    needed = [unit for unit in missing if not changes_nothing(unit, kept)]
    return Standing(len(asked) - len(missing), len(missing) - len(needed), len(needed))


def measure(unit: Unit) -> dict[str, Any]:
    """Measure a unit: figures by name."""
    if unit.kind != "match":
        with thinking_times(unit.searches[0], unit.game) as took:
            found = evaluate(
                _tree(unit.game),
                unit.searches[0],
                method="opening" if unit.kind == "opening" else "stitch-public",
                places=(unit.places or PLACES) if unit.kind == "opening" else None,
                seconds=unit.seconds,
                preplay_seconds=unit.seconds,
                on_the_way=True,
                every_set=_aims_at_a_set(unit.searches[0], unit.game),
                seeds=range(unit.repeats),
            )
        return {
            "nash_conv": found.nash_conv.value,
            "ends": _finite(found.nash_conv),
            "thought": len(took),
            "longest": max(took),
            "late": sum(time > LATE * unit.seconds + JITTER for time in took),
        }
    with Tournament.between(unit.game, unit.searches, seconds=unit.seconds, seed=SEED) as played:
        for matches in (*(look for look in LOOKS if look < unit.repeats), unit.repeats):
            played.run([mirrored()], matches)
            figures = figures_of(played.pairings())
            if figures["decided"]:
                break
    return figures


def _aims_at_a_set(spec: str, game: str) -> bool:
    """Whether a search aims at the information set that it is asked in, and so must be asked in
    each.
    """
    return getattr(make_search(game, spec), "targeting", None) == "ist"


def figures_of(pairings: Sequence[Pairing]) -> dict[str, Any]:
    """The first player's lead and share of the points, what a move of each player took on average,
    and whether it is sure enough who is better for no more matches to be played. The two matches
    of a deal depend on each other: intervals are over deals.
    """
    deals = list(zip(*(pairing.played for pairing in pairings), strict=True))
    lead = mean_interval([plain_lead(there, back) for there, back in deals])
    share = mean_interval([(_points(there, 0) + _points(back, 1)) / 2 for there, back in deals])
    return {
        "share": share.value,
        "ends": _finite(share),
        "lead": lead.value,
        "lead_ends": _finite(lead),
        "deals": len(deals),
        "matches": 2 * len(deals),
        "pace": [_pace(deals, player) for player in (0, 1)],
        "decided": abs(lead.value) > SURE * (lead.high - lead.value),
    }


def _points(match: Played, seat: int) -> float:
    """1 for a match that was won, 0.5 for a draw."""
    own, other = match.payoffs[seat], match.payoffs[1 - seat]
    return 0.5 + 0.5 * ((own > other) - (own < other))


def _pace(deals: Sequence[tuple[Played, Played]], player: int) -> float:
    """The seconds that a move took on average of the first (0) or the second player (1)."""
    played = [(match, abs(player - back)) for deal in deals for back, match in enumerate(deal)]
    moves = sum(match.moves[seat] for match, seat in played)
    return sum(match.seconds[seat] for match, seat in played) / max(moves, 1)


@contextmanager
def thinking_times(spec: str, game: str) -> Iterator[list[float]]:
    """Within the block, how many seconds the search took each time that it was told to think for a
    time. What is compiled before a match starts is compiled by one iteration.
    """
    searching: Any = type(make_search(game, spec))
    think, took = searching.think, list[float]()

    @wraps(think)
    def clocked(
        search: Any,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        began = time.perf_counter()
        think(search, iterations, seconds, progress)
        if seconds is not None:
            took.append(time.perf_counter() - began)

    inherited = "think" not in vars(searching)
    searching.think = clocked
    try:
        yield took
    finally:
        if inherited:
            del searching.think
        else:
            searching.think = think


def main() -> None:
    """Measure what is not kept yet, keep it, and write the report."""
    arguments = _arguments()
    began, file = time.monotonic(), KEPT_QUICK if arguments.quick else KEPT
    asked = [] if arguments.report else chosen(arguments)
    for number, unit in enumerate(asked, 1):
        if arguments.hours is not None and time.monotonic() - began > 3600 * arguments.hours:
            break
        kept = kept_so_far(file)
        if is_kept(unit, kept) or (not arguments.quick and changes_nothing(unit, kept)):
            continue
        print(f"{number} of {len(asked)}: {unit.key} ", end="", flush=True)
        figures = figures_or_reason(unit)
        print({name: value for name, value in figures.items() if name != "ends"}, flush=True)
        keep(unit, figures, file)
    if not arguments.quick:
        kept, asked_for = kept_so_far(KEPT), {unit.key for unit in units()}
        shown = {
            key: found
            for key, found in kept.items()
            if key in asked_for or found["kind"] != "match"
        }
        write_report(shown, standing(kept), ROOT / "docs")


def kept_so_far(file: Kept) -> dict[str, Any]:
    """All units in a file that were measured with the rules of now, by their keys."""
    return {key: unit for key, unit in file.read().items() if _is_current(unit)}


def _is_current(unit: dict[str, Any]) -> bool:
    """Whether the rules of the unit's game do now what they did when it was measured."""
    return bool(unit["rules"] == _rules(unit["game"]))


def keep(unit: Unit, figures: dict[str, Any], file: Kept) -> None:
    """Add a unit to a file, to which other runs may have added some meanwhile."""
    found = {
        **asdict(unit),
        **figures,
        "rules": _rules(unit.game),
        "at": surroundings(),
    }
    with file.changing() as results:
        for key in [key for key, one in results.items() if not _is_current(one)]:
            del results[key]
        results[unit.key] = found


def is_kept(unit: Unit, kept: dict[str, Any]) -> bool:
    """Whether as much as is asked for was measured: so many seeds or matches, and an opening as
    wide, if that is said.
    """
    found = kept.get(unit.key)
    if found is None or found["repeats"] < unit.repeats:
        return False
    return (found.get("places") or PLACES) >= (unit.places or 0)


def figures_or_reason(unit: Unit) -> dict[str, Any]:
    """What was measured, or why it cannot be."""
    from hiddenhand.errors import HiddenhandError

    try:
        return measure(unit)
    except HiddenhandError as reason:
        return {"why_not": str(reason)}


@cache
def _tree(game: str) -> Any:
    return unroll(load_game(game))


@cache
def _rules(game: str) -> str:
    return rules_behaviour(load_game(game))


@cache
def _searches_of(game: str) -> tuple[str, ...]:
    """The searches that play each other in a large game."""
    from hiddenhand.search.auto.survey import survey

    return OPEN if survey(load_game(game)).open else HIDDEN


def _finite(interval: Any) -> list[float] | None:
    ends = [interval.low, interval.high]
    return ends if all(abs(end) < float("inf") for end in ends) else None


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a few cheap units only")
    parser.add_argument("--only", default="", help="units whose name contains this")
    parser.add_argument("--seeds", type=int, default=1, help="in small games, at least")
    parser.add_argument("--places", type=int, help=f"public states of an opening, if not {PLACES}")
    parser.add_argument("--hours", type=float, help="begin no unit after that")
    parser.add_argument("--report", action="store_true", help="only write the report")
    return parser.parse_args()


if __name__ == "__main__":
    main()
