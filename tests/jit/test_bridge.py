"""The bridge: what a compiled method sees of an instance, and when it is compiled anew."""

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from hiddenhand.errors import RuleError
from hiddenhand.jit import bridge
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import inline, kernel, when_compiling
from hiddenhand.jit.methods import compiled_fields, renew_rules, rules_digest

compiled_only = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled"
)

OFFSET = 100
SEVEN = np.int32(7)


@inline
def plus_offset(x):
    return x + OFFSET


@kernel
def call(thing, x):
    return thing.value(x)


@kernel
def call_twice(first, second, x):
    return first.value(x), second.value(x)


@kernel
def write(thing, x):
    thing.line[0] = x


@dataclass(frozen=True)
class Numbers(Compiled):
    whole: int = 3
    real: float = 0.5
    truth: bool = True
    small: Any = SEVEN
    pair: tuple[int, float] = (2, 0.25)

    def value(self, x):
        return (
            x * self.whole
            + self.real
            + (1000 if self.truth else 0)
            + self.small
            + self.pair[0] * self.pair[1]
        )


@dataclass(frozen=True)
class Arrays(Compiled):
    line: Any
    square: Any

    def value(self, x):
        return self.line[x] * self.square[x, 1] + self.line.sum() + self.square.shape[0]


@dataclass(frozen=True)
class Nested(Compiled):
    inner: Arrays
    others: tuple[Numbers, Numbers]
    rows: Any

    def value(self, x):
        return (
            self.inner.value(x)
            + self.others[0].value(x)
            - self.others[1].real
            + self.rows[0][x]
            + self.rows[1].size
        )


@dataclass(frozen=True)
class Labelled(Compiled):
    number: int
    label: str = "for people"
    nothing: Any = None

    def value(self, x):
        return self.number * x


@dataclass(frozen=True)
class WithTuples(Compiled):
    """Tuples on the class."""

    ranks: ClassVar[Any] = (11, 12, 13, 14)
    shares: ClassVar[Any] = ((0.5, 0.25), (0.125, 1.0))
    none: ClassVar[Any] = ()

    def value(self, x):
        return self.ranks[x] + self.shares[x % 2][1] + len(self.ranks)


@dataclass(frozen=True)
class Base(Compiled):
    factor: int = 2

    FEW: ClassVar[int] = 5
    SHARE: ClassVar[float] = 0.125
    SURE: ClassVar[bool] = True

    @property
    def double(self):
        return 2 * self.factor

    def value(self, x):
        return (
            self.step(x)
            + self.double
            + self.FEW
            + self.SHARE
            + (1 if self.SURE else 0)
            + self.fixed(x)
            + self._helper(x, 10)
        )

    def step(self, x):
        return self.factor * x

    def _helper(self, x, y, z=3):
        return plus_offset(x) + y * z

    @staticmethod
    def fixed(x):
        return x - 1


@dataclass(frozen=True)
class Derived(Base):
    FEW: ClassVar[int] = 50

    @property
    def double(self):
        return 3 * self.factor

    def step(self, x):
        return self.factor + x


@dataclass(frozen=True)
class OtherParameters(Compiled):
    """Its methods have the names of those of Base, but other parameters."""

    factor: int = 2

    def value(self, y):
        return self._helper(y) + self.step(1, 2, y)

    def step(self, first, second, third):
        return first + 10 * second + 100 * third

    def _helper(self, argument):
        return -argument


def nested(scale: float = 1.0) -> Nested:
    arrays = Arrays(np.arange(4.0) * scale, np.arange(8.0).reshape(4, 2))
    return Nested(arrays, (Numbers(), Numbers(real=8.0)), (np.ones(4), np.zeros(9)))


THINGS = {
    "numbers": Numbers(),
    "other numbers": Numbers(-1, 2.0, False, np.int32(-7), (9, 9.0)),
    "arrays": Arrays(np.arange(5.0), np.arange(10).reshape(5, 2)),
    "read-only arrays": Arrays(
        np.frombuffer(np.arange(5.0).tobytes()), np.broadcast_to(np.arange(2), (5, 2))
    ),
    "strided arrays": Arrays(np.arange(10.0)[::2], np.arange(10).reshape(2, 5).T),
    "nested": nested(),
    "labelled": Labelled(6),
    "tuples on the class": WithTuples(),
    "base": Base(),
    "derived": Derived(7),
    "other parameters": OtherParameters(),
}


