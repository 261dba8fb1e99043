"""What kernels raise because of a game, explained: rules that cannot be compiled, and rules that
break a law while a search runs.

A guarded rule (see `guards`) that breaks a law ends the kernel with `BrokenRule`. A rule that uses
an index out of bounds ends it with IndexError. Neither error names the place in the game. So an
`Inspector` makes the moves that led there again in plain Python, and says what is wrong. If the
caller of the kernel does not know these moves, the inspector looks for a broken law in some
thousands of histories.
"""

import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np

from hiddenhand.errors import HiddenhandError, RuleError
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.guards import BrokenRule
from hiddenhand.games.history import Move
from hiddenhand.games.validation.inspector import Inspector
from hiddenhand.games.validation.rule_errors import COMPILE_ERRORS, explain_compile_error
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.methods import is_guarded, renew_rules
from hiddenhand.jit.views import copy_row

_HISTORIES: Final = 5_000  # in which a broken law is looked for, in order and again at random
_OF_RULES: Final = (BrokenRule, IndexError, ValueError, ArithmeticError, AssertionError)
_LONGEST_NAME: Final = 150  # of a game in a message

Way = Callable[[], Sequence[Move] | None]
"""Returns the moves that led to the place at which a kernel broke off, or None if unknown."""


@contextlib.contextmanager
def explaining(game: Game, way: Way = lambda: None) -> Iterator[None]:
    """A context in which ``game`` is handed to a kernel. What the kernel raises because of the game
    becomes RuleError or ConformanceError, which say which rule is to blame, where and why.

    way: tells the moves that led to the place at which the kernel broke off.
    """
    try:
        yield
    except COMPILE_ERRORS as error:
        raise explain_compile_error(game, error) from error
    except HiddenhandError:
        raise
    except _OF_RULES as error:
        if isinstance(error, BrokenRule) or any(map(is_guarded, _classes(game))):
            raise _explained(game, way(), error) from error
        raise


def first_broken(game: Game, states: Integers) -> int | None:
    """The number of the first of ``states``, ``int64[N, state_size]``, in which a rule breaks a law
    or fails; None if there is none.
    """
    at, room = np.zeros(1, np.int64), max(game.max_actions, game.max_chance_outcomes, 1)
    try:
        _try_rules(game, states, at, room)
    except _OF_RULES:
        return int(at[0])
    return None


@kernel
def _try_rules(game: Game, states: Integers, at: Integers, room: int) -> None:
    """Run all rules in all states. ``at``, ``int64[1]``, is the number of the present state."""
    actions, probabilities = np.zeros(room, np.int64), np.zeros(room)
    state = np.zeros(states.shape[1], np.int64)
    observations = np.zeros(game.num_players + 1, np.int64)
    for index in range(states.shape[0]):
        at[0] = index
        player = game.current_player(states[index])
        if player == TERMINAL:
            for paid in range(game.num_players):
                game.returns(states[index], paid)
            continue
        n = (
            game.chance_outcomes(states[index], actions, probabilities)
            if player == CHANCE
            else game.legal_actions(states[index], player, actions)
        )
        for a in range(n):
            copy_row(states, index, state)
            game.apply_action(state, actions[a], observations)


def _classes(game: Game) -> Iterator[type]:
    """The class of a game, and those of the games inside it."""
    yield type(game)
    if isinstance(inner := getattr(game, "game", None), Game):
        yield from _classes(inner)


def _explained(game: Game, moves: Sequence[Move] | None, error: Exception) -> HiddenhandError:
    try:
        if moves is not None:
            _follow(game, moves)
        else:
            _look_around(game)
    except HiddenhandError as found:
        return found
    name = repr(game)
    if len(name) > _LONGEST_NAME:
        name = type(game).__name__
    where = "" if moves is None else f" after the moves {tuple(moves)}, though not as plain Python"
    return RuleError(
        f"a rule of {name} fails in compiled code{where}: {error}; hiddenhand.games.check(game) "
        "looks for the place and compares the two"
    )


def _follow(game: Game, moves: Sequence[Move]) -> None:
    """Make ``moves``, and then each move that is possible next, looking at every law on the way.
    Raises HiddenhandError where something is wrong.
    """
    inspector = Inspector(game, for_people=False)
    history, node = inspector.follow(moves)
    for move in node.moves:
        inspector.visit(inspector.child(history, move))


def _look_around(game: Game) -> None:
    """Look for a broken law: from the beginning through all states, then in random plays. Raises
    HiddenhandError where one is found.

    Both end after `_HISTORIES` histories and not after a time, so a game has the same message on
    every machine.
    """
    renew_rules(game)
    if not _is_searched(Inspector(game, for_people=False)):
        _play_at_random(Inspector(game, for_people=False))


def _is_searched(inspector: Inspector) -> bool:
    """Visit one history for each state of the game, the shortest first. Returns whether there are
    at most `_HISTORIES`; where there are more, the others are not visited.
    """
    root = inspector.root()
    waiting, seen = deque([root]), {root.state.tobytes()}
    while waiting:
        history = waiting.popleft()
        for move in inspector.visit(history).moves:
            after = inspector.child(history, move)
            if (state := after.state.tobytes()) not in seen:
                if len(seen) == _HISTORIES:
                    return False
                seen.add(state)
                waiting.append(after)
    return True


def _play_at_random(inspector: Inspector) -> None:
    """Visit `_HISTORIES` histories of random plays; the last play may end after them."""
    random, visited = np.random.default_rng(0), 0
    while visited < _HISTORIES:
        history = inspector.root()
        while moves := inspector.visit(history).moves:
            history = inspector.child(history, moves[int(random.integers(len(moves)))])
            visited += 1
        visited += 1
