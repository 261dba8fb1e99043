"""Units of play: matches between two players, each with a budget and a pre-play of its own.

Papers give every player the same *time*. Their searches made different numbers of iterations in it,
so here each player has a number of iterations for each move.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import Final

from hiddenhand.budget import Budget
from hiddenhand.games.poker.generic import GenericPoker
from hiddenhand.matches.match import play_match
from hiddenhand.players.player import Player, derived_seed
from hiddenhand.players.registry import make_player
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand_papers.experiment import Results
from hiddenhand_papers.units import Result, Unit, game_called

_FEWEST_DEALS: Final = 20  # of which the luck of a table of poker is estimated
_DEALS: Final = 2015
"""The seed of chance: all tables of a game share their deals."""


@dataclass(frozen=True)
class Contestant:
    """A player with what it may think.

    player: the name of the player.
    iterations: how many iterations it may make at each move; 0 for a player that does not search,
        or whose moves are limited in seconds.
    preplay: how many iterations it makes before the first move; 0 for none.
    seconds: how long it may think at each move and, before the first move, as long as
        ``preplay_seconds`` says; 0.0 where iterations are given.
    preplay_seconds: how long it thinks before the first move; 0.0 for not at all.
    """

    player: str
    iterations: int = 0
    preplay: int = 0
    seconds: float = 0.0
    preplay_seconds: float = 0.0

    @property
    def thinks(self) -> bool:
        """Whether it searches at its moves."""
        return self.budget is not None

    @property
    def budget(self) -> Budget | None:
        """What it may think at each move."""
        return _budget(self.iterations, self.seconds)

    def seated(self, game: str) -> Player:
        """The player, who thinks before the first move as long as this contestant may."""
        player = make_player(game_called(game), self.player)
        before = _budget(self.preplay, self.preplay_seconds)
        if isinstance(player, SearchPlayer) and before is not None:
            return _Prepared(player, before)
        return player


_CALLS: Final = Contestant("call")

BY_CLOCK: Final = (
    "“Equal wall time” gives all players the printed seconds on our machine. It is run with "
    "`--budget seconds`."
)
"""What the setup of a table says of its reading by the clock."""

Contestants = tuple[tuple[str, Contestant], ...]
"""Players by the names that a table has for them."""


class _Prepared(SearchPlayer):
    """A player that searches, and has a pre-play of its own, whatever the match allows."""

    def __init__(self, player: SearchPlayer, before: Budget) -> None:
        super().__init__(player._make_search, player._budget)
        self._before = before

    def prepare(self, budget: Budget) -> None:
        """Search from the root for as long as this player may."""
        super().prepare(self._before)


def _budget(iterations: int, seconds: float) -> Budget | None:
    if not iterations and not seconds:
        return None
    return Budget(iterations or None, seconds or None)


def by_the_clock(contestants: Contestants, seconds: float, preplay: float = 0.0) -> Contestants:
    """The same players, of whom all who think do so for ``seconds`` at each move on this machine,
    and for ``preplay`` seconds before the first one.
    """
    return tuple(
        (name, Contestant(one.player, seconds=seconds, preplay_seconds=preplay))
        if one.thinks
        else (name, one)
        for name, one in contestants
    )


@dataclass(frozen=True)
class Matches(Unit):
    """Some matches of two players, who sit as they are listed.

    game: the name of the game.
    first: the player in the first seat.
    second: the player in the second seat.
    start: the number of the first match.
    count: how many matches there are.
    alternate: whether the players change seats in every match with an odd number; results are those
        of ``first`` all the same.

    The result has for each match what ``first`` was paid, and for both players together the moves
    and seconds.
    """

    game: str
    first: Contestant
    second: Contestant
    start: int
    count: int
    alternate: bool = False

    @property
    def players(self) -> tuple[str, ...]:
        return self.first.player, self.second.player

    @property
    def seeds(self) -> tuple[int, ...]:
        """The numbers of the matches, which all seeds are derived from."""
        return tuple(range(self.start, self.start + self.count))

    @property
    def by_clock(self) -> bool:
        return any(player.seconds or player.preplay_seconds for player in (self.first, self.second))

    def run(self) -> Result:
        """Play the matches."""
        payoffs, moves, seconds = [], [0, 0], [0.0, 0.0]
        for number in self.seeds:
            seat = number % 2 if self.alternate else 0
            seated = [self.first, self.second]
            if seat:
                seated.reverse()
            record = play_match(
                game_called(self.game),
                [contestant.seated(self.game) for contestant in seated],
                derived_seed(_DEALS, 1, number),
                [contestant.budget for contestant in seated],
                Budget(1),  # each player has a pre-play of their own
                chance_seed=derived_seed(_DEALS, 0, number),
            )
            payoffs.append(record.returns[seat])
            for player in range(2):
                place = player ^ seat
                moves[player] += len(record.seconds[place])
                seconds[player] += sum(record.seconds[place])
        return {
            "payoffs": payoffs,
            "moves": moves,
            "seconds": [round(value, 3) for value in seconds],
        }


Pair = tuple[Contestant, Contestant]
"""Who sits in the first seat and in the second."""

Payoffs = Mapping[Pair, Mapping[str, Mapping[int, float]]]
"""By the two contestants, the game and the number of the match, what the first was paid."""


def payoffs_of(results: Results, games: Collection[str], *, alternate: bool) -> Payoffs:
    """What the first of two contestants was paid in stored matches of ``games``, `without_luck`. A
    match that is stored twice, in units of different lengths, counts once.
    """
    found: dict[Pair, dict[str, dict[int, float]]] = {}
    for unit, result in results.items():
        if isinstance(unit, Matches) and unit.game in games and unit.alternate is alternate:
            of_game = found.setdefault((unit.first, unit.second), {}).setdefault(unit.game, {})
            of_game.update(zip(unit.seeds, result["payoffs"], strict=True))
    return {
        pair: {
            game: without_luck(game, by_number, alternate=alternate)
            for game, by_number in of_games.items()
        }
        for pair, of_games in found.items()
    }


def without_luck(
    game: str, payoffs: Mapping[int, float], *, alternate: bool
) -> Mapping[int, float]:
    """Payoffs of matches of Generic Poker, corrected for the cards; others as they are.

    The luck of a deal is what it pays if neither player ever bets. Its mean is 0: the seats are
    dealt alike. So payoffs less a multiple of it have the same mean, and the least-squares multiple
    leaves the least variance. All cells of a table have the same deals; the correction takes most
    of their common error away.
    """
    if len(payoffs) < _FEWEST_DEALS or not isinstance(game_called(game), GenericPoker):
        return payoffs
    luck = {
        number: -luck_of(game, number) if alternate and number % 2 else luck_of(game, number)
        for number in payoffs
    }
    mean, middle = fmean(payoffs.values()), fmean(luck.values())
    common = sum((payoffs[number] - mean) * (luck[number] - middle) for number in payoffs)
    share = common / (sum((one - middle) ** 2 for one in luck.values()) or 1.0)
    return {number: payoff - share * luck[number] for number, payoff in payoffs.items()}


@lru_cache(maxsize=1 << 16)
def luck_of(game: str, number: int) -> float:
    """What the first player is paid in the deal of a match if neither player ever bets."""
    (payoff,) = Matches(game, _CALLS, _CALLS, number, 1).run()["payoffs"]
    return float(payoff)


def match_units(
    games: Sequence[str],
    pairs: Iterable[Pair],
    count: int,
    at_once: int,
    paper: int,
    *,
    alternate: bool = False,
) -> Iterator[Matches]:
    """``count`` matches of each pair, which are shared out among the games: first some of each
    pair, then more. Pairs in which no player thinks cost nothing, so they have all the matches of
    the paper at every scale.
    """
    pairs = list(dict.fromkeys(pairs))
    idle = [pair for pair in pairs if not any(player.thinks for player in pair)]
    for game in games:
        for first, second in idle:
            yield Matches(game, first, second, 0, max(paper, count) // len(games), alternate)
    for number, (start, size) in enumerate(blocks(count, at_once)):
        for first, second in pairs:
            if (first, second) not in idle:
                yield Matches(games[number % len(games)], first, second, start, size, alternate)


def blocks(count: int, at_once: int) -> list[tuple[int, int]]:
    """``count`` matches in blocks of ``at_once``: the number of the first of each, and how many.
    From one block on only whole ones are made, so that larger counts contain the blocks of smaller
    ones.
    """
    size = min(count, at_once)
    return [(number * size, size) for number in range(math.ceil(count / size))]
