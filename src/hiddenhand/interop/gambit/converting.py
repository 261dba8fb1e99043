"""Between our games and those of Gambit: `form_of` and `game_of_form`.

In a file of Gambit, payoffs may stand at any node, and a play is paid the sum of all payoffs on its
way. Our payoffs stand at the end. Numbers are exact in the file and floating point here.
"""

import math
from fractions import Fraction
from typing import Final

import numpy as np

from hiddenhand.errors import FileError, ParameterError, TooLargeError
from hiddenhand.games.base import CHANCE as CHANCE_MOVES
from hiddenhand.games.base import TERMINAL as AT_END
from hiddenhand.games.base import Game, verify_listed
from hiddenhand.games.history import History
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.interop.gambit.form import (
    CHANCE,
    PLAYER,
    TERMINAL,
    ExtensiveForm,
    InformationSet,
    Node,
    Numbers,
    Outcome,
)
from hiddenhand.interop.gambit.writing import different, label, printable
from hiddenhand.text import without_middle

MAX_HISTORIES: Final = 1_000_000
_LARGEST_DENOMINATOR: Final = 10**6
_LONGEST_LABEL: Final = 120

_OwnMove = tuple[int, int] | None
"""The number of a player's information set, and the action there; None before the first move."""


# --- to Gambit ---


def form_of(game: Game, max_histories: int = MAX_HISTORIES) -> ExtensiveForm:
    """``game``, with moves in turns, as a file of Gambit holds it.

    Raises TooLargeError if it has more than ``max_histories`` histories, and GameError if it does
    not list its chance.
    """
    rules = as_sequential(game)
    verify_listed(rules)
    writer = _Writer(rules)
    stack = [History(rules)]
    while stack:
        history = stack.pop()
        stack += reversed(writer.add(history))
        if len(writer.nodes) + len(stack) > max_histories:
            raise TooLargeError(
                f"{game} has more than max_histories={max_histories} histories; raise the limit or "
                "take a smaller game"
            )
    return ExtensiveForm(
        title=label(str(game)),
        players=tuple(f"Player {player + 1}" for player in range(rules.num_players)),
        nodes=tuple(writer.nodes),
        sets=writer.sets,
        outcomes={
            number: Outcome(payoffs) for payoffs, number in writer.outcomes.items() if number
        },
    )


class _Writer:
    """Numbers information sets and outcomes while the histories of a game are walked through."""

    def __init__(self, game: Game) -> None:
        self.nodes: list[Node] = []
        self.sets: dict[tuple[int, int], InformationSet] = {}
        self.outcomes: dict[Numbers, int] = {}
        self._numbers: dict[tuple[int, int], int] = {}
        self._labels: set[tuple[int, str]] = set()
        self._count = [0] * (game.num_players + 1)

    def add(self, history: History) -> list[History]:
        """Add the node of ``history``, and return its children."""
        player = history.player
        if player == AT_END:
            payoffs = tuple(exact(pay) for pay in history.returns())
            outcome = self.outcomes.setdefault(payoffs, len(self.outcomes) + 1)
            self.nodes.append(Node(TERMINAL, 0, 0, outcome))
            return []
        if player == CHANCE_MOVES:
            moves = [move for move, _ in history.chance_outcomes()]
            number = self._new_number(0)
            probabilities = exact_probabilities([p for _, p in history.chance_outcomes()])
            self.sets[0, number] = InformationSet(self._actions(history, moves), probabilities)
            self.nodes.append(Node(CHANCE, 0, number, 0))
        else:
            moves = history.legal_actions()
            number = self._set(history, moves)
            self.nodes.append(Node(PLAYER, player + 1, number, 0))
        return [history.child(move) for move in moves]

    def _set(self, history: History, moves: list[int]) -> int:
        """The number of the information set of the player who moves."""
        player = history.player
        key = player, history.information_key
        if key not in self._numbers:
            number = self._numbers[key] = self._new_number(player + 1)
            actions = self._actions(history, moves)
            said = without_middle(label(history.game.render(history.state, player)), _LONGEST_LABEL)
            name = said if (player, said) not in self._labels else f"{number}: {said}"
            self._labels.add((player, name))
            self.sets[player + 1, number] = InformationSet(actions, (), name)
        return self._numbers[key]

    def _new_number(self, player: int) -> int:
        self._count[player] += 1
        return self._count[player]

    @staticmethod
    def _actions(history: History, moves: list[int]) -> tuple[str, ...]:
        game, state, player = history.game, history.state, history.player
        return different([label(game.action_name(state, player, move)) for move in moves])


