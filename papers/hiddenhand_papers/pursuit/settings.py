"""Experiments of Chapter 5 of Lisy's thesis (2014) about settings of MO and SO: Figures 5.6 to 5.8,
and what the text of Section 5.5.2 prints without a figure.
"""

from collections.abc import Iterator
from typing import Final

from hiddenhand_papers.experiment import Experiment
from hiddenhand_papers.play import Contestant
from hiddenhand_papers.pursuit.chases import STARTS, ChaseReading, ChaseTable, ChaseTest, Players
from hiddenhand_papers.pursuit.claims import alike, cell, gain, ordered
from hiddenhand_papers.pursuit.ways import (
    LONG,
    SETUP,
    SHORT,
    contestant,
    more_starts,
    named,
    readings,
)

_CONSTANTS: Final = ("0.25", "0.5", "1", "2", "4", "8")
_DEPTHS: Final = ("10", "20", "30", "40", "50", "70", "100")
_LENGTHS: Final = ("0", "1", "2", "5", "10", "20", "30")


def experiments() -> Iterator[Experiment]:
    """All of them."""
    yield _by_constant(of_evader=True)
    yield _by_depth(of_evader=True)
    yield _by_constant(of_evader=False)
    yield _by_depth(of_evader=False)
    yield _beliefs()
    yield _playouts()
    yield _simulations()
    yield _lengths()
    yield _opponents()


def _by_constant(of_evader: bool) -> Experiment:
    """Fig. 5.6 by C. Of the evader the thesis says that C = 2 is the best, of the pursuers that C
    has moderate influence: here, that no C doubles what they reach with C = 2.
    """
    others = [value for value in _CONSTANTS if value != "2"]
    test = (
        ordered("c-2-best", *((cell(value, "SO"), cell("2", "SO")) for value in others))
        if of_evader
        else alike(
            "c-matters-moderately",
            *((cell("MO", "2"), cell("MO", value)) for value in others),
            share=1.0,
        )
    )
    starts = 1_000 if of_evader else STARTS
    also = (more_starts(starts),) if of_evader else ()
    return _varied("exploration", _CONSTANTS, "C", of_evader, 24, (test,), *also, starts=starts)


def _by_depth(of_evader: bool) -> Experiment:
    """Fig. 5.6 by h: a short one and a long one are worse than that of the thesis."""
    tests = tuple(
        ordered(
            check,
            (cell(worse, "SO"), cell("40", "SO"))
            if of_evader
            else (cell("MO", "50"), cell("MO", worse)),
        )
        for check, worse in (("short-h-worse", "10"), ("long-h-worse", "100"))
    )
    also = (
        "“Few iterations”: as many as in short matches, but all 100 moves. In matches of 30 moves, "
        "playouts of depth 30 and more are the same."
    )
    return _varied("depth", _DEPTHS, "h", of_evader, 16, tests, also, quick=LONG)


def _varied(
    parameter: str,
    values: tuple[str, ...],
    axis: str,
    of_evader: bool,
    evening: int,
    tests: tuple[ChaseTest, ...],
    *also: str,
    quick: str = SHORT,
    starts: int = STARTS,
) -> Experiment:
    """One side MO with several values of a parameter, against its nemesis.

    axis: what the thesis calls the parameter.
    of_evader: whether the evader is varied, whose nemesis is SO; else the pursuers are, whose
        nemesis is MO.
    also: what else is to be said of the set-up.
    quick: see `readings`.
    starts: see `ChaseTable`.
    """

    def making(way: str) -> tuple[Players, Players]:
        varied = tuple((value, contestant(f"mo({parameter}={value})", way)) for value in values)
        if of_evader:
            return varied, named(way, SO="istmcts")
        return named(way, MO="mo"), varied

    side, nemesis = ("evader", "SO") if of_evader else ("pursuers", "MO")
    return ChaseTable(
        "pursuit",
        f"fig5.6-{side}-{axis.lower()}",
        f"The {side} MO by {axis}, against {nemesis}",
        (*SETUP, *also),
        tuple(readings(making, quick=quick)),
        evening=evening,
        starts=starts,
        tests=tests,
        axis=axis,
        along=of_evader,
    )


def _beliefs() -> Experiment:
    def making(way: str) -> tuple[Players, Players]:
        both = named(way, modelled="mo", uniform="mo(belief=uniform)")
        return both, (*named(way, SO="istmcts"), *both)

    helped = cell("modelled", "SO"), cell("uniform", "SO")
    helps = cell("modelled", "uniform"), cell("modelled", "modelled")
    return ChaseTable(
        "pursuit",
        "beliefs",
        "MO with modelled and with uniform beliefs",
        (
            *SETUP,
            "Columns with the names of rows are pursuers MO, against whom rows are MO, too.",
            more_starts(400),
        ),
        tuple(readings(making)),
        evening=32,
        starts=400,
        tests=(
            ordered("beliefs-help-the-evader", helped[::-1]),
            ordered("beliefs-help-the-pursuers", helps[::-1]),
            ordered("beliefs-help-the-evader-more", (gain(*helps), gain(*helped))),
        ),
    )


