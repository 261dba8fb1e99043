"""How far a strategy for Kuhn poker is from the equilibria, which are known in closed form.

Kuhn (1950), "A simplified two-person poker". With three cards there is one equilibrium for each
alpha from 0 to 1/3; player 1's part is the same in all. Heinrich and Silver (2015), "Smooth UCT
search in computer poker", measure learning by the mean squared error with respect to the closest of
them. What they average over they do not say; here it is all actions of all twelve information sets,
those included that an equilibrium never comes to.
"""

from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np

from hiddenhand.games.base import Game
from hiddenhand.games.history import History
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.jit.arrays import Floats
from hiddenhand.trees.tree import GameTree

LARGEST_ALPHA: Final = 1 / 3

_THIRD: Final = Fraction(1, 3)
_PASS, _BET = (KuhnPoker.PASS,), (KuhnPoker.BET,)
_BETS: Final[dict[tuple[tuple[int, ...], int], tuple[Fraction | int, int]]] = {
    # after these moves, with this card: the probability of a bet is the first number, and the
    # second number times alpha
    ((), 0): (0, 1),
    ((), 1): (0, 0),
    ((), 2): (0, 3),
    (_PASS + _BET, 0): (0, 0),
    (_PASS + _BET, 1): (_THIRD, 1),
    (_PASS + _BET, 2): (1, 0),
    (_PASS, 0): (_THIRD, 0),
    (_PASS, 1): (0, 0),
    (_PASS, 2): (1, 0),
    (_BET, 0): (0, 0),
    (_BET, 1): (_THIRD, 0),
    (_BET, 2): (1, 0),
}


def has_known_equilibria(game: Game) -> bool:
    """Whether the equilibria of ``game`` are those of this module."""
    return isinstance(game, KuhnPoker) and game.num_cards == 3


def equilibrium(tree: GameTree, alpha: float) -> Floats:
    """The equilibrium ``float64[S]`` for ``alpha``, from 0 to 1/3, as a profile of ``tree``, the
    tree of Kuhn poker with three cards.
    """
    constant, slope = _family(tree)
    return constant + alpha * slope


def squared_error(tree: GameTree, profile: Floats) -> float:
    """The mean squared error of ``profile`` ``float64[S]`` with respect to the closest equilibrium
    of Kuhn poker with three cards: the mean over all actions of all information sets.
    """
    constant, slope = _family(tree)
    rest = profile - constant
    alpha = float(np.clip(rest @ slope / (slope @ slope), 0.0, LARGEST_ALPHA))
    errors = (rest - alpha * slope)[tree.num_players :]
    return float(np.mean(errors**2))


@lru_cache(maxsize=1)
def _family(tree: GameTree) -> tuple[Floats, Floats]:
    """The profile for alpha = 0, and what a profile changes by for each unit of alpha. Both are
    shared by all callers, and not to be written to.
    """
    constant, slope = np.ones(tree.num_sequences), np.zeros(tree.num_sequences)
    for number in range(tree.num_sets):
        at_0, by_alpha = _BETS[_seen(tree.a_history_in(number))]
        first = tree.set_start[number]
        constant[first + KuhnPoker.PASS], constant[first + KuhnPoker.BET] = 1 - at_0, at_0
        slope[first + KuhnPoker.PASS], slope[first + KuhnPoker.BET] = -by_alpha, by_alpha
    return constant, slope


def _seen(history: History) -> tuple[tuple[int, ...], int]:
    """The moves of the players, and the card of the player who is to move."""
    return history.actions[2:], history.actions[history.player]
