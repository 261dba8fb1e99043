"""Steps that kill commands and resume them: what is found must be what is found without a kill."""

import json
import random
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hiddenhand.jit.cache import cache_folder, read_code
from hiddenhand.mapped import Mapped
from soaking.bench import Bench, contents, demand

_SEARCHES = ("mccfr", "oos", "ismcts", "smooth-uct")


def search(bench: Bench, chooser: random.Random) -> str:
    """A search with snapshots, resumed from its files alone, ends with the same bits."""
    game, spec = chooser.choice(bench.games), chooser.choice(_SEARCHES)
    whole, broken = bench.folder / "whole.search", bench.folder / "broken.search"
    begin = ("search", game, spec, "--iterations", chooser.randrange(20_000, 200_000))
    begin += ("--seed", chooser.randrange(1000), "--snapshots", 6, "--json", "--out")
    expected = bench.timed_answer(*begin, whole)
    again = ("search", game, spec, "--resume", broken, "--json")
    curve = bench.folder / "broken.curve.jsonl"
    bench.break_off(
        *((*begin, broken), again, broken, chooser),
        is_done=lambda: curve.exists() and _curve(curve)[-1][1] == expected["iterations"],
    )
    demand(contents(broken) == contents(whole), f"{game}, {spec}: the resumed search differs")
    demand(
        _curve(curve) == _curve(bench.folder / "whole.curve.jsonl"),
        f"{game}, {spec}: the curve of the resumed search differs",
    )
    return f"{game} {spec}"


def _curve(file: Path) -> list[tuple[int | None, int]]:
    lines = map(json.loads, file.read_text().splitlines())
    return [(line["snapshot"], line["iterations"]) for line in lines]


def match(bench: Bench, chooser: random.Random) -> str:
    """Killed matches are each in the file once, as they would have been played without a kill."""
    return _matches(bench, chooser, ("match",), 2)


def tournament(bench: Bench, chooser: random.Random) -> str:
    """The same of a tournament in two processes."""
    return _matches(bench, chooser, ("tournament", "--jobs", 2), 3)


def _matches(bench: Bench, chooser: random.Random, verb: tuple[object, ...], seats: int) -> str:
    game = chooser.choice(bench.games)
    players = chooser.sample(("oos", "random", "ismcts", "mccfr", "pimc"), seats)
    files = [bench.folder / name for name in ("whole.sqlite", "broken.sqlite")]
    command = (*verb, game, *players, "--iterations", 200, "--matches", chooser.randint(20, 60))
    command += ("--seed", chooser.randrange(1000), "--deals", chooser.randrange(1000))
    command += ("--json", "--out")
    whole = bench.timed_answer(*command, files[0])
    bench.break_off((*command, files[1]), (*command, files[1]), files[1], chooser)
    broken = bench.answer(*command, files[1])  # everything is there already
    rows, again = map(_rows, files)
    demand(max(Counter(row[:3] for row in again).values()) == 1, "a match is there twice")
    demand(rows == again, f"{verb[0]} of {game}: the resumed file has other matches")
    demand(_untimed(whole) == _untimed(broken), f"{whole} is not {broken}")
    return f"{game} {' '.join(players)}, {len(rows)} matches"


def _rows(file: Path) -> list[tuple[Any, ...]]:
    columns = "number, first, second, history, payoffs, moves"
    with closing(sqlite3.connect(file)) as rows:
        demand(rows.execute("PRAGMA integrity_check").fetchone() == ("ok",), f"{file} is damaged")
        return rows.execute(
            f"SELECT {columns} FROM match ORDER BY first, second, number"
        ).fetchall()


def _untimed(answer: Any) -> Any:
    """An answer without what depends on the speed of the machine, and on what ran before."""
    if isinstance(answer, dict):
        left_out = {name for name in answer if "second" in name} | {"tier"}
        return {name: _untimed(value) for name, value in answer.items() if name not in left_out}
    return [_untimed(value) for value in answer] if isinstance(answer, list) else answer


