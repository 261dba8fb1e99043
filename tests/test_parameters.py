"""Parameters: read from signatures and docstrings, and checked."""

import math
from fractions import Fraction

import numpy as np
import pytest

from hiddenhand.errors import OptionError
from hiddenhand.parameters import (
    Parameter,
    closest,
    is_not_finite,
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
