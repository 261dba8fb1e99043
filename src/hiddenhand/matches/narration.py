"""Moves in words for people: what each observer noticed of them.

A game may tell its moves itself, see `Game.tell`. Other games have tokens for what is noticed, and
names for actions, but they do not say which names a token gives away. The announcer finds that out
by playing at random. It names a move if all moves of the same player that showed an observer the
same tokens, public and private, had the same name. Where moves of several names showed the tokens,
or where they were hardly ever seen, people read only that there was a move. The same holds if
another move in that position would have shown the tokens.
"""

from collections import Counter, defaultdict
from typing import Final

import numpy as np

from hiddenhand.games.base import ALL_SEEING, CHANCE, SPECTATOR, Game
from hiddenhand.games.history import History
from hiddenhand.games.validation.rule_errors import explained, root

_MOVES: Final = 4000  # how many moves are looked at
_Tokens = tuple[int, int, int]
"""An observer, and the private and the public token that it noticed."""
_ENOUGH: Final = 10  # how often a token must have been seen


class Announcer:
    """Tells what an observer may know of a move. The constructor plays ``game`` at random for a
    moment, unless the game tells its moves itself.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        # for each mover, and what an observer noticed, the names of the moves that showed it
        self._names: defaultdict[tuple[int, _Tokens], Counter[str]] = defaultdict(Counter)
        random, history = np.random.default_rng(0), root(game)
        for _ in range(_MOVES):
            after = _random_child(history, random)
            if self._told(history, after, ALL_SEEING) is None:
                name = _name_of_last(history, after)
                for observer in (SPECTATOR, *range(game.num_players)):
                    self._names[history.player, _tokens(after, observer)][name] += 1
            if after.is_terminal and not self._names:
                return  # the game tells all its moves
            history = root(game) if after.is_terminal else after

    def said(self, before: History, after: History, observer: int) -> str | None:
        """The move between two histories in words for ``observer``, a player, `SPECTATOR` or
        `ALL_SEEING`; None if there is nothing to say.
        """
        if not is_noticed(after, observer):
            return None
        told = self._told(before, after, observer)
        return self._guessed(before, after, observer) if told is None else told or None

    def _told(self, before: History, after: History, observer: int) -> str | None:
        """What the game itself says of the move."""
        with explained(before):
            return self._game.tell(before.state, after.moves[-1], after.state, observer)

    def _guessed(self, before: History, after: History, observer: int) -> str | None:
        """The name of the move, if it is no secret; else only that a player has moved."""
        mover, name = before.player, _name_of_last(before, after)
        who = "chance" if mover == CHANCE else f"player {mover + 1}"
        if observer in (mover, ALL_SEEING):
            return f"{'you' if observer == mover else who}: {name}"
        tokens = _tokens(after, observer)
        names = self._names[mover, tokens] if any(tokens[1:]) else Counter[str]()
        is_known = set(names) == {name} and names[name] >= _ENOUGH
        if is_known and _is_told_apart(before, tokens, name):
            return f"{who}: {name}"
        return None if mover == CHANCE else f"{who} has moved"


def is_noticed(after: History, observer: int) -> bool:
    """Whether ``observer``, a player, `SPECTATOR` or `ALL_SEEING`, noticed the last move."""
    if observer >= 0:
        return after.noticed(observer) is not None
    return observer == ALL_SEEING or bool(after.observations[-1])


def _random_child(history: History, random: np.random.Generator) -> History:
    with explained(history):
        if history.player == CHANCE:
            return history.child(history.sample_chance(random))
        return history.child(int(random.choice(history.legal_actions())))


def _tokens(after: History, observer: int) -> _Tokens:
    """What ``observer``, a player or `SPECTATOR`, noticed of the last move."""
    private = after.observations[observer] if observer >= 0 else 0
    return observer, private, after.observations[-1]


def _is_told_apart(before: History, tokens: _Tokens, name: str) -> bool:
    """Whether no move of another name shows an observer ``tokens`` where the move was made."""
    game, mover = before.game, before.player
    if mover == CHANCE and not game.lists_chance:
        return True
    for move in game.actions_of(before.state, mover):
        if _tokens(before.child(move), tokens[0]) == tokens:
            with explained(before):
                if game.action_name(before.state, mover, move) != name:
                    return False
    return True


def _name_of_last(before: History, after: History) -> str:
    move = after.moves[-1]
    assert isinstance(move, int)  # matches are played in turns
    with explained(before):
        return before.game.action_name(before.state, before.player, move)
