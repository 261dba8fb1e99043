"""What pages ask about a match that is over: reviews they share, and matches that begin anew in the
middle.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from table_pages import KeptFrames, setup_of, store_in, wait_until

from hiddenhand.budget import Budget
from hiddenhand.errors import OptionError
from hiddenhand.games.history import History
from hiddenhand.web import analysis, review_handler
from hiddenhand.web.branching import dealt_anew, setup_to_retry
from hiddenhand.web.catalogue import loaded
from hiddenhand.web.exact_solution import solved
from hiddenhand.web.handler import Handler
from hiddenhand.web.lobby import Lobby
from hiddenhand.web.match import Stopped
from hiddenhand.web.messages import read_message, written
from hiddenhand.web.store import Store
from hiddenhand.web.table import Table

J, Q, K = range(3)
PASS, BET = 0, 1
ASKED = ('{"type":"review"}', '{"type":"ask","player":"call","seconds":0.1}')
OTHERS = ('{"type":"retry","ply":0}', '{"type":"hand_history"}', '{"type":"review_stop"}')


def played(game: str, moves: Sequence[int]) -> History:
    history = History(loaded(game))
    for move in moves:
        history = history.child(move)
    return history


def draws(before: History, count: int) -> Counter[tuple[int, ...]]:
    random = np.random.default_rng(5)
    budget = Budget(iterations=200)
    return Counter(tuple(dealt_anew(before, budget, random)) for _ in range(count))


@pytest.fixture
def lobby() -> Iterator[Lobby]:
    lobby = Lobby(Store(None))
    yield lobby
    lobby.close()


@pytest.fixture
def nothing_is_small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No game is solved."""
    monkeypatch.setattr(analysis, "_SMALL", 10)
    analysis.written_out.cache_clear()
    yield
    analysis.written_out.cache_clear()


def over(lobby: Lobby, moves: Sequence[int] = (K, Q, BET, BET), game: str = "kuhn_poker") -> Table:
    """A table whose match is over, with a person in the first seat."""
    return lobby.opened(setup_of(game, ["person", "call"]), loaded(game), moves, is_over=True)


def page_of(lobby: Lobby, table: Table, token: str = "token0") -> tuple[Handler, KeptFrames]:
    page = KeptFrames(0)
    handler = Handler(lobby, page.send)
    handler.do(read_message(f'{{"type":"hello","place":"{table.place}","token":"{token}"}}'))
    return handler, page


def states(page: KeptFrames) -> list[str]:
    return [frame["state"] for frame in page.frames if frame["type"] == "review"]


# --- matches that begin anew in the middle ---


def test_the_hidden_part_is_drawn_by_the_belief_of_the_equilibrium() -> None:
    """Player 1, with a queen, has passed, and player 2 bets: a king always does, and a jack in one
    of three matches (Kuhn 1950). So the other card is a king in three of four draws.
    """
    drawn = draws(played("kuhn_poker", [Q, J, PASS, BET]), 4000)
    assert set(drawn) == {(Q, J, PASS, BET), (Q, K, PASS, BET)}
    kings = drawn[Q, K, PASS, BET] / 4000
    assert abs(kings - 0.75) < 4 * (0.75 * 0.25 / 4000) ** 0.5


@pytest.mark.usefixtures("nothing_is_small")
def test_the_hidden_part_is_drawn_by_the_belief_of_a_search() -> None:
    """Nobody has moved yet, so both other cards are as likely."""
    drawn = draws(played("kuhn_poker", [Q, J]), 20)
    assert set(drawn) == {(Q, J), (Q, K)}
    assert min(drawn.values()) > 4


