"""Games with simultaneous moves for tests: any small one written out, all kinds of moves in one,
and rules that solvers must refuse.
"""

import hashlib
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Self

import numpy as np
from naive.duel import Duel

from hiddenhand.errors import GameError
from hiddenhand.games.base import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    EvaluationFunction,
    Game,
    Integers,
    Probabilities,
    State,
)
from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.games.history import History
from hiddenhand.games.matrix_game import MatrixGame, biased_rps
from hiddenhand.jit.arrays import Floats

_NODE = 0
_ACTIONS, _OUTCOMES, _DEPTH = 0, 1, 2


@dataclass(frozen=True, repr=False)
class JointTree(Game):
    """A zero-sum game of two players written out, simultaneous moves included: H nodes, one for
    each history, breadth first.

    It is for games with simultaneous moves what `TreeGame` is for others: all games written out
    share their compiled code.

    mover: ``[H]``, a player, CHANCE, SIMULTANEOUS or TERMINAL.
    count: ``[H, 2]``, how many actions each player has; in column 0 also chance's.
    first_child: ``[H]``; children are in the order of the moves, joint ones by player 0's first.
    probability: ``[H]``, of the outcome of chance that leads to the node.
    tokens: ``[H, 3]``, what players and public are told on entering.
    worth: ``[H]``, what player 0 is paid at the end, and before it the game's own evaluation, or 0.
    sizes: the most actions of a player, the most outcomes of chance, the depth.
    """

    mover: Integers = field(compare=False)
    count: Integers = field(compare=False)
    first_child: Integers = field(compare=False)
    probability: Floats = field(compare=False)
    tokens: Integers = field(compare=False)
    worth: Floats = field(compare=False)
    sizes: Integers = field(compare=False)
    largest: float
    evaluated: bool
    """Whether the game has an evaluation function."""
    contents: str
    """A digest of all arrays, by which games are compared."""

    simultaneous = True

    @classmethod
    def from_game(cls, game: Game) -> Self:
        histories = [History(game)]
        mover, count, first_child, probability, worth = [], [], [], [1.0], []
        try:
            evaluation = game.evaluation()
        except GameError:
            evaluation = None
        for history in histories:  # grows while it is walked
            player = history.player
            moves: list[Any] = [] if history.is_terminal else history.legal_moves()
            chance = history.chance_outcomes() if player == CHANCE else []
            moves = [outcome for outcome, _ in chance] or moves
            mover.append(player)
            count.append([len(moves), len(moves)])
            if player == SIMULTANEOUS:
                count[-1] = [len(history.legal_actions(seat)) for seat in range(2)]
            first_child.append(len(histories))
            probability += [p for _, p in chance] or [1.0] * len(moves)
            if history.is_terminal:
                worth.append(history.returns()[0])
            elif evaluation is not None:
                worth.append(evaluation.evaluate(game, history.state, 0))
            else:
                worth.append(0.0)
            histories += [history.child(move) for move in moves]
        choosing = [sizes for who, sizes in zip(mover, count, strict=True) if who != CHANCE]
        drawing = [sizes for who, sizes in zip(mover, count, strict=True) if who == CHANCE]
        depth = len(histories[-1].moves)
        arrays = (
            np.array(mover),
            np.array(count),
            np.array(first_child),
            np.array(probability),
            np.array([history.observations or (0, 0, 0) for history in histories]),
            np.array(worth),
            np.array([np.max(choosing), np.max([*drawing, (0, 0)]), depth]),
        )
        sha = hashlib.sha256()
        for array in arrays:
            array.setflags(write=False)
            sha.update(array.tobytes())
        return cls(*arrays, float(game.max_utility), evaluation is not None, sha.hexdigest())

    def __repr__(self) -> str:
        return f"JointTree(<{self.mover.size} nodes>)"

    @property
    def state_size(self) -> int:
        return 1

    @property
    def max_actions(self) -> int:
        return int(self.sizes[_ACTIONS])

    @property
    def max_chance_outcomes(self) -> int:
        return int(self.sizes[_OUTCOMES])

    @property
    def max_depth(self) -> int:
        return int(self.sizes[_DEPTH])

    @property
    def max_utility(self) -> float:
        return self.largest

    def initial_state(self, state: State) -> None:
        state[_NODE] = 0

    def current_player(self, state: State) -> int:
        return self.mover[state[_NODE]]

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        count = self.count[state[_NODE], player]
        for action in range(count):
            actions[action] = action
        return count

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        count = self.count[state[_NODE], 0]
        first = self.first_child[state[_NODE]]
        for action in range(count):
            actions[action] = action
            probabilities[action] = self.probability[first + action]
        return count

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        self._enter(state, action, observations)

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        columns = self.count[state[_NODE], 1]
        self._enter(state, actions[0] * columns + actions[1], observations)

    def _enter(self, state: State, move: int, observations: Integers) -> None:
        node = self.first_child[state[_NODE]] + move
        state[_NODE] = node
        for observer in range(3):
            observations[observer] = self.tokens[node, observer]

    def returns(self, state: State, player: int) -> float:
        worth = self.worth[state[_NODE]]
        return worth if player == 0 else -worth

    def evaluation(self) -> EvaluationFunction:
        return WorthOfNode() if self.evaluated else super().evaluation()

    def render(self, state: State, player: int) -> str:
        return f"node {state[_NODE]}"


