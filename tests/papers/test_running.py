"""Experiments from their definition to their page."""

import json
import math
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, variance
from typing import ClassVar

import pytest
from typing_commands import Typed

from hiddenhand.errors import OptionError
from hiddenhand.statistics import Interval, bounded_interval, mean_interval
from hiddenhand_papers import units
from hiddenhand_papers.catalogue import catalogue, chosen
from hiddenhand_papers.curves import ClockLine, RootLine
from hiddenhand_papers.experiment import EVENING, NAMED, read_scale
from hiddenhand_papers.findings import written
from hiddenhand_papers.match_tables import (
    PERCENT,
    WIN_RATE,
    MatchReading,
    MatchTable,
    payoff_interval,
)
from hiddenhand_papers.measures import RootClock, over_seeds
from hiddenhand_papers.play import (
    Contestant,
    Matches,
    blocks,
    luck_of,
    match_units,
    payoffs_of,
    without_luck,
)
from hiddenhand_papers.printed import printed_item
from hiddenhand_papers.report.pages import write_page
from hiddenhand_papers.report.shown import shown, stored_units
from hiddenhand_papers.runner import make, run, status
from hiddenhand_papers.store import Row, Store, stored_in_repository
from hiddenhand_papers.units import Result, Unit

RANDOM = Contestant("random", iterations=1)  # which it does not use
TABLE = MatchTable(
    paper="test",
    item="tab1",
    title="Matches of random players",
    setup=("Nobody thinks.",),
    readings=(MatchReading("", "Kuhn", (("A", RANDOM), ("B", RANDOM))),),
    rows=("A", "B"),
    columns=("A", "B"),
    measure=WIN_RATE,
    matches=40,
    evening=10,
    at_once=5,
)


def test_a_run_does_what_is_missing_and_no_more() -> None:
    with Store(None) as store:
        assert run([TABLE], EVENING, store).made == 2  # all cells are the same two blocks
        assert run([TABLE], EVENING, store).made == 0
        found = run([TABLE], read_scale("0.5"), store)
        assert (found.wanted, found.made, found.elsewhere) == (4, 2, 0)
        assert {row.result["moves"][0] > 0 for row in store.rows()} == {True}


def test_equal_units_have_equal_results() -> None:
    unit = Matches("Kuhn", RANDOM, RANDOM, 0, 3)
    first, second = make(unit), make(unit)
    assert first.result["payoffs"] == second.result["payoffs"]
    assert first.key == unit.key
    assert make(replace(unit, start=3)).result["payoffs"] != first.result["payoffs"]


def test_players_change_seats() -> None:
    """What the first of two players is paid when they alternate: in matches with odd numbers it is
    what the second seat is paid.
    """
    plain = Matches("Kuhn", RANDOM, RANDOM, 0, 6).run()["payoffs"]
    alternating = Matches("Kuhn", RANDOM, RANDOM, 0, 6, alternate=True).run()["payoffs"]
    assert [abs(payoff) for payoff in plain] == [abs(payoff) for payoff in alternating]
    assert alternating == [pay if n % 2 == 0 else -pay for n, pay in enumerate(plain)]


def test_cells_are_of_their_matches() -> None:
    results = {unit: {"payoffs": [1.0, -1.0, 0.0, 1.0, 1.0]} for unit in TABLE.units(EVENING)}
    cell = TABLE.findings(results).grids[0].cells["A", "B"]
    assert cell.value == 70.0
    percent = replace(TABLE, measure=PERCENT).findings(results).grids[0].cells["A", "B"]
    assert percent.value == pytest.approx(100 * 0.4 / 2)  # a player can win 2


def test_a_match_that_is_stored_twice_counts_once() -> None:
    results: dict[Unit, Result] = {
        Matches("Kuhn", RANDOM, RANDOM, 0, 2): {"payoffs": [1.0, -1.0]},
        Matches("Kuhn", RANDOM, RANDOM, 0, 1): {"payoffs": [1.0]},
        Matches("Kuhn", RANDOM, RANDOM, 2, 1): {"payoffs": [2.0]},
    }
    found = payoffs_of(results, ["Kuhn"], alternate=False)
    assert found == {(RANDOM, RANDOM): {"Kuhn": {0: 1.0, 1: -1.0, 2: 2.0}}}


