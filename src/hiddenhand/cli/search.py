"""The verb that searches: ``search`` thinks from the beginning of a game, by any online search.

The parameters of the searches are options of the verb, named as in their constructors. Reading them
loads the searches, so it is done only when this verb was typed: see `take_parameters`.
"""

import inspect
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hiddenhand import clock
from hiddenhand.cli.common import (
    AsJson,
    GameSpec,
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
    work,
)
from hiddenhand.cli.process import INTERRUPTED
from hiddenhand.cli.snapshots import Measures, budgeted, long_run, saving
from hiddenhand.errors import OptionError, UnusedOptionError
from hiddenhand.parameters import Parameter, is_not_finite, read_value
from hiddenhand.search.algorithms import SEARCH, Algorithm, algorithms, names, read_algorithm
from hiddenhand.search.making import make_search
from hiddenhand.text import shortened

if TYPE_CHECKING:
    from hiddenhand.games.base import Game
    from hiddenhand.search.from_root import Found
    from hiddenhand.search.online import OnlineSearch

_DEFAULT = "oos"
_PANEL = "Parameters of the algorithm"
_IN_OTHER_UNITS = ("memory",)  # parameters for which the verb has an option of its own


def search(
    game: GameSpec,
    spec: Annotated[
        str | None,
        typer.Argument(
            metavar="[SPEC]",
            help="The algorithm, such as oos or 'oos(epsilon=0.4)'; by default oos.",
        ),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            help="The algorithm, as an option in place of the argument SPEC. One of: "
            f"{', '.join(names(SEARCH))}. hiddenhand algorithms describes them.",
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
    memory: Annotated[
        int | None,
        typer.Option(
            help="Memory limit of the search's tables in MiB, also while they grow. By default, as "
            "hiddenhand algorithms says."
        ),
    ] = None,
    nash_conv: Annotated[
        bool,
        typer.Option(
            "--nash-conv",
            help="Also measure how far the result is from an equilibrium (small games only).",
        ),
    ] = False,
    unseen: Unseen = "uniform",
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write the search to this file, to resume it or to use it as a strategy. Of a "
            "search that cannot be resumed, only the strategy is written."
        ),
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Continue the search in this file.")] = None,
    backend: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Search in several processes: loky (on this machine), ray or dask. The result "
            "depends on --streams, not on --workers; by default, there are as many streams as "
            "workers.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(help="With --backend, number of processes; by default one for each stream."),
    ] = None,
    snapshots: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            help="Number of snapshots to write beside --out while searching, each after twice as "
            "long as the one before. Each adds a line to the .curve.jsonl file beside --out.",
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
    as_json: AsJson = False,
    **parameters: str | bool | None,
) -> None:
    """Search a game from its beginning, for a number of iterations or of seconds."""
    from hiddenhand.search.from_root import found_by, keep, spec_of, verify_searchable

    typed = _typed(spec, algorithm)
    named, in_spec = read_algorithm(typed)
    asked = budgeted(named, iterations, seconds, snapshots, every, out, resume)
    if asked.is_resumed and asked.plan is not None:
        nash_conv, unseen = nash_conv or asked.plan.nash_conv, asked.plan.unseen
    verify_unseen(unseen)
    verify_writable(asked.out)
    loaded = load_sequential(game)
    given = _read(named, memory, parameters)
    cluster = _Cluster(game, backend, workers, resume is None, {**in_spec, **given})
    given |= cluster.streams
    if resume is None:
        running = make_search(loaded, typed, seed, **given)
        name = named.spec(named.given_once(in_spec, given))
    else:
        running = _resumed(named, resume, loaded, in_spec, given)
        name = spec_of(running)
    verify_searchable(named, loaded)
    measures = Measures(loaded, nash_conv, unseen, seed)
    run = None
    if asked.plan is not None:
        run = long_run(running, asked, measures, nash_conv, unseen)
    saves = saving(running, asked.out, backend)
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
        "best_response_sum": None,
        **measures.of(found),
    }
    written = asked.out if run is None or interrupted else None  # else it is the last snapshot
    with then_kept(written, lambda path: keep(running, found, path)):
        _show(answer, found, loaded, as_json)
    if interrupted:
        sys.exit(INTERRUPTED)


def _typed(spec: str | None, algorithm: str | None) -> str:
    """Return the algorithm that was named by argument or by option, or the default. Raises
    OptionError if it was named both ways.
    """
    if spec is not None and algorithm is not None:
        raise OptionError(
            f"the algorithm is named twice, as {shortened(spec)} and with --algorithm "
            f"{shortened(algorithm)}; name it once, in either way"
        )
    return next((typed for typed in (spec, algorithm) if typed is not None), _DEFAULT)


