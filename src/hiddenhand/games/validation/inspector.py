"""An inspector, which checks that a game keeps the `laws` along its histories.

The inspector runs everything as plain Python, and remembers what belonged to each player's key.
`hiddenhand.games.check` adds random plays, the enumeration of small games, and the comparison with
compiled code.
"""

import itertools
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hiddenhand.errors import ConformanceError, GameError, RuleError
from hiddenhand.games.base import CHANCE, SIMULTANEOUS, TERMINAL, Game
from hiddenhand.games.history import History, Move
from hiddenhand.games.validation.instrumented_rules import (
    UNWRITTEN,
    Asking,
    inspecting,
    is_integer,
    whole_numbers,
)
from hiddenhand.games.validation.laws import (
    ACTIONS,
    DEPTH,
    KNOWN_ACTIONS,
    KNOWN_PICTURE,
    KNOWN_WORDS,
    MOST_NUMBERS,
    MOVER,
    NAMES,
    OUTCOMES,
    PAYOFFS,
    REPEATABLE,
    ROOM,
    ROOT,
    SECRETS,
    SIZES,
    TEXTS,
    TOKENS,
    ZERO_SUM,
    Law,
    broken,
)
from hiddenhand.games.validation.rule_errors import (
    describe_history,
    describe_mover,
    is_missing,
    missing_rule,
    unstarted,
)
from hiddenhand.games.validation.scenes import SceneInspector
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import rules_digest
from hiddenhand.jit.random import new_state

_LARGEST_TOKEN = 1 << 62
_LARGEST_ACTION = (1 << 31) - 1
_KEY_MASK = (1 << 64) - 1
_TOLERANCE = 1e-9
_ROUNDED = 4e-6  # of the largest payoff, in games from files
_MOST_LISTED = 1000  # outcomes of chance that are looked at one by one where they can also be drawn
_DRAWS = 8
_SCENES = 1000  # that are looked at to find a fault
_PROPERTY = "write @property above the method"


