"""Information-set MCTS and PIMC: against a slow twin, at the root as the papers found, and in
matches.
"""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from naive.bandits import Bandit
from naive.ismcts import NaiveISMCTS
from naive.noticing import events_of
from naive.small_games import small
from naive.tables import rows
from naive.xoshiro import Xoshiro

from hiddenhand.games.base import Game
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.registry import load_game
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.random import new_state
from hiddenhand.jit.sampling import match_exponentials
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.search.sampling.pimc import PIMC
from hiddenhand.search.sampling.tree_search import Starts
from hiddenhand.search.selection.selectors import SELECTORS, Selector, make_selector
from hiddenhand.trees.blueprint import About, SetBlueprint, write_set_blueprint
from hiddenhand.trees.strategy import Weights


def game(spec: str) -> Game:
    return as_sequential(load_game(spec))


@pytest.mark.parametrize("selector", ["uct", "rm"])
@pytest.mark.parametrize("spec", ["Leduc", "IIGS(4)"])
def test_agrees_with_the_figure_word_for_word(spec: str, selector: str) -> None:
    played = small(spec)
    search = ISMCTS(played, selector, seed=7)
    twin = NaiveISMCTS(played, selector, Xoshiro(search._rng.tolist()))
    search.think(iterations=200)
    for _ in range(200):
        twin.iterate()
    compiled = rows(search.table)
    assert compiled.keys() == twin.rows.keys()
    for key, row in compiled.items():
        np.testing.assert_allclose(row, twin.rows[key][0] + twin.rows[key][1], rtol=1e-9, atol=1e-9)


# --- selection rules ---


@pytest.mark.parametrize("selector", ["exp3", "exp3p", "rm"])
def test_a_game_that_pays_nothing_can_be_searched_and_kept(selector: str, tmp_path: Path) -> None:
    kuhn = small("Kuhn")
    search = ISMCTS(replace(kuhn, utilities=0.0 * kuhn.utilities), selector, seed=1)
    search.think(iterations=50)
    search.save(tmp_path / "search")
    assert np.isfinite(search.table.values).all()


def test_exponential_weights_are_those_of_the_equation() -> None:
    """The n exponentials give what the n^2 of Eq. 2.4 give, also for gains far apart."""
    draw = np.random.default_rng(1)
    for spread in (0.0, 1.0, 30.0, 200.0):
        gains, sigma = spread * draw.standard_normal(51), np.zeros(51)
        match_exponentials(gains, 0, 51, 0.5, 0.2, sigma)
        of_equation = 1.0 / np.exp(0.5 * (gains[None, :] - gains[:, None])).sum(axis=1)
        np.testing.assert_allclose(sigma, 0.8 * of_equation + 0.2 / 51, rtol=1e-12)


def test_exponential_weights_are_stable() -> None:
    """Eq. 2.4 agrees with the plain softmax where that can be computed, and is a distribution where
    it cannot.
    """
    sigma = np.zeros(4)
    gains = np.array([3.0, -1.0, 2.0, 0.5])
    match_exponentials(gains, 0, 4, 0.3, 0.1, sigma)
    np.testing.assert_allclose(sigma, 0.9 * np.exp(0.3 * gains) / np.exp(0.3 * gains).sum() + 0.025)
    match_exponentials(np.array([1e9, -1e9, 0.0, 1e9]), 0, 4, 1.0, 0.1, sigma)
    np.testing.assert_allclose(sigma, [0.475, 0.025, 0.025, 0.475])


@pytest.mark.parametrize("name", SELECTORS)
def test_the_best_arm_is_found(name: str) -> None:
    """Payoffs that never change: most rounds go to the best arm, and so does the strategy."""
    bandit = Bandit(make_selector(name, game("BRPS(1)")), 3, seed=1)
    rounds = bandit.play(np.tile([0.0, 0.6, 1.0], (20_000, 1)))
    assert np.mean(rounds.chosen == 2) > 0.6
    assert bandit.strategy[2] > 0.8