def exact(number: float) -> Fraction:
    """The simplest fraction that floating point rounds to ``number``; if none is simple, what the
    decimal digits say.
    """
    simple = Fraction(number).limit_denominator(_LARGEST_DENOMINATOR)
    return simple if float(simple) == number else Fraction(repr(float(number)))


def exact_probabilities(numbers: list[float]) -> Numbers:
    """Fractions for probabilities, which sum to exactly 1."""
    found = [exact(p) for p in numbers]
    if sum(found) != 1:
        found = [Fraction(p) for p in numbers]
        total = sum(found)
        found = [p / total for p in found]
    return tuple(found)


# --- from Gambit ---


def game_of_form(form: ExtensiveForm, what: object = "the game") -> TreeGame:
    """The game that a file of Gambit holds, with players numbered from 0. Branches of probability 0
    are left out, because nothing happens there.

    Raises FileError, about ``what``, for a game that cannot be played here: because a player
    forgets, because the game has no moves, or because a play is paid more than floating point
    holds.
    """
    if len(form.nodes) == 1:
        raise FileError(f"{what} is a game without moves; give one with a move")
    try:
        return _Rows(form, paused=False).tree()
    except OverflowError:  # each payoff fits, and their sum on the way of a play does not
        raise FileError(
            f"{what} cannot be played here: the payoffs on the way of a play sum to more than "
            "floating point holds; give payoffs whose sums are up to 1e308"
        ) from None
    except ParameterError as error:
        try:
            return _Rows(form, paused=True).tree()
        except ParameterError:
            if said := forgetting(form):
                raise FileError(
                    f"{what} cannot be played here: {said}; every method here needs players that "
                    "remember their moves (perfect recall), so give this player more information "
                    "sets"
                ) from error
            raise FileError(
                f"{what} cannot be played here: {str(error).removeprefix('TreeGame: ')} (nodes are "
                "counted level by level, players from 0)"
            ) from error


def forgetting(form: ExtensiveForm) -> str:
    """Where a player forgets an own move, in the words of the file; empty if none forgets.

    The last moves of a player before two nodes of an information set must be the same.
    """
    children, seen = _children(form), dict[tuple[int, int], tuple[int, _OwnMove]]()
    stack: list[tuple[int, dict[int, _OwnMove]]] = [(0, {})]
    while stack:
        place, moves = stack.pop()
        node = form.nodes[place]
        if node.kind == PLAYER:
            key = node.player, node.number
            last = moves.get(node.player)
            first, before = seen.setdefault(key, (place, last))
            if before != last:
                ways = [
                    f"{_own_move(form, node.player, move)} (line {form.nodes[at].line})"
                    for at, move in ((first, before), (place, last))
                ]
                return (
                    f"player {node.player} ({_quoted(form.players[node.player - 1])}) forgets an "
                    f"own move. The player comes to {_set_of(form, *key)} {ways[0]}, but also "
                    f"{ways[1]}"
                )
        for action, child in reversed(list(enumerate(children[place]))):
            own = moves | {node.player: (node.number, action)} if node.kind == PLAYER else moves
            stack.append((child, own))
    return ""


def _own_move(form: ExtensiveForm, player: int, move: _OwnMove) -> str:
    """How a player came to a node, in words."""
    if move is None:
        return "without an own move before"
    number, action = move
    name = form.sets[player, number].actions[action]
    return f"after {_quoted(name)} at {_set_of(form, player, number)}"


def _set_of(form: ExtensiveForm, player: int, number: int) -> str:
    name = form.sets[player, number].name
    return f"information set {number}" + (f" {_quoted(name)}" if name else "")


def _quoted(name: str) -> str:
    return f'"{without_middle(name, _LONGEST_LABEL)}"'


