"""Tournaments from Python, without a question written out."""

from pathlib import Path
from typing import Any

import pytest

from hiddenhand import Tournament, load_game
from hiddenhand.errors import GameError
from hiddenhand.matches.ranking import play_tournament, ranking
from hiddenhand.matches.tournament import Question, all_pairs

PLAYERS = ["random", "best_response(random)"]


def test_it_asks_what_a_question_asks() -> None:
    with Tournament.between(
        load_game("Kuhn"), PLAYERS, iterations=5, preplay=0.1, seed=3, deals=9
    ) as running:
        asked = running.question
    assert asked == Question("kuhn_poker", tuple(PLAYERS), 5, None, 0.1, 3, 9)


def test_everybody_plays_everybody(tmp_path: Path) -> None:
    """As `play_tournament` does, and a file is gone on from."""
    whole = play_tournament("Kuhn", PLAYERS, 20, deals=7)
    with Tournament.between("Kuhn", PLAYERS, deals=7, file=tmp_path / "file") as running:
        running.run(all_pairs(2), 5)
    with Tournament.between("Kuhn", PLAYERS, deals=7, file=tmp_path / "file") as running:
        running.run(all_pairs(2), 20)
        pairings = running.pairings()
    assert [pairing.score().payoff for pairing in pairings] == [
        pairing.score().payoff for pairing in whole.table
    ]
    assert ranking(pairings)[0].player == "best_response(random)"


@pytest.mark.parametrize("game", [None, 3])
def test_what_is_no_game_is_refused(game: Any) -> None:
    with pytest.raises(GameError, match=f"{game} is not a game; give a game or its name"):
        Tournament.between(game, PLAYERS)