def train(bench: Bench, chooser: random.Random) -> str:
    """A blueprint that was trained with interruptions is that of as many iterations at once."""
    game = chooser.choice([game for game in bench.games if not game.startswith("IIGS")])
    whole, broken = bench.folder / "whole.blueprint", bench.folder / "broken.blueprint"
    command = ("train", game, "--algorithm", "vector-cfr", "--threads", 1, "--json")
    command += ("--iterations", chooser.randrange(500, 3000), "--out")
    bench.timed_answer(*command, bench.folder / "first.blueprint")
    bench.break_off((*command, broken), (*command, broken), broken, chooser)
    done = bench.answer(*command, broken)["iterations"]
    at_once = [done if word == command[-2] else word for word in command]
    demand(bench.answer(*at_once, whole)["iterations"] == done, "the iterations are wrong")
    demand(
        _blueprint(whole) == _blueprint(broken), f"{game}: the blueprint trained in parts differs"
    )
    return f"{game}, {done} iterations"


def _blueprint(file: Path) -> list[bytes]:
    found = Mapped.load(file, "train")
    for name, array in found.arrays.items():
        found.verify(name, 0, array.size)
    return [array.tobytes() for array in found.arrays.values()]


def solve(bench: Bench, chooser: random.Random) -> str:
    """CFR from a checkpoint has the profile of CFR without a break."""
    game, method = chooser.choice(bench.games), chooser.choice(("cfr", "cfr+", "dcfr"))
    checkpoint, whole = bench.folder / "checkpoint", bench.folder / "whole"
    command = ("solve", game, "--method", method, "--json")
    command += ("--iterations", chooser.randrange(300, 3000), "--checkpoint")
    bench.timed_answer(*command, bench.folder / "first")
    bench.break_off((*command, checkpoint), (*command, checkpoint), checkpoint, chooser)
    found = bench.answer(*command, checkpoint)
    at_once = [found["iterations"] if word == command[-2] else word for word in command]
    expected = bench.answer(*at_once, whole)
    demand(_untimed(found) == _untimed(expected), f"{game} {method}: {found} is not {expected}")
    return f"{game} {method}, {found['iterations']} iterations"


def exploit(bench: Bench, chooser: random.Random) -> str:
    """The answers of a player are kept once, and lead to the same result."""
    game = chooser.choice(bench.games[:2])
    command = ("exploit", game, chooser.choice(("oos", "mccfr")), "--json")
    command += ("--iterations", chooser.randrange(100, 600), "--seed", chooser.randrange(1000))
    kept = bench.folder / "answers.sqlite"
    expected = bench.timed_answer(*command, "--out", bench.folder / "whole.sqlite")
    command += ("--out", kept)
    bench.break_off(command, command, kept, chooser)
    found = bench.answer(*command)
    for answer in (found, expected):
        del answer["asked"]
    demand(_untimed(found) == _untimed(expected), f"{game}: {found} is not {expected}")
    return f"{game}"


def cold(bench: Bench, chooser: random.Random) -> str:
    """A cache of compiled code outlives kills while it is filled, and code in it is right."""
    cache = str(bench.folder / "cache")
    command = ("search", "kuhn_poker", "oos", "--iterations", 1000, "--json")
    expected = bench.answer(*command)
    for _ in range(chooser.randint(1, 3)):
        bench.interrupt(command, 8.0 * chooser.random(), chooser, HIDDENHAND_CACHE=cache)
    for _ in range(2):
        found = bench.answer(*command, HIDDENHAND_CACHE=cache)
        for name in ("information_sets", "root_strategy", "squared_error"):
            demand(found[name] == expected[name], f"after kills, {name} is {found[name]}")
    damaged = damaged_code(Path(cache))
    demand(not damaged, f"the cache has damaged files: {damaged}")
    return f"{len(list(Path(cache).rglob('*.code')))} files of machine code"


def damaged_code(cache: Path) -> list[str]:
    """The files of a cache that cannot be used. Files of other versions are not looked at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HIDDENHAND_CACHE", str(cache))
        return [file.name for file in cache_folder().glob("*.code") if read_code(file.name) is None]
