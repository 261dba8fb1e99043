"""Blueprints: what training writes, how it goes on, and which files are refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typing_commands import Typed

from hiddenhand.errors import FileError, GameError, OptionError
from hiddenhand.games.registry import load_game
from hiddenhand.ranges import blueprint as blueprints
from hiddenhand.ranges import training
from hiddenhand.ranges.blueprint import ONE, Blueprint
from hiddenhand.ranges.public_game import vector_form
from hiddenhand.ranges.training import train
from hiddenhand.ranges.vector_cfr import VectorCFR

LEDUC = load_game("Leduc")


@pytest.mark.parametrize("algorithm", training.ALGORITHMS)
def test_training_goes_on(algorithm: str, tmp_path: Path) -> None:
    """Twice twenty iterations are forty, to the bit."""
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    once = train(LEDUC, whole, iterations=40, algorithm=algorithm)
    first = train(LEDUC, parts, iterations=20, algorithm=algorithm)
    second = train(LEDUC, parts, iterations=20)
    assert (once.iterations, first.iterations, second.iterations) == (40, 20, 40)
    assert second.began_at == 20
    assert second.method == algorithm
    assert second.nash_conv == once.nash_conv
    one, other = Blueprint.load(whole), Blueprint.load(parts)
    for player in range(2):
        assert one.probabilities[player].tobytes() == other.probabilities[player].tobytes()


def test_a_blueprint_is_the_average_strategy(tmp_path: Path) -> None:
    train(LEDUC, tmp_path / "b", iterations=10, algorithm="vector-cfr")
    form = vector_form(LEDUC)
    run = VectorCFR(form)
    run.iterate(10)
    found = Blueprint.load(tmp_path / "b")
    found.verify_for(form)
    assert (found.iterations, found.method) == (10, "vector-cfr")
    for player in range(2):
        size = form.sizes[player]
        found.verify(player, 0, size)
        played = found.probabilities[player] / ONE
        gap = run.walks.nash_conv([played, run.average[1 - player]][:: 1 - 2 * player])
        assert gap == pytest.approx(run.nash_conv(), abs=1e-3)


def test_the_algorithm_suits_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert train(LEDUC, tmp_path / "a", iterations=100).method == "vector-cfr"
    assert train(LEDUC, tmp_path / "b", iterations=10).method == "vector-mccfr"
    monkeypatch.setattr(training, "_WALKED", 1.0)
    monkeypatch.setattr(training, "_QUICK", 0.0)
    found = train(LEDUC, tmp_path / "c", seconds=0.05)
    assert found.method == "vector-mccfr"
    assert found.nash_conv is None


def test_what_was_done_is_kept_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that was killed goes on from what was kept last."""
    monkeypatch.setattr(training, "_LEAST", 0.0)
    monkeypatch.setattr(training, "_SAVING", float("inf"))

    def killed(*everything: object, **more: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(training, "write_blueprint", killed)
        with pytest.raises(RuntimeError):
            train(LEDUC, tmp_path / "b", iterations=30, algorithm="vector-cfr")
    again = train(LEDUC, tmp_path / "b", iterations=5)
    assert again.began_at == 30
    assert again.iterations == 35


def test_a_state_that_is_too_large_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "_LARGEST", 10)
    assert train(LEDUC, tmp_path / "b", iterations=30).state is None
    assert train(LEDUC, tmp_path / "b", iterations=30).began_at == 0


def test_interrupted_training_is_written(tmp_path: Path) -> None:
    class Ending:
        def update(self, report: Any) -> None:
            if report.unit != "situations" and report.done >= 1:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(LEDUC, tmp_path / "b", iterations=10**6, algorithm="vector-cfr", progress=Ending())
    assert Blueprint.load(tmp_path / "b").iterations >= 1


def damaged(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("at", [3, 30, 100, 300])
def test_a_damaged_header_is_refused(at: int, tmp_path: Path) -> None:
    train(LEDUC, tmp_path / "b", iterations=2)
    damaged(tmp_path / "b", at)
    with pytest.raises(FileError, match=r"damaged|not a blueprint|another version"):
        Blueprint.load(tmp_path / "b")


def test_damage_is_noticed_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blueprints, "_CHUNK", 256)
    train(LEDUC, tmp_path / "b", iterations=2)
    damaged(tmp_path / "b", -1)
    found = Blueprint.load(tmp_path / "b")
    size = found.probabilities[1].size
    found.verify(0, 0, size)
    found.verify(1, 0, 8)
    with pytest.raises(FileError, match="damaged"):
        found.verify(1, size - 1, 1)


def test_other_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "b"
    train(LEDUC, file, iterations=2)
    with pytest.raises(FileError, match="not of KuhnPoker"):
        Blueprint.load(file).verify_for(vector_form(load_game("Kuhn")))
    content = file.read_bytes()
    file.write_bytes(content[:-10])
    with pytest.raises(FileError, match="a part is missing"):
        Blueprint.load(file)
    file.write_bytes(content.replace(b"blueprint 1", b"blueprint 0", 1))
    with pytest.raises(FileError, match="another version"):
        Blueprint.load(file)
    file.write_bytes(b"PK something else")
    with pytest.raises(FileError, match="not a blueprint"):
        Blueprint.load(file)
    with pytest.raises(FileError, match="no file"):
        Blueprint.load(tmp_path / "nothing")


def test_bad_arguments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError):
        train(LEDUC, tmp_path / "b")
    with pytest.raises(OptionError, match="algorithm='lp'"):
        train(LEDUC, tmp_path / "b", iterations=1, algorithm="lp")
    with pytest.raises(GameError, match="for all hands at once"):
        train(load_game("IIGS(3)"), tmp_path / "b", iterations=1)
    assert not list(tmp_path.iterdir())


def test_numbers_are_mapped_and_not_read(tmp_path: Path) -> None:
    train(LEDUC, tmp_path / "b", iterations=2)
    found = Blueprint.load(tmp_path / "b")
    assert isinstance(found.probabilities[0], np.memmap)
    assert not found.probabilities[0].flags.writeable


def test_the_command_trains_and_goes_on(typed: Typed, tmp_path: Path) -> None:
    out = tmp_path / "leduc"
    options = ("train", "Leduc", "--out", str(out), "--json", "--iterations")
    first = json.loads(typed(*options, "100")[1])
    again = json.loads(typed(*options, "50")[1])
    assert first["algorithm"] == "vector-cfr"
    assert again["iterations"] == 150
    assert again["earlier iterations"] == 100
    assert again["nash_conv"] < first["nash_conv"]
    assert again["goes on from"] == f"{out}.vector-cfr"
    status, _, error = typed(
        "train", "Leduc", "--out", str(out), "--seconds", "1", "--minutes", "1"
    )
    assert status == 2
    assert "only one of" in error
    status, _, error = typed("train", "IIGS(3)", "--out", str(out), "--iterations", "1")
    assert status == 2
    assert "not everybody notices" in error
