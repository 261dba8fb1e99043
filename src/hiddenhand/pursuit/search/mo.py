"""IS-MCTS for pursuit with limited sight, with merged beliefs ("MO").

Lisy (2014), thesis at the Czech Technical University in Prague, Sections 3.2.3, 5.3.2 and 5.5.1.

1. An iteration starts in a state of the belief: a state is drawn, all alike, and used for 1 + K p
   iterations, if p is its probability.
2. Both players choose by UCT from the statistics of their information sets: who decides, the time,
   the own nodes, and where and when each unit of the other side was seen last. The thesis leaves
   out the time; without it one path can meet a set twice.
3. The first set that is not in memory is added. From there a playout moves all units, up to h moves
   from the root.
4. All sets on the path learn u_P, the logarithm of the mean size of PP since the root.
5. The most visited action is played (the thesis draws by visits: ``move="sampled"``).
6. The belief follows the match, see `merged_belief`. Pursuing units that the evader never saw, or
   that may be on more than ``ignore`` nodes, are left out of the game, see `followed_units`.

Where all pursuing units are left out there is nothing to search: the evader makes the move with the
largest relaxed lookahead. Where no state explains what was noticed, the belief begins anew with all
places that are possible (the thesis moves at random to the end of the match).

Statistics are kept from move to move, as long as the same units are followed.

`JointWalk` is the iteration, and is compiled: Fig. 3.4. Neither player sees the other's choice;
that the evader's unit is moved first makes no difference to the pursuers. u_P is log10 of the mean
size of PP over the moves from the root (Equation 5.12): the evader wants it large, the pursuers
small. That is what the evader cannot know in a match; an iteration knows it, because it knows the
state.

D decisions on a path; A joint actions; Z the size of a state; U units.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from hiddenhand.algorithm import Algorithm
from hiddenhand.errors import GameError
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.games.registry import game_of
from hiddenhand.games.turn_based import TurnBased
from hiddenhand.games.validation.kernel_errors import explaining
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.infoset_table import (
    MISSING,
    InformationSetTable,
    made_ready,
    new_table,
    num_sets,
)
from hiddenhand.jit.random import below, seed_sequence, uniform
from hiddenhand.jit.views import copy_row
from hiddenhand.parameters import parameter
from hiddenhand.pursuit.games.information_model import PursuitModel
from hiddenhand.pursuit.games.layout import EVADER, NODES, SIZE, TIME
from hiddenhand.pursuit.games.visibility import VisibilityPursuit
from hiddenhand.pursuit.search.followed_units import FollowedUnits
from hiddenhand.pursuit.search.merged_belief import States
from hiddenhand.pursuit.search.model_search import ModelParameters, ModelSearch
from hiddenhand.search.online import mean_or_uniform
from hiddenhand.search.selection.leaf_values import PlayOn
from hiddenhand.search.selection.selectors import UCT
from hiddenhand.search.table_search import DEFAULT_MEMORY, verify_memory
from hiddenhand.search.traversal import IN_TREE, MOVES, NUM_COUNTERS, Traversal, iterations_made

NO_RETURN, UNIFORM, INFORMED = range(3)
"""How units move in a playout: not back to the node before; anywhere; or, in a share of playouts,
towards where the evader was seen last, and away from the pursuing units.
"""

START: Final = NUM_COUNTERS
"""Which counter holds the present start."""
REPEAT: Final = NUM_COUNTERS + 1
"""Which counter holds for how many iterations more it is used."""


@dataclass(frozen=True)
class Path(Compiled):
    """Where an iteration is, and how it got there.

    state: ``int64[Z]``.
    before: ``int64[U]``, the node of each unit a move before; -1 at the root.
    observations: ``int64[3]``, room for tokens.
    actions: ``int64[A]``, sigma: ``float64[A]``, room for actions and for the bounds of UCT.
    row, num_actions, chosen, player: ``int64[D]``, for each decision in memory the row of its
        information set, how many actions there are, the number of the one that was taken, and who
        decided.
    """

    state: Integers
    before: Integers
    observations: Integers
    actions: Integers
    sigma: Floats
    row: Integers
    num_actions: Integers
    chosen: Integers
    player: Integers


def path_of(game: VisibilityPursuit) -> Path:
    """A path for ``game``."""
    decisions = 2 * game.moves + 2
    of_decisions = {
        name: np.zeros(decisions, np.int64) for name in ("row", "num_actions", "chosen", "player")
    }
    return Path(
        state=np.zeros(game.state_size, np.int64),
        before=np.zeros(game.num_units, np.int64),
        observations=np.zeros(3, np.int64),
        actions=np.zeros(game.max_actions, np.int64),
        sigma=np.zeros(game.max_actions),
        **of_decisions,
    )


@dataclass(frozen=True)
class JointWalk(Traversal):
    """What an iteration works with; see `Traversal`, of which ``leaves`` is not used.

    selector: how an action is chosen and learnt from.
    starts: the belief in which iterations start.
    repetitions: K: a start is drawn, all alike, and used for 1 + K p iterations, if p is its
        probability.
    depth: how many moves from the root a playout ends.
    playout: NO_RETURN, UNIFORM or INFORMED.
    informed: the share of playouts that are informed, with INFORMED.
    """

    whole = True

    selector: Any
    starts: States
    repetitions: int
    depth: int
    playout: int
    informed: float

    def iterate(self) -> None:
        """From a start to the end of the playout, and back."""
        path, game = self.path, self.game
        copy_row(self.starts.state, self._next_start(), path.state)
        for unit in range(game.num_units):
            path.before[unit] = -1
        is_informed = self.playout == INFORMED and uniform(self.rng) < self.informed
        steps, decisions, total, in_memory = 0, 0, 0, True
        last = min(self.depth, game.moves - path.state[TIME])
        while steps < last:
            for player in range(2):
                row, n = MISSING, 0
                if in_memory:
                    n = game.legal_actions(path.state, player, path.actions)
                    key = game.information(path.state, player, np.uint64(0))
                    row, in_memory = self.find_or_enter(key, n)
                if row != MISSING:
                    a = self.selector.select(self.table.values, row, n, path.sigma, self.rng)
                    path.row[decisions], path.num_actions[decisions] = row, n
                    path.chosen[decisions], path.player[decisions] = a, player
                    self._move(player, path.actions[a])
                    decisions += 1
                else:
                    self._draw_moves(player, is_informed)
            game.pass_time(path.state)
            if in_memory or is_informed:  # else no player reads what was seen
                game.look(path.state, 0, path.observations)
            self.counters[MOVES] += 1
            total += path.state[SIZE]
            steps += 1
        self.counters[IN_TREE] += int(in_memory)
        self._learn(decisions, math.log10(max(total / max(steps, 1), 1.0)))

    def _learn(self, decisions: int, value: float) -> None:
        path = self.path
        for d in range(decisions):
            reward = value if path.player[d] == EVADER else -value
            row, n, a = path.row[d], path.num_actions[d], path.chosen[d]
            self.selector.update(self.table.values, row, n, a, 1.0, reward, path.sigma)

    def _next_start(self) -> int:
        counters, p = self.counters, self.starts.probability
        if counters[REPEAT] == 0:
            counters[START] = below(self.rng, p.size)
            counters[REPEAT] = 1 + int(self.repetitions * p[counters[START]])
        counters[REPEAT] -= 1
        return counters[START]

    def _move(self, player: int, action: int) -> None:
        """Move the player's units by a joint action."""
        first, units = player, 1 if player == EVADER else self.game.pursuers
        for unit in range(first, first + units):
            self.path.before[unit] = self.path.state[NODES + unit]
        self.game.terrain.move(self.path.state, NODES + first, units, action)

    def _draw_moves(self, player: int, is_informed: bool) -> None:
        """Move the player's units as the playout says."""
        exits, state = self.game.terrain.exits, self.path.state
        first, units = player, 1 if player == EVADER else self.game.pursuers
        for unit in range(first, first + units):
            here = state[NODES + unit]
            count = exits[here, 0]
            if is_informed:
                chosen = self._informed_exit(unit, here, count)
            else:
                chosen = int(below(self.rng, count))
                returns = exits[here, 1 + chosen] == self.path.before[unit]
                if returns and count > 1 and self.playout != UNIFORM:
                    chosen += 1 + int(below(self.rng, count - 1))
                    chosen -= count if chosen >= count else 0
            self.path.before[unit] = here
            state[NODES + unit] = exits[here, 1 + chosen]

    def _informed_exit(self, unit: int, here: int, count: int) -> int:
        """The exit nearest to where the evader was seen last; or, for the evader, the one with the
        largest sum of distances from the pursuing units. Of equal ones any: the k-th replaces the
        one before with probability 1 / k.
        """
        game, state = self.game, self.path.state
        distance, best, ties, chosen = game.terrain.distance, -1, 0, 0
        for number in range(count):
            there = game.terrain.exits[here, 1 + number]
            if unit == EVADER:
                away = 0
                for other in range(1, game.num_units):
                    away += int(distance[there, state[NODES + other]])
            else:
                away = game.terrain.num_nodes - int(distance[there, state[game.where]])
            if away > best:
                best, ties = away, 0
            if away == best:
                ties += 1
                if below(self.rng, ties) == 0:
                    chosen = number
        return chosen


