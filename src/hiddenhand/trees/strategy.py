"""Strategies as tables from information sets to probabilities: what a search returns, what files
hold, what matches are played with.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.archives import Array, Kind, Rows, count, defect, load_arrays, save_arrays, text
from hiddenhand.errors import FileError, GameError, OptionError, RefusedOptionError
from hiddenhand.games.base import Game
from hiddenhand.games.history import History, verify_history
from hiddenhand.games.registry import game_of
from hiddenhand.games.rule_digests import rules_of, verify_same_rules
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.arrays import Floats, Indices, Integers, Keys, places_of, starts_of
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.infoset_table import InformationSetTable, num_sets, table_from_arrays
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.observation_keys import mix
from hiddenhand.jit.random import new_state
from hiddenhand.notebooks import Shown
from hiddenhand.text import shortened, without_middle
from hiddenhand.trees.policy_report import Behaviour, StrategyTable, strategy_table
from hiddenhand.trees.profile import verified_profile
from hiddenhand.trees.tree import GameTree, describe
from hiddenhand.trees.unroll import as_tree

UNSEEN: Final = ("uniform", "fixed")

_FILE: Final = Kind(
    "strategy",
    {"game": text, "rules": text},
    {
        "keys": Array(np.uint64, ("I",), increasing=True),
        "starts": Array(np.int64, ("I+1",)),
        "probabilities": Array(np.float64, ("V",), least=0.0, most=1.0),
    },
    (Rows(values="probabilities", layout=(1, 0), distributions=True),),
)
_ROWS: Final = Kind(
    "search",
    arrays={
        "keys": Array(np.uint64, ("I",), distinct=True),
        "starts": Array(np.int64, ("I+1",)),
        "values": Array(np.float64, ("V",)),
        "layout": Array(np.int64, (2,)),
    },
    rows=(Rows(layout="layout"),),
)
TABLE: Final = _ROWS.with_more(arrays={"room": Array(np.int64, (2,), least=1)})
"""The arrays of an `InformationSetTable`."""
SEARCH_FILE: Final = _ROWS.with_more({"game": text, "rules": text, "strategy_column": count})
"""What every search's file holds, so that it can be read as a strategy. Where the header has an
entry ``greedy``, the strategy's column holds visits and the next one sums of payoffs; if the entry
is true, the strategy is `greedy_values`. Where it has an entry ``threshold``, the strategy is what
`Weights.above` leaves.
"""


@dataclass(frozen=True, eq=False)
class Weights:
    """Non-negative weights of actions in information sets: a strategy before it is normalised. How
    large they are says how much the strategy is based on.

    keys: ``uint64[I]``, of the information sets.
    starts: ``int64[I + 1]``, the weights of set i are ``values[starts[i] : starts[i + 1]]``.
    values: ``float64[...]``, the weights.
    visits: ``float64[I]``, from how many samples the weights of each set come; None where the
        search does not count its samples.
    """

    keys: Keys
    starts: Integers
    values: Floats
    visits: Floats | None = None

    @classmethod
    def of(cls, rows: Mapping[int, Floats]) -> "Weights":
        """The weights of the actions in each information set, by the key of the set."""
        starts = starts_of([row.size for row in rows.values()])
        values = np.concatenate([np.zeros(0), *rows.values()])
        return cls(np.array(list(rows), np.uint64), starts, values)

    def among(self, keys: Keys) -> dict[int, Floats]:
        """The weights of those information sets that are among ``keys``, by their keys."""
        rows = np.flatnonzero(np.isin(self.keys, keys)).tolist()
        return {
            int(self.keys[row]): self.values[self.starts[row] : self.starts[row + 1]]
            for row in rows
        }

    def above(self, threshold: float) -> "Weights":
        """The same weights, but 0 for each action below ``threshold`` times the largest weight of
        its set: "thresholding" of Ganzfried, Sandholm and Waugh (2012), "Strategy purification and
        thresholding: effective non-equilibrium approaches for playing large games".

        threshold: from 0, which changes nothing, to 1, which leaves the largest weights alone.
        """
        if threshold == 0 or not self.keys.size:
            return self
        largest = np.maximum.reduceat(self.values, self.starts[:-1])
        rare = self.values < threshold * np.repeat(largest, np.diff(self.starts))
        return replace(self, values=np.where(rare, 0.0, self.values))

    @property
    def mass(self) -> Floats:
        """``float64[I]``, the sum of each set's values."""
        owner = np.repeat(np.arange(self.keys.size), np.diff(self.starts))
        return np.bincount(owner, self.values, self.keys.size).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Strategy(Shown):
    """Probabilities of actions in those information sets that are known, for all players together.

    game: the game as text.
    keys: ``uint64[I]``, of the information sets, increasing.
    starts: ``int64[I + 1]``, where the probabilities of each set begin.
    probabilities: ``float64[...]``, those of set i are ``starts[i] .. starts[i + 1] - 1``, in the
        order of its legal actions.
    rules: which rules the game had, see `rules_of`; empty if that is not known.
    """

    game: str
    keys: Keys
    starts: Integers
    probabilities: Floats
    rules: str = ""

    @classmethod
    def uniform(cls, game: Game | str) -> "Strategy":
        """The strategy of a game, or of the game of that name, that knows no information set, so
        that all actions are equally likely.
        """
        return cls(repr(game_of(game)), np.zeros(0, np.uint64), np.zeros(1, np.int64), np.zeros(0))

    @property
    def num_sets(self) -> int:
        return self.keys.size

    def at(self, key: int) -> Floats | None:
        """The probabilities of the legal actions in the information set with ``key``, or None if it
        is not known.
        """
        row = int(np.searchsorted(self.keys, np.uint64(key)))
        if row == self.keys.size or int(self.keys[row]) != key:
            return None
        return self.probabilities[self.starts[row] : self.starts[row + 1]]

    def behaviour(self, history: History) -> Behaviour:
        """What the strategy does after ``history``, where a player is to move. Raises GameError
        where none is, and FileError if the history is one of another game.
        """
        verify_history(history)
        self.verify(as_sequential(history.game), "this strategy")
        here, known = describe(history), self.at(history.information_key)
        probabilities = (
            [1.0 / len(here.actions)] * len(here.actions)
            if known is None
            else [float(p) for p in known]
        )
        return Behaviour(
            here.player,
            here.information,
            dict(zip(here.actions, probabilities, strict=True)),
            known is not None,
        )

    def __repr__(self) -> str:
        return f"Strategy({self.game}, {self.num_sets:,} information sets)"

    def table(self, game: GameTree | Game | str | None = None) -> StrategyTable:
        """What the strategy does in each information set, how often a match comes there, and what
        other actions would have earned. The game must be small enough to be written out.

        game: the game, its name or its tree; None for the game of this package that the strategy
            was made for. Raises FileError if it is another game.
        """
        if game is None:
            return self._table
        tree = as_tree(game)
        self.verify(tree.game, "this strategy")
        return strategy_table(self, tree)

    @cached_property
    def _table(self) -> StrategyTable:
        return self.table(self.game)

    def items(self) -> Iterator[tuple[str, dict[str, float]]]:
        """What the player sees in each information set, and the probabilities of the actions there,
        by their names. For a small game of this package; `table` takes any game.
        """
        return ((one.place, one.probabilities) for one in self.table())

    def __getitem__(self, words: str) -> dict[str, float]:
        """The probabilities of the actions, by their names, in one information set.

        words: what the player sees there, as `items` has it, or words that are seen in no other
            set, such as ``strategy["K moves none"]``. Raises OptionError if there are none or
            several.
        """
        table = self.table()
        found = [one for one in table if words in (one.place, one.information)]
        found = found if len(found) == 1 else list(table.find(words))
        if len(found) != 1:
            some = "; ".join(repr(one.place) for one in (found or table)[:3])
            raise OptionError(
                f"{len(found)} information sets say {shortened(words)}; give the words of one, "
                f"such as {some}"
            )
        return found[0].probabilities

    def __eq__(self, other: object) -> bool:
        """Whether it is for the same game, knows the same information sets, and has the same
        probabilities, to the last bit.
        """
        return isinstance(other, Strategy) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def _content(self) -> tuple[str, bytes, bytes, bytes]:
        return self.game, self.keys.tobytes(), self.starts.tobytes(), self.probabilities.tobytes()

    def on(self, tree: GameTree, unseen: str = "uniform", seed: int = 0) -> Floats:
        """This strategy as a profile ``float64[S]`` over the sequences of ``tree``, which `unroll`
        makes.

        Information sets that are not known play ``unseen``: "uniform", or "fixed", one action drawn
        for each set from ``seed`` and the set's key, the same for every strategy. Raises FileError
        if the strategy does not fit the game.
        """
        if not isinstance(tree, GameTree):
            raise GameError(
                f"{shortened(tree)} is not written out; give the tree that unroll makes of the game"
            )
        if self.game == repr(tree.game):
            self.verify(tree.game)
        profile = np.ones(tree.num_sequences)
        fits = spread(self, tree.set_key, tree.set_start, profile, unseen, seed)
        if not fits:
            raise FileError(
                f"this strategy is for {without_middle(self.game, 200)}, not for {tree.game}: an "
                "information set has another number of actions"
            )
        return profile

    def verify(self, game: Game, what: object = "the strategy") -> None:
        """Raise FileError, about ``what``, unless the strategy was made for ``game`` and the rules
        that it has now.
        """
        if self.game != repr(game):
            raise FileError(
                f"{what} is for {self.game}, not for {game}; name the game it was made for"
            )
        if self.rules:
            verify_same_rules(game, what, self.rules)

    def save(self, path: Path | str) -> None:
        """Write the strategy to a file. Raises FileError if it is none, or cannot be written."""
        arrays = {"keys": self.keys, "starts": self.starts, "probabilities": self.probabilities}
        save_arrays(path, _FILE, {"game": self.game, "rules": self.rules}, arrays)


