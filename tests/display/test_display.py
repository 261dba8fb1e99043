"""Displays are well-formed HTML without scripts, escaped and small. They say what objects hold."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import Any

import games.broken_games as broken
import numpy as np
import pytest
from naive.small_games import small

from hiddenhand import History, load_game, play_match, solve, unroll
from hiddenhand.display import SHOWN, html_of
from hiddenhand.display.curves import curve
from hiddenhand.display.parts import Markup, heat, joined, tag
from hiddenhand.evaluation.measurement import Evaluation, Point
from hiddenhand.games.base import Game
from hiddenhand.games.drawing.svg import style_sheet
from hiddenhand.games.registry import runs_code
from hiddenhand.matches.match_records import Played
from hiddenhand.matches.ranking import TournamentRecord, ranking
from hiddenhand.matches.tournament import Pairing, Question
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.result import SearchResult
from hiddenhand.search.snapshots import Curve
from hiddenhand.search.training import Trained
from hiddenhand.solvers.solution import solution
from hiddenhand.statistics import Interval, mean_interval
from hiddenhand.trees.policy_report import Behaviour, belief, history_after
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.strategy import strategy_from_profile

_EMPTY = {"br", "line"}  # elements that HTML may leave open


class Reader(HTMLParser):
    """Counts elements, and raises AssertionError where they are not nested."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.counts: dict[str, int] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.counts[tag] = self.counts.get(tag, 0) + 1
        assert all(
            name != "onclick" and "javascript:" not in (value or "") for name, value in attrs
        )
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def words_of(text: str) -> str:
    """What a reader sees, without the style sheet."""
    bare = re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", bare))


@lru_cache(maxsize=1)
def shown() -> dict[str, Any]:
    """An object of each class that has a display."""
    kuhn = load_game("kuhn_poker")
    tree = unroll(kuhn, verified=True)
    found = solve(tree)
    strategy = found.strategy()
    history = history_after(kuhn, ["Q", "K", "check"])
    noticed = Belief(kuhn, 1)
    noticed.notice(list(events_of(history, 1)))
    played = (Played((0, 1), n, (0,), (1.0, -1.0), (1, 1), (0.0, 0.0), ({}, {})) for n in range(3))
    pairing = Pairing(("one", "two"), tuple(played), 2.0)
    point = Point(10, Interval(0.5, 0.4, 0.6), (Interval(0.1, 0.1, 0.1),) * 2)
    later = Point(100, Interval(0.05, 0.04, 0.06), (Interval(0.1, 0.1, 0.1),) * 2)
    measured = Evaluation(
        kuhn, "oos", "aggregate", "uniform", (0, 1), 10, None, None, None, "mass", "iterations",
        (point, later), (0.05, 0.05), ((0.1, 0.1),) * 2, None, None, 12.0, 12,
    )  # fmt: skip
    line = {"snapshot": 1, "iterations": 10, "information_sets": 3, "nash_conv": 0.5}
    long_run = Curve(Path("oos.curve.jsonl"))
    long_run.lines = [line, line | {"iterations": 100, "nash_conv": 0.1}]
    return {
        "Game": kuhn,
        "History": history,
        "Solution": found,
        "Strategy": strategy,
        "StrategyTable": strategy.table(tree),
        "Behaviour": strategy.table(tree)[0],
        "Secrets": belief(tree, history, strategy),
        "GameTree": tree,
        "Belief": noticed,
        "MatchRecord": play_match(kuhn, ["random", "random"], seed=1, chance_seed=2),
        "TournamentRecord": TournamentRecord(
            Question("kuhn_poker", ("one", "two")), (pairing,), ranking([pairing])
        ),
        "SearchResult": SearchResult(kuhn, "oos", 3, 3, 1, 2, 2, 0, 9, 2, 2**20, 0.5),
        "Evaluation": measured,
        "Curve": long_run,
        "Trained": Trained(
            "cfr+", 10, 2.5, 0, 0.125, ((1.0, 0.5), (2.0, 0.125)), 12, Path("kuhn.blueprint"), None
        ),
    }


