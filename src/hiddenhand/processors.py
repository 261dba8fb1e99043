"""The number of processors of this machine."""

import os


def num_processors() -> int:
    """Return the number of processors that this process may use, at least 1."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
