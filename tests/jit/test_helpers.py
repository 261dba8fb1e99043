"""Plain functions at the top of a user's file are compiled with the rules that call them."""

import importlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

from hiddenhand.errors import RuleError
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.helpers import Helpers
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.jit.views import view

compiled_only = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled"
)

STEP = 3


@kernel
def call(thing, x):
    return thing.value(x)


def add(x, y=2, scale=10):
    return (x + y) * scale + STEP


def add_twice(x):
    return add(x) + add(x, scale=1, y=5)


def spread(*numbers):
    return numbers[0] + 100 * len(numbers)


less_one = lambda x: x - 1  # noqa: E731  users write this, too


@inline
def halved(x):
    return x // 2


def factorial(n):
    return 1 if n <= 0 else n * factorial(n - 1)


def even(n):
    return odd(n - 1) if n > 0 else 1


def odd(n):
    return even(n - 1) if n > 0 else 0


def made(step: int) -> Callable[..., Any]:
    def stepped(self, x):
        return add(x) + later(x) + step

    def later(x):
        return less_one(x) * step

    return stepped


@dataclass(frozen=True)
class Calls(Compiled):
    """Calls helpers in all ways: with defaults, by keyword, through others, in closures."""

    number: int = 4

    stepped = made(7)

    def value(self, x):
        def inner(y):
            return add(y, scale=2)

        total = add_twice(x) + spread(x, 1, x) + less_one(x) + halved(x) + inner(x)
        return total + self.stepped(x) + self.fixed(x) + self.part

    @staticmethod
    def fixed(x):
        return add(x, 1)

    @property
    def part(self):
        return add(self.number)


@dataclass(frozen=True)
class Recursive(Compiled):
    """Rules that call helpers that call themselves, and one that nobody compiles."""

    number: int = 4

    def value(self, x):
        return factorial(x)

    def in_a_circle(self, x):
        return even(x)

    def name(self, x):
        return str(factorial(x))


def test_helpers_do_what_plain_ones_do() -> None:
    for x in (0, 6):
        assert call(Calls(), x) == Calls().value(x)


@compiled_only
def test_the_user_module_is_left_alone() -> None:
    call(Calls(), 1)
    assert all(
        isinstance(function, FunctionType)
        for function in (add, add_twice, less_one, Calls.value, Calls.fixed)
    )
    assert Calls.value.__globals__ is globals()


@compiled_only
def test_a_copy_has_the_lines_of_the_original() -> None:
    copy = Helpers(checked=False).with_helpers(add_twice)
    assert copy is not add_twice
    assert copy.__code__ is add_twice.__code__
    assert (copy.__qualname__, copy.__module__) == (add_twice.__qualname__, __name__)


@compiled_only
def test_what_needs_no_help_is_not_copied() -> None:
    """Functions that name none, or only such as Numba knows."""

    def slices(array):
        return view(array, 0, np.int64(halved(STEP)))

    assert Helpers(checked=False).with_helpers(less_one) is less_one
    assert Helpers(checked=False).with_helpers(slices) is slices


@kernel
def call_in_a_circle(thing, x):
    return thing.in_a_circle(x)


@compiled_only
@pytest.mark.parametrize(("run", "name"), [(call, "factorial"), (call_in_a_circle, "even")])
def test_helpers_that_call_themselves_are_refused(run: Any, name: str) -> None:
    line = globals()[name].__code__.co_firstlineno
    with pytest.raises(
        RuleError,
        match=rf"^{name} \(.*test_helpers\.py:{line}\) calls itself, .*; write a loop instead$",
    ):
        run(Recursive(), 5)


# --- helpers in other modules of the user ---

FILES = {
    "cards/__init__.py": "from cards import deck\nfrom cards.deck import rank as rank_of\n",
    "cards/deck/__init__.py": "import cards\nfrom cards.deck.suits import SUITS\n"
    "__version__ = '1'\n"
    "def rank(card):\n    return card // SUITS + bonus(card)\ndef bonus(card):\n    return "
    "cards.deck.SUITS * 1000\n",
    "cards/deck/suits.py": "SUITS = 4\n",
    "rules.py": "from dataclasses import dataclass\nimport cards\nimport cards.deck as pack\n"
    "from cards import rank_of\n"
    "from hiddenhand.jit.bridge import Compiled\n"
    "@dataclass(frozen=True)\nclass Rules(Compiled):\n    number: int = 1\n"
    "    def value(self, x):\n        return rank_of(x) + 10 * cards.deck.rank(x) + 100 * "
    "pack.rank(x) + pack.SUITS\n",
}


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The user's modules above, imported."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("cards", "cards.deck", "cards.deck.suits", "rules"):
        monkeypatch.setitem(sys.modules, name, None)  # what it was before comes back
        del sys.modules[name]
    return importlib.import_module("rules")


def test_helpers_of_other_modules_are_compiled(rules: ModuleType) -> None:
    assert call(rules.Rules(), 9) == rules.Rules().value(9) == 111 * (9 // 4 + 4000) + 4
