"""Compiled code on disk: used when it is whole, replaced when it is not, and shared by any number
of processes.
"""

import gc
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core import config
from numba.core.errors import TypingError
from numba.core.registry import cpu_target

from hiddenhand.jit.cache import cache_folder
from hiddenhand.jit.dispatching import _compiler_options
from hiddenhand.jit.kernels import inline, kernel, when_compiling

compiled_only = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled"
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for compiled code."""
    monkeypatch.setenv("HIDDENHAND_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@inline
def squared(x):
    return x * x


def fresh() -> Any:
    """A kernel that nothing in this process knows to be compiled."""

    @kernel
    def add_square(x):
        return squared(x) + 1

    return add_square


def compiled_by(call: Callable[[], Any]) -> list[str]:
    """The names of the kernels that ``call`` had to compile."""
    names: list[str] = []
    with when_compiling(names.append):
        call()
    return names


@compiled_only
def test_a_kernel_is_compiled_once_for_each_kind_of_argument(cache: Path) -> None:
    assert compiled_by(lambda: fresh()(2)) == ["add_square"]
    assert compiled_by(lambda: fresh()(3)) == []
    assert compiled_by(lambda: fresh()(2.0)) == ["add_square"]
    files = list(cache_folder().iterdir())
    assert len(files) == 2
    assert all(path.name.startswith("add_square-") and path.suffix == ".code" for path in files)
    assert cache_folder().parent == cache


@compiled_only
@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_is_not_looked_for_while_compiling(cache: Path, enabled: bool) -> None:
    """Afterwards it is again, if it was before; also where compiling fails."""
    seen: list[bool] = []
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with when_compiling(lambda name: seen.append(gc.isenabled())):
            assert fresh()(2) == 5
            assert gc.isenabled() == enabled
            with pytest.raises(TypingError):
                fresh()("a text")
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if before else gc.disable)()
    assert seen == [False, False]


@compiled_only
@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: b"garbage",
        lambda content: content[: len(content) // 2],
        lambda content: content[:-1],
        lambda content: content + b"more",
        lambda content: content[:-2000] + bytes([content[-2000] ^ 1]) + content[-1999:],
        lambda content: pickle.dumps(5),
        lambda content: pickle.dumps((1, 2)),
        lambda content: pickle.dumps({}),
        lambda content: b"cno_such_module\nname\n.",
        lambda content: b"I12x\n.",
    ],
    ids=[
        "empty",
        "garbage",
        "half",
        "cut",
        "longer",
        "one bit",
        "number",
        "tuple",
        "dictionary",
        "unknown class",
        "bad number",
    ],
)
def test_a_damaged_file_is_compiled_again(damage: Callable[[bytes], bytes], cache: Path) -> None:
    fresh()(2)
    (file,) = cache_folder().iterdir()
    file.write_bytes(damage(file.read_bytes()))
    assert compiled_by(lambda: fresh()(2)) == ["add_square"]
    assert fresh()(2) == 5
    assert compiled_by(lambda: fresh()(2)) == []


PROGRAM = """
import numpy as np
from hiddenhand.jit.kernels import kernel, when_compiling

@kernel
def weight(i):
    return float(i)

@kernel
def slow_sum(values, n):
    total = 0.0
    for i in range(n):
        total += values[i % values.size] * weight(i)
    return total

names = []
input()  # until all processes are here
with when_compiling(names.append):
    for dtype in (np.float64, np.int64, np.int32):
        print(slow_sum(np.arange(5).astype(dtype), 1000))
print(len(names))
"""


@pytest.mark.slow
@compiled_only
def test_processes_that_need_the_same_kernels_compile_each_once(cache: Path) -> None:
    """Three kinds of the one that calls, and one of the one that is called."""
    pipe = subprocess.PIPE
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM], stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )
        for _ in range(2)
    ]
    ended = [process.communicate("go\n", timeout=300) for process in started]
    assert [process.returncode for process in started] == [0, 0], ended
    (*sums, compiled), (*other_sums, other_compiled) = (out.split() for out, _ in ended)
    assert sums == other_sums
    assert len(sums) == 3
    assert int(compiled) + int(other_compiled) == 4
    assert {path.suffix for path in cache.rglob("*") if path.is_file()} == {".code"}
    assert len(list(cache.rglob("*.code"))) == 4


@compiled_only
def test_only_kernels_are_announced(cache: Path) -> None:
    """Not the small functions inside them, unless they are called from plain Python."""

    @inline
    def small(x):
        return x + 3

    @kernel
    def large(x):
        return small(x)

    assert compiled_by(lambda: large(1)) == ["large"]
    assert compiled_by(lambda: small(1)) == ["small"]


@compiled_only
@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(
            ("OPT", 1),
            ("LOOP_VECTORIZE", 0),
            ("SLP_VECTORIZE", 1),
            ("CPU_NAME", "generic"),
            ("CPU_FEATURES", ""),
        ),
        *(
            ("ENABLE_AVX", False),
            ("DEBUGINFO_DEFAULT", 1),
            ("BOUNDSCHECK", 1),
            ("LLVM_REFPRUNE_PASS", 0),
        ),
    ],
)
def test_code_is_kept_apart_by_the_options_of_the_compiler(
    option: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def file() -> str:
        return fresh()._cache._name("(int64,)", cpu_target.target_context.codegen())

    before = file()
    assert getattr(config, option) != value
    monkeypatch.setattr(config, option, value)
    assert file() != before


@compiled_only
def test_options_that_change_no_code_are_not_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or else a coloured terminal, or another number of threads, would cost a compilation."""
    before = _compiler_options()
    for option, value in {
        "COLOR_SCHEME": "dark_bg",
        "CACHE_DIR": "/nowhere",
        "NUMBA_NUM_THREADS": 1,
        "DUMP_IR": 1,
    }.items():
        monkeypatch.setattr(config, option, value)
    assert _compiler_options() == before


# --- what a kernel promises ---


def test_division_is_that_of_c() -> None:
    @kernel
    def divide(x, y):
        return x / y

    with np.errstate(all="ignore"):
        assert divide(np.float64(1.0), np.float64(0.0)) == np.inf


@pytest.mark.slow
@compiled_only
def test_bounds_are_checked_when_asked_for_and_such_code_is_kept_apart(cache: Path) -> None:
    """With NUMBA_BOUNDSCHECK=1 a process leaves its code to no others."""
    program = """
import numpy as np
from hiddenhand.jit.kernels import kernel

@kernel
def get(values, i):
    return values[i]

try:
    get(np.zeros(3), 3)
    print("unchecked")
except IndexError:
    print("checked")
"""

    def printed(check: str) -> str:
        environment = {**os.environ, "NUMBA_BOUNDSCHECK": check}
        return subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        ).stdout.strip()

    assert [printed(check) for check in ("1", "0")] == ["checked", "unchecked"]


@pytest.mark.slow
@compiled_only
def test_products_of_matrices_need_no_scipy_before() -> None:
    """Numba asks for BLAS at its start, and does not import scipy.linalg for that."""
    code = (
        "import sys, numpy as np; from hiddenhand.jit.kernels import kernel; "
        "sums = kernel(lambda array: array.sum()); sums(np.ones(2)); "
        "assert 'scipy.linalg' not in sys.modules; "
        "products = kernel(lambda left, right: np.dot(left, right)); "
        "print(products(np.full((2, 2), 2.0), np.ones((2, 2))).sum())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "16.0\n", done.stderr
