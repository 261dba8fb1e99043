"""What a program loses in each of many matches that all begin with the same seed, to an opponent
who learns.

The repeated form of soundness (Sustr et al. 2021, see `soundness`). The opponent knows the program:
the strategies that it has with some seeds, one of which was drawn, all alike. The opponent does not
know which one. In each match it plays a best response to what it believes, sees the whole match,
and changes its belief by Bayes' rule.

In the first match the opponent earns what the expected strategy loses. In the long run, when the
play has revealed the seed, it earns what each seed's strategy loses. More knowledge never earns
less on average, so that the losses rise from the first to the second. An opponent could do better
still by playing a worse match to find out more.
"""

from collections.abc import Sequence

import numpy as np

from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.sampling import draw
from hiddenhand.trees.profile import best_response, expected_values, normalised, realisation_plan
from hiddenhand.trees.tree import GameTree


def losses_by_match(
    tree: GameTree,
    profiles: Sequence[Floats],
    value: float,
    matches: int,
    plays: int,
    seed: int = 0,
) -> Floats:
    """``float64[matches]``: what the program loses in each match, added up over both seats, on
    average over plays of the repeated game.

    tree: a zero-sum game of two players, written out.
    profiles: the strategy of the program with each seed, ``float64[S]`` each.
    value: the value of the game for player 0.
    matches: how many matches a repeated game has.
    plays: how many repeated games are played from each seat; the seeds take turns.
    seed: the seed of the moves in them.
    """
    random = np.random.default_rng(seed)
    plans = np.array([realisation_plan(tree, profile) for profile in profiles])
    lost = np.zeros(matches)
    for play in range(plays):
        for seat in range(2):
            opponent = _Opponent(tree, plans, 1 - seat)
            worth = value if seat == 0 else -value
            for match in range(matches):
                profile = opponent.against(profiles[play % len(profiles)])
                lost[match] += worth - float(expected_values(tree, profile)[seat])
                opponent.see(_played(tree, profile, random))
    return lost / plays


class _Opponent:
    """An opponent that learns the seed of a program.

    tree: the game.
    plans: ``float64[K, S]``, the realisation plans of the program with each seed.
    seat: where the opponent sits.
    """

    def __init__(self, tree: GameTree, plans: Floats, seat: int) -> None:
        self._tree = tree
        self._plans = plans
        self._seat = seat
        self._belief = np.full(len(plans), 1.0 / len(plans))

    def against(self, program: Floats) -> Floats:
        """``float64[S]``: ``program``, a profile, in its own seat, and a best response to the
        belief in that of the opponent.
        """
        believed = normalised(self._tree, self._belief @ self._plans)
        response = best_response(self._tree, believed, self._seat).profile
        own = self._tree.sequence_player == self._seat
        return np.where(own, response, program)

    def see(self, end: int) -> None:
        """Learn from a match that went to the terminal history ``end``."""
        sequence = self._tree.terminal_sequence[end, 1 - self._seat]
        belief = self._belief * self._plans[:, sequence]
        self._belief = belief / belief.sum()


def _played(tree: GameTree, profile: Floats, random: np.random.Generator) -> int:
    """The number of a terminal history, drawn by ``profile`` and chance."""
    plan = realisation_plan(tree, profile)
    reach = tree.terminal_chance * plan[tree.terminal_sequence].prod(axis=1)
    return int(draw(reach.tolist(), random.random() * float(reach.sum())))
