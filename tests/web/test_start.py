"""What the start page shows and offers: games with pictures, forms, bots that can play, tables."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from table_pages import store_in

from hiddenhand.errors import GameError, PlayerError
from hiddenhand.games.about import RESEARCH
from hiddenhand.games.registry import describe_games
from hiddenhand.jit.kernels import when_compiling
from hiddenhand.web.catalogue import Allowed, about, offered_examples, offered_games
from hiddenhand.web.forms import game_form
from hiddenhand.web.lobby import Lobby
from hiddenhand.web.pictures import picture_of
from hiddenhand.web.refusals import SetupError, with_short_lists, with_title

OWN = f"{Path(__file__).parents[1] / 'games' / 'broken_games.py'}:Shallow"


@pytest.fixture
def lobby(tmp_path: Path) -> Iterator[Lobby]:
    lobby = Lobby(store_in(tmp_path), Allowed((OWN,), ()))
    yield lobby
    lobby.close()


class TestShelf:
    def test_every_game_of_the_package_is_on_the_shelf(self) -> None:
        for game in describe_games():
            assert game.about is not None, game.name

    def test_what_a_card_says(self) -> None:
        games = {game["game"]: game for game in offered_games()}
        first = next(iter(games.values()))
        assert first["name"] == "Leduc poker"
        assert (first["players"], first["exact"], first["kinds"]) == (2, True, ["cards"])
        assert games["tricks"]["players"] == 3
        for game in games.values():
            assert game["kinds"]
            assert game["minutes"] > 0
            assert game["summary"].endswith(".")
        assert 4 <= sum(RESEARCH in game["kinds"] for game in games.values()) <= 8

    def test_a_game_of_ones_own(self) -> None:
        entry = about(OWN)
        assert (entry["name"], entry["kinds"]) == ("Shallow", ["own"])
        assert "``" not in entry["summary"]


class TestPictures:
    @pytest.mark.parametrize("game", offered_examples())
    def test_a_picture_of_each_game(self, game: str) -> None:
        """It is one file without addresses, drawn without compiling, and always the same."""
        compiled = list[str]()
        with when_compiling(compiled.append):
            text = picture_of(game)
        root = ET.fromstring(text)
        assert compiled == []
        assert text == picture_of(game)
        assert root.attrib["viewBox"].count(" ") == 3
        assert len(list(root)) > 5
        assert "url(" not in text
        assert "href" not in text
        assert len(text) < 25_000

    def test_only_of_games_on_the_page(self, lobby: Lobby) -> None:
        for other in ("kuhn_poker(num_cards=4)", "/etc/passwd", OWN, ""):
            with pytest.raises(GameError, match="games of the start page"):
                picture_of(other)
        assert "<text" in picture_of(OWN, lobby.allowed)  # which has no scene: its words are drawn


class TestForms:
    def test_the_parameters_of_a_game(self, lobby: Lobby) -> None:
        found = lobby.looked_up("IIGS(6)")
        assert (found["name"], found["players"]) == ("Goofspiel", 2)
        assert found["form"]["base"] == "goofspiel"
        fields = {field["name"]: field for field in found["form"]["fields"]}
        cards = fields["num_cards"]
        assert (cards["kind"], cards["value"], cards["default"]) == ("whole", "6", "13")
        assert (cards["low"], cards["high"]) == (1, 20)
        assert fields["imp_info"]["kind"] == "yes_no"
        assert fields["points_order"]["words"] == ["ascending", "descending", "given", "random"]

    def test_players_are_counted_from_1(self, lobby: Lobby) -> None:
        fields = lobby.looked_up("liars_dice_sorted")["form"]["fields"]
        said = [field["about"] for field in fields]
        assert said[0] == "how many dice player 1 has, 1 to 100"
        assert said[1] == "how many dice player 2 has, 1 to 100"

    def test_the_text_of_the_fields_names_the_same_game(self, lobby: Lobby) -> None:
        for example in offered_examples():
            form = lobby.looked_up(example)["form"]
            names = {field["name"] for field in form["fields"]}
            assert len(names) == len(form["fields"])
            assert all("`" not in field["about"] for field in form["fields"])
            assert ":" not in form["base"]

    def test_a_game_in_a_file_has_no_fields(self, lobby: Lobby) -> None:
        """A page may name it in this one form only."""
        assert lobby.looked_up(OWN)["form"] == {"base": OWN, "fields": []}

    def test_which_bots_can_play(self, lobby: Lobby) -> None:
        kuhn, goofspiel = lobby.fits("kuhn_poker"), lobby.fits("GS(4)")
        names = [{bot["player"] for bot in found["bots"]} for found in (kuhn, goofspiel)]
        assert kuhn["perfect"]
        assert {"auto", "oos", "ismcts"} <= names[0] & names[1]
        assert not {"sm-mcts", "doab", "mo"} & names[0]
        assert {"sm-mcts", "doab"} <= names[1]
        oos = next(bot for bot in kuhn["bots"] if bot["player"] == "oos")
        fields = {field["name"]: field for field in oos["fields"]}
        assert fields["targeting"]["words"] == ["ist", "pst"]
        assert fields["delta"]["value"] == "0.9"
        assert not {"threads", "memory", "ponder"} & set(fields)
        assert fields["seconds"]["kind"] == "number"


class TestRefusals:
    @pytest.mark.parametrize(
        ("game", "players", "field", "said"),
        [
            ("kuhn_poker(num_cards=1)", ["person", "auto"], "game", "num_cards=1 is not allowed"),
            ("chess", ["person", "auto"], "game", "there is no game 'chess'"),
            ("kuhn_poker", ["person", "stockfish"], "seat 2", "there is no player 'stockfish'"),
            ("kuhn_poker", ["sm-mcts", "person"], "seat 1", "Kuhn poker has no simultaneous"),
            ("phantom_ttt", ["person", "equilibrium"], "seat 2", "Phantom Tic-Tac-Toe has more"),
            ("kuhn_poker", ["person", "oos(delta=7)"], "seat 2", "delta"),
        ],
    )
    def test_an_error_has_its_field(
        self, lobby: Lobby, game: str, players: list[str], field: str, said: str
    ) -> None:
        with pytest.raises(SetupError) as caught:
            lobby.open(game, players, 1.0)
        assert caught.value.field == field
        assert said in str(caught.value)

    def test_other_fields(self, lobby: Lobby) -> None:
        with pytest.raises(SetupError) as caught:
            lobby.open("kuhn_poker", ["person", "random"], 0.0)
        assert caught.value.field == "seconds"
        with pytest.raises(PlayerError, match="2 seats, not 3"):
            lobby.open("kuhn_poker", ["person"] * 3, 1.0)

    def test_long_lists_are_cut(self, lobby: Lobby) -> None:
        with pytest.raises(SetupError) as caught:
            lobby.open("chess", ["person", "random"], 1.0)
        why = str(caught.value)
        assert len(with_short_lists(why)) < 0.6 * len(why)
        assert "battleship, biased_rps" in with_short_lists(why)
        assert "19 more" in with_short_lists(why)
        short = "choose one of: a, b, c"
        assert with_short_lists(short) == short

    def test_no_game_as_python_writes_it(self) -> None:
        from hiddenhand.web.catalogue import loaded

        game = loaded("GS(4)")
        why = f"{game} is too large; {game.game} too"
        assert with_title(why, game, "Goofspiel") == "Goofspiel is too large; Goofspiel too"


class TestStanding:
    """The list of a browser's tables."""

    def seats(self, table: Any) -> list[tuple[str, str]]:
        return [(table.place, table.setup.seats[0].token)]

    def test_tables_that_are_there(self, lobby: Lobby) -> None:
        table = lobby.open("GS(4)", ["person", "random"], 1.0)
        found = lobby.standing([*self.seats(table), ("gone", "token")])["tables"]
        assert found == [
            {
                "place": table.place,
                "name": "Goofspiel",
                "players": ["person", "random"],
                "you": 0,
                "state": "mine",
                "here": [],
            }
        ]

    def test_it_tells_the_player_to_move_only_to_that_player(self, lobby: Lobby) -> None:
        """The other seat, and a stranger with a wrong token, read that the match goes on."""
        table = lobby.open("GS(4)", ["person", "person"], 1.0)
        tokens = [seat.token for seat in table.setup.seats]
        states = [
            lobby.standing([(table.place, token)])["tables"][0]["state"]
            for token in (*tokens, "wrong", "")
        ]
        assert states == ["mine", "waiting", "waiting", "waiting"]
        assert lobby.standing([(table.place, "wrong")])["tables"][0]["you"] is None

    def test_a_table_that_sleeps(self, tmp_path: Path) -> None:
        first = Lobby(store_in(tmp_path))
        seats = self.seats(first.open("GS(4)", ["person", "random"], 1.0))
        first.close()
        again = Lobby(store_in(tmp_path))
        assert [table["state"] for table in again.standing(seats)["tables"]] == ["mine"]
        again.close()


def test_a_form_of_a_game_without_parameters() -> None:
    from hiddenhand.web.catalogue import loaded

    assert game_form(loaded("coordinated_mp"), "coordinated_mp")["fields"] == []


def test_a_form_has_the_parameters_of_the_general_game(lobby: Lobby) -> None:
    """A game of three is of another class, which the form of the usual game leads to."""
    for text, count in (("kuhn_poker", "2"), ("kuhn_poker(players=3)", "3")):
        fields = {field["name"]: field for field in lobby.looked_up(text)["form"]["fields"]}
        assert fields["players"]["value"] == count
    assert lobby.looked_up("kuhn_poker(players=3)")["players"] == 3