@dataclass(frozen=True)
class Node:
    """What the rules say about one history.

    player: who is to move: a player, CHANCE, SIMULTANEOUS or TERMINAL.
    actions: for each player who chooses, their legal actions; at a chance node, one list of
        outcomes of chance, or of some that were drawn; empty at the end.
    probabilities: those of chance's outcomes; empty where nothing is listed.
    information: for each player who chooses, the key under which they file what they know.
    returns: what each player is paid at the end, else empty.
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
    def moves(self) -> Sequence[Move]:
        """All moves that continue the history."""
        if self.player == SIMULTANEOUS:
            return _JointMoves(self.actions)
        return self.actions[0] if self.actions else ()


class _JointMoves(Sequence[Move]):
    """All moves of players who choose at once. They are made one by one: ten players with twenty
    cards each have 20**10.
    """

    def __init__(self, actions: tuple[tuple[int, ...], ...]) -> None:
        self._actions = actions

    def __len__(self) -> int:
        return min(math.prod(map(len, self._actions)), sys.maxsize)

    def __iter__(self) -> Iterator[Move]:
        return itertools.product(*self._actions)

    def __getitem__(self, index: Any) -> Any:
        move = []
        for legal in reversed(self._actions):
            index, place = divmod(index, len(legal))
            move.append(legal[place])
        return tuple(reversed(move))


class Step(NamedTuple):
    """A history that was visited, and what the rules say about it."""

    history: History
    node: Node


class Inspector(Asking):
    """Looks at histories of one game, and raises ConformanceError at the first broken law.

    for_people: whether it looks at names and pictures.
    scenes: at how many histories it looks at scenes.
    """

    def __init__(self, game: Game, *, for_people: bool = True, scenes: int = 0) -> None:
        super().__init__(game)
        self.for_people = for_people
        # what was found under a key, and the first history where
        self._actions: dict[tuple[int, int], tuple[object, History]] = {}
        self._filed: dict[tuple[int, int], tuple[object, History]] = {}
        self._filed_actions: dict[tuple[int, int], tuple[object, History]] = {}
        self._scenes = SceneInspector(game, scenes)
        self._pictures: dict[tuple[int, int], tuple[object, History]] = {}
        self._words: dict[tuple[int, int], tuple[object, History]] = {}
        self._rng = new_state(0)  # other outcomes of chance are drawn each time
        rules_digest(type(game))  # raises RuleError for a class that is no frozen dataclass
        self._inspect_sizes()
        if for_people:
            self._inspect_texts()

    @property
    def samples_chance(self) -> bool:
        """Whether it looks at some outcomes of chance only: the game draws its chance, and lists no
        outcomes or too many.
        """
        return self.game.draws_chance and not 0 < self.game.max_chance_outcomes <= _MOST_LISTED

    def root(self) -> History:
        """The history without moves. Checks first that the root is always the same."""
        roots = []
        for filling in (0, UNWRITTEN):
            state = whole_numbers(np.full(self.game.state_size, filling, np.int64))
            with inspecting(unstarted(self.game)):
                self.game.initial_state(state)
            roots.append(state)
        if not np.array_equal(roots[0], roots[1]):
            unlike = np.flatnonzero(roots[0] != roots[1])
            what = f"entries {unlike.tolist()} of the state keep what was there"
            raise broken(self.game, ROOT, None, what)
        return History(self.game)

    def follow(self, moves: Sequence[Move]) -> tuple[History, Node]:
        """Look at the histories along ``moves``. Returns the last, and what may follow."""
        history = self.root()
        node = self.visit(history)
        for move in moves:
            history = self.child(history, move)
            node = self.visit(history)
        return history, node

    def visit(self, history: History) -> Node:
        """Look at one history, and say what may follow."""
        with inspecting(history):
            player = self._player(history)
            self._verify_defined(player)
            moves, most = len(history.moves), self.game.max_depth
            if moves > most or (player != TERMINAL and moves == most):
                what = f"max_depth is {most}, and the game goes on"
                self.fail(DEPTH, history, what, cure=DEPTH.cure)
            if self.for_people:
                self._inspect_pictures(history)
            node = self._node(history, player)
            if self.for_people:
                self._scenes.look(history)
            return node

    def _verify_defined(self, player: int) -> None:
        """Raise RuleError if the game leaves a rule as it is in `Game`, where it does nothing,
        though a state needs it in which ``player`` is to move.
        """
        needed = {
            TERMINAL: (),
            SIMULTANEOUS: ("apply_joint_action",),
            CHANCE: ("apply_action",)
            if self.samples_chance
            else ("chance_outcomes", "apply_action"),
        }.get(player, ("apply_action",))
        for rule in needed:
            if is_missing(self.game, rule):
                why = f"current_player returns {_mover_in_words(player)}, which needs it"
                raise missing_rule(self.game, rule, why)

    def _node(self, history: History, player: int) -> Node:
        if player == TERMINAL:
            return Node(player, returns=self._returns(history))
        if player == CHANCE:
            return self._chance_node(history)
        everybody = range(self.game.num_players)
        return self._decision_node(history, everybody if player == SIMULTANEOUS else (player,))

    def child(self, history: History, move: Move) -> History:
        """The history after ``move``. Checks first that the rule repeats itself and writes proper
        tokens.
        """
        joint = isinstance(move, tuple)
        of_rule: dict[str, Any] = {
            "rule": "apply_joint_action" if joint else "apply_action",
            "move": move,
        }
        with inspecting(history, move):
            (state, observations), again = (self.applied(history, move) for _ in range(2))
            if _bytes_of(state, observations) != _bytes_of(*again):
                self.fail(
                    REPEATABLE,
                    history,
                    f"move {move}",
                    "leads to different states or observations when it is repeated",
                    **of_rule,
                )
            for observer, token in enumerate(observations.tolist()):
                if not 0 <= token < _LARGEST_TOKEN:
                    whose = f"the token for player {observer}"
                    if observer == self.game.num_players:
                        whose = "the public token"
                    told = f"gives {whose} as {token}"
                    self.fail(TOKENS, history, f"move {move}", told, **of_rule)
            after = history.child(move)
            if self.for_people:
                self._inspect_words(history, move, after)
            return after

    def _inspect_words(self, history: History, move: Move, after: History) -> None:
        """What people read of a move must not depend on what they did not notice."""
        for observer in range(self.game.num_players):
            if after.noticed(observer) is None:
                continue
            told = self.game.tell(history.state, move, after.state, observer)
            if not (told is None or isinstance(told, str)):
                self.fail(KNOWN_WORDS, after, f"tell returns {told!r}")
            key = observer, after.key(observer)
            self._same(self._words, key, told, after, KNOWN_WORDS, "words of tell")

    def compare(self, steps: list[Step]) -> None:
        """Check that tokens keep secret what pictures keep secret. ``steps`` are continuations of
        one history, by one move each. The inspector has visited all of them.
        """
        if not self.for_people:
            return
        alike: dict[tuple[object, ...], list[Step]] = {}
        for step in steps:
            for observer in range(self.game.num_players):
                told = self._words.get((observer, step.history.key(observer)), (None,))[0]
                same = alike.setdefault((observer, told, *self.seen_by(observer, step)), [])
                for other in same:
                    self._inspect_secret(observer, other.history, step.history)
                same.append(step)

    def seen_by(self, observer: int, step: Step) -> tuple[object, ...]:
        """All that a person in the place of ``observer`` knows of a history without the tokens: the
        player to move, their own move, what they see, their legal actions, and their payoff.
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
        """Look at the tokens of two continuations that look the same to ``observer``. These tokens
        may differ only if the continuations look the same to everybody else, too.
        """
        if first.key(observer) == second.key(observer):
            return
        own = [history.observations[observer] for history in (first, second)]
        if own[0] == own[1] and not getattr(self.game, "tells_public_tokens", True):
            return  # the token is no word of an author: it was found from the information sets
        for other in range(self.game.num_players):
            if self._picture(first, other) != self._picture(second, other):
                what = (
                    f"tokens {_tokens(first, observer)}, instead of {_tokens(second, observer)} "
                    f"{describe_history(second)}"
                )
                self.fail(
                    SECRETS,
                    first,
                    f"player {observer} gets the {what}; render shows the difference to player "
                    f"{other} only: {SECRETS.cure}",
                )

    def _picture(self, history: History, player: int) -> object:
        known = self._pictures.get((player, history.key(player)))
        return known[0] if known else self.ask(history, "render", player)

    # --- what the rules say, and whether it is lawful ---

    def _inspect_sizes(self) -> None:
        with inspecting(unstarted(self.game)):
            least = {
                "num_players": 1,
                "state_size": 1,
                "max_actions": 1,
                "max_chance_outcomes": 0,
                "max_depth": 1,
            }
            for size, low in least.items():
                value = getattr(self.game, size)
                self._require(is_integer(value) and value >= low, size, value)
            self._inspect_room()
            utility = self.game.max_utility
            self._require(_is_number(utility) and utility >= 0, "max_utility", utility)
            for name in ("zero_sum", "simultaneous"):
                value = getattr(self.game, name)
                self._require(isinstance(value, (int, np.integer, np.bool_)), name, value)
            total = self.game.payoff_sum
            self._require(total is None or _is_number(total), "payoff_sum", total, ZERO_SUM)
            if self.game.zero_sum and total != 0:
                problem = f"zero_sum is true, and payoff_sum is {total!r}"
                cure = "say zero_sum = False"
                raise broken(self.game, ZERO_SUM, None, problem, rule="zero_sum", cure=cure)
            self._largest_action = self._said_actions() - 1

    def _inspect_room(self) -> None:
        """Look at the sizes together, before there are arrays of them. The largest is named."""
        names = ("max_depth", "state_size", "max_actions", "max_chance_outcomes")
        depth, state, actions, outcomes = (int(getattr(self.game, name)) for name in names)
        choices = max(self.game.num_players * actions, outcomes)
        numbers = depth * (state + choices)
        if numbers > MOST_NUMBERS:
            largest = max(names, key=lambda name: int(getattr(self.game, name)))
            what = f"{largest} is {getattr(self.game, largest):,}, which makes {numbers:,} numbers"
            raise broken(self.game, ROOM, None, what, rule=largest, cure=f"make {largest} smaller")

    def _require(self, holds: bool, name: str, value: object, law: Law = SIZES) -> None:
        if not holds:
            cure = _PROPERTY if callable(value) else ""
            raise broken(self.game, law, None, f"{name} is {value!r}", rule=name, cure=cure)

    def _said_actions(self) -> int:
        """How many actions the game says that there are; else, how many there can be."""
        rule, cure = "num_distinct_actions", "make it a method, which returns a number"
        said: Any = getattr(self.game, rule)
        told = said() if callable(said) else said
        if told is not said and not told:
            return _LARGEST_ACTION + 1
        if told is said or not is_integer(told) or told < 0:
            raise broken(self.game, SIZES, None, f"{rule} is {told!r}", rule=rule, cure=cure)
        return int(told)

    def _inspect_texts(self) -> None:
        with inspecting(unstarted(self.game)):
            for name in ("rules_text", "payoff_unit"):
                value = getattr(self.game, name)
                if not isinstance(value, str):
                    cure = _PROPERTY if callable(value) else TEXTS.cure
                    raise broken(
                        self.game, TEXTS, None, f"{name} is {value!r}", rule=name, cure=cure
                    )

    def _player(self, history: History) -> int:
        player = self.ask(history, "current_player")
        allowed = [*range(self.game.num_players), CHANCE, TERMINAL]
        if self.game.simultaneous:
            allowed.append(SIMULTANEOUS)
        if not is_integer(player) or player not in allowed:
            said = ", ".join(map(_mover_in_words, allowed))
            what = f"current_player is {_mover_in_words(player)}, allowed are {said}"
            self.fail(MOVER, history, what, cure=_cure_of_mover(player))
        return int(player)

    def _chance_node(self, history: History) -> Node:
        if self.samples_chance:
            return Node(CHANCE, (self._drawn(history),))
        most = self.game.max_chance_outcomes
        outcomes, probabilities = self.filled(history, "chance_outcomes", most, OUTCOMES)
        differ = len(set(outcomes)) == len(outcomes)
        sound = differ and min(outcomes) >= 0 and max(outcomes) <= _LARGEST_ACTION
        sums_to_one = abs(math.fsum(probabilities) - 1) < _TOLERANCE
        if not (sound and min(probabilities) > 0 and sums_to_one):
            what = f"the outcomes are {outcomes} with probabilities {probabilities}"
            self.fail(OUTCOMES, history, what, cure=OUTCOMES.cure)
        self._inspect_names(history, CHANCE, outcomes)
        return Node(CHANCE, (tuple(outcomes),), tuple(probabilities))

    def _drawn(self, history: History) -> tuple[int, ...]:
        """Some of the outcomes of chance, for a game that draws its chance and has too many
        outcomes to look at all.
        """
        drawn = set[int]()
        for _ in range(_DRAWS):
            state = history.state.copy()
            outcome = self.game.sample_chance(state, self._rng)
            self.verify_unchanged(history, "sample_chance", state)
            if not is_integer(outcome) or outcome < 0:
                what = f"sample_chance draws {outcome!r}"
                self.fail(OUTCOMES, history, what, rule="sample_chance")
            drawn.add(int(outcome))
        return tuple(sorted(drawn))

    def _decision_node(self, history: History, choosing: range | tuple[int, ...]) -> Node:
        actions, information = [], []
        for player in choosing:
            most, key = self.game.max_actions, history.key(player)
            legal, _ = self.filled(history, "legal_actions", most, ACTIONS, player)
            increasing = all(before < after for before, after in itertools.pairwise(legal))
            if not (increasing and legal[0] >= 0 and legal[-1] <= self._largest_action):
                what = f"the legal actions of player {player} are {legal}"
                self.fail(ACTIONS, history, what, cure=ACTIONS.cure)
            filed = int(self.ask(history, "information", player, np.uint64(key))) & _KEY_MASK
            self._same(self._actions, (player, key), legal, history, KNOWN_ACTIONS, "legal actions")
            self._same(self._filed, (player, key), filed, history, KNOWN_ACTIONS, "information")
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
            payoff = self.ask(history, "returns", player)
            if not _is_number(payoff) or abs(payoff) > self.game.max_utility + _TOLERANCE:
                self.fail(
                    PAYOFFS,
                    history,
                    f"player {player} is paid {payoff}, and max_utility is {self.game.max_utility}",
                    cure=_cure_of_payoff(payoff),
                )
            payoffs.append(float(payoff))
        expected, total = self.game.payoff_sum, math.fsum(payoffs)
        allowed = _TOLERANCE + (0.0 if self.game.zero_sum else _ROUNDED * self.game.max_utility)
        if expected is not None and abs(total - expected) > allowed:
            self.fail(
                ZERO_SUM,
                history,
                f"the payoffs are {payoffs}",
                cure=f"say zero_sum = False, and payoff_sum = {total:g} if they always sum to that",
            )
        return tuple(payoffs)

    def _inspect_pictures(self, history: History) -> None:
        for player in range(self.game.num_players):
            picture, key = self._rendered(history, player), history.key(player)
            self._same(self._pictures, (player, key), picture, history, KNOWN_PICTURE, "picture")

    def _rendered(self, history: History, player: int) -> str:
        def text(state: Integers) -> str:
            said: object = self.game.render(state, player)
            if not isinstance(said, str):
                what = f"render returns {said!r} for player {player}"
                self.fail(TEXTS, history, what, cure=TEXTS.cure)
            return said

        rendered: str = self.repeated(history, "render", text)
        return rendered

    def _inspect_names(self, history: History, player: int, actions: list[int]) -> None:
        if not self.for_people:
            return
        names = self.repeated(
            history,
            "action_name",
            lambda state: [self.game.action_name(state, player, action) for action in actions],
        )
        called = f"the actions {actions} of {describe_mover(player)} are called {names}"
        if any(not isinstance(name, str) for name in names):
            self.fail(NAMES, history, f"{called}, which are not all text")
        if len({name.strip().casefold() for name in names}) < len(names):
            self.fail(NAMES, history, called)
        if type(self.game).parse_action is Game.parse_action:
            return  # that reads all names as long as they differ
        for action, name in zip(actions, names, strict=True):
            read = self.ask(history, "parse_action", player, name)
            if read != action:
                self.fail(
                    NAMES,
                    history,
                    f"action {action} of {describe_mover(player)} is called {name!r}, which "
                    f"parse_action reads as {read!r}",
                    rule="parse_action",
                )

    def _same(
        self,
        seen: dict[tuple[int, int], tuple[object, History]],
        key: tuple[int, int],
        value: object,
        history: History,
        law: Law,
        what: str,
    ) -> None:
        """Keep ``value`` under ``key``, a player and what they noticed, or compare it with what was
        kept there.
        """
        before, where = seen.setdefault(key, (value, history))
        if before != value:
            self.fail(
                law,
                history,
                f"the {what} of player {key[0]}: {value!r}",
                f"but {before!r} {describe_history(where)}",
                rule=what if what == "information" else None,
                cure=_cure(key[0], history, where, what),
            )


