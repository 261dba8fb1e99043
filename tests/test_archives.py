"""Archives: what comes back, and that nothing else does."""

import io
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from naive.joint_games import JointTree
from naive.small_games import small

from hiddenhand import archives
from hiddenhand.archives import (
    Array,
    Arrays,
    Kind,
    Rows,
    count,
    load_arrays,
    packed,
    save_arrays,
    unpacked,
)
from hiddenhand.errors import FileError
from hiddenhand.games.base import Game
from hiddenhand.games.registry import load_game
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.search.simultaneous.sm_mcts import SMMCTS
from hiddenhand.solvers.cfr import CFR
from hiddenhand.trees.strategy import strategy_from_profile
from hiddenhand.trees.strategy_files import load_strategy
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

THING = Kind("thing")
Content = tuple[dict[str, Any], dict[str, np.ndarray]]


def test_arrays_come_back(tmp_path: Path) -> None:
    arrays = {
        "x": np.arange(6.0).reshape(2, 3),
        "y": np.array([2**64 - 1], np.uint64),
        "none": np.zeros(0, np.int8),
        "one": np.array(3),
    }
    save_arrays(
        tmp_path / "file", THING, {"number": 1.5, "infinite": float("inf"), "word": "ä"}, arrays
    )
    header, found = load_arrays(tmp_path / "file", Kind("other"), THING)
    assert header == {
        "kind": "thing",
        "version": 2,
        "number": 1.5,
        "infinite": float("inf"),
        "word": "ä",
    }
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert np.array_equal(found[name], array)


def test_another_kind_is_refused(tmp_path: Path) -> None:
    save_arrays(tmp_path / "file", THING, {}, {})
    with pytest.raises(
        FileError,
        match="file holds a thing of format 2; give a file with a cfr or search of format 2",
    ):
        load_arrays(tmp_path / "file", Kind("cfr"), Kind("search"))


def test_an_older_format_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_VERSION", 1)
    save_arrays(tmp_path / "file", THING, {}, {})
    monkeypatch.undo()
    with pytest.raises(
        FileError, match="file holds a thing of format 1; give a file with a thing of format 2"
    ):
        load_arrays(tmp_path / "file", THING)


# --- what an array must be ---


@pytest.mark.parametrize(
    ("array", "wanted"),
    [
        (np.zeros(3, np.float32), Array(np.float64, ("I",))),
        (np.zeros(3, np.int64), Array(np.uint64, ("I",))),
        (np.zeros(3, ">f8"), Array(np.float64, ("I",))),
        (np.zeros((3, 1)), Array(np.float64, ("I",))),
        (np.zeros(3), Array(np.float64, (4,))),
        (np.array([0.0, np.nan]), Array(np.float64, ("I",))),
        (np.array([0.0, np.inf]), Array(np.float64, ("I",))),
        (np.array([0.0, -0.1]), Array(np.float64, ("I",), least=0.0)),
        (np.array([0.0, 1.1]), Array(np.float64, ("I",), most=1.0)),
        (np.array([1, 1], np.uint64), Array(np.uint64, ("I",), increasing=True)),
        (np.array([2**64 - 1, 0], np.uint64), Array(np.uint64, ("I",), increasing=True)),
        (np.array([5, 3, 5], np.uint64), Array(np.uint64, ("I",), distinct=True)),
    ],
)
def test_arrays_that_are_refused(array: np.ndarray, wanted: Array) -> None:
    assert not wanted.holds(array, {})


def test_letters_stand_for_one_number() -> None:
    kind = Kind(
        "thing", arrays={"keys": Array(np.float64, ("I",)), "starts": Array(np.float64, ("I+1",))}
    )
    kind.verify("it", {}, {"keys": np.zeros(2), "starts": np.zeros(3)})
    with pytest.raises(FileError, match="it is damaged: no thing has such starts; make it anew"):
        kind.verify("it", {}, {"keys": np.zeros(2), "starts": np.zeros(2)})
    with pytest.raises(FileError, match="no thing has such starts"):
        kind.verify("it", {}, {"keys": np.zeros(2)})


@pytest.mark.parametrize(
    ("starts", "layout", "fits"),
    [
        ([0, 5, 8], (1, 2), True),
        ([0, 5, 8], None, True),
        ([0, 5, 8], (3, 2), False),  # no row of 3
        ([0, 5, 8], (1, 3), False),  # a row without an action
        ([0, 5, 8], (0, 1), False),
        ([0, 5, 8], (1, -1), False),
        ([0, 8, 8], None, False),
        ([0, 9, 8], None, False),
        ([1, 5, 8], None, False),
        ([0, 5, 7], None, False),
        ([0, -(2**63), 8], None, False),
        ([], None, False),
    ],
)
def test_rows(starts: list[int], layout: tuple[int, int] | None, fits: bool) -> None:
    assert (
        Rows(layout=layout).hold({"starts": np.array(starts, np.int64), "values": np.zeros(8)})
        is fits
    )


