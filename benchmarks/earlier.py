"""What an earlier version of this package took:

    python -m benchmarks.earlier FOLDER [--rounds 3] [--iterations 300000]

FOLDER is a copy of the repository at an earlier commit, in which ``make .venv/installed`` was run.
Both versions run the same commands: first with nothing compiled all that README says to type, then
single commands after an edit of a rule. Then three searches run in three games, this version in its
specialised tier. The two versions take turns. The machine must do nothing else. Figures are kept in
benchmarks/results/earlier.json, and the table is written into docs/compile-time.md.
"""

import argparse
import statistics
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from benchmarks.first_use import EDITED, INSTALLED, SPEEDS, Games
from benchmarks.kept import Kept, heading, row, write_section
from benchmarks.measuring import interleaved, surroundings
from benchmarks.report import short
from hiddenhand_papers.runner import git

KEPT: Final = Kept.of(__file__)
SEARCHES: Final = {
    "OOS": "OOS(game, epsilon=0.6, seed=1)",
    "MCCFR": "OOS(game, epsilon=0.6, seed=1, delta=0.0, baseline='predictive')",
    "IS-MCTS": "ISMCTS(game, seed=1)",
}
"""Searches as both versions write them."""
PROGRAM: Final = """
import sys, time
from hiddenhand import ISMCTS, OOS, load_game
game = load_game(sys.argv[1])
search = {search}
search.run(iterations=1000)
began = time.perf_counter()
search.run(iterations=int(sys.argv[2]))
print(int(sys.argv[2]) / (time.perf_counter() - began))
"""
COLUMNS: Final = ("measured", "earlier version", "this version", "ratio")


class Versions:
    """The earlier version and this one, each with a cache of its own.

    folder: where their games and caches are.
    earlier: the copy of the repository that has the earlier version.
    """

    def __init__(self, folder: Path, earlier: Path) -> None:
        self._folder = folder
        for version in ("earlier", "now"):
            (folder / version).mkdir()
        python = str(earlier / ".venv" / "bin" / "python")
        self._games = {
            "earlier": Games(folder / "earlier", earlier, python),
            "now": Games(folder / "now"),
        }

    def installed(self, version: str) -> float:
        """The seconds that all commands of README take together, with nothing compiled."""
        with tempfile.TemporaryDirectory() as cache:
            games = self._games[version]
            return sum(games.seconds(words, Path(cache), "auto") for words in INSTALLED)

    def edited(self, version: str, words: tuple[str, ...]) -> float:
        """The seconds that a command takes after an edit."""
        self._games[version].edit()
        return self.seconds(version, words)

    def seconds(self, version: str, words: tuple[str, ...]) -> float:
        """The seconds that a command takes."""
        return self._games[version].seconds(words, self._cache(version), "auto")

    def rate(self, version: str, game: str, search: str, iterations: int) -> float:
        """Iterations a second in a process of its own, in this version's specialised tier."""
        program = PROGRAM.format(search=SEARCHES[search])
        words = ("-c", program, game, str(iterations))
        return float(self._games[version].output(words, self._cache(version), "specialised"))

    def _cache(self, version: str) -> Path:
        return self._folder / version / "cache"


def measured(earlier: Path, rounds: int, iterations: int) -> Iterator[dict[str, Any]]:
    """The rows: what was measured, and the figures of both versions, round by round."""
    with tempfile.TemporaryDirectory() as folder:
        versions = Versions(Path(folder), earlier)
        name = "nothing compiled: all that README says to type, s"
        yield _in_turns(name, rounds, versions.installed)

        def started(version: str) -> float:
            return versions.seconds(version, ("--version",))

        yield _in_turns("`hiddenhand --version`, s", rounds, started)
        for name, words in EDITED.items():

            def seconds(version: str, words: tuple[str, ...] = words) -> float:
                return versions.edited(version, words)

            for version in ("earlier", "now"):
                seconds(version)  # compiles what serves all games
            yield _in_turns(f"after an edit: {name}, s", rounds, seconds)
        for game in SPEEDS:
            for search in SEARCHES:

                def rate(version: str, game: str = game, search: str = search) -> float:
                    return versions.rate(version, game, search, iterations)

                for version in ("earlier", "now"):
                    rate(version)  # which compiles
                yield _in_turns(f"{search}, {game}, iterations/s", rounds, rate)


def _in_turns(name: str, rounds: int, measure: Callable[[str], float]) -> dict[str, Any]:
    before, now = interleaved(rounds, lambda _: measure("earlier"), lambda _: measure("now"))
    print(name, before, now, flush=True)
    return {"name": name, "earlier": before, "now": now}


def lines(results: dict[str, Any]) -> Iterator[str]:
    """The table of a page."""
    around, rows = results["surroundings"], results["rows"]
    yield (
        f"Medians of {len(rows[0]['now'])} rounds, on {around['processor']}, {around['cores']} "
        f"processors. The earlier version is that of commit {results['earlier']}. Searches make "
        f"{results['iterations']:,} iterations in the specialised tier. The ratio is this "
        "version's figure divided by the earlier one's:"
    )
    yield ""
    yield from heading(COLUMNS)
    for each in rows:
        ratios = [now / before for before, now in zip(each["earlier"], each["now"], strict=True)]
        medians = [statistics.median(each[version]) for version in ("earlier", "now")]
        yield row([each["name"], *map(short, medians), f"{statistics.median(ratios):.2f}"])


def main() -> None:
    """Measure, keep the figures, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("folder", type=Path, help="a copy of the repository, installed there")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=300_000)
    asked = parser.parse_args()
    results = {
        "surroundings": surroundings(),
        "earlier": git(asked.folder, "rev-parse", "--short", "HEAD"),
        "iterations": asked.iterations,
        "rows": list(measured(asked.folder.resolve(), asked.rounds, asked.iterations)),
    }
    print("\n".join(lines(results)))
    KEPT.write(results)
    write_section("docs/compile-time.md", "earlier version", lines(results))


if __name__ == "__main__":
    main()