def _playouts() -> Experiment:
    def making(way: str) -> tuple[Players, Players]:
        pursuing = (
            ("no return", contestant("mo", way)),
            ("uniform", contestant("mo(playout=uniform)", way)),
            ("informed in half of them", contestant("mo(playout=informed)", way)),
        )
        return named(way, MM="istminimax"), pursuing

    return ChaseTable(
        "pursuit",
        "playouts",
        "Playouts of the pursuers MO",
        SETUP,
        tuple(readings(making)),
        evening=48,
        tests=(
            alike("uniform-slightly-worse", (cell("MM", "uniform"), cell("MM", "no return"))),
            ordered(
                "informed-harmful",
                (cell("MM", "no return"), cell("MM", "informed in half of them")),
            ),
        ),
        speeds=True,
    )


def _simulations() -> Experiment:
    kinds = ("rla", "urla", "random", "heavy", "none", "region")

    def making(way: str) -> tuple[Players, Players]:
        pursuing = {kind: f"istmcts(simulation={kind})" for kind in kinds}
        # in quotes, as it is stored
        pursuing["none"] = "istmcts(simulation='none')"
        return named(way, MO="mo"), named(way, **pursuing)

    rla, others = cell("MO", "rla"), ("random", "heavy", "none", "region")
    return ChaseTable(
        "pursuit",
        "fig5.7",
        "Simulations of the pursuers SO, against MO",
        (*SETUP, "“Region” is the size of PP, which the thesis calls RS; “none” is NoSim."),
        tuple(readings(making)),
        evening=32,
        tests=(
            ordered("rla-best", *((rla, cell("MO", kind)) for kind in others)),
            ordered(
                "none-worst",
                *(
                    (cell("MO", kind), cell("MO", "none"))
                    for kind in ("rla", "random", "heavy", "region")
                ),
            ),
            alike("urla-brings-nothing", (rla, cell("MO", "urla"))),
        ),
        speeds=True,
    )


def _lengths() -> Experiment:
    def making(way: str) -> tuple[Players, Players]:
        pursuing = {length: f"istmcts(simulation=random,length={length})" for length in _LENGTHS}
        return named(way, SO="istmcts(simulation=urla)"), named(way, **pursuing)

    return ChaseTable(
        "pursuit",
        "fig5.8",
        "Random simulations of SO by length, against SO with URLA",
        (*SETUP, "A simulation ends so many moves from the root, or in the new node below that."),
        tuple(readings(making)),
        evening=32,
        tests=(ordered("longer-worse", (cell("SO", "2"), cell("SO", "30"))),),
        axis="moves from the root",
    )


_MODELS: Final = {
    f"{name}, {opponent}": f"{search}(opponent={opponent})"
    for name, search in (("MM", "istminimax"), ("SO", "istmcts"))
    for opponent in ("paranoid", "overconfident")
}


def _opponents() -> Experiment:
    def making(way: str) -> tuple[Players, Players]:
        players = named(way, **_MODELS)
        return players, players

    names = ("MM", "SO")
    return ChaseTable(
        "pursuit",
        "opponents",
        "Paranoid and overconfident models of the opponent",
        (
            *SETUP,
            "Each model plays against the paranoid model of the same search. The random game is "
            "random(4,5), whose payoff stands in the place of the mean size; MM and SO enumerate "
            "its histories, with 50 iterations a move.",
        ),
        (*readings(making), _random_game()),
        evening=16,
        tests=(
            ordered(
                "overconfident-pursuers-better",
                *(
                    (
                        cell(f"{name}, paranoid", f"{name}, overconfident"),
                        cell(f"{name}, paranoid", f"{name}, paranoid"),
                    )
                    for name in names
                ),
            ),
            ordered(
                "overconfident-evader-better",
                *(
                    (
                        cell(f"{name}, paranoid", f"{name}, paranoid"),
                        cell(f"{name}, overconfident", f"{name}, paranoid"),
                    )
                    for name in names
                ),
            ),
        ),
    )


def _random_game() -> ChaseReading:
    players = tuple((name, Contestant(search, 50)) for name, search in _MODELS.items())
    return ChaseReading("random(4,5)", ("random(4,5)",), players, players, in_evening=True)
