"""Both tiers of kernels: equal to the last bit, with one change over in the middle, and none where
the specialised form cannot be had.
"""

import gc
import hashlib
import os
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typing_commands import Typed

from hiddenhand import OOS, load_game, make_search
from hiddenhand.errors import (
    ConformanceError,
    GameError,
    HiddenhandError,
    OptionError,
    RuleError,
    TooLargeError,
)
from hiddenhand.games import CHANCE, SIMULTANEOUS, TERMINAL, Game
from hiddenhand.games.base import EvaluationFunction
from hiddenhand.games.constant_sum import zero_sum_form
from hiddenhand.games.registry import game_names
from hiddenhand.games.wrapped import Wrapped
from hiddenhand.jit import background, generic_forms, tiers
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.tier_choice import tier, using_tier
from hiddenhand.search import traversal
from hiddenhand.search.algorithms import SEARCH, algorithms
from hiddenhand.trees.unroll import unroll


@dataclass(frozen=True)
class Draw(Game):
    """Each player gets a card; player 0 bets or not, and the higher card wins the bet."""

    cards: int = 3
    pays: Any = field(default=None, compare=False)

    state_size, max_actions, max_depth, max_utility = 4, 2, 3, 2.0
    max_chance_outcomes = property(lambda self: self.cards)

    def initial_state(self, state: Any) -> None:
        state[:] = 0

    def current_player(self, state: Any) -> int:
        return CHANCE if state[3] < 2 else 0 if state[3] == 2 else TERMINAL

    def legal_actions(self, state: Any, player: int, actions: Any) -> int:
        actions[0], actions[1] = 0, 1
        return 2

    def chance_outcomes(self, state: Any, actions: Any, probabilities: Any) -> int:
        for card in range(self.cards):
            actions[card], probabilities[card] = card, 1.0 / self.cards
        return self.cards

    def apply_action(self, state: Any, action: int, observations: Any) -> None:
        turn = state[3]
        state[turn] = action
        state[3] = turn + 1
        observations[turn if turn < 2 else 2] = action + 1

    def returns(self, state: Any, player: int) -> float:
        sign = (1.0 if state[0] > state[1] else -1.0) * (1.0 if player == 0 else -1.0)
        return 0.0 if state[0] == state[1] else sign * self.stake(state)

    def stake(self, state: Any) -> float:
        return 1.0 + state[2]

    def evaluation(self) -> EvaluationFunction:
        return HighCard()

    def render(self, state: Any, player: int) -> str:
        return f"{state[player]}"


@dataclass(frozen=True)
class HighCard(EvaluationFunction):
    """How high the player's card is."""

    def evaluate(self, game: Any, state: Any, player: int) -> float:
        return state[player] / game.cards - 0.5


@dataclass(frozen=True)
class Bids(Game):
    """Twice, both players bid 0 to 2 at once; the higher sum of bids wins. Payoffs sum to 1."""

    simultaneous, zero_sum, payoff_sum = True, False, 1.0
    state_size, max_actions, max_depth, max_utility = 3, 3, 2, 1.0

    def initial_state(self, state: Any) -> None:
        state[:] = 0

    def current_player(self, state: Any) -> int:
        return SIMULTANEOUS if state[2] < 2 else TERMINAL

    def legal_actions(self, state: Any, player: int, actions: Any) -> int:
        actions[0], actions[1], actions[2] = 0, 1, 2
        return 3

    def apply_joint_action(self, state: Any, actions: Any, observations: Any) -> None:
        state[0] += actions[0]
        state[1] += actions[1]
        state[2] += 1
        observations[2] = 1 + (actions[0] > actions[1])

    def returns(self, state: Any, player: int) -> float:
        ahead = state[player] - state[1 - player]
        return 1.0 if ahead > 0 else 0.5 if ahead == 0 else 0.0

    def evaluation(self) -> EvaluationFunction:
        return Ahead()

    def render(self, state: Any, player: int) -> str:
        return f"{state[player]}"


@dataclass(frozen=True)
class Ahead(EvaluationFunction):
    """How far the player is ahead. It asks for more than the rules of the game say."""

    def evaluate(self, game: Any, state: Any, player: int) -> float:
        return 0.5 + (state[player] - state[1 - player]) / (4.0 * game.max_actions)


@dataclass(frozen=True)
class Renamed(Wrapped):
    """A wrapper that is no part of the package."""

    def apply_action(self, state: Any, action: int, observations: Any) -> None:
        self.game.apply_action(state, action, observations)
        observations[2] += 7 * (observations[2] > 0)


@dataclass(frozen=True)
class Overpaid(Draw):
    """Draw, in which a bet pays more than the game says."""

    def stake(self, state: Any) -> float:
        return 1.0 + 7 * state[2]


