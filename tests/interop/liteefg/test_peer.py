"""LiteEFG as a peer in the benchmarks, where it is installed."""

import pytest
from benchmarks import liteefg_peer


def test_a_peer_that_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(liteefg_peer, "find_spec", lambda _: None)
    assert list(liteefg_peer.measure(1, 0.1)) == []
    assert "LiteEFG is not installed" in capsys.readouterr().err


def test_both_solve_the_same_games() -> None:
    if sentence := liteefg_peer.missing():
        pytest.skip(sentence)
    assert len(list(liteefg_peer.check())) == 2
