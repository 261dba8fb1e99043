"""Stitching: searches that are known to be good or bad, how often and where they are asked, and the
expected strategy.
"""

from collections.abc import Sequence

import numpy as np
import pytest
from naive.pretending import babbling
from naive.resolving import tree_of

from hiddenhand.budget import Budget
from hiddenhand.errors import GameError
from hiddenhand.evaluation.measurement import Study
from hiddenhand.evaluation.per_state_search import (
    stitch_information_sets,
    stitch_opening,
    stitch_public_states,
)
from hiddenhand.jit.arrays import Floats
from hiddenhand.search.belief.belief import Belief
from hiddenhand.trees.profile import expected_values, nash_conv, normalised, realisation_plan
from hiddenhand.trees.tree import GameTree

ONE = Budget(1)
SMALL = ["Kuhn", "IIGS(3)", "coordination_game", "LD(1,1,2)"]


def choices(tree: GameTree) -> list[int]:
    """The keys of the information sets in which there is something to choose."""
    return [int(key) for key in tree.set_key[np.diff(tree.set_start) > 1]]


def public_choices(tree: GameTree) -> set[int]:
    """The keys of the public states in which there is."""
    chosen = set(choices(tree))
    return {
        int(tree.keys[h, -1])
        for h in _deciding(tree)
        if int(tree.set_key[tree.information_set[h]]) in chosen
    }


@pytest.mark.parametrize("spec", SMALL)
def test_every_set_is_searched_once_in_itself(spec: str) -> None:
    tree = tree_of(spec)
    search = babbling(tree, own_set=True)
    found = stitch_information_sets(Study(lambda game: search, tree), ONE)
    assert sorted(key for _, _, key in search.thoughts) == sorted(choices(tree))
    assert len({seed for _, seed, _ in search.thoughts}) == len(choices(tree))
    assert found.known == tree.num_sets


@pytest.mark.parametrize("spec", SMALL)
def test_what_counts_is_what_was_said_in_the_set_itself(spec: str) -> None:
    tree = tree_of(spec)
    search = babbling(tree)
    found = stitch_information_sets(Study(lambda game: search, tree), ONE)
    values = np.zeros(tree.num_sequences)
    for seat, seed, key in search.thoughts:
        number = tree.find_set(key)
        own = slice(tree.set_start[number], tree.set_start[number + 1])
        values[own] = np.random.default_rng([seed, seat, key]).exponential(size=tree.num_sequences)[
            own
        ]
    assert found.nash_conv.value == pytest.approx(nash_conv(tree, normalised(tree, values)))


@pytest.mark.parametrize("spec", [*SMALL, "IIGS(4)"])
def test_a_public_state_is_searched_once_by_a_search_that_knows_it_all(spec: str) -> None:
    tree = tree_of(spec)
    search = babbling(tree)
    found = stitch_public_states(Study(lambda game: search, tree, seeds=(0,)), ONE)
    assert len(search.thoughts) == len(public_choices(tree))
    public = {
        int(tree.information_set[h]): int(tree.keys[h, -1])
        for h in range(tree.num_histories)
        if tree.information_set[h] >= 0
    }
    said = {
        (seat, public[tree.find_set(key)]): (seed, seat, key) for seat, seed, key in search.thoughts
    }
    values = np.zeros(tree.num_sequences)
    for number in map(tree.find_set, choices(tree)):
        own = slice(tree.set_start[number], tree.set_start[number + 1])
        values[own] = np.random.default_rng(
            said[int(tree.set_player[number]), public[number]]
        ).exponential(size=tree.num_sequences)[own]
    assert found.nash_conv.value == pytest.approx(nash_conv(tree, normalised(tree, values)))


def test_other_seeds_search_a_public_state_from_other_sets() -> None:
    tree = tree_of("LD(1,1,2)")
    search = babbling(tree)
    stitch_public_states(Study(lambda game: search, tree, seeds=range(12)), ONE)
    searched = {tree.find_set(key) for _, _, key in search.thoughts}
    assert len(searched) == len(choices(tree))


def test_a_search_of_its_own_set_is_asked_in_every_set() -> None:
    tree = tree_of("LD(1,1,2)")
    search = babbling(tree, own_set=True)
    stitch_public_states(Study(lambda game: search, tree), ONE)
    assert sorted(key for _, _, key in search.thoughts) == sorted(choices(tree))


@pytest.mark.parametrize("stitch", [stitch_public_states, stitch_opening])
def test_a_search_that_knows_other_sets_a_little_can_be_asked_in_each(stitch) -> None:  # type: ignore[no-untyped-def]
    tree = tree_of("Kuhn")
    asked = {}
    for every_set in (False, True):
        search = babbling(tree)
        stitch(Study(lambda game, search=search: search, tree), ONE, every_set=every_set)
        asked[every_set] = sorted(key for _, _, key in search.thoughts)
    assert len(asked[False]) == tree.counts().public_states
    assert asked[True] == sorted(tree.set_key.tolist())