@pytest.mark.parametrize("thing", THINGS.values(), ids=THINGS)
@pytest.mark.parametrize("x", [0, 3])
def test_compiled_methods_do_what_plain_ones_do(thing: Any, x: int) -> None:
    assert call(thing, x) == thing.value(x)


def test_methods_of_one_name_do_not_mix() -> None:
    assert call_twice(Base(), OtherParameters(), 4) == (Base().value(4), OtherParameters().value(4))
    assert call_twice(Derived(), Base(), 4) == (Derived().value(4), Base().value(4))


def test_strings_and_nothing_are_left_out() -> None:
    assert compiled_fields(Labelled(6)) == [("number", 6)]
    assert call(Labelled(6, "another word"), 2) == 12


def test_what_is_no_field_cannot_be_used() -> None:
    @dataclass(frozen=True)
    class Talker(Compiled):
        label: str = "word"

        def value(self, x):
            return self.label

    if os.environ.get("NUMBA_DISABLE_JIT", "0") == "0":
        with pytest.raises(Exception, match="label"):
            call(Talker(), 1)


def test_arrays_are_seen_by_reference() -> None:
    thing = Arrays(np.zeros(3), np.zeros((1, 1)))
    write(thing, 5.0)
    assert thing.line.tolist() == [5.0, 0.0, 0.0]
    thing.line[0] = 7.0
    assert call(Arrays(thing.line, np.ones((3, 2))), 0) == 7.0 + 7.0 + 3


@compiled_only
def test_read_only_arrays_cannot_be_written() -> None:
    line = np.zeros(3)
    line.flags.writeable = False
    with pytest.raises(Exception, match=r"[Cc]annot modify readonly array"):
        write(Arrays(line, np.zeros((1, 1))), 5.0)


@pytest.mark.parametrize("name", ["arrays", "nested", "strided arrays", "read-only arrays"])
def test_no_reference_leaks(name: str) -> None:
    """After a thousand calls nobody holds more references, or fewer, than before."""
    thing = THINGS[name]
    held = (
        [thing.line, thing.square]
        if name != "nested"
        else [thing.inner.line, thing.inner.square, *thing.rows, thing.rows, thing.inner]
    )
    call(thing, 1)
    before = [sys.getrefcount(array) for array in held]
    for _ in range(1000):
        call(thing, 1)
    assert [sys.getrefcount(array) for array in held] == before


@kernel
def keep(thing, count):
    kept = [thing.rows[0]]
    for index in range(count):
        kept.append(thing.rows[index % 2])
    total = 0.0
    for row in kept:
        total += row[0]
    return total


def test_arrays_in_a_tuple_are_borrowed_too() -> None:
    """Lists count references, and would count those of memory that was given back."""
    thing = nested()
    before = [sys.getrefcount(row) for row in thing.rows]
    for _ in range(100):
        assert keep(thing, 20) == 11.0  # of the 21 rows, 11 begin with 1 and 10 with 0
    assert [sys.getrefcount(row) for row in thing.rows] == before


# --- when it is compiled, and when not ---


def counted(function: Callable[..., Any], *arguments: Any) -> int:
    """How many kernels the call compiled."""
    names: list[str] = []
    with when_compiling(names.append):
        function(*arguments)
    return len(names)


@compiled_only
def test_parameters_share_a_compilation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIDDENHAND_CACHE", str(tmp_path))
    fresh = kernel(call.py_func)
    assert counted(fresh, Numbers(), 1) == 1
    assert counted(fresh, replace(Numbers(), whole=8, real=-1.0), 1) == 0
    assert len(list(tmp_path.rglob("*.code"))) == 1


