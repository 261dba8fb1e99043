"""Runs of a given sequence of moves by compiled code, with everything recorded on the way, for
comparison with the run in plain Python.
"""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from hiddenhand.games.base import CHANCE, SIMULTANEOUS, TERMINAL, Game
from hiddenhand.games.history import History
from hiddenhand.games.validation.inspector import Node
from hiddenhand.jit.arrays import Floats, Integers, Keys
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.history_step import advance, advance_jointly, begin
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.jit.views import copy_row

_ROUNDED = 1e-12  # of a payoff or a probability
_UNUSED = 0  # what fills entries without a meaning, such as those behind the last legal action


@dataclass(frozen=True)
class Trace(Compiled):
    """All states of a run, and what the rules say about them.

    T: max_depth + 1, P: players, S: state_size, A: the most actions or chance outcomes.

    Where only one player or chance is to move, what belongs to the mover stands in row 0 of the P
    rows of counts, actions and information.

    states: ``int64[T, S]``, the states.
    keys: ``uint64[T, P + 1]``, the keys of the players and, last, of the public.
    observations: ``int64[T, P + 1]``, the tokens of the move that led to the state.
    players: ``int64[T]``, who is to move.
    counts: ``int64[T, P]``, how many actions, or outcomes of chance, there are.
    actions: ``int64[T, P, A]``, the actions, or outcomes of chance.
    probabilities: ``float64[T, A]``, the probabilities of chance's outcomes.
    information: ``uint64[T, P]``, the keys under which those who are to move file what they know.
    payoffs: ``float64[T, P]``, what each player is paid at the end.
    """

    states: Integers
    keys: Keys
    observations: Integers
    players: Integers
    counts: Integers
    actions: Integers
    probabilities: Floats
    information: Keys
    payoffs: Floats


def new_trace(game: Game) -> Trace:
    """An empty trace with room for any history of ``game``."""
    T, P, S = game.max_depth + 1, game.num_players, game.state_size
    A = game.max_actions if game.draws_chance else max(game.max_actions, game.max_chance_outcomes)
    return Trace(
        states=np.zeros((T, S), np.int64),
        keys=np.zeros((T, P + 1), np.uint64),
        observations=np.zeros((T, P + 1), np.int64),
        players=np.zeros(T, np.int64),
        counts=np.zeros((T, P), np.int64),
        actions=np.zeros((T, P, A), np.int64),
        probabilities=np.zeros((T, A)),
        information=np.zeros((T, P), np.uint64),
        payoffs=np.zeros((T, P)),
    )


def record(trace: Trace, history: History, node: Node) -> None:
    """Write what plain Python says about ``history`` into ``trace``, at the step of its length."""
    step, players = len(history.moves), range(history.game.num_players)
    for name in ("counts", "actions", "probabilities", "information", "payoffs"):
        getattr(trace, name)[step] = _UNUSED
    trace.states[step] = history.state
    trace.keys[step] = [*(history.key(player) for player in players), history.public_key]
    trace.observations[step] = history.observations or _UNUSED
    trace.players[step] = node.player
    drawn = node.player == CHANCE and history.game.draws_chance  # see `chance_frequencies`
    for row, actions in enumerate(() if drawn else node.actions):
        trace.counts[step, row] = len(actions)
        trace.actions[step, row, : len(actions)] = actions
    if not drawn:
        trace.probabilities[step, : len(node.probabilities)] = node.probabilities
    trace.information[step, : len(node.information)] = node.information
    if node.returns:
        trace.payoffs[step] = node.returns


def replay(game: Game, history: History, trace: Trace) -> None:
    """Run the moves of ``history`` as compiled code, and write what it says into ``trace``."""
    moves = np.zeros((len(history.moves), game.num_players), np.int64)
    for step, move in enumerate(history.moves):
        moves[step, : len(move) if isinstance(move, tuple) else 1] = move
    _replay(game, moves, trace)


def first_difference(
    interpreted: Trace, compiled: Trace, steps: int
) -> tuple[int, str, str] | None:
    """The first step (0 is the root) at which two traces differ, the field that differs, and how;
    None if they are equal in the first ``steps`` steps: whole numbers bit for bit, others up to
    errors of rounding, because ``x ** n`` need not be the same in both.
    """
    names = [field.name for field in fields(Trace)]
    arrays = [(name, getattr(interpreted, name), getattr(compiled, name)) for name in names]
    if all(_agree(first[:steps], second[:steps]) for _, first, second in arrays):
        return None
    for step in range(steps):
        for name, first, second in arrays:
            if not _agree(first[step], second[step]):
                said, plain = second[step].tolist(), first[step].tolist()
                return step, name, f"{name} are {said} compiled, but {plain} as plain Python"
    return None


def _agree(first: Any, second: Any) -> bool:
    if first.dtype.kind == "f":
        return bool(np.allclose(first, second, rtol=_ROUNDED, atol=0.0))
    return np.array_equal(first, second)


@kernel
def _replay(game: Game, moves: Integers, trace: Trace) -> None:
    """Write n + 1 steps, or fewer if compiled code finds an earlier end.

    moves: ``int64[n, P]``, the action of each player; where only one player or chance moves, that
        action stands first.
    """
    begin(game, trace.states[0], trace.keys[0])
    num_players = trace.counts.shape[1]
    for observer in range(num_players + 1):
        trace.observations[0, observer] = _UNUSED
    for step in range(moves.shape[0] + 1):
        if step > 0:
            state, keys, tokens = trace.states[step], trace.keys[step], trace.observations[step]
            copy_row(trace.states, step - 1, state)
            copy_row(trace.keys, step - 1, keys)
            move, before = moves[step - 1], trace.players[step - 1]
            if before == SIMULTANEOUS:
                advance_jointly(game, state, move, keys, tokens)
            else:
                advance(game, state, before, move[0], keys, tokens)
        _describe(game, step, num_players, trace)
        if trace.players[step] == TERMINAL:
            return


@inline
def _describe(game: Game, step: int, num_players: int, trace: Trace) -> None:
    """Write what the rules say about the state at ``step``."""
    for row in range(num_players):
        trace.counts[step, row] = _UNUSED
        trace.information[step, row] = _UNUSED
        trace.payoffs[step, row] = _UNUSED
    state = trace.states[step]
    player = game.current_player(state)
    trace.players[step] = player
    outcomes = 0
    if player == TERMINAL:
        for paid in range(num_players):
            trace.payoffs[step, paid] = game.returns(state, paid)
    elif player == CHANCE and not game.draws_chance:
        outcomes = game.chance_outcomes(state, trace.actions[step, 0], trace.probabilities[step])
        trace.counts[step, 0] = outcomes
    elif player == SIMULTANEOUS:
        for row in range(num_players):
            _describe_choice(game, step, row, row, trace)
    elif 0 <= player < num_players:
        _describe_choice(game, step, 0, player, trace)
    for index in range(outcomes, trace.probabilities.shape[1]):
        trace.probabilities[step, index] = _UNUSED
    for row in range(num_players):
        for index in range(trace.counts[step, row], trace.actions.shape[2]):
            trace.actions[step, row, index] = _UNUSED


@inline
def _describe_choice(game: Game, step: int, row: int, player: int, trace: Trace) -> None:
    """Write what the rules say about the choice of ``player``."""
    state, key = trace.states[step], trace.keys[step, player]
    trace.counts[step, row] = game.legal_actions(state, player, trace.actions[step, row])
    trace.information[step, row] = np.uint64(game.information(state, player, key))