def test_thinking_on_the_way() -> None:
    tree = tree_of("IIGS(3)")
    search = babbling(tree, own_set=True)
    stitch_information_sets(Study(lambda game: search, tree), ONE, on_the_way=True)
    depth = [0] * tree.num_sets
    for number in range(tree.num_sets):
        before = int(tree.sequence_set[tree.set_parent[number]])
        depth[number] = 1 + (depth[before] if before >= 0 else 0)
    assert len(search.thoughts) == sum(depth[tree.find_set(key)] for key in choices(tree))


@pytest.mark.parametrize("stitch", [stitch_information_sets, stitch_public_states])
def test_thinking_before_play(stitch) -> None:  # type: ignore[no-untyped-def]
    """Once for each search, at the root and for its own budget."""
    tree = tree_of("IIGS(3)")
    search = babbling(tree)
    found = stitch(Study(lambda game: search, tree), ONE, preplay=Budget(7))
    assert (found.preplay_iterations, found.preplay_seconds) == (7, None)
    assert search.budgets == [7, 1] * (len(search.budgets) // 2)
    root = {seat: Belief(tree.game, seat).information_key for seat in range(2)}
    before_play = [
        (seat, key)
        for (seat, _, key), budget in zip(search.thoughts, search.budgets, strict=True)
        if budget == 7
    ]
    assert before_play == [(seat, root[seat]) for seat, _ in before_play]


def expected_profile(tree: GameTree, profiles: Sequence[Floats]) -> Floats:
    """``float64[S]``: one of ``profiles`` from beginning to end, each equally likely."""
    plans = [realisation_plan(tree, profile) for profile in profiles]
    return normalised(tree, np.mean(plans, axis=0))


@pytest.mark.parametrize("spec", ["Kuhn", "IIGS(3)"])
def test_the_expected_strategy_earns_what_its_parts_earn_on_average(spec: str) -> None:
    """Whatever the other plays."""
    tree, random = tree_of(spec), np.random.default_rng(1)
    parts = [normalised(tree, random.exponential(size=tree.num_sequences) ** 3) for _ in range(4)]
    for player in range(2):
        own = tree.sequence_player == player
        for _ in range(5):
            other = normalised(tree, random.exponential(size=tree.num_sequences))
            earned = [expected_values(tree, np.where(own, part, other))[0] for part in parts]
            assert expected_values(tree, np.where(own, expected_profile(tree, parts), other))[
                0
            ] == pytest.approx(np.mean(earned))


@pytest.mark.parametrize("search", ["mccfr", "cr"])
def test_an_opening_says_how_exploitable_a_search_is_at_least(search: str) -> None:
    """More places say more; all of them say all there is to say."""
    tree, budget = tree_of("LD(1,1,2)"), Budget(200)
    study = Study(search, tree, seeds=range(2))
    whole = stitch_public_states(study, budget)
    found = [stitch_opening(study, budget, places=places) for places in (1, 4, 10, 1000)]
    values = np.array([one.each for one in found])
    assert np.all(np.diff(values, axis=0) >= -1e-4)
    assert np.all(values <= np.array(whole.each) + 1e-9)
    assert values[-1] == pytest.approx(whole.each, abs=1e-4)
    assert [one.known for one in found] == sorted(one.known for one in found)
    assert 0 < found[0].known < tree.num_sets / 2
    assert found[-1].known <= whole.known


def test_an_opening_begins_with_the_public_states_after_the_fewest_moves() -> None:
    tree = tree_of("LD(1,1,2)")
    search = babbling(tree, own_set=True)
    stitch_opening(Study(lambda game: search, tree), ONE, places=3)
    asked = {key for _, _, key in search.thoughts}
    moves = {int(tree.set_key[tree.information_set[h]]): len(tree.path(h)) for h in _deciding(tree)}
    assert max(moves[key] for key in asked) <= min(
        length for key, length in moves.items() if key not in asked
    )


def _deciding(tree: GameTree) -> list[int]:
    return [int(history) for history in np.flatnonzero(tree.information_set >= 0)][::-1]


def test_an_opening_is_for_zero_sum_games_of_two_players() -> None:
    with pytest.raises(GameError, match="use stitch-public"):
        stitch_opening(Study("ismcts", tree_of("naive.small_games:ThreeHands")), ONE)


def test_the_figure_of_public_states_is_the_expected_strategy_s() -> None:
    tree = tree_of("Kuhn")
    study = Study("mccfr", tree, seeds=range(4))
    found = stitch_public_states(study, Budget(300))
    assert found.nash_conv.value < np.mean(found.each)  # nash_conv is convex in realisation plans
    assert [point.at for point in found.curve] == [1, 2, 3, 4]
    assert found.curve[0].nash_conv.value == pytest.approx(found.each[0])
    assert 0 < found.nash_conv.width < np.inf
    assert sum(value.value for value in found.best_response_values) == pytest.approx(
        found.nash_conv.value
    )
    assert all(0 < value.width < np.inf for value in found.best_response_values)
    assert [sum(row) for row in found.each_best_response_values] == pytest.approx(found.each)


def test_the_figure_of_information_sets_is_the_mean() -> None:
    found = stitch_information_sets(
        Study("oos(targeting=ist)", tree_of("Kuhn"), seeds=range(3)), Budget(300)
    )
    assert found.nash_conv.value == pytest.approx(np.mean(found.each))
