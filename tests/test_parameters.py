"""Parameters: read from signatures and docstrings, and checked."""

import inspect
import math
from dataclasses import FrozenInstanceError, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hiddenhand.errors import OptionError, RefusedOptionError
from hiddenhand.parameters import (
    Configured,
    Parameter,
    Parameters,
    closest,
    is_not_finite,
    parameter,
    parameters_of,
    plain_number,
    whole_number,
)


class OneALine:
    """Something.

    rate: how fast, above 0;
        from 0.1 on it is reckless.
    kind: "plain" or "fancy". Fancy takes longer.
    first, second: both ends: of a line
    """

    def __init__(
        self,
        game: object,
        rate: float = 0.5,
        kind: str | None = None,
        first: int = 1,
        second: int = 2,
    ) -> None:
        pass


class InProse:
    """Something else. rate: how fast, see `there`. kind: "plain", or whatever it is
    by default; flag: whether to stop (e.g. at once). Equal seeds give equal results.
    """

    def __init__(self, rate: float, kind: "str", flag: bool = False, more: object = None) -> None:
        pass


def test_meanings_are_found_in_either_form() -> None:
    found = {p.name: p.description for p in parameters_of(OneALine, ("game",))}
    assert found == {
        "rate": "how fast, above 0; from 0.1 on it is reckless",
        "kind": '"plain" or "fancy"',
        "first": "both ends: of a line",
        "second": "both ends: of a line",
    }
    found = {p.name: p.description for p in parameters_of(InProse)}
    assert found == {
        "rate": "how fast, see `there`",
        "kind": '"plain", or whatever it is by default',
        "flag": "whether to stop (e.g. at once)",
        "more": "",
    }


def test_what_may_be_given_is_told() -> None:
    assert [parameter.said for parameter in parameters_of(OneALine, ("game",))] == [
        "a number",
        "a word or none",
        "a whole number",
        "a whole number",
    ]
    assert parameters_of(InProse)[3].said == "anything"


@pytest.mark.parametrize(
    ("kinds", "value", "becomes"),
    [
        (("float",), 1, 1.0),
        (("int", "float"), 1, 1),
        (("int",), 1, 1),
        (("bool",), True, True),
        (("str", "NoneType"), None, None),
    ],
)
def test_values_that_fit(kinds: tuple[str, ...], value: object, becomes: object) -> None:
    found = Parameter("x", kinds, None, "").verified("it", value)
    assert (found, type(found)) == (becomes, type(becomes))


def test_numbers_of_other_libraries_become_plain() -> None:
    numbers = [np.int64(5), np.uint8(5), np.float32(0.5), np.float64(0.5), Fraction(1, 2), True]
    plain = [plain_number(number) for number in numbers]
    assert plain == [5, 5, 0.5, 0.5, 0.5, True]
    assert [type(number) for number in plain] == [int, int, float, float, float, bool]
    assert plain_number("5") == "5"
    found = Parameter("x", ("float",), None, "").verified("it", np.int64(5))
    assert (found, type(found)) == (5.0, float)
    assert whole_number("x", np.int64(5)) == 5
    for wrong in (0, 1.0, True, "1", None):
        with pytest.raises(OptionError, match=f"x={wrong!r} is not allowed; give a whole number"):
            whole_number("x", wrong)


@pytest.mark.parametrize("value", ["nan", "-inf", "Infinity", math.nan, math.inf], ids=repr)
def test_numbers_that_are_not_finite(value: object) -> None:
    assert is_not_finite(value)
    with pytest.raises(OptionError, match=f"it: x={value!r} is not allowed; give a finite number"):
        Parameter("x", ("float", "NoneType"), None, "").verified("it", value)
    if isinstance(value, str):  # which is a word where words are meant
        assert Parameter("x", ("str",), None, "").verified("it", value) == value


@pytest.mark.parametrize(
    ("name", "close"),
    [
        ("oss", "oos"),
        ("OSS", "oos"),
        ("foo", None),
        ("os", "oos"),
        ("mcts", "ismcts"),
        ("ismtcs", "ismcts"),
        ("goofspeil", "goofspiel"),
        ("goof", "goofspiel"),
        ("iterative", "iterations"),
        ("rounds", None),
        ("simulation", "simulations"),
        ("magic", None),
        ("", None),
        ("x" * 1000, None),
    ],
)
def test_only_what_is_close_is_meant(name: str, close: str | None) -> None:
    known = ["oos", "ismcts", "goofspiel", "iterations", "simulations", "mccr"]
    assert closest(name, known) == close


