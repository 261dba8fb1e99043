"""The aggregate method: searches that are known to be good or bad, a slow twin, and the papers' trends."""

from dataclasses import replace

import numpy as np
import pytest
from naive.pretending import Pretending, babbling, own_sets_above, saying

from hiddenhand.budget import Budget
from hiddenhand.errors import BudgetError, PlayerError
from hiddenhand.evaluation.aggregate import aggregate
from hiddenhand.evaluation.study import Study
from hiddenhand.games.base import Game
from hiddenhand.games.registry import load_game
from hiddenhand.search.belief import Belief
from hiddenhand.trees.linear_program import solve_lp
from hiddenhand.trees.profile import nash_conv, normalised, uniform_profile
from hiddenhand.trees.tree import GameTree, unroll

ONE = Budget(1)


def tree_of(spec: str) -> GameTree:
    return unroll(load_game(spec))


@pytest.mark.parametrize("spec", ["Kuhn", "IIGS(3)", "coordination_game", "LD(1,1,2)"])
def test_a_search_that_knows_an_equilibrium(spec: str) -> None:
    """Its opponents' random moves lead everywhere from its first decisions on."""
    tree = tree_of(spec)
    found = aggregate(Study(lambda game: saying(tree, solve_lp(tree).profile), tree), ONE, matches=30, every=10)
    assert found.nash_conv.value == pytest.approx(0.0, abs=1e-9)
    assert found.known == found.information_sets == tree.num_sets


@pytest.mark.parametrize("spec", ["Kuhn", "IIGS(3)"])
def test_a_search_that_plays_uniformly(spec: str) -> None:
    tree = tree_of(spec)
    found = aggregate(Study(lambda game: saying(tree, uniform_profile(tree)), tree, seeds=(1, 2)), ONE, matches=30, every=20)
    gap = nash_conv(tree, uniform_profile(tree))
    assert found.each == pytest.approx((gap, gap))
    assert [point.at for point in found.curve] == [20, 30]
    assert found.nash_conv.low <= found.nash_conv.value <= found.nash_conv.high


@pytest.mark.parametrize("spec", ["Kuhn", "IIGS(3)", "LD(1,1,2)"])
def test_agrees_with_adding_up_by_hand(spec: str) -> None:
    """Every time the search thought, what it said counts in its present set and below."""
    tree = tree_of(spec)
    made: list[Pretending] = []

    def make(game: Game) -> Pretending:
        made.append(babbling(tree))
        return made[-1]

    found = aggregate(Study(make, tree, unseen="uniform"), ONE, matches=7, every=3)
    above, values, seats = own_sets_above(tree), np.zeros(tree.num_sequences), set()
    twin = babbling(tree)
    for search in made:
        for seat, seed, key in search.thoughts:
            twin.seat, twin.seed, at = seat, seed, tree.find_set(key)
            seats.add(seat)
            assert tree.set_player[at] == seat
            said = np.random.default_rng([seed, seat, key]).exponential(size=tree.num_sequences)
            for number in range(tree.num_sets):
                if at in above[number]:
                    values[tree.set_start[number] : tree.set_start[number + 1]] += said[tree.set_start[number] : tree.set_start[number + 1]]
    assert seats == {0, 1}
    assert found.nash_conv.value == pytest.approx(nash_conv(tree, normalised(tree, values)))


def test_the_search_makes_its_own_moves_and_opponents_random_ones() -> None:
    """`Pretending` always takes its first action, so sets after others are never its present one."""
    tree = tree_of("IIGS(3)")
    search = babbling(tree)
    aggregate(Study(lambda game: search, tree), ONE, matches=40, every=40)
    reached = {tree.find_set(key) for _, _, key in search.thoughts}
    for number in range(tree.num_sets):
        sequence, first_actions = int(tree.set_parent[number]), True
        while sequence >= tree.num_players:
            own = int(tree.sequence_set[sequence])
            first_actions &= sequence == tree.set_start[own]
            sequence = int(tree.set_parent[own])
        assert (number in reached) == first_actions
    assert len({seed for _, seed, _ in search.thoughts}) == 80  # a seed for each match


def test_thinking_before_play_is_from_the_root_and_not_added() -> None:
    """Once in each match; all that is added is what the decisions of the match say."""
    tree = tree_of("IIGS(3)")
    without, preparing = babbling(tree), babbling(tree)
    plain = aggregate(Study(lambda game: without, tree), ONE, matches=5)
    prepared = aggregate(Study(lambda game: preparing, tree), ONE, matches=5, preplay=True)
    assert (prepared.curve, prepared.known) == (plain.curve, plain.known)
    root = Belief(tree.game, 0).information_key
    before_play = [thought for thought in preparing.thoughts if thought not in without.thoughts]
    assert {seat for seat, _, _ in before_play} == {1}  # for the first player it is where they decide first
    assert len(preparing.thoughts) == len(without.thoughts) + 10
    assert [key for seat, _, key in preparing.thoughts if seat == 0].count(root) == 10


def test_a_modelled_belief_needs_thinking_before_play() -> None:
    """The second player of the first round of Goofspiel knows nothing; a uniform belief has one best answer, which is exploited."""
    study = Study("ismcts(selector=uct,belief=modelled)", tree_of("goofspiel(num_cards=4,imp_info=True,points_order=descending)"))
    without, prepared = (aggregate(study, Budget(2000), matches=40, preplay=preplay).nash_conv.value for preplay in (False, True))
    assert prepared < 0.6 * without


def test_equal_seeds_give_equal_results_however_many_processes_work() -> None:
    tree = tree_of("IIGS(3)")
    study = Study("oos(targeting=ist,delta=0.5)", tree, seeds=(0, 1))
    alone = aggregate(study, Budget(200), matches=12, every=4)
    assert aggregate(study, Budget(200), matches=12, every=4) == alone
    assert aggregate(replace(study, jobs=2), Budget(200), matches=12, every=4) == alone
    assert alone.each[0] != alone.each[1]
    assert (alone.iterations, alone.seconds, alone.method, alone.search) == (200, None, "aggregate", "oos(targeting=ist,delta=0.5)")


def test_oos_gets_better_with_its_budget() -> None:
    """Lisy et al. (2015), Figure 3(b), in a smaller game."""
    tree = tree_of("IIGS(4)")
    gaps = [aggregate(Study("oos(targeting=ist,delta=0.5)", tree), Budget(n), matches=40).nash_conv.value for n in (50, 500, 4000)]
    assert gaps[0] > 1.5 * gaps[1] > 2.25 * gaps[2]


def test_refusals() -> None:
    tree = tree_of("Kuhn")
    with pytest.raises(BudgetError, match="matches=0"):
        aggregate(Study("oos", tree), ONE, matches=0)
    with pytest.raises(BudgetError, match="each once"):
        Study("oos", tree, seeds=(1, 1))
    with pytest.raises(BudgetError, match="seed -1"):
        Study("oos", tree, seeds=(-1,))
    with pytest.raises(BudgetError, match="magic"):
        Study("oos", tree, unseen="magic")
    with pytest.raises(BudgetError, match="leave iterations out"):
        Study("oos(iterations=5)", tree)
    with pytest.raises(PlayerError, match="does not search"):
        aggregate(Study("random", tree), ONE)
    with pytest.raises(PlayerError, match="magic"):
        Study("magic", tree)
