"""Searches with several streams: bits that depend on the number of streams and on nothing else,
and hardly a loss.
"""

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clocks import StillClock, installed
from naive.divided import SEARCHES, everything
from naive.rarely_broken import FAULTS, RarelyBroken
from naive.small_games import bushy, small
from naive.streams import rows_of, searched

from hiddenhand import ISMCTS, OOS
from hiddenhand.errors import HiddenhandError
from hiddenhand.games.history import Event, History
from hiddenhand.jit.infoset_table import num_bytes
from hiddenhand.search.algorithms import find
from hiddenhand.search.exclusive_use import uninterrupted
from hiddenhand.search.parallel import streams as streams_module
from hiddenhand.search.parallel.streams import Streams
from hiddenhand.search.root_search import resume
from hiddenhand.search.table_search import LEAST_MEMORY

IN_FILES = [name for name in SEARCHES if name != "mccr"]


@pytest.mark.parametrize("name", SEARCHES)
def test_bits_depend_on_streams_and_not_on_threads(name: str) -> None:
    found = []
    for threads, streams in ((1, 3), (2, 3), (3, None)):
        search = SEARCHES[name](threads=threads, streams=streams)
        search.think(iterations=2000)
        search.think(iterations=501)
        found.append(everything(search))
    assert found[0] == found[1] == found[2]
    assert found[0][2][0] == 2501
    alone = SEARCHES[name]()
    alone.think(iterations=2501)
    assert everything(alone) != found[0]


