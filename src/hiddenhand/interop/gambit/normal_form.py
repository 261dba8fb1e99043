"""The reduced normal form of a game, as the text of an ``.nfg`` file of Gambit: `nfg_text`.

A pure strategy of a player names an action in each information set that the player's own earlier
actions do not rule out. The expected payoffs of all combinations are exact.
"""

import itertools
from fractions import Fraction
from math import lcm, prod
from typing import Final

import numpy as np

from hiddenhand.errors import GameError, TooLargeError
from hiddenhand.interop.gambit.form import CHANCE, PLAYER, TERMINAL, ExtensiveForm
from hiddenhand.interop.gambit.writing import quoted, written

MAX_PROFILES: Final = 1_000_000
"""The combinations of strategies that are written at most."""

_FITS: Final = 2**62

Choice = tuple[int, int]  # the number of an information set, and the number of an action in it
Pure = dict[int, int]  # a pure strategy: the number of an action by that of the information set


def nfg_text(form: ExtensiveForm, max_profiles: int = MAX_PROFILES) -> str:
    """The reduced normal form of ``form``, in which players must have perfect recall. Strategies
    are named by the numbers of their actions, in the order of the information sets; a star stands
    where the strategy does not come to.

    Raises TooLargeError if there are more than ``max_profiles`` combinations of strategies.
    """
    plays = _Plays(form)
    strategies = [
        plays.pure_strategies(player, max_profiles) for player in range(1, len(form.players) + 1)
    ]
    if prod(len(own) for own in strategies) > max_profiles:
        raise TooLargeError(
            f"{form.title} has {' x '.join(str(len(own)) for own in strategies)} combinations of "
            f"pure strategies, more than max_profiles={max_profiles}; write an .efg file instead"
        )
    players = " ".join(quoted(name) for name in form.players)
    names = " ".join(
        "{ " + " ".join(quoted(name) for name in plays.names(player, own)) + " }"
        for player, own in enumerate(strategies, 1)
    )
    lines = [
        f"NFG 1 R {quoted(form.title)} {{ {players} }}",
        f"{{ {names} }}",
        quoted(form.comment),
        "",
    ]
    return "\n".join(lines + plays.payoff_lines(strategies)) + "\n"


class _Plays:
    """All ways through a game: what chance makes of each, what is paid, and what each player chose
    last.
    """

    def __init__(self, form: ExtensiveForm) -> None:
        self._players = len(form.players)
        self._after: list[dict[Choice | None, list[int]]] = [{} for _ in range(self._players + 1)]
        self._num_actions: dict[tuple[int, int], int] = {}
        self._last: list[tuple[Choice | None, ...]] = []
        self._weights: list[tuple[Fraction, ...]] = []
        start: tuple[Choice | None, ...] = (None,) * (self._players + 1)
        waiting = [(start, Fraction(1), (Fraction(0),) * self._players)]
        for node in form.nodes:
            last, chance, paid = waiting.pop()
            if node.outcome:
                more = form.outcomes[node.outcome].payoffs
                paid = tuple(a + b for a, b in zip(paid, more, strict=True))
            if node.kind == TERMINAL:
                self._last.append(last)
                self._weights.append(tuple(chance * pay for pay in paid))
                continue
            its = form.sets[node.player, node.number]
            if node.kind == PLAYER:
                self._meet(node.player, node.number, len(its.actions), last[node.player])
            for action in reversed(range(len(its.actions))):
                if node.kind == CHANCE:
                    waiting.append((last, chance * its.probabilities[action], paid))
                else:
                    own = (node.number, action)
                    after = (*last[: node.player], own, *last[node.player + 1 :])
                    waiting.append((after, chance, paid))

    def _meet(self, player: int, number: int, num_actions: int, last: Choice | None) -> None:
        """Note an information set, and what its player chose last before it."""
        if (player, number) not in self._num_actions:
            self._num_actions[player, number] = num_actions
            self._after[player].setdefault(last, []).append(number)
        elif number not in self._after[player].get(last, ()):
            raise GameError(
                f"player {player} forgets what led to information set {number}; a normal form is "
                "written for players with perfect recall"
            )

    def pure_strategies(self, player: int, most: int) -> list[Pure]:
        """All reduced pure strategies of ``player``; at least one, which is empty for a player who
        never moves. Raises TooLargeError if there are more than ``most``.
        """
        return self._continued(player, None, most)

    def _continued(self, player: int, last: Choice | None, most: int) -> list[Pure]:
        found: list[Pure] = [{}]
        for number in self._after[player].get(last, ()):
            here = [
                {number: action} | later
                for action in range(self._num_actions[player, number])
                for later in self._continued(player, (number, action), most)
            ]
            if len(found) * len(here) > most:
                raise TooLargeError(
                    f"player {player} has more than {most} pure strategies; write an .efg file "
                    "instead"
                )
            found = [one | other for one in found for other in here]
        return found

    def names(self, player: int, strategies: list[Pure]) -> list[str]:
        """A name for each of the strategies of ``player``."""
        own = {number: n for (who, number), n in self._num_actions.items() if who == player}
        between = "" if max(own.values(), default=0) < 10 else "."
        return [
            between.join(str(pure[number] + 1) if number in pure else "*" for number in sorted(own))
            or "-"
            for pure in strategies
        ]

    def payoff_lines(self, strategies: list[list[Pure]]) -> list[str]:
        """The payoffs of all combinations, a line each; the first player's strategy changes
        fastest.
        """
        scale = lcm(*(pay.denominator for weights in self._weights for pay in weights))
        scaled = [[int(pay * scale) for pay in weights] for weights in self._weights]
        small = sum(abs(pay) for weights in scaled for pay in weights) < _FITS
        weights = np.array(scaled, np.int64 if small else object)
        reached = [
            np.array([[self._allows(pure, last[p]) for last in self._last] for pure in own])
            for p, own in enumerate(strategies, 1)
        ]
        lines = []
        for others in itertools.product(*(range(len(own)) for own in reversed(strategies[1:]))):
            together = np.ones(len(self._last), bool)
            for matrix, pure in zip(reached[:0:-1], others, strict=True):
                together = together & matrix[pure]
            for row in reached[0]:
                payoffs = weights[row & together].sum(axis=0)
                lines.append(" ".join(written(Fraction(int(pay), scale)) for pay in payoffs))
        return lines

    @staticmethod
    def _allows(pure: Pure, last: Choice | None) -> bool:
        """Whether a strategy makes the choice, and so all before it."""
        return last is None or pure.get(last[0]) == last[1]
