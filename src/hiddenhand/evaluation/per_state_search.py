"""Stitching: search afresh at every information set, or at every public state, and measure how
exploitable the strategy is that results.

At every information set: Lisy, Lanctot and Bowling (2015), Section 4.2, "brute-force approach";
Lisy's thesis (2014), Section 4.3.1, "full stitching". At every public state, with the *expected*
strategy over seeds: Sustr, Kovarik and Lisy (2019), Section 5.2.

A search receives the events that its player has noticed on the way to the set, which are the same
for all histories of the set. It thinks there for one budget. With ``on_the_way`` it also thinks for
one budget at each earlier decision of the player, as in a match. With ``preplay`` it thinks at the
root before all this. What the search then has accumulated for the set (visits in IS-MCTS, s_I in
OOS) is normalised. A search that resolves always thinks at the root first, once for the whole tree:
for ``preplay`` if that is given, else for as long as at a public state.

Where there is only one action, no search runs: the play there is known. A search that resolves
still thinks there if it has to choose later, as in a match.

At a public state one search serves all information sets that its player may be in. The search
receives the events of one of these sets, which is drawn from the seed. All sets are equally likely
to be drawn, because an exploiter picks the worst set and not the likeliest. A search of the whole
public state gets to know all of its sets. A search of one information set may not; then each set
that is still unknown gets a search of its own. So this method is meant for public-subgame targeting
and for resolving. A search that aims at one information set finds little in the others: with
``every_set`` it runs in each of them.

The expected strategy is what an opponent faces who does not know the seed of the program. With each
seed the program plays another strategy from beginning to end. So the *realisation plans* of these
strategies are averaged: in each set, the actions of a strategy weigh by the player's own
probability of coming there. That is right also where the play in one set depends on the play in
another. Averaging the probabilities in each set would then be wrong.

Searching at all public states takes hours where there are thousands and the search may think for a
second. Searching at the first few of them, the *opening*, takes seconds, and gives a lower bound on
how exploitable the search is: see `hiddenhand.solvers.partial_policy_bound`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from hiddenhand.budget import Budget
from hiddenhand.evaluation.measurement import (
    Evaluation,
    MakeSearch,
    Measures,
    Point,
    Study,
    bounds_of_exploited,
    evaluation,
    exploited,
    mean_point,
    measures,
    told,
    whole,
)
from hiddenhand.evaluation.policy_accumulator import Gathered
from hiddenhand.evaluation.policy_query import decisions, histories_along
from hiddenhand.evaluation.top_down import public_tree, search_everywhere, with_choices
from hiddenhand.games.base import Game, verify_constant_sum
from hiddenhand.jit.arrays import Flags, Floats, Keys
from hiddenhand.players.player import derived_seed
from hiddenhand.search.online import Branching, OnlineSearch
from hiddenhand.solvers.partial_policy_bound import least_best_responses, opening_of
from hiddenhand.statistics import jackknife_interval
from hiddenhand.trees.profile import normalised, realisation_plan
from hiddenhand.trees.strategy import Weights
from hiddenhand.trees.tree import GameTree

PLACES: Final = 32
"""The default number of public states of an opening."""

_AT_A_TIME: Final = 32  # places that one process is given


@dataclass(frozen=True)
class _Thinking:
    """When a search thinks, and for how long.

    budget: in the set that is searched.
    preplay: before that, at the root; None if it does not think there.
    on_the_way: whether it thinks at each earlier own decision, too.
    every_set: whether each set gets a search of its own, whatever another one has found in it.
    """

    budget: Budget
    preplay: Budget | None
    on_the_way: bool = False
    every_set: bool = False

    def __str__(self) -> str:
        """In the names of parts, what the method and the budget do not say."""
        ways = f"{', on the way' if self.on_the_way else ''}{', every set' * self.every_set}"
        return f"{ways}{told(self.preplay)}"


@dataclass(frozen=True)
class _Place:
    """Information sets that share searches.

    seat: the player who moves there.
    way: the moves that lead to a history there.
    sets: the sets in which there is more than one action, by their numbers.
    moves: for each of these sets, the moves that lead to a history in it.
    """

    seat: int
    way: tuple[int, ...]
    sets: tuple[int, ...]
    moves: tuple[tuple[int, ...], ...]


def stitch_information_sets_stepwise(
    study: Study, budget: Budget, *, on_the_way: bool = False, preplay: Budget | None = None
) -> Iterator[Evaluation]:
    """Search at every information set. The result is the mean over seeds of how exploitable each
    seed's strategy is. A result follows after each seed, and the curve is over the number of seeds.

    study: the search, the game and the seeds.
    budget: how long the search thinks in each information set.
    on_the_way: whether the search also thinks for so long at each earlier decision of the player.
    preplay: how long the search thinks at the root first; None for not at all.
    """
    places = [
        place
        for seat in range(study.tree.num_players)
        for place in _places(study.tree, seat, study.tree.set_key)
    ]
    found = _stitched(study, "stitch-infosets", _Thinking(budget, preplay, on_the_way), places)
    return _after_each_seed(study, "stitch-infosets", budget, preplay, found)


stitch_information_sets = whole(stitch_information_sets_stepwise)
"""`stitch_information_sets_stepwise` to its end: the last result."""


def stitch_public_states_stepwise(
    study: Study,
    budget: Budget,
    *,
    on_the_way: bool = False,
    every_set: bool = False,
    preplay: Budget | None = None,
) -> Iterator[Evaluation]:
    """Search at every public state in which a player decides. The result is how exploitable the
    expected strategy of all seeds is, with its jackknife interval. A result follows after each
    seed, and the curve is over the number of seeds.

    study: the search, the game and the seeds.
    budget: how long the search thinks in each public state.
    on_the_way: whether the search also thinks for so long at each earlier decision of the player; a
        search that resolves always does.
    every_set: whether it runs in every information set: right for a search that aims at one. It
        makes no difference for a search that resolves.
    preplay: how long the search thinks at the root first; None for not at all, or, with a search
        that resolves, for ``budget``.
    """
    thinking = _Thinking(budget, preplay, on_the_way, every_set)
    found = _at_public_states(study, "stitch-public", thinking, _public(study.tree))
    plans = list[Floats]()

    def expected(profile: Floats) -> Point:
        plans.append(realisation_plan(study.tree, profile))
        return expected_point(study.tree, np.array(plans))

    return _after_each_seed(study, "stitch-public", budget, preplay, found, point=expected)


stitch_public_states = whole(stitch_public_states_stepwise)
"""`stitch_public_states_stepwise` to its end: the last result."""


def stitch_opening_stepwise(
    study: Study,
    budget: Budget,
    *,
    places: int = PLACES,
    on_the_way: bool = False,
    every_set: bool = False,
    preplay: Budget | None = None,
) -> Iterator[Evaluation]:
    """Search at the first public states in which a player decides, those after the fewest moves.
    The result is the mean over seeds of a lower bound: each seed's strategy is at least so
    exploitable, whatever it plays in all other information sets. A result follows after each seed.

    study: the search, the game, zero-sum for two players, and the seeds.
    places: in how many public states it searches at most, of both players together.
    budget, on_the_way, every_set, preplay: as in `stitch_public_states_stepwise`.
    """
    tree = study.tree
    verify_constant_sum(tree.game, "the method opening", "stitch-public")
    first = _first(_public(tree), places)
    thinking = _Thinking(budget, preplay, on_the_way, every_set)
    found = _at_public_states(study, f"opening of {places}", thinking, first)

    def bounded(profile: Floats, known: Flags) -> tuple[Measures, int]:
        opening = opening_of(tree, known)
        least = least_best_responses(tree, profile, opening)
        gained = least.sum() - (tree.game.payoff_sum or 0.0)
        row = Measures(np.array([max(gained, 0.0), *least]))  # nash_conv is never below 0
        return row, int(opening.sum())

    return _after_each_seed(study, "opening", budget, preplay, found, bounded)


stitch_opening = whole(stitch_opening_stepwise)
"""`stitch_opening_stepwise` to its end: the last result."""


def _after_each_seed(
    study: Study,
    method: str,
    budget: Budget,
    preplay: Budget | None,
    found: Iterator[Gathered],
    measured: Callable[[Floats, Flags], tuple[Measures, int]] | None = None,
    point: Callable[[Floats], Point] | None = None,
) -> Iterator[Evaluation]:
    """The result after each seed.

    found: the strategy of each seed.
    measured: for a profile and the sets that are known, the measures and how many sets they are of;
        by default those of the whole strategy.
    point: for the profile of each seed in turn, the point of the curve after it; by default the
        mean of the measures.
    """
    curve, rows, known = list[Point](), list[Measures](), list[int]()
    for seed, gathered in zip(study.seeds, found, strict=True):
        profile = study.profile(gathered, seed)
        if measured is None:
            row, count = measures(study.tree, profile), int(gathered.known.sum())
        else:
            row, count = measured(profile, gathered.known)
        rows.append(row)
        known.append(count)
        curve.append(mean_point(study.tree, len(rows), rows) if point is None else point(profile))
        yield evaluation(study, method, budget, "seeds", curve, rows, known, preplay=preplay)


def expected_point(tree: GameTree, plans: Floats) -> Point:
    """How exploitable the mean of ``plans`` ``float64[K, S]`` is; the intervals come from leaving
    each of them out.
    """
    total = plans.sum(axis=0)
    here = exploited(tree, normalised(tree, total))
    without = np.array(
        [
            exploited(tree, normalised(tree, total - plan)) if len(plans) > 1 else here
            for plan in plans
        ]
    )
    nash_conv, *values = (
        jackknife_interval(float(value), column.tolist(), *bounds.tolist())
        for value, column, bounds in zip(here, without.T, bounds_of_exploited(tree), strict=True)
    )
    return Point(len(plans), nash_conv, tuple(values))


def _first_histories(tree: GameTree) -> npt.NDArray[np.intp]:
    """``int[I]``: the first history of each information set."""
    deciding = np.flatnonzero(tree.information_set >= 0)
    _, first = np.unique(tree.information_set[deciding], return_index=True)
    return deciding[first]


def _places(tree: GameTree, seat: int, group: Keys) -> list[_Place]:
    """The information sets of ``seat``, those with an equal entry in ``group`` ``uint64[I]`` in one
    place.
    """
    first, grouped = _first_histories(tree), dict[int, list[int]]()
    for number in tree.sets_of(seat):
        grouped.setdefault(int(group[number]), []).append(int(number))
    is_forced, found = np.diff(tree.set_start) == 1, list[_Place]()
    for numbers in grouped.values():
        ways = {number: tuple(tree.path(int(first[number]))) for number in numbers}
        sets = tuple(number for number in numbers if not is_forced[number])
        shortest = min(ways.values(), key=len)
        found.append(_Place(seat, shortest, sets, tuple(ways[number] for number in sets)))
    return found


def _first(places: Sequence[_Place], count: int) -> list[_Place]:
    """Those after the fewest moves: ``count`` in which there is something to choose, and those
    before them.
    """
    found = list[_Place]()
    for place in sorted(places, key=lambda place: len(place.way)):
        if count == 0:
            break
        found.append(place)
        count -= bool(place.sets)
    return found


def _public(tree: GameTree) -> list[_Place]:
    """The information sets of each player in each public state."""
    public = tree.keys[_first_histories(tree), -1]
    return [place for seat in range(tree.num_players) for place in _places(tree, seat, public)]


def _at_public_states(
    study: Study, method: str, thinking: _Thinking, places: Sequence[_Place]
) -> Iterator[Gathered]:
    """What is found in ``places`` with each seed."""
    resolves = isinstance(study.make(study.tree.game), Branching)
    return (_resolved if resolves else _stitched)(study, method, thinking, places)


def _stitched(
    study: Study, method: str, thinking: _Thinking, places: Sequence[_Place]
) -> Iterator[Gathered]:
    """What is found in ``places`` with each seed, in all of them together."""
    choices = [place for place in places if place.sets]
    calls = {
        f"seed {seed}, choices from {first}{thinking}": (
            thinking,
            choices[first : first + _AT_A_TIME],
            seed,
        )
        for seed in study.seeds
        for first in range(0, len(choices), _AT_A_TIME)
    }
    return study.gathered(method, thinking.budget, _search_all, calls)


def _resolved(
    study: Study, method: str, thinking: _Thinking, places: Sequence[_Place]
) -> Iterator[Gathered]:
    """What is found in ``places`` with each seed, by a search that resolves each public state from
    the one before. It always thinks at the root first.
    """
    keys, seats = study.tree.set_key, range(study.tree.num_players)
    ways = [
        [(place.way, keys[list(place.sets)]) for place in places if place.seat == seat]
        for seat in seats
    ]
    resolving = replace(thinking, preplay=thinking.preplay or thinking.budget)
    calls = {
        f"seed {seed}, seat {seat}{told(thinking.preplay)}": (resolving, seat, ways[seat], seed)
        for seed in study.seeds
        for seat in seats
    }
    return study.gathered(method, thinking.budget, _resolve_all, calls)


def _resolve_all(
    make: MakeSearch,
    game: Game,
    thinking: _Thinking,
    seat: int,
    ways: Sequence[tuple[Sequence[int], Keys]],
    seed: int,
) -> list[Weights]:
    """What a search finds in all public states in which ``seat`` moves."""
    search = make(game)
    assert isinstance(search, Branching)
    assert thinking.preplay is not None  # it always thinks at the root first
    search.start(seat, derived_seed(seed, seat))
    forest = with_choices(public_tree(game, seat, ways))
    return [search_everywhere(search, thinking.budget, thinking.preplay, forest)]


def _search_all(
    make: MakeSearch, game: Game, thinking: _Thinking, places: Sequence[_Place], seed: int
) -> list[Weights]:
    """What is accumulated in the sets of all ``places``, each searched afresh."""
    search = make(game)
    found: dict[int, Floats] = {}
    for place in places:
        _search_place(search, thinking, place, seed, found)
    return [Weights.of(found)]


def _search_place(
    search: OnlineSearch,
    thinking: _Thinking,
    place: _Place,
    seed: int,
    found: dict[int, Floats],
) -> None:
    """Search in one set of a place after the other, until all sets are known.

    found: what was accumulated in each set, by the key of the set; written here.
    """
    reached = [histories_along(search.game, moves) for moves in place.moves]
    random = np.random.default_rng(derived_seed(seed, place.seat, place.sets[0]))
    order = random.permutation(len(reached))
    unknown = {int(reached[number][-1].information_key): number for number in order}
    while unknown:
        at, number = next(iter(unknown.items()))
        search.start(place.seat, derived_seed(seed, place.seat, place.sets[number], 1))
        if thinking.preplay is not None:
            search.think(thinking.preplay.iterations, thinking.preplay.seconds)
        for _ in decisions(
            search, place.seat, reached[number], thinking.budget, thinking.on_the_way
        ):
            pass  # what counts is what the search has accumulated in the end
        for key, values in search.weights().among(np.array(list(unknown), np.uint64)).items():
            if key == at or (values.sum() > 0 and not thinking.every_set):
                found[key] = values
                unknown.pop(key)
        unknown.pop(at, None)
