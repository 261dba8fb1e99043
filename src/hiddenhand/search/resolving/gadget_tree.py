"""Gadget games written out: what comes before the game is put together here, and the game is
written out from the histories of the frontier on by its own rules.

Nothing is carried along in the states, and no rules of another game need to be compiled. Before the
game begins, the keys of observers mean nothing.

Dimensions: D histories of the frontier that can be drawn, N histories of a level, P players.
"""

from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.validation.kernel_errors import explaining
from hiddenhand.jit.arrays import Floats, Indices, Integers, Keys
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.jit.observation_keys import mix
from hiddenhand.jit.views import copy_row
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.resolving.gadgets import FOLLOW, TERMINATE, Gadget, choice_keys
from hiddenhand.trees.levels import ENDED, OPEN, Level, add_history, add_sets
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import DEFAULT_LIMIT, Unroller

_TO_CHOOSE: Final = np.array([FOLLOW, TERMINATE])

_Numbers = npt.NDArray[np.intp]


def write_gadget(
    game: Game,
    gadget: Gadget,
    kind: str,
    max_histories: int = DEFAULT_LIMIT,
    progress: Progress = SILENT,
) -> GameTree:
    """A gadget game written out, without what is decided; raises what `unroll` raises.

    game: the game, turn-based, whose rules are known to be sound.
    gadget: what it is made of.
    kind: which kind of gadget game it is, one of `GADGETS`.
    max_histories, progress: as in `unroll`.
    """
    unroller = Unroller(game, max_histories, progress, decided=False)
    before = _choice_of_a_set if kind == "max_margin" else _draw
    with explaining(game):
        unroller.go_on(before(unroller, gadget))
    tree = unroller.tree(game)
    return _paying_margins(tree, gadget) if kind == "max_margin" else tree


def num_choices(gadget: Gadget, kind: str) -> int:
    """In how many information sets the opponent chooses before the game begins. They are the first
    ones of what is written out.
    """
    if kind == "max_margin":
        return 1
    return np.unique(gadget.set[_drawn(gadget)]).size if gadget.may_terminate.any() else 0


def gates(gadget: Gadget) -> Indices:
    """``int32[C]``: of the information sets in which the opponent follows or terminates, as they
    are written out, which of the opponent's sets ``0 .. G - 1`` each is.
    """
    if not gadget.may_terminate.any():
        return np.zeros(0, np.int32)
    entered = gadget.set[_drawn(gadget)]
    first, _ = _as_met(entered)
    return np.asarray(entered[first], np.int32)


def _drawn(gadget: Gadget) -> _Numbers:
    """``int[D]``: which histories of the frontier can be drawn."""
    return np.flatnonzero(gadget.probability > 0.0)


def _draw(unroller: Unroller, gadget: Gadget) -> Level:
    """Chance draws a history of the frontier. Then the opponent follows or terminates, if that is
    possible. Returns the level in which the game begins.
    """
    drawn, opponent = _drawn(gadget), 1 - gadget.resolver
    _write(unroller, _root(unroller), CHANCE, np.array([drawn.size]))
    level = unroller.new_level(drawn.size)
    _fill(level, 0, drawn, gadget.probability[drawn])
    if not gadget.may_terminate.any():
        return _begin(unroller, gadget, drawn, level, np.full(drawn.size, opponent), ends=False)
    assert gadget.may_terminate.all()  # what the sets are worth is known for all or for none
    first, number = _as_met(gadget.set[drawn])
    _add_sets(unroller, opponent, mix(gadget.keys[drawn[first], opponent]), _TO_CHOOSE)
    level.information_set[:] = number
    _write(unroller, level, opponent, np.full(drawn.size, 2))
    level = unroller.new_level(2 * drawn.size)
    _fill(level, np.repeat(1 + np.arange(drawn.size), 2), np.tile(_TO_CHOOSE, drawn.size), 1.0)
    sequence = unroller.game.num_players + 2 * number + FOLLOW
    return _begin(unroller, gadget, drawn, level, sequence, ends=True)


def _choice_of_a_set(unroller: Unroller, gadget: Gadget) -> Level:
    """The opponent chooses a set, and chance draws a history of it. Returns the level in which the
    game begins.
    """
    drawn, opponent = _drawn(gadget), 1 - gadget.resolver
    drawn = drawn[np.argsort(gadget.set[drawn], kind="stable")]
    sets, number, sizes = np.unique(gadget.set[drawn], return_inverse=True, return_counts=True)
    _add_sets(unroller, opponent, choice_keys(gadget, "max_margin"), sets.astype(np.int64))
    level = _root(unroller)
    level.information_set[0] = 0
    _write(unroller, level, opponent, np.array([sets.size]))
    level = unroller.new_level(sets.size)
    _fill(level, 0, sets, 1.0)
    _write(unroller, level, CHANCE, sizes)
    p, sequence = gadget.probability[drawn], unroller.game.num_players + number
    level = unroller.new_level(drawn.size)
    _fill(level, 1 + number, drawn, p / np.bincount(number, p)[number])
    return _begin(unroller, gadget, drawn, level, sequence, ends=False)


