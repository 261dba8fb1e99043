"""What hides in a game is found, also where it is easy to overlook."""

from dataclasses import dataclass

import numpy as np
import pytest

from hiddenhand.games.base import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    Game,
    Integers,
    Probabilities,
    State,
)
from hiddenhand.search.auto.survey import survey
from hiddenhand.search.making import make_search


@dataclass(frozen=True)
class AfterARoll(Game):
    """Chance rolls a die with many faces, for all to see. Then player 0 hides a coin, and player 1
    guesses where.

    Observations (public): 1 + face, 1 for the hiding, 1 + guess.
    """

    faces: int = 400

    state_size, max_actions, max_depth, max_utility = 3, 2, 3, 1.0
    max_chance_outcomes = property(lambda self: self.faces)

    def initial_state(self, state: State) -> None:
        state[:] = 0

    def current_player(self, state: State) -> int:
        if state[0] == 0:
            return CHANCE
        return 0 if state[1] == 0 else 1 if state[2] == 0 else TERMINAL

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        actions[0], actions[1] = 0, 1
        return 2

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        for face in range(self.faces):
            actions[face], probabilities[face] = face, 1.0 / self.faces
        return self.faces

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        observations[2] = 1 if state[0] > 0 and state[1] == 0 else 1 + action
        if state[0] == 0:
            state[0] = 1 + action
        elif state[1] == 0:
            state[1] = 1 + action
        else:
            state[2] = 1 + action

    def returns(self, state: State, player: int) -> float:
        won = 1.0 if state[1] == state[2] else -1.0
        return won if player == 1 else -won

    def render(self, state: State, player: int) -> str:
        return str(state[0])


@dataclass(frozen=True)
class OneRoom(Game):
    """Both players choose a room at once. In one of player 0's rooms that player hides a coin, and
    player 1 guesses where; elsewhere the choices decide.

    Observations (public): 1 + both choices, 1 for the hiding, 1 + guess.
    """

    rooms: int = 12

    simultaneous = True
    state_size, max_depth, max_utility = 4, 3, 2.0
    max_actions = property(lambda self: self.rooms)

    def initial_state(self, state: State) -> None:
        state[:] = 0

    def current_player(self, state: State) -> int:
        if state[0] == 0:
            return SIMULTANEOUS
        if state[0] < self.rooms or state[3] > 0:
            return TERMINAL
        return 0 if state[2] == 0 else 1

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        count = self.rooms if state[0] == 0 else 2
        for action in range(count):
            actions[action] = action
        return count

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        state[0], state[1] = 1 + actions[0], 1 + actions[1]
        observations[2] = 1 + actions[0] * self.rooms + actions[1]

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        if state[2] == 0:
            state[2], observations[2] = 1 + action, 1
        else:
            state[3], observations[2] = 1 + action, 1 + action

    def returns(self, state: State, player: int) -> float:
        won = 2.0 if state[2] != state[3] else -1.0
        if state[0] < self.rooms:
            won = 0.1 if (state[0] + state[1]) % 2 == 0 else -0.1
        return won if player == 0 else -won

    def render(self, state: State, player: int) -> str:
        return f"{state[0]} {state[1]} {state[3]}"


def test_what_hides_behind_many_outcomes_is_seen() -> None:
    found = survey(AfterARoll())
    assert (found.in_plain_sight, found.moves_are_public) == (False, False)


def test_a_game_is_looked_at_once() -> None:
    """As long as its rules and their numbers are the same."""
    found = survey(AfterARoll(7))
    assert survey(AfterARoll(7)) is found
    assert survey(AfterARoll(8)).histories > found.histories


@pytest.mark.parametrize("rooms", [4, 12, 20])
def test_what_hides_in_one_room_of_many_is_seen(rooms: int) -> None:
    assert not survey(OneRoom(rooms)).open


def test_a_game_that_hides_something_in_one_room_is_solved() -> None:
    """The room is worth 0.5 to player 0. If all were in the open, player 1 would find the coin."""
    search = make_search(OneRoom(), "auto")
    search.think(iterations=2000)
    assert search.policy(12) == pytest.approx(np.eye(12)[11], abs=0.01)
