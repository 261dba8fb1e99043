"""Monte Carlo tree search on the information-set tree of one player ("SO").

Lisy (2014), thesis at the Czech Technical University in Prague, Sections 3.2.2, 5.3.1 and 5.5.1;
the opponent models are those of Parker, Nau and Subrahmanian (2006). Until time is up:

1. From the root, UCT chooses at decision nodes. At observation nodes UCT with the sign changed
   chooses (paranoid), or the observation is drawn (overconfident).
2. Children that were not tried come first, in the order in which they are made. Each iteration adds
   a node.
3. The new node is valued by a ``simulation``; all nodes on the path learn the value.

The values of random and heavy simulations, and of none, are logarithms to base 10 of the mean size
of what is unknown, so that small sizes differ more. Relaxed lookahead and the size of the region
are taken as they are, as the thesis prints it, with the same constant C; ``logarithm`` puts those
on a scale of logarithms, too, log10(1 + x).

A heavy simulation is that of Fig. 5.1, with three corrections: its sum begins at 0; its test is
that all places to which the evader can move are in sight, as the text says; and its arrow in line
13 is an equals sign.

The move that is made is the one with the most visits. The tree is forgotten after each move. Games
without a model of their own are searched by enumerating histories, see `enumerated`.

`TreeWalk` is the part that is compiled. Decision nodes and observation nodes alternate. Descent and
simulation are one loop: in two, each method of the model would be compiled twice. No node of the
tree keeps the model's node; an iteration makes it again, from the root.

M nodes of the tree; Z the size of a model's node; A actions; D the most nodes on a path.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

import numpy as np

from hiddenhand.algorithm import Algorithm
from hiddenhand.errors import OptionError
from hiddenhand.games.information_model import NO_OBSERVATION
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.random import RandomState, below
from hiddenhand.jit.views import copy_into
from hiddenhand.parameters import parameter
from hiddenhand.pursuit.search.model_search import (
    OPPONENTS,
    PARANOID,
    USUAL,
    ModelParameters,
    ModelSearch,
)

RANDOM, HEAVY, NO_SIMULATION, RLA, URLA, URLA_LOG, REGION = range(7)
"""How a new node is valued: by moves at random; by moves that follow rules of thumb; by what was
acquired so far; by relaxed lookahead; by that and what was acquired; by that and the logarithm of
what was acquired; by how much is unknown.
"""

# links of a node of the tree
FIRST: Final = 0  # its child that was added last; -1 without children
NEXT: Final = 1  # the sibling that was added before it; -1 for the first
CODE: Final = 2  # the action or observation that leads to it
MADE: Final = 3  # how many of its actions were tried, or its last observation that was
COMPLETE: Final = 4  # whether all were tried
VISITS: Final = 5
NUM_LINKS: Final = 6
NOBODY: Final = -1

# counters
ITERATIONS: Final = 0
SIZE: Final = 1  # how many nodes the tree has
LIMIT: Final = 2  # how many it may have
NUM_COUNTERS: Final = 3

ROOT: Final = 0


@dataclass(frozen=True)
class TreeWalk(Compiled):
    """A search in progress.

    model: the information-set tree.
    paranoid: whether observations are chosen against the player, or drawn, all alike.
    simulation: RANDOM, HEAVY, NO_SIMULATION, RLA, URLA, URLA_LOG or REGION.
    length: how many own moves from the root a simulation ends.
    exploration: the constant C of UCT.
    logarithm: whether values of RLA, URLA, URLA_LOG and REGION are put on a scale of logarithms.
    root: ``int64[Z]``, the model's node at the root.
    node: ``int64[Z]``, the present one.
    actions: ``int64[A]``, room for actions.
    path: ``int64[D]``, the nodes of the tree that the iteration went through.
    links: ``int64[M, NUM_LINKS]``, totals: ``float64[M]``, the sum of values, from the player's
        point of view, of each node of the tree.
    rng: ``uint64[4]``, the state of the generator.
    counters: ``int64[NUM_COUNTERS]``.
    """

    model: Any
    paranoid: bool
    simulation: int
    length: int
    exploration: float
    logarithm: bool
    root: Integers
    node: Integers
    actions: Integers
    path: Integers
    links: Integers
    totals: Floats
    rng: RandomState
    counters: Integers

    def iterate(self) -> None:
        """From the root to the end of the simulation, and back."""
        model, node = self.model, self.node
        copy_into(node, self.root)
        heavy = self.simulation == HEAVY
        plays_on = self.simulation == RANDOM or heavy
        place, passed, steps = ROOT, 0, 0
        is_decision, in_tree, is_over = True, True, False
        while True:
            if in_tree:
                self.path[passed] = place
                passed += 1
                # The root was never new; each other node is new in the iteration that adds it.
                in_tree = self.links[place, VISITS] > 0 or place == ROOT
            if is_decision:
                is_over = model.is_over(node)
                if is_over:
                    break
            if not in_tree and (not plays_on or (is_decision and steps >= self.length)):
                break
            if in_tree:
                place = self._select(place, is_decision)
                if place == NOBODY:  # the tree may not grow
                    break
                code = self.links[place, CODE]
            elif is_decision:
                code = model.draw_action(node, self.rng, heavy)
            else:
                code = model.draw_observation(node, self.rng, heavy)
            if is_decision:
                model.act(node, code)
            else:
                model.observe(node, code)
                steps += 1
            is_decision = not is_decision
        value = self._value(is_over)
        for index in range(passed):
            self.links[self.path[index], VISITS] += 1
            self.totals[self.path[index]] += value
        self.counters[ITERATIONS] += 1

    def _value(self, is_over: bool) -> float:
        """What the node at which the iteration stopped says."""
        model, node = self.model, self.node
        value = 0.0
        if self.simulation <= NO_SIMULATION:
            return model.simulated(node)
        if self.simulation == URLA_LOG:
            value = model.simulated(node)
        elif is_over or self.simulation == URLA:
            value = model.acquired(node)
        if not is_over:
            value += model.extent(node) if self.simulation == REGION else model.lookahead(node)
        if self.logarithm:
            return math.copysign(math.log10(1.0 + abs(value)), value)
        return value

    def _select(self, place: int, is_decision: bool) -> int:
        """The child to go on to: one that was not tried yet, or UCT's choice."""
        links = self.links
        if not is_decision and not self.paranoid:
            return self._child(place, self._any_observation())
        if links[place, COMPLETE] == 0 and self.counters[SIZE] < self.counters[LIMIT]:
            code = self._untried(place, is_decision)
            if code != NO_OBSERVATION:
                return self._new_child(place, code, is_decision)
        sign = 1.0 if is_decision else -1.0
        log_visits = math.log(max(links[place, VISITS], 1))
        best, highest = NOBODY, -math.inf
        child = links[place, FIRST]
        while child != NOBODY:
            visits = max(links[child, VISITS], 1)
            bound = sign * self.totals[child] / visits
            bound += self.exploration * math.sqrt(log_visits / visits)
            if bound >= highest:  # of equal ones the first that was added, which comes last
                best, highest = child, bound
            child = links[child, NEXT]
        return best

    def _untried(self, place: int, is_decision: bool) -> int:
        """The next action or observation at a node of the tree; NO_OBSERVATION after the last."""
        links, made = self.links, self.links[place, MADE]
        if is_decision:
            count = self.model.legal_actions(self.node, self.actions)
            links[place, MADE] = made + 1
            links[place, COMPLETE] = int(made + 1 == count)
            return self.actions[made]
        code = self.model.next_observation(self.node, made)
        links[place, MADE] = code
        links[place, COMPLETE] = int(code == NO_OBSERVATION)
        return code

    def _any_observation(self) -> int:
        """One of all observations, drawn: the k-th replaces the one before with probability
        1 / k.
        """
        chosen = code = NO_OBSERVATION
        count = 0
        while True:
            code = self.model.next_observation(self.node, code)
            if code == NO_OBSERVATION:
                break
            count += 1
            if below(self.rng, count) == 0:
                chosen = code
        return chosen

    def _child(self, place: int, code: int) -> int:
        """The child that ``code`` leads to, which is added if it is new and there is room."""
        child = self.links[place, FIRST]
        while child != NOBODY and self.links[child, CODE] != code:
            child = self.links[child, NEXT]
        if child == NOBODY and self.counters[SIZE] < self.counters[LIMIT]:
            return self._new_child(place, code, False)
        return child

    def _new_child(self, place: int, code: int, of_decision: bool) -> int:
        links, counters = self.links, self.counters
        child = counters[SIZE]
        counters[SIZE] += 1
        links[child, FIRST], links[child, NEXT] = NOBODY, links[place, FIRST]
        links[child, CODE] = code
        links[child, MADE] = NO_OBSERVATION if of_decision else 0
        links[child, COMPLETE], links[child, VISITS] = 0, 0
        self.totals[child] = 0.0
        links[place, FIRST] = child
        return child

    def run(self, iterations: int) -> int:
        """Make up to ``iterations`` iterations, as long as the arrays have room for another node or
        the tree may not grow any more, and return how many were made.
        """
        counters, made = self.counters, 0
        while made < iterations and (
            counters[SIZE] < self.totals.size or counters[SIZE] >= counters[LIMIT]
        ):
            self.iterate()
            made += 1
        return made


