"""Tournaments: seeds, workers, early stops, the file, and what a kill leaves."""

import contextlib
import itertools
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from signals import start
from typing_commands import Typed

from hiddenhand.errors import FileError, OptionError, PlayerError, TooLargeError
from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import History
from hiddenhand.games.registry import load_game
from hiddenhand.matches import tournament as module
from hiddenhand.matches.match_records import MatchRecords, Played, Seats
from hiddenhand.matches.seat_groups import FEWEST, Group
from hiddenhand.matches.tournament import Pairing, Question, Tournament, all_pairs, mirrored
from hiddenhand.progress import Report
from hiddenhand.statistics import wilson_interval
from hiddenhand.workers import in_parallel

ONE_WAY: tuple[Seats, ...] = ((0, 1),)
SEARCHING = Question("Leduc", ("oos", "ismcts(selector=uct)"), iterations=30, seed=1, deals=1)


def play(
    question: Question,
    matches: int,
    file: Path | None = None,
    groups: Iterable[tuple[Seats, ...]] = (ONE_WAY,),
    **how: object,
) -> list[Pairing]:
    with Tournament(question, file) as tournament:
        tournament.run(groups, matches, **how)
        return tournament.pairings()


def outcomes(
    pairings: list[Pairing],
) -> list[list[tuple[int, tuple[int, ...], tuple[float, float]]]]:
    """What must not depend on who played what when."""
    return [
        [(match.number, match.history, match.payoffs) for match in pairing.played]
        for pairing in pairings
    ]


def count_plays(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int, int]]:
    played: list[tuple[int, int, int]] = []
    original = module._play

    def counting(question: Question, seats: Seats, number: int) -> Played:
        played.append((*seats, number))
        return original(question, seats, number)

    monkeypatch.setattr(module, "_play", counting)
    return played


# --- results ---


@pytest.mark.slow
def test_the_value_of_kuhn_poker() -> None:
    """-1/18 for who plays first (Kuhn 1950), where an equilibrium meets its best response, from
    both seats.
    """
    question = Question("Kuhn", ("equilibrium", "best_response(equilibrium)"), seed=1, deals=1)
    pairings = play(question, 300, groups=[mirrored()])
    for seat, pairing in enumerate(pairings):
        payoff = pairing.score(seat).payoff
        value = -1 / 18 if seat == 0 else 1 / 18
        assert abs(payoff.value - value) < payoff.width  # twice the interval's half
    assert pairings[0].first == pairings[1].second == "equilibrium"


def test_scores_are_seen_from_a_seat() -> None:
    played = (
        Played((0, 1), 0, (), (1.0, -1.0), (2, 1), (0.5, 2.0), ({}, {})),
        Played((0, 1), 1, (), (0.0, 0.0), (2, 0), (0.5, 0.0), ({}, {})),
    )
    pairing = Pairing(("a", "b"), played)
    first, second = pairing.score(0), pairing.score(1)
    assert (first.payoff.value, second.payoff.value) == (0.5, -0.5)
    assert (first.win_rate, second.win_rate) == (wilson_interval(1.5, 2), wilson_interval(0.5, 2))
    assert (first.seconds_per_move, second.seconds_per_move) == (0.25, 2.0)
    assert first.matches == 2


def test_mirrored_matches_share_deals_but_no_decisions() -> None:
    pairings = play(
        Question("Leduc", ("random", "random"), seed=1, deals=1), 30, groups=[mirrored()]
    )
    game, deals = load_game("Leduc"), []
    for pairing in pairings:
        for match in pairing.played:
            history, dealt = History(game), []
            for move in match.history:
                dealt += [move] if history.player == CHANCE else []
                history = history.child(move)
            deals.append(tuple(dealt[:2]))
            assert history.returns() == match.payoffs
    assert deals[:30] == deals[30:]
    assert [match.history for match in pairings[0].played] != [
        match.history for match in pairings[1].played
    ]


