"""Blueprints: strategies for whole games, found before play, in files that are opened at once.

There are two kinds. A blueprint by *hands* is for games in vector form, see
`solvers.vector_form.blueprint`. A blueprint by *sets* is for all games, and knows the information
sets that training came to: a key, a number of 16 bits for the probability of each action, and how
often training came there. Sets with one action are left out. A set takes some 10 bytes, and an
action 2.

Dimensions: I information sets, V their actions in all.
"""

import glob
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from hiddenhand.errors import FileError, ParameterError
from hiddenhand.files import user_data
from hiddenhand.games.base import Game
from hiddenhand.games.registry import game_spec
from hiddenhand.games.rule_digests import rules_of, verify_same_rules
from hiddenhand.games.turn_based import TurnBased, as_sequential
from hiddenhand.games.wrapped import Wrapped
from hiddenhand.jit.arrays import Floats, Keys, places_of, starts_of
from hiddenhand.jit.fingerprint import digest_text
from hiddenhand.mapped import Mapped, write_mapped
from hiddenhand.trees.strategy import Strategy, Weights
from hiddenhand.trees.tree import GameTree
from hiddenhand.user_code import origin_of_class

ONE: Final = 65_535
"""The number that stands for a probability of 1."""
SETS: Final = "blueprint by sets"
HANDS: Final = "blueprint by hands"
"""The kinds of files."""
TRAIN: Final = "train"
"""The command that makes them."""
TRAINED: Final = "trained"
"""The name of the blueprint that is kept for a game in the user's data folder."""

ENOUGH: Final = 100.0
"""The visits of a set in training from which on searches trust the blueprint."""

_FOLDER: Final = "blueprints"  # in the user's data folder
_BLOCK: Final = 64  # sets, of which it is known where their actions begin
_FINE: Final = 8.0  # numbers for a doubling of visits
_MOST: Final = 255  # actions of a set
_TYPES: Final = {
    **{"keys": "<u8", "count": "|u1", "first": "<i8", "visits": "|u1"},
    "probability": "<u2",
}


@dataclass(frozen=True)
class About:
    """What a blueprint is.

    game: the game as text.
    rules: which rules it had, see `rules_of`.
    method: what found it.
    iterations, seconds: how long that took.
    origin: a digest of where the class of the game is, see `origin_of_class`; "" in files from
        before this was kept. A file that is passed on names no folder of its author.
    """

    game: str
    rules: str
    method: str
    iterations: int
    seconds: float
    origin: str = ""

    @property
    def trained(self) -> str:
        """How long it was trained, in words."""
        if self.seconds < 90:
            return f"{self.seconds:.0f} seconds"
        if self.seconds < 5400:
            return f"{self.seconds / 60:.0f} minutes"
        return f"{self.seconds / 3600:.1f} hours"

    @staticmethod
    def of(game: Game, method: str, iterations: int, seconds: float) -> "About":
        """The description of a new blueprint of a game."""
        game = as_sequential(game)
        origin = _origin_of(game)
        return About(repr(game), rules_of(game), method, iterations, float(seconds), origin)

    @staticmethod
    def read(header: Mapping[str, Any], path: Path) -> "About":
        """The description in the header of a file. Raises FileError."""
        kinds = {"game": str, "rules": str, "method": str, "iterations": int, "seconds": float}
        if {name: type(value) for name, value in header.items()} not in (
            kinds,
            kinds | {"origin": str},
        ):
            raise FileError(f"{path} is of another version; make it anew with {TRAIN}")
        return About(**header)

    def is_of(self, game: Game) -> bool:
        """Whether it surely is of this game, with whatever rules."""
        game = as_sequential(game)
        return self.game == repr(game) and self.origin == _origin_of(game)

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


def about_blueprint(path: Path | str, game: Game) -> About:
    """What a blueprint of a game is, of either kind. Raises FileError unless the file is there, and
    is a blueprint of this game with the rules that it has now.
    """
    return opened_blueprint(path, game)[0]


