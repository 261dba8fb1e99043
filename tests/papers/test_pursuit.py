"""The experiments of pursuit: that all that is printed is on file, how a nemesis is found, how
sentences are tested, and that units are what they say.
"""

from itertools import product
from statistics import fmean
from xml.etree import ElementTree

import pytest

from hiddenhand.games.registry import load_game
from hiddenhand.players.registry import make_player
from hiddenhand.search.algorithms import read_algorithm
from hiddenhand.statistics import Interval, jointly, mean_interval
from hiddenhand_papers.experiment import QUICK, read_scale
from hiddenhand_papers.findings import BOLD, GREY, UNDERLINED, Findings, Grid
from hiddenhand_papers.play import Contestant
from hiddenhand_papers.printed import printed
from hiddenhand_papers.pursuit.chases import MEASURES, Chased, Chases, ChaseTable
from hiddenhand_papers.pursuit.claims import (
    Difference,
    alike,
    cell,
    difference,
    evader,
    gain,
    ordered,
    pursuers,
)
from hiddenhand_papers.pursuit.experiments import (
    _measures_are_correlated,
    _nemeses_are_so,
    experiments,
)
from hiddenhand_papers.pursuit.nemeses import drawn, marks_of
from hiddenhand_papers.pursuit.small_games import GAMES
from hiddenhand_papers.pursuit.times import DepthTimes, TimesFigure
from hiddenhand_papers.pursuit.ways import MAPS, contestant
from hiddenhand_papers.report.pages import Shown, section
from hiddenhand_papers.report.verdicts import Levels

EXPERIMENTS = {experiment.item: experiment for experiment in experiments()}
NAMES = ("MM", "SO", "MO")


def chased(means: dict[tuple[str, str], float], spread: float = 1.0) -> Chased:
    """Six matches of each pair, around a mean, by which starts are good for one pair and bad for
    another.
    """
    values = {
        (measure, *place): {("", n): mean + spread * ((n + number) % 3 - 1) for n in range(6)}
        for number, (place, mean) in enumerate(means.items())
        for measure in MEASURES
    }
    return Chased(values, {place: ([10.0, 2.0], [30.0, 3.0]) for place in means})


AS_PRINTED = {
    ("MM", "MM"): 90.0, ("MM", "SO"): 80.0, ("MM", "MO"): 123.4,
    ("SO", "MM"): 40.0, ("SO", "SO"): 30.0, ("SO", "MO"): 100.0,
    ("MO", "MM"): 160.0, ("MO", "SO"): 146.6, ("MO", "MO"): 252.9,
}  # fmt: skip
"""The three cells of Fig. 5.5 that the text has, and others that fit what it says."""


def test_each_item_that_is_printed_is_made_anew() -> None:
    items = printed("pursuit").items
    assert set(items) - {"speeds"} == set(EXPERIMENTS)
    for name, experiment in EXPERIMENTS.items():
        if isinstance(experiment, ChaseTable) and name != "fig5.5":
            found = {claim.check for claim in items[name].claims}
            made = {test(_everything(experiment)).name for test in experiment.tests}
            assert made == found, name


def _everything(experiment: ChaseTable) -> Chased:
    reading = experiment.readings[0]
    return chased({(e, p): 5.0 for e, _ in reading.evaders for p, _ in reading.pursuers})


def test_what_the_thesis_says_of_its_table_holds_for_its_numbers() -> None:
    experiment = EXPERIMENTS["fig5.5"]
    assert isinstance(experiment, ChaseTable)
    found = {check.name: check for check in (test(chased(AS_PRINTED)) for test in experiment.tests)}
    claims = {claim.check for claim in printed("pursuit").items["fig5.5"].claims}
    assert set(found) == claims
    assert all(check.holds for check in found.values())
    words = found["pursuers-mo-worst"].words
    assert words.startswith("holds: pursuers MM (nemesis MO) 160, pursuers MO (nemesis MO) 253, ")
    reversed_ = {place: -mean for place, mean in AS_PRINTED.items()}
    wrong = {check.name: check for check in (test(chased(reversed_)) for test in experiment.tests)}
    assert wrong["evaders-mo-mm-so-mean-size"].holds is False
    assert wrong["nemeses"].words.startswith("does not hold: of the evader MM it is MO")
    open_ = _nemeses_are_so(chased(AS_PRINTED, 500.0))
    assert open_.holds is None
    assert open_.words.startswith("undecided")


