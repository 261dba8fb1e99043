"""The aggregate method: how exploitable a search is, as far as its matches show it.

Lisy, Lanctot and Bowling (2015), Section 4.2; the "multi-match aggregate method" of Lisy's thesis
(2014), Section 4.3.1. From each seat the search plays a number of matches against opponents who
move at random. Whenever it has thought, all that it has accumulated since the match began (visits
in IS-MCTS, s_I in OOS) is added to a global strategy: in the present information set, and in all
sets of the same player that can still be reached. What the search learnt about these sets before
play and at earlier moves is part of that. In the end the strategy is normalised in each set. Sets
that no search ever saw play a fixed action, drawn once at random, or uniformly.

How much a search counts in a set is one of

visits   the number of samples that the search made there. The paper says so: where a set was
         reached, the samples made there outweigh guesses made from further up. For IS-MCTS this is
         the mass, because each sample adds 1.
mass     the sums as they are, which is what the authors' program adds. In OOS an unlikely sample
         adds much, and all samples of a search are scaled by its w_T, which is large if the match
         has come to an unlikely place. So one search can outweigh all others together: factors up
         to 5e15 were seen.

Visits are the default for searches that count them (OOS, MCCFR, IS-MCTS, SM-MCTS), because by mass
a few searches decide the result. Other searches are weighed by mass. On IIGS(4), with
oos(targeting=ist,delta=0.5), 60 matches from each seat and 2,000 iterations before play and at each
move, nash_conv over four seeds is 0.11 +- 0.01 by visits and 0.16 +- 0.17 by mass. Without w_T it
is 0.11 +- 0.01 by either.

The paper leaves four things open.

- Are its 500 matches for both seats together? Here they are for each seat.
- What does a search know that comes to move after others? Here it knows nothing, unless it may
  think before play, from the root of the game. If it may not, a belief that is modelled by the
  search itself is uniform at the first decision. The authors' program thought for 100 ms before
  each match.
- Which number do the curves show? The paper defines exploitability as the sum over the players, and
  its program printed one player's best response; `Evaluation` has both.
- What is an iteration? The thesis counts *traversals* of the game per second, of which an iteration
  of OOS makes two. Its 1.6 s of OOS on II-GS(6), at 33,000 a second, are 26,400 iterations here.

Matches are added up in blocks, so that results do not depend on how many processes share the work.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Protocol, runtime_checkable

from hiddenhand.budget import Budget
from hiddenhand.errors import OptionError, RefusedOptionError
from hiddenhand.evaluation.measurement import (
    Evaluation,
    MakeSearch,
    Point,
    Study,
    evaluation,
    mean_point,
    measures,
    told,
    whole,
)
from hiddenhand.evaluation.policy_accumulator import WEIGHTS, Gathered, Sets
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.matches.match import Match
from hiddenhand.players.fixed_policies import RandomPlayer
from hiddenhand.players.player import Deciding, Player, Probabilities, derived_seed
from hiddenhand.search.online import OnlineSearch
from hiddenhand.trees.strategy import Weights

MATCHES: Final = 500
EVERY: Final = 50
_MOST: Final = 1_000_000
_AT_A_TIME: Final = 10  # matches that one process is given


@runtime_checkable
class Counting(OnlineSearch, Protocol):
    """A search that can count its samples."""

    def count_samples(self) -> None:
        """From the next `start` on, count the samples: `Weights.visits` says from how many the
        weights of each set come.
        """


def aggregate_stepwise(
    study: Study,
    budget: Budget,
    *,
    matches: int = MATCHES,
    every: int = EVERY,
    preplay: Budget | None = None,
    weights: str | None = None,
) -> Iterator[Evaluation]:
    """Measure how exploitable a search is, as far as its matches show it. A result follows after
    each few matches that all seeds have played; the last point of its curve tells how many. Raises
    OptionError.

    study: the search, the game and the seeds.
    budget: how long the search thinks at each move.
    matches: how many matches are played from each seat.
    every: after how many matches the curve has a point.
    preplay: how long the search thinks before each match, from the root; None for not at all. What
        it learns before the match is added once it has thought at a move.
    weights: how much a search counts in a set, "visits" or "mass"; by default "visits" if the
        search counts its samples, else "mass".
    """
    if not 1 <= matches <= _MOST or every < 1:
        raise OptionError(
            f"matches={matches} with a point every={every} is not allowed; give at least 1 of "
            f"each, and at most {_MOST:,} matches"
        )
    weights = _weights(study, weights)
    sets, seats = Sets.of(study.tree), range(study.tree.num_players)
    blocks, terms = _blocks(matches, every), _Terms(sets, budget, preplay, weights)
    also = f"{told(preplay)}{', by visits' if weights == 'visits' else ''}"
    calls = {
        f"seed {seed}, seat {seat}, matches {block.start} to {block.stop - 1}{also}": (
            terms,
            seed,
            seat,
            block,
        )
        for block in blocks
        for seed in study.seeds
        for seat in seats
    }
    parts = study.share("aggregate", budget, _play_block, calls)
    totals = {seed: Gathered(sets) for seed in study.seeds}
    curve: list[Point] = []
    for block in blocks:
        for total in totals.values():
            for _ in seats:
                total.add(sets, next(parts)[0])
        rows = [measures(study.tree, study.profile(total, seed)) for seed, total in totals.items()]
        known = [int(total.known.sum()) for total in totals.values()]
        here = mean_point(study.tree, block.stop, rows)
        yield evaluation(
            study,
            "aggregate",
            budget,
            "matches",
            [*curve, here],
            rows,
            known,
            preplay=preplay,
            weights=weights,
        )
        if block.stop % every == 0:
            curve.append(here)


aggregate = whole(aggregate_stepwise)
"""`aggregate_stepwise` to its end: the last result."""


def _weights(study: Study, weights: str | None) -> str:
    """How searches are weighed, one of `WEIGHTS`; the default if ``weights`` is None. Raises
    OptionError for another word, and for "visits" if the search does not count its samples.
    """
    if weights not in (None, *WEIGHTS):
        raise RefusedOptionError("weights", weights, f"choose one of: {', '.join(WEIGHTS)}")
    if weights == "mass":
        return weights
    counts = isinstance(study.make(study.tree.game), Counting)
    if weights == "visits" and not counts:
        raise OptionError(
            f"{study.search} does not count its samples, so they cannot be its weights; weigh by "
            "mass"
        )
    return "visits" if counts else "mass"


def _blocks(matches: int, every: int) -> list[range]:
    """The matches in blocks, none of which crosses a multiple of ``every``."""
    edges = sorted({*range(0, matches, every), *range(0, matches, _AT_A_TIME), matches})
    return [range(first, stop) for first, stop in pairwise(edges)]


@dataclass(frozen=True)
class _Terms:
    """What all matches of a measurement have in common.

    sets: the information sets of the game.
    budget: how long the search thinks at each move.
    preplay: how long the search thinks before each match; None for not at all.
    weights: how much a search counts in a set, one of `WEIGHTS`.
    """

    sets: Sets
    budget: Budget
    preplay: Budget | None
    weights: str


def _play_block(
    make: MakeSearch, game: Game, terms: _Terms, seed: int, seat: int, block: range
) -> list[Weights]:
    """What the search accumulated in the matches of a block."""
    gathered, search = Gathered(terms.sets), make(game)
    if terms.weights == "visits":
        assert isinstance(search, Counting)
        search.count_samples()
    for number in block:
        _play(search, game, terms, seat, derived_seed(seed, seat, number), gathered)
    return [gathered.weights(terms.sets)]


def _play(
    search: OnlineSearch, game: Game, terms: _Terms, seat: int, seed: int, gathered: Gathered
) -> None:
    """One match from ``seat`` against random opponents; what the search accumulates is added to
    ``gathered``.
    """

    def gather() -> None:
        at = terms.sets.find_one(match.history.information_key)
        gathered.add(terms.sets, search.weights(), at, by=terms.weights)

    players: list[Player] = [RandomPlayer() for _ in range(game.num_players)]
    players[seat] = _Watched(search, gather)
    budgets = [terms.budget] * game.num_players
    match = Match(game, players, seed, budgets, terms.preplay, chance_seed=seed)
    match.play()


class _Watched(Deciding):
    """Plays what a search says, one match after the other.

    search: the search.
    has_thought: called whenever the search has thought at a move.
    """

    def __init__(self, search: OnlineSearch, has_thought: Callable[[], None]) -> None:
        self._search = search
        self._has_thought = has_thought

    def start(self, game: Game, seat: int, seed: int) -> None:
        super().start(game, seat, seed)
        self._search.start(seat, derived_seed(seed, 1))

    def prepare(self, budget: Budget) -> None:
        """Think from the root."""
        self._search.think(budget.iterations, budget.seconds)

    def follow(self, events: Sequence[Event]) -> None:
        """Keep the events until it is known how long the search may think."""
        self._unheard = events

    def policy(self, legal_actions: Sequence[int], budget: Budget | None) -> Probabilities:
        """Think, then do what the search says."""
        assert budget is not None  # `_play` gives one to all
        self._search.notice(self._unheard, iterations=budget.iterations)
        self._search.think(budget.iterations, budget.seconds)
        self._has_thought()
        return self._search.policy(len(legal_actions))
