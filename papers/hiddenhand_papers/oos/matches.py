"""The tables of matches of the OOS paper, Fig. 4."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from hiddenhand_papers.domains import DICE, GOOFSPIEL, POKER, PREPLAY, RM, Domain
from hiddenhand_papers.experiment import Experiment
from hiddenhand_papers.match_tables import OVER_VALUE, WIN_RATE, MatchReading, MatchTable
from hiddenhand_papers.oos import claims as said
from hiddenhand_papers.play import BY_CLOCK, Contestant, by_the_clock

_NAMES: Final = ("OOS", "UCT", "RM", "RND")
_LIMIT: Final = MatchReading(
    "in the limit",
    POKER.game,
    (
        *((name, Contestant("equilibrium")) for name in ("OOS", "UCT", "RM")),
        ("RND", Contestant("random")),
    ),
    in_evening=False,
)


def tables() -> Iterator[Experiment]:
    def rising(n: int) -> str:
        return f"goofspiel(num_cards={n},imp_info=True,points_order=ascending,lowest_card=0)"

    yield _table(
        "a",
        GOOFSPIEL,
        "II-GS(6)",
        (rising(6), "IIGS0(6)"),
        0.1,
        evening=50,
        at_once=10,
    )
    yield _table(
        "b",
        DICE,
        "LD(1,1)",
        ("LD(1,1,6)", "LD(1,1,6)"),
        0.1,
        evening=50,
        at_once=10,
    )
    yield _table(
        "c",
        POKER,
        "GP(3,3,2,2)",
        (POKER.game, POKER.game),
        0.1,
        evening=50,
        at_once=10,
        other=(5.0, 0.4, (("OOS", "UCT"),)),
    )
    yield _table(
        "d",
        GOOFSPIEL,
        "II-GS(13)",
        (rising(13), "IIGS0(13)"),
        1.0,
        evening=2,
        at_once=2,
        other=(5.0, 0.4, (("OOS", "UCT"),)),
    )
    yield _table(
        "e",
        DICE,
        "LD(2,2)",
        ("LD(2,2,6)", "LD(2,2,6)"),
        5.0,
        epsilon=0.8,
        evening=1,
        at_once=1,
        other=(1.0, 0.4, (("OOS", "UCT"), ("OOS", "RM"), ("UCT", "OOS"), ("RM", "OOS"))),
    )
    yield _table(
        "f",
        POKER,
        "GP(4,6,4,4)",
        ("GP(4,6,4,4)", "GP(4,6,4,4)"),
        1.0,
        evening=4,
        at_once=2,
    )


def _contestants(
    domain: Domain, seconds: float, preplay: float, oos: str, move: str
) -> tuple[tuple[str, Contestant], ...]:
    """The players of a table. move: how UCT makes its moves."""

    def of(player: str, speed: float) -> Contestant:
        return Contestant(player, round(speed * seconds), round(speed * preplay))

    return (
        ("OOS", of(oos, domain.oos)),
        ("UCT", of(f"ismcts(selector=ruct,move={move})", domain.uct)),
        ("RM", of(RM, domain.rm)),
        ("RND", Contestant("random")),
    )


def _table(
    letter: str,
    domain: Domain,
    name: str,
    games: tuple[str, str],
    seconds: float,
    *,
    epsilon: float = 0.4,
    evening: int,
    at_once: int,
    other: tuple[float, float, tuple[tuple[str, str], ...]] | None = None,
) -> Experiment:
    """games: the game as the text has it, and as the program had it. other: what the text says of
    another time: the seconds, the exploration of OOS, and the cells.
    """
    targeting = "ist" if domain is GOOFSPIEL else "pst"
    oos = f"oos(targeting={targeting},delta=0.9,epsilon={epsilon})"
    as_text = _contestants(domain, seconds, 0.0, oos, "most_visited")
    as_program = _contestants(domain, seconds, PREPLAY, oos, "sampled")
    unprepared = _contestants(domain, seconds, 0.0, oos, "sampled")
    from_thesis = MatchReading(
        "pre-play where OOS plays", games[1], as_program, without_first=unprepared
    )
    readings = (
        MatchReading("as in the text", games[0], as_text),
        MatchReading("as in the program", games[1], as_program),
        *([from_thesis] if name == GOOFSPIEL.name else []),
        MatchReading("equal wall time", games[0], by_the_clock(as_text, seconds)),
        *([_LIMIT] if name == POKER.name else []),
    )
    is_small = name == domain.name
    setup = [
        domain.speeds,
        f"{seconds:g} s a move; OOS with {targeting.upper()}, δ = 0.9 and ε = {epsilon:g}, UCT "
        "with twice the largest payoff, RM with 0.2.",
        "“As in the text”: no pre-play, and UCT plays the most visited action"
        + (", cards of points in increasing order." if domain is GOOFSPIEL else "."),
        "“As in the program”: 0.1 s of pre-play, and UCT draws its moves by visits"
        + (", cards of points in decreasing order." if domain is GOOFSPIEL else "."),
        BY_CLOCK,
    ]
    if name == GOOFSPIEL.name:
        setup.append(
            "“Pre-play where OOS plays”: as in the program, but matches without OOS have none. "
            "Their printed numbers are those of Table 4.8 of Lisy's thesis, which had none."
        )
    if name == POKER.name:
        setup.append(
            "“In the limit” has an exact equilibrium in place of OOS, UCT and RM. Searches that "
            "have converged play so. The scale evening leaves this reading out."
        )
    if not is_small:
        setup.insert(1, f"Speeds are those of {domain.name}; those in {name} were not printed.")
    return MatchTable(
        paper="oos",
        item=f"fig4{letter}",
        title=f"Matches in {name}, {seconds:g} s a move",
        setup=tuple(setup),
        readings=(*readings, *_other(domain, games, targeting, other)),
        rows=_NAMES,
        columns=_NAMES,
        measure=OVER_VALUE if domain is POKER else WIN_RATE,
        matches=500,
        evening=evening,
        at_once=at_once,
        value_of=POKER.game if domain is POKER else "",
        checks=said.MATCHES[letter],
    )


def _other(
    domain: Domain,
    games: tuple[str, str],
    targeting: str,
    other: tuple[float, float, tuple[tuple[str, str], ...]] | None,
) -> Iterator[MatchReading]:
    """The readings of what the text says of another time, with as many matches in each cell."""
    if other is None:
        return
    seconds, epsilon, cells = other
    oos = f"oos(targeting={targeting},delta=0.9,epsilon={epsilon})"
    for name, game, preplay, move in (
        ("as in the text", games[0], 0.0, "most_visited"),
        ("as in the program", games[1], PREPLAY, "sampled"),
    ):
        players = _contestants(domain, seconds, preplay, oos, move)
        yield MatchReading(name, game, players, table=f"{seconds:g}s", only=cells)
    if domain is POKER:
        yield replace(_LIMIT, table=f"{seconds:g}s", only=cells)
