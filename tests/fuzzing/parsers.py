"""All that reads what strangers write. Each entry of `PARSERS` makes a parser for a folder."""

import functools
import hashlib
import json
import math
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fuzzing import lines, names, pages
from fuzzing.drawing import changed_json, damaged, damaged_bytes, json_text, plain
from fuzzing.files import Archive, MappedFile, text_lines
from fuzzing.trying import Parser
from hiddenhand.evaluation.parallel_traversal import Checkpoint
from hiddenhand.evaluation.streaming_best_response import Found
from hiddenhand.games.poker import strength_files
from hiddenhand.games.poker.definition import parse_definition
from hiddenhand.games.registry import game_spec, load_game
from hiddenhand.interop.acpc.logs import parse_log
from hiddenhand.interop.acpc.observation_tracker import load_table
from hiddenhand.interop.acpc.states import read_hand_record, read_match_state, read_score
from hiddenhand.interop.gambit.converting import game_of_form
from hiddenhand.interop.gambit.reading import parse_efg, parse_nfg
from hiddenhand.interop.gambit.writing import efg_text
from hiddenhand.interop.liteefg.reading import parse_liteefg
from hiddenhand.interop.phh import parse_hands
from hiddenhand.matches.match_records import MatchRecords, Played
from hiddenhand.players.registry import make_player, parse_spec
from hiddenhand.pursuit.games import maps
from hiddenhand.records import _seal
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.search.snapshots import Curve, LongRun, Plan
from hiddenhand.search.training import train
from hiddenhand.solvers.cfr import CFR
from hiddenhand.solvers.vector_form.blueprint import HandBlueprint
from hiddenhand.solvers.vector_form.public_game import VectorForm, vector_form
from hiddenhand.solvers.vector_form.vector_cfr import VectorCFR
from hiddenhand.trees.blueprint import SetBlueprint
from hiddenhand.trees.strategy_files import load_strategy
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import as_tree
from hiddenhand.web.recorded_matches import StoredMatches

Making = Callable[[Path], AbstractContextManager[Parser]]
_KUHN = load_game("Kuhn")
_TABLES = {players: load_table(f"limit_holdem(players={players})") for players in (2, 3)}


def _of_texts(draw: Callable[[random.Random], Any], read: Callable[[Any], object]) -> Any:
    """What makes a parser of texts. It needs no folder."""

    @contextmanager
    def making(name: str, folder: Path) -> Iterator[Parser]:
        yield Parser(name, draw, read)

    return making


# --- names ---


def _game(text: str) -> None:
    game = load_game(text)
    assert load_game(game_spec(game)) == game


def _player(text: str) -> None:
    spec = parse_spec(text)
    assert parse_spec(str(spec)) == spec
    make_player(_KUHN, text)


# --- other programs ---


def _state(drawn: tuple[int, str]) -> None:
    """A state that is read can be followed by our rules, whose actions are the legal ones."""
    table = _TABLES[drawn[0]]
    state = read_match_state(table.definition, drawn[1])
    assert state.text == drawn[1]
    history, _ = table.walk(state)
    assert history.is_terminal == state.betting.is_over
    if not history.is_terminal:
        assert "".join(map(table.written, history.legal_actions())) == state.betting.legal()


def _hand(drawn: tuple[int, str]) -> None:
    definition = _TABLES[drawn[0]].definition
    record = read_hand_record(definition, drawn[1])
    assert read_hand_record(definition, record.text) == record  # a value may have had zeros


def _score(drawn: tuple[int, str]) -> None:
    score = read_score(*drawn)
    assert read_score(drawn[0], score.text) == score


def _definition(text: str) -> None:
    definition = parse_definition(text)
    assert parse_definition(definition.text) == definition


def _log(text: str) -> None:
    log = parse_log(text)
    assert len(log.totals) == log.definition.num_players


def _efg(text: str) -> None:
    form = parse_efg(text)
    assert parse_efg(efg_text(form)) == form
    game_of_form(form)


def _liteefg(text: str) -> None:
    game_of_form(parse_liteefg(text))


def _nfg(text: str) -> None:
    form = parse_nfg(text)
    if len(form.players) == 2:
        form.matrix_game()
    else:
        game_of_form(form.in_turns())