def events_of(history: History, player: int) -> Iterator[Any]:
    """What a player noticed on the way."""
    here = History(history.game)
    for move in history.moves:
        here = here.child(move)
        if (event := here.noticed(player)) is not None:
            yield event


def test_every_class_is_shown_by_a_function() -> None:
    for place, where in SHOWN.items():
        module, _, name = place.rpartition(".")
        assert callable(getattr(import_module(f"hiddenhand.{module}"), name)._repr_html_)
        file, _, function = where.partition(":")
        assert callable(getattr(import_module(f"hiddenhand.display.{file}"), function))
    assert {place.rpartition(".")[2] for place in SHOWN} == set(shown())


@pytest.mark.parametrize("name", sorted(place.rpartition(".")[2] for place in SHOWN))
def test_html_is_well_formed_small_and_has_no_scripts(name: str) -> None:
    text = shown()[name]._repr_html_()
    counts = Reader(text).counts
    assert not counts.keys() & {"script", "link", "img", "iframe"}
    assert "prefers-color-scheme:dark" in text.replace(" ", "")
    assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert len(text) < 25_000


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Game", ["kuhn_poker", "The pack has 3 cards", "zero-sum, at most 2 chips", "in turns"]),
        ("History", ["player 1", "check", "player 2 to move: check, bet"]),
        ("Solution", ["-0.05556, 0.05556", "kuhn_poker, lp"]),
        ("Strategy", ["12 information sets", "your card: K; moves: check bet", "100.0%"]),
        ("Behaviour", ["your card: J; moves: none", "66.7%"]),
        ("Secrets", ["they hold Q 60.0%", "they hold J 40.0%"]),
        ("GameTree", ["58", "6, 6", "Q 0.3333", "-1, 1"]),
        ("Belief", ["player 2 in kuhn_poker, 2 histories", "J, K, check", "50.0%"]),
        ("TournamentRecord", ["kuhn_poker, 3 matches", "100.0%", "one"]),
        ("SearchResult", ["1.0 MiB", "500 ms"]),
        ("Evaluation", ["0.05 ± 0.01", "12 of 12 seen", "iterations"]),
        ("Curve", ["oos.curve.jsonl", "100"]),
        ("Trained", ["kuhn.blueprint, cfr+", "0.125", "2.5 s"]),
    ],
)
def test_displays_say_what_objects_hold(name: str, words: list[str]) -> None:
    told = words_of(shown()[name]._repr_html_())
    for one in words:
        assert one in told


def test_a_curve_of_one_seed_has_no_band() -> None:
    """The interval of a single observation is infinite."""
    measured = shown()["Evaluation"]
    alone = [
        Point(point.at, mean_interval([point.nash_conv.value]), point.best_response_values)
        for point in measured.curve
    ]
    drawn = replace(measured, curve=tuple(alone))._repr_html_()
    assert Reader(drawn).counts["circle"] == 2


def test_a_match_shows_each_move_with_a_picture_that_unfolds() -> None:
    record = shown()["MatchRecord"]
    text = record._repr_html_()
    assert Reader(text).counts["details"] == len(record.moves)
    assert Reader(text).counts["svg"] == len(record.moves) + 1  # and the end
    paid = ", ".join(f"player {seat + 1} {pay:g}" for seat, pay in enumerate(record.returns))
    assert f"payoffs: {paid}" in words_of(text)


def test_long_tables_say_how_much_is_left_out() -> None:
    tree = unroll(small("Leduc"), verified=True)
    table = strategy_from_profile(tree, uniform_profile(tree)).table(tree)
    assert f"and {tree.num_sets - 20:,} more" in words_of(table._repr_html_())
    assert Reader(tree._repr_html_()).counts.get("svg", 0) == 0  # too large to draw


