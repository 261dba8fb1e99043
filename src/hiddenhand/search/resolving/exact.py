"""Continual resolving with an exact resolver: the gadget game is written out, any variant of CFR
solves it, and the opponent's values are those of a counterfactual best response.

Dimensions: H histories of the gadget game written out, S sequences, F histories of a frontier.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hiddenhand.compiled.arrays import Floats, Indices, Integers, Keys
from hiddenhand.compiled.bridge import Compiled
from hiddenhand.compiled.kernels import kernel
from hiddenhand.compiled.table import InformationSetTable, new_table, table_from_arrays
from hiddenhand.errors import OptionError, TooLargeError
from hiddenhand.games.base import CHANCE, Game, verify_listed
from hiddenhand.progress import Progress
from hiddenhand.search.belief.public_states import Frontier, next_history
from hiddenhand.search.resolving.continual import DEFAULT_HISTORIES, ContinualResolving, Resolver
from hiddenhand.search.resolving.gadgets import FOLLOW, GADGETS, Gadget, gadget_game
from hiddenhand.trees.cfr import CFR
from hiddenhand.trees.profile import (
    best_response,
    counterfactual_values,
    history_values,
    reach_probabilities,
)
from hiddenhand.trees.tree import GameTree, Histories
from hiddenhand.trees.unroll import unroll
from hiddenhand.trees.variants import VARIANTS


class CR(ContinualResolving):
    """Continual resolving with an exact resolver, for games that can be written out.

    resolver: the variant of CFR, one of `VARIANTS`.
    gadget: "resolving", "max_margin" or "reach".
    floor, cap: see `ContinualResolving`.
    """

    def __init__(
        self,
        game: Game,
        *,
        resolver: str = "pdcfr+",
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

    def __init__(self, variant: str = "pdcfr+", gadget: str = "resolving") -> None:
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
        if self._run is not None and gadget is self._gadget:
            # go on with a copy, and leave the run itself to forks that go on with it
            self._run = copy.deepcopy(self._run, {id(self._run.tree): self._run.tree})
            return
        self._gadget = gadget
        self._run = None
        self.table = new_table(per_action=1)
        none = np.zeros(0)
        self._named: tuple[Keys, Floats, Floats] = np.zeros(0, np.uint64), none, none

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
        gifts = np.zeros(tree.num_histories)
        if self.kind == "reach":
            gifts = _gifts(tree, response, opponent)
        names, drawn = name_histories(tree, self._gadget, self.kind, self._game.draws_chance)
        if self.kind == "max_margin":  # put back what is taken off there
            worth = worth + self._gadget.payoff[self._gadget.set[drawn]]
        order = np.argsort(names)
        order = order[names[order] != 0]
        self._named = names[order], worth[order], gifts[order]


def name_histories(
    tree: GameTree, gadget: Gadget, kind: str, draws_chance: bool
) -> tuple[Keys, Indices]:
    """What the histories of a gadget game written out are in the game that is played.

    kind: of the gadget game.
    draws_chance: whether the game draws its chance.

    Returns ``uint64[H]``, the key of each as a history of the game, 0 where it is none; and
    ``int32[H]``, which history of the frontier it begins with.
    """
    names = np.zeros(tree.num_histories, np.uint64)
    drawn = np.zeros(tree.num_histories, np.int32)
    move = np.arange(tree.num_histories) - tree.first_child[tree.parent]
    if draws_chance:  # then outcomes are known by themselves
        move = np.where(tree.player[tree.parent] == CHANCE, tree.action, move)
    drawn_after = 1 if kind == "max_margin" else 0
    _name_histories(_Named(tree.parent, move, tree.action, names, drawn), gadget, drawn_after)
    return names, drawn


def _table_of(tree: GameTree, profile: Floats) -> InformationSetTable:
    """A profile as a table with one run a row."""
    arrays: dict[str, npt.NDArray[Any]] = {
        "keys": tree.set_key,
        "starts": tree.set_start.astype(np.int64) - tree.num_players,
        "values": profile[tree.num_players :],
        "layout": np.array([1, 0]),
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
    _pass_down(tree.histories, opponent, lost, gifts)
    return gifts


# --- kernels ---


@dataclass(frozen=True)
class _Named(Compiled):
    """The histories of a gadget game written out, and what they are in the game.

    parent: ``int32[H]``, the history before.
    move: ``int64[H]``, what keys of histories call the move that leads here from the parent.
    action: ``int32[H]``, that move.
    names: ``uint64[H]``, to be written: the key of the history as a history of the game; 0 where it
        is none.
    drawn: ``int32[H]``, to be written: which history of the frontier it begins with.
    """

    parent: Indices
    move: Integers
    action: Indices
    names: Keys
    drawn: Indices


# how far a history of a gadget game has come: before the draw, drawn with a choice to follow or
# not, or in the game; before the draw, 0 or 1 is the number of moves made
_TO_CHOOSE, _IN_GAME = 2, 3


@kernel
def _name_histories(tree: _Named, gadget: Gadget, drawn_after: int) -> None:
    """Write ``names`` and ``drawn``. ``drawn_after``: the moves before a history is drawn."""
    parent, move, action, names, drawn = tree.parent, tree.move, tree.action, tree.names, tree.drawn
    stage = np.zeros(parent.size, np.int8)
    for node in range(1, parent.size):
        before = parent[node]
        if stage[before] == _IN_GAME:
            stage[node] = _IN_GAME
            names[node], drawn[node] = next_history(names[before], move[node]), drawn[before]
        elif stage[before] == _TO_CHOOSE:
            if move[node] == FOLLOW:
                stage[node] = _IN_GAME
                names[node], drawn[node] = gadget.history[action[before]], action[before]
        elif stage[before] == drawn_after:
            if drawn_after == 0 and gadget.may_terminate[gadget.set[action[node]]]:
                stage[node] = _TO_CHOOSE
            else:
                stage[node] = _IN_GAME
                names[node], drawn[node] = gadget.history[action[node]], action[node]
        else:
            stage[node] = 1


@kernel
def _pass_down(tree: Histories, opponent: int, lost: Floats, gifts: Floats) -> None:
    """Write for each history the entry of ``lost`` for the opponent's last sequence."""
    for node in range(1, tree.parent.size):
        before = tree.parent[node]
        if tree.player[before] == opponent:
            gifts[node] = lost[tree.sequence_to(node)]
        else:
            gifts[node] = gifts[before]
