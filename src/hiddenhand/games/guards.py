"""Guards: checks of compiled rules of other people's games.

Compiled code checks nothing by itself. A rule may count more actions than there is room for, name a
player who does not exist, or pay what is no number. It would then write over other memory, or spoil
a search without a message. So the rules of games from outside of this package are compiled with
guards. A guard looks at what its rule returns, and raises `BrokenRule` if that breaks a law. Array
indices in those rules are checked, too. See `Compiled.guards`.

The tests check that the games of this package keep the same laws, and these games run without
guards. With ``HIDDENHAND_GUARD=all`` in the environment they have guards as well.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from hiddenhand.jit.methods import Guard

_TOLERANCE: Final = 1e-6
_LARGEST: Final = 2**31 - 1  # the largest action: trees that are written out keep 32 bits


class BrokenRule(Exception):  # noqa: N818 - an internal signal; users meet the RuleError that explains it
    """A rule broke a law inside a kernel."""


def _current_player(rule: Callable[..., Any]) -> Callable[..., Any]:
    def current_player(self, state):  # type: ignore[no-untyped-def]
        player = rule(self, state)
        known = player in (-1, -4) or (player == -2 and self.simultaneous)
        if player >= self.num_players or (player < 0 and not known):
            raise BrokenRule("current_player names a player who does not exist")
        return player

    return current_player


def _legal_actions(rule: Callable[..., Any]) -> Callable[..., Any]:
    def legal_actions(self, state, player, actions):  # type: ignore[no-untyped-def]
        count = rule(self, state, player, actions)
        if count < 1 or count > self.max_actions or count > actions.size:
            raise BrokenRule("legal_actions does not return a count from 1 to max_actions")
        if actions[count - 1] > _LARGEST:  # they are increasing
            raise BrokenRule("legal_actions writes an action above 2147483647")
        return count

    return legal_actions


def _chance_outcomes(rule: Callable[..., Any]) -> Callable[..., Any]:
    def chance_outcomes(self, state, actions, probabilities):  # type: ignore[no-untyped-def]
        count = rule(self, state, actions, probabilities)
        if count < 1 or count > self.max_chance_outcomes or count > actions.size:
            raise BrokenRule(
                "chance_outcomes does not return a count from 1 to max_chance_outcomes"
            )
        total = 0.0
        for index in range(count):
            if not probabilities[index] > 0.0:
                raise BrokenRule("chance_outcomes writes a probability that is not above 0")
            if actions[index] > _LARGEST:
                raise BrokenRule("chance_outcomes writes an outcome above 2147483647")
            total += probabilities[index]
        if not abs(total - 1.0) < _TOLERANCE:
            raise BrokenRule("chance_outcomes writes probabilities that do not sum to 1")
        return count

    return chance_outcomes


def _sample_chance(rule: Callable[..., Any]) -> Callable[..., Any]:
    def sample_chance(self, state, rng):  # type: ignore[no-untyped-def]
        outcome = rule(self, state, rng)
        if outcome < 0:
            raise BrokenRule("sample_chance draws an outcome below 0")
        return outcome

    return sample_chance


def _returns(rule: Callable[..., Any]) -> Callable[..., Any]:
    def returns(self, state, player):  # type: ignore[no-untyped-def]
        payoff = rule(self, state, player)
        if not abs(payoff) <= self.max_utility + _TOLERANCE:
            raise BrokenRule("returns is no number between -max_utility and max_utility")
        return payoff

    return returns


RULE_GUARDS: Final[Mapping[str, Guard]] = {
    "current_player": _current_player,
    "legal_actions": _legal_actions,
    "chance_outcomes": _chance_outcomes,
    "sample_chance": _sample_chance,
    "returns": _returns,
}
