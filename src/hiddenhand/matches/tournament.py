"""Tournaments: many matches between players given by name, in parallel, kept in a file as they
finish.

A tournament answers one `Question`. Each of its matches is known by its players, their seats
and a number, and has seeds of its own, which are derived from the seed of the tournament. So
results do not depend on the order in which matches are played. With budgets in iterations, results
are equal to the last bit, whatever the number of workers and however often the run was interrupted.
Players that ponder are the exception: their thinking depends on the time that others take. All
matches with one number share their deals, so that all players meet the same cards in both seats.
The seed of the deals is independent of the seed of the players: see `match`.

A tournament may stop early, once its win rates are known well enough. That is decided on the
matches in the order of their numbers, not in the order in which they finish. Matches with higher
numbers may have been played by then; they stay in the file and do not count. `width` looks at
intervals for a fixed number of matches again and again, which makes them a little too narrow;
`until` uses intervals that allow it, see `stopping`.
"""

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import combinations
from pathlib import Path
from typing import Any

from hiddenhand.budget import Budget
from hiddenhand.dataframes import frame
from hiddenhand.errors import OptionError, PlayerError, RefusedOptionError
from hiddenhand.games.base import Game
from hiddenhand.games.registry import game_of, game_spec, load_game
from hiddenhand.games.rule_digests import other_rules, rules_of
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.random import seed_sequence
from hiddenhand.matches.aivat import corrected, default_limit
from hiddenhand.matches.match import MatchRecord, drawn_chance_seed, play_match
from hiddenhand.matches.match_records import MatchRecords, Played, Seats
from hiddenhand.matches.seat_groups import Group, orders
from hiddenhand.matches.stopping import Leads, Until, Verdict
from hiddenhand.parameters import plain_number
from hiddenhand.players.named_files import NamedFiles, changed_files
from hiddenhand.players.opponent_learning import Learned, LearningPlayer
from hiddenhand.players.player import derived_seed
from hiddenhand.players.registry import learns, make_player, parse_spec, verify_several
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.statistics import (
    Interval,
    bounded_interval,
    mean_interval,
    points_among,
    wilson_interval,
)
from hiddenhand.text import one_line, split
from hiddenhand.workers import in_parallel

Memories = tuple[Learned | None, ...]
"""For each seat, what a player that learns knows from earlier matches."""


@dataclass(frozen=True)
class Question:
    """The question that a tournament answers.

    game: the name of the game.
    players: the names of the players.
    iterations: the budget of each move in iterations; None for no limit.
    seconds: the budget of each move in seconds; None for no limit.
    preplay: how many seconds each player may think before the first move; None for not at all.
    seed: the seed of the players.
    deals: the seed of chance, a whole number of at least 0. If it is None, a tournament takes the
        seed in its file, or draws one that no player can know.
    aivat: the name of the value estimate by which payoffs are also corrected, see
    `matches.value_estimates`; None
        for no correction.
    """

    game: str
    players: tuple[str, ...]
    iterations: int | None = None
    seconds: float | None = None
    preplay: float | None = None
    seed: int = 0
    deals: int | None = None
    aivat: str | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """The names of all that may read files: the players, and what values come from."""
        is_read = self.aivat is not None and split(self.aivat)[0].casefold() == "strategy"
        return (*self.players, str(self.aivat)) if is_read else self.players

    def canonical(self) -> dict[str, Any]:
        """The question in one form: equal for two questions that mean the same, however they are
        written. Deals are left out if they are yet to be drawn.
        """
        game = load_game(self.game)
        asked = {name: value for name, value in vars(self).items() if name != "deals"}
        asked |= {
            "game": repr(game),
            "players": [str(parse_spec(player)) for player in self.players],
            "rules": rules_of(game),
        }
        return asked if self.deals is None else asked | {"deals": f"{self.deals:x}"}


@dataclass(frozen=True)
class Score:
    """How a player did in one seat.

    matches: how many matches were played.
    payoff: the mean payoff, with its 95 % interval.
    win_rate: the share of matches won, a draw being half a win, with its 95 % interval. Among more
        than two players, the mean share of the others that the player beat.
    seconds_per_move: how long a move took, on average over all moves.
    """

    matches: int
    payoff: Interval
    win_rate: Interval
    seconds_per_move: float

    def __repr__(self) -> str:
        won = f"win rate {self.win_rate:.1%}"
        return one_line(self, f"{self.matches:,} matches", f"payoff {self.payoff}", won)


