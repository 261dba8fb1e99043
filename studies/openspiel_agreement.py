"""nash_conv in both programs: of random strategies, and of the equilibria that our linear program
finds, on small games of ours in OpenSpiel and of OpenSpiel here.

Usage: python -m studies.openspiel_agreement, in the root of the repository. It needs the
optional extra `openspiel`. It raises AssertionError where the programs differ.
"""

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyspiel
from benchmarks.measuring import surroundings

from hiddenhand import load_game, nash_conv, solve, unroll
from hiddenhand.files import write_whole
from hiddenhand.games.base import is_constant_sum
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.interop.openspiel import from_openspiel, from_policy, to_tabular_policy
from hiddenhand.interop.openspiel.peer import in_turns
from hiddenhand.trees.strategy import strategy_from_profile

KEPT: Final = Path(__file__).parent / "results" / "openspiel_agreement.json"
OURS: Final = (
    *("kuhn_poker", "kuhn_poker(num_cards=5)", "leduc_poker", "coordination_game", "BRPS(10)"),
    *("IIGS(3)", "GS(3)", "goofspiel(num_cards=4)", "LD(1,1,2)", "LD(1,1,3)", "random(2,2)"),
    *("PE(3,3,2)", "GP(2,2,1,1)", "oshi_zumo(coins=4)", "coordinated_mp"),
)
THEIRS: Final = (
    *("kuhn_poker", "kuhn_poker(players=3)", "leduc_poker", "coordinated_mp", "lewis_signaling"),
    *("tiny_hanabi", "first_sealed_auction", "matrix_rps", "matrix_pd", "matching_pennies_3p"),
    *("goofspiel(num_cards=3,imp_info=True)", "dark_hex(board_size=2,num_cols=2,num_rows=2)"),
    "liars_dice(dice_sides=2)",
)
_TOLERANCE: Final = 1e-9


def compared(peer: Any, ours: Any) -> dict[str, float]:
    """nash_conv here and there, of a random strategy and of an equilibrium."""
    tree, sequential = unroll(ours), in_turns(peer)
    random = np.random.default_rng(1)
    rows = [random.dirichlet(np.ones(n)) for n in np.diff(tree.set_start)]
    profile = np.concatenate([np.ones(tree.num_players), *rows])
    strategy = strategy_from_profile(tree, profile)
    policy = to_tabular_policy(strategy, peer, ours)
    back = from_policy(policy, peer, ours).on(tree)
    found = {
        "here": nash_conv(tree, profile),
        "there": float(pyspiel.nash_conv(sequential, policy)),
        "and back": nash_conv(tree, back),
    }
    if is_constant_sum(tree.game):
        best = to_tabular_policy(solve(tree, method="lp").strategy(), peer, ours)
        found["equilibrium there"] = float(pyspiel.nash_conv(sequential, best))
    return found


def main() -> None:
    """Compare, print, keep."""
    rows: dict[str, dict[str, float]] = {}
    for spec in OURS:
        peer = pyspiel.load_game("hiddenhand", {"game": spec})
        rows[spec] = compared(peer, as_sequential(load_game(spec)))
        show(spec, rows[spec])
    for name in THEIRS:
        peer = pyspiel.load_game(name)
        rows[f"openspiel:{name}"] = compared(peer, from_openspiel(peer, max_histories=10**6))
        show(name, rows[f"openspiel:{name}"])
    found = {"nash_conv": rows, "at": surroundings()}
    write_whole(KEPT, (json.dumps(found, indent=1) + "\n").encode())


def show(name: str, row: dict[str, float]) -> None:
    """Print a row. Raises AssertionError if the programs differ."""
    print(name, ", ".join(f"{what} {value:.9f}" for what, value in row.items()), flush=True)
    agree = all(abs(row[other] - row["here"]) < _TOLERANCE for other in ("there", "and back"))
    if not agree or abs(row.get("equilibrium there", 0.0)) > _TOLERANCE:
        raise AssertionError(f"the programs differ on {name}: {row}")


if __name__ == "__main__":
    main()