def _read(
    named: Algorithm, memory: int | None, parameters: dict[str, str | bool | None]
) -> dict[str, Any]:
    """Return the parameters that were given as options. Raises OptionError for parameters that the
    algorithm does not have, and for text that is no value.
    """
    typed: dict[str, Any] = {name: text for name, text in parameters.items() if text is not None}
    if memory is not None:
        if memory < 1:
            raise OptionError(f"--memory {memory} is not allowed; give at least 1, in MiB")
        typed["memory"] = memory * 2**20
    known = {parameter.name: parameter for parameter in named.parameters}
    for name in typed:
        if name not in known:
            raise UnusedOptionError(name, f"the algorithm {named.name}")
    return {name: _value(known[name], text) for name, text in typed.items()}


def _value(parameter: Parameter, typed: Any) -> Any:
    """Return the value of a parameter that was typed as an option. Typer has read flags already."""
    if not isinstance(typed, str):
        return typed
    option = f"--{parameter.name.replace('_', '-')}"
    if parameter.is_number and is_not_finite(typed):
        raise OptionError(f"{option} {typed} is not allowed; give a finite number")
    return read_value(option, typed)


class _Cluster:
    """The processes in which a search works, as the options name them.

    streams: the parameters to add to those of the search, which divide it into streams.
    """

    def __init__(
        self,
        game: str,
        backend: str | None,
        workers: int | None,
        is_new: bool,
        given: dict[str, Any],
    ) -> None:
        if backend is None and workers is not None:
            raise OptionError(
                f"--workers {workers} has no meaning without --backend; give --backend loky, ray "
                "or dask, or use --threads"
            )
        self._game, self._backend, self._workers = game, backend, workers
        divided = given.get("streams") or given.get("threads", 1) > 1
        is_spread = backend is not None and is_new and not divided
        self.streams = {"streams": workers or 2} if is_spread else {}

    def spread(self, running: "OnlineSearch") -> AbstractContextManager[object]:
        """Return a context in which ``running`` searches in those processes, or in this one."""
        if self._backend is None:
            return nullcontext()
        from hiddenhand.search.cluster import spread

        workers = self._workers
        if workers is None:
            workers = running._streams.count if hasattr(running, "_streams") else 1
        return spread(running, self._game, self._backend, workers)


def _resumed(
    named: Algorithm, path: Path, game: "Game", in_spec: dict[str, Any], given: dict[str, Any]
) -> "OnlineSearch":
    from hiddenhand.search.from_root import resume

    for name in (*(f"--{name.replace('_', '-')}" for name in given), *in_spec):
        raise OptionError(f"{name} cannot be changed for a search that is resumed; leave it out")
    return resume(named, path, game)


def _show(answer: dict[str, Any], found: "Found", game: "Game", as_json: bool) -> None:
    from hiddenhand.search.root import root_strategy

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


# --- parameters as options ---


def take_parameters() -> None:
    """Make the parameters of all online searches options of the verb."""
    _declare(_options())


def _declare(options: list[inspect.Parameter]) -> None:
    """Give `search` a signature with ``options`` in place of its ``**parameters``."""
    vars(search)["__signature__"] = inspect.Signature([*_OWN, *options])


_OWN = [
    parameter
    for parameter in inspect.signature(search).parameters.values()
    if parameter.kind is not inspect.Parameter.VAR_KEYWORD
]
_declare([])  # until `take_parameters` adds the others


def _options() -> list[inspect.Parameter]:
    owners: dict[str, list[tuple[Algorithm, Parameter]]] = {}
    for algorithm in algorithms(SEARCH):
        for parameter in algorithm.parameters:
            if parameter.name not in _IN_OTHER_UNITS:
                owners.setdefault(parameter.name, []).append((algorithm, parameter))
    return [_option(name, owned) for name, owned in owners.items()]


def _option(name: str, owned: list[tuple[Algorithm, Parameter]]) -> inspect.Parameter:
    """Return an option for the parameter ``name`` of the algorithms that have it. If the parameter
    is a flag for only some algorithms, the option is a flag. The other algorithms take the
    parameter in their text, as in ``name(parameter=value)``.
    """
    flags = [each for each in owned if each[1].kinds == ("bool",)]
    is_flag = bool(flags)
    owned = flags or owned
    meanings: dict[str, list[str]] = {}  # meaning: names of algorithms
    for algorithm, parameter in owned:
        meaning = f"{parameter.description}{_unless_said(parameter)}"
        meanings.setdefault(meaning, []).append(algorithm.name)
    told = ". ".join(f"{', '.join(users)}: {meaning}" for meaning, users in meanings.items())
    option = typer.Option(
        help=f"{told}.",
        show_default=False,
        rich_help_panel=_PANEL,
        metavar=None if is_flag else owned[0][1].said.upper(),
    )
    kind: Any = bool | None if is_flag else str | None
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind, option],
    )


def _unless_said(parameter: Parameter) -> str:
    default = parameter.default
    if default is None:  # the description says what the search does by default
        return ""
    return f"; {str(default).lower() if isinstance(default, bool) else default} by default"
