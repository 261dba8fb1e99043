"""A game of the command line: a page opens it at once, and its file may be edited meanwhile."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from table_pages import KeptFrames, store_in, wait_until

from hiddenhand.errors import GameError, HiddenhandError
from hiddenhand.web.catalogue import Allowed
from hiddenhand.web.handler import Handler
from hiddenhand.web.lobby import Lobby
from hiddenhand.web.messages import read_message
from hiddenhand.web.refusals import SetupError
from hiddenhand.web.views import ALL, PUBLIC

RULES = '''from dataclasses import dataclass
from hiddenhand.games.poker.kuhn import KuhnPoker
@dataclass(frozen=True)
class Mine(KuhnPoker):
    """A poker of my own."""
    num_cards: int = 3
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "own.py"
    path.write_text(RULES, encoding="utf-8")
    return path


@pytest.fixture
def lobby(file: Path, tmp_path: Path) -> Iterator[Lobby]:
    game = f"{file}:Mine"
    lobby = Lobby(store_in(tmp_path), Allowed((game,), ("random",)), (game, "random"), pace=0.0)
    yield lobby
    lobby.close()


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def greeted(lobby: Lobby, hello: str) -> list[dict]:
    """What a page gets for its hello, besides an error."""
    kept = KeptFrames(PUBLIC)
    try:
        Handler(lobby, kept.send).do(read_message(hello))
    except HiddenhandError as error:
        kept.send({"type": "refused", "why": str(error)})
    return kept.frames


class TestPlayAtOnce:
    """A page with the address that the command prints."""

    def test_it_gets_a_table_and_no_list(self, lobby: Lobby) -> None:
        (way,) = greeted(lobby, '{"type":"hello","play":true}')
        assert way["type"] == "opened"
        table = lobby.table(way["place"])
        assert [seat.player for seat in table.setup.seats] == ["person", "random"]
        assert table.setup.seats[0].token == way["token"]

    @pytest.mark.parametrize("hello", ['{"type":"hello","play":false}', '{"type":"hello"}'])
    def test_other_pages_get_the_list(self, lobby: Lobby, hello: str) -> None:
        (told,) = greeted(lobby, hello)
        assert told["type"] == "lobby"
        assert told["games"][0]["name"] == "Mine"

    def test_without_a_game_it_gets_the_list(self, tmp_path: Path) -> None:
        lobby = Lobby(store_in(tmp_path))
        (told,) = greeted(lobby, '{"type":"hello","play":true}')
        assert told["type"] == "lobby"
        lobby.close()

    def test_if_the_table_cannot_be_opened_it_gets_the_list_and_the_reason(
        self, lobby: Lobby, file: Path
    ) -> None:
        edit(file, "class Mine(KuhnPoker):", "class Mine(KuhnPoker:")
        told, refused = greeted(lobby, '{"type":"hello","play":true}')
        assert told["type"] == "lobby"
        assert "own.py" in refused["why"]

    def test_a_bot_that_cannot_play_stops_the_match_before_the_first_move(
        self, tmp_path: Path
    ) -> None:
        lobby = Lobby(store_in(tmp_path), offer=("kuhn_poker(players=3)", "cr"))
        table = lobby.open_offer()
        assert table is not None
        page = KeptFrames(0)
        table.join(page)
        failed = page.wait_for(lambda frame: frame.get("state") == "failed")
        assert "of two players, which Kuhn poker is not" in failed["why"]
        lobby.close()

    def test_a_rule_that_fails_is_quoted_at_the_table(self, lobby: Lobby, file: Path) -> None:
        with file.open("a", encoding="utf-8") as text:
            text.write("    def current_player(self, state):\n        return missing\n")
        table = lobby.open_offer()
        assert table is not None
        with pytest.raises(GameError, match=r"current_player .*own.py:8.*\n +return missing"):
            table.join(KeptFrames(0))


class TestEditedFile:
    """The file is edited while the server runs."""

    def test_new_tables_have_the_new_rules_and_others_keep_theirs(
        self, lobby: Lobby, file: Path
    ) -> None:
        before, unedited = lobby.open_offer(), lobby.open_offer()
        assert before is not None
        assert unedited is not None
        assert unedited.game is before.game
        edit(file, "num_cards: int = 3", "num_cards: int = 5")
        after = lobby.open_offer()
        assert after is not None
        assert [before.game.num_cards, after.game.num_cards] == [3, 5]

    def test_a_rematch_has_the_new_rules(self, lobby: Lobby, file: Path) -> None:
        table = lobby.open(f"{file}:Mine", ["random", "random"], 1.0)
        watcher = KeptFrames(ALL)
        table.join(watcher)
        watcher.wait_for_end()
        wait_until(lambda: table.is_over)
        edit(file, "num_cards: int = 3", "num_cards: int = 5")
        assert lobby.again(table).game.num_cards == 5

    def test_the_list_says_what_is_wrong(self, lobby: Lobby, file: Path) -> None:
        edit(file, "class Mine(KuhnPoker):", "class Mine(KuhnPoker:")
        shown = lobby.described()["games"][0]
        assert shown["name"] == "Mine"
        assert "own.py" in shown["summary"]
        with pytest.raises(GameError, match="own"):
            lobby.open_offer()
        file.write_text(RULES, encoding="utf-8")
        assert lobby.described()["games"][0]["summary"] == "A poker of my own."
        assert lobby.open_offer() is not None

    def test_a_rule_that_fails_is_quoted(self, lobby: Lobby, file: Path) -> None:
        with file.open("a", encoding="utf-8") as text:
            text.write("    def current_player(self, state):\n        return missing\n")
        with pytest.raises(SetupError, match=r"current_player .*own.py:8.*\n +return missing"):
            lobby.open(f"{file}:Mine", ["person", "auto"], 1.0)

    def test_a_file_that_was_moved_away(self, lobby: Lobby, file: Path) -> None:
        file.rename(file.with_suffix(".txt"))
        with pytest.raises(GameError, match="own"):
            lobby.open_offer()
