"""OOS in a match: what targeted samples reach and how often, that estimates stay unbiased, and the
paper's point about non-locality.
"""

import itertools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
from naive.mean_updates import chance_part, mean_update, sigma_on
from naive.noticing import events_of
from naive.small_games import small

from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.registry import load_game
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.jit.infoset_table import num_sets
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.trees.profile import (
    counterfactual_values,
    nash_conv,
    realisation_plan,
    uniform_profile,
)
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

Floats = npt.NDArray[np.float64]
GAMMA, EPSILON = 0.3, 0.4  # so much uniform play that no history is too rare to be counted


def decisions(played: Game) -> Iterator[History]:
    """One history of each information set."""
    seen = set()
    for history in all_histories(played):
        if history.player >= 0 and (history.player, history.information_key) not in seen:
            seen.add((history.player, history.information_key))
            yield history


def searched(
    played: Game,
    history: History,
    targeting: str,
    delta: float,
    warm_up: int,
    baseline: str = "off",
) -> OOS:
    """A search that has come to ``history``, with all of a small game in memory."""
    search = OOS(
        played,
        epsilon=EPSILON,
        gamma=GAMMA,
        targeting=targeting,
        delta=delta,
        baseline=baseline,
        seed=5,
    )
    search.start(history.player, 5)
    search.think(iterations=warm_up)
    search.notice(events_of(history, history.player))
    return search


def mean_profile_on(tree: GameTree, search: OOS) -> Floats:
    return search.strategy().on(tree)


# --- the naive reckoning: all by walking histories ---


class Reckoning:
    """s_1, s_2 of every terminal history for update player i, from the definition: phi, and phi
    renormalised on what stays in the target.
    """

    def __init__(self, tree: GameTree, profile: Floats, target: set[int], i: int) -> None:
        self.tree, self.profile, self.i = tree, profile, i
        self.hit = self.mark_hits(target)
        self.untargeted, self.targeted = np.ones(tree.num_histories), np.ones(tree.num_histories)
        for h in range(tree.num_histories):
            first = tree.first_child[h]
            children = range(first, first + tree.num_children[h])
            kept = sum(self.phi(c) for c in children if self.hit[c])
            count = sum(bool(self.hit[c]) for c in children)
            for c in children:
                self.untargeted[c] = self.untargeted[h] * self.phi(c)
                share = (self.phi(c) / kept if kept > 0 else 1 / count) if self.hit[c] else 0.0
                self.targeted[c] = self.targeted[h] * share

    def mark_hits(self, target: set[int]) -> list[bool]:
        """Whether some terminal history below passes the target, or the target lies above."""
        tree = self.tree
        below = [False] * tree.num_histories
        for h in range(tree.num_histories):
            below[h] = h in target or (h > 0 and below[tree.parent[h]])
        hit = list(below)
        for h in range(tree.num_histories - 1, 0, -1):
            if hit[h]:
                hit[tree.parent[h]] = True
        return hit

    def phi(self, c: int) -> float:
        tree, before = self.tree, self.tree.parent[c]
        if tree.player[before] == CHANCE:
            return float(tree.probability[c])
        n = tree.num_children[before]
        p = self.profile[
            tree.set_start[tree.information_set[before]] + c - tree.first_child[before]
        ]
        return float(EPSILON / n + (1 - EPSILON) * p) if tree.player[before] == self.i else float(p)


def target_histories(tree: GameTree, history: History, targeting: str) -> set[int]:
    """The histories targeted: the information set, or all with the same public observations."""
    own = tree.find_set(history.information_key)
    if targeting == "ist":
        return {int(h) for h in np.flatnonzero(tree.information_set == own)}
    return {int(h) for h in np.flatnonzero(tree.keys[:, -1] == np.uint64(history.public_key))}


