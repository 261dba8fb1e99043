"""What people are told about the moves of others: that a player has moved, and which move it was
if everybody could notice that.

A game says in tokens what is noticed, and it has names for actions, but it does not say which names
a token gives away. Playing at random finds that out. A move may be named if all moves of the same
player that showed the same public token had the same name. Where the token was shown by moves of
several names, or was hardly ever seen, people are told only that there was a move.
"""

from collections import Counter, defaultdict
from typing import Final

import numpy as np

from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.checking.rule_errors import explained
from hiddenhand.games.history import History

_MOVES: Final = 4000  # how many moves are looked at
_ENOUGH: Final = 10  # how often a token must have been seen


class Announcer:
    """Tells what others may know of a move. Making one plays ``game`` at random for a moment."""

    def __init__(self, game: Game) -> None:
        self._game = game
        # for each mover and public token, the names of the moves that showed the token
        self._names: defaultdict[tuple[int, int], Counter[str]] = defaultdict(Counter)
        random, history = np.random.default_rng(0), History(game)
        for _ in range(_MOVES):
            at_chance = history.player == CHANCE
            after = history.child(
                history.sample_chance(random)
                if at_chance
                else int(random.choice(history.legal_actions()))
            )
            self._names[history.player, after.observations[-1]][_name_of_last(history, after)] += 1
            history = History(game) if after.is_terminal else after

    def said(self, before: History, after: History, seat: int) -> str | None:
        """The move between two histories as it is told at ``seat``; None for an own move, and for
        one of which nothing is noticed there.
        """
        mover, event = before.player, after.noticed(seat)
        if mover == seat or event is None:
            return None
        names = self._names[mover, event.public] if event.public else Counter[str]()
        name = _name_of_last(before, after)
        if set(names) == {name} and names[name] >= _ENOUGH:
            return f"chance: {name}" if mover == CHANCE else f"player {mover + 1}: {name}"
        return None if mover == CHANCE else f"player {mover + 1} has moved"


def _name_of_last(before: History, after: History) -> str:
    move = after.moves[-1]
    assert isinstance(move, int)  # matches are played in turns
    with explained(before):
        return before.game.action_name(before.state, before.player, move)