@contextmanager
def _maps(name: str, folder: Path) -> Iterator[Parser]:
    def read(files: dict[str, bytes]) -> None:
        for own, content in files.items():
            (folder / own).write_bytes(content)
        maps._load.cache_clear()
        maps.open_map(str(folder / next(iter(files))))

    yield Parser(name, lines.map_files, read)


def _map_text(source: random.Random) -> str:
    right = (".#./.../...", "grid5", "block5", "rooms_3", "open(4,4)", "no such.txt")
    return damaged(source, source.choice(right), ("#", ".", "/", "_", "(", ",", "9" * 30, "²"))


# --- our archives ---


def _of_archive(
    write: Callable[[Path], object], read: Callable[[Path], Any], same: Callable[[Any], Any]
) -> Any:
    """What makes a parser of archives.

    write: writes a right file.
    read: reads a file.
    same: the content of what was read, for comparison: content with the old checksum is refused,
        or it is the old content.
    """

    @contextmanager
    def making(name: str, folder: Path) -> Iterator[Parser]:
        file = folder / "archive"
        write(file)
        archive, right = Archive(file.read_bytes()), same(read(file))

        def read_one(drawn: tuple[bytes, bool]) -> None:
            content, sealed = drawn
            file.write_bytes(content)
            found = read(file)
            assert sealed or same(found) == right, "a damaged file was read"

        yield Parser(name, archive.other, read_one)

    return making


def _searched() -> OOS:
    search = OOS(_KUHN, seed=1)
    search.run(iterations=50)
    return search


def _strategy_content(strategy: Any) -> Any:
    held = (strategy.keys, strategy.starts, strategy.probabilities)
    return strategy.game, *(array.tobytes() for array in held)


def _cfr() -> CFR:
    run = CFR(as_tree(_KUHN), "cfr+")
    run.iterate(7)
    return run


def _vector() -> VectorCFR:
    run = VectorCFR(vector_form(_KUHN))
    run.iterate(7)
    return run


def _walk(file: Path) -> None:
    walk = Checkpoint(file, "what is asked")
    row = np.arange(len(Found._fields)).tolist()
    for part in range(3):
        walk.add(0, part, Found(float(row[0]), float(row[1]), *row[2:]))
    walk.write()


# --- blueprints ---


def _blueprint(algorithm: str, read_all: Callable[[Path], Any]) -> Any:
    """What makes a parser of blueprints.

    algorithm: trains one.
    read_all: reads a file, and all that is in it.
    """

    @contextmanager
    def making(name: str, folder: Path) -> Iterator[Parser]:
        file = folder / "blueprint"
        train(_KUHN, file, iterations=2000, algorithm=algorithm)
        mapped, right = MappedFile(file.read_bytes()), read_all(file)

        def read(drawn: tuple[bytes, bool]) -> None:
            content, sealed = drawn
            file.unlink()  # the old one may still be mapped
            file.write_bytes(content)
            assert read_all(file) == right or sealed, "a damaged file was read"

        yield Parser(name, mapped.other, read)

    return making


@functools.cache
def _tree() -> GameTree:
    return as_tree(_KUHN)


@functools.cache
def _form() -> VectorForm:
    return vector_form(_KUHN)


def _by_sets(file: Path) -> Any:
    found = SetBlueprint.load(file, _KUHN).among(_tree().set_key)
    return (
        found.keys.tobytes(),
        found.values.tobytes(),
        None if found.visits is None else (found.visits.tobytes()),
    )


def _by_hands(file: Path) -> Any:
    blueprint = HandBlueprint.load(file, _form())
    return [blueprint.numbers(player, 0, _form().sizes[player]).tobytes() for player in range(2)]


# --- records ---

_QUESTION = {"game": "kuhn_poker", "players": ["random", "oos"], "seed": 1, "deals": "7"}
_MATCHES = [
    Played((0, 1), number, (2, 0, 1, 0), (1.0, -1.0), (1, 1), (0.1, 0.2), ({}, {"iterations": 3.0}))
    for number in range(4)
]


