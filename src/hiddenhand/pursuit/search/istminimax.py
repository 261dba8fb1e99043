"""Depth-limited minimax on the information-set tree of one player, deeper and deeper ("MM").

Lisy (2014), thesis at the Czech Technical University in Prague, Section 5.5.1, after Raboin, Nau,
Kuter, Gupta and Svec (2010), who search to a fixed depth; opponent models: Parker, Nau and
Subrahmanian (2006), "Overconfidence or paranoia? Search in imperfect-information games".

1. The depth D is 3 time steps.
2. Alpha-beta to depth D: the best own action, the worst observation, an evaluation at the leaves.
3. Once that is finished, its action is kept, D becomes D + 1, and the search begins again.
4. Where time ends before depth 3 is finished, a random action is made. D never goes beyond the end
   of the match.

The evaluation URLA is relaxed lookahead plus u, what was acquired since the root. The thesis does
not say whether u is the mean size of PP, as relaxed lookahead is a mean, or its logarithm to base
10, as in Equations 5.12 and 5.13: ``urla`` and ``urla_log`` are the two readings. A leaf at which
the match is over is worth what was acquired alone.

Nodes that are reached in several ways are searched once, see `depth_first`. The action that was
best in the search before, and the observation that was worst the last time at the same level, are
tried first; and a node is left as soon as even seeing the evader in each move to come would not
make it matter. None of that changes a value.

Games without a model of their own are searched by enumerating histories, see `enumerated`.
"""

from dataclasses import dataclass
from typing import ClassVar, Final

from hiddenhand.algorithm import Algorithm
from hiddenhand.errors import OptionError
from hiddenhand.jit.arrays import Integers
from hiddenhand.parameters import parameter
from hiddenhand.pursuit.search.depth_first import (
    BEST,
    CUT,
    DONE,
    NO_EVALUATION,
    RLA,
    URLA,
    URLA_LOG,
    DepthFirst,
    Transpositions,
    new_depth_first,
    root_value,
    run,
)
from hiddenhand.pursuit.search.model_search import (
    OPPONENTS,
    PARANOID,
    USUAL,
    ModelParameters,
    ModelSearch,
)

EVALUATIONS: Final = {"none": NO_EVALUATION, "rla": RLA, "urla": URLA, "urla_log": URLA_LOG}
_DEEPEST: Final = 60
_TRANSPOSITIONS: Final = 2**20
"""Nodes of which is kept what was found, in 25 bytes each."""


@dataclass(frozen=True, kw_only=True)
class ISTMinimaxParameters(ModelParameters):
    """The parameters of `ISTMinimax`.

    evaluation: what a leaf is worth, "rla" (relaxed lookahead), "urla" (relaxed lookahead and what
        was acquired), "urla_log" (the same with the logarithm of what was acquired), "none" or None
        (what was acquired), or "usual": "urla" in games with a model of their own, and in others
        "none", where it is the game's evaluation function if there is one.
    opponent: how observations count, "paranoid" (the worst) or "overconfident" (all alike).
    depth: the first depth, in own moves.
    step: by how much each depth is deeper than the one before.
    deepest: the last depth.
    pruning: whether alpha-beta limits are used; without them it takes longer and finds the same.
    seed: makes no difference, because the search draws nothing at random.
    """

    evaluation: str | None = parameter(USUAL, choices=(USUAL, *EVALUATIONS))
    opponent: str = parameter(PARANOID, choices=OPPONENTS)
    depth: int = parameter(3, least=1)
    step: int = parameter(1, least=1)
    deepest: int = parameter(_DEEPEST, least=1, most=_DEEPEST)
    pruning: bool = True
    seed: int = 0


@Algorithm(
    name="istminimax",
    paper="Lisý (2014), thesis, Section 5.5.1 (MM); after Raboin, Nau, Kuter, Gupta and Svec "
    "(2010), Strategy generation in multi-agent imperfect-information pursuit games, and Parker, "
    "Nau and Subrahmanian (2006), Overconfidence or paranoia?",
    summary="Minimax on the player's information-set tree, deeper and deeper: the best own action "
    "against the worst, or the mean, of what can be noticed.",
    games="games of any number of players, small ones unless they have a model of their "
    "information-set trees",
    guarantee="none: a paranoid player takes the others for better informed than they are",
    searches_chance=False,
)
class ISTMinimax(ModelSearch):
    """Minimax on the player's information-set tree; simultaneous moves are made in turns. An
    iteration is an evaluated leaf.

    Attributes:

    depth_reached: how deep the deepest finished search of the present node was, in own moves.
    value: what that search found, for the player it decides for.
    is_exact: whether that search came to the end of the match everywhere.
    """

    PARAMETERS = ISTMinimaxParameters
    ALGORITHM: ClassVar[str] = "istminimax"
    UNIT: ClassVar[str] = "leaves"
    depth_reached: int = 0
    value: float = 0.0
    is_exact: bool = False

    settings: ISTMinimaxParameters

    def _prepare(self) -> None:
        self._evaluation = self.settings.evaluation or "none"
        if self._evaluation not in (USUAL, "none") and not self.has_model:
            raise OptionError(
                f"evaluation={self._evaluation!r} needs a game with a model of its information-set "
                f"trees, such as VP, which {self.game} is not; use evaluation=none"
            )

    @property
    def _evaluates(self) -> int:
        if self._evaluation == USUAL:
            return URLA if self.has_model else NO_EVALUATION
        return EVALUATIONS[self._evaluation]

    def start(self, seat: int, seed: int) -> None:
        """Forget everything; a match begins, seen from ``seat``."""
        self._known = Transpositions.empty(_TRANSPOSITIONS if self.has_model else 1)
        super().start(seat, seed)

    def _begin(self, root: Integers) -> None:
        self.depth_reached = 0
        self.value = 0.0
        self.is_exact = False
        levels = min(self.settings.deepest, self.model.max_steps)
        self._search: DepthFirst = new_depth_first(
            self.model,
            root,
            self._evaluates,
            self.paranoid,
            self.settings.pruning,
            levels,
            self._known,
        )
        self._limit = min(self.settings.depth, levels)
        self._most = levels
        self._search.begin(self._limit)

    def _go_on(self, count: int) -> int:
        search = self._search
        made = int(run(search, count) if self._is_compiled else search.go_on(count))
        if search.counters[DONE]:
            self._finish_depth()
        return made

    def _finish_depth(self) -> None:
        search = self._search
        self.depth_reached = self._limit
        self.value = root_value(search)
        self._best = int(search.actions[0, search.counters[BEST]])
        if search.counters[CUT] == 0 or self._limit == self._most:
            self.is_exact = True
            return
        self._limit = min(self._limit + self.settings.step, self._most)
        search.begin(self._limit)

    def _decide(self) -> None:
        if self.depth_reached:
            self._play(self._legal[: self._num_legal].tolist().index(self._best))

    @property
    def _is_settled(self) -> bool:
        return self.is_exact

    def _figures(self) -> dict[str, float]:
        """The depth of the last finished search in own moves, and its value."""
        return {"depth": self.depth_reached, "value": self.value}