def first_fault(game: Game, moves: Sequence[Move] = ()) -> GameError | None:
    """What is wrong with a game along ``moves``, and then along moves of chance up to a decision;
    None if nothing is.
    """
    try:
        inspector = Inspector(game, scenes=_SCENES)
        history, node = inspector.follow(moves)
        while node.player == CHANCE:
            history = inspector.child(history, node.moves[0])
            node = inspector.visit(history)
    except (RuleError, ConformanceError) as fault:
        return fault
    return None


def _cure(player: int, history: History, other: History, what: str) -> str:
    """What to do where a player noticed the same in two histories between which something tells."""
    less = {"picture": "render less", "words of tell": "tell less"}.get(
        what, "let it depend on less"
    )
    last = [one.noticed(player) for one in (history, other) if one.moves]
    if None in last:
        return (
            f"player {player} got no token of the last move (0 means nothing): write one into "
            f"observations, or {less}"
        )
    token = last[0] if last else None
    if token is not None and len(last) == 2 and token == last[1]:
        return (
            f"both times the last tokens of player {player} are {token.private} (private) and "
            f"{token.public} (public): write different tokens, or {less}"
        )
    return f"player {player} noticed the same moves in both: write different tokens, or {less}"


def _cure_of_mover(player: object) -> str:
    """What to do where `current_player` says ``player``, which is not allowed."""
    if player is None:
        return "end every branch of the rule with return"
    if player == SIMULTANEOUS:
        return "say simultaneous = True in the class"
    return "return one of these; the first player is 0"


def _cure_of_payoff(payoff: object) -> str:
    """What to do where `returns` says ``payoff``, which is not allowed."""
    if payoff is None:
        return "end every branch of the rule with return and a number"
    if not _is_number(payoff):
        return "return a finite number, what this player alone is paid"
    return PAYOFFS.cure


def _tokens(history: History, observer: int) -> str:
    """The tokens that ``observer`` noticed of the last move, in words."""
    return f"{history.observations[observer]} (private) and {history.observations[-1]} (public)"


def _bytes_of(state: Integers, observations: Integers) -> tuple[bytes, bytes]:
    return state.tobytes(), observations.tobytes()


def _is_number(value: object) -> bool:
    return (
        isinstance(value, (int, float, np.integer, np.floating))
        and not isinstance(value, bool)
        and math.isfinite(value)
    )


def _mover_in_words(player: object) -> str:
    """Who `current_player` says is to move."""
    names = {CHANCE: "CHANCE", SIMULTANEOUS: "SIMULTANEOUS", TERMINAL: "TERMINAL"}
    if isinstance(player, (int, np.integer)) and int(player) in names:
        return f"{names[int(player)]} ({int(player)})"
    return repr(player)