@dataclass(frozen=True)
class Pairing:
    """The matches of two or more players that count, in one order of seats.

    players: the name of the player in each seat.
    played: the matches, in the order of their numbers.
    largest: the largest payoff of the game, positive or negative; infinite if it is not known.
    """

    players: tuple[str, ...]
    played: tuple[Played, ...]
    largest: float = math.inf

    def __repr__(self) -> str:
        score = self.score() if self.played else None
        paid = "" if score is None else f", payoff {score.payoff} of the first"
        return one_line(self, " against ".join(self.players), f"{len(self.played):,} matches{paid}")

    @property
    def first(self) -> str:
        """The name of the player in the first seat."""
        return self.players[0]

    @property
    def second(self) -> str:
        """The name of the player in the second seat."""
        return self.players[1]

    def corrected(self, seat: int = 0) -> Interval | None:
        """The mean corrected payoff of the player in ``seat``; None where payoffs were not
        corrected.
        """
        found = [match.corrected[seat] for match in self.played if match.corrected is not None]
        return mean_interval(found, -self.largest, self.largest) if found else None

    def score(self, seat: int = 0) -> Score:
        """How the player in ``seat`` did."""
        payoffs = [match.payoffs[seat] for match in self.played]
        points = sum(points_among(match.payoffs, seat) for match in self.played)
        moves = sum(match.moves[seat] for match in self.played)
        return Score(
            matches=len(payoffs),
            payoff=bounded_interval(payoffs, -self.largest, self.largest),
            win_rate=wilson_interval(points, len(payoffs)),
            seconds_per_move=sum(match.seconds[seat] for match in self.played) / max(moves, 1),
        )