TEMPLATE = """
import enum
from dataclasses import dataclass
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import inline

LIMIT = {limit}
SHIFTS = (1, {shift})

class Colour(enum.IntEnum):
    RED = {red}

@inline
def helper(x):
    return x + {helped}

@inline
def inlined(x):
    return helper(x) * {inlined}

def made(step):
    def closure(self, x):
        return x + step
    return closure

@dataclass(frozen=True)
class Mother(Compiled):
    size: int = 1
    def inherited(self, x):
        return x + {inherited}

@dataclass(frozen=True)
class Rules(Mother):
    CONSTANT = {constant}
    stepped = made({step})
    def value(self, x):
        {comment}
        def inner(y):
            return y * {inner}
        return (inner(x) + {literal} + LIMIT + SHIFTS[1] + inlined(x) + self.stepped(x)
            + self.inherited(x) + self.CONSTANT + self.with_default(x) + self.shared(x)
            + self.part + Colour.RED.value)
    def with_default(self, x, y={default}):
        return x + y
    @staticmethod
    def shared(x):
        return x - {shared}
    @property
    def part(self):
        return self.size * {part}
"""
PLACES = {
    "limit": "a global",
    "shift": "a global tuple",
    "red": "an enumeration",
    "helped": "a function called by a function",
    "inlined": "a function",
    "inherited": "a base",
    "constant": "a constant of the class",
    "step": "a closure",
    "inner": "a function inside",
    "literal": "a number",
    "default": "a default",
    "shared": "a static method",
    "part": "a property",
}


def made(**changes: object) -> type:
    """The class of the template, with 2 in all places but those named."""
    names: dict[str, Any] = {"__name__": __name__}
    exec(TEMPLATE.format(**{"comment": "# plain", **dict.fromkeys(PLACES, 2), **changes}), names)
    return names["Rules"]


@pytest.mark.parametrize("place", PLACES, ids=PLACES.values())
def test_an_edited_rule_is_another_type(place: str) -> None:
    before, after = made(), made(**{place: 3})
    assert rules_digest(before) != rules_digest(after)
    assert after().value(5) != before().value(5)
    if place in ("shift", "inherited", "step"):  # compiling each takes a while
        assert call(before(), 5) == before().value(5)
        assert call(after(), 5) == after().value(5)


def test_the_same_rules_are_the_same_type() -> None:
    assert rules_digest(made()) == rules_digest(made())
    assert rules_digest(made()) == rules_digest(made(comment="# said in another way"))


def test_rules_that_differ_in_the_kind_of_a_number_differ() -> None:
    assert (
        len(
            {
                rules_digest(made(literal=literal))
                for literal in ("1", "1.0", "True", "-1", "0.0", "-0.0")
            }
        )
        == 6
    )


# --- what cannot be compiled ---


@pytest.mark.parametrize(
    "value",
    [[1, 2], {"a": 1}, {1}, object(), 1j, (1, [2])],
    ids=["list", "dict", "set", "object", "complex", "tuple"],
)
def test_a_field_without_compiled_form_is_refused(value: object) -> None:
    kind = type(value).__name__
    with pytest.raises(
        RuleError,
        match=(
            f"Labelled.number is a {kind}, which has no compiled form; use numbers, booleans, "
            "NumPy arrays"
        ),
    ):
        compiled_fields(Labelled(value))


def test_a_class_that_is_not_frozen_is_refused() -> None:
    @dataclass
    class Changing(Compiled):
        number: int = 1

    with pytest.raises(
        RuleError, match=r"Changing must be decorated with @dataclass\(frozen=True\) to be compiled"
    ):
        rules_digest(Changing)


def test_a_subclass_without_a_decorator_is_refused() -> None:
    class Forgot(Base):
        def step(self, x):
            return 0

    with pytest.raises(
        RuleError, match=r"Forgot must be decorated with @dataclass\(frozen=True\) to be compiled"
    ):
        rules_digest(Forgot)


# --- a program that is edited between two runs ---

PROGRAM = """
from dataclasses import dataclass
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import kernel, when_compiling

@dataclass(frozen=True)
class Rules(Compiled):
    def value(self, x):
        return x * {number}

@kernel
def run(rules, x):
    return rules.value(x) + {added}

compiled = []
with when_compiling(compiled.append):
    answer = run(Rules(), 10)
print(answer, len(compiled))
"""


