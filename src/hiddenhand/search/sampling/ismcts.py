"""Information-set Monte Carlo tree search.

Cowling, Powley and Whitehouse (2012); with modelled beliefs and other selection rules than UCT:
Lisy (2014), "Alternative selection functions for information set Monte Carlo tree search", and
Section 3.2.3 of his thesis. An iteration (Fig. 3.4) starts in a history of the present information
set. It selects actions by the statistics of the information set of the player to move, and adds the
first set that is not in memory. From there it rolls out uniformly at random. It updates all sets on
its path by the payoff of the player who moved there. An evaluation function may stand in for the
rollout (see `search.selection.leaf_values`).

Starts are drawn from the belief (see `belief`): uniformly, or modelled, each history as likely as
the opponents' mean strategies and chance make it (Fig. 3.5). They are drawn in proportion; with
``repetitions`` K > 0 instead as the thesis does, a uniform history for 1 + K p iterations.
Statistics are kept from move to move, whatever histories reach a set. Nothing here converges to an
equilibrium: that is what the papers show.

In the words of 2012 this is a search of multiple observers: each player moves by their own
observations, also those from before the search began. That last part is Lisy's; ``observer``
chooses the algorithms of 2012, which leave it out, see `mo_ismcts`.

Which move UCT makes. The papers say the most visited one. The matches that Lisy, Lanctot and
Bowling (2015) and Lisy (2014) print are those of UCT whose moves are drawn by visit frequencies,
``move="sampled"``: OOS against it wins 47.8 and 48.0 % from the two seats with thinking before
play; printed are 50.0 and 48.8. It wins 61.7 and 46.5 % without; printed in the thesis are 60.8 and
49.4; against the most visited move it wins 45.8 and 42.7 %. What the papers call UCT there is
"ruct". Their program forgets what it knows of an information set when a new history reaches it;
keeping it, as here, makes no difference to these matches.
"""

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.algorithm import Algorithm
from hiddenhand.archives import defect
from hiddenhand.budget import verify_budget
from hiddenhand.errors import FileError, OptionError
from hiddenhand.games.validation.kernel_errors import explaining
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.infoset_table import InformationSetTable, num_sets
from hiddenhand.parameters import parameter
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.belief.belief import DEFAULT_CAP
from hiddenhand.search.belief.known_belief import KnownBelief
from hiddenhand.search.online import mean_or_uniform, one_hot
from hiddenhand.search.sampling.mo_ismcts import (
    OBSERVERS,
    OWNER,
    SINGLE,
    Edges,
    EdgeSearch,
    edge_values,
    for_edges,
    from_one_root,
)
from hiddenhand.search.sampling.ris_mcts import HISTORIES, Redetermined, universes_of
from hiddenhand.search.sampling.tree_search import REPEAT, START, Starts, TreeSearch
from hiddenhand.search.selection.leaf_values import leaves_of
from hiddenhand.search.selection.selectors import Selector, make_selector, verify_settings_of
from hiddenhand.search.table_search import CountingSearch, LeafParameters, unnamed
from hiddenhand.search.traversal import NUM_COUNTERS, Trajectory, trail_moves, trajectory_arrays
from hiddenhand.trees.blueprint import ENOUGH, SetBlueprint
from hiddenhand.trees.strategy import Weights, table_of

BELIEFS: Final = ("uniform", "chance", "modelled")
MOVES_BY: Final = ("most_visited", "sampled")


