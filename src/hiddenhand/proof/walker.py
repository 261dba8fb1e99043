"""A `Walk` with its memory: it is begun at the root, or at a part of the game that another walk
handed over, and grows when it must.
"""

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from hiddenhand.compiled.arrays import Floats, Integers, Keys
from hiddenhand.compiled.walk import write_root
from hiddenhand.errors import FileError
from hiddenhand.games.base import Game
from hiddenhand.games.checking.kernel_errors import explaining
from hiddenhand.proof.book import Book
from hiddenhand.proof.descent import (
    DEPTH,
    DROPPED,
    GROUP,
    HANDED,
    HISTORIES,
    INSIDE,
    LIMIT,
    NO_ROOM,
    NUM_AT,
    OFF_PATH,
    ROOT,
    SETS,
    STAMP,
    UNKNOWN_SETS,
    WRONG_ACTIONS,
    Walk,
    advance,
)
from hiddenhand.proof.lists import new_frames, new_groups, new_items, new_room, taken_out

_ITEMS: Final = 1 << 12
_GROUPS: Final = 1 << 10
_ENDLESS: Final = 2**62


class Found(NamedTuple):
    """What a walk found below where it began.

    value: what a best response of the responder earns, times the weights.
    own: what the responder's own strategy earns.
    histories: how many were visited.
    sets: how many information sets of the responder were met.
    unknown: how many of them the strategy does not know.
    off_path: how many of the unknown ones the responder's own strategy never reaches.
    """

    value: float
    own: float
    histories: int
    sets: int
    unknown: int
    off_path: int


@dataclass(frozen=True, eq=False)
class Part:
    """An information set of the responder, from which another walk can go on: L histories.

    states: ``int64[L S]``, their states.
    keys: ``uint64[L P]``, the keys of the players.
    weights: ``float64[L]``.
    share: one over the number of ways in which the responder could have acted so far.
    reach: the part of the responder's own strategy in the probability of the set.
    """

    states: Integers
    keys: Keys
    weights: Floats
    share: float
    reach: float

    @property
    def mass(self) -> float:
        """The share of all probability that lies in the part."""
        return float(self.weights.sum()) * self.share


@dataclass(frozen=True)
class Task:
    """What a walk is to do; the fields of `Walk` are explained there."""

    game: Game
    book: Book
    responder: int
    drops: bool
    merges: bool
    survey: bool = False


