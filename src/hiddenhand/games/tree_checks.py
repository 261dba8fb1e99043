"""Checks of the arrays of a `TreeGame`: they must be a tree whose players have perfect recall, and
whose tokens tell exactly what the information sets say.

Each function here takes a tree under construction, and raises ParameterError with the number of the
first node that is wrong.
"""

import hashlib
import math
from collections.abc import Iterator, Sequence
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from hiddenhand.compiled.arrays import Floats, Integers
from hiddenhand.errors import ParameterError
from hiddenhand.games.base import CHANCE, TERMINAL


class TreeArrays(Protocol):
    """The arrays of a `TreeGame`, and what is set on it besides."""

    @property
    def player(self) -> Integers: ...

    @property
    def first_child(self) -> Integers: ...

    @property
    def num_children(self) -> Integers: ...

    @property
    def probability(self) -> Floats: ...

    @property
    def information_set(self) -> Integers: ...

    @property
    def utilities(self) -> Floats: ...

    @property
    def private_token(self) -> Any: ...

    @property
    def public_token(self) -> Any: ...

    @property
    def move_names(self) -> Any: ...

    @property
    def num_players(self) -> int: ...


MOST_ACTIONS: Final = 0
MOST_OUTCOMES: Final = 1
DEPTH: Final = 2
"""What `TreeGame.sizes` holds: the most actions of a player, the most outcomes of chance, the depth
of the tree.
"""
_MAX_TOKEN = 1 << 62
_ARRAYS: Final = (
    "player",
    "first_child",
    "num_children",
    "probability",
    "information_set",
    "utilities",
    "private_token",
    "public_token",
)


def store_arrays(tree: "TreeArrays") -> None:
    """Replace the arrays of ``tree`` by checked, read-only copies."""
    utilities = _array("utilities", tree.utilities, np.float64)
    if utilities.ndim != 2 or utilities.size == 0:
        raise ParameterError(
            f"TreeGame: utilities is {utilities.shape}; it must be (nodes, players) with at least "
            "one of each"
        )
    _store(tree, "utilities", utilities, utilities.shape)
    nodes, players = utilities.shape
    for name in ("player", "first_child", "num_children", "information_set"):
        _store(tree, name, _array(name, getattr(tree, name), np.int64), (nodes,))
    _store(tree, "probability", _array("probability", tree.probability, np.float64), (nodes,))
    _verify_players(tree)
    private, public = tree.private_token, tree.public_token
    private = _told_sets(tree) if private is None else private
    public = np.zeros(nodes, np.int64) if public is None else public
    _store(tree, "private_token", _array("private_token", private, np.int64), (nodes, players))
    _store(tree, "public_token", _array("public_token", public, np.int64), (nodes,))
    for name in ("private_token", "public_token"):
        tokens = getattr(tree, name)
        wrong = np.argwhere((tokens < 0) | (tokens >= _MAX_TOKEN))
        if wrong.size:
            raise ParameterError(
                f"TreeGame: node {wrong[0][0]} has {name} {tokens[tuple(wrong[0])]}; give integers "
                "from 0 to 2**62 - 1"
            )


