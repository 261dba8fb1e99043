"""Strategies as tables from information sets to probabilities: what a search returns, what files hold, what matches are played with."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from hiddenhand.compiled.kernels import kernel
from hiddenhand.compiled.keys import mix
from hiddenhand.compiled.random import new_state
from hiddenhand.compiled.table import InformationSetTable, num_sets
from hiddenhand.errors import BudgetError, FileError
from hiddenhand.files import load_arrays, save_arrays
from hiddenhand.trees.tree import Floats, GameTree, Ints, Keys

UNSEEN: Final = ("uniform", "fixed")
_KIND: Final = "strategy"


@dataclass(frozen=True, eq=False)
class Weights:
    """Non-negative weights of actions in information sets: a strategy before it is normalised, whose mass says how much is behind it.

    keys: ``uint64[I]``; starts: ``int64[I + 1]``; values: ``float64[...]``, those of set i in
    ``starts[i] .. starts[i + 1] - 1``. visits: ``float64[I]``, how many samples each set's values
    come from, where a search counts them.
    """

    keys: Keys
    starts: npt.NDArray[np.int64]
    values: Floats
    visits: Floats | None = None

    @property
    def mass(self) -> Floats:
        """``float64[I]``, the sum of each set's values."""
        owner = np.repeat(np.arange(self.keys.size), np.diff(self.starts))
        return np.bincount(owner, self.values, self.keys.size).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Strategy:
    """Probabilities of actions in those information sets that are known, for all players together.

    game: the game as text; keys: ``uint64[I]``, increasing; starts: ``int64[I + 1]``; probabilities: ``float64[...]``, those of set i in
    ``starts[i] .. starts[i + 1] - 1`` in the order of its legal actions.
    """

    game: str
    keys: Keys
    starts: npt.NDArray[np.int64]
    probabilities: Floats

    @property
    def num_sets(self) -> int:
        return self.keys.size

    def at(self, key: int) -> Floats | None:
        """The probabilities of the legal actions in the information set with ``key``, or None if it is not known."""
        row = int(np.searchsorted(self.keys, np.uint64(key)))
        if row == self.keys.size or int(self.keys[row]) != key:
            return None
        return self.probabilities[self.starts[row] : self.starts[row + 1]]

    def on(self, tree: GameTree, unseen: str = "uniform", seed: int = 0) -> Floats:
        """This strategy as a profile ``float64[S]`` over the sequences of ``tree``.

        Information sets that are not known play ``unseen``: "uniform", or "fixed", one action drawn for each set from ``seed`` and the set's key, the
        same for every strategy. Raises FileError if the strategy does not fit the game.
        """
        if unseen not in UNSEEN:
            raise BudgetError(f"unseen={unseen!r} is not allowed; choose one of: {', '.join(UNSEEN)}")
        drawn_from = new_state(seed)[0]
        profile = np.ones(tree.num_sequences)
        order = np.argsort(tree.set_key)
        fits = spread(tree.set_key, order, tree.set_start, self.keys, self.starts, self.probabilities, unseen == "fixed", drawn_from, profile)
        if not fits:
            raise FileError(f"this strategy is for {self.game}, not for {tree.game}: an information set has another number of actions")
        return profile

    def known_on(self, tree: GameTree) -> int:
        """How many information sets of ``tree`` the strategy knows."""
        return int(np.isin(tree.set_key, self.keys).sum())

    def save(self, path: Path | str) -> None:
        """Write the strategy to a file."""
        save_arrays(path, _KIND, {"game": self.game}, {"keys": self.keys, "starts": self.starts, "probabilities": self.probabilities})


def strategy_from_profile(tree: GameTree, profile: Floats) -> Strategy:
    """The strategy that plays ``profile`` in all information sets of ``tree``."""
    return sorted_strategy(str(tree.game), tree.set_key, tree.set_start.astype(np.int64), profile)


def strategy_from_table(game: str, table: InformationSetTable, column: int) -> Strategy:
    """The strategy proportional to one per-action ``column`` of a search's table."""
    sets = num_sets(table)
    return _strategy_from_rows(game, table.keys[:sets], table.starts[: sets + 1], table.values, (table.per_action, table.per_set), column)


