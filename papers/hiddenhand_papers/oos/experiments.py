"""The experiments of the OOS paper: Lisy, Lanctot and Bowling (2015), "Online Monte Carlo
counterfactual regret minimization for search in imperfect information games", Section 4.

`domains` says how its times are turned into iterations, and `matches` has its Fig. 4.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from hiddenhand_papers.curves import AggregateLine, RootLine, line_figure
from hiddenhand_papers.domains import DICE, GOOFSPIEL, POKER, PREPLAY, RM, UCT, Domain
from hiddenhand_papers.experiment import Experiment
from hiddenhand_papers.oos import claims as said
from hiddenhand_papers.oos.matches import tables
from hiddenhand_papers.root_tables import RootTable, ValueTable
from hiddenhand_papers.stitched import StitchTable

_TIMES: Final = (0.1, 0.2, 0.4, 0.8, 1.6)
_EVENING_TIMES: Final = (0.1, 0.4, 1.6)


def experiments() -> Iterator[Experiment]:
    """All experiments of the paper."""
    for letter, domain in (("a", GOOFSPIEL), ("d", DICE), ("h", POKER)):
        yield _root(letter, domain)
    for letter, domain in (("b", GOOFSPIEL), ("e", DICE), ("i", POKER)):
        yield _aggregated(letter, domain)
    for letter, domain, targeting in (
        ("c", GOOFSPIEL, "ist"),
        ("f", DICE, "ist"),
        ("g", DICE, "pst"),
        ("j", POKER, "ist"),
        ("k", POKER, "pst"),
    ):
        yield _parameters(letter, domain, targeting)
    yield from tables()
    yield _stitching()
    yield _values()
    yield _program()


# --- Fig. 3 ---


def _root(letter: str, domain: Domain) -> Experiment:
    searches = (
        ("OOS", "oos(epsilon=0.6)", domain.oos),
        ("UCT", UCT, domain.uct),
        ("RM", RM, domain.rm),
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
            evening=5,
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
            "20 seeds; evening: five seeds, and 32 of the 512 seconds.",
        ),
        lines=lines,
        x="seconds of the paper's machine",
        y="exploitability, sum over both players",
        checks=said.AT_THE_ROOT,
    )


def _aggregate_line(
    name: str, domain: Domain, search: str, speed: float, evening_matches: int = 25
) -> AggregateLine:
    return AggregateLine(
        name,
        domain.game,
        search,
        speed,
        times=_TIMES,
        preplay=PREPLAY,
        weights="visits",
        matches=500,
        evening_matches=evening_matches,
        seeds=5,
        evening=2,
        evening_times=_EVENING_TIMES,
    )


def _aggregated(letter: str, domain: Domain) -> Experiment:
    oos = _aggregate_line("OOS", domain, "oos(targeting=ist,delta=0.5,epsilon=0.4)", domain.oos)
    lines = (
        oos,
        _aggregate_line("UCT", domain, UCT, domain.uct),
        _aggregate_line("RM", domain, RM, domain.rm),
        replace(oos, name="OOS, one seat only", one_seat=True),
        replace(oos, name="OOS, by mass", weights="mass", evening_times=(0.1, 1.6)),
        replace(oos, name="OOS, no pre-play", preplay=0.0, evening_times=(0.1, 1.6)),
    )
    return line_figure(
        paper="oos",
        item=f"fig3{letter}",
        title=f"Exploitability in matches of {domain.name}, aggregate method",
        setup=(
            domain.speeds,
            "OOS is aimed at the information set with δ = 0.5 and explores with ε = 0.4.",
            "500 matches from each seat and five seeds; evening: 25 matches, two seeds and three "
            "of the five times. Fewer matches leave more information sets to the fixed random "
            "action.",
            "The paper leaves open whether its program thought before play: here 0.1 s, as the "
            "program did, unless the legend says otherwise. It leaves open how searches are "
            "weighed: by samples in the set, as its text says, or by mass, as its program did. It "
            "also leaves open whether it shows the sum over the players (its definition) or one "
            "seat (its program).",
        ),
        lines=lines,
        x="seconds a move, of the paper's machine",
        y="exploitability, sum over both players",
        checks=said.AGGREGATED[letter],
    )


def _parameters(letter: str, domain: Domain, targeting: str) -> Experiment:
    lines = tuple(
        _aggregate_line(
            f"δ = {delta:g}, ε = {epsilon:g}",
            domain,
            f"oos(targeting={targeting},delta={delta},epsilon={epsilon})",
            domain.oos,
            evening_matches=15,
        )
        for delta in (0.1, 0.5, 0.9, 1.0)
        for epsilon in (0.1, 0.4, 0.8)
    )
    lines = tuple(
        replace(line, evening_times=(0.1, 1.6), evening=2 if line.name.endswith("ε = 0.4") else 1)
        for line in lines
    )
    return line_figure(
        paper="oos",
        item=f"fig3{letter}",
        title=f"Parameters of OOS with {targeting.upper()} in {domain.name}, aggregate method",
        setup=(
            domain.speeds,
            "Our copy of the paper has no legend of the figure: δ of 0.1, 0.5, 0.9 and 1 with ε of "
            "0.1, 0.4 and 0.8 are shown.",
            "500 matches from each seat after 0.1 s of pre-play, five seeds; evening: 15 matches, "
            "two times, and two seeds, or one for other ε than 0.4.",
        ),
        lines=lines,
        x="seconds a move, of the paper's machine",
        y="exploitability, sum over both players",
        checks=said.PARAMETERS[letter],
    )


def _stitching() -> Experiment:
    return StitchTable(
        paper="oos",
        item="stitching",
        title="Searches made afresh at every information set of LD(1,1)",
        setup=(
            DICE.speeds,
            "OOS with δ = 0.9 and ε = 0.4; IS-MCTS is UCT, its strategy the shares of visits.",
            "What each player's strategy loses to a best response, compared with the value of the "
            "game, and the sum.",
            "A row of 1 s takes about an hour of one processor. The scale evening has the same "
            "rows at a thousandth of the time, as a reading of its own.",
        ),
        game=DICE.game,
        searches=(
            ("ISMCTS", UCT, DICE.uct),
            ("IST", "oos(targeting=ist,delta=0.9,epsilon=0.4)", DICE.oos),
            ("PST", "oos(targeting=pst,delta=0.9,epsilon=0.4)", DICE.oos),
        ),
        times=(1.0, 5.0),
        seeds=3,
        evening=1,
    )


def _values() -> Experiment:
    return ValueTable(
        paper="oos",
        item="values",
        title="Values of the games for the first player",
        setup=(
            "By the linear program of the sequence form. GP(4,6,4,4) is too large for it here.",
        ),
        games=(DICE.game, POKER.game),
    )


def _program() -> Experiment:
    return RootTable(
        paper="oos",
        item="program",
        title="OOS from the root, as the authors' later program does it",
        setup=(
            "As many traversals as the authors' Java program made in 20 s with one thread, half as "
            "many iterations; ε = 0.6, nash_conv, information sets not in memory uniform. The "
            "program was run once, so its numbers have no intervals. Five seeds; evening: two.",
        ),
        column="nash_conv",
        runs=(
            ("IIGS(6)", "IIGS(6)", "oos(epsilon=0.6)", 490_000),
            ("LD(1,1,6)", "LD(1,1,6)", "oos(epsilon=0.6)", 2_210_000),
            ("GP(3,3,2,2)", "GP(3,3,2,2)", "oos(epsilon=0.6)", 1_230_000),
        ),
        seeds=5,
        evening=2,
    )
