"""Random games: trees of joint actions whose payoffs are drawn at random; and trees of joint
actions whose payoffs are given.

Source: Lisy (2014), thesis at the Czech Technical University in Prague, Sections 4.1.1 and 4.2.1
(random games), 4.2.2 (small trees, payoffs listed).

A random game is never written out. The state carries a hash of the joint actions so far, and the
rules compute the random numbers of a node from that hash. So a seed means the same game everywhere.
Where payoffs are drawn at the leaves, those of both players add up to 1 in the thesis. Here the
payoff of player 1 is the negative of player 0's, as in all zero-sum games of this package, which is
less by 1 everywhere.
"""

import hashlib
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hiddenhand.errors import GameError, ParameterError
from hiddenhand.games.about import AT_ONCE, RESEARCH, About
from hiddenhand.games.base import (
    SIMULTANEOUS,
    TERMINAL,
    EvaluationFunction,
    Game,
    State,
    verify_choice,
    verify_range,
)
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules
from hiddenhand.jit.observation_keys import first_key, fold
from hiddenhand.text import shortened

Hash = Any
"""A hash of 62 bits: an int64 in compiled code, and any integer in plain Python."""

_MAX_ACTIONS = 100
_MAX_DEPTH = 1000
_MOST_LEAVES = 10**12  # that a message writes as a number
_WIDEST = 16  # columns of a tree that is drawn whole
_MATRIX = " (your actions down, theirs across):"
_LARGEST_SEED = (1 << 62) - 1
_TO_UNIT = 1.0 / 9007199254740992.0  # 2**-53
_UNUSED_BITS = np.uint64(2)  # hashes have 62 bits, so that they are never negative
# what the state holds in both games
_ROUND = 0  # how many joint actions were made
# and in a random game
_SUM = 1  # the sum of the steps of these joint actions
_HASH = 2  # their hash
# and in a tree with given leaves
_NUMBER = 1  # the number of these joint actions in the order of all sequences of that length


@kernel
def _next_hash(hash_: Hash, move: int) -> Hash:
    """The hash of the node to which joint action number ``move`` leads from the node with hash
    ``hash_``.
    """
    return np.int64(fold(np.uint64(hash_), move + 1, 0, 0) >> _UNUSED_BITS)


@kernel
def _first_hash(seed: int) -> Hash:
    """The hash of the root."""
    return np.int64(fold(first_key(0), seed, 1, 0) >> _UNUSED_BITS)


