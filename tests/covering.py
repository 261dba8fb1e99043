"""Combinations of parameters, of which few are needed to bring values together."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain, combinations, product
from typing import Any

import pytest


def covering(
    names: str, *factors: Sequence[Any], together: int = 2, times: int = 1
) -> pytest.MarkDecorator:
    """`pytest.mark.parametrize` with every combination of one value from each of ``factors``.

    A few combinations are quick. In these, values of ``together`` different factors meet at least
    ``times`` times. All other combinations are marked ``thorough``.

    names: the names of the parameters. A value that is a tuple is for as many of them.
    """
    every = list(product(*(range(len(values)) for values in factors)))

    def groups(one: tuple[int, ...]) -> list[Any]:
        return list(combinations(enumerate(one), together))

    missing = Counter({group: times for one in every for group in groups(one)})
    left = dict.fromkeys(every)
    while left and missing:
        best = max(left, key=lambda one: sum(group in missing for group in groups(one)))
        del left[best]
        missing -= Counter(groups(best))
    params = []
    for one in every:
        values = [values[number] for values, number in zip(factors, one, strict=True)]
        parts = [value if isinstance(value, tuple) else (value,) for value in values]
        marks = [pytest.mark.thorough] if one in left else []
        params.append(pytest.param(*chain(*parts), marks=marks))
    return pytest.mark.parametrize(names.replace(" ", "").split(","), params)
