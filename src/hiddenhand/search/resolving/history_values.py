"""What Monte Carlo continual resolving keeps of the histories at which public states begin: rows of
values, their averages, and which of them go on when the match moves on.

A row belongs to a history that enters a public state. Its numbers are sums over traversals:

NUMERATOR, DENOMINATOR   of the weighted average of what the opponent is paid from there on
PLAIN, VISITS            the same with weights of 1
HERE, ABOVE              tags of the public state that the history enters, and of the one before
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.guards import BrokenRule
from hiddenhand.jit.arrays import Flags, Floats, Integers, Keys
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.history_step import advance
from hiddenhand.jit.infoset_table import MISSING, InformationSetTable, new_table, num_sets
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.jit.observation_keys import Key
from hiddenhand.jit.views import copy_row

NUMERATOR, DENOMINATOR, PLAIN, VISITS, HERE, ABOVE = range(6)
_TAG_SHIFT = np.uint64(12)  # the upper 52 bits of a public key are a float64 without loss


def new_values(rows: int) -> InformationSetTable:
    """An empty table of values, to which an iteration adds up to ``rows`` rows."""
    return new_table(per_action=4, per_set=2, rows=rows)


@inline
def tag(public_key: Key) -> float:
    """A public state as a number in a row: which part of the game the row belongs to."""
    return np.float64(public_key >> _TAG_SHIFT)


def averages(sums: Floats) -> Floats:
    """What the opponent is paid on average from each history on; NaN where nothing is known.

    sums: ``float64[F, 4]``, for each history the numbers NUMERATOR, DENOMINATOR, PLAIN and VISITS,
        as `read_values` reads them. Where the denominator is 0, the average with weights of 1 is
        taken instead: the history was sampled, but only by exploration.
    """
    numerator, denominator, plain, visits = sums.T
    weighs = denominator > 0
    with np.errstate(invalid="ignore"):
        return np.asarray(
            np.where(weighs, numerator, plain) / np.where(weighs, denominator, visits)
        )


@kernel
def read_values(values: InformationSetTable, history: Keys, sums: Floats) -> None:
    """Read the sums of some histories.

    values: the table of values.
    history: ``uint64[F]``, the keys of the histories.
    sums: ``float64[F, 4]``, written in place: NUMERATOR, DENOMINATOR, PLAIN and VISITS of each
        history. The row of a history that is not in the table stays as it was.
    """
    for h in range(history.size):
        row = values.find(history[h])
        if row != MISSING:
            for column in range(4):
                sums[h, column] = values.values[row + column]


def kept_below(
    table: InformationSetTable, values: InformationSetTable, public_key: int
) -> tuple[InformationSetTable, InformationSetTable]:
    """Copies of both tables with those rows only that belong to the public state ``public_key``, or
    to a public state below it.
    """
    kept, kept_values = np.zeros(num_sets(table), np.bool_), np.zeros(num_sets(values), np.bool_)
    _mark_below(
        table,
        values,
        np.uint64(public_key),
        new_table(per_action=1, sets=2 * kept_values.size + 2),
        kept,
        kept_values,
    )
    return _selected(table, kept), _selected(values, kept_values)


def _selected(table: InformationSetTable, kept: Flags) -> InformationSetTable:
    """A table with some of the rows."""
    sizes = {
        "sets": max(int(kept.sum()), 1024),
        "values": max(int(np.diff(table.starts[: kept.size + 1])[kept].sum()), 16384),
    }
    smaller = new_table(
        per_action=table.per_action,
        per_set=table.per_set,
        rows=table.rows,
        row_actions=table.row_actions,
        **sizes,
    )
    _copy_rows(table, kept, smaller)
    return smaller


@kernel
def _mark_below(
    table: InformationSetTable,
    values: InformationSetTable,
    public_key: Key,
    states: InformationSetTable,
    kept: Flags,
    kept_values: Flags,
) -> None:
    """Mark the rows at and below a public state in ``kept`` and ``kept_values``.

    states: an empty table, room to note which public states are at or below that one.

    The row of a public state is added after a row of the public state before it. So one pass over
    the rows, in their order, finds all of them.
    """
    states.add(np.uint64(tag(public_key)), 0)
    for number in range(kept_values.size):
        start = values.starts[number]
        here = np.uint64(values.values[start + HERE])
        kept_values[number] = states.find(here) != MISSING
        if (
            not kept_values[number]
            and states.find(np.uint64(values.values[start + ABOVE])) != MISSING
        ):
            kept_values[number] = True
            states.add(here, 0)
    for number in range(kept.size):
        kept[number] = states.find(np.uint64(table.values[table.starts[number + 1] - 1])) != MISSING


@kernel
def _copy_rows(table: InformationSetTable, kept: Flags, smaller: InformationSetTable) -> None:
    for number in range(kept.size):
        if kept[number]:
            start, end = table.starts[number], table.starts[number + 1]
            row = smaller.add(table.keys[number], (end - start - table.per_set) // table.per_action)
            for place in range(end - start):
                smaller.values[row + place] = table.values[start + place]


# --- what histories are worth if both play the mean strategies ---


def expected_payoffs(
    game: Game, table: InformationSetTable, states: Integers, keys: Keys, player: int
) -> Floats:
    """``float64[F]``: what ``player`` is paid on average from each of F histories on, given by
    their ``states`` and ``keys``, if both play the mean strategies in ``table``.
    """
    found = np.zeros(states.shape[0])
    _walk(game, table, _Starts(states, keys), player, _frames(game), found)
    return found


@dataclass(frozen=True)
class _Starts(Compiled):
    """The F histories at which walks begin.

    state: ``int64[F, state_size]``, their states.
    keys: ``uint64[F, P + 1]``, the key of each player and, last, the public key.
    """

    state: Integers
    keys: Keys


@dataclass(frozen=True)
class _Frames(Compiled):
    """The histories between a start and where a walk is, one for each depth D.

    state: ``int64[D, state_size]``.
    keys: ``uint64[D, P + 1]``.
    mover: ``int64[D]``, who moves.
    count: ``int64[D]``, how many moves there are.
    next: ``int64[D]``, which of them to make next.
    total: ``float64[D]``, what those already made are worth, times their probabilities.
    actions: ``int64[D, A]``, the moves.
    probabilities: ``float64[D, A]``, of the moves.
    observations: ``int64[P + 1]``, room for rules to write tokens into.
    """

    state: Integers
    keys: Keys
    mover: Integers
    count: Integers
    next: Integers
    total: Floats
    actions: Integers
    probabilities: Floats
    observations: Integers


def _frames(game: Game) -> _Frames:
    depths, observers = game.max_depth + 2, game.num_players + 1
    room = max(game.max_actions, game.max_chance_outcomes, 1)
    mover, count, following = (np.zeros(depths, np.int64) for _ in range(3))
    return _Frames(
        state=np.zeros((depths, game.state_size), np.int64),
        keys=np.zeros((depths, observers), np.uint64),
        mover=mover,
        count=count,
        next=following,
        total=np.zeros(depths),
        actions=np.zeros((depths, room), np.int64),
        probabilities=np.zeros((depths, room)),
        observations=np.zeros(observers, np.int64),
    )


@kernel
def _walk(
    game: Any,
    table: InformationSetTable,
    starts: _Starts,
    player: int,
    frames: _Frames,
    found: Floats,
) -> None:
    """Walk through all histories that follow each start, depth first, and write what ``player`` is
    paid on average from the start into ``found``, ``float64[F]``.
    """
    depths = frames.mover.size - 1
    state, seen, mover, count = frames.state, frames.keys, frames.mover, frames.count
    next_move, total = frames.next, frames.total
    actions, probabilities = frames.actions, frames.probabilities
    for h in range(found.size):
        copy_row(starts.state, h, state[0])
        copy_row(starts.keys, h, seen[0])
        d = 0
        mover[0], count[0] = _look(game, table, state[0], seen[0], actions[0], probabilities[0])
        next_move[0], total[0] = 0, 0.0
        while True:
            if next_move[d] == count[d]:
                worth = game.returns(state[d], player) if mover[d] == TERMINAL else total[d]
                if d == 0:
                    found[h] = worth
                    break
                d -= 1
                total[d] += probabilities[d, next_move[d] - 1] * worth
                continue
            a = next_move[d]
            next_move[d] += 1
            if probabilities[d, a] > 0.0:
                if d + 1 == depths:
                    raise BrokenRule("the game goes on after max_depth moves")
                copy_row(state, d, state[d + 1])
                copy_row(seen, d, seen[d + 1])
                advance(
                    game, state[d + 1], mover[d], actions[d, a], seen[d + 1], frames.observations
                )
                d += 1
                mover[d], count[d] = _look(
                    game, table, state[d], seen[d], actions[d], probabilities[d]
                )
                next_move[d], total[d] = 0, 0.0


@inline
def _look(
    game: Any,
    table: InformationSetTable,
    state: Integers,
    keys: Keys,
    actions: Integers,
    probabilities: Floats,
) -> tuple[int, int]:
    """Write the moves that can be made and their probabilities. Returns who moves, and how many
    moves there are.
    """
    player = game.current_player(state)
    if player == TERMINAL:
        return player, 0
    if player == CHANCE:
        return player, game.chance_outcomes(state, actions, probabilities)
    n = game.legal_actions(state, player, actions)
    row = table.find(game.information(state, player, keys[player]))
    total = 0.0
    if row != MISSING:
        for a in range(n):
            total += table.values[row + n + a]
    for a in range(n):
        probabilities[a] = table.values[row + n + a] / total if total > 0.0 else 1.0 / n
    return player, n
