"""Who is at a table, what people are told of each other, and how fast bots play for people who
watch.
"""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from table_pages import KeptFrames, setup_of, store_in, table_of

from hiddenhand.errors import HiddenhandError, OptionError
from hiddenhand.web.catalogue import loaded
from hiddenhand.web.engines import engines_for
from hiddenhand.web.handler import Handler
from hiddenhand.web.lobby import Lobby
from hiddenhand.web.match import Gate, Stopped
from hiddenhand.web.pace import Pace
from hiddenhand.web.table import Table
from hiddenhand.web.views import ALL, PUBLIC


@pytest.fixture
def lobby(tmp_path: Any) -> Iterator[Lobby]:
    lobby = Lobby(store_in(tmp_path), pace=0.0)
    yield lobby
    lobby.close()


class KeptDesk(Handler):
    """The handler of a page that keeps its frames."""

    def __init__(self, lobby: Lobby, table: Table, token: str = "") -> None:
        self.kept = KeptFrames(PUBLIC)
        super().__init__(lobby, self.kept.send)
        self.do({"type": "hello", "place": table.place, "token": token})

    def last(self, kind: str) -> dict[str, Any]:
        return [frame for frame in self.kept.frames if frame["type"] == kind][-1]


def two_people(lobby: Lobby) -> tuple[Table, KeptDesk]:
    """A table of two people, one of whom is there."""
    table = lobby.open("kuhn_poker", ["person", "person"], 1.0)
    return table, KeptDesk(lobby, table, table.setup.seats[0].token)


def test_everybody_is_told_who_is_there(lobby: Lobby) -> None:
    table, first = two_people(lobby)
    told = first.last("presence")
    assert (told["here"], told["missing"], told["watching"]) == ([0], [1], 0)
    second = KeptDesk(lobby, table, table.setup.seats[1].token)
    watcher = KeptDesk(lobby, table)
    told = first.last("presence")
    assert (told["here"], told["missing"], told["watching"]) == ([0, 1], [], 1)
    assert told == watcher.last("presence") == second.last("presence")
    second.leave()
    told = first.last("presence")
    assert (told["here"], told["missing"]) == ([0], [])  # was here once


def test_the_link_of_a_seat_is_told_until_somebody_came(lobby: Lobby) -> None:
    table, first = two_people(lobby)
    seats = table.setup.seats
    first.do({"type": "invite"})
    assert first.last("invitations")["seats"] == [{"seat": 1, "token": seats[1].token}]
    watcher = KeptDesk(lobby, table)
    with pytest.raises(OptionError, match="have no seat"):
        watcher.do({"type": "invite"})
    KeptDesk(lobby, table, seats[1].token).leave()
    first.do({"type": "invite"})
    assert first.last("invitations")["seats"] == []


def test_who_came_is_known_after_a_restart(tmp_path: Any) -> None:
    lobby = Lobby(store_in(tmp_path))
    table, _ = two_people(lobby)
    lobby.close()
    lobby = Lobby(store_in(tmp_path))
    assert lobby.table(table.place).missing() == [1]
    lobby.close()


def test_between_people_an_engine_is_announced(lobby: Lobby) -> None:
    table, first = two_people(lobby)
    second = KeptDesk(lobby, table, table.setup.seats[1].token)
    first.kept.wait_for_turn(0)
    assert second.last("presence")["engines"] == []
    first.do(
        {
            "type": "think",
            "slot": 0,
            "player": "random",
            "seconds": 1,
            "ply": None,
            "exact": None,
        }
    )
    assert second.last("presence")["engines"] == [0]
    first.do({"type": "engine", "on": False})
    assert second.last("presence")["engines"] == []
    first.do({"type": "engine", "on": True})
    first.leave()
    assert second.last("presence")["engines"] == []