def spread(
    strategy: Strategy,
    keys: Keys,
    starts: Indices | Integers,
    profile: Floats,
    unseen: str,
    seed: int,
) -> bool:
    """Write a strategy into a profile in which the information set with ``keys[i]`` begins at
    ``starts[i]``. Returns whether all numbers of actions agree.

    unseen, seed: as in `Strategy.on`.
    """
    if unseen not in UNSEEN:
        raise RefusedOptionError("unseen", unseen, f"choose one of: {', '.join(UNSEEN)}")
    known = _Runs(strategy.keys, strategy.starts, strategy.probabilities)
    into = _Runs(keys, starts, profile)
    return bool(_spread(known, into, np.argsort(keys), unseen == "fixed", new_state(seed)[0]))


def strategy_from_profile(tree: GameTree, profile: Floats) -> Strategy:
    """The strategy that plays ``profile`` in all information sets of ``tree``. Raises OptionError
    unless it is a profile.
    """
    profile = verified_profile(tree, profile)
    return sorted_strategy(tree.game, tree.set_key, tree.set_start.astype(np.int64), profile)


def strategy_from_table(game: Game, table: InformationSetTable, column: int) -> Strategy:
    """The strategy proportional to one per-action ``column`` of a search's table."""
    return strategy_from_weights(game, weights_from_table(table, column))


