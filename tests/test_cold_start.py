"""Fresh processes that share a cache: what one has compiled, the next loads, and both answer alike.
This is what catches broken caches.
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
        from hiddenhand.jit.infoset_table import (
            new_table,
            num_sets,
            table_from_arrays,
            table_to_arrays,
        )

        answer = num_sets(table_from_arrays(table_to_arrays(new_table(per_action=2))))
    """,
    "a tree, its profiles and a strategy on it": """
        import hiddenhand
        from hiddenhand.trees.profile import (
            counterfactual_values,
            history_values,
            reach_probabilities,
            uniform_profile,
        )
        from hiddenhand.trees.strategy import strategy_from_profile

        tree = hiddenhand.unroll(hiddenhand.load_game("Kuhn"))
        response = hiddenhand.best_response(tree, uniform_profile(tree), 0).profile
        known = strategy_from_profile(tree, response).on(tree, "fixed")
        answer = [hiddenhand.nash_conv(tree, known)]
        answer.append(counterfactual_values(tree, known, 1).tolist())
        answer += [history_values(tree, known).tolist(), reach_probabilities(tree, known).tolist()]
    """,
    "solvers": """
        from hiddenhand import CFR, MCCFR, load_game, unroll

        tree = unroll(load_game("Kuhn"))
        answer = [CFR(tree, "pcfr+").run(10).nash_conv]
        for sampling in ("external", "outcome", "outcome-parallel"):
            answer.append(MCCFR(tree, sampling, seed=1).run(100).nash_conv)
    """,
    "a search": """
        from hiddenhand import OOS, load_game

        search = OOS(load_game("IIGS(3)"), seed=1)
        search.run(iterations=2000)
        answer = search.strategy().probabilities.tolist()
    """,
    "exact play with simultaneous moves": """
        from hiddenhand import load_game
        from hiddenhand.search.simultaneous.double_oracle.search import DoubleOracle
        from hiddenhand.solvers.simultaneous.backward_induction import solve_by_induction
        from hiddenhand.solvers.simultaneous.matrix_games import solve_matrix

        found, search = solve_by_induction(load_game("GS(3)")), DoubleOracle(load_game("GS(3)"))
        search.think(iterations=3)
        answer = [found.profile.tolist(), found.strategy().probabilities.tolist()]
        answer += [search.value, search.policy(3).tolist()]
        answer.append(solve_matrix([[1, 0, 0], [0, 2, 0], [0, 0, 3]]).rows.tolist())
    """,
    "searches of simultaneous moves": """
        from hiddenhand import SMMCTS, SMOOS, load_game
        from hiddenhand.games.history import History

        answer, game = [], load_game("goofspiel(num_cards=3)")
        for search in (SMMCTS(game, seed=1), SMOOS(game, seed=1)):
            search.think(iterations=1000)
            answer += search.weights().values.tolist()
            at = History(search.game).child(0)
            event = at.noticed(0)
            search.notice([event, at.child(1).noticed(0)])
            search.think(iterations=100)
            answer += search.policy(2).tolist()
    """,
    "searches in a match": """
        from hiddenhand import CR, ISMCTS, MCCR, OOS, PIMC, load_game
        from hiddenhand.games.history import History
        from hiddenhand.games.tree_game import TreeGame

        game = TreeGame.from_game(load_game("Kuhn"))
        dealt = History(game).child(0).child(1)
        events = [dealt.noticed(1), dealt.child(1).noticed(1)]
        answer = []
        for make in (OOS, ISMCTS, PIMC, CR, MCCR):
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
SMALL = ("keys of a history", "a table saved and loaded")
"""What the test with an empty cache runs."""

PROGRAM = """
import json
import sys
from hiddenhand.jit.kernels import when_compiling

answers, compiled = [], []
with when_compiling(compiled.append):
    for snippet in sys.argv[1:]:
        names = {}
        exec(snippet, names)
        answers.append(names["answer"])
print(json.dumps({"compiled": compiled, "answers": answers}))
"""

compiled_only = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled"
)


def run_fresh(program: str, *arguments: str, cache: Path | None = None) -> Any:
    """What ``program`` prints, as JSON, when a new Python runs it with compiled code kept in
    ``cache``; in the folder that all tests share, unless said.
    """
    environment = dict(os.environ)
    if cache is not None:
        environment["HIDDENHAND_CACHE"] = str(cache)
    command = [sys.executable, "-W", "error", "-c", program, *arguments]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@compiled_only
def test_what_one_process_compiles_the_next_loads(tmp_path: Path) -> None:
    """From an empty cache, two kernels and what they need."""
    snippets = [textwrap.dedent(SNIPPETS[name]) for name in SMALL]
    first, second = (run_fresh(PROGRAM, *snippets, cache=tmp_path) for _ in range(2))
    assert first["compiled"] != []
    assert second["compiled"] == []
    assert first["answers"] == second["answers"]


@pytest.mark.slow
@compiled_only
def test_every_public_kernel_is_loaded_by_the_next_process() -> None:
    """In the cache that all tests share, so that only what no test has compiled yet is compiled."""
    snippets = [textwrap.dedent(snippet) for snippet in SNIPPETS.values()]
    first, second = (run_fresh(PROGRAM, *snippets) for _ in range(2))
    assert second["compiled"] == []
    for name, answer, again in zip(SNIPPETS, first["answers"], second["answers"], strict=True):
        assert answer is not None, name
        assert answer == again, name


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("hiddenhand", ("numba", "scipy", "numpy", "joblib", "rich", "typer", "asyncio")),
        ("hiddenhand.cli.main", ("numba", "scipy")),
    ],
)
def test_import_loads_nothing_heavy(module: str, heavy: tuple[str, ...], tmp_path: Path) -> None:
    """``hiddenhand --help`` must be fast, and ``import hiddenhand`` takes less than 0.1 seconds."""
    program = (
        f"import json, sys, {module}; print(json.dumps([name for name in {heavy!r} if "
        "name in sys.modules]))"
    )
    assert run_fresh(program, cache=tmp_path) == []


def test_the_server_says_its_address_before_it_loads_the_engine() -> None:
    """The games are loaded while the browser opens the first page. The garbage collector is on."""
    pytest.importorskip("starlette", reason="the table in the browser needs hiddenhand[web]")
    program = (
        "import gc, sys; import hiddenhand.web.serving as serving; "
        "serving.serve = lambda *_: print('numba' in sys.modules, gc.isenabled()); "
        "sys.argv = ['hiddenhand', 'serve', 'kuhn_poker', '--port', '0', '--no-browser']; "
        "from hiddenhand.cli.main import main; main()"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["False", "True"]
