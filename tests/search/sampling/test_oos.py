"""Online Outcome Sampling from the root: against its slow twin, against exact values, and against
itself.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from naive.mean_updates import chance_part, mean_update, sigma_on
from naive.oos import NaiveBaselineOOS, NaiveOOS
from naive.small_games import bushy, small
from naive.tables import rows
from naive.xoshiro import Xoshiro

from hiddenhand.games.base import TERMINAL, Game
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.registry import load_game
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.infoset_table import num_sets
from hiddenhand.jit.random import new_state
from hiddenhand.search.first_decision import root_strategy
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.trees.profile import realisation_plan
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

Floats = npt.NDArray[np.float64]


def game(spec: str) -> Game:
    return as_sequential(load_game(spec))


def assert_same(one: OOS, other: OOS) -> None:
    """The same to the last bit."""
    assert rows(one.table) == rows(other.table)
    assert one.result().iterations == other.result().iterations
    assert one._rng.tolist() == other._rng.tolist()


# --- the slow twin ---


WRITTEN = ("Kuhn", "coordination_game", "Leduc", "IIGS(4)", "LD(1,1,3)", "BRPS(10)")


@pytest.mark.parametrize(("load", "spec"), [*((small, spec) for spec in WRITTEN), (game, "Leduc")])
def test_agrees_with_algorithm_1_word_for_word(load: Callable[[str], Game], spec: str) -> None:
    played = load(spec)
    search = OOS(played, epsilon=0.5, gamma=0.02, seed=7)
    twin = NaiveOOS(played, 0.5, 0.02, Xoshiro(new_state(7).tolist()))
    search.run(iterations=150)
    for _ in range(150):
        twin.iterate()
    compiled = rows(search.table)
    assert compiled.keys() == twin.regret.keys()
    for key, row in compiled.items():
        np.testing.assert_allclose(row, twin.regret[key] + twin.mean[key], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("baseline", ["set", "history", "predictive"])
@pytest.mark.parametrize("spec", ["Kuhn", "IIGS(3)", "Leduc"])
def test_baselines_agree_with_the_slow_twin(spec: str, baseline: str) -> None:
    played = small(spec)
    search = OOS(played, epsilon=0.5, gamma=0.02, seed=7, baseline=baseline)
    rng = Xoshiro(new_state(7).tolist())
    twin = NaiveBaselineOOS(played, 0.5, 0.02, rng, kind=baseline)
    search.run(iterations=400)
    for _ in range(400):
        twin.iterate()
    compiled = rows(search.table)
    assert compiled.keys() == twin.regret.keys()
    for key, row in compiled.items():
        np.testing.assert_allclose(row, twin.regret[key] + twin.mean[key], rtol=1e-9, atol=1e-9)


# --- exactness: the sampled counterfactual regrets are unbiased, playouts and chance included ---


@pytest.mark.parametrize(
    ("spec", "warm_up", "baseline"),
    [
        ("Kuhn", 200, "off"),
        ("Leduc", 40, "off"),
        ("IIGS(3)", 15, "off"),
        ("Kuhn", 200, "history"),
        ("IIGS(3)", 15, "set"),
        ("IIGS(3)", 15, "predictive"),
    ],
)
def test_sampled_counterfactual_regrets_are_unbiased(
    spec: str, warm_up: int, baseline: str
) -> None:
    """The mean update of many traversals from one and the same table is the exact counterfactual
    regret of sigma.

    After a short warm-up much of the game is not in memory yet. From where a path leaves memory,
    uniform play is what the playouts estimate, also in sets that other paths reach within memory. A
    baseline changes none of that, whatever it has learnt. Looked at are the information sets to
    which all paths lead through memory: others are updated only by the traversals that come that
    way.
    """
    played = small(spec)
    tree = unroll(played)
    search = OOS(played, epsilon=0.6, gamma=0.05, seed=3, baseline=baseline)
    search.run(iterations=warm_up)
    if not search.table.has_room(2, played.max_actions):
        search._iterate(1)
    known, layout, profile = num_sets(search.table), search.table.starts, sigma_on(tree, search)
    plan = realisation_plan(tree, profile)
    remembered = {tree.find_set(int(key)) for key in search.table.keys[:known]}
    checked = 0
    for i in range(2):
        mean, error, _ = mean_update(search, i, 100_000)
        exact = regrets(tree, profile, remembered, i)
        for r in range(known):
            number = tree.find_set(int(search.table.keys[r]))
            if not always_reached_in_memory(tree, number, remembered):
                continue
            start, n = tree.set_start[number], tree.set_start[number + 1] - tree.set_start[number]
            for a in range(n):
                regret, weight = layout[r] + a, layout[r] + n + a
                if tree.set_player[number] == i:
                    assert abs(mean[regret] - exact[start + a]) <= 5 * error[regret] + 1e-9
                    assert mean[weight] == 0.0
                else:
                    # the mean strategy is weighed by the own reach, times a constant of the set:
                    # chance's part in it
                    share = (
                        (profile[start + a] - 0.05 / n)
                        * plan[tree.set_parent[number]]
                        * chance_part(tree, number)
                    )
                    assert abs(mean[weight] - share) <= 5 * error[weight] + 1e-9
                    assert mean[regret] == 0.0
                checked += 1
    assert checked >= 4


def regrets(tree: GameTree, profile: Floats, remembered: set[int], player: int) -> Floats:
    """The exact counterfactual regret of each sequence when play is uniform from where a path
    leaves memory. By histories, slow and obvious.
    """
    in_memory, move, others = (
        np.ones(tree.num_histories, bool),
        tree.probability.copy(),
        np.ones(tree.num_histories),
    )
    for h in range(1, tree.num_histories):
        before = tree.parent[h]
        in_memory[h] = in_memory[before]
        if tree.player[before] >= 0:
            number = int(tree.information_set[before])
            in_memory[h] &= number in remembered
            move[h] = (
                profile[tree.set_start[number] + h - tree.first_child[before]]
                if in_memory[h]
                else 1.0 / tree.num_children[before]
            )
        others[h] = others[before] * (move[h] if tree.player[before] != player else 1.0)
    value = np.zeros(tree.num_histories)
    value[tree.terminal] = tree.utility[:, player]
    for h in range(tree.num_histories - 1, 0, -1):
        value[tree.parent[h]] += move[h] * value[h]
    regret = np.zeros(tree.num_sequences)
    for h in np.flatnonzero(tree.player == player):
        for a in range(tree.num_children[h]):
            sequence = tree.set_start[tree.information_set[h]] + a
            regret[sequence] += others[h] * (value[tree.first_child[h] + a] - value[h])
    return regret


def always_reached_in_memory(tree: GameTree, information_set: int, remembered: set[int]) -> bool:
    for h in np.flatnonzero(tree.information_set == information_set):
        at = int(h)
        while at > 0:
            at = int(tree.parent[at])
            if tree.player[at] >= 0 and int(tree.information_set[at]) not in remembered:
                return False
    return True


# --- convergence ---


def test_samples_are_counted_where_that_is_wanted() -> None:
    """Kuhn poker: each traversal for the second player adds to the mean strategy of one first set
    of the first player. All else is as without.
    """
    searches = [OOS(small("Kuhn"), baseline="set", seed=2) for _ in range(2)]
    counting, plain = searches
    counting.count_samples()
    for search in searches:
        search.start(0, 2)
        search.run(iterations=700)
    found, without = counting.weights(), plain.weights()
    assert without.visits is None
    assert found.visits is not None
    assert (found.keys.tolist(), found.values.tolist()) == (
        without.keys.tolist(),
        without.values.tolist(),
    )
    first = {
        h.information_key
        for h in all_histories(counting.game)
        if h.player == 0 and len(h.moves) == 2
    }
    assert (
        sum(
            visits
            for key, visits in zip(found.keys.tolist(), found.visits, strict=True)
            if key in first
        )
        == 700
    )
    assert (found.visits[found.mass > 0] >= 1).all()


# --- budgets, seeds, pieces ---


class Interrupting:
    """Progress that a user breaks off at the third report."""

    def __init__(self) -> None:
        self.reports = 0

    def update(self, report: Any) -> None:
        self.reports += 1
        if self.reports == 3:
            raise KeyboardInterrupt


def test_an_interrupted_search_goes_on_as_if_nothing_had_happened() -> None:
    whole, broken = (OOS(small("Leduc"), seed=2) for _ in range(2))
    with pytest.raises(KeyboardInterrupt):
        broken.run(iterations=50_000, progress=Interrupting())
    done = broken.result().iterations
    assert 0 < done < 50_000
    broken.run(iterations=50_000 - done)
    whole.run(iterations=50_000)
    assert_same(whole, broken)


# --- memory ---


@pytest.mark.parametrize("make", [lambda: small("IIGS(5)"), bushy], ids=["IIGS(5)", "bushy"])
def test_bytes_per_information_set(make: Callable[[], Game]) -> None:
    """At most 150 bytes for each set besides 16 for each action, also right after the table has
    grown.
    """
    search = OOS(make(), seed=1)
    for _ in range(30):
        result = search.run(iterations=2_000)
        actions = int(search.table.counts[1]) // 2
        if result.information_sets > 2_000:
            assert result.bytes <= 150 * result.information_sets + 16 * actions


# --- the strategy at the root ---


def test_root_strategy_of_poker_has_an_entry_for_each_card() -> None:
    search = OOS(game("Kuhn"), seed=1)
    search.run(iterations=100_000)
    first = root_strategy(search.game, search.strategy())
    assert [decision.information for decision in first] == [
        f"your card: {card}; moves: none" for card in "JQK"
    ]
    assert all(decision.known and decision.player == 0 for decision in first)
    # Kuhn (1950): the queen never bets first, the king three times as often as the jack
    jack, queen, king = (decision.probabilities["bet"] for decision in first)
    assert queen < 0.02
    assert king == pytest.approx(3 * jack, abs=0.1)


def test_root_strategy_is_uniform_where_nothing_is_known() -> None:
    search = OOS(game("Kuhn"), seed=1)
    (entry, *_) = root_strategy(search.game, search.strategy())
    assert not entry.known
    assert entry.probabilities == {"check": 0.5, "bet": 0.5}


# --- long games ---


@dataclass(frozen=True)
class Counting(Game):
    """Two players name digits in turns, so many that a play is less likely than the smallest float.
    The last digit decides.

    State: how many digits were named, and the last one.
    """

    digits: int = 400

    state_size, max_actions, max_utility = 2, 10, 1.0
    max_depth = property(lambda self: self.digits)

    def initial_state(self, state: Any) -> None:
        state[:] = 0

    def current_player(self, state: Any) -> int:
        return TERMINAL if state[0] == self.digits else state[0] % 2

    def legal_actions(self, state: Any, player: int, actions: Any) -> int:
        for action in range(10):
            actions[action] = action
        return 10

    def apply_action(self, state: Any, action: int, observations: Any) -> None:
        state[0], state[1] = state[0] + 1, action
        observations[2] = 1 + action

    def returns(self, state: Any, player: int) -> float:
        even = 1.0 if state[1] % 2 == 0 else -1.0
        return even if player == 0 else -even

    def render(self, state: Any, player: int) -> str:
        return f"{state[0]} digits; the last is {state[1]}"


@pytest.mark.parametrize("baseline", ["off", "history"])
def test_plays_that_are_less_likely_than_any_float_are_weighed_right(baseline: str) -> None:
    """The first sample for player 0 goes through the root alone, by uniform play: a regret of
    10 u (1 - 1/10) for the action that was taken, and -u for the nine others, with u = 1 or -1.
    """
    search = OOS(Counting(), epsilon=0.6, gamma=0.0, baseline=baseline, seed=2)
    root = History(search.game).information_key
    search.run(iterations=1)
    regrets = np.array(rows(search.table)[root][:10])
    assert sorted(np.abs(regrets)) == pytest.approx([1.0] * 9 + [9.0])
    search.run(iterations=300)
    assert np.isfinite(np.concatenate(list(rows(search.table).values()))).all()
