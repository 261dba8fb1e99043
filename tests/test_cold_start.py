"""Two fresh processes, one empty cache: the first compiles, the second does not, and both answer
alike. This is what catches broken caches.
"""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

# Each snippet leaves what it found in `answer`, something that JSON can hold. Together they run
# every public kernel.
SNIPPETS = {
    "keys of a history": """
        from hiddenhand.games.history import History
        from hiddenhand.games.poker.kuhn import KuhnPoker

        history = History(KuhnPoker()).child(0).child(2).child(1).child(0)
        answer = [history.key(0), history.key(1), history.public_key, *history.returns()]
    """,
    "keys of simultaneous moves": """
        from hiddenhand.games.goofspiel import Goofspiel
        from hiddenhand.games.history import History

        history = History(Goofspiel(num_cards=3, imp_info=True)).child((0, 2)).child((2, 1))
        answer = [history.key(0), history.key(1), history.public_key]
    """,
    "a table saved and loaded": """
        from hiddenhand.compiled.table import new_table, num_sets, table_from_arrays, table_to_arrays

        answer = num_sets(table_from_arrays(table_to_arrays(new_table(per_action=2))))
    """,
    "a tree, its profiles and a strategy on it": """
        from hiddenhand import best_response, counterfactual_values, load_game, nash_conv, strategy_from_profile, uniform_profile, unroll
        from hiddenhand.trees.profile import history_values, reach_probabilities

        tree = unroll(load_game("Kuhn"))
        uniform = uniform_profile(tree)
        known = strategy_from_profile(tree, best_response(tree, uniform, 0).profile).on(tree, "fixed")
        answer = [nash_conv(tree, known), counterfactual_values(tree, known, 1).tolist()]
        answer += [history_values(tree, known).tolist(), reach_probabilities(tree, known).tolist()]
    """,
    "solvers": """
        from hiddenhand import MCCFR, cfr, load_game, unroll

        tree = unroll(load_game("Kuhn"))
        answer = [cfr(tree, "pcfr+", iterations=10).nash_conv]
        answer += [MCCFR(tree, sampling, seed=1).run(100).nash_conv for sampling in ("external", "outcome", "outcome-parallel")]
    """,
    "a search": """
        from hiddenhand import OnlineOutcomeSampling, load_game

        search = OnlineOutcomeSampling(load_game("IIGS(3)"), seed=1)
        search.run(iterations=2000)
        answer = search.strategy().probabilities.tolist()
    """,
    "exact play with simultaneous moves": """
        from hiddenhand import load_game
        from hiddenhand.search.joint.double_oracle.search import DoubleOracle
        from hiddenhand.states.induction import solve_by_induction
        from hiddenhand.states.matrix_games import solve_matrix

        found, search = solve_by_induction(load_game("GS(3)")), DoubleOracle(load_game("GS(3)"))
        search.think(iterations=3)
        answer = [found.profile.tolist(), found.strategy().probabilities.tolist(), search.value, search.policy(3).tolist()]
        answer.append(solve_matrix([[1, 0, 0], [0, 2, 0], [0, 0, 3]]).rows.tolist())
    """,
    "searches of simultaneous moves": """
        from hiddenhand import SMMCTS, SMOOS, load_game
        from hiddenhand.games.history import History
        from hiddenhand.experiments.bandits import make_bandit

        answer = []
        for search in (SMMCTS(load_game("goofspiel(num_cards=3)"), seed=1), SMOOS(load_game("goofspiel(num_cards=3)"), seed=1)):
            search.think(iterations=1000)
            answer += search.weights().values.tolist()
            at = History(search.game).child(0)
            event = at.noticed(0)
            search.notice([event, at.child(1).noticed(0)])
            search.think(iterations=100)
            answer += search.policy(2).tolist()
        answer.append(make_bandit("rm", 2).play([[1.0, 0.0]] * 100).earned)
    """,
    "searches in a match": """
        from hiddenhand import CR, ISMCTS, MCCR, PIMC, OnlineOutcomeSampling, load_game
        from hiddenhand.games.history import History

        game = load_game("Kuhn")
        at = History(game).child(0).child(2).child(1)
        events = [History(game).child(0).child(2).noticed(1), at.noticed(1)]
        answer = []
        for make in (OnlineOutcomeSampling, ISMCTS, PIMC, CR, MCCR):
            search = make(game)
            search.start(1, 1)
            search.think(iterations=50)
            search.notice(events)
            search.think(iterations=50)
            answer += search.policy(2).tolist()
    """,
    "the conformance test": """
        from hiddenhand.games import check, load_game

        answer = check(load_game("coordination_game"), plays=10).histories
    """,
}

PROGRAM = """
import json
import sys
from hiddenhand.compiled.kernels import when_compiling

names = {"answer": None}
compiled = []
with when_compiling(compiled.append):
    exec(sys.argv[1], names)
print(json.dumps({"compiled": compiled, "answer": names["answer"]}))
"""


def run_fresh(program: str, *arguments: str, cache: Path) -> Any:
    """What ``program`` prints, as JSON, when a new Python runs it with compiled code kept in
    ``cache``.
    """
    environment = {**os.environ, "HIDDENHAND_CACHE": str(cache)}
    command = [sys.executable, "-W", "error", "-c", program, *arguments]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled")
@pytest.mark.parametrize("snippet", SNIPPETS.values(), ids=SNIPPETS.keys())
def test_second_process_compiles_nothing(snippet: str, tmp_path: Path) -> None:
    first, second = (run_fresh(PROGRAM, textwrap.dedent(snippet), cache=tmp_path) for _ in range(2))
    assert first["compiled"] != []
    assert second["compiled"] == []
    assert first["answer"] is not None
    assert first["answer"] == second["answer"]


@pytest.mark.parametrize("module", ["hiddenhand", "hiddenhand.cli.main"])
def test_import_loads_nothing_heavy(module: str, tmp_path: Path) -> None:
    """``hiddenhand --help`` must be fast."""
    program = (
        f"import json, sys, {module}; print(json.dumps([name for name in ('numba', 'scipy') if "
        "name in sys.modules]))"
    )
    assert run_fresh(program, cache=tmp_path) == []
