"""Gathered strategies: which sets count, what they weigh, what unknown ones play."""

import numpy as np
import pytest
from naive.pretending import babbling, own_sets_above
from naive.resolving import tree_of

from hiddenhand.errors import GameError
from hiddenhand.evaluation.policy_accumulator import Gathered, Sets
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.strategy import Weights


@pytest.mark.parametrize(
    "spec", ["Kuhn", "IIGS(3)", "LD(1,1,2)", "coordination_game", "GP(2,2,1,1)"]
)
def test_sets_below_are_those_that_can_still_be_reached(spec: str) -> None:
    tree = tree_of(spec)
    sets, above = Sets.of(tree), own_sets_above(tree)
    numbers = np.arange(tree.num_sets, dtype=np.int32)
    assert sets.find(tree.set_key).tolist() == numbers.tolist()
    for at in range(tree.num_sets):
        assert np.flatnonzero(sets.from_on(at, numbers)).tolist() == [
            number for number in range(tree.num_sets) if at in above[number]
        ]


@pytest.mark.parametrize("spec", ["Kuhn", "IIGS(3)"])
def test_only_weights_from_the_present_set_on_are_added(spec: str) -> None:
    tree = tree_of(spec)
    sets, above, search = Sets.of(tree), own_sets_above(tree), babbling(tree)
    for at in range(tree.num_sets):
        gathered = Gathered(sets)
        gathered.add(sets, search.weights(), at)
        for number in range(tree.num_sets):
            own = slice(tree.set_start[number], tree.set_start[number + 1])
            wanted = (
                search._weights_at(search)[own]
                if at in above[number]
                else np.zeros(own.stop - own.start)
            )
            assert gathered.values[own].tolist() == wanted.tolist()
            assert gathered.known[number] == (at in above[number])


@pytest.mark.parametrize("spec", ["Kuhn", "IIGS(3)", "LD(1,1,2)"])
def test_what_was_gathered_can_be_handed_on(spec: str) -> None:
    """Sets that are known but have no weight are still known."""
    tree = tree_of(spec)
    sets, gathered, copied = Sets.of(tree), Gathered(Sets.of(tree)), Gathered(Sets.of(tree))
    gathered.add(sets, babbling(tree).weights(), int(tree.sets_of(1)[0]))
    gathered.add(
        sets,
        Weights(
            tree.set_key[:1],
            np.array([0, np.diff(tree.set_start)[0]]),
            np.zeros(np.diff(tree.set_start)[0]),
        ),
    )
    copied.add(sets, gathered.weights(sets))
    assert 0 < gathered.known.sum() < tree.num_sets
    assert copied.known.tolist() == gathered.known.tolist()
    assert copied.values.tolist() == gathered.values.tolist()


def test_unknown_sets_play_what_is_asked_for_and_known_ones_without_weight_uniformly() -> None:
    tree = tree_of("Kuhn")
    sets, gathered = Sets.of(tree), Gathered(Sets.of(tree))
    assert gathered.profile(tree, "uniform", 0).tolist() == uniform_profile(tree).tolist()
    fixed = gathered.profile(tree, "fixed", 3)
    assert set(fixed.tolist()) == {0.0, 1.0}
    assert (
        fixed.tolist()
        == gathered.profile(tree, "fixed", 3).tolist()
        != gathered.profile(tree, "fixed", 4).tolist()
    )
    gathered.add(sets, Weights(tree.set_key[:1], np.array([0, 2]), np.zeros(2)))
    first = int(tree.set_start[0])
    assert gathered.profile(tree, "fixed", 3)[first : first + 2].tolist() == [0.5, 0.5]
    assert gathered.profile(tree, "fixed", 3)[first + 2 :].tolist() == fixed[first + 2 :].tolist()


def test_weights_of_another_game_are_refused() -> None:
    tree = tree_of("Kuhn")
    sets = Sets.of(tree)
    with pytest.raises(GameError, match="information sets that the game does not have"):
        Gathered(sets).add(sets, babbling(tree_of("Leduc")).weights())
    with pytest.raises(GameError, match="other actions than the game has"):
        Gathered(sets).add(sets, Weights(tree.set_key[:1], np.array([0, 3]), np.ones(3)))
