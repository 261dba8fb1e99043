"""Figures 4.11 to 4.15 of Lisy's thesis: exploitability in games with hidden information, from the
root and in matches.

The thesis searched for 30 minutes from the root, 20 times. In matches the aggregate method has 500
matches for each point. Horizontal axes are in seconds of its machine: iterations divided by the
iterations per second that it printed. As in the thesis, exploitability is the sum of both players'.
"""

from collections.abc import Iterator
from typing import Final

from hiddenhand_papers.curves import AggregateLine, RootLine
from hiddenhand_papers.experiment import Experiment
from hiddenhand_papers.thesis.budgets import speeds
from hiddenhand_papers.thesis.claims import (
    alike,
    all_hold,
    lower,
    lower_throughout,
    moves_more,
    rises_again,
    rises_at_first,
    under,
)
from hiddenhand_papers.thesis.players import HIDDEN, hidden_search
from hiddenhand_papers.thesis.sections import Composite, Panel, Points, Test

GOOFSPIEL: Final = "IIGS0(6)"
POKER: Final = "GP(3,3,2,2)"
PHANTOM: Final = "phantom_ttt(forced_center=true)"
_SECONDS: Final = 2048.0  # the thesis: 1800; looks are at powers of two
_TIMES: Final = (0.1, 0.2, 0.4, 0.8, 1.6)
_PREPLAY: Final = 0.1
_MCTS: Final = ("RUCT", "UCT", "EXP3", "RM")
_ROOT: Final = (
    "From the root: 20 searches for each line and 2048 seconds at the scale paper, 2 searches and "
    "a shorter time at evening. Seconds are those of the thesis' machine, by the iterations per "
    "second that it printed; an iteration of OOS here is two of the thesis.",
    "From the root OOS has an exploration of 0.6. Unknown information sets play a fixed action.",
)
_MATCHES: Final = (
    "Aggregate method: 500 matches from each seat and 20 seeds at the scale paper; 40 matches and "
    "one seed at evening, where curves end at 0.4 second a move. The number of matches decides how "
    "many information sets are reached, so the levels at evening are higher. The thesis does not "
    "say how many seeds it had. 0.1 second of pre-play before each match, as in the program; the "
    "thesis does not say so. Searches count by their visits.",
)


def experiments() -> Iterator[Experiment]:
    """The experiments of this module."""
    yield Composite(
        "thesis",
        "fig4.11",
        "Exploitability in II-Goofspiel(6)",
        (*_ROOT, *_MATCHES),
        (root_panel("root", GOOFSPIEL, "ii-goofspiel6", 6), _matches(GOOFSPIEL, "ii-goofspiel6")),
        points=(
            Points(
                "root-500s",
                "exploitability",
                (("EXP3", "root", "EXP3", 512.0), ("RM", "root", "RM", 512.0)),
            ),
            Points(
                "lowest",
                "exploitability",
                (
                    ("UCT root", "root", "UCT", None),
                    ("RUCT belief", "matches", "RUCT, belief", 0.8),
                ),
            ),
        ),
        tests=_goofspiel_tests(),
    )
    yield Composite(
        "thesis",
        "fig4.12",
        "Parameters of OOS in II-Goofspiel(6)",
        _MATCHES,
        (_parameters(GOOFSPIEL, "ii-goofspiel6", "ist"),),
        tests=_parameters_goofspiel(),
    )
    yield Composite(
        "thesis",
        "fig4.13",
        "Exploitability in Generic Poker(3,3,2,2)",
        (*_ROOT, *_MATCHES),
        (root_panel("root", POKER, "poker3322", 6), _matches(POKER, "poker3322")),
        tests=_poker_tests(),
    )
    yield Composite(
        "thesis",
        "fig4.14",
        "Parameters of OOS in Generic Poker(3,3,2,2)",
        _MATCHES,
        (_parameters(POKER, "poker3322", "ist"),),
        tests=_parameters_poker(),
    )


# --- from the root ---


def root_panel(name: str, game: str, table: str, shorter: int, per: int = 16) -> Panel:
    """Searches from the root.

    table: the table of printed speeds.
    shorter: how many doublings are left out at the scale ``evening``.
    per: how many looks there are.
    """
    speed = speeds(table)
    searches = {name: hidden_search(name, "ist") for name in _MCTS} | {
        "OOS": "oos(epsilon=0.6,gamma=0.01)"
    }
    lines = tuple(
        RootLine(name, game, searches[name], speed[name], _SECONDS, per, shorter, 20, 2)
        for name in HIDDEN
    )
    return Panel(name, "From the root", lines)


# --- in matches ---


def _aggregate(
    name: str, game: str, search: str, per_second: float, evening: tuple[float, ...]
) -> AggregateLine:
    return AggregateLine(
        name, game, search, per_second, _TIMES, _PREPLAY, "visits", 500, 40, 20, 1, evening
    )


