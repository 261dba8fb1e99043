"""Which tiers kernels run in: what the environment or the caller chose. See `tiers`.

This module imports nothing heavy, so that the command line can look at what was typed.
"""

import contextlib
import os
from collections.abc import Iterator
from typing import Final

from hiddenhand.errors import OptionError

TIERS: Final = ("auto", "generic", "specialised")
VARIABLE: Final = "HIDDENHAND_TIER"


class _Chosen:
    """The tiers that this process uses; None before the first use."""

    tier: str | None = None


def tier() -> str:
    """Which tiers are used. Raises OptionError if the environment says what is none of `TIERS`."""
    if _Chosen.tier is None:
        _Chosen.tier = verify_tier(os.environ.get(VARIABLE) or "auto", f"{VARIABLE}=")
    return _Chosen.tier


def verify_tier(name: str, given: str = "tier ") -> str:
    """``name``, if it is one of `TIERS`. Raises OptionError if not.

    given: what stands before it in the message.
    """
    if not isinstance(name, str) or name not in TIERS:
        raise OptionError(f"{given}{name!s:.80} is not allowed; choose one of: {', '.join(TIERS)}")
    return name


def use_tier(name: str) -> str:
    """From now on, kernels of this process and of processes that it starts run in the tiers that
    ``name`` says: "generic", which begins at once with every game; "specialised", which is faster,
    and for which the first call waits for the compiler; or "auto", which begins in the generic tier
    and continues in the specialised one. Results do not depend on the tier. Returns the name of the
    choice before.

    Raises OptionError for another name.
    """
    before, _Chosen.tier = tier(), verify_tier(name)
    os.environ[VARIABLE] = name
    return before


@contextlib.contextmanager
def using_tier(name: str) -> Iterator[None]:
    """A context with `use_tier`."""
    before = use_tier(name)
    try:
        yield
    finally:
        use_tier(before)
