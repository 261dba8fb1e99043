"""What an online player loses because its pieces do not fit together."""

import functools
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from naive.small_games import small
from typing_commands import Typed

from hiddenhand.budget import Budget
from hiddenhand.errors import GameError, OptionError, TooLargeError
from hiddenhand.evaluation.measurement import Study
from hiddenhand.evaluation.policy_completion import Completion, last_sets, own_sets_on_the_way
from hiddenhand.evaluation.seed_inference import losses_by_match
from hiddenhand.evaluation.soundness import (
    NOT_CONSISTENT,
    ONE_STRATEGY,
    _measured,
    soundness,
    strategies,
)
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.jit.arrays import Floats
from hiddenhand.progress import SILENT, Progress
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.strategy import Weights
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll


@functools.cache
def pennies() -> GameTree:
    return unroll(small("coordinated_mp"))


class OneSide:
    """Plays the action that its seed says, in every information set."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def start(self, seat: int, seed: int) -> None:
        self.side = seed % 2
        self.heard = 0

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        self.heard += len(events)

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        assert iterations == 7

    def policy(self, num_actions: int) -> Floats:
        return np.eye(num_actions)[self.side]

    def weights(self) -> Weights:
        raise NotImplementedError

    def thought(self) -> Mapping[str, float]:
        return {}


def pieces(*heads: float) -> Floats:
    """The profile in which player 1 plays heads with these probabilities."""
    profile = uniform_profile(pennies())
    for number, p in zip(pennies().sets_of(1), heads, strict=True):
        first = pennies().set_start[number]
        profile[first], profile[first + 1] = p, 1.0 - p
    return profile


def test_each_piece_may_be_right_and_all_together_wrong() -> None:
    """By hand: heads with p at the top and q at the bottom loses |p + q - 1|."""
    completion, (top, bottom) = Completion(pennies(), 1), map(int, pennies().sets_of(1))
    assert completion.value == pytest.approx(0.0, abs=1e-9)
    for p, q in ((1.0, 1.0), (1.0, 0.0), (0.25, 0.25), (0.5, 0.5)):
        profile = pieces(p, q)
        assert completion.loss([top], profile) == pytest.approx(0.0, abs=1e-9)
        assert completion.loss([bottom], profile) == pytest.approx(0.0, abs=1e-9)
        assert completion.loss([top, bottom], profile) == pytest.approx(abs(p + q - 1), abs=1e-9)
    assert [own_sets_on_the_way(pennies(), number) for number in last_sets(pennies(), 1)] == [
        [top],
        [bottom],
    ]


def test_a_search_of_one_side() -> None:
    """Both seats play one side, drawn by the seed. A seed's strategy loses 1 in each seat. In the
    first, the piece itself is wrong; in the second, each piece is right. The mean of as many heads
    as tails loses nothing.
    """
    found = strategies(Study(OneSide, pennies(), seeds=range(30)), Budget(7))
    heads = [profile[pennies().set_start[0]] for profile in found]
    assert 5 < sum(heads) < 25
    result = _measured(pennies(), "one side", Budget(7), tuple(range(30)), found, NOT_CONSISTENT)
    assert result.repeated.value == pytest.approx(2.0)
    assert result.local.value == pytest.approx(1.0)
    assert result.match.value == pytest.approx(1.0)
    assert result.misfit == pytest.approx(1.0)
    both = [abs(2 * np.mean([f[pennies().set_start[n]] for f in found]) - 1) for n in range(3)]
    assert both[1] == both[2]
    assert result.expected.value == pytest.approx(both[0] + both[1])
    assert not result.alike


def test_an_opponent_who_learns_the_seed() -> None:
    """By hand: heads always, or tails always. In the first match the opponent can do no better than
    guess, and loses or wins all; after it the opponent knows, and wins 1 in each seat.
    """
    sides = [np.ones(pennies().num_sequences), np.ones(pennies().num_sequences)]
    for first in pennies().set_start[:-1]:
        sides[0][first : first + 2] = 1.0, 0.0
        sides[1][first : first + 2] = 0.0, 1.0
    found = losses_by_match(pennies(), sides, 0.0, matches=3, plays=2)
    assert found.tolist() == [0.0, 2.0, 2.0]
    always = losses_by_match(pennies(), sides[:1], 0.0, matches=2, plays=1)
    assert always.tolist() == [2.0, 2.0]


def test_uniform_play_in_the_coordination_game() -> None:
    """By hand, as in the OOS paper: uniform play of player 1 costs 1/4, and so does its only
    piece.
    """
    found = soundness(small("coordination_game"), "random")
    assert found.repeated.value == pytest.approx(0.25)
    assert found.local.value == pytest.approx(0.25)
    assert found.misfit == pytest.approx(0.0)
    assert (found.consistency, found.alike, found.seeds) == (ONE_STRATEGY, True, (0,))


@pytest.mark.slow
def test_a_search_in_kuhn_poker(typed: Typed) -> None:
    game = "naive.small_games:Written(Kuhn)"
    found = soundness(game, "oos", iterations=20, seeds=range(3))
    assert 0 < found.expected.value <= found.repeated.value + 1e-12
    assert found.by_match[0] == pytest.approx(found.expected.value)
    assert found.by_match[-1] > found.by_match[0] + 0.1 * (found.repeated.value - found.by_match[0])
    assert max(found.by_match) <= found.repeated.value + 1e-9
    assert 0 < found.local.value <= found.match.value + 1e-9
    assert found.match.value <= found.repeated.value + 1e-9
    answer = typed.json("soundness", game, "oos", "--iterations", "20", "--seeds", "3")
    assert answer["expected"] == found.expected.value
    assert answer["misfit"] == found.misfit > 0
    assert answer["seeds"] == [0, 1, 2]
    _, out, _ = typed("soundness", game, "oos", "--iterations", "20", "--seeds", "3")
    assert all(f" {loss} " in out for loss in (found.match, found.local, found.after_errors))
    status, out, _ = typed("soundness", game, "equilibrium")
    assert status == 0
    assert "Consistent by construction" in out
    status, _, said = typed("soundness", game, "oos", "--iterations", "20", "--seeds", "0")
    assert (status, said) == (2, "hiddenhand: --seeds 0 is not allowed; give at least 1\n")


def test_what_is_refused() -> None:
    with pytest.raises(GameError, match="zero-sum games of two players"):
        soundness("naive.small_games:ThreeHands", "random")
    with pytest.raises(TooLargeError):
        soundness(small("Leduc"), "random", max_histories=100)
    with pytest.raises(OptionError):
        soundness(pennies(), "oos", iterations=20, seeds=())
