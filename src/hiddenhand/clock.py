"""The clock: the only module of the package that reads the time or sleeps.

All other modules measure time with `now`, sleep with `sleep`, and hand the timeouts of other
libraries through `timeout`. So a test can make time run faster or slower for the whole package. On
a clock that runs 20 times faster, the machine looks 20 times slower: it does a twentieth of the
work in the same number of seconds.

The environment variable HIDDENHAND_CLOCK_RATE sets the rate, also for the processes that a process
starts. It is for tests: at any rate but 1, `seconds` are no seconds.
"""

import math
import os
import time
from typing import Final

from hiddenhand.errors import OptionError

VARIABLE: Final = "HIDDENHAND_CLOCK_RATE"


def _chosen_rate() -> float:
    text = os.environ.get(VARIABLE, "1")
    try:
        chosen = float(text)
    except ValueError:
        chosen = 0.0
    if not 0 < chosen < math.inf:
        raise OptionError(f"{VARIABLE}={text!r} is not allowed; give a number above 0, or unset it")
    return chosen


rate = _chosen_rate()
"""How many seconds of this clock pass in a second."""


def now() -> float:
    """Return the seconds since some moment that stays the same while the process runs."""
    return rate * time.perf_counter()


def processor_seconds() -> float:
    """Return the seconds that the processors have worked for this process."""
    return rate * time.process_time()


def since_1970() -> float:
    """Return the seconds since 1970 began, as in the dates of files. No rate changes them."""
    return time.time()


def sleep(seconds: float) -> None:
    """Do nothing for ``seconds`` of this clock."""
    time.sleep(timeout(seconds))


def timeout(seconds: float) -> float:
    """Return ``seconds`` of this clock in seconds of the machine's clock, which libraries and the
    operating system use.
    """
    return seconds / rate
