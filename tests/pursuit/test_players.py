"""Players of pursuit with limited sight who follow a rule, and what is measured of matches."""

import pytest
from typing_commands import Typed

from hiddenhand.games.history import History
from hiddenhand.games.registry import load_game
from hiddenhand.matches.match import MatchRecord, play_match
from hiddenhand.players.registry import make_player
from hiddenhand.pursuit.games.layout import EVADER, PURSUERS


def played(text: str, first: str, second: str, seed: int = 0) -> MatchRecord:
    game = load_game(text)
    return play_match(
        game, [make_player(game, first), make_player(game, second)], seed, chance_seed=seed
    )


def test_chasers_go_to_where_the_evader_was_seen() -> None:
    """From a1 and a2 to g1: the first unit goes right along row 1, the second up to it."""
    record = played("VP(map=wide6x7,start='g1 a1 a2',moves=1)", "random", "chaser")
    root = History(record.game).child(record.moves[0])
    (decision,) = record.decisions[PURSUERS]
    names = [
        record.game.action_name(root.state, PURSUERS, action) for action in root.legal_actions()
    ]
    assert dict(zip(names, decision.policy, strict=True))["right,up"] == 1.0


def test_runners_run_from_all_they_saw() -> None:
    """From the corner g1, with units seen on a1 and g6: the sum of distances is 6 + 5 everywhere
    along the edge, and least off it, so both ways and staying are alike.
    """
    record = played("VP(map=wide6x7,start='g1 a1 g6',moves=1)", "runner", "random")
    assert record.decisions[EVADER][0].policy == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    record = played("VP(map=wide6x7,start='d1 a1 a6',moves=1)", "runner", "random")
    assert record.decisions[EVADER][0].policy == (1.0, 0.0, 0.0, 0.0)  # right, away from both


def test_drawn_starts_and_measures(typed: Typed) -> None:
    """What the command prints is what the records of the same matches measure."""
    text = "VP(map=block5,pursuers=1,moves=12,sight=3)"
    found = typed.json("match", text, "runner", "chaser", "--matches", "5", "--deals", "ff")
    assert set(found["measures"]) == {"mean_size", "num_seen", "end_size"}
    assert found["measures"]["mean_size"]["mean"] == pytest.approx(found["mean"])
    assert 1 <= found["measures"]["num_seen"]["mean"] <= 13
    status, out, _ = typed("match", text, "runner", "chaser", "--matches", "2", "--deals", "ff")
    assert status == 0
    assert "num seen: " in out
    assert "measures" not in typed.json("match", "Kuhn", "random", "random", "--matches", "2")
    table = typed.json(
        "tournament", "VP(map=block5,pursuers=1,moves=2)", "random", "runner", "--matches", "2"
    )
    assert set(table["table"][0]["measures"]) == {"mean_size", "num_seen", "end_size"}
    record = played(text, "runner", "chaser", 1)
    assert record.measures["mean_size"] == record.returns[0]
