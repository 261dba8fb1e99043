"""Calls in parallel, by any of joblib's backends, each result handed over as soon as it is there.

Some backends (loky, the default, and threading) hand over each result as it comes. The others
(multiprocessing, Ray) return only when all their calls are done, so they are given two calls for
each worker at a time. Workers on this machine end when this process ends, even if it was killed.
"""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any, Final, TypeVar

from hiddenhand.errors import HiddenhandError, OptionError, RefusedOptionError
from hiddenhand.parameters import plain_number
from hiddenhand.processors import num_processors
from hiddenhand.systems import when_parent_ends

_Result = TypeVar("_Result")
_EACH: Final = 16  # workers that a processor may have
_CALLS: Final = 2  # calls at a time for each worker
_ON_THIS_MACHINE: Final = ("loky", "multiprocessing")  # where workers are child processes
_USUAL: Final = (*_ON_THIS_MACHINE, "threading", "ray")
_ENDING: Final = (signal.SIGINT, signal.SIGTERM)


def in_parallel(
    function: Callable[..., _Result], calls: Iterable[tuple[Any, ...]], jobs: int, backend: str
) -> Iterator[_Result]:
    """The results of some calls, in the order in which they finish.

    function: what is called.
    calls: the arguments of each call; they are read as workers become free.
    jobs: how many workers there are; 1 for this process alone, -1 for one for each processor.
    backend: the name of the backend: loky, multiprocessing, threading or ray.

    Raises OptionError for other numbers of jobs and other backends.
    """
    jobs = plain_number(jobs)
    _verify_jobs(jobs, backend)
    if jobs == 1:
        if backend not in _USUAL:
            _verify_backend(backend)
        for arguments in calls:
            yield function(*arguments)
        return
    import joblib

    _verify_backend(backend)
    tasks = (joblib.delayed(function)(*arguments) for arguments in calls)
    prepared: dict[str, Any] = {}
    starting: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext
    if backend in _ON_THIS_MACHINE:
        prepared = {"initializer": _prepare, "initargs": (os.getpid(), backend)}
        starting = _deaf_children
    with joblib.parallel_config(backend=backend, n_jobs=jobs, **prepared):
        try:
            parallel = joblib.Parallel(return_as="generator_unordered", batch_size=1)
        except ValueError:  # this backend cannot
            with contextlib.ExitStack() as stack:
                with starting():
                    parallel = stack.enter_context(joblib.Parallel(batch_size=1))
                while some := list(islice(tasks, _CALLS * joblib.effective_n_jobs(jobs))):
                    yield from parallel(some)
            return
        try:
            with starting():
                results = parallel(tasks)
            yield from results
        except BrokenExecutor:
            raise HiddenhandError(
                "a process that shared the work was ended from outside, or ran out of memory; try "
                "again with fewer jobs"
            ) from None


def _verify_jobs(jobs: int, backend: str) -> None:
    if isinstance(jobs, bool) or not isinstance(jobs, int) or (jobs < 1 and jobs != -1):
        raise RefusedOptionError(
            "jobs", jobs, "give a whole number of at least 1, or -1 for one for each processor"
        )
    most = _EACH * num_processors()
    if jobs > most and backend != "ray":  # which may have many machines
        raise RefusedOptionError(
            "jobs", jobs, f"give at most {most}, {_EACH} for each processor of this machine"
        )


@contextlib.contextmanager
def _deaf_children() -> Iterator[None]:
    """A context in which signals to end are held back. Processes that are started in it receive
    none until `_prepare` lets them, and threads that are started in it never do, nor do processes
    that those start: loky's thread that ends the workers calls a program for it, which a second
    Ctrl-C must not end. Signals to this process arrive when the context is left.
    """
    if not hasattr(signal, "pthread_sigmask"):  # on Windows nothing holds them back
        yield
        return
    _start_trackers()  # now, because their start lets the signals through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_trackers() -> None:
    """Start the processes that clear away what this process and its workers have shared. Where
    this process ends in a hurry, they warn of what is left; a person can do nothing about that, so
    they are started without warnings.
    """
    from multiprocessing import resource_tracker as standard

    from joblib.externals.loky.backend import resource_tracker as lokys

    for tracker in (standard, lokys):
        silent = f"ignore::UserWarning:{tracker.__name__}"
        sys.warnoptions.append(silent)
        try:
            tracker.ensure_running()
        finally:
            sys.warnoptions.remove(silent)


def _prepare(parent: int, backend: str) -> None:
    """Make this process a worker. It ignores the signals to end that a terminal or a service
    manager sends to all processes: they are meant for the parent, which then ends its workers.

    A worker also ends soon after its parent was killed. Without that, a worker of loky would wait
    for ever.

    Standard output is for the answer of the parent. What rules print in a worker goes to standard
    error.
    """
    sys.stdout = sys.stderr
    if threading.current_thread() is threading.main_thread():
        signal.set_wakeup_fd(-1)  # inherited where a worker is a copy of its parent
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(
            signal.SIGTERM, signal.SIG_DFL if backend == "multiprocessing" else signal.SIG_IGN
        )  # by which that backend ends its workers
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    when_parent_ends(parent, lambda: os._exit(1))


def _verify_backend(backend: str) -> None:
    import joblib

    if backend == "ray":
        try:
            from ray.util.joblib import register_ray
        except ImportError:
            raise OptionError(
                "the backend ray needs Ray, which is not installed; install hiddenhand[ray], or "
                "use loky"
            ) from None
        register_ray()
    try:
        with joblib.parallel_config(backend=backend):
            pass
    except ValueError:
        raise OptionError(
            f"there is no backend {backend!r}; choose one of: {', '.join(_USUAL)}"
        ) from None
