"""One walk through a whole game, over the information sets of one player, depth first.

The player is called the responder. What the others do is a fixed strategy, a `PolicyTable`. At each
information set of the responder the walk carries a list: the histories that the set consists of,
each with its state, the keys of all players, and its weight. The weight is the part of the others
and of chance in the probability of the history. The value of a set under a best response is then
the maximum over the actions; the value under the responder's own strategy is the mean. One walk
finds both. Johanson, Waugh, Bowling and Zinkevich (2011), "Accelerating best response calculation
in large extensive games", describe the method for public trees. Here information sets take the
place of public states, so the method needs nothing but the rules of the game.

- The walk visits every history at most once. It skips histories of weight 0.
- Histories of one set that have the same state and keys become one, whose weight is their sum.
- If a strategy knows nothing of a set, and of no set that follows it, the key of its owner matters
  no more: the walk drops it, that is, sets it to `DROPPED`. Then more histories are the same. An
  earlier walk, a `survey`, finds out whether this is allowed for a strategy.
- Memory holds the lists on one path, and no tree.

The words used below:

item    a history that waits: its arrays are columns of ``Walk``. Items in which the responder is to
        move lie below ``first_queued``, in the order of a stack; others lie above, in a queue,
        until the responder moves again, or the game ends.
batch   all items that come from one action of the responder in one information set. A batch is
        made as a whole. If there is no room for it, nothing has happened, and it is made again
        after the arrays have grown.
group   the items of a batch in one information set of the responder, as a linked list.
frame   an information set on the present path.
"""

from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np

from hiddenhand.errors import FileError
from hiddenhand.evaluation.policy_table import UNKNOWN, PolicyTable
from hiddenhand.evaluation.traversal_buffers import (
    NOBODY,
    Frames,
    Groups,
    Items,
    Room,
    allocated,
    mask_for,
    new_room,
    taken_out,
)
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.guards import BrokenRule
from hiddenhand.games.validation.kernel_errors import explaining
from hiddenhand.jit.arrays import Floats, Integers, Keys
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.history_step import write_root
from hiddenhand.jit.kernels import kernel_apart
from hiddenhand.jit.observation_keys import fold
from hiddenhand.jit.views import copy_into, view

DROPPED: Final = 0
"""The key of a player whose key matters no more."""

# how a walk breaks off
DONE, PAUSED, NO_ROOM, HANDED_OVER, WRONG_ACTIONS = range(5)

# what `Walk.at` holds
DEPTH = 0  # the number of the last frame
LIMIT = 1  # after so many histories the walk pauses
HISTORIES = 2  # how many were visited
SETS = 3  # how many information sets of the responder were met
UNKNOWN_SETS = 4  # how many of them the strategy does not know
OFF_PATH = 5  # how many of these the responder's own strategy never reaches
GROUP = 6  # the group that is handed over
HANDED = 7  # how many groups were handed over
STAMP = 8  # marks the slots that are in use
INSIDE = 9  # 1 if the group of frame 0 is to be entered, however small its share is
NUM_AT = 10

ROOT = -3  # in place of a mover: the first item of the queue is the root itself
_NONE = np.uint64(DROPPED)


