"""The picture of a tree is written, with everything in it, or refused in a sentence."""

from pathlib import Path

import pytest

pytest.importorskip("matplotlib", exc_type=ImportError)

from naive.small_games import small

from hiddenhand import unroll
from hiddenhand.errors import FileError, OptionError, TooLargeError
from hiddenhand.trees.drawing import draw_tree
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.strategy import strategy_from_profile


def test_a_picture_says_moves_probabilities_and_payoffs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = unroll(small("coordination_game"), verified=True)
    monkeypatch.setitem(__import__("matplotlib").rcParams, "svg.fonttype", "none")
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
