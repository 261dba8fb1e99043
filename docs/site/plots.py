"""A picture of each kind, of small poker games: ``python -m docs.site.plots FOLDER``.

This program makes the pictures of docs/data.md.
"""

import argparse
from pathlib import Path

from hiddenhand.evaluation.evaluate import evaluate
from hiddenhand.games.registry import load_game
from hiddenhand.matches.ranking import play_tournament
from hiddenhand.plots import draw_belief, draw_convergence, draw_payoffs, draw_strategy, draw_tree
from hiddenhand.solvers.linear_program import solve_lp
from hiddenhand.trees.policy_report import history_after
from hiddenhand.trees.unroll import unroll

_SEARCHES = ("oos", "ismcts(selector=rm)", "smooth-uct")
_PLAYERS = ("equilibrium", "oos", "ismcts(selector=uct)", "random")
_MOVES = ("Q", "K", "check", "bet", "raise")


def write_gallery(folder: Path) -> None:
    """Write the pictures into ``folder``."""
    kuhn, leduc = unroll(load_game("kuhn_poker")), unroll(load_game("leduc_poker"))
    played = solve_lp(leduc).strategy()
    draw_tree(kuhn, folder / "plot-tree.png", solve_lp(kuhn).strategy())
    draw_strategy(played.table(leduc).find("Q they bet not")[:3], folder / "plot-strategy.png")
    history = history_after(leduc.game, _MOVES)
    draw_belief(leduc, history, folder / "plot-belief.png", played)
    found = {
        name: evaluate(leduc, name, method="root", iterations=2**18, seeds=range(5))
        for name in _SEARCHES
    }
    title = "Leduc poker, searched from the root; 5 seeds"
    draw_convergence(found, folder / "plot-convergence.png", title)
    record = play_tournament(leduc.game, _PLAYERS, 200, iterations=300, seed=1, deals=1)
    title = "Leduc poker, 300 iterations a move"
    draw_payoffs(record, folder / "plot-payoffs.png", title)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write a picture of each kind into a folder.")
    parser.add_argument("folder", type=Path)
    write_gallery(parser.parse_args().folder)