def test_payoffs_of_poker_are_corrected_for_the_cards() -> None:
    """Payoffs of 3, plus five times the luck of the cards, plus noise that is not luck."""
    numbers = range(60)
    luck = [luck_of("GP(3,3,2,2)", number) for number in numbers]
    assert set(luck) == {-1.0, 0.0, 1.0}
    assert abs(sum(luck)) < 3 * sum(map(abs, luck)) ** 0.5  # seats are dealt alike
    payoffs = {n: 3.0 + 5.0 * luck[n] + (-1) ** (n // 2) for n in numbers}
    corrected = without_luck("GP(3,3,2,2)", payoffs, alternate=False)
    assert fmean(corrected.values()) == pytest.approx(3.0, abs=0.1)
    assert variance(corrected.values()) < 1.1 < variance(payoffs.values())
    turned = {n: 3.0 + 5.0 * (-1) ** n * luck[n] for n in numbers}
    assert without_luck("GP(3,3,2,2)", turned, alternate=True) == pytest.approx(
        dict.fromkeys(numbers, 3.0)
    )
    assert without_luck("Kuhn", payoffs, alternate=False) == payoffs
    few = {n: payoffs[n] for n in range(19)}
    assert without_luck("GP(3,3,2,2)", few, alternate=False) == few


def test_players_who_do_not_think_have_all_matches_of_the_paper() -> None:
    idle = Contestant("random")
    pairs = [(idle, idle), (RANDOM, idle)]
    found = [(unit.first, unit.start, unit.count) for unit in match_units(["a"], pairs, 2, 1, 40)]
    assert found == [(idle, 0, 40), (RANDOM, 0, 1), (RANDOM, 1, 1)]


def test_payoffs_that_are_all_alike_are_not_certain() -> None:
    """Two matches won of two: Wilson's interval for the rate begins at 0.34."""
    found = payoff_interval([1.0, 1.0], 1.0)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(2 * 0.3424 - 1, abs=1e-3)
    assert payoff_interval([3.0, 3.0], 6.0).low < 2.0
    assert payoff_interval([3.0, 3.0], 3.5).high == 3.5
    few = [1.0, 2.5, 3.0]
    assert payoff_interval(few, 3.0) == bounded_interval(few, -3.0, 3.0)
    assert mean_interval(few).high > 3.0 > payoff_interval(few, 3.0).high


def test_figures_that_are_never_negative_have_no_negative_intervals() -> None:
    values = [0.0, 0.1, 0.5]
    found, free = over_seeds(values), mean_interval(values)
    assert free.low < 0.0 == found.low
    assert (found.value, found.high) == (free.value, free.high)
    assert over_seeds([-1e-17, 0.5]).low == -1e-17


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Interval(0.25, 0.19, 0.31), "0.25 ± 0.06"),
        (Interval(95.0, 79.2, 99.1), "95 (79.2 to 99.1)"),
        (Interval(0.2, 0.0, 0.6), "0.2 (0 to 0.6)"),
        (Interval(2.0, 2.0, 2.0), "2"),
        (Interval(2.0, -math.inf, math.inf), "2 (one observation)"),
    ],
)
def test_lopsided_intervals_are_told_by_their_ends(interval: Interval, text: str) -> None:
    assert written(interval) == text


@dataclass(frozen=True)
class Counted(Unit):
    """A unit of a game, and of a search that it does not need."""

    game: str = "Kuhn"
    search: str = "oos"

    def run(self) -> Result:
        return {}


@dataclass(frozen=True)
class Newer(Counted):
    VERSION: ClassVar[int] = 2

    @property
    def text(self) -> str:
        return repr(Counted())


def test_what_decides_a_result_is_in_its_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Counted().digest
    assert {Counted(search="mccfr").digest, Counted("LD(1,1,3)").digest, Newer().digest}.isdisjoint(
        {before}
    )
    monkeypatch.setattr(units, "rules_behaviour_of", lambda game: "other rules")
    assert Counted().digest != before


