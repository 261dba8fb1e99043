"""The contract of searches: a search that keeps it passes, and each way to break it is found."""

import math
import re

import pytest
from naive.small_games import small
from typing_commands import Typed

from hiddenhand import make_search
from hiddenhand.errors import GameError, OptionError
from hiddenhand.search import contract
from hiddenhand.search.contract import check_search

SEARCH = '''
import time
import numpy as np
from hiddenhand import OOS, History
from hiddenhand.errors import GameError
from hiddenhand.trees.strategy import strategy_from_weights

class Kept(OOS):
    """A search like OOS."""
    GUARANTEE = "it converges"

class Negative(Kept):
    def policy(self, num_actions):
        found = super().policy(num_actions).copy()
        found[0] = -found[0]
        return found

class TooLong(Kept):
    def policy(self, num_actions):
        return np.full(num_actions + 1, 1 / (num_actions + 1))

class Unseeded(Kept):
    matches = 0
    def start(self, seat, seed):
        Unseeded.matches += 1
        super().start(seat, Unseeded.matches)

class Remembering(Kept):
    matches = 0
    def start(self, seat, seed):
        Remembering.matches += 1
        self.own = getattr(self, "own", -1) + 1
        super().start(seat, seed + self.own)

class Peeking(Kept):
    """Knows the order in which it was asked, as if it saw what is hidden."""
    asked = 0
    def policy(self, num_actions):
        Peeking.asked += 1
        found = super().policy(num_actions) + Peeking.asked * 1e-3
        return found / found.sum()

class Careless(Kept):
    def think(self, iterations=None, seconds=None, **rest):
        super().think(iterations or 10, None if (seconds or 1) < 0 else seconds, **rest)

class Late(Kept):
    def think(self, iterations=None, seconds=None, **rest):
        super().think(iterations, seconds, **rest)
        begun = time.process_time()
        while time.process_time() < begun + 0.02:
            pass

class Uncounted(Kept):
    def thought(self):
        return {}

class Failing(Kept):
    def notice(self, events, seconds=None, iterations=None):
        raise ValueError("what is this?")

class Uniform(Kept):
    def strategy(self):
        weights = self.weights()
        weights.values[:] = 1.0
        return strategy_from_weights(self.game, weights)

class Modest(Uniform):
    GUARANTEE = ""

class Refusing(Kept):
    def __init__(self, game, seed=0):
        raise GameError("it plays nothing")

class Seedless:
    def __init__(self, game): ...
    start = notice = think = policy = weights = thought = None
'''


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("own") / "own.py"
    file.write_text(SEARCH)
    return str(file)


@pytest.fixture(autouse=True)
def _no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """How fast the machine is decides nothing."""
    monkeypatch.setattr(contract, "_LATE", math.inf)
    monkeypatch.setattr(contract, "_SECONDS", 1e-3)


@pytest.mark.slow
def test_a_search_that_keeps_the_contract_passes(place: str) -> None:
    report = check_search(f"{place}:Kept(epsilon=0.6)")
    assert [promise.broken for promise in report.promises] == [""] * 9
    assert report.is_kept
    assert report.games == ("Kuhn", "LD(1,1,2)", "IIGS(3)")
    assert report.promises[-1].note.startswith("after 500 and 5,000 iterations: Kuhn 0.")


@pytest.mark.parametrize(
    ("name", "promise", "says"),
    [
        ("Negative", "the policy has probabilities", r"policy\(2\) is \[-0"),
        ("TooLong", "the policy has probabilities", r"policy\(2\) has the shape \(3,\)"),
        ("Unseeded", "equal seeds", "two searches with one seed have different policies"),
        ("Remembering", "forgets a match", "after another match the same match has other"),
        ("Peeking", "depends on what the player noticed", "that player 1 cannot tell apart"),
        ("Careless", "a budget that makes no sense is refused", r"think\(\) is accepted"),
        ("Uncounted", "iterations are counted", "no figure 'iterations'"),
        ("Failing", "the policy has probabilities", "ValueError: what is this"),
        ("Uniform", "nash_conv falls", r"nash_conv is 0\.917 after 5,000 iterations"),
    ],
)
def test_a_broken_promise_is_found(place: str, name: str, promise: str, says: str) -> None:
    report = check_search(f"{place}:{name}", ["Kuhn"])
    assert not report.is_kept
    broken = {found.what: found.broken for found in report.promises if found.broken}
    found = next(text for what, text in broken.items() if promise in what)
    assert re.search(says, found)


@pytest.mark.slow
def test_thinking_longer_than_allowed_is_found(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contract, "_LATE", 10.0)
    report = check_search(f"{place}:Late", ["Kuhn"])
    broken = [promise.broken for promise in report.promises if promise.broken]
    assert len(broken) == 1
    assert "0.001 s of thinking took 0.0" in broken[0]


def test_convergence_without_a_guarantee_is_no_promise(place: str) -> None:
    report = check_search(f"{place}:Modest", ["Kuhn"])
    assert report.is_kept
    assert report.promises[-1].note.startswith("not promised, because no guarantee is named")


@pytest.mark.parametrize("name", ["oos", "ismcts", "cr", "mccr", "vector-cr", "auto"])
def test_seats_that_a_game_does_not_have_are_refused(name: str) -> None:
    search = make_search(small("Kuhn"), name)
    for seat in (2, -1, 0.5, "first", None):
        with pytest.raises(OptionError, match=f"player {seat!r} is not allowed; .* 0 to 1"):
            search.start(seat, 0)  # type: ignore[arg-type]  # as users do


def test_what_cannot_be_tried_is_refused(place: str) -> None:
    with pytest.raises(GameError, match=r"refuses all games in which .* it plays"):
        check_search(f"{place}:Refusing")
    with pytest.raises(OptionError, match=r"cannot be made with a seed; write its constructor as"):
        check_search(f"{place}:Seedless")
    with pytest.raises(OptionError, match="has no search 'Missing'; it has these"):
        check_search(f"{place}:Missing")
    with pytest.raises(OptionError, match=r"there is no file .*no\.py; correct its path"):
        check_search(f"{place.replace('.py', '_no.py')}:Missing")
    with pytest.raises(OptionError, match="no_such_module cannot be imported: ModuleNotFoundError"):
        check_search("no_such_module:Search")


@pytest.mark.slow
def test_the_verb_reports_promises(
    place: str, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, out, err = typed("check", "--algorithm", f"{place}:TooLong")
    assert status == 2
    assert "BROKEN: at each decision" in out
    assert "kept: the weights are well formed" in out
    assert "breaks" in err
    assert "Traceback" not in err
    monkeypatch.setattr(contract, "_FEW", 50)
    assert typed.json("check", "--algorithm", f"{place}:Modest")["passed"] is True
    status, _, err = typed("check")
    assert (status, err) == (2, "hiddenhand: name either a game, or a search with --algorithm\n")
