"""A best response found by search: ISMCTS-BR, in its tabular form.

Timbers, Bard, Lockhart, Lanctot, Schmid, Burch, Schrittwieser, Hubert and Bowling (2020),
"Approximate exploitability: Learning a best response". One player, the responder, learns by
information-set MCTS; all others play as they are. In place of the paper's networks, a table keeps
values and visits. A random play-out follows a set that the search meets for the first time. UCT
chooses the actions.

An iteration plays the game once from the beginning. Chance and the others draw their moves by their
probabilities, so that the search meets the histories of a set as often as they occur. It queries
the others once at each set that they come to. The final response takes the action with the highest
mean. Play-outs that the search has not seen estimate what it earns. So the mean of the estimate is
not above the value of a best response, which no response exceeds.
"""

import math
from dataclasses import dataclass
from typing import Final

from hiddenhand import clock
from hiddenhand.evaluation.policy_query import QueriedPolicy
from hiddenhand.evaluation.rollouts import Table, mean_payoff
from hiddenhand.games.base import TERMINAL
from hiddenhand.players.player import derived_seed
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.statistics import Interval

_EVERY: Final = 1000  # iterations between two reports


@dataclass
class _Row:
    """What is known of a set: visits of its actions, and sums of what they paid."""

    visits: list[int]
    sums: list[float]

    def select(self, exploration: float) -> int:
        """The action that UCT takes: the first that was never taken, or the highest bound."""
        for a, visits in enumerate(self.visits):
            if visits == 0:
                return a
        log = math.log(sum(self.visits))
        return max(
            range(len(self.visits)),
            key=lambda a: (
                self.sums[a] / self.visits[a] + exploration * math.sqrt(log / self.visits[a])
            ),
        )

    def best(self) -> int:
        """The action with the highest mean, of those that were taken."""
        tried = [a for a, visits in enumerate(self.visits) if visits]
        return max(tried, key=lambda a: self.sums[a] / self.visits[a])


class Response:
    """A response of ``responder`` to a player in all other seats, found by search.

    queried: the player.
    exploration: how much UCT explores: the constant before the root, in payoffs.
    seed: decides all random numbers of the search, of chance and of the play-outs.
    """

    def __init__(
        self, queried: QueriedPolicy, responder: int, exploration: float, seed: int = 0
    ) -> None:
        self._table = table = Table(queried, derived_seed(seed, responder))
        self._queried, self._game, self._random = queried, queried.game, table.random
        self._responder = responder
        self._exploration = exploration
        self._rows: dict[int, _Row] = {}
        self.iterations = 0

    @property
    def num_sets(self) -> int:
        """How many information sets of the responder the search knows."""
        return len(self._rows)

    def search(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Search on, for so many iterations or seconds; one of the two must be given."""
        began, first = clock.now(), self.iterations
        while True:
            made, elapsed = self.iterations - first, clock.now() - began
            if (iterations is not None and made >= iterations) or (
                seconds is not None and elapsed >= seconds
            ):
                return
            if made % _EVERY == 0:
                figures = {"sets": float(self.num_sets), "asked": float(self._queried.num_known)}
                progress.update(Report(made, iterations, "iterations", figures))
            self._iterate()
            self.iterations += 1

    def earned(self, plays: int, progress: Progress = SILENT) -> Interval:
        """What the response earns, with its 95 % interval, from so many fresh plays."""
        return mean_payoff(self._game, plays, lambda: self._play(learning=False)[0], progress)

    def _iterate(self) -> None:
        payoff, path = self._play(learning=True)
        for row, a in path:
            row.visits[a] += 1
            row.sums[a] += payoff

    def _play(self, learning: bool) -> tuple[float, list[tuple[_Row, int]]]:
        """One play: what it pays, and the sets of the responder in memory with what was done."""
        game, place = self._game, self._table.root()
        path: list[tuple[_Row, int]] = []
        in_memory = True
        while (mover := int(game.current_player(place.state))) != TERMINAL:
            if mover != self._responder:
                self._table.let_move(place, mover)
                continue
            actions = game.actions_of(place.state, mover)
            key = int(place.keys[mover])
            row = self._rows.get(key) if in_memory or not learning else None
            if row is None and learning and in_memory:
                row = self._rows[key] = _Row([0] * len(actions), [0.0] * len(actions))
                in_memory = False
                a = int(self._random.integers(len(actions)))
            elif row is None or not any(row.visits):
                a, row = int(self._random.integers(len(actions))), None
            else:
                a = row.select(self._exploration) if learning else row.best()
            if row is not None:
                path.append((row, a))
            self._table.move(place, mover, actions[a])
        return float(game.returns(place.state, self._responder)), path
