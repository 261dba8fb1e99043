"""A match that is over: what its moves lost, what bots would have done, and its hand history."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from hiddenhand.errors import OptionError
from hiddenhand.games.history import History, all_histories
from hiddenhand.trees.profile import reach_probabilities
from hiddenhand.web import analysis
from hiddenhand.web.catalogue import loaded
from hiddenhand.web.hand_history import hand_history, is_poker
from hiddenhand.web.match import Stopped
from hiddenhand.web.review import bot_moves, judged_moves, review, solved

J, Q, K = range(3)
PASS, BET = 0, 1


def played(game: str, moves: Sequence[int]) -> History:
    history = History(loaded(game))
    for move in moves:
        history = history.child(move)
    return history


@pytest.mark.parametrize(
    ("moves", "lost"),
    [
        # After a bet, a king that passes loses the pot of 3 that it
        # is sure to win: -1 instead of 2. The equilibrium that is found never bets first.
        ([Q, K, BET, PASS], [None, 3.0]),
        # a jack that calls loses 2 instead of 1
        ([Q, J, BET, BET], [None, 1.0]),
        # and neither loses anything by what is right
        ([Q, K, BET, BET], [None, 0.0]),
        ([K, J, PASS, PASS], [0.0, 0.0]),
    ],
)
def test_what_moves_of_kuhn_poker_lose(moves: list[int], lost: list[float | None]) -> None:
    found = [move["lost"] for move in judged_moves(played("kuhn_poker", moves))]
    for expected, own in zip(lost, found, strict=True):
        assert expected is None or own == pytest.approx(expected, abs=1e-6)


def test_what_an_equilibrium_plays_loses_nothing() -> None:
    """In all matches that an equilibrium of Kuhn poker can lead to, and in no other."""
    game = loaded("kuhn_poker")
    known = solved(game)
    parts = reach_probabilities(known.tree, known.profile).prod(axis=1)
    for history in all_histories(game):
        if history.is_terminal:
            judged = judged_moves(history)
            if parts[known.node_after(history.moves)] > 1e-9:  # type: ignore[arg-type]
                assert [move["lost"] for move in judged] == [0.0] * len(judged)
            assert all(move["lost"] >= 0 for move in judged)
            assert all(0 <= move["p"] <= move["p_best"] <= 1 for move in judged)


def test_a_review_says_what_it_can() -> None:
    said: list[dict[str, Any]] = []
    review(played("kuhn_poker", [K, J, BET, PASS]), True, "call", 0.1, said.append, lambda: False)
    assert [frame["state"] for frame in said] == ["judged", "asked", "asked", "done"]
    assert said[0]["poker"]
    assert [move["chosen"] for move in said[0]["moves"]] == ["bet", "pass"]
    assert [frame["move"]["best"] for frame in said[1:3]] == ["pass", "bet"]  # check, and call
    assert said[2]["move"]["regret"] == pytest.approx(1.0, abs=1e-6)  # a jack that calls
    json.dumps(said, allow_nan=False)


def test_a_bot_regrets_nothing_where_it_plays_the_equilibrium() -> None:
    """Also after a bet that the equilibrium never makes."""
    history, said = played("kuhn_poker", [Q, K, BET, BET]), list[dict[str, Any]]()
    bot_moves(history, "equilibrium", 0.1, said.append, lambda: False, solved(history.game))
    assert [move["regret"] for move in said] == pytest.approx([0.0, 0.0], abs=1e-6)
    bot_moves(history, "random", 0.1, said.append, lambda: False, solved(history.game))
    assert said[3]["regret"] == pytest.approx(1.5)  # half of the pot of 3


def test_a_review_of_a_game_that_is_not_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "_SMALL", 10)
    large, unasked = list[dict[str, Any]](), list[dict[str, Any]]()
    history = played("kuhn_poker(num_cards=6)", [5, 4, BET, PASS])
    review(history, True, "", 0.1, large.append, lambda: False)
    assert "too large" in large[0]["why"]
    assert [move["chosen"] for move in large[0]["moves"]] == ["bet", "pass"]
    review(history, False, "", 0.1, unasked.append, lambda: False)
    assert unasked[0]["moves"] == large[0]["moves"]
    assert "why" not in unasked[0]
    dice = list[dict[str, Any]]()
    review(played("liars_dice(1,1,3)", [0, 0, 0, 6]), False, "", 0.1, dice.append, lambda: False)
    assert not dice[0]["poker"]


def test_a_review_can_be_stopped() -> None:
    history = played("kuhn_poker", [K, J, BET, PASS])
    with pytest.raises(Stopped):
        bot_moves(history, "random", 0.1, lambda said: None, lambda: True)


def test_the_hand_history_of_kuhn_poker() -> None:
    history = played("kuhn_poker", [Q, K, PASS, BET, BET])
    assert hand_history(history, ["call", "you"], "7").splitlines() == [
        "Hiddenhand Hand #7: kuhn_poker",
        "Seat 1: call",
        "Seat 2: you",
        "call: posts the ante 1",
        "you: posts the ante 1",
        "*** HOLE CARDS ***",
        "Dealt to call [Q]",
        "Dealt to you [K]",
        "call: passes",
        "you: bets 1",
        "call: bets 1",
        "*** SUMMARY ***",
        "Total pot 4",
        "Seat 1: call [Q]: lost 2",
        "Seat 2: you [K]: won 2",
    ]


def test_the_hand_history_of_leduc_poker() -> None:
    history = played("leduc_poker", [J, K, 1, 2, 1, J, 2, 0])
    told = hand_history(history, ["oos", "oos"], "8").splitlines()
    assert told[5:] == [
        "*** HOLE CARDS ***",
        "Dealt to oos (1) [J]",
        "Dealt to oos (2) [K]",
        "oos (1): checks",
        "oos (2): bets 2",
        "oos (1): calls 2",
        "*** TABLE CARD *** [J]",
        "oos (1): bets 4",
        "oos (2): folds",
        "*** SUMMARY ***",
        "Total pot 10",
        "Seat 1: oos (1) [J]: won 3",
        "Seat 2: oos (2) [K]: lost 3",
    ]


def test_the_hand_history_of_holdem() -> None:
    """Cards are dealt in increasing order: 2c is 0, and 2d, 2h and 2s follow."""
    deal = [0, 4, 8, 12, 1, 1]  # 2c 3c, 4c 5c, then what comes of it below
    history = played("limit_holdem", deal[:4])
    history = history.child(1).child(1)  # call, check
    for card in (20, 24, 28):  # 7c 8c 9c
        history = history.child(card)
    for _ in range(2):
        history = history.child(1)
    history = history.child(33).child(2).child(0)  # Td, a bet and a fold
    told = hand_history(history, ["a", "b"], "9").splitlines()
    assert told[1:7] == [
        "Seat 1: a",
        "Seat 2: b",
        "a: posts 10",
        "b: posts 5",
        "*** HOLE CARDS ***",
        "Dealt to a [2c 3c]",
    ]
    assert "*** FLOP *** [7c 8c 9c]" in told
    assert "*** TURN *** [7c 8c 9c Td]" in told
    assert told[-3:] == [
        "Total pot 40",
        "Seat 1: a [2c 3c], a flush: won 10",
        "Seat 2: b [4c 5c]: lost 10",
    ]


def test_games_without_hand_histories() -> None:
    history = played("liars_dice(1,1,3)", [0, 0, 0, 6])
    assert not is_poker(history.game)
    with pytest.raises(OptionError, match="poker only"):
        hand_history(history, ["a", "b"], "1")
