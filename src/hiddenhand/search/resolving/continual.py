"""Continual resolving: whatever game, a small safe game to solve at each move.

Sustr, Kovarik and Lisy (2019), Section 3.4, Algorithm 1, after Moravcik et al. (2017). The
searcher, the *resolver*, keeps

S     the public state that the match has come to
KPS   known public states: those in which the own strategy has been found, here the sets that a
      match has passed (`known`)
NPS   next public states: those in which it may have to move for the first time after S
D     for NPS the data to resolve there: own ranges, and what each history entering them is worth to
      the opponent

and solves a gadget game (see `gadgets`) whenever the match enters a public state that is not known.
The first solution, from the root and without a gadget, is made before play or, if there is no time,
at the first move. A second move inside a known public state is played as was found there.

Who solves is a `Resolver`. Here is the exact one: the gadget game is written out, any variant of
CFR solves it, and the opponent's values are those of a counterfactual best response. `mccr` has the
sampling one.

What the paper leaves open: ranges come from the strategies found on the way, the opponent's and the
own alike; uniform where none was found. Values that are missing are replaced as `gadgets` says.
Where the histories are too many to keep, the own information set comes first.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from hiddenhand.budget import Budget
from hiddenhand.compiled.arrays import Floats, Indices, Integers, Keys, Players
from hiddenhand.compiled.kernels import kernel
from hiddenhand.compiled.keys import Key
from hiddenhand.compiled.random import seed_sequence
from hiddenhand.compiled.table import (
    MISSING,
    InformationSetTable,
    new_table,
    num_bytes,
    num_sets,
    table_from_arrays,
)
from hiddenhand.errors import GameError, OptionError, TooLargeError
from hiddenhand.games.base import CHANCE, Game, verify_listed
from hiddenhand.games.checking.conformance import verify_rules
from hiddenhand.games.checking.kernel_errors import explaining
from hiddenhand.games.history import Event
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.belief.belief import Belief, moves_to
from hiddenhand.search.belief.public_states import (
    FIRST_HISTORY,
    Frontier,
    frontier,
    next_history,
    node_of,
    remember,
)
from hiddenhand.search.resolving.gadgets import (
    FOLLOW,
    GADGETS,
    Gadget,
    build_gadget,
    gadget_game,
    root_gadget,
)
from hiddenhand.trees.cfr import CFR, VARIANTS
from hiddenhand.trees.profile import (
    best_response,
    counterfactual_values,
    history_values,
    reach_probabilities,
)
from hiddenhand.trees.strategy import Weights, weights_from_table
from hiddenhand.trees.tree import GameTree, unroll

DEFAULT_HISTORIES: Final = 4096  # of a gadget: "at most some thousand"
DEFAULT_FLOOR: Final = 0.1


class Resolver(ABC):
    """Solves one gadget game after the other.

    table: what it found, with the strategies in the run ``COLUMN`` of a row.
    """

    COLUMN: int
    table: InformationSetTable

    @abstractmethod
    def start(self, game: Game, seed: int) -> None:
        """Forget everything; a match of ``game`` begins."""

    @abstractmethod
    def begin(self, gadget: Gadget, public_key: int, moves: int) -> None:
        """Turn to the gadget game of the public state with ``public_key``.

        moves: in how many public states the resolver decides before the values of those entered
        next are wanted: 1 if the present one is to be played in, 0 in a search from the root that
        only prepares. If the match is still at the root after that, the same gadget comes a second
        time: what was found goes on.
        """

    @abstractmethod
    def think(self, iterations: int | None, seconds: float | None, progress: Progress) -> None:
        """Solve on."""

    @abstractmethod
    def values(self, entered: Frontier) -> tuple[Floats, Floats]:
        """For the histories that enter a next public state ``float64[F]``: what the opponent is
        paid from there on (NaN: not known), and gifts.
        """

    @abstractmethod
    def thought(self) -> Mapping[str, float]:
        """What it took."""

    def broke_off(self) -> tuple[Key, list[int]]:
        """Where a rule of the game ended `think`: the key of the history that the last traversal
        began in, and the moves made since.
        """
        return np.uint64(0), []

    def fork(self) -> Self:
        """A resolver that knows the same and goes on by itself. What `begin` replaces may be
        shared.
        """
        return copy.copy(self)


class ContinualResolving:
    """Algorithm 1 over a `Resolver`, for two-player zero-sum games; simultaneous moves are made in
    turns.

    floor: of the gadgets' root distribution, None for the plain one. cap: how many histories a
    gadget keeps.
    """

    def __init__(
        self, game: Game, resolver: Resolver, *, floor: float | None, cap: int, seed: int
    ) -> None:
        self.game = _verified(as_sequential(game))
        verify_rules(self.game)
        if floor is not None and not floor > 0:
            raise OptionError(
                f"floor={floor} is not allowed; give a number above 0, or none for the plain root "
                "distribution"
            )
        self.floor = floor
        self.cap = cap
        self._resolver = resolver
        self.start(0, seed)

    def start(self, seat: int, seed: int) -> None:
        """Forget everything; a match begins, seen from ``seat``."""
        own_seed, public_seed = seed_sequence(seed).spawn(2)
        self.seat = seat
        self.seed = seed
        self.belief = Belief(self.game, seat, cap=max(self.cap // 2, 1), seed=own_seed)
        self._public = Belief(self.game, self.game.num_players, cap=self.cap, seed=public_seed)
        self.known = new_table(per_action=1)
        self.gadget: Gadget | None = None
        self.resolvings = 0
        self._state: int | None = None  # the public state of the last own move
        self._solved = self._again = False
        self._attentive = True  # to the own information set
        self._resolver.start(self.game, seed)

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """Move on to where the match is now; in a public state that is not known, to its gadget
        game. See `OnlineSearch.notice`.
        """
        share = None if seconds is None else seconds / 3  # for each belief, and for the gadget game
        for belief in (self.belief, self._public):
            with explaining(self.game, belief.way):
                belief.notice(events, share, iterations)
        with explaining(self.game):
            self._arrive()

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Solve on; before the first `notice`, from the root. Where the strategy is known already,
        nothing is done.
        """
        Budget(iterations, seconds)  # says what is wrong with it
        if self._again and self._row() != MISSING:
            return
        with explaining(self.game, self._way):
            if self.gadget is None:
                self._turn_to(root_gadget(self.game, self.seat), moves=0)
            self._resolver.think(iterations, seconds, progress)
        self._solved = True

    def policy(self, num_actions: int) -> Floats:
        """The strategy found for the present information set; uniform if there is none."""
        row, table = self._row(), self._resolver.table
        if row == MISSING:
            return np.full(num_actions, 1.0 / num_actions)
        mean = table.values[row + self._resolver.COLUMN * num_actions :][:num_actions]
        return (
            np.asarray(mean / mean.sum())
            if mean.sum() > 0
            else np.full(num_actions, 1.0 / num_actions)
        )

    def weights(self) -> Weights:
        """What the present solution says, for each information set in memory."""
        return weights_from_table(self._resolver.table, self._resolver.COLUMN)

    def thought(self) -> Mapping[str, float]:
        """What the resolver did, information sets and bytes in memory, histories in the gadget,
        resolvings, whether beliefs are samples, times that nothing was left of one.
        """
        return {
            **self._resolver.thought(),
            "information sets": num_sets(self._resolver.table),
            "bytes": num_bytes(self._resolver.table) + num_bytes(self.known),
            "gadget": self.gadget.size if self.gadget is not None else 0,
            "resolvings": self.resolvings,
            "sampled": float(self.belief.is_sample or self._public.is_sample),
            "recoveries": self.belief.recoveries + self._public.recoveries,
        }

    def branch(self, events: Sequence[Event]) -> Self:
        """A search that knows what this one does, in a match in which the player has noticed
        ``events`` since it began: what both have heard in public is the same, as far as this one
        goes. For measuring what would be played in all information sets, so none of them gets more
        attention.
        """
        other = copy.copy(self)
        other.belief = Belief(self.game, self.seat, cap=self.belief.cap, seed=self.seed)
        other._public, other.known = copy.deepcopy(self._public), copy.deepcopy(self.known)
        other._resolver = self._resolver.fork()
        other._attentive = False
        other.belief.notice(events)
        public = [event for event in events if event.public]
        other._public.notice(public[self._public.num_events :])
        other._arrive()
        return other

    def _way(self) -> list[int] | None:
        """The moves that the resolver's last traversal has made, from the beginning of the game."""
        began, moves = self._resolver.broke_off()
        for belief in (self.belief, self._public):
            if (node := node_of(belief, began)) is not None:
                return [*moves_to(self.game, belief.trie, node), *moves]
        return None

    def _arrive(self) -> None:
        """The player is to move: maybe again in the same public state."""
        self._again = self._solved and self._public.key == self._state
        if self._public.key != self._state:
            self._enter()
            self._state = self._public.key

    def _enter(self) -> None:
        """The public state is a new one."""
        if self.gadget is None:
            self._turn_to(root_gadget(self.game, self.seat), moves=1)
            return
        beliefs = [belief for belief in (self._public, self.belief) if belief.is_alive]
        if not beliefs:
            return  # nobody knows where we are: go on with what there is
        if self._solved:
            self.known = remember(beliefs, self._resolver.table, self._resolver.COLUMN, self.known)
        found = frontier(self.belief, self._public, self.known, 0)
        if found.size == 0:
            return  # the match is over: there is nothing left to resolve
        if found.size == 1 and found.history[0] == FIRST_HISTORY:
            self._turn_to(
                self.gadget, moves=1
            )  # nothing has happened: the game that was solved before play
            return
        if not self._attentive:
            found = replace(found, focus=np.zeros(found.size, np.bool_))
        values, gifts = self._resolver.values(found)
        self._turn_to(build_gadget(self.game, found, self.seat, values, gifts, self.floor), moves=1)
        self.resolvings += 1

    def _turn_to(self, gadget: Gadget, moves: int) -> None:
        self.gadget = gadget
        self._solved = False
        self._resolver.begin(gadget, self._public.key, moves)

    def _row(self) -> int:
        """Where the present information set is in the resolver's table."""
        return int(find_row(self._resolver.table, np.uint64(self.belief.information_key)))