def test_all_ordered_pairs() -> None:
    assert all_pairs(2) == [((0, 0),), ((0, 1),), ((1, 0),), ((1, 1),)]
    question = Question("Kuhn", ("random", "equilibrium", "best_response(random)"), seed=1, deals=1)
    pairings = play(question, 3, groups=all_pairs(3))
    assert [(pairing.first, pairing.second) for pairing in pairings] == [
        (a, b) for a in question.players for b in question.players
    ]
    assert all(len(pairing.played) == 3 for pairing in pairings)


def test_figures_of_the_players_are_kept() -> None:
    (pairing,) = play(SEARCHING, 1)
    assert pairing.played[0].thoughts[0]["iterations"] >= 30
    assert "information sets" in pairing.played[0].thoughts[1]


def test_progress_is_reported() -> None:
    class Ears:
        def __init__(self) -> None:
            self.reports: list[Report] = []

        def update(self, report: Report) -> None:
            self.reports.append(report)

    ears = Ears()
    play(Question("Kuhn", ("random", "random")), 5, groups=[mirrored()], progress=ears)
    assert [report.done for report in ears.reports] == list(range(1, 11))
    assert {(report.total, report.unit) for report in ears.reports} == {(10, "matches")}
    assert 0.0 <= ears.reports[-1].figures["win rate"] <= 1.0


# --- workers ---


@pytest.mark.slow
@pytest.mark.filterwarnings(
    "ignore:overflow encountered:RuntimeWarning"
)  # without compilation, in a thread of its own
@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_workers_change_nothing(backend: str) -> None:
    alone = play(SEARCHING, 12, groups=[mirrored()])
    assert outcomes(play(SEARCHING, 12, groups=[mirrored()], jobs=2, backend=backend)) == outcomes(
        alone
    )