@pytest.mark.parametrize(("name", "random"), [("uct", False), ("ruct", True)])
def test_ties(name: str, random: bool) -> None:
    """Where all arms pay alike, UCT goes round robin beginning with the first; RUCT takes any."""
    selector = make_selector(name, game("Kuhn"))
    values = np.array([5.0, 5.0, 5.0, 1.0, 1.0, 1.0])
    first = {choice(selector, values, seed) for seed in range(40)}
    assert first == ({0, 1, 2} if random else {0})


@pytest.mark.parametrize(
    ("tolerance", "chosen"), [(0.0, {1}), (0.05, {0, 1}), (None, {1}), (1.0, {0, 1, 2})]
)
def test_ties_within_a_tolerance(tolerance: float | None, chosen: set[int]) -> None:
    """Means of 0.12, 0.2 and -1, with equal visits, so with equal exploration; Kuhn poker pays 2 at
    most, which is the unit.
    """
    selector = make_selector("ruct", game("Kuhn"), tie_tolerance=tolerance)
    values = np.array([10.0, 10.0, 10.0, 1.2, 2.0, -10.0])
    assert {choice(selector, values, seed) for seed in range(60)} == chosen


def test_ties_are_as_likely() -> None:
    """Whatever the order of the bounds."""
    selector = make_selector("ruct", game("Kuhn"), tie_tolerance=0.05)
    values = np.array([10.0, 10.0, 10.0, 1.2, 2.0, 1.6])
    counts = np.bincount([choice(selector, values, seed) for seed in range(900)])
    np.testing.assert_allclose(counts, 300, atol=75)  # five standard deviations


def choice(selector: Selector, values: Floats, seed: int) -> int:
    """Which of three actions is tried where ``values`` have been learnt."""
    bandit = Bandit(selector, 3, seed)
    bandit._values[:] = values
    return bandit.choose()


# --- starts ---


@kernel
def _draw_starts(starts, counters, rng, repeats):  # type: ignore[no-untyped-def]
    counts = np.zeros(starts.cumulative.size)
    for _ in range(repeats):
        counts[starts.next(counters, rng)] += 1
    return counts


def test_starts_are_drawn_in_proportion() -> None:
    p = np.array([0.1, 0.0, 0.6, 0.3])
    starts = Starts(np.zeros((4, 1), np.int64), np.zeros((4, 1), np.uint64), np.cumsum(p), 0)
    counts = _draw_starts(starts, np.zeros(8, np.int64), new_state(1), 100_000)
    assert counts[1] == 0
    np.testing.assert_allclose(counts / 100_000, p, atol=0.01)


def test_starts_with_the_repetitions_of_the_thesis() -> None:
    """A uniform history for 1 + K p iterations: shares proportional to 1 + floor(K p)."""
    p = np.array([0.1, 0.0, 0.6, 0.3])
    starts = Starts(np.zeros((4, 1), np.int64), np.zeros((4, 1), np.uint64), np.cumsum(p), 100)
    counts = _draw_starts(starts, np.zeros(8, np.int64), new_state(1), 400_000)
    expected = np.array([1 + math.floor(100 * x + 1e-9) for x in p], float)
    np.testing.assert_allclose(counts / 400_000, expected / expected.sum(), atol=0.03)


# --- matches ---


def test_a_search_from_an_information_set_starts_in_it() -> None:
    """All iterations start from the consistent histories: what was noticed cannot be contradicted
    by what is learnt.
    """
    played = small("Leduc")
    history = next(h for h in all_histories(played) if h.player == 1 and len(h.moves) == 3)
    search = ISMCTS(played, "uct")
    search.start(1, 1)
    search.notice(events_of(history, 1))
    search.think(iterations=500)
    policy = search.policy(len(history.legal_actions()))
    assert policy.max() == 1.0
    assert search.thought()["iterations"] == 500
    assert history.information_key in rows(search.table)
    earlier = {
        h.information_key for h in all_histories(played) if h.player >= 0 and len(h.moves) < 3
    }
    assert not earlier & rows(search.table).keys()


