"""How sentences of the OOS paper about curves are tested."""

import pytest

from hiddenhand.statistics import Interval
from hiddenhand_papers.curves import Curves
from hiddenhand_papers.findings import Curve, checked
from hiddenhand_papers.oos.claims import AGGREGATED, PARAMETERS


def line(name: str, **values: float) -> Curve:
    """A line with a value at each time, such as ``t1`` for 0.1 second."""
    points = [
        (int(time[1:]) / 10.0, Interval(value, value - 0.01, value + 0.01))
        for time, value in values.items()
    ]
    return Curve(name, tuple(points))


def parameters(**longest: float) -> Curves:
    """Lines of all parameters. Those with delta of 0.5 have later times, with the values
    ``longest``.
    """
    lines = [
        line(
            f"δ = {delta}, ε = {epsilon}",
            t1=0.7 if delta != "1" else 0.6,
            t16=0.5,
            **(longest if delta == "0.5" else {}),
        )
        for delta in ("0.1", "0.5", "0.9", "1")
        for epsilon in ("0.1", "0.4", "0.8")
    ]
    return {curve.name: curve for curve in lines}


def test_lines_are_compared_at_a_time_that_they_share() -> None:
    """Lines that were measured for longer change no answer of these sentences about several lines.
    A sentence about each line by itself counts all of its times.
    """
    for longest in ({}, {"t32": 2.0}):
        longer, best, as_good = checked(PARAMETERS["c"], parameters(**longest))
        assert (best.holds, as_good.holds) == (True, True)
        assert longer.holds is (not longest)
        full = {check.name: check for check in checked(PARAMETERS["f"], parameters(**longest))}
        assert full["full-targeting-does-not-converge"].holds is None


@pytest.mark.parametrize("times", [{"t8": 0.6}, {"t1": 0.6}])
def test_lines_with_no_long_time_in_common_are_not_compared(times: dict[str, float]) -> None:
    lines = {**parameters(), "δ = 1, ε = 0.4": line("δ = 1, ε = 0.4", **times)}
    names = [check.name for check in checked(PARAMETERS["c"], lines)]
    assert "weaker-as-good-when-long" not in names
    names = [check.name for check in checked(PARAMETERS["f"], lines)]
    assert "full-targeting-does-not-converge" not in names


def test_weaker_targeting_may_be_worse() -> None:
    worse = {
        name: line(name, t1=0.7, t16=0.9 if name.startswith("δ = 0.5") else 0.5)
        for name in parameters()
    }
    *_, as_good = checked(PARAMETERS["c"], worse)
    assert as_good.holds is False


def test_oos_is_below_the_others_at_each_time_that_both_have() -> None:
    lines = {
        "OOS": line("OOS", t1=0.5, t2=0.4),
        "UCT": line("UCT", t1=0.8, t2=0.9),
        "RM": line("RM", t1=0.7, t16=0.3),
    }
    _, below = checked(AGGREGATED["b"], lines)
    assert below.holds
    _, below = checked(AGGREGATED["b"], {**lines, "RM": line("RM", t1=0.4)})
    assert below.holds is False
