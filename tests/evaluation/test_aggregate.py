"""The aggregate method: searches that are known to be good or bad, a slow twin, and the papers'
trends.
"""

from dataclasses import replace

import numpy as np
import pytest
from naive.pretending import Pretending, babbling, own_sets_above
from naive.resolving import tree_of

from hiddenhand.budget import Budget
from hiddenhand.errors import OptionError, PlayerError
from hiddenhand.evaluation.aggregate import aggregate
from hiddenhand.evaluation.measurement import Study
from hiddenhand.games.base import Game
from hiddenhand.search.belief.belief import Belief
from hiddenhand.trees.profile import nash_conv, normalised
from hiddenhand.trees.strategy import Weights

ONE = Budget(1)


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
                    values[tree.set_start[number] : tree.set_start[number + 1]] += said[
                        tree.set_start[number] : tree.set_start[number + 1]
                    ]
    assert seats == {0, 1}
    assert found.nash_conv.value == pytest.approx(nash_conv(tree, normalised(tree, values)))


def test_the_search_makes_its_own_moves_and_opponents_random_ones() -> None:
    """`Pretending` always takes its first action, so sets after others are never its present
    one.
    """
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


def test_thinking_before_play_is_from_the_root_and_for_its_own_budget() -> None:
    """Once in each match. What is added is what the search says when it has thought at a
    decision.
    """
    tree = tree_of("IIGS(3)")
    without, preparing = babbling(tree), babbling(tree)
    plain = aggregate(Study(lambda game: without, tree), ONE, matches=5)
    prepared = aggregate(Study(lambda game: preparing, tree), ONE, matches=5, preplay=Budget(7))
    assert (prepared.curve, prepared.known) == (plain.curve, plain.known)
    assert (prepared.preplay_iterations, prepared.preplay_seconds, plain.preplay_iterations) == (
        7,
        None,
        None,
    )
    assert preparing.budgets.count(7) == 10
    root = Belief(tree.game, 0).information_key
    before_play = [thought for thought in preparing.thoughts if thought not in without.thoughts]
    assert {seat for seat, _, _ in before_play} == {
        1
    }  # for the first player it is where they decide first
    assert len(preparing.thoughts) == len(without.thoughts) + 10
    assert [key for seat, _, key in preparing.thoughts if seat == 0].count(root) == 10


@pytest.mark.slow
def test_what_was_learnt_before_play_is_part_of_what_is_added() -> None:
    """One iteration for each move says little; with 20,000 before play, the first sets of both
    players are known as well as those say.
    """
    study = Study("mccfr", tree_of("Kuhn"), seeds=(1,))  # with which all sets are met
    without, prepared = (
        aggregate(study, ONE, matches=20, preplay=preplay).nash_conv.value
        for preplay in (None, Budget(20_000))
    )
    assert prepared < 0.1 < 0.5 < without


# --- how much a search counts ---


class Boasting(Pretending):
    """In one match out of three it says the second action, with a mass of 1e15 from one sample;
    else the first, with a mass of 1 from ten.
    """

    def count_samples(self) -> None: ...

    def weights(self) -> Weights:
        found, boasts = super().weights(), self.seed % 3 == 0
        action = np.arange(found.values.size) - np.repeat(found.starts[:-1], np.diff(found.starts))
        sums = np.where(action == (1 if boasts else 0), 1e15 if boasts else 1.0, 0.0)
        return replace(found, values=sums, visits=np.full(found.keys.size, 1.0 if boasts else 10.0))


@pytest.mark.slow
def test_by_visits_no_search_outweighs_all_others() -> None:
    """By mass, a single search decides what its sets play; by visits, its samples count like any
    others.
    """
    tree = tree_of("Kuhn")
    searches: list[Boasting] = []

    def make(game: Game) -> Boasting:
        searches.append(Boasting(tree, lambda _: np.ones(tree.num_sequences)))
        return searches[-1]

    gaps = {
        weights: aggregate(Study(make, tree), ONE, matches=30, weights=weights).nash_conv.value
        for weights in (None, "visits", "mass")
    }
    assert gaps[None] == gaps["visits"]
    thoughts = [thought for search in searches[1:] for thought in search.thoughts]
    for weights, say in (("mass", (1e15, 1.0)), ("visits", (1.0, 10.0))):
        values = np.zeros(tree.num_sequences)
        for _, seed, key in thoughts[
            : len(thoughts) // 3
        ]:  # the same in each of the three measurements
            number = tree.find_set(key)
            for below in range(tree.num_sets):
                if number in own_sets_above(tree)[below]:
                    values[tree.set_start[below] + int(seed % 3 == 0)] += (
                        say[0] if seed % 3 == 0 else say[1]
                    )
        assert gaps[weights] == pytest.approx(nash_conv(tree, normalised(tree, values)), abs=1e-9)
    assert abs(gaps["mass"] - gaps["visits"]) > 0.1


def test_which_weights_there_are() -> None:
    tree = tree_of("Kuhn")
    kept = {
        spec: aggregate(Study(spec, tree), Budget(20), matches=2).weights
        for spec in ("oos", "mccfr", "ismcts(selector=rm)", "pimc", "mccr")
    }
    assert kept == {
        "oos": "visits",
        "mccfr": "visits",
        "ismcts(selector=rm)": "visits",
        "pimc": "mass",
        "mccr": "mass",
    }
    assert aggregate(Study("oos", tree), Budget(20), matches=2, weights="mass").weights == "mass"
    with pytest.raises(OptionError, match="pimc does not count its samples"):
        aggregate(Study("pimc", tree), ONE, weights="visits")
    with pytest.raises(OptionError, match="weights='most'"):
        aggregate(Study("oos", tree), ONE, weights="most")


@pytest.mark.parametrize("spec", ["ismcts(selector=uct)", "ismcts(selector=rm)"])
def test_for_tree_search_the_mass_is_the_visits(spec: str) -> None:
    study = Study(spec, tree_of("IIGS(3)"))
    mass, visits = (
        aggregate(study, Budget(100), matches=10, weights=weights).nash_conv.value
        for weights in ("mass", "visits")
    )
    assert mass == pytest.approx(visits)


def test_refusals() -> None:
    tree = tree_of("Kuhn")
    with pytest.raises(OptionError, match="matches=0"):
        aggregate(Study("oos", tree), ONE, matches=0)
    with pytest.raises(OptionError, match="each once"):
        Study("oos", tree, seeds=(1, 1))
    with pytest.raises(OptionError, match="seed -1"):
        Study("oos", tree, seeds=(-1,))
    with pytest.raises(OptionError, match="magic"):
        Study("oos", tree, unseen="magic")
    with pytest.raises(OptionError, match="leave iterations out"):
        Study("oos(iterations=5)", tree)
    with pytest.raises(PlayerError, match="does not search"):
        aggregate(Study("random", tree), ONE)
    with pytest.raises(PlayerError, match="magic"):
        Study("magic", tree)
