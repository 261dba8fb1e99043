"""How well the players of a match did: means in milli-big-blinds per hand, with their errors.

A milli-big-blind (mbb) is a thousandth of the largest blind.

Several logs may be of one *duplicate* match: the same cards, dealt to the same players in other
seats. A player that is lucky in one log has the others' luck in another. So a deal counts by what a
player won with it on average over the seats, and these averages vary much less from deal to deal.
The competition plays all orders of the seats: two for two players, six for three.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hiddenhand.errors import FileError, OptionError
from hiddenhand.games.poker.definition import GameDefinition
from hiddenhand.interop.acpc.logs import MatchLog
from hiddenhand.statistics import Interval, mean_interval


@dataclass(frozen=True)
class PlayerResult:
    """How one player did.

    name: the player's name.
    hands: how many hands the player has played.
    chips: what the player won in all of them.
    mbb_per_hand: the mean of what the player won, in milli-big-blinds per hand, with its 95 %
        interval.
    standard_error: the standard error of that mean; infinite for a single hand.
    """

    name: str
    hands: int
    chips: float
    mbb_per_hand: Interval
    standard_error: float


@dataclass(frozen=True)
class Results:
    """How all players did.

    players: the players, in the order of seats of the first log.
    duplicate: whether the logs are of one duplicate match, so that deals count and not hands.
    deals: how many observations the means are of: hands, or deals of a duplicate match.
    """

    players: tuple[PlayerResult, ...]
    duplicate: bool
    deals: int


def results(logs: Sequence[MatchLog]) -> Results:
    """How the players of some matches did, together. Raises FileError for logs of different games
    or of different players.
    """
    _verify_alike(logs)
    columns: dict[str, list[Sequence[float]]] = {name: [] for name in player_names(logs[0].names)}
    for log in logs:
        values = zip(*map(log.won, log.hands), strict=True)
        for name, column in zip(player_names(log.names), values, strict=True):
            columns[name].append(column)
    return _results(columns, len(logs) > 1 and is_duplicate(logs), logs[0].definition)


def match_results(
    definition: GameDefinition, names: Sequence[str], values: Sequence[Sequence[float]]
) -> Results:
    """How the players of one match did.

    definition: the game.
    names: the names of the players, in the order of seats.
    values: for each hand, of which there is at least one, what each seat won, in chips.
    """
    columns = zip(*values, strict=True)
    return _results(
        {name: [column] for name, column in zip(player_names(names), columns, strict=True)},
        False,
        definition,
    )


def _results(
    columns: Mapping[str, Sequence[Sequence[float]]], duplicate: bool, definition: GameDefinition
) -> Results:
    """What `results` returns.

    columns: for each player what they won, hand by hand, in each match.
    """
    blind = max(definition.blinds)
    if blind == 0:
        raise FileError(
            "the game has no blinds, so results in big blinds do not exist; describe its hands "
            "with --replay all"
        )
    players, deals = [], 0
    bounds = bounds_in_mbb(definition)
    for name, matches in columns.items():
        chips = [value for match in matches for value in match]
        observed = chips
        if duplicate:  # a deal is one observation, with any order of the seats
            observed = [math.fsum(deal) / len(deal) for deal in zip(*matches, strict=True)]
        deals, in_mbb = len(observed), [1000 * value / blind for value in observed]
        mean, error = mean_interval(in_mbb, *bounds), standard_error(in_mbb)
        players.append(PlayerResult(name, len(chips), math.fsum(chips), mean, error))
    return Results(tuple(players), duplicate, deals)


def bounds_in_mbb(definition: GameDefinition) -> tuple[float, float]:
    """The least and the largest winnings of a hand, in milli-big-blinds. All bet until no raise is
    allowed, and one player wins what all others have put in.
    """
    raises = zip(definition.raise_sizes, definition.max_raises, strict=True)
    chips = max(definition.blinds) + sum(size * count for size, count in raises)
    most = 1000 * chips / max(definition.blinds)
    return -most, (definition.num_players - 1) * most


def standard_error(values: Sequence[float]) -> float:
    """The standard error of the mean of ``values``; infinite for a single one."""
    n = len(values)
    if n < 2:
        return math.inf
    mean = math.fsum(values) / n
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1) / n)


def is_duplicate(logs: Sequence[MatchLog]) -> bool:
    """Whether the same cards were dealt to the same positions in all of ``logs``. Boards are
    compared as far as both were dealt.
    """
    first = logs[0].hands
    return all(
        len(log.hands) == len(first)
        and all(
            one.cards.holes == other.cards.holes
            and all(map(int.__eq__, one.cards.board, other.cards.board))
            for one, other in zip(first, log.hands, strict=True)
        )
        for log in logs[1:]
    )


def player_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names of the players, in the order of seats. The seat is added to the name of players of
    equal names.
    """
    return tuple(
        f"{name} (seat {seat + 1})" if names.count(name) > 1 else name
        for seat, name in enumerate(names)
    )


def _verify_alike(logs: Sequence[MatchLog]) -> None:
    if not logs:
        raise OptionError("there is no log to take results from; give at least one")
    if any(log.definition != logs[0].definition for log in logs):
        raise FileError("the logs are of different games, so they have no result together")
    if any(sorted(log.names) != sorted(logs[0].names) for log in logs):
        raise FileError("the logs are of different players, so they have no result together")
