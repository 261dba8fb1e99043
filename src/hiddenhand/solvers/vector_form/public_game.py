"""A game in vector form: its situations as flat arrays, and what is paid as few numbers.

The tree of public histories is not written out. A walk through it goes from situation to situation.
For each public history in which a player moves, a number is kept for each action and hand. These
numbers lie in one array for each player, in the order in which a walk comes there: first what
belongs to a public history, then what belongs to those after it. So where it lies follows from the
sizes of whole subtrees, which situations know.

What is paid at the end of an edge is a matrix M over hands. Few matrices differ, apart from a
factor such as a pot. Often whole rows differ by a factor only: in Liar's Dice a hand matters only
by how many dice show the face that was bid. So a matrix is kept as M = s a(i) B(k(i), l(j)) b(j),
where k and l are kinds of rows and of columns, and B is small.

Dimensions: G situations, E edges, H hands of a player, K kinds of rows, L kinds of columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.errors import TooLargeError
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.arrays import Flags, Floats, Indices, Integers, Players, starts_of
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import inline
from hiddenhand.progress import SILENT, Progress
from hiddenhand.solvers.vector_form.hand_merging import Merged, merge
from hiddenhand.solvers.vector_form.situations import MAX_EFFORT, explore

_MOST: Final = 2**60  # numbers of a player, more than any memory has
_FEW: Final = 4  # hands, which are not worth merging
_DIGITS: Final = 12  # to which numbers agree that are taken to be the same
SAME: Final = -1
"""In place of where a list of hands begins: the hands are the same as before."""
NOTHING: Final = -1
"""In place of the number of a situation, or of a matrix: there is none."""


@dataclass(frozen=True, eq=False)
class Payments(Compiled):
    """The matrices M without their factors s.

    first_line: ``int64[matrices, 2]``, where the rows and the columns of each begin.
    kind: ``int32[...]``, the kind of each row or column.
    factor: ``float64[...]``, a and b.
    first_entry: ``int64[matrices]``, where the B of each begins.
    num_kinds: ``int32[matrices, 2]``, K and L.
    entry: ``float64[...]``, the B, row by row.
    """

    first_line: Integers
    kind: Indices
    factor: Floats
    first_entry: Integers
    num_kinds: Indices
    entry: Floats


@dataclass(frozen=True, eq=False)
class PublicGame(Compiled):
    """The situations of a game; situation 0 is its beginning.

    mover: ``int8[G]``, a player or CHANCE.
    num_hands: ``int32[G, 2]``, of each player.
    num_actions: ``int32[G]``, 0 at moves of chance.
    first_edge: ``int32[G + 1]``, where the edges of each begin.
    first_legal: ``int64[G]``, where the flags begin that say which actions each hand has, action by
        action; SAME where all hands have all.
    legal: ``bool[...]``, these flags.
    size: ``int64[G, 2]``, how many numbers are kept of each player from each situation on.
    action: ``int32[E]``, the number of the action; 0 at moves of chance.
    child: ``int32[E]``, the situation that follows, or NOTHING.
    base: ``int64[E, 2]``, how much later than at the situation what is kept of each player begins
        in the child.
    first_hand: ``int64[E, 2]``, where the list begins that says from which hand each hand of the
        child comes, for each player; or SAME.
    parent_hand: ``int32[...]``, these lists.
    matrix: ``int32[E]``, what is paid where the game ends, or NOTHING.
    factor: ``float64[E]``, the s of that matrix.
    payments: the matrices.
    """

    mover: Players
    num_hands: Indices
    num_actions: Indices
    first_edge: Indices
    first_legal: Integers
    legal: Flags
    size: Integers
    action: Indices
    child: Indices
    base: Integers
    first_hand: Integers
    parent_hand: Indices
    matrix: Indices
    factor: Floats
    payments: Payments


@dataclass(frozen=True, eq=False)
class VectorForm:
    """A game in vector form.

    game: the game, with moves in turns.
    merged: its situations, as they were found.
    arrays: the same as arrays.
    depth: the most situations that a walk passes through.
    most_hands: the most hands of a player.
    most_numbers: the most numbers that are kept of a public history.
    root: the situation in which walks begin.
    ranges: for each player ``float64[H]``, how much each hand plays to get there; None where that
        is the beginning of the game.
    """

    game: Game
    merged: list[Merged]
    arrays: PublicGame
    depth: int
    most_hands: int
    most_numbers: int
    root: int = 0
    ranges: tuple[Floats, Floats] | None = None

    @property
    def num_sets(self) -> int:
        """The information sets of both players, before hands are merged."""
        sets = [0] * len(self.merged)
        for number in range(len(self.merged) - 1, -1, -1):
            one = self.merged[number]
            own = one.situation.num_hands[one.situation.mover] if one.situation.mover >= 0 else 0
            sets[number] = own + sum(sets[edge.child] for edge in one.edges if edge.child >= 0)
        return sets[0]

    @property
    def sizes(self) -> tuple[int, int]:
        """How many numbers are kept of each player: one for each action of each hand."""
        return int(self.arrays.size[self.root, 0]), int(self.arrays.size[self.root, 1])


def vector_form(
    game: Game,
    *,
    merges: bool = True,
    effort: int = MAX_EFFORT,
    progress: Progress = SILENT,
) -> VectorForm:
    """The vector form of a zero-sum game of two players.

    merges: whether hands that are alike are played as one, where there are more than a few.
    effort: how much may be done to find the situations, see `situations`.
    progress: receives reports of how many situations are found.

    Raises what `explore` raises.
    """
    game = as_sequential(game)
    situations = explore(game, effort=effort, progress=progress)
    many = max(max(one.num_hands) for one in situations) > _FEW
    merged = merge(situations, merges=merges and many)
    depth = np.zeros(len(merged), np.int64)
    for number in range(len(merged) - 1, -1, -1):
        after = [depth[edge.child] for edge in merged[number].edges if edge.child >= 0]
        depth[number] = 1 + max(after, default=0)
    return VectorForm(
        game,
        merged,
        _arrays(game, merged),
        int(depth[0]),
        max(max(one.num_classes) for one in merged),
        max(max(one.legal.size, *one.num_classes) for one in merged),
    )


def _arrays(game: Game, merged: list[Merged]) -> PublicGame:
    sizes = _sizes(game, merged)
    written = _Written()
    for number, one in enumerate(merged):
        written.add(one, sizes, int(one.legal.size))
        assert number + 1 == len(written.mover)
    return PublicGame(
        np.array(written.mover, np.int8),
        np.array([one.num_classes for one in merged], np.int32),
        np.array([len(one.situation.actions) for one in merged], np.int32),
        starts_of([len(one.edges) for one in merged]).astype(np.int32),
        np.array(written.first_legal, np.int64),
        joined(written.legal, np.bool_),
        sizes,
        np.array(written.action, np.int32),
        np.array(written.child, np.int32),
        np.array(written.base, np.int64).reshape(-1, 2),
        np.array(written.first_hand, np.int64).reshape(-1, 2),
        joined(written.parent_hand, np.int32),
        np.array(written.matrix, np.int32),
        np.array(written.factor, np.float64),
        written.payments.arrays(),
    )


def _sizes(game: Game, merged: list[Merged]) -> Integers:
    """``int64[G, 2]``, see `PublicGame`. Raises TooLargeError for sizes that no array can have."""
    sizes = [[0, 0] for _ in merged]
    for number in range(len(merged) - 1, -1, -1):
        one = merged[number]
        for player in range(2):
            own = one.legal.size if one.situation.mover == player else 0
            after = sum(sizes[edge.child][player] for edge in one.edges if edge.child >= 0)
            sizes[number][player] = own + after
    if max(sizes[0]) > _MOST:
        raise TooLargeError(
            f"{game} has some {float(max(sizes[0])):.0e} actions of hands in its public histories; "
            "search it with ismcts"
        )
    return np.array(sizes, np.int64)


class _Written:
    """The arrays of a `PublicGame`, as lists that grow."""

    def __init__(self) -> None:
        self.mover: list[int] = []
        self.first_legal: list[int] = []
        self.legal: list[Flags] = []
        self.action: list[int] = []
        self.child: list[int] = []
        self.base: list[list[int]] = []
        self.first_hand: list[list[int]] = []
        self.parent_hand: list[Indices] = []
        self.matrix: list[int] = []
        self.factor: list[float] = []
        self.payments = _Matrices()
        self._flags = self._hands = 0

    def add(self, one: Merged, sizes: Integers, numbers: int) -> None:
        """A situation. ``numbers``: how many are kept of each public history in it."""
        self.mover.append(one.situation.mover)
        if one.situation.mover == CHANCE or one.legal.all():
            self.first_legal.append(SAME)
        else:
            self.first_legal.append(self._flags)
            self.legal.append(one.legal.ravel())
            self._flags += one.legal.size
        after = [numbers if player == one.situation.mover else 0 for player in range(2)]
        for edge in one.edges:
            self.action.append(edge.edge.action)
            self.child.append(edge.child)
            self.base.append(list(after))
            if edge.child >= 0:
                after = [after[player] + int(sizes[edge.child, player]) for player in range(2)]
            self.first_hand.append([self._listed(edge.parent[p], one, p) for p in range(2)])
            number, factor = self.payments.add(edge.paid)
            self.matrix.append(number)
            self.factor.append(factor)

    def _listed(self, parent: Indices, one: Merged, player: int) -> int:
        if np.array_equal(parent, np.arange(one.num_classes[player])):
            return SAME
        self.parent_hand.append(parent)
        self._hands += parent.size
        return self._hands - parent.size


class _Matrices:
    """Collects matrices; those that differ by a factor are one."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._parts: list[tuple[Any, ...]] = []

    def add(self, matrix: Floats | None) -> tuple[int, float]:
        """The number of a matrix, and its factor."""
        if matrix is None or not matrix.any():
            return NOTHING, 0.0
        factor = _factor(matrix.ravel())
        normal = matrix / factor
        identity = repr(matrix.shape).encode() + _rounded(normal).tobytes()
        if identity not in self._numbers:
            self._numbers[identity] = len(self._parts)
            row_kind, row_factor, rows = _kinds(normal)
            column_kind, column_factor, columns = _kinds(rows.T)
            entry = np.ascontiguousarray(columns.T)
            self._parts.append((row_kind, row_factor, column_kind, column_factor, entry))
        return self._numbers[identity], factor

    def arrays(self) -> Payments:
        """All of them."""
        lines = [(part[0].size, part[2].size) for part in self._parts]
        starts = starts_of([size for pair in lines for size in pair])[:-1]
        entries = starts_of([part[4].size for part in self._parts])[:-1]
        return Payments(
            starts.reshape(-1, 2),
            joined([part[at] for part in self._parts for at in (0, 2)], np.int32),
            joined([part[at] for part in self._parts for at in (1, 3)], np.float64),
            entries,
            np.array([part[4].shape for part in self._parts], np.int32).reshape(-1, 2),
            joined([part[4].ravel() for part in self._parts], np.float64),
        )


