"""Experiments of Chapter 5 of Lisy's thesis (2014) about settings of MO and SO: Figures 5.6 to 5.8,
and what the text of Section 5.5.2 prints without a figure.
"""

from collections.abc import Iterator
from typing import Final

from hiddenhand.experiments.chases import (
    ChaseReading,
    ChaseTable,
    ChaseTest,
    Players,
    alike,
    cell,
    gain,
    ordered,
)
from hiddenhand.experiments.experiment import Experiment
from hiddenhand.experiments.play import Contestant
from hiddenhand.experiments.pursuit_ways import SETUP, contestant, named, readings

_CONSTANTS: Final = ("0.25", "0.5", "1", "2", "4", "8")
_DEPTHS: Final = ("10", "20", "30", "40", "50", "70", "100")
_LENGTHS: Final = ("0", "1", "2", "5", "10", "20", "30")


def experiments() -> Iterator[Experiment]:
    """All of them."""
    yield _of_evader("exploration", _CONSTANTS, "C", 24, (_c_2_is_best(),))
    yield _of_evader(
        "depth",
        _DEPTHS,
        "h",
        16,
        (
            ordered("short-h-worse", (cell("10", "SO"), cell("40", "SO"))),
            ordered("long-h-worse", (cell("100", "SO"), cell("40", "SO"))),
        ),
    )
    yield _of_pursuers("exploration", _CONSTANTS, "C", 24, ())
    yield _of_pursuers(
        "depth",
        _DEPTHS,
        "h",
        16,
        (
            ordered("short-h-worse", (cell("MO", "50"), cell("MO", "10"))),
            ordered("long-h-worse", (cell("MO", "50"), cell("MO", "100"))),
        ),
    )
    yield _beliefs()
    yield _playouts()
    yield _simulations()
    yield _lengths()
    yield _opponents()


def _varied(parameter: str, values: tuple[str, ...], way: str) -> Players:
    return tuple((value, contestant(f"mo({parameter}={value})", way)) for value in values)


def _c_2_is_best() -> ChaseTest:
    others = [value for value in _CONSTANTS if value != "2"]
    return ordered("c-2-best", *((cell(value, "SO"), cell("2", "SO")) for value in others))


def _of_evader(
    parameter: str, values: tuple[str, ...], axis: str, quick: int, tests: tuple[ChaseTest, ...]
) -> Experiment:
    def making(way: str) -> tuple[Players, Players]:
        return _varied(parameter, values, way), named(way, SO="istmcts")

    return ChaseTable(
        "pursuit",
        f"fig5.6-evader-{axis.lower()}",
        f"The evader MO by {axis}, against SO",
        SETUP,
        tuple(readings(making)),
        quick=quick,
        tests=tests,
        axis=axis,
        along=True,
    )


def _of_pursuers(
    parameter: str, values: tuple[str, ...], axis: str, quick: int, tests: tuple[ChaseTest, ...]
) -> Experiment:
    def making(way: str) -> tuple[Players, Players]:
        return named(way, MO="mo"), _varied(parameter, values, way)

    return ChaseTable(
        "pursuit",
        f"fig5.6-pursuers-{axis.lower()}",
        f"The pursuers MO by {axis}, against MO",
        SETUP,
        tuple(readings(making)),
        quick=quick,
        tests=tests,
        axis=axis,
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
        (*SETUP, "Columns with the names of rows are pursuers MO, against whom rows are MO, too."),
        tuple(readings(making)),
        quick=32,
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
        quick=48,
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
        return named(way, MO="mo"), named(way, **pursuing)

    rla, others = cell("MO", "rla"), ("random", "heavy", "none", "region")
    return ChaseTable(
        "pursuit",
        "fig5.7",
        "Simulations of the pursuers SO, against MO",
        (*SETUP, "“Region” is the size of PP, which the thesis calls RS; “none” is NoSim."),
        tuple(readings(making)),
        quick=32,
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
        "Random simulations of the pursuers SO by their length, against SO with URLA",
        (*SETUP, "A simulation ends so many moves from the root, or in the new node below that."),
        tuple(readings(making)),
        quick=32,
        tests=(ordered("longer-worse", (cell("SO", "2"), cell("SO", "30"))),),
        axis="moves from the root",
    )


def _opponents() -> Experiment:
    def making(way: str) -> tuple[Players, Players]:
        players = named(
            way,
            **{
                f"{name}, {opponent}": f"{search}(opponent={opponent})"
                for name, search in (("MM", "istminimax"), ("SO", "istmcts"))
                for opponent in ("paranoid", "overconfident")
            },
        )
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
        quick=16,
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
    players = tuple(
        (f"{name}, {opponent}", Contestant(f"{search}(opponent={opponent})", 50))
        for name, search in (("MM", "istminimax"), ("SO", "istmcts"))
        for opponent in ("paranoid", "overconfident")
    )
    return ChaseReading("random(4,5)", "random(4,5)", players, players, in_quick=True)
