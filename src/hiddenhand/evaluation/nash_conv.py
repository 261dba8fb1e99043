"""How good a strategy is, in a game of any size: expected values, best responses, nash_conv.

A small game is written out, see `trees.profile`. Of a larger one whose moves are public, the public
tree is walked through for all hands at once, see `solvers.vector_form`. Any other one is walked
through history by history, see `streaming_best_response`. The results are the same but for
rounding. Everything is exact.

A walk needs perfect recall, and chance that lists its outcomes. There is one walk for each player,
and before it a short one for each player, the survey. The survey finds out whether the strategy
knows, of each set that it knows, also the sets of the same player before. This is so for what
searches from the root write. Then the walks forget what a player has seen once the strategy does
not know it, see `streaming_best_response`.
"""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final, Protocol, TypeVar, runtime_checkable

import numpy as np

from hiddenhand import clock
from hiddenhand.errors import (
    FileError,
    GameError,
    OptionError,
    RefusedOptionError,
    TooLargeError,
    UnsavedError,
)
from hiddenhand.evaluation.parallel_traversal import LEAST, Checkpoint, walked
from hiddenhand.evaluation.policy_table import new_policy_table
from hiddenhand.evaluation.streaming_best_response import Found, Task
from hiddenhand.files import as_path
from hiddenhand.games.base import Game, verify_listed
from hiddenhand.games.registry import game_of
from hiddenhand.games.rule_digests import remembers_all, rules_of
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.games.validation.conformance import verify_rules
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.dispatching import Stopwatch
from hiddenhand.progress import SILENT, Progress, Report, verify_progress
from hiddenhand.solvers.vector_form.profile import Walks
from hiddenhand.solvers.vector_form.public_game import VectorForm, vector_form
from hiddenhand.solvers.vector_form.strategies import weights_of
from hiddenhand.text import one_line, rounded, shortened
from hiddenhand.trees import profile as profiles
from hiddenhand.trees.after_errors import RegretAfterErrors, regret_after_errors
from hiddenhand.trees.strategy import UNSEEN, Strategy, strategy_from_profile
from hiddenhand.trees.strategy_files import load_strategy
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.tree_size import estimated_histories
from hiddenhand.trees.unroll import DEFAULT_LIMIT, as_tree, memory_left, unroll

UNIFORM: Final = "uniform"
"""The name of the strategy in which all actions are equally likely."""
METHODS: Final = ("auto", "tree", "vector", "stream")
RATE: Final = 2e7
"""Histories that a thread visits in a second, as estimates of time assume; on two machines there
were 20 to 50 million.
"""
TREE_RATE: Final = 4e6
"""Histories that are written out and measured in a second, as estimates of time assume."""
VECTOR_RATE: Final = 1.5e7
"""Actions of hands in public histories that a thread measures in a second, as estimates of time
assume.
"""
_BYTES: Final = 40  # for an action of a hand, while a strategy is measured in vector form
_PLAYS: Final = 2000  # random plays that say how large a game is
_MOST_ACTIONS: Final = 65_535


@dataclass(frozen=True)
class Sets:
    """How many information sets one player can reach when the others play the strategy.

    met: how many there are.
    unknown: how many of them the strategy does not know.
    off_path: how many of these the player's own strategy never reaches, so that they do not matter
        for what the player earns.
    """

    met: int
    unknown: int
    off_path: int


@dataclass(frozen=True)
class Measured:
    """How good a strategy is.

    game: the game.
    method: "tree", "vector" or "stream".
    expected_values: what each player earns when all play the strategy.
    best_response_values: what each player's best response earns when the others play it.
    sets: for each player the sets that were met, with the method "stream".
    drops: whether keys that the strategy does not know were dropped.
    histories: how many were visited; a history may be visited once for each player. 0 with the
        method "vector", which visits public histories.
    seconds: how long it took, without compiling and without what an earlier run had done.
    after_errors: what players regret after errors, with the method "tree"; else None.
    """

    game: str
    method: str
    expected_values: tuple[float, ...]
    best_response_values: tuple[float, ...]
    sets: tuple[Sets, ...] = ()
    drops: bool = False
    histories: int = 0
    seconds: float = 0.0
    after_errors: RegretAfterErrors | None = None

    def __repr__(self) -> str:
        return one_line(
            self, f"{self.game} by {self.method}", f"nash_conv {rounded(self.nash_conv)}"
        )

    @property
    def nash_conv(self) -> float:
        """The sum over players of what a best response gains."""
        return profiles.gap(np.array(self.best_response_values), np.array(self.expected_values))


