"""The digest follows every value that a rule can reach, through whatever modules and classes."""

import importlib
import os
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hiddenhand.jit.fingerprint import digest_functions, library_of, named_values
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.methods import renew_rules, rules_digest

compiled_only = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled"
)

# A package that hands on what its modules hold, and rules that use it; {what} is what is edited.
FILES = {
    "pk/__init__.py": "from pk.sub import *\nfrom pk import inner\nfrom pk.inner import deep\n"
    "__version__ = '1.0'\n",
    "pk/sub.py": "import enum\nimport numpy as np\nfrom dataclasses import dataclass\n"
    "from typing import NamedTuple\n"
    "K = {constant}\nROW = np.array([1, {array}])\nPAIRS = ((1, 2), (3, {nested}))\nLIST = [1, "
    "{list}]\n"
    "one = lambda x: x + {lambda_}\n"
    "def two(x):\n    return three(x) * 2\n"
    "def three(x):\n    return x + {helper}\n"
    "class Cards:\n    JACK = {class_constant}\n"
    "class Suit(enum.IntEnum):\n    HEARTS = {enumeration}\n"
    "@dataclass(frozen=True)\nclass Sizes:\n    small: int = 1\n    LARGE = {dataclass}\n"
    "class Point(NamedTuple):\n    x: int = {named_tuple}\n"
    "SIZES = Sizes({instance})\n",
    "pk/inner/__init__.py": "__version__ = '2.0'\nfrom pk.inner import deep\n",
    "pk/inner/deep.py": "D = {deep}\nE = {deeper}\n",
    "rules.py": "from dataclasses import dataclass\nimport pk\n"
    "from pk import Suit, inner as renamed\n"
    "from hiddenhand.jit.bridge import Compiled\n"
    "@dataclass(frozen=True)\nclass Rules(Compiled):\n    number: int = 1\n"
    "    def value(self, x):\n        return x + pk.K + pk.ROW[1] + pk.PAIRS[1][1] + pk.one(x) + "
    "pk.two(x) + Suit.HEARTS.value\n"
    "    def more(self, x):\n        return pk.inner.deep.D + renamed.deep.E + pk.LIST[1] + "
    "pk.Cards.JACK\n"
    "    def most(self, x):\n        return pk.Sizes.LARGE + pk.Point(x=1).x + pk.SIZES.small\n",
}
PLACES = (
    *("constant", "array", "nested", "list", "lambda_", "helper", "class_constant"),
    *("enumeration", "dataclass", "named_tuple", "instance", "deep", "deeper"),
)
MODULES = ("pk", "pk.sub", "pk.inner", "pk.inner.deep", "rules")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder that modules are imported from, and that nobody remembers."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    for name in MODULES:
        sys.modules.pop(name, None)


def write(folder: Path, **changes: object) -> None:
    """The files above, with 2 in all places but those named."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text.format(**{**dict.fromkeys(PLACES, 2), **changes}))


def rules(folder: Path, **changes: object) -> Any:
    """The class of these files, imported as a new process would."""
    write(folder, **changes)
    for name in MODULES:
        sys.modules.pop(name, None)
    importlib.invalidate_caches()
    return importlib.import_module("rules").Rules


@pytest.mark.parametrize("place", PLACES)
def test_what_a_package_hands_on_counts_by_value(place: str, folder: Path) -> None:
    before = rules_digest(rules(folder))
    assert rules_digest(rules(folder)) == before
    assert rules_digest(rules(folder, **{place: 7})) != before


def test_what_no_rule_names_does_not_count(folder: Path) -> None:
    before = rules_digest(rules(folder))
    with (folder / "pk" / "sub.py").open("a") as file:
        file.write("UNUSED = 1\n")
    for name in MODULES:
        sys.modules.pop(name, None)
    assert rules_digest(importlib.import_module("rules").Rules) == before


PROGRAM = """
from hiddenhand.jit.kernels import kernel, when_compiling
from rules import Rules

@kernel
def run(rules, x):
    return rules.value(x)

names = []
with when_compiling(names.append):
    answer = run(Rules(), 1)
