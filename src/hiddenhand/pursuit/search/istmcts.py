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
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from hiddenhand.algorithm import Algorithm
from hiddenhand.errors import OptionError
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.parameters import parameter
from hiddenhand.pursuit.search.model_search import (
    OPPONENTS,
    PARANOID,
    USUAL,
    ModelParameters,
    ModelSearch,
)
from hiddenhand.pursuit.search.tree_walk import (
    CODE,
    FIRST,
    HEAVY,
    LIMIT,
    NEXT,
    NO_SIMULATION,
    NOBODY,
    NUM_COUNTERS,
    NUM_LINKS,
    RANDOM,
    REGION,
    RLA,
    ROOT,
    SIZE,
    URLA,
    URLA_LOG,
    VISITS,
    TreeWalk,
    run,
)

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
    nodes: int = parameter(4_000_000, least=1000)


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