class Tournament:
    """A question and the matches that are played to answer it. Close a tournament after use, or use
    it in a ``with`` statement.

    question: the question. The attribute also has the seed of the deals, where it was drawn.
    file: an SQLite file that keeps the matches; None keeps them in memory.

    Raises FileError if the file holds the answer to another question, or if the rules of the game
    or a file that players read have changed since.
    """

    def __init__(self, question: Question, file: Path | str | None = None) -> None:
        _verify(question)
        game = load_game(question.game)
        self._files = NamedFiles(question.files, game)
        asked = question.canonical() | {"files": self._files.digests}
        drawn = {"deals": f"{drawn_chance_seed():x}"} if question.deals is None else {}
        complaints = {
            "rules": partial(other_rules, game),
            "files": partial(changed_files, question.files, game),
        }
        self._store = MatchRecords(
            file, asked, drawn, complaints, question.aivat is not None, game.num_players
        )
        self.question = replace(question, deals=int(self._store.question["deals"], 16))
        self._groups: dict[tuple[Seats, ...], Group] = {}
        self._memories: dict[Seats, Memories] = {}
        self._in_doubt = False  # whether a match may be written and not counted

    def __repr__(self) -> str:
        players = len(self.question.players)
        return one_line(self, self.question.game, f"{players} players")

    @classmethod
    def between(
        cls,
        game: Game | str,
        players: Sequence[str],
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        preplay: float | None = None,
        seed: int = 0,
        deals: int | None = None,
        aivat: str | None = None,
        file: Path | str | None = None,
    ) -> "Tournament":
        """A tournament of the players with these names.

        game: the game, or its name.
        file: an SQLite file that keeps the matches; None keeps them in memory.

        The other arguments are the fields of `Question`.
        """
        verify_several(players)
        name = game if isinstance(game, str) else game_spec(game_of(game))
        question = Question(name, tuple(players), iterations, seconds, preplay, seed, deals, aivat)
        return cls(question, file)

    def run(
        self,
        groups: Iterable[tuple[Seats, ...]],
        matches: int,
        *,
        width: float | None = None,
        until: Until | None = None,
        jobs: int = 1,
        backend: str = "loky",
        progress: Progress = SILENT,
    ) -> None:
        """Play matches until there are enough of them in each order of seats, those in the file
        included.

        groups: the orders of seats that are to be played, in groups, whose matches stop together.
            An order has the index of the player in each seat.
        matches: how many matches are played in each order at most.
        width: a group stops early as soon as `groups.FEWEST` matches are played in each of its
            orders and the 95 % intervals of all win rates are at most this wide, above 0 and below
            1; None for never.
        until: a group, which must be `mirrored`, stops early as this says; None for never, as for
            players that learn from match to match.
        jobs: how many processes play at once; -1 for one for each processor.
        backend: which of joblib's backends runs the processes.
        progress: receives reports of how many matches are done.
        """
        matches = plain_number(matches)
        _verify_run(matches, width)
        self._verify_learning(jobs, until)
        groups = list(groups)
        self._verify_seats(groups)
        self._count_anew([self._group(group, matches, width, until) for group in groups])
        if all(group.settled for group in self._groups.values()):
            return
        _rehearse(self.question)
        for match in in_parallel(_play, self._open_matches(), jobs, backend):
            # a match that has read a changed file ends after the change
            self._files.verify_unchanged()
            self._keep(match)
            progress.update(self._report())

    def pairings(self) -> list[Pairing]:
        """The matches that count, for each order of seats of the last run. Where Ctrl-C ended it
        between writing a match and counting it, all are counted anew, so that the figures are those
        of the file.
        """
        if self._in_doubt:
            self._count_anew(
                [
                    self._group(of.seatings, of.matches, of.width, of.until)
                    for of in self._groups.values()
                ]
            )
        names = self.question.players
        largest = float(_sequential_game(self.question.game).max_utility)
        return [
            Pairing(tuple(names[index] for index in seats), group.counted(seats), largest)
            for group in self._groups.values()
            for seats in group.seatings
        ]

    def to_frame(self) -> Any:
        """A ``pandas.DataFrame`` with a row for each seat of each match that counts."""
        return frame_of(self.pairings())

    def verdicts(self) -> list[Verdict]:
        """What the groups of the last run know about who is ahead; nothing if it had no `until`."""
        return [group.leads.verdict() for group in self._groups.values() if group.leads is not None]

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def __enter__(self) -> "Tournament":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _group(
        self, seatings: tuple[Seats, ...], matches: int, width: float | None, until: Until | None
    ) -> "Group":
        if until is None:
            return Group(seatings, matches, width)
        game = _sequential_game(self.question.game)
        if game.num_players != 2:
            raise OptionError(
                f"until is for games of two players, and {self.question.game} has "
                f"{game.num_players}; give a number of matches, or a width"
            )
        if len(seatings) != 2 or seatings[0] != seatings[1][::-1]:
            raise OptionError(
                "until is for matches of two players in both orders of seats; name a mirrored group"
            )
        return Group(seatings, matches, width, Leads(game, until, self.question.aivat is not None))

    def _open_matches(self) -> Iterator[tuple[Any, ...]]:
        """The matches that remain to be played, in order. The next one is taken while others are
        still being played, so there are no more once all groups have settled.
        """
        groups = list(self._groups.values())
        for number in range(max(group.matches for group in groups)):
            for group in groups:
                for seats in group.seatings:
                    if (
                        not group.settled
                        and number < group.matches
                        and not group.has(seats, number)
                    ):
                        yield self.question, seats, number, *self._remembered(group, seats, number)

    def _verify_seats(self, groups: Iterable[tuple[Seats, ...]]) -> None:
        """Raise PlayerError unless each order names a player for each seat."""
        seats = _sequential_game(self.question.game).num_players
        for order in (order for group in groups for order in group):
            if len(order) != seats:
                raise PlayerError(
                    f"{self.question.game} is for {seats} players, and a group seats {len(order)}; "
                    f"name {seats} players for each match"
                )

    def _verify_learning(self, jobs: int, until: Until | None) -> None:
        for player in filter(learns, self.question.players):
            if jobs != 1:
                raise OptionError(
                    f"{player} learns from match to match, so matches are played one after the "
                    f"other; jobs={jobs} is not allowed, give 1"
                )
            if until is not None:
                raise OptionError(
                    f"{player} learns from match to match, so pairs of its matches depend on each "
                    "other, and until needs independent pairs; give a number of matches without "
                    "until"
                )

    def _remembered(self, group: "Group", seats: Seats, number: int) -> tuple[Memories, ...]:
        """What the players in ``seats`` who learn know after the matches before ``number``; nothing
        where no player learns.
        """
        names = [self.question.players[index] for index in seats]
        if not any(map(learns, names)):
            return ()
        game = _sequential_game(self.question.game)
        if seats not in self._memories:
            self._memories[seats] = tuple(
                Learned(game, seat) if learns(name) else None for seat, name in enumerate(names)
            )
        memories = self._memories[seats]
        for learned in memories:
            while learned is not None and learned.matches < number:
                learned.add_moves(group.played(seats, learned.matches).history)
        return (memories,)

    def _keep(self, match: Played) -> None:
        """Write a match and count it."""
        self._in_doubt = True
        self._store.add(match)
        self._count(match)
        self._in_doubt = False

    def _count_anew(self, groups: Iterable["Group"]) -> None:
        """Count all matches that are written, for groups that have counted none."""
        self._groups = {group.seatings: group for group in groups}
        for match in self._store.played():
            self._count(match)
        self._in_doubt = False

    def _count(self, match: Played) -> None:
        for group in self._groups.values():
            if match.seats in group.seatings:
                group.add(match)

    def _report(self) -> Report:
        groups = self._groups.values()
        done = sum(group.settled_matches if group.settled else group.total for group in groups)
        return Report(
            done, sum(group.settled_matches for group in groups), "matches", self._figures()
        )

    def _figures(self) -> dict[str, float]:
        if len(self._groups) > 1:
            return {}
        (group,) = self._groups.values()
        name = "win rate" if len(group.seatings[0]) == 2 else "points of seat 1"
        return {name: group.points[0][0] / group.prefix} if group.prefix else {}


