"""How much less AIVAT's corrected payoffs vary than payoffs, by value estimate: mirrored pairs of
matches in games from Leduc poker to Limit Hold'em.

    python -m studies.aivat               all cases; an hour or more
    python -m studies.aivat --pairs 20    fewer pairs of matches, for a first look
    python -m studies.aivat Leduc         only that game, or those games

Each match is played once and corrected with every value estimate, so that all of them see the same
luck. Pairs are kept in results/aivat.json as they are played and are not played again; --anew
forgets them. The tables of docs/matches.md are written from that file.
"""

import argparse
import math
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from benchmarks.kept import Kept, write_section
from benchmarks.measuring import surroundings

from hiddenhand import Budget, load_game, make_player, play_match
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.arrays import Floats
from hiddenhand.matches.aivat import corrected, default_limit
from hiddenhand.matches.match import MatchRecord
from hiddenhand.matches.rollouts import RolloutValues
from hiddenhand.matches.value_estimates import make_values
from hiddenhand.players.player import derived_seed
from hiddenhand.search.sampling.oos import OOS

KEPT: Final = Kept.of(__file__, indent=None)
PLAYERS_SEED: Final = 1
CHANCE_SEED: Final = 1
PAIRS: Final = 500
TRAINED: Final = 2_000_000
"""Iterations of the outcome sampling whose strategy guides rollouts, from the root, seed 1."""
RESAMPLES: Final = 1000
_EVERY: Final = 20.0  # seconds between writing what was played


@dataclass(frozen=True)
class Case:
    """Two players in a game, and the value estimates that correct their matches.

    game: the name of the game.
    players: the names of both.
    values: names of value estimates; "trained" is the mean of 100 rollouts by the strategy that
        outcome sampling found beforehand.
    """

    game: str
    players: tuple[str, str]
    iterations: int
    values: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.game}: {self.players[0]} against {self.players[1]}"


OOS_PLAYER: Final = "oos"
TREE_PLAYER: Final = "ismcts(selector=rm)"
CASES: Final = (
    Case("Leduc", ("equilibrium", "equilibrium"), 0, ("solved", "calls(100)", "rollouts(100)")),
    Case(
        "Leduc",
        (OOS_PLAYER, TREE_PLAYER),
        1000,
        ("solved", "calls(100)", "rollouts(100)", "trained"),
    ),
    Case(
        "GP(4,6,4,4)", (OOS_PLAYER, TREE_PLAYER), 1000, ("calls(100)", "rollouts(100)", "trained")
    ),
    Case(
        "IIGS(13)",
        (OOS_PLAYER, "ismcts(selector=uct)"),
        1000,
        ("evaluation", "rollouts(100)", "rollouts(1000)"),
    ),
    Case("limit_holdem", ("pot_odds", TREE_PLAYER), 1000, ("calls(100)", "rollouts(100)")),
)

Pair = dict[str, list[float]]
"""The leads of the player named first in both matches of a pair, by value estimate; "payoffs" for
those of the payoffs. "seconds NAME" is what correcting both matches took.
"""


class Estimates:
    """The value estimates of a case."""

    def __init__(self, case: Case) -> None:
        self.game = as_sequential(load_game(case.game))
        self.names = case.values
        self._strategy = None
        if "trained" in case.values:
            search = OOS(self.game, epsilon=0.6, seed=1)
            search.run(iterations=TRAINED)
            self._strategy = search.strategy()

    def lead(self, name: str, record: MatchRecord) -> float:
        """The lead of the first seat by corrected payoffs."""
        seed = derived_seed(record.seed, 9)
        values = (
            RolloutValues(self.game, 100, self._strategy, seed=seed)
            if name == "trained"
            else make_values(name, self.game, seed)
        )
        first, second = corrected(record, values, limit=default_limit(self.game))
        return (first - second) / 2


def play_pair(case: Case, estimates: Estimates, number: int) -> Pair:
    """Play a mirrored pair of matches, and correct both."""
    found: Pair = {}
    budget = Budget(iterations=case.iterations) if case.iterations else None
    for seat, order in ((0, case.players), (1, case.players[::-1])):
        record = play_match(
            estimates.game,
            [make_player(estimates.game, player) for player in order],
            derived_seed(PLAYERS_SEED, seat, number),
            [budget, budget],
            chance_seed=derived_seed(CHANCE_SEED, number),
        )
        sign = 1.0 if seat == 0 else -1.0
        lead = (record.returns[0] - record.returns[1]) / 2
        found.setdefault("payoffs", []).append(sign * lead)
        for name in estimates.names:
            began = time.process_time()
            found.setdefault(name, []).append(sign * estimates.lead(name, record))
            found.setdefault(f"seconds {name}", []).append(time.process_time() - began)
    return found