def test_distributions() -> None:
    for values, fits in (
        ([0.25, 0.75, 1.0], True),
        ([0.25, 0.5, 1.0], False),
        ([0.5, 0.5, 0.9], False),
    ):
        rows = Rows(distributions=True)
        assert rows.hold({"starts": np.array([0, 2, 3]), "values": np.array(values)}) is fits


@pytest.mark.parametrize("value", [-1, 1.0, True, "1", None, 2**63])
def test_counts(value: object) -> None:
    assert count(5)
    assert not count(value)


def test_what_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    kind = Kind("thing", arrays={"x": Array(np.float64, ("I",))})
    with pytest.raises(FileError, match="no thing has such x"):
        save_arrays(tmp_path / "file", kind, {}, {"x": np.array([np.nan])})
    assert not list(tmp_path.iterdir())


# --- every kind of file there is, damaged ---


@cache
def kuhn() -> GameTree:
    return unroll(small("Kuhn"))


@cache
def goofspiel() -> Game:
    return JointTree.from_game(load_game("goofspiel(num_cards=3)"))


def write_strategy(path: Path) -> None:
    strategy_from_profile(kuhn(), CFR(kuhn()).last_profile()).save(path)


def write_cfr(path: Path) -> None:
    run = CFR(kuhn())
    run.run(10)
    run.save(path)


def write_search(path: Path) -> None:
    search = OOS(small("Kuhn"), seed=1)
    search.run(200)
    search.save(path)


def write_baseline(path: Path) -> None:
    search = OOS(small("IIGS(3)"), baseline="history", seed=1)
    search.run(100)
    search.save(path)


def write_ismcts(path: Path) -> None:
    search = ISMCTS(small("IIGS(3)"), "rm", repetitions=50, seed=5)
    search.run(100)
    search.save(path)


def write_joint(path: Path) -> None:
    search = SMMCTS(goofspiel(), "rm", gamma=0.2, propagate="means", seed=5)
    search.run(100)
    search.save(path)


def content_of_search(kind: Any, game: Callable[[], Game]) -> Callable[[Path], object]:
    def read(path: Path) -> object:
        search = kind.load(path, game())
        arrays = search._arrays() | {"rng": search._rng, "counters": search._counters}
        return search._parameters(), {name: array.tolist() for name, array in arrays.items()}

    return read


def content_of_strategy(path: Path) -> object:
    found = load_strategy(path)
    return (
        found.game,
        found.rules,
        found.keys.tolist(),
        found.starts.tolist(),
        found.probabilities.tolist(),
    )


def content_of_cfr(path: Path) -> object:
    found = CFR.load(path, kuhn())
    return (
        found.variant,
        found.iterations,
        found.seconds,
        found.regret.tolist(),
        found.average.tolist(),
        found.strategy.tolist(),
    )


SEARCHES: dict[str, tuple[Any, Callable[[], Game]]] = {
    "oos": (OOS, lambda: small("Kuhn")),
    "oos with a baseline": (OOS, lambda: small("IIGS(3)")),
    "ismcts": (ISMCTS, lambda: small("IIGS(3)")),
    "joint nodes": (SMMCTS, goofspiel),
}
FILES: dict[str, tuple[Callable[[Path], None], Callable[[Path], object]]] = {
    "strategy": (write_strategy, content_of_strategy),
    "cfr": (write_cfr, content_of_cfr),
    "search as a strategy": (write_search, content_of_strategy),
    "oos": (write_search, content_of_search(*SEARCHES["oos"])),
    "oos with a baseline": (write_baseline, content_of_search(*SEARCHES["oos with a baseline"])),
    "ismcts": (write_ismcts, content_of_search(*SEARCHES["ismcts"])),
    "joint nodes": (write_joint, content_of_search(*SEARCHES["joint nodes"])),
}
every_file = pytest.mark.parametrize("kind", list(FILES))


@every_file
def test_flipped_bits(kind: str, tmp_path: Path) -> None:
    """Either what was written, or a FileError; in 60 places and at the end."""
    write, read = FILES[kind]
    path = tmp_path / "file"
    write(path)
    whole, content = read(path), path.read_bytes()
    random = np.random.default_rng(1)
    said: list[str] = []
    for place in [*random.integers(len(content), size=60).tolist(), len(content) - 1]:
        changed = bytearray(content)
        changed[place] ^= 1 << int(random.integers(8))
        path.write_bytes(bytes(changed))
        try:
            assert read(path) == whole, place
        except FileError as error:
            said.append(str(error))
    assert len(said) > 40
    assert all(words.count(str(path)) == 1 for words in said)