@kernel
def run(search: TreeWalk, iterations: int) -> int:
    """`TreeWalk.run`, compiled."""
    return search.run(iterations)


SIMULATIONS: Final = {
    "random": RANDOM,
    "heavy": HEAVY,
    "none": NO_SIMULATION,
    "rla": RLA,
    "urla": URLA,
    "urla_log": URLA_LOG,
    "region": REGION,
}
_OF_MODELS: Final = ("heavy", "rla", "urla", "urla_log", "region")
_FIRST_ROOM: Final = 4096  # nodes


@dataclass(frozen=True, kw_only=True)
class ISTMCTSParameters(ModelParameters):
    """The parameters of `ISTMCTS`.

    simulation: how a new node gets its value, "random" or "heavy" (moves at random, or by rules of
        thumb, which only the pursuers of VP have; for others it is random), "rla" (relaxed
        lookahead), "urla" (that and what was acquired), "urla_log" (that and the logarithm of what
        was acquired), "region" (the size of what is unknown), "none" or None (what was acquired),
        or "usual": "rla" in games with a model of their own, and in others "random".
    opponent: how observations count, "paranoid" (chosen against the player) or "overconfident"
        (drawn, all alike).
    exploration: the constant C of UCT.
    length: the number of own moves from the root at which random and heavy simulations end.
    logarithm: whether values of rla, urla, urla_log and region are put on a scale of logarithms.
    nodes: the most nodes that the tree may have; with that many it stops growing.
    """

    simulation: str | None = parameter(USUAL, choices=(USUAL, *SIMULATIONS))
    opponent: str = parameter(PARANOID, choices=OPPONENTS)
    exploration: float = parameter(2.0, least=0)
    length: int = parameter(30, least=0)
    logarithm: bool = False
    nodes: int = parameter(4_000_000, least=1000, most=1_000_000_000)