@pytest.mark.parametrize(
    ("selector", "move", "policy"),
    [
        ("uct", None, [0.0, 1.0, 0.0]),
        ("uct", "sampled", [0.3, 0.5, 0.2]),
        ("uct", "most_visited", [0.0, 1.0, 0.0]),
        ("rm", None, [0.3, 0.5, 0.2]),
        ("rm", "most_visited", [0.0, 1.0, 0.0]),
    ],
)
def test_moves(selector: str, move: str | None, policy: list[float]) -> None:
    """By the most visited action, or by visit frequencies; for rules that mix, by their mean
    strategy.
    """
    search = ISMCTS(small("BRPS(10)"), selector, move=move, seed=1)
    search.notice([])
    search.think(iterations=2)
    row = int(search.table.find(np.uint64(search.belief.information_key)))
    first = row + search.selector.STRATEGY * 3
    search.table.values[first : first + 3] = [3.0, 5.0, 2.0]
    assert search.policy(3).tolist() == policy


def test_a_blueprint_says_what_the_others_hold(tmp_path: Path) -> None:
    """Player 0 bets only with the king, so player 1 knows the card after a bet."""
    game = load_game("Kuhn")
    keys, values = list[int](), list[float]()
    for card in range(3):
        keys.append(History(game).child(card).child((card + 1) % 3).information_key)
        values += [0.0, 1.0] if card == 2 else [1.0, 0.0]
    weights = Weights(np.array(keys, np.uint64), np.array([0, 2, 4, 6]), np.array(values))
    often = replace(weights, visits=np.full(3, 1e6))
    write_set_blueprint(tmp_path / "b", About.of(game, "by hand", 1, 1.0), often)
    search = ISMCTS(game, seed=1)
    search.blueprint = SetBlueprint.load(tmp_path / "b", game)
    for move, card in ((1, 2), (0, 0)):  # a bet, a pass
        search.start(1, 1)
        search.notice(events_of(History(game).child(card).child(1).child(move), 1))
        chances = np.diff(search._starts.cumulative, prepend=0)
        likely = search.belief.moves_to(int(chances.argmax()))
        assert chances.max() == 1.0
        assert likely[0] == card


def test_modelled_beliefs_weigh_the_starts() -> None:
    played = small("Leduc")
    history = next(h for h in all_histories(played) if h.player == 0 and len(h.moves) == 4)
    uniform, modelled = (
        ISMCTS(played, "rm", belief=belief, seed=1) for belief in ("uniform", "modelled")
    )
    for search in (uniform, modelled):
        search.start(0, 1)
        search.think(iterations=50_000)
        search.notice(events_of(history, 0))
    np.testing.assert_allclose(
        np.diff(uniform._starts.cumulative, prepend=0), 1 / uniform.belief.leaves.size
    )
    np.testing.assert_allclose(
        np.diff(modelled._starts.cumulative, prepend=0), modelled.belief.modelled(modelled.table, 1)
    )


def test_pimc_plays_the_certain_win() -> None:
    """With perfect information about a dominant action there is nothing to get wrong."""
    search = PIMC(small("matrix_game([[1,1],[0,0]])"), simulations=50)
    search.start(0, 1)
    search.notice([])
    search.think(iterations=500)
    np.testing.assert_array_equal(search.policy(2), [1.0, 0.0])
    assert search.thought()["determinisations"] == 10


def test_strategy_fusion() -> None:
    """The weakness that PIMC is known for: in rock-paper-scissors it believes that it will see the
    other's hand, so all actions look alike to it.
    """
    search = PIMC(small("biased_rps(1)"), simulations=5_000)
    search.start(0, 1)
    search.notice([])
    search.think(iterations=50_000)
    (sums,) = search._sums.values()
    assert np.ptp(sums) < 0.1 * 10  # every action loses to an opponent who sees it
    assert sums.max() < 0
