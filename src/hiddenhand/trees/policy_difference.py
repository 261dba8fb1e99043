"""Where two strategies for a small game differ, and what that costs: `compare`.

With the letters of `profile`, let one strategy play sigma(a) and the other sigma'(a) in an
information set of player p. To play as the other does in this set alone, and as the first
everywhere else, costs p

    r_p(I) * sum over a of (sigma(a) - sigma'(a)) * v_p(I, a),

r_p(I) being the part that p's own moves have in the probability of coming to the set. It is exact,
and may be negative, where the other plays better.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hiddenhand.dataframes import frame
from hiddenhand.games.base import Game
from hiddenhand.text import one_line, rounded
from hiddenhand.trees.profile import (
    counterfactual_values,
    expected_values,
    nash_conv,
    reach_of_others,
    realisation_plan,
)
from hiddenhand.trees.strategy import Strategy
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll


@dataclass(frozen=True)
class Difference:
    """An information set in which two strategies play differently.

    player: who is to move.
    information: what that player sees.
    actions: the names of the legal actions.
    one: the probabilities of these actions in the first strategy.
    other: those in the second.
    distance: half the sum of what the probabilities differ by, from 0 to 1.
    reach: the probability that a match with the first strategy in all seats comes here.
    cost: what the player loses, on average over matches, by playing as the second strategy in this
        set alone. It is negative where the second plays better.
    """

    player: int
    information: str
    actions: tuple[str, ...]
    one: tuple[float, ...]
    other: tuple[float, ...]
    distance: float
    reach: float
    cost: float

    def __str__(self) -> str:
        played = "  ".join(
            f"{action} {p:.1%} -> {q:.1%}"
            for action, p, q in zip(self.actions, self.one, self.other, strict=True)
        )
        seen = self.information.replace("\n", "; ")
        return f"player {self.player + 1}, {seen}: {played}  (costs {self.cost:.6g})"


@dataclass(frozen=True)
class Comparison:
    """Two strategies beside each other. It prints as text.

    differences: the sets in which they differ, the most expensive first.
    values: for each strategy what each player earns if all follow it.
    nash_conv: of each strategy.
    """

    differences: tuple[Difference, ...]
    values: tuple[tuple[float, ...], tuple[float, ...]]
    nash_conv: tuple[float, float]

    def __repr__(self) -> str:
        gaps = " and ".join(map(rounded, self.nash_conv))
        return one_line(self, f"{len(self.differences):,} differences", f"nash_conv {gaps}")

    def __str__(self) -> str:
        head = f"nash_conv {self.nash_conv[0]:.6g} and {self.nash_conv[1]:.6g}"
        return "\n".join([head, *map(str, self.differences)])

    def to_frame(self) -> Any:
        """A ``pandas.DataFrame`` with a row for each action in each set in which they differ."""
        return frame(
            {
                "player": row.player,
                "information": row.information,
                "action": action,
                "one": p,
                "other": q,
                "distance": row.distance,
                "reach": row.reach,
                "cost": row.cost,
            }
            for row in self.differences
            for action, p, q in zip(row.actions, row.one, row.other, strict=True)
        )


def compare(
    one: Strategy, other: Strategy, game: GameTree | Game, at_least: float = 1e-9
) -> Comparison:
    """Where ``other`` plays differently from ``one``, and what that costs. Information sets that a
    strategy does not know are played uniformly.

    game: the game of both, or its tree.
    at_least: the distance from which on a set counts as different.

    Raises FileError if a strategy is for another game.
    """
    tree = game if isinstance(game, GameTree) else unroll(game)
    for strategy in (one, other):
        strategy.verify(tree.game, "a strategy")
    first, second = one.on(tree), other.on(tree)
    plan = realisation_plan(tree, first)
    reach = plan[tree.set_parent] * reach_of_others(tree, first)
    values = [counterfactual_values(tree, first, player) for player in range(tree.num_players)]
    found = []
    for number in range(tree.num_sets):
        own = slice(int(tree.set_start[number]), int(tree.set_start[number + 1]))
        distance = float(np.abs(first[own] - second[own]).sum() / 2)
        if distance < at_least:
            continue
        here, player = tree.describe(number), int(tree.set_player[number])
        cost = plan[tree.set_parent[number]] * ((first - second)[own] @ values[player][own])
        found.append(
            Difference(
                player=player,
                information=here.information,
                actions=tuple(here.actions),
                one=tuple(first[own].tolist()),
                other=tuple(second[own].tolist()),
                distance=distance,
                reach=float(reach[number]),
                cost=float(cost),
            )
        )
    found.sort(key=lambda row: (-row.cost, -row.distance))
    earned = [
        tuple(float(pay) for pay in expected_values(tree, played)) for played in (first, second)
    ]
    return Comparison(
        tuple(found), (earned[0], earned[1]), (nash_conv(tree, first), nash_conv(tree, second))
    )
