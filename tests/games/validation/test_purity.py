"""Rules that draw random numbers or read the clock by themselves are refused by `check`."""

import random
import time
from dataclasses import dataclass
from random import randint
from typing import Any

import numpy as np
import pytest

from hiddenhand.errors import ConformanceError
from hiddenhand.games import TERMINAL, Game
from hiddenhand.games.registry import describe_games, load_game
from hiddenhand.games.validation.conformance import check
from hiddenhand.games.validation.purity import check_purity


@dataclass(frozen=True)
class Coin(Game):
    """A player names a side of a coin, which falls in the payoff."""

    state_size, max_actions, max_depth, max_utility = 1, 2, 1, 1.0

    def initial_state(self, state: Any) -> None:
        state[0] = 0

    def current_player(self, state: Any) -> int:
        return 0 if state[0] == 0 else TERMINAL

    def legal_actions(self, state: Any, player: int, actions: Any) -> int:
        actions[0], actions[1] = 1, 2
        return 2

    def apply_action(self, state: Any, action: int, observations: Any) -> None:
        state[0] = action
        observations[2] = action

    def returns(self, state: Any, player: int) -> float:
        return 1.0 if (state[0] == 1) == (player == 0) else -1.0

    def render(self, state: Any, player: int) -> str:
        return str(random.random() < 2) + str(state[0])  # people may see anything

    def toss(self) -> int:
        return randint(1, 2)


def helper() -> float:
    return np.random.random()


@dataclass(frozen=True)
class OfModule(Coin):
    def returns(self, state: Any, player: int) -> float:
        return 1.0 if random.random() < 0.5 else -1.0


class OfFunction(Coin):
    def apply_action(self, state: Any, action: int, observations: Any) -> None:
        state[0] = randint(1, 2)


class OfHelper(Coin):
    def current_player(self, state: Any) -> int:
        return 0 if helper() < 2 and state[0] == 0 else TERMINAL


class OfMethod(Coin):
    def apply_action(self, state: Any, action: int, observations: Any) -> None:
        state[0] = self.toss()


class OfClock(Coin):
    def returns(self, state: Any, player: int) -> float:
        return 1.0 if time.time() > 0 else -1.0


@pytest.mark.parametrize(
    ("game", "says"),
    [
        (OfModule(), "returns uses the module random; return CHANCE in current_player"),
        (OfFunction(), "apply_action uses the module random"),
        (OfHelper(), r"current_player uses the module numpy\.random"),
        (OfMethod(), "apply_action uses the module random"),
        (OfClock(), "returns uses the module time; keep what rules need in the state"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_rule_and_the_module_are_named(game: Game, says: str) -> None:
    with pytest.raises(ConformanceError, match=says):
        check_purity(game)


def test_check_looks_at_it_first() -> None:
    with pytest.raises(ConformanceError, match="the same rule on the same state gives the same"):
        check(OfModule(), plays=1)


def test_what_is_for_people_may_use_anything() -> None:
    check_purity(Coin())


def test_no_game_of_the_catalogue_is_suspected() -> None:
    for described in describe_games():
        check_purity(load_game(described.example))