@About(
    "Random game",
    "A game drawn at random, to test searches.",
    (RESEARCH, AT_ONCE),
    place=230,
    minutes=1,
    exact=True,
    example="random(3,3)",
    small=("random(2,2)",),
)
@dataclass(frozen=True)
class RandomGame(Game):
    """Both choose one of ``actions``, ``depth`` times, at the same time and with nothing hidden;
    what they are paid is drawn from the ``seed``.

    Player 1 is paid the negative of what player 0 is paid. A deeper game with the same seed,
    ``actions`` and steps begins with the same steps.

    Actions: 0 .. actions - 1.
    Observations (public): 1 + action_0 * actions + action_1.

    actions: how many actions each player has, 1 to 100.
    depth: how many joint actions are made, 1 to 1000.
    seed: the seed of the random payoffs, 0 to 2**62 - 1.
    payoffs: with "steps" each joint action has a step of -1, 0 or 1, equally likely, and player 0
        is paid the sum of the steps; with "leaves" player 0 is paid a number drawn uniformly from
        0 .. 1 for each ending.
    sign: whether player 0 is paid the sign, 1, 0 or -1, of the sum of the steps.
    """

    actions: int = 4
    depth: int = 5
    seed: int = 0
    payoffs: str = "steps"
    sign: bool = False
    root: int = field(init=False, repr=False, compare=False)
    """The hash of the root."""
    steps: bool = field(init=False, repr=False, compare=False)
    """Whether joint actions have steps."""

    simultaneous = True
    state_size = 3

    def __post_init__(self) -> None:
        verify_range(self, "actions", 1, _MAX_ACTIONS)
        verify_range(self, "depth", 1, _MAX_DEPTH)
        verify_range(self, "seed", 0, _LARGEST_SEED)
        verify_choice(self, "payoffs", ("steps", "leaves"))
        if not isinstance(self.sign, bool) or (self.sign and self.payoffs != "steps"):
            raise ParameterError(
                f"RandomGame: sign={self.sign!r} with payoffs={self.payoffs!r} is not allowed; "
                "give true or false, and true only with 'steps'"
            )
        object.__setattr__(self, "root", int(_first_hash(self.seed)))
        object.__setattr__(self, "steps", self.payoffs == "steps")

    @property
    def max_actions(self) -> int:
        return self.actions

    @property
    def max_depth(self) -> int:
        return self.depth

    @property
    def max_utility(self) -> float:
        return float(self.depth) if self.steps and not self.sign else 1.0

    def initial_state(self, state: State) -> None:
        state[_ROUND] = 0
        state[_SUM] = 0
        state[_HASH] = self.root

    def current_player(self, state: State) -> int:
        return TERMINAL if state[_ROUND] == self.depth else SIMULTANEOUS

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        for action in range(self.actions):
            actions[action] = action
        return self.actions

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        move = actions[0] * self.actions + actions[1]
        state[_HASH] = _next_hash(state[_HASH], move)
        state[_SUM] += self._step(state[_HASH])
        state[_ROUND] += 1
        observations[2] = 1 + move

    def returns(self, state: State, player: int) -> float:
        total = state[_SUM]
        if not self.steps:
            payoff = self._leaf(state[_HASH])
        elif self.sign:
            payoff = float(int(total > 0) - int(total < 0))
        else:
            payoff = float(total)
        return payoff if player == 0 else -payoff

    def _step(self, hash_: Hash) -> int:
        """The step, -1, 0 or 1, of the joint action that leads to the node with this hash."""
        return hash_ % 3 - 1

    def _leaf(self, hash_: Hash) -> float:
        """The payoff of player 0 at the leaf with this hash: a float64 in [0, 1) with 53 random
        bits.
        """
        return float(hash_ >> 9) * _TO_UNIT

    # --- for people ---

    _presentation = "hiddenhand.games.drawing.tables:RANDOM_GAME"

    @PropertyBesideRules
    def rules_text(self) -> str:
        return (
            f"Both players choose one of {self.actions} moves at the same time, {self.depth} "
            "times. After each round both see both choices.\n\n"
            "The choices lead to an ending of a tree whose payoffs were drawn at random. What one "
            "player wins, the other loses. The picture shows the tree where it is small. This game "
            "is made for tests of searches."
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.max_actions

    def evaluation(self) -> EvaluationFunction:
        if not self.steps:
            raise GameError(
                f"{self} has no evaluation function, for nothing foretells its payoffs; search it "
                "with rollouts, or use payoffs='steps'"
            )
        return RandomGameEvaluation()

    def render(self, state: State, player: int) -> str:
        turn = int(state[_ROUND])
        if turn == self.depth:
            return _ending(self.returns(state, player))
        lines = [f"round {turn + 1} of {self.depth}"]
        if self.steps:
            lines.append(f"your sum so far: {state[_SUM] if player == 0 else -state[_SUM]}")
        if self.steps or turn + 1 == self.depth:
            names = [str(action) for action in range(self.actions)]
            drawn = [
                [self._drawn(state, player, mine, theirs) for theirs in range(self.actions)]
                for mine in range(self.actions)
            ]
            lines.append(f"what this round {'adds' if self.steps else 'pays'} you{_MATRIX}")
            lines += _table(names, drawn)
        return "\n".join(lines)

    def _drawn(self, state: State, player: int, mine: int, theirs: int) -> float:
        """What a joint action adds to the sum of ``player`` or, in the last round of a game with
        payoffs at the leaves, what it pays them.
        """
        move = mine * self.actions + theirs if player == 0 else theirs * self.actions + mine
        node = _next_hash(state[_HASH], move)
        value = self._step(node) if self.steps else self._leaf(node)
        return value if player == 0 else -value


@dataclass(frozen=True)
class RandomGameEvaluation(EvaluationFunction):
    """For player 0 the sum of the steps so far, and for player 1 the negative. Where payoffs are
    signs it is the hyperbolic tangent of that sum, which lies between -1 and 1.
    """

    def evaluate(self, game: Any, state: State, player: int) -> float:
        total = float(state[_SUM])
        value = math.tanh(total) if game.sign else total
        return value if player == 0 else -value


@About(
    "Matching pennies twice",
    "Both choose at once, two times; the second time counts double.",
    (RESEARCH, AT_ONCE),
    place=220,
    minutes=1,
    exact=True,
    example="matrix_tree(2,2,[3,-1,-1,3,1,-3,-3,1,1,-3,-3,1,3,-1,-1,3])",
    small=("matrix_tree(actions=2,depth=1,leaves=[1,-1,-1,1])",),
)
@dataclass(frozen=True, repr=False)
class MatrixTree(Game):
    """Both choose one of ``actions``, ``depth`` times, at the same time and with nothing hidden;
    what they are paid is listed.

    Player 1 is paid the negative of what player 0 is paid.

    Actions: 0 .. actions - 1.
    Observations (public): 1 + action_0 * actions + action_1.

    actions: how many actions each player has, 1 to 100.
    depth: how many joint actions are made, 1 to 1000.
    leaves: what player 0 is paid for each ending, ``actions**2`` to the power of ``depth`` numbers,
        nested in any way. The last joint action varies fastest, and in a joint action the action of
        player 1 does. The game keeps them flat and read-only.
    """

    actions: int
    depth: int
    leaves: Any = field(compare=False)
    contents: str = field(init=False)
    """A digest of the leaves, by which games are compared."""

    simultaneous = True
    state_size = 2

    def __post_init__(self) -> None:
        verify_range(self, "actions", 1, _MAX_ACTIONS)
        verify_range(self, "depth", 1, _MAX_DEPTH)
        needed = self.actions ** (2 * self.depth)
        try:
            leaves = np.array(self.leaves, np.float64).ravel()
        except (TypeError, ValueError):
            leaves = np.zeros(0)
        if leaves.size != needed or not np.all(np.isfinite(leaves)):
            count = needed if needed < _MOST_LEAVES else f"{self.actions}**{2 * self.depth}"
            raise ParameterError(
                f"MatrixTree: leaves={shortened(self.leaves)} is not allowed; give {count} finite "
                "numbers, actions**2 to the power of depth"
            )
        leaves.setflags(write=False)
        object.__setattr__(self, "leaves", leaves)
        contents = hashlib.sha256(repr(leaves.tolist()).encode()).hexdigest()
        object.__setattr__(self, "contents", contents)

    def __repr__(self) -> str:
        return (
            f"MatrixTree(actions={self.actions}, depth={self.depth}, leaves={self.leaves.tolist()})"
        )

    @property
    def max_actions(self) -> int:
        return self.actions

    @property
    def max_depth(self) -> int:
        return self.depth

    @property
    def max_utility(self) -> float:
        return float(np.abs(self.leaves).max())

    def initial_state(self, state: State) -> None:
        state[:] = 0

    def current_player(self, state: State) -> int:
        return TERMINAL if state[_ROUND] == self.depth else SIMULTANEOUS

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        for action in range(self.actions):
            actions[action] = action
        return self.actions

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        move = actions[0] * self.actions + actions[1]
        state[_NUMBER] = state[_NUMBER] * self.actions**2 + move
        state[_ROUND] += 1
        observations[2] = 1 + move

    def returns(self, state: State, player: int) -> float:
        payoff = float(self.leaves[state[_NUMBER]])
        return payoff if player == 0 else -payoff

    # --- for people ---

    _presentation = "hiddenhand.games.drawing.tables:MATRIX_TREE"

    @PropertyBesideRules
    def rules_text(self) -> str:
        return (
            f"Both players choose one of {self.actions} moves at the same time, {self.depth} "
            f"{'time' if self.depth == 1 else 'times'}. After each round both see both choices.\n\n"
            "The choices lead to an ending of the tree, where a number says what is paid. What one "
            "player wins, the other loses. In your picture your own moves are the rows, and the "
            "numbers are your payoff."
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.max_actions

    def render(self, state: State, player: int) -> str:
        rounds = self.depth - int(state[_ROUND])
        if rounds == 0:
            return _ending(self.returns(state, player))
        lines = [f"round {state[_ROUND] + 1} of {self.depth}"]
        if self.actions**rounds <= _WIDEST:
            plans = itertools.product(range(self.actions), repeat=rounds)
            names = [",".join(map(str, plan)) for plan in plans]
            lines.append(f"what you are paid at the end{_MATRIX}")
            lines += _table(names, self._below(state, player))
        return "\n".join(lines)

    def _below(self, state: State, player: int) -> Floats:
        """All that ``player`` can still be paid, as a matrix. Each row stands for the player's
        actions in all rounds to come, each column for those of the other player.
        """
        rounds = self.depth - int(state[_ROUND])
        size = self.actions ** (2 * rounds)
        leaves = self.leaves[int(state[_NUMBER]) * size :][:size]
        by_action = leaves.reshape((self.actions,) * (2 * rounds))
        own, others = range(player, 2 * rounds, 2), range(1 - player, 2 * rounds, 2)
        matrix = by_action.transpose((*own, *others)).reshape(self.actions**rounds, -1)
        return matrix if player == 0 else -matrix


def _ending(payoff: float) -> str:
    return (
        f"the game is over: you are paid {payoff + 0.0:g}"  # + 0.0 makes a negative zero positive
    )


def _table(names: Sequence[str], values: Any) -> list[str]:
    """A matrix with names of its rows and columns, flush right."""
    rows = [["", *names]]
    for name, row in zip(names, values, strict=True):
        rows.append([name, *(f"{value + 0.0:.3g}" for value in row)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        " ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)) for row in rows
    ]