@dataclass(frozen=True)
class OutOfBounds(Draw):
    """Draw, in which a bet is looked up where there is nothing."""

    def stake(self, state: Any) -> float:
        return 1.0 + state[5 * state[2]]


FEW = {"doab": 2, "pimc": 10}
"""Iterations of searches of which one is a depth, or part of a simulation."""


def digest(search: Any) -> str:
    weights = search.weights()
    return hashlib.sha256(weights.keys.tobytes() + weights.values.tobytes()).hexdigest()


def found(make: Callable[[], Any], name: str, iterations: int = 300) -> str:
    with using_tier(name):
        search = make()
        search.start(0, seed=3)
        search.think(iterations=iterations)
        return digest(search)


# --- equal to the bit ---


def test_a_search_with_an_evaluation_function() -> None:
    def make() -> Any:
        return OOS(Draw(), evaluation=True)

    before = tiers.calls()
    assert found(make, "generic") == found(make, "specialised")
    assert (tiers.calls() - before).tier == "both"


@pytest.mark.parametrize(
    "game",
    [
        zero_sum_form(Renamed(Bids())),
        pytest.param(zero_sum_form(Bids()), marks=pytest.mark.thorough),
        pytest.param(Renamed(Draw()), marks=pytest.mark.thorough),
    ],
    ids=repr,
)
def test_an_evaluation_function_in_a_game_around_a_game(game: Game) -> None:
    assert found(lambda: OOS(game, evaluation=True), "generic") == found(
        lambda: OOS(game, evaluation=True), "specialised"
    )


def test_a_game_around_a_game_needs_no_kernel_of_its_own() -> None:
    with using_tier("generic"):
        OOS(Draw(), seed=1).run(iterations=1)
        compiled = len(traversal.run._generic.overloads)
        OOS(zero_sum_form(Bids()), seed=1).run(iterations=1)
    assert len(traversal.run._generic.overloads) == compiled


def test_writing_out() -> None:
    trees = []
    for name in ("generic", "specialised"):
        with using_tier(name):
            trees.append(unroll(Draw(4)))
    first, second = (tree.histories for tree in trees)
    for name, kept in vars(first).items():
        assert kept.tobytes() == getattr(second, name).tobytes()


@pytest.mark.thorough
@pytest.mark.parametrize("algorithm", [entry.name for entry in algorithms(SEARCH)])
@pytest.mark.parametrize("game", game_names())
def test_every_search_on_every_game(game: str, algorithm: str) -> None:
    try:
        results = [
            found(lambda: make_search(load_game(game), algorithm), name, FEW.get(algorithm, 20))
            for name in ("generic", "specialised")
        ]
    except (GameError, OptionError, TooLargeError) as error:
        pytest.skip(str(error))
    assert results[0] == results[1]


# --- the change ---


def test_a_change_in_the_middle_costs_nothing() -> None:
    whole, changing = OOS(Draw(), seed=5), OOS(Draw(), seed=5)
    with using_tier("generic"):
        whole.run(iterations=2000)
        changing.run(iterations=1000)
    with using_tier("specialised"):
        changing.run(iterations=1000)
    assert digest(whole) == digest(changing)


