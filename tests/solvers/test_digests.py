"""What the solvers of small games find, to the last bit: digests, kept beside this file.

A change that is meant to change nothing changes no digest. One that is meant to: ``python
tests/solvers/test_digests.py`` writes them anew, and the change of ``digests.json`` belongs to the
same commit.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from hiddenhand.games.base import Game
from hiddenhand.games.registry import load_game
from hiddenhand.solvers.cfr import CFR
from hiddenhand.solvers.cfr_variants import VARIANTS, Variant
from hiddenhand.solvers.mccfr import MCCFR, SAMPLINGS
from hiddenhand.solvers.simultaneous.backward_induction import solve_by_induction
from hiddenhand.solvers.simultaneous.expansion import expand
from hiddenhand.solvers.simultaneous.joint_profile import (
    best_joint_response_values,
    uniform_joint_profile,
)
from hiddenhand.trees.profile import (
    best_response,
    counterfactual_values,
    history_values,
    reach_probabilities,
    uniform_profile,
)
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

STORED = Path(__file__).with_name("digests.json")
HIDDEN = ("Kuhn", "Leduc", "IIGS(4)")
JOINT = ("goofspiel(num_cards=4)", "oshi_zumo(6,2,1)", "random(3,3)")
"""Games in which only what is chosen at the same moment is hidden."""
TREE = (
    *("player", "parent", "action", "probability", "first_child", "num_children", "level_start"),
    *("keys", "information_set", "set_player", "set_key", "set_start", "set_parent"),
    *("sequence_action", "terminal", "terminal_chance", "terminal_sequence", "utility"),
)
GRAPH = (
    *("mover", "rows", "columns", "first_cell", "cell", "probability", "first_action", "payoff"),
    *("order", "keys", "state_key"),
)
TREE_OF = cache(lambda spec: unroll(load_game(spec)))

Arrays = Iterable[np.ndarray]


def cfr(variant: str | Variant) -> Callable[[GameTree], Arrays]:
    """What 50 iterations of a variant leave behind."""

    def find(tree: GameTree) -> Arrays:
        run = CFR(tree, variant)
        run.run(50)
        return run.regret, run.last_regret, run.average, run.strategy

    return find


def mccfr(sampling: str) -> Callable[[GameTree], Arrays]:
    """What 2,000 iterations of a kind of sampling leave behind."""

    def find(tree: GameTree) -> Arrays:
        run = MCCFR(tree, sampling, baseline="off", seed=7)
        run.run(2_000)
        return run.regret, run.average

    return find


def written_out(tree: GameTree) -> Arrays:
    return [getattr(tree, name) for name in TREE]


def judged(tree: GameTree) -> Arrays:
    """What the uniform profile is worth, and the answers to it."""
    uniform = uniform_profile(tree)
    yield reach_probabilities(tree, uniform)
    yield history_values(tree, uniform)
    for player in range(tree.num_players):
        yield counterfactual_values(tree, uniform, player)
        yield best_response(tree, uniform, player).profile


def induction(game: Game) -> Arrays:
    found = solve_by_induction(game)
    graph = [getattr(found.graph, name) for name in GRAPH]
    return [*graph, found.values, found.profile, found.mixed]


def expanded_by_history(game: Game) -> Arrays:
    graph = expand(game, by_history=True)
    yield from (getattr(graph, name) for name in GRAPH)
    yield best_joint_response_values(graph, uniform_joint_profile(graph))


FOR_TREES: dict[str, Callable[[GameTree], Arrays]] = {
    "tree": written_out,
    "profile": judged,
    **{name: cfr(name) for name in VARIANTS},
    "cfr at the same time": cfr(Variant(alternating=False)),
    **{f"mccfr {sampling}": mccfr(sampling) for sampling in SAMPLINGS},
}
FOR_STATES: dict[str, Callable[[Game], Arrays]] = {
    "induction": induction,
    "by history": expanded_by_history,
}
CASES = [(spec, name) for spec in HIDDEN for name in FOR_TREES] + [
    (spec, name) for spec in JOINT for name in FOR_STATES
]


def digest_of(spec: str, name: str) -> str:
    if name in FOR_TREES:
        arrays = FOR_TREES[name](TREE_OF(spec))
    else:
        arrays = FOR_STATES[name](load_game(spec))
    found = hashlib.sha256()
    for array in arrays:
        found.update(f"{array.dtype} {array.shape}".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:32]


@pytest.mark.parametrize(("spec", "name"), CASES)
def test_no_bit_has_changed(spec: str, name: str) -> None:
    assert digest_of(spec, name) == json.loads(STORED.read_text())[f"{name} {spec}"]


def test_every_digest_belongs_to_a_solver() -> None:
    assert set(json.loads(STORED.read_text())) == {f"{name} {spec}" for spec, name in CASES}


if __name__ == "__main__":
    STORED.write_text(
        json.dumps({f"{name} {spec}": digest_of(spec, name) for spec, name in CASES}, indent=2)
        + "\n"
    )
