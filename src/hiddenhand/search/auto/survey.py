"""What kind of game a search faces, found out from its rules and from a few random plays.

What can be done depends on four things: how many players there are and whether one's gain is the
other's loss; whether anything is hidden but choices made at the same moment; whether everybody is
told of what happens, so that there are public states to resolve; and whether chance lists its
outcomes, without which nothing can be written out.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from hiddenhand.errors import GameError
from hiddenhand.games.base import CHANCE, Game, is_two_players_zero_sum
from hiddenhand.games.history import History
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.search.joint.following import verify_open_game

_PLAYS: Final = 3  # at random, with moves that are always the same
_PUBLIC: Final = 0.2  # the share of moves that everybody has to notice for public states to matter


@dataclass(frozen=True)
class Survey:
    """What was found out about a game.

    zero_sum_for_two: whether it is a zero-sum game of two players.
    open: whether that is so, and nothing is hidden but what is chosen at the same moment.
    public: whether everybody is told of a good part of what happens.
    listed: whether chance lists its outcomes.
    """

    zero_sum_for_two: bool
    open: bool
    public: bool
    listed: bool


def survey(game: Game) -> Survey:
    """Look at a game."""
    game = as_sequential(game)
    return Survey(
        zero_sum_for_two=is_two_players_zero_sum(game),
        open=_is_open(game),
        public=_public_share(game) >= _PUBLIC,
        listed=game.lists_chance,
    )


def _is_open(game: Game) -> bool:
    try:
        verify_open_game(game)
    except GameError:
        return False
    return True


def _public_share(game: Game) -> float:
    """The share of the players' moves in random plays of which the public learns something."""
    random, noticed, made = np.random.default_rng(0), 0, 0
    for _ in range(_PLAYS):
        history = History(game)
        while not history.is_terminal:
            mover, before = history.player, history.public_key
            if mover == CHANCE:
                history = history.child(history.sample_chance(random))
                continue
            history = history.child(int(random.choice(history.legal_actions())))
            made += 1
            noticed += history.public_key != before
    return noticed / max(made, 1)