class Walker:
    """Goes through a game, or a part of it.

    task: what to do.
    least: groups with no larger share of all probability are handed over; 0 for none.
    given: ``float64[2 T]``, the values of groups that were handed over; None if they are not known.
    """

    def __init__(self, task: Task, least: float = 0.0, given: Floats | None = None) -> None:
        self._task = task
        self._least = least
        self._given = given
        self._walk = self._new(_ITEMS, _GROUPS)

    def begin(self) -> None:
        """Go to the root."""
        walk, task = self._walk, self._task
        game, players = task.game, task.game.num_players
        self._restart(share=1.0, reach=1.0)
        walk.frames.action[0] = -1
        first = walk.first_queued
        state, keys = np.zeros(game.state_size, np.int64), np.zeros(players + 1, np.uint64)
        write_root(game, state, keys)
        if task.survey:
            keys[np.arange(players + 1) != task.responder] = DROPPED
        walk.items.states[first * game.state_size :][: game.state_size] = state
        walk.items.keys[first * players :][:players] = keys[:players]
        walk.items.weights[first] = 1.0
        walk.items.movers[first] = ROOT

    def begin_at(self, part: Part) -> None:
        """Go to a part that was handed over."""
        task, count = self._task, part.weights.size
        while self._walk.first_queued <= count:
            self._grow()
        walk = self._walk
        self._restart(part.share, part.reach)
        walk.frames.action[0], walk.at[INSIDE] = 0, 1
        walk.frames.last_group[0] = walk.frames.groups[1] = 1
        walk.frames.items[1] = count
        walk.items.states[: part.states.size] = part.states
        walk.items.keys[: part.keys.size] = part.keys
        walk.items.weights[:count] = part.weights
        walk.items.links[:count] = np.arange(1, count + 1)
        walk.items.links[count - 1] = -1
        walk.groups.keys[0] = part.keys[task.responder]
        walk.groups.heads[0], walk.groups.tails[0] = 0, count - 1
        walk.groups.sizes[0], walk.groups.mass[0] = count, part.weights.sum()

    def go(self, histories: int = _ENDLESS) -> int:
        """Go on for about so many histories. Returns why that ends: `DONE`, `PAUSED` or
        `HANDED_OVER`.
        """
        walk, game = self._walk, self._task.game
        walk.at[LIMIT] = walk.at[HISTORIES] + histories
        with explaining(game):
            while (told := advance(self._walk)) == NO_ROOM:
                self._grow()
        if told == WRONG_ACTIONS:
            raise FileError(
                f"this strategy is not for {game}: an information set has another number of actions"
            )
        return int(told)

    def handed_over(self) -> Part:
        """The part that was handed over."""
        walk, game = self._walk, self._task.game
        group, d = int(walk.at[GROUP]), int(walk.at[DEPTH])
        head, count = walk.groups.heads[group], walk.groups.sizes[group]
        return Part(
            *taken_out(walk.items, head, count, game.state_size, game.num_players),
            float(walk.frames.share[d]),
            float(walk.frames.reach[d]) * float(walk._played(d, int(walk.frames.action[d]))),
        )

    @property
    def action(self) -> int:
        """The number of the responder's action that led to the part that was handed over."""
        return int(self._walk.frames.action[self._walk.at[DEPTH]])

    @property
    def num_handed(self) -> int:
        """How many parts were handed over, or would have been."""
        return int(self._walk.at[HANDED])

    @property
    def found(self) -> Found:
        """What is found, once the walk is `DONE`."""
        walk = self._walk
        counts = (int(walk.at[what]) for what in (HISTORIES, SETS, UNKNOWN_SETS, OFF_PATH))
        return Found(float(walk.frames.best[0]), float(walk.frames.mean[0]), *counts)

    @property
    def done(self) -> float:
        """The share of all probability in the ends of the game that the walk met."""
        return float(self._walk.done[0])

    def _restart(self, share: float, reach: float) -> None:
        walk, stamp = self._walk, int(self._walk.at[STAMP])
        walk.at[:] = 0
        walk.at[STAMP] = stamp  # slots keep older stamps
        walk.done[0] = 0.0
        frames = walk.frames
        for numbers in (frames.items, frames.groups, frames.next_group, frames.last_group):
            numbers[0] = 0
        for values in (frames.best, frames.mean, frames.value, frames.own):
            values[0] = 0.0
        frames.num_actions[0] = 1
        frames.share[0], frames.reach[0] = share, reach

    def _new(self, room: int, groups: int) -> Walk:
        """A walk with room for as many items in the stack as in the queue."""
        task, game = self._task, self._task.game
        most = max(game.max_actions, game.max_chance_outcomes, 1)
        while room <= 4 * most or groups <= 4 * most:
            room, groups = 2 * room, 2 * groups
        size, players, depth = game.state_size, game.num_players, game.max_depth + 3
        return Walk(
            game=game,
            book=task.book,
            responder=task.responder,
            drops=task.drops,
            merges=task.merges,
            survey=task.survey,
            least=self._least,
            filling=self._given is not None,
            given=np.zeros(2) if self._given is None else self._given,
            first_queued=room,
            items=new_items(2 * room, size, players),
            groups=new_groups(groups),
            frames=new_frames(depth, game.max_actions),
            room=new_room(room, groups, size, players, most),
            at=np.zeros(NUM_AT, np.int64),
            done=np.zeros(1),
        )

    def _grow(self) -> None:
        """Make room for twice as much."""
        old = self._walk
        new = self._new(2 * old.first_queued, 2 * old.groups.heads.size)
        size, players = self._task.game.state_size, self._task.game.num_players
        for name, width in {
            **dict.fromkeys(("weights", "movers", "entries", "links"), 1),
            "states": size,
            "keys": players,
        }.items():
            before, after = getattr(old.items, name), getattr(new.items, name)
            after[: width * old.first_queued] = before[: width * old.first_queued]
            first, there = width * old.first_queued, width * new.first_queued
            after[there : there + width] = before[first : first + width]  # the root may lie there
        for name, values in vars(old.groups).items():
            getattr(new.groups, name)[: values.size] = values
        self._walk = replace(new, frames=old.frames, at=old.at, done=old.done)