class CR(ContinualResolving):
    """Continual resolving with an exact resolver, for games that can be written out.

    resolver: the variant of CFR, see `cfr.VARIANTS`; gadget: "resolving", "max_margin" or "reach";
    floor, cap: see `ContinualResolving`.
    """

    def __init__(
        self,
        game: Game,
        *,
        resolver: str = "cfr+",
        gadget: str = "resolving",
        floor: float | None = None,
        cap: int = DEFAULT_HISTORIES,
        seed: int = 0,
    ) -> None:
        super().__init__(game, ExactResolver(resolver, gadget), floor=floor, cap=cap, seed=seed)


class ExactResolver(Resolver):
    """Writes the gadget game out and runs a variant of CFR on it. An iteration is one of CFR."""

    COLUMN = 0

    _gadget: Gadget

    def __init__(self, variant: str = "cfr+", gadget: str = "resolving") -> None:
        if variant not in VARIANTS:
            raise OptionError(
                f"there is no resolver {variant!r}; choose one of: {', '.join(VARIANTS)}"
            )
        if gadget not in GADGETS:
            raise OptionError(f"there is no gadget {gadget!r}; choose one of: {', '.join(GADGETS)}")
        self.variant = variant
        self.kind = gadget

    def start(self, game: Game, seed: int) -> None:
        """See `Resolver.start`. Nothing here is drawn at random."""
        verify_listed(game)
        self._game = game
        self.table = new_table(per_action=1)
        self._iterations = 0
        self._run: CFR | None = None

    def begin(self, gadget: Gadget, public_key: int, moves: int) -> None:
        """See `Resolver.begin`; it knows all values whatever ``moves`` is."""
        if (
            self._run is not None and gadget is self._gadget
        ):  # go on, and leave what there is to others who go on with it
            self._run = copy.deepcopy(self._run, {id(self._run.tree): self._run.tree})
            return
        self._gadget = gadget
        self._run = None
        self.table = new_table(per_action=1)
        self._named: tuple[Keys, Floats, Floats] = (
            np.zeros(0, np.uint64),
            np.zeros(0),
            np.zeros(0),
        )

    def think(self, iterations: int | None, seconds: float | None, progress: Progress) -> None:
        """See `Resolver.think`."""
        if self._run is None:
            self._run = CFR(self._written_out(), self.variant)
        before = self._run.iterations
        self._run.run(iterations, seconds=seconds, progress=progress)
        self._iterations += self._run.iterations - before
        self._take_down(self._run)

    def values(self, entered: Frontier) -> tuple[Floats, Floats]:
        """See `Resolver.values`."""
        names, values, gifts = self._named
        history = entered.history
        if not names.size:
            return np.full(history.size, np.nan), np.zeros(history.size)
        place = np.minimum(np.searchsorted(names, history), names.size - 1)
        found = names[place] == history
        return np.where(found, values[place], np.nan), np.where(found, gifts[place], 0.0)

    def thought(self) -> Mapping[str, float]:
        """Iterations of CFR in all, and histories in the present gadget game."""
        return {
            "iterations": self._iterations,
            "histories": self._run.tree.num_histories if self._run is not None else 0,
        }

    def _written_out(self) -> GameTree:
        try:
            return unroll(gadget_game(self._game, self._gadget, self.kind), verified=True)
        except TooLargeError as error:
            raise TooLargeError(
                f"{self._game} cannot be resolved exactly: from here on it is too large to be "
                "written out; resolve it by sampling, with mccr"
            ) from error

    def _take_down(self, run: CFR) -> None:
        """The strategy by information sets, and what each history is worth to an opponent who
        answers it as well as possible.
        """
        tree, opponent = run.tree, 1 - self._gadget.resolver
        profile = run.average_profile()
        self.table = _table_of(tree, profile)
        response = best_response(tree, profile, opponent).profile
        worth = history_values(tree, response)[:, opponent]
        gifts = (
            _gifts(tree, response, opponent)
            if self.kind == "reach"
            else np.zeros(tree.num_histories)
        )
        names, drawn = (
            np.zeros(tree.num_histories, np.uint64),
            np.zeros(tree.num_histories, np.int32),
        )
        drawn_after = 1 if self.kind == "max_margin" else 0
        move = (
            np.arange(tree.num_histories) - tree.first_child[tree.parent]
        )  # the number of the move that led there
        if self._game.draws_chance:  # then outcomes are known by themselves
            move = np.where(tree.player[tree.parent] == CHANCE, tree.action, move)
        _name_histories(tree.parent, move, tree.action, self._gadget, drawn_after, names, drawn)
        if self.kind == "max_margin":  # put back what is taken off there
            worth = worth + self._gadget.payoff[self._gadget.set[drawn]]
        order = np.argsort(names)
        order = order[names[order] != 0]
        self._named = names[order], worth[order], gifts[order]


