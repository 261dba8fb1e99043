"""The laws that searches, players and pictures rely on, and an inspector that holds a game to them
along its histories.

Everything here runs the rules as plain Python, each of them twice, and remembers what belonged to
each player's key. `hiddenhand.games.check` adds random plays, the enumeration of small games, and
the comparison with compiled code.
"""

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from hiddenhand.compiled.arrays import Integers
from hiddenhand.compiled.bridge import rules_digest
from hiddenhand.compiled.random import new_state
from hiddenhand.errors import ConformanceError
from hiddenhand.games.base import CHANCE, SIMULTANEOUS, TERMINAL, Game
from hiddenhand.games.checking.rule_errors import describe_history, describe_mover, explained
from hiddenhand.games.history import History, Move

SIZES: Final = "sizes are positive integers, and max_utility is a finite number"
ROOT: Final = "initial_state writes the same root whatever the array held before"
REPEATABLE: Final = "the same rule on the same state gives the same result"
ANSWERS: Final = "only apply_action and apply_joint_action change the state"
MOVER: Final = (
    "current_player is a player, CHANCE, TERMINAL or, where simultaneous is true, SIMULTANEOUS"
)
DEPTH: Final = "a history ends after at most max_depth moves"
ACTIONS: Final = (
    "a player to move has 1 to max_actions legal actions, from 0 to 2147483647 and increasing"
)
OUTCOMES: Final = (
    "chance has 1 to max_chance_outcomes different outcomes from 0 to 2147483647, whose "
    "probabilities are positive and sum to 1"
)
PAYOFFS: Final = "returns is a number between -max_utility and max_utility"
ZERO_SUM: Final = "returns sum to 0 where zero_sum is true"
TOKENS: Final = "observations are 0 or positive integers below 2**62"
KNOWN_ACTIONS: Final = "where a player noticed the same, they have the same legal actions"
KNOWN_PICTURE: Final = "where a player noticed the same, render draws the same for them"
NAMES: Final = "names of legal actions differ, and parse_action reads them back"
SECRETS: Final = "tokens tell nobody what render draws for other players only"
RECALL: Final = "players remember all they noticed and did"

_FOR_PEOPLE: Final = (KNOWN_PICTURE, SECRETS, NAMES)
INSPECTED: Final = (
    *(
        SIZES,
        ROOT,
        REPEATABLE,
        ANSWERS,
        MOVER,
        DEPTH,
        ACTIONS,
        OUTCOMES,
        PAYOFFS,
        ZERO_SUM,
        TOKENS,
        KNOWN_ACTIONS,
    ),
    *_FOR_PEOPLE,
)
"""The laws that an `Inspector` looks at. RECALL holds by construction unless a game overrides
`information`.
"""

_UNWRITTEN = -(1 << 40)  # fills arrays before a rule writes into them
_LARGEST_TOKEN = 1 << 62
_LARGEST_ACTION = (1 << 31) - 1
_KEY_MASK = (1 << 64) - 1
_TOLERANCE = 1e-9
_LONGEST_NAME = 150  # of a game in a message
_MOST_LISTED = (
    1000  # outcomes of chance that are looked at one by one in a game that can also draw them
)
_DRAWS = 8


@dataclass(frozen=True)
class Node:
    """What the rules say about one history.

    actions: for each player who chooses, their legal actions; one list of chance's outcomes at a
    chance node; empty at the end. probabilities: of chance's outcomes, else empty; also where
    outcomes were drawn, of which there are more. information: for each player who chooses, the key
    under which they file what they know. returns: for each player, at the end, else empty.
    """

    player: int
    actions: tuple[tuple[int, ...], ...] = ()
    probabilities: tuple[float, ...] = ()
    information: tuple[int, ...] = ()
    returns: tuple[float, ...] = ()

    def actions_of(self, player: int) -> tuple[int, ...]:
        """The legal actions of ``player``; empty if it is not their turn."""
        if self.player == SIMULTANEOUS:
            return self.actions[player]
        return self.actions[0] if self.player == player else ()

    @property
    def moves(self) -> list[Move]:
        """All moves that continue the history."""
        if self.player == SIMULTANEOUS:
            return list(itertools.product(*self.actions))
        return list(self.actions[0]) if self.actions else []


