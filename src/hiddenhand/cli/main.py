"""The command line: ``hiddenhand <verb>``. It imports nothing heavy until a verb needs it.

People get tables on standard output and progress on standard error; ``--json`` gives one JSON
object on standard output and nothing else there. Bad input is one sentence on standard error and
exit status 2. Ctrl-C ends long work, keeps what was done, and exits with 130; see `process`.
"""

import functools
import importlib
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hiddenhand.cli.common import (
    AsJson,
    GameSpec,
    MaxHistories,
    Seed,
    Unseen,
    load_sequential,
    print_json,
    print_table,
    print_text,
    readable,
    show,
    then_kept,
    verify_writable,
    work,
    write_out,
)
from hiddenhand.cli.process import INTERRUPTED, run
from hiddenhand.errors import FileError, OptionError, TooLargeError

if TYPE_CHECKING:
    from hiddenhand.games.base import Game
    from hiddenhand.progress import Progress
    from hiddenhand.search.thinking import TableSearch
    from hiddenhand.trees.cfr import CFR
    from hiddenhand.trees.solution import Solution
    from hiddenhand.trees.strategy import Behaviour
    from hiddenhand.trees.tree import GameTree

_ALGORITHMS = ("oos", "ismcts", "mccfr", "sm-oos", "smmcts")
_OPTIONS = {
    "oos": ("epsilon", "gamma", "memory", "evaluation"),
    "mccfr": ("epsilon", "gamma", "memory", "evaluation"),
    "ismcts": ("selector", "gamma", "memory", "evaluation"),
    "sm-oos": ("epsilon", "memory", "evaluation"),
    "smmcts": ("selector", "gamma", "propagate", "memory", "evaluation"),
}
_METHODS = ("induction", "lp", "cfr", "cfr+", "lcfr", "dcfr", "pcfr+")
_EXACT = (None, "induction", "lp")

app = typer.Typer(
    help="Play games in which players hide things from each other, and know how well.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
cache_app = typer.Typer(help="The folder of compiled code.", no_args_is_help=True)
app.add_typer(cache_app, name="cache")


def main() -> None:
    """Run the command line."""
    sys.exit(run(_command))


def _command() -> None:
    """What was typed."""
    for verbs in ("play", "evaluate"):
        importlib.import_module(f"hiddenhand.cli.{verbs}")
    typed = typer.main.get_command(app)
    for verb in _verbs(typed):
        verb.callback = _with_numbers(verb.callback)
    typed()


def _verbs(command: Any) -> Iterator[Any]:
    """All commands at or below ``command`` that do something themselves."""
    inner = getattr(command, "commands", {})
    yield from (verb for part in inner.values() for verb in _verbs(part)) if inner else (command,)


def _with_numbers(verb: Callable[..., object]) -> Callable[..., object]:
    """``verb``, which refuses nan and infinity for whatever option is a number."""

    @functools.wraps(verb)
    def verified(**options: Any) -> object:
        for name, value in options.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise OptionError(
                    f"--{name.replace('_', '-')} {value} is not allowed; give a finite number"
                )
        return verb(**options)

    return verified


@app.command()
def games(as_json: AsJson = False) -> None:
    """List the games and how to write them."""
    from hiddenhand.games.registry import describe_games

    described = describe_games()
    if as_json:
        print_json({"games": [vars(entry) for entry in described]})
        return
    for entry in described:
        short = f"   also {', '.join(entry.short_forms)}" if entry.short_forms else ""
        print_text(f"{entry.name}({', '.join(entry.parameters)}){short}")
        print_text(f"    {entry.summary}")


@app.command()
def info(game: GameSpec, as_json: AsJson = False, max_histories: MaxHistories = 5_000_000) -> None:
    """Count a game's histories, information sets, sequences and public states."""
    loaded = load_sequential(game)
    sizes: dict[str, Any] = {
        "game": game,
        "players": loaded.num_players,
        "max_actions": loaded.max_actions,
        "max_depth": loaded.max_depth,
    }
    counts: dict[str, Any] = dict.fromkeys(
        (
            "decision_histories",
            "chance_histories",
            "terminal_histories",
            "information_sets",
            "sequences",
            "public_states",
        )
    )
    too_large = ""
    try:
        counts = vars(write_out(loaded, max_histories).counts())
    except TooLargeError as error:
        too_large = str(error)
    found = sizes | counts | {"max_utility": float(loaded.max_utility)}
    if as_json:
        print_json(found)
        return
    print_table(
        ["of", "there are"],
        [
            [name.replace("_", " "), readable(value)]
            for name, value in found.items()
            if value is not None
        ],
    )
    if too_large:
        print_text(f"Not counted: {too_large}.")


@app.command()
def check(
    game: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:CLASS",
            help="Your game: MODULE:CLASS, FILE.py:CLASS, or the name of one of ours.",
        ),
    ],
    as_json: AsJson = False,
    seed: Seed = 0,
    plays: Annotated[int, typer.Option(help="How many random plays to look at.")] = 200,
    lint: Annotated[
        bool, typer.Option("--lint", help="Warn also of what is lawful, and yet often a mistake.")
    ] = False,
) -> None:
    """Check that a game keeps the laws that searches rely on. Exit status 2 and a report of where
    it does not.
    """
    from hiddenhand.games.checking.conformance import check as check_game
    from hiddenhand.games.registry import load_game

    with work("Checking"):
        report = check_game(load_game(game), seed=seed, plays=plays, lint=lint)
    if as_json:
        print_json(
            {
                "game": game,
                "passed": True,
                **{name: value for name, value in vars(report).items() if name != "game"},
            }
        )
        return
    how = (
        f"all {report.histories:,} histories and {report.plays:,} random plays"
        if report.enumerated
        else f"{report.plays:,} random plays"
    )
    print_text(f"{report.game} keeps the laws. Looked at: {how}.")
    for law in report.laws:
        print_text(f"  {law}")
    for law in report.skipped:
        print_text(f"  not looked at: {law}")
    if lint:
        print_text("Worth a look:" if report.warnings else "No warnings.")
    for warning in report.warnings:
        print_text(f"  {warning}")


