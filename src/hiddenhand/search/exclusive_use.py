"""Work that must not be disturbed. One thread at a time may use a search: two kernels in one table
can end the process. And some work must not stop half-way.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Final

from hiddenhand.errors import OptionError

_AT_WORK: Final[dict[int, tuple[int, object]]] = {}
"""For the id of a search at work, in which thread, and by whose call."""


@contextmanager
def alone(search: object) -> Iterator[None]:
    """A context in which ``search`` is at work. Raises OptionError if it is at work already."""
    me = (get_ident(), object())
    if _AT_WORK.setdefault(id(search), me) is not me:  # one step, which no thread interrupts
        raise OptionError(
            "this search is at work already, in another thread or around its progress; wait for "
            "its end, or make a search for each thread"
        )
    try:
        yield
    finally:
        del _AT_WORK[id(search)]


def works_elsewhere(search: object) -> bool:
    """Whether ``search`` is at work in another thread."""
    mine = get_ident()
    return _AT_WORK.get(id(search), (mine,))[0] != mine


def uninterrupted(work: Callable[[], None]) -> None:
    """Do ``work`` to its end, and delay Ctrl-C until then. Only the main thread receives Ctrl-C at
    all.
    """
    if threading.current_thread() is not threading.main_thread():
        work()
        return
    came = list[int]()
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        work()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
    if came:
        signal.raise_signal(signal.SIGINT)
