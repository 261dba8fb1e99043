"""Two tiers: a kernel begins at once in its generic form, and goes on in the form for the game.

The *generic* form of a kernel serves all games, see `pointers`. The *specialised* form is compiled
for one game, with the rules inside, and is faster. A kernel that is given a game begins in its
generic form, so nothing but the rules of a new or edited game has to be compiled. Once the generic
form has run for a while, the specialised one is compiled in the background. The first call after it
is ready uses it, and so do the calls of later processes, which find it on disk. Both forms compute
the same to the last bit, so only the clock tells them apart.

`tier_choice` says which tiers are used.
"""

import threading
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from numba.core import types

from hiddenhand import clock
from hiddenhand.jit.background import Compilation
from hiddenhand.jit.bridge import type_of_instance
from hiddenhand.jit.dispatching import KernelDispatcher
from hiddenhand.jit.generic_forms import generic_type, make_record, pointed_in
from hiddenhand.jit.methods import Compiled
from hiddenhand.jit.tier_choice import tier

_PATIENCE: Final = 1.0
"""For how many seconds a kernel runs in its generic form before the other is compiled, which takes
some seconds.
"""


class Calls(NamedTuple):
    """How many calls of kernels that were given a game this process has made, by their forms."""

    generic: int
    specialised: int

    def __sub__(self, before: "Calls") -> "Calls":
        return Calls(self.generic - before.generic, self.specialised - before.specialised)

    @property
    def tier(self) -> str:
        """In one word: "generic", "specialised", "both", or "none" where there were no calls."""
        if self.generic and self.specialised:
            return "both"
        return "generic" if self.generic else "specialised" if self.specialised else "none"


class _Count:
    """What `calls` counts."""

    generic = 0
    specialised = 0


def calls() -> Calls:
    """How many calls there were so far."""
    return Calls(_Count.generic, _Count.specialised)


class _Generic(KernelDispatcher):
    """The generic form of a kernel."""

    def typeof_pyval(self, value: Any) -> types.Type:
        return generic_type(value) if isinstance(value, Compiled) else super().typeof_pyval(value)


class _State:
    """How far one kernel is for games of one type.

    is_specialised: whether the specialised form is used.
    spent: the seconds for which the generic form has run.
    compilation: of the specialised form; None before it began.
    failed: whether the specialised form cannot be compiled.
    """

    def __init__(self, is_specialised: bool) -> None:
        self.is_specialised = is_specialised
        self.spent = 0.0
        self.compilation: Compilation | None = None
        self.failed = False


class TieredKernel(KernelDispatcher):
    """A kernel with both forms; as a dispatcher it is the specialised one."""

    def __init__(self, function: Callable[..., Any], *, apart: bool = False) -> None:
        super().__init__(function, apart=apart)
        self._generic = _Generic(function, apart=apart)
        self._states: dict[tuple[types.Type, ...], _State] = {}
        self._specialising = threading.Lock()

    def __call__(self, *args: Any) -> Any:
        kinds, pointed = _looked_at(args)
        if not pointed:
            return super().__call__(*args)
        chosen = tier()
        if chosen == "generic":
            return self._call_generic(pointed, args)
        if chosen == "specialised":
            _Count.specialised += 1
            return super().__call__(*args)
        state = self._states.get(kinds)
        if state is None:
            state = self._states[kinds] = _State(self.load(self._types(args)))
        if state.is_specialised:
            _Count.specialised += 1
            return super().__call__(*args)
        began = clock.now()
        try:
            return self._call_generic(pointed, args)
        finally:
            state.spent += clock.now() - began
            if state.spent > _PATIENCE and not state.failed:
                self._specialise(state, args)

    def _call_generic(self, pointed: list[Any], args: tuple[Any, ...]) -> Any:
        _Count.generic += 1
        _make_records(pointed)
        return self._generic(*args)

    def _specialise(self, state: _State, args: tuple[Any, ...]) -> None:
        """Begin to compile the specialised form, or take it into use when it is ready. Nothing is
        done while another thread is here: it is only that much sooner or later.
        """
        if not self._specialising.acquire(blocking=False):
            return
        try:
            kinds = self._types(args)
            if state.compilation is None:
                state.compilation = Compilation.begun(lambda: self.compile(kinds))
            elif state.compilation.is_over():
                state.is_specialised = self.load(kinds)
                state.failed = not state.is_specialised and not state.compilation.is_of_parent
                state.compilation = None
        finally:
            self._specialising.release()

    def _types(self, args: tuple[Any, ...]) -> tuple[types.Type, ...]:
        return tuple(self.typeof_pyval(value) for value in args)


def _looked_at(args: tuple[Any, ...]) -> tuple[tuple[types.Type, ...], list[Any]]:
    """Of the arguments of a call: the types of those that hold a game or the like, and the
    instances in them that generic kernels know by their records.
    """
    kinds: list[types.Type] = []
    pointed: list[Any] = []
    for value in args:
        if isinstance(value, Compiled) and (found := pointed_in(value)):
            kinds.append(type_of_instance(value))
            pointed += found
    return tuple(kinds), pointed


def _make_records(pointed: list[Any]) -> None:
    """Make the records of some instances; those that need a companion get the first of its kind."""
    for instance in pointed:
        companion = type(instance).pointed.companion
        beside = (other for other in pointed if type(other).pointed.name == companion)
        make_record(instance, next(beside) if companion else None)
