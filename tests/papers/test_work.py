"""The quiet worker: its order, its deadline, and that it may be killed at any moment."""

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from table_pages import wait_until
from typing_commands import Typed

from hiddenhand.errors import OptionError
from hiddenhand_papers import work as experiment_work
from hiddenhand_papers.catalogue import catalogue
from hiddenhand_papers.experiment import EVENING, PAPER, Experiment, Results, Scale, read_scale
from hiddenhand_papers.findings import Check, Findings
from hiddenhand_papers.printed import Claim, PrintedItem
from hiddenhand_papers.store import Row, Store
from hiddenhand_papers.units import Result, Unit
from hiddenhand_papers.work import guesses, open_items, work

SIXTEENTH = Scale(0.0625)


@dataclass(frozen=True)
class Counted(Unit):
    """A unit that writes its number into a file.

    number: which unit it is.
    kind: what units have in common that take equally long.
    file: where it writes; nowhere if this is empty.
    """

    number: int
    kind: str = "short"
    file: str = ""

    @property
    def text(self) -> str:
        return f"{self.kind}(start={self.number})"

    @property
    def is_timed(self) -> bool:
        return self.kind == "timed"

    def run(self) -> Result:
        if self.file:
            with Path(self.file).open("a") as file:
                file.write(f"{self.number}\n")
        return {"number": self.number}


@dataclass(frozen=True)
class Listed(Experiment):
    """An experiment of some units."""

    wanted: tuple[Unit, ...]

    def units(self, scale: Scale) -> Iterator[Unit]:
        yield from self.wanted

    def findings(self, results: Results) -> Findings:
        return Findings()


def listed(name: str, *units: Unit) -> Listed:
    return Listed("test", name, "Units", (), units)


def kept(kind: str, seconds: float, number: int = -1) -> Row:
    """A stored unit of a kind, which took some seconds."""
    unit = Counted(number, kind)
    return Row(unit.text, unit.digest, {}, {"processor_seconds": seconds})


def test_what_decides_an_item_soonest_comes_first() -> None:
    long = listed("long", Counted(0, "long"), Counted(1, "long"))
    many = listed("many", *(Counted(number) for number in range(30)))
    shared = listed("shared", Counted(0, "long"), Counted(2))
    with Store(None) as store:
        store.add(kept("long", 20.0))
        store.add(kept("short", 1.0))
        waiting = open_items([long, many, shared], SIXTEENTH, store)
    assert [(item.experiment, item.seconds) for item in waiting] == [
        (shared, 21.0),
        (many, 30.0),
        (long, 40.0),
    ]
    assert [one.seconds for one in waiting[0].units] == [20.0, 1.0]


@dataclass(frozen=True)
class Growing(Experiment):
    """An experiment of 16 units, and a few more readings of its numbers: an item is decided by 4.

    kind: the kind of its units.
    """

    kind: str = "short"

    def units(self, scale: Scale) -> Iterator[Unit]:
        for number in range(scale.count(16, 1)):
            yield Counted(number, self.kind)

    def findings(self, results: Results) -> Findings:
        found = True if len(results) >= 4 else None
        return Findings(checks=(Check("oos-lowest-at-the-end", found, "numbers"),))


def test_an_undecided_item_grows_until_it_is_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    """By steps of twice as many units. The item whose next step takes the least time comes first,
    and a decided one gets no more.
    """
    claim = Claim("oos-lowest-at-the-end", "p. 1", "OOS is the lowest.")
    item = PrintedItem("fig", "Fig. 1", "p. 1", "A figure", "", claims=(claim,))
    monkeypatch.setattr("hiddenhand_papers.report.pages.printed_item", lambda name: item)
    assert [step.factor for step in Scale(0.1).steps] == [1 / 64, 1 / 32, 1 / 16, 0.1]
    assert EVENING.steps == [EVENING]
    cheap, dear = Growing("test", "cheap", "", ()), Growing("test", "dear", "", (), "long")
    made = list[str]()
    monkeypatch.setattr(Store, "add", _noting(made))
    with Store(None) as store:
        store.add(kept("long", 3.0))
        store.add(kept("short", 1.0))
        made.clear()
        done = work([dear, cheap], PAPER, store, seconds=1000.0)
    assert (done.made, done.open) == (8, 0)
    order = ["short", "short", "short", "short", "long", "long", "long", "long"]
    assert [text.partition("(")[0] for text in made] == order


@dataclass(frozen=True)
class TwoReadings(Experiment):
    """An experiment with a unit of two kinds for each 64th of the paper; the first one decides.

    differs: whether the first reading differs from the paper.
    """

    differs: bool = False
    kinds: tuple[str, ...] = ("text", "program")

    @property
    def deciding(self) -> Experiment:
        return replace(self, kinds=self.kinds[:1])

    def units(self, scale: Scale) -> Iterator[Unit]:
        for number in range(scale.count(64, 1)):
            yield from (Counted(number, kind) for kind in self.kinds)

    def findings(self, results: Results) -> Findings:
        found = not self.differs if len(results) >= 4 else None
        return Findings(checks=(Check("oos-lowest-at-the-end", found, "numbers", "text"),))