def measure(case: Case, pairs: int) -> None:
    """Play what is missing of a case."""
    known = KEPT.read().get("cases", {}).get(case.name, [])
    if len(known) >= pairs:
        return
    estimates, wrote = Estimates(case), time.monotonic()
    for number in range(len(known), pairs):
        known.append(play_pair(case, estimates, number))
        if time.monotonic() - wrote > _EVERY or number == pairs - 1:
            keep(case.name, known)
            wrote = time.monotonic()
    print(f"{case.name}: {len(known)} pairs", flush=True)


def keep(name: str, pairs: list[Pair]) -> None:
    with KEPT.changing() as results:
        results |= surroundings() | {"trained": TRAINED}
        results.setdefault("cases", {})[name] = pairs


# --- tables ---


def share(plain: Floats, found: Floats) -> tuple[float, float, float]:
    """The variance of ``found`` as a share of that of ``plain``, with its 95 % interval by the
    bootstrap over pairs. Both are ``float64[n]`` or ``float64[n, 2]``.
    """
    random, size = np.random.default_rng(0), len(plain)
    drawn = []
    for _ in range(RESAMPLES):
        some = random.integers(size, size=size)
        drawn.append(found[some].var() / plain[some].var())
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(found.var() / plain.var()), float(low), float(high)


def rows(case: Case, pairs: list[Pair]) -> Iterator[str]:
    """A row for payoffs, and one for each value estimate."""
    plain = np.array([pair["payoffs"] for pair in pairs])
    for name in ("payoffs", *(name for name in case.values if name in pairs[0])):
        leads = np.array([pair[name] for pair in pairs])
        mirrored = leads.mean(axis=1)
        error = statistics.stdev(mirrored) / math.sqrt(len(mirrored))
        mean = f"{mirrored.mean():.4f} ± {1.96 * error:.4f}"
        if name == "payoffs":
            yield f"| {name} | {mean} | | | | |"
            continue
        alone, both = share(plain.ravel(), leads.ravel()), share(plain.mean(axis=1), mirrored)
        took = np.array([pair[f"seconds {name}"] for pair in pairs]).mean()
        cells = [name, mean, _told(alone), _told(both), _times(both[0]), f"{1000 * took:.3g} ms"]
        yield f"| {' | '.join(cells)} |"


def _told(found: tuple[float, float, float]) -> str:
    value, low, high = found
    return f"{value:.1%} ({low:.1%} to {high:.1%})"


def _times(variance: float) -> str:
    """How many times as many pairs are as good without correction."""
    return "infinitely many" if variance < 1e-12 else f"{1 / variance:.1f} times"


def page(content: dict[str, Any]) -> Iterator[str]:
    """The tables of the page."""
    yield f"Measured until {content['date']} at commit {content['commit'][:12]}, on one of"
    yield f"{content['cores']} cores of {content['processor']}, by process time."
    for case in CASES:
        pairs = content["cases"].get(case.name)
        if not pairs:
            continue
        budget = f", {case.iterations:,} iterations a move" if case.iterations else ""
        yield from ("", f"**{case.name}**{budget}; {len(pairs)} mirrored pairs.", "")
        yield (
            "| values | mean lead, 95 % | variance of a match | variance of a mirrored pair | "
            "pairs needed without it | time for a match |"
        )
        yield "|" + " --- |" * 6
        yield from rows(case, pairs)


def main() -> None:
    """Play what was asked for, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("games", nargs="*", help="only these games")
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--anew", action="store_true", help="forget what was played before")
    parser.add_argument("--page", action="store_true", help="write the page, and play nothing")
    given = parser.parse_args()
    if given.anew:
        KEPT.forget()
    if not given.page:
        for case in CASES:
            if not given.games or case.game in given.games:
                measure(case, given.pairs)
    write_section("docs/matches.md", "aivat", page(KEPT.read()))


if __name__ == "__main__":
    main()
