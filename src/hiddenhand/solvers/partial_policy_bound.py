"""A lower bound on what can be won from a player whose first moves are known, and that may play
anything later.

Of a strategy only an *opening* is known: what it plays in some information sets, together with all
sets in which the same player moved before. All strategies with this opening form a game in which
that player chooses the rest, knowing the own opening, and the opponent answers. The value of this
game to the opponent is what a best response to any such strategy earns at least. So running a
search in a few public states can show that it is exploitable.

In sequence form that game needs no histories of its own. With rho(s) the product of the player's
probabilities along a sequence s of the opening, two things change: each set that follows s follows
the empty sequence instead, and all payoffs below s are multiplied by rho(s).
"""

from dataclasses import replace
from typing import Final

import numpy as np

from hiddenhand.games.base import verify_constant_sum
from hiddenhand.jit.arrays import Flags, Floats, Integers
from hiddenhand.solvers.cfr import CFR
from hiddenhand.trees.profile import best_response, realisation_plan
from hiddenhand.trees.tree import GameTree

_VARIANT: Final = "pdcfr+"
_ITERATIONS: Final = 2000
_PRECISION: Final = 1e-5  # of the largest payoff


def opening_of(tree: GameTree, known: Flags) -> Flags:
    """``bool[I]``: which of the ``known`` information sets ``bool[I]`` have only known sets of the
    same player before them.
    """
    before = tree.sequence_set[tree.set_parent]
    found = known.copy()
    for number in np.flatnonzero(known):  # a set comes after those before it
        found[number] = before[number] < 0 or found[before[number]]
    return found


def after_opening(tree: GameTree, profile: Floats, player: int, opening: Flags) -> GameTree:
    """The game in which ``player`` plays ``profile`` ``float64[S]`` in the sets ``opening``
    ``bool[I]``, and chooses freely elsewhere. In sequence form: its histories are those of
    ``tree``, and only sequences and terminal histories say that something is fixed. The player's
    sets of the opening are still there, and nothing follows from them.
    """
    fixed = tree.of_sets(opening & (tree.set_player == player))
    plan = realisation_plan(tree, profile)
    last = tree.terminal_sequence[:, player]
    entered = _entered(tree, player, fixed)
    sequences = tree.terminal_sequence.copy()
    sequences[:, player] = np.where(fixed[last], player, last)
    return replace(
        tree,
        set_parent=np.where(fixed[tree.set_parent], player, tree.set_parent).astype(np.int32),
        terminal_sequence=sequences,
        terminal_chance=tree.terminal_chance * plan[entered[last]],
    )


def least_best_responses(tree: GameTree, profile: Floats, opening: Flags) -> Floats:
    """``float64[2]``: what a best response of each player earns at least against an opponent who
    plays ``profile`` ``float64[S]`` in the sets ``opening`` ``bool[I]``, whatever that opponent
    plays elsewhere. Their sum, less that of the payoffs, is at most the nash_conv of any such
    profile.

    The game is solved by CFR, and the bound is taken from the responder's strategy: it holds
    however well that was solved. Raises GameError unless the game is zero-sum for two players.
    """
    verify_constant_sum(tree.game, "a bound from an opening", "another method")
    target = _PRECISION * float(np.abs(tree.utility).max())
    least = np.zeros(2)
    for player in range(2):
        game = after_opening(tree, profile, player, opening)
        run = CFR(game, _VARIANT)
        run.run(_ITERATIONS, target=target)
        most = best_response(game, run.average_profile(), player).value
        least[1 - player] = (tree.game.payoff_sum or 0.0) - most
    return least


def _entered(tree: GameTree, player: int, fixed: Flags) -> Integers:
    """``int64[S]``: for each sequence of ``player`` the last fixed one on the way there, itself
    included; the empty sequence where there is none.
    """
    entered = np.full(tree.num_sequences, player, np.int64)
    for number in tree.sets_of(player):
        own = slice(tree.set_start[number], tree.set_start[number + 1])
        before = entered[tree.set_parent[number]]
        entered[own] = np.where(fixed[own], np.arange(own.start, own.stop), before)
    return entered