@dataclass(frozen=True)
class Walk(Compiled):
    """A walk over the information sets of ``responder``.

    policy: the strategy of all players.
    responder: a player.
    drops: whether keys that matter no more are dropped.
    merges: whether items are compared even if no key of them is dropped; that is of use where
        chance hides something from all players.
    survey: whether the walk goes on only below those sets of the responder that the strategy knows.
    least: groups whose share of all probability is not above this are handed over.
    filling: whether values of groups that were handed over are known, and are in ``given``.
    given: ``float64[2 T]``, for each such group its value under a best response and under the
        responder's own strategy.
    at: ``int64[NUM_AT]``, where the walk is.
    done: ``float64[1]``, the share of all probability in the ends of the game that were met.
    """

    game: Any
    policy: PolicyTable
    responder: int
    drops: bool
    merges: bool
    survey: bool
    least: float
    filling: bool
    given: Floats
    first_queued: int
    items: Items
    groups: Groups
    frames: Frames
    room: Room
    at: Integers
    done: Floats

    def advance(self) -> int:
        """Go on until the walk is DONE or breaks off for another reason, which is returned."""
        at, frames = self.at, self.frames
        while at[HISTORIES] < at[LIMIT]:
            d = at[DEPTH]
            if frames.next_group[d] < frames.last_group[d]:
                group = frames.next_group[d]
                share = frames.share[d] * self.groups.mass[group]
                if share <= self.least and (d > 0 or at[INSIDE] == 0):
                    if self._hand_over(d, group):
                        return HANDED_OVER
                elif not self._enter(d, group):
                    return WRONG_ACTIONS
                continue
            a = frames.action[d]
            if a >= 0:
                self._close(d, a)
            a += 1
            if a < frames.num_actions[d]:
                told = self._make_batch(d, a)
                if told != DONE:
                    return told
            elif d == 0:
                return DONE
            else:
                at[DEPTH] = d - 1
                frames.value[d - 1] += frames.best[d]
                frames.own[d - 1] += frames.mean[d]
        return PAUSED

    def _hand_over(self, d: int, group: int) -> bool:
        """Take the value of a group that was handed over, or hand it over."""
        frames, at = self.frames, self.at
        frames.next_group[d] = group + 1
        at[HANDED] += 1
        if not self.filling:
            at[GROUP] = group
            return True
        frames.value[d] += self.given[2 * at[HANDED] - 2]
        frames.own[d] += self.given[2 * at[HANDED] - 1]
        return False

    def _played(self, d: int, a: int) -> float:
        """How the responder's own strategy plays an action in a frame."""
        frames = self.frames
        if d == 0:
            return 1.0
        return self.policy.probability(frames.entries[d], frames.keys[d], frames.num_actions[d], a)

    def _close(self, d: int, a: int) -> None:
        """Take note of what an action is worth."""
        frames = self.frames
        value = frames.value[d]
        if a == 0 or value > frames.best[d]:
            frames.best[d] = value
        frames.mean[d] += self._played(d, a) * frames.own[d]
        frames.own[d] = 0.0  # if there is no room for the next batch, this happens again

    def _enter(self, d: int, group: int) -> bool:
        """Make a group the next frame. Returns whether the strategy has as many actions there."""
        frames, at, game = self.frames, self.at, self.game
        frames.next_group[d] = group + 1
        key, head = self.groups.keys[group], self.groups.heads[group]
        follows_unknown = self.drops and d > 0 and frames.entries[d] == UNKNOWN
        entry = UNKNOWN if follows_unknown else self.policy.find(key)
        reach = frames.reach[d] * self._played(d, frames.action[d])
        at[SETS] += 1
        if entry == UNKNOWN:
            at[UNKNOWN_SETS] += 1
            if reach == 0.0:
                at[OFF_PATH] += 1
            if self.survey:
                return True
        d += 1
        if game.guarded and d > game.max_depth:
            raise BrokenRule("the game goes on after max_depth moves")
        states, size = self.items.states, game.state_size
        actions = view(frames.actions, d * game.max_actions, game.max_actions)
        n = game.legal_actions(view(states, head * size, size), self.responder, actions)
        self._unite(head, self.groups.sizes[group])
        at[DEPTH] = d
        frames.num_actions[d] = n
        frames.action[d] = -1
        frames.entries[d] = entry
        frames.keys[d] = key
        frames.heads[d] = head
        frames.next_group[d] = frames.last_group[d] = frames.groups[d]
        frames.best[d] = frames.mean[d] = frames.value[d] = frames.own[d] = 0.0
        frames.share[d] = frames.share[d - 1] / n
        frames.reach[d] = reach
        return self.policy.fits(entry, n)

    def _make_batch(self, d: int, a: int) -> int:
        """Let the responder take action number ``a`` in all items of a frame, and continue each
        until the responder moves again. Returns DONE, or why that cannot be done.
        """
        game, items, frames, room, at = self.game, self.items, self.frames, self.room, self.at
        size, players, responder = game.state_size, game.num_players, self.responder
        branching = max(game.max_actions, game.max_chance_outcomes, 1)
        last_item, last_group = self.first_queued - branching, self.groups.heads.size - branching
        last_queued = items.weights.size - branching
        top, first_group = frames.items[d], frames.groups[d]
        groups, histories, moves = first_group, 0, 0
        value, ended = 0.0, 0.0
        at[STAMP] += 1
        stamp = at[STAMP]
        begin = end = tail = self.first_queued
        i = frames.heads[d]
        if d == 0:  # the root lies there
            end = tail = begin + 1
            i = begin
        listed = d > 0
        while True:
            # the next item that moves: those of the frame, then those of the queue
            if listed and i == NOBODY:
                listed = False
                i = end
            if not listed and i == end:
                begin = end
                end = tail
                if begin == end:
                    break
                moves += 1  # of the others, one after the other
                if game.guarded and moves > game.max_depth + 1:
                    raise BrokenRule("the game goes on after max_depth moves")
                self._look_up(begin, end)
                i = begin
            if tail > last_queued or top > last_item or groups > last_group:
                return NO_ROOM
            source = i
            weight = items.weights[source]
            mover = responder if listed else items.movers[source]
            if listed:
                i = items.links[i]
            else:
                i += 1
                if weight == 0.0:
                    continue
            state = view(items.states, source * size, size)
            first, last, entry = 0, 1, UNKNOWN
            actions = room.actions
            if mover == CHANCE:
                last = game.chance_outcomes(state, actions, room.probabilities)
            elif listed:
                actions[a] = frames.actions[d * game.max_actions + a]
                first, last = a, a + 1
            elif mover != ROOT:
                last = game.legal_actions(state, mover, actions)
                entry = items.entries[source]
                if not self.policy.fits(entry, last):
                    return WRONG_ACTIONS
            for move in range(first, last):
                p = 1.0
                if mover == CHANCE:
                    p = room.probabilities[move]
                elif not listed and mover != ROOT:
                    key = items.keys[source * players + mover]
                    p = self.policy.probability(entry, key, last, move)
                if p == 0.0:
                    continue
                histories += 1
                player = self._move(source, mover, actions[move], tail)
                p *= weight
                if player == TERMINAL:
                    value += p * game.returns(view(items.states, tail * size, size), responder)
                    ended += p
                elif player != responder:
                    items.weights[tail] = p
                    items.movers[tail] = player
                    tail += 1
                else:
                    groups = self._file(tail, top, p, stamp, groups)
                    top += 1
        at[HISTORIES] += histories
        frames.action[d] = a
        frames.items[d + 1] = top
        frames.groups[d + 1] = groups
        frames.next_group[d], frames.last_group[d] = first_group, groups
        frames.value[d] = frames.own[d] = value
        self.done[0] += ended * frames.share[d]
        return DONE

    def _move(self, source: int, mover: int, action: int, tail: int) -> int:
        """Write to the item ``tail`` what the item ``source`` becomes by a move. Returns who is to
        move then.
        """
        game, items, observations = self.game, self.items, self.room.observations
        size, players = game.state_size, game.num_players
        child = view(items.states, tail * size, size)
        copy_into(child, view(items.states, source * size, size))
        for observer in range(players + 1):
            observations[observer] = 0
        if mover != ROOT:
            game.apply_action(child, action, observations)
        player = game.current_player(child)
        if player != TERMINAL:
            keys = view(items.keys, source * players, players)
            later = view(items.keys, tail * players, players)
            for observer in range(players):
                key = keys[observer]
                if key != _NONE:
                    own = action + 1 if observer == mover else 0
                    key = fold(key, own, observations[observer], observations[players])
                later[observer] = key
        return player

    def _file(self, source: int, item: int, weight: float, stamp: int, groups: int) -> int:
        """Copy an item at which the responder is to move from the end of the queue to ``item``, and
        add it to its group. Returns how many groups there are then.
        """
        items, lists, slots = self.items, self.groups, self.room.group_slots
        size, players = self.game.state_size, self.game.num_players
        states, keys = items.states, items.keys
        copy_into(view(states, item * size, size), view(states, source * size, size))
        copy_into(view(keys, item * players, players), view(keys, source * players, players))
        items.weights[item] = weight
        items.links[item] = NOBODY
        key = items.keys[item * players + self.responder]
        mask = np.uint64(slots.size // 2 - 1)
        slot = np.int64(key & mask)
        while slots[2 * slot] == stamp and lists.keys[slots[2 * slot + 1]] != key:
            slot = np.int64(np.uint64(slot + 1) & mask)
        if slots[2 * slot] == stamp:
            group = slots[2 * slot + 1]
            items.links[lists.tails[group]] = item
            lists.tails[group] = item
            lists.sizes[group] += 1
            lists.mass[group] += weight
            return groups
        slots[2 * slot] = stamp
        slots[2 * slot + 1] = groups
        lists.keys[groups] = key
        lists.heads[groups] = lists.tails[groups] = item
        lists.sizes[groups] = 1
        lists.mass[groups] = weight
        return groups + 1

    def _look_up(self, begin: int, end: int) -> None:
        """Look up the sets of the movers of queued items, and unite equal items."""
        items, room = self.items, self.room
        size, players = self.game.state_size, self.game.num_players
        for item in range(begin, end):  # on its own, so that many reads of memory overlap
            mover = items.movers[item]
            if mover >= 0:
                key = items.keys[item * players + mover]
                items.entries[item] = UNKNOWN if key == _NONE else self.policy.find(key)
        if self.drops:
            for item in range(begin, end):
                mover = items.movers[item]
                if mover >= 0 and items.entries[item] == UNKNOWN:
                    items.keys[item * players + mover] = _NONE
        self.at[STAMP] += 1
        mask = mask_for(end - begin)
        for item in range(begin, end):
            if self._may_be_equal(item):
                other = items.first_equal(item, size, players, room, self.at[STAMP], mask)
                if other != item:
                    items.weights[other] += items.weights[item]
                    items.weights[item] = 0.0

    def _unite(self, head: int, count: int) -> None:
        """Unite equal items of a list that begins with ``head``."""
        if count == 1:
            return
        items, room = self.items, self.room
        size, players = self.game.state_size, self.game.num_players
        self.at[STAMP] += 1
        mask = mask_for(count)
        before, item = head, head
        while item != NOBODY:
            other = (
                items.first_equal(item, size, players, room, self.at[STAMP], mask)
                if self._may_be_equal(item)
                else item
            )
            if other != item:
                items.weights[other] += items.weights[item]
                items.links[before] = items.links[item]
            else:
                before = item
            item = items.links[item]

    def _may_be_equal(self, item: int) -> bool:
        """Whether an item is worth comparing with others."""
        if self.merges:
            return True
        players = self.game.num_players
        dropped = False
        for observer in range(players):
            dropped |= self.items.keys[item * players + observer] == _NONE
        return dropped


@kernel_apart
def advance(walk: Walk) -> int:
    """`Walk.advance`, compiled."""
    return walk.advance()


# --- a walk with its memory ---

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
    policy: PolicyTable
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
            policy=task.policy,
            responder=task.responder,
            drops=task.drops,
            merges=task.merges,
            survey=task.survey,
            least=self._least,
            filling=self._given is not None,
            given=np.zeros(2) if self._given is None else self._given,
            first_queued=room,
            items=allocated(Items, 2 * room, states=size, keys=players),
            groups=allocated(Groups, groups),
            frames=allocated(Frames, depth, actions=game.max_actions),
            room=new_room(room, groups, size, players, most),
            at=np.zeros(NUM_AT, np.int64),
            done=np.zeros(1),
        )

    def _grow(self) -> None:
        """Make room for twice as much."""
        old = self._walk
        new = self._new(2 * old.first_queued, 2 * old.groups.heads.size)
        size, players = self._task.game.state_size, self._task.game.num_players
        for name, before in vars(old.items).items():
            width, after = {"states": size, "keys": players}.get(name, 1), getattr(new.items, name)
            first, there = width * old.first_queued, width * new.first_queued
            after[:first] = before[:first]
            after[there : there + width] = before[first : first + width]  # the root may lie there
        for name, values in vars(old.groups).items():
            getattr(new.groups, name)[: values.size] = values
        self._walk = replace(new, frames=old.frames, at=old.at, done=old.done)