@contextmanager
def _records(name: str, folder: Path) -> Iterator[Parser]:
    """Files of matches: other bytes; or another value, whose seal may be made for it; or another
    question with a seal for it, in a file that is shown again.
    """
    file = folder / "matches.sqlite"
    records = MatchRecords(file, _QUESTION)
    for match in _MATCHES:
        records.add(match)
    records.close()
    whole = file.read_bytes()
    columns = ("number", "first", "second", "history", "payoffs", "moves", "seconds", "seal")

    def draw(source: random.Random) -> Any:
        kind = source.random()
        if kind < 0.6:
            return "bytes", damaged_bytes(source, whole)
        if kind < 0.85:
            return "cell", (source.choice(columns), _cell(source), source.random() < 0.5)
        question = changed_json(source, _QUESTION)
        return "question", question if isinstance(question, dict) else {"game": question}

    def read(drawn: Any) -> None:
        for leftover in folder.glob("matches.sqlite-*"):
            leftover.unlink()
        kind, what = drawn
        file.write_bytes(what if kind == "bytes" else whole)
        if kind == "question":
            _ask(file, what)
            matches = StoredMatches(file)
            matches.described()
            matches.match(0)
            return
        if kind == "cell":
            _put(file, *what)
        kept = MatchRecords(file, _QUESTION)
        try:
            found = kept.played()
        finally:
            kept.close()
        is_sealed = kind == "cell" and what[2]
        assert is_sealed or all(match in _MATCHES for match in found), f"damaged: {found}"

    yield Parser(name, draw, read)


def _put(file: Path, column: str, value: Any, sealed: bool) -> None:
    """Put a value into a row, with a seal for it or without."""
    with closing(sqlite3.connect(file)) as rows, rows:
        rows.execute("PRAGMA journal_mode = DELETE")
        rows.execute(f"UPDATE OR REPLACE match SET {column} = ? WHERE number = 2", (value,))
        if sealed:
            for number, *row in rows.execute("SELECT rowid, * FROM match").fetchall():
                seal = (_seal(row[:-1]), number)
                rows.execute("UPDATE match SET seal = ? WHERE rowid = ?", seal)


def _ask(file: Path, question: dict[str, Any]) -> None:
    """Put another question into a file, with a seal for it."""
    written = sorted((_sql(name), json.dumps(value)) for name, value in question.items())
    with closing(sqlite3.connect(file)) as rows, rows:
        rows.execute("PRAGMA journal_mode = DELETE")
        rows.execute("DELETE FROM question")
        kept = [*written, ("seal", _seal(written))]
        rows.executemany("INSERT OR REPLACE INTO question VALUES (?, ?)", kept)


