"""Strategies of ours as tabular policies of OpenSpiel, and back."""

from typing import Any

import numpy as np
import pyspiel

from hiddenhand.errors import GameError
from hiddenhand.games.base import Game
from hiddenhand.interop.openspiel.pairing import decisions, our_form
from hiddenhand.interop.openspiel.peer import in_turns
from hiddenhand.trees.strategy import Strategy, sorted_strategy

_TOLERANCE = 1e-6  # how far the probabilities of a policy may be from summing to 1


def to_tabular_policy(strategy: Strategy, game: Any, ours: Game | None = None) -> Any:
    """``strategy`` as a ``pyspiel.TabularPolicy`` for ``game``. Information sets that the strategy
    does not know are played uniformly.

    strategy: for the same game as a game of ours.
    game: a ``pyspiel.Game``; for one with simultaneous moves the policy is for its form in turns.
    ours: the game that the strategy is for, if it is not what `from_openspiel` returns.

    Raises FileError if the strategy is for another game, and GameError if OpenSpiel's information
    states do not tell our information sets apart.
    """
    own = our_form(game) if ours is None else ours
    strategy.verify(own)
    table: dict[str, list[tuple[int, float]]] = {}
    for pair in decisions(in_turns(game), own):
        actions = [action for action, _ in pair.moves]
        known = strategy.at(pair.ours.information_key)
        probabilities = [1.0 / len(actions)] * len(actions) if known is None else known.tolist()
        text = pair.theirs.information_state_string()
        row = list(zip(actions, probabilities, strict=True))
        if table.setdefault(text, row) != row:
            raise GameError(
                f"players of {own} remember more than OpenSpiel's information states tell, so the "
                f"strategy has no tabular policy: {text!r:.200} is several information sets here"
            )
    return pyspiel.TabularPolicy(table)


def from_policy(policy: Any, game: Any, ours: Game | None = None) -> Strategy:
    """The strategy for our game that plays as ``policy`` does.

    policy: a policy of OpenSpiel, from its C++ or its Python library, for the form of the game in
        turns. Information states that it does not know are left out.
    game, ours: as in `to_tabular_policy`.

    Raises GameError for probabilities that do not sum to 1.
    """
    own = our_form(game) if ours is None else ours
    keys, starts, probabilities = [], [0], list[float]()
    for pair in decisions(in_turns(game), own):
        row = _probabilities(policy, pair.theirs)
        if not row:
            continue
        if abs(sum(row.values()) - 1.0) > _TOLERANCE:
            text = pair.theirs.information_state_string()
            raise GameError(
                f"the policy has probabilities {row} at {text!r:.200}, which do not sum to 1"
            )
        keys.append(pair.ours.information_key)
        probabilities += [float(row.get(action, 0.0)) for action, _ in pair.moves]
        starts.append(len(probabilities))
    return sorted_strategy(
        own, np.array(keys, np.uint64), np.array(starts, np.int64), np.array(probabilities)
    )


def _probabilities(policy: Any, state: Any) -> dict[int, float]:
    """The probabilities of OpenSpiel's actions; nothing if the policy does not know the state."""
    if isinstance(policy, pyspiel.Policy):
        return dict(policy.get_state_policy(state.information_state_string()))
    return dict(policy.action_probabilities(state))