@dataclass(frozen=True)
class Plan:
    """The method for a game, and an estimate of its time.

    method: "tree", "vector" or "stream".
    histories: about how many histories the game has, by random plays.
    seconds: about how long it takes; with the method "stream", at most.
    """

    method: str
    histories: float
    seconds: float

    def __str__(self) -> str:
        histories = f"{float(f'{self.histories:.3g}'):,.0f} histories"
        if self.method == "tree":
            return f"Writing out the game: about {histories}, some {_duration(self.seconds)}."
        if self.method == "vector":
            return (
                f"Walking through what is public, for all hands at once: some "
                f"{_duration(self.seconds)}."
            )
        return (
            f"Walking through the game without writing it out: about {histories} for each player, "
            f"some {_duration(self.seconds)} at most; less where the strategy never plays "
            "something, or does not know it."
        )


@dataclass
class Options:
    """How a strategy is measured.

    method: "tree", "vector", "stream", or "auto": a tree if the game has at most
        ``max_histories``, else in vector form if all moves are public, else a stream.
    unseen: how to play at sets that the strategy does not know: "uniform", or "fixed", one action
        drawn for each set from ``seed`` and the key of the set.
    seed: decides the fixed actions.
    threads: number of threads that walk; the bits of the result do not depend on it.
    checkpoint: a file that keeps the finished parts of a stream, so that the same call continues a
        killed one; None for none.
    replaces: whether to replace a checkpoint of another question; else it is an error.
    max_histories: how many histories the tree may have.
    progress: receives reports of the work.
    """

    method: str = "auto"
    unseen: str = "uniform"
    seed: int = 0
    threads: int = 1
    checkpoint: Path | str | None = None
    replaces: bool = False
    max_histories: int = DEFAULT_LIMIT
    progress: Progress = field(default=SILENT)

    def verify(self) -> None:
        """Raise OptionError for what is not allowed."""
        for name, allowed in {"method": METHODS, "unseen": UNSEEN}.items():
            if (value := getattr(self, name)) not in allowed:
                raise RefusedOptionError(name, value, f"choose one of: {', '.join(allowed)}")
        if self.threads < 1:
            raise RefusedOptionError("threads", self.threads, "give at least 1")
        verify_progress(self.progress)


@runtime_checkable
class Finding(Protocol):
    """What has found a strategy: a solution, a search, the result of a solver."""

    def strategy(self) -> Strategy: ...


Known = Strategy | Finding | Path | str | None
"""What can be measured: a strategy; a solution or a search that has found one; the path of a file;
"uniform" or None, which means that all actions are equally likely.
"""


def measured(game: Game | str, strategy: Known = None, **options: object) -> Measured:
    """How good a strategy is.

    game: a game or its name.
    strategy: see `Known`.
    options: those of `Options`, by name.

    Raises FileError if the strategy is not for the game, and UnsavedError if the checkpoint cannot
    be written in the end. Raises GameError if the game has no perfect recall, or does not list its
    chance.
    """
    told = Options(**options)  # type: ignore[arg-type]
    told.verify()
    played, known = sequential(game), as_strategy(game, strategy)
    if known.num_sets:
        _verify_fits(known, played, strategy)
    method = told.method
    if method == "auto":
        method = planned(played, told).method
    else:
        _verify(played, method)
    if method == "tree":
        try:
            return _by_tree(played, known, told)
        except TooLargeError:
            if told.method == "tree":
                raise
            method = _without_tree(played)
    if method == "vector":
        return _by_vector(played, known, told)
    return _by_stream(played, known, told)


