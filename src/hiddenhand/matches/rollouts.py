"""Means of rollouts: a history is played on to its end many times, and what was paid is averaged.

For AIVAT the result is an estimate of what the history is worth. It is compiled once for each game.
All alternatives of one move are played on with the same random numbers, so that what differs
between them is more than the luck of the rollouts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.errors import OptionError
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.history import History
from hiddenhand.games.validation.kernel_errors import explaining
from hiddenhand.jit.arrays import Floats, Integers, Keys
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.history_step import advance, draw_outcome
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.random import RandomState, below, new_state
from hiddenhand.jit.sampling import sample
from hiddenhand.jit.views import view
from hiddenhand.trees.strategy import Strategy

ROLLOUTS: Final = 100
"""The default number of rollouts for each alternative."""
NOTHING: Final = -1
"""Stands for no preferred action."""
_MOST: Final = 1_000_000


@dataclass(frozen=True)
class Guide(Compiled):
    """How players move in rollouts: by a strategy in the information sets that it knows, elsewhere
    by the preferred action where it is legal, else uniformly.

    preferred: an action, or NOTHING.
    keys: ``uint64[I]``, the information sets of the strategy, increasing.
    starts: ``int64[I + 1]``, where the probabilities of each set begin.
    probabilities: ``float64[...]``, those of set i are ``starts[i] .. starts[i + 1] - 1``.
    """

    preferred: int
    keys: Keys
    starts: Integers
    probabilities: Floats

    def choose(self, key: int, actions: Integers, n: int, rng: Any) -> int:
        """The place in ``actions[:n]`` of what is played in the information set with ``key``."""
        low, high = 0, self.keys.size
        while low < high:
            middle = (low + high) // 2
            if self.keys[middle] < key:
                low = middle + 1
            else:
                high = middle
        if low < self.keys.size and self.keys[low] == key:
            return sample(rng, view(self.probabilities, self.starts[low], n), n)
        for a in range(n):
            if actions[a] == self.preferred:
                return a
        return below(rng, n)


@dataclass(frozen=True)
class Rooms(Compiled):
    """Arrays that rollouts write into: state, keys, observations, actions and probabilities as in
    `hiddenhand.jit.history_step`, and a generator.
    """

    state: Integers
    keys: Keys
    observations: Integers
    actions: Integers
    probabilities: Floats
    rng: RandomState


class RolloutValues:
    """A `ValueEstimate`: the mean payoffs of rollouts.

    game: the game, with moves in turns.
    rollouts: how many there are for each alternative.
    strategy: what players follow where it knows their information set; None for no strategy.
    preferred: an action that players prefer elsewhere, such as to call in poker; NOTHING for
        uniform play.
    seed: the seed of the rollouts, which must be independent of those of the match.
    """

    def __init__(
        self,
        game: Game,
        rollouts: int = ROLLOUTS,
        strategy: Strategy | None = None,
        preferred: int = NOTHING,
        seed: int = 0,
    ) -> None:
        if isinstance(rollouts, bool) or not isinstance(rollouts, int) or not 0 < rollouts <= _MOST:
            raise OptionError(
                f"rollouts={rollouts!r} is not allowed; give a whole number from 1 to {_MOST:,}"
            )
        self.game = game
        self.rollouts = rollouts
        self._guide = Guide(
            preferred,
            np.zeros(0, np.uint64) if strategy is None else strategy.keys,
            np.zeros(1, np.int64) if strategy is None else strategy.starts,
            np.zeros(0) if strategy is None else strategy.probabilities,
        )
        self._rng = new_state(seed)
        room = max(game.max_actions, game.max_chance_outcomes, 1)
        self._rooms = Rooms(
            state=np.zeros(game.state_size, np.int64),
            keys=np.zeros(game.num_players + 1, np.uint64),
            observations=np.zeros(game.num_players + 1, np.int64),
            actions=np.zeros(room, np.int64),
            probabilities=np.zeros(room),
            rng=np.zeros(4, np.uint64),
        )

    def after(self, history: History, moves: Sequence[int]) -> Floats:
        """See `ValueEstimate.after`."""
        means = np.zeros((len(moves), self.game.num_players))
        keys = np.array([history.key(p) for p in range(self.game.num_players)], np.uint64)
        keys = np.append(keys, np.uint64(history.public_key))
        with explaining(self.game, lambda: history.moves):
            mean_payoffs(
                self.game,
                self._guide,
                self._rooms,
                history.state,
                keys,
                history.player,
                np.array(moves, np.int64),
                self.rollouts,
                self._rng,
                means,
            )
        return means


@kernel
def mean_payoffs(
    game: Any,
    guide: Guide,
    rooms: Rooms,
    state: Integers,
    keys: Keys,
    mover: int,
    moves: Integers,
    rollouts: int,
    rng: RandomState,
    means: Floats,
) -> None:
    """Write the mean payoffs after each of ``moves`` at ``state``, where ``mover`` moves, into
    ``means`` ``float64[n, P]``, which holds zeros. Moves ``rng`` on.
    """
    for number in range(moves.size):
        for i in range(rng.size):
            rooms.rng[i] = rng[i]
        for _ in range(rollouts):
            for i in range(state.size):
                rooms.state[i] = state[i]
            for i in range(keys.size):
                rooms.keys[i] = keys[i]
            player, action = mover, moves[number]
            while True:
                advance(game, rooms.state, player, action, rooms.keys, rooms.observations)
                player = game.current_player(rooms.state)
                if player == TERMINAL:
                    break
                if player == CHANCE:
                    action, _, _ = draw_outcome(
                        game, rooms.state, rooms.actions, rooms.probabilities, rooms.rng
                    )
                else:
                    n = game.legal_actions(rooms.state, player, rooms.actions)
                    key = game.information(rooms.state, player, rooms.keys[player])
                    action = rooms.actions[guide.choose(key, rooms.actions, n, rooms.rng)]
            for p in range(means.shape[1]):
                means[number, p] += game.returns(rooms.state, p)
        for p in range(means.shape[1]):
            means[number, p] /= rollouts
    for i in range(rng.size):
        rng[i] = rooms.rng[i]
