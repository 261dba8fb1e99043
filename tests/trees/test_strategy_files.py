"""Blueprints as strategies: what is measured and played without a search on top."""

from pathlib import Path

import numpy as np
import pytest

from hiddenhand import load_game, load_strategy, nash_conv, play_match, train
from hiddenhand.errors import FileError
from hiddenhand.players.registry import make_player
from hiddenhand.search.training import EXTERNAL, MCCFR
from hiddenhand.solvers.vector_form.vector_cfr import VectorCFR
from hiddenhand.trees.blueprint import SetBlueprint
from hiddenhand.trees.strategy import saved_strategy

GAME = "liars_dice(1,1,3)"


def trained(folder: Path, algorithm: str, iterations: int = 3000) -> Path:
    file = folder / "blueprint"
    train(GAME, file, iterations=iterations, algorithm=algorithm, seed=1)
    return file


@pytest.mark.parametrize("algorithm", [MCCFR, EXTERNAL])
def test_a_blueprint_is_a_strategy(algorithm: str, tmp_path: Path) -> None:
    file = trained(tmp_path, algorithm)
    found, blueprint = load_strategy(file), SetBlueprint.load(file, load_game(GAME))
    assert found.keys.tolist() == blueprint.file.arrays["keys"].tolist()
    for key in found.keys.tolist():
        known = blueprint.at(key)
        assert known is not None
        assert found.at(key).tolist() == known[0].tolist()
    found.save(tmp_path / "saved")
    again = saved_strategy(tmp_path / "saved")
    assert again.probabilities.tolist() == found.probabilities.tolist()
    assert nash_conv(GAME, file) == nash_conv(GAME, found) < 0.5
    streamed = nash_conv(GAME, file, method="stream")
    assert streamed == pytest.approx(nash_conv(GAME, file), abs=1e-12)
    players = [make_player(GAME, f"strategy({file})"), make_player(GAME, "random")]
    assert abs(play_match(GAME, players, seed=1).returns[0]) == 1.0


def test_it_is_for_its_game_alone(tmp_path: Path) -> None:
    file = trained(tmp_path, MCCFR)
    with pytest.raises(FileError, match=r"is for LiarsDice.*name the game it was made for"):
        nash_conv("liars_dice(1,1,2)", file)


def test_what_is_no_blueprint_by_sets_is_refused(tmp_path: Path) -> None:
    file = trained(tmp_path, VectorCFR.NAME, 2)
    with pytest.raises(FileError, match="is a blueprint by hands, not a blueprint by sets"):
        load_strategy(file)


def test_a_blueprint_knows_no_mean_payoffs(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="mean payoffs of actions"):
        load_strategy(trained(tmp_path, MCCFR), greedy=True)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    file = trained(tmp_path, MCCFR)
    whole = file.read_bytes()
    for place in np.linspace(0, len(whole) - 1, 40).astype(int).tolist():
        flipped = bytearray(whole)
        flipped[place] ^= 1
        file.write_bytes(bytes(flipped))
        with pytest.raises(FileError):
            load_strategy(file)
    file.write_bytes(whole[:-1])
    with pytest.raises(FileError, match="not whole"):
        load_strategy(file)
