"""Parameters: read from signatures and docstrings, and checked."""

import pytest

from hiddenhand.errors import OptionError
from hiddenhand.parameters import Parameter, parameters_of, read_value


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


@pytest.mark.parametrize(
    ("kinds", "value"),
    [(("int",), True), (("float",), False), (("bool",), 1), (("str",), None), (("int",), 1.0)],
)
def test_values_that_do_not_fit(kinds: tuple[str, ...], value: object) -> None:
    with pytest.raises(OptionError, match=f"it: x={value!r} is not allowed; give "):
        Parameter("x", kinds, None, "").verified("it", value)


def test_single_values() -> None:
    assert [read_value("--x", text) for text in ("0.4", "rm", "cfr+", "none", "true", "'a b'")] == [
        0.4,
        "rm",
        "cfr+",
        None,
        True,
        "a b",
    ]
    for text in ("", "1,2", "a=1", "[1]", "f(x)", "1+1"):
        with pytest.raises(OptionError, match=r"--x: .* is not a value; give a number, a word"):
            read_value("--x", text)