@pytest.mark.parametrize("name", ["ismcts", "oos", "mccr", "smmcts"])
def test_a_match_is_followed_with_streams(name: str) -> None:
    """Also after rows were dropped, or a search has turned to another subgame."""
    found = []
    for threads in (1, 2):
        search = SEARCHES[name](threads=threads, streams=2)
        search.start(0, 5)
        random, history, events = np.random.default_rng(1), History(search.game), list[Event]()
        while not history.is_terminal:
            if history.player == 0:
                search.notice(events, iterations=300)
                events = []
                search.think(iterations=300)
                found.append(search.policy(len(history.legal_actions())).tolist())
            moves = (
                [outcome for outcome, _ in history.chance_outcomes()]
                if history.player < 0
                else history.legal_actions()
            )
            history = history.child(int(random.choice(moves)))
            event = history.noticed(0)
            events += [event] if event is not None else []
        found.append(everything(search))
    assert found[: len(found) // 2] == found[len(found) // 2 :]


@pytest.mark.parametrize("thinkings", [(3000,), (20_000,), (3000, 2000, 500)])
@pytest.mark.parametrize("streams", [2, 3])
def test_rounds_are_those_of_the_slow_twin(thinkings: tuple[int, ...], streams: int) -> None:
    def made(**more: Any) -> OOS:
        return OOS(small("IIGS(4)"), delta=0.0, seed=4, **more)

    search = made(streams=streams)
    for iterations in thinkings:
        search.think(iterations=iterations)
    expected = searched(made(), 4, streams, *thinkings)
    rows = rows_of(search.table)
    assert list(rows) == list(expected)  # also in the order in which they were added
    for key, row in rows.items():
        assert row.tolist() == expected[key].tolist()


@pytest.mark.parametrize("name", IN_FILES)
def test_a_search_with_streams_goes_on_from_a_file(name: str, tmp_path: Path) -> None:
    search = SEARCHES[name](streams=2)
    search.think(iterations=700)
    search.save(tmp_path / "search")
    resumed = type(search).load(tmp_path / "search", search.game)
    assert everything(resumed) == everything(search)
    for running in (search, resumed):
        running.think(iterations=700)
    assert everything(resumed) == everything(search)
    assert resumed.result().shared == search.result().shared


@pytest.mark.slow
def test_streams_keep_within_memory() -> None:
    """The copies count as well; and when memory is full, the search goes on and counts right."""
    memory = 2 * LEAST_MEMORY
    search = OOS(bushy(), seed=1, memory=memory, streams=3)
    search.think(iterations=60_000)
    result = search.result()  # which verifies its counters
    assert result.refused > 0
    assert result.bytes == 4 * num_bytes(search.table) <= memory


def test_a_budget_in_seconds_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    search = SEARCHES["oos"](streams=2)
    search.think(iterations=100)
    ticking = installed(monkeypatch, StillClock(tick=5e-3))
    began = ticking.time
    search.think(seconds=0.1)
    assert 0.1 <= ticking.time - began < 0.15
    assert search.result().iterations > 100


def test_ctrl_c_keeps_the_rounds_before_it() -> None:
    """The search goes on from them, and repeats itself."""

    class Stops:
        def update(self, report: Any) -> None:
            if report.done >= 500:
                raise KeyboardInterrupt

    found = []
    for threads in (1, 2):
        stopped = SEARCHES["oos"](streams=2, threads=threads)
        with pytest.raises(KeyboardInterrupt):
            stopped.think(iterations=10_000, progress=Stops())
        done = stopped.result().iterations  # which verifies its counters
        assert 500 <= done < 10_000
        stopped.think(iterations=300)
        assert stopped.result().iterations == done + 300
        found.append(everything(stopped))
    assert found[0] == found[1]


def test_a_merge_ends_however_often_ctrl_c_comes() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    done = list[bool]()

    def merge() -> None:
        for _ in range(3):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
        done.append(True)

    try:
        with pytest.raises(KeyboardInterrupt):
            uninterrupted(merge)
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == [True]


def test_a_round_in_which_a_rule_fails_was_never_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams that have searched, and were not merged, leave nothing."""
    broken, whole = SEARCHES["oos"](streams=2), SEARCHES["oos"](streams=2)
    for search in (broken, whole):
        search.think(iterations=1000)
    run_all = Streams.run_all

    def breaks(streams: Streams, *given: Any) -> None:
        run_all(streams, *given)
        raise ZeroDivisionError

    monkeypatch.setattr(Streams, "run_all", breaks)
    with pytest.raises(ZeroDivisionError):
        broken.think(iterations=300)
    monkeypatch.undo()
    assert everything(broken) == everything(whole)
    for search in (broken, whole):
        search.think(iterations=300)
    assert everything(broken) == everything(whole)


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_a_round_between_two_pieces_and_keeps_what_was_done(
    monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    search = SEARCHES["oos"](streams=2, threads=threads)
    search.think(iterations=1000)
    before, run = search.result(), streams_module.run
    here, elsewhere = list[int](), list[int]()

    def runs(stream: Any, count: int) -> None:
        run(stream, count)
        is_main = threading.current_thread() is threading.main_thread()
        (here if is_main else elsewhere).append(count)
        if is_main and len(here) == 2:
            raise KeyboardInterrupt  # as if it came between two pieces

    monkeypatch.setattr(streams_module, "run", runs)
    search._streams._rate = 200.0  # pieces of ten iterations
    with pytest.raises(KeyboardInterrupt):
        search.think(iterations=1000)
    monkeypatch.undo()
    assert here == [10, 10]
    made = sum(here) + sum(elsewhere)
    assert search.result().iterations == before.iterations + made
    assert search.result().seconds > before.seconds
    search.think(iterations=1000)
    assert search.result().iterations == before.iterations + made + 1000


@pytest.mark.slow
def test_a_broken_law_is_told_with_the_way_there() -> None:
    game = RarelyBroken(FAULTS.index("no action"))
    with pytest.raises(HiddenhandError, match="legal_actions") as caught:
        ISMCTS(game, "rm", seed=1, threads=2, streams=3).think(iterations=100_000)
    assert "after the moves (" in str(caught.value)


def test_chunks_decide_how_often_streams_are_merged(tmp_path: Path) -> None:
    often, seldom = (OOS(small("IIGS(4)"), seed=3, streams=2, chunk=chunk) for chunk in (16, 4096))
    for search in (often, seldom):
        search.think(iterations=4000)
        search.save(tmp_path / "search")
        algorithm = find("oos")
        assert algorithm is not None
        loaded = resume(algorithm, tmp_path / "search", small("IIGS(4)"))
        assert loaded._streams.division == search._streams.division  # type: ignore[attr-defined]
    assert everything(often) != everything(seldom)