BELIEFS: Final = ("modelled", "uniform")
PLAYOUTS: Final = {"no_return": NO_RETURN, "uniform": UNIFORM, "informed": INFORMED}
MOVES_BY: Final = ("most_visited", "sampled")
_DEPTHS: Final = (40, 50)  # of the evader, and of the pursuers


@dataclass(frozen=True, kw_only=True)
class MOParameters(ModelParameters):
    """The parameters of `MO`.

    belief: how likely the states are that a search starts in, "modelled" (as likely as the
        strategies found so far make them) or "uniform" (all alike).
    repetitions: the K of the thesis: a start is drawn uniformly and used for 1 + K p iterations,
        where p is its probability.
    exploration: the constant C of UCT; values are logarithms to base 10.
    depth: the number of moves from the root at which a playout ends; by default 50 for the pursuers
        and 40 for the evader.
    playout: how units move where memory ends, "no_return" (not back to the node before, if there is
        another way) or "uniform" (anywhere); or "informed" (in a share of playouts, towards the
        last known node of the evader, and away from the pursuing units; else as no_return).
    informed: the share of playouts that are informed, with playout=informed.
    ignore: the number of possible places above which a hidden pursuing unit is left out.
    move: how the search chooses its move by the visits, "most_visited" (the action with most of
        them) or "sampled" (drawn in proportion).
    cap: the most states that the evader's belief keeps; if there are more, a sample of them is
        kept.
    lookahead: the d of relaxed lookahead, by which the evader moves where all pursuing units are
        left out.
    memory: bytes that the table may take, also while it grows.
    """

    belief: str = parameter("modelled", choices=BELIEFS)
    repetitions: int = parameter(100, least=0)
    exploration: float = parameter(2.0, least=0)
    depth: int | None = parameter(None, least=1)
    playout: str = parameter("no_return", choices=tuple(PLAYOUTS))
    informed: float = parameter(0.5, least=0, most=1)
    ignore: int = parameter(250, least=1)
    move: str = parameter("most_visited", choices=MOVES_BY)
    cap: int = parameter(2000, least=1)
    lookahead: int = parameter(10, least=0)
    memory: int = DEFAULT_MEMORY


