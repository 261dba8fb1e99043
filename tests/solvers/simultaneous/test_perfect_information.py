"""Best moves in plain sight, compared with a slow twin that walks through all histories."""

import numpy as np
import pytest
from naive.board_games import tic_tac_toe
from naive.nim import Nim
from studies.errors import random_tree

from hiddenhand.errors import GameError, TooLargeError
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.games.history import History
from hiddenhand.games.matrix_game import MatrixGame
from hiddenhand.solvers.simultaneous.perfect_information import best_moves

ERROR = 0.2  # how often the opponent errs
MARGIN = 1e-9  # below which two numbers are alike


def judged(history: History, player: int) -> tuple[float, float]:
    """What a history is worth to a player, and the player's hope in it."""
    if history.is_terminal:
        paid = float(history.returns()[player])
        return paid, paid
    worths, hopes = map(np.array, zip(*judged_children(history, player), strict=True))
    if history.player == CHANCE:
        chances = np.array([chance for _, chance in history.chance_outcomes()])
        return float(chances @ worths), float(chances @ hopes)
    if history.player == player:
        best = worths >= worths.max() - MARGIN
        return float(worths.max()), float(hopes[best].max())
    best = worths <= worths.min() + MARGIN
    return float(worths.min()), float((1 - ERROR) * hopes[best].mean() + ERROR * hopes.mean())


def judged_children(history: History, player: int) -> list[tuple[float, float]]:
    return [judged(history.child(move), player) for move in history.legal_moves()]


GAMES: dict[str, Game] = {
    "Nim": Nim(7),
    **{f"tree {seed}": random_tree(seed, 5, chance=seed % 2 * 0.3) for seed in range(12)},
}


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_it_agrees_with_its_slow_twin(game: Game) -> None:
    history = History(game)
    while not history.is_terminal:
        moves = history.legal_moves()
        if history.player != CHANCE:
            found = best_moves(game, history.state, history.player, max_nodes=10_000)
            value, hope = judged(history, history.player)
            assert found.value == pytest.approx(value, abs=MARGIN)
            assert found.hope == pytest.approx(hope, abs=MARGIN)
            worths, hopes = map(
                np.array, zip(*judged_children(history, history.player), strict=True)
            )
            best = worths >= value - MARGIN
            best &= hopes >= hope - MARGIN
            assert found.policy == pytest.approx(best / best.sum())
        history = history.child(moves[len(moves) // 2])


def test_a_fork_is_hoped_for() -> None:
    """All opening moves of tic-tac-toe draw; the middle leaves most to err about."""
    found = best_moves(tic_tac_toe(), History(tic_tac_toe()).state, 0, max_nodes=10_000)
    assert found.value == 0.0
    assert found.policy.tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0]


def test_too_many_states_are_refused() -> None:
    with pytest.raises(TooLargeError):
        best_moves(Nim(50), History(Nim(50)).state, 0, max_nodes=10)


@pytest.mark.parametrize("game", [Goofspiel(3), MatrixGame([[1.0], [3.0]])])
def test_choices_at_the_same_moment_are_refused(game: Game) -> None:
    """Also where only one of the players has several actions."""
    with pytest.raises(GameError, match="at the same moment"):
        best_moves(game, History(game).state, 0, max_nodes=1000)
