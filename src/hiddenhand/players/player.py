"""What a player is: told what one seat may notice, and asked for an action when it is their turn.

A player never receives a state, so that none can peek. What reaches it are the rules (the game
itself), its seat, a seed for all its randomness, the events that it noticed, its legal actions and
a budget. Games with simultaneous moves are played in turns (see `as_sequential`).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final, Protocol, runtime_checkable

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.compiled.arrays import Floats
from hiddenhand.compiled.draws import draw
from hiddenhand.compiled.random import seed_sequence
from hiddenhand.errors import PlayerError
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event

Probabilities = Floats

_TOLERANCE: Final = 1e-6  # how far the probabilities of a policy may be from summing to 1


@dataclass(frozen=True)
class Decision:
    """What a player does, and why.

    action: one of the legal actions.
    policy: the probabilities that it was drawn from, in the order of the legal actions.
    thought: figures by name, such as iterations, information sets in memory, size of the belief.
    seconds: how long the player took, by their own clock.
    """

    action: int
    policy: tuple[float, ...]
    thought: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0


class Player(Protocol):
    """Who plays. One instance plays one seat of one match at a time."""

    def start(self, game: Game, seat: int, seed: int) -> None:
        """A match of ``game``, with moves in turns, begins. All randomness comes from ``seed``;
        nothing is remembered of earlier matches.
        """

    def prepare(self, budget: Budget) -> None:
        """Time to think before anything has been dealt."""

    def act(
        self, events: Sequence[Event], legal_actions: Sequence[int], budget: Budget | None
    ) -> Decision:
        """Choose one of ``legal_actions``. ``events``: all that was noticed since the last call,
        own actions included.
        """

    def end(self, events: Sequence[Event], payoff: float) -> None:
        """The match is over: the last events, and what this player is paid."""


@dataclass(frozen=True)
class View:
    """What a person at a seat may see: a picture drawn for that seat, the names of their legal
    actions, by action, and what others did since.
    """

    picture: str
    names: Mapping[int, str]
    news: tuple[str, ...] = ()


@runtime_checkable
class Watching(Protocol):
    """A player for whom the referee draws pictures, because people read those better than
    events.
    """

    def see(self, view: View) -> None:
        """What there is to see, before each own move."""


class Deciding(ABC):
    """What all our automatic players have in common: they follow the events, have a policy for the
    present information set, and draw from it.
    """

    game: Game
    seat: int

    def start(self, game: Game, seat: int, seed: int) -> None:
        """See `Player.start`."""
        self.game = game
        self.seat = seat
        self._random = np.random.default_rng(derived_seed(seed, 0))

    def prepare(self, budget: Budget) -> None:  # noqa: B027 - most have nothing to prepare
        """See `Player.prepare`."""

    @abstractmethod
    def follow(self, events: Sequence[Event]) -> None:
        """Take note of what was noticed since the last call; after it this player is to move."""

    @abstractmethod
    def policy(self, legal_actions: Sequence[int], budget: Budget | None) -> Probabilities:
        """The probabilities of ``legal_actions``, in their order, after thinking for at most
        ``budget``.
        """

    def thought(self) -> Mapping[str, float]:
        """Figures about the last policy, by name."""
        return {}

    def act(
        self, events: Sequence[Event], legal_actions: Sequence[int], budget: Budget | None
    ) -> Decision:
        """See `Player.act`."""
        began = perf_counter()
        self.follow(events)
        policy = verified_policy(
            self.policy(legal_actions, budget), legal_actions, type(self).__name__
        )
        action = legal_actions[draw(policy, self._random.random())]
        return Decision(action, policy, self.thought(), perf_counter() - began)

    def end(self, events: Sequence[Event], payoff: float) -> None:  # noqa: B027 - nor to learn
        """See `Player.end`."""


def derived_seed(seed: int, *path: int) -> int:
    """A seed below 2**64 that belongs to ``path`` under ``seed``: other paths have independent
    ones. Raises OptionError for a negative seed.
    """
    sequence = np.random.SeedSequence(seed_sequence(seed).entropy, spawn_key=path)
    return int(sequence.generate_state(1, np.uint64)[0])


def verified_policy(
    policy: Probabilities, legal_actions: Sequence[int], who: str
) -> tuple[float, ...]:
    """``policy`` as plain numbers. Raises PlayerError unless it is a probability for each legal
    action.
    """
    probabilities = tuple(float(p) for p in policy)
    if (
        len(probabilities) != len(legal_actions)
        or not all(p >= 0.0 for p in probabilities)
        or not abs(sum(probabilities) - 1.0) <= _TOLERANCE
    ):
        raise PlayerError(
            f"{who} has the policy {probabilities} for the legal actions {list(legal_actions)}; it "
            "needs a probability for each"
        )
    return probabilities
