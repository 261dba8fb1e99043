"""The experiments of Lisy's thesis: what they are made of, and how sentences are tested."""

from itertools import product
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from hiddenhand.games.random_game import MatrixTree
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.infoset_table import new_table
from hiddenhand.jit.random import below, new_state, seed_sequence
from hiddenhand.search.selection.joint_selectors import make_joint_selector
from hiddenhand.statistics import Interval
from hiddenhand.trees.profile import nash_conv as exact_nash_conv
from hiddenhand.trees.unroll import unroll
from hiddenhand_papers.experiment import EVENING, PAPER, QUICK
from hiddenhand_papers.findings import Curve, checked, lowest
from hiddenhand_papers.play import Contestant, Matches
from hiddenhand_papers.printed import printed
from hiddenhand_papers.thesis import fig4_01_to_03 as thesis_shapes
from hiddenhand_papers.thesis.budgets import large_speeds, speeds
from hiddenhand_papers.thesis.claims import (
    Side,
    above,
    alike,
    alike_cells,
    level,
    lower,
    lower_throughout,
    moves_more,
    nearer,
    not_below,
    over,
    rises_again,
    rises_at_first,
    under,
)
from hiddenhand_papers.thesis.experiments import experiments
from hiddenhand_papers.thesis.fig4_01_to_03 import walk
from hiddenhand_papers.thesis.fig4_04 import GamesLine, RandomTree
from hiddenhand_papers.thesis.fig4_05 import least_exploitable
from hiddenhand_papers.thesis.sec4_1_1 import _saddle_may_mix, next_one
from hiddenhand_papers.thesis.sections import Found, Points, Readings, Section, Test, near
from hiddenhand_papers.thesis.small_trees import (
    Method,
    all_games,
    matrices,
    mean_exploitability,
    nash_conv,
)
from hiddenhand_papers.thesis.tab4_07 import _DOMAINS, TreeDepth, node_depths
from hiddenhand_papers.thesis.tab4_07 import _checks as depths_checked
from hiddenhand_papers.units import Result, Unit

EXPERIMENTS = {experiment.item: experiment for experiment in experiments()}


plain_nash_conv: Any = nash_conv.py_func  # type: ignore[attr-defined]


# --- what is run ---


TABLES = [name for name in EXPERIMENTS if name.startswith("tab") and name != "tab4.7"]


@pytest.mark.parametrize("item", TABLES)
def test_tables_have_a_match_for_each_cell_at_the_smallest_scale(item: str) -> None:
    """OOS and the random player have no beliefs, so tables with and without share their cells."""
    experiment = EXPERIMENTS[item]
    units = [unit for unit in experiment.units(QUICK) if isinstance(unit, Matches)]
    tables = printed("thesis").items[item].tables
    cells = sum(len(table.cells) for table in tables)
    settings = {(unit.game, unit.first, unit.second) for unit in units}
    assert len(settings) >= cells - 4 * len(tables)
    assert len({setting[1:] for setting in settings}) <= cells
    assert not experiment.findings({}).grids


def test_evening_results_are_part_of_larger_scales() -> None:
    for item in ("tab4.3", "tab4.8", "tab4.7"):
        few = set(EXPERIMENTS[item].units(EVENING))
        assert few < set(EXPERIMENTS[item].units(PAPER))


def test_budgets_are_what_the_machine_of_the_thesis_did() -> None:
    # Section 4.3.2, and Table 4.7 with 92,000 iterations in 5 seconds
    assert speeds("ii-goofspiel6")["RM"] == 59_000
    assert large_speeds("GS")["RM"] == 18_400
    # an iteration of outcome sampling is two traversals
    assert speeds("ii-goofspiel6")["OOS"] == 16_500
    assert large_speeds("GS")["OOS"] == 7_300
    # the thesis says that the others are as in Goofspiel
    assert speeds("pursuit4")["RM"] == speeds("goofspiel5")["RM"]


# --- sentences about matches ---

STRONG, WEAK = Contestant("random", iterations=2), Contestant("random", iterations=1)
PLAYERS = (("strong", STRONG), ("weak", WEAK))