def _sql(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _cell(source: random.Random) -> Any:
    value = plain(source)
    if isinstance(value, int) and abs(value) >= 2**63:
        return str(value)
    if isinstance(value, (int, float)) and not math.isnan(value):
        return value
    return json.dumps(value)


@contextmanager
def _replays(name: str, folder: Path) -> Iterator[Parser]:
    file = folder / "record.json"
    right = {
        "game": "kuhn_poker",
        "players": ["person", "random"],
        "seconds": 1.0,
        "seed": 3,
        "deals": "f7",
        "moves": [2, 0, 1, 0],
        "returns": [1.0, -1.0],
    }

    def read(text: str) -> None:
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        matches = StoredMatches(file)
        matches.described()
        matches.match(0)

    yield Parser(name, lambda source: json_text(source, right), read)


@contextmanager
def _curves(name: str, folder: Path) -> Iterator[Parser]:
    file = folder / "kuhn.search"
    LongRun(OOS(_KUHN, seed=1), file, Plan(iterations=40, snapshots=2)).run()
    file = folder / "kuhn.curve.jsonl"
    right = file.read_text()

    def read(text: str) -> None:
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        assert Curve.read(file).plan is not None or not text.strip()

    yield Parser(name, lambda source: text_lines(source, right), read)


# --- buckets ---

_SMALL = {
    name: (dtype, tuple(min(size, 3) for size in shape))
    for name, (dtype, shape) in strength_files.SHAPES.items()
}


@contextmanager
def _buckets(name: str, folder: Path) -> Iterator[Parser]:
    """The tables of hand strength, with few rows: what is read does not depend on their number."""
    right: dict[str, Any] = {"version": strength_files.VERSION, "arrays": {}}
    files: dict[str, bytes] = {}
    for number, (array_name, (dtype, shape)) in enumerate(_SMALL.items()):
        array = np.full(shape, number, dtype)
        path = folder / f"{array_name}.npy"
        np.save(path, array)
        files[path.name] = path.read_bytes()
        digest = hashlib.sha256(array.tobytes()).hexdigest()
        right["arrays"][array_name] = {"sha256": digest, "seen": [1, 2, 3]}
    contents = strength_files.CONTENTS
    files[contents] = json.dumps(right).encode()
    (folder / contents).write_bytes(files[contents])

    def draw(source: random.Random) -> tuple[str, bytes]:
        changed = source.choice((contents, contents, *files))
        if changed == contents and source.random() < 0.7:
            return changed, json_text(source, right).encode("utf-8", "surrogatepass")
        return changed, damaged_bytes(source, files[changed])

    def read(drawn: tuple[str, bytes]) -> None:
        changed, content = drawn
        strength_files._opened.cache_clear()
        (folder / changed).unlink()
        (folder / changed).write_bytes(content)
        try:
            tables = strength_files.open_tables(folder)
            held = (tables.preflop, tables.flop, tables.turn, tables.river)
            expected = [list(_SMALL).index(name) for name in ("preflop", "flop", "turn", "river")]
            assert [int(array.max()) for array in held] == expected, "a damaged table was read"
        finally:
            strength_files._opened.cache_clear()
            (folder / changed).unlink()
            (folder / changed).write_bytes(files[changed])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strength_files, "SHAPES", _SMALL)
        yield Parser(name, draw, read)


_MAKING: dict[str, Any] = {
    "games": _of_texts(names.game_text, _game),
    "players": _of_texts(names.player_text, _player),
    "efg": _of_texts(lines.gambit(lines.EFG), _efg),
    "nfg": _of_texts(lines.gambit(lines.NFG), _nfg),
    "liteefg": _of_texts(lines.liteefg, _liteefg),
    "phh": _of_texts(lines.phh, parse_hands),
    "maps": _maps,
    "map texts": _of_texts(_map_text, maps.open_map),
    "acpc states": _of_texts(lines.poker_line(lines.STATES), _state),
    "acpc hands": _of_texts(lines.poker_line(lines.HANDS), _hand),
    "acpc scores": _of_texts(lines.poker_line(lines.SCORES), _score),
    "acpc definitions": _of_texts(lines.definition, _definition),
    "acpc logs": _of_texts(lines.log, _log),
    "strategies": _of_archive(
        lambda file: _searched().strategy().save(file), load_strategy, _strategy_content
    ),
    "searches": _of_archive(
        lambda file: _searched().save(file),
        lambda file: (load_strategy(file), OOS.load(file, _KUHN)),
        lambda found: _strategy_content(found[1].strategy()),
    ),
    "cfr checkpoints": _of_archive(
        lambda file: _cfr().save(file),
        lambda file: CFR.load(file, _tree()),
        lambda run: (run.iterations, run.average.tobytes(), run.regret.tobytes()),
    ),
    "vector checkpoints": _of_archive(
        lambda file: _vector().save(file),
        lambda file: VectorCFR.load(file, _form()),
        lambda run: (run.iterations, *(array.tobytes() for array in run.average)),
    ),
    "walk checkpoints": _of_archive(
        _walk,
        lambda file: Checkpoint(file, "what is asked"),
        lambda found: found.known(0),
    ),
    "blueprints by sets": _blueprint("mccfr", _by_sets),
    "blueprints by hands": _blueprint("vector-cfr", _by_hands),
    "match records": _records,
    "replays": _replays,
    "curves": _curves,
    "buckets": _buckets,
    "messages": pages.messages,
    "addresses": pages.addresses,
}


def _named(name: str) -> Making:
    @contextmanager
    def making(folder: Path) -> Iterator[Parser]:
        own = folder / name.replace(" ", "-")
        own.mkdir()
        with _MAKING[name](name, own) as parser:
            yield parser

    return making


PARSERS: dict[str, Making] = {name: _named(name) for name in _MAKING}
