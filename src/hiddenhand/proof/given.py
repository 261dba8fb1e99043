"""A search that is told the histories of an information set, and need not look for them.

A search in a match is told events, and finds the histories that explain them from the beginning of
the game on. That takes far longer than a millisecond of search. Whoever walks through the game has
the histories at hand. IS-MCTS and PIMC begin in a history of the set, all of which count alike, and
do not ask how it was come to: so they can be given the histories instead of the events. MMD search
draws a history as often as chance and a blueprint make it. Where the blueprint is uniform play,
the walk has these probabilities, too. The order of the histories is that of the search's own
belief. So where that belief would keep all of them, the search finds the same, bit for bit (MMD
search, whose probabilities are products in another order, nearly always); where it would keep a
sample of a sample, the search gets one sample of all.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.compiled.arrays import Floats
from hiddenhand.compiled.table import InformationSetTable, num_sets
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.players.player import Player
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.proof.finding import InformationSet
from hiddenhand.search.belief.belief import PER_ITERATION, Belief
from hiddenhand.search.belief.trie import Leaves, Trie
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.search.sampling.mmd import MMD
from hiddenhand.search.sampling.observers import OWNER
from hiddenhand.search.sampling.pimc import PIMC

_FEWEST: Final = 1000  # histories that are kept, if there are so many, however short the search is


class GivenBelief(Belief):
    """The histories of one information set, without what led to them.

    game: the game, with moves in turns.
    seat: the player whose set it is.
    here: the set.
    cap: how many histories are kept at most; of more, a random sample.
    seed: decides the sample.
    """

    def __init__(self, game: Game, seat: int, here: InformationSet, cap: int, seed: int) -> None:
        super().__init__(game, seat, cap=cap, seed=seed)
        states = here.part.states.reshape(-1, game.state_size)
        keys = here.part.keys.reshape(-1, game.num_players)
        self._likelihood = here.part.weights
        if self.cap < len(states):
            kept = np.sort(self._random.choice(len(states), self.cap, replace=False))
            states, keys, self.is_sample = states[kept], keys[kept], True
            self._likelihood = self._likelihood[kept]
        count = len(states)
        trie = Trie.empty(count)
        trie.parent[:] = -1
        trie.player[:] = seat
        trie.key[:] = np.uint64(here.key)
        trie.num_actions[:] = len(here.legal_actions)
        with_public = np.zeros((count, game.num_players + 1), np.uint64)  # which nobody asks for
        with_public[:, :-1] = keys
        nodes = np.arange(count, dtype=np.int32)
        leaves = Leaves(nodes, states, with_public, np.zeros(count, np.int32), np.ones(count))
        self._kept = leaves, trie

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """Everything is noticed already."""

    def modelled(self, table: InformationSetTable, column: int) -> Floats:
        """How likely each history is if the others play uniformly, as ``table`` says that they
        do.
        """
        assert num_sets(table) == 0
        return np.asarray(self._likelihood / self._likelihood.sum())


def takes_histories(player: Player, game: Game) -> bool:
    """Whether a player can be given histories instead of events. Where rules are guarded, nobody
    can: the message about a broken rule tells the moves that lead there.
    """
    if not isinstance(player, SearchPlayer) or game.guarded:
        return False
    player.start(game, 0, 0)
    search = player.search
    if isinstance(search, ISMCTS):
        return (
            search.observer == OWNER
            and search.belief_model == "uniform"
            and not search.redetermined
        )
    if isinstance(search, MMD):
        return search.plays_uniformly
    return isinstance(search, PIMC) and search.depth == 1


def answer_in(
    player: Player, seat: int, here: InformationSet, budget: Budget | None, seed: int
) -> Floats:
    """What a player who takes histories does in a set, after a match has begun for them.

    budget: what the search is allowed; the fewer iterations, the fewer histories are kept, as in a
        match.
    seed: decides which.
    """
    assert isinstance(player, SearchPlayer)
    search: Any = player.search
    cap = search.cap
    if budget is not None and budget.iterations is not None:
        cap = min(cap, max(_FEWEST, PER_ITERATION * budget.iterations))
    search.belief = GivenBelief(search.game, seat, here, cap, seed)
    player.follow(())
    return player.policy(here.legal_actions, budget)
