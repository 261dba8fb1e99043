"""Pictures of results, one function each, written to files: .png, .svg or .pdf.

    draw_convergence  nash_conv against iterations or seconds, with bands
    draw_payoffs      who earns what against whom in a tournament
    draw_strategy     what a strategy plays in an information set
    draw_belief       what may be hidden from the player to move, and how likely each of it is
    draw_trade_offs   what can be earned against a player, and what is risked by it
    draw_tree         the tree of a small game, with its information sets

They need matplotlib, which the optional extra ``plots`` installs.
"""

from hiddenhand.plots.bars import draw_belief, draw_strategy
from hiddenhand.plots.convergence import draw_convergence
from hiddenhand.plots.payoffs import draw_payoffs
from hiddenhand.plots.trade_offs import draw_trade_offs
from hiddenhand.plots.trees import draw_tree

__all__ = [
    "draw_belief",
    "draw_convergence",
    "draw_payoffs",
    "draw_strategy",
    "draw_trade_offs",
    "draw_tree",
]
