"""The lab: work is done, told as it goes, stopped, kept and opened again."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hiddenhand import clock
from hiddenhand.errors import GameError, OptionError, PlayerError
from hiddenhand.progress import Report
from hiddenhand.solvers.linear_program import solve_lp
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.web import analysis, lab_work
from hiddenhand.web.catalogue import NOTHING_ELSE
from hiddenhand.web.lab import DONE, MOST_WAITING, STOPPED, WAITING, WORKING, Lab, Piece, lab_file
from hiddenhand.web.lab_handler import LabHandler
from hiddenhand.web.lab_work import CONVERGENCE, POINTS, TOURNAMENT, Work
from hiddenhand.web.lobby import Lobby
from hiddenhand.web.messages import read_message
from hiddenhand.web.store import Store

PATIENCE = 120.0
PREPARING = {"event": "preparing"}
MATCHES = Work(TOURNAMENT, "kuhn_poker", ("random", "call"), 0.1, 3)


class Approaching:
    """A solver that goes in a straight line from uniform play to an equilibrium, by a clock of its
    own.
    """

    now = 0.0

    def __init__(self, tree: Any) -> None:
        self.tree, self.done = tree, 0.0
        self.target = solve_lp(tree).profile

    def advance(self, *, seconds: float, progress: Any) -> None:
        self.done += seconds
        Approaching.now += seconds
        progress.update(Report(seconds, None, "seconds"))

    def profile(self) -> Any:
        part = min(self.done, 1.0)
        return part * self.target + (1 - part) * uniform_profile(self.tree)

    def figures(self) -> dict[str, float]:
        return {"iterations": self.done}


@pytest.fixture
def approaching(monkeypatch: pytest.MonkeyPatch) -> None:
    def solver(spec: str, game: Any, tree: Any, seed: int) -> Approaching:
        if spec == "pimc":
            raise OptionError("this one cannot be measured")
        return Approaching(tree)

    Approaching.now = 0.0
    monkeypatch.setattr(lab_work, "_solver", solver)
    monkeypatch.setattr(clock, "now", lambda: Approaching.now)


def waited(condition: Callable[[], Any]) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.002)


def finished(lab: Lab, work: Work) -> Piece:
    piece = lab.open(work)
    waited(lambda: piece.state in (DONE, STOPPED))
    return piece


@pytest.mark.usefixtures("approaching")
def test_convergence_is_measured_and_a_search_that_cannot_be_is_named() -> None:
    lab = Lab(Store(None), NOTHING_ELSE)
    piece = finished(lab, Work(CONVERGENCE, "kuhn_poker", ("cfr+", "pimc", "oos"), 1.0))
    assert (piece.state, piece.why) == (DONE, "")
    for curve in (0, 2):
        points = [e for e in piece.events if e["event"] == "point" and e["curve"] == curve]
        assert len(points) == POINTS
        gaps = [point["nash_conv"] for point in points]
        assert gaps == sorted(gaps, reverse=True)
        assert gaps[0] > 0.5
        assert gaps[-1] < 1e-6
        assert [point["seconds"] for point in points] == pytest.approx(
            [(look / POINTS) ** 2 for look in range(1, POINTS + 1)]
        )
    failed = [event for event in piece.events if event["event"] == "failed"]
    assert failed == [{"event": "failed", "curve": 1, "why": "this one cannot be measured"}]
    lab.close()


def test_a_tournament_is_told_as_it_goes_and_only_its_last_scores_are_shown() -> None:
    lab = Lab(Store(None), NOTHING_ELSE)
    frames: list[dict[str, Any]] = []
    piece = lab.open(Work(TOURNAMENT, "kuhn_poker", ("random", "call"), 1.0, 4))
    lab.look(piece.name, frames.append)
    waited(lambda: frames[-1].get("event", {}).get("state") == DONE)  # the last thing that is told
    scores = [event for event in piece.events if event["event"] == "score"]
    assert [score["matches"] for score in scores] == [2, 4, 6, 8]
    assert scores[-1]["low"] <= scores[-1]["mean"] <= scores[-1]["high"]
    shown = piece.shown()
    assert shown["each"] == 8
    standings = [event for event in piece.events if event["event"] == "standings"]
    assert [event for event in shown["events"] if event != PREPARING] == [scores[-1], standings[-1]]
    best, other = standings[-1]["standings"]
    assert best["payoff"]["value"] == abs(scores[-1]["mean"]) == -other["payoff"]["value"]
    assert frames[0]["type"] == "lab_run"
    assert frames[-1]["event"] == {"event": "state", "state": DONE, "why": ""}
    lab.close()


def test_work_is_found_again_and_can_be_forgotten(tmp_path: Path) -> None:
    file = lab_file(tmp_path / "tables.sqlite")
    assert file == tmp_path / "tables-lab.sqlite"
    lab = Lab(Store(file), NOTHING_ELSE)
    kept, forgotten = finished(lab, MATCHES), finished(lab, MATCHES)
    with pytest.raises(OptionError, match="no such experiment"):
        lab.piece("another")
    lab.forget(forgotten.name)
    lab.close()
    again = Lab(Store(file), NOTHING_ELSE)
    assert again.piece(kept.name).shown() == kept.shown()
    with pytest.raises(OptionError):
        again.piece(forgotten.name)
    following = finished(again, MATCHES)
    frames: list[dict[str, Any]] = []
    again.join(frames.append)
    assert [run["run"] for run in frames[-1]["runs"]] == [following.name, kept.name]
    again.close()


def test_what_the_server_left_is_said_to_have_stopped(tmp_path: Path) -> None:
    store = Store(tmp_path / "lab.sqlite")
    store.add("place", 0, {"event": "opened", "work": MATCHES.written()})
    store.add("place", 1, {"event": "preparing"})
    store.close()
    lab = Lab(Store(tmp_path / "lab.sqlite"), NOTHING_ELSE)
    piece = lab.piece("place")
    assert (piece.state, piece.why) == (STOPPED, "the server ended during the experiment")
    assert piece.work == MATCHES
    lab.close()


def test_work_can_be_stopped_and_what_waits_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(work: Any, game: Any, say: Any, is_stopped: Any) -> None:
        listener = lab_work.Listener(is_stopped)
        while True:
            listener.update(None)  # type: ignore[arg-type]
            time.sleep(1e-3)

    monkeypatch.setattr("hiddenhand.web.lab.do_work", endless)
    lab = Lab(Store(None), NOTHING_ELSE)
    first, second = lab.open(MATCHES), lab.open(MATCHES)
    waited(lambda: first.state == WORKING)
    assert second.state == WAITING
    with pytest.raises(OptionError, match="stop it first"):
        lab.forget(first.name)
    lab.stop(second.name)
    assert second.state == STOPPED
    lab.stop(first.name)
    waited(lambda: first.state == STOPPED)
    assert first.why == "it was stopped"
    for _ in range(MOST_WAITING):
        lab.open(MATCHES)
    with pytest.raises(OptionError, match="are waiting"):
        lab.open(MATCHES)
    lab.close()


@pytest.mark.parametrize(
    ("work", "error", "said"),
    [
        (Work("magic", "kuhn_poker", ("random",), 1.0), OptionError, "kind=magic is not allowed"),
        (Work(CONVERGENCE, "kuhn_poker", (), 1.0), OptionError, "name 1 to 4"),
        (Work(TOURNAMENT, "kuhn_poker", ("random",), 1.0, 1), OptionError, "name 2 to 10"),
        (Work(CONVERGENCE, "kuhn_poker", ("oos",), 0.0), OptionError, "seconds=0.0"),
        (Work(CONVERGENCE, "kuhn_poker", ("oos",), 121.0), OptionError, "up to 120"),
        (Work(TOURNAMENT, "kuhn_poker", ("call", "call"), 1.0, 0), OptionError, "matches=0"),
        (Work(CONVERGENCE, "rules.py:Mine", ("oos",), 1.0), GameError, "cannot be opened"),
        (Work(CONVERGENCE, "kuhn_poker", ("strategy(a.hhs)",), 1.0), PlayerError, "reads a file"),
        (Work(TOURNAMENT, "kuhn_poker", ("person", "call"), 1.0, 1), OptionError, "no seat"),
        (Work(TOURNAMENT, "kuhn_poker", ("human", "call"), 1.0, 1), PlayerError, "terminal"),
    ],
)
def test_what_the_lab_refuses(work: Work, error: type[Exception], said: str) -> None:
    lab = Lab(Store(None), NOTHING_ELSE)
    with pytest.raises(error, match=said):
        lab.open(work)
    lab.close()


def test_work_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Lab(Store(None), NOTHING_ELSE)
    monkeypatch.setattr(analysis, "_SMALL", 10)
    with pytest.raises(GameError, match="too large to measure"):
        lab.open(Work(CONVERGENCE, "kuhn_poker(num_cards=7)", ("oos",), 0.1))
    with pytest.raises(PlayerError, match="between 3 or more different players, not"):
        lab.open(Work(TOURNAMENT, "kuhn_poker(players=3)", ("random", "call"), 0.1, 1))
    lab.close()


def test_a_tournament_of_three_players_rates_its_bots() -> None:
    lab = Lab(Store(None), NOTHING_ELSE)
    bots = ("random", "call", "raise", "best_response(random)")
    work = Work(TOURNAMENT, "kuhn_poker(players=3)", bots, 1.0, 5)
    piece = finished(lab, work)
    assert (piece.state, piece.why) == (DONE, "")
    shown = piece.shown()
    scores = [event for event in shown["events"] if event["event"] == "score"]
    assert [(score["first"], score["second"]) for score in scores] == [
        (one, other) for one in range(4) for other in range(one + 1, 4)
    ]
    assert {score["matches"] for score in scores} == {2 * 6 * 5} == {shown["each"]}
    (standings,) = [
        event["standings"] for event in shown["events"] if event["event"] == "standings"
    ]
    assert sorted(one["bot"] for one in standings) == [0, 1, 2, 3]
    for one in standings:
        assert one["matches"] == 3 * 6 * 5
        assert one["payoff"]["value"] == pytest.approx(sum(one["seats"]) / 3)
        assert one["elo"]["low"] <= one["elo"]["value"] <= one["elo"]["high"]
        assert 1 <= one["places"][0] <= one["places"][1] <= 4
    assert sum(one["payoff"]["value"] for one in standings) == pytest.approx(0.0)
    lab.close()


def test_what_a_page_says_to_the_lab() -> None:
    lobby = Lobby(Store(None))
    frames: list[dict[str, Any]] = []
    handler = LabHandler(lobby, frames.append)
    with pytest.raises(OptionError, match="no lab"):
        handler.do(read_message('{"type":"lab"}'))
    lobby.lab = Lab(Store(None), NOTHING_ELSE)
    handler.do(read_message('{"type":"lab"}'))
    handler.do(
        read_message(
            '{"type":"lab_open","kind":"tournament","game":"kuhn_poker",'
            '"players":["random","call"],"seconds":0.1,"matches":2}'
        )
    )
    opened = next(frame for frame in frames if frame["type"] == "lab_opened")
    handler.do(read_message(f'{{"type":"lab_look","run":"{opened["run"]}"}}'))
    piece = lobby.lab.piece(opened["run"])
    waited(lambda: piece.state == DONE)
    handler.do({"type": "lab_stop", "run": opened["run"]})
    handler.do({"type": "lab_forget", "run": opened["run"]})
    assert frames[-1] == {"type": "lab", "runs": []}
    handler.leave()
    lobby.close()


@pytest.mark.parametrize(
    ("game", "player", "field", "said"),
    [
        ("no_such_game", "random", "game", "there is no game"),
        ("kuhn_poker", "nobody", "players", "there is no player"),
        ("kuhn_poker", "person", "", "no seat in the lab"),
    ],
)
def test_a_page_is_told_which_field_is_wrong(game: str, player: str, field: str, said: str) -> None:
    lobby, frames = Lobby(Store(None)), list[dict[str, Any]]()
    lobby.lab = Lab(Store(None), NOTHING_ELSE)
    handler = LabHandler(lobby, frames.append)
    handler.do(
        read_message(
            f'{{"type":"lab_open","kind":"tournament","game":"{game}",'
            f'"players":["{player}","call"],"seconds":0.1,"matches":2}}'
        )
    )
    (refused,) = frames
    assert (refused["type"], refused["field"]) == ("lab_refused", field)
    assert said in refused["why"]
    lobby.close()


def test_a_page_shows_several_experiments_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hiddenhand.web.lab.do_work", lambda *_: None)
    lab = Lab(Store(None), NOTHING_ELSE)
    one, other, third = (finished(lab, MATCHES) for _ in range(3))
    frames: list[dict[str, Any]] = []
    page = frames.append
    lab.look(one.name, page)
    lab.look(other.name, page, also=True)
    lab.look(other.name, page, also=True)
    assert [piece.pages for piece in (one, other, third)] == [[page], [page], []]
    lab.look_away(one.name, page)
    assert [piece.pages for piece in (one, other, third)] == [[], [page], []]
    lab.look(third.name, page)
    assert [piece.pages for piece in (one, other, third)] == [[], [], [page]]
    assert {frame["run"] for frame in frames} == {one.name, other.name, third.name}
    lab.close()
