"""Functions that only kernels call are compiled as parts of them: nothing is made of them alone."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core.errors import TypingError
from numba.np import arrayobj

from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import inline, kernel

compiled_only = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled"
)
pytestmark = compiled_only


@inline
def refuse(x):
    """Raises a text that is known beforehand, and one that is not."""
    if x == 1:
        raise ValueError("one")
    if x > 1:
        raise ValueError("many", x)
    return x + 10


@inline
def shifted(x, by=1):
    return x << by


@inline
def many(x):
    return shifted(x) + shifted(x, 2) + shifted(x, by=3)


@dataclass(frozen=True)
class Writes(Compiled):
    """A rule that assigns to a slice."""

    size: int = 3

    def value(self, x):
        x[: self.size] = np.arange(2)
        return x[0]


@kernel
def call(thing, x):
    return thing.value(x)


def fresh() -> Any:
    @kernel
    def use(x):
        return refuse(x) + many(x)

    return use


def test_python_may_call_a_part() -> None:
    assert many(5) == 10 + 20 + 40
    assert many(np.int32(5)) == 70
    with pytest.raises(ValueError, match="one"):
        refuse(1)


def test_errors_get_out_of_parts_compiled_and_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HIDDENHAND_CACHE", str(tmp_path))
    for use in (fresh(), fresh()):
        assert use(0) == 10
        with pytest.raises(ValueError, match="one"):
            use(1)
        with pytest.raises(ValueError) as caught:  # noqa: PT011  the arguments are looked at
            use(7)
        assert caught.value.args == ("many", 7)


def test_constants_are_no_types_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three calls by three constants, two compilations: for the default, and for an integer."""
    monkeypatch.setenv(
        "HIDDENHAND_CACHE", str(tmp_path / "cache")
    )  # what is loaded from disk is not compiled

    @inline
    def by(x, shift=1):
        return x << shift

    @kernel
    def use(x):
        return by(x) + by(x, 2) + by(x, shift=3)

    assert use(1) == 2 + 4 + 8
    assert len(by.overloads) == 2  # type: ignore[attr-defined]


def test_parts_are_neither_wrapped_nor_turned_into_machine_code() -> None:
    fresh()(0)
    (result,) = [part for part in refuse.overloads.values()]  # type: ignore[attr-defined]  # noqa: C416
    names = [function.name for function in result.library.get_defined_functions()]
    assert not [name for name in names if name.startswith(("_ZN7cpython", "cfunc."))]
    assert result.library.get_pointer_to_function(result.fndesc.llvm_func_name) == 0


def test_an_assignment_of_another_shape_is_refused_and_numba_is_left_as_it_was() -> None:
    before = arrayobj.raise_with_shape_context
    with pytest.raises(ValueError, match="cannot assign slice from input of different shape"):
        call(Writes(), np.zeros(5))
    assert arrayobj.raise_with_shape_context is before
    assert call(Writes(2), np.ones(5)) == 0.0


def test_numba_is_left_as_it_was_where_compiling_fails() -> None:
    @inline
    def wrong(x):
        return x.nothing

    @kernel
    def use(x):
        return wrong(x)

    before = arrayobj.raise_with_shape_context
    with pytest.raises(TypingError, match="nothing"):
        use(1)
    assert arrayobj.raise_with_shape_context is before