def test_nemeses_and_gains() -> None:
    found = chased(AS_PRINTED)
    assert fmean(evader("MO")(found)[0].values()) == pytest.approx(146.6)
    assert pursuers("SO")(found) == (
        found.values["mean_size", "MO", "SO"],
        "pursuers SO (nemesis MO)",
    )
    gained = gain(cell("MO", "MO"), cell("MO", "SO"))(found)[0]
    assert fmean(gained.values()) == pytest.approx(252.9 - 146.6)
    assert found.speed(("MO", "MO"), 0) == 5.0
    assert ordered("x", (cell("MM", "SO"), cell("MM", "MM")))(found).holds
    assert alike("x", (cell("MM", "SO"), cell("MM", "SO")))(found).holds
    assert alike("x", (cell("MM", "SO"), cell("MO", "MO")))(found).holds is False
    slightly = {("A", "X"): 100.0, ("A", "Y"): 102.0}
    pair = cell("A", "X"), cell("A", "Y")
    assert ordered("x", pair)(chased(slightly, 0.0)).holds
    assert ordered("x", pair)(chased(slightly, 50.0)).holds is None
    assert ordered("x", pair[::-1])(chased(slightly, 0.0)).holds is False
    same = dict.fromkeys(slightly, 100.0)
    assert ordered("x", pair)(chased(same, 0.5)).holds is False
    assert ordered("x", pair, nothing=0.0)(chased(same, 0.5)).holds is None
    vague = chased(AS_PRINTED, 50.0)
    assert alike("x", (cell("MM", "SO"), cell("MM", "MM")))(vague).holds is None


def test_cells_of_a_drawn_table_are_as_wide_as_their_text() -> None:
    places = {("MM", "SO"): Interval(1.0, 0.0, 2.0), ("MM", "MO"): mean_interval([2.5])}
    table = Grid("mean_size", ("MM",), ("SO", "MO"), places)
    picture = ElementTree.fromstring(drawn("Nemeses", [table]))
    widths = {int(cell.attrib["width"]) for cell in picture.iter() if cell.tag.endswith("rect")}
    assert widths == {8 * len("2.5 (one observation)")}


def test_differences_are_of_matches_with_the_same_start() -> None:
    """Where one is above another by 1 from each start, that is certain, however starts differ."""
    one = {("", n): 100.0 * n for n in range(6)}
    found = difference(one, {n: value + 1 for n, value in one.items()} | {("", 9): 1e6})
    assert found == Difference(250.0, 251.0, Interval(1.0, 1.0, 1.0))
    with pytest.raises(ValueError, match="too few"):
        difference(one, {start: value for start, value in one.items() if start[1] < 4})


def test_a_nemesis_is_met_in_matches_that_all_pairs_have() -> None:
    """SO is worse for the evader from the start that both have; MM's other start makes no
    difference.
    """
    values = {("mean_size", "MO", "SO"): {("", 0): 1.0}}
    values["mean_size", "MO", "MM"] = {("", 0): 2.0, ("", 1): -9.0}
    assert Chased(values, {}).nemesis_of_evader("mean_size", "MO") == "SO"
    with pytest.raises(KeyError):
        Chased(values, {}).nemesis_of_evader("mean_size", "MM")


