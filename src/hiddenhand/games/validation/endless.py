"""A watch over rules that run as plain Python. It stops a rule that does not return.

A thread looks every half second at which call runs in which thread. It raises `EndlessRule` in a
thread whose call took `LIMIT` seconds, in which the process had the processor as long: on a busy
machine a call waits, and in a process of many threads others work. So a call costs only the entries
in a table, in any thread and on any system. Python raises it between two steps of its own: a
single call of another library is not interrupted.
"""

import ctypes
import os
from functools import cache
from threading import Event, Thread, get_ident
from typing import Final

from hiddenhand import clock

LIMIT: Final = 10.0
"""How many seconds the rules may take for one history; they need milliseconds."""
_PAUSE: Final = 0.5  # seconds between two looks

_running: dict[int, object] = {}
"""The call that runs in each thread: of calls inside of each other, the innermost."""


class EndlessRule(BaseException):
    """A rule does not return. It is no Exception, so that a rule does not catch it."""


def begin(call: object) -> object | None:
    """Watch ``call`` of this thread from now on. Returns the call that it is a part of, if any."""
    _watch()
    thread = get_ident()
    outer = _running.get(thread)
    _running[thread] = call
    return outer


def end(outer: object | None) -> None:
    """End the call of this thread that began last.

    outer: what `begin` returned.
    """
    if outer is None:
        _running.pop(get_ident(), None)  # it is gone in a forked process
    else:
        _running[get_ident()] = outer


@cache
def _watch() -> None:
    """Start the thread that watches, once."""
    Thread(target=_look_again_and_again, name="watch over rules", daemon=True).start()


def _look_again_and_again() -> None:
    pause = Event()
    since: dict[int, tuple[object, float, float]] = {}  # by thread: its call, and when it was seen
    while True:
        pause.wait(_PAUSE)
        used, now = clock.processor_seconds(), clock.now()
        since = {
            thread: since[thread] if since.get(thread, (None,))[0] is call else (call, used, now)
            for thread, call in _running.copy().items()
        }
        for thread, (call, used_before, begun) in since.items():
            took = min(used - used_before, now - begun)
            if took >= LIMIT and _running.get(thread) is call:
                _stop(thread)


def _stop(thread: int) -> None:
    place = ctypes.c_ulong(thread)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(place, ctypes.py_object(EndlessRule))


def _forget() -> None:
    """The watch and the other threads are not there in a process that was forked."""
    _watch.cache_clear()
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