def strategy_from_weights(game: Game, weights: Weights) -> Strategy:
    """The strategy proportional to ``weights``."""
    return _proportional(_named(game), weights)


def table_of(weights: Weights) -> InformationSetTable:
    """A table whose rows are ``weights``."""
    arrays: dict[str, Any] = {
        "keys": weights.keys,
        "starts": weights.starts,
        "values": weights.values,
        "layout": np.array([1, 0]),
    }
    return table_from_arrays(arrays)


def weights_from_table(table: InformationSetTable, column: int) -> Weights:
    """One per-action ``column`` of a search's table."""
    sets = num_sets(table)
    rows = table.keys[:sets].copy(), table.starts[: sets + 1], table.values
    return _column(*rows, (table.per_action, table.per_set), column)


def _column(
    keys: Keys, starts: Integers, values: Floats, layout: tuple[int, int], column: int
) -> Weights:
    """One per-action column of rows."""
    per_action, per_set = layout
    sizes = (np.diff(starts) - per_set) // per_action
    return Weights(keys, starts_of(sizes), values[places_of(starts[:-1] + column * sizes, sizes)])


def greedy_values(visits: Floats, sums: Floats, starts: Integers) -> Floats:
    """``float64[...]``: all visits of a set on the action that paid most on average, and 0 on the
    others. Of equally good actions it is the first; actions without visits are worse than all.

    visits: ``float64[...]``, how often each action was taken.
    sums: ``float64[...]``, the sums of what it paid.
    starts: ``int64[I + 1]``, the actions of set i are ``starts[i] .. starts[i + 1] - 1``.
    """
    first, sizes = starts[:-1], np.diff(starts)
    if not first.size:
        return np.zeros(0)
    tried = visits > 0
    mean = np.where(tried, sums / np.where(tried, visits, 1.0), -np.inf)
    best = np.flatnonzero(mean == np.repeat(np.maximum.reduceat(mean, first), sizes))
    owner = np.repeat(np.arange(first.size), sizes)
    values = np.zeros(visits.size)
    values[best[np.unique(owner[best], return_index=True)[1]]] = np.add.reduceat(visits, first)
    return values


