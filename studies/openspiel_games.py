"""Which games of OpenSpiel load here, keep the laws, and can be searched.

Usage: python -m studies.openspiel_games [--seconds N] [--page | --one GAME | GAME ...], in
the root of the repository. It needs the optional extra `openspiel`.

Without arguments every game that OpenSpiel can load by its name alone is tried, and one example of
each that needs parameters; each in a process of its own. What was found is kept. With names only
these are tried anew. --seconds says how long one game may take, in time of the processor.
The table of docs/openspiel.md is written in the end; --page writes it alone.
"""

import argparse
import json
import resource
import signal
import subprocess
import sys
import time
from typing import Any, Final

import numpy as np
from benchmarks.kept import Kept, write_section
from benchmarks.measuring import surroundings

from hiddenhand import load_game, make_search
from hiddenhand.games import check
from hiddenhand.games.history import History
from hiddenhand.games.tree_game import TreeGame

KEPT: Final = Kept.of(__file__)
SECONDS: Final = 300
"""How long one game may take, in time of the processor, unless something else is asked for."""
WITH_PARAMETERS: Final = (
    "add_noise(epsilon=1.0,game=kuhn_poker(),seed=1)",
    "cached_tree(game=kuhn_poker())",
    "coop_to_1p(game=tiny_hanabi())",
    "misere(game=kuhn_poker())",
    "normal_form_extensive_game(game=kuhn_poker())",
    "repeated_game(num_repetitions=2,recall=1,stage_game=matrix_pd())",
    "repeated_poker(max_num_hands=2,reset_stacks=True,rotate_dealer=True,"
    "universal_poker_game_string=universal_poker())",
    "restricted_nash_response(fixed_player=1,game=kuhn_poker(),p=0.5)",
    "start_at(game=kuhn_poker(),history=0;1)",
    "turn_based_simultaneous_game(game=goofspiel(num_cards=3))",
    "zerosum(game=kuhn_poker())",
)
"""Games that need parameters: examples of them, all but those that are read from files."""
PATIENCE: Final = 20
"""How many times as long the clock on the wall may run: other programs use the machine, too."""
ITERATIONS: Final = 20
"""Iterations of a search between looks at the clock."""
MEASURED: Final = 0.05
"""How long a search is measured at least, in seconds of the processor."""


def names() -> list[str]:
    """The games that need no parameters, and examples of those that do."""
    import open_spiel.python.games  # noqa: F401 - registers games that are written in Python
    import pyspiel

    plain = [kind.short_name for kind in pyspiel.registered_games() if kind.default_loadable]
    return [*plain, *WITH_PARAMETERS]


def tried(name: str) -> dict[str, Any]:
    """What happens with one game, as far as it gets."""
    found: dict[str, Any] = {}
    try:
        began = time.process_time()
        game = load_game(f"openspiel:{name}")
        found["seconds to load"] = round(time.process_time() - began, 2)
        found["form"] = "written out" if isinstance(game, TreeGame) else "followed"
        found["players"] = int(game.num_players)
        print(json.dumps(found), flush=True)
        report = check(game, plays=3, max_histories=2_000)
        found["laws"] = len(report.laws)
        print(json.dumps(found), flush=True)
        found["sets"] = same_sets(game, name)
        print(json.dumps(found), flush=True)
        search = make_search(game, "ismcts", seed=1)
        search.run(iterations=1)
        began, done = time.process_time(), 0
        while (spent := time.process_time() - began) < MEASURED:
            result = search.run(iterations=ITERATIONS)
            done += ITERATIONS
        found["iterations a second"] = round(done / spent, 1)
        found["information sets"] = result.information_sets
    except Exception as error:
        found["failed"] = f"{type(error).__name__}: {error}"[:600]
    print(json.dumps(found), flush=True)
    return found


def same_sets(game: Any, name: str, seconds: float = 3.0) -> str:
    """How information sets here and OpenSpiel's information states compare, in random plays:
    "equal", "finer" or "coarser" than there, or "other".
    """
    import pyspiel

    from hiddenhand.interop.openspiel.peer import Eyes, in_turns

    peer = in_turns(pyspiel.load_game(name))
    eyes, random = Eyes(peer), np.random.default_rng(1)
    texts: dict[int, set[str]] = {}
    keys: dict[str, set[int]] = {}
    began = time.process_time()
    while time.process_time() - began < seconds:
        history, state = History(game), peer.new_initial_state()
        while not history.is_terminal:
            if history.player >= 0:
                text = f"{history.player} {eyes.private_text(state, history.player)}"
                texts.setdefault(history.information_key, set()).add(text)
                keys.setdefault(text, set()).add(history.information_key)
            moves = history.game.actions_of(history.state, history.player)
            place = int(random.integers(len(moves)))
            history = history.child(moves[place])
            legal = (
                sorted(a for a, p in state.chance_outcomes() if p > 0)
                if (state.is_chance_node())
                else sorted(state.legal_actions())
            )
            state.apply_action(legal[place])
    finer = any(len(found) > 1 for found in keys.values())
    coarser = any(len(found) > 1 for found in texts.values())
    return {(0, 0): "equal", (1, 0): "finer", (0, 1): "coarser", (1, 1): "other"}[finer, coarser]


def in_a_process(name: str, seconds: int) -> dict[str, Any]:
    """What `tried` says, from a process that may crash or take too long."""
    command = [sys.executable, "-m", "studies.openspiel_games", "--one", name]
    too_late = f"it takes more than {seconds} seconds"
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=PATIENCE * seconds,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)),
        )
        said, status = done.stdout, done.returncode
    except subprocess.TimeoutExpired as late:
        said, status = (late.stdout or b"").decode(), -signal.SIGKILL
    killed = status in (-signal.SIGXCPU, -signal.SIGKILL)
    ended = too_late if killed else f"the process ends with {status}"
    lines = [line for line in said.splitlines() if line.startswith("{")]
    found: dict[str, Any] = json.loads(lines[-1]) if lines else {}
    if status:
        found["failed"] = ended
    return found


def table(rows: dict[str, dict[str, Any]]) -> list[str]:
    """The lines of the table of games, and of the list of those that fail."""
    lines = [
        "| game | form | players | laws | information sets | iterations a second |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    failed = []
    for name, row in sorted(rows.items()):
        if "failed" in row:
            failed.append(f"- `{name}`: {_clause(row['failed'])}")
        else:
            lines.append(
                f"| `{name}` | {row['form']} | {row['players']} | kept | {row['sets']} "
                f"| {row['iterations a second']} |"
            )
    return [*lines, "", "Games that do not load, or fail:", "", *failed]


def _clause(said: str) -> str:
    """What a game failed by, without the moves that led there."""
    return said.partition(": after the moves")[0].partition(": ")[2] or said


def main() -> None:
    """Try, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--one")
    parser.add_argument("--seconds", type=int, default=SECONDS)
    parser.add_argument("--page", action="store_true")
    arguments = parser.parse_args()
    if arguments.one:
        tried(arguments.one)
        return
    rows = KEPT.read().get("games", {})
    for name in () if arguments.page else arguments.names or names():
        rows[name] = in_a_process(name, arguments.seconds)
        print(name, rows[name], flush=True)
        KEPT.write({"games": rows, "at": surroundings()})
    write_section("docs/openspiel.md", "games", table(rows))


if __name__ == "__main__":
    main()
