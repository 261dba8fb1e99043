"""Players of ours as bots of OpenSpiel."""

from typing import Any

import numpy as np
import pyspiel

from hiddenhand.budget import Budget
from hiddenhand.errors import PlayerError
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event, History
from hiddenhand.interop.openspiel.pairing import Replay, our_form
from hiddenhand.players.player import Deciding, Decision, Player, derived_seed, verified_policy
from hiddenhand.players.registry import make_player


class HiddenhandBot(pyspiel.Bot):  # type: ignore[misc]
    """A player of ours, which sits at a seat of a game of OpenSpiel.

    The player sees what that seat may see and nothing else: the bot reads only the history of a
    state of OpenSpiel, and our rules decide what the seat noticed of it.

    game: a ``pyspiel.Game``: one of OpenSpiel's, or ``hiddenhand``.
    seat: which of its players the bot is.
    player: the player, or its name, such as "oos" or "strategy(FILE)".
    budget: how long the player may think at each move; searches need one.
    seed: the seed of all random numbers; each match takes another part of them.
    ours: the game that the player plays, by default the game that `from_openspiel` returns.
    """

    def __init__(
        self,
        game: Any,
        seat: int,
        player: Player | str,
        *,
        budget: Budget | None = None,
        seed: int = 0,
        ours: Game | None = None,
    ) -> None:
        super().__init__()
        self._ours = our_form(game) if ours is None else ours
        if not 0 <= seat < self._ours.num_players:
            raise PlayerError(
                f"seat={seat} is not allowed; give a number from 0 to {self._ours.num_players - 1}"
            )
        self._player = make_player(self._ours, player) if isinstance(player, str) else player
        self._replay = Replay(game, self._ours)
        self._seat, self._budget, self._seed = seat, budget, seed
        self._matches = 0
        self.restart()

    def restart(self) -> None:
        """A match begins at the root."""
        self._replay.begin()
        self._told = 0
        self._player.start(self._ours, self._seat, derived_seed(self._seed, self._matches))
        self._matches += 1

    def restart_at(self, state: Any) -> None:
        """A match begins at ``state``; the player gets the events before it at its first move."""
        self.restart()

    def inform_action(self, state: Any, player: int, action: int) -> None:
        """Nothing is done: the history of the next state says it all."""

    def inform_actions(self, state: Any, actions: list[int]) -> None:
        """Nothing is done, as above."""

    def step(self, state: Any) -> int:
        """The action that the player takes in ``state``."""
        return self.step_with_policy(state)[1]

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """The probabilities of the legal actions, and the action that was drawn from them. No
        probabilities are returned for a player that returns only its action.

        Raises PlayerError for an action that is not legal.
        """
        events, numbers = self._news(state)
        legal = list(numbers)
        decision: Decision = self._player.act(events, legal, self._budget)
        who = type(self._player).__name__
        if decision.action not in numbers:
            raise PlayerError(f"{who} answered {decision.action!r}; legal actions are {legal}")
        told = np.array(decision.policy)
        policy = verified_policy(told, legal, who) if decision.policy else ()
        return list(zip(numbers.values(), policy, strict=False)), numbers[decision.action]

    def get_policy(self, state: Any) -> list[tuple[int, float]]:
        """The probabilities of the legal actions. Raises PlayerError for a player that returns only
        its action.
        """
        if not isinstance(self._player, Deciding):
            raise PlayerError(f"{type(self._player).__name__} does not tell a policy")
        events, numbers = self._news(state)
        self._player.follow(events)
        policy = self._player.policy(list(numbers), self._budget)
        return list(zip(numbers.values(), map(float, policy), strict=True))

    def provides_policy(self) -> bool:
        """Whether `get_policy` is available."""
        return isinstance(self._player, Deciding)

    def provides_force_action(self) -> bool:
        """The bot may be made to take any action: what was done is read from the state."""
        return True

    def force_action(self, state: Any, action: int) -> None:
        """Nothing is done: the history of the next state says it."""

    def _news(self, state: Any) -> tuple[list[Event], dict[int, int]]:
        """What the seat noticed since its last move, and OpenSpiel's legal actions by ours."""
        history = self._replay.at_turn(state, self._seat)
        if history.player != self._seat:
            raise PlayerError(f"it is not the turn of player {self._seat} in {str(state)!r:.200}")
        events = events_of(history, self._seat)
        news, self._told = events[self._told :], len(events)
        return news, self._replay.numbers(state, self._seat)


def events_of(history: History, player: int) -> list[Event]:
    """All that ``player`` noticed in the course of ``history``."""
    again, events = History(history.game), list[Event]()
    for move in history.moves:
        again = again.child(move)
        if (event := again.noticed(player)) is not None:
            events.append(event)
    return events