@app.command()
def solve(
    game: GameSpec,
    method: Annotated[
        str | None,
        typer.Option(
            help=(
                f"One of: {', '.join(_METHODS)}. Unless said, induction where players move at once "
                "and nothing else is hidden, and lp elsewhere."
            )
        ),
    ] = None,
    target: Annotated[
        float | None, typer.Option(help="Stop at this nash_conv (for the methods with cfr).")
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(help="Stop after this many iterations (for the methods with cfr).")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the strategy to this file.")] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="Continue from this file if it exists, and keep the state of the run in it."
        ),
    ] = None,
    as_json: AsJson = False,
    max_histories: MaxHistories = 20_000_000,
) -> None:
    """Find an equilibrium of a game small enough to be written out."""
    from hiddenhand.trees.strategy import strategy_from_profile

    if method not in (None, *_METHODS):
        raise OptionError(f"there is no method {method!r}; choose one of: {', '.join(_METHODS)}")
    if method in _EXACT and not (target is None and iterations is None and checkpoint is None):
        exact = (
            "methods induction and lp, which are"
            if method is None
            else f"method {method}, which is"
        )
        raise OptionError(
            f"--target, --iterations and --checkpoint have no meaning for the {exact} exact; "
            "choose another method"
        )
    verify_writable(out, checkpoint)
    if method in (None, "induction") and _solve_by_induction(
        game, method is not None, out, as_json, max_histories
    ):
        return
    method = method or "lp"
    tree = write_out(load_sequential(game), max_histories)
    keep_run: Callable[[Path], None] | None = None
    if method == "lp":
        from hiddenhand.trees.linear_program import solve_lp

        with work("Solving the linear program"):
            found, interrupted = solve_lp(tree), False
    else:
        run = _new_or_continued(tree, method, checkpoint)
        found, interrupted = _iterate(run, method, iterations, target, checkpoint)
        keep_run = run.save
    answer = {
        "game": game,
        "method": method,
        "value": found.value,
        "nash_conv": found.nash_conv,
        "iterations": found.iterations,
        "seconds": found.seconds,
    }
    with (
        then_kept(checkpoint, keep_run),
        then_kept(out, lambda path: strategy_from_profile(tree, found.profile).save(path)),
    ):
        show(answer, as_json)
    if interrupted:
        sys.exit(INTERRUPTED)