@dataclass(frozen=True)
class Evil(Game):
    """Chooses <b>bold</b> & more. Second sentence."""

    state_size, max_actions, max_depth, max_utility = 1, 2, 1, 1.0

    def initial_state(self, state: Any) -> None:
        state[0] = 0

    def current_player(self, state: Any) -> int:
        return 0 if state[0] == 0 else -4

    def legal_actions(self, state: Any, player: int, actions: Any) -> int:
        actions[0], actions[1] = 0, 1
        return 2

    def apply_action(self, state: Any, action: int, observations: Any) -> None:
        state[0] = 1 + action

    def returns(self, state: Any, player: int) -> float:
        return 1.0 - 2.0 * player

    def action_name(self, state: Any, player: int, action: int) -> str:
        return f"<script>alert({action})</script>"

    def render(self, state: Any, player: int) -> str:
        return "<img src=x>\n&"


def test_texts_of_games_are_escaped() -> None:
    history = History(Evil()).child(1)
    for value in (Evil(), history, Behaviour(0, "<img>", {"<script>": 1.0}, True)):
        text = html_of(value)
        assert text is not None
        assert not Reader(text).counts.keys() & {"script", "img"}
    text = str(html_of(history))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text  # the move
    assert "<pre>&lt;img src=x&gt;\n&amp;</pre>" in text  # the game has no picture
    assert "Chooses &lt;b&gt;bold&lt;/b&gt; &amp; more.</p>" in str(html_of(Evil()))
    assert tag("p", '"<', title='"') == '<p title="&quot;">&quot;&lt;</p>'
    assert joined(Markup("<b>"), "<b>") == "<b>&lt;b&gt;"


@dataclass(frozen=True)
class Begun(Game):
    """A game whose rules are not complete."""

    state_size = 1


def test_one_thing_is_told_without_an_s() -> None:
    words = words_of(str(html_of(load_game("matrix_game([[1,0],[0,1]])"))))
    assert "at most 1 move, those of chance included" in words
    assert "at most 1 point" in words
    assert "1 points" not in words


def test_what_cannot_be_shown_keeps_its_text() -> None:
    assert html_of(Begun()) is None
    assert html_of(object()) is None


