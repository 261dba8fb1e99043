"""Running the rules of a game as plain Python, each of them twice.

A rule must give the same answer to the same question, whatever its arrays held before, and must
leave the state alone unless it moves the game on.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from hiddenhand.games.base import Game
from hiddenhand.games.history import History, Move
from hiddenhand.games.validation.laws import ANSWERS, REPEATABLE, Law, broken
from hiddenhand.games.validation.rule_errors import explained
from hiddenhand.jit.arrays import Integers

UNWRITTEN = -(1 << 40)
"""What fills arrays before a rule writes into them."""


@contextlib.contextmanager
def inspecting(history: History, move: Move | None = None) -> Iterator[None]:
    """While rules run in this context, numbers wrap around silently, as in compiled code, and what
    the rules raise is explained.
    """
    with np.errstate(all="ignore"), explained(history, move):
        yield


class WholeNumbers(np.ndarray):
    """An array of integers that refuses numbers with a fraction. Other arrays silently keep 0 where
    0.5 is written.
    """

    def __setitem__(self, where: Any, value: Any) -> None:
        if not isinstance(value, (int, np.integer)):
            values = np.ravel(value)
            if values.dtype.kind == "f":
                lost = values[~np.isfinite(values) | (np.trunc(values) != values)]
                if lost.size:
                    raise TypeError(
                        f"{lost[0]} is written into an array of whole numbers, which would keep a "
                        "part of it; write whole numbers"
                    )
        super().__setitem__(where, value)


def whole_numbers(array: Integers) -> Integers:
    """A copy of ``array`` as `WholeNumbers`, for rules to write into."""
    return array.copy().view(WholeNumbers)


class Asking:
    """Calls the rules of one game. Raises ConformanceError where a rule gives two different
    answers, or changes the state that it got.
    """

    def __init__(self, game: Game) -> None:
        self.game = game

    def ask(self, history: History, rule: str, *arguments: Any) -> Any:
        """The answer of the rule called ``rule``. Calls it twice."""
        method = getattr(self.game, rule)
        return self.repeated(history, rule, lambda state: method(state, *arguments))

    def repeated(self, history: History, rule: str, ask: Callable[[Integers], Any]) -> Any:
        """What ``ask`` returns for the state of ``history``. Calls it twice.

        rule: the name of the rule in messages.
        """
        answers = []
        for _ in range(2):
            state = history.state.copy()
            answers.append(ask(state))
            self.verify_unchanged(history, rule, state)
        if answers[0] != answers[1] and any(one == one for one in answers):  # noqa: PLR0124  not NaN
            said = f"{rule} says {answers[0]!r}, then {answers[1]!r}"
            self.fail(REPEATABLE, history, said, rule=rule)
        return answers[0]

    def filled(
        self, history: History, rule: str, size: int, law: Law, *player: int
    ) -> tuple[list[int], list[float]]:
        """What a rule writes into an array of ``size`` actions and, without a ``player``, into one
        of probabilities, whatever the arrays held before. ``law`` is broken if the rule does not
        return a count from 1 to ``size``.
        """
        written = []
        for filling in (UNWRITTEN, 0):
            state = history.state.copy()
            actions = whole_numbers(np.full(size, filling, np.int64))
            probabilities = np.full(size, float(filling))
            outputs: tuple[npt.NDArray[Any], ...] = (actions, probabilities)
            if player:
                outputs = (actions,)
            count = getattr(self.game, rule)(state, *player, *outputs)
            self.verify_unchanged(history, rule, state)
            if not is_integer(count) or not 1 <= count <= size:
                whose = f" of player {player[0]}" if player else ""
                what = f"{rule}{whose} returns the count {count!r}, allowed is 1 to {size}"
                cure = "return how many you wrote into actions"
                if is_integer(count) and count > size:
                    most = "max_actions" if player else "max_chance_outcomes"
                    cure = f"make {most} larger, or {cure}"
                self.fail(law, history, what, rule=rule, cure=cure)
            chances = [] if player else probabilities[:count].tolist()
            written.append((actions[:count].tolist(), chances))
        if repr(written[0]) != repr(written[1]):  # as text, because NaN differs from itself
            self.fail(
                REPEATABLE,
                history,
                f"{rule} leaves entries unwritten, or changes its mind: {written[0]}, then "
                f"{written[1]}",
                rule=rule,
            )
        return written[0]

    def applied(self, history: History, move: Move) -> tuple[Integers, Integers]:
        """The state after ``move``, and the observations that were written."""
        state = whole_numbers(history.state)
        observations = whole_numbers(np.zeros(self.game.num_players + 1, np.int64))
        if isinstance(move, tuple):
            actions = np.array(move, np.int64)
            self.game.apply_joint_action(state, actions, observations)
            if tuple(actions.tolist()) != move:
                what = "apply_joint_action changes the actions it is given"
                self.fail(ANSWERS, history, what, rule="apply_joint_action", move=move)
        else:
            self.game.apply_action(state, move, observations)
        return state, observations

    def verify_unchanged(self, history: History, rule: str, state: Integers) -> None:
        """Raise ConformanceError unless ``state``, which ``rule`` got, is still that of
        ``history``.
        """
        if state.tobytes() != history.state.tobytes():  # faster than by elements
            unlike = np.flatnonzero(state != history.state)
            what = f"{rule} changes entries {unlike.tolist()} of the state"
            self.fail(ANSWERS, history, what, rule=rule)

    def fail(
        self,
        law: Law,
        history: History,
        *what: str,
        rule: str | None = None,
        move: Move | None = None,
        cure: str = "",
    ) -> NoReturn:
        """Raise ConformanceError: ``law`` is broken after ``history``, and ``what`` says how. See
        `broken` for the rest.
        """
        raise broken(self.game, law, history, " ".join(what), rule=rule, move=move, cure=cure)


def is_integer(value: object) -> bool:
    """Whether ``value`` is an integer, and not a truth value."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
