"""The program ``hiddenhand``: the command line, and a quick end of its process.

At the end of a process Python takes down everything that was loaded, object by object. With Numba
that takes a tenth of a second. So the process ends itself as soon as nothing is left to do.

Python calls exit functions in the reverse of the order in which they were registered. The one here
is registered before others are, and so it is called last: threads have ended by then, and other
modules have put away what they had open.
"""

import atexit
import os
import sys
from typing import Final

_INTERRUPTED: Final = 130  # that of `cli.process`, which may not be loaded
_STATUS: Final[list[int]] = []  # the exit status, once the command has returned


def start() -> None:
    """Run the command line in a process of its own, and end the process with its exit status."""
    atexit.register(_end_at_once)
    try:
        from hiddenhand.cli.main import main  # modules that it loads register exit functions

        main()
    except KeyboardInterrupt:  # it came before the command began
        _STATUS.append(_INTERRUPTED)
        sys.exit(_INTERRUPTED)
    except SystemExit as end:
        if isinstance(end.code, int):
            _STATUS.append(end.code)
        raise


def _end_at_once() -> None:
    """End the process, unless it has no exit status or something cannot be written. Then Python
    ends it as usual, with a message.
    """
    if not _STATUS:
        return
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return
    os._exit(_STATUS[-1])