@pytest.mark.parametrize(
    ("game", "said"),
    [
        (broken.DrawsNothing(), "DrawsNothing.picture ("),
        (broken.PaintsText(), " for observer 0; return a Scene, or None"),
        (broken.CalledRules(), "CalledRules.rules_text of CalledRules("),
        (broken.CalledUtility(), "; write @property above the method"),
        (broken.SmallState(), "IndexError: index 1 is out of bounds"),
        (broken.Bare(), "Bare must be decorated with @dataclass(frozen=True)"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Game) else "",
)
def test_a_broken_game_is_shown_with_what_check_says(game: Game, said: str) -> None:
    words = words_of(str(html_of(game)))
    assert words.startswith(f" {type(game).__name__} ")
    assert said in words


@pytest.mark.parametrize(
    ("game", "said"),
    [
        (broken.ReturnsNoCount(), "; return how many you wrote into actions"),
        (broken.WritesNothing(), "render returns None for player 0; give a text"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Game) else "",
)
def test_a_history_of_a_broken_game_is_shown_with_what_check_says(game: Game, said: str) -> None:
    words = words_of(str(html_of(History(game).child(2).child(1))))
    assert words.startswith(" History ")
    assert said in words


def test_a_defect_of_a_display_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("hiddenhand.display.games.figures", fails)
    with pytest.raises(ZeroDivisionError):
        html_of(load_game("kuhn_poker"))


def test_a_strategy_of_a_large_game_is_not_written_out() -> None:
    tree = unroll(small("Kuhn"), verified=True)
    known = strategy_from_profile(tree, uniform_profile(tree))
    large = type(known)("limit_holdem", known.keys, known.starts, known.probabilities)
    assert "information sets 12 probabilities 24" in words_of(large._repr_html_())


def test_a_display_runs_no_code_that_a_file_names(tmp_path: Path) -> None:
    tree = unroll(small("Kuhn"), verified=True)
    known = strategy_from_profile(tree, uniform_profile(tree))
    mark, file = tmp_path / "has_run", tmp_path / "own.py"
    file.write_text(f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n")
    own = type(known)(f"{file}:Own", known.keys, known.starts, known.probabilities)
    assert "information sets 12 probabilities 24" in words_of(str(html_of(own)))
    assert not mark.exists()


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        ("kuhn_poker", False),
        ("turn_based(nfg:a.nfg)", False),
        ("own:Own", True),
        ("turn_based(no/such/file.py:Own)", True),
    ],
)
def test_games_that_run_code_of_users(name: str, runs: bool) -> None:
    assert runs_code(name) is runs


def test_equal_factors_are_equal_distances_on_logarithmic_axes() -> None:
    drawn = curve([(1, 1.0, 1.0, 1.0), (10, 0.1, 0.1, 0.1), (100, 0.01, 0.01, 0.01)], "iterations")
    found = re.search(r'<polyline points="([^"]*)"', drawn)
    assert found is not None
    places = np.array([[float(at) for at in one.split(",")] for one in found[1].split()])
    steps = np.diff(places, axis=0)
    assert np.allclose(steps[0], steps[1], atol=0.11)
    assert steps[0, 0] > 0
    assert steps[0, 1] > 0  # downwards
    assert {"0.01", "0.1", "1"} <= set(words_of(drawn).split())
    little = curve([(10, 0.6, 0.6, 0.6), (100, 0.045, 0.045, 0.045)], "iterations")
    assert words_of(little).split()[:4] == ["0.05", "0.1", "0.2", "0.5"]


def test_values_of_zero_have_a_plain_axis() -> None:
    drawn = curve([(1, 1.0, 1.0, 1.0), (2, 0.5, 0.5, 0.5), (3, 0.0, 0.0, 0.0)], "iterations")
    found = re.search(r'<polyline points="([^"]*)"', drawn)
    assert found is not None
    heights = [float(one.split(",")[1]) for one in found[1].split()]
    assert math.isclose(heights[1] - heights[0], heights[2] - heights[1], abs_tol=0.11)


def test_a_heat_map_has_the_colour_of_the_sign() -> None:
    assert "rgba(31,111,180,0.60)" in heat(2.0, 2.0, "2")
    assert "rgba(200,69,43,0.30)" in heat(-1.0, 2.0, "-1")
    assert "rgba" not in heat(None, 2.0)


def test_a_solution_of_an_iterative_method_has_a_curve() -> None:
    tree = unroll(small("Kuhn"), verified=True)
    found = solution(tree, "cfr+", uniform_profile(tree), 100, 1.0, ((1, 0.5), (10, 0.2)))
    assert Reader(found._repr_html_()).counts["polyline"] == 1
    assert "polyline" not in Reader(shown()["Solution"]._repr_html_()).counts


def test_ghosts_are_as_likely_as_the_histories_that_show_them() -> None:
    """Player 2 holds the king and saw a pass: queen and jack are alike."""
    words = words_of(shown()["Belief"]._repr_html_())
    assert re.search(r"they .*Q 50\.0% .*J 50\.0%|they .*J 50\.0% .*Q 50\.0%", words)


@pytest.mark.parametrize(("theme", "paper"), [("true", "#fdfcf8"), ("false", "#16191d")])
def test_the_theme_of_a_notebook_decides(theme: str, paper: str) -> None:
    """JupyterLab may be light where the system is dark."""
    text = shown()["Game"]._repr_html_()
    rule = re.search(rf'data-jp-theme-light="{theme}"[^{{]*\.scene{{([^}}]*)}}', text)
    assert rule is not None
    assert f"--scene-paper: {paper}" in rule[1]
    names = re.compile(r"--scene-[a-z]+(?=:)")
    assert set(names.findall(rule[1])) == set(names.findall(style_sheet()))
