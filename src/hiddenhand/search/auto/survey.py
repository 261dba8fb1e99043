"""What kind of game a search faces, found out from its rules and from a few random plays.

What can be done depends on four things: how many players there are and whether one's gain is the
other's loss; whether anything is hidden, and if so, whether that is more than choices made at the
same moment; whether chance lists its outcomes and players remember all, without which nothing can
be written out and solved; and how large the game is, of which random plays give a rough idea.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from hiddenhand.errors import GameError
from hiddenhand.games.base import CHANCE, Game, is_constant_sum
from hiddenhand.games.history import History
from hiddenhand.games.rule_digests import remembers_all, rules_of
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.games.validation.conformance import verify_rules
from hiddenhand.search.simultaneous.simultaneous_search import verify_open_game
from hiddenhand.trees.tree_size import estimated_histories

_PLAYS: Final = 4000  # at random, with moves that are always the same
_MOVES: Final = 300  # at most, which are checked for whether all players notice them,
_LOOKS: Final = 30  # in at most as many plays
_COUNTED: Final = 10  # moves of a history that count, so that one history does not use up all looks
_COMPARED: Final = 100  # moves of a history that are compared with each other


@dataclass(frozen=True)
class Survey:
    """What was found out about a game.

    zero_sum_for_two: whether it is a zero-sum game of two players.
    open: whether that is so, and nothing is hidden but what is chosen at the same moment.
    in_plain_sight: whether all players see every move, as far as a few random plays show.
    moves_are_public: whether all players notice all actions of players, as far as a few random
        plays show.
    listed: whether all histories can be listed, and solved as a tree: chance lists its outcomes,
        and no player forgets.
    histories: how many the game has, roughly, without those after which no player has a choice;
        infinite where they cannot be listed.
    """

    zero_sum_for_two: bool
    open: bool
    in_plain_sight: bool
    moves_are_public: bool
    listed: bool
    histories: float


_FOUND: Final[dict[str, Survey]] = {}
"""What was found out before, by the digest of the rules: random plays take a second in games in
which chance has thousands of outcomes, and every match asks anew.
"""


def survey(game: Game) -> Survey:
    """Look at a game. Raises RuleError and ConformanceError, as `verify_rules` does."""
    game = as_sequential(game)
    verify_rules(game)
    rules = rules_of(game)
    if rules not in _FOUND:
        _FOUND[rules] = _found(game)
    return _FOUND[rules]


def _found(game: Game) -> Survey:
    listed = game.lists_chance and remembers_all(game)
    return Survey(
        zero_sum_for_two=is_constant_sum(game),
        open=_is_open(game),
        in_plain_sight=listed and _told_to_all(game, chance=True),
        moves_are_public=listed and _told_to_all(game, chance=False),
        listed=listed,
        histories=_size(game) if listed else math.inf,
    )


def _size(game: Game) -> float:
    return estimated_histories(game, 0, _PLAYS, decided=False)


def _told_to_all(game: Game, *, chance: bool) -> bool:
    """Whether different moves look different in public, in all histories of a few random plays.

    chance: whether that is so for moves of chance, too.
    """
    random, looked_at = np.random.default_rng(0), 0
    for _ in range(_LOOKS):
        history = History(game)
        while not history.is_terminal and looked_at < _MOVES:
            moves = history.legal_moves()
            if len(moves) > _COMPARED:
                moves = list(random.choice(moves, _COMPARED, replace=False))
            after = [history.child_by(history.player, move) for move in moves]
            going_on = [one.public_key for one in after if not one.is_terminal]
            told = history.player != CHANCE or chance
            if told and len(set(going_on)) < len(going_on):
                return False
            looked_at += min(len(after), _COUNTED)
            history = after[int(random.integers(len(after)))]
    return True


def _is_open(game: Game) -> bool:
    try:
        verify_open_game(game)
    except GameError:
        return False
    return True