def _kinds(matrix: Floats) -> tuple[Indices, Floats, Floats]:
    """The kind of each row, its factor, and a row of each kind."""
    factors = np.array([_factor(row) for row in matrix])
    normal = matrix / np.where(factors != 0.0, factors, 1.0)[:, None]
    _, example, kind = np.unique(_rounded(normal), axis=0, return_index=True, return_inverse=True)
    return kind.ravel().astype(np.int32), factors, normal[example]


def _factor(row: Floats) -> float:
    """The number of largest size, the first one of them; 0 if there are only zeros."""
    sizes = np.round(np.abs(row) / max(float(np.abs(row).max()), 1e-300), _DIGITS)
    return float(row[int(np.argmax(sizes))])


def _rounded(matrix: Floats) -> Floats:
    return np.round(matrix, _DIGITS) + 0.0  # no negative zero


def joined(parts: Sequence[Any], kind: npt.DTypeLike) -> Any:
    """All arrays or lists end to end, as numbers of a kind."""
    return np.concatenate([np.zeros(0, kind), *parts]).astype(kind)


# --- kernels ---


@inline
def add_payments(
    payments: Payments,
    matrix: int,
    factor: float,
    player: int,
    reach: Floats,
    values: Floats,
    sums: Floats,
    hands: int,
    others: int,
) -> None:
    """Add to ``values`` what each hand of a player is paid by a matrix.

    reach: ``float64[others]``, how much each hand of the other player plays to get there.
    values: ``float64[hands]``.
    sums: ``float64[at least K + L]``, room.
    """
    own = payments.first_line[matrix, player]
    theirs = payments.first_line[matrix, 1 - player]
    rows, columns = payments.num_kinds[matrix, 0], payments.num_kinds[matrix, 1]
    entry = payments.first_entry[matrix]
    num_own, num_theirs = rows, columns
    if player == 1:
        num_own, num_theirs = columns, rows
    for kind in range(num_theirs):
        sums[kind] = 0.0
    for hand in range(others):
        sums[payments.kind[theirs + hand]] += payments.factor[theirs + hand] * reach[hand]
    sign = factor if player == 0 else -factor
    for kind in range(num_own):
        total = 0.0
        if player == 0:
            for other in range(num_theirs):
                total += payments.entry[entry + kind * columns + other] * sums[other]
        else:
            for other in range(num_theirs):
                total += payments.entry[entry + other * columns + kind] * sums[other]
        sums[num_theirs + kind] = sign * total
    for hand in range(hands):
        paid = sums[num_theirs + payments.kind[own + hand]]
        values[hand] += payments.factor[own + hand] * paid
