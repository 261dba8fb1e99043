"""The referee: plays one match, tells each player what they notice and nothing else, and keeps the record.

Seeds. The players' and chance's random numbers have nothing to do with each other. The k-th chance move of a match takes the k-th number of
chance's own stream, whoever sits where; so two matches with one ``chance_seed`` share their deals, and players who change seats meet the same cards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.errors import PlayerError
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.history import Event, History
from hiddenhand.games.rule_errors import explained
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.players.player import Decision, Player, View, Watching, derived_seed, draw


@dataclass(frozen=True)
class MatchRecord:
    """A match that was played to its end. Tuples over players are in the order of the seats.

    game: with moves in turns; seed, chance_seed: what it was played with; moves: all of them, chance's included; returns: what each player was
    paid; decisions: each player's, in order; seconds: how long each took, by the referee's clock.
    """

    game: Game
    seed: int
    chance_seed: int
    moves: tuple[int, ...]
    returns: tuple[float, ...]
    decisions: tuple[tuple[Decision, ...], ...]
    seconds: tuple[tuple[float, ...], ...]

    def thought(self, player: int) -> dict[str, float]:
        """The largest value in the match of each figure that ``player`` gave about their thinking."""
        largest: dict[str, float] = {}
        for decision in self.decisions[player]:
            for name, value in decision.thought.items():
                largest[name] = max(float(value), largest.get(name, float(value)))
        return largest


def play_match(
    game: Game,
    players: Sequence[Player],
    seed: int,
    budgets: Sequence[Budget | None] | None = None,
    preplay: Budget | None = None,
    chance_seed: int | None = None,
) -> MatchRecord:
    """Play one match and return its record; see `Match`."""
    return Match(game, players, seed, budgets, preplay, chance_seed).play()


class Match:
    """A match of ``players``, in the order of their seats.

    seed: of the players and, unless ``chance_seed`` is given, of chance. budgets: for each player, for each move; None for players who need none.
    preplay: what each player may think before the first move. Raises PlayerError for a wrong number of players or an action that is not legal.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        seed: int,
        budgets: Sequence[Budget | None] | None = None,
        preplay: Budget | None = None,
        chance_seed: int | None = None,
    ) -> None:
        self.game = as_sequential(game)
        self.history = History(self.game)
        self._players = players
        self._budgets: Sequence[Budget | None] = [None] * len(players) if budgets is None else budgets
        if not len(players) == len(self._budgets) == self.game.num_players:
            raise PlayerError(f"{game} is for {self.game.num_players} players; there are {len(players)}, and {len(self._budgets)} budgets")
        self._preplay = preplay
        self._seed = seed
        self._chance_seed = seed if chance_seed is None else chance_seed
        self._started = False
        self._chance = np.random.default_rng(derived_seed(self._chance_seed, 0))
        self._unheard: list[list[Event]] = [[] for _ in players]
        self._decisions: list[list[Decision]] = [[] for _ in players]
        self._seconds: list[list[float]] = [[] for _ in players]

    def start(self) -> None:
        """Seat the players: they compile, load and solve what they need, before any clock runs."""
        for seat, player in enumerate(self._players):
            player.start(self.game, seat, derived_seed(self._seed, 1 + seat))
        self._started = True

    def play(self) -> MatchRecord:
        """Play to the end. What a player raises comes through; ``history`` then tells how far the match came.

        Raises RuleError for a rule that fails.
        """
        if not self._started:
            self.start()
        if self._preplay is not None:
            for player in self._players:
                player.prepare(self._preplay)
        while (mover := self._mover()) != TERMINAL:
            self._advance(self._deal() if mover == CHANCE else self._ask(mover))
        with explained(self.history):
            returns = self.history.returns()
        for seat, player in enumerate(self._players):
            player.end(self._news(seat), returns[seat])
        return MatchRecord(
            game=self.game,
            seed=self._seed,
            chance_seed=self._chance_seed,
            moves=_actions(self.history),
            returns=returns,
            decisions=tuple(map(tuple, self._decisions)),
            seconds=tuple(map(tuple, self._seconds)),
        )

    def picture(self, seat: int) -> str:
        """What ``seat`` may see of where the match is."""
        with explained(self.history):
            return self.game.render(self.history.state, seat)

    def _mover(self) -> int:
        with explained(self.history):
            return self.history.player

    def _deal(self) -> int:
        with explained(self.history):
            outcomes = self.history.chance_outcomes()
        return outcomes[draw([p for _, p in outcomes], self._chance.random())][0]

    def _ask(self, seat: int) -> int:
        """The action of the player at ``seat``, on the clock."""
        player = self._players[seat]
        with explained(self.history):
            legal_actions = self.history.legal_actions()
            names = self._names(seat, legal_actions) if isinstance(player, Watching) else {}
        if isinstance(player, Watching):
            player.see(View(self.picture(seat), names))
        events = self._news(seat)
        began = perf_counter()
        decision = player.act(events, tuple(legal_actions), self._budgets[seat])
        self._seconds[seat].append(perf_counter() - began)
        if decision.action not in legal_actions:
            raise PlayerError(f"{type(player).__name__} in seat {seat} answered {decision.action!r}; legal actions are {legal_actions}")
        self._decisions[seat].append(decision)
        return decision.action

    def _advance(self, move: int) -> None:
        with explained(self.history, move):
            self.history = self.history.child(move)
        for seat, unheard in enumerate(self._unheard):
            event = self.history.noticed(seat)
            if event is not None:
                unheard.append(event)

    def _news(self, seat: int) -> tuple[Event, ...]:
        news = tuple(self._unheard[seat])
        self._unheard[seat].clear()
        return news

    def _names(self, seat: int, legal_actions: Sequence[int]) -> Mapping[int, str]:
        return {action: self.game.action_name(self.history.state, seat, action) for action in legal_actions}


def _actions(history: History) -> tuple[int, ...]:
    """The moves of a history in which nobody moves at the same time as others."""
    return tuple(move for move in history.moves if isinstance(move, int))
