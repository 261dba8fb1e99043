"""play, as a user types it."""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from typing_commands import Typed

from hiddenhand.cli import play
from hiddenhand.games.registry import load_game
from hiddenhand.search.training import train
from hiddenhand.trees.blueprint import found_blueprint

TRAINED = r"was trained in this game for \d+ seconds?"  # which a busy machine may need


def test_play(typed: Typed) -> None:
    """Kuhn poker from the first seat: nonsense, a hint, a bet, once again, no more. The deals
    decide the cards.
    """
    play_it = "play Kuhn --against oos(targeting=pst) --seconds 0.05 --seed 3 --deals 3"
    status, out, _ = typed(play_it, lines="raise\nhint\nbet\nyes\n1\n1\n1\n")
    assert status == 0
    first, _, second = out.partition("Again: --seed 3 --deals 3\nPlay again? (yes or no) ")
    before, _, after = first.partition("What player 2 saw:")
    assert before.startswith(
        "You are player 1 of 2, against oos(targeting=pst). Type help for the rules.\nyou are "
        "dealt K\nyour card: K; moves: none\nYour moves: 1 check, 2 bet.\n> raise is no move now. "
        "Your moves: 1 check, 2 bet."
    )
    assert "your card: K; moves: bet" in before
    assert "you earned" in before
    assert "; player 2 earned -" in before
    assert "your card: J" not in before  # theirs
    assert after.startswith("\n  your card: J; moves: bet")
    assert (
        "What the others thought:\n  player 2 sees your card: J; moves: bet\n      plays " in after
    )
    assert "information sets 12" in after
    assert "Again: --seed" in second
    assert "--seed 3\n" not in second
    cards = out.partition("your card: K; moves: bet")[2].partition("What the others")[0]
    assert cards in typed(play_it, lines="bet\n")[1]


def test_the_last_moves_are_told(typed: Typed) -> None:
    _, out, _ = typed("play Kuhn --seat 2 --against random --seed 2 --deals 3", lines="fold\n")
    assert "> you fold\nyour card: J; " in out
    _, out, _ = typed("play Kuhn --against random --seed 2 --deals 3", lines="bet\n")
    assert re.search(r"> you bet\nplayer 2 (calls|folds)\nyour card: K; ", out)


@pytest.mark.timed
def test_play_without_naming_an_opponent(typed: Typed) -> None:
    status, out, _ = typed("play GS(3) --seconds 0.05", lines="1\n2\n3\nno\n")
    assert status == 0
    assert out.startswith("You are player 1 of 2, against auto.")
    assert "you earned" in out


@pytest.fixture
def trained_kuhn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A blueprint of Kuhn poker is kept here."""
    monkeypatch.setenv("HIDDENHAND_DATA", str(tmp_path))
    train("kuhn_poker", iterations=5)


class Terminal(io.StringIO):
    """What somebody types at a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("answer", "against"), [("yes", "auto(blueprint=trained)"), ("n", "auto")])
def test_a_trained_opponent_is_offered(
    typed: Typed, monkeypatch: pytest.MonkeyPatch, trained_kuhn: None, answer: str, against: str
) -> None:
    monkeypatch.setattr(io, "StringIO", Terminal)
    out = typed("play Kuhn --seconds 0.05", lines=f"{answer}\nquit\n")[1]
    assert re.match(rf"auto {TRAINED}\. Play against that\?", out)
    assert f"You are player 1 of 2, against {against}." in out


def test_a_trained_opponent_is_told_of_in_a_pipe(typed: Typed, trained_kuhn: None) -> None:
    _, out, error = typed("play Kuhn --seconds 0.05", lines="quit\n")
    assert out.startswith("You are player 1 of 2, against auto.")
    assert '--against "auto(blueprint=trained)"' in error


@pytest.mark.parametrize("alive", [True, False])
def test_auto_learns_between_matches(
    typed: Typed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, alive: bool
) -> None:
    monkeypatch.setenv("HIDDENHAND_DATA", str(tmp_path))
    trained = list[str]()

    @contextmanager
    def training(game: str) -> Iterator[SimpleNamespace]:
        trained.append(game)
        yield SimpleNamespace(is_alive=alive)
        trained.append("closed")

    def wants_more(question: str) -> bool:
        if found_blueprint(load_game("Kuhn")) is not None:
            return False
        train("kuhn_poker", iterations=5)
        return True

    monkeypatch.setattr(play, "_training", training)
    monkeypatch.setattr(play, "_agrees", wants_more)
    lines = "1\n1\n1\n1\n"
    _, out, error = typed("play Kuhn --learn --seconds 0.05", lines=lines)
    assert trained == ["Kuhn", "closed"]
    assert "has no blueprint yet" in out
    assert re.search(rf"auto {TRAINED}{', and continues to train' if alive else ''}\.\n", out)
    assert ('hiddenhand train "Kuhn" says why' in error) != alive
    assert out.index("against auto.") < out.index("against auto(blueprint=trained).")


def test_play_with_several_others(typed: Typed) -> None:
    """Three players, of whom one is a person."""
    file = Path(__file__).parent.parent / "naive" / "small_games.py"
    play_it = f"play {file}:ThreeHands --against random --seat 2 --seed 1"
    status, out, _ = typed(play_it, lines="hint\n1\n")
    assert status == 0, out
    assert "player 1: " in out
    assert "What player 1 saw:" in out
    assert "What player 3 saw:" in out
    assert "; you earned" in out
    assert "player 3 sees" in out
