"""Figures 4.6 to 4.10 of Lisy's thesis: convergence on small games with simultaneous moves, and
matches of the same games.

The thesis ran 20 searches of 500 seconds from the root. The horizontal axes are in seconds of its
machine: iterations divided by the iterations per second that it printed. The tables of matches in
these figures are pictures, whose numbers are not in its text; what the text says of them is tested.
Information sets that a search does not know play a fixed action, except in the second reading of
Fig. 4.9.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from hiddenhand_papers.curves import Line, RootLine
from hiddenhand_papers.experiment import Experiment
from hiddenhand_papers.thesis.budgets import speeds
from hiddenhand_papers.thesis.claims import (
    Side,
    above,
    all_hold,
    level,
    lower,
    lower_throughout,
    not_below,
    over,
    under,
)
from hiddenhand_papers.thesis.players import OPEN, open_search, with_budgets
from hiddenhand_papers.thesis.sections import Composite, Panel, Points, Readings, Section, Test

SECONDS: Final = 512.0
"""The thesis searched for 500 seconds; looks are at powers of two."""

_DOUBLINGS: Final = 14
_SHORTER: Final = 6  # 8 seconds at the scale evening
_MATCH_SECONDS: Final = 0.5
_CONVERGENCE: Final = {"OOS": 0.6, "EXP3": 0.1, "RM": 0.1}
_SETUP: Final = (
    "Curves: 20 searches for each line and 512 seconds at the scale paper, 2 and 8 seconds at "
    "evening; seconds are those of the thesis' machine, by the iterations per second that it "
    "printed.",
    "An iteration of OOS here is two of the thesis. Exploration is 0.6 for OOS and 0.1 for Exp3 "
    "and RM. DUCT shows its frequencies of visits.",
    "Matches: 0.5 second a move, with the exploration of the large games.",
)


def experiments() -> Iterator[Experiment]:
    """The experiments of this module."""
    yield _figure(
        "fig4.6",
        "Convergence and matches of Goofspiel(5)",
        ("goofspiel(num_cards=5,lowest_card=0)",),
        "goofspiel5",
        (5.0, 2.0),
        1.0,
        _goofspiel_tests(),
        extra=(_unrandomised(),),
    )
    yield _figure(
        "fig4.7",
        "Convergence and matches of Oshi-Zumo(10,3,1)",
        ("oshi_zumo(coins=10,size=3,min_bid=1)",),
        "oshi-zumo10",
        (2.0,),
        1.0,
        _oshi_zumo_tests(),
        final=("OOS", "DUCT", "EXP3"),
    )
    yield _figure(
        "fig4.8",
        "Convergence and matches of a random game",
        ("random_game(actions=4,depth=5)",),
        "random4x5",
        (12.0,),
        5.0,
        _random_tests(),
    )
    pursuit = _figure(
        "fig4.9",
        "Convergence and matches of pursuit-evasion on 4 x 4 squares",
        PURSUIT,
        "pursuit4",
        (2.0,),
        1.0,
        _pursuit_tests(),
        final=("DUCT", "RM"),
    )
    yield Readings(
        "thesis",
        pursuit.item,
        pursuit.title,
        (*_SETUP, *_STARTS),
        readings=(
            ("curves from a start of the matches", pursuit),
            ("curves from another start, unknown sets play at random", _elsewhere(pursuit)),
        ),
    )
    yield _figure(
        "fig4.10",
        "Convergence and matches of Tron on 5 x 6 squares",
        ("tron(rows=5,columns=6)",),
        "tron5x6",
        (5.0,),
        1.0,
        _tron_tests(),
        final=("RM", "EXP3", "DUCT"),
    )


PURSUIT: Final = tuple(
    f'pursuit_evasion(rows=4,columns=4,moves=4,evader=a1,pursuers="{pursuers}")'
    for pursuers in ("b2 d4", "b2 c4")
)
"""The thesis names neither of its starting positions. These have no pure equilibrium, as it
demands, and favour the pursuer, as its matches do: their values are -0.875 and -0.667 for the
evader.
"""

OTHER_START: Final = 'pursuit_evasion(rows=4,columns=4,moves=4,evader=a1,pursuers="a4 d4")'
"""A start without a pure equilibrium, too; the value is 0.333 for the evader. It was chosen because
DUCT and RM end near the printed values there. The thesis does not say that its curves are from a
start of its matches.
"""

_STARTS: Final = (
    "How exploitable DUCT is in the end depends on the start, which is not printed, and on what is "
    "played in information sets that it does not know. The other start was chosen because DUCT "
    "and RM end near the printed values there. So these values agree by choice.",
)


def _line(name: str, game: str, search: str, per_second: float) -> RootLine:
    return RootLine(name, game, search, per_second, SECONDS, _DOUBLINGS, _SHORTER, 20, 2)


def _figure(
    item: str,
    title: str,
    games: tuple[str, ...],
    table: str,
    constants: tuple[float, ...],
    game_scale: float,
    tests: tuple[Test, ...],
    *,
    extra: tuple[RootLine, ...] = (),
    final: tuple[str, ...] = (),
) -> Composite:
    """A figure.

    games: the names of the games, or of its starting positions; the first is searched.
    table: the table of printed speeds.
    constants: the exploration of the lines of DUCT; the first is called just DUCT.
    game_scale: the largest payoff of the game.
    extra: more lines.
    final: the lines whose last value the thesis prints.
    """
    speed, game = speeds(table), games[0]
    lines = [
        _line(name, game, open_search(name, gamma), speed[name])
        for name, gamma in _CONVERGENCE.items()
    ]
    for number, constant in enumerate(constants):
        name = f"DUCT, C = {constant:g}" if number else "DUCT"
        search = open_search("DUCT", constant, game_scale=game_scale)
        lines.append(_line(name, game, search, speed["DUCT"]))
    searches = {name: open_search(name) for name in OPEN}
    if game_scale > 1:
        searches["DUCT"] = open_search("DUCT", constants[0], game_scale=game_scale)
    players = with_budgets(searches, speed, _MATCH_SECONDS)[:-1]
    section = Section(
        "matches", games, players, players, 1000, 8, at_once=4, seconds=_MATCH_SECONDS
    )
    panel = Panel("", title, (*lines, *extra))
    points = tuple(
        Points(
            "final",
            "exploitability",
            tuple((name, "", name, SECONDS) for name in final),
        )
        for _ in final[:1]
    )
    return Composite("thesis", item, title, _SETUP, (panel,), (section,), points, tests)


def _elsewhere(figure: Composite) -> Composite:
    """The same figure, with lines of searches from `OTHER_START`, which play uniformly at random in
    information sets that they do not know.
    """

    def moved(line: Line) -> Line:
        assert isinstance(line, RootLine)
        return replace(line, game=OTHER_START, unseen="uniform")

    panels = [replace(panel, lines=tuple(map(moved, panel.lines))) for panel in figure.panels]
    return replace(figure, panels=tuple(panels))


def _unrandomised() -> RootLine:
    """DUCT that takes the first of equally good actions."""
    search = "sm-mcts(selector=duct,exploration=5,ties=first)"
    game = "goofspiel(num_cards=5,lowest_card=0)"
    return _line("DUCT, first of ties", game, search, speeds("goofspiel5")["DUCT"])


_OTHERS: Final = ("DUCT", "EXP3", "RM")


def _goofspiel_tests() -> tuple[Test, ...]:
    return (
        lower_throughout("oos-fastest", "", "OOS", _OTHERS),
        lower("rm-second", "", "RM", ("DUCT", "EXP3")),
        under("exp3-near-zero", "", "EXP3", 0.1, at=SECONDS),
        over("duct-stays-above-0.35", "", "DUCT", 0.35, at=256.0),
        lower("duct-c5-best", "", "DUCT", ("DUCT, C = 2",), at=SECONDS),
        over("duct-unrandomised-above-0.5", "", "DUCT, first of ties", 0.5),
        level("matches-level", "matches", OPEN, OPEN),
    )


def _oshi_zumo_tests() -> tuple[Test, ...]:
    return (
        lower("oos-lowest-at-the-end", "", "OOS", _OTHERS, at=SECONDS),
        over("rm-slightly-over-1", "", "RM", 1.0, at=SECONDS),
        lower("order-at-the-end", "", "RM", ("DUCT", "EXP3"), at=SECONDS),
        above(
            "matches-oos-best",
            *((Side("matches", ("OOS",), (other,)), 50.0) for other in _OTHERS),
            (Side("matches", ("RM",), ("DUCT", "EXP3")), 50.0),
        ),
        above(
            "matches-exp3-worst",
            *((Side("matches", (other,), ("EXP3",)), 50.0) for other in ("OOS", "DUCT", "RM")),
        ),
    )


def _random_tests() -> tuple[Test, ...]:
    return (
        lower("oos-lowest-at-the-end", "", "OOS", _OTHERS, at=SECONDS),
        lower("rm-better-in-first-second", "", "RM", ("OOS",), at=0.5),
        lower("exp3-beats-duct-late", "", "EXP3", ("DUCT",), at=SECONDS),
        _worst("exp3-worst-at-first", until=0.5),
        level("matches-level", "matches", OPEN, OPEN),
    )


def _pursuit_tests() -> tuple[Test, ...]:
    own = tuple((search, search) for search in OPEN)
    return (
        under("oos-near-zero", "", "OOS", 0.1, at=SECONDS),
        lower("duct-and-rm-ahead-at-first", "", "RM", ("OOS",), at=0.25),
        lower("exp3-beats-duct-after-50s", "", "EXP3", ("DUCT",), at=64.0),
        above(
            "matches-favour-pursuer",
            *((Side("matches", (row,), (column,), flip=True), 50.0) for row, column in own),
        ),
        above(
            "duct-best-evader",
            *(
                (Side("matches", ("DUCT",), OPEN), Side("matches", (other,), OPEN))
                for other in ("OOS", "EXP3", "RM")
            ),
        ),
        not_below(
            "exp3-among-worst",
            *(
                pair
                for other in ("OOS", "RM")
                for pair in (
                    (Side("matches", (other,), OPEN), Side("matches", ("EXP3",), OPEN)),
                    (
                        Side("matches", OPEN, (other,), flip=True),
                        Side("matches", OPEN, ("EXP3",), flip=True),
                    ),
                )
            ),
        ),
    )


def _tron_tests() -> tuple[Test, ...]:
    return (
        under("oos-near-zero", "", "OOS", 0.05, at=256.0),
        lower("duct-ahead-in-first-10s", "", "DUCT", ("RM", "EXP3"), at=4.0),
        above("matches-duct-beats-oos", (Side("matches", ("DUCT",), ("OOS",)), 50.0)),
        above(
            "matches-exp3-worst",
            *((Side("matches", (other,), ("EXP3",)), 50.0) for other in ("OOS", "DUCT", "RM")),
        ),
    )


def _worst(check: str, until: float) -> Test:
    """Exp3 is above all other lines until some time."""
    tests = [
        lower_throughout(check, "", other, ("EXP3",), until=until)
        for other in ("OOS", "DUCT", "RM")
    ]
    return all_hold(check, tests)
