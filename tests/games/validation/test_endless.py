"""A rule that never returns is stopped, and named; a rule that only takes long is not."""

import threading
from dataclasses import dataclass

import pytest

from hiddenhand.errors import RuleError
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.validation import endless
from hiddenhand.games.validation.conformance import check, verify_rules
from hiddenhand.games.validation.rule_errors import explained, root
from hiddenhand.matches.match import play_match
from hiddenhand.matches.narration import Announcer


def spin(state):
    while state[0] < 100:
        pass


@dataclass(frozen=True)
class NeverBegins(KuhnPoker):
    def initial_state(self, state):
        spin(state)


@dataclass(frozen=True)
class NeverMoves(KuhnPoker):
    def apply_action(self, state, action, observations):
        KuhnPoker.apply_action(self, state, action, observations)
        while state[2] == 1:
            state[5] = 0


@dataclass(frozen=True)
class NeverPays(KuhnPoker):
    def returns(self, state, player):
        spin(state)
        return 0.0


@dataclass(frozen=True)
class NeverNames(KuhnPoker):
    def action_name(self, state, player, action):
        spin(state)
        return ""


ENDLESS = [
    (NeverBegins(), r"^spin \(.*test_endless.py:\d+\) does not return at the root: "),
    (
        NeverMoves(),
        r"^NeverMoves.apply_action \(.*\) does not return after the moves \(\d, \d\) "
        r"\[chance: ., chance: .\] on move \d: ",
    ),
    (NeverPays(), r"^spin \(.*\) does not return after the moves \(\d, \d, .*\) \[.*\]: "),
]


@pytest.fixture(autouse=True)
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endless, "LIMIT", 0.15)
    monkeypatch.setattr(endless, "_PAUSE", 0.02)


@pytest.mark.parametrize(("game", "message"), [*ENDLESS, (NeverNames(), r"^spin .* at the root: ")])
def test_check_names_the_rule_and_the_history(game, message):
    with pytest.raises(RuleError, match=message) as caught:
        check(game)
    said = str(caught.value).splitlines()
    assert "seconds; give its loop an end, such as for _ in range(n)" in said[0]
    assert len(said) == 2  # the second is the line of the rule


@pytest.mark.slow
@pytest.mark.parametrize(("game", "message"), ENDLESS)
def test_what_explores_in_plain_python_ends_too(game, message):
    with pytest.raises(RuleError, match=message):
        verify_rules(game)
    with pytest.raises(RuleError, match=message):
        play_match(game, ["random", "random"])


def test_the_words_for_moves_are_learned_of_rules_that_return():
    with pytest.raises(RuleError, match=r"^NeverMoves.apply_action"):
        Announcer(NeverMoves())


def test_rules_are_watched_in_every_thread():
    caught = []

    def work():
        with pytest.raises(RuleError, match="does not return"):
            verify_rules(NeverMoves())
        caught.append(True)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(caught) == 2


def test_many_short_calls_are_never_stopped(monkeypatch):
    """Each call is short, and all together are longer than the limit, in one call around them."""
    looks = []
    monkeypatch.setattr(endless, "_stop", looks.append)
    monkeypatch.setattr(endless, "LIMIT", 0.1)
    history = root(KuhnPoker())
    began = endless.clock.processor_seconds()
    while endless.clock.processor_seconds() < began + 0.3:
        with explained(history), explained(history):
            assert history.player < 0
    assert looks == []
    assert endless._running == {}


def test_a_call_inside_of_another_is_watched_alone():
    history = root(KuhnPoker())
    with explained(history):
        message = "does not return at the root on move 1"
        with pytest.raises(RuleError, match=message), explained(history, 1):
            spin([0])
        assert len(endless._running) == 1
    assert endless._running == {}
