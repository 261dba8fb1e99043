"""Evaluation functions in place of playouts, in the sequential searches: word for word, and what is
refused.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from naive.duel import Duel
from naive.ismcts import NaiveISMCTS
from naive.oos import NaiveOOS
from naive.tables import rows
from naive.xoshiro import Xoshiro

from hiddenhand.errors import GameError
from hiddenhand.games.base import EvaluationFunction, Game, State
from hiddenhand.games.history import History
from hiddenhand.games.poker.generic import GenericPoker
from hiddenhand.games.poker.leduc import LeducPoker
from hiddenhand.games.registry import load_game
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.random import new_state
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.search.simultaneous.sm_oos import SMOOS


@dataclass(frozen=True)
class SumOfState(EvaluationFunction):
    """Some number that depends on all of the state, and on who asks."""

    def evaluate(self, game: Game, state: State, player: int) -> float:
        total = 0
        for number in state:
            total = 3 * total + number
        return float(total % 7 - 3) * (1.0 if player == 0 else -1.0)


@dataclass(frozen=True)
class JudgedPoker(GenericPoker):
    """Poker with an evaluation function, for a game of hidden information."""

    def evaluation(self) -> EvaluationFunction:
        return SumOfState()


JUDGED = JudgedPoker(3, 2, 1, 1)


def estimate(h: History) -> tuple[float, ...]:
    if h.is_terminal:
        return h.returns()
    return tuple(h.game.evaluation().evaluate(h.game, h.state, player) for player in range(2))


class JudgingOOS(NaiveOOS):
    """Where memory ends: x is 1, nothing more is sampled, and u is the estimate."""

    def playout(self, h: History, s: float, i: int) -> tuple[float, float, float]:
        return 1.0, s, estimate(h)[i]


class JudgingISMCTS(NaiveISMCTS):
    def simulate(self, h: History) -> tuple[float, ...]:
        return estimate(h)


def test_oos_word_for_word() -> None:
    played = JUDGED
    search = OOS(played, epsilon=0.5, gamma=0.02, evaluation=True, seed=7)
    twin = JudgingOOS(played, 0.5, 0.02, Xoshiro(new_state(7).tolist()))
    search.run(iterations=150)
    for _ in range(150):
        twin.iterate()
    compiled = rows(search.table)
    assert compiled.keys() == twin.regret.keys()
    for key, row in compiled.items():
        np.testing.assert_allclose(row, twin.regret[key] + twin.mean[key], rtol=1e-9, atol=1e-9)


def test_ismcts_word_for_word() -> None:
    played = as_sequential(Duel())
    search = ISMCTS(played, "rm", evaluation=True, seed=7)
    twin = JudgingISMCTS(played, "rm", Xoshiro(search._rng.tolist()))
    search.think(iterations=200)
    for _ in range(200):
        twin.iterate()
    compiled = rows(search.table)
    assert compiled.keys() == twin.rows.keys()
    for key, row in compiled.items():
        np.testing.assert_allclose(row, twin.rows[key][0] + twin.rows[key][1], rtol=1e-9, atol=1e-9)


def test_in_turns_the_state_before_the_round_is_judged() -> None:
    """A choice that is still hidden does not count; after the round the new state does."""
    played = as_sequential(Duel())
    evaluation = played.evaluation()
    history = History(played).child(0)
    before = evaluation.evaluate(played, history.state, 0)
    chosen = history.child(1)
    assert evaluation.evaluate(played, chosen.state, 0) == before == 0.0
    after = chosen.child(1)
    assert evaluation.evaluate(played, after.state, 1) == -float(after.state[2]) != 0.0


@pytest.mark.parametrize("kind", [OOS, ISMCTS])
def test_a_game_must_have_one(kind: type) -> None:
    with pytest.raises(GameError, match="no evaluation function; search it with rollouts"):
        kind(LeducPoker(), evaluation=True)
    with pytest.raises(GameError, match="no evaluation function"):
        kind(load_game("biased_rps(1)"), evaluation=True)
    with pytest.raises(GameError, match="no evaluation function"):
        SMOOS(load_game("biased_rps(1)"), evaluation=True)
