"""Abrupt Phantom Tic-Tac-Toe by hand."""

from naive.playing import names_of, played

from hiddenhand.games.base import TERMINAL
from hiddenhand.games.history import Event
from hiddenhand.games.phantom_ttt_abrupt import AbruptPhantomTicTacToe

GAME = AbruptPhantomTicTacToe()


def test_a_failed_attempt_ends_the_turn() -> None:
    failed = played(GAME, "a1 a1")
    assert failed.player == 0
    assert failed.noticed(1) == Event(action=1, private=1, public=1)
    assert failed.noticed(0) == played(GAME, "a1 b1").noticed(0) == Event(0, 0, 1)
    again = played(GAME, "a1 a1 b1")
    assert again.player == 1
    assert "a1" not in names_of(again)  # a square is never tried twice


def test_two_turns_in_a_row_win_sooner() -> None:
    end = played(GAME, "a1 a1 b1 b1 c1")
    assert end.player == TERMINAL
    assert end.returns() == (1.0, -1.0)
    assert "marks placed" not in GAME.render(played(GAME, "a1").state, 1)