@Algorithm(
    name="istmcts",
    paper="Lisý (2014), thesis, Sections 3.2.2 and 5.5.1 (SO); Lisý, Bošanský and Pěchouček "
    "(2012), Anytime algorithms for multi-agent visibility-based pursuit-evasion games",
    summary="Monte Carlo tree search on the player's information-set tree, where what can be "
    "noticed is chosen against the player, or drawn.",
    games="games of any number of players, small ones unless they have a model of their "
    "information-set trees",
    guarantee="none in the game; with opponent=paranoid it converges to the paranoid value of the "
    "information-set tree, where simulations play on",
    searches_chance=False,
)
class ISTMCTS(ModelSearch):
    """UCT on the player's information-set tree; simultaneous moves are made in turns."""

    PARAMETERS = ISTMCTSParameters
    ALGORITHM: ClassVar[str] = "istmcts"

    settings: ISTMCTSParameters

    def _prepare(self) -> None:
        self._simulation = self.settings.simulation or "none"
        if self._simulation in _OF_MODELS and not self.has_model:
            raise OptionError(
                f"simulation={self._simulation} needs a game with a model of its information-set "
                f"trees, such as VP, which {self.game} is not; use simulation=random"
            )

    def _begin(self, root: Integers) -> None:
        usual = RLA if self.has_model else RANDOM
        simulation = usual if self._simulation == USUAL else SIMULATIONS[self._simulation]
        if simulation == HEAVY and not self.model.has_rules_of_thumb:
            simulation = RANDOM
        given = self.settings
        room = min(_FIRST_ROOM, given.nodes)
        counters = np.zeros(NUM_COUNTERS, np.int64)
        counters[SIZE], counters[LIMIT] = 1, given.nodes
        links = np.zeros((room, NUM_LINKS), np.int64)
        links[ROOT, [FIRST, NEXT]] = NOBODY
        self._search = TreeWalk(
            model=self.model,
            paranoid=self.paranoid,
            simulation=simulation,
            length=given.length,
            exploration=given.exploration,
            logarithm=given.logarithm,
            root=root,
            node=root.copy(),
            actions=np.zeros(max(self.model.max_actions, 1), np.int64),
            path=np.zeros(2 * self.model.max_steps + 3, np.int64),
            links=links,
            totals=np.zeros(room),
            rng=self._rng,
            counters=counters,
        )

    def _go_on(self, count: int) -> int:
        self._make_room()
        search = self._search
        return int(run(search, count) if self._is_compiled else search.run(count))

    def _decide(self) -> None:
        self._play(int(np.argmax(self._root_visits())))

    def _make_room(self) -> None:
        """Let the tree grow if its arrays are full."""
        search = self._search
        size, room = int(search.counters[SIZE]), search.totals.size
        if size < room or room >= self.settings.nodes:
            return
        larger = min(2 * room, self.settings.nodes)
        links, totals = np.zeros((larger, NUM_LINKS), np.int64), np.zeros(larger)
        links[:room], totals[:room] = search.links, search.totals
        self._search = replace(search, links=links, totals=totals)

    def _root_visits(self) -> Floats:
        """How often each action of the root was chosen, in the order of legal actions."""
        return self._of_root(lambda child: float(self._search.links[child, VISITS]))

    def root_values(self) -> Floats:
        """The mean value of each action of the root, in the order of legal actions; 0 where it was
        not tried.
        """
        search = self._search
        return self._of_root(
            lambda child: float(search.totals[child] / max(search.links[child, VISITS], 1))
        )

    def _of_root(self, figure: Callable[[int], float]) -> Floats:
        legal = self._legal[: self._num_legal].tolist()
        found, links = np.zeros(len(legal)), self._search.links
        child = int(links[ROOT, FIRST])
        while child != NOBODY:
            found[legal.index(int(links[child, CODE]))] = figure(child)
            child = int(links[child, NEXT])
        return found

    def _figures(self) -> dict[str, float]:
        """Nodes of the present tree."""
        search = getattr(self, "_search", None)
        return {"nodes": 0 if search is None else int(search.counters[SIZE])}
