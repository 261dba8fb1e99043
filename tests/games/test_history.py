"""`History` against a naive replay, and the numbers of histories against OpenSpiel and counting by
hand.
"""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hiddenhand.compiled.keys import fold, mix
from hiddenhand.errors import GameError
from hiddenhand.games.base import CHANCE, SIMULTANEOUS, TERMINAL
from hiddenhand.games.checking.conformance import check
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.registry import load_game
from hiddenhand.games.turn_based import TurnBased, as_sequential
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


def test_a_key_is_the_chain_of_what_was_noticed():
    """The first moves of Kuhn poker, folded by hand: player 0 gets a jack (token 1), player 1 a
    king (3), player 0 bets (1).
    """
    history = History(KuhnPoker())
    key = history.key(0)
    key = fold(np.uint64(key), 0, 1, 1)  # the own card; a card was dealt
    key = fold(key, 0, 0, 1)  # another card was dealt
    key = fold(key, 2, 0, 3)  # own action 1, and the public token 2 + action
    for move in (0, 2, 1):
        history = history.child(move)
    assert history.key(0) == key
    assert history.observations == (0, 0, 3)
    assert history.movers == (CHANCE, CHANCE, 0)


def test_mixing_is_the_finaliser_of_murmurhash():
    """In plain integers; the constants are those of MurmurHash3's fmix64."""

    def fmix64(k):
        k ^= k >> 33
        k = k * 0xFF51AFD7ED558CCD % 2**64
        k ^= k >> 33
        k = k * 0xC4CEB9FE1A85EC53 % 2**64
        return k ^ k >> 33

    for x in (0, 1, 2**63, 0x0123456789ABCDEF, 2**64 - 1):
        with np.errstate(over="ignore"):
            assert int(mix(np.uint64(x))) == fmix64(x)


def test_kuhn_poker_has_58_histories_and_12_information_sets():
    """By hand: 1 + 3 + 6 deals, then for each of the 6 pairs of cards 8 histories of moves: p, b,
    pp, pb, bp, bb, pbp, pbb. Two players, six each.
    """
    histories = list(all_histories(KuhnPoker()))
    assert len(histories) == 1 + 3 + 6 + 6 * 8
    deciding = {
        (history.player, history.information_key) for history in histories if history.player >= 0
    }
    assert len(deciding) == 12
    assert len({key for _, key in deciding}) == 12
    assert sum(history.is_terminal for history in histories) == 30
    # the public sees how many cards were dealt, and the moves
    assert len({history.public_key for history in histories}) == 1 + 1 + 1 + 8


@pytest.mark.parametrize(
    ("text", "name"),
    [("kuhn_poker", "kuhn_poker"), ("kuhn_poker(num_cards=3)", "kuhn_poker(players=2)")],
)
def test_openspiel_agrees_on_kuhn_poker(text, name):
    pyspiel = pytest.importorskip("pyspiel")

    def walk(state, history):
        assert state.is_terminal() == history.is_terminal
        if state.is_terminal():
            assert tuple(state.returns()) == history.returns()
            return 1
        if state.is_chance_node():
            assert history.player == CHANCE
            assert dict(state.chance_outcomes()) == pytest.approx(dict(history.chance_outcomes()))
        else:
            assert state.current_player() == history.player
            assert state.legal_actions() == history.legal_actions()
            sets.add((state.information_state_string(), history.information_key))
        return 1 + sum(
            walk(state.child(action), history.child(action)) for action in state.legal_actions()
        )

    sets = set()
    assert walk(pyspiel.load_game(name).new_initial_state(), History(load_game(text))) == 58
    assert len(sets) == len({text for text, _ in sets}) == len({key for _, key in sets}) == 12


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


def test_the_end_is_the_end():
    history = History(KuhnPoker())
    for move in (2, 0, 1, 1):
        history = history.child(move)
    assert history.player == TERMINAL
    assert history.returns() == (2.0, -2.0)  # king against jack, bet and call
    assert "KuhnPoker(num_cards=3), (2, 0, 1, 1)" in repr(history)


@pytest.mark.parametrize("walk", [History, check, as_sequential, OOS])
def test_what_is_not_a_game_is_told_from_one(walk: Callable[[Any], object]) -> None:
    with pytest.raises(GameError, match=r"a class of games, and not a game; write KuhnPoker\(\)"):
        walk(KuhnPoker)
    with pytest.raises(GameError, match="3 is not a game; give a game or its name, such as kuhn"):
        walk(3)