class _Rows:
    """The nodes of a `TreeGame`, breadth first.

    paused: whether chance makes a move with one outcome between two moves of the same player. In a
        file, an information set may hold histories in which others moved since the player's last
        move, and histories in which no other player did. Without pauses players would notice the
        difference: if they move again at once, they notice their next set together with their own
        move. With pauses they always notice it later.
    """

    def __init__(self, form: ExtensiveForm, paused: bool) -> None:
        self._form, self._paused = form, paused
        self._children = _children(form)
        self._sets: dict[tuple[int, int], int] = {}
        nothing = [Fraction(0)] * len(form.players)
        self._node: list[int | None] = [0]
        self._paid = [self._with_outcome(nothing, 0)]
        self._after: list[int] = [-1]
        self._probability, self._names = [1.0], [""]
        self.rows: dict[str, list[int]] = {
            name: [] for name in ("player", "first_child", "num_children", "information_set")
        }
        row = 0
        while row < len(self._node):
            self._add(row)
            row += 1

    def tree(self) -> TreeGame:
        """The game. Raises ParameterError."""
        arrays = {name: np.array(row) for name, row in self.rows.items()}
        game = TreeGame(
            **arrays,
            probability=np.array(self._probability),
            utilities=np.array([[float(pay) for pay in paid] for paid in self._paid]),
            move_names=self._names,
        )
        names = tuple(self._form.sets[key].name for key in self._sets)
        object.__setattr__(game, "set_names", names)
        return game

    def _add(self, row: int) -> None:
        """Fill a row, and begin those of its children."""
        place = self._node[row]
        if place is None:
            self._row(CHANCE_MOVES, [(self._after[row], 1.0, "on")], self._paid[row], -1)
            return
        node = self._form.nodes[place]
        children = self._children[place]
        if node.kind == TERMINAL:
            self._row(AT_END, [], self._paid[row], -1)
            return
        its = self._form.sets[node.player, node.number]
        names = different([printable(action) for action in its.actions])
        if node.kind == CHANCE:
            branches = [
                (child, float(p), name)
                for child, p, name in zip(children, its.probabilities, names, strict=True)
                if p > 0
            ]
            total = math.fsum(p for _, p, _ in branches)
            branches = [(child, p / total, name) for child, p, name in branches]
            self._row(CHANCE_MOVES, branches, self._paid[row], -1)
            return
        key = node.player, node.number
        number = self._sets.setdefault(key, len(self._sets))
        branches = [(child, 1.0, name) for child, name in zip(children, names, strict=True)]
        self._row(node.player - 1, branches, self._paid[row], number, pause=node.player)

    def _row(
        self,
        player: int,
        branches: list[tuple[int, float, str]],
        paid: list[Fraction],
        number: int,
        pause: int = -1,
    ) -> None:
        """``pause``: the player after whose move a pause is made where the same player is next."""
        self.rows["player"].append(player)
        self.rows["first_child"].append(len(self._node))
        self.rows["num_children"].append(len(branches))
        self.rows["information_set"].append(number)
        for child, probability, name in branches:
            again = self._paused and self._form.nodes[child].player == pause
            self._node.append(None if again else child)
            self._after.append(child)
            self._paid.append(paid if again else self._with_outcome(paid, child))
            self._probability.append(probability)
            self._names.append(name)

    def _with_outcome(self, paid: list[Fraction], place: int) -> list[Fraction]:
        """What was paid before, and what is paid at a node."""
        number = self._form.nodes[place].outcome
        if not number:
            return paid
        more = self._form.outcomes[number].payoffs
        return [before + now for before, now in zip(paid, more, strict=True)]


def _children(form: ExtensiveForm) -> list[list[int]]:
    """The children of each node, by their places in the file."""
    children: list[list[int]] = [[] for _ in form.nodes]
    open_nodes: list[tuple[int, int]] = []  # those that lack children, and how many
    for place, node in enumerate(form.nodes):
        if open_nodes:
            parent, lacking = open_nodes.pop()
            children[parent].append(place)
            if lacking > 1:
                open_nodes.append((parent, lacking - 1))
        if count := form.num_children(node):
            open_nodes.append((place, count))
    return children
