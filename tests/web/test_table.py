"""A table: people play, matches sleep and wake, and what was thought is stopped."""

import gc
import json
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest
from table_pages import KeptFrames, random_play, setup_of, store_in, table_of, wait_until

from hiddenhand.errors import FileError, GameError, HiddenhandError, OptionError
from hiddenhand.games.history import History
from hiddenhand.players.fixed_policies import RandomPlayer
from hiddenhand.players.player import Player
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.web import lobby as halls
from hiddenhand.web import table as tables
from hiddenhand.web.catalogue import Allowed, loaded
from hiddenhand.web.lobby import Lobby, record_of
from hiddenhand.web.table import Table
from hiddenhand.web.views import ALL, PUBLIC


class EndlessSearch:
    """A search that thinks until it is stopped, without anything to compile."""

    def __init__(self, game: Any) -> None:
        self.game, self.reports = game, 0

    def start(self, seat: int, seed: int) -> None:
        pass

    def notice(self, events: Any, seconds: Any = None, iterations: Any = None) -> None:
        pass

    def think(
        self, iterations: Any = None, seconds: Any = None, progress: Progress = SILENT
    ) -> None:
        while iterations is None:
            self.reports += 1
            progress.update(Report(self.reports, unit="seconds"))
            time.sleep(1e-3)

    def policy(self, num_actions: int) -> Any:
        return np.full(num_actions, 1.0 / num_actions)

    def thought(self) -> dict[str, float]:
        return {"iterations": float(self.reports)}


def with_endless_search(monkeypatch: pytest.MonkeyPatch) -> list[EndlessSearch]:
    """Let the bot ``oos`` think for ever; returns its searches."""
    made: list[EndlessSearch] = []

    def make(game: Any) -> Any:
        made.append(EndlessSearch(game))
        return made[-1]

    def player(game: Any, spec: str) -> Player:
        return SearchPlayer(make) if spec.startswith("oos") else RandomPlayer()

    monkeypatch.setattr(tables, "make_player", player)
    return made


def test_a_match_to_its_end_and_again_what_was_written() -> None:
    table, events = table_of(setup_of("kuhn_poker", ["person", "random"]))
    page, watcher = KeptFrames(0), KeptFrames(PUBLIC)
    table.join(page)
    table.join(watcher)
    shown = page.wait_for_turn(0)
    assert [action["name"] for action in shown["actions"]] == ["check", "bet"]
    table.type_move(0, 0, " BET ")
    over = page.wait_for_end()
    assert over["returns"][0] == -over["returns"][1] != 0
    watcher.wait_for_end()
    wait_until(lambda: events[-1]["event"] == "over")
    assert [event["move"] for event in events[:-1]] == table.moves
    assert record_of(table)["returns"] == over["returns"]
    assert over["log"][1] == "you bet"
    assert watcher.frames[-1]["log"][0] == "player 1 bets"


@pytest.mark.parametrize("failing", ["moved", "over"])
def test_a_full_disk_is_told_and_nothing_is_lost(failing: str) -> None:
    """Also where the end of the match cannot be written, or the first move."""
    events: list[dict[str, Any]] = []
    is_full = True

    def write(event: dict[str, Any]) -> None:
        if is_full and event["event"] == failing:
            raise FileError("the disk is full")
        events.append(event)

    setup = setup_of("kuhn_poker", ["random", "random"])
    table = Table("place", setup, loaded("kuhn_poker"), write)
    page = KeptFrames(ALL)
    table.join(page)
    failed = page.wait_for(lambda frame: frame.get("state") == "failed")
    assert failed["why"] == "the disk is full"
    assert not table.is_over
    before = list(table.moves)
    is_full = False
    again = KeptFrames(ALL)
    table.join(again)
    again.wait_for_end()
    wait_until(lambda: table.is_over)
    assert table.moves[: len(before)] == before
    assert [event["move"] for event in events[:-1]] == table.moves
    assert events[-1] == {"event": "over"}


@pytest.mark.parametrize(
    "game", ["kuhn_poker(players=3)", "goofspiel(num_cards=3,players=3)", "liars_dice(players=3)"]
)
def test_two_people_and_a_bot_at_three_seats(game: str, tmp_path: Any) -> None:
    """The match goes from seat to seat, sleeps and wakes, and each page sees its own seat."""
    lobby = Lobby(store_in(tmp_path))
    table = lobby.opened(setup_of(game, ["person", "random", "person"]), loaded(game))
    pages = {seat: KeptFrames(seat) for seat in (0, 2)}
    watcher = KeptFrames(PUBLIC)
    for page in (*pages.values(), watcher):
        table.join(page)
    turns = {0: 0, 2: 0}
    shown = pages[0].wait_for_turn(0)
    while not table.history().is_terminal:
        mover, made = table.history().player, len(table.moves)
        if mover in pages:
            shown = pages[mover].wait_for_turn(turns[mover])
            assert [one["of"] for one in shown["pictures"]] == [mover]
            table.act(mover, turns[mover], shown["actions"][-1]["action"])
            turns[mover] += 1
        wait_until(lambda made=made: len(table.moves) > made)
    for page in (*pages.values(), watcher):
        assert len(page.wait_for_end()["returns"]) == 3
    assert sum(record_of(table)["returns"]) == pytest.approx(0.0)
    lobby.close()
    again = Lobby(store_in(tmp_path)).table(table.place)
    page = KeptFrames(2)
    again.join(page)
    assert page.wait_for_end()["returns"] == record_of(table)["returns"]
    again.close()