def played(wins: dict[tuple[str, str], int], count: int = 100) -> Found:
    """Matches of two players, of which the row player wins so many and loses the rest."""
    section = Section("main", ("Kuhn",), PLAYERS, PLAYERS, count, count, at_once=count)
    known = dict(PLAYERS)
    results: dict[Unit, Result] = {
        Matches("Kuhn", known[row], known[column], 0, count): {
            "payoffs": [1.0] * won + [-1.0] * (count - won)
        }
        for (row, column), won in wins.items()
    }
    return Found({}, {"main": section}, results)


WINS = {
    ("strong", "strong"): 50,
    ("strong", "weak"): 90,
    ("weak", "strong"): 15,
    ("weak", "weak"): 55,
}


def side(row: str, column: str, *, flip: bool = False) -> Side:
    return Side("main", (row,), (column,), flip)


def test_cells_are_rates_of_wins() -> None:
    found = played(WINS)
    grid = found.sections["main"].grid(found.results)
    assert grid.observations == 100
    assert {place: round(cell.value, 9) for place, cell in grid.cells.items()} == WINS
    second = found.pool("main", ["weak"], ["strong"], flip=True)
    assert second.value == 85
    both = found.pool("main", ["strong"], ["strong", "weak"])
    assert both.value == 70
    assert both.width < grid.cells["strong", "strong"].width


ABOUT_MATCHES: list[tuple[Test, bool | None]] = [
    (above("", (side("strong", "weak"), 50.0)), True),
    (above("", (side("weak", "strong"), 50.0)), False),
    (above("", (side("weak", "weak"), 50.0)), None),
    (above("", (side("strong", "weak"), 50.0), (side("weak", "weak"), 50.0)), None),
    (above("", (side("strong", "weak"), 50.0), (side("weak", "strong"), 50.0)), False),
    (above("", (side("strong", "weak"), side("weak", "strong"))), True),
    (above("", (side("weak", "strong", flip=True), side("weak", "weak"))), True),
    (not_below("", (side("weak", "weak"), 50.0)), True),
    (not_below("", (side("weak", "strong"), 50.0)), False),
    (level("", "main", ["strong", "weak"], ["strong", "weak"]), False),
    (level("", "main", ["weak"], ["weak"]), True),
    (nearer("", "main", "main", ["strong"], ["weak"]), None),
    (alike_cells("", (side("weak", "weak"), side("strong", "strong"))), True),
    (alike_cells("", (side("weak", "weak"), side("strong", "weak"))), False),
]


def test_sentences_about_matches() -> None:
    found = played(WINS)
    for number, (test, holds) in enumerate(ABOUT_MATCHES):
        check = test(found)
        assert check.holds is holds, (number, check.words)
        assert check.words


def test_sentences_about_matches_that_were_not_played() -> None:
    some = played({("strong", "weak"): 90})
    tests = (
        above("", (side("weak", "weak"), 50.0)),
        above("", (Side("other", ("weak",), ("weak",)), 50.0)),
        level("", "main", ["weak"], ["weak"]),
    )
    assert not list(checked(tests, some))
    few = played({("weak", "weak"): 2}, 4)
    assert [check.holds for check in checked(tests, few)] == [None, None]


# --- sentences about lines ---


def line(name: str, *values: float, half: float = 0.05) -> Curve:
    """A line with a look at 1, 2, 4, ... seconds."""
    points = [(2.0**n, Interval(v, v - half, v + half)) for n, v in enumerate(values)]
    return Curve(name, tuple(points))


ONE_OBSERVATION = Interval(0.5, -inf, inf)
LINES = Found(
    {
        "": {
            curve.name: curve
            for curve in (
                line("falls", 1.0, 0.6, 0.3, 0.1),
                line("slower", 1.2, 0.9, 0.7, 0.4),
                line("rises", 0.8, 0.4, 0.6, 0.9),
                line("short", 1.1, 0.8),
                line("late", 0.5, 0.9, 0.3),
                line("wide", 1.2, 0.9, 0.7, 0.4, half=1.0),
                Curve("sparse", ((1.0, Interval(1.0, 0.95, 1.05)), (8.0, ONE_OBSERVATION))),
                Curve("much later", ((64.0, Interval(0.1, 0.09, 0.11)),)),
            )
        }
    },
    {},
    {},
)


