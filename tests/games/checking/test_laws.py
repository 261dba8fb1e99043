"""What every game must keep: names lead back to actions, pictures and rules depend on what was
noticed only, and compiled rules are the rules.
"""

import random as python_random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from hiddenhand.compiled.draws import sample
from hiddenhand.compiled.kernels import kernel
from hiddenhand.compiled.random import below, new_state
from hiddenhand.compiled.walk import advance, begin
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.coordination_game import CoordinationGame
from hiddenhand.games.history import History
from hiddenhand.games.liars_dice import LiarsDice
from hiddenhand.games.matrix_game import MatrixGame, biased_rps
from hiddenhand.games.phantom_ttt import PhantomTicTacToe
from hiddenhand.games.poker.generic import GenericPoker
from hiddenhand.games.poker.leduc import LeducPoker
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.games.turn_based import TurnBased

GAMES: list[Game] = [
    LeducPoker(),
    GenericPoker(3, 3, 2, 2),
    GenericPoker(4, 6, 4, 4),
    LiarsDice(1, 1, 3),
    LiarsDice(2, 1, 6),
    TurnBased(biased_rps(10)),
    TurnBased(MatrixGame([[3, 0, 1], [5, 1, 2]], [[3, 5, 1], [0, 1, 2]])),
    CoordinationGame(),
    PhantomTicTacToe(),
    PhantomTicTacToe(forced_wins=True),
    PhantomTicTacToe(forced_wins=True, forced_center=True),
    TreeGame.from_game(LeducPoker()),
]
each_game = pytest.mark.parametrize("game", GAMES, ids=str)
PLAYS = 60


def random_plays(game: Game, plays: int) -> list[History]:
    """All histories along ``plays`` random plays, moves drawn uniformly."""
    rng = python_random.Random(1)
    found = []
    for _ in range(plays):
        history = History(game)
        found.append(history)
        while not history.is_terminal:
            history = history.child(rng.choice(history.legal_moves()))
            found.append(history)
    return found


@each_game
def test_names_lead_back_to_actions(game: Game) -> None:
    for history in random_plays(game, PLAYS):
        for action in history.legal_actions() if not history.is_terminal else []:
            assert (
                game.parse_action(
                    history.state,
                    history.player,
                    game.action_name(history.state, history.player, action),
                )
                == action
            )


@each_game
def test_what_was_noticed_decides_what_is_known(game: Game) -> None:
    """Histories with the same key of a player have the same picture for them, the same legal
    actions, and it is their turn in all or in none.
    """
    known: dict[tuple[int, int], tuple[Any, ...]] = {}
    for history in random_plays(game, 4 * PLAYS):
        for player in range(game.num_players):
            mine = history.player == player
            facts = (
                mine,
                history.legal_actions() if mine else None,
                game.render(history.state, player),
            )
            assert known.setdefault((player, history.key(player)), facts) == facts, history


@each_game
def test_sizes_are_kept(game: Game) -> None:
    zero_sum = game.game.zero_sum if isinstance(game, TurnBased) else game.zero_sum
    for history in random_plays(game, PLAYS):
        assert len(history.moves) <= game.max_depth
        if history.is_terminal:
            assert max(map(abs, history.returns())) <= game.max_utility
            assert sum(history.returns()) == 0.0 or not zero_sum
        elif history.player == CHANCE:
            assert len(history.legal_actions()) <= game.max_chance_outcomes
            assert sum(p for _, p in history.chance_outcomes()) == pytest.approx(1.0, abs=1e-12)
        else:
            assert len(history.legal_actions()) <= game.max_actions
            assert history.legal_actions() == sorted(history.legal_actions())


@kernel
def play_at_random(
    game: Any,
    random: npt.NDArray[np.uint64],
    moves: npt.NDArray[np.int64],
    states: npt.NDArray[np.int64],
    keys: npt.NDArray[np.uint64],
    returns: npt.NDArray[np.float64],
    actions: npt.NDArray[np.int64],
    probabilities: npt.NDArray[np.float64],
    observations: npt.NDArray[np.int64],
) -> int:
    """Play one random game. Writes the moves and, after each of n moves, the state ``[n + 1, S]``
    and keys ``[n + 1, P + 1]``; returns n.
    """
    length = 0
    begin(game, states[0], keys[0])
    while True:
        player = game.current_player(states[length])
        if player == TERMINAL:
            break
        if player == CHANCE:
            count = game.chance_outcomes(states[length], actions, probabilities)
            action = actions[sample(random, probabilities, count)]
        else:
            count = game.legal_actions(states[length], player, actions)
            action = actions[below(random, count)]
        moves[length] = action
        states[length + 1] = states[length]
        keys[length + 1] = keys[length]
        length += 1
        advance(game, states[length], player, action, keys[length], observations)
    for player in range(returns.size):
        returns[player] = game.returns(states[length], player)
    return length


@each_game
def test_compiled_rules_are_the_rules(game: Game) -> None:
    moves = np.zeros(game.max_depth, np.int64)
    states = np.zeros((game.max_depth + 1, game.state_size), np.int64)
    keys = np.zeros((game.max_depth + 1, game.num_players + 1), np.uint64)
    returns = np.zeros(game.num_players)
    actions = np.zeros(max(game.max_actions, game.max_chance_outcomes), np.int64)
    room = (actions, np.zeros(actions.size), np.zeros(game.num_players + 1, np.int64))
    random = new_state(7)
    for _ in range(PLAYS):
        length = play_at_random(game, random, moves, states, keys, returns, *room)
        history = History(game)
        for move in moves[:length]:
            history = history.child(int(move))
            assert history.state.tolist() == states[len(history.moves)].tolist()
            assert [history.key(0), history.key(1), history.public_key] == keys[
                len(history.moves)
            ].tolist()
        assert history.is_terminal
        assert history.returns() == tuple(returns)
