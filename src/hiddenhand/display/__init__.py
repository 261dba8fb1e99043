"""Objects as HTML, which notebooks show in place of their text.

    games       a game, a history
    matches     a match, a tournament
    strategies  a strategy, and what it does in information sets
    results     what a solver, a search, training or a measurement found
    trees       a game that is written out
    beliefs     what a player thinks possible
    parts       the elements that all of these are made of

The HTML has no scripts and loads nothing. Its words take the colours of the notebook. Pictures,
bars and curves are light or dark as the system is (``prefers-color-scheme``), unless the page says
it: by ``data-theme`` on its root element, or as JupyterLab and Visual Studio Code do. Every text
that comes from a game or a user is escaped.

`html_of` finds the function for the class of an object by name, so that nothing is loaded that is
not shown.
"""

from typing import Final

from hiddenhand.display.parts import joined, plain, sheet, tag, title
from hiddenhand.errors import ConformanceError, GameError, HiddenhandError, RuleError
from hiddenhand.user_code import imported

SHOWN: Final = {
    "evaluation.measurement.Evaluation": "results:evaluation",
    "games.base.Game": "games:game",
    "games.history.History": "games:history",
    "matches.match.MatchRecord": "matches:match",
    "matches.ranking.TournamentRecord": "matches:tournament",
    "search.belief.belief.Belief": "beliefs:belief",
    "search.snapshots.Curve": "results:curve",
    "search.result.SearchResult": "results:search",
    "search.training.Trained": "results:trained",
    "trees.policy_report.Behaviour": "strategies:behaviour",
    "trees.policy_report.Secrets": "beliefs:secrets",
    "trees.policy_report.StrategyTable": "strategies:table",
    "solvers.solution.Solution": "results:solution",
    "trees.strategy.Strategy": "strategies:strategy",
    "trees.tree.GameTree": "trees:tree",
}
"""For each class that is shown, by its module and name, the module and function that do it."""


def html_of(value: object) -> str | None:
    """``value`` as HTML. None if no function shows objects of its class. None also if what it
    shows cannot be found out, such as the picture of a game whose rules are not complete. For a
    game whose rules fail, or a history of it, what `check` says of that.
    """
    for cls in type(value).__mro__:
        place = f"{cls.__module__}.{cls.__qualname__}".removeprefix("hiddenhand.")
        if place in SHOWN:
            show = imported(f"hiddenhand.display.{SHOWN[place]}")
            try:
                return sheet(show(value))
            except (RuleError, ConformanceError) as fault:
                return sheet(_told(value, fault))
            except HiddenhandError:
                return None
            except Exception:  # of the game, or a defect of ours
                if (found := _fault_of(value)) is None:
                    raise
                return sheet(_told(value, found))
    return None


def _fault_of(value: object) -> GameError | None:
    """What is wrong with a game, or with the game of a history; None for other objects."""
    from hiddenhand.games.base import Game
    from hiddenhand.games.history import History
    from hiddenhand.games.validation.inspector import first_fault

    if isinstance(value, History):
        return first_fault(value.game, value.moves)
    return first_fault(value) if isinstance(value, Game) else None


def _told(value: object, fault: GameError) -> str:
    """An object that cannot be shown, by the name of its class, with what is wrong."""
    return joined(title(type(value).__name__), tag("p", plain(str(fault))))