@pytest.mark.slow
@pytest.mark.parametrize("targeting", ["ist", "pst"])
@pytest.mark.parametrize(
    ("spec", "delta", "baseline"),
    [
        ("Kuhn", 0.9, "off"),
        ("Kuhn", 0.5, "off"),
        ("coordination_game", 0.9, "off"),
        ("IIGS(3)", 0.9, "off"),
        ("Kuhn", 0.9, "history"),
        ("Kuhn", 0.9, "set"),
    ],
)
def test_counterfactual_regrets_stay_unbiased(
    spec: str, delta: float, baseline: str, targeting: str
) -> None:
    """From any information set, with scenarios drawn: the mean update, divided by w_T, is the exact
    counterfactual regret all over the game.
    """
    played = small(spec)
    tree, checked = unroll(played), 0
    for history in itertools.islice(decisions(played), 1, None, 7):
        search = searched(played, history, targeting, delta, 5_000, baseline)
        remember_everything(tree, search)
        profile = sigma_on(tree, search)
        plan = realisation_plan(tree, profile)
        for i in range(2):
            mean, error, hits = mean_update(search, i, 50_000, delta)
            values = counterfactual_values(tree, profile, i)
            for r in range(num_sets(search.table)):
                number, start = (
                    tree.find_set(int(search.table.keys[r])),
                    int(search.table.starts[r]),
                )
                own = slice(int(tree.set_start[number]), int(tree.set_start[number + 1]))
                n = own.stop - own.start
                if tree.set_player[number] == i:
                    updated = slice(start, start + n)
                    exact = values[own] - values[own] @ profile[own]
                else:
                    updated = slice(start + n, start + 2 * n)
                    exact = (
                        (profile[own] - GAMMA / n)
                        * plan[tree.set_parent[number]]
                        * chance_part(tree, number)
                    )
                often = (
                    hits[updated] >= 100
                )  # of what was hardly ever sampled the standard error is not known
                assert (np.abs(mean[updated] - exact) <= 6 * error[updated] + 1e-6)[often].all()
                checked += int(often.sum())
    assert checked > tree.num_sets


def remember_everything(tree: GameTree, search: OOS) -> None:
    """Add the few sets that are not in memory yet, so that there are no playouts."""
    known = {int(key) for key in search.table.keys[: num_sets(search.table)]}
    for number, key in enumerate(tree.set_key):
        if int(key) not in known:
            search.table.add(key, int(tree.set_start[number + 1] - tree.set_start[number]))
    assert num_sets(search.table) == tree.num_sets


# --- the weighting factor ---


@pytest.mark.slow
@pytest.mark.parametrize("targeting", ["ist", "pst"])
@pytest.mark.parametrize("spec", ["Kuhn", "Leduc", "IIGS(4)"])
def test_weighting_factor(spec: str, targeting: str) -> None:
    """w_T is the probability of reaching the information set with the targeting over that without,
    both by the mean strategy (no exploration).
    """
    played = small(spec)
    tree = unroll(played)
    checked = 0
    for history in itertools.islice(decisions(played), 2, None, 37):
        search = searched(played, history, targeting, 0.9, 5_000)
        mean, own = mean_profile_on(tree, search), tree.find_set(history.information_key)
        reckoning = Reckoning(tree, mean, target_histories(tree, history, targeting), i=-2)
        reached = np.flatnonzero(tree.information_set == own)
        within, without = reckoning.targeted[reached].sum(), reckoning.untargeted[reached].sum()
        if targeting == "ist":
            assert within == pytest.approx(1.0)
        expected = 0.1 + 0.9 * within / without if without > 0 else 1.0
        assert search._weighting == pytest.approx(expected, rel=1e-9)
        checked += 1
    assert checked > 0


def test_without_the_weighting_factor() -> None:
    """As in the thesis: samples weigh what they weigh."""
    played = small("coordination_game")
    history = next(h for h in all_histories(played) if h.player == 1)
    for weighting in (True, False):
        search = OOS(played, targeting="ist", delta=0.5, weighting=weighting, seed=1)
        search.start(1, 1)
        search.think(iterations=500)
        search.notice(events_of(history, 1))
        assert (search._weighting == 1.0) != weighting
        search.think(iterations=500)
        assert search.policy(2).sum() == pytest.approx(1.0)


