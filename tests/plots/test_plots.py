"""Pictures are written, with everything in them, or refused in a sentence."""

from pathlib import Path

import pytest

pytest.importorskip("matplotlib", exc_type=ImportError)

from naive.small_games import small

from hiddenhand import load_game, solve, unroll
from hiddenhand.errors import FileError, OptionError, TooLargeError
from hiddenhand.matches.match_records import Played
from hiddenhand.matches.tournament import Pairing
from hiddenhand.plots import (
    draw_belief,
    draw_convergence,
    draw_payoffs,
    draw_strategy,
    draw_trade_offs,
    draw_tree,
)
from hiddenhand.solvers.restricted_nash_response import TradeOff
from hiddenhand.solvers.solution import solution
from hiddenhand.statistics import Interval
from hiddenhand.trees.policy_report import history_after
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.strategy import strategy_from_profile


def test_a_picture_says_moves_probabilities_and_payoffs(tmp_path: Path) -> None:
    tree = unroll(small("coordination_game"), verified=True)
    draw_tree(tree, tmp_path / "tree.svg", strategy_from_profile(tree, uniform_profile(tree)))
    text = (tmp_path / "tree.svg").read_text()
    assert text.count("left 0.5") == text.count("right 0.5") == 5
    assert text.count("3, -3") == 2
    assert text.count(">0, 0<") == 3
    assert "player 2" in text


def test_what_cannot_be_drawn_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = unroll(small("coordination_game"), verified=True)
    with pytest.raises(FileError, match="ends in"):
        draw_tree(tree, tmp_path / "tree.txt")
    with pytest.raises(TooLargeError, match="terminal histories"):
        draw_tree(unroll(small("LD(1,1,3)"), verified=True), tmp_path / "tree.png")
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(OptionError, match=r"install hiddenhand\[plots\]"):
        draw_tree(tree, tmp_path / "tree.png")


def test_gain_and_risk_are_drawn_with_their_trust(tmp_path: Path) -> None:
    points = [
        TradeOff(trust, (0.1 + trust, trust), (trust, 2 * trust)) for trust in (0.0, 0.25, 1.0)
    ]
    draw_trade_offs({"against somebody": points}, tmp_path / "curve.svg", "a title")
    text = (tmp_path / "curve.svg").read_text()
    assert all(f">{said}<" in text for said in ("against somebody", "a title", "0.25"))
    with pytest.raises(OptionError, match="nothing has no points to draw"):
        draw_trade_offs({"nothing": []}, tmp_path / "none.svg")


def test_no_results_are_no_picture(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="there are no results to draw; give one or more"):
        draw_convergence({}, tmp_path / "none.svg")


def test_a_curve_has_its_band_and_its_name(tmp_path: Path) -> None:
    tree = unroll(small("Kuhn"), verified=True)
    found = solution(tree, "cfr+", uniform_profile(tree), 2, 0.1, ((1, 0.5),))
    banded = [(1, Interval(0.4, 0.3, 0.5)), (10, Interval(0.2, 0.1, 0.3))]
    draw_convergence({"plain": found}, tmp_path / "plain.svg")
    draw_convergence({"plain": found, "banded": banded}, tmp_path / "both.svg", "two of them")
    plain, both = ((tmp_path / f"{name}.svg").read_text() for name in ("plain", "both"))
    assert ">iterations<" in plain
    assert all(f">{said}<" in both for said in ("plain", "banded", "two of them", "nash_conv"))
    assert ("FillBetween" in plain, "FillBetween" in both) == (False, True)
    with pytest.raises(OptionError, match="no points"):
        draw_convergence({"none": []}, tmp_path / "none.svg")


def test_payoffs_stand_in_their_fields(tmp_path: Path) -> None:
    played = [
        Played((0, 1), number, (), (payoff, -payoff), (1, 1), (0.0, 0.0), ({}, {}))
        for number, payoff in enumerate((1.0, 2.5))
    ]
    draw_payoffs([Pairing(("ann", "bob"), tuple(played))], tmp_path / "payoffs.svg")
    text = (tmp_path / "payoffs.svg").read_text()
    assert all(f">{said}<" in text for said in ("1.75", "ann", "bob", "first seat"))
    with pytest.raises(OptionError, match="no match was played"):
        draw_payoffs([], tmp_path / "payoffs.svg")


def test_what_is_played_and_believed_is_drawn_in_words(tmp_path: Path) -> None:
    tree = unroll(load_game("Kuhn"), verified=True)
    uniform = strategy_from_profile(tree, uniform_profile(tree))
    history = history_after(tree.game, ["Q", "K", "bet"])
    draw_strategy(uniform.behaviour(history), tmp_path / "strategy.svg")
    draw_belief(tree, history, tmp_path / "belief.svg", uniform)
    played, believed = ((tmp_path / f"{n}.svg").read_text() for n in ("strategy", "belief"))
    assert played.count(">50.0%<") == believed.count(">50.0%<") == 2
    assert "moves: bet" in played
    with pytest.raises(OptionError, match="1 to 12 information sets, not 13"):
        draw_strategy([uniform.behaviour(history)] * 13, tmp_path / "many.svg")


def test_results_plot_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    tree = unroll(small("coordination_game"), verified=True)
    profile = uniform_profile(tree)
    found = solution(tree, "cfr+", profile, 20, 1.0, ((1, 0.5), (10, 0.25)))
    figure = found.plot(tmp_path / "curve.svg", title="how it fell")
    assert isinstance(figure, Figure)
    assert figure._repr_png_().startswith(b"\x89PNG")  # what a notebook shows
    line = figure.axes[0].lines[0]
    assert line.get_xdata().tolist() == [1, 10, 20]
    assert line.get_ydata().tolist() == [0.5, 0.25, found.nash_conv]
    assert "how it fell" in (tmp_path / "curve.svg").read_text()
    table = strategy_from_profile(tree, profile).table(tree)
    assert len(table.plot().axes) == len(table)
    assert len(table[0].plot().axes) == 1
    assert "3, -3" in {text.get_text() for text in tree.plot().axes[0].texts}
    with pytest.raises(OptionError, match="no points to draw"):
        solve(small("coordination_game"), "lp").plot()
    with pytest.raises(FileError, match="ends in"):
        found.plot(tmp_path / "curve.txt")
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(OptionError, match=r"install hiddenhand\[plots\]"):
        found.plot()