@pytest.mark.parametrize(
    ("game", "moves"),
    [
        ("leduc_poker", [K, Q, 1, 2, 2, 1, 0, 1]),
        ("leduc_poker", [0, 1, 1, 2, 0]),
        ("phantom_ttt", [0, 4, 8, 8, 2, 0]),
    ],
)
def test_what_the_seat_knew_stays(game: str, moves: list[int]) -> None:
    random = np.random.default_rng(1)
    before = played(game, moves[:-1])
    seat, drawn = before.player, set[tuple[int, ...]]()
    for _ in range(5):
        anew = played(game, dealt_anew(before, Budget(iterations=200), random))
        assert anew.player == seat
        assert anew.key(seat) == before.key(seat)
        drawn.add(tuple(anew.moves))  # type: ignore[arg-type]
    assert len(drawn) > 1


def test_a_new_table_shows_the_seat_what_it_knew_and_nothing_else(lobby: Lobby) -> None:
    """Two draws that differ in the hidden card give the page the same bytes."""
    table = over(lobby, (Q, J, PASS, BET, PASS))
    handler, page = page_of(lobby, table)
    shown: dict[int, list[str]] = {}
    for _ in range(40):
        handler.do(read_message('{"type":"retry","ply":4}'))
        opened = page.frames[-1]
        assert opened["type"] == "opened"
        new = lobby.table(opened["place"])
        assert [seat.player for seat in new.setup.seats] == ["person", "call"]
        assert new.onlooker(opened["token"]) == 0
        assert not new.is_over
        seat = KeptFrames(0)
        new.join(seat)
        assert seat.wait_for_turn(1)["log"] == ["you are dealt Q", "you check", "player 2 bets"]
        new.close()
        last = {frame["type"]: frame for frame in seat.frames if frame["type"] != "status"}
        last["table"]["place"] = ""
        assert {"table", "view"} <= set(last)
        shown[new.moves[1]] = [written(frame) for frame in last.values()]
        if len(shown) == 2:
            break
    assert set(shown) == {J, K}
    assert shown[J] == shown[K]


def test_a_match_that_began_in_the_middle_is_played_to_its_end_and_kept(tmp_path: Any) -> None:
    lobby = Lobby(store_in(tmp_path))
    handler, page = page_of(lobby, over(lobby))
    handler.do(read_message('{"type":"retry","ply":2}'))
    place, token = page.frames[-1]["place"], page.frames[-1]["token"]
    lobby.close()
    again = Lobby(store_in(tmp_path))
    table, seat = again.table(place), KeptFrames(0)
    assert table.moves[0] == K
    assert len(table.moves) == 2
    table.join(seat)
    seat.wait_for_turn(0)
    table.act(table.onlooker(token), 0, BET)
    assert seat.wait_for_end()["returns"][0] == 2.0
    again.close()


def test_bots_take_the_seats_of_other_people() -> None:
    setup = setup_of("kuhn_poker", ["person", "person"])
    assert [one.player for one in setup_to_retry(setup, 1).seats] == ["auto", "person"]
    watched = setup_of("kuhn_poker", ["call", "oos"])
    assert [one.player for one in setup_to_retry(watched, 0).seats] == ["person", "oos"]


def test_a_retry_needs_a_player_to_move(lobby: Lobby) -> None:
    handler, _ = page_of(lobby, over(lobby))
    for ply in (0, 4):
        with pytest.raises(OptionError, match="no player moves"):
            handler.do(read_message(f'{{"type":"retry","ply":{ply}}}'))
    with pytest.raises(OptionError, match="there is no move"):
        handler.do(read_message('{"type":"retry","ply":99}'))


# --- who may ask, and when ---


@pytest.mark.parametrize("text", ASKED + OTHERS)
@pytest.mark.parametrize("token", ["token0", ""])
def test_nothing_is_told_before_the_end(lobby: Lobby, text: str, token: str) -> None:
    table = lobby.opened(setup_of("kuhn_poker", ["person", "person"]), loaded("kuhn_poker"))
    handler, page = page_of(lobby, table, token)
    before = len(page.frames)
    with pytest.raises(OptionError, match="match that is over"):
        handler.do(read_message(text))
    assert all(frame["type"] in ("view", "status") for frame in page.frames[before:])
    handler.leave()


