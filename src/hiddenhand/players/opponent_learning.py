"""A player that searches with a model of the opponent, which it learns from match to match.

After each match the player goes through all histories that fit what it saw. Each history has a
weight: how likely it is by chance and by the model so far. The player adds this weight to the
counts of the actions that the opponent took there, each in its information set. So a card that was
never shown is shared out among all cards that it may have been, as in a step of expectation and
maximisation (Dempster, Laird and Rubin 1977). The model in an information set is these counts,
together with uniform play that counts as much as `PRIOR` times.

All of it follows from what the player saw in earlier matches. The record of a tournament has their
moves, so a tournament that is continued, or played again, learns the same.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event, History
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.arrays import Floats
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.belief.history_trie import likelihoods, step_probabilities
from hiddenhand.search.making import MakeSearch
from hiddenhand.search.opponent_model import UNIFORM, Model
from hiddenhand.trees.strategy import Strategy, Weights, strategy_from_weights

LEARNED: Final = "learned"
OPPONENT: Final = "opponent"
"""The parameter of searches that have a model of the opponent."""
PRIOR: Final = 5.0
"""How many times the opponent is taken to have played at random in each set, before any match."""
_HISTORIES: Final = 20_000  # that are looked at of a match, at most


class Learned:
    """What was seen of the opponent of ``seat`` in matches of ``game``.

    matches: how many.
    """

    def __init__(self, game: Game, seat: int) -> None:
        self.game = as_sequential(game)
        self.seat = seat
        self.matches = 0
        self._counts: dict[int, Floats] = {}

    def strategy(self) -> Strategy:
        """What is believed of the opponent, in the sets that were met."""
        rows = {key: row + PRIOR / row.size for key, row in sorted(self._counts.items())}
        return strategy_from_weights(self.game, Weights.of(rows))

    def add(self, events: Sequence[Event]) -> None:
        """Learn from a match. ``events``: all that the player noticed in it."""
        self.matches += 1
        belief = Belief(self.game, self.seat, cap=_HISTORIES, seed=self.matches)
        belief.end(events)
        leaves, trie = belief.leaves, belief.trie
        if not leaves.size:
            return  # a sample may have missed what happened
        table = Model(self.strategy(), None, 0.0, gifts=False).table
        likely = likelihoods(trie, self.seat, step_probabilities(trie, table, 0))[leaves.node]
        likely = likely * leaves.weight
        if not likely.sum() > 0.0:
            return
        mass = np.bincount(leaves.node, likely / likely.sum(), trie.size)
        opponent = 1 - self.seat
        for node in range(trie.size - 1, 0, -1):
            before = int(trie.parent[node])
            mass[before] += mass[node]
            if trie.player[before] == opponent and mass[node] > 0.0:
                counts = self._counts.setdefault(
                    int(trie.key[before]), np.zeros(int(trie.num_actions[before]))
                )
                counts[int(trie.index[node])] += mass[node]

    def add_moves(self, moves: Sequence[int]) -> None:
        """Learn from a match whose ``moves`` are known. Only what the seat notices counts."""
        history, events = History(self.game), []
        for move in moves:
            history = history.child(move)
            if event := history.noticed(self.seat):
                events.append(event)
        self.add(events)


class LearningPlayer(SearchPlayer):
    """Plays by a search that has a model of the opponent. The player learns the model: unlike other
    players, it remembers earlier matches of the same game in the same seat.

    make_search: makes the search for a game; its parameter ``opponent`` is set here.
    budget: this player's own budget for each move; None for the budget of the match.

    Its ``learned`` is what is known so far; None before the first match.
    """

    learned: Learned | None = None

    def __init__(self, make_search: MakeSearch, budget: Budget | None = None) -> None:
        self._named = make_search
        super().__init__(self._answering(UNIFORM), budget)

    def start(self, game: Game, seat: int, seed: int) -> None:
        if self.learned is None or (self.learned.game, self.learned.seat) != (game, seat):
            self.learned = Learned(game, seat)
        if self.learned.matches:
            self._for_match = self._answering(self.learned.strategy())
        self._noticed: list[Event] = []
        super().start(game, seat, seed)

    def follow(self, events: Sequence[Event]) -> None:
        self._noticed.extend(events)
        super().follow(events)

    def end(self, events: Sequence[Event], payoff: float) -> None:
        """Learn from the match."""
        assert self.learned is not None
        self.learned.add([*self._noticed, *events])
        super().end(events, payoff)

    def _answering(self, opponent: Strategy | str) -> MakeSearch:
        others = (one for one in self._named.arguments if one[0] != OPPONENT)
        return replace(self._named, arguments=(*others, (OPPONENT, opponent)))