def opened_blueprint(
    path: Path | str, game: Game, kinds: Sequence[str] = (SETS, HANDS)
) -> tuple[About, Mapped]:
    """What a blueprint of a game is, and its file. Raises FileError as `about_blueprint` does, and
    where it is none of ``kinds``.
    """
    about, file = _opened(path, kinds)
    about.verify_for(game, file.path)
    return about, file


def _opened(path: Path | str, kinds: Sequence[str]) -> tuple[About, Mapped]:
    """The same for whatever game."""
    file = Mapped.load(path, TRAIN)
    if file.kind not in kinds:
        raise FileError(f"{path} is a {file.kind}, not a {' or '.join(kinds)}; give another file")
    return About.read(file.about, file.path), file


def blueprint_path(game: Game) -> Path:
    """The file in which `train` keeps the blueprint of a game, with the rules that it has now, by
    default. Raises FileError where there is no folder for it.
    """
    game = as_sequential(game)
    digest = digest_text(f"{game!r} {rules_of(game)}")
    return user_data() / _FOLDER / f"{_readable(game)}-{digest}.blueprint"


def outdated_blueprints(game: Game) -> list[Path]:
    """The files in the user's data folder of blueprints of this game, but with other rules: the
    blueprints, the states of their trainings, and locks. An edit of a game leaves them behind.

    The class of the game must come from the same place. Files that do not say where their game
    came from do not count, because they may be of another game of this name.
    """
    folder, game = user_data() / _FOLDER, as_sequential(game)
    now = rules_of(game)
    found = []
    for path in sorted(folder.glob(f"{_readable(game)}-*.blueprint")):
        about = _about_any(path)
        if about is not None and about.is_of(game) and about.rules != now:
            found += [path, *sorted(folder.glob(f"{glob.escape(path.name)}.*"))]
    return found


def _about_any(path: Path) -> About | None:
    """What a blueprint of whatever game is; None if the file is none."""
    try:
        return About.read(Mapped.load(path, TRAIN).about, path)
    except FileError:
        return None


def _origin_of(game: Game) -> str:
    """A digest of where the class of a game is, or of the game inside it."""
    while isinstance(game, Wrapped):
        game = game.game
    return digest_text(origin_of_class(type(game)))


def found_blueprint(game: Game) -> tuple[Path, About] | None:
    """The blueprint that is kept for a game, and what it is; None if there is none."""
    try:
        folder = user_data() / _FOLDER
        if not any(folder.glob(f"{_readable(as_sequential(game))}-*")):
            return None  # found out without a digest of the rules
        path = blueprint_path(game)
        return path, about_blueprint(path, game)
    except FileError:
        return None


def _readable(game: Game) -> str:
    """A game as the beginning of the name of a file."""
    return re.sub(r"[^A-Za-z0-9]+", "-", repr(game)).strip("-")[:60]


def blueprint_at(path: Path | str, game: Game) -> Path:
    """The file that ``path`` names, which may be `TRAINED`. Raises FileError where there is none of
    that name.
    """
    if str(path) != TRAINED:
        return Path(path)
    kept = blueprint_path(game)
    if not kept.exists():
        raise FileError(
            f"no blueprint of {game} is kept here; make one with: hiddenhand {TRAIN} {_typed(game)}"
        )
    return kept


