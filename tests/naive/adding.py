"""Sums as compiled code makes them."""

from collections.abc import Iterable
from typing import Any


def added(numbers: Iterable[Any]) -> Any:
    """The sum, one number after the other. Since Python 3.12 `sum` corrects what rounding loses, so
    twins that are to agree with compiled code bit for bit cannot use it.
    """
    total: Any = 0
    for number in numbers:
        total += number
    return total