def saved_strategy(path: Path | str, greedy: bool = False) -> Strategy:
    """Read a strategy from a file that `Strategy.save` or a search's ``save`` wrote. Raises
    FileError. `strategy_files.load_strategy` reads blueprints, too.

    greedy: whether to read the greedy strategy of a search by self-play, whatever it played
        itself: the action with the highest mean payoff.
    """
    header, arrays = load_arrays(path, _FILE, SEARCH_FILE)
    if greedy and not isinstance(header.get("greedy"), bool):
        raise without_payoffs(path)
    if header["kind"] == _FILE.name:
        return Strategy(
            header["game"],
            arrays["keys"],
            arrays["starts"],
            arrays["probabilities"],
            header["rules"],
        )
    per_action, per_set = map(int, arrays["layout"])
    if header["strategy_column"] >= per_action:
        raise defect(path, "search", "strategy_column")
    made_for, column = (header["game"], header["rules"]), int(header["strategy_column"])
    rows = arrays["keys"], arrays["starts"], arrays["values"], (per_action, per_set)
    weights = _column(*rows, column)
    if (greedy or header.get("greedy") is True) and column + 1 < per_action:
        sums = _column(*rows, column + 1).values
        weights = replace(weights, values=greedy_values(weights.values, sums, weights.starts))
    threshold = header.get("threshold", 0.0)
    if not (isinstance(threshold, float) and 0.0 <= threshold <= 1.0):
        raise defect(path, "search", "threshold")
    strategy = _proportional(made_for, weights.above(threshold))
    if (strategy.probabilities < 0).any():
        raise defect(path, "search", "values")
    return strategy


def without_payoffs(path: Path | str) -> FileError:
    """The error for a file that has no greedy strategy."""
    return FileError(
        f"{path} does not tell the mean payoffs of actions; give the file of a search by "
        "smooth-uct or ef-uct"
    )


def _named(game: Game) -> tuple[str, str]:
    return repr(game), rules_of(game)


def _proportional(made_for: tuple[str, str], weights: Weights) -> Strategy:
    """The strategy, for the game and its rules as text, that is proportional to ``weights``."""
    probabilities = np.zeros(weights.values.size)
    _normalise(weights.starts, weights.values, probabilities)
    return _sorted(made_for, weights.keys, weights.starts, probabilities)


def sorted_strategy(game: Game, keys: Keys, starts: Integers, probabilities: Floats) -> Strategy:
    """The strategy whose information sets, with arrays as in `Strategy`, come in any order."""
    return _sorted(_named(game), keys, starts, probabilities)


def _sorted(
    made_for: tuple[str, str], keys: Keys, starts: Integers, probabilities: Floats
) -> Strategy:
    game, rules = made_for
    order = np.argsort(keys)
    sizes = np.diff(starts)[order]
    places = places_of(starts[:-1][order], sizes)
    return Strategy(game, keys[order], starts_of(sizes), probabilities[places], rules)


@kernel
def _normalise(starts: Integers, values: Floats, probabilities: Floats) -> None:
    """Write the values of each run divided by their sum; uniform where it is not above 0."""
    for i in range(starts.size - 1):
        total = 0.0
        for v in range(starts[i], starts[i + 1]):
            total += values[v]
        n = starts[i + 1] - starts[i]
        for v in range(starts[i], starts[i + 1]):
            probabilities[v] = values[v] / total if total > 0.0 else 1.0 / n


@dataclass(frozen=True)
class _Runs(Compiled):
    """Numbers for each action of information sets.

    keys: ``uint64[I]``, of the sets.
    starts: ``int[I + 1]``, the numbers of set i are ``starts[i] .. starts[i + 1] - 1``.
    values: ``float64[...]``, the numbers.
    """

    keys: Keys
    starts: Indices | Integers
    values: Floats


@kernel
def _spread(
    known: _Runs, into: _Runs, order: npt.NDArray[np.intp], fixed: bool, seed: np.uint64
) -> bool:
    """Write the values of ``known``, whose keys increase, into those of ``into``, whose keys
    ``order`` sorts. Returns whether all numbers of actions agree.

    Both lists of keys are walked in increasing order. Sets that are not known play one action if
    ``fixed``, drawn by ``seed`` and the key; else all alike.
    """
    row, profile = 0, into.values
    for position in range(order.size):
        i = order[position]
        key, first = into.keys[i], into.starts[i]
        n = into.starts[i + 1] - first
        while row < known.keys.size and known.keys[row] < key:
            row += 1
        if row < known.keys.size and known.keys[row] == key:
            if known.starts[row + 1] - known.starts[row] != n:
                return False
            for a in range(n):
                profile[first + a] = known.values[known.starts[row] + a]
        elif fixed:
            drawn = mix(key ^ mix(seed + np.uint64(1))) >> np.uint64(11)
            chosen = np.int64(np.float64(drawn) * (1.0 / 9007199254740992.0) * n)
            for a in range(n):
                profile[first + a] = 1.0 if a == chosen else 0.0
        else:
            for a in range(n):
                profile[first + a] = 1.0 / n
    return True