def strategy_from_weights(game: str, weights: Weights) -> Strategy:
    """The strategy proportional to ``weights``."""
    return _strategy_from_rows(game, weights.keys, weights.starts, weights.values, (1, 0), 0)


def weights_from_table(table: InformationSetTable, column: int) -> Weights:
    """One per-action ``column`` of a search's table."""
    sets = num_sets(table)
    starts = table.starts[: sets + 1]
    num_actions = (np.diff(starts) - table.per_set) // table.per_action
    own_starts = np.concatenate([[0], np.cumsum(num_actions)]).astype(np.int64)
    position = np.arange(own_starts[-1]) + np.repeat(starts[:-1] + column * num_actions - own_starts[:-1], num_actions)
    return Weights(table.keys[:sets].copy(), own_starts, table.values[position])


def load_strategy(path: Path | str) -> Strategy:
    """Read a strategy from a file that `Strategy.save` or a search's ``save`` wrote. Raises FileError."""
    header, arrays = load_arrays(path, _KIND, "search")
    if header["kind"] == _KIND:
        return Strategy(header["game"], arrays["keys"], arrays["starts"], arrays["probabilities"])
    per_action, per_set = map(int, arrays["layout"])
    return _strategy_from_rows(header["game"], arrays["keys"], arrays["starts"], arrays["values"], (per_action, per_set), header["strategy_column"])


def _strategy_from_rows(game: str, keys: Keys, starts: npt.NDArray[np.int64], values: Floats, layout: tuple[int, int], column: int) -> Strategy:
    per_action, per_set = layout
    num_actions = (np.diff(starts) - per_set) // per_action
    own_starts = np.concatenate([[0], np.cumsum(num_actions)]).astype(np.int64)
    probabilities = np.zeros(own_starts[-1])
    _normalise_rows(starts, own_starts, values, column, probabilities)
    return sorted_strategy(game, keys, own_starts, probabilities)


def sorted_strategy(game: str, keys: Keys, starts: npt.NDArray[np.int64], probabilities: Floats) -> Strategy:
    """The strategy whose information sets, with arrays as in `Strategy`, come in any order."""
    order = np.argsort(keys)
    sizes = np.diff(starts)[order]
    new_starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    position = np.arange(new_starts[-1]) - np.repeat(new_starts[:-1], sizes) + np.repeat(starts[:-1][order], sizes)
    return Strategy(game, keys[order], new_starts, probabilities[position])


@kernel
def _normalise_rows(starts: npt.NDArray[np.int64], own_starts: npt.NDArray[np.int64], values: Floats, column: int, probabilities: Floats) -> None:
    for i in range(starts.size - 1):
        n = own_starts[i + 1] - own_starts[i]
        first = starts[i] + column * n
        total = 0.0
        for a in range(n):
            total += values[first + a]
        for a in range(n):
            probabilities[own_starts[i] + a] = values[first + a] / total if total > 0.0 else 1.0 / n


@kernel
def spread(
    set_key: Keys,
    order: npt.NDArray[np.intp],
    set_start: Ints | npt.NDArray[np.int64],
    keys: Keys,
    starts: npt.NDArray[np.int64],
    probabilities: Floats,
    fixed: bool,
    seed: np.uint64,
    profile: Floats,
) -> bool:
    """Write the strategy into ``profile``, in which set i, of ``set_key[i]``, begins at ``set_start[i]``; ``order`` sorts the keys.

    Both lists of keys are walked in increasing order. Returns whether all numbers of actions agree.
    """
    row = 0
    for position in range(order.size):
        i = order[position]
        n = set_start[i + 1] - set_start[i]
        while row < keys.size and keys[row] < set_key[i]:
            row += 1
        if row < keys.size and keys[row] == set_key[i]:
            if starts[row + 1] - starts[row] != n:
                return False
            for a in range(n):
                profile[set_start[i] + a] = probabilities[starts[row] + a]
        elif fixed:
            drawn = mix(set_key[i] ^ mix(seed + np.uint64(1))) >> np.uint64(11)
            chosen = np.int64(np.float64(drawn) * (1.0 / 9007199254740992.0) * n)
            for a in range(n):
                profile[set_start[i] + a] = 1.0 if a == chosen else 0.0
        else:
            for a in range(n):
                profile[set_start[i] + a] = 1.0 / n
    return True