RULES: dict[str, Game] = {
    "goofspiel(3)": Goofspiel(3),
    "goofspiel(3), ascending": Goofspiel(3, points_order="ascending"),
    "goofspiel(4)": Goofspiel(4, points_order="ascending"),
    "biased rps": biased_rps(10.0),
    "round robin": MatrixGame([[0.0, 1.0], [-1.0, 0.0]]),
    "duel (1 round)": Duel(1),
    "duel": Duel(),
    "duel (3 rounds)": Duel(3),
}


@cache
def joint(name: str) -> JointTree:
    """The game of `RULES` with that name, written out."""
    return JointTree.from_game(RULES[name])


@dataclass(frozen=True)
class WorthOfNode(EvaluationFunction):
    """What the game that was written out says."""

    def evaluate(self, game: JointTree, state: State, player: int) -> float:
        return game.returns(state, player)


# what the state of VariedMoves holds
_ROUND = 0  # how many rounds are over
_HASH = 1  # the number that is carried along
_LAST = 0  # the state of Circling: 0 or 1, or 2 at the end


@dataclass(frozen=True)
class VariedMoves(Game):
    """In each round chance, one player or both choose one of two or three things, as a number
    carried along decides; it decides the payoff, too.

    Many histories lead to one state. Unless ``told``, nobody is told what chance did.
    """

    rounds: int = 5
    seed: int = 1
    told: bool = True

    simultaneous = True
    state_size, max_actions, max_chance_outcomes, max_utility = 2, 3, 2, 3.0

    @property
    def max_depth(self) -> int:
        return self.rounds

    def initial_state(self, state: State) -> None:
        state[_ROUND] = 0
        state[_HASH] = self.seed

    def current_player(self, state: State) -> int:
        if state[_ROUND] == self.rounds:
            return TERMINAL
        kind = state[_HASH] // 7 % 5
        return SIMULTANEOUS if state[_ROUND] == 0 or kind > 2 else CHANCE if kind == 2 else kind

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        count = 2 + (state[_HASH] + player) % 2
        for action in range(count):
            actions[action] = action
        return count

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        actions[0], actions[1] = 0, 1
        probabilities[0], probabilities[1] = 0.25, 0.75
        return 2

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        if self.told or self.current_player(state) != CHANCE:
            observations[2] = 1 + action
        self._move(state, action)

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        observations[2] = 1 + 3 * actions[0] + actions[1]
        self._move(state, 3 * actions[0] + actions[1])

    def returns(self, state: State, player: int) -> float:
        payoff = float(state[_HASH] // 3 % 7 - 3)
        return payoff if player == 0 else -payoff

    def render(self, state: State, player: int) -> str:
        return f"round {state[_ROUND]}, {state[_HASH]}"

    def _move(self, state: State, move: int) -> None:
        state[_ROUND] += 1
        state[_HASH] = (state[_HASH] * 31 + (move + 1) * 17 + state[_ROUND]) % 211


@dataclass(frozen=True)
class Circling(Game):
    """Both choose one of two things until they choose differently, which may never happen. The
    state does not tell how far the game has come.
    """

    simultaneous = True
    state_size, max_actions, max_depth, max_utility = 1, 2, 10, 1.0

    def initial_state(self, state: State) -> None:
        state[_LAST] = 0

    def current_player(self, state: State) -> int:
        return TERMINAL if state[_LAST] == 2 else SIMULTANEOUS

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        actions[0], actions[1] = 0, 1
        return 2

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        state[_LAST] = 1 - state[_LAST] if actions[0] == actions[1] else 2
        observations[2] = 1 + 2 * actions[0] + actions[1]

    def returns(self, state: State, player: int) -> float:
        return 1.0 - 2.0 * player

    def render(self, state: State, player: int) -> str:
        return str(state[_LAST])