@pytest.mark.parametrize("differs", [False, True])
def test_other_readings_are_run_where_the_first_one_differs(
    monkeypatch: pytest.MonkeyPatch, *, differs: bool
) -> None:
    """And as far as that one. The item has its verdict with 4 units."""
    claim = Claim("oos-lowest-at-the-end", "p. 1", "OOS is the lowest.")
    item = PrintedItem("fig", "Fig. 1", "p. 1", "A figure", "", claims=(claim,))
    monkeypatch.setattr("hiddenhand_papers.report.pages.printed_item", lambda name: item)
    made = list[str]()
    monkeypatch.setattr(Store, "add", _noting(made))
    with Store(None) as store:
        work([TwoReadings("test", "fig", "", (), differs)], PAPER, store, seconds=1000.0)
    texts = [f"text(start={number})" for number in range(4)]
    programs = [f"program(start={number})" for number in range(4)]
    assert made == texts + (programs if differs else [])


@dataclass(frozen=True)
class InParts(Listed):
    """An experiment whose units of one kind are a part."""

    @property
    def parts(self) -> dict[str, Experiment]:
        kinds = dict.fromkeys(unit.text.partition("(")[0] for unit in self.wanted)
        return {
            kind: replace(self, wanted=tuple(one for one in self.wanted if kind in one.text))
            for kind in kinds
        }


def test_the_parts_of_an_item_grow_one_by_one() -> None:
    """Only the one whose next step takes the least time is waiting."""
    item = InParts("test", "parts", "Parts", (), (Counted(0, "long"), Counted(1), Counted(2)))
    with Store(None) as store:
        store.add(kept("long", 20.0))
        store.add(kept("short", 1.0))
        (waiting,) = open_items([item], SIXTEENTH, store)
        assert [one.unit for one in waiting.units] == [Counted(1), Counted(2)]
        done = work([item], SIXTEENTH, store, seconds=100.0)
        assert (done.made, done.open, open_items([item], SIXTEENTH, store)) == (3, 0, [])


def test_the_parts_of_an_item_have_all_of_its_units() -> None:
    several = 0
    for experiment in catalogue().values():
        for one in (experiment, experiment.deciding):
            parts = [set(part.units(SIXTEENTH)) for part in one.parts.values()]
            assert set[Unit]().union(*parts) == set(one.units(SIXTEENTH))
            several += len(parts) > 1
        assert set(experiment.deciding.parts) <= set(experiment.parts)
    assert several > 20


def _noting(made: list[str]) -> Callable[[Store, Row], None]:
    add = Store.add

    def noted(store: Store, row: Row) -> None:
        made.append(row.unit)
        add(store, row)

    return noted


def test_units_that_are_stored_or_are_timed_are_left_out() -> None:
    one = listed("one", Counted(0), Counted(1), Counted(2, "timed"))
    with Store(None) as store:
        store.add(kept("short", 1.0, 0))
        (item,) = open_items([one], SIXTEENTH, store)
    assert [open_.unit for open_ in item.units] == [Counted(1)]
    timed = {
        type(unit).__name__
        for experiment in catalogue().values()
        for unit in experiment.units(EVENING)
        if unit.is_timed
    }
    assert timed == {"DepthTimes"}
    with pytest.raises(OptionError, match="budgets in seconds"):
        work([one], read_scale("0.0625", "seconds"), Store(None), seconds=1.0)


def test_what_takes_longer_than_is_left_is_not_begun() -> None:
    one = listed("one", Counted(0, "long"), *(Counted(number) for number in range(3)))
    with Store(None) as store:
        store.add(kept("long", 1000.0))
        store.add(kept("short", 0.0))
        done = work([one], SIXTEENTH, store, seconds=100.0)
    assert (done.made, done.open, done.seconds) == (3, 1, 1000.0)


@dataclass(frozen=True)
class Endless(Unit):
    """A unit that never ends."""

    def run(self) -> Result:
        while True:
            time.sleep(0.001)


def test_the_deadline_ends_a_unit_that_takes_longer_than_was_guessed() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with Store(None) as store:
        store.add(Row("Endless(seed=1)", "", {}, {"processor_seconds": 0.0}))
        done = work([listed("one", Endless())], SIXTEENTH, store, seconds=0.2)
    assert (done.made, done.open) == (0, 1)
    assert signal.getsignal(signal.SIGALRM) is before