def planned(game: Game, options: Options) -> Plan:
    """How the strategy of a game, whose moves are made in turns, is going to be measured."""
    _verify(game, options.method)
    size = estimated_histories(game, 0, _PLAYS)
    if options.method == "tree" or (options.method == "auto" and size <= options.max_histories):
        return Plan("tree", size, size / TREE_RATE)
    method = _without_tree(game) if options.method == "auto" else options.method
    if method == "vector":
        numbers = sum(public_form(game).sizes)
        return Plan("vector", size, numbers / VECTOR_RATE / options.threads)
    return Plan("stream", size, game.num_players * size / RATE / options.threads)


def _without_tree(game: Game) -> str:
    """The method for a game that is too large to be written out. Raises GameError if none is."""
    if _is_public(game):
        return "vector"
    verify_streamable(game)
    return "stream"


def finished_before(game: Game | str, strategy: Known, options: Options) -> int:
    """How many parts of the walks that measure a strategy are in the checkpoint already. Raises
    FileError if the checkpoint is about something else, and may not be replaced.
    """
    return _checkpoint(sequential(game), as_strategy(game, strategy), options).size


def _verify(game: Game, method: str) -> None:
    """Raise what is wrong with a game that is to be measured by ``method``."""
    verify_listed(game)
    verify_rules(game)
    if method == "stream":
        verify_streamable(game)


def sequential(game: Game | str) -> Game:
    """The game, with moves in turns."""
    return as_sequential(game_of(game))


def as_strategy(game: Game | str, strategy: Known) -> Strategy:
    """What can be measured as a strategy, see `Known`. Raises OptionError for anything else, and
    for a search that has found nothing yet.
    """
    if isinstance(strategy, Strategy):
        return strategy
    if isinstance(strategy, Finding):
        found = strategy.strategy()
        if not found.num_sets:
            raise OptionError(
                f"{type(strategy).__name__} has found nothing yet; let it run first, such as "
                "run(iterations=10_000)"
            )
        return found
    if not (strategy is None or strategy == UNIFORM):
        return _read(strategy)
    return Strategy.uniform(sequential(game))


def _verify_fits(known: Strategy, game: Game, strategy: object) -> None:
    """Raise FileError unless a strategy, which was given as ``strategy``, is for a game."""
    known.verify(game, strategy if isinstance(strategy, (str, Path)) else "the strategy")


def _read(file: object) -> Strategy:
    """The strategy in a file."""
    if isinstance(file, str) and not Path(file).exists():
        raise FileError(
            f"there is no file {shortened(file)}; give {UNIFORM}, the path of a file, a Strategy, "
            "a Solution or a search; evaluate measures a search by its name"
        )
    if not isinstance(file, (str, Path)):
        raise OptionError(
            f"strategy={shortened(file)} is not allowed; give a Strategy, a Solution, a search "
            f"that has run, the path of a file or {UNIFORM}"
        )
    return load_strategy(as_path(file, "strategy"))


def verify_streamable(game: Game) -> None:
    """Raise GameError unless a walk through the game can find best responses."""
    if not remembers_all(game):
        raise GameError(
            f"{game} files information sets under keys of its own, and so may lack perfect recall; "
            "measure a strategy of it with method tree, or in the game itself"
        )
    if game.max_actions > _MOST_ACTIONS:
        raise GameError(
            f"{game} has up to {game.max_actions:,} actions; at most {_MOST_ACTIONS:,} are allowed"
        )


# --- the two ways ---


def _by_tree(game: Game, strategy: Strategy, options: Options) -> Measured:
    watch = Stopwatch()
    tree = unroll(game, options.max_histories, options.progress, verified=True)
    profile = strategy.on(tree, options.unseen, options.seed)
    return Measured(
        repr(game),
        "tree",
        tuple(profiles.expected_values(tree, profile).tolist()),
        tuple(profiles.best_response_values(tree, profile).tolist()),
        histories=tree.num_histories,
        after_errors=regret_after_errors(tree, profile),
        seconds=watch.seconds,
    )


@lru_cache(maxsize=1)
def public_form(game: Game) -> VectorForm:
    """The vector form of a game, in which no hands are merged, because a strategy may play alike
    hands differently. Raises what `vector_form` raises.
    """
    return vector_form(game, merges=False)


