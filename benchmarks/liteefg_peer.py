"""CFR+ as LiteEFG (PyPI) solves a game: one of ours, which LiteEFG reads from a ``.game`` file.

LiteEFG 1.0.0 has to be compiled, and needs JAX, so no lock of this project holds it. It is
installed by hand beside the extra ``peers``:

    pip install LiteEFG==1.0.0

Run as a program, ``python -m benchmarks.liteefg_peer``, it checks that both do the same on the
games that are measured: after equal iterations their averages are about as exploitable.
"""

import contextlib
import io
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from benchmarks.measuring import Measurement, interleaved, rate_for
from hiddenhand import CFR, load_game, unroll
from hiddenhand.games.base import Game
from hiddenhand.interop.liteefg import write_liteefg

ITERATIONS: Final = 200  # of the check
CLOSE: Final = 1.25  # averages are weighted a little differently, so nash_conv differs by this


def missing() -> str | None:
    """One sentence if LiteEFG is not installed, or None."""
    if find_spec("LiteEFG") is not None and find_spec("pyspiel") is not None:
        return None
    return "LiteEFG is not installed, so it is not measured; run: pip install LiteEFG==1.0.0"


class LiteEFG:
    """CFR+ of LiteEFG on a game of ours, with linear averages."""

    def __init__(self, game: Game) -> None:
        from LiteEFG import FileEnv
        from LiteEFG.baselines.CFRplus import graph

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "peer.game")
            write_liteefg(game, file)
            self._environment = FileEnv(str(file), "Enumerate")
        with contextlib.redirect_stdout(io.StringIO()):  # it prints a banner
            self._graph = graph()
        self._environment.set_graph(self._graph)

    def step(self) -> None:
        """One iteration: both players in turns, and the averages."""
        self._graph.update_graph(self._environment)
        self._environment.update_strategy(self._graph.current_strategy())

    def nash_conv(self) -> float:
        """Of the linear average."""
        strategy = self._graph.current_strategy()
        return float(sum(self._environment.exploitability(strategy, "linear-avg-iterate")))


def games() -> Iterator[tuple[str, Game]]:
    """OpenSpiel's Leduc, which tells suits apart, and a small Liar's Dice."""
    import pyspiel

    from benchmarks.openspiel_tree import tree_of

    yield "OpenSpiel's Leduc", tree_of(pyspiel.load_game("leduc_poker"))
    yield "Liar's Dice(1,1,4)", load_game("LD(1,1,4)")


def measure(rounds: int, seconds: float) -> Iterator[Measurement]:
    """CFR+ on the same trees. Says what is missing, and measures nothing, without LiteEFG."""
    if sentence := missing():
        print(sentence, file=sys.stderr)
        return
    for name, game in games():
        tree, peer = unroll(game), LiteEFG(game)

        def ours(_: int, tree: Any = tree) -> float:
            run = CFR(tree, "cfr+")
            run.run(10)
            return 2000 / run.run(2000).seconds

        def theirs(_: int, step: Callable[[], None] = peer.step) -> float:
            return rate_for(seconds, step)

        mine, others = interleaved(rounds, ours, theirs)
        note = f"{tree.num_histories:,} nodes, {tree.num_sets:,} information sets"
        yield Measurement(
            "CFR+", f"{name}, beside LiteEFG", "iterations/s", mine, others, "LiteEFG", note=note
        )


def check(iterations: int = ITERATIONS) -> Iterator[str]:
    """Solve each game by both. Raises AssertionError if they end with very different nash_conv."""
    for name, game in games():
        peer = LiteEFG(game)
        for _ in range(iterations):
            peer.step()
        theirs = peer.nash_conv()
        ours = CFR(unroll(game), "cfr+").run(iterations).nash_conv
        if not 1 / CLOSE < ours / theirs < CLOSE:
            raise AssertionError(
                f"CFR+ on {name} ends with nash_conv {ours:.5f} here and {theirs:.5f} in LiteEFG"
            )
        yield f"{name}, {iterations} iterations: nash_conv {ours:.5f} here, {theirs:.5f} in LiteEFG"


if __name__ == "__main__":
    if not_there := missing():
        sys.exit(not_there)
    for line in check():
        print(line)
