"""The aggregate method: how exploitable is a search, as far as its matches show it?

Lisy, Lanctot and Bowling (2015), Section 4.2; the "multi-match aggregate method" of Lisy's thesis (2014), Section 4.3.1. From each seat the search
plays a number of matches against opponents who move at random. Whenever it has thought, all that it has accumulated in this match (visits in IS-MCTS,
s_I in OOS) is added to a global strategy: in the present information set, and in all own sets that can still be reached. The mass of what is added is
its weight: where a set was reached, the samples made there outweigh guesses made from further up. In the end each set is normalised. Sets that no
search ever saw play a fixed action, drawn once at random, or uniformly.

What differs from the paper: nothing. It leaves open whether its 500 matches are for both seats together; here they are for each seat. And it leaves
open what a search knows that comes to move after others. Here that is nothing, unless it may think before play, from the root of the game; without
that, a belief that is modelled by the search itself is uniform at its first decision. Matches are added up in blocks, so that results do not depend
on how many processes share the work.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from hiddenhand.budget import Budget
from hiddenhand.errors import BudgetError
from hiddenhand.evaluation.gathering import Gathered, Sets
from hiddenhand.evaluation.study import Evaluation, MakeSearch, Point, Study, evaluation, last
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.players.match import Match
from hiddenhand.players.player import Deciding, Player, Probabilities, derived_seed
from hiddenhand.players.simple import RandomPlayer
from hiddenhand.players.statistics import mean_interval
from hiddenhand.search.online import OnlineSearch
from hiddenhand.trees.profile import nash_conv
from hiddenhand.trees.strategy import Weights

MATCHES: Final = 500
EVERY: Final = 50
_MOST: Final = 1_000_000
_AT_A_TIME: Final = 10  # matches that one process is given


def aggregate(study: Study, budget: Budget, *, matches: int = MATCHES, every: int = EVERY, preplay: bool = False) -> Evaluation:
    """Measure in ``matches`` from each seat, with ``budget`` for each move; the curve has a point ``every`` so many. Raises BudgetError.

    preplay: whether the search also thinks before a match, from the root and for ``budget``. What it has then is not added to the strategy.
    """
    return last(aggregate_stepwise(study, budget, matches=matches, every=every, preplay=preplay))


def aggregate_stepwise(study: Study, budget: Budget, *, matches: int = MATCHES, every: int = EVERY, preplay: bool = False) -> Iterator[Evaluation]:
    """The same, and what is known after each few matches, which all seeds have played: the last point of the curve tells how many."""
    if not 1 <= matches <= _MOST or every < 1:
        raise BudgetError(f"matches={matches} with a point every={every} is not allowed; give at least 1 of each, and at most {_MOST:,} matches")
    sets, seats, blocks = Sets.of(study.tree), range(study.tree.num_players), _blocks(matches, every)
    calls = {
        f"seed {seed}, seat {seat}, matches {block.start} to {block.stop - 1}{', preplay' if preplay else ''}": (
            sets,
            budget,
            preplay,
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
        each = [nash_conv(study.tree, study.profile(total, seed)) for seed, total in totals.items()]
        here = Point(block.stop, mean_interval(each))
        yield evaluation(study, "aggregate", budget, "matches", [*curve, here], each, [int(total.known.sum()) for total in totals.values()])
        if block.stop % every == 0:
            curve.append(here)


def _blocks(matches: int, every: int) -> list[range]:
    """The matches in blocks, none of which crosses a multiple of ``every``."""
    edges = sorted({*range(0, matches, every), *range(0, matches, _AT_A_TIME), matches})
    return [range(first, stop) for first, stop in pairwise(edges)]


def _play_block(make: MakeSearch, game: Game, sets: Sets, budget: Budget, preplay: bool, seed: int, seat: int, block: range) -> list[Weights]:
    """What the search accumulated in the matches of a block."""
    gathered, search = Gathered(sets), make(game)
    for number in block:
        _play(search, game, sets, budget, preplay, seat, derived_seed(seed, seat, number), gathered)
    return [gathered.weights(sets)]


def _play(search: OnlineSearch, game: Game, sets: Sets, budget: Budget, preplay: bool, seat: int, seed: int, gathered: Gathered) -> None:
    """One match from ``seat`` against random opponents; what the search accumulates is added to ``gathered``."""

    def gather() -> None:
        at = sets.find_one(match.history.information_key)
        gathered.add(sets, search.weights(), at)

    players: list[Player] = [RandomPlayer() for _ in range(game.num_players)]
    players[seat] = _Watched(search, gather)
    match = Match(game, players, seed, [budget] * game.num_players, budget if preplay else None, chance_seed=seed)
    match.play()


class _Watched(Deciding):
    """Plays what ``search`` says; ``has_thought`` is called whenever it has thought. The search plays one match after the other."""

    def __init__(self, search: OnlineSearch, has_thought: Callable[[], None]) -> None:
        self._search = search
        self._has_thought = has_thought

    def start(self, game: Game, seat: int, seed: int) -> None:
        """See `Player.start`."""
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
