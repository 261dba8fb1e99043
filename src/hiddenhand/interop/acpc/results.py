"""How well the players of a match did: means in milli-big-blinds per hand, with their errors.

A milli-big-blind (mbb) is a thousandth of the largest blind.

Several logs may be of one *duplicate* match: the same cards, dealt to the same players in other
seats. Who was lucky in one has had the others' luck in another. So what counts there is what a
player won with a deal on average over the seats, and these averages vary much less from deal to
deal. The competition plays all orders of the seats: two for two players, six for three.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hiddenhand.errors import FileError, OptionError
from hiddenhand.interop.acpc.logs import MatchLog, by_seat
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
    or of different players, and for logs in which nobody has played a hand.
    """
    _verify_alike(logs)
    duplicate = len(logs) > 1 and is_duplicate(logs)
    blind = max(logs[0].definition.blinds)
    players = []
    for name, columns in _columns(logs).items():
        chips = [value for column in columns for value in column]
        if duplicate:  # a deal is one observation
            observed = [math.fsum(deal) / len(deal) for deal in zip(*columns, strict=True)]
        else:
            observed = chips
        mean = mean_interval([1000 * value / blind for value in observed])
        players.append(
            PlayerResult(
                name=name,
                hands=len(chips),
                chips=math.fsum(chips),
                mbb_per_hand=mean,
                standard_error=standard_error([1000 * value / blind for value in observed]),
            )
        )
    deals = len(logs[0].hands) if duplicate else sum(len(log.hands) for log in logs)
    return Results(tuple(players), duplicate, deals)


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


def _columns(logs: Sequence[MatchLog]) -> dict[str, list[list[float]]]:
    """For each player what they won, hand by hand, in each of the logs."""
    columns: dict[str, list[list[float]]] = {name: [] for name in player_names(logs[0])}
    for log in logs:
        values = [by_seat(record.values, record.hand) for record in log.hands]
        for seat, name in enumerate(player_names(log)):
            columns[name].append([won[seat] for won in values])
    return columns


def player_names(log: MatchLog) -> tuple[str, ...]:
    """The players' names in the order of seats. Players of one name are told apart by their
    seats.
    """
    names = log.names
    return tuple(
        f"{name} (seat {seat + 1})" if names.count(name) > 1 else name
        for seat, name in enumerate(names)
    )


def _verify_alike(logs: Sequence[MatchLog]) -> None:
    if not logs:
        raise OptionError("there is no log to take results from; give at least one")
    if not all(log.hands for log in logs):
        raise FileError("a log has no hand that was played to its end, so there is no result")
    if any(log.definition != logs[0].definition for log in logs):
        raise FileError("the logs are of different games, so they have no result together")
    if any(sorted(player_names(log)) != sorted(player_names(logs[0])) for log in logs):
        raise FileError("the logs are of different players, so they have no result together")
    if max(logs[0].definition.blinds) == 0:
        raise FileError("the game has no blinds, so nothing can be told in big blinds")