def frame_of(pairings: Iterable[Pairing]) -> Any:
    """A ``pandas.DataFrame`` with a row for each seat of each match of ``pairings``."""
    return frame(
        {
            "match": match.number,
            "seat": seat,
            "player": player,
            "opponent": ", ".join(pairing.players[:seat] + pairing.players[seat + 1 :]),
            "payoff": match.payoffs[seat],
            "corrected": None if match.corrected is None else match.corrected[seat],
            "moves": match.moves[seat],
            "seconds": match.seconds[seat],
        }
        for pairing in pairings
        for match in pairing.played
        for seat, player in enumerate(pairing.players)
    )


def mirrored(first: int = 0, second: int = 1) -> tuple[Seats, Seats]:
    """The group of both seat orders of two players."""
    return (first, second), (second, first)


def all_pairs(num_players: int) -> list[tuple[Seats, ...]]:
    """A group for each ordered pair, a player against a copy of themselves included: the rows and
    columns of a table.
    """
    return [((first, second),) for first in range(num_players) for second in range(num_players)]


def all_tables(num_players: int, seats: int) -> list[tuple[Seats, ...]]:
    """A group for each choice of ``seats`` different players, in all `orders` of seats."""
    return [orders(chosen) for chosen in combinations(range(num_players), seats)]


def _verify(question: Question) -> None:
    seed_sequence(question.seed)
    seed_sequence(0 if question.deals is None else question.deals)
    _budgets(question)
    if load_game(question.game).num_players < 2:
        raise PlayerError(
            f"{question.game} is a game for one player; name a game for two or more players"
        )
    if question.aivat is not None:
        from hiddenhand.matches.value_estimates import parse_values

        parse_values(question.aivat)  # says what is wrong with it
    for player in question.players:
        if parse_spec(player).name == "human":
            raise PlayerError(
                "human cannot play in a match or tournament that goes on by itself; use: "
                "hiddenhand play"
            )


def _verify_run(matches: int, width: float | None) -> None:
    if isinstance(matches, bool) or not isinstance(matches, int) or matches < 1:
        raise RefusedOptionError("matches", matches, "give a whole number of at least 1")
    if width is not None and not (isinstance(width, (int, float)) and 0 < width < 1):
        raise RefusedOptionError(
            "width", width, "give the width of a win rate's interval, above 0 and below 1"
        )