def printed(*command: str, cache: Path) -> list[int]:
    environment = {**os.environ, "HIDDENHAND_CACHE": str(cache)}
    done = subprocess.run(
        [sys.executable, *command],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return [int(word) for word in done.stdout.split()]


@pytest.mark.slow
@compiled_only
def test_an_edited_program_never_uses_old_code(tmp_path: Path) -> None:
    """Typed in with -c and from a file, with one cache: each version is compiled once, and only
    once.
    """
    cache, file = tmp_path / "cache", tmp_path / "program.py"

    def typed_in(**numbers: int) -> list[int]:
        return printed("-c", textwrap.dedent(PROGRAM).format(**numbers), cache=cache)

    def from_a_file(**numbers: int) -> list[int]:
        file.write_text(textwrap.dedent(PROGRAM).format(**numbers))
        return printed(str(file), cache=cache)

    assert typed_in(number=2, added=0) == [20, 1]
    assert from_a_file(number=3, added=5) == [35, 1]


# --- instances in variables: methods know their instance by its place, which may change ---


@dataclass(frozen=True)
class Score(Compiled):
    points: float

    def better(self, other: "Score") -> "Score":
        return self if self.points > other.points else other

    def itself(self) -> "Score":
        return self


@dataclass(frozen=True)
class Unit(Compiled):
    score: Score
    weight: int

    @property
    def stats(self) -> Score:
        return self.score

    def total(self) -> float:
        return points_of(self.score) + points_of_unit(self)


@kernel
def points_of(score: Score) -> float:
    return score.points


@kernel
def points_of_unit(unit: Unit) -> float:
    return unit.score.points * unit.weight


@dataclass(frozen=True)
class Team(Compiled):
    low: Score
    units: tuple[Unit, ...]

    def best_of_properties(self) -> float:
        best = self.units[0].stats
        for unit in self.units:
            stats = unit.stats
            if stats.points > best.points:
                best = stats
        return best.points

    def first_and_last(self) -> float:
        first = self.units[0].score.itself()
        last = first
        for unit in self.units:
            last = unit.score.itself()
        return 100.0 * first.points + last.points

    def best_from_low(self) -> float:
        best = self.low
        for unit in self.units:
            if unit.score.points > best.points:
                best = unit.score
        return best.points

    def best_of_methods(self) -> float:
        best = self.low
        for unit in self.units:
            best = best.better(unit.score)
        return best.points

    def both(self) -> float:
        pair = (self.low.itself(), self.units[1].stats)
        again = (self.units[0].stats.itself(), pair[0])
        return 100.0 * pair[1].points + 10.0 * again[0].points + again[1].points

    def totals(self) -> float:
        total = 0.0
        for unit in self.units:
            total += unit.total()
        return total


WAYS = (
    *("best_of_properties", "first_and_last", "best_from_low", "best_of_methods", "both"),
    "totals",
)


@kernel
def all_ways(team: Team, found: Floats) -> None:
    found[0] = team.best_of_properties()
    found[1] = team.first_and_last()
    found[2] = team.best_from_low()
    found[3] = team.best_of_methods()
    found[4] = team.both()
    found[5] = team.totals()


def test_instances_in_variables_are_those_that_were_put_there() -> None:
    team = Team(Score(1.0), tuple(Unit(Score(points), 2) for points in (3.0, 9.0, 4.0)))
    found = np.zeros(len(WAYS))
    all_ways(team, found)
    assert found.tolist() == [getattr(team, way)() for way in WAYS]


@compiled_only
def test_the_type_of_an_instance_is_kept_as_long_as_the_instance() -> None:
    numbers = Numbers()
    number = id(numbers)
    call(numbers, 1)
    assert bridge.TYPES_OF_INSTANCES[number][0]() is numbers
    renew_rules(numbers)
    assert number not in bridge.TYPES_OF_INSTANCES
    call(numbers, 1)
    assert bridge.TYPES_OF_INSTANCES[number][0]() is numbers
    del numbers
    assert number not in bridge.TYPES_OF_INSTANCES
