"""Subgames in vector form: what comes from one public history on, solved anew and kept safe.

See `search.resolving.gadgets`. The *resolver* r plays a public history S anew; o is the opponent,
and for a hand h of o

y_r, y_o  the parts of the players in the probability of coming to S with each hand
t(h)      what h is worth to o, by a best response to what r played so far, counterfactually: times
          y_r and chance's part

In the resolving gadget o chooses with each hand whether to *follow* into S, or to *terminate* and
be paid t(h). So a subgame is one more situation before S, in which o has these two actions.
"""

from dataclasses import replace
from typing import Any, Final

import numpy as np

from hiddenhand.jit.arrays import Floats
from hiddenhand.solvers.vector_form.profile import Ranges
from hiddenhand.solvers.vector_form.public_game import (
    NOTHING,
    SAME,
    Payments,
    PublicGame,
    VectorForm,
)

FOLLOW: Final = 0
TERMINATE: Final = 1


def subgame(
    form: VectorForm,
    situation: int,
    ranges: Ranges,
    resolver: int,
    worth: Floats | None = None,
) -> VectorForm:
    """The game from a public history on.

    situation: of the public history.
    ranges: how much each hand plays to get there. That of the opponent says how much attention each
        of their hands gets.
    resolver: r.
    worth: ``float64[H]``, t; None for a game without a gadget, which is not safe.
    """
    whole = replace(form, root=situation, ranges=ranges)
    if worth is None:
        return whole
    arrays = _with_gadget(form.arrays, situation, 1 - resolver, worth, ranges[resolver])
    hands = worth.size
    return replace(
        whole,
        arrays=arrays,
        root=arrays.mover.size - 1,
        depth=form.depth + 1,
        most_numbers=max(form.most_numbers, 2 * hands),
    )


def _with_gadget(
    game: PublicGame, situation: int, opponent: int, worth: Floats, range_: Floats
) -> PublicGame:
    """The arrays with one more situation, in which the opponent follows or terminates."""
    hands = game.num_hands[situation]
    size = game.size[situation].copy()
    size[opponent] += 2 * worth.size
    base = np.zeros((2, 2), np.int64)
    base[:, opponent] = 2 * worth.size
    matrix, payments = _terminating(game.payments, hands, opponent, worth, range_)
    return replace(
        game,
        mover=_more(game.mover, opponent),
        num_hands=np.concatenate([game.num_hands, hands[None]]),
        num_actions=_more(game.num_actions, 2),
        first_edge=_more(game.first_edge, game.first_edge[-1] + 2),
        first_legal=_more(game.first_legal, SAME),
        size=np.concatenate([game.size, size[None]]),
        action=_more(game.action, FOLLOW, TERMINATE),
        child=_more(game.child, situation, NOTHING),
        base=np.concatenate([game.base, base]),
        first_hand=np.concatenate([game.first_hand, np.full((2, 2), SAME)]),
        matrix=_more(game.matrix, NOTHING, matrix),
        factor=_more(game.factor, 0.0, 1.0),
        payments=payments,
    )


def _terminating(
    payments: Payments, hands: Any, opponent: int, worth: Floats, range_: Floats
) -> tuple[int, Payments]:
    """One more matrix, by which each hand of the opponent is paid what it is worth: its number, and
    all of them.
    """
    lines: list[Floats] = [np.zeros(0), np.zeros(0)]
    lines[opponent] = worth
    lines[1 - opponent] = np.full(hands[1 - opponent], 1.0 / range_.sum())
    first = payments.kind.size
    entry = 1.0 if opponent == 0 else -1.0  # matrices say what player 0 is paid
    return payments.first_entry.size, Payments(
        np.concatenate([payments.first_line, [[first, first + lines[0].size]]]),
        _more(payments.kind, *np.zeros(lines[0].size + lines[1].size)),
        _more(payments.factor, *lines[0], *lines[1]),
        _more(payments.first_entry, payments.entry.size),
        np.concatenate([payments.num_kinds, np.ones((1, 2), np.int32)]),
        _more(payments.entry, entry),
    )


def _more(array: Any, *values: Any) -> Any:
    return np.concatenate([array, np.array(values, array.dtype)])