ABOUT_LINES: list[tuple[Test, bool | None]] = [
    (lower("", "", "falls", ["slower", "rises"]), True),
    (lower("", "", "falls", ["rises"], at=1.0), False),
    (lower("", "", "falls", ["wide"]), None),
    (lower("", "", "falls", ["short"], at=8.0), None),
    (lower("", "", "falls", ["short"], at=2.0), True),
    (lower_throughout("", "", "falls", ["slower"]), True),
    (lower_throughout("", "", "slower", ["falls"]), False),
    (lower_throughout("", "", "falls", ["wide"]), None),
    (lower_throughout("", "", "rises", ["falls"], until=2.0), True),
    (lower_throughout("", "", "falls", ["rises"], after=4.0), True),
    (lower_throughout("", "", "falls", ["rises"], after=16.0), None),
    (rises_again("", "", "rises"), True),
    (rises_again("", "", "rises", "falls"), None),
    (rises_again("", "", "rises", after=16.0), None),
    (rises_at_first("", "", "falls", until=4.0), False),
    (rises_at_first("", "", "late", until=4.0), True),
    (rises_at_first("", "", "late", "falls", until=4.0), False),
    (under("", "", "falls", 0.2), True),
    (under("", "", "falls", 0.2, at=2.0), False),
    (under("", "", "falls", 0.2, at=64.0), None),
    (over("", "", "rises", 0.5), True),
    (over("", "", "wide", 0.5), None),
    (alike("", "", "falls", "falls"), None),
    (alike("", "", "falls", "rises"), False),
    (alike("", "", "falls", "sparse"), True),
    (alike("", "", "falls", "much later"), None),
    (moves_more("", "", ["falls", "rises"], ["sparse", "sparse"]), True),
    (moves_more("", "", ["falls", "rises"], ["much later", "slower"]), None),
    (moves_more("", "", ["falls", "rises"], ["slower", "slower"]), True),
    (moves_more("", "", ["slower", "slower"], ["falls", "rises"]), False),
]


def test_sentences_about_lines() -> None:
    found = LINES
    for number, (test, holds) in enumerate(ABOUT_LINES):
        check = test(found)
        assert check.holds is holds, (number, check.words)
        assert check.words


def test_looking_lines_up() -> None:
    curve = LINES.curves[""]["rises"]
    assert lowest(curve).value == 0.4
    found = near(curve, 3.6)
    assert found is not None
    assert found.value == 0.6
    assert near(curve, 100.0) is None


# --- measures ---


def test_readings_share_units_and_name_what_they_show() -> None:
    figure = EXPERIMENTS["fig4.9"]
    assert isinstance(figure, Readings)
    (first, one), (second, other) = figure.readings
    units = list(figure.units(QUICK))
    assert len(units) == len(set(units))
    assert set(units) == {*one.units(QUICK), *other.units(QUICK)}
    matches = [unit for unit in units if isinstance(unit, Matches)]
    results: dict[Unit, Result] = {unit: {"payoffs": [1.0] * unit.count} for unit in matches}
    found, alone = figure.findings(results), one.findings(results)
    assert [grid.reading for grid in found.grids] == [first, second]
    assert {check.reading for check in found.checks} == {first, second}
    assert len(found.checks) == 2 * len(alone.checks) > 0


def test_where_the_next_of_some_values_lies() -> None:
    """Student (1908): the next of n values is mean +- t s sqrt(1 + 1/n)."""
    found = next_one([1.0, 2.0, 3.0])
    assert found.value == 2
    assert found.width / 2 == pytest.approx(4.302653 * np.sqrt(1 + 1 / 3), rel=1e-6)
    assert next_one([7.0]) == Interval(7.0, 7.0, 7.0)


def test_where_mixing_is_one_of_several_optimal_ways() -> None:
    """Matrices with a saddle point, row by row."""
    assert not _saddle_may_mix(2, (0.0, 1.0, -1.0, 0.0))  # one best row and one best column
    assert _saddle_may_mix(2, (1.0, 1.0, 0.0, 0.0))  # both columns are as good
    assert _saddle_may_mix(2, (0.0, 1.0, 0.0, -1.0))  # the second row can have a small part
    assert not _saddle_may_mix(1, (0.0, 1.0, 2.0))


def test_values_that_the_text_gives_are_looked_up_on_lines() -> None:
    table = Points("final", "value", (("a", "", "falls", 4.0), ("b", "", "rises", None)))
    grid = table.grid(LINES.curves)
    assert {place: cell.value for place, cell in grid.cells.items()} == {
        ("a", "value"): 0.3,
        ("b", "value"): 0.4,
    }
    assert not Points("final", "value", (("a", "", "falls", 64.0),)).grid(LINES.curves).cells


