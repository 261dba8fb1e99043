"""All experiments of Lisy's thesis (2014), Chapter 4, in the order of its figures and tables."""

from collections.abc import Iterator
from itertools import chain

from hiddenhand_papers.experiment import Experiment
from hiddenhand_papers.thesis import (
    fig4_01_to_03,
    fig4_04,
    fig4_05,
    fig4_06_to_10,
    fig4_11_to_15,
    fig4_15,
    sec4_1_1,
    tab4_01_to_05,
    tab4_06,
    tab4_07,
    tab4_08_to_12,
)

_MODULES = (
    sec4_1_1,
    fig4_01_to_03,
    fig4_04,
    fig4_05,
    fig4_06_to_10,
    tab4_01_to_05,
    tab4_06,
    tab4_07,
    fig4_11_to_15,
    fig4_15,
    tab4_08_to_12,
)


def experiments() -> Iterator[Experiment]:
    """All of them."""
    return chain.from_iterable(module.experiments() for module in _MODULES)