@dataclass(frozen=True, kw_only=True)
class ISMCTSParameters(LeafParameters):
    """The parameters of `ISMCTS`.

    selector: how actions are chosen, "uct" (UCT, which takes the first of equally good actions),
        "ruct" (UCT, which takes any of them), "exp3" or "exp3p" (exponential weights) or "rm"
        (regret matching); in Python also a `Selector`.
    belief: how likely the histories are that a search starts in, "uniform" (all alike), "chance"
        (as likely as chance makes them, if the others play uniformly) or "modelled" (as likely as
        chance and the strategies found so far make them).
    repetitions: the K of Lisy's thesis: a start is drawn uniformly and used for 1 + K p iterations,
        where p is its probability; 0 draws each start in proportion to p.
    exploration: the constant C of UCT for selectors uct and ruct, at least 0, in units of the
        largest payoff; 2 by default.
    gamma: the share of uniform play in what selectors exp3 and rm choose, above 0 and below 1; by
        default 0.1 for exp3 and 0.2 for rm.
    tie_tolerance: how far apart bounds count as equal for selector ruct, at least 0, in units of
        the largest payoff; 0.01 by default.
    move: how the search chooses its move, "sampled" (drawn from the mean strategy, which for UCT
        are the shares of visits) or "most_visited" (the action with the largest share); by default
        "most_visited" for UCT and "sampled" for the others, which must mix.
    cap: the most histories that the belief keeps; if there are more, a random sample of them is
        kept.
    observer: what the statistics belong to, "owner" (each information set of the player to move),
        "multiple" or "single" (MO-ISMCTS or SO-ISMCTS of 2012, whose searches cannot be written to
        files).
    redetermined: whether an iteration walks the tree once for each player, from a history that this
        player considers possible, as in RIS-MCTS.
    threads: number of streams that search at the same time, on as many cores, at least 1; more than
        1 only with observer "owner" and without redetermined.
    """

    selector: str | Selector = parameter("uct", positional=True)
    belief: str = parameter("uniform", choices=BELIEFS)
    repetitions: int = parameter(0, least=0)
    exploration: float | None = None
    gamma: float | None = None
    tie_tolerance: float | None = None
    move: str | None = parameter(None, choices=MOVES_BY)
    cap: int = parameter(DEFAULT_CAP, least=1)
    observer: str = parameter(OWNER, choices=OBSERVERS)
    redetermined: bool = False
    threads: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        verify_settings_of(
            self.selector,
            exploration=self.exploration,
            gamma=self.gamma,
            tie_tolerance=self.tie_tolerance,
        )
        is_owner = self.observer == OWNER
        if not is_owner and self.belief == "modelled":
            raise OptionError(
                f"belief={self.belief!r} needs observer={OWNER}: trees of what was seen since the "
                "search began do not tell how the others came here"
            )
        if self.redetermined and not (is_owner and self.repetitions == 0):
            raise OptionError(
                f"redetermined=True needs observer={OWNER} and repetitions=0: it draws starts of "
                "its own, for each player"
            )
        is_divided = self.threads > 1 or self.streams not in (None, 1)
        if is_divided and (self.redetermined or not is_owner):
            raise OptionError(
                f"threads={self.threads} with streams={self.streams} needs observer={OWNER} and "
                "redetermined=False: only such searches can be divided into streams; give threads=1"
            )


