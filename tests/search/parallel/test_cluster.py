"""Streams in other processes: the same bits, and workers that die."""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from naive.divided import SEARCHES, everything
from naive.small_games import small

from hiddenhand import CR
from hiddenhand.errors import HiddenhandError, OptionError
from hiddenhand.search.parallel import cluster
from hiddenhand.search.parallel.cluster import Backend, Loky, LostError, spread, work_off


class Here(Backend):
    """Makes all calls in this process. Every fifth of its workers dies."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self.submitted = 0

    def everywhere(self, value: Any) -> Any:
        return value

    def submit(self, *arguments: Any) -> Any:
        self.submitted += 1
        return None if self.submitted % 5 == 0 else work_off(*arguments)

    def result(self, call: Any) -> Any:
        if call is None:
            raise LostError
        return call

    def close(self) -> None:
        pass


class Threads(Here):
    """Makes calls in threads of one worker, as Dask does unless it is told not to."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self._pool = ThreadPoolExecutor(workers)

    def submit(self, *arguments: Any) -> Any:
        return self._pool.submit(work_off, *arguments)

    def result(self, call: Any) -> Any:
        return call.result()

    def close(self) -> None:
        self._pool.shutdown()


class Hopeless(Here):
    """All of its workers die."""

    def submit(self, *arguments: Any) -> Any:
        return None


@pytest.fixture(autouse=True)
def _backends_for_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    for made in (Here, Threads, Hopeless, Killing):
        monkeypatch.setitem(cluster._MAKERS, made.__name__.casefold(), made)
    monkeypatch.setattr(cluster, "BACKENDS", tuple(cluster._MAKERS))


@pytest.mark.parametrize("name", ["oos", "oos baseline", "ismcts", "smmcts"])
@pytest.mark.parametrize("workers", [1, 2])
def test_it_makes_no_difference_where_streams_are(name: str, workers: int) -> None:
    here, elsewhere = SEARCHES[name](streams=3), SEARCHES[name](streams=3)
    with spread(elsewhere, elsewhere.game, "here", workers):
        for search in (here, elsewhere):
            search.think(iterations=1500)
            search.think(iterations=700)
    for search in (here, elsewhere):
        search.think(iterations=300)
    assert everything(here) == everything(elsewhere)


def test_threads_of_a_worker_do_not_disturb_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    at_work, together = list[None](), list[int]()
    worked_off = cluster._worked_off

    def watched(*given: Any) -> Any:
        at_work.append(None)
        together.append(len(at_work))
        time.sleep(0.001)  # others would come in meanwhile
        done = worked_off(*given)
        at_work.pop()
        return done

    monkeypatch.setattr(cluster, "_worked_off", watched)
    here, elsewhere = SEARCHES["oos"](streams=4), SEARCHES["oos"](streams=4)
    with spread(elsewhere, elsewhere.game, "threads", 4):
        for search in (here, elsewhere):
            for _ in range(10):
                search.think(iterations=2000)
    assert everything(here) == everything(elsewhere)
    assert len(together) >= 40  # each of four streams, in ten rounds or more
    assert set(together) == {1}


def test_workers_that_all_die_end_the_search_with_a_sentence() -> None:
    search = SEARCHES["oos"](streams=2)
    with (
        spread(search, small("IIGS(4)"), "hopeless", 2),
        pytest.raises(HiddenhandError, match="given to workers 5 times"),
    ):
        search.think(iterations=500)
    assert search.result().iterations == 0


@pytest.mark.parametrize(
    ("search", "backend", "workers", "says"),
    [
        (lambda: SEARCHES["oos"](streams=2), "magic", 2, "there is no backend 'magic'"),
        (lambda: SEARCHES["oos"](streams=2), "loky", 0, "workers=0 is not allowed"),
        (SEARCHES["oos"], "loky", 2, "a search with one stream cannot be spread"),
        (lambda: CR(small("IIGS(4)")), "loky", 2, "only searches that can be resumed"),
    ],
)
def test_refusals(search: Any, backend: str, workers: int, says: str) -> None:
    with (
        pytest.raises(OptionError, match=says),
        spread(search(), small("IIGS(4)"), backend, workers),
    ):
        pass


@pytest.mark.parametrize(("backend", "module"), [("ray", "ray"), ("dask", "distributed")])
def test_a_backend_that_is_not_installed_is_told(
    backend: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    says = rf"the backend {backend} needs {module}, which is not installed; install hiddenhand\["
    with (
        pytest.raises(OptionError, match=says),
        spread(SEARCHES["oos"](streams=2), small("IIGS(4)"), backend, 2),
    ):
        pass


class Killing(Loky):
    """Kills a worker that has something to do, once."""

    killed = 0

    def result(self, call: Any) -> Any:
        if not self.killed:
            self.killed = next(iter(self._executor._processes))
            os.kill(self.killed, signal.SIGKILL)
        return super().result(call)


@pytest.mark.slow
def test_a_process_that_is_killed_costs_its_part_of_a_round() -> None:
    here, elsewhere = SEARCHES["oos"](streams=2), SEARCHES["oos"](streams=2)
    here.think(iterations=400)
    with spread(elsewhere, small("IIGS(4)"), "killing", 2) as workers:
        elsewhere.think(iterations=400)
        assert isinstance(workers, Killing)
        assert workers.killed
    assert everything(here) == everything(elsewhere)


ON_A_CLUSTER = """
import os, sys
from hiddenhand import OOS, load_game
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.search.parallel.cluster import spread

if __name__ == "__main__":
    game = TreeGame.from_game(load_game("IIGS(4)"))
    here, elsewhere = (OOS(game, seed=3, streams=2) for _ in range(2))
    here.think(iterations=1000)
    with spread(elsewhere, game, sys.argv[1], 2) as workers:
        submit = workers.submit

        def lethal(*arguments):
            workers.submit = submit
            if sys.argv[1] == "ray":
                return workers._ray.remote(max_retries=0)(lambda: os._exit(1)).remote()
            return workers._client.submit(os._exit, 1, pure=False)

        workers.submit = lethal  # the first call ends the worker that gets it
        elsewhere.think(iterations=1000)
    assert here.weights().values.tolist() == elsewhere.weights().values.tolist()
    assert here.weights().values.size > 100
"""


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "module"), [("ray", "ray"), ("dask", "distributed")])
def test_a_local_cluster_of_two_workers(backend: str, module: str, tmp_path: Any) -> None:
    """Of which one dies. In a process of its own, because these packages warn of what is not our
    business.
    """
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")
    program = tmp_path / "program.py"
    program.write_text(ON_A_CLUSTER)
    done = subprocess.run(
        [sys.executable, str(program), backend], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
