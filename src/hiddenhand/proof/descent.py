"""One walk through a whole game, over the information sets of one player, depth first.

The player is called the responder. What the others do is a fixed strategy, the `Book`. At each
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

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.compiled.arrays import Floats, Integers
from hiddenhand.compiled.bridge import Compiled
from hiddenhand.compiled.kernels import kernel_apart
from hiddenhand.compiled.keys import fold
from hiddenhand.compiled.views import copy_into, view
from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.games.guards import BrokenRule
from hiddenhand.proof.book import UNKNOWN, Book
from hiddenhand.proof.lists import NOBODY, Frames, Groups, Items, Room, mask_for

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

    book: the strategy of all players.
    responder: a player.
    drops: whether keys that matter no more are dropped.
    merges: whether items are compared even if no key of them is dropped; that is of use where
        chance hides something from all players.
    survey: whether the walk goes on only below those sets of the responder that the book knows.
    least: groups whose share of all probability is not above this are handed over.
    filling: whether values of groups that were handed over are known, and are in ``given``.
    given: ``float64[2 T]``, for each such group its value under a best response and under the
        responder's own strategy.
    at: ``int64[NUM_AT]``, where the walk is.
    done: ``float64[1]``, the share of all probability in the ends of the game that were met.
    """

    game: Any
    book: Book
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
        return self.book.probability(frames.entries[d], frames.keys[d], frames.num_actions[d], a)

    def _close(self, d: int, a: int) -> None:
        """Take note of what an action is worth."""
        frames = self.frames
        value = frames.value[d]
        if a == 0 or value > frames.best[d]:
            frames.best[d] = value
        frames.mean[d] += self._played(d, a) * frames.own[d]
        frames.own[d] = 0.0  # if there is no room for the next batch, this happens again

    def _enter(self, d: int, group: int) -> bool:
        """Make a group the next frame. Returns whether the book knows as many actions as it has."""
        frames, at, game = self.frames, self.at, self.game
        frames.next_group[d] = group + 1
        key, head = self.groups.keys[group], self.groups.heads[group]
        follows_unknown = self.drops and d > 0 and frames.entries[d] == UNKNOWN
        entry = UNKNOWN if follows_unknown else self.book.find(key)
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
        return self.book.fits(entry, n)

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
                if not self.book.fits(entry, last):
                    return WRONG_ACTIONS
            for move in range(first, last):
                p = 1.0
                if mover == CHANCE:
                    p = room.probabilities[move]
                elif not listed and mover != ROOT:
                    key = items.keys[source * players + mover]
                    p = self.book.probability(entry, key, last, move)
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
        """Find the sets of the movers of queued items in the book, and unite equal items."""
        items, room = self.items, self.room
        size, players = self.game.state_size, self.game.num_players
        for item in range(begin, end):  # on its own, so that many reads of memory overlap
            mover = items.movers[item]
            if mover >= 0:
                key = items.keys[item * players + mover]
                items.entries[item] = UNKNOWN if key == _NONE else self.book.find(key)
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
