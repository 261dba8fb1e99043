"""A generative model of one player's information-set tree, for searches of that tree.

Lisy (2014), thesis at the Czech Technical University in Prague, Section 3.2.2, after Parker, Nau
and Subrahmanian (2006). The tree shows the game as one player sees it. At a *decision node* the
player takes one of their actions; that leads to an *observation node*, from which each thing that
the player can notice next leads to a decision node. What the others do is not in the tree. A search
of the tree takes what the player notices for the worst (paranoid), or for random (overconfident).

A model is a frozen dataclass whose methods are compiled, as those of a game are. A node is an
``int64[node_size]`` array. A larger value is better for the player.
"""

from typing import Any, Final

from hiddenhand.errors import GameError
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.observation_keys import Key

NO_OBSERVATION: Final = -1
"""What stands before the first observation of a node, and behind the last."""
HIDDEN: Final = 0
"""The observation that the player saw nothing, in models that have one."""


class InformationModel(Compiled):
    """The base class of models. A model derives from it, and is decorated with
    ``@dataclass(frozen=True)``.
    """

    whole = True

    def _missing(self, method: str) -> GameError:
        return GameError(f"{type(self).__name__} does not define {method}; every model needs one")

    # --- sizes ---

    @property
    def node_size(self) -> int:
        """Length of the array of a node."""
        raise self._missing("node_size")

    @property
    def max_actions(self) -> int:
        """The most actions of the player."""
        raise self._missing("max_actions")

    @property
    def max_steps(self) -> int:
        """The most decisions of the player in a match."""
        raise self._missing("max_steps")

    @property
    def has_rules_of_thumb(self) -> bool:
        """Whether heavy simulations differ from random ones."""
        return False

    # --- following a match; plain Python ---

    def begin(self, node: Integers) -> None:
        """Write what the player knows before a match into ``node``."""
        raise self._missing("begin")

    def notice(self, node: Integers, action: int, private: int, public: int) -> None:
        """Move ``node`` on by what the player noticed in a match; the arguments are those of an
        `Event`.
        """
        raise self._missing("notice")

    def knows(self, node: Integers) -> bool:
        """Whether the player is to move in ``node``, and the model knows enough to search."""
        raise self._missing("knows")

    # --- the tree; also compiled ---

    def root(self, node: Integers) -> None:
        """Make ``node`` the root of a search: `acquired` does not count what came before."""
        raise self._missing("root")

    def is_over(self, node: Integers) -> bool:
        """Whether the match is over in a decision node."""
        raise self._missing("is_over")

    def legal_actions(self, node: Integers, actions: Integers) -> int:
        """Write the player's actions, which are those of the game, in increasing order into
        ``actions``, and return how many there are.
        """
        raise self._missing("legal_actions")

    def act(self, node: Integers, action: int) -> None:
        """Move a decision node on to the observation node after ``action``."""
        raise self._missing("act")

    def next_observation(self, node: Integers, last: int) -> int:
        """The observation of an observation node that comes after ``last``, which is NO_OBSERVATION
        for the first one; NO_OBSERVATION after the last one. Observations are integers of at least
        0.
        """
        raise self._missing("next_observation")

    def may_observe(self, node: Integers, observation: int) -> bool:
        """Whether ``observation`` can be made in an observation node."""
        raise self._missing("may_observe")

    def observe(self, node: Integers, observation: int) -> None:
        """Move an observation node on to the decision node after ``observation``."""
        raise self._missing("observe")

    def acquired(self, node: Integers) -> float:
        """What the player acquired since the root of the search; at the end of a match that began
        there, the player's payoff.
        """
        raise self._missing("acquired")

    def lookahead(self, node: Integers) -> float:
        """An estimate of what is to come, for a node of either kind."""
        raise self._missing("lookahead")

    def identity(self, node: Integers) -> Key:
        """A key of all that decides what a search below a decision node finds. The search visits
        nodes with equal keys once. 0 where each node is reached in one way only.
        """
        raise self._missing("identity")

    def at_best(self, node: Integers, moves: int) -> float:
        """An upper bound on `acquired` at ``moves`` own moves below a decision node, and on its sum
        with the lookahead there; infinity if none is known.
        """
        raise self._missing("at_best")

    # --- simulations; also compiled ---

    def draw_action(self, node: Integers, rng: Any, heavy: bool) -> int:
        """A random action; with ``heavy`` one that follows rules of thumb, if there are any."""
        raise self._missing("draw_action")

    def draw_observation(self, node: Integers, rng: Any, heavy: bool) -> int:
        """A random observation; with ``heavy`` one that follows rules of thumb, if there are
        any.
        """
        raise self._missing("draw_observation")

    def simulated(self, node: Integers) -> float:
        """The result of a simulation that ended in ``node``: `acquired`, on a scale on which
        selection rules can tell small values apart.
        """
        raise self._missing("simulated")

    def extent(self, node: Integers) -> float:
        """How much is unknown in a node of either kind, as a value for the player."""
        raise self._missing("extent")