@app.command()
def search(
    game: GameSpec,
    algorithm: Annotated[str, typer.Option(help=f"One of: {', '.join(_ALGORITHMS)}.")] = "oos",
    selector: Annotated[
        str | None,
        typer.Option(
            help=(
                "Selection rule of ismcts: uct, ruct, exp3, exp3p or rm; uct unless said. Of "
                "smmcts: duct, exp3, drm or rm, else rm."
            )
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            help=(
                "Search for this many iterations (two traversals each; with ismcts and smmcts one)."
            )
        ),
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Search for this long.")] = None,
    seed: Seed = 0,
    epsilon: Annotated[
        float | None,
        typer.Option(
            help="Exploration of oos, mccfr and sm-oos, above 0 and at most 1; 0.6 unless said."
        ),
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option(
            help=(
                "Uniform part of regret matching, 0.01 unless said; of exp3 0.1, of rm 0.2; with "
                "smmcts of exp3 0.2, of drm and rm 0.1."
            )
        ),
    ] = None,
    propagate: Annotated[
        str | None,
        typer.Option(help="What smmcts passes up: values, or means; values unless said."),
    ] = None,
    evaluation: Annotated[
        bool,
        typer.Option(
            "--evaluation",
            help="Ask the game's evaluation function instead of playing on at random.",
        ),
    ] = False,
    memory: Annotated[
        int | None,
        typer.Option(
            help=(
                "MiB that the tables of the search may take, also while they grow; 4096 unless "
                "said."
            )
        ),
    ] = None,
    nash_conv: Annotated[
        bool,
        typer.Option(
            "--nash-conv", help="Say how far from an equilibrium the result is (small games)."
        ),
    ] = False,
    unseen: Unseen = "uniform",
    out: Annotated[
        Path | None,
        typer.Option(help="Write the search, to be resumed or used as a strategy, to this file."),
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with the search in this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Search a game from its beginning, for a number of iterations or of seconds."""
    from hiddenhand.budget import Budget
    from hiddenhand.search.root import root_strategy

    if algorithm not in _ALGORITHMS:
        raise OptionError(
            f"there is no algorithm {algorithm!r}; choose one of: {', '.join(_ALGORITHMS)}"
        )
    Budget(iterations, seconds)  # say what is wrong before anything long begins
    _verify_unseen(unseen)
    verify_writable(out)
    loaded = load_sequential(game)
    given = {
        "selector": selector,
        "epsilon": epsilon,
        "gamma": gamma,
        "propagate": propagate,
        "evaluation": evaluation or None,
    }
    given["memory"] = None if memory is None else memory * 2**20
    running = _new_or_resumed(
        algorithm,
        loaded,
        seed,
        resume,
        {name: value for name, value in given.items() if value is not None},
    )
    tree = write_out(loaded, 20_000_000) if nash_conv else None
    interrupted = False
    with work(f"Searching {game}") as progress:
        try:
            running.run(iterations, seconds, progress)
        except KeyboardInterrupt:
            interrupted = True
    result, strategy = running.result(), running.strategy()
    gap = None if tree is None else _nash_conv(tree, strategy.on(tree, unseen, seed))
    first = root_strategy(loaded, strategy)
    answer = {
        "game": game,
        "algorithm": algorithm,
        "iterations": result.iterations,
        "traversals": result.traversals,
        "seconds": result.seconds,
        "traversals_per_second": result.traversals_per_second,
        "information_sets": result.information_sets,
        "nash_conv": gap,
    }
    with then_kept(out, running.save):
        if as_json:
            print_json(answer | {"root_strategy": [vars(decision) for decision in first]})
        else:
            show({name: value for name, value in answer.items() if value is not None}, as_json)
            if result.refused:
                print_text(
                    f"Memory was full: {result.refused:,} playouts began where it ends. Allow more "
                    "with --memory."
                )
            _print_decisions(first)
    if interrupted:
        sys.exit(INTERRUPTED)


@app.command("nash-conv")
def nash_conv_command(
    game: GameSpec,
    uniform: Annotated[
        bool, typer.Option("--uniform", help="Of the strategy that plays all actions alike.")
    ] = False,
    strategy: Annotated[
        Path | None, typer.Option(help="Of the strategy in this file, which solve or search wrote.")
    ] = None,
    unseen: Unseen = "uniform",
    seed: Seed = 0,
    as_json: AsJson = False,
    max_histories: MaxHistories = 20_000_000,
) -> None:
    """How much best responses gain against a strategy, summed over the players: 0 in an
    equilibrium.
    """
    from hiddenhand.trees.profile import best_response_values, uniform_profile
    from hiddenhand.trees.strategy import load_strategy

    if uniform == (strategy is not None):
        raise OptionError("give either --uniform or --strategy FILE")
    _verify_unseen(unseen)
    loaded = None if strategy is None else load_strategy(strategy)
    played = load_sequential(game)
    if loaded is not None:
        loaded.verify(played, strategy)
    tree = write_out(played, max_histories)
    profile = uniform_profile(tree) if loaded is None else loaded.on(tree, unseen, seed)
    values = [float(value) for value in best_response_values(tree, profile)]
    show(
        {"game": game, "nash_conv": _nash_conv(tree, profile), "best_response_values": values},
        as_json,
    )


@app.command()
def demo(
    seconds: Annotated[float, typer.Option(help="How long to search.")] = 10.0, seed: Seed = 1
) -> None:
    """Search imperfect-information Goofspiel with six cards and watch nash_conv fall."""
    from hiddenhand.budget import Budget
    from hiddenhand.search.root import root_strategy
    from hiddenhand.search.sampling.oos import OnlineOutcomeSampling

    Budget(seconds=seconds)
    game = load_sequential("IIGS(6)")
    print_text(
        "Imperfect-information Goofspiel: two players hold the cards 1 to 6. Point cards 1 to 6 "
        "come up in this order. Each time both bid a card in\n"
        "secret; the higher bid wins the point card, and all that is told is who won. More points "
        "win. Online Outcome Sampling now searches for a\n"
        "strategy that nobody can exploit. nash_conv says how much two perfect opponents would "
        "gain against it: 0 is optimal, 1.62 is random play.\n"
    )
    tree = write_out(game, 5_000_000)
    running = OnlineOutcomeSampling(game, seed=seed)
    with work("OOS") as progress:
        watch = _Watch(running, tree, progress)
        running.run(seconds=seconds, progress=watch)
    result, strategy = running.result(), running.strategy()
    print_table(["seconds", "traversals", "information sets", "nash_conv"], watch.rows)
    print_text(
        f"{result.traversals_per_second:,.0f} traversals a second; nash_conv now "
        f"{_nash_conv(tree, strategy.on(tree)):.4f}.\n"
    )
    _print_decisions(root_strategy(game, strategy))


@cache_app.command("path")
def cache_path(as_json: AsJson = False) -> None:
    """Where compiled code is kept."""
    from hiddenhand.compiled.cache import cache_folder

    if as_json:
        print_json({"path": str(cache_folder())})
    else:
        print_text(str(cache_folder()))


@cache_app.command("clear")
def cache_clear(as_json: AsJson = False) -> None:
    """Delete all compiled code. It is compiled again when needed."""
    from hiddenhand.compiled.cache import clear_cache

    freed = clear_cache()
    if as_json:
        print_json({"freed_bytes": freed})
    else:
        print_text(f"{freed / 2**20:.1f} MiB freed")


# --- work ---


class _Watch:
    """Adds nash_conv to the reports of a search, and keeps a row of figures each time the search
    has doubled.
    """

    def __init__(self, running: "TableSearch", tree: "GameTree", progress: "Progress") -> None:
        self.running = running
        self.tree = tree
        self.progress = progress
        self.rows: list[list[str]] = []
        self._next_look = 0.1
        self._gap: float | None = None

    def update(self, report: Any) -> None:
        from dataclasses import replace

        if report.done >= self._next_look:
            self._next_look = 2 * report.done if report.done < 1 else report.done + 1
            self._gap = _nash_conv(self.tree, self.running.strategy().on(self.tree))
            figures = report.figures
            self.rows.append(
                [
                    f"{report.done:.1f}",
                    f"{figures['traversals']:,}",
                    f"{figures['information sets']:,}",
                    f"{self._gap:.4f}",
                ]
            )
        figures = (
            report.figures if self._gap is None else {"nash_conv": self._gap, **report.figures}
        )
        self.progress.update(replace(report, figures=figures))


def _solve_by_induction(
    spec: str, asked_for: bool, out: Path | None, as_json: bool, max_states: int
) -> bool:
    """Solve a game state by state and print what was found. Returns False, if nobody ``asked_for``
    it, where that cannot be done.
    """
    from hiddenhand.games.base import is_two_players_zero_sum
    from hiddenhand.games.registry import load_game
    from hiddenhand.states.graph import HiddenStateError, simultaneous_form
    from hiddenhand.states.induction import solve_by_induction

    game = simultaneous_form(load_game(spec))
    if not asked_for and not (game.simultaneous and is_two_players_zero_sum(game)):
        return False
    try:
        with work("Solving state by state") as progress:
            found = solve_by_induction(game, max_nodes=max_states, progress=progress)
    except HiddenStateError:
        if asked_for:
            raise
        return False
    answer = {
        "game": spec,
        "method": "induction",
        "value": found.value,
        "nash_conv": found.nash_conv,
        "states": found.graph.num_states,
    }
    by_depth = vars(found.states_by_depth)

    def keep(path: Path) -> None:
        with work("Writing out the strategy") as progress:
            found.strategy(max_nodes=max_states, progress=progress).save(path)

    with then_kept(out, keep):
        if as_json:
            print_json(
                answer | {"states_by_depth": by_depth, "iterations": None, "seconds": found.seconds}
            )
        else:
            _print_induction(answer | {"seconds": found.seconds}, by_depth)
    return True


def _print_induction(answer: dict[str, Any], by_depth: dict[str, Any]) -> None:
    show(answer, as_json=False)
    counted = enumerate(zip(*by_depth.values(), strict=True))
    rows = [
        [depth, f"{pure:,}", f"{mixed:,}", f"{mixed / (pure + mixed):.2g}"]
        for depth, (pure, mixed) in counted
    ]
    print_text("\nHistories by the number of moves made, and in how many of them players must mix:")
    print_table(["depth", "pure", "mixed", "mixed/all"], rows)


def _nash_conv(tree: "GameTree", profile: Any) -> float:
    from hiddenhand.trees.profile import nash_conv

    return nash_conv(tree, profile)


def _new_or_continued(tree: "GameTree", method: str, checkpoint: Path | None) -> "CFR":
    from hiddenhand.trees.cfr import CFR

    run = (
        CFR.load(checkpoint, tree)
        if checkpoint is not None and checkpoint.exists()
        else CFR(tree, method)
    )
    if run.method != method:
        raise FileError(
            f"{checkpoint} is a run of {run.method}, not of {method}; name another file"
        )
    return run


def _iterate(
    run: "CFR", method: str, iterations: int | None, target: float | None, checkpoint: Path | None
) -> "tuple[Solution, bool]":
    """Run a variant of CFR; on Ctrl-C what it has so far. The second value says whether it was
    interrupted.
    """
    if iterations is None and target is None:
        target = 1e-3 * max(1.0, run.tree.game.max_utility)
    with work(f"Running {method}") as progress:
        try:
            found, interrupted = (
                run.run(iterations, target=target, progress=_Saving(run, checkpoint, progress)),
                False,
            )
        except KeyboardInterrupt:
            found, interrupted = run.solution(), True
    return found, interrupted


class _Saving:
    """Saves a run of CFR now and then while it goes on. Where that fails it goes on, too: who saves
    it in the end says what is wrong.
    """

    _EVERY = 30.0  # seconds

    def __init__(self, run: "CFR", checkpoint: Path | None, progress: "Progress") -> None:
        from time import monotonic

        self.run, self.checkpoint, self.progress, self.clock = run, checkpoint, progress, monotonic
        self._saved = self.clock()

    def update(self, report: Any) -> None:
        self.progress.update(report)
        if self.checkpoint is not None and self.clock() - self._saved > self._EVERY:
            with suppress(FileError):
                self.run.save(self.checkpoint)
            self._saved = self.clock()


def _new_or_resumed(
    algorithm: str, game: "Game", seed: int, resume: Path | None, given: dict[str, Any]
) -> "TableSearch":
    from hiddenhand.search.joint.sm_mcts import SMMCTS
    from hiddenhand.search.joint.sm_oos import SMOOS
    from hiddenhand.search.sampling.ismcts import ISMCTS
    from hiddenhand.search.sampling.oos import OnlineOutcomeSampling

    for name in given:
        if name not in _OPTIONS[algorithm]:
            raise OptionError(
                f"--{name} has no meaning for the algorithm {algorithm}; leave it out"
            )
        if resume is not None:
            raise OptionError(
                f"--{name} cannot be changed for a search that is resumed; leave it out"
            )
    kinds: dict[str, type[TableSearch]] = {"ismcts": ISMCTS, "sm-oos": SMOOS, "smmcts": SMMCTS}
    kind = kinds.get(algorithm, OnlineOutcomeSampling)
    if resume is not None:
        return kind.load(resume, game)
    return kind(game, seed=seed, **({"delta": 0.0} if algorithm == "mccfr" else {}), **given)


def _verify_unseen(unseen: str) -> None:
    if unseen not in ("uniform", "fixed"):
        raise OptionError(f"--unseen {unseen} is not allowed; choose uniform or fixed")


# --- printing ---


def _print_decisions(decisions: "list[Behaviour]") -> None:
    """The first decision in words, with bars."""
    for decision in decisions:
        print_text(
            f"Player {decision.player + 1} to "
            f"move{'' if decision.known else ' (never seen by the search)'}:"
        )
        print_text(
            "".join(f"  {line}\n" for line in decision.information.splitlines()).rstrip("\n")
        )
        rows = [
            [f"  {name}", f"{p:7.2%}", "█" * round(30 * p)]
            for name, p in decision.probabilities.items()
        ]
        print_table(["", "", ""], rows)
