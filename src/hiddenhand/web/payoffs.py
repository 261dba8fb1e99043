"""The expected payoff of each move, if all players follow a strategy from there on.

The strategy of the others may never lead to a position. There the payoffs of a small game assume
that the others erred: once in a thousand times they choose any move. `review` assumes the same.

In a large game payoffs are means of rollouts. A rollout begins at a history drawn from the belief
and makes the move. Then all players follow the strategy; where it knows none, they choose all moves
alike. All moves are tried from the same histories.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from hiddenhand.errors import OptionError
from hiddenhand.games.history import Event, History
from hiddenhand.jit.arrays import Floats
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.sampling.mmd import MMD
from hiddenhand.trees.profile import counterfactual_values, reach_of_others, uniform_profile
from hiddenhand.trees.strategy import Strategy
from hiddenhand.trees.tree import GameTree

_MISTAKE: Final = 1e-3
_LEAST_REACH: Final = 1e-9
HISTORIES: Final = 1000
"""The most histories that the belief of rollouts keeps."""


def node_after(tree: GameTree, moves: Sequence[object]) -> int:
    """The number of the history with these moves."""
    node = 0
    for move in moves:
        first, count = int(tree.first_child[node]), int(tree.num_children[node])
        node = first + int(np.flatnonzero(tree.action[first : first + count] == move)[0])
    return node


def payoffs_of(tree: GameTree, profile: Floats, history: History) -> list[float]:
    """The expected payoff of each legal action of the player to move at the end of ``history``.

    tree: the game, written out.
    profile: ``float64[S]``, the strategy of all players.
    """
    number = int(tree.information_set[node_after(tree, history.moves)])
    places = slice(int(tree.set_start[number]), int(tree.set_start[number + 1]))
    reach = reach_of_others(tree, profile)[number]
    if reach < _LEAST_REACH:
        profile = (1 - _MISTAKE) * profile + _MISTAKE * uniform_profile(tree)
        reach = reach_of_others(tree, profile)[number]
    worth = counterfactual_values(tree, profile, history.player)[places]
    return [float(value) for value in worth / reach]


class SampledPayoffs:
    """Payoffs by rollouts, for the player to move at the end of a history.

    history: the history.
    events: what the player noticed.
    seconds: roughly the most seconds for finding histories that fit; None for no limit.
    seed: decides the rollouts.

    Raises OptionError if no history fits.
    """

    def __init__(
        self, history: History, events: Sequence[Event], seconds: float | None, seed: int = 0
    ) -> None:
        self._count = len(history.legal_actions())
        self._rollouts = MMD(history.game, cap=HISTORIES)
        self._rollouts.start(history.player, seed)
        self._rollouts.notice(events, seconds)
        if not self._rollouts.belief.is_alive:
            raise OptionError(
                "no history was found that fits what the seat noticed; ask a bot instead"
            )

    def of(
        self,
        strategy: Strategy,
        iterations: int | None,
        seconds: float | None,
        progress: Progress = SILENT,
    ) -> tuple[Floats, int]:
        """``float64[n]``: the mean payoff of each legal action if all players follow ``strategy``,
        and how often each was tried.

        iterations, seconds: how many rollouts, or for how long; at least one of each action.
        """
        rollouts, count = self._rollouts, self._count
        rollouts.change_blueprint(strategy)
        # whole rounds: each move is tried as often as the others, also on a slow machine
        rounds = None if iterations is None else max(iterations // count, 1) * count
        rollouts.think(rounds, seconds, progress)
        rollouts.think(iterations=count)
        tried, paid = rollouts.trials(count)
        return np.asarray(paid / tried), int(tried.min())
