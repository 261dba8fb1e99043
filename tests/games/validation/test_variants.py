"""`check` tries other parameters for a moment, and names the one that breaks a law."""

import enum
from dataclasses import dataclass
from typing import Literal

import pytest
from clocks import StillClock
from games.validation.test_check import CHECK, GAMES
from typing_commands import Typed

from hiddenhand.errors import ConformanceError, RuleError
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.registry import load_game
from hiddenhand.games.validation import conformance
from hiddenhand.games.validation.conformance import check
from hiddenhand.games.validation.variants import variants


class Ante(enum.Enum):
    ONE = 1
    TWO = 2
    FOUR = 4


@dataclass(frozen=True)
class ManyParameters(KuhnPoker):
    num_cards: int = 3
    depth: int = 0
    share: float = 0.5
    shown: bool = False
    ante: Ante = Ante.TWO
    order: Literal["up", "down"] = "up"
    name: str = "any word"
    _private: int = 7

    def __post_init__(self):
        if self.num_cards > 4:
            raise ValueError("too many")


@dataclass(frozen=True)
class PaysTooLittle(KuhnPoker):
    """``max_utility`` is for an ante of one chip, which the class does not say."""

    ante: int = 1

    def returns(self, state, player):
        return self.ante * (1.0 - 2.0 * player)


@dataclass(frozen=True)
class FailsIfLarge(KuhnPoker):
    num_cards: int = 3

    def initial_state(self, state):
        state[:] = 0
        state[5 if self.num_cards < 5 else 6] = 0


def test_other_values_of_each_parameter() -> None:
    found = [parameter for parameter, _ in variants(ManyParameters())]
    assert found == [
        *("num_cards=4", "num_cards=2"),  # the class refuses 5
        *("depth=1", "depth=2"),
        *("share=0.25", "share=1.0"),
        "shown=True",
        *("ante=<Ante.ONE: 1>", "ante=<Ante.FOUR: 4>"),
        "order='down'",
    ]
    made = dict(variants(ManyParameters()))
    assert made["num_cards=4"] == ManyParameters(num_cards=4)
    assert made["ante=<Ante.FOUR: 4>"] == ManyParameters(ante=Ante.FOUR)


def test_the_report_says_what_was_tried() -> None:
    report = check(KuhnPoker(), plays=5)
    assert report.parameters == ("num_cards=4", "num_cards=2", "num_cards=5")
    assert check(KuhnPoker(), plays=5, seconds=0.0).parameters == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "error", "parameter", "what"),
    [
        (PaysTooLittle(), ConformanceError, "ante=3", "and max_utility is 2"),
        (FailsIfLarge(), RuleError, "num_cards=5", "FailsIfLarge.initial_state .* IndexError"),
    ],
)
def test_a_message_names_the_parameter(game, error, parameter, what) -> None:
    check(game, plays=20, seconds=0.0)
    with pytest.raises(error, match=rf"^with {parameter}, (.|\n)*{what}") as caught:
        check(game, plays=20)
    cure = f"{type(game).__name__} accepts {parameter}; if that is not allowed, raise ValueError"
    assert cure in str(caught.value)
    assert caught.value.fault.parameter == parameter


def test_the_time_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    # its own clock, because compiling reads the clock, too
    monkeypatch.setattr(conformance, "clock", StillClock(tick=1.0))
    assert check(KuhnPoker(), plays=5, seconds=2.5).parameters == ("num_cards=4", "num_cards=2")


@pytest.mark.slow
def test_the_command_says_what_was_tried(typed: Typed) -> None:
    status, out, _ = typed("check", "kuhn_poker", "--plays", "5")
    assert status == 0
    assert "Looked at for a moment: num_cards=4, num_cards=2, num_cards=5." in out
    assert typed.json("check", "kuhn_poker", "--plays", "5")["parameters"][0] == "num_cards=4"
    status, _, err = typed("check", f"{__file__}:FailsIfLarge")
    assert status == 2
    assert "with num_cards=5" in err


@pytest.mark.thorough
@pytest.mark.parametrize("text", GAMES)
def test_our_games_keep_the_laws_with_other_parameters(text, monkeypatch) -> None:
    monkeypatch.setattr(CHECK, "_compare_compiled", lambda game, paths: None)
    monkeypatch.setattr(CHECK, "check_drawing", lambda game, histories: None)
    game = load_game(text)
    report = check(game, plays=2, max_histories=10, seconds=1000.0)
    assert len(report.parameters) == sum(1 for _ in variants(game))
