"""External sampling of whole games: against a slow twin bit by bit, and near equilibria."""

from pathlib import Path

import numpy as np
import pytest
from naive.external_sampling import NaiveExternal
from naive.small_games import small
from naive.tables import rows
from naive.xoshiro import Xoshiro

from hiddenhand.archives import load_arrays, save_arrays
from hiddenhand.errors import FileError
from hiddenhand.search.sampling.external_sampling import ExternalMCCFR
from hiddenhand.search.table_search import TableSearch
from hiddenhand.search.training import train
from hiddenhand.trees.blueprint import SetBlueprint
from hiddenhand.trees.profile import nash_conv
from hiddenhand.trees.unroll import unroll

ANY = TableSearch.ANY_FILE
GAMES = ["Kuhn", "Leduc", "IIGS(3)"]


@pytest.mark.parametrize("lines", [1.0, 5.0, 1000.0])
@pytest.mark.parametrize("name", GAMES)
def test_agrees_with_a_recursive_walk(name: str, lines: float) -> None:
    """Bit by bit, with parameters with which actions are left out, and budgets that run out."""
    given = {"epsilon": 0.3, "tau": 2.0, "beta": 3.0, "lines": lines}
    search = ExternalMCCFR(small(name), **given)
    search.start(0, 7)
    twin = NaiveExternal(search.game, Xoshiro(search._rng.tolist()), **given)
    search.think(100)
    for _ in range(100):
        twin.iterate()
    assert rows(search.table) == twin.table


@pytest.mark.parametrize(("lines", "bound"), [(1000.0, 0.25), (6.0, 0.35)])
def test_it_comes_near_an_equilibrium(lines: float, bound: float) -> None:
    """On average over three seeds, and nearer with ten times the iterations."""
    tree, gaps = unroll(small("Leduc")), []
    for iterations in (4_000, 40_000):
        found = []
        for seed in range(3):
            search = ExternalMCCFR(tree.game, lines=lines)
            search.start(0, seed)
            search.think(iterations)
            found.append(nash_conv(tree, search.strategy().on(tree)))
        gaps.append(sum(found) / len(found))
    assert gaps[1] < bound
    assert gaps[1] < 0.5 * gaps[0]


def test_pieces_and_files_make_no_difference(tmp_path: Path) -> None:
    whole, parts = (ExternalMCCFR(small("Leduc")) for _ in range(2))
    for search in (whole, parts):
        search.start(0, 3)
    whole.think(500)
    parts.think(300)
    parts.save(tmp_path / "s")
    loaded = ExternalMCCFR.load(tmp_path / "s", whole.game)
    loaded.think(200)
    assert rows(loaded.table) == rows(whole.table)
    assert loaded.result().traversals == whole.result().traversals > 1000


def test_files_with_other_weights_are_refused(tmp_path: Path) -> None:
    search = ExternalMCCFR(small("Leduc"))
    search.start(0, 3)
    search.think(10)
    search.save(tmp_path / "s")
    header, arrays = load_arrays(tmp_path / "s", ANY)
    for weight in ({}, {"weight": np.full(1, 2.0)}):
        others = {name: array for name, array in arrays.items() if name != "weight"}
        save_arrays(tmp_path / "t", ANY, header, others | weight)
        with pytest.raises(FileError, match="weight"):
            ExternalMCCFR.load(tmp_path / "t", search.game)


@pytest.mark.thorough
def test_threads_make_no_difference() -> None:
    """Two streams learn the same on one thread and on two, and come near an equilibrium."""
    tree = unroll(small("Leduc"))
    found = []
    for given in ({"streams": 2}, {"threads": 2}):
        search = ExternalMCCFR(tree.game, **given)
        search.start(0, 3)
        search.think(20_000)
        search.think(20_000)
        found.append(rows(search.table))
    assert found[0] == found[1]
    assert nash_conv(tree, search.strategy().on(tree)) < 0.25


def test_training_by_it(tmp_path: Path) -> None:
    """A blueprint counts what was added to each mean strategy."""
    game = small("IIGS(3)")
    found = train(game, tmp_path / "b", iterations=500, algorithm="external")
    assert (found.method, found.iterations) == ("external", 500)
    again = train(game, tmp_path / "b", iterations=500)
    assert (again.method, again.iterations) == ("external", 1000)
    assert again.nash_conv is not None
    assert again.nash_conv < 0.2
    known = SetBlueprint.load(tmp_path / "b", game)
    first = known.at(int(unroll(game).set_key[0]))
    assert first is not None
    assert first[1] == pytest.approx(1000, rel=0.1)
