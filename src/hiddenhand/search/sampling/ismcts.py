"""Information-set Monte Carlo tree search.

Cowling, Powley and Whitehouse (2012); with modelled beliefs and other selection rules than UCT:
Lisy (2014), "Alternative selection functions for information set Monte Carlo tree search", and
Section 3.2.3 of his thesis. An iteration (Fig. 3.4) starts in a history of the present information
set. It selects actions by the statistics of the information set of the player to move, and adds the
first set that is not in memory. From there it rolls out uniformly at random. It updates all sets on
its path by the payoff of the player who moved there. An evaluation function may stand in for the
rollout (see `leaves`).

Starts are drawn from the belief (see `belief`): uniformly, or modelled, each history as likely as
the opponents' mean strategies and chance make it (Fig. 3.5). They are drawn in proportion; with
``repetitions`` K > 0 instead as the thesis does, a uniform history for 1 + K p iterations.
Statistics are kept from move to move, whatever histories reach a set. Nothing here converges to an
equilibrium: that is what the papers show.

In the words of 2012 this is a search of multiple observers: each player moves by their own
observations, also those from before the search began. That last part is Lisy's; ``observer``
chooses the algorithms of 2012, which leave it out, see `observers`.

Which move UCT makes. The papers say the most visited one. The matches that Lisy, Lanctot and
Bowling (2015) and Lisy (2014) print are those of UCT whose moves are drawn by visit frequencies,
``move="sampled"``: OOS against it wins 47.8 and 48.0 % from the two seats with thinking before
play; printed are 50.0 and 48.8. It wins 61.7 and 46.5 % without; printed in the thesis are 60.8 and
49.4; against the most visited move it wins 45.8 and 42.7 %. What the papers call UCT there is
"ruct". Their program forgets what it knows of an information set when a new history reaches it;
keeping it, as here, makes no difference to these matches.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.archives import defect
from hiddenhand.budget import verify_budget
from hiddenhand.compiled.arrays import Floats
from hiddenhand.compiled.random import new_state, seed_sequence
from hiddenhand.compiled.table import MISSING, new_table, num_sets
from hiddenhand.errors import FileError, OptionError
from hiddenhand.games.base import Game
from hiddenhand.games.checking.conformance import verify_rules
from hiddenhand.games.checking.kernel_errors import explaining
from hiddenhand.games.history import Event
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.belief.belief import DEFAULT_CAP, Belief
from hiddenhand.search.belief.known import KnownBelief
from hiddenhand.search.online import InfosetRoot, mean_or_uniform
from hiddenhand.search.rules.leaves import leaves_of
from hiddenhand.search.rules.selectors import Selector, make_selector
from hiddenhand.search.sampling.observers import (
    OBSERVERS,
    OWNER,
    SINGLE,
    Edges,
    EdgeSearch,
    edge_values,
    for_edges,
    from_one_root,
)
from hiddenhand.search.sampling.redetermining import HISTORIES, Redetermined, universes_of
from hiddenhand.search.sampling.tree_search import REPEAT, START, Starts, TreeSearch
from hiddenhand.search.thinking import DEFAULT_MEMORY, TableSearch, verify_memory
from hiddenhand.search.traversal import (
    ITERATIONS,
    NUM_COUNTERS,
    Trajectory,
    trail_moves,
    trajectory_arrays,
)
from hiddenhand.trees.blueprint import ENOUGH, SetBlueprint
from hiddenhand.trees.strategy import Strategy, Weights, strategy_from_weights, table_of

BELIEFS: Final = ("uniform", "modelled")
MOVES_BY: Final = ("most_visited", "sampled")


class ISMCTS(TableSearch):
    """IS-MCTS for games of any number of players; simultaneous moves are made in turns.

    Equal seeds and equal numbers of iterations give equal results to the last bit.

    game: the game.
    selector: how actions are chosen, "uct" (UCT, which takes the first of equally good actions),
        "ruct" (UCT, which takes any of them), "exp3" or "exp3p" (exponential weights) or "rm"
        (regret matching); in Python also a `Selector`.
    belief: how likely the histories are that a search starts in, "uniform" (all alike) or
        "modelled" (as likely as the strategies found so far make them).
    repetitions: the K of Lisy's thesis, at least 0: a start is drawn uniformly and used for 1 + K p
        iterations, where p is its probability; 0 draws each start in proportion to p.
    exploration: the constant C of UCT for selectors uct and ruct, at least 0, in units of the
        largest payoff; 2 by default.
    gamma: the share of uniform play in what selectors exp3 and rm choose, above 0 and below 1; by
        default 0.1 for exp3 and 0.2 for rm.
    tie_tolerance: how far apart bounds count as equal for selector ruct, at least 0, in units of
        the largest payoff; 0.01 by default.
    move: how the search chooses its move, "sampled" (drawn from the mean strategy, which for UCT
        are the shares of visits) or "most_visited" (the action with the largest share); by default
        "most_visited" for UCT and "sampled" for the others, which must mix.
    cap: the most histories that the belief keeps, at least 1; if there are more, a random sample of
        them is kept.
    memory: bytes that the tables may take, also while they grow.
    seed: the seed of the random numbers, a whole number of at least 0.
    evaluation: whether the game's evaluation function gives the value where memory ends, instead of
        a random rollout to the end of the game.
    observer: what the statistics belong to, "owner" (each information set of the player to move),
        "multiple" or "single" (MO-ISMCTS or SO-ISMCTS of 2012, whose searches cannot be written to
        files).
    redetermined: whether an iteration walks the tree once for each player, from a history that this
        player considers possible, as in RIS-MCTS.
    threads: number of streams that search at the same time, on as many cores, at least 1; more than
        1 only with observer "owner" and without redetermined.
    streams: number of streams, at least 1; by default as many as threads.
    chunk: the most iterations that each stream makes before all streams are merged, at least 1;
        1048576 by default.
    """

    ALGORITHM = "ismcts"
    TRAVERSALS = 1

    blueprint: SetBlueprint | None = None
    """The strategy that the others are taken to have played so far; None for what ``belief`` says.
    """

    def __init__(
        self,
        game: Game | str,
        selector: str | Selector = "uct",
        *,
        belief: str = "uniform",
        repetitions: int = 0,
        exploration: float | None = None,
        gamma: float | None = None,
        tie_tolerance: float | None = None,
        move: str | None = None,
        cap: int = DEFAULT_CAP,
        memory: int = DEFAULT_MEMORY,
        seed: int = 0,
        evaluation: bool = False,
        observer: str = OWNER,
        redetermined: bool = False,
        threads: int = 1,
        streams: int | None = None,
        chunk: int | None = None,
    ) -> None:
        self.game = as_sequential(game)
        verify_rules(self.game)
        self.evaluation = evaluation
        self._leaves = leaves_of(self.game, evaluation)
        if belief not in BELIEFS:
            raise OptionError(
                f"belief={belief!r} is not allowed; choose one of: {', '.join(BELIEFS)}"
            )
        if repetitions < 0:
            raise OptionError(f"repetitions={repetitions} is not allowed; give at least 0")
        if move not in (None, *MOVES_BY):
            raise OptionError(f"move={move!r} is not allowed; choose one of: {', '.join(MOVES_BY)}")
        if observer not in OBSERVERS:
            raise OptionError(
                f"observer={observer!r} is not allowed; choose one of: {', '.join(OBSERVERS)}"
            )
        if observer != OWNER and belief != "uniform":
            raise OptionError(
                f"belief={belief!r} needs observer={OWNER}: trees of what was seen since the "
                "search began do not tell how the others came here"
            )
        if redetermined and (observer != OWNER or repetitions > 0):
            raise OptionError(
                f"redetermined=True needs observer={OWNER} and repetitions=0: it draws starts of "
                "its own, for each player"
            )
        if (threads > 1 or streams not in (None, 1)) and (redetermined or observer != OWNER):
            raise OptionError(
                f"threads={threads} with streams={streams} needs observer={OWNER} and "
                "redetermined=False: only such searches can be divided into streams; give threads=1"
            )
        self.redetermined = redetermined
        if redetermined:
            self.TRAVERSALS = self.game.num_players
        own = {"exploration": exploration, "gamma": gamma, "tie_tolerance": tie_tolerance}
        self._named = {"selector": selector, **own}
        self.selector = (
            make_selector(selector, self.game, **own) if isinstance(selector, str) else selector
        )
        self.observer = observer
        if observer != OWNER:
            self.selector = for_edges(self.selector)
            self._edges = Edges.of(self.game, self.selector.PER_ACTION)
        self.move = move or ("most_visited" if self.selector.MOST_VISITED else "sampled")
        self.belief_model = belief
        self.repetitions = repetitions
        self.cap = cap
        self.memory = verify_memory(memory)
        self._divide(threads, streams, chunk)
        self._path = Trajectory(**trajectory_arrays(self.game))
        self.start(0, seed)

    # --- a match ---

    def start(self, seat: int, seed: int) -> None:
        """Forget everything; a match begins, seen from ``seat``."""
        table_seed, belief_seed = seed_sequence(seed).spawn(2)
        self.seat = seat
        self.seed = seed
        self.table = new_table(
            per_action=self.selector.PER_ACTION,
            per_set=self.selector.PER_SET,
            rows=self.TRAVERSALS,
            row_actions=self.game.max_actions,
        )
        self.belief = Belief(self.game, seat, cap=self.cap, seed=belief_seed)
        self._rng = new_state(table_seed)
        self._random = np.random.default_rng(table_seed.spawn(1)[0])
        self._counters = np.zeros(NUM_COUNTERS + 2, np.int64)
        self._seconds = 0.0
        self._roots: dict[int, list[int]] = {}  # with edges: the actions where it was searched from
        self._shared = 0
        self._streams.start(seed)
        self._starts_from(np.ones(1))

    @property
    def can_start_from(self) -> bool:
        """See `StartsFrom`: other variants ask what led to the histories."""
        return self.observer == OWNER and self.belief_model == "uniform" and not self.redetermined

    def start_from(self, root: InfosetRoot, seed: int) -> None:
        """See `StartsFrom.start_from`. It uses the table again: where little is searched in each of
        millions of sets, most of the time would be spent on a new one.
        """
        if self._streams.count > 1:
            self.start(root.seat, seed)
        else:
            self.seat, self.seed = root.seat, seed
            self._rng = new_state(seed_sequence(seed).spawn(1)[0])
            self._counters[:] = 0
            self._seconds = 0.0
            table = self.table
            table.values[: table.starts[num_sets(table)]] = 0.0
            table.slots[:] = 0
            table.counts[:] = 0
        self.belief = KnownBelief(self.game, root)
        self._starts_from(self.belief.uniform())

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """Move the belief on by what the player noticed. See `OnlineSearch.notice`."""
        with explaining(self.game, self.belief.way):
            self.belief.notice(events, seconds, iterations)
            if self.belief.is_alive:
                self._starts_from(self._weights_of_histories())

    def _weights_of_histories(self) -> Floats:
        """``float64[F]``: how likely the histories of the belief are."""
        if self.blueprint is not None:
            trie = self.belief.trie
            known = self.blueprint.among(trie.key[trie.player >= 0], ENOUGH)
            return self.belief.modelled(table_of(known), 0)
        if self.belief_model == "modelled":
            return self.belief.modelled(self.table, self.selector.STRATEGY)
        return self.belief.uniform()

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Search on from the present information set. If nothing consistent with it is known any
        more, there is nothing to search.
        """
        iterations, seconds = verify_budget(iterations, seconds)
        if self.belief.is_alive:
            self._note_root()
            super().think(iterations, seconds, progress)

    def policy(self, num_actions: int) -> Floats:
        """The mean strategy, or the action with most of it; uniform in an information set that is
        not in memory.
        """
        if self.observer != OWNER:
            sums = self._sums_at(self.belief.information_key)
            return _move_probabilities(
                np.zeros(num_actions) if sums is None else sums, self.move == "most_visited"
            )
        row = int(self.table.find(np.uint64(self.belief.information_key)))
        if row == MISSING:
            return mean_or_uniform(np.zeros(num_actions))
        first = row + self.selector.STRATEGY * num_actions
        return _move_probabilities(
            self.table.values[first : first + num_actions], self.move == "most_visited"
        )

    def count_samples(self) -> None:
        """What is accumulated counts samples in any case: each adds 1."""

    def weights(self) -> Weights:
        """See `TableSearch.weights`. With edges, those of the sets that were searched from."""
        found = super().weights() if self.observer == OWNER else self._root_weights()
        return replace(found, visits=found.mass)

    def strategy(self) -> Strategy:
        """See `TableSearch.strategy`."""
        if self.observer == OWNER:
            return super().strategy()
        return strategy_from_weights(self.game, self.weights())

    def thought(self) -> Mapping[str, float]:
        """Iterations, information sets, histories in the belief, whether it is a sample, times that
        nothing was left of it.
        """
        return {
            "iterations": int(self._counters[ITERATIONS]),
            "information sets": num_sets(self.table),
            "belief": self.belief.leaves.size,
            "sampled": float(self.belief.is_sample),
            "recoveries": self.belief.recoveries,
        }

    # --- what `TableSearch` asks for ---

    def _parameters(self) -> dict[str, Any]:
        if not isinstance(self._named["selector"], str):
            raise FileError(
                f"a search by {self.selector} cannot be written to a file; name one of our "
                "selection rules, or keep the search's strategy"
            )
        if self.observer != OWNER:
            raise FileError(
                f"a search with observer={self.observer} cannot be written to a file; keep its "
                "strategy"
            )
        others = {
            name: getattr(self, name)
            for name in (
                "repetitions",
                "move",
                "cap",
                "memory",
                "seed",
                "evaluation",
                "redetermined",
            )
        }
        return {**self._named, "belief": self.belief_model, **others}

    @property
    def _strategy_column(self) -> int:
        return self.selector.STRATEGY

    def _restore(self, path: object, arrays: dict[str, npt.NDArray[Any]]) -> None:
        if self._counters[START] >= self._starts.cumulative.size:
            raise defect(path, self.FILE.name, "counters")
        super()._restore(path, arrays)

    def _starts_from(self, weights: Floats) -> None:
        leaves = self.belief.leaves
        keys = leaves.keys if self.observer == OWNER else from_one_root(leaves.keys, self.seat)
        self._starts = Starts(
            leaves.state, keys, np.cumsum(weights) / weights.sum(), self.repetitions
        )
        self._counters[START] = self._counters[REPEAT] = 0
        if self.redetermined:
            with explaining(self.game):
                self._universes, self._leaf_of = universes_of(
                    self.belief, weights, self._random, self._rng
                )

    def _events_forgotten(self) -> int:
        return self.belief.num_events

    def _way(self) -> list[int]:
        start = int(self._path.trail[1])
        if self.redetermined:  # of a walk of another player, the moves to the universe itself
            start = int(self._leaf_of[start // (self.game.num_players * HISTORIES)])
        return [*self.belief.moves_to(start), *trail_moves(self._path.trail)]

    def _traversal(self) -> TreeSearch:
        parts: dict[str, Any] = {
            "game": self.game,
            "table": self.table,
            "path": self._path,
            "leaves": self._leaves,
            "rng": self._rng,
            "counters": self._counters,
            "selector": self._selector_of_streams(self.selector),
            "starts": self._starts,
        }
        if self.redetermined:
            learns = np.zeros(self.game.num_players, np.bool_)
            return Redetermined(**parts, universes=self._universes, seat=self.seat, learns=learns)
        if self.observer == OWNER:
            return TreeSearch(**parts)
        return EdgeSearch(
            **parts, edges=self._edges, seat=self.seat, single=self.observer == SINGLE
        )

    # --- trees of edges ---

    def _note_root(self) -> None:
        """Remember the information set that is searched from, if it is the searcher's."""
        leaves = self.belief.leaves
        if self.observer == OWNER or self.belief.trie.player[leaves.node[0]] != self.seat:
            return
        actions = self.game.actions_of(leaves.state[0], self.seat)
        self._roots[self.belief.information_key] = actions

    def _sums_at(self, key: int) -> Floats | None:
        """The strategy's sums in an information set; None if no search began there."""
        if key not in self._roots:
            return None
        return edge_values(self.table, key, self._roots[key], self.selector.STRATEGY)

    def _root_weights(self) -> Weights:
        roots, column = self._roots.items(), self.selector.STRATEGY
        return Weights.of(
            {key: edge_values(self.table, key, actions, column) for key, actions in roots}
        )


def _move_probabilities(weights: Floats, most_visited: bool) -> Floats:
    if most_visited:
        chosen = np.zeros(weights.size)
        chosen[int(np.argmax(weights))] = 1.0
        return chosen
    return mean_or_uniform(weights)
