"""All experiments of Lisy's thesis (2014), Chapter 4, in the order of its figures and tables."""

from collections.abc import Iterator
from itertools import chain

from hiddenhand.experiments import (
    thesis_depths,
    thesis_hidden,
    thesis_mixing,
    thesis_phantom,
    thesis_random_trees,
    thesis_shapes,
    thesis_simultaneous,
    thesis_small,
    thesis_tournaments,
    thesis_tuning,
    thesis_worst,
)
from hiddenhand.experiments.experiment import Experiment

_MODULES = (
    thesis_mixing,
    thesis_shapes,
    thesis_random_trees,
    thesis_worst,
    thesis_small,
    thesis_simultaneous,
    thesis_tuning,
    thesis_depths,
    thesis_hidden,
    thesis_phantom,
    thesis_tournaments,
)


def experiments() -> Iterator[Experiment]:
    """All of them."""
    return chain.from_iterable(module.experiments() for module in _MODULES)
