"""Players of poker who follow a simple rule: always call, always raise.

Their rules are about what an action means. Games of poker say that with names for their actions:
FOLD and CALL on the class, where every action above CALL bets or raises, or PASS and BET, where
PASS folds to a bet, and BET calls one.
"""

from collections.abc import Sequence
from typing import ClassVar, TypeGuard

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.errors import PlayerError
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event, History
from hiddenhand.games.poker.general_kuhn import GeneralKuhnPoker
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.turn_based import TurnBased
from hiddenhand.jit.arrays import Floats
from hiddenhand.players.player import Deciding, Probabilities
from hiddenhand.trees.tree import GameTree


def verify_poker(game: Game, who: str) -> None:
    """Raise PlayerError unless the actions of ``game`` are those of poker.

    who: the name of the player whose rule has no meaning elsewhere.
    """
    rules = _rules(game)
    if not _has_one_bet(rules) and not _names_actions(rules):
        raise PlayerError(
            f"{who} is for games of poker, in which actions fold, call and raise; {game} is none; "
            "use random"
        )


class _ByRule(Deciding):
    """A player whose rule is the same in every match: their strategy is known beforehand."""

    NAME: ClassVar[str]

    @classmethod
    def verify_game(cls, game: Game) -> None:
        """Raise PlayerError in games that are no poker."""
        verify_poker(game, cls.NAME)

    def start(self, game: Game, seat: int, seed: int) -> None:
        """See `Player.start`. Raises PlayerError in games that are no poker."""
        super().start(game, seat, seed)
        self.verify_game(game)

    def profile(self, tree: GameTree) -> Floats:
        """See `KnownStrategy`: what a player like this one answers in each information set."""
        profile = np.ones(tree.num_sequences)
        for number in range(tree.num_sets):
            seat, events = int(tree.set_player[number]), list[Event]()
            history = History(tree.game)
            for move in tree.a_history_in(number).moves:
                history = history.child(move)
                if event := history.noticed(seat):
                    events.append(event)
            player = type(self)()
            player.start(tree.game, seat, 0)
            player.follow(events)
            own = slice(tree.set_start[number], tree.set_start[number + 1])
            profile[own] = player.policy(history.legal_actions(), None)
        return profile


class CallPlayer(_ByRule):
    """Never folds and never raises: it checks, and calls whatever others bet."""

    NAME = "call"

    def start(self, game: Game, seat: int, seed: int) -> None:
        """See `Player.start`. Raises PlayerError in games that are no poker."""
        super().start(game, seat, seed)
        self._faces_bet = False  # in Kuhn poker, which has one bet

    def follow(self, events: Sequence[Event]) -> None:
        """Notice bets in Kuhn poker; in other games nothing matters."""
        rules = _rules(self.game)
        if _has_one_bet(rules):
            self._faces_bet |= any(event.public == 2 + rules.BET for event in events)

    def policy(self, legal_actions: Sequence[int], budget: Budget | None) -> Probabilities:
        """All on the action that neither folds nor raises."""
        rules = _rules(self.game)
        if _has_one_bet(rules):
            return _all_on(legal_actions, rules.BET if self._faces_bet else rules.PASS)
        return _all_on(legal_actions, rules.CALL)  # type: ignore[attr-defined]


class RaisePlayer(_ByRule):
    """Bets and raises as long as that is allowed, as much as it is, and else calls."""

    NAME = "raise"

    def follow(self, events: Sequence[Event]) -> None:
        """Nothing matters."""

    def policy(self, legal_actions: Sequence[int], budget: Budget | None) -> Probabilities:
        """All on the last action: the largest raise, or the call if there is none."""
        return _all_on(legal_actions, max(legal_actions))


def _rules(game: Game) -> Game:
    return game.game if isinstance(game, TurnBased) else game


def _has_one_bet(rules: Game) -> TypeGuard[KuhnPoker | GeneralKuhnPoker]:
    """Whether the game is Kuhn poker, for any number of players."""
    return isinstance(rules, (KuhnPoker, GeneralKuhnPoker))


def _names_actions(rules: Game) -> bool:
    """Whether the game's actions are fold, call, and raises behind them."""
    fold, call = getattr(rules, "FOLD", None), getattr(rules, "CALL", None)
    return isinstance(fold, int) and isinstance(call, int) and fold < call


def _all_on(legal_actions: Sequence[int], action: int) -> Probabilities:
    return np.array([float(legal == action) for legal in legal_actions])
