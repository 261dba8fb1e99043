"""Every game of the registry under the tests that PettingZoo has for environments, and under
OpenSpiel's test of games.

Usage: python -m studies.pettingzoo_games [GAME ...], in the root of the repository. It needs the
optional extras `pettingzoo` and `openspiel`. It raises what a test raises.
"""

import argparse
import contextlib
import io
import time
import warnings
from functools import partial
from types import SimpleNamespace
from typing import Any, Final

import pyspiel
from benchmarks.kept import Kept
from benchmarks.measuring import surroundings
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)

from hiddenhand import load_game
from hiddenhand.games.registry import game_names
from hiddenhand.interop import openspiel  # noqa: F401 - registers our games there
from hiddenhand.interop.pettingzoo import env, parallel_env

KEPT: Final = Kept.of(__file__)
NEEDS: Final = {
    "biased_rps": "BRPS(10)",
    "matrix_game": "matrix_game([[1,-1],[-1,1]])",
    "matrix_tree": "matrix_tree(actions=2,depth=1,leaves=[1,2,3,4])",
    "turn_based": "turn_based(goofspiel(num_cards=4))",
    "generic_poker": "GP(3,3,2,2)",
    "random_game": "random(3,3)",
    "visibility_pursuit": "VP(map=block5,pursuers=1,moves=4)",
}
"""Parameters for the games that need some."""
ROUNDS: Final = 4
"""`max_cycles_test` cuts matches off after so many moves, so a game must have more."""


def tested(spec: str) -> list[str]:
    """The names of the tests that a game passes. Raises what a test raises."""
    game, passed = load_game(spec), []

    def under(name: str, test: Any, *arguments: Any, **options: Any) -> None:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that an observation is a dictionary, not an array
            test(*arguments, **options)
        passed.append(name)

    under("api_test", api_test, env(spec), num_cycles=200)
    under("seed_test", seed_test, partial(env, spec), num_cycles=50)
    under("render_test", render_test, partial(env, spec))
    if game.simultaneous:
        rounds = partial(parallel_env, spec)
        under("parallel_api_test", parallel_api_test, rounds(), num_cycles=200)
        under("parallel_seed_test", parallel_seed_test, rounds)
        whole = all(simultaneous(game) for _ in range(3))
        if game.max_depth > ROUNDS and whole:
            module = SimpleNamespace(
                env=partial(env, spec, illegal="replace"),
                parallel_env=partial(parallel_env, spec, illegal="replace"),
            )
            under("max_cycles_test", max_cycles_test, module)
    there = pyspiel.load_game("hiddenhand", {"game": spec})
    under(
        "random_sim_test",
        pyspiel.random_sim_test,
        there,
        num_sims=2,
        serialize=True,
        verbose=False,
    )
    return passed


def simultaneous(game: Any) -> bool:
    """Whether a random match of ``game`` lasts more than `ROUNDS` moves of every player."""
    parallel = parallel_env(game, illegal="replace")
    parallel.reset()
    for _ in range(ROUNDS):
        parallel.step({agent: parallel.action_space(agent).sample() for agent in parallel.agents})
        if not parallel.agents:
            return False
    return True


def main() -> None:
    """Test, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*")
    names = parser.parse_args().names
    rows: dict[str, list[str]] = KEPT.read().get("passed", {}) if names else {}
    for name in names or game_names():
        began = time.process_time()
        spec = NEEDS.get(name, name)
        rows[spec] = tested(spec)
        seconds = time.process_time() - began
        print(f"{spec} passes {', '.join(rows[spec])} ({seconds:.1f} s)", flush=True)
    found = {"passed": rows, "at": surroundings()}
    KEPT.write(found)


if __name__ == "__main__":
    main()
