"""Units: the pieces of work that experiments are made of.

A unit is a frozen dataclass of numbers and texts. Its text, which is its `repr`, says all that
decides its result: game, searches, budgets, seeds. Two experiments that need the same unit share
its result.

An edit of the rules of a game or of the code of a search does not change the text. So the store
keeps a result together with a *digest* of what both do (see `behaviour`). A result with another
digest is stale: `status` and reports say so, and `run` makes it anew.
"""

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

from hiddenhand.games.base import Game
from hiddenhand.games.registry import load_game
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.fingerprint import digest_text
from hiddenhand.players.registry import BUDGET, PONDER, parse_spec
from hiddenhand.progress import Progress
from hiddenhand_papers.behaviour import behaviour_of, rules_behaviour_of

Result = dict[str, Any]
"""What a unit finds, in values that JSON can hold."""


@dataclass(frozen=True)
class Unit(ABC):
    """A piece of work whose result is kept.

    A subclass adds fields of plain numbers, texts and tuples of these. It may set ``VERSION`` to a
    higher number when its own code changes in a way that changes results.
    """

    VERSION: ClassVar[int] = 1

    @property
    def text(self) -> str:
        """All that decides the result, except for the code."""
        return repr(self)

    @property
    def games(self) -> tuple[str, ...]:
        """The names of the games whose rules decide the result."""
        game = getattr(self, "game", None)
        return () if game is None else (game,)

    @property
    def players(self) -> tuple[str, ...]:
        """The names of the players or searches that decide the result."""
        search = getattr(self, "search", None)
        return () if search is None else (search,)

    @property
    def by_clock(self) -> bool:
        """Whether it has a budget in seconds, so that its result depends on the machine."""
        return False

    @property
    def is_timed(self) -> bool:
        """Whether its result depends on how long work takes, and so on what else the machine
        does.
        """
        return self.by_clock

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds that the unit draws its random numbers from."""
        seed = getattr(self, "seed", None)
        return () if seed is None else (seed,)

    @property
    def digest(self) -> str:
        """What changes with what the rules of the games and the searches do."""
        parts = [rules_behaviour_of(game) for game in self.games]
        parts += [player_digest(player) for player in self.players]
        return digest_text(" ".join([str(self.VERSION), *parts]))

    @property
    def key(self) -> str:
        """32 hexadecimal digits of text and digest."""
        return key_of(self.text, self.digest)

    def prepare(self, progress: Progress) -> None:  # noqa: B027
        """Make what the work needs, and is made once for all units of its kind on a machine."""

    @abstractmethod
    def run(self) -> Result:
        """Do the work."""


def key_of(text: str, digest: str) -> str:
    """The key of a unit with this text and digest."""
    return hashlib.sha256(f"{text}\n{digest}".encode()).hexdigest()[:32]


@lru_cache(maxsize=64)
def game_called(name: str) -> Game:
    """The game with this name, with moves in turns."""
    return as_sequential(load_game(name))


@lru_cache(maxsize=1024)
def player_digest(spec: str) -> str:
    """The name of a player in its one written form without a budget, and the digest of what it
    does.
    """
    parsed = parse_spec(spec)
    arguments = [(name, value) for name, value in parsed.arguments if name not in (*BUDGET, PONDER)]
    name = str(replace(parsed, arguments=tuple(arguments)))
    return f"{name} {behaviour_of(name)}"