def test_a_nemesis_table() -> None:
    """The marks of the cells of Fig. 5.5 that are in the text: SO is the nemesis of the evader MO,
    which is the best evader; MO is that of the pursuers MO.
    """
    reading = EXPERIMENTS["fig5.5"].readings[0]  # type: ignore[attr-defined]
    cells = {place: chased(AS_PRINTED).cell("mean_size", place) for place in AS_PRINTED}
    marks = marks_of(chased(AS_PRINTED).table("mean_size"))
    assert marks == {
        ("MM", "MM"): (), ("MM", "SO"): (BOLD,), ("MM", "MO"): (),
        ("SO", "MM"): (), ("SO", "SO"): (BOLD,), ("SO", "MO"): (),
        ("MO", "MM"): (UNDERLINED,), ("MO", "SO"): (BOLD, UNDERLINED, GREY),
        ("MO", "MO"): (UNDERLINED,),
    }  # fmt: skip
    grid = Grid("mean_size", NAMES, NAMES, cells, reading.name, marks=marks)
    experiment = EXPERIMENTS["fig5.5"]
    shown = Shown(experiment, Levels(Findings((grid,)), Findings((grid,))), (), 0)
    (row,) = [line.split(" | ") for line in section(shown) if line.startswith("| MO |")]
    assert row[1:3] == ["<u>160.0 ± 0.939</u>", "<mark><u>**146.6 ± 0.939**</u></mark>"]
    picture = ElementTree.fromstring(drawn("a & b", [grid]))
    texts = {text.text: text.attrib for text in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert texts["a & b"]["font-weight"] == "bold"
    assert texts["147 ± 0.94"]["text-decoration"] == "underline"
    assert "text-decoration" not in texts["123 ± 0.94"]


def test_correlations() -> None:
    assert _measures_are_correlated(chased(AS_PRINTED)).holds
    mixed = chased(AS_PRINTED)
    for place, mean in AS_PRINTED.items():
        mixed.values["end_size", *place] = dict.fromkeys(product([""], range(6)), -mean)  # type: ignore[index]
    assert _measures_are_correlated(mixed).holds is False
    for number, place in enumerate(AS_PRINTED):  # hardly correlated
        sample = {("", n): float((7 * n + 3 * number) % 5) for n in range(6)}
        mixed.values["end_size", *place] = sample  # type: ignore[index]
    assert _measures_are_correlated(mixed).holds is False
    with jointly(10**6):  # such an interval is too wide to tell
        assert _measures_are_correlated(mixed).holds is None


def test_units_of_a_larger_scale_include_those_of_a_smaller_one() -> None:
    for experiment in EXPERIMENTS.values():
        few, more = (set(experiment.units(scale)) for scale in (QUICK, read_scale("0.3")))
        assert few <= more
        if experiment.item == "small":
            continue
        assert all(any(f"map={name}" in unit.games[0] for unit in few) for name in MAPS[:2])
    paper = list(EXPERIMENTS["fig5.5"].units(read_scale("0.1")))
    # two games, with and without waiting; and two more kinds of MM, each against all in both seats
    cells = 2 * 9 + 2 * 5
    assert len(set(paper)) == cells * 10 * 3 * len(MAPS)


@pytest.mark.thorough
def test_who_plays_is_a_player_and_has_a_budget() -> None:
    for way, budget in (("short", 400), ("1 s a move", 0), ("the thesis' iterations", 20_867)):
        assert contestant("mo", way).iterations == budget
        assert contestant("istminimax(evaluation=rla)", way).player.startswith("istminimax(")
    assert contestant("istmcts(simulation=heavy)", "the thesis' iterations").iterations == 600
    for experiment in EXPERIMENTS.values():
        if isinstance(experiment, ChaseTable):
            for reading in experiment.readings[-1:]:
                game = load_game(reading.games[-1])
                for _, player in (*reading.evaders, *reading.pursuers):
                    make_player(game, player.player)


def test_a_unit_of_matches() -> None:
    game = "VP(map=block5,pursuers=1,moves=3,sight=3)"
    unit = Chases(game, Contestant("runner"), Contestant("chaser"), 4, 2)
    found = unit.run()
    assert found["measures"] == unit.run()["measures"]
    assert {len(values) for values in found["measures"].values()} == {2}
    assert all(value <= -1 for value in found["measures"]["num_seen"])
    experiment = ChaseTable("x", "y", "", (), EXPERIMENTS["fig5.5"].readings[:1])  # type: ignore[attr-defined]
    assert not experiment.findings({unit: found}).grids  # of another game


@pytest.mark.thorough
def test_small_games_are_solved_and_searched() -> None:
    """The exact value, 7/4 in the first game by the linear program, is below the paranoid one."""
    experiment = EXPERIMENTS["small"]
    units = [unit for unit in experiment.units(QUICK) if unit.games[0] == GAMES[0]]
    chosen = [unit for unit in units if getattr(unit, "search", "istminimax") == "istminimax"]
    found = experiment.findings({unit: unit.run() for unit in chosen[:3]})
    (grid,), (check,) = found.grids, found.checks
    assert grid.cells[GAMES[0], "value"].value == pytest.approx(1.75)
    assert grid.cells[GAMES[0], "paranoid value"].value == pytest.approx(2.0)
    assert grid.cells[GAMES[0], "MM"].value > 0.1
    assert check.holds


def test_each_simulation_has_its_name() -> None:
    reading = EXPERIMENTS["fig5.7"].readings[0]  # type: ignore[attr-defined]
    searches = {name: read_algorithm(one.player)[1] for name, one in reading.pursuers}
    assert searches == {name: {"simulation": name} for name in searches}


def test_times_become_shares() -> None:
    figure = EXPERIMENTS["fig5.4"]
    assert isinstance(figure, TimesFigure)
    name, unit = MAPS[0], figure.unit(MAPS[0], 0)
    assert isinstance(unit, DepthTimes)
    found = figure.findings({unit: {"seconds": [0.05] * 30 + [3.0] * 5 + [12.0] * 5}})
    shares, histogram = found.grids
    assert shares.cells[name, "above 1 s"].value == 0.25
    assert shares.cells[name, "above 10 s"].value == 0.125
    counts = [histogram.cells[name, column].value for column in histogram.columns]
    assert counts == [30, 0, 0, 0, 0, 5, 0, 5]
    holds = {check.name: check.holds for check in found.checks}
    assert holds.pop("goal-95-percent-in-a-second") is False
    assert holds == {claim.check: True for claim in printed("pursuit").items["fig5.4"].claims}
