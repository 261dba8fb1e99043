"""What a seat is shown: two deals that agree for it give the same frames, to the last byte."""

import games.broken_games as broken
import pytest
from table_pages import KeptFrames, agreeing_histories, play_script, setup_of, table_of

from hiddenhand.errors import ConformanceError, RuleError
from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import History
from hiddenhand.web import views
from hiddenhand.web.catalogue import loaded
from hiddenhand.web.match import TableMatch
from hiddenhand.web.messages import written
from hiddenhand.web.views import ALL, PUBLIC


def frames_of(history: History, game: str, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What each of the people at a table is sent while a match goes to ``history``."""
    chance = iter(
        move for mover, move in zip(history.movers, history.moves, strict=True) if mover == CHANCE
    )
    monkeypatch.setattr(TableMatch, "_deal", lambda match: next(chance))
    table, _ = table_of(setup_of(game, ["person"] * history.game.num_players))
    pages = [KeptFrames(seat) for seat in range(history.game.num_players)]
    with table._lock:  # the match begins when all are there
        for page in pages:
            table.join(page)
    play_script(table, pages, [move for move in history.moves if isinstance(move, int)])
    mover = history.player
    pages[mover].wait_for_turn(history.movers.count(mover))
    table.close()
    return [[written(frame) for frame in page.frames] for page in pages]


GAMES = ["kuhn_poker", "leduc_poker", "phantom_ttt", "LD(1,1,3)", "IIGS(4)", "dark_hex(size=3)"]
ALL_OTHERS = [
    *("generic_poker", "phantom_ttt_abrupt", "dark_hex(size=2,abrupt=True)", "coordination_game"),
    *("battleship(rows=2,columns=2,ships=(2))", "tricks(players=2,ranks=3,suits=2,hand=2)"),
    *("tricks(players=3,ranks=2,suits=3,hand=1)", "coordinated_mp", "OZ(4,1,1)", "GS(3)"),
    *("goofspiel(num_cards=3,points_order=random,imp_info=True)", "tron(rows=3,columns=3)"),
    *("biased_rps", "matrix_tree(2,1,[1,-1,-1,1])", "random(2,2)", "pursuit_evasion"),
    "VP(map=block5,pursuers=1,moves=3)",
]


def verify_alike(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    others_differ = False
    for seat in range(loaded(game).num_players):
        for one, other in agreeing_histories(loaded(game), seat, 3):
            first = frames_of(one, game, monkeypatch)
            second = frames_of(other, game, monkeypatch)
            assert first.pop(seat) == second.pop(seat)
            others_differ |= first != second
    assert others_differ  # else nothing was hidden, and the test finds nothing


@pytest.mark.parametrize("game", GAMES)
def test_deals_that_agree_for_a_seat_look_the_same_there(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify_alike(game, monkeypatch)


@pytest.mark.parametrize("game", ALL_OTHERS)
def test_so_it_is_in_all_games(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    verify_alike(game, monkeypatch)


def test_so_it_is_in_holdem(monkeypatch: pytest.MonkeyPatch) -> None:
    """Player 1 has the same cards in both deals, and player 2 has others; then comes a flop."""
    frames = []
    for theirs in ((2, 7), (3, 9)):
        history = History(loaded("limit_holdem"))
        for move in (0, 1, *theirs, 1, 1, 20, 30, 40, 1):
            history = history.child(move)
        frames.append(frames_of(history.child(2), "limit_holdem", monkeypatch))
    assert frames[0][0] == frames[1][0]
    assert frames[0][1] != frames[1][1]


def test_nothing_that_can_be_clicked_tells_whose_turn_it_is() -> None:
    history = History(loaded("phantom_ttt"))
    calm, asked = (views.view(history, 0, [], flag) for flag in (False, True))
    assert not any("action" in item for item in calm["pictures"][0]["scene"]["items"])
    assert any("action" in item for item in asked["pictures"][0]["scene"]["items"])
    assert calm["actions"] == []
    assert len(asked["actions"]) == 9


def test_words_for_each_onlooker() -> None:
    game = loaded("kuhn_poker")
    moves = [2, 0, 1, 0]  # K to player 1, J to player 2, bet, fold
    assert views.log_of(moves, game, 0) == ["you are dealt K", "you bet", "player 2 folds"]
    assert views.log_of(moves, game, 1) == ["you are dealt J", "player 1 bets", "you fold"]
    assert views.log_of(moves, game, PUBLIC) == ["player 1 bets", "player 2 folds"]
    deal = ["player 1 is dealt K", "player 2 is dealt J"]
    assert views.log_of(moves, game, ALL) == [*deal, "player 1 bets", "player 2 folds"]


def test_the_public_sees_no_card() -> None:
    game = loaded("kuhn_poker")
    public = []
    for deal in ((2, 0), (0, 1)):
        history = History(game)
        for move in deal:
            history = history.child(move)
        public.append(written(views.view(history, PUBLIC, [])))
    assert public[0] == public[1]


def test_what_is_no_scene_is_explained() -> None:
    with pytest.raises(ConformanceError, match="picture is 'hello' for observer 0; return a Scene"):
        views.pictures(History(broken.PaintsText()), 0, asked=True)
    with pytest.raises(RuleError, match=r"DrawsNothing.picture \(.*\) fails at the root: Zero"):
        views.film_of([], broken.DrawsNothing(), 0)