def mutants(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> list[tuple[str, Content]]:
    """The content of a file with one thing changed in each, and what it was."""
    found: list[tuple[str, Content]] = []
    for name, array in arrays.items():
        less = dict(arrays)
        del less[name]
        found.append((f"no {name}", (header, less)))
        numbers = array.astype(object)
        flat = numbers.reshape(-1)
        for index in {0, flat.size // 2, flat.size - 1} if flat.size else set():
            for value in (0, 1, -1, 10_000_000, 2**62, -(2**63), float("nan"), float("inf"), 0.3):
                try:
                    changed = flat.copy()
                    changed[index] = value
                    other = np.array(changed.tolist(), array.dtype).reshape(array.shape)
                except (ValueError, OverflowError):
                    continue
                found.append((f"{name}[{index}] = {value}", (header, arrays | {name: other})))
        for dtype in (np.float32, np.int32, np.float64, np.uint64, ">i8", np.bool_):
            if np.dtype(dtype) != array.dtype:
                found.append((f"{name} of {dtype}", (header, arrays | {name: array.astype(dtype)})))
        shaped = [
            array.reshape(1, -1),
            array.reshape(-1)[:-1],
            np.concatenate([array.reshape(-1), array.reshape(-1)]),
            array.reshape(-1)[:0],
        ]
        found += [
            (f"{name} of shape {other.shape}", (header, arrays | {name: other})) for other in shaped
        ]
    for name, old in header.items():
        for value in (
            None,
            -1,
            1e9,
            10**9,
            2**70,
            "x",
            [],
            {},
            {"seed": -1},
            {"cap": "x"},
            {"memory": 1.5},
            {"game": 1},
            True,
            float("nan"),
        ):
            if value != old:
                found.append((f"{name} = {value}", ({**header, name: value}, arrays)))
        found.append(
            (f"no {name}", ({key: value for key, value in header.items() if key != name}, arrays))
        )
    for name in header.get("parameters", {}):
        for value in (None, -1, 10**9, 1e9, "x", [], float("nan")):
            found.append(
                (
                    f"{name} = {value}",
                    ({**header, "parameters": header["parameters"] | {name: value}}, arrays),
                )
            )
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
@every_file
def test_files_made_on_purpose(kind: str, tmp_path: Path) -> None:
    """Sealed again after each change. Those that are read at all can be gone on with, and neither
    raise nor crash.
    """
    write, read = FILES[kind]
    path = tmp_path / "file"
    write(path)
    everything = [Kind(name) for name in ("strategy", "cfr", "search")]
    header, arrays = unpacked("it", path.read_bytes(), *everything)
    said: list[str] = []
    for change, (changed_header, changed_arrays) in mutants(header, arrays):
        path.write_bytes(sealed(changed_header, changed_arrays))
        try:
            if kind in SEARCHES:
                kind_of, game = SEARCHES[kind]
                kind_of.load(path, game()).run(20)
            else:
                read(path)
        except FileError as error:
            said.append(str(error))
        except Exception as error:
            raise AssertionError(f"{change} raised {error!r}") from error
    assert len(said) > 50
    assert all("\n" not in words for words in said)


def sealed(header: dict[str, Any], arrays: Arrays) -> bytes:
    """An archive of whatever this is, with a right checksum: what somebody can make who knows
    how.
    """
    named = dict(header)
    buffer = io.BytesIO()
    digest = archives._digest(named, arrays)
    np.savez(buffer, _header=np.array(json.dumps(named | {"sha256": digest})), **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def test_a_wrong_seal() -> None:
    content = sealed({"kind": "thing", "version": 2}, {"x": np.zeros(2)})
    assert unpacked("it", content, THING)[1]["x"].tolist() == [0.0, 0.0]
    good = packed("it", THING, {"word": "a"}, {"x": np.zeros(2)})
    header, arrays = unpacked("it", good, THING)
    for other in (
        {**header, "word": "b", "sha256": archives._digest(header, arrays)},
        {**header, "word": "b"},
    ):
        buffer = io.BytesIO()
        np.savez(buffer, _header=np.array(json.dumps(other)), **arrays)
        with pytest.raises(FileError, match="it is damaged: its checksum is wrong; make it anew"):
            unpacked("it", buffer.getvalue(), THING)