def test_depths_of_nodes_follow_their_parents() -> None:
    table = new_table(per_action=1, per_set=1, row_actions=4)
    parents = [-1, 0, 0, 1, 3]  # the numbers of the nodes above
    starts: list[int] = []
    for key, parent in enumerate(parents):
        starts.append(table.add(np.uint64(key + 1), key % 3))
        table.values[starts[-1]] = -1 if parent < 0 else starts[parent]
    assert node_depths(table, only_marks=False).tolist() == [0, 1, 1, 2, 3]
    assert node_depths(table, only_marks=True).tolist() == [0, 2]  # of rows of one number


def test_each_node_of_a_search_with_marks_counts_once_in_depths() -> None:
    game = "random_game(actions=2,depth=3,seed=0)"
    found = TreeDepth(game, "sm-mcts(selector=rm)", iterations=20_000, seed=0).run()
    assert found["nodes"] == 1 + 4 + 16  # all of them, and all were visited again
    assert found["mean"] == pytest.approx((4 * 1 + 16 * 2) / 21)


@pytest.mark.parametrize(("oos", "half", "holds"), [(9, 0, True), (7, 0, False), (9, 5, None)])
def test_depths_that_are_too_uncertain_say_nothing(
    oos: float, half: float, holds: bool | None
) -> None:
    depths = {"OOS": oos, "RM": 10.0, "DUCT": 8.0, "EXP3": 8.0}
    cells = {
        (name, domain): Interval(depth, depth - half, depth + half)
        for name, depth in depths.items()
        for domain in _DOMAINS
    }
    often = {check.name: check.holds for check in depths_checked(cells)}
    assert often["oos-often-deeper-than-mcts"] is holds


def test_a_walk_finds_the_sizes_of_all_information_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thesis_shapes, "_walk", thesis_shapes._walk.py_func)  # type: ignore[attr-defined]
    game = as_sequential(MatrixTree(2, 2, [0.0] * 16))
    tree = unroll(game)
    table, histories = walk(game)
    rows = table.values[: tree.num_sets * 5].reshape(-1, 5)
    counted = dict(zip(table.keys[: tree.num_sets].tolist(), rows[:, 0], strict=True))
    sizes = np.bincount(tree.information_set[tree.information_set >= 0])
    assert histories == tree.num_histories
    assert counted == dict(zip(tree.set_key.tolist(), sizes, strict=True))
    assert np.all(rows[:, 1] == rows[:, 2])  # no set has histories of several depths
    assert np.all(rows[:, 2] == rows[:, 3])


def same_but_for_order(leaves: npt.NDArray[np.float64]) -> set[bytes]:
    """All games that differ from a game in the order of actions, or in who is who."""
    found: set[bytes] = set()
    for game in (leaves, -leaves.transpose(1, 0, 3, 2) + 0.0):
        for rows, columns in product((1, -1), repeat=2):
            turned = game[::rows, ::columns]
            for turns in product(product((1, -1), repeat=2), repeat=4):
                other = turned.copy()
                for (a, b), (up, left) in zip(product(range(2), repeat=2), turns, strict=True):
                    other[a, b] = turned[a, b][::up, ::left]
                found.add(other.tobytes())
    return found


@pytest.mark.slow
def test_the_small_games_are_all_games_once() -> None:
    known = {game.tobytes() for game in all_games()}
    assert len(known) == len(all_games())
    rng = np.random.default_rng(3)
    for _ in range(5):
        leaves = rng.integers(-1, 2, (2, 2, 2, 2)).astype(float)
        assert len(same_but_for_order(leaves) & known) == 1
    assert len(matrices()) == 81


def test_nash_conv_of_small_games_is_that_of_the_tree() -> None:
    rng = np.random.default_rng(4)
    leaves = rng.integers(-1, 2, 16).astype(float)
    tree = unroll(MatrixTree(2, 2, leaves.tolist()))
    profile = rng.dirichlet([1, 1], (5, 2))
    flat = np.ones(tree.num_sequences)
    for information_set in range(tree.num_sets):
        player = tree.set_player[information_set]
        history = int(np.flatnonzero(tree.information_set == information_set)[0])
        moves = tree.path(history)
        node = 0 if len(moves) < 2 else 1 + 2 * moves[0] + moves[1]
        start = tree.set_start[information_set]
        flat[start : start + 2] = profile[node, player]
    assert plain_nash_conv(leaves, profile) == pytest.approx(exact_nash_conv(tree, flat))


