"""Which picture a result has: what ``result.plot()`` draws."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from hiddenhand.errors import OptionError
from hiddenhand.evaluation.measurement import Evaluation
from hiddenhand.matches.ranking import TournamentRecord
from hiddenhand.notebooks import Plotted
from hiddenhand.plots.bars import MOST_SETS, strategy_figure
from hiddenhand.plots.convergence import convergence_figure
from hiddenhand.plots.figures import save, verify_picture
from hiddenhand.plots.payoffs import payoffs_figure
from hiddenhand.plots.trees import tree_figure
from hiddenhand.search.snapshots import Curve
from hiddenhand.search.training import Trained
from hiddenhand.solvers.solution import Solution
from hiddenhand.trees.policy_report import Behaviour, StrategyTable
from hiddenhand.trees.tree import GameTree


def figure_of(result: Plotted, path: Path | str | None = None, **options: Any) -> Any:
    """The ``matplotlib.figure.Figure`` of a result. Arguments and errors are those of
    `Plotted.plot`.
    """
    if path is not None:
        verify_picture(path)
    draw = next((draw for kind, draw in _DRAWN.items() if isinstance(result, kind)), None)
    if draw is None:
        raise OptionError(f"{type(result).__name__} has no picture; see `hiddenhand.plots`")
    figure = draw(result, **options)
    if path is not None:
        save(figure, path)
    return figure


_DRAWN: Final[dict[type, Callable[..., Any]]] = {
    Solution: lambda found, **options: convergence_figure({found.method: found}, **options),
    Evaluation: lambda found, **options: convergence_figure({found.search: found}, **options),
    Curve: lambda found, **options: convergence_figure(
        {found.path.stem.removesuffix(".curve"): found}, **options
    ),
    Trained: lambda found, **options: convergence_figure(
        {found.method: found.curve}, **{"x": "seconds", **options}
    ),
    TournamentRecord: payoffs_figure,
    StrategyTable: lambda found, **options: strategy_figure(found[:MOST_SETS], **options),
    Behaviour: strategy_figure,
    GameTree: tree_figure,
}
