"""The aggregate method: how exploitable is a search, as far as its matches show it?

Lisy, Lanctot and Bowling (2015), Section 4.2; the "multi-match aggregate method" of Lisy's thesis (2014), Section 4.3.1. From each seat the search
plays a number of matches against opponents who move at random. Whenever it has thought, all that it has accumulated in this match (visits in IS-MCTS,
s_I in OOS) is added to a global strategy: in the present information set, and in all own sets that can still be reached. The mass of what is added is
its weight: where a set was reached, the samples made there outweigh guesses made from further up. In the end each set is normalised. Sets that no
search ever saw play a fixed action, drawn once at random, or uniformly.

What differs from the paper: nothing. It leaves open whether its 500 matches are for both seats together; here they are for each seat. Matches are
added up in blocks, which are also the steps of the curve, so that results do not depend on how many processes share the work.
"""

from collections.abc import Callable, Sequence
from typing import Final

from hiddenhand.budget import Budget
from hiddenhand.errors import BudgetError
from hiddenhand.evaluation.gathering import Gathered, Sets
from hiddenhand.evaluation.study import Evaluation, MakeSearch, Point, Study, evaluation
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.players.match import Match
from hiddenhand.players.player import Deciding, Player, Probabilities, derived_seed
from hiddenhand.players.simple import RandomPlayer
from hiddenhand.players.statistics import mean_interval
from hiddenhand.search.online import OnlineSearch
from hiddenhand.trees.profile import nash_conv

MATCHES: Final = 500
EVERY: Final = 50


def aggregate(study: Study, budget: Budget, *, matches: int = MATCHES, every: int = EVERY) -> Evaluation:
    """Measure in ``matches`` from each seat, with ``budget`` for each move; the curve has a point ``every`` so many. Raises BudgetError."""
    if matches < 1 or every < 1:
        raise BudgetError(f"matches={matches} with a point every={every} is not allowed; give at least 1 of each")
    sets, seats = Sets.of(study.tree), range(study.tree.num_players)
    blocks = [range(first, min(first + every, matches)) for first in range(0, matches, every)]
    calls = [(sets, budget, seed, seat, block) for seed in study.seeds for block in blocks for seat in seats]
    parts = study.share(_play_block, calls, f"parts of {every} matches")
    rows, known = [], []
    for seed in study.seeds:
        total, row = Gathered(sets), []
        for _ in blocks:
            for _ in seats:
                total.merge(next(parts))
            row.append(nash_conv(study.tree, study.profile(total, seed)))
        rows.append(row)
        known.append(int(total.known.sum()))
    curve = [Point(block.stop, mean_interval(column)) for block, column in zip(blocks, zip(*rows, strict=True), strict=True)]
    return evaluation(study, "aggregate", budget, "matches", curve, [row[-1] for row in rows], known)


def _play_block(make: MakeSearch, game: Game, sets: Sets, budget: Budget, seed: int, seat: int, block: range) -> Gathered:
    """What the search accumulated in the matches of a block."""
    gathered, search = Gathered(sets), make(game)
    for number in block:
        _play(search, game, sets, budget, seat, derived_seed(seed, seat, number), gathered)
    return gathered


def _play(search: OnlineSearch, game: Game, sets: Sets, budget: Budget, seat: int, seed: int, gathered: Gathered) -> None:
    """One match from ``seat`` against random opponents; what the search accumulates is added to ``gathered``."""

    def gather() -> None:
        at = sets.find_one(match.history.information_key)
        gathered.add(sets, search.weights(), at)

    players: list[Player] = [RandomPlayer() for _ in range(game.num_players)]
    players[seat] = _Watched(search, gather)
    match = Match(game, players, seed, [budget] * game.num_players)
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

    def follow(self, events: Sequence[Event]) -> None:
        """Tell the search."""
        self._search.notice(events)

    def policy(self, legal_actions: Sequence[int], budget: Budget | None) -> Probabilities:
        """Think, then do what the search says."""
        assert budget is not None  # `_play` gives one to all
        self._search.think(budget.iterations, budget.seconds)
        self._has_thought()
        return self._search.policy(len(legal_actions))