def test_a_match_goes_on_where_a_server_that_was_killed_left_it(tmp_path: Any) -> None:
    store = store_in(tmp_path)
    setup = setup_of("leduc_poker", ["person", "person"], chance_seed=5)
    lobby = Lobby(store)
    table = lobby.opened(setup, loaded("leduc_poker"))
    pages = [KeptFrames(0), KeptFrames(1)]
    for page in pages:
        table.join(page)
    pages[0].wait_for_turn(0)
    table.type_move(0, 0, "bet")
    before = pages[1].wait_for_turn(0)
    table.type_move(1, 0, "call")  # the next card is dealt
    before = pages[0].wait_for_turn(1)
    lobby.close()  # what a kill does, but for the lock of the file

    again = Lobby(store_in(tmp_path)).table(table.place)
    assert again.setup == setup
    assert again.onlooker("token1") == 1
    page = KeptFrames(0)
    again.join(page)
    assert page.wait_for_turn(1) == before
    again.type_move(0, 1, "check")
    assert again.history().moves[: len(table.moves)] == tuple(table.moves)
    again.close()


def test_chance_goes_on_as_it_would_have() -> None:
    """The card on the table is the same whether or not the match slept before it was dealt."""
    cards = []
    for sleeps in (False, True):
        table, _ = table_of(setup_of("leduc_poker", ["person", "person"], chance_seed=12))
        pages = [KeptFrames(0), KeptFrames(1)]
        for page in pages:
            table.join(page)
        pages[0].wait_for_turn(0)
        table.type_move(0, 0, "check")
        pages[1].wait_for_turn(0)
        if sleeps:
            table.close()
            pages = [KeptFrames(0), KeptFrames(1)]
            for page in pages:
                table.join(page)
            pages[1].wait_for_turn(0)
        table.type_move(1, 0, "check")
        pages[0].wait_for_turn(1)
        cards.append(table.moves[:])
        table.close()
    assert cards[0] == cards[1]
    assert len(cards[0]) == 5


def test_take_back() -> None:
    table, events = table_of(setup_of("phantom_ttt", ["person", "random"]))
    page = KeptFrames(0)
    table.join(page)
    page.wait_for_turn(0)
    with pytest.raises(OptionError, match="no move of yours"):
        table.take_back(0)
    table.act(0, 0, 4)
    page.wait_for_turn(1)
    table.take_back(0)
    assert events[-1] == {"event": "took_back", "moves": 0}
    page.wait_for_turn(0)
    table.act(0, 0, 0)
    page.wait_for_turn(1)
    assert table.moves[0] == 0
    table.close()


def test_nobody_takes_back_a_move_that_another_person_has_seen() -> None:
    table, _ = table_of(setup_of("phantom_ttt", ["person", "person"]))
    with pytest.raises(OptionError, match="only against bots"):
        table.take_back(0)


def test_answers_that_are_not_asked_for() -> None:
    table, _ = table_of(setup_of("phantom_ttt", ["person", "person"]))
    pages = [KeptFrames(0), KeptFrames(1)]
    for page in pages:
        table.join(page)
    pages[0].wait_for_turn(0)
    with pytest.raises(OptionError, match="not your turn"):
        table.act(1, 0, 0)
    with pytest.raises(OptionError, match="not one of your moves"):
        table.act(0, 0, 99)
    with pytest.raises(GameError, match="is not a legal action here"):
        table.type_move(0, 0, "z9")
    table.act(0, 0, 0)
    pages[1].wait_for_turn(0)
    table.act(0, 0, 2)  # pressed twice, and the others are to move already
    with pytest.raises(OptionError, match="not your turn"):
        table.act(0, 1, 2)
    table.act(1, 0, 1)
    pages[0].wait_for_turn(1)
    table.act(0, 0, 2)  # pressed twice: forgotten
    assert table.moves == [0, 1]
    table.close()


