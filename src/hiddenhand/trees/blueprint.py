"""Blueprints: strategies for whole games, found before play, in files that are opened at once.

There are two kinds. A blueprint by *hands* is for games in vector form, see `ranges.blueprint`. A
blueprint by *sets* is for all games, and knows the information sets that training came to: a key, a
number of 16 bits for the probability of each action, and how often training came there. Sets with
one action are left out. A set takes some 10 bytes, and an action 2.

Dimensions: I information sets, V their actions in all.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from hiddenhand.compiled.arrays import Floats
from hiddenhand.errors import FileError
from hiddenhand.games.base import Game
from hiddenhand.games.rules import rules_of, verify_same_rules
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.mapped import Mapped, write_mapped
from hiddenhand.trees.strategy import Weights

ONE: Final = 65_535
"""The number that stands for a probability of 1."""
SETS: Final = "blueprint by sets"
HANDS: Final = "blueprint by hands"
"""The kinds of files."""
TRAIN: Final = "train"
"""The command that makes them."""

_BLOCK: Final = 64  # sets, of which it is known where their actions begin
_FINE: Final = 8.0  # numbers for a doubling of visits
_MOST: Final = 255  # actions of a set


@dataclass(frozen=True)
class About:
    """What a blueprint is.

    game: the game as text.
    rules: which rules it had, see `rules_of`.
    method: what found it.
    iterations, seconds: how long that took.
    """

    game: str
    rules: str
    method: str
    iterations: int
    seconds: float

    @staticmethod
    def of(game: Game, method: str, iterations: int, seconds: float) -> "About":
        """What is to be said of a blueprint of a game."""
        game = as_sequential(game)
        return About(repr(game), rules_of(game), method, iterations, float(seconds))

    @staticmethod
    def read(header: Mapping[str, Any], path: Path) -> "About":
        """What a file says of itself. Raises FileError."""
        kinds = {"game": str, "rules": str, "method": str, "iterations": int, "seconds": float}
        if {name: type(value) for name, value in header.items()} != kinds:
            raise FileError(f"{path} is of another version; make it anew with {TRAIN}")
        return About(**header)

    def verify_for(self, game: Game, path: Path) -> None:
        """Raise FileError unless the blueprint in a file is for this game, with the rules that it
        has now.
        """
        game = as_sequential(game)
        if self.game != repr(game):
            raise FileError(
                f"{path} is a blueprint of {self.game}, not of {game}; name the game it was made "
                "for"
            )
        verify_same_rules(game, path, self.rules)


@dataclass(frozen=True, eq=False)
class SetBlueprint:
    """A blueprint by sets.

    about: what it is.
    file: with the arrays keys ``uint64[I]``, increasing; count ``uint8[I]``, the actions of each;
        first ``int64[...]``, where those of every 64th set begin; visits ``uint8[I]``, see
        `visits_of`; and probability ``uint16[V]``.
    """

    about: About
    file: Mapped

    @classmethod
    def load(cls, path: Path | str, game: Game) -> Self:
        """Open a file. Raises FileError unless it is a blueprint by sets of this game."""
        file = Mapped.load(path, TRAIN)
        if file.kind != SETS:
            raise FileError(f"{path} is a {file.kind}, and not one by sets; give another file")
        about = About.read(file.about, file.path)
        about.verify_for(game, file.path)
        return cls(about, file)

    @property
    def num_sets(self) -> int:
        """I."""
        return int(self.file.arrays["keys"].size)

    def at(self, key: int) -> tuple[Floats, float] | None:
        """``float64[n]``, the probabilities of the actions of an information set, and how often
        training came there, roughly; None where it never did. Raises FileError where the file is
        damaged.
        """
        file, keys = self.file, self.file.arrays["keys"]
        row = int(np.searchsorted(keys, np.uint64(key)))
        if row == keys.size:
            return None
        block = row // _BLOCK
        begin = block * _BLOCK
        for name, first, size in (
            ("keys", row, 1),
            ("count", begin, row - begin + 1),
            ("first", block, 1),
            ("visits", row, 1),
        ):
            file.verify(name, first, size)
        if int(keys[row]) != key:
            return None
        counts = file.arrays["count"]
        start = int(file.arrays["first"][block]) + int(counts[begin:row].sum())
        size = int(counts[row])
        file.verify("probability", start, size)
        played = file.arrays["probability"][start : start + size].astype(np.float64)
        return played / played.sum(), visits_of(int(file.arrays["visits"][row]))


def visits_of(number: int) -> float:
    """The visits that a number of 8 bits stands for: 0, or at most 9 % more or fewer."""
    return 0.0 if number == 0 else float(2.0 ** ((number - 1) / _FINE))


def write_set_blueprint(path: Path | str, about: About, weights: Weights) -> int:
    """Write the strategy that is proportional to ``weights`` as a blueprint by sets. Sets of one
    action are left out, and those in which no action has a weight. Returns how many sets there are.

    Raises FileError where the file cannot be written; then an old one is still there.
    """
    sizes = np.diff(weights.starts)
    mass = weights.mass
    chosen = np.flatnonzero((sizes > 1) & (sizes <= _MOST) & (mass > 0.0))
    chosen = chosen[np.argsort(weights.keys[chosen])]
    counts = sizes[chosen]
    ends = np.cumsum(counts)
    begins = ends - counts
    place = np.arange(int(counts.sum())) - np.repeat(begins, counts)
    place += np.repeat(weights.starts[:-1][chosen], counts)
    share = weights.values[place] / np.repeat(mass[chosen], counts)
    visits = np.ones(chosen.size) if weights.visits is None else weights.visits[chosen]
    number = 1.0 + np.round(_FINE * np.log2(np.maximum(visits, 1.0)))
    arrays = {
        "keys": weights.keys[chosen],
        "count": counts.astype(np.uint8),
        "first": begins[::_BLOCK].astype(np.int64),
        "visits": np.clip(number, 1, 255).astype(np.uint8),
        "probability": np.round(ONE * share).astype(np.uint16),
    }
    write_mapped(path, SETS, asdict(about), arrays)
    return chosen.size
