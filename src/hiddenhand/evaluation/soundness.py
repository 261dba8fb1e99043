"""Soundness of online play: what a player loses that makes each decision only when it comes to it.

Sustr, Schmid, Moravcik, Burch, Lanctot and Bowling (2021), "Sound algorithms in imperfect
information games". A strategy that is written down is worth what a best response leaves of it. A
search in a match writes nothing down: it finds a piece of a strategy at each information set it
comes to. Each piece may belong to an equilibrium, and yet the pieces together may not.

A search has a seed. With the seed fixed, what it would do at each information set is a whole
strategy, because all its random numbers follow from the seed and from what it noticed. It is found
here by running the search in every information set, after it has thought at each of its own
decisions on the way, as in a match. Losses are in the unit of payoffs, added up over both players,
as in `nash_conv`: what a best response earns more than the value of the game.

expected   Of the strategy averaged over seeds, by realisation plans. That is what is lost in a
           match, and in each of many matches if each has a seed of its own and nothing is
           remembered from one match to the next: the opponent may know the program, but not the
           seed. Averaging over few seeds leaves noise, which an opponent cannot use but this
           measurement counts; it shrinks as 1 / seeds.
repeated   The mean over seeds of what each seed's strategy loses. That is lost in the long run of a
           repeated game by a program that begins every match with the same seed, because its
           opponent can find out what it does. What is lost in any number of matches lies between
           the expected and the repeated form; `seed_inference` plays such games.
local      The loss of a seed's worst piece: of the best strategy that does at one information set
           what the search does there, and anything elsewhere (see `policy_completion`).
match      The same for all sets that a player moves at in one match.

The loss of a whole strategy is at least that of the pieces of a match, which is at least that of
each piece. What the whole loses more than its worst piece, the *misfit*, has two causes. Small
errors of many pieces add up, also in a strategy that was written down. And pieces that are right
each for itself can belong to different equilibria. A player with one strategy for all matches is
consistent by construction: its misfit is of the first kind alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.evaluation.measurement import MakeSearch, Study, bounds_of_exploited, exploited
from hiddenhand.evaluation.per_state_search import expected_point
from hiddenhand.evaluation.policy_completion import Completion, last_sets, own_sets_on_the_way
from hiddenhand.evaluation.policy_query import decisions, histories_along
from hiddenhand.evaluation.seed_inference import losses_by_match
from hiddenhand.games.base import Game, verify_constant_sum
from hiddenhand.games.constant_sum import zero_sum_form
from hiddenhand.games.registry import game_of
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.arrays import Floats
from hiddenhand.players.fixed_policies import KnownStrategy
from hiddenhand.players.player import derived_seed
from hiddenhand.players.registry import make_player
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.algorithms import SEARCH, find
from hiddenhand.search.online import Branching
from hiddenhand.statistics import Interval, mean_interval
from hiddenhand.text import one_line, split
from hiddenhand.trees.after_errors import regret_after_errors
from hiddenhand.trees.profile import realisation_plan
from hiddenhand.trees.strategy import Weights
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

MAX_HISTORIES: Final = 100_000
"""Larger games would take hours: a search for each information set, and a linear program."""
MATCHES: Final = 16
"""How many matches a repeated game has."""
PLAYS: Final = 60
"""How many repeated games are played, about."""
ONE_STRATEGY: Final = (
    "consistent by construction: one strategy is known before the match, and every decision is "
    "taken from it"
)
RESOLVES: Final = (
    "safe by construction: each public state is resolved from the values and ranges that the "
    "solution before it handed down, so that its pieces fit as well as these were found"
)
NOT_CONSISTENT: Final = "nothing makes the pieces fit together"


@dataclass(frozen=True)
class Soundness:
    """What an online player loses, with 95 % intervals over seeds. All losses are sums over both
    players.

    game: the game, with moves in turns.
    player: the name of the player.
    iterations: the budget of each thinking in iterations; None where they were not limited.
    seconds: the budget of each thinking in seconds; None where they were not limited.
    seeds: the seeds.
    expected: what the expected strategy loses.
    repeated: what a player loses in the long run that begins every match with the same seed.
    match: what the worst pieces of a match lose.
    local: what the worst piece of an information set loses.
    by_match: what the player loses in each match, from the first on, if all begin with the same
        seed and the opponent learns which one it is (see `seed_inference`).
    after_errors: the mean regret after errors of each seed's strategy, see
        `hiddenhand.trees.after_errors`; no sum over players, but a mean over decisions.
    alike: whether all seeds play the same strategy.
    consistency: whether the pieces fit together by construction, in words.
    """

    game: Game
    player: str
    iterations: int | None
    seconds: float | None
    seeds: tuple[int, ...]
    expected: Interval
    repeated: Interval
    match: Interval
    local: Interval
    by_match: tuple[float, ...]
    after_errors: Interval
    alike: bool
    consistency: str

    def __repr__(self) -> str:
        lost = f"loses {self.expected} a match, {self.repeated} if repeated"
        return one_line(self, f"{self.player} in {self.game}", lost)

    @property
    def misfit(self) -> float:
        """What the pieces of one seed lose together more than the worst of them alone, at least
        0.
        """
        return max(self.repeated.value - self.local.value, 0.0)


def soundness(
    game: Game | GameTree | str,
    player: str,
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    seeds: Sequence[int] = range(5),
    jobs: int = 1,
    backend: str = "loky",
    file: Path | str | None = None,
    max_histories: int = MAX_HISTORIES,
    progress: Progress = SILENT,
) -> Soundness:
    """Measure what an online player loses in a small zero-sum game of two players.

    game: the game, its name, or its tree.
    player: the name of the player, a search or one whose strategy is known beforehand.
    iterations: how many iterations a search may make at each decision.
    seconds: how long a search may think at each decision; the time to follow events is not counted.
    seeds: the seeds of a search, at least one and each once.
    jobs: how many processes share the work; -1 for one for each processor.
    backend: which of joblib's backends runs the processes.
    file: an SQLite file that keeps finished parts; an equal call continues from there.
    max_histories: the most histories that the game may have to be written out.
    progress: receives reports of how far the measurement is.

    Raises GameError for another kind of game, TooLargeError, OptionError, and PlayerError.
    """
    rules = game.game if isinstance(game, GameTree) else as_sequential(game_of(game))
    verify_constant_sum(rules, "soundness", "evaluate")
    played = zero_sum_form(rules)
    asked = make_player(played, player)
    if isinstance(game, GameTree) and played is rules:
        tree = game
    else:
        tree = unroll(played, max_histories, progress)
    if isinstance(asked, KnownStrategy):
        return _measured(tree, player, None, (0,), [asked.profile(tree)], ONE_STRATEGY)
    budget = Budget(iterations, seconds)
    study = Study(
        player, tree, seeds=seeds, jobs=jobs, backend=backend, progress=progress, file=file
    )
    resolves = isinstance(study.make(rules), Branching)
    return _measured(
        tree,
        player,
        budget,
        tuple(study.seeds),
        strategies(study, budget),
        RESOLVES if resolves else NOT_CONSISTENT,
    )


def strategies(study: Study, budget: Budget) -> list[Floats]:
    """For each seed what the search would do at every information set, as a profile
    ``float64[S]``.

    budget: how long the search thinks at each decision.
    """
    tree, seats = study.tree, range(study.tree.num_players)
    ways = [[tree.a_history_in(number).actions for number in last_sets(tree, s)] for s in seats]
    calls = {
        f"seed {seed}, seat {seat}": (budget, seat, ways[seat], seed)
        for seed in study.seeds
        for seat in seats
    }
    found = study.gathered("soundness", budget, _play_everywhere, calls)
    return [
        study.profile(gathered, seed) for seed, gathered in zip(study.seeds, found, strict=True)
    ]


def _play_everywhere(
    make: MakeSearch,
    game: Game,
    budget: Budget,
    seat: int,
    ways: Sequence[Sequence[int]],
    seed: int,
) -> list[Weights]:
    """What a search with one seed plays in all information sets of ``seat``, each as in a match
    that leads there.

    ways: for each set that is a player's last one, the moves to a history in it.
    """
    search, found = make(game), dict[int, Floats]()
    for moves in ways:
        search.start(seat, derived_seed(seed, seat))
        for history in decisions(search, seat, histories_along(game, moves), budget):
            policy = search.policy(len(history.legal_actions()))
            found.setdefault(history.information_key, np.array(policy, np.float64))
    return [Weights.of(found)]


def _measured(
    tree: GameTree,
    player: str,
    budget: Budget | None,
    seeds: tuple[int, ...],
    profiles: Sequence[Floats],
    consistency: str,
) -> Soundness:
    """The record, from the strategy of each seed."""
    completions = [Completion(tree, seat) for seat in range(2)]
    plans = np.array([realisation_plan(tree, profile) for profile in profiles])
    known: dict[tuple[Any, ...], float] = {}
    local, match = list[float](), list[float]()
    for profile in profiles:
        alone, together = zip(
            *(_worst(completion, profile, known) for completion in completions), strict=True
        )
        local.append(sum(alone))
        match.append(sum(together))
    bounds = bounds_of_exploited(tree)[0].tolist()
    return Soundness(
        game=tree.game,
        player=player,
        iterations=None if budget is None else budget.iterations,
        seconds=None if budget is None else budget.seconds,
        seeds=seeds,
        expected=expected_point(tree, plans).nash_conv,
        repeated=mean_interval(
            [float(exploited(tree, profile)[0]) for profile in profiles], *bounds
        ),
        match=mean_interval(match, *bounds),
        local=mean_interval(local, *bounds),
        by_match=tuple(map(float, _by_match(tree, profiles, completions[0].value))),
        after_errors=mean_interval(
            [regret_after_errors(tree, profile).mean for profile in profiles], *bounds
        ),
        alike=all(np.array_equal(profile, profiles[0]) for profile in profiles),
        consistency=consistency,
    )


def _by_match(tree: GameTree, profiles: Sequence[Floats], value: float) -> Floats:
    plays = len(profiles) * max(1, PLAYS // len(profiles))  # each seed as often
    return losses_by_match(tree, profiles, value, MATCHES, plays)


def _worst(
    completion: Completion, profile: Floats, known: dict[tuple[Any, ...], float]
) -> tuple[float, float]:
    """What a player's worst piece loses, and what the player's worst pieces of one match lose.

    known: losses that were found before, by player, sets and pieces; written here.
    """
    tree, seat = completion.tree, completion.player

    def loss(sets: Sequence[int]) -> float:
        pieces = [
            profile[tree.set_start[number] : tree.set_start[number + 1]].tobytes()
            for number in sets
        ]
        key = (seat, *sets, *pieces)
        if key not in known:
            known[key] = completion.loss(sets, profile)
        return known[key]

    alone = max((loss([int(number)]) for number in tree.sets_of(seat)), default=0.0)
    ways = [own_sets_on_the_way(tree, number) for number in last_sets(tree, seat)]
    return alone, max((loss(way) for way in ways), default=0.0)


def guarantee_of(player: str) -> str:
    """What is proven of a search, in the words of the registry; nothing for other players."""
    algorithm = find(split(player)[0], SEARCH)
    return "" if algorithm is None else algorithm.guarantee
