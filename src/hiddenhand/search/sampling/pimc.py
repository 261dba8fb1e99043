"""Perfect-information Monte Carlo: guess what is hidden, solve the game as if all saw everything,
and average.

Levy (1989); Ginsberg (2001), "GIB: imperfect information in a computationally challenging game";
Frank and Basin (1998) name its weaknesses, strategy fusion and non-locality. It is here as a
baseline. A determinisation is a history drawn from the belief, as likely as chance makes it, and
the others if they play uniformly. From there UCT searches the game with everything public, for a
number of simulations; then the mean value of each action is added up. The move is the action of the
highest sum.

In a determinisation of a game with simultaneous moves, the searcher sees what the others chose in
the same round: strategy fusion at its worst.

With ``depth`` above 1 this is EPIMC (Arjonilla, Saffidine and Cazenave 2024), which lets players
see everything only from a later decision on: see `epimc`.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from hiddenhand.algorithm import Algorithm
from hiddenhand.budget import Budget
from hiddenhand.games.base import Game, State
from hiddenhand.games.constant_sum import as_zero_sum
from hiddenhand.games.validation.kernel_errors import explaining
from hiddenhand.games.wrapped import Wrapped
from hiddenhand.jit.arrays import Floats, Integers, Keys
from hiddenhand.jit.infoset_table import left_as_it_is, new_table
from hiddenhand.parameters import parameter
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.search.belief.belief import DEFAULT_CAP
from hiddenhand.search.belief_search import BeliefSearch, SearchParameters
from hiddenhand.search.exclusive_use import alone
from hiddenhand.search.online import mean_or_uniform, one_hot
from hiddenhand.search.sampling.epimc import Position, backed_up, continued, frontier
from hiddenhand.search.sampling.tree_search import Starts, TreeSearch
from hiddenhand.search.selection.leaf_values import PlayOn
from hiddenhand.search.selection.selectors import make_selector
from hiddenhand.search.traversal import (
    ITERATIONS,
    NUM_COUNTERS,
    Trajectory,
    run,
    trail_moves,
    trajectory_arrays,
)
from hiddenhand.text import one_line
from hiddenhand.trees.strategy import Weights

_ROOT: Final = 0  # the first row of the table of a determinisation


@dataclass(frozen=True)
class PerfectInformation(Wrapped):
    """``game``, whose players move one at a time, with every move made in public.

    Observations (public): 1 + action.
    """

    around_any = True

    def inner_state(self, state: State) -> State:
        """All of ``state``, which has no entries of its own. Faster than a view of it."""
        return state

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        self.game.apply_action(state, action, observations)
        observations[:] = 0
        observations[-1] = 1 + action

    def information(self, state: State, player: int, key: int) -> int:
        return key

    def render(self, state: State, player: int) -> str:
        return "\n".join(self.game.render(state, observer) for observer in range(self.num_players))


@dataclass(frozen=True, kw_only=True)
class PIMCParameters(SearchParameters):
    """The parameters of `PIMC`.

    simulations: number of simulations of UCT in each determinisation; fewer in some, all about
        alike, where they do not divide the iterations.
    cap: the most histories that the belief keeps.
    depth: the decision, counted from the present one, from which on players see everything; 1 is
        PIMC, and more, for zero-sum games of two players, is EPIMC, which divides the simulations
        of a determinisation among all ways to that decision.
    """

    simulations: int = parameter(1000, least=1)
    cap: int = parameter(DEFAULT_CAP, least=1)
    depth: int = parameter(1, least=1)


@Algorithm(
    name="pimc",
    paper="Levy (1989); Ginsberg (2001), GIB: imperfect information in a computationally "
    "challenging game; with depth above 1, EPIMC: Arjonilla, Saffidine and Cazenave (2024), "
    "Perfect information Monte Carlo with postponing reasoning",
    summary="Perfect-information Monte Carlo: draws what is hidden, searches as if all players "
    "saw everything, and averages. A baseline.",
    guarantee="none: strategy fusion and non-locality keep it from equilibrium (Frank and Basin "
    "1998)",
    searches_chance=False,
)
class PIMC(BeliefSearch):
    """PIMC for games of any number of players; simultaneous moves are made in turns.

    Nothing is kept from move to move but the belief.
    """

    PARAMETERS = PIMCParameters
    ALGORITHM: ClassVar[str] = "pimc"

    settings: PIMCParameters

    def _form_of(self, game: Game | str) -> Game:
        if self.settings.depth == 1:
            return super()._form_of(game)
        return as_zero_sum(game, "pimc with depth above 1", "depth=1")

    def _prepare(self) -> None:
        self._open = PerfectInformation(self.game)
        self._selector = make_selector("ruct", self.game)
        self._path = Trajectory(**trajectory_arrays(self._open))

    def __repr__(self) -> str:
        return one_line(self, self.game, f"{self.settings.simulations:,} simulations each time")

    def _forget(self, own: np.random.SeedSequence) -> None:
        self._random = np.random.default_rng(own.spawn(1)[0])
        self._sums: dict[
            int, Floats
        ] = {}  # information set -> sum over determinisations of the mean value of each action
        self._below: tuple[int, ...] = ()  # the moves from a world to where it is searched
        self._postponed: list[Position] = []  # the worlds that were searched since the last event
        self._worlds = 0

    @property
    def can_start_from(self) -> bool:
        """See `StartsFrom`."""
        return self.settings.depth == 1

    def _arrive(self) -> None:
        self._postponed = []
        if self.belief.is_alive:
            self._likelihoods = self.belief.by_chance()

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Search determinisations of the present information set: ``iterations`` simulations in
        all, or for some seconds.
        """
        budget = Budget(iterations, seconds)
        iterations = budget.iterations
        if not self.belief.is_alive or not self._is_to_move():
            return
        most, began = self.settings.simulations, int(self._counters[ITERATIONS])

        def search_a_world(_: int) -> int:
            if iterations is None:
                return self._search_a_world(most)
            left = began + iterations - int(self._counters[ITERATIONS])
            # All determinisations get alike: one with few simulations knows next to nothing, and
            # its values weigh as much as those of the others.
            return self._search_a_world(left // math.ceil(left / most))

        with alone(self), explaining(self.game, self._way):
            try:
                budget.spend(search_a_world, lambda done: progress.update(Report(done, iterations)))
            finally:
                if self._postponed:
                    sums = backed_up(self._postponed, self.settings.depth)
                    self._sums[self.belief.information_key] = sums

    def policy(self, num_actions: int) -> Floats:
        """The action of the highest sum; uniform where nothing was searched."""
        sums = self._sums.get(self.belief.information_key)
        return mean_or_uniform(np.zeros(num_actions)) if sums is None else one_hot(sums)

    def weights(self) -> Weights:
        """The chosen action of each information set that was searched, with weight 1."""
        return Weights.of({key: one_hot(sums) for key, sums in self._sums.items()})

    def _memory(self) -> dict[str, float]:
        return {"determinisations": self._worlds}

    def _way(self) -> list[int]:
        return [*self.belief.moves_to(self._world), *self._below, *trail_moves(self._path.trail)]

    def _search_a_world(self, simulations: int) -> int:
        """One determinisation, with so many simulations. Returns their number."""
        leaves = self.belief.leaves
        self._world = world = int(self._random.choice(leaves.size, p=self._likelihoods))
        n = int(self.belief.trie.num_actions[leaves.node[world]])
        if self.settings.depth == 1:
            means = self._means(leaves.state[world], leaves.keys[world], n, simulations)
            total = self._sums.setdefault(self.belief.information_key, np.zeros(n))
            total += means
        else:
            self._search_below(leaves.state[world], leaves.keys[world], simulations)
        self._counters[ITERATIONS] += simulations
        self._worlds += 1
        return simulations

    def _search_below(self, state: Integers, keys: Keys, simulations: int) -> None:
        """Share simulations out among the positions in which a determinisation is to be seen."""
        root = continued(self.game, state, keys, self.settings.depth, self._random)
        positions = list(frontier(root))
        for number, position in enumerate(positions):
            share = (simulations + number) // len(positions)
            if share > 0:
                self._below = position.moves
                means = self._means(position.state, position.keys, len(position.actions), share)
                position.values = means if position.player == 0 else -means
        self._postponed.append(root)

    def _means(self, state: Integers, keys: Keys, n: int, simulations: int) -> Floats:
        """``float64[n]``: what each action earned the player to move, with everything public; of
        one that was never tried, what the others did.
        """
        table = new_table(
            per_action=self._selector.PER_ACTION,
            sets=simulations + 1,
            values=(simulations + 1) * 2 * self.game.max_actions,
        )
        search = TreeSearch(
            game=self._open,
            table=left_as_it_is(table),
            path=self._path,
            leaves=PlayOn(),
            rng=self._rng,
            counters=np.zeros(NUM_COUNTERS + 2, np.int64),
            selector=self._selector,
            starts=Starts(state[None], keys[None], np.ones(1), 0),
        )
        run(search, simulations)
        visits, sums = table.values[_ROOT : _ROOT + n], table.values[_ROOT + n : _ROOT + 2 * n]
        mean = sums.sum() / visits.sum()
        return np.divide(sums, visits, out=np.full(n, mean), where=visits > 0)
