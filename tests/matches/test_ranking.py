"""Tournaments from Python, and who is best."""

from pathlib import Path

import pytest

from hiddenhand import load_game, play_tournament
from hiddenhand.errors import PlayerError
from hiddenhand.matches.match_records import Played
from hiddenhand.matches.ranking import ranking
from hiddenhand.matches.tournament import Pairing

PLAYERS = ("random", "equilibrium", "best_response(random)")


def pairing(first: str, second: str, *payoffs: float) -> Pairing:
    def played(number: int, payoff: float) -> Played:
        return Played((0, 1), number, (), (payoff, -payoff), (1, 1), (0.0, 0.0), ({}, {}))

    return Pairing(
        (first, second), tuple(played(number, payoff) for number, payoff in enumerate(payoffs))
    )


def test_points_by_hand() -> None:
    """a wins twice and draws once against b; what copies do does not count."""
    table = [
        pairing("a", "b", 1.0, 0.0),
        pairing("b", "a", -3.0),
        pairing("a", "a", 5.0),
        pairing("b", "b", -5.0),
    ]
    best, worst = ranking(table)
    assert (best.player, best.matches, best.points.value) == ("a", 3, pytest.approx(2.5 / 3))
    assert (worst.player, worst.matches, worst.points.value) == ("b", 3, pytest.approx(0.5 / 3))
    assert best.payoff.value == pytest.approx(4 / 3)
    assert best.points.low < best.points.value < best.points.high


def test_a_tournament_from_python(tmp_path: Path) -> None:
    record = play_tournament(load_game("Kuhn"), PLAYERS, 40, seed=1, file=tmp_path / "file")
    assert [(pairing.first, pairing.second) for pairing in record.table] == [
        (a, b) for a in PLAYERS for b in PLAYERS
    ]
    assert len(record.pairing("random", "equilibrium").played) == 40
    assert sum(standing.points.value for standing in record.ranking) == pytest.approx(
        1.5
    )  # half a point for each match and player
    assert all(standing.matches == 160 for standing in record.ranking)
    assert record.ranking[0].player == "best_response(random)"
    assert str(record).startswith("1. best_response(random): ")
    again = play_tournament("kuhn_poker", PLAYERS, 40, seed=1, file=tmp_path / "file")
    assert again == record  # read from the file, times and all
    with pytest.raises(PlayerError, match="did not play"):
        record.pairing("random", "nobody")
