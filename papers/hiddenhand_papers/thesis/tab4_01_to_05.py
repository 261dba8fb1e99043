"""Tables 4.1 to 4.5 of Lisy's thesis: matches of large games with simultaneous moves.

Each search may make as many iterations at a move as the thesis' machine made in the printed time
from the root (Table 4.7). Later in a match that machine was faster. Where the thesis does not say
how a game is set up, the words of the experiment say what was taken.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from hiddenhand_papers.experiment import Experiment
from hiddenhand_papers.thesis.budgets import large_speeds
from hiddenhand_papers.thesis.claims import Side, above, nearer, not_below
from hiddenhand_papers.thesis.players import OPEN, open_search, with_budgets
from hiddenhand_papers.thesis.sections import Composite, Section, Test

GOOFSPIEL: Final = "goofspiel(num_cards=13,lowest_card=0)"
OSHI_ZUMO: Final = "oshi_zumo(coins=50,size=3,min_bid=1)"
TRON: Final = "tron(rows=13,columns=13)"
_MOST_VISITED: Final = "DUCT makes the most visited move"
_MIXES: Final = "DUCT draws its moves by visits"
_ALIKE: Final = "all evaluate alike"
_BUDGETS: Final = (
    "Each search makes at each move as many iterations as the thesis' machine made in the printed "
    "time from the root (Table 4.7). An iteration of OOS here is two of the thesis."
)
_TWO_WAYS: Final = (
    "The thesis names two ways in which DUCT makes its move, and does not say which one its "
    "matches have: the most visited move, or a move drawn by visits. The scale evening has the "
    "first way only."
)
_LATER: Final = (
    "Where an evaluation replaces playouts, the thesis' program let RM make one more random joint "
    "move before it evaluated, and DUCT make the most visited move. So tables with an evaluation "
    "are the same in the reading in which DUCT draws its moves. In another reading, which is not "
    "run at the scale evening, all evaluate alike."
)
_MCTS: Final = ("DUCT", "EXP3", "RM")


def random_orders(count: int) -> tuple[str, ...]:
    """Goofspiel with 13 cards and point cards in some random orders, drawn once for all."""
    rng = np.random.default_rng(2014)
    orders = [rng.permutation(13) for _ in range(count)]
    listed = (",".join(map(str, order)) for order in orders)
    return tuple(
        f"goofspiel(num_cards=13,lowest_card=0,points_order=given,points=[{order}])"
        for order in listed
    )


def open_section(
    name: str,
    games: tuple[str, ...],
    domain: str,
    seconds: float,
    evening: int,
    *,
    reading: str = "",
    evaluation: bool = False,
    step: bool = True,
    exploration: float | None = None,
    game_scale: float = 1.0,
    matches: int = 1000,
    mixes: bool = False,
) -> Section:
    """A table of matches between the searches of games with simultaneous moves.

    domain: the column of Table 4.7 that has the budgets.
    seconds: the printed time for each move.
    step: see `open_search`; ``exploration``, ``game_scale`` and ``mixes`` are for DUCT only.
    """
    searches = {
        search: open_search(
            search,
            exploration if search == "DUCT" else None,
            evaluation=evaluation,
            step=step,
            game_scale=game_scale,
            mixes=mixes,
        )
        for search in OPEN
    }
    players = with_budgets(searches, large_speeds(domain), seconds)
    return Section(
        name,
        games,
        players,
        players,
        matches,
        evening,
        reading,
        in_evening=step and not mixes,
        drawn=len(games) > 1,
        seconds=seconds,
    )


def experiments() -> Iterator[Experiment]:
    """The experiments of this module."""
    yield _table(
        "tab4.1",
        "Matches of Goofspiel(13)",
        _goofspiel(),
        _goofspiel_tests(),
        (
            _BUDGETS,
            "Cards are worth 0 to 12. The five random orders were drawn once for all.",
            _TWO_WAYS,
        ),
    )
    yield _table(
        "tab4.2",
        "Matches of Oshi-Zumo(50,3,1)",
        _oshi_zumo(),
        _oshi_zumo_tests(),
        (
            _BUDGETS,
            _TWO_WAYS,
            _LATER,
        ),
    )
    yield _table(
        "tab4.3",
        "Matches of random games with 5 actions and depth 15",
        _random(),
        _random_tests(),
        (
            _BUDGETS,
            "The ten games have the seeds 0 to 9. Searches see the sum of the steps as the "
            "payoff; the exploration of DUCT is 12, which the thesis says of the small random "
            "game.",
            _TWO_WAYS,
        ),
    )
    yield _table(
        "tab4.4",
        "Matches of pursuit-evasion on 10 x 10 squares",
        _pursuit(),
        _pursuit_tests(),
        (
            _BUDGETS,
            "The ten starting positions are drawn from the seeds 0 to 9, as the thesis drew its "
            "own.",
            _TWO_WAYS,
        ),
    )
    yield _table(
        "tab4.5",
        "Matches of Tron on 13 x 13 squares",
        _tron(),
        _tron_tests(),
        (
            _BUDGETS,
            _TWO_WAYS,
            _LATER,
        ),
    )


def _table(
    item: str,
    title: str,
    sections: tuple[Section, ...],
    tests: tuple[Test, ...],
    setup: tuple[str, ...],
) -> Composite:
    return Composite("thesis", item, title, setup, sections=sections, tests=tests)


# --- readings ---


def _both_ways(
    games: tuple[str, ...],
    domain: str,
    sizes: Iterable[tuple[str, float, int]],
    *,
    exploration: float | None = None,
    game_scale: float = 1.0,
    matches: int = 1000,
) -> Iterator[Section]:
    """Tables in both ways in which DUCT may make its move. Each size is the name of a table, the
    printed time, and the number of matches at the scale ``evening``.
    """
    for reading, mixes in ((_MOST_VISITED, False), (_MIXES, True)):
        for name, seconds, evening in sizes:
            yield open_section(
                name,
                games,
                domain,
                seconds,
                evening,
                reading=reading,
                exploration=exploration,
                game_scale=game_scale,
                matches=matches,
                mixes=mixes,
            )


def _with_evaluation(game: str, domain: str, evening: int) -> Iterator[Section]:
    """Tables of a game without evaluation and with it, in all readings.

    domain: the column of Table 4.7 without evaluation.
    evening: how many matches the tables of a second have at the scale ``evening``.
    """
    sizes = ("1s", 1.0, evening), ("5s", 5.0, 1)
    for reading, mixes, step in (
        (_MOST_VISITED, False, True),
        (_ALIKE, False, False),
        (_MIXES, True, True),
    ):
        for name, seconds, count in sizes:
            yield open_section(name, (game,), domain, seconds, count, reading=reading, mixes=mixes)
        for name, seconds, count in sizes:
            yield open_section(
                f"eval-{name}",
                (game,),
                f"{domain}E",
                seconds,
                count,
                reading=reading,
                evaluation=True,
                step=step,
            )


# --- Goofspiel ---


def _goofspiel() -> tuple[Section, ...]:
    return (
        *_both_ways((GOOFSPIEL,), "GS", (("1s", 1.0, 2), ("5s", 5.0, 1))),
        *_both_ways(random_orders(5), "GS", (("random-1s", 1.0, 5),), matches=5000),
    )


def _goofspiel_tests() -> tuple[Test, ...]:
    return (
        above(
            "oos-loses-1s",
            *((Side("1s", ("OOS",), (other,), flip=True), 50.0) for other in _MCTS),
            *((Side("1s", (other,), ("OOS",)), 50.0) for other in _MCTS),
        ),
        above("oos-better-5s", (Side("5s", ("OOS",), _MCTS), Side("1s", ("OOS",), _MCTS))),
        above(
            "rm-wins-against-exp3",
            *((Side(table, ("RM",), ("EXP3",)), 50.0) for table in ("1s", "5s", "random-1s")),
        ),
        above("rand-does-reasonably", (Side("1s", ("RAND",), OPEN), 20.0)),
    )


# --- Oshi-Zumo ---


def _oshi_zumo() -> tuple[Section, ...]:
    return tuple(_with_evaluation(OSHI_ZUMO, "Oshi", 2))


def _oshi_zumo_tests() -> tuple[Test, ...]:
    others = ("OOS", "DUCT", "EXP3")
    return (
        above("rm-strongest-1s", *((Side("1s", ("RM",), (other,)), 50.0) for other in others)),
        above(
            "exp3-weakest-1s",
            *(
                (Side("1s", ("EXP3",), (other,), flip=True), 50.0)
                for other in ("OOS", "DUCT", "RM")
            ),
        ),
        above("all-beat-random", *((Side("1s", (search,), ("RAND",)), 80.0) for search in OPEN)),
        above("same-order-5s", *((Side("5s", ("RM",), (other,)), 50.0) for other in others)),
        above(
            "duct-best-with-evaluation",
            *(
                (Side(table, ("DUCT",), (other,)), 50.0)
                for table in ("eval-1s", "eval-5s")
                for other in ("OOS", "EXP3", "RM")
            ),
        ),
        above("exp3-above-rm-with-evaluation", (Side("eval-5s", ("EXP3",), ("RM",)), 50.0)),
    )


# --- random games ---


def _random() -> tuple[Section, ...]:
    games = tuple(f"random_game(actions=5,depth=15,seed={seed})" for seed in range(10))
    sizes = ("1s", 1.0, 2), ("5s", 5.0, 1)
    return tuple(_both_ways(games, "Rand", sizes, exploration=12.0, game_scale=15.0))


def _random_tests() -> tuple[Test, ...]:
    return (
        above("oos-loses-to-all", *((Side("1s", (other,), ("OOS",)), 50.0) for other in _MCTS)),
        not_below(
            "rm-and-exp3-above-duct",
            (Side("1s", ("RM",), ("DUCT",)), 50.0),
            (Side("1s", ("EXP3",), ("DUCT",)), 50.0),
        ),
        nearer("differences-smaller-5s", "5s", "1s", _MCTS, _MCTS),
    )


# --- pursuit-evasion ---


def _pursuit() -> tuple[Section, ...]:
    games = tuple(
        f"pursuit_evasion(rows=10,columns=10,moves=15,start_seed={seed})" for seed in range(10)
    )
    return tuple(_both_ways(games, "PE", (("1s", 1.0, 5), ("5s", 5.0, 3))))


def _pursuit_tests() -> tuple[Test, ...]:
    own = tuple((search, search) for search in OPEN)
    return (
        above("favours-evader", *((Side("1s", (row,), (column,)), 50.0) for row, column in own)),
        above(
            "rm-best-pursuer",
            *(
                (Side("1s", OPEN, ("RM",), flip=True), Side("1s", OPEN, (other,), flip=True))
                for other in ("OOS", "DUCT", "EXP3")
            ),
        ),
        above(
            "oos-weakest-evader",
            *((Side("1s", (other,), OPEN), Side("1s", ("OOS",), OPEN)) for other in _MCTS),
        ),
        above(
            "more-time-helps-pursuer",
            *(
                (Side("5s", (row,), (column,), flip=True), Side("1s", (row,), (column,), flip=True))
                for row, column in own
                if row != "OOS"
            ),
        ),
    )


# --- Tron ---


def _tron() -> tuple[Section, ...]:
    return tuple(_with_evaluation(TRON, "Tron", 1))


def _tron_tests() -> tuple[Test, ...]:
    return (
        above(
            "rm-best",
            *(
                (Side(table, ("RM",), ("OOS", "DUCT", "EXP3")), 50.0)
                for table in ("1s", "5s", "eval-1s", "eval-5s")
            ),
        ),
        above(
            "oos-weakest",
            *((Side(table, _MCTS, ("OOS",)), 50.0) for table in ("1s", "5s", "eval-1s", "eval-5s")),
        ),
        above(
            "duct-weakest-mcts",
            *((Side(table, ("EXP3", "RM"), ("DUCT",)), 50.0) for table in ("1s", "5s")),
        ),
        above(
            "evaluation-helps-oos", (Side("eval-1s", ("OOS",), _MCTS), Side("1s", ("OOS",), _MCTS))
        ),
    )