def test_stale_results_are_counted_and_not_shown() -> None:
    unit = next(TABLE.units(EVENING))
    with Store(None) as store:
        store.add(Row(unit.text, "older", {"payoffs": [1.0] * 5}, {"when": "2026-01-01"}))
        assert status(TABLE, EVENING, store.rows()).stale == 1
        (without,) = shown([TABLE], EVENING, store)
        (with_stale,) = shown([TABLE], EVENING, store, stale=True)
    assert (without.stale, without.findings.grids) == (1, ())
    assert with_stale.findings.grids[0].cells["A", "A"].value == 100.0


def test_a_page_is_written_from_results(tmp_path: Path) -> None:
    with Store(None) as store:
        run([TABLE], EVENING, store)
        first = write_page("test", shown([TABLE], EVENING, store), tmp_path, "the command")
        before = first[0].read_bytes()
        write_page("test", shown([TABLE], EVENING, store), tmp_path, "the command")
    assert first == [tmp_path / "test.md"]
    assert first[0].read_bytes() == before
    text = before.decode()
    for part in ("## test/tab1", "At least 10 a cell", "From 2 stored units", "Verdict: undecided"):
        assert part in text


def test_scales() -> None:
    texts = ("quick", "evening", "paper", "0.1", "2")
    assert [read_scale(text).count(500, 20) for text in texts] == [5, 20, 500, 50, 1000]
    assert [str(read_scale(text)) for text in texts] == list(texts)
    assert [str(read_scale(text, "seconds")) for text in texts] == list(texts)
    assert [read_scale("quick").count(20, most) for most in (1, 2, 5, 9)] == [1, 1, 2, 3]
    # a mean has an interval from two values on
    assert [read_scale("quick").seeds(20, most) for most in (1, 2, 5, 9)] == [1, 2, 2, 3]
    assert read_scale("0.01").seeds(20, 5) == 1
    for text in ("slow", "0", "-1", "nan", "inf"):
        with pytest.raises(OptionError, match="give quick, evening, paper, or a number above 0"):
            read_scale(text)


def test_matches_are_played_in_whole_blocks_unless_there_are_fewer() -> None:
    assert blocks(3, 10) == [(0, 3)]
    assert blocks(10, 10) == [(0, 10)]
    assert blocks(11, 10) == [(0, 10), (10, 10)]


def test_a_larger_scale_contains_a_smaller_one() -> None:
    experiment = catalogue()["oos/fig4a"]
    quick, evening, paper = (set(experiment.units(scale)) for scale in NAMED.values())
    assert quick < evening < paper


def test_equal_wall_time_is_another_budget() -> None:
    clock = read_scale("evening", "seconds")
    for name, kind in (
        ("oos/fig4b", Matches),
        ("thesis/tab4.8", Matches),
        ("oos/fig3a", RootClock),
    ):
        experiment = catalogue()[name]
        usual, timed = ([*experiment.units(scale)] for scale in (EVENING, clock))
        assert not any(unit.by_clock for unit in usual)
        searching = {unit for unit in timed if isinstance(unit, kind) and unit.by_clock}
        assert len(searching) > 10
        assert searching <= {*stored_units(experiment, EVENING)}
    with pytest.raises(OptionError, match="no reading with a budget in seconds"):
        run([catalogue()["mccr/tab2"]], clock, Store(None))
    with pytest.raises(OptionError, match="budget='hours' is not allowed"):
        read_scale("quick", "hours")


def test_a_line_by_the_clock() -> None:
    line = ClockLine(RootLine("A", "Kuhn", "oos", 100.0, 0.02, 2, 0, 2, 2))
    assert line.name == "A, equal wall time"
    results: dict[Unit, Result] = {
        unit: {"seconds": [0.01, 0.02], "nash_conv": [1.0, 0.5]} for unit in line.units(EVENING)
    }
    assert len(results) == 2
    assert [(at, value.value) for at, value in line.points(results)] == [(0.01, 1.0), (0.02, 0.5)]


def test_every_experiment_has_its_printed_item() -> None:
    missing = [name for name in catalogue() if printed_item(name) is None]
    assert [name for name in missing if not name.startswith(("ours/", "pursuit/small"))] == []