@pytest.mark.slow
def test_a_backend_that_hands_over_many_results_at_a_time(typed: Typed) -> None:
    """multiprocessing, in a process of its own because it forks."""
    arguments = (
        "match",
        "Kuhn",
        "random",
        "equilibrium",
        "--matches",
        "9",
        "--deals",
        "1",
        "--json",
    )
    command = [sys.executable, "-c", "from hiddenhand.cli.main import main; main()", *arguments]
    forked = subprocess.run(
        [*command, "--jobs", "2", "--backend", "multiprocessing"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    told = (typed(*arguments)[1], forked.stdout)
    without_times = [out.partition(', "seconds_per_move"')[0] for out in told]
    assert without_times[0] == without_times[1] != ""


def test_what_a_worker_raises_comes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        list(in_parallel(divmod, [(1, 0), (1, 1)], 2, "threading"))


@pytest.mark.parametrize("jobs", [1, 2])
def test_calls_are_read_as_workers_become_free(jobs: int) -> None:
    """So that a tournament that has seen enough plays no more than the matches that are going
    on.
    """
    results: list[None] = []

    def calls() -> Iterator[tuple[float]]:
        while len(results) < 5:
            yield (0.01,)

    for result in in_parallel(time.sleep, calls(), jobs, "threading"):
        results.append(result)
    assert 5 <= len(results) < 20


# --- stopping early ---


def matches_in(
    order: list[int], payoff: Callable[[int], float], pair: Seats = (0, 1)
) -> list[Played]:
    return [
        Played(pair, number, (), (payoff(number), -payoff(number)), (1, 1), (0.0, 0.0), ({}, {}))
        for number in order
    ]


def test_a_stop_is_decided_on_the_first_matches_in_order() -> None:
    """Wilson's interval of n wins in n matches is 3.84 / (n + 3.84) wide: at most 0.1 from n = 35
    on, by hand.
    """
    for order in (list(range(100)), list(range(99, -1, -1)), [*range(50, 100), *range(50)]):
        group = Group(ONE_WAY, 100, 0.1)
        for match in matches_in(order, lambda number: 1.0):
            group.add(match)
        assert (group.settled, group.prefix) == (True, 35)
        assert [match.number for match in group.counted((0, 1))] == list(range(35))


def test_both_seat_orders_stop_together() -> None:
    group = Group(mirrored(), 200, 0.2)
    for match in matches_in(list(range(200)), lambda number: 1.0):
        group.add(match)
    assert not group.settled
    for match in matches_in(list(range(200)), lambda number: 1.0 if number % 2 else -1.0, (1, 0)):
        group.add(match)
    narrow = next(n for n in range(FEWEST, 200) if wilson_interval(n // 2, n).width <= 0.2)
    assert group.settled
    assert group.prefix == narrow


def test_a_few_matches_are_always_played() -> None:
    group = Group(ONE_WAY, 100, 0.9)
    for match in matches_in(list(range(100)), lambda number: 1.0):
        group.add(match)
    assert group.prefix == FEWEST


# --- the file ---


@pytest.mark.slow
def test_a_run_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = count_plays(monkeypatch)
    whole = play(SEARCHING, 12, groups=[mirrored()])
    played.clear()
    file = tmp_path / "file"
    play(SEARCHING, 5, file)
    assert [number for _, _, number in played] == list(range(5))
    assert outcomes(play(SEARCHING, 12, file, groups=[mirrored()])) == outcomes(whole)
    assert len(played) == len(set(played)) == 24
    again = play(SEARCHING, 12, file, groups=[mirrored()])
    assert len(played) == 24
    assert again == play(SEARCHING, 12, file, groups=[mirrored()])  # times and thoughts, too
    assert outcomes(play(SEARCHING, 3, file)) == outcomes(play(SEARCHING, 3))


def rows(file: Path) -> list[tuple[object, ...]]:
    with contextlib.closing(sqlite3.connect(file)) as connection:
        try:
            return connection.execute("SELECT * FROM match ORDER BY number").fetchall()
        except sqlite3.OperationalError:  # it is not written yet
            return []


@contextlib.contextmanager
def started(file: Path, at_least: int, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A run that has finished some matches; it ends with the block."""
    command = [
        sys.executable,
        "-c",
        "from hiddenhand.cli.main import main; main()",
        "match",
        *arguments,
        "--out",
        str(file),
    ]
    with start(command) as process:
        try:
            until = time.monotonic() + 60
            while not file.exists() or len(rows(file)) < at_least:
                assert time.monotonic() < until, "nothing was played"
                assert process.poll() is None, process.communicate()
                time.sleep(0.02)
            yield process
        finally:
            process.kill()


@pytest.mark.slow
def test_a_killed_run_loses_and_repeats_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    with started(
        file,
        5,
        "Leduc",
        *SEARCHING.players,
        "--iterations",
        "30",
        "--seed",
        "1",
        "--deals",
        "1",
        "--matches",
        "1000000",
    ) as process:
        process.send_signal(signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL
    kept = rows(file)
    assert len(kept) >= 5
    played = count_plays(monkeypatch)
    matches = len(kept) + 3
    assert outcomes(play(SEARCHING, matches, file)) == outcomes(play(SEARCHING, matches))
    assert played[:3] == [(0, 1, number) for number in range(len(kept), matches)]
    assert rows(file)[: len(kept)] == kept
    assert len(rows(file)) == matches


@pytest.mark.slow
def test_workers_do_not_outlive_a_killed_run(tmp_path: Path) -> None:
    """They hold its output open; it ends when they do."""
    file = tmp_path / "file"
    with started(
        file, 2, "Kuhn", "random", "random", "--matches", "1000000", "--jobs", "2"
    ) as process:
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)


@pytest.mark.parametrize("after", ["add", "_count"])
def test_ctrl_c_before_or_after_a_match_is_counted(
    after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match that is written counts, and none counts twice."""
    with Tournament.between("Kuhn", ["random", "random"], deals=1) as played:
        owner = played._store if after == "add" else played
        method, calls = getattr(owner, after), itertools.count(1)

        def interrupted(match: Played) -> None:
            method(match)
            if next(calls) == 7:
                raise KeyboardInterrupt

        monkeypatch.setattr(owner, after, interrupted)
        with pytest.raises(KeyboardInterrupt):
            played.run([ONE_WAY], 20)
        monkeypatch.undo()
        (pairing,) = played.pairings()
        assert [match.number for match in pairing.played] == list(range(7))
        played.run([ONE_WAY], 20)
        assert len(played.pairings()[0].played) == 20


@pytest.mark.slow
def test_ctrl_c_keeps_and_tells_what_was_played(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with started(file, 5, "Kuhn", "random", "random", "--matches", "1000000", "--json") as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert f'"matches": {len(rows(file))}' in out


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"game": "Kuhn"}, "game"),
        ({"players": ("oos", "random")}, "players"),
        ({"iterations": 31}, "is about iterations 30, not 31; ask the same question, or give a"),
        ({"seconds": 1.0}, "seconds"),
        ({"preplay": 1.0}, "preplay"),
        ({"seed": 2}, "seed"),
        ({"deals": 2}, 'is about deals "1", not "2"'),
    ],
)
def test_a_file_answers_one_question(tmp_path: Path, changed: dict[str, object], says: str) -> None:
    file = tmp_path / "file"
    Tournament(SEARCHING, file).close()
    with pytest.raises(FileError, match=says):
        Tournament(Question(**{**vars(SEARCHING), **changed}), file)


def test_a_question_may_be_written_in_several_ways(tmp_path: Path) -> None:
    file = tmp_path / "file"
    Tournament(SEARCHING, file).close()
    Tournament(
        Question(
            "leduc_poker(  )", ("OOS()", "ismcts( selector='uct' )"), iterations=30, seed=1, deals=1
        ),
        file,
    ).close()


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    text, other = tmp_path / "text", tmp_path / "other"
    text.write_text("not a database, but some text that is longer than a header of SQLite: " * 10)
    with contextlib.closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE mine (number INTEGER)")
    before = [path.read_bytes() for path in (text, other)]
    with pytest.raises(FileError, match="cannot be used"):
        Tournament(SEARCHING, text)
    with pytest.raises(FileError, match="was not written by a match"):
        Tournament(SEARCHING, other)
    assert [path.read_bytes() for path in (text, other)] == before
    with pytest.raises(FileError, match="cannot be opened"):
        Tournament(SEARCHING, tmp_path / "no" / "folder")


def test_a_match_is_stored_exactly(tmp_path: Path) -> None:
    match = Played(
        (0, 1), 3, (2, 0, 1), (1.5, -1.5), (1, 0), (0.1 + 0.2, 0.0), ({"iterations": 30.0}, {})
    )
    for file in (tmp_path / "file", None):
        store = MatchRecords(file, {"seed": 1})
        store.add(match)
        store.add(
            Played((0, 1), 3, (), (0.0, 0.0), (0, 0), (0.0, 0.0), ({}, {}))
        )  # the first stays
        assert store.played() == [match]
        store.close()


# --- refusals ---


@pytest.mark.parametrize(
    ("changed", "how", "error", "says"),
    [
        ({"players": ("human", "random")}, {}, PlayerError, "hiddenhand play"),
        ({"players": ("magic", "random")}, {}, PlayerError, "no player 'magic'"),
        ({"seed": -1}, {}, OptionError, "seed -1"),
        ({"deals": -1}, {}, OptionError, "seed -1"),
        ({"iterations": 0}, {}, OptionError, "iterations=0"),
        ({"iterations": None}, {}, OptionError, "needs a budget"),
        ({"preplay": -1.0}, {}, OptionError, "preplay=-1.0"),
        ({"preplay": "1"}, {}, OptionError, "preplay='1'"),
        (
            {"game": "PTTT", "players": ("equilibrium", "random")},
            {},
            TooLargeError,
            "too many for an equilibrium",
        ),
        ({}, {"matches": 0}, OptionError, "matches=0"),
        ({}, {"width": 1.5}, OptionError, "width=1.5"),
        ({}, {"width": "0.1"}, OptionError, "width='0.1'"),
        ({}, {"jobs": 0}, OptionError, "jobs=0"),
        ({}, {"jobs": 2, "backend": "magic"}, OptionError, "there is no backend 'magic'"),
        ({}, {"backend": "magic"}, OptionError, "there is no backend 'magic'"),
    ],
)
def test_refusals(
    changed: dict[str, object], how: dict[str, object], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        play(Question(**{**vars(SEARCHING), **changed}), **{"matches": 2, **how})