assert answer == Rules().value(1), (answer, Rules().value(1))
print(len(names))
"""


@pytest.mark.slow
@compiled_only
def test_a_new_process_never_plays_old_rules(tmp_path: Path) -> None:
    """The reproduction of the fault: a constant that a package with a version hands on is
    edited.
    """

    def compiled_anew(**changes: int) -> int:
        write(tmp_path, **changes)
        (tmp_path / "program.py").write_text(PROGRAM)
        environment = {
            **os.environ,
            "HIDDENHAND_CACHE": str(tmp_path / "cache"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        command = [sys.executable, str(tmp_path / "program.py")]
        return int(
            subprocess.run(
                command, env=environment, capture_output=True, text=True, check=True, timeout=300
            ).stdout
        )

    assert [compiled_anew(), compiled_anew(constant=7)] == [1, 1]


@kernel
def run(thing, x):
    return thing.value(x)


def test_rules_are_seen_anew_in_the_same_process(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    thing = rules(folder)()
    first = run(thing, 1)
    assert first == thing.value(1)
    monkeypatch.setattr(sys.modules["pk"], "K", 7)
    renew_rules(thing)
    assert run(thing, 1) == thing.value(1) == first + 5
    monkeypatch.undo()
    renew_rules(thing)
    assert run(thing, 1) == thing.value(1) == first


def test_aliases_of_known_functions_are_told_apart() -> None:
    """A name that led to one function and then leads to another, both of which are known anyway."""
    names: dict[str, Any] = {"__name__": "aliases"}
    exec(
        "def f(x): return x\ndef g(x): return -x\ndef rule(x): return f(x) + g(x) + alias(x)", names
    )
    digests = {digest_functions([names["rule"]]) for names["alias"] in (names["f"], names["g"])}
    assert len(digests) == 2


def test_what_holds_itself_is_described() -> None:
    circle: list[Any] = [1]
    circle.append(circle)
    names: dict[str, Any] = {"__name__": "circles", "circle": circle}
    exec("def rule(x): return circle[0]", names)
    before = digest_functions([names["rule"]])
    circle[0] = 2
    assert digest_functions([names["rule"]]) != before


def test_defaults_count_by_value() -> None:
    """Also arrays, of which Python prints only the ends."""

    def made(middle: float) -> types.FunctionType:
        values = np.zeros(10_000)
        values[5000] = middle

        def rule(self, x, row=values):
            return row[x]

        return rule

    assert (
        digest_functions([made(1.0)])
        == digest_functions([made(1.0)])
        != digest_functions([made(2.0)])
    )


# --- libraries ---


def test_a_version_makes_no_library(folder: Path) -> None:
    write(folder)
    assert library_of(importlib.import_module("pk")) is None
    assert library_of(sys.modules[__name__]) is None
    assert library_of(types.ModuleType("made")) is None


def test_our_own_code_is_followed() -> None:
    """It may be installed, and edited there, under one version."""
    from hiddenhand.jit import observation_keys, sampling

    assert library_of(observation_keys) is None
    function: Any = sampling.sample_exploring
    assert "uniform" in dict(named_values(getattr(function, "py_func", function)))


def explained(a: int) -> int:
    """What this is."""
    return a + 1


def explained_otherwise(a: int) -> int:
    """What that is."""
    return a + 1


def not_explained(a: int) -> int:
    return a + 1


def with_text() -> list[tuple[str, int]]:
    return [("a", number) for number in range(3)]


def with_other_text() -> list[tuple[str, int]]:
    return [("b", number) for number in range(3)]


def test_docstrings_count_for_nothing_and_other_texts_do() -> None:
    def digest(function: Any) -> str:
        same_name = types.FunctionType(function.__code__.replace(co_name="f"), globals(), "f")
        same_name.__qualname__ = "f"
        return digest_functions([same_name])

    assert digest(explained) == digest(explained_otherwise)
    if sys.version_info < (3, 14):  # which counts constants from the docstring on
        assert digest(explained) == digest(not_explained)
    assert digest(with_text) != digest(with_other_text)
