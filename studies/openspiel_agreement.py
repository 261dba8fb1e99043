"""nash_conv in both programs: of random strategies, and of the equilibria that our linear program
finds, on small games of ours in OpenSpiel, of OpenSpiel here, and on games that both have. Of other
games that both have, the number of plays and what players earn in uniform play.

Usage: python -m studies.openspiel_agreement, in the root of the repository. It needs the
optional extra `openspiel`. It raises AssertionError where the programs differ.
"""

from typing import Any, Final

import numpy as np
import pyspiel
from benchmarks.kept import Kept
from benchmarks.measuring import surroundings

from hiddenhand import load_game, nash_conv, solve, unroll
from hiddenhand.games.base import is_constant_sum
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.interop.openspiel import from_openspiel, from_policy, to_tabular_policy
from hiddenhand.interop.openspiel.peer import in_turns
from hiddenhand.trees.profile import expected_values, uniform_profile
from hiddenhand.trees.strategy import strategy_from_profile

KEPT: Final = Kept.of(__file__)
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
BOTH: Final = (
    ("kuhn_poker(players=3)", "kuhn_poker(players=3)"),
    ("kuhn_poker(players=4)", "kuhn_poker(players=4)"),
    ("leduc_poker", "leduc_poker(suit_isomorphism=True)"),
    (
        "liars_dice(faces=3,bidding_rule=reset_quantity)",
        "liars_dice(dice_sides=3,bidding_rule=reset-quantity)",
    ),
    (
        "oshi_zumo(coins=3,min_bid=0,horizon=4,size=1)",
        "oshi_zumo(coins=3,min_bid=0,horizon=4,size=1)",
    ),
)
"""Games that both programs have with the same moves and information sets: here, and there."""
SIZES: Final = (
    ("first_sealed_auction(max_value=3)", "first_sealed_auction(max_value=3)", 1.0),
    ("first_sealed_auction(3,max_value=3)", "first_sealed_auction(players=3,max_value=3)", 1.0),
    ("leduc_poker(players=3)", "leduc_poker(players=3,suit_isomorphism=True)", 1.0),
    ("dark_hex(rows=2,columns=3)", "dark_hex(num_rows=2,num_cols=3)", 1.0),
    (
        "dark_hex(rows=3,columns=2,abrupt=true)",
        "dark_hex(num_rows=3,num_cols=2,gameversion=adh)",
        1.0,
    ),
    ("goofspiel(3,players=3)", "goofspiel(num_cards=3,players=3,points_order=descending)", 1.0),
    (
        "goofspiel(3,players=3,returns_type=point_difference)",
        "goofspiel(num_cards=3,players=3,points_order=descending,returns_type=point_difference)",
        1.5,  # here the mean of the others is taken off, there the mean of all
    ),
    (
        "goofspiel(4,returns_type=total_points)",
        "goofspiel(num_cards=4,points_order=descending,returns_type=total_points)",
        1.0,
    ),
)
"""Games of both programs that are large or differ in their information sets: here, there, and by
what payoffs there are multiplied. OpenSpiel plays the last card of Goofspiel by itself, tells how
many moves were made in Dark Hex, and has a move of chance after each auction.
"""
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


def plays_there(peer: Any) -> dict[str, Any]:
    """The number of plays of OpenSpiel's game, and what each player earns in uniform play."""
    game = in_turns(peer)
    plays, earned = 0, np.zeros(game.num_players())
    todo = [(game.new_initial_state(), 1.0)]
    while todo:
        state, chance = todo.pop()
        if state.is_terminal():
            plays, earned = plays + 1, earned + chance * np.array(state.returns())
            continue
        if state.is_chance_node():
            moves, parts = zip(*state.chance_outcomes(), strict=True)
        else:
            moves = state.legal_actions()
            parts = [1.0 / len(moves)] * len(moves)
        todo += [
            (state.child(move), chance * part)
            for move, part in zip(moves, parts, strict=True)
            if part > 0.0
        ]
    return {"plays": plays, "earned": earned.tolist()}


def plays_here(ours: Any) -> dict[str, Any]:
    """As `plays_there`, of a game of ours."""
    tree = unroll(ours)
    earned = expected_values(tree, uniform_profile(tree))
    return {"plays": tree.counts().terminal_histories, "earned": earned.tolist()}


def sized(ours: str, theirs: str, factor: float) -> dict[str, Any]:
    """The plays of a game in both programs. Raises AssertionError if they differ."""
    here = plays_here(as_sequential(load_game(ours)))
    there = plays_there(pyspiel.load_game(theirs))
    print(ours, here, there, flush=True)
    same = np.allclose(here["earned"], factor * np.array(there["earned"]), atol=_TOLERANCE)
    if here["plays"] != there["plays"] or not same:
        raise AssertionError(f"the programs differ on {ours}: {here} and {there}")
    return {"openspiel": theirs, "factor": factor, **there}


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
    for ours, theirs in BOTH:
        rows[f"{ours} and {theirs}"] = compared(
            pyspiel.load_game(theirs), as_sequential(load_game(ours))
        )
        show(f"{ours} and {theirs}", rows[f"{ours} and {theirs}"])
    sizes = {names[0]: sized(*names) for names in SIZES}
    found = {"nash_conv": rows, "plays": sizes, "at": surroundings()}
    KEPT.write(found)


def show(name: str, row: dict[str, float]) -> None:
    """Print a row. Raises AssertionError if the programs differ."""
    print(name, ", ".join(f"{what} {value:.9f}" for what, value in row.items()), flush=True)
    agree = all(abs(row[other] - row["here"]) < _TOLERANCE for other in ("there", "and back"))
    if not agree or abs(row.get("equilibrium there", 0.0)) > _TOLERANCE:
        raise AssertionError(f"the programs differ on {name}: {row}")


if __name__ == "__main__":
    main()