@pytest.mark.slow
@pytest.mark.parametrize("forks", [True, False], ids=["process", "thread"])
def test_the_background_compiles_what_runs_long(
    forks: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    @kernel
    def last(game: Game, count: int) -> int:
        state = np.zeros(game.state_size, np.int64)
        for _ in range(count):
            game.initial_state(state)
        return game.current_player(state)

    if forks and sys.platform != "linux":
        pytest.skip("processes are forked on Linux only")
    monkeypatch.setattr(background, "may_fork", lambda: forks)
    monkeypatch.setattr(tiers, "_PATIENCE", 0.0)
    monkeypatch.setattr(background, "_NICENESS", 0)
    monkeypatch.setenv("HIDDENHAND_CACHE", str(tmp_path))  # nothing is compiled yet
    game = Draw()
    with using_tier("auto"):
        before = tiers.calls()
        assert last(game, 5) == CHANCE  # which begins to compile
        assert tiers.calls() - before == (1, 0)
        (state,) = last._states.values()  # type: ignore[attr-defined]
        while (tiers.calls() - before).specialised == 0:
            assert not state.failed
            assert last(game, 5) == CHANCE
            time.sleep(0.01)
    with using_tier("generic"):
        assert last(game, 5) == CHANCE


def test_a_game_whose_specialised_kernel_cannot_be_compiled_still_plays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @kernel
    def first(game: Game) -> int:
        return game.max_actions

    def refuse(types: Any) -> None:
        raise ValueError("no")

    monkeypatch.setattr(tiers, "_PATIENCE", 0.0)
    monkeypatch.setattr(first, "compile", refuse)
    with using_tier("auto"):
        assert first(Draw()) == 2
        (state,) = first._states.values()
        while not state.failed:
            assert first(Draw()) == 2
            time.sleep(0.01)
        assert first(Draw()) == 2


LONG = """
import sys, time
import numpy as np
sys.path.insert(0, {folder!r})
from test_tiers import Draw, background, mover, tiers
tiers._PATIENCE, forked = 0.0, background._forked

def told(job):
    compilation = forked(job)
    print(compilation._process, flush=True)
    time.sleep(60)

background._forked = told
mover(Draw(cards=7), np.zeros(4, np.int64))
"""


@kernel
def mover(game: Game, state: Any) -> int:
    return game.current_player(state)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
def test_a_kill_leaves_nothing_half_written(tmp_path: Path) -> None:
    environment = os.environ | {"HIDDENHAND_TIER": "auto", "HIDDENHAND_CACHE": str(tmp_path)}
    program = LONG.format(folder=str(Path(__file__).parent))
    with subprocess.Popen(
        [sys.executable, "-c", program],
        env=environment | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        compiler = int(running.stdout.readline())
        os.kill(compiler, signal.SIGKILL)
        running.kill()
    assert list(tmp_path.glob("*/mover-*.code"))  # the generic form
    assert not list(tmp_path.glob("*/*.part"))


# --- what goes wrong in rules ---


@pytest.mark.parametrize("game", [Overpaid(), OutOfBounds()], ids=lambda game: type(game).__name__)
def test_a_broken_rule_is_told_in_the_same_words(game: Game) -> None:
    told = []
    for name in ("generic", "specialised"):
        with using_tier(name), pytest.raises(HiddenhandError) as caught:
            OOS(game, seed=1).run(iterations=100)
        told.append(str(caught.value))
    assert isinstance(caught.value, (RuleError, ConformanceError))
    assert told[0] == told[1]


def test_a_result_of_the_wrong_kind_is_told() -> None:
    @dataclass(frozen=True)
    class Silent(Draw):
        def current_player(self, state: Any) -> Any:
            return None if state[3] > 9 else (1, 2)

    with using_tier("generic"), pytest.raises(HiddenhandError, match="current_player"):
        OOS(Silent(), seed=1).run(iterations=10)


# --- records ---


def test_a_record_lives_as_long_as_its_game() -> None:
    with using_tier("generic"):
        game = Draw()
        OOS(game, seed=1).run(iterations=1)
        number, alive = id(game), weakref.ref(game)
        assert number in generic_forms._RECORDS
        del game
        gc.collect()
    assert alive() is None, gc.get_referrers(alive())
    assert number not in generic_forms._RECORDS


def test_games_that_differ_in_numbers_share_their_rules() -> None:
    with using_tier("generic"):
        OOS(Draw(3), seed=1).run(iterations=1)
        compiled = len(generic_forms.write_rules.overloads)
        OOS(Draw(4), seed=1).run(iterations=1)
    assert len(generic_forms.write_rules.overloads) == compiled


# --- the choice ---


def test_the_command_line(typed: Typed) -> None:
    with using_tier(tier()):
        status, _, error = typed("--tier", "quick", "solve", "kuhn_poker")
        assert status == 2
        assert error.startswith(
            "hiddenhand: --tier quick is not allowed; choose one of: auto, generic, spec"
        )
        search = "--tier generic search kuhn_poker oos --iterations 9"
        assert typed.json(search)["tier"] in ("generic", "both")


INTERRUPTED = """
import signal, sys, time
import numpy as np
from hiddenhand import load_game
from hiddenhand.cli.process import cannot_raise
from hiddenhand.jit.tier_choice import using_tier
from hiddenhand.jit.kernels import kernel

@kernel
def legal(game, state, actions):
    return game.legal_actions(state, game.current_player(state), actions)

inside = interrupts = 0

def interrupt(number, frame):
    if inside and not cannot_raise(frame):
        raise KeyboardInterrupt

game = load_game("kuhn_poker")
state, actions = np.array([0, 1, 2, 0, 0][:game.state_size]), np.zeros(4, np.int64)
with using_tier("generic"):
    legal(game, state, actions)
    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
    while interrupts < 1000:
        try:
            inside = 1
            while True:
                legal(game, state, actions)
        except KeyboardInterrupt:
            inside = 0
            interrupts += 1
    signal.setitimer(signal.ITIMER_REAL, 0)
print(interrupts)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="has no such timer")
def test_ctrl_c_in_a_call_of_a_kernel_is_nothing_else(tmp_path: Path) -> None:
    """Machine code that reads an argument expects no exception there: if a signal raised one, the
    process might even crash.
    """
    (tmp_path / "interrupted.py").write_text(INTERRUPTED)
    done = subprocess.run(
        [sys.executable, tmp_path / "interrupted.py"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, "1000\n"), done.stderr
