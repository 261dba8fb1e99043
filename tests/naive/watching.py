"""A player who plays like another and writes down everything that reaches them."""

from collections.abc import Sequence

from hiddenhand.budget import Budget
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.players.player import Decision, Player


class Logged:
    """Passes everything on to ``player``. ``heard``: all events so far, a tuple for each decision;
    ``offered``: the legal actions then.
    """

    def __init__(self, player: Player, seed: int | None = None) -> None:
        self.player = player
        self.own_seed = seed  # instead of the referee's
        self.heard: list[tuple[Event, ...]] = []
        self.offered: list[Sequence[int]] = []
        self.decisions: list[Decision] = []
        self.ended: tuple[Sequence[Event], float] | None = None

    def start(self, game: Game, seat: int, seed: int) -> None:
        self.seat, self.seed = seat, seed
        self.player.start(game, seat, seed if self.own_seed is None else self.own_seed)

    def prepare(self, budget: Budget) -> None:
        self.prepared = budget
        self.player.prepare(budget)

    def act(
        self, events: Sequence[Event], legal_actions: Sequence[int], budget: Budget | None
    ) -> Decision:
        self.heard.append((*(self.heard[-1] if self.heard else ()), *events))
        self.offered.append(legal_actions)
        self.decisions.append(self.player.act(events, legal_actions, budget))
        return self.decisions[-1]

    def end(self, events: Sequence[Event], payoff: float) -> None:
        self.ended = (events, payoff)
        self.player.end(events, payoff)


class Scripted:
    """Takes the given actions, one after the other."""

    def __init__(self, *actions: int) -> None:
        self.actions = list(actions)

    def start(self, game: Game, seat: int, seed: int) -> None:
        pass

    def prepare(self, budget: Budget) -> None:
        pass

    def act(
        self, events: Sequence[Event], legal_actions: Sequence[int], budget: Budget | None
    ) -> Decision:
        action = self.actions.pop(0)
        return Decision(action, tuple(float(legal == action) for legal in legal_actions))

    def end(self, events: Sequence[Event], payoff: float) -> None:
        pass