@Algorithm(
    name="ismcts",
    paper="Cowling, Powley and Whitehouse (2012), Information set Monte Carlo tree search; other "
    "selection rules: Lisý (2014), Alternative selection functions for information set Monte "
    "Carlo tree search; redetermined: Goodman (2019), Re-determinizing information set Monte "
    "Carlo tree search in Hanabi",
    summary="Information-set Monte Carlo tree search: from histories that fit what was seen, with "
    "statistics for each information set.",
    guarantee="none: it is often strong and does not converge to an equilibrium",
)
class ISMCTS(CountingSearch):
    """IS-MCTS for games of any number of players; simultaneous moves are made in turns."""

    PARAMETERS = ISMCTSParameters
    ALGORITHM = "ismcts"
    TRAVERSALS = 1
    COUNTERS = NUM_COUNTERS + 2

    settings: ISMCTSParameters
    blueprint: SetBlueprint | None = None
    """The strategy that the others are taken to have played so far; None for what ``belief`` says.
    """

    def _prepare(self) -> None:
        super()._prepare()
        given = self.settings
        self._leaves = leaves_of(self.game, given.evaluation)
        if given.redetermined:
            self.TRAVERSALS = self.game.num_players
        self.selector = (
            make_selector(
                given.selector,
                self.game,
                exploration=given.exploration,
                gamma=given.gamma,
                tie_tolerance=given.tie_tolerance,
            )
            if isinstance(given.selector, str)
            else given.selector
        )
        self._by_sets = given.observer == OWNER
        if not self._by_sets:
            self.selector = for_edges(self.selector)
            self._edges = Edges.of(self.game, self.selector.PER_ACTION)
        usual = "most_visited" if self.selector.MOST_VISITED else "sampled"
        self.settings = replace(given, move=given.move or usual)
        self._path = Trajectory(**trajectory_arrays(self.game))

    # --- a match ---

    def _forget(self, own: np.random.SeedSequence) -> None:
        super()._forget(own)
        if self.settings.redetermined:
            self._random = np.random.default_rng(own.spawn(1)[0])
        self._roots: dict[int, list[int]] = {}  # with edges: the actions where it was searched from

    def _empty_table(self) -> InformationSetTable:
        if not isinstance(self.belief, KnownBelief) or self._streams.count > 1:
            return super()._empty_table()
        # Where little is searched in each of millions of sets, most of the time would be spent on
        # new tables.
        table = self.table
        table.values[: table.starts[num_sets(table)]] = 0.0
        table.slots[:] = 0
        table.counts[:] = 0
        return table

    @property
    def can_start_from(self) -> bool:
        """See `StartsFrom`: other variants ask what led to the histories."""
        given = self.settings
        return self._by_sets and given.belief != "modelled" and not given.redetermined

    @property
    def searches_chance(self) -> bool:
        """Whether it finds something where chance moves first: see `verify_searchable`. With edges
        it has a strategy where it searched from only.
        """
        return self._by_sets

    def _arrive(self) -> None:
        if self.belief.is_alive:
            self._starts_from(self._weights_of_histories())

    def _weights_of_histories(self) -> Floats:
        """``float64[F]``: how likely the histories of the belief are."""
        if self.blueprint is not None:
            trie = self.belief.trie
            known = self.blueprint.among(trie.key[trie.player >= 0], ENOUGH)
            return self.belief.modelled(table_of(known), 0)
        if self.settings.belief == "modelled":
            return self.belief.modelled(self.table, self.selector.STRATEGY)
        if self.settings.belief == "chance":
            return self.belief.by_chance()
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
        if self._by_sets:
            return super().policy(num_actions)
        key = self.belief.information_key
        sums = self._sums_at(key) if key in self._roots else np.zeros(num_actions)
        return self._move_probabilities(sums)

    def _move_probabilities(self, weights: Floats) -> Floats:
        most = self.settings.move == "most_visited"
        return one_hot(weights) if most else mean_or_uniform(weights)

    def weights(self) -> Weights:
        """See `TableSearch.weights`. With edges, those of the sets that were searched from."""
        if self._by_sets:
            return super().weights()
        found = Weights.of({key: self._sums_at(key) for key in self._roots})
        return replace(found, visits=found.mass)

    # --- what `TableSearch` asks for ---

    def _parameters(self) -> dict[str, Any]:
        given = super()._parameters()
        if not isinstance(given["selector"], str):
            raise unnamed(self.selector)
        if given.pop("observer") != OWNER:
            raise FileError(
                f"a search with observer={self.settings.observer} cannot be written to a file; "
                "keep its strategy"
            )
        return given

    @property
    def _row(self) -> tuple[int, int]:
        return self.selector.PER_ACTION, self.selector.PER_SET

    @property
    def _strategy_column(self) -> int:
        return self.selector.STRATEGY

    def _restore(self, path: object, arrays: dict[str, npt.NDArray[Any]]) -> None:
        if self._counters[START] >= self._starts.cumulative.size:
            raise defect(path, self.FILE.name, "counters")
        super()._restore(path, arrays)

    def _starts_from(self, weights: Floats) -> None:
        leaves = self.belief.leaves
        keys = leaves.keys if self._by_sets else from_one_root(leaves.keys, self.seat)
        self._starts = Starts(
            leaves.state, keys, np.cumsum(weights) / weights.sum(), self.settings.repetitions
        )
        self._counters[START] = self._counters[REPEAT] = 0
        if self.settings.redetermined:
            with explaining(self.game):
                self._universes, self._leaf_of = universes_of(
                    self.belief, weights, self._random, self._rng
                )

    def _way(self) -> list[int]:
        start = int(self._path.trail[1])
        if self.settings.redetermined:
            # of a walk of another player, the moves to the universe itself
            start = int(self._leaf_of[start // (self.game.num_players * HISTORIES)])
        return [*self.belief.moves_to(start), *trail_moves(self._path.trail)]

    def _traversal(self) -> TreeSearch:
        parts = self._in_common() | {
            "selector": self._selector_of_streams(self.selector),
            "starts": self._starts,
        }
        if self.settings.redetermined:
            learns = np.zeros(self.game.num_players, np.bool_)
            return Redetermined(**parts, universes=self._universes, seat=self.seat, learns=learns)
        if self._by_sets:
            return TreeSearch(**parts)
        return EdgeSearch(
            **parts, edges=self._edges, seat=self.seat, single=self.settings.observer == SINGLE
        )

    # --- trees of edges ---

    def _note_root(self) -> None:
        """Remember the information set that is searched from, if it is the searcher's."""
        leaves = self.belief.leaves
        if self._by_sets or self.belief.trie.player[leaves.node[0]] != self.seat:
            return
        actions = self.game.actions_of(leaves.state[0], self.seat)
        self._roots[self.belief.information_key] = actions

    def _sums_at(self, key: int) -> Floats:
        """The strategy's sums in an information set in which a search began."""
        return edge_values(self.table, key, self._roots[key], self.selector.STRATEGY)