def test_the_deadline_without_a_timer_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows."""
    monkeypatch.delattr(signal, "setitimer")
    before = signal.getsignal(signal.SIGTERM)
    with Store(None) as store:
        store.add(Row("Endless(seed=1)", "", {}, {"processor_seconds": 0.0}))
        done = work([listed("one", Endless())], SIXTEENTH, store, seconds=0.2)
    assert (done.made, done.open) == (0, 1)
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_unit_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the others are made."""
    monkeypatch.setattr(experiment_work, "_PATIENCE", 0.05)
    with Store(None) as store:
        store.add(Row("Endless(seed=1)", "", {}, {"processor_seconds": 0.0}))
        store.add(kept("short", 1.0))
        one = listed("one", Endless(), *(Counted(number) for number in range(3)))
        done = work([one], SIXTEENTH, store, seconds=100.0)
        assert (done.made, done.open) == (3, 1)
        assert work([one], SIXTEENTH, store, seconds=100.0).open == 1  # its claim was released


def test_guesses_grow_with_iterations() -> None:
    guess = guesses([Row("Run(search='a',iterations=100,preplay=100,seed=1)", "", {}, TWO_SECONDS)])
    for text, seconds in (
        ("Run(search='a',iterations=100,preplay=100,seed=2)", 2.0),
        ("Run(search='a',iterations=5000,preplay=5000,seed=2)", 100.0),
        ("Run(search='a',iterations=1000,preplay=0,seed=2)", 10.0),
        ("Run(search='b',iterations=5000,preplay=5000,seed=2)", 2.0),
        ("Other(seed=1)", 60.0),
    ):
        assert guess(Named(text)) == pytest.approx(seconds)


def test_the_newest_units_tell_how_long_others_take() -> None:
    """Whatever their order in the store."""
    rows = [
        Row(
            f"Run(search='a',iterations=100,seed={day})",
            "",
            {},
            {"processor_seconds": 1.0 if day > 20 else 50.0, "when": f"2026-11-{day}T10:00:00"},
        )
        for day in (30, 10, 29, 11, 28, 12, 27, 13, 26, 25, 24, 14, 23, 22, 21)
    ]
    assert guesses(rows)(Named("Run(search='a',iterations=100,seed=1)")) == pytest.approx(1.0)


TWO_SECONDS = {"processor_seconds": 2.0}


@dataclass(frozen=True)
class Named(Unit):
    """A unit with a text."""

    said: str

    @property
    def text(self) -> str:
        return self.said

    def run(self) -> Result:
        return {}


@pytest.mark.slow
def test_a_worker_that_is_killed_loses_and_repeats_nothing(tmp_path: Path) -> None:
    """Killed 20 times, whatever it is doing. On a busy machine it may be done before the last kill,
    which then changes nothing.
    """
    random.seed(1)
    path, log, units = tmp_path / "store.sqlite", tmp_path / "log", 1200
    log.touch()
    one = listed("one", *(Counted(number, file=str(log)) for number in range(units)))

    def stored() -> set[int]:
        with Store(path) as store:
            return {row.result["number"] for row in store.rows() if "number" in row.result}

    with Store(path) as store:
        store.add(kept("short", 0.0))
    before = stored()
    for _ in range(20):
        begun = len(log.read_text().splitlines())
        wanted = min(begun + random.randrange(1, 60), units)
        if (child := os.fork()) == 0:
            with Store(path) as store:
                work([one], SIXTEENTH, store, seconds=600.0)
            os._exit(0)
        wait_until(lambda at=wanted: len(log.read_text().splitlines()) >= at)  # type: ignore[misc]
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        written = [int(line) for line in log.read_text().splitlines()[begun:]]
        after = stored()
        assert before <= after  # nothing is lost,
        assert not before & set(written)  # nothing is made again,
        assert len(set(written) - after) <= 1  # and only what was in work is missing
        before = after
    with Store(path) as store:
        assert work([one], SIXTEENTH, store, seconds=600.0).open == 0
    assert stored() == set(range(units))


def test_the_command_line(typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two = {"test/two": listed("two", Counted(0), Counted(1))}
    monkeypatch.setattr("hiddenhand_papers.catalogue.catalogue", lambda: two)
    priorities = list[int]()
    monkeypatch.setattr("hiddenhand_papers.work.os.nice", priorities.append)
    monkeypatch.setattr("hiddenhand_papers.work.os.getsid", lambda process: -1)  # not the tests'
    monkeypatch.setattr(
        "hiddenhand_papers.work.os.sched_setscheduler", lambda *given: None, raising=False
    )
    store = ["--store", str(tmp_path / "store.sqlite")]
    status, out, _ = typed("experiment", "work", "test/two", *store, "--minutes", "10")
    assert status == 0
    assert "units were run; 0 are missing" in out
    assert priorities == [19]
    again = typed.json("experiment", "work", "test/two", *store)
    assert (again["made"], again["open"]) == (0, 0)
    exported = tmp_path / "results.csv.gz"
    typed("experiment", "export", str(exported), "test/two", *store)
    other = ["--store", str(tmp_path / "other.sqlite")]
    assert "2 of 2 results were added" in typed("experiment", "import", str(exported), *other)[1]
    assert "0 of 2 results were added" in typed("experiment", "import", str(exported), *other)[1]
