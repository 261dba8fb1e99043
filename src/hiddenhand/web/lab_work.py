"""Runs the experiments of the lab: how fast searches approach an equilibrium, and tournaments.

An experiment passes its events to `say`, one by one. The lab keeps these events, and pages draw
them. To stop an experiment, its listener raises `Stopped` at a report.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import isfinite
from statistics import fmean
from typing import Final, Protocol

from hiddenhand.errors import GameError, HiddenhandError, OptionError, PlayerError
from hiddenhand.evaluation.tracing import Advance, trace
from hiddenhand.games.base import Game
from hiddenhand.jit.arrays import Floats
from hiddenhand.matches.ranking import ranking, verify_different
from hiddenhand.matches.ratings import mean_leads, rate
from hiddenhand.matches.tournament import Pairing, Tournament, all_tables
from hiddenhand.parameters import plain_number
from hiddenhand.players.registry import make_player, parse_spec
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.progress import Report
from hiddenhand.search.algorithms import SEARCH, find
from hiddenhand.search.root_search import found_by, verify_searchable
from hiddenhand.solvers.cfr import CFR
from hiddenhand.solvers.cfr_variants import VARIANTS
from hiddenhand.statistics import Interval
from hiddenhand.text import shortened
from hiddenhand.trees.profile import nash_conv
from hiddenhand.trees.tree import GameTree
from hiddenhand.web.analysis import written_out
from hiddenhand.web.catalogue import bounded
from hiddenhand.web.match import Stopped
from hiddenhand.web.views import Plain

CONVERGENCE: Final = "convergence"
TOURNAMENT: Final = "tournament"
POINTS: Final = 24
"""The number of measurements of nash_conv; the first ones are closest together."""
_LIMITS: Final = {CONVERGENCE: (4, 120.0), TOURNAMENT: (10, 10.0)}
_MOST_MATCHES: Final = 1000
_GROWTH: Final = 1.1
"""Scores are reported each time that the number of matches has grown by this factor."""

Say = Callable[[Plain], None]


@dataclass(frozen=True)
class Work:
    """An experiment to run.

    kind: `CONVERGENCE` or `TOURNAMENT`.
    game: the name of the game.
    players: for convergence, searches or variants of CFR; for a tournament, bots.
    seconds: the total time of each search, or the time of a bot for each move.
    matches: how many matches are played in each order of seats.
    seed: the seed of all random numbers.
    """

    kind: str
    game: str
    players: tuple[str, ...]
    seconds: float
    matches: int = 0
    seed: int = 0

    def verified(self) -> "Work":
        """This work. Raises OptionError if it exceeds the limits of the lab."""
        if self.kind not in _LIMITS:
            raise OptionError(f"kind={self.kind:.30} is not allowed; choose convergence or "
                              "tournament")  # fmt: skip
        most, longest = _LIMITS[self.kind]
        least = 1 if self.kind == CONVERGENCE else 2
        if not least <= len(self.players) <= most:
            raise OptionError(
                f"{len(self.players)} players are not allowed; name {least} to {most}"
            )
        if not 0 < self.seconds <= longest:
            raise OptionError(
                f"seconds={self.seconds} is not allowed; give a number above 0, up to {longest:g}"
            )
        if self.kind == TOURNAMENT and not 1 <= plain_number(self.matches) <= _MOST_MATCHES:
            raise OptionError(
                f"matches={self.matches} is not allowed; give a number from 1 to {_MOST_MATCHES}"
            )
        return self

    def written(self) -> Plain:
        """The work as plain data, which `read_work` reads."""
        return asdict(self) | {"players": list(self.players)}


def matches_of_pair(work: Work, seats: int) -> int:
    """How many matches of a tournament each two bots play in, in a game for ``seats`` players."""
    tables = all_tables(len(work.players), seats)
    return work.matches * sum(len(orders) for orders in tables if {0, 1} <= set(orders[0]))


def read_work(written: Plain) -> Work:
    """The work that `Work.written` wrote."""
    return Work(**{**written, "players": tuple(written["players"])})


class Listener:
    """Raises `Stopped` at the next report after a request to stop.

    is_stopped: returns whether there was a request.
    """

    def __init__(self, is_stopped: Callable[[], bool]) -> None:
        self._is_stopped = is_stopped

    def update(self, report: Report) -> None:
        """See `Progress`."""
        if self._is_stopped():
            raise Stopped


def verify_feasible(work: Work, game: Game) -> None:
    """Raise GameError if the convergence on a game cannot be measured, and PlayerError for a
    tournament of equal bots, or of fewer than the game has seats.
    """
    if work.kind == TOURNAMENT:
        verify_different([bounded(player) for player in work.players], game.num_players)
    elif written_out(game) is None:
        raise GameError(
            f"{shortened(work.game)} is too large to measure how near a strategy is to an "
            "equilibrium, or cannot be written out; choose a smaller game"
        )


def do_work(work: Work, game: Game, say: Say, is_stopped: Callable[[], bool]) -> None:
    """Run an experiment. Raises Stopped, and HiddenhandError if it cannot run.

    game: the game of the work, with moves in turns.
    """
    if work.kind == CONVERGENCE:
        _converge(work, game, say, Listener(is_stopped))
    else:
        _play(work, game, say, is_stopped)


# --- convergence ---


class _Solver(Protocol):
    """A search or solver that approaches an equilibrium with time."""

    advance: Advance
    """Continues for some seconds."""

    def profile(self) -> Floats:
        """The strategy so far, on the tree."""

    def figures(self) -> Plain:
        """Counts by name."""


class _Search:
    """A search from the beginning of the game."""

    def __init__(self, spec: str, game: Game, tree: GameTree, seed: int) -> None:
        player = make_player(game, bounded(spec))
        if not isinstance(player, SearchPlayer):
            raise PlayerError(f"{spec} does not search; name a search, or a variant of CFR")
        player.start(game, 0, seed)
        algorithm = find(parse_spec(spec).name, SEARCH)
        if algorithm is not None:
            verify_searchable(algorithm, game, player.search)
        self._search, self._tree = player.search, tree
        self.advance: Advance = player.search.think
        self.profile()  # compiles; raises if the search has no strategy for all players

    def profile(self) -> Floats:
        return found_by(self._search, 0.0).strategy.on(self._tree)

    def figures(self) -> Plain:
        thought = self._search.thought().items()
        return {name: float(value) for name, value in thought if isfinite(float(value))}


class _Variant:
    """A variant of CFR on the whole tree."""

    def __init__(self, spec: str, tree: GameTree) -> None:
        self._run = CFR(tree, spec)
        self.advance: Advance = self._run.iterate
        CFR(tree, spec).run(1)  # compiles

    def profile(self) -> Floats:
        return self._run.average_profile()

    def figures(self) -> Plain:
        sets = float(self._run.tree.num_sets)
        return {"iterations": float(self._run.iterations), "information sets": sets}


def _converge(work: Work, game: Game, say: Say, listen: Listener) -> None:
    """Measure one search after the other, each alone on the processor."""
    verify_feasible(work, game)
    tree = written_out(game)
    assert tree is not None
    stops = [work.seconds * (look / POINTS) ** 2 for look in range(1, POINTS + 1)]
    for curve, spec in enumerate(work.players):
        say({"event": "preparing", "curve": curve})
        try:
            solver = _solver(spec, game, tree, work.seed)
        except HiddenhandError as error:
            say({"event": "failed", "curve": curve, "why": str(error)})
            continue

        def measured(solver: _Solver = solver) -> tuple[float, Plain]:
            return nash_conv(tree, solver.profile()), solver.figures()

        for point in trace(solver.advance, measured, seconds=stops, progress=listen):
            gap, figures = point.value
            say({"event": "point", "curve": curve, "seconds": point.seconds, "nash_conv": gap,
                 "figures": figures})  # fmt: skip
            listen.update(Report(point.seconds))


def is_variant(spec: str) -> bool:
    """Whether ``spec`` names a variant of CFR."""
    return spec.strip().casefold() in VARIANTS


def _solver(spec: str, game: Game, tree: GameTree, seed: int) -> _Solver:
    if is_variant(spec):
        return _Variant(spec.strip().casefold(), tree)
    return _Search(spec, game, tree, seed)


# --- tournaments ---


def _play(work: Work, game: Game, say: Say, is_stopped: Callable[[], bool]) -> None:
    """Play the matches in rounds, and report the scores."""
    players = [bounded(player) for player in work.players]
    say({"event": "preparing"})
    with Tournament.between(work.game, players, seconds=work.seconds, seed=work.seed) as played:
        scores = _Scores(played, say, is_stopped)
        groups = all_tables(len(players), game.num_players)
        played.run(groups, work.matches, progress=scores)
        scores.tell()


class _Scores:
    """Reports the score of each two bots, and the ranking of all bots."""

    def __init__(self, played: Tournament, say: Say, is_stopped: Callable[[], bool]) -> None:
        self._played, self._say, self._listen = played, say, Listener(is_stopped)
        self._counted: dict[tuple[int, int], int] = {}
        self._next = 0.0

    def update(self, report: Report) -> None:
        """See `Progress`."""
        self._listen.update(report)
        if report.done >= self._next:
            self._next = report.done * _GROWTH
            self.tell()

    def tell(self) -> None:
        """Report the scores that have changed."""
        pairings = self._played.pairings()
        names = self._played.question.players
        leads = mean_leads(pairings)
        has_changed = False
        for one, other in combinations(range(len(names)), 2):
            pair = names[one], names[other]
            count = sum(len(met.played) for met in pairings if set(pair) <= set(met.players))
            if pair in leads and count != self._counted.get((one, other)):
                self._counted[one, other] = count
                has_changed = True
                self._say({"event": "score", "first": one, "second": other, "matches": count,
                           **_written(leads[pair], "mean")})  # fmt: skip
        if has_changed and all(pairing.played for pairing in pairings):
            self._say({"event": "standings", "standings": _standings(names, pairings)})


def _standings(names: Sequence[str], pairings: Sequence[Pairing]) -> list[Plain]:
    """The bots, best first: the number of each, and its matches, its first and last place, its
    Elo, its share of the points and its mean payoff, with 95 % intervals, and its mean payoff in
    each seat.
    """
    rated = rate(names, pairings)
    found = []
    for one in ranking(pairings):
        bot = names.index(one.player)
        seats = [
            fmean(
                match.payoffs[seat]
                for met in pairings
                if met.players[seat] == one.player
                for match in met.played
            )
            for seat in range(len(pairings[0].players))
        ]
        found.append({
            "bot": bot,
            "matches": one.matches,
            "places": list(rated.places[bot]),
            "elo": _written(rated.elo[bot]),
            "points": _written(one.points),
            "payoff": _written(one.payoff),
            "seats": seats,
        })  # fmt: skip
    return found


def _written(figure: Interval, name: str = "value") -> Plain:
    """A figure and the ends of its interval, which are None where they are not known."""
    low, high = (end if isfinite(end) else None for end in (figure.low, figure.high))
    return {name: figure.value, "low": low, "high": high}