def test_an_engine_against_a_bot_is_not_announced(lobby: Lobby) -> None:
    table = lobby.open("kuhn_poker", ["person", "random"], 1.0)
    page = KeptDesk(lobby, table, table.setup.seats[0].token)
    page.do({"type": "engine", "on": True})
    assert page.last("presence")["engines"] == []


def test_a_rematch_is_announced_and_the_score_moves_on(lobby: Lobby) -> None:
    table, first = two_people(lobby)
    second = KeptDesk(lobby, table, table.setup.seats[1].token)
    watcher = KeptDesk(lobby, table)
    first.kept.wait_for_turn(0)
    table.type_move(0, 0, "bet")
    second.kept.wait_for_turn(0)
    table.type_move(1, 0, "fold")
    first.kept.wait_for_end()
    assert first.last("table")["score"] == [0, 0]
    first.do({"type": "again"})
    for page in (second, watcher):
        assert page.last("presence")["rematch"] == [0]
    following = lobby.table(first.last("opened")["place"])
    assert following.described(1)["score"] == [0, 1]  # of the player who is now in seat 2
    second.do({"type": "again"})
    assert second.last("opened")["place"] == following.place
    assert second.last("opened")["token"] == following.setup.seats[0].token


def test_scores() -> None:
    setup = setup_of("tricks", ["person", "random", "random"])
    assert setup.score_after([3.0, 1.0, 1.0]) == (1, 0, 0)
    assert setup.score_after([2.0, 2.0, 1.0]) == (0, 0, 0)
    assert setup.turned([3.0, 1.0, 1.0]).score == (0, 1, 0)
    assert setup.turned([3.0, 1.0, 1.0]).turned([3.0, 1.0, 1.0]).score == (0, 1, 1)


@pytest.mark.parametrize(
    ("game", "bot", "cure"),
    [
        ("kuhn_poker", "sm-mcts", "search it with oos or ismcts"),
        ("phantom_ttt", "chaser", "use a search"),
        ("tricks", "oos", "use ismcts"),
        ("tricks", "equilibrium", "use"),
    ],
)
def test_a_bot_that_cannot_play_is_refused_with_a_cure(
    lobby: Lobby, game: str, bot: str, cure: str
) -> None:
    players = ["person", *[bot] * (loaded(game).num_players - 1)]
    with pytest.raises(HiddenhandError, match=cure):
        lobby.open(game, players, 1.0)


def test_engines_that_fit_a_game() -> None:
    assert engines_for(loaded("kuhn_poker"))[:2] == ("equilibrium", "oos(targeting=ist)")
    assert engines_for(loaded("tricks")) == ("ismcts", "smooth_uct")


class TestPace:
    """Bots wait for people who watch."""

    def test_step_by_step(self) -> None:
        table, _ = table_of(setup_of("kuhn_poker", ["random", "random"], chance_seed=3), pace=1e6)
        page = KeptFrames(ALL)
        table.join(page)
        page.wait_for(lambda frame: frame["type"] == "view" and len(frame["log"]) == 3)
        assert len(table.moves) == 3  # two cards, and a move
        table.set_pace(1e6, False, True)
        page.wait_for_end() if len(table.moves) > 4 else page.wait_for(
            lambda frame: frame["type"] == "view" and len(frame["log"]) >= 4
        )
        assert page.wait_for(lambda frame: frame["type"] == "pace")["paused"]
        table.set_pace(0.0, False, False)
        page.wait_for_end()

    def test_only_bots_are_paused(self) -> None:
        table, _ = table_of(setup_of("kuhn_poker", ["person", "random"]))
        with pytest.raises(OptionError, match="only a match between bots"):
            table.set_pace(1.0, True, False)

    def test_a_paused_match_ends_when_it_is_stopped(self) -> None:
        pace, gate, ended = Pace(0.0), Gate(), threading.Event()
        pace.set(0.0, True, False)

        def wait() -> None:
            try:
                pace.wait(gate)
            except Stopped:
                ended.set()

        threading.Thread(target=wait, daemon=True).start()
        gate.stop()
        assert ended.wait(30)