def _verified(game: Game) -> Game:
    if game.num_players != 2 or not game.zero_sum:
        raise GameError(
            f"resolving is for two players and zero-sum games; {game} has {game.num_players} "
            f"players{'' if game.zero_sum else ', not zero-sum'}"
        )
    return game


def _table_of(tree: GameTree, profile: Floats) -> InformationSetTable:
    """A profile as a table with one run a row."""
    starts = tree.set_start.astype(np.int64) - tree.num_players
    layout = np.array([1, 0])
    arrays: dict[str, npt.NDArray[Any]] = {
        "keys": tree.set_key,
        "starts": starts,
        "values": profile[tree.num_players :],
        "layout": layout,
    }
    return table_from_arrays(arrays)


def _gifts(tree: GameTree, response: Floats, opponent: int) -> Floats:
    """``float64[H]``: what ``opponent`` gave away on the way to each history, by not playing the
    best response.

    At each own set, the value of the best action less that of the one taken, divided by the others'
    part in reaching the set: how much more the opponent could have had there, in payoffs.
    """
    values = counterfactual_values(tree, response, opponent)
    reach = reach_probabilities(tree, response)
    deciding = np.flatnonzero(tree.player == opponent)
    others = np.bincount(
        tree.information_set[deciding],
        (reach[:, 1 - opponent] * reach[:, -1])[deciding],
        tree.num_sets,
    )
    lost = np.zeros(tree.num_sequences)
    for number in tree.sets_of(opponent):
        own = slice(tree.set_start[number], tree.set_start[number + 1])
        if others[number] > 0:
            lost[own] = (values[own].max() - values[own]) / others[number]
        lost[own] += lost[tree.set_parent[number]]
    gifts = np.zeros(tree.num_histories)
    _pass_down(
        tree.player,
        tree.parent,
        tree.first_child,
        tree.information_set,
        tree.set_start,
        opponent,
        lost,
        gifts,
    )
    return gifts