def _typed(game: Game) -> str:
    """A game as an argument of a command; GAME where no text names it."""
    try:
        return f'"{game_spec(game.game if isinstance(game, TurnBased) else game)}"'
    except ParameterError:
        return "GAME"


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
        found = cls.read(path)
        found.about.verify_for(game, found.file.path)
        return found

    @classmethod
    def read(cls, path: Path | str) -> Self:
        """Open a file, of whatever game. Raises FileError unless it is a blueprint by sets."""
        found = cls(*_opened(path, (SETS,)))
        found.file.verify_types(**_TYPES)
        sizes = {name: array.size for name, array in found.file.arrays.items()}
        sets = sizes["keys"]
        if not sizes["count"] == sizes["visits"] == sets or sizes["first"] != -(-sets // _BLOCK):
            raise found._damaged()
        return found

    @property
    def num_sets(self) -> int:
        """I."""
        return int(self.file.arrays["keys"].size)

    @property
    def _num_actions(self) -> int:
        """V."""
        return int(self.file.arrays["probability"].size)

    def _damaged(self) -> FileError:
        """The error for arrays that do not fit, whose digests are right."""
        return FileError(f"{self.file.path} is damaged; make it anew with {TRAIN}")

    def at(self, key: int) -> tuple[Floats, float] | None:
        """``float64[n]``, the probabilities of the actions of an information set, and how often
        training came there, roughly; None where it never did. Raises FileError where the file is
        damaged.
        """
        found = self.among(np.array([key], np.uint64))
        if found.keys.size == 0:
            return None
        assert found.visits is not None
        return found.values, float(found.visits[0])

    def on(self, tree: GameTree) -> Floats:
        """The blueprint as a profile ``float64[S]`` over the sequences of a tree; NaN in
        information sets to which training did not come often enough. Raises FileError where the
        file is damaged.
        """
        found = self.among(tree.set_key, ENOUGH)
        profile = Strategy("", found.keys, found.starts, found.values).on(tree)
        unknown = np.repeat(~np.isin(tree.set_key, found.keys), np.diff(tree.set_start))
        profile[tree.set_start[0] :][unknown] = np.nan
        return profile

    def among(self, keys: Keys, visits: float = 0.0) -> Weights:
        """What the blueprint knows of these information sets: the probabilities in those that
        training came to at least ``visits`` times, by increasing keys, and how often it came there,
        roughly. Raises FileError where the file is damaged.
        """
        file, kept, wanted = self.file, self.file.arrays["keys"], np.unique(keys)
        row = np.searchsorted(kept, wanted)
        row = row[row < kept.size]
        file.verify_all("keys", row, np.ones_like(row))
        row = row[kept[row] == wanted[: row.size]]
        file.verify_all("visits", row, np.ones_like(row))
        came = visits_of(file.arrays["visits"][row])
        row, came = row[came >= visits], came[came >= visits]
        block = np.unique(row // _BLOCK)
        begin = block * _BLOCK
        length = np.minimum(kept.size - begin, _BLOCK)
        file.verify_all("count", begin, length)
        file.verify_all("first", block, np.ones_like(block))
        place = np.minimum(begin[:, None] + np.arange(_BLOCK), max(kept.size - 1, 0))
        counts = file.arrays["count"][place].astype(np.int64)
        before = np.cumsum(counts, axis=1) - counts  # actions of sets before each one, in its block
        at = np.searchsorted(block, row // _BLOCK), row % _BLOCK
        first, size = file.arrays["first"][block][at[0]] + before[at], counts[at]
        if (size < 1).any() or (first < 0).any() or (first > self._num_actions - size).any():
            raise self._damaged()
        file.verify_all("probability", first, size)
        starts = starts_of(size)
        played = file.arrays["probability"][places_of(first, size)].astype(np.float64)
        total = np.add.reduceat(played, starts[:-1]) if row.size else np.zeros(0)
        if not total.all():
            raise self._damaged()
        return Weights(kept[row], starts, played / np.repeat(total, size), came)


def visits_of(numbers: Any) -> Floats:
    """The visits that numbers of 8 bits stand for: 0, or at most 9 % more or fewer."""
    exact = np.asarray(numbers, np.float64)
    return np.where(exact == 0.0, 0.0, 2.0 ** ((exact - 1.0) / _FINE))


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
    place = places_of(weights.starts[:-1][chosen], counts)
    share = weights.values[place] / np.repeat(mass[chosen], counts)
    visits = np.ones(chosen.size) if weights.visits is None else weights.visits[chosen]
    number = 1.0 + np.round(_FINE * np.log2(np.maximum(visits, 1.0)))
    arrays: dict[str, Any] = {
        "keys": weights.keys[chosen],
        "count": counts.astype(np.uint8),
        "first": starts_of(counts)[:-1:_BLOCK],
        "visits": np.clip(number, 1, 255).astype(np.uint8),
        "probability": np.round(ONE * share).astype(np.uint16),
    }
    write_mapped(path, SETS, asdict(about), arrays)
    return chosen.size
