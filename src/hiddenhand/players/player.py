"""What a player is: it receives what one seat may notice, and chooses an action when it is that
seat's turn.

A player never receives a state, so that no player can peek. A player receives the rules (the game
itself), the seat, a seed for all random numbers, the events that the seat noticed, the legal
actions and a budget. Games with simultaneous moves are played in turns (see `as_sequential`).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, runtime_checkable

import numpy as np

from hiddenhand import clock
from hiddenhand.budget import Budget
from hiddenhand.errors import PlayerError
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.random import seed_sequence
from hiddenhand.jit.sampling import draw
from hiddenhand.text import one_line, without_middle

Probabilities = Floats

_TOLERANCE: Final = 1e-6  # how far the probabilities of a policy may be from summing to 1


@dataclass(frozen=True)
class Decision:
    """What a player does, and why.

    action: one of the legal actions.
    policy: the probabilities that it was drawn from, in the order of the legal actions; empty if
        the player tells nothing but its action.
    thought: figures by name, such as iterations, information sets in memory, size of the belief.
    seconds: how long the player took, by their own clock.
    choice: how the player went about it and why, in a sentence, where there was something to
        choose.
    """

    action: int
    policy: tuple[float, ...]
    thought: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    choice: str = ""

    def __repr__(self) -> str:
        policy = ", ".join(f"{p:.3g}" for p in self.policy)
        told = f"action {self.action}", f"policy {without_middle(policy, 60)}"
        return one_line(self, *told, f"{self.seconds:.3f} s")


class Player(Protocol):
    """A player. One instance plays one seat of one match at a time."""

    def start(self, game: Game, seat: int, seed: int) -> None:
        """Begin a match. Players remember nothing of earlier matches.

        game: the game, with moves in turns.
        seat: which of the players this one is, from 0.
        seed: what all random numbers of this player are made from.
        """

    def prepare(self, budget: Budget) -> None:
        """Think before anything has been dealt, for at most ``budget``."""

    def act(
        self, events: Sequence[Event], legal_actions: Sequence[int], budget: Budget | None
    ) -> Decision:
        """Choose an action.

        events: what the player noticed since the last call, the player's own actions included.
        legal_actions: the actions to choose from, in increasing order.
        budget: how long the player may think; None for as long as the player likes.
        """

    def end(self, events: Sequence[Event], payoff: float) -> None:
        """The match is over.

        events: what the player noticed since the last call of `act`.
        payoff: the player's payoff.
        """


@dataclass(frozen=True)
class View:
    """What a person at a seat may see before a move.

    picture: the state of the match as it is drawn for that seat.
    names: the names of the person's legal actions, by action.
    news: what others did since the person's last move, a sentence each.
    """

    picture: str
    names: Mapping[int, str]
    news: tuple[str, ...] = ()


@runtime_checkable
class Watching(Protocol):
    """A player for whom the referee draws pictures, because people read pictures better than
    events.
    """

    def see(self, view: View) -> None:
        """Look at ``view``; called before each move of this player."""


@runtime_checkable
class Restless(Protocol):
    """A player that may think while others move."""

    def rest(self) -> None:
        """Stop thinking until the next move."""


class Deciding(ABC):
    """What all automatic players of this package have in common: they follow the events, have a
    policy for the present information set, and draw an action from it.

    game: the game of the present match, with moves in turns.
    seat: which of its players this one is.
    """

    game: Game
    seat: int

    def __repr__(self) -> str:
        return one_line(self)

    @classmethod  # noqa: B027 - most can play any game
    def verify_game(cls, game: Game) -> None:
        """Raise PlayerError if no player of this kind can play ``game``."""

    def start(self, game: Game, seat: int, seed: int) -> None:
        """See `Player.start`."""
        self.game = game
        self.seat = seat
        self._random = np.random.default_rng(derived_seed(seed, 0))

    def prepare(self, budget: Budget) -> None:  # noqa: B027 - most have nothing to prepare
        """See `Player.prepare`."""

    @abstractmethod
    def follow(self, events: Sequence[Event]) -> None:
        """Take note of ``events``, which are what the player noticed since the last call. After
        them this player is to move.
        """

    @abstractmethod
    def policy(self, legal_actions: Sequence[int], budget: Budget | None) -> Probabilities:
        """The probabilities of ``legal_actions``, in their order, after thinking for at most
        ``budget``.
        """

    def thought(self) -> Mapping[str, float]:
        """Figures about the last policy, by name."""
        return {}

    def choice(self) -> str:
        """How the last policy was found and why, in a sentence; nothing if there was no choice."""
        return ""

    def act(
        self, events: Sequence[Event], legal_actions: Sequence[int], budget: Budget | None
    ) -> Decision:
        """See `Player.act`."""
        began = clock.now()
        self.follow(events)
        policy = verified_policy(
            self.policy(legal_actions, budget), legal_actions, type(self).__name__
        )
        action = legal_actions[draw(policy, self._random.random())]
        seconds = clock.now() - began
        return Decision(action, policy, self.thought(), seconds, self.choice())

    def end(self, events: Sequence[Event], payoff: float) -> None:  # noqa: B027 - most have nothing to learn from it
        """See `Player.end`."""


def derived_seed(seed: int, *path: int) -> int:
    """A seed below 2**64 that is made from ``seed`` and the numbers in ``path``. Seeds of different
    paths are independent of each other. Raises OptionError for a negative seed.
    """
    # a plain number needs no sequence of its own, which takes longer than all the rest
    entropy = seed if type(seed) is int and seed >= 0 else seed_sequence(seed).entropy
    sequence = np.random.SeedSequence(entropy, spawn_key=path)
    return int(sequence.generate_state(1, np.uint64)[0])


def verified_policy(
    policy: Probabilities, legal_actions: Sequence[int], who: str
) -> tuple[float, ...]:
    """``policy`` as plain numbers. Raises PlayerError, about the player ``who``, unless it has a
    probability for each of ``legal_actions``, and these sum to 1.
    """
    probabilities = tuple(np.asarray(policy, np.float64).tolist())
    if (
        len(probabilities) != len(legal_actions)
        or not min(probabilities, default=0.0) >= 0.0  # a sum has NaN wherever it is
        or not abs(sum(probabilities) - 1.0) <= _TOLERANCE
    ):
        raise PlayerError(
            f"{who} has the policy {probabilities} for the legal actions {list(legal_actions)}; it "
            "needs a probability for each"
        )
    return probabilities
