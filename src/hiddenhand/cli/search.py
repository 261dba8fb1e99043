"""The verb that searches: ``search`` thinks from the beginning of a game, by any online search."""

import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hiddenhand import clock
from hiddenhand.cli.common import (
    AsJson,
    GameSpec,
    Params,
    Seed,
    Unseen,
    load_sequential,
    print_decisions,
    print_json,
    print_text,
    show,
    then_kept,
    tier_used,
    verify_unseen,
    verify_writable,
    with_params,
    work,
)
from hiddenhand.cli.process import INTERRUPTED
from hiddenhand.cli.snapshots import Measures, budgeted, long_run, saving
from hiddenhand.errors import OptionError, RefusedOptionError, UnusedOptionError
from hiddenhand.processors import num_processors
from hiddenhand.search.algorithms import Algorithm, read_algorithm
from hiddenhand.search.making import make_search

if TYPE_CHECKING:
    from hiddenhand.games.base import Game
    from hiddenhand.search.online import OnlineSearch
    from hiddenhand.search.root_search import Found


def search(
    game: GameSpec,
    spec: Annotated[
        str,
        typer.Argument(
            metavar="[SPEC]",
            help="An algorithm with its parameters, such as 'oos(epsilon=0.4)'; hiddenhand "
            "algorithms lists all.",
        ),
    ] = "oos",
    params: Params = None,
    nash_conv: Annotated[
        bool,
        typer.Option(
            "--nash-conv",
            help="Also measure how far the result is from an equilibrium (small games only).",
        ),
    ] = False,
    unseen: Unseen = "uniform",
    resume: Annotated[Path | None, typer.Option(help="Continue the search in this file.")] = None,
    snapshots: Annotated[
        int | None,
        typer.Option(
            help="Number of snapshots to write beside --out while searching, each after twice as "
            "long as the one before. Each adds a line to the .curve.jsonl file beside --out."
        ),
    ] = None,
    every: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Write a snapshot every so many seconds. To continue a killed run with snapshots, "
            "pass only --resume.",
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            help="Number of iterations. An iteration is one traversal of the game, or one for each "
            "player; hiddenhand algorithms says which."
        ),
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Search time in seconds.")] = None,
    seed: Seed = 0,
    jobs: Annotated[
        int | None,
        typer.Option(
            help="Number of processes that search. The result depends on the number of streams, "
            "which is by default that of the processes, and not on --jobs.",
            show_default="1, or with --backend one for each stream",
        ),
    ] = None,
    backend: Annotated[
        str | None,
        typer.Option(
            help="Where the processes run: loky (on this machine), ray or dask.",
            show_default="loky",
        ),
    ] = None,
    memory: Annotated[
        int | None,
        typer.Option(
            help="Memory limit of the search's tables in MiB, also while they grow.",
            show_default="as hiddenhand algorithms says",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write the search to this file, to resume it or to use it as a strategy. Of a "
            "search that cannot be resumed, only the strategy is written."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Search a game from its beginning, for a number of iterations or of seconds."""
    from hiddenhand.search.root_search import found_by, keep, spec_of, verify_searchable

    if memory is not None:
        params = [*(params or []), _memory(spec, memory)]
    typed = with_params(spec, params)
    named, given = read_algorithm(typed)
    asked = budgeted(named, iterations, seconds, snapshots, every, out, resume)
    if asked.is_resumed and asked.plan is not None:
        nash_conv, unseen = nash_conv or asked.plan.nash_conv, asked.plan.unseen
    verify_unseen(unseen)
    verify_writable(asked.out)
    loaded = load_sequential(game)
    cluster = _Cluster(game, backend, jobs)
    if resume is None:
        given |= cluster.streams(given)
        running, name = make_search(loaded, named.spec(given), seed), named.spec(given)
    else:
        running = _resumed(named, resume, loaded, given)
        name = spec_of(running)
    verify_searchable(named, loaded, running)
    measures = Measures(loaded, nash_conv, unseen, seed)
    run = None
    if asked.plan is not None:
        run = long_run(running, asked, measures, nash_conv, unseen)
    saves = saving(running, asked.out, cluster.is_used)
    interrupted, began = False, clock.now()
    with work(f"Searching {game}") as progress, cluster.spread(running):
        try:
            if run is not None:
                run.run(progress)
            else:
                running.think(asked.iterations, asked.seconds, saves(progress))
        except KeyboardInterrupt:
            interrupted = True
    found = found_by(running, clock.now() - began)
    answer = {
        "game": game,
        "algorithm": name,
        "iterations": found.iterations,
        "traversals": found.traversals,
        "seconds": found.seconds,
        "traversals_per_second": found.traversals_per_second,
        "information_sets": found.information_sets,
        "nash_conv": None,
        **measures.of(found),
    }
    written = asked.out if run is None or interrupted else None  # else it is the last snapshot
    with then_kept(written, lambda path: keep(running, found, path)):
        _show(answer, found, loaded, as_json)
    if interrupted:
        sys.exit(INTERRUPTED)


def _memory(spec: str, mib: int) -> str:
    """Return the parameter that limits the memory of the search ``spec`` to so many MiB."""
    named, _ = read_algorithm(spec)
    if mib < 1:
        raise RefusedOptionError("memory", mib, "give at least 1, in MiB")
    if all(parameter.name != "memory" for parameter in named.parameters):
        raise UnusedOptionError("memory", f"the algorithm {named.name}")
    return f"memory={mib * 2**20}"


class _Cluster:
    """The processes in which a search works, as the options name them."""

    def __init__(self, game: str, backend: str | None, jobs: int | None) -> None:
        if jobs is not None and jobs < 1 and jobs != -1:
            raise RefusedOptionError(
                "jobs", jobs, "give a whole number of at least 1, or -1 for one for each processor"
            )
        self._game, self._backend = game, backend or "loky"
        self._jobs = num_processors() if jobs == -1 else jobs
        self.is_used = backend is not None or self._jobs not in (None, 1)

    def streams(self, given: dict[str, Any]) -> dict[str, int]:
        """Return the parameters to add to those ``given`` for a new search, which divide it into
        streams.
        """
        divided = given.get("streams") or given.get("threads", 1) > 1
        return {"streams": self._jobs or 2} if self.is_used and not divided else {}

    def spread(self, running: "OnlineSearch") -> AbstractContextManager[object]:
        """Return a context in which ``running`` searches in those processes, or in this one."""
        if not self.is_used:
            return nullcontext()
        from hiddenhand.search.parallel.cluster import spread

        jobs = self._jobs
        if jobs is None:
            jobs = running._streams.count if hasattr(running, "_streams") else 1
        return spread(running, self._game, self._backend, jobs)


def _resumed(named: Algorithm, path: Path, game: "Game", given: dict[str, Any]) -> "OnlineSearch":
    from hiddenhand.search.root_search import resume

    for name in given:
        raise OptionError(f"{name} cannot be changed for a search that is resumed; leave it out")
    return resume(named, path, game)


def _show(answer: dict[str, Any], found: "Found", game: "Game", as_json: bool) -> None:
    from hiddenhand.search.first_decision import root_strategy

    first = root_strategy(game, found.strategy)
    if as_json:
        print_json(answer | {"root_strategy": [vars(decision) for decision in first]} | tier_used())
        return
    show({name: value for name, value in answer.items() if value is not None}, as_json)
    if found.refused:
        print_text(
            f"The tables were full, so {found.refused:,} playouts added no information set. Allow "
            "more memory with --memory."
        )
    print_decisions(first)