def _matches(game: str, table: str) -> Panel:
    speed = speeds(table)
    lines = [
        _aggregate(
            f"{name}, belief" if belief else name,
            game,
            hidden_search(name, "ist", belief=belief),
            speed[name],
            (0.1, 0.4),
        )
        for name in HIDDEN
        for belief in ((False,) if name == "OOS" else (False, True))
    ]
    return Panel(
        "matches",
        "In matches, by the aggregate method",
        tuple(lines),
        "seconds a move of the thesis' machine",
        log_x=False,
    )


_EXPLORATIONS: Final = (0.2, 0.4, 0.6, 0.8)
_TARGETINGS: Final = (0.5, 0.9, 1.0)


def _parameters(game: str, table: str, targeting: str) -> Panel:
    """OOS with several amounts of exploration and targeting."""
    lines = [
        _aggregate(
            _named(exploration, delta),
            game,
            f"oos(epsilon={exploration:g},gamma=0.01,delta={delta:g},targeting={targeting},"
            "weighting=false)",
            speeds(table)["OOS"],
            (0.1, 0.4),
        )
        for delta in _TARGETINGS
        for exploration in _EXPLORATIONS
    ]
    return Panel(
        "",
        "OOS in matches, by the aggregate method",
        tuple(lines),
        "seconds a move of the thesis' machine",
        log_x=False,
    )


def _named(exploration: float, delta: float) -> str:
    return f"exploration {exploration:g}, targeting {delta:g}"


# --- what the text says ---


def _goofspiel_tests() -> tuple[Test, ...]:
    with_belief = tuple(f"{name}, belief" for name in _MCTS)
    return (
        lower_throughout("oos-fastest-root", "root", "OOS", _MCTS),
        rises_again("ruct-rises-root", "root", "RUCT", after=20.0),
        rises_again("uct-rises-sooner-root", "root", "UCT", after=2.0),
        under("oos-below-0.1-aggregate", "matches", "OOS", 0.1, at=1.6),
        lower("oos-lowest-0.1s-aggregate", "matches", "OOS", (*_MCTS, *with_belief), at=0.1),
        all_hold(
            "belief-worse-when-short",
            [lower("", "matches", name, (f"{name}, belief",), at=0.1) for name in _MCTS],
        ),
        all_hold(
            "belief-better-when-long",
            [lower("", "matches", f"{name}, belief", (name,), at=1.6) for name in _MCTS],
        ),
        lower(
            "lowest-ismcts-is-ruct-belief",
            "matches",
            "RUCT, belief",
            ("UCT", "RUCT", "EXP3", "RM", "UCT, belief"),
            at=0.8,
        ),
    )


def _poker_tests() -> tuple[Test, ...]:
    return (
        lower_throughout("oos-lowest-after-0.5s-root", "root", "OOS", _MCTS, after=0.5),
        alike("uct-and-ruct-alike-root", "root", "UCT", "RUCT"),
        rises_again("uct-gets-worse-root", "root", "UCT", "RUCT"),
        rises_at_first("rises-at-first-root", "root", *HIDDEN, until=2.0),
        all_hold(
            "others-alike-aggregate",
            [
                alike("", "matches", "OOS", name, share=0.5)
                for name in ("RUCT", "UCT", "EXP3", "RM", "UCT, belief", "RUCT, belief")
            ],
        ),
        all_hold(
            "rm-and-exp3-better-late-root",
            [lower("", "root", name, ("UCT", "RUCT"), at=_SECONDS) for name in ("RM", "EXP3")],
        ),
        all_hold(
            "exp3-and-rm-belief-worst-aggregate",
            [
                lower("", "matches", name, ("EXP3, belief", "RM, belief"))
                for name in ("OOS", "RUCT", "UCT", "EXP3", "RM", "UCT, belief", "RUCT, belief")
            ],
        ),
    )


def _lines_of(delta: float) -> list[str]:
    return [_named(exploration, delta) for exploration in _EXPLORATIONS]


def _parameters_goofspiel() -> tuple[Test, ...]:
    by_exploration, by_targeting = _lines_of(0.9), [_named(0.4, delta) for delta in _TARGETINGS]
    return (
        moves_more("exploration-matters-more", "", by_exploration, by_targeting),
        lower(
            "exploration-0.4-best-long",
            "",
            _named(0.4, 0.9),
            [_named(exploration, 0.9) for exploration in (0.2, 0.6, 0.8)],
            at=1.6,
        ),
        lower("targeting-helps-when-short", "", _named(0.4, 1.0), (_named(0.4, 0.5),), at=0.1),
        lower(
            "targeting-0.5-best-1.6s",
            "",
            _named(0.4, 0.5),
            (_named(0.4, 0.9), _named(0.4, 1.0)),
            at=1.6,
        ),
    )


def _parameters_poker() -> tuple[Test, ...]:
    by_exploration, by_targeting = _lines_of(0.9), [_named(0.4, delta) for delta in _TARGETINGS]
    return (
        moves_more("targeting-matters-more", "", by_targeting, by_exploration),
        lower("targeting-helps-when-short", "", _named(0.4, 1.0), (_named(0.4, 0.5),), at=0.1),
        all_hold(
            "strong-targeting-best-long",
            [
                lower("", "", _named(0.4, delta), (_named(0.4, 0.5),), at=1.6)
                for delta in (0.9, 1.0)
            ],
        ),
    )
