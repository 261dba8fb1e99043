"""Pictures of results, one function each, written to files: .png, .svg or .pdf.

    draw_convergence  nash_conv against iterations or seconds, with bands
    draw_payoffs      the mean payoffs of each pair of players in a tournament
    draw_strategy     the probabilities of a strategy in an information set
    draw_belief       the secrets that the player to move thinks possible, with probabilities
    draw_trade_offs   the gain against a player, and the risk of each such strategy
    draw_tree         the tree of a small game, with its information sets

``convergence_figure``, ``payoffs_figure``, ``strategy_figure`` and ``tree_figure`` return the
figure in place of writing it, for notebooks.

They need matplotlib, from the optional extra ``plots``.
"""

from hiddenhand.plots.bars import draw_belief, draw_strategy, strategy_figure
from hiddenhand.plots.convergence import convergence_figure, draw_convergence
from hiddenhand.plots.payoffs import draw_payoffs, payoffs_figure
from hiddenhand.plots.trade_offs import draw_trade_offs
from hiddenhand.plots.trees import draw_tree, tree_figure

__all__ = [
    "convergence_figure",
    "draw_belief",
    "draw_convergence",
    "draw_payoffs",
    "draw_strategy",
    "draw_trade_offs",
    "draw_tree",
    "payoffs_figure",
    "strategy_figure",
    "tree_figure",
]
