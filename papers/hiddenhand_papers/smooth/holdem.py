"""Limit Hold'em in the Smooth UCT paper: Fig. 3 and Table 2 for two players, and Table 3 for three,
with the opponents that exist here.

The paper trained for 14 days, 62 billion episodes, with two players, and for 10 days, 50 billion
episodes, with three. Its opponents were programs of the 2014 competition, which are not available
any more. Here Smooth UCT and UCT train for minutes, and play against each other and against three
simple players. The last rows of the paper, of Smooth UCT against UCT, are those that can be
compared.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.games.poker.strength_files import build_tables
from hiddenhand.games.registry import load_game
from hiddenhand.jit.arrays import Integers
from hiddenhand.progress import Progress
from hiddenhand.search.making import make_search
from hiddenhand.statistics import Interval, widened
from hiddenhand.trees.strategy_files import load_strategy
from hiddenhand_papers.experiment import Experiment, Results, Scale
from hiddenhand_papers.findings import Check, Curve, Findings, Grid, Plot, all_of, below, written
from hiddenhand_papers.smooth.duels import CALL, RAISE, RANDOM, duel
from hiddenhand_papers.units import Result, Unit

_GAMES: Final = {
    2: "limit_holdem(buckets=paper)",
    3: "limit_holdem(players=3,buckets=paper)",
}
_SEARCHES: Final = {
    "smooth": "smooth-uct(exploration={},potential=0.5,decay=0.00005)",
    "uct": "ef-uct(exploration={},potential=0.5)",
}
"""The constants of Section 4.3."""
_EXPLORATION: Final = {2: 240, 3: 360}
"""Half of the largest pot, by the number of players. The paper counts in big blinds, and here
payoffs are chips, ten to a big blind.
"""

_NAMES: Final = {"smooth": "Smooth UCT", "uct": "UCT"}
_SIMPLE: Final = {"call": CALL, "raise": RAISE, "random": RANDOM}
_ROWS: Final = {
    2: {"call": "always call", "raise": "always raise", "random": "random"},
    3: {"call": "2x always call", "raise": "2x always raise", "random": "2x random"},
}
_KINDS: Final = ("greedy", "average")
_HALF: Final = 1.959963984540054  # standard errors that half a 95 % interval has


@dataclass(frozen=True)
class HoldemRow(Unit):
    """Both searches after some training, in duplicate matches against each other and, in a fifth of
    the deals, against simple players. All others at the table are of one kind.

    game: the name of the game.
    smooth: the name of Smooth UCT with its constants.
    uct: that of UCT.
    episodes: how many episodes each has trained.
    deals: how many deals the searches play against each other.
    seed: the seed of both trainings.
    number: which of the snapshots of a training it is, from 0; the seed of its matches.

    The result has by match and kind of strategy, such as ``smooth uct greedy``, what the one who is
    named first wins in thousandths of a big blind for each hand, and the standard error.
    """

    game: str
    smooth: str
    uct: str
    episodes: int
    deals: int
    seed: int
    number: int

    @property
    def games(self) -> tuple[str, ...]:
        """See `Unit.games`. Tables of buckets, which only `run` needs, are no part of the rules."""
        return (self.game.partition("(")[0],)

    @property
    def players(self) -> tuple[str, ...]:
        return self.smooth, self.uct

    def prepare(self, progress: Progress) -> None:
        """See `Unit.prepare`: the tables of buckets are built."""
        build_tables(progress=progress)

    def run(self) -> Result:
        """Train, and play."""
        game: Any = load_game(self.game)
        found: Result = {}
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / f"{name}.search" for name in _NAMES]
            for file, spec in zip(files, self.players, strict=True):
                search: Any = make_search(game, spec, self.seed)
                search.think(iterations=self.episodes)
                search.save(file)
            for kind in _KINDS:
                both = [load_strategy(file, greedy=kind == "greedy") for file in files]
                found |= self._played(game, both, kind)
        return found

    def _played(self, game: LimitHoldem, both: Any, kind: str) -> Result:
        seed = 2 * self.number + 1
        first, _ = duel(game, both, _one_against(1, game.players), self.deals, seed)
        found: Result = {f"smooth uct {kind}": vars(first)}
        if game.players > 2:
            first, _ = duel(game, both[::-1], _one_against(1, game.players), self.deals, seed)
            found[f"uct smooth {kind}"] = vars(first)
        for name, strategy in zip(_NAMES, both, strict=True):
            for simple, number in _SIMPLE.items():
                seats = _one_against(number, game.players)
                (won,) = duel(game, [strategy], seats, self.deals // 5, seed)
                found[f"{name} {simple} {kind}"] = vars(won)
        return found


def _one_against(number: int, players: int) -> Integers:
    """``int64[players, players]``: who sits in each seat, in turn player 0 in each of them, and
    ``number`` in all others.
    """
    seats = np.full((players, players), number)
    np.fill_diagonal(seats, 0)
    return seats


@dataclass(frozen=True)
class Holdem(Experiment):
    """Fig. 3 shows Smooth UCT against UCT while they train, and a table everybody in the end.

    players: how many players the game has.
    episodes: the episodes before the last look.
    looks: how many looks there are, each after twice as many episodes as the one before; at the
        scale ``evening`` only the first ``evening``.
    """

    players: int
    episodes: int
    looks: int
    evening: int

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Experiment.units`: matches have as many deals at every scale."""
        for number in range(self.evening if scale.is_short else self.looks):
            yield self._unit(number)

    def _unit(self, number: int) -> HoldemRow:
        episodes = self.episodes // 2 ** (self.looks - 1 - number)
        smooth, uct = (spec.format(_EXPLORATION[self.players]) for spec in _SEARCHES.values())
        return HoldemRow(_GAMES[self.players], smooth, uct, episodes, 500_000, 1, number)

    def findings(self, results: Results) -> Findings:
        rows = [unit for unit in results if isinstance(unit, HoldemRow)]
        if not rows:
            return Findings()
        rows.sort(key=lambda unit: unit.episodes)
        return (
            self._figure(rows, results) if self.item == "fig3" else self._table(rows[-1], results)
        )

    def _figure(self, rows: list[HoldemRow], results: Results) -> Findings:
        curves = tuple(
            Curve(
                f"{kind} strategies",
                tuple((unit.episodes, _won(unit, results, f"smooth uct {kind}")) for unit in rows),
            )
            for kind in _KINDS
        )
        plot = Plot("", self.title, "episodes", _UNIT, curves, log_y=False)
        return Findings(plots=(plot,), checks=(_uct_first(curves[0]),))

    def _table(self, last: HoldemRow, results: Results) -> Findings:
        cells = {
            (row, _NAMES[name]): _won(last, results, f"{name} {simple} greedy")
            for simple, row in _ROWS[self.players].items()
            for name in _NAMES
        }
        others = "" if self.players == 2 else f"{self.players - 1}x "
        against = _won(last, results, "smooth uct greedy")
        back = (
            Interval(-against.value, -against.high, -against.low)
            if self.players == 2
            else _won(last, results, "uct smooth greedy")
        )
        cells[f"{others}UCT", "Smooth UCT"] = against
        cells[f"{others}Smooth UCT", "UCT"] = back
        order = (f"{others}Smooth UCT", f"{others}UCT", *_ROWS[self.players].values())
        name = f"after {last.episodes:,} episodes"  # the printed one is after billions
        unit = f"{_UNIT}, greedy strategies"
        grid = Grid(
            name, order, tuple(_NAMES.values()), cells, unit=unit, observations=last.deals // 5
        )
        wins = all_of([below(_ZERO, against), below(back, _ZERO)])
        both = f"{written(against)}, and UCT {written(back)}," if others else written(against)
        words = f"{both} {name}; shorter training cannot show the contrary"
        return Findings(grids=(grid,), checks=(Check("smooth-beats-uct", wins or None, words),))


