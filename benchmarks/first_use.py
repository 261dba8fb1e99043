"""How long a user waits: after an edit of a game, after a first install, and what the generic tier
costs in speed.

Usage: python -m benchmarks.first_use [--quick], in the root of the repository, on a machine that
does nothing else. A full run is kept in benchmarks/results/first_use.json, and its table is written
into docs/compile-time.md.

After an edit of one rule, the same command is run as users run it, and with ``--tier specialised``,
which compiles everything for the edited game, as this package did before it had two tiers. Kernels
for all games were compiled before. The table in the browser needs the extra ``web``, playwright and
Debian's chromium, and is left out without them.
"""

import argparse
import inspect
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from benchmarks.kept import ROOT, Kept, write_section
from benchmarks.measuring import interleaved, surroundings
from benchmarks.report import short
from benchmarks.web_edit import chromium, of_a_new_server, running_server
from benchmarks.web_server import CHROMIUM
from hiddenhand import ISMCTS, OOS, load_game
from hiddenhand.cli.demo import demo
from hiddenhand.jit.tier_choice import using_tier

KEPT: Final = Kept.of(__file__)

AUCTION: Final = '''from dataclasses import dataclass
from hiddenhand.games import CHANCE, SIMULTANEOUS, TERMINAL, Game
@dataclass(frozen=True)
class Auction(Game):
    """Both players learn what the prize is worth to them, and bid at once; the higher bid pays."""
    simultaneous = True
    state_size, max_actions, max_depth, max_chance_outcomes, max_utility = 5, 4, 4, 3, 3.0
    def initial_state(self, state):
        state[:] = 0
    def current_player(self, state):
        return CHANCE if state[4] < 2 else SIMULTANEOUS if state[4] == 2 else TERMINAL
    def legal_actions(self, state, player, actions):
        for bid in range(state[player] + 1):
            actions[bid] = bid
        return state[player] + 1
    def chance_outcomes(self, state, actions, probabilities):
        for value in range(3):
            actions[value], probabilities[value] = value + 1, 1.0 / 3.0
        return 3
    def apply_action(self, state, action, observations):
        observations[state[4]], observations[2] = action, 1
        state[state[4]] = action
        state[4] += 1
    def apply_joint_action(self, state, actions, observations):
        state[2], state[3], state[4] = actions[0], actions[1], 3
        observations[2] = 1 + 4 * actions[0] + actions[1]
    def returns(self, state, player):
        first, second = state[0] - state[2], state[1] - state[3]
        won = 0.5 * (first - second) if state[2] == state[3] else -1.0 * second
        won = first if state[2] > state[3] else won
        return won if player == 0 else -won
    def render(self, state, player):
        return f"worth {state[player]}"
'''
MATCH: Final = ("--matches", "2", "--seconds", "0.05")
BLUFF: Final = "bluff.py:Bluff"
AUCTIONS: Final = "auction.py:Auction"
EDITED: Final = {
    "README's game: `match` with `auto`": ("match", BLUFF, "auto", "random", *MATCH),
    "README's game: `match` with `oos`": ("match", BLUFF, "oos", "random", *MATCH),
    "README's game: `match` with `ismcts`": ("match", BLUFF, "ismcts", "random", *MATCH),
    "README's game: `solve`": ("solve", BLUFF),
    "README's game: `play`, up to its first prompt": ("play", BLUFF, "--seconds", "0.05"),
    "a sealed-bid auction: `match` with `auto`": ("match", AUCTIONS, "auto", "random", *MATCH),
}
"""What is called what, and what is typed after an edit."""
INSTALLED: Final = (
    ("demo",),
    ("check", BLUFF),
    ("solve", BLUFF, "--method", "lp"),
    ("match", BLUFF, "auto", "random", "--matches", "20", "--seconds", "0.02"),
    ("algorithms", "oos"),
    ("play", "leduc_poker"),
)
"""What README says to type, in its order."""
SPEEDS: Final = ("leduc_poker", "LD(1,1,6)", "IIGS(6)")
SEARCHES: Final[dict[str, Callable[[Any], Any]]] = {
    "OOS": lambda game: OOS(game, epsilon=0.6, seed=1),
    "MCCFR": lambda game: OOS(game, epsilon=0.6, seed=1, delta=0.0, baseline="predictive"),
    "IS-MCTS": lambda game: ISMCTS(game, seed=1),
}


