"""A game written out: any finite tree, given as arrays, played by the same code as rules are."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Self

import numpy as np

from hiddenhand.compiled.arrays import Floats, Integers
from hiddenhand.compiled.methods import PropertyBesideRules, beside_rules
from hiddenhand.errors import TooLargeError
from hiddenhand.games.base import CHANCE, TERMINAL, Game, Probabilities, State
from hiddenhand.games.history import History
from hiddenhand.games.public_partition import public_tokens
from hiddenhand.games.tree_checks import (
    DEPTH,
    MOST_ACTIONS,
    MOST_OUTCOMES,
    store_arrays,
    store_names,
    store_public_tokens,
    store_sizes,
    verify_information_sets,
    verify_recall,
    verify_tokens,
    verify_tree,
)
from hiddenhand.games.turn_based import as_sequential

_NODE = 0  # the state holds the number of the node


_ROUNDED: Final = 2e-6  # of the largest payoff: programs print six digits


@dataclass(frozen=True, repr=False)
class TreeGame(Game):
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
        sets let everybody know is public: see `public_partition`.
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
        store_arrays(self)
        parents = verify_tree(self)
        verify_information_sets(self)
        store_names(self, parents)
        verify_recall(self, parents)
        if is_derived:
            store_public_tokens(self, public_tokens(self, parents))
        verify_tokens(self, parents)
        store_sizes(self, parents)

    @classmethod
    def from_game(cls, game: Game, max_histories: int = 100_000) -> Self:
        """``game`` written out breadth first, one node for each history. Simultaneous moves are
        taken in turns.

        Raises TooLargeError if there are more than ``max_histories``.
        """
        rules = as_sequential(game)
        histories = [History(rules)]
        first_child, num_children, probability, names = [], [], [1.0], [""]
        sets: dict[tuple[int, int], int] = {}
        information_set = []
        for history in histories:  # grows while it is walked
            player, outcomes = history.player, _outcomes(history)
            first_child.append(len(histories))
            num_children.append(len(outcomes))
            probability += [p for _, p in outcomes]
            names += [rules.action_name(history.state, player, move) for move, _ in outcomes]
            information_set.append(-1)
            if player >= 0:
                key = player, history.information_key
                information_set[-1] = sets.setdefault(key, len(sets))
            histories += [history.child(move) for move, _ in outcomes]
            if len(histories) > max_histories:
                raise TooLargeError(
                    f"{game} has more than max_histories={max_histories} histories; raise the "
                    "limit or take a smaller game"
                )
        terminal = [
            history.returns() if history.is_terminal else (0.0,) * rules.num_players
            for history in histories
        ]
        tokens = np.array(
            [history.observations or (0,) * (rules.num_players + 1) for history in histories],
            np.int64,
        )
        return cls(
            player=np.array([history.player for history in histories]),
            first_child=np.array(first_child),
            num_children=np.array(num_children),
            probability=np.array(probability),
            information_set=np.array(information_set),
            utilities=np.array(terminal),
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

    _presentation = "hiddenhand.games.scenes.trees:TREE_GAME"

    @PropertyBesideRules
    def rules_text(self) -> str:
        return (
            f"A game of {self.num_players} players that was written out as a tree of "
            f"{self.player.size:,} positions, for example in a file. In your turn you choose one "
            "of the moves that the page lists.\n\n"
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


def _outcomes(history: History) -> list[tuple[int, float]]:
    """The moves that continue ``history``, each with its probability if chance makes it, else 1."""
    if history.is_terminal:
        return []
    if history.player == CHANCE:
        return history.chance_outcomes()
    return [(action, 1.0) for action in history.legal_actions()]