def _is_public(game: Game) -> bool:
    """Whether a game has a vector form that fits into memory."""
    try:
        form = public_form(game)
    except (GameError, TooLargeError):
        return False
    return sum(form.sizes) * _BYTES < memory_left()


def _by_vector(game: Game, strategy: Strategy, options: Options) -> Measured:
    watch = Stopwatch()
    form = public_form(game)
    if sum(form.sizes) * _BYTES >= memory_left():
        raise TooLargeError(
            f"{game} has {sum(form.sizes):,} actions of hands in its public histories, which do "
            "not fit into memory; use method stream"
        )
    played = weights_of(form, strategy, options.unseen, options.seed)
    walks = Walks(form, options.threads)
    shift = np.array([0.0, game.payoff_sum or 0.0])  # the walks take it that payoffs sum to 0
    return Measured(
        repr(game),
        "vector",
        tuple((walks.values(played) + shift).tolist()),
        tuple((walks.best_response_values(played) + shift).tolist()),
        seconds=watch.seconds,
    )


def _by_stream(game: Game, strategy: Strategy, options: Options) -> Measured:
    watch, players = Stopwatch(), range(game.num_players)
    work = _Work(game, strategy, options)
    try:
        drops = work.may_drop()
        found = [work.walk(player, drops) for player in players]
    except BaseException:
        with suppress(FileError):  # another error is more important
            work.checkpoint.write()
        raise
    result = Measured(
        repr(game),
        "stream",
        tuple(one.own for one in found),
        tuple(one.value for one in found),
        tuple(Sets(one.sets, one.unknown, one.off_path) for one in found),
        drops,
        sum(one.histories for one in found),
        watch.seconds,
    )
    try:
        work.checkpoint.write()
    except FileError as error:
        raise UnsavedError(error, result) from None
    return result


class _Work:
    """The walks that measure a strategy."""

    def __init__(self, game: Game, strategy: Strategy, options: Options) -> None:
        self._game = game
        self._options = options
        self._sets = strategy.num_sets
        self._book = new_policy_table(strategy, options.unseen, options.seed)
        self.checkpoint = _checkpoint(game, strategy, options)

    def may_drop(self) -> bool:
        """Whether keys that the strategy does not know may be dropped: no set that it knows comes
        after one of the same player that it does not know.
        """
        if self._options.unseen != "uniform":
            return False
        if not self._sets:
            return True
        known = 0
        for player in range(self._game.num_players):
            found = self.walk(player, True, survey=True)
            known += found.sets - found.unknown
        return known == self._sets

    def walk(self, player: int, drops: bool, survey: bool = False) -> Found:
        """What the walk of one player finds."""
        game = self._game
        merges = survey or game.max_chance_outcomes > 0
        task = Task(game, self._book, player, drops, merges, survey=survey)
        number = player + (0 if survey else game.num_players)
        began = clock.now()
        what = "survey," if survey else "best response,"

        def tell(share: float, before: float, visited: int) -> None:
            figures = dict[str, float]()
            if share > before:
                pace = (clock.now() - began) / (share - before)
                figures["seconds to go"] = round(pace * max(1.0 - share, 0.0))
            figures |= {f"{what} player": player + 1.0, "histories": float(visited)}
            self._options.progress.update(
                Report(min(100.0, 100.0 * share), 100.0, "% of probability", figures)
            )

        return walked(task, self._options.threads, self.checkpoint, number, tell)


def _checkpoint(game: Game, strategy: Strategy, options: Options) -> Checkpoint:
    """What is finished already."""
    file = None if options.checkpoint is None else as_path(options.checkpoint, "checkpoint")
    return Checkpoint(file, _question(game, strategy, options), replaces=options.replaces)


def _question(game: Game, strategy: Strategy, options: Options) -> str:
    digest = hashlib.sha256()
    for array in (strategy.keys, strategy.starts, strategy.probabilities):
        digest.update(np.ascontiguousarray(array).data)
    unseen = "uniform" if options.unseen == "uniform" else f"{options.unseen} {options.seed}"
    return (
        f"{game!r} with rules {rules_of(game)}, strategy {digest.hexdigest()}, unseen {unseen}, "
        f"in parts of {LEAST}"
    )


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:,.0f} minutes" if seconds < 7200 else f"{seconds / 3600:,.0f} hours"


