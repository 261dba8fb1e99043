"""`History` against a naive replay, and the numbers of histories against OpenSpiel and counting by
hand.
"""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hiddenhand.errors import GameError, OptionError
from hiddenhand.games.base import SIMULTANEOUS
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.registry import load_game
from hiddenhand.games.turn_based import TurnBased, as_sequential
from hiddenhand.games.validation.conformance import check
from hiddenhand.games.validation.inspector import Inspector
from hiddenhand.search.sampling.oos import OOS

SMALL = [
    "kuhn_poker",
    "leduc_poker",
    "LD(1,1,2)",
    "coordination_game",
    "GS(3)",
    "IIGS(3)",
    "turn_based(IIGS(3))",
    "BRPS(10)",
]


def noticed(history):
    """For each player and then the public, the list of all they noticed: a naive twin of the keys,
    with nothing mixed.
    """
    game = history.game
    everything = [[] for _ in range(game.num_players + 1)]
    state = np.zeros(game.state_size, np.int64)
    game.initial_state(state)
    for move in history.moves:
        mover = int(game.current_player(state))
        tokens = np.zeros(game.num_players + 1, np.int64)
        if mover == SIMULTANEOUS:
            game.apply_joint_action(state, np.array(move), tokens)
        else:
            game.apply_action(state, move, tokens)
        for player in range(game.num_players):
            own = move[player] if mover == SIMULTANEOUS else move if mover == player else None
            if own is not None or tokens[player] or tokens[-1]:
                everything[player].append((own, int(tokens[player]), int(tokens[-1])))
        if tokens[-1]:
            everything[-1].append(int(tokens[-1]))
    assert np.array_equal(state, history.state)
    return [tuple(events) for events in everything]


@pytest.mark.parametrize("text", SMALL)
def test_keys_are_equal_exactly_where_players_noticed_the_same(text):
    game = load_game(text)
    events_of_key, key_of_events = {}, {}
    for history in all_histories(game):
        keys = [*(history.key(player) for player in range(game.num_players)), history.public_key]
        for observer, (key, events) in enumerate(zip(keys, noticed(history), strict=True)):
            assert events_of_key.setdefault(key, (observer, events)) == (observer, events)
            assert key_of_events.setdefault((observer, events), key) == key


def test_a_history_is_left_as_it_was_by_its_children():
    history = History(KuhnPoker()).child(0).child(1)
    state, keys = history.state.copy(), [history.key(0), history.key(1), history.public_key]
    history.child(0)
    history.child(1)
    assert np.array_equal(history.state, state)
    assert [history.key(0), history.key(1), history.public_key] == keys
    assert history.moves == (0, 1)


def test_an_illegal_move_is_refused():
    with pytest.raises(GameError, match=r"3 is not a legal move after \(\); legal are \[0, 1, 2\]"):
        History(KuhnPoker()).child(3)
    with pytest.raises(GameError, match="is not a legal move"):
        History(load_game("GS(2)")).child(0)


@pytest.mark.parametrize("player", [-1, 3, 0.5, "one", None, True])
def test_keys_are_those_of_players_and_of_the_public(player: Any) -> None:
    history = History(KuhnPoker())
    assert history.key(2) == history.public_key
    with pytest.raises(OptionError, match=r"is not allowed; Kuhn.* has players 0 to 1"):
        history.key(player)


def test_joint_moves_are_all_pairs():
    history = History(load_game("GS(3)")).child((0, 2))
    assert history.player == SIMULTANEOUS
    assert history.legal_moves() == list(itertools.product([1, 2], [0, 1]))
    assert history.legal_actions(1) == [0, 1]


def test_turns_have_the_keys_of_no_choice_but_the_own():
    """After the first choice, the second player knows only that there was one."""
    root = History(TurnBased(load_game("IIGS(3)")))
    first, second = root.child(0), root.child(2)
    assert first.key(1) == second.key(1)
    assert first.public_key == second.public_key != root.public_key
    assert first.key(0) != second.key(0)


@pytest.mark.parametrize("walk", [History, check, as_sequential, OOS])
def test_what_is_not_a_game_is_told_from_one(walk: Callable[[Any], object]) -> None:
    with pytest.raises(GameError, match=r"a class of games, and not a game; write KuhnPoker\(\)"):
        walk(KuhnPoker)
    with pytest.raises(GameError, match="3 is not a game; give a game or its name, such as kuhn"):
        walk(3)


def test_joint_moves_of_many_players_are_not_listed() -> None:
    """Ten players with twenty cards each have 20**10 joint moves."""
    root = History("goofspiel(num_cards=20,players=10)")
    assert root.num_legal_moves == 20**10
    after = root.child(tuple(range(10)))
    assert after.num_legal_moves == 19**10
    for wrong in ((0,) * 9, (0,) * 9 + (20,), 3):
        with pytest.raises(GameError, match=r"is not a legal move after \(\); legal are others"):
            root.child(wrong)
    moves, small = Inspector(root.game, for_people=False).visit(root).moves, History("GS(3)")
    assert (len(moves), moves[0], moves[21]) == (20**10, (0,) * 10, (0,) * 8 + (1, 1))
    pairs = Inspector(small.game, for_people=False).visit(small).moves
    assert list(pairs) == [pairs[n] for n in range(len(pairs))] == small.legal_moves()


def test_numbers_of_numpy_are_moves() -> None:
    history = History("kuhn_poker").child(np.int64(2)).child(np.int64(0))  # type: ignore[arg-type]
    assert history.actions == history.moves == (2, 0)