def _as_met(sets: Indices) -> tuple[_Numbers, _Numbers]:
    """Number different ``sets`` ``int32[D]`` in the order in which they are met, as elsewhere:
    where each is met first, and ``int[D]``, the number of each.
    """
    _, first, number = np.unique(sets, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[number]


def _root(unroller: Unroller) -> Level:
    level = unroller.new_level(1)
    _fill(level, -1, -1, 1.0)
    return level


def _fill(
    level: Level,
    parent: _Numbers | int,
    action: _Numbers | Indices | int,
    probability: Floats | float,
) -> None:
    """Write how the histories of a level came about: one number for all, or ``[N]``."""
    level.parent[:], level.action[:], level.probability[:] = parent, action, probability
    level.keys[:], level.information_set[:] = 0, -1


def _write(unroller: Unroller, level: Level, player: int, num_children: Integers) -> None:
    """Write the rest of a level from before the game, at all of whose histories ``player`` moves.

    num_children: ``int64[N]``.
    """
    level.player[:], level.num_children[:] = player, num_children
    level.first_child[:] = unroller.num_histories + np.cumsum(num_children) - num_children
    unroller.finish(level)


def _add_sets(unroller: Unroller, player: int, keys: Keys, actions: Integers) -> None:
    """Number the sets in which ``player`` has ``actions`` before the game."""
    unroller.sets = unroller.sets.with_room(unroller.game, keys.size, actions.size)
    add_sets(unroller.sets, player, keys, actions)


def _begin(
    unroller: Unroller,
    gadget: Gadget,
    drawn: _Numbers,
    level: Level,
    sequence: _Numbers,
    *,
    ends: bool,
) -> Level:
    """Write the histories of the frontier into a level, where their way is written already.

    drawn: ``int[D]``, which histories, in the order of the level.
    sequence: ``int[D]``, the opponent's last sequence in each.
    ends: whether a history follows upon each of them in which the opponent terminates.
    """
    _enter(unroller.game, gadget, drawn, level, sequence, ends, unroller.room)
    return level


def _paying_margins(tree: GameTree, gadget: Gadget) -> GameTree:
    """``tree`` with t(I) subtracted from what the opponent is paid."""
    chosen = np.zeros(tree.num_histories, np.int32)
    for begin, end in zip(tree.level_start[1:-1], tree.level_start[2:], strict=True):
        level = slice(begin, end)
        chosen[level] = tree.action[level] if begin == 1 else chosen[tree.parent[level]]
    margin = gadget.payoff[chosen[tree.terminal]]
    utility = tree.utility.copy()
    utility[:, 1 - gadget.resolver] -= margin
    utility[:, gadget.resolver] += margin
    return replace(tree, utility=utility)


@kernel
def _enter(
    game: Game,
    gadget: Gadget,
    drawn: _Numbers,
    level: Level,
    sequence: _Numbers,
    ends: bool,
    room: int,
) -> None:
    """See `_begin`. ``room`` is the size of the arrays that rules write actions into."""
    actions, probabilities = np.zeros(room, np.int64), np.zeros(room)
    resolver, opponent, h = gadget.resolver, 1 - gadget.resolver, 0
    for d in range(drawn.size):
        o = level.counts[OPEN]
        state, last = level.state[o], level.last_sequence[o]
        copy_row(gadget.state, drawn[d], state)
        copy_row(gadget.keys, drawn[d], level.keys[h])
        last[resolver], last[opponent] = resolver, sequence[d]
        mover, n = game.current_player(state), 0
        if mover == CHANCE:
            n = game.chance_outcomes(state, actions, probabilities)
        elif mover != TERMINAL:
            n = game.legal_actions(state, mover, actions)
        add_history(game, level, h, mover, n)
        h += 1
        if ends:
            _terminate(level, h, resolver, sequence[d] + 1, gadget.payoff[gadget.set[drawn[d]]])
            h += 1


@inline
def _terminate(level: Any, h: int, resolver: int, sequence: int, paid: float) -> None:
    """Write a history in which the opponent is ``paid`` for terminating."""
    z, opponent = level.counts[ENDED], 1 - resolver
    level.player[h], level.num_children[h], level.information_set[h] = TERMINAL, 0, -1
    level.terminal[z] = h
    level.terminal_sequence[z, resolver], level.terminal_sequence[z, opponent] = resolver, sequence
    level.utility[z, resolver], level.utility[z, opponent] = -paid, paid
    level.counts[ENDED] = z + 1
