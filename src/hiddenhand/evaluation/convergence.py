"""Convergence at the root: search a game from its beginning, and see how exploitable the strategy in memory is after more and more of it.

Lisy, Lanctot and Bowling (2015), Section 4.4.1. Information sets that are not in memory play a fixed action, drawn once at random, or uniformly.
"""

from collections.abc import Sequence

from hiddenhand.budget import Budget
from hiddenhand.errors import BudgetError
from hiddenhand.evaluation.collecting import Gathered, Sets, gathered_everywhere
from hiddenhand.evaluation.evaluation import Evaluation, MakeSearch, search_named, verify_seeds, verify_unseen
from hiddenhand.games.base import Game
from hiddenhand.players.workers import in_parallel
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.trees.profile import nash_conv
from hiddenhand.trees.strategy import Weights
from hiddenhand.trees.tree import GameTree


def converge(
    player: str | MakeSearch,
    tree: GameTree,
    *,
    iterations: Sequence[int] = (),
    seconds: Sequence[float] = (),
    seeds: Sequence[int] = (0,),
    unseen: str = "fixed",
    jobs: int = 1,
    backend: str = "loky",
    progress: Progress = SILENT,
) -> Evaluation:
    """Search from the root with ``player``, a search or its name, and look after so many ``iterations``, or ``seconds``, in all. Give one of them.

    Raises BudgetError unless they increase, and PlayerError for a player who does not search.
    """
    looks: Sequence[float] = iterations or seconds
    if bool(iterations) == bool(seconds) or any(later <= earlier for earlier, later in zip(looks, looks[1:], strict=False)):
        raise BudgetError(f"iterations={list(iterations)} and seconds={list(seconds)} are not allowed; give increasing numbers of one of them")
    steps = [Budget(**{"iterations" if iterations else "seconds": now - before}) for before, now in zip((0, *looks), looks, strict=False)]  # type: ignore[arg-type]
    seeds, make = verify_seeds(seeds), search_named(player)
    verify_unseen(unseen)
    sets = Sets.of(tree)
    found: dict[int, list[Weights]] = {}
    for seed, weights in in_parallel(_search, [(make, tree.game, steps, seed) for seed in seeds], jobs, backend):
        found[seed] = weights
        progress.update(Report(len(found), len(seeds), "seeds"))
    rows, known = [], 0
    for seed in seeds:
        row = []
        for weights in found[seed]:
            gathered = Gathered(sets)
            gathered_everywhere(sets, weights, gathered)
            row.append(nash_conv(tree, gathered.profile(tree, unseen, seed)))
        rows.append(row)
        known += int(gathered.known.sum())
    return Evaluation.over_seeds(
        looks,
        rows,
        game=tree.game,
        player=str(player),
        method="root",
        unseen=unseen,
        seeds=seeds,
        iterations=iterations[-1] if iterations else None,
        seconds=seconds[-1] if seconds else None,
        unit="iterations" if iterations else "seconds",
        known=known / len(seeds),
        information_sets=tree.num_sets,
    )


def _search(make: MakeSearch, game: Game, steps: Sequence[Budget], seed: int) -> tuple[int, list[Weights]]:
    """What is in memory after each step."""
    search = make(game)
    search.start(0, seed)
    found = []
    for step in steps:
        search.think(step.iterations, step.seconds)
        found.append(search.weights())
    return seed, found
