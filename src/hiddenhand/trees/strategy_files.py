"""Strategies in files of all kinds: of strategies, of searches, and blueprints by sets."""

from pathlib import Path

import numpy as np

from hiddenhand.files import as_path
from hiddenhand.mapped import is_mapped
from hiddenhand.trees.blueprint import SetBlueprint
from hiddenhand.trees.strategy import Strategy, saved_strategy, without_payoffs


def load_strategy(path: Path | str, greedy: bool = False) -> Strategy:
    """Read a strategy from a file that `Strategy.save`, a search's ``save`` or `train` wrote. Of a
    blueprint, these are the information sets that training came to. Raises FileError, also for a
    blueprint by hands, which has no probabilities of information sets.

    greedy: whether to read the greedy strategy of a search by self-play, whatever it played
        itself: the action with the highest mean payoff.
    """
    path = as_path(path, "path")
    if not is_mapped(path):
        return saved_strategy(path, greedy)
    if greedy:
        raise without_payoffs(path)
    blueprint = SetBlueprint.read(path)
    found = blueprint.among(np.asarray(blueprint.file.arrays["keys"]))
    about = blueprint.about
    return Strategy(about.game, found.keys, found.starts, found.values, about.rules)