def test_thinking_stops_when_the_last_page_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    searches = with_endless_search(monkeypatch)
    before = set(threading.enumerate())
    table, _ = table_of(setup_of("kuhn_poker", ["oos", "oos"]), grace=0.05)
    page = KeptFrames(ALL)
    table.join(page)
    thinking = page.wait_for(lambda frame: frame["type"] == "bot")
    assert thinking["names"] == ["check", "bet"]
    assert thinking["policy"] == [0.5, 0.5]

    def reports() -> int:
        return sum(search.reports for search in searches)

    table.leave(page)
    count = reports()
    assert count > 0
    wait_until(lambda: table._run is None)  # its memory is free
    assert reports() <= count + 1  # it waited at its next report
    made = len(searches)
    table.join(page)  # it wakes with new searches
    wait_until(lambda: len(searches) > made and reports() > count + 5)
    table.close()
    wait_until(lambda: set(threading.enumerate()) <= before)


def test_bots_among_themselves_are_seen_by_all() -> None:
    table, _ = table_of(setup_of("leduc_poker", ["random", "random"]))
    page = KeptFrames(table.onlooker(""))
    table.join(page)
    page.wait_for_end()
    assert page.onlooker == ALL
    assert page.frames[-1]["log"][0].startswith("player 1 is dealt ")


def test_a_move_is_written_before_it_is_shown() -> None:
    """Also to a page that comes between the move and its being written."""
    table, _ = table_of(setup_of("kuhn_poker", ["person", "person"]))
    pages = [KeptFrames(0), KeptFrames(1)]
    for page in pages:
        table.join(page)
    pages[0].wait_for_turn(0)
    with table._lock:  # the match moves on, but cannot write
        assert table._run is not None
        match = table._run.match
        assert match is not None
        table.act(0, 0, 1)
        wait_until(lambda: len(match.history.moves) == 3)
        late = KeptFrames(PUBLIC)
        table.join(late)
        assert late.frames[-1]["log"] == []
        assert "bets" not in json.dumps(late.frames[-1])
        assert "put in 2" not in json.dumps(late.frames[-1])
    late.wait_for(lambda frame: frame.get("log") == ["player 1 bets"])
    assert "put in 2" in json.dumps(late.frames[-1])
    table.close()


def test_a_table_without_pages_keeps_no_views() -> None:
    """They are most of its memory. A page that comes again gets the same."""
    table, _ = table_of(setup_of("leduc_poker", ["random", "random"]))
    page = KeptFrames(ALL)
    table.join(page)
    over = page.wait_for_end()
    wait_until(lambda: table.is_over)
    assert table._logs
    assert table._shown
    table.leave(page)
    assert not table._logs
    assert not table._shown
    again = KeptFrames(ALL)
    table.join(again)
    assert again.wait_for_end() == over
    table.leave(again)


def test_a_match_that_sleeps_keeps_no_views() -> None:
    table, _ = table_of(setup_of("leduc_poker", ["person", "random"]), grace=0.01)
    page = KeptFrames(0)
    table.join(page)
    shown = page.wait_for_turn(0)
    table.leave(page)
    wait_until(lambda: not table._logs)
    assert not table._shown
    again = KeptFrames(0)
    table.join(again)
    assert again.wait_for_turn(0) == shown
    table.close()


@pytest.mark.slow
def test_only_tables_in_use_stay_in_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr(halls, "MOST_RECENT", 2)
    lobby = Lobby(store_in(tmp_path))
    used, left = (lobby.open("kuhn_poker", [bot, "random"], 1.0) for bot in ("person", "random"))
    place, player, watcher = left.place, KeptFrames(0), KeptFrames(ALL)
    used.join(player)
    left.join(watcher)
    watcher.wait_for_end()
    wait_until(lambda: lobby.table(place).is_over)
    following = lobby.again(left).place
    left.leave(watcher)
    moves, freed = left.moves, weakref.ref(left)
    del left
    for _ in range(3):
        lobby.open("kuhn_poker", ["person", "random"], 1.0)
    gc.collect()  # a match may have left a cycle
    assert freed() is None
    assert lobby.table(used.place) is used
    read = lobby.table(place)
    assert read.is_over
    assert read.moves == moves
    assert lobby.again(read).place == following
    lobby.close()
    lobby = Lobby(store_in(tmp_path))
    assert lobby.again(lobby.table(place)).place == following
    lobby.close()


def test_a_bot_that_cannot_play_says_why() -> None:
    table, _ = table_of(setup_of("phantom_ttt", ["person", "chaser"]))
    page = KeptFrames(0)
    table.join(page)
    assert "pursuit" in page.wait_for(lambda frame: frame.get("state") == "failed")["why"]


