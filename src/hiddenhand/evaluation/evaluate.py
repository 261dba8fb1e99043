"""How exploitable a search is, by one of several methods: what ``hiddenhand evaluate`` does.

Nothing heavy is imported before something is measured, so that help texts can name the methods.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hiddenhand.budget import Budget, verify_budget
from hiddenhand.errors import OptionError, UnusedOptionError
from hiddenhand.parameters import plain_number, whole_number
from hiddenhand.progress import SILENT, Progress
from hiddenhand.text import shortened, split

if TYPE_CHECKING:
    from hiddenhand.evaluation.measurement import Evaluation, MakeSearch
    from hiddenhand.games.base import Game
    from hiddenhand.trees.tree import GameTree

METHODS: Final = {
    "root": "when it searches from the beginning",
    "aggregate": "in matches against random opponents",
    "stitch-infosets": "searched afresh at every information set",
    "stitch-public": "at every public state, the strategy that all seeds have together",
    "opening": "at the first public states, for a lower bound, whatever it plays later",
}
"""The methods by name, and where each looks at the search."""

_OPTIONS: Final = {
    "root": (),
    "aggregate": ("matches", "weights", "preplay"),
    "stitch-infosets": ("on_the_way", "preplay"),
    "stitch-public": ("on_the_way", "every_set", "preplay"),
    "opening": ("places", "on_the_way", "every_set", "preplay"),
}
"""The options that each method has besides those of all."""

MAX_HISTORIES: Final = 20_000_000


def evaluate(
    game: "Game | GameTree | str",
    search: "str | MakeSearch",
    *,
    method: str = "aggregate",
    iterations: int | Budget | None = None,
    seconds: float | None = None,
    matches: int | None = None,
    preplay_iterations: int | None = None,
    preplay_seconds: float | None = None,
    weights: str | None = None,
    seeds: Sequence[int] = (0,),
    unseen: str = "fixed",
    on_the_way: bool = False,
    every_set: bool = False,
    places: int | None = None,
    jobs: int = 1,
    backend: str = "loky",
    file: Path | str | None = None,
    max_histories: int = MAX_HISTORIES,
    progress: Progress = SILENT,
    on_step: "Callable[[Evaluation], object]" = id,
) -> "Evaluation":
    """How exploitable a search is in a game small enough to be written out.

    game: a game, its name, or the tree of one.
    search: what makes the search, or its name, such as "oos(targeting=ist,delta=0.5)".
    method: one of `METHODS`.
    iterations: how many iterations the search may make for each move; with root, in all.
    seconds: how long the search may think for each move; with root, in all. The time to follow
        events is not counted here; in matches it is.
    matches: how many matches are played from each seat with aggregate, 500 by default.
    preplay_iterations: how many iterations the search makes at the root before play.
    preplay_seconds: how long the search thinks at the root before play.
    weights: how much a search counts in an information set with aggregate, "visits" (as its samples
        there) or "mass" (as the sums that it keeps there); by default "visits" where the search
        counts its samples.
    seeds: the seeds with which the measurement is repeated.
    unseen: what is played in information sets that were never seen, "fixed" (one action, drawn
        once) or "uniform" (all actions alike).
    on_the_way: whether, with stitching or opening, the search also thinks at the player's earlier
        decisions.
    every_set: whether, with stitch-public or opening, the search runs in every information set of a
        public state; right for a search that aims at an information set.
    places: in how many public states the search runs with opening, 32 by default.
    jobs: how many processes share the work; -1 for one for each processor.
    backend: which of joblib's backends runs the processes, see `in_parallel`.
    file: an SQLite file that keeps finished parts; an equal call continues from there.
    max_histories: the most histories that the game may have to be written out.
    progress: receives reports of how far the measurement is.
    on_step: called after each step with the result so far: the caller of an interrupted measurement
        still has the last one.

    Raises OptionError, PlayerError for a name that does not search, and TooLargeError.
    """
    seeds, max_histories = _verified_seeds(seeds), whole_number("max_histories", max_histories)
    options: dict[str, Any] = {
        "matches": None if matches is None else whole_number("matches", matches),
        "weights": weights,
        "places": None if places is None else whole_number("places", places),
        "on_the_way": on_the_way or None,
        "every_set": every_set or None,
        "preplay": _preplay(preplay_iterations, preplay_seconds),
    }
    given = {name: value for name, value in options.items() if value is not None}
    _verify_options(method, given)
    budget = Budget(iterations, seconds)
    tree = _prepared(game, search, method, max_histories, progress)
    from hiddenhand.evaluation.measurement import Study

    study = Study(
        search,
        tree,
        seeds=seeds,
        unseen=unseen,
        jobs=jobs,
        backend=backend,
        progress=progress,
        file=file,
    )
    for found in _stepwise(method)(study, budget, **given):
        on_step(found)
    return found


def _preplay(iterations: int | None, seconds: float | None) -> Budget | None:
    if iterations is None and seconds is None:
        return None
    return Budget(*verify_budget(iterations, seconds, "preplay_"))


def _verify_options(method: str, given: dict[str, Any]) -> None:
    """Raise OptionError for a method that does not exist, or has not all of these options."""
    if method not in METHODS:
        raise OptionError(f"there is no method {method!r}; choose one of: {', '.join(METHODS)}")
    for option, value in given.items():
        if option not in _OPTIONS[method]:
            having = [name for name, options in _OPTIONS.items() if option in options]
            if isinstance(value, Budget):
                option += "_seconds" if value.iterations is None else "_iterations"
            cure = f"leave it out, or choose one of: {', '.join(having)}"
            raise UnusedOptionError(option, f"the method {method}", cure)


def _verified_seeds(seeds: object) -> Sequence[int]:
    """``seeds`` as plain numbers. Raises OptionError for what is no sequence; `Study` says what
    is wrong with each of them, and whether they are too many.
    """
    if isinstance(seeds, range):  # however long it is, it takes no memory
        return seeds
    if isinstance(seeds, str) or not isinstance(seeds, Iterable):
        raise OptionError(
            f"seeds={shortened(seeds)} is not allowed; give a sequence of seeds, such as range(3)"
        )
    return tuple(plain_number(seed) for seed in seeds)


def _prepared(
    game: "Game | GameTree | str",
    search: "str | MakeSearch",
    method: str,
    max_histories: int,
    progress: Progress,
) -> "GameTree":
    """The game written out. The search is made once before that, so that an error in its name is
    raised before anything takes long.
    """
    from hiddenhand.games.registry import game_of
    from hiddenhand.games.turn_based import as_sequential
    from hiddenhand.trees.tree import GameTree
    from hiddenhand.trees.unroll import unroll

    if isinstance(game, GameTree):
        _verify_search(search, method, game.game)
        return game
    rules = as_sequential(game_of(game))
    _verify_search(search, method, rules)
    return unroll(rules, max_histories, progress)


def _verify_search(search: object, method: str, game: "Game") -> None:
    """Raise OptionError, or PlayerError, unless ``search`` names or makes a search that ``method``
    can look at.
    """
    from hiddenhand.evaluation.measurement import NamedSearch
    from hiddenhand.search.algorithms import SEARCH, find
    from hiddenhand.search.root_search import verify_searchable

    cure = (
        "give the name of a search, such as oos(targeting=ist,delta=0.5), or a function that makes "
        "one for a game"
    )
    if isinstance(search, str):
        made = NamedSearch(search)(game)
        algorithm = find(split(search)[0], SEARCH)
        if algorithm is not None and method == "root":
            verify_searchable(algorithm, game, made)
    elif not callable(search):
        raise OptionError(f"search={shortened(search)} is neither a name nor a function; {cure}")
    elif not callable(getattr(search(game), "think", None)):
        raise OptionError(f"search={shortened(search)} makes nothing that searches; {cure}")


def _stepwise(method: str) -> "Callable[..., Iterator[Evaluation]]":
    from hiddenhand.evaluation import aggregate, convergence, per_state_search

    steps: dict[str, Callable[..., Iterator[Evaluation]]] = {
        "root": convergence.converge_stepwise,
        "aggregate": aggregate.aggregate_stepwise,
        "stitch-infosets": per_state_search.stitch_information_sets_stepwise,
        "stitch-public": per_state_search.stitch_public_states_stepwise,
        "opening": per_state_search.stitch_opening_stepwise,
    }
    return steps[method]
