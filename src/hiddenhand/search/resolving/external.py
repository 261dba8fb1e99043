"""Continual resolving by external sampling: all actions of one player, one move of everybody else.

It needs no exploration and no baseline. Of a whole game it finds a better strategy in the same time
than the outcome sampling of `mccr` does; of the small games of a match it does so in some games.

Lanctot, Waugh, Zinkevich and Bowling (2009), "Monte Carlo sampling for regret minimization in
extensive games": a traversal for update player i follows all actions of i, and draws one move of
everybody else. What i explores needs no correction then, so regrets vary far less than those of
outcome sampling, for a traversal that takes longer. Letters as in `mccr`.

A traversal draws a history h of the frontier and goes through the game below it, depth first. All
that it meets is sampled with the same probability, but for factors that cancel out, so one weight

w = pi_{-i}(h) / l(h)

holds for all of it: for the regrets of i, for the mean strategies of the other player, and for what
the opponent is paid from an entry into a next public state on. The last is collected while the
opponent is i, and its average is that of Eq. 5.

Every set that is met is added to memory. Where there is no room for it, its actions are drawn
uniformly. A traversal that has made `MOST_MOVES` moves draws the actions of i, too, by sigma. What
i is paid is right on average even then.

In the traversal a *frame* stands for a set of i whose actions are being followed, and for all that
was drawn since the frame before. Dimensions: D frames, A actions, P players.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.algorithm import Algorithm
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.jit.arrays import Flags, Floats, Integers, Keys
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.history_step import advance, draw_outcome
from hiddenhand.jit.infoset_table import MISSING, InformationSetTable, new_table, num_sets
from hiddenhand.jit.observation_keys import Key
from hiddenhand.jit.random import RandomState, below, new_state
from hiddenhand.jit.sampling import match_regrets, sample
from hiddenhand.jit.views import copy_row, view
from hiddenhand.parameters import Configured
from hiddenhand.search.belief.public_states import next_history
from hiddenhand.search.resolving.continual import ContinualResolving, ResolvingParameters
from hiddenhand.search.resolving.gadget_sampling import Root
from hiddenhand.search.resolving.gadgets import Gadget
from hiddenhand.search.resolving.history_values import (
    DENOMINATOR,
    NUMERATOR,
    PLAIN,
    VISITS,
    new_values,
)
from hiddenhand.search.resolving.sampler import Sampler
from hiddenhand.search.resolving.trembles import TREMBLE, error_of, verify_tremble
from hiddenhand.search.table_search import DEFAULT_MEMORY, verify_memory
from hiddenhand.search.traversal import (
    ADDED,
    ITERATIONS,
    MOVES,
    NUM_COUNTERS,
    REFUSED,
    begin_trail,
    note_move,
)

MOST_MOVES: Final = 50_000
"""Moves of a traversal after which it follows no more actions: some milliseconds."""
MOVES_AN_ITERATION: Final = 16
"""As many as two plays of a small game have, which an iteration of outcome sampling makes. What a
traversal makes more counts for the iterations that follow, so that equal numbers of iterations take
equal time.
"""
ROWS: Final = 4096
"""Rows of a table that there is room for when an iteration begins. One that meets more sets draws
actions in those that it has no room for.
"""


@dataclass(frozen=True)
class Frames(Compiled):
    """Where a traversal is, and all that is still to be done there. The arrays are made once.

    state: ``int64[D, state_size]``, the present history of each frame.
    keys: ``uint64[D, P + 1]``, of each player and of the public in it.
    history: ``uint64[D]``, its own key.
    row: ``int64[D]``, where the row of the set begins in the table.
    num_actions: ``int64[D]``, how many actions there are.
    next: ``int64[D]``, which of them is next.
    actions: ``int64[D, A]``, the actions.
    sigma: ``float64[D, A]``, the present strategy.
    worth: ``float64[D, A]``, what player i is paid after those that were followed.
    made: ``int64[D]``, in how many public states the resolver has moved.
    moved_here: ``bool[D]``, whether in the present one.
    entries: ``int64[D]``, how many entries were noted before the frame.
    length: ``int64[D]``, how many moves led to the present history.
    entry_row: ``int64[E]``, where the rows of values of the entries begin that wait for a value.
    trail: ``int64[2 + M]``, see `Trajectory`.
    observations: ``int64[P + 1]``, room for rules to write tokens into.
    drawn, probabilities: ``int64[B]`` and ``float64[B]``, room for moves that are drawn.
    """

    state: Integers
    keys: Keys
    history: Keys
    row: Integers
    num_actions: Integers
    next: Integers
    actions: Integers
    sigma: Floats
    worth: Floats
    made: Integers
    moved_here: Flags
    entries: Integers
    length: Integers
    entry_row: Integers
    trail: Integers
    observations: Integers
    drawn: Integers
    probabilities: Floats


def frames_of(game: Game) -> Frames:
    """Room for the traversals of a gadget of ``game``."""
    depths, observers = game.max_depth + 2, game.num_players + 1
    room = max(game.max_actions, game.max_chance_outcomes, 1)
    numbers = ("row", "num_actions", "next", "made", "entries", "length", "entry_row")
    return Frames(
        state=np.zeros((depths, game.state_size), np.int64),
        keys=np.zeros((depths, observers), np.uint64),
        history=np.zeros(depths, np.uint64),
        **{name: np.zeros(depths, np.int64) for name in numbers},
        actions=np.zeros((depths, max(game.max_actions, 1)), np.int64),
        sigma=np.zeros((depths, max(game.max_actions, 1))),
        worth=np.zeros((depths, max(game.max_actions, 1))),
        moved_here=np.zeros(depths, np.bool_),
        trail=np.zeros(2 + game.max_depth, np.int64),
        observations=np.zeros(observers, np.int64),
        drawn=np.zeros(room, np.int64),
        probabilities=np.zeros(room),
    )


@dataclass(frozen=True)
class ExternalSampling(Compiled):
    """External sampling in a gadget game.

    game: the rules.
    table: r_I and s_I of each information set.
    values: rows of values, see `values`.
    frames: where the traversal is.
    root: the gadget, and how its histories are sampled.
    moves: in how many public states the resolver moves before values are collected.
    tremble: how much the other player trembles, see `trembles`.
    rng: the state of the generator of random numbers.
    counters: ``int64[NUM_COUNTERS]``, see `traversal`: of this gadget.
    """

    game: Any
    table: InformationSetTable
    values: InformationSetTable
    frames: Frames
    root: Root
    moves: int
    tremble: float
    rng: RandomState
    counters: Integers

    def has_room(self) -> bool:
        """Whether there is room for what the next iteration may add."""
        return self.table.is_ready() and self.values.is_ready()

    def iterate(self) -> None:
        """Traversals for each update player, until as many moves are made as are due by now. In a
        game that ends at once, none are.
        """
        made, due = -1, MOVES_AN_ITERATION * (self.counters[ITERATIONS] + 1)
        while made < self.counters[MOVES] < due:
            made = self.counters[MOVES]
            for i in range(2):
                self.traverse(i)

    def traverse(self, i: int) -> None:
        """One traversal for update player ``i``."""
        root, gadget, frames = self.root, self.root.gadget, self.frames
        h = root.draw(self.rng)
        f = root.follows(gadget.set[h])
        entered = f
        if gadget.may_terminate[gadget.set[h]]:
            e = self.error()
            entered = 0.5 * e + (1.0 - e) * f
        others = entered * gadget.reach[h, 1] if i == gadget.resolver else gadget.reach[h, 0]
        copy_row(gadget.state, h, frames.state[0])
        copy_row(gadget.keys, h, frames.keys[0])
        frames.history[0] = gadget.history[h]
        frames.made[0], frames.moved_here[0] = 0, False
        frames.entries[0] = 0
        begin_trail(frames.trail, h)
        paid = self.explore(i, others * gadget.reach[h, 2] / root.sampled[h])
        if gadget.may_terminate[gadget.set[h]]:
            self.learn_at_gadget(h, f, -paid if i == gadget.resolver else paid)

    def error(self) -> float:
        """e of `trembles`."""
        return error_of(self.tremble, self.counters[ITERATIONS])

    def explore(self, i: int, weight: float) -> float:
        """Go through the game below the history in the first frame. Returns what it pays player
        ``i``, as this traversal estimates it.

        weight: w.
        """
        frames = self.frames
        d, entries, action = 0, 0, -1
        last = self.counters[MOVES] + MOST_MOVES
        while True:
            follows = self.counters[MOVES] < last
            ended, paid, entries = self.descend(d, i, action, weight, entries, follows)
            while ended:
                entries = self.settle(d, i, entries, weight, paid)
                if d == 0:
                    return paid
                d -= 1
                frames.worth[d, frames.next[d] - 1] = paid
                if frames.next[d] < frames.num_actions[d]:
                    break
                paid = self.learn(d, weight)
            action = frames.actions[d, frames.next[d]]
            self.open_frame(d, entries)
            d += 1

    def open_frame(self, d: int, entries: int) -> None:
        """Begin the frame after frame ``d``, for its next action."""
        frames = self.frames
        copy_row(frames.state, d, frames.state[d + 1])
        copy_row(frames.keys, d, frames.keys[d + 1])
        frames.history[d + 1] = next_history(frames.history[d], frames.next[d])
        frames.made[d + 1], frames.moved_here[d + 1] = frames.made[d], frames.moved_here[d]
        frames.entries[d + 1] = entries
        frames.next[d] += 1
        frames.trail[0] = frames.length[d]

    def descend(
        self, d: int, i: int, action: int, weight: float, entries: int, follows: bool
    ) -> tuple[bool, float, int]:
        """Let player ``i`` take ``action`` in frame ``d``, if it is not negative, and draw what the
        others do, until ``i`` has to move again. Returns whether the game ended instead, what it
        paid player ``i``, and how many entries wait for a value.

        follows: whether there is time to follow the actions of ``i``; else they are drawn, too.
        """
        game, frames = self.game, self.frames
        resolver, public = self.root.gadget.resolver, frames.keys.shape[1] - 1
        state, keys = frames.state[d], frames.keys[d]
        player, entered = i, action < 0
        while True:
            if action >= 0:
                noticed = keys[public]
                self.counters[MOVES] += 1
                note_move(game, frames.trail, action)
                advance(game, state, player, action, keys, frames.observations)
                if keys[public] != noticed:
                    entered, frames.moved_here[d] = True, False
                    if self.root.begins_here and frames.made[d] == 0:
                        frames.made[d] = 1
            player = game.current_player(state)
            if player == TERMINAL:
                return True, game.returns(state, i), entries
            if entered and frames.made[d] == self.moves and i != resolver:
                entries = self.note_entry(frames.history[d], entries)
            entered = False
            if player == resolver and not frames.moved_here[d]:
                frames.made[d] += 1
                frames.moved_here[d] = True
            if player == CHANCE:
                action, a, _ = draw_outcome(
                    game, state, frames.drawn, frames.probabilities, self.rng
                )
            else:
                moves = frames.actions[d] if player == i else frames.drawn
                n = game.legal_actions(state, player, moves)
                row = self.find_or_add(game.information(state, player, keys[player]), n)
                if row == MISSING:
                    a = below(self.rng, n)
                elif player == i and follows:
                    match_regrets(self.table.values, row, n, 0.0, frames.sigma[d])
                    frames.row[d], frames.num_actions[d], frames.next[d] = row, n, 0
                    frames.length[d] = frames.trail[0]
                    return False, 0.0, entries
                else:
                    a = self.draw_action(row, n, 0.0 if player == i else weight)
                action = moves[a]
            frames.history[d] = next_history(frames.history[d], a)

    def find_or_add(self, key: Key, n: int) -> int:
        """The row of an information set of ``n`` actions; MISSING if there is no room for it."""
        row = self.table.find(key)
        if row != MISSING:
            return row
        if not self.table.has_room(1, n):
            self.counters[REFUSED] += 1
            return MISSING
        self.counters[ADDED] += 1
        return self.table.add(key, n)

    def draw_action(self, row: int, n: int, weight: float) -> int:
        """Draw an action by sigma with trembles, and add sigma, times ``weight``, to the mean
        strategy.
        """
        sigma = self.frames.probabilities
        e = self.error()
        match_regrets(self.table.values, row, n, e, sigma)
        total = view(self.table.values, row + n, n)
        for b in range(n):
            total[b] += weight * (sigma[b] - e / n)
        return sample(self.rng, sigma, n)

    def learn(self, d: int, weight: float) -> float:
        """Update the regrets in frame ``d``, all of whose actions were followed. Returns what its
        set pays.
        """
        frames = self.frames
        n, sigma, worth = frames.num_actions[d], frames.sigma[d], frames.worth[d]
        mean = 0.0
        for b in range(n):
            mean += sigma[b] * worth[b]
        regret = view(self.table.values, frames.row[d], n)
        for b in range(n):
            regret[b] += weight * (worth[b] - mean)
        return mean

    def note_entry(self, history: Key, entries: int) -> int:
        """Note that the traversal is in a history that enters a public state. Returns the number of
        entries.
        """
        row = self.values.find(history)
        if row == MISSING:
            if not self.values.has_room(1, 1):
                return entries
            row = self.values.add(history, 1)
        self.frames.entry_row[entries] = row
        return entries + 1

    def settle(self, d: int, i: int, entries: int, weight: float, paid: float) -> int:
        """Add what the opponent is paid to the sums of the entries of frame ``d``. Returns how many
        other entries there are.
        """
        values = self.values.values
        for e in range(self.frames.entries[d], entries):
            row = self.frames.entry_row[e]
            values[row + NUMERATOR] += weight * paid
            values[row + DENOMINATOR] += weight
            values[row + PLAIN] += paid
            values[row + VISITS] += 1.0
        return self.frames.entries[d]

    def learn_at_gadget(self, h: int, f: float, paid: float) -> None:
        """Update the opponent's regrets at the gadget, where both actions are evaluated.

        h: the number of the history that was drawn.
        f: the probability of following.
        paid: what the opponent is paid from ``h`` on, as this traversal estimates it.
        """
        gadget, regret = self.root.gadget, self.root.regret
        of = gadget.set[h]
        weight = gadget.reach[h, 0] * gadget.reach[h, 2] / self.root.sampled[h]
        follow, terminate = weight * paid, weight * gadget.payoff[of]
        mean = f * follow + (1.0 - f) * terminate
        regret[of, 0] += follow - mean
        regret[of, 1] += terminate - mean


_FOCUS: Final = 0.5
"""The share of traversals that begin in the resolver's own information set: they improve the very
move that is due.
"""


@dataclass(frozen=True, kw_only=True)
class ExternalMCCRParameters(ResolvingParameters):
    """The parameters of `ExternalMCCR`.

    tremble: in iteration t, the player who is not updated acts uniformly at random with probability
        tremble / sqrt(t), at most 1/2, so that the search also learns positions that a good
        opponent avoids.
    memory: bytes that the tables may take, also while they grow.
    """

    tremble: float = TREMBLE
    memory: int = DEFAULT_MEMORY


@Algorithm(
    name="mccr-external",
    paper="Šustr, Kovařík and Lisý (2019), Monte Carlo continual resolving for online strategy "
    "computation in imperfect information games; its sampling: Lanctot, Waugh, Zinkevich and "
    "Bowling (2009), Monte Carlo sampling for regret minimization in extensive games",
    summary="Monte Carlo Continual Resolving whose small games are solved by external sampling: "
    "all actions of one player, one action of the other player and of chance.",
    games="zero-sum games of two players",
    guarantee="the exploitability of what is played in a match falls as iterations grow",
    needs_public=True,
)
class ExternalMCCR(ContinualResolving, Configured):
    """Continual resolving by external sampling for a two-player zero-sum game; simultaneous moves
    are made in turns.

    Equal seeds and equal numbers of iterations give equal results. An iteration is as many
    traversals as make 16 moves, as two plays of a small game do; a traversal that makes more
    counts for the iterations that follow.
    """

    PARAMETERS = ExternalMCCRParameters

    settings: ExternalMCCRParameters

    def _set_up(self, game: Game | str) -> None:
        given = self.settings
        resolver = ExternalResolver(given.memory, given.tremble)
        super().__init__(game, resolver, floor=given.floor, cap=given.cap, seed=given.seed)


class ExternalResolver(Sampler):
    """External sampling in gadget games, each from scratch.

    memory, tremble: see `ExternalMCCRParameters`.
    """

    _rng: RandomState

    def __init__(self, memory: int = DEFAULT_MEMORY, tremble: float = TREMBLE) -> None:
        self.memory = verify_memory(memory)
        self.tremble = verify_tremble(tremble)

    def start(self, game: Game, seed: int) -> None:
        self._game = game
        self._seed = seed
        self._frames = frames_of(game)
        self._iterations = 0  # in gadget games before the present one
        self._begun = False
        self._empty(0)

    def begin(self, gadget: Gadget, public_key: int, moves: int) -> None:
        if self._goes_on(gadget):
            # with a copy of what was found before play, which forks share
            self._rng, self._counters, self.table = copy.deepcopy(
                (self._rng, self._counters, self.table)
            )
            self._values = new_values(rows=ROWS)
        else:
            self._iterations += int(self._counters[ITERATIONS])
            self._empty(public_key)
        self._begin_at(gadget, public_key, moves, keeps=False, focus=_FOCUS, corrected=True)

    def thought(self) -> Mapping[str, float]:
        """Figures by name: the iterations in all, and of how many histories that may come next
        something is known.
        """
        return {
            "iterations": self._iterations + int(self._counters[ITERATIONS]),
            "values": num_sets(self._values),
        }

    @property
    def _trail(self) -> Integers:
        return self._frames.trail

    def _empty(self, public_key: int) -> None:
        """Nothing is known of the present gadget game, that of a public state. Its random numbers
        are its own, so that the result there does not depend on earlier searches.
        """
        self._rng = new_state(np.random.SeedSequence((self._seed, public_key)))
        self._counters = np.zeros(NUM_COUNTERS, np.int64)
        self.table = new_table(per_action=2, rows=ROWS, row_actions=self._game.max_actions)
        self._values = new_values(rows=ROWS)

    def _traversal(self) -> ExternalSampling:
        return ExternalSampling(
            game=self._game,
            table=self.table,
            values=self._values,
            frames=self._frames,
            root=self._root,
            moves=self._moves,
            tremble=self.tremble,
            rng=self._rng,
            counters=self._counters,
        )