def test_exploration_makes_the_least_exploitable_strategy() -> None:
    """Player 0's first choice alone decides. With 5 % of uniform play the wrong one is taken with
    probability 0.025, which costs 2, or 1 in the payoffs of the thesis.
    """
    leaves = np.repeat([1.0, 1.0, -1.0, -1.0], 4)
    assert least_exploitable(leaves) == pytest.approx(0.025)


def slow_iterations(leaves: list[float], means: bool, runs: int, iterations: int) -> float:
    """`mean_exploitability`, in the plainest way."""
    game = MatrixTree(2, 2, leaves)
    rule: Any = make_joint_selector(
        "drm", game, exploration=None, gamma=0.1, guaranteed=0.0, ties="random", tie_tolerance=None
    )
    rng, total = new_state(seed_sequence(7)), 0.0
    for _ in range(runs):
        rows = [np.zeros(int(rule.size(2, 2))) for _ in range(5)]
        visits, sums = [0] * 5, [[0.0, 0.0] for _ in range(5)]
        for _ in range(iterations):
            drawn = [int(below(rng, 2)) for _ in range(4)]
            pair, under_it = (drawn[0], drawn[1]), (drawn[2], drawn[3])
            sigma, child, sigma_below = np.zeros((2, 2)), -1, np.zeros((2, 2))
            if visits[0]:
                pair = rule.select((rows[0], 0, 2, 2, *sigma), rng)
                child = 1 + 2 * pair[0] + pair[1]
                if visits[child]:
                    under_it = rule.select((rows[child], 0, 2, 2, *sigma_below), rng)
            u = leaves[8 * pair[0] + 4 * pair[1] + 2 * under_it[0] + under_it[1]]
            visits[0] += 1
            if child < 0:
                continue
            if visits[child]:
                rule.update((rows[child], 0, 2, 2, *sigma_below), *under_it, u)
                if means:
                    sums[child][0] += 1
                    sums[child][1] += u
                    u = sums[child][1] / sums[child][0]
            visits[child] += 1
            rule.update((rows[0], 0, 2, 2, *sigma), *pair, u)
        profile = np.full((5, 2, 2), 0.5)
        for node, player in product(range(5), range(2)):
            at = int(rule.strategy(player, 2, 2))
            weights = rows[node][at : at + 2]
            if weights.sum() > 0:
                profile[node, player, 0] = 0.9 * (weights[0] / weights.sum()) + 0.05
                profile[node, player, 1] = 1.0 - profile[node, player, 0]
        total += plain_nash_conv(np.array(leaves), profile) / runs
    return total / 2


@pytest.mark.parametrize("means", [False, True])
def test_small_trees_are_searched_as_in_plain_python(means: bool) -> None:
    leaves = np.random.default_rng(5).integers(-1, 2, 16).astype(float)
    fast = mean_exploitability(leaves[None, :], Method("drm", 0.1, means), 3, 40, 7)
    assert fast[0, 0] == pytest.approx(slow_iterations(leaves.tolist(), means, 3, 40), rel=1e-12)


def test_every_random_game_of_figure_4_4_counts() -> None:
    """Of a game with several units, the one with the longest searches counts, and then the one with
    the most runs. A game whose units all have few runs counts, too.
    """
    line = GamesLine("a line", 2, 2, "a search")

    def unit(seed: int, runs: int, iterations: int) -> RandomTree:
        return RandomTree(2, 2, "a search", iterations, 1, runs, seed)

    def found(iterations: int, value: float) -> Result:
        return {"iterations": [iterations], "nash_conv": [value]}

    results: dict[Unit, Result] = {
        unit(0, 2, 100): found(100, 0.9),
        unit(0, 50, 100): found(100, 0.1),
        unit(0, 90, 50): found(50, 0.8),
        unit(1, 2, 100): found(100, 0.3),
        unit(2, 25, 100): found(100, 0.5),
    }
    for order in (list(results.items()), list(results.items())[::-1]):
        ((at, mean),) = line.points(dict(order))
        assert (at, mean.value) == (100, pytest.approx(0.3))
