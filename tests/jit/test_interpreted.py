"""The same computations compiled and interpreted, to the last bit; and compiled with every index
checked.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# Both leave what they found in `found`: texts and hexadecimal floats, which JSON keeps exactly.
SEARCHES = """
from hiddenhand.jit.infoset_table import table_to_arrays
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.search.sampling.oos import OOS

game = TreeGame.from_game(KuhnPoker())
search = OOS(game, seed=1)
result = search.run(200)
arrays = table_to_arrays(search.table)
divided = OOS(game, seed=1, baseline="set", threads=2)
divided.run(300)
found = {
    "counts": [result.in_tree, result.playouts, result.added, result.moves],
    "keys": [str(key) for key in arrays["keys"]],
    "values": [float(value).hex() for value in arrays["values"]],
    "values of streams": [float(value).hex() for value in divided.weights().values],
}
"""
SOLVERS = """
from hiddenhand.games.history import all_histories
from hiddenhand.games.coordination_game import CoordinationGame
from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.solvers.cfr import CFR
from hiddenhand.solvers.mccfr import MCCFR, SAMPLINGS
from hiddenhand.trees.unroll import unroll
from hiddenhand.solvers.cfr_variants import VARIANTS

found = {}
for rules in (KuhnPoker(), CoordinationGame(), Goofspiel(3, imp_info=True)):
    game = rules if isinstance(rules, KuhnPoker) else TreeGame.from_game(rules)
    tree = unroll(game)
    found[f"keys of {rules}"] = [str(key) for key in tree.keys.ravel()]
    found[f"keys of histories of {rules}"] = [str(h.key(0)) for h in all_histories(game)]
    runs = {name: CFR(tree, name) for name in VARIANTS}
    runs |= {name: MCCFR(tree, name, seed=2) for name in SAMPLINGS}
    for name, run in runs.items():
        solution = run.run(20)
        numbers = [*run.regret, *run.average]
        numbers += [*solution.profile, *solution.values, solution.nash_conv]
        found[f"{name} on {rules}"] = [float(number).hex() for number in numbers]
"""
CHECKED = """
from hiddenhand.games.poker.leduc import LeducPoker
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.solvers.cfr import CFR
from hiddenhand.solvers.mccfr import MCCFR
from hiddenhand.trees.unroll import unroll

game = LeducPoker()
tree = unroll(game)
CFR(tree).run(20)
MCCFR(tree, "outcome").run(500)
found = {"Leduc": OOS(game).run(2000).information_sets}
"""


def found_by(program: str, **environment: str) -> dict[str, list[str]]:
    """What ``program`` finds in a process of its own."""
    command = [
        sys.executable,
        "-W",
        "error",
        "-c",
        program + "\nimport json\nprint(json.dumps(found))",
    ]
    done = subprocess.run(
        command,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("program", [SEARCHES, SOLVERS], ids=["searches", "solvers"])
def test_compiled_and_interpreted_runs_agree_bit_for_bit(program: str) -> None:
    compiled, interpreted = (
        found_by(program, NUMBA_DISABLE_JIT=disabled) for disabled in ("0", "1")
    )
    assert compiled.keys() == interpreted.keys()
    for name, numbers in compiled.items():
        assert numbers == interpreted[name], name


@pytest.mark.slow
def test_no_index_is_out_of_bounds(tmp_path: Path) -> None:
    known = found_by(CHECKED, NUMBA_BOUNDSCHECK="1", NUMBA_DISABLE_JIT="0")
    assert min(known.values()) > 200
