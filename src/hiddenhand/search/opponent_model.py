"""What an opponent is believed to do, and how much one is ready to lose by believing it.

A model is a strategy, or uniform play. In information sets that it does not know, uniform play is
taken. Either its *trust* is given, the p of a restricted Nash response, or its *safety*, what may
be lost at most, compared with a safe strategy; see `solvers.restricted_nash_response`. A safety of
"gifts" risks what the opponent has given away so far, and no more.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from hiddenhand.errors import OptionError
from hiddenhand.games.base import Game, is_constant_sum
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.infoset_table import InformationSetTable, new_table, table_from_arrays
from hiddenhand.parameters import is_not_finite
from hiddenhand.solvers.restricted_nash_response import verify_trust
from hiddenhand.text import shortened
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.strategy import Strategy
from hiddenhand.trees.strategy_files import load_strategy
from hiddenhand.trees.tree import GameTree

UNIFORM: Final = "uniform"
GIFTS: Final = "gifts"
SAFETY: Final = 0.05
"""The default of the loss that is allowed, in payoffs."""


@dataclass(frozen=True)
class Model:
    """A model of the opponent.

    strategy: what the opponent is believed to do; None for uniform play.
    trust: how far that is believed, from 0 to below 1; None where ``loss`` decides.
    loss: what may be lost at most, in payoffs.
    gifts: whether that which the opponent gives away may be lost besides.
    """

    strategy: Strategy | None
    trust: float | None
    loss: float
    gifts: bool

    def profile(self, tree: GameTree) -> Floats:
        """The profile ``float64[S]`` of a tree whose information sets have the keys of the game."""
        return uniform_profile(tree) if self.strategy is None else self.strategy.on(tree)

    def unknown(self, tree: GameTree, player: int, skipped: int) -> int:
        """In how many information sets of ``player`` the model says nothing, without the first
        ones, ``skipped`` of them, which are not of the game.
        """
        if self.strategy is None:
            return 0
        own = tree.set_key[tree.sets_of(player)[skipped:]]
        return int((~np.isin(own, self.strategy.keys)).sum())

    @cached_property
    def table(self) -> InformationSetTable:
        """The strategy as a table with one run a row; empty for uniform play."""
        if self.strategy is None or self.strategy.num_sets == 0:
            return new_table(per_action=1)
        arrays = {
            "keys": self.strategy.keys,
            "starts": self.strategy.starts,
            "values": self.strategy.probabilities,
            "layout": np.array([1, 0]),
        }
        return table_from_arrays(arrays)


def model_of(
    game: Game,
    opponent: Strategy | str | None,
    trust: float | None,
    safety: float | str | None,
) -> Model | None:
    """The model that the parameters describe; None without ``opponent``.

    game: the game, turn-based.
    opponent: a strategy, "uniform", or the file of a strategy.
    trust, safety: see `Model`; at most one of them is given.

    Raises OptionError, and for a strategy of another game FileError.
    """
    if opponent is None:
        for name, value in (("trust", trust), ("safety", safety)):
            if value is not None:
                raise OptionError(
                    f"{name}={shortened(value)} says how a model of the opponent is used, and "
                    "there is none; give opponent as well, such as opponent=uniform"
                )
        return None
    if not is_constant_sum(game):
        raise OptionError(
            f"{game} is not a zero-sum game for two players, so no answer to a model of the "
            "opponent is safe in it; leave opponent out"
        )
    if trust is not None and safety is not None:
        raise OptionError("trust and safety exclude each other; leave one of the two out")
    if trust is not None:
        trust = verify_trust(trust)
        return Model(_strategy(game, opponent), trust, 0.0, gifts=False)
    loss = SAFETY if safety is None else safety
    if loss == GIFTS:
        return Model(_strategy(game, opponent), None, 0.0, gifts=True)
    if isinstance(loss, str) or is_not_finite(loss) or not 0 <= loss < math.inf:
        raise OptionError(
            f"safety={shortened(loss)} is not allowed; give the largest loss, a number of at "
            'least 0, or "gifts"'
        )
    return Model(_strategy(game, opponent), None, float(loss), gifts=False)


def _strategy(game: Game, opponent: Strategy | str) -> Strategy | None:
    if isinstance(opponent, str) and opponent.casefold() == UNIFORM:
        return None
    if isinstance(opponent, Strategy):
        opponent.verify(game, "the model of the opponent")
        return opponent
    if not Path(opponent).is_file():
        raise OptionError(
            f"opponent={shortened(opponent)} is no model of an opponent: no such file exists, and "
            "no search has this name; give uniform, the file of a strategy, a search, or for a "
            "player also learned, or another player whose strategy is known beforehand"
        )
    found = load_strategy(opponent)
    found.verify(game, opponent)
    return found
