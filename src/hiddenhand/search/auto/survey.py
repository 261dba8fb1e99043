"""What kind of game a search faces, found out from its rules and from a few random plays.

What can be done depends on three things: how many players there are and whether one's gain is the
other's loss; whether anything is hidden but choices made at the same moment; and whether chance
lists its outcomes, without which nothing can be written out. How large the game is matters as much,
and depends on where a match stands: see `fitting`.
"""

from dataclasses import dataclass

from hiddenhand.errors import GameError
from hiddenhand.games.base import Game, is_two_players_zero_sum
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.search.joint.following import verify_open_game


@dataclass(frozen=True)
class Survey:
    """What was found out about a game.

    zero_sum_for_two: whether it is a zero-sum game of two players.
    open: whether that is so, and nothing is hidden but what is chosen at the same moment.
    listed: whether chance lists its outcomes.
    """

    zero_sum_for_two: bool
    open: bool
    listed: bool


def survey(game: Game) -> Survey:
    """Look at a game."""
    game = as_sequential(game)
    return Survey(is_two_players_zero_sum(game), _is_open(game), game.lists_chance)


def _is_open(game: Game) -> bool:
    try:
        verify_open_game(game)
    except GameError:
        return False
    return True
