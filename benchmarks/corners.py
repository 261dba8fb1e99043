"""How long work takes in the corners: very long plays, and very many actions.

    python -m benchmarks.corners

prints, for a game of 1,000 moves, the seconds of a check with 200 plays, as many as in short games,
and of a check by default, which makes fewer long plays; and for a game in which both players have
20,000 actions, the seconds of a decision of `oos` with a budget of 0.05 s, which should be about
that: the least of three. Compiling does not count.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from hiddenhand import History, clock
from hiddenhand.budget import Budget
from hiddenhand.games.base import TERMINAL, Game, Integers, State
from hiddenhand.games.validation.conformance import check
from hiddenhand.players.registry import make_player

_RUNS: Final = 3
_BUDGET: Final = 0.05


@dataclass(frozen=True)
class Adding(Game):
    """Two players add 1 or 2 in turns, ``plies`` times. Player 0 wins if the sum is odd."""

    plies: int = 1000

    state_size = 2
    max_actions = 2
    max_chance_outcomes = 0
    max_utility = 1.0

    @property
    def max_depth(self) -> int:
        return self.plies

    def initial_state(self, state: State) -> None:
        state[:] = 0

    def current_player(self, state: State) -> int:
        return TERMINAL if state[0] == self.plies else state[0] % 2

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        actions[0], actions[1] = 0, 1
        return 2

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        state[0] += 1
        state[1] += 1 + action
        observations[2] = 1 + action

    def returns(self, state: State, player: int) -> float:
        won = 1.0 if state[1] % 2 else -1.0
        return won if player == 0 else -won

    def render(self, state: State, player: int) -> str:
        return f"the sum is {state[1]} after {state[0]} moves"


@dataclass(frozen=True)
class Nearest(Game):
    """Player 0 hides one of ``numbers``, and player 1 wins more the nearer it guesses."""

    numbers: int = 20_000

    state_size = 3
    max_chance_outcomes = 0
    max_depth = 2
    max_utility = 1.0

    @property
    def max_actions(self) -> int:
        return self.numbers

    def initial_state(self, state: State) -> None:
        state[:] = 0

    def current_player(self, state: State) -> int:
        return TERMINAL if state[0] == 2 else state[0]

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        for action in range(self.numbers):
            actions[action] = action
        return self.numbers

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        state[1 + state[0]] = action
        state[0] += 1

    def returns(self, state: State, player: int) -> float:
        near = 1.0 - 2.0 * abs(state[1] - state[2]) / self.numbers
        return near if player == 1 else -near

    def render(self, state: State, player: int) -> str:
        return "one number is hidden"


def seconds(work: Callable[[], object]) -> float:
    """How long some work takes."""
    began = clock.now()
    work()
    return clock.now() - began


def decided() -> float:
    """The seconds of a decision of the player that guesses."""
    game = Nearest()
    player = make_player(game, "oos")
    player.start(game, 1, 1)
    history = History(game).child(7)
    event = history.noticed(1)
    events, actions = [event] if event else [], range(game.numbers)
    return seconds(lambda: player.act(events, actions, Budget(seconds=_BUDGET)))


def main() -> None:
    """Print the figures."""
    print("| what | seconds |\n| --- | --- |")
    check(Adding(plies=5))  # compiles
    few, many = (seconds(partial(check, Adding(), plays=plays)) for plays in (None, 200))
    print(f"| check of 1,000 moves, by default | {few:.2f} |")
    print(f"| check of 1,000 moves, 200 plays | {many:.2f} |")
    decided()  # compiles
    best = min(decided() for _ in range(_RUNS))
    print(f"| oos, 20,000 actions, budget {_BUDGET} s | {best:.3f} |")


if __name__ == "__main__":
    main()