def _store(tree: "TreeArrays", name: str, array: npt.NDArray[Any], shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        nodes, players = tree.utilities.shape
        raise ParameterError(
            f"TreeGame: {name} is {array.shape}; with utilities of {nodes} nodes and {players} "
            f"players it must be {shape}"
        )
    array.setflags(write=False)
    object.__setattr__(tree, name, array)


def store_public_tokens(tree: "TreeArrays", tokens: Integers) -> None:
    """Keep public tokens that follow from the information sets, and mean nothing to people."""
    _store(tree, "public_token", tokens, tree.player.shape)
    object.__setattr__(tree, "tells_public_tokens", False)


def _verify_players(tree: "TreeArrays") -> None:
    """Check who moves, and that information sets stand exactly where a player does."""
    players = tree.num_players
    movers = zip(tree.player.tolist(), tree.information_set.tolist(), strict=True)
    for node, (player, number) in enumerate(movers):
        if player not in (CHANCE, TERMINAL) and not 0 <= player < players:
            raise ParameterError(
                f"TreeGame: node {node} has player {player}; give 0 to {players - 1}, {CHANCE} for "
                f"chance or {TERMINAL} for the end"
            )
        if player < 0 and number != -1:
            raise ParameterError(
                f"TreeGame: node {node} has information_set {number}, but no player moves there; "
                "give -1"
            )
        if player >= 0 and not 0 <= number < _MAX_TOKEN - 1:
            raise ParameterError(
                f"TreeGame: node {node} has information_set {number}; where a player moves, give "
                "an integer of at least 0"
            )


def _told_sets(tree: "TreeArrays") -> Integers:
    """The private tokens by default: on entering a node, the player who moves there notices the
    node's information set. There are no tokens at the root, which no move enters.
    """
    tokens = np.zeros(tree.utilities.shape, np.int64)
    nodes = np.flatnonzero(tree.player >= 0)
    tokens[nodes, tree.player[nodes]] = 1 + tree.information_set[nodes]
    tokens[0] = 0
    return tokens


def _array(name: str, values: Any, dtype: type) -> npt.NDArray[Any]:
    """A copy of ``values``, which must be integers if ``dtype`` is."""
    given = np.asarray(values)
    kinds, said = ("iu", "integers") if dtype is np.int64 else ("iuf", "finite numbers")
    if given.dtype.kind not in kinds or not np.all(np.isfinite(given)):
        raise ParameterError(f"TreeGame: {name} must be an array of {said}, but it is {values!r}")
    return np.array(given, dtype, order="C")


def verify_tree(tree: "TreeArrays") -> list[int]:
    """Check that the nodes form a tree with right chance probabilities. Returns each node's parent
    (0 for the root).
    """
    nodes = tree.player.size
    parents = [-1] * nodes
    parents[0] = 0
    for node, player, first, count in _rows(tree):
        if (count == 0) != (player == TERMINAL) or count < 0:
            raise ParameterError(
                f"TreeGame: node {node} has player {player} and {count} children; terminal nodes "
                "have none, all others at least one"
            )
        if count and not node < first <= nodes - count:
            last = first + count - 1
            raise ParameterError(
                f"TreeGame: node {node} has children {first} to {last}; they must lie between "
                f"{node + 1} and {nodes - 1}"
            )
        for child in range(first, first + count):
            if parents[child] != -1:
                raise ParameterError(
                    f"TreeGame: node {child} is a child of both node {parents[child]} and node "
                    f"{node}; give each node one parent"
                )
            parents[child] = node
        if player == CHANCE:
            probabilities = tree.probability[first : first + count]
            if np.any(probabilities <= 0.0) or abs(math.fsum(probabilities) - 1.0) > 1e-9:
                raise ParameterError(
                    f"TreeGame: chance node {node} has outcomes of probability {probabilities}; "
                    "they must be positive and sum to 1"
                )
    if -1 in parents:
        raise ParameterError(
            f"TreeGame: node {parents.index(-1)} is no node's child; only node 0, the root, may be "
            "that"
        )
    return parents


def verify_information_sets(tree: "TreeArrays") -> None:
    """Check that a set belongs to one player with one number of actions."""
    first_of: dict[int, int] = {}
    for node, player, _, count in _rows(tree):
        if player < 0:
            continue
        number = int(tree.information_set[node])
        first = first_of.setdefault(number, node)
        both = f"nodes {first} and {node} share information set {number}"
        if tree.player[first] != player:
            raise ParameterError(
                f"TreeGame: {both}, but it is for player {tree.player[first]} and for player "
                f"{player}; give them different sets"
            )
        if tree.num_children[first] != count:
            raise ParameterError(
                f"TreeGame: {both}, but have {tree.num_children[first]} and {count} children; give "
                "them equally many"
            )


def store_names(tree: "TreeArrays", parents: list[int]) -> None:
    """Check the names of moves and keep them, as one string in the field and as a tuple beside
    it.
    """
    given: Sequence[str] = (
        tree.move_names.split("\n") if isinstance(tree.move_names, str) else tree.move_names
    )
    names = () if all(name == "" for name in given) else tuple(given)
    object.__setattr__(tree, "move_names", "\n".join(names))
    object.__setattr__(tree, "_parents", parents)
    object.__setattr__(tree, "_names", names)
    if not names:
        return
    if len(names) != len(parents) or any("\n" in name for name in names):
        raise ParameterError(
            f"TreeGame: move_names has {len(names)} entries; give one line of text for each of the "
            f"{len(parents)} nodes"
        )
    names_of: dict[int, tuple[str, ...]] = {}
    for node, player, first, count in _rows(tree):
        here = names[first : first + count]
        if len({name.casefold() for name in here}) != count:
            raise ParameterError(
                f"TreeGame: node {node} has moves named {', '.join(here)}; give them different "
                "names"
            )
        if player >= 0 and names_of.setdefault(int(tree.information_set[node]), here) != here:
            raise ParameterError(
                f"TreeGame: node {node} names its moves unlike other nodes of information set "
                f"{tree.information_set[node]}"
            )


def verify_recall(tree: "TreeArrays", parents: list[int]) -> None:
    """Check perfect recall: at all nodes of an information set, its player has made the same moves
    in the same information sets.

    It is enough to compare the last of these moves, because nodes are checked from the root on: the
    information set of the last move has passed the check, so all moves before it are the same.
    """
    last: list[list[tuple[int, int] | None]] = [[None] * tree.num_players]
    past_of: dict[int, tuple[int, tuple[int, int] | None]] = {}
    for node, player, _, _ in _rows(tree):
        if node:
            parent = parents[node]
            mover = int(tree.player[parent])
            past = last[parent]
            if mover >= 0:
                action = node - int(tree.first_child[parent])
                past = past.copy()
                past[mover] = int(tree.information_set[parent]), action
            last.append(past)
        if player >= 0:
            number = int(tree.information_set[node])
            first, expected = past_of.setdefault(number, (node, last[node][player]))
            if last[node][player] != expected:
                raise ParameterError(
                    f"TreeGame: information set {number} breaks perfect recall: player {player} "
                    f"comes to node {first} {_by(expected)}, but to node {node} "
                    f"{_by(last[node][player])}"
                )


def _by(pair: tuple[int, int] | None) -> str:
    return "without a move" if pair is None else f"by action {pair[1]} in information set {pair[0]}"


def verify_tokens(tree: "TreeArrays", parents: list[int]) -> None:
    """Check that what players notice tells apart exactly the information sets."""
    noticed = [[0] * tree.num_players]
    numbers: dict[tuple[int, int, int, int, int], int] = {}
    set_of: dict[tuple[int, int], tuple[int, int]] = {}
    noticed_at: dict[int, tuple[int, int]] = {}
    for node, player, _, _ in _rows(tree):
        if node:
            parent = parents[node]
            mover, move = int(tree.player[parent]), node - int(tree.first_child[parent])
            public = int(tree.public_token[node])
            here = noticed[parent].copy()
            for observer, before in enumerate(noticed[parent]):
                own = move + 1 if observer == mover else 0
                event = own, int(tree.private_token[node, observer]), public
                if any(event):
                    past = observer, before, *event
                    here[observer] = numbers.setdefault(past, len(numbers) + 1)
            noticed.append(here)
        if player >= 0:
            number, key = int(tree.information_set[node]), noticed[node][player]
            first, other = set_of.setdefault((player, key), (node, number))
            if other != number:
                raise ParameterError(
                    f"TreeGame: player {player} has noticed the same at nodes {first} and {node}, "
                    f"which are in information sets {other} and {number}"
                )
            first, expected = noticed_at.setdefault(number, (node, key))
            if expected != key:
                raise ParameterError(
                    f"TreeGame: player {player} has noticed different things at nodes {first} and "
                    f"{node} of information set {number}; tokens, and whether they come at once "
                    "after an own move, must not differ"
                )


def store_sizes(tree: "TreeArrays", parents: list[int]) -> None:
    """Keep the sizes of the tree, its largest payoff, and the digest of its contents."""
    depths = [0] * len(parents)
    for node in range(1, len(parents)):
        depths[node] = depths[parents[node]] + 1
    sizes = np.zeros(3, np.int64)
    sizes[MOST_ACTIONS] = tree.num_children[tree.player >= 0].max(initial=0) or 1
    sizes[MOST_OUTCOMES] = tree.num_children[tree.player == CHANCE].max(initial=0)
    sizes[DEPTH] = max(depths)
    sizes.setflags(write=False)
    payoffs = tree.utilities[tree.player == TERMINAL]
    object.__setattr__(tree, "sizes", sizes)
    object.__setattr__(tree, "largest", float(np.abs(payoffs).max()))
    object.__setattr__(tree, "contents", _contents(tree))


def _contents(tree: "TreeArrays") -> str:
    """A digest of all arrays and names."""
    sha = hashlib.sha256(tree.move_names.encode())
    for name in _ARRAYS:
        sha.update(f"{name}{getattr(tree, name).shape}".encode() + getattr(tree, name).tobytes())
    return sha.hexdigest()


def _rows(tree: "TreeArrays") -> Iterator[tuple[int, int, int, int]]:
    """(node, player, first child, number of children) of every node, as plain integers."""
    return zip(
        range(tree.player.size),
        tree.player.tolist(),
        tree.first_child.tolist(),
        tree.num_children.tolist(),
        strict=True,
    )