@Algorithm(
    name="mo",
    paper="Lisý (2014), thesis, Sections 3.2.3, 5.3.2 and 5.5.1 (MO)",
    summary="IS-MCTS of pursuit with limited sight: modelled beliefs in which equal states are "
    "merged, and playouts that end some moves from the root.",
    games="visibility_pursuit",
    guarantee="none",
    searches_chance=False,
)
class MO(ModelSearch):
    """IS-MCTS with merged beliefs, for pursuit with limited sight. The game is VP; its simultaneous
    moves may be made in turns.
    """

    PARAMETERS = MOParameters
    ALGORITHM: ClassVar[str] = "mo"

    settings: MOParameters

    def _set_up(self, game: Game | str) -> None:
        game = game_of(game)
        rules = game.game if isinstance(game, TurnBased) else game
        if not isinstance(rules, VisibilityPursuit):
            raise GameError(
                f"mo plays visibility_pursuit only, which {game} is not; use ismcts, whose beliefs "
                "are histories"
            )
        self._rules = rules
        super()._set_up(game)

    def _prepare(self) -> None:
        self._selector = UCT(self.settings.exploration)
        self.memory = verify_memory(self.settings.memory)

    # --- a match ---

    def start(self, seat: int, seed: int) -> None:
        """Forget everything; a match begins, seen from ``seat``."""
        self._random = np.random.default_rng(seed_sequence(seed).spawn(1)[0])
        self._epoch = 0
        model = self._model_of(seat)
        assert isinstance(model, PursuitModel)
        given = self.settings
        self.belief = FollowedUnits(
            self._rules, model, given.ignore, given.cap, given.belief == "modelled"
        )
        node = np.zeros(model.node_size, np.int64)
        model.begin(node)
        self.belief.begin(node, self._random)
        self._counters = np.zeros(NUM_COUNTERS + 2, np.int64)
        self._forget()
        super().start(seat, seed)

    def _forget(self) -> None:
        """Other units are followed: what was found for those before is of no use."""
        game = self.belief.game
        self._epoch = self.belief.epoch
        self.table: InformationSetTable = new_table(per_action=2, row_actions=game.max_actions)
        self._path = path_of(game)

    def _follow(self, event: Event) -> None:
        super()._follow(event)
        with explaining(self.game):
            self.belief.notice(event, self._node, self.table, self._rng, self._random)
        if self.belief.epoch != self._epoch:
            self._forget()

    def _begin(self, root: Integers) -> None:
        self._counters[NUM_COUNTERS:] = 0  # the present start belonged to another belief
        if self._is_settled:
            self._play(self._farthest_sighted())

    @property
    def _is_settled(self) -> bool:
        return self.belief.states.size == 0

    def _go_on(self, count: int) -> int:
        self.table = made_ready(self.table, self.memory)
        return iterations_made(self.walk(), count)

    def _decide(self) -> None:
        self._plays[self._key] = self._mean_strategy()

    def walk(self) -> JointWalk:
        """What an iteration works with now."""
        given = self.settings
        return JointWalk(
            game=self.belief.game,
            table=self.table,
            path=self._path,
            leaves=PlayOn(),
            rng=self._rng,
            counters=self._counters,
            selector=self._selector,
            starts=self.belief.states,
            repetitions=given.repetitions,
            depth=given.depth or _DEPTHS[self.seat],
            playout=PLAYOUTS[given.playout],
            informed=given.informed,
        )

    def _mean_strategy(self) -> Floats:
        """The visits at the root as probabilities, or the most visited action."""
        game = self.belief.game
        key = game.information(self.belief.states.state[0], self.seat, np.uint64(0))
        row = int(self.table.find(np.uint64(key)))
        visits = np.zeros(self._num_legal) if row == MISSING else self.table.values[row:]
        chosen = mean_or_uniform(visits[: self._num_legal])
        if self.settings.move == "sampled" or row == MISSING:
            return chosen
        return np.eye(self._num_legal)[int(np.argmax(chosen))]

    def _farthest_sighted(self) -> int:
        """The number of the evader's action after which relaxed lookahead is largest. Frozen units
        count where they may be; those that were never seen do not.
        """
        terrain, worth = self._rules.terrain, []
        tables, others = self.model.tables, range(self.model.num_others)
        seers = [place for unit in others for place in self._places(unit)]
        for action in self._legal[: self._num_legal].tolist():
            here = terrain.exits[self.model.own_nodes(self._node)[0], 1 + action]
            near = tables.near[here, : tables.num_near[here]]
            until = np.full(near.size, tables.depth + 1)
            if seers:
                until = tables.until_seen[np.ix_(seers, near)].min(0)
            hidden = until - tables.steps[here, : near.size]
            worth.append(int(np.maximum(hidden, 0).sum()))
        best = np.flatnonzero(np.array(worth) == max(worth))
        return int(self._random.choice(best))

    def _places(self, unit: int) -> list[int]:
        return [int(place) for place in np.flatnonzero(self.model.places_of(self._node, unit))]

    # --- for people ---

    def _figures(self) -> dict[str, float]:
        """Information sets in memory, states in the belief, and how often none of them explained
        what was noticed.
        """
        return {
            "information sets": num_sets(self.table),
            "belief": self.belief.states.size,
            "recoveries": self.belief.recoveries,
        }

    def heat(self, unit: int) -> Floats:
        """``float64[N]``: how likely unit number ``unit`` of the other side, from 0, is at each
        place. All 0 for a unit that is left out.
        """
        return self.belief.heat(unit)