def test_names() -> None:
    assert [one.name for one in chosen(["oos/fig4b"])] == ["oos/fig4b"]
    assert len(chosen(["oos"])) > 18
    with pytest.raises(OptionError, match=r"no experiment 'fig4b'; did you mean oos/fig4b"):
        chosen(["fig4b"])
    with pytest.raises(OptionError, match=r"no experiment 'oos/fig44'; did you mean .*oos/fig4"):
        chosen(["oos/fig44"])


@pytest.mark.slow
def test_all_experiments_by_an_option(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a store of the user's, the results are those of the repository."""
    some, data = {"mccr/tab2": catalogue()["mccr/tab2"]}, tmp_path / "data"
    kept = stored_in_repository()
    assert kept is not None
    papers = {one.paper for one in catalogue().values()}
    assert {path.name for path in kept.iterdir()} == {f"{paper}.csv.gz" for paper in papers}
    data.mkdir()
    shutil.copy(kept / "mccr.csv.gz", data)
    monkeypatch.setattr("hiddenhand_papers.catalogue.catalogue", lambda: some)
    monkeypatch.setattr("hiddenhand_papers.store.stored_in_repository", lambda: data)
    (item,) = typed.json("experiment", "report", "--all", "--summary")["items"]
    assert (item["name"], item["verdict"]) == ("mccr/tab2", "agrees")
    status_, _, err = typed("experiment", "report", "--all", "oos")
    assert (status_, "--all and oos do not go together" in err) == (2, True)
    status_, _, err = typed("experiment", "run")
    assert (status_, "nothing is named to run" in err) == (2, True)
    status_, _, err = typed("experiment", "run", "--all", "--store", str(tmp_path))
    assert (status_, "is exported; name an SQLite file" in err) == (2, True)
    status_, _, err = typed("experiment", "report", "--store", str(tmp_path))
    assert (status_, "has no .csv or .csv.gz file" in err) == (2, True)


def test_the_command_line(typed: Typed, tmp_path: Path) -> None:
    store = ["--store", str(tmp_path / "store.sqlite")]
    assert "oos/fig4a" in typed("experiment", "list")[1]
    status_, _, err = typed("experiment", "status", *store)
    assert (status_, "no experiment was run yet" in err) == (2, True)
    status_, _, err = typed("experiment", "run", "oos/fig9", *store)
    assert (status_, "there is no experiment 'oos/fig9'" in err) == (2, True)
    status_, _, err = typed("experiment", "run", "oos/values", "--scale", "slow", *store)
    assert (status_, "--scale slow is not allowed" in err) == (2, True)
    with Store(tmp_path / "store.sqlite") as kept:
        for unit in catalogue()["oos/values"].units(EVENING):
            kept.add(Row(unit.text, unit.digest, {"value": 0.5}, {"seconds": 1.0}))
    assert "2 units" not in typed("experiment", "run", "oos/values", *store)[2]
    found = json.loads(typed("experiment", "status", "oos/values", "--json", *store)[1])
    assert found["experiments"][0]["done"] == 2
    report = typed("experiment", "report", "oos/values", *store)[1]
    assert "**Verdict: differs.**" in report
    (as_json,) = typed.json("experiment", "report", "oos/values", *store)["experiments"]
    assert as_json["verdict"] == "differs"
    cell = as_json["tables"][0]["cells"][0]
    assert cell["low"] <= cell["value"] <= cell["high"]
    exported = tmp_path / "results.csv.gz"
    typed("experiment", "export", str(exported), "oos/values", *store)
    for path in exported, tmp_path:
        assert typed("experiment", "report", "oos/values", "--store", str(path))[1] == report
    status_, _, err = typed("experiment", "run", "oos/values", "--store", str(exported))
    assert (status_, "is exported" in err) == (2, True)


@pytest.mark.parametrize(("backend", "module"), [("ray", "ray"), ("dask", "distributed")])
def test_a_cluster_on_this_machine(tmp_path: Path, backend: str, module: str) -> None:
    pytest.importorskip(module, reason=f"{backend} is an extra, and not installed")
    with Store(tmp_path / "store.sqlite") as store:
        assert run([TABLE], EVENING, store, jobs=2, backend=backend).made == 2


def test_backends() -> None:
    with Store(None) as store, pytest.raises(OptionError, match="choose one of: loky, ray, dask"):
        run([TABLE], EVENING, store, backend="threads")