_UNIT: Final = "thousandths of a big blind for each hand"
_ZERO: Final = Interval(0.0, 0.0, 0.0)


def _won(unit: HoldemRow, results: Results, match: str) -> Interval:
    found = results[unit][match]
    value, half = found["mbb"], _HALF * found["error"]
    return widened(Interval(value, value - half, value + half), unit.deals // 5)


def _uct_first(curve: Curve) -> Check:
    """UCT is better at most looks, and Smooth UCT at none."""
    answers = [below(value, _ZERO) for _, value in curve.points]
    words = (
        f"UCT is clearly better at {answers.count(True)} of {len(answers)} looks, and Smooth UCT "
        f"at {answers.count(False)}; the last is after {curve.points[-1][0]:,} episodes"
    )
    holds = False if False in answers else True if 2 * answers.count(True) > len(answers) else None
    return Check("uct-slightly-better-before-72h", holds, words)


def experiments() -> Iterator[Experiment]:
    """The three items."""
    matches = (
        "Matches are of 500,000 deals, each played from all seats with the same cards; against "
        "simple players a fifth."
    )
    two = (
        f"169, 1000, 500 and 200 buckets and the constants of the paper. {matches}",
        "The paper trained for 14 days, 62 billion episodes: 72 hours are 13 billion. At the scale "
        "paper there are 200 million here, a quarter of an hour for each search, and at evening "
        "390,625. So only what the paper says of short training can be tested.",
    )
    three = (
        f"169, 1000, 100 and 20 buckets and the constants of the paper. {matches} The two others "
        "are of one kind, so of the printed rows only those with two of a kind can be made.",
        "The paper trained for 10 days, 50 billion episodes. At the scale paper there are 25 "
        "million here, and at evening 390,625.",
    )
    yield Holdem(
        "smooth", "fig3", "Smooth UCT against UCT in Limit Hold'em", two, 2, 200_000_000, 11, 2
    )
    yield Holdem("smooth", "tab2", "Greedy strategies in Limit Hold'em", two, 2, 200_000_000, 11, 2)
    yield Holdem(
        "smooth",
        "tab3",
        "Greedy strategies in Limit Hold'em with three players",
        three,
        *(3, 25_000_000, 8, 2),
    )
