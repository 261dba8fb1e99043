"""What work costs on this machine: the numbers of `hiddenhand.search.cost_model`.

``python -m benchmarks.costs`` prints each number of the model beside what it measures, and the
lines to type where both differ by more than a factor of two. Smaller differences change nothing
that matters, and the decisions of `auto` should stay as they are. The machine must be idle.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Final

from studies.errors import random_tree

from hiddenhand import OOS, load_game, unroll
from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.games.history import History
from hiddenhand.search.cost_model import COSTS
from hiddenhand.solvers.cfr import CFR
from hiddenhand.solvers.simultaneous.backward_induction import solve_by_induction
from hiddenhand.solvers.simultaneous.perfect_information import best_moves
from hiddenhand.solvers.vector_form.public_game import vector_form
from hiddenhand.solvers.vector_form.vector_cfr import VectorCFR

SMALL, LARGE = "Kuhn", "LD(1,1,6)"
_ROUNDS: Final = 5
_TELLING: Final = 2.0  # how many times too large or too small a number is that is worth changing


def seconds_of(work: Callable[[], object]) -> float:
    """The seconds of ``work`` once it is compiled: the least of some tries."""
    work()
    found = []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return min(found)


def line(sizes: tuple[float, float], seconds: tuple[float, float]) -> tuple[float, float]:
    """The seconds for each unit of size, and those besides, by two measurements."""
    slope = (seconds[1] - seconds[0]) / (sizes[1] - sizes[0])
    return slope, max(seconds[0] - slope * sizes[0], 0.0)


def of_cfr() -> tuple[float, float]:
    """The seconds of an iteration for each history, and besides."""
    runs = [CFR(unroll(load_game(name), decided=False), "dcfr+") for name in (SMALL, LARGE)]
    each = (10_000, 10)
    took = [
        seconds_of(lambda r=run, n=n: r.iterate(n)) / n for run, n in zip(runs, each, strict=True)
    ]
    return line(tuple(run.tree.num_histories for run in runs), tuple(took))


def of_writing() -> tuple[float, float]:
    """The seconds to write a history out, and those of a game besides."""
    games = [load_game(name) for name in (SMALL, LARGE)]
    write = [lambda g=game: unroll(g, verified=True, decided=False) for game in games]
    sizes = tuple(one().num_histories for one in write)
    return line(sizes, tuple(seconds_of(one) for one in write))


def measured() -> Mapping[str, float]:
    """All numbers of the model."""
    visit, iteration = of_cfr()
    history, tree = of_writing()
    search, samples = OOS(load_game(LARGE)), 100_000
    vector = VectorCFR(vector_form(load_game(LARGE)))
    plain, joint = random_tree(1, 14), Goofspiel(7)
    root = History(plain).state
    states = unroll(plain).num_histories  # each is a state of its own
    return {
        "visit": visit,
        "iteration": iteration,
        "history": history,
        "tree": tree,
        "samples": samples / seconds_of(lambda: search.run(samples)),
        "numbers": sum(vector.form.sizes) / seconds_of(lambda: vector.iterate(1)),
        "plain_state": seconds_of(lambda: best_moves(plain, root, 0, max_nodes=10**7)) / states,
        "joint_state": seconds_of(lambda: solve_by_induction(joint))
        / solve_by_induction(joint).graph.num_nodes,
    }


def main() -> None:
    """Print the table, and what to type."""
    found, model = measured(), asdict(COSTS)
    print(f"{'number':12} {'model':>10} {'measured':>10}")
    for name, value in model.items():
        print(f"{name:12} {value:10.2g} {found[name]:10.2g}")
    for name, value in model.items():
        if not 1 / _TELLING <= found[name] / value <= _TELLING:
            print(f"type in src/hiddenhand/search/cost_model.py: {name}: float = {found[name]:.1g}")


if __name__ == "__main__":
    main()
