"""What a blueprint by sets says of the information set that a match has come to.

The blueprint is believed in sets that training came to often enough. It is used only in games that
training got to know to their ends. That is a precaution: where training rarely reached the end of a
game, it may be wrong about the beginning, too. `studies.enough` measures the difference.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import Event, History
from hiddenhand.games.rule_digests import remembers_all
from hiddenhand.jit.arrays import Floats
from hiddenhand.search.auto.candidates import Always, Auto, Candidate, Left
from hiddenhand.search.belief.propagation import first_of, folded
from hiddenhand.search.online import mean_or_uniform
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.trees.blueprint import ENOUGH, SetBlueprint
from hiddenhand.trees.strategy import Weights

LEAST_KNOWN: Final = 0.9
"""The share of decisions that a blueprint must know, see `known_share`, to be used."""
_PLAYS: Final = 100


class Believes(Protocol):
    """Follows a match by a belief."""

    belief: Any


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


class Recalled(Candidate):
    """A blueprint, where training came to the present information set often enough.

    game, blueprint: the game, and its blueprint.
    following: follows the match, too, and moves on before. In a game of imperfect recall its belief
        knows the information set, which does not follow from what was noticed.
    visits: how often training came to the present information set, 0 where it never did.
    """

    def __init__(
        self, game: Game, blueprint: SetBlueprint, following: Believes, *, lasts: bool = True
    ) -> None:
        self.plays = self
        self.lasts = lasts
        self.game = game
        self.blueprint = blueprint
        self.following = following
        self._remembers_all = remembers_all(game)
        self.start(0, 0)

    def start(self, seat: int, seed: int) -> None:
        self._key = np.uint64(first_of(seat))
        self._is_played = False  # whether the match has come to a move
        self._known: Floats | None = None
        self.visits = 0.0

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        self._is_played = True
        for event in events:
            self._key = np.uint64(folded(self._key, *event))
        if not self._remembers_all:
            self._key = np.uint64(self.following.belief.information_key)
        found = self.blueprint.at(int(self._key))
        self._known, self.visits = (None, 0.0) if found is None else found

    def can(self, left: Left) -> bool:
        return self.is_ready()

    def is_ready(self) -> bool:
        return self._is_played and self._known is not None and self.visits >= ENOUGH

    def why(self) -> str:
        return f"the blueprint says what to play: training came here {self.visits:,.0f} times"

    def policy(self, num_actions: int) -> Floats:
        if self._known is None or self._known.size != num_actions:
            return mean_or_uniform(np.zeros(num_actions))
        return self._known.copy()

    def weights(self) -> Weights:
        """See `OnlineSearch.weights`. Only the present information set has weights."""
        known = np.zeros(0) if self._known is None else self._known.copy()
        return Weights(np.array([self._key], np.uint64), np.array([0, known.size]), known)

    def figures(self) -> Mapping[str, float]:
        return {"visits": self.visits}


def recalling_choice(searching: ISMCTS, blueprint: SetBlueprint) -> Auto:
    """A blueprint where it knows enough, and tree search elsewhere, in games whose chance is not
    listed, so that nothing is resolved.
    """
    recalled = Recalled(searching.game, blueprint, searching)
    last = Always(
        searching,
        "the blueprint does not know this information set: information-set Monte Carlo tree "
        "search, which guarantees nothing",
    )
    return Auto(searching.game, [searching, recalled], [recalled, last])