def test_a_review_by_messages(lobby: Lobby) -> None:
    handler, page = page_of(lobby, over(lobby))
    handler.do(read_message(ASKED[0]))
    page.wait_for(lambda frame: frame.get("state") == "done")
    assert states(page)[0] == "begun"
    assert states(page)[-1] == "done"
    handler.do(read_message(ASKED[1]))
    page.wait_for(lambda frame: frame.get("state") == "answered")
    handler.do(read_message(OTHERS[1]))
    assert page.frames[-1]["text"].startswith("Hiddenhand Hand")
    for text, said in (
        ('{"type":"ask","player":"person","seconds":1}', "name a bot"),
        ('{"type":"ask","player":"call","seconds":0}', "above 0"),
    ):
        with pytest.raises(OptionError, match=said):
            handler.do(read_message(text))
    handler.leave()


def test_a_bot_that_cannot_answer_says_so(lobby: Lobby) -> None:
    handler, page = page_of(lobby, over(lobby, [0, 4, 1, 5, 2], "phantom_ttt"))
    handler.do(read_message('{"type":"ask","player":"equilibrium","seconds":1}'))
    failed = page.wait_for(lambda frame: frame.get("state") == "unanswered")
    assert failed["why"]
    handler.leave()


# --- shared reviews ---


class Step:
    """A review that goes on when it is told to."""

    def __init__(self) -> None:
        self.began, self.may = 0, threading.Event()
        self.ended = 0

    def __call__(
        self, history: Any, seats: Any, budget: Any, say: Callable[..., None], stopped: Any
    ) -> None:
        self.began += 1
        say({"state": "begun"})
        while not self.may.wait(0.005):
            if stopped():
                self.ended += 1
                raise Stopped
        say({"state": "done"})


def test_pages_share_one_review(lobby: Lobby, monkeypatch: pytest.MonkeyPatch) -> None:
    step = Step()
    monkeypatch.setattr(review_handler, "review", step)
    table = over(lobby)
    pages = [page_of(lobby, table), page_of(lobby, table, "")]
    for handler, page in pages:
        handler.do(read_message(ASKED[0]))
        page.wait_for(lambda frame: frame.get("state") == "begun")
    step.may.set()
    for _, page in pages:
        page.wait_for(lambda frame: frame.get("state") == "done")
    late = page_of(lobby, table)
    late[0].do(read_message(ASKED[0]))
    assert states(late[1]) == ["begun", "done"]
    assert step.began == 1


def test_a_review_ends_when_no_page_waits_and_begins_anew(
    lobby: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Step()
    monkeypatch.setattr(review_handler, "review", step)
    table = over(lobby)
    one, other = page_of(lobby, table), page_of(lobby, table)
    for handler, page in (one, other):
        handler.do(read_message(ASKED[0]))
        page.wait_for(lambda frame: frame.get("state") == "begun")
    one[0].do(read_message(OTHERS[2]))
    assert states(one[1])[-1] == "stopped"
    assert step.ended == 0
    other[0].leave()
    wait_until(lambda: step.ended == 1)
    step.may.set()
    one[0].do(read_message(ASKED[0]))
    one[1].wait_for(lambda frame: frame.get("state") == "done")
    assert states(one[1]) == ["begun", "stopped", "begun", "done"]
    assert states(other[1]) == ["begun"]


def test_a_review_that_fails_says_why(lobby: Lobby, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise OptionError("this match cannot be reviewed")

    monkeypatch.setattr(review_handler, "review", fails)
    handler, page = page_of(lobby, over(lobby))
    handler.do(read_message(ASKED[0]))
    failed = page.wait_for(lambda frame: frame.get("state") == "failed")
    assert failed["why"] == "this match cannot be reviewed"


def test_the_equilibrium_is_found_once() -> None:
    assert solved(loaded("kuhn_poker")) is solved(loaded("kuhn_poker"))
