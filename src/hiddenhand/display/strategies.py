"""Strategies: tables of information sets in words, with bars for the probabilities."""

import contextlib
from collections.abc import Sequence
from typing import Final

from hiddenhand.display.parts import (
    MOST_ROWS,
    Markup,
    bars,
    figures,
    joined,
    number,
    plain,
    player_colour,
    title,
)
from hiddenhand.display.parts import table as rows_of
from hiddenhand.errors import HiddenhandError
from hiddenhand.games.registry import game_of, runs_code
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.trees.policy_report import Behaviour, SetBehaviour, StrategyTable
from hiddenhand.trees.strategy import Strategy
from hiddenhand.trees.unroll import unroll

_MOST_HISTORIES: Final = 50_000
"""Histories that are written out for words: some tenths of a second."""


def strategy(shown: Strategy) -> Markup:
    """A strategy: the first sets of a small game in words, else figures alone. A strategy may come
    from a stranger's file, so a display runs no code that the file names.
    """
    head = title("Strategy", f"{shown.game[:200]}, {shown.num_sets:,} information sets")
    with contextlib.suppress(HiddenhandError):  # a large game, or one that is not known here
        if not runs_code(shown.game):
            tree = unroll(as_sequential(game_of(shown.game)), _MOST_HISTORIES)
            return joined(head, _listed(shown.table(tree)))
    sizes = {"information sets": shown.num_sets, "probabilities": shown.probabilities.size}
    return joined(head, figures(sizes))


def table(shown: StrategyTable) -> Markup:
    """The first sets of a table."""
    return joined(title("StrategyTable", f"{len(shown):,} information sets"), _listed(shown))


def behaviour(shown: Behaviour) -> Markup:
    """What is played in one information set."""
    known = "" if shown.known else "not known, so all actions are played alike"
    return joined(title(f"player {shown.player + 1}", known), _listed([shown]))


def _listed(shown: Sequence[Behaviour]) -> Markup:
    rows = []
    for one in shown[:MOST_ROWS]:
        row = [
            str(one.player + 1),
            plain(one.information),
            bars(one.probabilities, player_colour(one.player)),
        ]
        if isinstance(one, SetBehaviour):
            worst = None if one.regrets is None else max(one.regrets.values())
            row += [f"{one.reach:.1%}", "" if worst is None else number(worst)]
        rows.append(row)
    more = ("reach", "largest regret") if shown and isinstance(shown[0], SetBehaviour) else ()
    return rows_of(("player", "sees", "plays", *more), rows, len(shown) - MOST_ROWS)
