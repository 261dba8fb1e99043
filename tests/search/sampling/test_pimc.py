"""EPIMC: PIMC whose players see everything only from a later decision on."""

from dataclasses import dataclass

import numpy as np
import pytest
from naive.rarely_broken import FAULTS, RarelyBroken

from hiddenhand.budget import Budget
from hiddenhand.errors import HiddenhandError
from hiddenhand.games.base import CHANCE, TERMINAL, Game, Integers, Probabilities, State
from hiddenhand.games.history import History
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.progress import Report
from hiddenhand.search.sampling.mmd import MMD
from hiddenhand.search.sampling.pimc import PIMC


@dataclass(frozen=True)
class Coin(Game):
    """Strategy fusion in its smallest form (Frank and Basin 1998): a coin falls unseen, and player
    0 takes 0.5 for certain, or guesses; a right guess earns 1, a wrong one costs 1.

    Observations (public): 1 for the coin, 2 for the wish to guess.
    """

    state_size, max_actions, max_chance_outcomes, max_depth, max_utility = 3, 2, 2, 3, 1.0

    def initial_state(self, state: State) -> None:
        state[:] = 0

    def current_player(self, state: State) -> int:
        if state[0] == 0:
            return CHANCE
        return TERMINAL if state[1] == 1 or state[2] > 0 else 0

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        actions[0], actions[1] = 0, 1
        return 2

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        actions[0], actions[1] = 0, 1
        probabilities[0] = probabilities[1] = 0.5
        return 2

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        if state[0] == 0:
            state[0] = 1 + action
            observations[2] = 1
        elif state[1] == 0:
            state[1] = 1 + action
            observations[2] = 2
        else:
            state[2] = 1 + action

    def returns(self, state: State, player: int) -> float:
        gain = 0.5 if state[1] == 1 else 1.0 if state[2] == state[0] else -1.0
        return gain if player == 0 else -gain

    def render(self, state: State, player: int) -> str:
        return str(state[1:])


def choice(game: Game, depth: int, simulations: int = 60, seed: int = 1) -> list[float]:
    """What is played at the first decision after the coin."""
    search = PIMC(game, simulations=simulations, depth=depth, seed=seed)
    event = History(game).child(0).noticed(0)
    assert event is not None
    search.notice([event])
    search.think(iterations=40 * simulations)
    assert search.thought()["iterations"] == 40 * simulations
    return list(search.policy(2))


def test_who_sees_the_coin_too_early_guesses() -> None:
    coin = TreeGame.from_game(Coin())
    assert choice(coin, 1) == [0, 1]
    assert choice(coin, 2) == choice(coin, 5) == [1, 0]


def decisions(after_0: list[float], after_1: list[float]) -> TreeGame:
    """Player 0 chooses, then player 1; what player 0 is paid for it by choices of both."""
    paid = np.array([*after_0, *after_1])
    first = np.array([1, 3, 3 + len(after_0), *np.zeros(paid.size)], np.int64)
    count = np.array([2, len(after_0), len(after_1), *np.zeros(paid.size)], np.int64)
    utilities = np.concatenate([np.zeros(3), paid])
    return TreeGame(
        player=np.array([0, 1, 1, *np.full(paid.size, TERMINAL)]),
        first_child=first,
        num_children=count,
        probability=np.ones(first.size),
        information_set=np.array([0, 1, 2, *np.full(paid.size, -1)]),
        utilities=np.stack([utilities, -utilities], axis=1),
    )


def test_simulations_that_are_left_over_do_not_decide() -> None:
    """Two more than a determinisation takes: a second one would try each action once."""
    game = decisions([0.2], [-1.0, 1.0])
    for seed in range(8):
        search = PIMC(game, simulations=40, seed=seed)
        search.think(iterations=42)
        assert list(search.policy(2)) == [1, 0]
        assert search.thought()["iterations"] == 42
        assert search.thought()["determinisations"] == 2


def test_an_action_never_tried_is_worth_what_others_are() -> None:
    """Five simulations for each decision of player 1, who has ten actions after the first one."""
    search = PIMC(decisions([-0.5] * 10, [-0.4, 1.0]), simulations=10, depth=2)
    search.think(iterations=1000)
    assert list(search.policy(2)) == [0, 1]


@pytest.mark.parametrize("search", [PIMC, MMD])
def test_a_budget_stands_for_a_number_of_iterations(search: type[PIMC | MMD]) -> None:
    reports = list[Report]()

    class Listening:
        def update(self, report: Report) -> None:
            reports.append(report)

    searching = search(decisions([-0.5], [-0.4, 1.0]))
    searching.think(Budget(30), progress=Listening())  # type: ignore[arg-type]
    assert searching.thought()["iterations"] == reports[-1].done == reports[-1].total == 30


class Interrupting:
    """Ctrl-C after the third determinisation."""

    heard = 0

    def update(self, report: Report) -> None:
        self.heard += 1
        if self.heard == 3:
            raise KeyboardInterrupt


@pytest.mark.parametrize("depth", [1, 2])
def test_a_search_that_is_interrupted_keeps_what_it_found(depth: int) -> None:
    search = PIMC(decisions([-0.5], [-0.4, 1.0]), simulations=100, depth=depth)
    with pytest.raises(KeyboardInterrupt):
        search.think(iterations=1000, progress=Interrupting())
    assert list(search.policy(2)) == [0, 1]
    assert search.weights().keys.size == 1


def test_what_breaks_a_law_below_is_told_with_the_way_there() -> None:
    game = RarelyBroken(FAULTS.index("too deep"))
    search = PIMC(game, depth=2)
    with pytest.raises(
        HiddenhandError, match="ends after at most max_depth moves: after the moves"
    ):
        search.think(iterations=100_000)
