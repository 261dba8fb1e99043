"""What the command line does with files that cannot be written or read, and with what is no
file.
"""

import json
import os
from pathlib import Path

import pytest
from limiting import limited
from typing_commands import Typed


def sentence(err: str) -> str:
    """The one sentence on standard error, besides progress."""
    (found,) = (line for line in err.splitlines() if line.startswith("hiddenhand: "))
    return found


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "Kuhn", "--iterations", "100", "--out"),
        ("solve", "Kuhn", "--out"),
        ("solve", "Kuhn", "--method", "cfr+", "--iterations", "20", "--checkpoint"),
        ("solve", "goofspiel(num_cards=3)", "--method", "induction", "--out"),
    ],
    ids=["search", "solve", "checkpoint", "induction"],
)
def test_no_room_does_not_take_the_answer_along(
    arguments: tuple[str, ...], typed: Typed, tmp_path: Path
) -> None:
    """The answer is printed; then one sentence says that it could not be kept, and the exit status
    is 2.
    """
    assert typed(*arguments, str(tmp_path / "file"))[0] == 0  # now everything is compiled
    (tmp_path / "file").unlink()
    with limited(512):
        status, out, err = typed(*arguments, str(tmp_path / "file"), "--json")
    assert status == 2
    assert json.loads(out)["game"] == arguments[1]
    assert (
        sentence(err)
        == f"hiddenhand: {tmp_path / 'file'} cannot be written (File too large); make room there, "
        "or give another path"
    )
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_a_run_is_not_ended_by_a_checkpoint_that_cannot_be_written(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is saved again in the end, which says what is wrong."""
    arguments = ("solve", "Kuhn", "--method", "cfr+", "--iterations", "300")
    typed(*arguments)  # so that nothing has to be compiled
    monkeypatch.setattr("hiddenhand.search.solving._Saving.EVERY", 0.0)
    with limited(512):
        status, out, err = typed(*arguments, "--checkpoint", str(tmp_path / "file"), "--json")
    assert status == 2
    assert json.loads(out)["iterations"] == 300
    assert "cannot be written" in sentence(err)


def test_what_nobody_reads_is_kept_nevertheless(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Standard output is closed, by `head` perhaps."""

    def closed(answer: object, as_json: bool) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("hiddenhand.cli.solve.show", closed)
    monkeypatch.setattr("sys.stderr.close", lambda: None)
    assert typed("solve Kuhn --out", str(tmp_path / "file"))[0] == 1
    monkeypatch.undo()
    assert (tmp_path / "file").stat().st_size > 0


def test_devices_stay_devices(typed: Typed) -> None:
    assert typed("solve Kuhn --out /dev/null")[0] == 0
    status, out, err = typed("solve Kuhn --json --out /dev/full")
    assert status == 2
    assert json.loads(out)["game"] == "Kuhn"
    assert "/dev/full cannot be written (No space left on device)" in sentence(err)
    for device in ("/dev/null", "/dev/full"):
        assert Path(device).is_char_device()


@pytest.mark.parametrize(
    "arguments",
    [
        ("nash-conv", "Kuhn", "--strategy"),
        ("search", "Kuhn", "--iterations", "5", "--resume"),
        ("solve", "Kuhn", "--method", "cfr", "--iterations", "5", "--checkpoint"),
        ("match", "Kuhn", "random", "random", "--matches", "1", "--out"),
        ("evaluate", "Kuhn", "mccfr", "--iterations", "5", "--matches", "1", "--out"),
    ],
    ids=["nash-conv", "resume", "checkpoint", "match", "evaluate"],
)
def test_a_pipe_is_not_waited_for(arguments: tuple[str, ...], typed: Typed, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    status, out, err = typed(*arguments, str(tmp_path / "pipe"))
    assert (status, out) == (2, "")
    assert "it is a pipe; give a regular file" in sentence(err)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


# --- rules that a user edits ---

GAME = """
from dataclasses import dataclass
from hiddenhand.games.poker.kuhn import KuhnPoker

@dataclass(frozen=True)
class Mine(KuhnPoker):
    def returns(self, state, player):
        return STAKE * KuhnPoker.returns(self, state, player)
"""


def test_matches_do_not_go_on_with_edited_rules(typed: Typed, tmp_path: Path) -> None:
    own, store = tmp_path / "own.py", tmp_path / "store"
    arguments = (
        "match",
        f"{own}:Mine",
        "random",
        "random",
        "--deals",
        "1",
        "--out",
        str(store),
        "--matches",
    )
    own.write_text(GAME.replace("STAKE", "1"))
    first = typed.json(*arguments, "4")
    own.write_text(GAME.replace("STAKE", "1") + "# a comment is no change of the rules\n")
    assert typed.json(*arguments, "4")["mean"] == first["mean"]
    own.write_text(GAME.replace("STAKE", "2"))
    status, out, err = typed(*arguments, "8")
    assert (status, out) == (2, "")
    assert (
        sentence(err)
        == f"hiddenhand: {store} was made with other rules of Mine(num_cards=3); undo the change "
        "of the rules, or make it anew"
    )