def test_the_weighting_factor_of_a_sample_in_a_public_target() -> None:
    """Player 0 moves in secret, so that the public target is the whole game, however many of the
    six histories of player 1 are kept.
    """
    played = TreeGame(
        player=np.array([0, *[1] * 6, *[TERMINAL] * 6]),
        first_child=np.array([1, *range(7, 13), *[0] * 6]),
        num_children=np.array([6, *[1] * 6, *[0] * 6]),
        probability=np.ones(13),
        information_set=np.array([0, *[1] * 6, *[-1] * 6]),
        utilities=np.zeros((13, 2)),
        private_token=np.array([[1, 0], *[[0, 2]] * 6, *[[0, 0]] * 6]),
        public_token=np.zeros(13, np.int64),
    )
    for cap in (6, 3):
        search = OOS(played, targeting="pst", cap=cap)
        search.start(1, 0)
        search.notice(events_of(History(played).child(2), 1))
        assert search.belief.leaves.size == cap
        assert search._weighting == pytest.approx(1.0)


def test_the_papers_example_of_the_weighting_factor() -> None:
    """Section 3.3: reached by 1 in 1000 samples before, by half of them now, w_T = 500. Here by all
    targeted ones, of which there are half.
    """
    played = load_game("LD(1,1,6)")
    search = OOS(played, targeting="ist", delta=0.5, seed=1)
    history = History(played).child(2).child(3)
    search.start(0, 1)
    search.notice(events_of(history, 0))
    # nothing is in memory: the die is chance's, 1 in 6; (1 - delta) + delta * 1 / (1/6)
    assert search._weighting == pytest.approx(0.5 + 0.5 * 6)


# --- non-locality ---


def minimiser(delta: float, seed: int) -> Floats:
    """What the minimiser does in the coordination game after searching from the beginning, and then
    from its information set.
    """
    played = small("coordination_game")
    search = OOS(played, epsilon=0.4, gamma=0.01, targeting="ist", delta=delta, seed=seed)
    search.start(1, seed)
    (history,) = [h for h in decisions(played) if h.player == 1]
    search.notice(events_of(history, 1))
    search.think(iterations=300_000)
    return search.policy(2)


@pytest.mark.slow
def test_targeting_alone_converges_to_something_else() -> None:
    """Section 2.2: the minimiser plays (1/3, 2/3). Section 3.1: with delta = 1 the left branch is
    never sampled, and the minimiser comes to believe in (1/2, 1/2).
    """
    for delta, expected in ((0.9, [1 / 3, 2 / 3]), (1.0, [1 / 2, 1 / 2])):
        found = np.mean([minimiser(delta, seed) for seed in range(2)], axis=0)
        np.testing.assert_allclose(found, expected, atol=0.04)


# --- a match ---


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "iterations", "targeting"), [("IIGS(4)", 40_000, "pst"), ("LD(1,1,3)", 20_000, "ist")]
)
def test_searching_through_a_match_still_converges(
    spec: str, iterations: int, targeting: str
) -> None:
    """The whole strategy, not only what the match passed, stays near an equilibrium when most
    samples are targeted.
    """
    played = small(spec)
    tree = unroll(played)
    gaps = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        search = OOS(played, epsilon=0.5, targeting=targeting, delta=0.5)
        search.start(0, seed)
        search.think(iterations=iterations)
        history, pending = History(played), []
        while not history.is_terminal:
            if history.player == 0:
                search.notice(pending)
                pending = []
                search.think(iterations=iterations)
                probabilities = search.policy(len(history.legal_actions()))
                assert probabilities.sum() == pytest.approx(1.0)
            outcomes = history.legal_actions()
            history = history.child(int(rng.choice(outcomes)))
            event = history.noticed(0)
            if event is not None:
                pending.append(event)
        gaps.append(nash_conv(tree, search.strategy().on(tree)))
    assert np.mean(gaps) < 0.15 * nash_conv(tree, uniform_profile(tree))
