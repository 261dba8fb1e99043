"""Bars of the strategy in an information set, and of the belief of the player there."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hiddenhand.errors import OptionError
from hiddenhand.games.base import Game
from hiddenhand.games.history import History
from hiddenhand.plots.figures import colour, new_figure, save, verify_picture
from hiddenhand.trees.policy_report import Behaviour, belief
from hiddenhand.trees.strategy import Strategy
from hiddenhand.trees.tree import GameTree

MOST_SETS: Final = 12
"""The most information sets in one picture."""
_MOST_SECRETS: Final = 20
_BAR, _HEAD = 0.32, 0.75  # inches for a bar, and for the space above and below the bars


def draw_strategy(behaviours: Behaviour | Sequence[Behaviour], path: Path | str) -> None:
    """Write a picture of a strategy: a bar for each action in each information set.

    behaviours: what `Strategy.behaviour` returns for an information set, or up to `MOST_SETS`
        entries of `Strategy.table`.
    path: the file to write; its suffix gives the format: .png, .svg or .pdf.

    Raises OptionError for none or too many, and if matplotlib is not installed; FileError if the
    picture cannot be written.
    """
    verify_picture(path)
    save(strategy_figure(behaviours), path)


def strategy_figure(behaviours: Behaviour | Sequence[Behaviour]) -> Any:
    """The figure of `draw_strategy`."""
    shown = [behaviours] if isinstance(behaviours, Behaviour) else list(behaviours)
    if not 0 < len(shown) <= MOST_SETS:
        raise OptionError(
            f"a picture shows 1 to {MOST_SETS} information sets, not {len(shown)}; select some "
            "with Strategy.table(...).find(WORDS)"
        )
    heights = [
        _HEAD + 0.18 * here.information.count("\n") + _BAR * len(here.probabilities)
        for here in shown
    ]
    figure, axes = new_figure(5.6, sum(heights), rows=len(shown))
    for here, place in zip(shown, [axes] if len(shown) == 1 else axes, strict=True):
        known = "" if here.known else " (not known)"
        _draw_bars(place, here.probabilities, colour(here.player))
        place.set_title(
            f"player {here.player + 1}{known}: {here.information}", fontsize=9, loc="left"
        )
    return figure


def draw_belief(
    game: GameTree | Game, history: History, path: Path | str, strategy: Strategy | None = None
) -> None:
    """Write a picture of the belief of the player to move after ``history``: each possible secret
    with its probability, if the others play ``strategy``. See `trees.policy_report.belief`. The
    picture lists the 20 likeliest secrets, and shows the others as one sum.

    path: the file to write; its suffix gives the format: .png, .svg or .pdf.

    Raises the errors of `belief`, OptionError if matplotlib is not installed, and FileError if the
    picture cannot be written.
    """
    verify_picture(path)
    found = belief(game, history, strategy)
    listed = dict(list(found.items())[:_MOST_SECRETS])
    if len(found) > len(listed):
        listed[f"{len(found) - len(listed)} others"] = 1.0 - sum(listed.values())
    seen = history.game.render(history.state, history.player)
    figure, axes = new_figure(5.6, _HEAD + 0.18 * seen.count("\n") + _BAR * (len(listed) + 0.5))
    _draw_bars(axes, listed, colour(history.player))
    axes.set_title(f"player {history.player + 1} sees {seen}", fontsize=9, loc="left")
    save(figure, path)


def _draw_bars(axes: Any, chances: Mapping[str, float], filled: str) -> None:
    """A horizontal bar for each of ``chances``, with its name and its number."""
    places = range(len(chances))
    axes.barh(places, list(chances.values()), color=filled, height=0.6)
    for place, chance in zip(places, chances.values(), strict=True):
        axes.text(chance + 0.01, place, f"{chance:.1%}", va="center", fontsize=8)
    axes.set_yticks(places, list(chances), fontsize=8)
    axes.set_xlim(0, 1.12)
    axes.set_xticks([])
    axes.invert_yaxis()
    axes.spines[["top", "right", "bottom"]].set_visible(False)