# --- kernels ---


@kernel
def find_row(table: InformationSetTable, key: np.uint64) -> int:
    """The row of a key, or MISSING."""
    return table.find(key)


@kernel
def _name_histories(
    parent: Indices,
    move: Integers,
    action: Indices,
    gadget: Gadget,
    drawn_after: int,
    names: Keys,
    drawn: Indices,
) -> None:
    """Write the key of each history of a written-out gadget game as a history of the game, and
    which of the frontier was drawn; 0 where there is none.

    ``move``: what keys call the move that led there; ``drawn_after``: moves before chance's.
    """
    level = np.zeros(parent.size, np.int8)  # 0, 1 above the draw; 2 drawn, to choose; 3 in the game
    for node in range(1, parent.size):
        before = parent[node]
        if level[before] == 3:
            level[node] = 3
            names[node], drawn[node] = next_history(names[before], move[node]), drawn[before]
        elif level[before] == 2:
            if move[node] == FOLLOW:
                level[node] = 3
                names[node], drawn[node] = gadget.history[action[before]], action[before]
        elif level[before] == drawn_after:
            if drawn_after == 0 and gadget.may_terminate[gadget.set[action[node]]]:
                level[node] = 2
            else:
                level[node] = 3
                names[node], drawn[node] = gadget.history[action[node]], action[node]
        else:
            level[node] = 1


@kernel
def _pass_down(
    player: Players,
    parent: Indices,
    first_child: Indices,
    information_set: Indices,
    set_start: Indices,
    opponent: int,
    lost: Floats,
    gifts: Floats,
) -> None:
    """Write for each history the entry of ``lost`` for the opponent's last sequence."""
    for node in range(1, parent.size):
        before = parent[node]
        if player[before] == opponent:
            gifts[node] = lost[set_start[information_set[before]] + node - first_child[before]]
        else:
            gifts[node] = gifts[before]
