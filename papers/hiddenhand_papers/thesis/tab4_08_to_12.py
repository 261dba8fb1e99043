"""Tables 4.8 to 4.12 of Lisy's thesis: matches of games with hidden information.

Each search may make as many iterations at a move as the thesis' machine made in the printed time,
by the iterations per second that it printed for the small games. For the large games it printed
none, and those of the small games are taken.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from hiddenhand_papers.experiment import Experiment
from hiddenhand_papers.play import Contestants
from hiddenhand_papers.thesis.budgets import speeds
from hiddenhand_papers.thesis.claims import Side, above, alike_cells, level, nearer, not_below
from hiddenhand_papers.thesis.players import HIDDEN, hidden_search, with_budgets
from hiddenhand_papers.thesis.sections import Composite, Section, Test

_MCTS: Final = ("RUCT", "UCT", "EXP3", "RM")
_BUDGETS: Final = (
    "Each search makes at each move as many iterations as the thesis' machine made in the printed "
    "time. An iteration of OOS here is two of the thesis. There is no pre-play.",
    "OOS aims at information sets with probability 0.9, and explores with 0.4. UCT draws its moves "
    "by visits.",
)
_LARGE: Final = "For the large game no speeds are printed; those of the small one are taken."


def experiments() -> Iterator[Experiment]:
    """The experiments of this module."""
    goofspiel = speeds("ii-goofspiel6")
    yield Composite(
        "thesis",
        "tab4.8",
        "Matches of II-Goofspiel(6)",
        _BUDGETS,
        sections=(
            _section("0.1s", "IIGS0(6)", goofspiel, 0.1, 10),
            _section("1s", "IIGS0(6)", goofspiel, 1.0, 2),
            _section("belief-1s", "IIGS0(6)", goofspiel, 1.0, 2, rows=True, columns=True),
        ),
        tests=_goofspiel6_tests(),
    )
    yield Composite(
        "thesis",
        "tab4.9",
        "Matches of II-Goofspiel(13)",
        (*_BUDGETS, _LARGE),
        sections=(
            _section("1s", "IIGS0(13)", goofspiel, 1.0, 2),
            _section("belief-1s", "IIGS0(13)", goofspiel, 1.0, 2, rows=True, columns=True),
        ),
        tests=_goofspiel13_tests(),
    )
    poker, small, large = speeds("poker3322"), "GP(3,3,2,2)", "GP(4,6,4,4)"
    yield Composite(
        "thesis",
        "tab4.10",
        "Matches of Generic Poker(3,3,2,2)",
        _BUDGETS,
        sections=(
            _section("0.1s", small, poker, 0.1, 10, value_of=small),
            _section("1s", small, poker, 1.0, 2, value_of=small),
            _section("belief-1s", small, poker, 1.0, 2, columns=True, value_of=small, last=False),
        ),
        tests=_poker_tests(),
    )
    yield Composite(
        "thesis",
        "tab4.11",
        "Matches of Generic Poker(4,6,4,4)",
        (
            *_BUDGETS,
            _LARGE,
            "Payoffs are compared with the value of the small game, -0.1114 for the first player; "
            "the thesis says that both values are practically the same.",
        ),
        sections=(
            _section("1s", large, poker, 1.0, 2, value_of=small),
            _section("belief-1s", large, poker, 1.0, 2, rows=True, columns=True, value_of=small),
        ),
        tests=_large_poker_tests(),
    )
    phantom = speeds("phantom-ttt-centre")
    yield Composite(
        "thesis",
        "tab4.12",
        "Matches of Phantom Tic-Tac-Toe",
        (
            *_BUDGETS,
            "Speeds are those of the game with forced first moves.",
            "The thesis' program always takes a win that the player can see, which its text does "
            "not say. The second reading does so, for the random player, too. The cell of two "
            "random players tells the two readings apart.",
            "Match number 1 has the same seeds in all cells, so the cells of a row err together "
            "while there are few matches.",
        ),
        sections=tuple(
            replace(
                _section(name, game, phantom, seconds, evening, rows=True, columns=True),
                reading=reading,
            )
            for game, reading in (
                ("phantom_ttt", "the rules of the text"),
                ("phantom_ttt(forced_wins=true)", "wins that a player can see are forced"),
            )
            for name, seconds, evening in (("0.1s", 0.1, 4), ("1s", 1.0, 2))
        ),
        tests=_phantom_tests(),
    )


def _section(
    name: str,
    game: str,
    per_second: Mapping[str, float],
    seconds: float,
    evening: int,
    *,
    rows: bool = False,
    columns: bool = False,
    value_of: str = "",
    last: bool = True,
) -> Section:
    """A table of matches.

    rows: whether the players in the first seat model beliefs; ``columns`` is for the second seat.
    value_of: see `Section`.
    last: whether OOS and the random player sit in the second seat, too.
    """
    second = _players(per_second, seconds, belief=columns)
    if not last:
        second = tuple(pair for pair in second if pair[0] in _MCTS)
    return Section(
        name,
        (game,),
        _players(per_second, seconds, belief=rows),
        second,
        1000,
        evening,
        value_of=value_of,
        at_once=2,
        seconds=seconds,
    )


def _players(per_second: Mapping[str, float], seconds: float, *, belief: bool) -> Contestants:
    searches = {name: hidden_search(name, "ist", belief=belief) for name in HIDDEN}
    return with_budgets(searches, per_second, seconds)


def _goofspiel6_tests() -> tuple[Test, ...]:
    return (
        above("ismcts-favours-first", *((Side("0.1s", (name,), _MCTS), 50.0) for name in _MCTS)),
        above(
            "oos-best-second-seat",
            *(
                (Side("0.1s", _MCTS, ("OOS",), flip=True), Side("0.1s", _MCTS, (other,), flip=True))
                for other in _MCTS
            ),
        ),
        not_below(
            "exp3-best-first-seat",
            *(
                (Side("0.1s", ("EXP3",), _MCTS), Side("0.1s", (other,), _MCTS))
                for other in ("RUCT", "UCT", "RM")
            ),
        ),
        level("beliefs-level-all", "belief-1s", HIDDEN, HIDDEN),
        alike_cells(
            "time-changes-little",
            *(
                (Side("0.1s", (row,), (column,)), Side("1s", (row,), (column,)))
                for row in HIDDEN
                for column in HIDDEN
            ),
        ),
    )


def _goofspiel13_tests() -> tuple[Test, ...]:
    return (
        above(
            "oos-poor",
            *((Side("1s", ("OOS",), (other,), flip=True), 70.0) for other in _MCTS),
            (Side("1s", _MCTS, ("OOS",)), Side("1s", _MCTS, _MCTS)),
        ),
        not_below(
            "exp3-best-against-uct",
            *(
                (Side("1s", ("EXP3",), ("RUCT", "UCT")), Side("1s", (other,), ("RUCT", "UCT")))
                for other in ("RUCT", "UCT", "RM")
            ),
        ),
        not_below(
            "rm-loses-least-second-seat",
            *(
                (Side("1s", _MCTS, ("RM",), flip=True), Side("1s", _MCTS, (other,), flip=True))
                for other in ("RUCT", "UCT", "EXP3")
            ),
        ),
        nearer("beliefs-nearer-to-half", "belief-1s", "1s", _MCTS, _MCTS),
    )


def _poker_tests() -> tuple[Test, ...]:
    return (
        above("all-beat-random", *((Side("0.1s", (name,), ("RAND",)), 0.0) for name in HIDDEN)),
        above(
            "rm-beats-ruct-and-exp3-0.1s",
            *((Side("0.1s", ("RM",), (other,)), 0.0) for other in ("RUCT", "EXP3")),
        ),
        above(
            "rm-beats-ruct-and-uct-1s",
            *((Side("1s", ("RM",), (other,)), 0.0) for other in ("RUCT", "UCT")),
        ),
        level("most-not-significant", "0.1s", HIDDEN, HIDDEN),
    )


def _large_poker_tests() -> tuple[Test, ...]:
    return (
        above(
            "second-seat-better",
            *((Side("1s", (name,), (name,), flip=True), 0.0) for name in HIDDEN),
        ),
        above(
            "oos-worst",
            *(
                (Side("1s", (other,), _MCTS), Side("1s", ("OOS",), _MCTS))
                for other in ("RUCT", "UCT", "RM")
            ),
            (Side("1s", ("RM",), ("OOS",)), 0.0),
        ),
        above("rm-beats-oos-first-seat", (Side("1s", ("RM",), ("OOS",)), 0.0)),
    )


def _phantom_tests() -> tuple[Test, ...]:
    return (
        above("favours-first", *((Side("0.1s", (name,), (name,)), 70.0) for name in HIDDEN)),
        above(
            "uct-worst",
            *(
                (Side("0.1s", (other,), HIDDEN), Side("0.1s", ("UCT",), HIDDEN))
                for other in ("OOS", "RUCT", "EXP3", "RM")
            ),
        ),
        alike_cells(
            "rm-and-exp3-alike-first-seat",
            (Side("0.1s", ("RM",), HIDDEN), Side("0.1s", ("EXP3",), HIDDEN)),
        ),
        nearer("differences-smaller-1s", "1s", "0.1s", HIDDEN, HIDDEN),
    )
