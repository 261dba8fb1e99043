"""Continual resolving with an exact resolver: the gadget game is written out, any variant of CFR
solves it, and the opponent's values are those of a counterfactual best response.

Dimensions: H histories of the gadget game written out, S sequences, F histories of a frontier.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hiddenhand import clock
from hiddenhand.algorithm import Algorithm
from hiddenhand.budget import Budget
from hiddenhand.errors import OptionError, TooLargeError
from hiddenhand.games.base import CHANCE, Game, verify_listed
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.arrays import Floats, Indices, Integers, Keys
from hiddenhand.jit.infoset_table import InformationSetTable, new_table, table_from_arrays
from hiddenhand.jit.kernels import kernel
from hiddenhand.parameters import Configured, parameter
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.belief.public_states import Frontier, next_history
from hiddenhand.search.opponent_model import Model, model_of
from hiddenhand.search.resolving.continual import ContinualResolving, Resolver, ResolvingParameters
from hiddenhand.search.resolving.exploitation import Exploitation, FreeGain
from hiddenhand.search.resolving.gadget_tree import num_choices, write_gadget
from hiddenhand.search.resolving.gadgets import FOLLOW, GADGETS, TERMINATE, Gadget, danger, is_whole
from hiddenhand.search.tree_budget import solve, time_left
from hiddenhand.solvers.cfr import CFR
from hiddenhand.solvers.cfr_variants import VARIANTS
from hiddenhand.solvers.repair import REPAIRED, REPAIRING, repaired
from hiddenhand.trees.profile import (
    best_response,
    best_sequence_values,
    counterfactual_values,
    history_values,
    reach_probabilities,
    realisation_plan,
)
from hiddenhand.trees.strategy import Strategy
from hiddenhand.trees.tree import GameTree, Histories
from hiddenhand.trees.unroll import DEFAULT_LIMIT, unroll


@dataclass(frozen=True, kw_only=True)
class CRParameters(ResolvingParameters):
    """The parameters of `CR`.

    resolver: the variant of CFR that solves the small games, such as "cfr", "cfr+" or "dcfr"; all
        of them are among the solvers that hiddenhand algorithms lists.
    gadget: what keeps a small game safe; "resolving" (the opponent may take what it could have had
        before); "reach" (as resolving, and what the opponent gave away on the way there); or
        "max_margin" (the smallest loss of the opponent compared with before, over its information
        sets, is maximised).
    opponent: the model of the opponent, whose mistakes the search exploits, if the game or the rest
        of it can be written out: "uniform", the file of a strategy, or the name of a search, which
        then searches from the beginning of the game; with none, the search plays safe.
    trust: the probability that the model is right, from 0 to below 1; by default, safety decides.
    safety: the largest loss that a wrong model may cause, in payoffs, or "gifts" for as much as the
        opponent has given away in the match; 0.05 by default.
    seed: the seed of the random numbers of beliefs, a whole number of at least 0.
    """

    resolver: str = "pdcfr+"
    gadget: str = "resolving"
    floor: float | None = parameter(None, above=0)
    opponent: Strategy | str | None = None
    trust: float | None = None
    safety: float | str | None = None


@Algorithm(
    name="cr",
    paper="Šustr, Kovařík and Lisý (2019), Monte Carlo continual resolving for online strategy "
    "computation in imperfect information games, Section 3.4; after Moravčík et al. (2017), "
    "DeepStack",
    summary="Continual resolving: at each move a small safe game, made of where the match stands, "
    "is written out and solved by a variant of CFR.",
    games="zero-sum games of two players, small enough to be written out",
    guarantee="the exploitability of what is played in a match falls as each small game is solved "
    "better",
    needs_public=True,
)
class CR(ContinualResolving, Configured):
    """Continual resolving with an exact resolver, for games that can be written out."""

    PARAMETERS = CRParameters

    settings: CRParameters

    def _set_up(self, game: Game | str) -> None:
        given = self.settings
        self.model = model_of(as_sequential(game), given.opponent, given.trust, given.safety)
        exact = ExactResolver(given.resolver, given.gadget, self.model)
        super().__init__(game, exact, floor=given.floor, cap=given.cap, seed=given.seed)


class ExactResolver(Resolver):
    """Writes the gadget game out and runs a variant of CFR on it. An iteration is one of CFR.

    variant, gadget: as ``resolver`` and ``gadget`` of `CRParameters`.
    model: what the opponent is believed to do; None where nothing is.
    gains: whether, without a model, the resolver chooses of equally safe strategies the one that
        earns most.
    gadget: the present one.
    keeps_given: whether the search plays the strategy from `give`, because it is safer than the one
        that it found.
    """

    COLUMN = 0

    gadget: Gadget

    def __init__(
        self,
        variant: str = "pdcfr+",
        gadget: str = "resolving",
        model: Model | None = None,
        *,
        gains: bool = False,
    ) -> None:
        if variant not in VARIANTS:
            raise OptionError(
                f"there is no resolver {variant!r}; choose one of: {', '.join(VARIANTS)}"
            )
        if gadget not in GADGETS:
            raise OptionError(f"there is no gadget {gadget!r}; choose one of: {', '.join(GADGETS)}")
        if model is not None and gadget == "max_margin":
            raise OptionError(
                "the gadget max_margin allows no loss, so it cannot exploit a model of the "
                "opponent; use resolving or reach, or leave opponent out"
            )
        self.variant = variant
        self.kind = "reach" if model is not None and model.gifts else gadget
        self.model = model
        self.gains = gains

    def start(self, game: Game, seed: int) -> None:
        """See `Resolver.start`. Nothing here is drawn at random."""
        verify_listed(game)
        self._game = game
        self.table = new_table(per_action=1)
        self._iterations = 0
        self._run: CFR | None = None
        self._worth: _Worth | None = None
        self._given: Floats | None = None
        self.keeps_given = False
        self._answers: Exploitation | FreeGain | None = None
        if self.model is not None:
            self._answers = Exploitation(self.model)
        elif self.gains:
            self._answers = FreeGain()

    def begin(self, gadget: Gadget, public_key: int, moves: int) -> None:
        """See `Resolver.begin`. ``moves`` makes no difference, because all values are known."""
        if self._run is not None and gadget is self.gadget:
            # go on with a copy, and leave the run itself to forks that go on with it
            self._run = copy.deepcopy(self._run, {id(self._run.tree): self._run.tree})
            return
        if self._answers is not None:
            self._answers.begin(gadget, self.table)
        self.gadget = gadget
        self._run = None
        self._worth = self._given = None
        self.keeps_given = False
        self.table = new_table(per_action=1)

    def expect(self, likely: Floats) -> None:
        if self._answers is not None:
            self._answers.expect(likely)

    def think(self, iterations: int | None, seconds: float | None, progress: Progress) -> None:
        """See `Resolver.think`. Writing the gadget game out counts as thinking. Where the time is
        too short for that, a few iterations are made nevertheless. Iterations of the repair are
        made besides, a fifth of the others.
        """
        began = clock.now()
        run = self.write_out()
        before = run.iterations
        answering = 0.0 if self._answers is None else self._answers.SHARE
        solving = None if seconds is None else (1.0 - REPAIRING - answering) * seconds
        solve(run, iterations, solving, began, progress)
        self._iterations += run.iterations - before
        left = None if seconds is None else time_left(seconds, began)
        profile = repaired(run, min(int(REPAIRING * run.iterations) + 1, REPAIRED), left)
        if self._answers is not None:
            left = None if seconds is None else time_left(seconds, began)
            budget = Budget(max(int(answering * run.iterations), 1), left)
            profile = self._answers.answer(run, profile, budget)
        self._worth = self._worth_of(profile)
        if self._given is not None:
            given = self._worth_of(np.where(np.isnan(self._given), profile, self._given))
            self._worth = min(given, self._worth, key=_danger)
            self.keeps_given = self._worth is given
        skipped = 0 if is_whole(self.gadget) else num_choices(self.gadget, self.kind)
        self.table = _table_of(run.tree, self._worth.profile, skipped)

    @property
    def is_written_out(self) -> bool:
        """Whether the present gadget game is written out."""
        return self._run is not None

    @property
    def num_histories(self) -> int:
        """How many histories the present gadget game has, 0 before it is written out."""
        return self._run.tree.num_histories if self._run is not None else 0

    @property
    def num_iterations(self) -> int:
        """How many iterations of CFR were made of the present gadget game."""
        return self._run.iterations if self._run is not None else 0

    def write_out(self, max_histories: int = DEFAULT_LIMIT, progress: Progress = SILENT) -> CFR:
        """Write the gadget game out, unless that was done before. Raises TooLargeError where it has
        more than ``max_histories`` histories, or more than fit into memory.
        """
        if self._run is None:
            # the gadget of the whole game is the game, which is written out in half the time
            try:
                if is_whole(self.gadget):
                    tree = unroll(self._game, max_histories, progress, verified=True, decided=False)
                else:
                    tree = write_gadget(self._game, self.gadget, self.kind, max_histories, progress)
            except TooLargeError as error:
                raise TooLargeError(
                    f"{self._game} cannot be resolved exactly: from here on it is too large to be "
                    "written out; resolve it by sampling, with mccr"
                ) from error
            self._run = CFR(tree, self.variant)
        return self._run

    def solve_by(self, variant: str) -> None:
        """Solve the present gadget game, which is written out, by another variant of CFR, unless it
        was begun with.
        """
        assert self._run is not None
        if self._run.iterations == 0:
            self._run.variant = VARIANTS[variant]

    def assume(self, profile: Floats) -> None:
        """Take a strategy ``float64[S]`` of the present gadget game, which is written out, as what
        the resolver plays there. `values` then tells what that is worth to the opponent.
        """
        self._worth = self._worth_of(profile)

    def give(self, profile: Floats) -> None:
        """Play another strategy ``float64[S]`` of the present gadget game, which is written out,
        where that is safer than what is found; NaN in sets in which it is not known.
        """
        self._given = profile

    @property
    def is_given(self) -> bool:
        """Whether `give` set a strategy for the present gadget game."""
        return self._given is not None

    def _worth_of(self, profile: Floats) -> "_Worth":
        tree = self.write_out().tree
        return _Worth(tree, profile, self.gadget, self.kind, self._game.draws_chance)

    def values(self, entered: Frontier) -> tuple[Floats, Floats]:
        if self._worth is None:
            return np.full(entered.size, np.nan), np.zeros(entered.size)
        return self._worth.of(entered.history)

    def fork(self) -> Self:
        other = super().fork()
        other._answers = copy.copy(self._answers)
        return other

    @property
    def told(self) -> str:
        return "" if self._answers is None else self._answers.told

    def thought(self) -> Mapping[str, float]:
        """Iterations of CFR in all, and histories in the present gadget game."""
        return {"iterations": self._iterations, "histories": self.num_histories}


@dataclass(frozen=True, eq=False)
class _Worth:
    """What each history of a gadget game is worth to an opponent with a best response to a
    strategy. It is computed at the first call, which never comes after the last move of a match.

    tree: the gadget game written out.
    profile: ``float64[S]``, the strategy.
    gadget, kind: whose game it is, and of which kind.
    draws_chance: whether the game draws its chance.
    """

    tree: GameTree
    profile: Floats
    gadget: Gadget
    kind: str
    draws_chance: bool

    def of(self, history: Keys) -> tuple[Floats, Floats]:
        """For histories ``uint64[F]`` of the game ``float64[F]`` what they are worth, NaN where
        that is not known, and ``float64[F]`` the gifts.
        """
        names, values, gifts = self._named
        place = np.minimum(np.searchsorted(names, history), names.size - 1)
        found = names[place] == history
        return np.where(found, values[place], np.nan), np.where(found, gifts[place], 0.0)

    @cached_property
    def _named(self) -> tuple[Keys, Floats, Floats]:
        """The names of all histories of the game, sorted, with what they are worth and the
        gifts.
        """
        tree, opponent = self.tree, 1 - self.gadget.resolver
        response = best_response(tree, self.profile, opponent).profile
        worth = history_values(tree, response)[:, opponent]
        gifts = np.zeros(tree.num_histories)
        if self.kind == "reach":
            gifts = _gifts(tree, response, opponent)
        whole = is_whole(self.gadget)
        names, drawn = name_histories(
            tree, self.gadget, self.kind, draws_chance=self.draws_chance, whole=whole
        )
        if self.kind == "max_margin" and not whole:  # add t(I) again, which this gadget subtracts
            worth = worth + self.gadget.payoff[self.gadget.set[drawn]]
        order = np.argsort(names)
        order = order[names[order] != 0]
        return names[order], worth[order], gifts[order]


def _danger(worth: _Worth) -> float:
    """How dangerous a strategy is in a gadget game, see `gadgets.danger`."""
    tree, opponent = worth.tree, 1 - worth.gadget.resolver
    values = best_sequence_values(tree, realisation_plan(tree, worth.profile), opponent)
    choices = 0 if is_whole(worth.gadget) else num_choices(worth.gadget, worth.kind)
    if choices == 0:
        return float(values[opponent])
    first = tree.set_start[:choices]
    return danger(values[first + FOLLOW], values[first + TERMINATE])


def name_histories(
    tree: GameTree, gadget: Gadget, kind: str, *, draws_chance: bool, whole: bool = False
) -> tuple[Keys, Indices]:
    """Which histories of the game that is played the histories of a gadget game stand for.

    tree: the gadget game, written out.
    gadget: what the gadget game was made of.
    kind: which kind of gadget game it is, one of `GADGETS`.
    draws_chance: whether the game that is played draws its chance.
    whole: whether ``tree`` is that game itself, in which no history is drawn first.

    Returns ``uint64[H]``, the key of each as a history of the game, 0 where it stands for none; and
    ``int32[H]``, which history of the frontier it begins with.
    """
    names = np.zeros(tree.num_histories, np.uint64)
    drawn = np.zeros(tree.num_histories, np.int32)
    move = np.arange(tree.num_histories) - tree.first_child[tree.parent]
    if draws_chance:  # then the outcome itself is the move, and not its number
        move = np.where(tree.player[tree.parent] == CHANCE, tree.action, move)
    if whole:
        first = slice(0, 1)
        names[first] = gadget.history
    else:
        chooses = kind != "max_margin" and bool(gadget.may_terminate.any())
        begun = 2 if chooses or kind == "max_margin" else 1  # moves before the game begins
        first = slice(*tree.level_start[begun : begun + 2])
        of = tree.action[tree.parent[first] if chooses else first]
        follows = tree.action[first] == FOLLOW if chooses else np.ones(of.size, np.bool_)
        names[first] = np.where(follows, gadget.history[of], np.uint64(0))
        drawn[first] = np.where(follows, of, 0)
    _name_below(tree.parent, move, names, drawn, first.stop)
    return names, drawn


def _table_of(tree: GameTree, profile: Floats, skipped: int) -> InformationSetTable:
    """A profile ``float64[S]`` as a table whose rows are its probabilities, without the first sets,
    ``skipped`` of them, which are not of the game.
    """
    starts = tree.set_start[skipped:].astype(np.int64)
    arrays: dict[str, npt.NDArray[Any]] = {
        "keys": tree.set_key[skipped:],
        "starts": starts - starts[0],
        "values": profile[starts[0] :],
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


@kernel
def _name_below(parent: Indices, move: Integers, names: Keys, drawn: Indices, begin: int) -> None:
    """Write ``names`` and ``drawn`` from history number ``begin`` on."""
    for node in range(begin, parent.size):
        before = parent[node]
        names[node], drawn[node] = next_history(names[before], move[node]), drawn[before]


@kernel
def _pass_down(tree: Histories, opponent: int, lost: Floats, gifts: Floats) -> None:
    """Write for each history the entry of ``lost`` for the opponent's last sequence."""
    for node in range(1, tree.parent.size):
        before = tree.parent[node]
        if tree.player[before] == opponent:
            gifts[node] = lost[tree.sequence_to(node)]
        else:
            gifts[node] = gifts[before]
