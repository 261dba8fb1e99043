"""A game written out: any finite tree, given as arrays, played by the same code as rules are.

The arrays must be a tree whose players have perfect recall, and whose tokens tell exactly what the
information sets say. Checks raise ParameterError with the number of the first node that is wrong.
"""

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Self

import numpy as np
import numpy.typing as npt

from hiddenhand.errors import ParameterError, TooLargeError
from hiddenhand.games.base import CHANCE, TERMINAL, Game, Probabilities, State
from hiddenhand.games.history import History
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.arrays import Floats, Integers, ReadOnlyArrays
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules

_NODE = 0  # the state holds the number of the node
MOST_ACTIONS, MOST_OUTCOMES, DEPTH = 0, 1, 2
"""What `TreeGame.sizes` holds: the most actions of a player, the most outcomes of chance, the depth
of the tree.
"""
_MAX_TOKEN: Final = 1 << 62
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
_ROUNDED: Final = 2e-6  # of the largest payoff: programs print six digits


@dataclass(frozen=True, repr=False)
class TreeGame(ReadOnlyArrays, Game):
    """A game tree of H nodes for P players. Node 0 is the root; every other node is a child of one
    node, with a smaller number.

    The arrays are copied, made read-only and checked: players must have perfect recall, and what
    they notice must be what the information sets say.

    Actions, also of chance: 0 .. num_children - 1, the children in order.
    Observations: as given by the tokens.

    player: ``[H]``, who moves at the node: a player 0 .. P - 1, CHANCE, or TERMINAL.
    first_child: ``[H]``; the children of node h are first_child[h] .. first_child[h] +
        num_children[h] - 1.
    num_children: ``[H]``, at least 1, and 0 at terminal nodes.
    probability: ``[H]``, the probability of chance's move that leads to the node; meaningless at
        children of players.
    information_set: ``[H]``, a number >= 0 at nodes where a player moves, -1 elsewhere. No two
        players share one.
    utilities: ``[H, P]``, what each player is paid at terminal nodes; meaningless elsewhere.
    private_token: ``[H, P]``, what each player alone notices on entering the node; 0 is nothing. By
        default the player who moves at a node notices the token 1 + information_set.
    public_token: ``[H]``, what all notice on entering the node. By default all that the information
        sets let everybody know is public.
    move_names: ``[H]``, the name of the move that leads to each node ("" for the root); by default
        moves are numbered.
    """

    player: Integers = field(compare=False)
    first_child: Integers = field(compare=False)
    num_children: Integers = field(compare=False)
    probability: Floats = field(compare=False)
    information_set: Integers = field(compare=False)
    utilities: Floats = field(compare=False)
    private_token: Any = field(default=None, compare=False)
    public_token: Any = field(default=None, compare=False)
    move_names: Any = field(default="", compare=False)
    sizes: Integers = field(init=False, compare=False)
    """The most actions of a player, the most outcomes of chance, the depth of the tree."""
    largest: float = field(init=False, compare=False)
    """The largest absolute payoff."""
    contents: str = field(init=False)
    """A digest of all arrays and names, by which games are compared."""

    state_size = 1

    # for people, and set on each instance; not fields, so that compiled code passes over them
    _parents: ClassVar[list[int]] = []
    _names: ClassVar[tuple[str, ...]] = ()
    tells_public_tokens: ClassVar[bool] = True
    """Whether public tokens mean something to people, because an author chose them."""
    notes: ClassVar[tuple[str, ...]] = ()
    """Sentences on what was changed when the game was read from a file; set on each instance."""
    set_names: ClassVar[tuple[str, ...]] = ()
    """The names of the information sets in the file of the game, by their numbers; empty where they
    have none.
    """
    origin: ClassVar[str] = ""
    """The name by which `load_game` finds the game again, where it came from another program or a
    file; set on each instance.
    """

    def __post_init__(self) -> None:
        is_derived = self.public_token is None
        _store_arrays(self)
        parents = _verify_tree(self)
        _verify_information_sets(self)
        _store_names(self, parents)
        _verify_recall(self, parents)
        if is_derived:
            _store_public_tokens(self, _public_tokens(self, parents))
        _verify_tokens(self, parents)
        _store_sizes(self, parents)

    @classmethod
    def from_game(cls, game: Game, max_histories: int = 100_000) -> Self:
        """``game`` written out breadth first, one node for each history. Simultaneous moves are
        taken in turns.

        Raises TooLargeError if there are more than ``max_histories``.
        """
        rules = as_sequential(game)
        histories = [History(rules)]
        players, first_child, num_children = [], [], []
        probability, names = [1.0], [""]
        sets: dict[tuple[int, int], int] = {}
        information_set, utilities = [], []
        for history in histories:  # grows while it is walked
            player = history.player
            outcomes = _outcomes(history, player)
            players.append(player)
            first_child.append(len(histories))
            num_children.append(len(outcomes))
            probability += [p for _, p in outcomes]
            names += [rules.action_name(history.state, player, move) for move, _ in outcomes]
            over = player == TERMINAL
            utilities.append(history.returns() if over else (0.0,) * rules.num_players)
            information_set.append(-1)
            if player >= 0:
                key = player, int(rules.information(history.state, player, history.key(player)))
                information_set[-1] = sets.setdefault(key, len(sets))
            histories += [history.child_by(player, move) for move, _ in outcomes]
            if len(histories) > max_histories:
                raise TooLargeError(
                    f"{game} has more than max_histories={max_histories} histories; raise the "
                    "limit or take a smaller game"
                )
        tokens = np.array(
            [history.observations or (0,) * (rules.num_players + 1) for history in histories],
            np.int64,
        )
        return cls(
            player=np.array(players),
            first_child=np.array(first_child),
            num_children=np.array(num_children),
            probability=np.array(probability),
            information_set=np.array(information_set),
            utilities=np.array(utilities),
            private_token=tokens[:, :-1],
            public_token=tokens[:, -1],
            move_names=names,
        )

    def __repr__(self) -> str:
        return self.origin or f"TreeGame(<{self.player.size} nodes, {self.num_players} players>)"

    @property
    def num_players(self) -> int:
        return self.utilities.shape[1]

    @property
    def zero_sum(self) -> bool:
        return bool(np.all(np.abs(self._sums) <= 1e-12 * self.largest))

    @PropertyBesideRules
    def payoff_sum(self) -> float | None:
        """See `Game.payoff_sum`. Payoffs may be rounded to a millionth of the largest one."""
        middle = float((self._sums.min() + self._sums.max()) / 2.0)
        middle = 0.0 if abs(middle) <= _ROUNDED * self.largest else middle
        return middle if np.ptp(self._sums) <= 2.0 * _ROUNDED * self.largest else None

    @PropertyBesideRules
    def why_not_constant_sum(self) -> str:
        """Two ends of the game whose payoffs have different sums, in words; nothing if there are
        none.
        """
        if self.payoff_sum is not None:
            return ""
        ends = np.flatnonzero(self.player == TERMINAL)
        least, most = ends[self._sums.argmin()], ends[self._sums.argmax()]
        return " and ".join(
            f"the payoffs {', '.join(f'{paid:g}' for paid in self.utilities[end])} at "
            f"{self._end_in_words(int(end))} sum to {self.utilities[end].sum():g}"
            for end in (least, most)
        )

    def _end_in_words(self, node: int) -> str:
        """The moves that lead to a node."""
        moves = list[str]()
        while node:
            moves.append(self._names[node] if self._names else str(node))
            node = self._parents[node]
        return f"the end of {' '.join(reversed(moves))!r}" if moves else "the root"

    @PropertyBesideRules
    def _sums(self) -> Floats:
        """``float64[...]``: the sum of the payoffs at each end of the game."""
        sums: Floats = self.utilities[self.player == TERMINAL].sum(axis=1)
        return sums

    @property
    def max_actions(self) -> int:
        return int(self.sizes[MOST_ACTIONS])

    @property
    def max_chance_outcomes(self) -> int:
        return int(self.sizes[MOST_OUTCOMES])

    @property
    def max_depth(self) -> int:
        return int(self.sizes[DEPTH])

    @property
    def max_utility(self) -> float:
        return self.largest

    def initial_state(self, state: State) -> None:
        state[_NODE] = 0

    def current_player(self, state: State) -> int:
        return self.player[state[_NODE]]

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        count = self.num_children[state[_NODE]]
        for action in range(count):
            actions[action] = action
        return count

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        count = self.num_children[state[_NODE]]
        child = self.first_child[state[_NODE]]
        for action in range(count):
            actions[action] = action
            probabilities[action] = self.probability[child + action]
        return count

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        node = self.first_child[state[_NODE]] + action
        state[_NODE] = node
        players = self.utilities.shape[1]
        for player in range(players):
            observations[player] = self.private_token[node, player]
        observations[players] = self.public_token[node]

    def returns(self, state: State, player: int) -> float:
        return self.utilities[state[_NODE], player]

    # --- for people ---

    _presentation = "hiddenhand.games.drawing.trees:TREE_GAME"

    @PropertyBesideRules
    def rules_text(self) -> str:
        return (
            f"A game of {self.num_players} players that was written out as a tree of "
            f"{self.player.size:,} positions, for example in a file. In your turn you choose one "
            "of the listed moves.\n\n"
            "You know your own moves, and what the game lets you notice. The game ends where the "
            "tree ends, and each player is paid what is written there."
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.max_actions

    def action_name(self, state: State, player: int, action: int) -> str:
        return self._name_of(int(self.first_child[state[_NODE]]) + action)

    def render(self, state: State, player: int) -> str:
        noticed: list[str] = []
        for node in self._path(int(state[_NODE])):
            before = self._parents[node]
            if self.player[before] == player:
                noticed.append(f"you chose {self._name_of(node)}")
            if token := int(self.private_token[node, player]):
                noticed.append(self._told(token))
            if self.tells_public_tokens and (token := int(self.public_token[node])):
                noticed.append(f"all noticed {token}")
        return ", ".join(noticed) or "nothing noticed"

    def _told(self, token: int) -> str:
        """What a private token says."""
        name = self.set_names[token - 1] if 0 < token <= len(self.set_names) else ""
        return f"you see {name}" if name else f"you noticed {token}"

    def _name_of(self, node: int) -> str:
        """The name of the move that leads to ``node``."""
        return (
            self._names[node]
            if self._names
            else str(node - int(self.first_child[self._parents[node]]))
        )

    def _path(self, node: int) -> list[int]:
        """The nodes from the root, exclusive, to ``node``."""
        path: list[int] = []
        while node:
            path.append(node)
            node = self._parents[node]
        return path[::-1]


def _outcomes(history: History, player: int) -> list[tuple[int, float]]:
    """The moves of ``player`` that continue ``history``, each with its probability if chance makes
    it, else 1.
    """
    if player == TERMINAL:
        return []
    if player == CHANCE:
        return history.chance_outcomes()
    return [(action, 1.0) for action in history.legal_actions(player)]


# --- checks ---


def _store_arrays(tree: TreeGame) -> None:
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


def _store(tree: TreeGame, name: str, array: npt.NDArray[Any], shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        nodes, players = tree.utilities.shape
        raise ParameterError(
            f"TreeGame: {name} is {array.shape}; with utilities of {nodes} nodes and {players} "
            f"players it must be {shape}"
        )
    array.setflags(write=False)
    object.__setattr__(tree, name, array)


def _store_public_tokens(tree: TreeGame, tokens: Integers) -> None:
    """Keep public tokens that follow from the information sets, and mean nothing to people."""
    _store(tree, "public_token", tokens, tree.player.shape)
    object.__setattr__(tree, "tells_public_tokens", False)


def _verify_players(tree: TreeGame) -> None:
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


def _told_sets(tree: TreeGame) -> Integers:
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


def _verify_tree(tree: TreeGame) -> list[int]:
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


def _verify_information_sets(tree: TreeGame) -> None:
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


def _store_names(tree: TreeGame, parents: list[int]) -> None:
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


def _verify_recall(tree: TreeGame, parents: list[int]) -> None:
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


def _verify_tokens(tree: TreeGame, parents: list[int]) -> None:
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


def _store_sizes(tree: TreeGame, parents: list[int]) -> None:
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


def _contents(tree: TreeGame) -> str:
    """A digest of all arrays and names."""
    sha = hashlib.sha256(tree.move_names.encode())
    for name in _ARRAYS:
        sha.update(f"{name}{getattr(tree, name).shape}".encode() + getattr(tree, name).tobytes())
    return sha.hexdigest()


def _rows(tree: TreeGame) -> Iterator[tuple[int, int, int, int]]:
    """(node, player, first child, number of children) of every node, as plain integers."""
    return zip(
        range(tree.player.size),
        tree.player.tolist(),
        tree.first_child.tolist(),
        tree.num_children.tolist(),
        strict=True,
    )


# --- public states ---

# A *public state* is a set of histories that have equally many moves, and that are not common
# knowledge apart. If an information set of a player has a history after each of two histories,
# the player cannot tell the two apart: with perfect recall, the player would still know the
# difference in that set. So two histories are in one public state if one information set has
# histories after both, or if a chain of such pairs joins them. This is the finest public
# partition that the information sets allow.


def _public_tokens(tree: TreeGame, parents: list[int]) -> Integers:
    """``int64[H]``: a token for each node that tells its public state, the finest that the
    information sets allow; 0 at the root and where the game ends. All are 0 in a game in which an
    information set has nodes after different numbers of moves: with a token at each move, the
    player would know the number of moves.

    parents: of each node, -1 of the root.
    """
    nodes = tree.player.size
    tokens = np.zeros(nodes, np.int64)
    moves = np.zeros(nodes, np.int64)
    for node in range(1, nodes):
        moves[node] = moves[parents[node]] + 1
    first_of: dict[int, int] = {}
    for node in np.flatnonzero(tree.information_set >= 0).tolist():
        first = first_of.setdefault(int(tree.information_set[node]), node)
        if moves[first] != moves[node]:
            return tokens
    joined = list(range(nodes))  # a forest: the root of a node's tree names its public state
    for node in np.flatnonzero(tree.information_set >= 0).tolist():
        _join(joined, node, first_of[int(tree.information_set[node])])
    for count in range(int(moves.max()), 0, -1):  # so that all below a node is joined before
        parent_of: dict[int, int] = {}  # of each public state, the parent of its first node
        for node in np.flatnonzero(moves == count).tolist():
            _join(joined, parents[node], parent_of.setdefault(_find(joined, node), parents[node]))
    for node in range(1, nodes):
        if tree.num_children[node]:
            tokens[node] = 1 + _find(joined, node)
    return tokens


def _find(joined: list[int], node: int) -> int:
    while joined[node] != node:
        joined[node] = joined[joined[node]]  # halves the path for later calls
        node = joined[node]
    return node


def _join(joined: list[int], one: int, other: int) -> None:
    one, other = _find(joined, one), _find(joined, other)
    joined[max(one, other)] = min(one, other)
