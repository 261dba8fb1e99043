"""What searches of an information-set tree share: the model of the tree, a match that is followed,
and what was found in each information set.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.budget import Budget, verify_budget
from hiddenhand.errors import GameError
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import Event
from hiddenhand.games.turn_based import TurnBased, as_sequential
from hiddenhand.games.validation.conformance import verify_rules
from hiddenhand.games.validation.kernel_errors import explaining
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.history_step import first_keys, notice
from hiddenhand.jit.random import new_state, seed_sequence
from hiddenhand.parameters import Configured, parameter
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.pursuit.search.enumerated import EnumeratedModel
from hiddenhand.search.belief_search import SearchParameters
from hiddenhand.search.exclusive_use import alone
from hiddenhand.text import one_line
from hiddenhand.trees.strategy import Weights

PARANOID: Final = "paranoid"
OVERCONFIDENT: Final = "overconfident"
OPPONENTS: Final = (PARANOID, OVERCONFIDENT)
USUAL: Final = "usual"
"""What is taken where nothing else is said, and depends on the game."""
_STRONG: Final = 5  # units up to which searches of joint actions are said to be strong


@dataclass(frozen=True, kw_only=True)
class ModelParameters(SearchParameters):
    """The parameters of every search of an information-set tree.

    lookahead: the d of relaxed lookahead.
    ignore: the number of possible places above which a hidden unit of the other side is no longer
        followed.
    """

    lookahead: int = parameter(10, least=0)
    ignore: int = parameter(250, least=1)


class ModelSearch(Configured, ABC):
    """A search of the information-set tree of the player it decides for. A subclass begins to
    search at a decision (`_begin`), makes iterations (`_go_on`), and says what it found best
    (`_decide`).
    """

    UNIT: ClassVar[str] = "iterations"
    """What the search counts."""

    def _set_up(self, game: Game | str) -> None:
        self.game = as_sequential(game)
        verify_rules(self.game)
        self.paranoid = getattr(self.settings, "opponent", PARANOID) == PARANOID
        self._models: dict[int, Any] = {}  # by player
        self.has_model = self._own_model(0) is not None
        self._prepare()
        self.start(0, self.settings.seed)

    @abstractmethod
    def _prepare(self) -> None:
        """Make what all matches have in common, and verify what depends on the game."""

    def _own_model(self, seat: int) -> Any:
        """The game's own model, or None."""
        rules = self.game.game if isinstance(self.game, TurnBased) else self.game
        try:
            given = self.settings
            return rules.information_model(seat, depth=given.lookahead, threshold=given.ignore)
        except GameError:
            return None

    def _model_of(self, seat: int) -> Any:
        if seat not in self._models:
            self._models[seat] = self._own_model(seat) or EnumeratedModel(
                self.game, seat, self.paranoid
            )
        return self._models[seat]

    def __repr__(self) -> str:
        return one_line(self, self.game, f"{self._iterations:,} {self.UNIT}")

    # --- a match ---

    def start(self, seat: int, seed: int) -> None:
        """Forget everything; a match begins, seen from ``seat``."""
        self.seat = seat
        self.model = self._model_of(seat)
        self._rng = new_state(seed_sequence(seed))
        self._keys = np.zeros(self.game.num_players + 1, np.uint64)
        first_keys(self._keys)
        self._node = np.zeros(self.model.node_size, np.int64)
        self.model.begin(self._node)
        self._plays: dict[int, Floats] = {}  # by information set: what was found there
        self._iterations = 0
        self._arrive()

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """Follow the match. ``seconds`` and ``iterations`` make no difference."""
        for event in events:
            observations = np.zeros(self._keys.size, np.int64)
            observations[self.seat], observations[-1] = event.private, event.public
            mover = self.seat if event.action else CHANCE
            notice(self._keys, mover, event.action - 1, observations)
            self._follow(event)
        self._arrive()

    def _follow(self, event: Event) -> None:
        """Follow one event of the match."""
        self.model.notice(self._node, event.action, event.private, event.public)

    def _arrive(self) -> None:
        """Begin to search where the match is now."""
        self._legal = np.zeros(max(self.model.max_actions, 1), np.int64)
        self._num_legal = 0
        if self.model.knows(self._node):
            self._num_legal = int(self.model.legal_actions(self._node, self._legal))
            root = self._node.copy()
            self.model.root(root)
            self._begin(root)

    @property
    def _key(self) -> int:
        return int(self._keys[self.seat])

    # --- a search ---

    @abstractmethod
    def _begin(self, root: Integers) -> None:
        """A search begins at the decision node ``root``."""

    @abstractmethod
    def _go_on(self, count: int) -> int:
        """Make up to ``count`` iterations more, and return how many were made."""

    @abstractmethod
    def _decide(self) -> None:
        """Note in ``_plays`` what was found at the present node, after some iterations."""

    @property
    def _is_settled(self) -> bool:
        """Whether more iterations would find nothing more."""
        return False

    @abstractmethod
    def _figures(self) -> dict[str, float]:
        """Figures about the search, by name."""

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Search the present node: so many iterations more, or for some seconds. Nothing is done
        where the player does not decide, or where nothing more can be found.
        """
        iterations, seconds = verify_budget(iterations, seconds)
        if not self._num_legal or self._is_settled:
            return

        def after_chunk(_: int) -> None:
            progress.update(Report(self._iterations, unit=self.UNIT, figures=self._figures()))
            if self._is_settled:
                raise StopIteration

        with alone(self), explaining(self.game):
            self._go_on(0)  # kernels are compiled, or loaded, before the clock starts
            Budget(iterations, seconds).spend(self._counted, after_chunk)
        self._decide()

    def _counted(self, count: int) -> int:
        made = self._go_on(count)
        self._iterations += made
        return made

    def policy(self, num_actions: int) -> Floats:
        """The action that was found best; uniform where nothing was found."""
        found = self._plays.get(self._key)
        return np.full(num_actions, 1.0 / num_actions) if found is None else found.copy()

    def weights(self) -> Weights:
        """The chosen action of each information set that was searched, with weight 1."""
        return Weights.of(self._plays)

    def thought(self) -> Mapping[str, float]:
        """Iterations in all, and figures about the search of the present node, by name."""
        return {"iterations": self._iterations, **self._figures()}

    @property
    def choice(self) -> str:
        """A warning for a player with many units, whose joint actions grow exponentially (page 110
        of the thesis); else nothing.
        """
        units = getattr(self.model, "num_own", 1)
        if units <= _STRONG:
            return ""
        return (
            f"steers {units} units by {self.model.max_actions} joint actions; searches like this "
            f"one become weak above {_STRONG} units"
        )

    def possible(self, unit: int) -> npt.NDArray[np.bool_]:
        """``bool[N]``: at which of N places unit number ``unit`` of the other side, from 0, may be,
        for all that the player saw; nowhere for a unit that is left out. Raises GameError in games
        without a model of their own.
        """
        if not self.has_model:
            raise GameError(f"{self.game} has no model that says where units may be; use pursuit")
        found: npt.NDArray[np.bool_] = self.model.places_of(self._node, unit)
        return found

    def heat(self, unit: int) -> Floats:
        """``float64[N]``: how likely unit number ``unit`` is at each place. This search takes all
        possible places for equally likely. All 0 for a unit that is left out.
        """
        possible = self.possible(unit)
        return possible / max(int(possible.sum()), 1)

    def _play(self, index: int) -> None:
        """Action number ``index`` was found best."""
        chosen = np.zeros(self._num_legal)
        chosen[index] = 1.0
        self._plays[self._key] = chosen

    @property
    def _is_compiled(self) -> bool:
        return not isinstance(self.model, EnumeratedModel)
