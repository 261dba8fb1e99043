"""Calls in parallel, by any of joblib's backends, each result handed over as soon as it is there.

Backends that can hand over single results (loky, the default, and threading) do. The others (multiprocessing, Ray) return only when all they were
given is done, so they are given two calls for each worker at a time. Workers on this machine end when this process does, even where it was killed.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Final, TypeVar

from hiddenhand.errors import BudgetError

_Result = TypeVar("_Result")
_CALLS: Final = 2  # calls at a time for each worker
_ON_THIS_MACHINE: Final = ("loky", "multiprocessing")  # where workers are child processes
_LOOK: Final = 1.0  # seconds between a worker's looks at whether anybody waits for it


def in_parallel(function: Callable[..., _Result], calls: Iterable[tuple[Any, ...]], jobs: int, backend: str) -> Iterator[_Result]:
    """``function(*arguments)`` for the arguments in ``calls``, in whatever order they finish. ``calls`` is read as workers become free.

    ``jobs`` is how many work at once; with 1 this process does it alone. -1 means one for each processor. Raises BudgetError for an unknown backend.
    """
    if isinstance(jobs, bool) or not isinstance(jobs, int) or (jobs < 1 and jobs != -1):
        raise BudgetError(f"jobs={jobs!r} is not allowed; give a whole number of at least 1, or -1 for one for each processor")
    if jobs == 1:
        for arguments in calls:
            yield function(*arguments)
        return
    import joblib

    _verify_backend(backend)
    tasks = (joblib.delayed(function)(*arguments) for arguments in calls)
    watched = {"initializer": _end_with, "initargs": (os.getpid(),)} if backend in _ON_THIS_MACHINE else {}
    with joblib.parallel_config(backend=backend, n_jobs=jobs, **watched):
        try:
            parallel = joblib.Parallel(return_as="generator_unordered", batch_size=1)
        except ValueError:  # this backend cannot
            with joblib.Parallel(batch_size=1) as parallel:
                while some := list(islice(tasks, _CALLS * joblib.effective_n_jobs(jobs))):
                    yield from parallel(some)
            return
        yield from parallel(tasks)


def _end_with(parent: int) -> None:
    """End this process, a worker, soon after its parent has ended; a worker of loky's would wait for ever."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _verify_backend(backend: str) -> None:
    import joblib

    if backend == "ray":
        try:
            from ray.util.joblib import register_ray
        except ImportError:
            raise BudgetError("the backend ray needs Ray, which is not installed; install hiddenhand[ray], or use loky") from None
        register_ray()
    try:
        with joblib.parallel_config(backend=backend):
            pass
    except ValueError:
        raise BudgetError(f"there is no backend {backend!r}; choose one of: loky, multiprocessing, threading, ray") from None
