"""Learning at a table that is left open."""

import re
from pathlib import Path
from typing import Any

import pytest
from table_pages import KeptFrames, store_in, wait_until

from hiddenhand.search.training import train
from hiddenhand.trees.blueprint import found_blueprint
from hiddenhand.web import learning
from hiddenhand.web.catalogue import loaded
from hiddenhand.web.lobby import Lobby

GAME = "kuhn_poker"


class Training:
    """In place of a process that trains."""

    made: list["Training"]

    def __init__(self, game: str) -> None:
        self.game = game
        self.is_alive = True
        self.made.append(self)

    def close(self) -> None:
        self.is_alive = False


def trained_time() -> str:
    """How long the game was trained, in words: a busy machine needs a second or more."""
    found = found_blueprint(loaded(GAME))
    assert found is not None
    words = found[1].trained
    assert re.fullmatch(r"(0|[2-9]|\d\d) seconds|1 second", words), words
    return words


@pytest.fixture
def lobby(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("HIDDENHAND_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(learning, "QuietTraining", Training)
    monkeypatch.setattr(learning, "_TOLD", 0.05)
    Training.made = []
    lobby = Lobby(store_in(tmp_path), learn=True)
    yield lobby
    lobby.close()
    assert not any(one.is_alive for one in Training.made)


def test_the_game_of_the_table_that_was_looked_at_is_trained(lobby: Lobby) -> None:
    first, second = (lobby.open(game, ["person", "auto"], 1.0) for game in (GAME, "IIGS(2)"))
    assert Training.made == []
    for table in (first, first, second):
        lobby.table(table.place)
    assert [one.game for one in Training.made] == [GAME, "IIGS(2)"]
    wait_until(lambda: not Training.made[0].is_alive)
    told = {"type": "learned", "time": "", "goes_on": False, "ended": False}
    assert lobby.learned(first) == told
    assert lobby.learned(second) == {**told, "goes_on": True}
    Training.made[1].close()  # as where `train` refuses
    assert lobby.learned(second) == {**told, "ended": True}


def test_pages_are_told_and_the_next_match_is_played_better(lobby: Lobby) -> None:
    table = lobby.open(GAME, ["person", "auto"], 1.0)
    page = KeptFrames(0)
    lobby.table(table.place).join(page)
    train(GAME, iterations=5)
    expected = {"type": "learned", "time": trained_time(), "goes_on": True, "ended": False}
    wait_until(lambda: expected in page.frames)
    table.is_over = True
    players = [seat.player for seat in lobby.again(table).setup.seats]
    assert players == ["auto(blueprint=trained)", "person"]


def test_a_trained_game_is_offered(lobby: Lobby, tmp_path: Path) -> None:
    def offered() -> Any:
        (found,) = (game for game in lobby.described()["games"] if game["game"] == GAME)
        return found["trained"], lobby.looked_up(GAME)["trained"]

    assert offered() == (None, None)
    train(GAME, iterations=5)
    told = {"time": trained_time(), "bot": "auto(blueprint=trained)"}
    assert offered() == (told, told)
    table = Lobby(store_in(tmp_path / "other")).open(GAME, ["person", told["bot"]], 1.0)
    assert table.setup.seats[1].player == told["bot"]


def test_nothing_is_learned_unless_asked_for(tmp_path: Path) -> None:
    lobby = Lobby(store_in(tmp_path))
    assert lobby.learned(lobby.open(GAME, ["person", "random"], 1.0)) is None
    lobby.close()
