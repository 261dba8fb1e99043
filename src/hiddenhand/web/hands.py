"""What an equilibrium does with every hand of a seat, as a table.

The table has a row for each private state of the seat, and a column for each of the seat's
decisions in a match.

A column is a public situation. Its cells are the information sets of the seat in that public state,
one for each hand that the seat can have there. A hand has the name that the game gives to it as the
secret of that seat. Games in which the seat has no such secret have no table.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from hiddenhand.games.history import History
from hiddenhand.trees.policy_report import secret_from
from hiddenhand.web.exact_solution import Solved
from hiddenhand.web.judging import decisions
from hiddenhand.web.match import names_of
from hiddenhand.web.views import Plain

_MOST_ROWS: Final = 36
_LONGEST: Final = 24  # characters of the name of a hand
_SAYS: Final = ("they hold ", "they have ", "they are on ", "they ")
_LAST: Final = 3  # moves that the title of a column names


def hands_of(history: History, seat: int, known: Solved) -> Plain | None:
    """The table for a seat in a match of a solved game. None if the seat has no private state, or
    more states than a table can show.
    """
    columns, rows = list[Plain](), dict[str, list[Plain | None]]()
    for before in decisions(history):
        if before.player != seat:
            continue
        cells = _cells(before, known)
        if cells is None:
            return None
        for hand in cells:
            rows.setdefault(hand, [None] * len(columns))
        for hand, row in rows.items():
            row.append(cells.get(hand))
        columns.append({"ply": len(before.moves), "title": _title(before), "own": _hand(before)})
    if not columns or not 1 < len(rows) <= _MOST_ROWS:
        return None
    named = [{"name": name, "cells": cells} for name, cells in rows.items()]
    return {"columns": columns, "rows": named}


def _cells(before: History, known: Solved) -> dict[str, Plain] | None:
    """What the equilibrium does with each hand in the public situation of a decision; None if hands
    have no names, or two have the same.
    """
    tree = known.tree
    node = known.node_after(before.actions)
    alike = (tree.keys[:, -1] == tree.keys[node, -1]) & (tree.player == before.player)
    cells: dict[str, Plain] = {}
    for number in np.unique(tree.information_set[alike]):
        example = tree.a_history_in(int(number))
        hand = _hand(example)
        if not hand or hand in cells or len(hand) > _LONGEST:
            return None
        cells[hand] = {
            "moves": list(names_of(example).values()),
            "policy": known.policy(int(number)).tolist(),
        }
    return cells


def _hand(history: History) -> str:
    """The private state of the player to move: what the other player does not know."""
    secret = secret_from(history.game, history.state, 1 - history.player)
    for words in _SAYS:
        if secret.startswith(words):
            return secret.removeprefix(words)
    return ""


def _title(before: History) -> str:
    """A public situation in words: the last moves of the players."""
    walked, names = History(before.game), list[str]()
    for move in before.actions:
        if walked.player >= 0:
            names.append(walked.game.action_name(walked.state, walked.player, move))
        walked = walked.child(move)
    return _listed(names)


def _listed(names: Sequence[str]) -> str:
    if not names:
        return "first to act"
    return f"after {'… ' if len(names) > _LAST else ''}{', '.join(names[-_LAST:])}"
