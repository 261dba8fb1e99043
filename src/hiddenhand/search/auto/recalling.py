"""What a blueprint by sets says of the information set that a match has come to.

The blueprint is believed in sets that training came to often enough. It is used only in games that
training got to know to their ends. That is a precaution: where training rarely reached the end of a
game, it may be wrong about the beginning, too. `studies.enough` measures the difference.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from hiddenhand.budget import verify_budget
from hiddenhand.compiled.arrays import Floats, Keys
from hiddenhand.compiled.kernels import kernel
from hiddenhand.compiled.keys import first_key, fold
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import Event, History
from hiddenhand.games.rules import remembers_all
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.online import mean_or_uniform
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.text import one_line
from hiddenhand.trees.blueprint import ENOUGH, SetBlueprint
from hiddenhand.trees.strategy import Weights

LEAST_KNOWN: Final = 0.9
"""The share of decisions that a blueprint must know, see `known_share`, to be used."""
_PLAYS: Final = 100


def known_share(game: Game, blueprint: SetBlueprint) -> float:
    """The share of all decisions in plays by the blueprint that are made in information sets which
    training came to often enough.
    """
    path = blueprint.file.path
    return _known_share(game, path, path.stat().st_mtime_ns)


@lru_cache(maxsize=16)
def _known_share(game: Game, path: Path, changed: int) -> float:
    """See `known_share`. ``changed``: when the file was changed last."""
    blueprint, random = SetBlueprint.load(path, game), np.random.default_rng(0)
    decisions = known = 0
    for _ in range(_PLAYS):
        history = History(game)
        while not history.is_terminal:
            if history.player == CHANCE:
                history = history.child(history.sample_chance(random))
                continue
            actions = history.legal_actions()
            move = int(random.integers(len(actions)))
            if len(actions) > 1:
                found = blueprint.at(history.information_key)
                decisions += 1
                if found is not None and found[1] >= ENOUGH:
                    known += 1
                    move = int(random.choice(len(actions), p=found[0]))
            history = history.child(actions[move])
    return known / max(decisions, 1)


def doubt_of(game: Game, blueprint: SetBlueprint) -> str:
    """Why a blueprint is not used, in a clause; nothing where it is used."""
    share = known_share(game, blueprint)
    if share >= LEAST_KNOWN:
        return ""
    return f"; the blueprint knows only {share:.0%} of the decisions in its own plays"


class Recalled:
    """Follows a match, and knows what the blueprint says there; see `OnlineSearch`.

    game, blueprint: the game, and its blueprint.
    visits: how often training came to the present information set, 0 where it never did.
    enough: the visits with which the blueprint is believed.
    """

    def __init__(self, game: Game, blueprint: SetBlueprint) -> None:
        self.game = game
        self.blueprint = blueprint
        self.enough = ENOUGH
        self._remembers_all = remembers_all(game)
        self.start(0, 0)

    def start(self, seat: int, seed: int) -> None:
        """See `OnlineSearch.start`."""
        self._key = np.uint64(_first(seat))
        self._plays = False  # whether the match has come to a move
        self._known: Floats | None = None
        self.visits = 0.0

    def notice(self, events: Sequence[Event], following: Belief) -> None:
        """Move on by what the player noticed.

        following: has moved on already. In a game of imperfect recall it knows the information set,
            which does not follow from what was noticed.
        """
        self._plays = True
        for event in events:
            self._key = np.uint64(_folded(self._key, *event))
        if not self._remembers_all:
            self._key = np.uint64(following.information_key)
        found = self.blueprint.at(int(self._key))
        self._known, self.visits = (None, 0.0) if found is None else found

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """See `OnlineSearch.think`. There is nothing to think about."""
        verify_budget(iterations, seconds)

    @property
    def is_believed(self) -> bool:
        """Whether the blueprint knows enough of the present information set."""
        return self._plays and self._known is not None and self.visits >= self.enough

    @property
    def choice(self) -> str:
        """What the blueprint knows, in a sentence."""
        return f"the blueprint says what to play: training came here {self.visits:,.0f} times"

    def policy(self, num_actions: int) -> Floats:
        """See `OnlineSearch.policy`."""
        if self._known is None or self._known.size != num_actions:
            return mean_or_uniform(np.zeros(num_actions))
        return self._known.copy()

    def weights(self) -> Weights:
        """See `OnlineSearch.weights`. Only the present information set has weights."""
        known = np.zeros(0) if self._known is None else self._known.copy()
        return Weights(np.array([self._key], np.uint64), np.array([0, known.size]), known)

    def weights_in(self, keys: Keys) -> Weights:
        """What is believed of the blueprint in some information sets, and in the present one."""
        return self.blueprint.among(np.append(keys, self._key), ENOUGH)

    def thought(self) -> Mapping[str, float]:
        """How often training came to the present information set."""
        return {"visits": self.visits}


class RecallingSearch:
    """A blueprint where it knows enough, and tree search elsewhere, in games whose chance is not
    listed, so that nothing is resolved; see `OnlineSearch`.

    recalled: knows the blueprint.
    searching: follows the match.
    """

    def __init__(self, searching: ISMCTS, recalled: Recalled) -> None:
        self.game = searching.game
        self.searching = searching
        self.recalled = recalled

    def __repr__(self) -> str:
        return one_line(self, self.game, "blueprint and ismcts")

    def start(self, seat: int, seed: int) -> None:
        """See `OnlineSearch.start`."""
        self.searching.start(seat, seed)
        self.recalled.start(seat, seed)

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """See `OnlineSearch.notice`."""
        self.searching.notice(events, seconds, iterations)
        self.recalled.notice(events, self.searching.belief)

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """See `OnlineSearch.think`."""
        self._present.think(iterations, seconds, progress)

    @property
    def choice(self) -> str:
        """What was done for the present move and why, in a sentence."""
        if self.recalled.is_believed:
            return self.recalled.choice
        return (
            "the blueprint does not know this information set: information-set Monte Carlo tree "
            "search, which guarantees nothing"
        )

    def policy(self, num_actions: int) -> Floats:
        """See `OnlineSearch.policy`."""
        return self._present.policy(num_actions)

    def weights(self) -> Weights:
        """See `OnlineSearch.weights`."""
        return self._present.weights()

    def thought(self) -> Mapping[str, float]:
        """What the search did, and how often training came to the present information set."""
        return {**self.searching.thought(), **self.recalled.thought()}

    @property
    def _present(self) -> ISMCTS | Recalled:
        return self.recalled if self.recalled.is_believed else self.searching


@kernel
def _first(seat: int) -> np.uint64:
    """The key of a player before anything happened."""
    return first_key(seat)


@kernel
def _folded(key: np.uint64, action: int, private: int, public: int) -> np.uint64:
    """The key after an event."""
    return fold(key, action, private, public)
