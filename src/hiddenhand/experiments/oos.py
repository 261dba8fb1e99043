"""The experiments of the OOS paper: Lisy, Lanctot and Bowling (2015), "Online Monte Carlo
counterfactual regret minimization for search in imperfect information games", Section 4.

The paper gives times. They are turned into iterations by how many its program made in a second,
which Lisy's thesis (2014), Sections 4.3.2 and 4.3.3, says of II-GS(6) and GP(3,3,2,2). For LD(1,1)
it was measured with the authors' program. The thesis counts traversals, of which an iteration of
OOS makes two. Nothing is known of the large games, so the speeds of the small ones are taken.

What the paper calls UCT is UCT that breaks ties at random (RUCT of the thesis).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from hiddenhand.experiments import oos_checks as said
from hiddenhand.experiments.curves import AggregateLine, CurveCheck, RootLine, line_figure
from hiddenhand.experiments.experiment import Experiment
from hiddenhand.experiments.match_tables import (
    OVER_VALUE,
    WIN_RATE,
    MatchCheck,
    MatchReading,
    MatchTable,
)
from hiddenhand.experiments.play import Contestant
from hiddenhand.experiments.stitched import StitchTable

_TIMES: Final = (0.1, 0.2, 0.4, 0.8, 1.6)
_QUICK_TIMES: Final = (0.1, 0.4, 1.6)
_PREPLAY: Final = 0.1  # seconds
_NAMES: Final = ("OOS", "UCT", "RM", "RND")


@dataclass(frozen=True)
class Domain:
    """A small game of the paper, and how fast the authors' program searched it.

    name: what the paper calls it.
    game: its name here.
    oos: iterations of OOS in a second, which are half of its traversals.
    uct: iterations of UCT in a second.
    rm: iterations of RM in a second.
    source: where the speeds are from.
    """

    name: str
    game: str
    oos: float
    uct: float
    rm: float
    source: str

    @property
    def speeds(self) -> str:
        """The speeds in words."""
        return (
            f"A second of the paper's machine is {self.oos:,.0f} iterations of OOS (two traversals "
            f"each), {self.uct:,.0f} of UCT and {self.rm:,.0f} of RM: {self.source}."
        )


GOOFSPIEL: Final = Domain(
    "II-GS(6)", "IIGS0(6)", 16_500, 39_000, 59_000, "Lisy's thesis, Section 4.3.2"
)
DICE: Final = Domain(
    "LD(1,1)",
    "LD(1,1,6)",
    110_500,
    466_000,
    306_000,
    "measured with the authors' program on two cores, with its own UCT",
)
POKER: Final = Domain(
    "GP(3,3,2,2)", "GP(3,3,2,2)", 38_500, 82_000, 120_000, "Lisy's thesis, Section 4.3.3"
)
_UCT: Final = "ismcts(selector=ruct)"
_RM: Final = "ismcts(selector=rm)"


def experiments() -> Iterator[Experiment]:
    """All experiments of the paper."""
    for letter, domain in (("a", GOOFSPIEL), ("d", DICE), ("h", POKER)):
        yield _root(letter, domain)
    for letter, domain, checks in (
        ("b", GOOFSPIEL, (said.ismcts_rises, said.oos_below_ismcts)),
        ("e", DICE, (said.ismcts_does_not_rise, said.ismcts_flat_after, said.oos_falls)),
        ("i", POKER, (said.ismcts_below_oos, said.oos_falls)),
    ):
        yield _aggregated(letter, domain, checks)
    for letter, domain, targeting in (
        ("c", GOOFSPIEL, "ist"),
        ("f", DICE, "ist"),
        ("g", DICE, "pst"),
        ("j", POKER, "ist"),
        ("k", POKER, "pst"),
    ):
        yield _parameters(letter, domain, targeting)
    yield from _tables()
    yield _stitching()


# --- Fig. 3 ---


def _root(letter: str, domain: Domain) -> Experiment:
    searches = (
        ("OOS", "oos(epsilon=0.6)", domain.oos),
        ("UCT", _UCT, domain.uct),
        ("RM", _RM, domain.rm),
    )
    lines = tuple(
        RootLine(
            name,
            domain.game,
            search,
            speed,
            seconds=512.0,
            doublings=14,
            shorter=4,
            seeds=20,
            quick=3,
        )
        for name, search, speed in searches
    )
    return line_figure(
        paper="oos",
        item=f"fig3{letter}",
        title=f"Convergence at the root of {domain.name}",
        setup=(
            domain.speeds,
            "OOS explores with ε = 0.6, UCT with twice the largest payoff, RM with 0.2; strategies "
            "of UCT are the shares of visits.",
            "Information sets that are not in memory play a fixed random action.",
            "20 seeds; quick: 3 seeds, and 32 of the 512 seconds.",
        ),
        lines=lines,
        x="seconds of the paper's machine",
        y="exploitability, sum over both players",
        checks=(
            said.oos_lowest_at_the_end,
            said.uct_rises_again,
            said.rm_does_not_rise,
            said.oos_near_zero,
        ),
    )


def _aggregate_line(
    name: str, domain: Domain, search: str, speed: float, quick_matches: int = 25
) -> AggregateLine:
    return AggregateLine(
        name,
        domain.game,
        search,
        speed,
        times=_TIMES,
        preplay=_PREPLAY,
        weights="visits",
        matches=500,
        quick_matches=quick_matches,
        seeds=5,
        quick=2,
        quick_times=_QUICK_TIMES,
    )


def _aggregated(letter: str, domain: Domain, checks: tuple[CurveCheck, ...]) -> Experiment:
    oos = _aggregate_line("OOS", domain, "oos(targeting=ist,delta=0.5,epsilon=0.4)", domain.oos)
    lines = (
        oos,
        _aggregate_line("UCT", domain, _UCT, domain.uct),
        _aggregate_line("RM", domain, _RM, domain.rm),
        replace(oos, name="OOS, one seat only", one_seat=True),
        replace(oos, name="OOS, by mass", weights="mass", quick_times=(0.1, 1.6)),
        replace(oos, name="OOS, no pre-play", preplay=0.0, quick_times=(0.1, 1.6)),
    )
    return line_figure(
        paper="oos",
        item=f"fig3{letter}",
        title=f"Exploitability in matches of {domain.name}, aggregate method",
        setup=(
            domain.speeds,
            "OOS is aimed at the information set with δ = 0.5 and explores with ε = 0.4.",
            "500 matches from each seat and five seeds; quick: 25 matches, two seeds and three of "
            "the five times. Fewer matches leave more information sets to the fixed random action.",
            "The paper does not say whether its program thought before play (0.1 s, as the program "
            "did, unless the legend says otherwise), how searches are weighed (by samples in the "
            "set, as its text says, or by mass, as its program did), and whether the sum over the "
            "players is shown (its definition) or one seat (its program).",
        ),
        lines=lines,
        x="seconds a move, of the paper's machine",
        y="exploitability, sum over both players",
        checks=checks,
    )


def _parameters(letter: str, domain: Domain, targeting: str) -> Experiment:
    lines = tuple(
        _aggregate_line(
            f"δ = {delta:g}, ε = {epsilon:g}",
            domain,
            f"oos(targeting={targeting},delta={delta},epsilon={epsilon})",
            domain.oos,
            quick_matches=15,
        )
        for delta in (0.1, 0.5, 0.9, 1.0)
        for epsilon in (0.1, 0.4, 0.8)
    )
    lines = tuple(
        replace(line, quick_times=(0.1, 1.6), quick=2 if line.name.endswith("ε = 0.4") else 1)
        for line in lines
    )
    checks: tuple[CurveCheck, ...] = {
        "f": (said.longer_is_better, said.full_targeting_does_not_converge),
        "g": (said.longer_is_always_better,),
    }.get(letter, (said.longer_is_always_better, said.full_targeting_best_when_short))
    return line_figure(
        paper="oos",
        item=f"fig3{letter}",
        title=f"Parameters of OOS with {targeting.upper()} in {domain.name}, aggregate method",
        setup=(
            domain.speeds,
            "The legend of the figure is not in the text at hand: δ of 0.1, 0.5, 0.9 and 1 with ε "
            "of 0.1, 0.4 and 0.8 are shown.",
            "500 matches from each seat after 0.1 s of pre-play, five seeds; quick: 15 matches, "
            "two times, and two seeds, or one for other ε than 0.4.",
        ),
        lines=lines,
        x="seconds a move, of the paper's machine",
        y="exploitability, sum over both players",
        checks=checks,
    )


# --- Fig. 4 ---


def _contestants(
    domain: Domain, seconds: float, preplay: float, oos: str, move: str
) -> tuple[tuple[str, Contestant], ...]:
    """The players of a table. move: how UCT makes its moves."""

    def of(player: str, speed: float) -> Contestant:
        return Contestant(player, round(speed * seconds), round(speed * preplay))

    return (
        ("OOS", of(oos, domain.oos)),
        ("UCT", of(f"ismcts(selector=ruct,move={move})", domain.uct)),
        ("RM", of(_RM, domain.rm)),
        ("RND", Contestant("random")),
    )


def _by_the_clock(seconds: float, oos: str) -> tuple[tuple[str, Contestant], ...]:
    """The players of a table, all with the same wall time."""

    def of(player: str) -> Contestant:
        return Contestant(player, seconds=seconds)

    return (
        ("OOS", of(oos)),
        ("UCT", of("ismcts(selector=ruct,move=most_visited)")),
        ("RM", of(_RM)),
        ("RND", Contestant("random")),
    )


def _table(
    letter: str,
    domain: Domain,
    name: str,
    games: tuple[str, str],
    seconds: float,
    checks: tuple[MatchCheck, ...],
    *,
    epsilon: float = 0.4,
    quick: int,
    at_once: int,
) -> Experiment:
    """games: the game as the text has it, and as the program had it."""
    targeting = "ist" if domain is GOOFSPIEL else "pst"
    oos = f"oos(targeting={targeting},delta=0.9,epsilon={epsilon})"
    as_text = _contestants(domain, seconds, 0.0, oos, "most_visited")
    as_program = _contestants(domain, seconds, _PREPLAY, oos, "sampled")
    is_small = name == domain.name
    setup = [
        domain.speeds,
        f"{seconds:g} s a move; OOS with {targeting.upper()}, δ = 0.9 and ε = {epsilon:g}, UCT "
        "with twice the largest payoff, RM with 0.2.",
        "“As in the text”: no pre-play, and UCT plays the most visited action"
        + (", cards of points in increasing order." if domain is GOOFSPIEL else "."),
        "“As in the program”: 0.1 s of pre-play, and UCT draws its moves by visits"
        + (", cards of points in decreasing order." if domain is GOOFSPIEL else "."),
        "“Equal wall time” gives all players the same seconds on our machine; it is not run at the "
        "scale quick.",
    ]
    if not is_small:
        setup.insert(1, f"Speeds are those of {domain.name}; those in {name} were not printed.")
    return MatchTable(
        paper="oos",
        item=f"fig4{letter}",
        title=f"Matches in {name}, {seconds:g} s a move",
        setup=tuple(setup),
        readings=(
            MatchReading("as in the text", games[0], as_text),
            MatchReading("as in the program", games[1], as_program),
            MatchReading("equal wall time", games[0], _by_the_clock(seconds, oos), in_quick=False),
        ),
        rows=_NAMES,
        columns=_NAMES,
        measure=OVER_VALUE if domain is POKER else WIN_RATE,
        matches=500,
        quick=quick,
        at_once=at_once,
        value_of=POKER.game if domain is POKER else "",
        checks=checks,
    )


def _tables() -> Iterator[Experiment]:
    def rising(n: int) -> str:
        return f"goofspiel(num_cards={n},imp_info=True,points_order=ascending,lowest_card=0)"

    yield _table(
        "a",
        GOOFSPIEL,
        "II-GS(6)",
        (rising(6), "IIGS0(6)"),
        0.1,
        (said.ismcts_favours_first, said.oos_halves_both_seats),
        quick=60,
        at_once=10,
    )
    yield _table(
        "b",
        DICE,
        "LD(1,1)",
        ("LD(1,1,6)", "LD(1,1,6)"),
        0.1,
        (said.oos_beats_both_from_one_seat,),
        quick=60,
        at_once=10,
    )
    yield _table(
        "c",
        POKER,
        "GP(3,3,2,2)",
        (POKER.game, POKER.game),
        0.1,
        (said.oos_loses_both,),
        quick=60,
        at_once=10,
    )
    yield _table(
        "d",
        GOOFSPIEL,
        "II-GS(13)",
        (rising(13), "IIGS0(13)"),
        1.0,
        (said.oos_loses_both,),
        quick=4,
        at_once=2,
    )
    yield _table(
        "e",
        DICE,
        "LD(2,2)",
        ("LD(2,2,6)", "LD(2,2,6)"),
        5.0,
        (said.oos_beats_uct, said.oos_ties_rm),
        epsilon=0.8,
        quick=3,
        at_once=1,
    )
    yield _table(
        "f",
        POKER,
        "GP(4,6,4,4)",
        ("GP(4,6,4,4)", "GP(4,6,4,4)"),
        1.0,
        (said.oos_ties_from_second,),
        quick=10,
        at_once=2,
    )


def _stitching() -> Experiment:
    return StitchTable(
        paper="oos",
        item="stitching",
        title="Searches made afresh at every information set of LD(1,1)",
        setup=(
            DICE.speeds,
            "OOS with δ = 0.9 and ε = 0.4; IS-MCTS is UCT, its strategy the shares of visits.",
            "ε1 and ε2 are what each player's strategy loses to a best response, compared with the "
            "value of the game; εσ is their sum.",
            "A row of 1 s takes about an hour of one processor. The scale quick has the same rows "
            "at a two-hundredth of the time, as a reading of its own.",
        ),
        game=DICE.game,
        searches=(
            ("ISMCTS", _UCT, DICE.uct),
            ("IST", "oos(targeting=ist,delta=0.9,epsilon=0.4)", DICE.oos),
            ("PST", "oos(targeting=pst,delta=0.9,epsilon=0.4)", DICE.oos),
        ),
        times=(1.0, 5.0),
        seeds=3,
        quick=2,
    )
