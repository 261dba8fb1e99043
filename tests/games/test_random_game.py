"""Random games against a slow twin in plain integers, what they draw, and trees with payoffs that
are listed.
"""

import itertools
import math

import numpy as np
import pytest

from hiddenhand.errors import GameError
from hiddenhand.games.base import SIMULTANEOUS, Game
from hiddenhand.games.history import History, Move, all_histories
from hiddenhand.games.random_game import MatrixTree, RandomGame
from hiddenhand.games.registry import game_spec, load_game


def after(game: Game, *moves: tuple[int, int]) -> History:
    """The history after ``moves`` from the root."""
    history = History(game)
    for move in moves:
        history = history.child(move)
    return history


# --- what is drawn ---


def fmix64(key: int) -> int:
    """The finaliser of MurmurHash3."""
    key ^= key >> 33
    key = key * 0xFF51AFD7ED558CCD % 2**64
    key ^= key >> 33
    key = key * 0xC4CEB9FE1A85EC53 % 2**64
    return key ^ key >> 33


def hashes(game: RandomGame, moves: tuple[Move, ...]) -> list[int]:
    """The hash of each node on the way, the root first: 62 bits of chained keys."""
    event = (game.seed * 0x9E3779B97F4A7C15 + 0xC2B2AE3D27D4EB4F) % 2**64
    found = [fmix64(fmix64(0xD6E8FEB86659FD93) ^ event) >> 2]
    for move in moves:
        assert isinstance(move, tuple)
        number = move[0] * game.actions + move[1]
        found.append(fmix64(found[-1] ^ (number + 1) * 0x9E3779B97F4A7C15 % 2**64) >> 2)
    return found


@pytest.mark.parametrize("seed", [0, 1, 2**62 - 1])
def test_payoffs_are_read_off_hashes(seed: int) -> None:
    summed, signed, drawn = (
        RandomGame(3, 2, seed),
        RandomGame(3, 2, seed, sign=True),
        RandomGame(3, 2, seed, "leaves"),
    )
    for moves in itertools.product(itertools.product(range(3), repeat=2), repeat=2):
        below = hashes(summed, moves)[1:]
        total = sum(number % 3 - 1 for number in below)
        assert after(summed, *moves).returns() == (total, -total)
        assert after(signed, *moves).returns() == (np.sign(total), -np.sign(total))
        leaf = (below[-1] >> 9) / 2**53
        assert after(drawn, *moves).returns() == (leaf, -leaf)


def test_a_seed_means_the_same_game_for_ever() -> None:
    """First seen in this program: what is published about a seed must stay true."""
    steps = [[after(RandomGame(3, 1), (a, b)).returns()[0] for b in range(3)] for a in range(3)]
    assert steps == [[1, 0, -1], [1, 0, -1], [1, -1, -1]]
    leaves = [
        after(RandomGame(2, 1, payoffs="leaves"), (a, b)).returns()[0]
        for a in range(2)
        for b in range(2)
    ]
    assert leaves == [
        0.3938839160525006,
        0.5348292356529477,
        0.38431798463758227,
        0.9875604207838636,
    ]


def level(game: Game, depth: int) -> list[History]:
    """All histories of ``depth`` joint actions."""
    found = [History(game)]
    for _ in range(depth):
        found = [history.child(move) for history in found for move in history.legal_moves()]
    return found


def test_a_deeper_game_begins_the_same() -> None:
    for moves in itertools.product(itertools.product(range(2), repeat=2), repeat=2):
        assert (
            after(RandomGame(2, 2, 5), *moves).state.tolist()
            == after(RandomGame(2, 9, 5), *moves).state.tolist()
        )


# --- the rules ---


@pytest.mark.parametrize(
    "game", [RandomGame(3, 2), RandomGame(2, 3, 1, "leaves"), MatrixTree(2, 2, range(16))], ids=str
)
def test_shape(game: RandomGame | MatrixTree) -> None:
    histories = list(all_histories(game))
    assert len(histories) == sum(game.actions ** (2 * rounds) for rounds in range(game.depth + 1))
    for history in histories:
        assert history.is_terminal == (len(history.moves) == game.depth)
        if not history.is_terminal:
            assert history.player == SIMULTANEOUS
            assert [history.legal_actions(player) for player in (0, 1)] == [
                list(range(game.actions))
            ] * 2
    assert History(game).child((1, 0)).observations == (0, 0, 1 + game.actions)


def test_largest_payoffs() -> None:
    games = [
        RandomGame(2, 7),
        RandomGame(2, 7, sign=True),
        RandomGame(2, 7, payoffs="leaves"),
        MatrixTree(1, 1, [-3]),
    ]
    assert [game.max_utility for game in games] == [7, 1, 1, 3]


# --- the evaluation function ---


def test_evaluation_is_the_sum_so_far() -> None:
    game, signed = RandomGame(2, 3, 4), RandomGame(2, 3, 4, sign=True)
    for history in all_histories(game):
        so_far = sum(number % 3 - 1 for number in hashes(game, history.moves)[1:])
        assert [game.evaluation().evaluate(game, history.state, player) for player in (0, 1)] == [
            so_far,
            -so_far,
        ]
        assert signed.evaluation().evaluate(signed, history.state, 0) == pytest.approx(
            math.tanh(so_far), abs=1e-15
        )


def test_leaves_cannot_be_foretold() -> None:
    with pytest.raises(GameError, match=r"has no evaluation function.*; search it with rollouts"):
        RandomGame(payoffs="leaves").evaluation()


# --- trees with payoffs that are listed ---


def test_leaves_are_in_the_order_of_joint_actions() -> None:
    game = MatrixTree(2, 2, range(16))
    assert [end.returns() for end in level(game, 2)] == [(number, -number) for number in range(16)]
    assert after(game, (1, 0), (0, 1)).returns() == (4 * 2 + 1, -9)
    assert MatrixTree(2, 2, np.arange(16).reshape(2, 2, 2, 2)) == game


def test_compared_and_written() -> None:
    game = MatrixTree(2, 1, [[0, 1], [0.5, 0]])
    assert game == MatrixTree(2, 1, (0.0, 1.0, 0.5, 0.0)) != MatrixTree(2, 1, [0, 1, 0.5, 1])
    assert hash(game) == hash(MatrixTree(2, 1, (0.0, 1.0, 0.5, 0.0)))
    assert repr(game) == "MatrixTree(actions=2, depth=1, leaves=[0.0, 1.0, 0.5, 0.0])"
    assert load_game(game_spec(game)) == game