def _budgets(question: Question) -> tuple[Budget | None, Budget | None]:
    """The budget of each move, and the budget of thinking before the first move."""
    no_limit = question.iterations is None and question.seconds is None
    budget = None if no_limit else Budget(question.iterations, question.seconds)
    preplay = question.preplay
    if preplay is not None and not (isinstance(preplay, (int, float)) and 0 < preplay < math.inf):
        raise RefusedOptionError("preplay", preplay, "give a number of seconds above 0")
    return budget, None if preplay is None else Budget(seconds=preplay)


def _rehearse(question: Question) -> None:
    """Make and start all players once, so that errors are raised, and what the players need is
    compiled, before workers begin.
    """
    game = _sequential_game(question.game)
    if question.aivat is not None:
        from hiddenhand.matches.value_estimates import make_values

        make_values(question.aivat, game)
    for player in question.players:
        for seat in range(game.num_players):
            make_player(game, player).start(game, seat, 0)


@lru_cache(maxsize=16)
def _sequential_game(text: str) -> Game:
    return as_sequential(load_game(text))


def _play(
    question: Question, seats: Seats, number: int, memories: Memories | None = None
) -> Played:
    """Play one match; this is what workers do.

    memories: for each seat, what a player that learns knows from earlier matches; None if no player
        learns.
    """
    game = _sequential_game(question.game)
    budget, preplay = _budgets(question)
    assert question.deals is not None  # a tournament's question has them
    seed = derived_seed(question.seed, 1, *seats, number)
    players = [make_player(game, question.players[index]) for index in seats]
    for player, learned in zip(players, memories or [None] * len(seats), strict=True):
        if isinstance(player, LearningPlayer):
            player.learned = learned
    record = play_match(
        game,
        players,
        seed,
        [budget] * len(players),
        preplay,
        chance_seed=derived_seed(question.deals, 0, number),
    )
    return Played(
        seats=seats,
        number=number,
        history=record.moves,
        payoffs=record.returns,
        moves=tuple(map(len, record.seconds)),
        seconds=tuple(map(sum, record.seconds)),
        thoughts=tuple(map(record.thought, range(len(players)))),
        corrected=None if question.aivat is None else _corrected(record, question.aivat),
    )


def _corrected(record: MatchRecord, aivat: str) -> tuple[float, ...]:
    """The corrected payoffs of all players. Rollouts have a seed of their own, which follows from
    that of the players as their own seeds do.
    """
    from hiddenhand.matches.value_estimates import make_values

    values = make_values(aivat, record.game, derived_seed(record.seed, record.game.num_players + 1))
    return corrected(record, values, limit=default_limit(record.game))


@dataclass(frozen=True)
class Winnings:
    """Winnings as poker players count them: thousandths of a big blind for each hand.

    Where players changed seats with the same cards, the hands of a deal are one observation, their
    mean. The luck of the cards cancels out in it, and the standard error is that of these means.
    The poker competition calls such matches duplicate.

    mbb_per_hand: the mean, in thousandths of a big blind for each hand.
    standard_error: the standard error of the mean, in the same unit; infinity if there is only one
        deal.
    deals: how many deals were played to the end in all seats.
    """

    mbb_per_hand: float
    standard_error: float
    deals: int


def winnings(pairings: Sequence[Pairing], big_blind: float) -> Winnings:
    """The winnings of the player in seat i of ``pairings[i]``, from all deals that were played in
    every seat. There is at least one such deal.

    big_blind: the unit of payoffs, above 0.
    """
    paid = [
        {match.number: match.payoffs[seat] for match in pairing.played}
        for seat, pairing in enumerate(pairings)
    ]
    numbers = sorted(set(paid[0]).intersection(*paid[1:]))
    unit = 1000.0 / big_blind / len(pairings)
    deals = [unit * math.fsum(payoffs[number] for payoffs in paid) for number in numbers]
    error = math.inf
    if len(deals) > 1:
        error = statistics.stdev(deals) / math.sqrt(len(deals))
    return Winnings(statistics.fmean(deals), error, len(deals))