class Step(NamedTuple):
    """A history that was visited, and what the rules say about it."""

    history: History
    node: Node


@contextlib.contextmanager
def inspecting(history: History, move: Move | None = None) -> Iterator[None]:
    """Rules run as in compiled code, where numbers wrap around silently, and what they raise is
    explained.
    """
    with np.errstate(all="ignore"), explained(history, move):
        yield


class WholeNumbers(np.ndarray):
    """An array of integers that refuses what it could keep a part of only: other arrays silently
    keep 0 of 0.5.
    """

    def __setitem__(self, where: Any, value: Any) -> None:
        if not isinstance(value, (int, np.integer)):
            values = np.ravel(value)
            lost = (
                values[~np.isfinite(values) | (np.trunc(values) != values)]
                if values.dtype.kind == "f"
                else values[:0]
            )
            if lost.size:
                raise TypeError(
                    f"{lost[0]} is written into an array of whole numbers, which would keep a part "
                    "of it; write whole numbers"
                )
        super().__setitem__(where, value)


def _whole_numbers(array: Integers) -> Integers:
    """A copy of ``array`` that rules can be given in its place."""
    return array.copy().view(WholeNumbers)


class Inspector:
    """Looks at histories of one game, and raises ConformanceError at the first broken law."""

    def __init__(self, game: Game, *, for_people: bool = True) -> None:
        self.game = game
        self.for_people = for_people
        # what was found under a key, and the first history where
        self._actions: dict[tuple[int, int], tuple[object, History]] = {}
        self._filed_actions: dict[tuple[int, int], tuple[object, History]] = {}
        self._pictures: dict[tuple[int, int], tuple[object, History]] = {}
        rules_digest(type(game))  # raises RuleError for a class that is no frozen dataclass
        self._inspect_sizes()

    def root(self) -> History:
        """The history without moves, once it has been seen that the root is always the same."""
        roots = []
        for filling in (0, _UNWRITTEN):
            state = _whole_numbers(np.full(self.game.state_size, filling, np.int64))
            with inspecting(_unstarted(self.game)):
                self.game.initial_state(state)
            roots.append(state)
        if not np.array_equal(roots[0], roots[1]):
            unlike = np.flatnonzero(roots[0] != roots[1])
            raise ConformanceError(
                f"{broken_law(self.game, ROOT)} entries {unlike.tolist()} of the state keep what "
                "was there"
            )
        return History(self.game)

    def visit(self, history: History) -> Node:
        """Look at one history, and say what may follow."""
        with inspecting(history):
            player = self._player(history)
            if len(history.moves) > self.game.max_depth or (
                player != TERMINAL and len(history.moves) == self.game.max_depth
            ):
                self._fail(
                    DEPTH, history, f"max_depth is {self.game.max_depth}, and the game goes on"
                )
            if self.for_people:
                self._inspect_pictures(history)
            if player == TERMINAL:
                return Node(player, returns=self._returns(history))
            if player == CHANCE:
                return self._chance_node(history)
            return self._decision_node(
                history, range(self.game.num_players) if player == SIMULTANEOUS else (player,)
            )

    def child(self, history: History, move: Move) -> History:
        """The history after ``move``, once it has been seen that the rule repeats itself and writes
        proper tokens.
        """
        with inspecting(history, move):
            states, observations = zip(*(self._apply(history, move) for _ in range(2)), strict=True)
            if not np.array_equal(states[0], states[1]) or not np.array_equal(
                observations[0], observations[1]
            ):
                self._fail(
                    REPEATABLE,
                    history,
                    f"move {move}",
                    "leads to different states or observations when it is repeated",
                )
            for observer, token in enumerate(observations[0].tolist()):
                if not 0 <= token < _LARGEST_TOKEN:
                    whose = (
                        "the public token"
                        if observer == self.game.num_players
                        else f"the token for player {observer}"
                    )
                    self._fail(TOKENS, history, f"move {move}", f"gives {whose} as {token}")
            return history.child(move)

    def compare(self, steps: list[Step]) -> None:
        """Look at continuations of one history by one move each, all visited: whether tokens keep
        what pictures keep as secrets.
        """
        if not self.for_people:
            return
        alike: dict[tuple[object, ...], list[Step]] = {}
        for step in steps:
            for observer in range(self.game.num_players):
                same = alike.setdefault((observer, *self.seen_by(observer, step)), [])
                for other in same:
                    self._inspect_secret(observer, other.history, step.history)
                same.append(step)

    def seen_by(self, observer: int, step: Step) -> tuple[object, ...]:
        """All that a person in the place of ``observer`` has of a history, besides tokens: their
        own move, what they see, can do, are paid.
        """
        history, node = step
        paid = node.returns[observer] if node.returns else None
        return (
            history.own_action(observer),
            node.player,
            self._picture(history, observer),
            node.actions_of(observer),
            paid,
        )

    def _inspect_secret(self, observer: int, first: History, second: History) -> None:
        """Of two continuations that look the same to ``observer``: they must, unless nobody else
        sees a difference.
        """
        if first.key(observer) == second.key(observer):
            return
        for other in range(self.game.num_players):
            if self._picture(first, other) != self._picture(second, other):
                what = (
                    f"tokens {_tokens(first, observer)}, instead of {_tokens(second, observer)} "
                    f"{describe_history(second)}"
                )
                cure = "say less in the token, or draw it for both"
                self._fail(
                    SECRETS,
                    first,
                    f"player {observer} gets the {what}; render shows the difference to player "
                    f"{other} only:",
                    cure,
                )

    def _picture(self, history: History, player: int) -> object:
        known = self._pictures.get((player, history.key(player)))
        return known[0] if known else self._ask(history, "render", player)

    # --- what the rules say, and whether it is lawful ---

    def _inspect_sizes(self) -> None:
        with inspecting(_unstarted(self.game)):
            least = {
                "num_players": 1,
                "state_size": 1,
                "max_actions": 1,
                "max_chance_outcomes": 0,
                "max_depth": 1,
            }
            for size, low in least.items():
                value = getattr(self.game, size)
                if not _is_integer(value) or value < low:
                    raise ConformanceError(f"{broken_law(self.game, SIZES)} {size} is {value!r}")
            utility = self.game.max_utility
            if not _is_number(utility) or utility < 0:
                raise ConformanceError(f"{broken_law(self.game, SIZES)} max_utility is {utility!r}")

    def _player(self, history: History) -> int:
        player = self._ask(history, "current_player")
        allowed = (
            *range(self.game.num_players),
            CHANCE,
            TERMINAL,
            *((SIMULTANEOUS,) if self.game.simultaneous else ()),
        )
        if not _is_integer(player) or player not in allowed:
            self._fail(
                MOVER,
                history,
                f"current_player is {player!r}, allowed are {', '.join(map(str, allowed))}",
            )
        return int(player)

    def _chance_node(self, history: History) -> Node:
        if self.game.draws_chance and not 0 < self.game.max_chance_outcomes <= _MOST_LISTED:
            return Node(CHANCE, (self._drawn(history),))
        outcomes, probabilities = self._filled(
            history, "chance_outcomes", self.game.max_chance_outcomes, OUTCOMES
        )
        sound = (
            len(set(outcomes)) == len(outcomes)
            and min(outcomes) >= 0
            and max(outcomes) <= _LARGEST_ACTION
        )
        if (
            not sound
            or not min(probabilities) > 0
            or not abs(math.fsum(probabilities) - 1) < _TOLERANCE
        ):
            self._fail(
                OUTCOMES, history, f"the outcomes are {outcomes} with probabilities {probabilities}"
            )
        self._inspect_names(history, CHANCE, outcomes)
        return Node(CHANCE, (tuple(outcomes),), tuple(probabilities))

    def _drawn(self, history: History) -> tuple[int, ...]:
        """Some of the outcomes of chance, for a game that draws them and has too many to look
        at.
        """
        rng, drawn = new_state(0), set[int]()
        for _ in range(_DRAWS):
            state = history.state.copy()
            outcome = self.game.sample_chance(state, rng)
            self._inspect_unchanged(history, "sample_chance", state)
            if not _is_integer(outcome) or outcome < 0:
                self._fail(OUTCOMES, history, f"sample_chance draws {outcome!r}")
            drawn.add(int(outcome))
        return tuple(sorted(drawn))

    def _decision_node(self, history: History, choosing: range | tuple[int, ...]) -> Node:
        actions, information = [], []
        for player in choosing:
            legal = self._filled(history, "legal_actions", self.game.max_actions, ACTIONS, player)[
                0
            ]
            if (
                legal[0] < 0
                or legal[-1] > _LARGEST_ACTION
                or any(after <= before for before, after in itertools.pairwise(legal))
            ):
                self._fail(ACTIONS, history, f"the legal actions of player {player} are {legal}")
            filed = (
                int(self._ask(history, "information", player, np.uint64(history.key(player))))
                & _KEY_MASK
            )
            self._same(
                self._actions,
                (player, history.key(player)),
                (legal, filed),
                history,
                KNOWN_ACTIONS,
                "legal actions and information",
            )
            self._same(
                self._filed_actions, (player, filed), legal, history, KNOWN_ACTIONS, "legal actions"
            )
            self._inspect_names(history, player, legal)
            actions.append(tuple(legal))
            information.append(filed)
        return Node(history.player, tuple(actions), information=tuple(information))

    def _returns(self, history: History) -> tuple[float, ...]:
        payoffs = []
        for player in range(self.game.num_players):
            payoff = self._ask(history, "returns", player)
            if not _is_number(payoff) or abs(payoff) > self.game.max_utility + _TOLERANCE:
                self._fail(
                    PAYOFFS,
                    history,
                    f"player {player} is paid {payoff}, and max_utility is {self.game.max_utility}",
                )
            payoffs.append(float(payoff))
        if self.game.zero_sum and abs(math.fsum(payoffs)) > _TOLERANCE:
            self._fail(ZERO_SUM, history, f"the payoffs are {payoffs}")
        return tuple(payoffs)

    def _inspect_pictures(self, history: History) -> None:
        for player in range(self.game.num_players):
            picture = self._ask(history, "render", player)
            self._same(
                self._pictures,
                (player, history.key(player)),
                picture,
                history,
                KNOWN_PICTURE,
                "picture",
            )

    def _inspect_names(self, history: History, player: int, actions: list[int]) -> None:
        if not self.for_people:
            return
        names = self._repeated(
            history,
            "action_name",
            lambda state: [self.game.action_name(state, player, action) for action in actions],
        )
        if any(not isinstance(name, str) for name in names):
            self._fail(
                NAMES,
                history,
                f"the actions {actions} of {describe_mover(player)} are called {names}, which are "
                "not all text",
            )
        if len({name.strip().casefold() for name in names}) < len(names):
            self._fail(
                NAMES,
                history,
                f"the actions {actions} of {describe_mover(player)} are called {names}",
            )
        if type(self.game).parse_action is Game.parse_action:
            return  # which reads whatever names differ
        for action, name in zip(actions, names, strict=True):
            read = self._ask(history, "parse_action", player, name)
            if read != action:
                self._fail(
                    NAMES,
                    history,
                    f"action {action} of {describe_mover(player)} is called {name!r}, which "
                    f"parse_action reads as {read!r}",
                )

    # --- how the rules are run ---

    def _ask(self, history: History, rule: str, *arguments: Any) -> Any:
        """The answer of a rule that must leave the state alone, asked twice."""
        return self._repeated(
            history, rule, lambda state: getattr(self.game, rule)(state, *arguments)
        )

    def _repeated(self, history: History, rule: str, ask: Callable[[Integers], Any]) -> Any:
        """What ``rule`` answers when it is asked by ``ask``, twice."""
        answers = []
        for _ in range(2):
            state = history.state.copy()
            answers.append(ask(state))
            self._inspect_unchanged(history, rule, state)
        if answers[0] != answers[1] and not _both_nan(*answers):
            self._fail(REPEATABLE, history, f"{rule} says {answers[0]!r}, then {answers[1]!r}")
        return answers[0]

    def _filled(
        self, history: History, rule: str, size: int, law: str, *player: int
    ) -> tuple[list[int], list[float]]:
        """What a rule writes into an array of ``size`` actions (and, for chance, probabilities),
        whatever the array held before.
        """
        written = []
        for filling in (_UNWRITTEN, 0):
            state = history.state.copy()
            actions, probabilities = (
                _whole_numbers(np.full(size, filling, np.int64)),
                np.full(size, float(filling)),
            )
            outputs: tuple[npt.NDArray[Any], ...] = (
                (actions,) if player else (actions, probabilities)
            )
            count = getattr(self.game, rule)(state, *player, *outputs)
            self._inspect_unchanged(history, rule, state)
            if not _is_integer(count) or not 1 <= count <= size:
                self._fail(
                    law,
                    history,
                    f"{rule}{f' of player {player[0]}' if player else ''} returns the count "
                    f"{count!r}, allowed is 1 to {size}",
                )
            written.append(
                (actions[:count].tolist(), probabilities[:count].tolist() if not player else [])
            )
        if repr(written[0]) != repr(
            written[1]
        ):  # as text, because what is no number differs from itself
            self._fail(
                REPEATABLE,
                history,
                f"{rule} leaves entries unwritten, or changes its mind: {written[0]}, then "
                f"{written[1]}",
            )
        return written[0]

    def _apply(self, history: History, move: Move) -> tuple[Integers, Integers]:
        state, observations = (
            _whole_numbers(history.state),
            _whole_numbers(np.zeros(self.game.num_players + 1, np.int64)),
        )
        if isinstance(move, tuple):
            actions = np.array(move, np.int64)
            self.game.apply_joint_action(state, actions, observations)
            if tuple(actions.tolist()) != move:
                self._fail(ANSWERS, history, "apply_joint_action changes the actions it is given")
        else:
            self.game.apply_action(state, move, observations)
        return state, observations

    def _inspect_unchanged(self, history: History, rule: str, state: Integers) -> None:
        if not np.array_equal(state, history.state):
            unlike = np.flatnonzero(state != history.state)
            self._fail(ANSWERS, history, f"{rule} changes entries {unlike.tolist()} of the state")

    def _same(
        self,
        seen: dict[tuple[int, int], tuple[object, History]],
        key: tuple[int, int],
        value: object,
        history: History,
        law: str,
        what: str,
    ) -> None:
        before, where = seen.setdefault(key, (value, history))
        if before != value:
            self._fail(
                law,
                history,
                f"the {what} of player {key[0]}: {value!r}",
                f"but {before!r} {describe_history(where)}",
            )

    def _fail(self, law: str, history: History, *what: str) -> NoReturn:
        raise ConformanceError(
            f"{broken_law(self.game, law)} {describe_history(history)}: {' '.join(what)}"
        )


def broken_law(game: Game, law: str) -> str:
    """How the message about a broken law begins."""
    name = repr(game)
    return (
        f"{name if len(name) <= _LONGEST_NAME else type(game).__name__} breaks the law that {law}:"
    )


def _unstarted(game: Game) -> History:
    """The empty history, for messages about a game whose root cannot be written."""
    history = object.__new__(History)
    history.game = game
    history.moves = ()
    return history


def _tokens(history: History, observer: int) -> str:
    """What ``observer`` was told by the last move."""
    return f"{history.observations[observer]} (private) and {history.observations[-1]} (public)"


def _is_integer(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return (
        isinstance(value, (int, float, np.integer, np.floating))
        and not isinstance(value, bool)
        and math.isfinite(value)
    )


def _both_nan(first: object, second: object) -> bool:
    return first != first and second != second  # noqa: PLR0124  NaN is what differs from itself
