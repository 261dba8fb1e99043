"""EPIMC: PIMC whose players see everything only from a later decision on."""

from dataclasses import dataclass

import pytest
from naive.rarely_broken import FAULTS, RarelyBroken

from hiddenhand.errors import HiddenhandError
from hiddenhand.games.base import CHANCE, TERMINAL, Game, Integers, Probabilities, State
from hiddenhand.games.history import History
from hiddenhand.games.tree_game import TreeGame
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


def test_what_breaks_a_law_below_is_told_with_the_way_there() -> None:
    game = RarelyBroken(FAULTS.index("too deep"))
    search = PIMC(game, depth=2)
    with pytest.raises(
        HiddenhandError, match="ends after at most max_depth moves: after the moves"
    ):
        search.think(iterations=100_000)