class TestHall:
    """What pages may open."""

    @pytest.fixture
    def lobby(self, tmp_path: Any) -> Any:
        lobby = Lobby(store_in(tmp_path))
        yield lobby
        lobby.close()

    @pytest.mark.parametrize(
        ("game", "players", "said"),
        [
            ("kuhn_poker", ["person"], "has 2 seats, not 1"),
            ("no_game", ["person", "auto"], "there is no game"),
            ("os:path", ["person", "auto"], "may name a file or a module"),
            ("naive/small_games.py:Written(Kuhn)", ["person", "auto"], "may name a file"),
            ("VP(map=map.txt)", ["person", "auto"], "may name a file"),
            ("kuhn_poker", ["person", "human"], "plays at a terminal"),
            ("kuhn_poker", ["person", "strategy(x)"], "reads a file"),
            ("kuhn_poker", ["person", "best_response(greedy(x))"], "reads a file"),
            ("kuhn_poker", ["person", "mmd(blueprint='/etc/passwd')"], "reads a file"),
            ("kuhn_poker", ["person", "best_response(mmd(blueprint=Makefile))"], "reads a file"),
            ("kuhn_poker", ["person", "auto(opponent='/etc/passwd')"], "reads a file"),
            ("kuhn_poker", ["person", "auto(blueprint='/etc/passwd')"], "reads a file"),
            ("kuhn_poker", ["person", "vector-cr(blueprint=x)"], "reads a file"),
            ("kuhn_poker", ["person", "auto(opponent='vector-cr(blueprint=x)')"], "reads a file"),
            ("kuhn_poker", ["person", "auto(opponent='strategy(x)')"], "reads a file"),
            ("kuhn_poker", ["person", "cr(opponent='oos(memory=100000000000)')"], "not allowed at"),
            ("kuhn_poker", ["person", "oos(ponder=true)"], "only in their own turn"),
            ("kuhn_poker", ["person", "oos(memory=100000000000)"], "not allowed at a table"),
            ("kuhn_poker", ["person", "oos(seconds=999)"], "not allowed at a table"),
            ("kuhn_poker", ["person", "oos(threads=4)"], "not allowed at a table"),
            ("kuhn_poker", ["person", "nobody"], "there is no player"),
        ],
    )
    def test_refusals(self, lobby: Lobby, game: str, players: list[str], said: str) -> None:
        with pytest.raises(HiddenhandError, match=said):
            lobby.open(game, players, 1.0)

    def test_everybody_moves_on_by_a_seat(self, lobby: Lobby) -> None:
        random = np.random.default_rng(1)
        moves = [int(move) for move in random_play(loaded("kuhn_poker"), random).moves]  # type: ignore[arg-type]
        setup = setup_of("kuhn_poker", ["person", "random"])
        table = lobby.opened(setup, loaded("kuhn_poker"), moves, is_over=True)
        following = lobby.again(table)
        assert [seat.player for seat in following.setup.seats] == ["random", "person"]
        assert lobby.again(table) is following
        assert following.setup.chance_seed != setup.chance_seed
        with pytest.raises(OptionError, match="not over yet"):
            lobby.again(following)

    def test_a_seat_needs_its_token(self, lobby: Lobby) -> None:
        table = lobby.open("kuhn_poker", ["person", "random"], 1.0)
        assert table.onlooker("") == PUBLIC == table.onlooker("guess")
        assert table.onlooker(table.setup.seats[0].token) == 0

    def test_a_player_that_is_no_bot(self, lobby: Lobby) -> None:
        with pytest.raises(OptionError, match="is not the name of a player"):
            lobby.open("kuhn_poker", ["person", "("], 1.0)


def test_a_game_of_the_command_line(tmp_path: Any) -> None:
    file = tmp_path / "own.py"
    file.write_text(
        "from hiddenhand.games.poker.kuhn import KuhnPoker\n"
        "class Mine(KuhnPoker):\n"
        '    """A poker of my own.\n\n    And more."""\n'
    )
    game = f"{file}:Mine"
    lobby = Lobby(store_in(tmp_path), Allowed((game,), ("random",)), (game, "random"))
    told = lobby.described()
    assert told["games"][0] == {
        "game": game,
        "name": "Mine",
        "summary": "A poker of my own.",
        "kinds": ["own"],
        "minutes": 0,
        "exact": False,
        "players": 2,
        "against": "auto",
        "trained": None,
    }
    assert told["offer"] == {"game": game, "against": "random"}
    table = lobby.open(game, ["person", "random"], 1.0)
    assert table.described(0)["title"] == "Mine"
    with pytest.raises(OptionError, match="may name a file"):
        lobby.open(f"{file}:Other", ["person", "random"], 1.0)
    lobby.close()


def test_the_start_of_the_match_is_one_history() -> None:
    table, _ = table_of(setup_of("kuhn_poker", ["person", "random"]))
    assert table.history().moves == History(table.game).moves
    with pytest.raises(OptionError, match="has 0 moves"):
        table.history(1)
