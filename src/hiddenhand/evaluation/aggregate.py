"""The aggregate method: how exploitable is a search, as far as its matches show it.

Lisy, Lanctot and Bowling (2015), Section 4.2; in Lisy's thesis (2014) "multi-match aggregate method", Section 4.3.1. From each seat the search plays a
number of matches against opponents who move at random. Whenever it has thought, what it has accumulated so far in the match (visits in IS-MCTS, s_I in
OOS) is added to a global strategy: for the present information set, and for all own sets that can still be reached. The mass of what is added is its
weight: where a set was reached in a match, the samples made there outweigh the guesses made from further up. In the end each set is normalised, and
`nash_conv` of that strategy is the result. Sets that no search ever saw play a fixed action, drawn once at random, or uniformly.

What differs from the paper: nothing that it says. It leaves open whether 500 matches are for both seats together; here they are for each seat.
Matches are added up in blocks, which are also the steps of the curve; so results do not depend on how many processes share the work.
"""

from collections.abc import Callable, Sequence
from typing import Final

from hiddenhand.budget import Budget
from hiddenhand.errors import BudgetError
from hiddenhand.evaluation.collecting import Gathered, Sets, gathered_below
from hiddenhand.evaluation.evaluation import Evaluation, MakeSearch, search_named, think, verify_seeds, verify_unseen
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.players.match import Match
from hiddenhand.players.player import Deciding, Player, Probabilities, derived_seed
from hiddenhand.players.simple import RandomPlayer
from hiddenhand.players.workers import in_parallel
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.search.online import OnlineSearch
from hiddenhand.trees.profile import nash_conv
from hiddenhand.trees.tree import GameTree

MATCHES: Final = 500
EVERY: Final = 50


def aggregate(
    player: str | MakeSearch,
    tree: GameTree,
    budget: Budget,
    *,
    matches: int = MATCHES,
    every: int = EVERY,
    seeds: Sequence[int] = (0,),
    unseen: str = "fixed",
    jobs: int = 1,
    backend: str = "loky",
    progress: Progress = SILENT,
) -> Evaluation:
    """Measure ``player``, a search or its name, in ``matches`` from each seat with ``budget`` for each move; the curve has a point ``every`` so many.

    Raises BudgetError, and PlayerError for a player who does not search.
    """
    if matches < 1 or every < 1:
        raise BudgetError(f"matches={matches} and every={every} are not allowed; give at least 1")
    seeds, make = verify_seeds(seeds), search_named(player)
    verify_unseen(unseen)
    sets, seats = Sets.of(tree), range(tree.num_players)
    blocks = [range(first, min(first + every, matches)) for first in range(0, matches, every)]
    calls = [(make, tree.game, sets, budget, seed, seat, block) for seed in seeds for block in blocks for seat in seats]
    parts: dict[tuple[int, int, range], Gathered] = {}
    for place, part in in_parallel(_play_block, calls, jobs, backend):
        parts[place] = part
        progress.update(Report(len(parts), len(calls), "blocks of matches"))
    rows, known = [], 0
    for seed in seeds:
        total, row = Gathered(sets), []
        for block in blocks:
            for seat in seats:
                total.merge(parts.pop((seed, seat, block)))
            row.append(nash_conv(tree, total.profile(tree, unseen, seed)))
        rows.append(row)
        known += int(total.known.sum())
    return Evaluation.over_seeds(
        [block.stop for block in blocks],
        rows,
        game=tree.game,
        player=str(player),
        method="aggregate",
        unseen=unseen,
        seeds=seeds,
        iterations=budget.iterations,
        seconds=budget.seconds,
        unit="matches",
        known=known / len(seeds),
        information_sets=tree.num_sets,
    )


def _play_block(
    make: MakeSearch, game: Game, sets: Sets, budget: Budget, seed: int, seat: int, block: range
) -> tuple[tuple[int, int, range], Gathered]:
    """What the search has thought from ``seat`` in the matches of a block, and which block it was."""
    gathered, search = Gathered(sets), make(game)
    for number in block:
        _play(search, game, budget, derived_seed(seed, seat, number), seat, lambda at: gathered_below(sets, search.weights(), sets.find_key(at), gathered))
    return (seed, seat, block), gathered


def _play(search: OnlineSearch, game: Game, budget: Budget, seed: int, seat: int, collect: Callable[[int], None]) -> None:
    """One match against random opponents; ``collect`` is called with the key of the information set in which the search has just thought."""
    players: list[Player] = [RandomPlayer() for _ in range(game.num_players)]
    players[seat] = _Watched(search, budget, lambda: collect(match.history.information_key))
    match = Match(game, players, seed, [budget] * len(players))
    match.play()


class _Watched(Deciding):
    """Plays what ``search`` says, and reports whenever it has thought. The search is used for one match after the other."""

    def __init__(self, search: OnlineSearch, budget: Budget, thought: Callable[[], None]) -> None:
        self._search = search
        self._budget = budget
        self._has_thought = thought

    def start(self, game: Game, seat: int, seed: int) -> None:
        """See `Player.start`."""
        super().start(game, seat, seed)
        self._search.start(seat, derived_seed(seed, 1))

    def follow(self, events: Sequence[Event]) -> None:
        """Tell the search."""
        self._search.notice(events)

    def policy(self, legal_actions: Sequence[int], budget: Budget | None) -> Probabilities:
        """Think, report, and do what the search says."""
        think(self._search, self._budget)
        self._has_thought()
        return self._search.policy(len(legal_actions))