def readme_game(root: Path = ROOT) -> str:
    """The game in README, which is a file of its own there.

    root: a copy of the repository.
    """
    text = (root / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(# bluff\.py\n.*?)```", text, re.DOTALL)
    assert found is not None
    return found[1]


class Games:
    """A folder with both games, which can be edited.

    root: a copy of the repository, whose README has one of the games.
    python: the interpreter where the package of that copy is installed.
    """

    def __init__(self, folder: Path, root: Path = ROOT, python: str = sys.executable) -> None:
        self._folder = folder
        self._game = readme_game(root)
        self._python = python
        self._edits = 0
        self.edit()

    def edit(self) -> None:
        """Change a number in a rule of each game."""
        self._edits += 1
        for name, text in (("bluff.py", self._game), ("auction.py", AUCTION)):
            token = "observations[2] = 3" if name == "bluff.py" else "observations[2] = 1 +"
            assert token in text
            edited = token.replace("= ", f"= {self._edits} + ")
            (self._folder / name).write_text(text.replace(token, edited), encoding="utf-8")

    def seconds(self, words: tuple[str, ...], cache: Path, tier: str) -> float:
        """How long a command takes from start to end; players type nothing."""
        began = time.perf_counter()
        self.output(("-m", "hiddenhand", *words), cache, tier)
        return time.perf_counter() - began

    def output(self, words: tuple[str, ...], cache: Path, tier: str) -> str:
        """What the interpreter prints. Raises RuntimeError if it fails."""
        around = os.environ | {"HIDDENHAND_CACHE": str(cache), "HIDDENHAND_TIER": tier}
        if self._python != sys.executable:
            around.pop("PYTHONPATH", None)
        done = subprocess.run(
            [self._python, *words],
            cwd=self._folder,
            env=around,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in (0, 1, 2) or "Traceback" in done.stderr:
            raise RuntimeError(f"{' '.join(words)} failed: {done.stderr[-2000:]}")
        return done.stdout


def after_an_edit(rounds: int) -> Iterator[dict[str, Any]]:
    """For each command, the seconds it takes after an edit, in both ways, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        games, cache = Games(Path(folder)), Path(folder) / "cache"
        for name, words in EDITED.items():

            def taken(tier: str, words: tuple[str, ...] = words) -> float:
                games.edit()
                return games.seconds(words, cache, tier)

            taken("auto")  # compiles what serves all games
            yield {"name": name, **_in_turns(rounds, "auto", taken)}


def in_the_browser(rounds: int) -> Iterator[dict[str, Any]]:
    """The same up to a person's move in the browser: with a server that starts after the edit, and
    at a new table of a server that runs. Nothing where there is no browser.
    """
    if find_spec("playwright") is None or not Path(CHROMIUM).exists():
        print("Not measured: the table in the browser, which needs playwright and chromium.")
        return
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        games, cache = Games(Path(folder)), Path(folder) / "cache"
        game = f"{folder}/{BLUFF}"

        def started(tier: str) -> float:
            games.edit()
            return of_a_new_server(browser, game, cache, tier)

        started("auto")  # compiles what serves all games
        name = 'README\'s game: `serve`, up to "Your move" in the browser'
        yield {"name": name, **_in_turns(rounds, "auto", started)}
        with (
            running_server(browser, game, cache, "auto") as usual,
            running_server(browser, game, cache, "specialised") as specialised,
        ):

            def opened(tier: str) -> float:
                server = usual if tier == "auto" else specialised
                server.show_games()
                games.edit()
                return server.new_table()

            name = "the same at a new table, while `serve` runs"
            yield {"name": name, **_in_turns(rounds, "auto", opened)}


def after_an_install(rounds: int) -> dict[str, Any]:
    """The seconds that all commands of README take together, with nothing compiled."""

    def taken(tier: str) -> float:
        with tempfile.TemporaryDirectory() as folder:
            games, cache = Games(Path(folder)), Path(folder) / "cache"
            return sum(games.seconds(words, cache, tier) for words in INSTALLED)

    name = "nothing compiled: all that README says to type"
    return {"name": name, **_in_turns(rounds, "auto", taken)}


def speeds(rounds: int, iterations: int) -> Iterator[dict[str, Any]]:
    """Iterations a second in both tiers, in turns, and whether they found the same."""
    for spec in SPEEDS:
        for name, make in SEARCHES.items():
            searches = {tier: make(load_game(spec)) for tier in ("generic", "specialised")}

            def rate(tier: str, searches: dict[str, Any] = searches) -> float:
                with using_tier(tier):
                    began = time.perf_counter()
                    searches[tier].run(iterations=iterations)
                    return iterations / (time.perf_counter() - began)

            for tier in searches:
                rate(tier)  # which compiles
            measured = _in_turns(rounds, "generic", rate)
            first, second = (search.table.values.tobytes() for search in searches.values())
            yield {"game": spec, "search": name, **measured, "equal": first == second}


def _in_turns(rounds: int, tier: str, measure: Callable[[str], float]) -> dict[str, list[float]]:
    """What is measured in ``tier`` and in the specialised tier, round by round."""
    ours, theirs = interleaved(rounds, lambda _: measure(tier), lambda _: measure("specialised"))
    return {tier: ours, "specialised": theirs}


def lines(results: dict[str, Any]) -> Iterator[str]:
    """The tables of a page."""
    around = results["surroundings"]
    rounds, installs = len(results["edits"][0]["auto"]), len(results["install"]["auto"])
    yield f"Medians of {rounds} rounds, of {installs} in the last two lines, on"
    yield f"{around['processor']}, {around['cores']} processors:"
    yield ""
    yield "| from an edited rule to the end of | seconds | with `--tier specialised` |"
    yield "| --- | ---: | ---: |"
    for row in [*results["edits"], results["install"], _without_searching(results["install"])]:
        yield f"| {row['name']} | {_median(row['auto'])} | {_median(row['specialised'])} |"
    yield ""
    rounds, iterations = len(results["speeds"][0]["generic"]), results["iterations"]
    yield f"Speeds, medians of {rounds} rounds of {iterations:,} iterations with seed 1:"
    yield ""
    yield "| iterations/s | generic | specialised | ratio | equal results |"
    yield "| --- | ---: | ---: | ---: | --- |"
    for row in results["speeds"]:
        ratios = [a / b for a, b in zip(row["generic"], row["specialised"], strict=True)]
        yield (
            f"| {row['search']}, {row['game']} | {_median(row['generic'])} | "
            f"{_median(row['specialised'])} | {statistics.median(ratios):.2f} | "
            f"{'yes' if row['equal'] else 'NO'} |"
        )


def _without_searching(install: dict[str, Any]) -> dict[str, Any]:
    """The same without the time that ``demo`` searches, which does not depend on the compiler."""
    searched = inspect.signature(demo).parameters["seconds"].default
    return {
        "name": f"the same, without the {searched:g} s in which `demo` searches",
        **{tier: [total - searched for total in install[tier]] for tier in ("auto", "specialised")},
    }


def _median(values: list[float]) -> str:
    return short(statistics.median(values))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round, and nothing is kept")
    quick = parser.parse_args().quick
    rounds, iterations = (1, 20_000) if quick else (5, 300_000)
    results = {
        "surroundings": surroundings(),
        "iterations": iterations,
        "edits": [*after_an_edit(rounds), *in_the_browser(rounds)],
        "install": after_an_install(1 if quick else 3),
        "speeds": list(speeds(rounds, iterations)),
    }
    print("\n".join(lines(results)))
    if not quick:
        KEPT.write(results)
        write_section("docs/compile-time.md", "first use", lines(results))


if __name__ == "__main__":
    main()