@pytest.mark.parametrize(
    ("kinds", "value"),
    [(("int",), True), (("float",), False), (("bool",), 1), (("str",), None), (("int",), 1.0)],
)
def test_values_that_do_not_fit(kinds: tuple[str, ...], value: object) -> None:
    with pytest.raises(OptionError, match=f"it: x={value!r} is not allowed; give "):
        Parameter("x", kinds, None, "").verified("it", value)


def test_whole_numbers_beyond_floating_point() -> None:
    """A text may have them: `oos(epsilon=1000...)` with 400 digits."""
    for value in (10**400, -(10**400)):
        with pytest.raises(OptionError, match=r"it: x=.* give a number up to 1e308"):
            Parameter("x", ("float", "NoneType"), None, "").verified("it", value)
        assert Parameter("x", ("int",), None, "").verified("it", value) == value


# --- records of parameters ---


@dataclass(frozen=True, kw_only=True)
class Shared(Parameters):
    """What all have.

    seed: where it begins.
    """

    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Own(Shared):
    """What one has besides.

    rule: how it goes, "plain" or "fancy".
    rate: how fast; from 0.1 on it is reckless.
    times: how often.
    """

    rule: str | None = parameter(None, choices=("plain", "fancy"), positional=True)
    rate: float = parameter(0.5, above=0, most=1)
    times: int = parameter(3, least=1)


class Thing(Configured):
    """Does something.

    As long as it is told to.
    """

    PARAMETERS = Own

    def _set_up(self, game: Any) -> None:
        self.game = game


class Special(Thing):
    """Does it differently.

    often: how often.
    """

    def __init__(self, game: Any, often: int = 2) -> None:
        super().__init__(game, times=often)


def test_the_constructor_follows_from_the_record() -> None:
    assert str(inspect.signature(Thing)).replace("game: Any", "game") == (
        "(game, rule: str | None = None, *, rate: float = 0.5, times: int = 3, seed: int = 0)"
    )
    assert (inspect.getdoc(Thing) or "").splitlines()[3:] == [
        "",
        'rule: how it goes, "plain" or "fancy".',
        "rate: how fast, above 0 and at most 1; from 0.1 on it is reckless.",
        "times: how often, at least 1.",
        "seed: where it begins.",
    ]
    thing = Thing("a game", "plain", rate=1, times=np.int64(2))
    assert (thing.game, thing.settings) == ("a game", Own(rule="plain", rate=1.0, times=2))
    assert [type(value) for value in vars(thing.settings).values()] == [int, str, float, int]
    with pytest.raises(TypeError, match="speed"):
        Thing("a game", speed=1)
    with pytest.raises(FrozenInstanceError):
        thing.settings.rate = 0.1


def test_a_derived_class_may_have_a_constructor_of_its_own() -> None:
    assert Special("a game", 5).settings == Own(times=5)
    assert [one.name for one in parameters_of(Special, ("game",))] == ["often"]
    assert [one.name for one in parameters_of(Thing)] == ["rule", "rate", "times", "seed"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"rate": 0}, "rate=0.0 is not allowed; give a number above 0 and at most 1"),
        ({"rate": 1.5}, "rate=1.5 is not allowed; give a number above 0 and at most 1"),
        ({"rate": math.nan}, "rate=nan is not allowed; give a finite number"),
        ({"times": 0}, "times=0 is not allowed; give a whole number of at least 1"),
        ({"times": 1.5}, "times=1.5 is not allowed; give a whole number"),
        ({"times": True}, "times=True is not allowed; give a whole number"),
        ({"rule": "odd"}, "rule='odd' is not allowed; choose one of: plain, fancy"),
        ({"rule": 3}, "rule=3 is not allowed; give a word"),
    ],
)
def test_a_record_refuses_what_is_not_allowed(given: dict[str, Any], says: str) -> None:
    with pytest.raises(RefusedOptionError) as refused:
        Own(**given)
    assert str(refused.value) == says