# --- the public functions, for games and for trees ---

_Figure = TypeVar("_Figure")


def best_response_values(
    game: GameTree | Game | str, strategy: Floats | Known = None, **options: object
) -> Floats:
    """``float64[P]``: what each player's best response earns when the others play a strategy.

    game: a game of any size, its name, or a game that is written out.
    strategy: see `Known`; also a profile ``float64[S]`` over the sequences of the game's tree.
    options: those of `Options`, by name; none for a `GameTree` or a profile.
    """
    of_tree = profiles.best_response_values
    return _either(
        game, strategy, options, of_tree, lambda found: np.array(found.best_response_values)
    )


def expected_values(
    game: GameTree | Game | str, strategy: Floats | Known = None, **options: object
) -> Floats:
    """``float64[P]``: what each player earns when all play a strategy. Arguments as in
    `best_response_values`.
    """
    of_tree = profiles.expected_values
    return _either(game, strategy, options, of_tree, lambda found: np.array(found.expected_values))


def nash_conv(
    game: GameTree | Game | str, strategy: Floats | Known = None, **options: object
) -> float:
    """The sum over players of what a best response gains over playing a strategy; 0 exactly in a
    Nash equilibrium. Arguments as in `best_response_values`.
    """
    return _either(game, strategy, options, profiles.nash_conv, lambda found: found.nash_conv)


def exploitability(
    game: GameTree | Game | str, strategy: Floats | Known = None, **options: object
) -> float:
    """`nash_conv` divided by the number of players: what a best response gains on average.
    Arguments as in `best_response_values`.
    """
    gap = nash_conv(game, strategy, **options)
    rules = game.game if isinstance(game, GameTree) else game_of(game)
    return gap / rules.num_players


@dataclass(frozen=True)
class Response:
    """A best response to a strategy.

    tree: the game.
    player: who responds, from 0.
    value: what the player earns on average.
    profile: ``float64[S]``, what all play over the sequences of ``tree``: the player the response,
        the others the strategy.
    """

    tree: GameTree
    player: int
    value: float
    profile: Floats

    def __repr__(self) -> str:
        value = rounded(self.value)
        return f"Response({self.tree.game}, player {self.player} earns {value})"

    def strategy(self) -> Strategy:
        """The profile as a strategy."""
        return strategy_from_profile(self.tree, self.profile)


def best_response(
    game: GameTree | Game | str, strategy: Floats | Known = None, player: int = 0
) -> Response:
    """A deterministic best response of one player to what the others play. Of equally good actions
    it takes the first.

    game: a game small enough to be written out, its name, or its tree. Raises TooLargeError.
    strategy: what the others play, as in `best_response_values`. Raises FileError if it is not for
        the game.
    player: who responds, from 0.
    """
    tree = as_tree(game)
    found = profiles.best_response(tree, _profile(tree, strategy, {}), player)
    return Response(tree, found.player, found.value, found.profile)


def _either(
    game: GameTree | Game | str,
    strategy: Floats | Known,
    options: dict[str, object],
    of_tree: Callable[[GameTree, Floats], _Figure],
    of_found: Callable[[Measured], _Figure],
) -> _Figure:
    """A figure of a profile on a tree, where there is either of them; else of what `measured`
    finds.
    """
    if isinstance(game, GameTree):
        return of_tree(game, _profile(game, strategy, options))
    if isinstance(strategy, np.ndarray):
        tree = unroll(game)
        return of_tree(tree, _profile(tree, strategy, options))
    return of_found(measured(game, strategy, **options))


def _profile(tree: GameTree, strategy: Floats | Known, options: dict[str, object]) -> Floats:
    if options:
        raise OptionError(f"{next(iter(options))} is not for a game that is written out")
    if isinstance(strategy, np.ndarray):
        return strategy
    known = as_strategy(tree.game, strategy)
    if not known.num_sets:
        return profiles.uniform_profile(tree)
    _verify_fits(known, tree.game, strategy)
    return known.on(tree)
