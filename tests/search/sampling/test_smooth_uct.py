"""Extensive-form UCT and Smooth UCT: against a slow twin bit by bit, and beside each other as in
the experiments of Heinrich and Silver (2015).
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from naive.self_play import NaiveSelfPlay
from naive.small_games import ThreeHands, small
from naive.tables import rows
from naive.xoshiro import Xoshiro

from hiddenhand.errors import FileError
from hiddenhand.games.base import State
from hiddenhand.games.history import History
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.registry import load_game
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.jit.random import new_state
from hiddenhand.players.registry import make_player
from hiddenhand.search.sampling.smooth_uct import EFUCT, SmoothUCT
from hiddenhand.search.selection.smooth_ucb import SmoothUCB
from hiddenhand.trees.kuhn_equilibria import squared_error
from hiddenhand.trees.strategy import greedy_values
from hiddenhand.trees.strategy_files import load_strategy
from hiddenhand.trees.unroll import unroll

SEARCHES = [EFUCT, SmoothUCT]


# --- the algorithm ---


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("name", ["Kuhn", "Leduc", "IIGS(3)", "three hands"])
def test_agrees_with_the_algorithm_word_for_word(search: type[EFUCT], name: str) -> None:
    """Bit by bit, with constants that make every branch matter."""
    game = TreeGame.from_game(ThreeHands()) if name == "three hands" else small(name)
    is_smooth = search is SmoothUCT
    given = {"gamma": 0.3, "eta": 0.8, "decay": 0.2} if is_smooth else {}
    running = search(game, exploration=1.5, seed=7, **given)
    smooth = (0.3, 0.8, 0.2) if is_smooth else None
    twin = NaiveSelfPlay(game, Xoshiro(running._rng.tolist()), 1.5, smooth)
    running.think(iterations=400)
    for _ in range(400):
        twin.episode()
    nodes = {u: visits + sums for tree in twin.trees for u, (visits, sums) in tree.items()}
    assert rows(running.table) == nodes
    assert sum(map(len, twin.trees)) == len(nodes)  # trees of different players do not meet


def test_the_ends_of_the_schedule_are_the_average_strategy_and_ucb() -> None:
    """Eq. 2, by the rule alone: always the average, always UCB, and half of each."""
    values = np.array([300.0, 100.0, 0.0, 0.0])  # visits, and sums of payoffs that are all 0
    shares = []
    for eta in (0.0, 1.0, 0.5):
        rule = SmoothUCB(1.0, gamma=0.0, eta=eta, decay=0.0)
        rng, sigma = new_state(1), np.zeros(2)
        chosen = [rule.select(values, 0, 2, sigma, rng) for _ in range(2000)]
        shares.append(np.mean(chosen))
    assert shares == pytest.approx([0.25, 1.0, 0.625], abs=0.04)


@dataclass(frozen=True)
class PottedKuhn(KuhnPoker):
    """Kuhn poker that tells its pot: 2 at first, and 2 may be added."""

    def exploration_bound(self, state: State, share: float) -> float:
        return 2.0 + share * 2.0


def test_exploration_follows_the_betting() -> None:
    """Eq. 3: the pot of 2 and half of what may be added are 3, unless C is less."""
    for most, c in ((10.0, 3.0), (1.0, 1.0)):
        bounded = SmoothUCT(PottedKuhn(), exploration=most, potential=0.5, seed=3)
        constant = SmoothUCT(small("Kuhn"), exploration=c, seed=3)
        for search in (bounded, constant):
            search.think(iterations=500)
        assert sorted(rows(bounded.table).values()) == sorted(rows(constant.table).values())


@pytest.mark.parametrize("search", SEARCHES)
def test_exploration_is_a_share_of_the_largest_payoff_unless_it_is_given(
    search: type[EFUCT],
) -> None:
    assert search(small("Leduc")).settings.exploration == 1.25 * 13
    assert search(small("Leduc"), exploration=18).settings.exploration == 18.0


# --- what is found ---


def test_the_greedy_strategy_takes_the_best_mean(tmp_path: Path) -> None:
    """In a strategy, in a file, and in a match."""
    search = SmoothUCT(small("Kuhn"), strategy="greedy", seed=2)
    search.think(iterations=300)
    found = search.strategy()
    for key, row in rows(search.table).items():
        visits, sums = np.reshape(row, (2, -1))
        played = found.at(key)
        assert played is not None
        assert played.tolist() == (np.arange(2) == np.argmax(sums / visits)).tolist()
    weights = search.weights()
    assert weights.visits is not None
    assert weights.visits.sum() == sum(sum(row[:2]) for row in rows(search.table).values())
    search.save(tmp_path / "search")
    assert load_strategy(tmp_path / "search") == found
    resumed = SmoothUCT.load(tmp_path / "search", small("Kuhn"))
    assert resumed.settings.strategy == "greedy"
    history = History(small("Kuhn"))
    events = []
    while history.player != 0:
        history = history.child(0)
        events.append(history.noticed(0))
    search.notice([event for event in events if event is not None])
    expected = found.at(history.information_key)
    assert expected is not None
    assert search.policy(2).tolist() == expected.tolist()
    average = SmoothUCT(small("Kuhn"), seed=2)
    average.think(iterations=300)
    assert rows(average.table) == rows(search.table)
    assert average.strategy() != found
    average.save(tmp_path / "average")
    assert load_strategy(tmp_path / "average") == average.strategy()
    assert load_strategy(tmp_path / "average", greedy=True) == found
    player = make_player(small("Kuhn"), f"greedy({tmp_path / 'average'})")
    assert player.strategy == found  # type: ignore[attr-defined]
    average.strategy().save(tmp_path / "strategy")
    with pytest.raises(FileError, match="does not tell the mean payoffs of actions"):
        load_strategy(tmp_path / "strategy", greedy=True)


def test_actions_without_visits_are_no_greedy_ones() -> None:
    visits, sums = np.array([2.0, 0.0, 1.0, 1.0, 1.0]), np.array([-4.0, 0.0, 2.0, 5.0, 5.0])
    values = greedy_values(visits, sums, np.array([0, 2, 5]))
    assert values.tolist() == [2.0, 0.0, 0.0, 3.0, 0.0]  # of equally good ones the first
    assert greedy_values(np.zeros(0), np.zeros(0), np.array([0])).size == 0


def errors(search: type[EFUCT], iterations: tuple[int, ...], seed: int, c: float) -> list[float]:
    """The squared errors in Kuhn poker after so many iterations."""
    kuhn, written = unroll(load_game("Kuhn")), unroll(small("Kuhn"))  # sets in the same order
    running, found = search(small("Kuhn"), exploration=c, seed=seed), []
    for count in iterations:
        running.think(iterations=count - running.result().iterations)
        found.append(squared_error(kuhn, running.strategy().on(written)))
    return found


def test_in_kuhn_poker_smooth_uct_comes_close_to_an_equilibrium_and_uct_does_not() -> None:
    """Fig. 1, with the constants of Section 4.1; the means of three seeds."""
    counts = (10_000, 50_000, 300_000)
    smooth, uct = (
        np.mean([errors(search, counts, seed, c) for seed in range(3)], axis=0)
        for search, c in ((SmoothUCT, 1.75), (EFUCT, 2.0))
    )
    assert (smooth[1:] < smooth[:-1] / 4).all()
    assert smooth[-1] < 1e-4
    assert uct[-1] > 4 * smooth[-1]
    assert uct[-1] > uct[-2] / 4
