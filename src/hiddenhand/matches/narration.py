"""Moves in words for people: what each observer noticed of them.

A game may tell its moves itself, see `Game.tell`. Other games have tokens for what is noticed, and
names for actions, but they do not say which names a token gives away. The announcer finds that out
by playing at random. It names a move if all moves of the same player that showed an observer the
same tokens, public and private, had the same name. Where moves of several names showed the tokens,
or where they were hardly ever seen, people read only that there was a move. The same holds if
another move in that position would have shown the tokens. Where all players move at once, all that
holds for the move of each of them.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final

import numpy as np

from hiddenhand.games.base import ALL_SEEING, CHANCE, SPECTATOR, Game
from hiddenhand.games.history import History
from hiddenhand.games.turn_based import TurnBased
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
                for mover, name in _names(history, _made(history, after)).items():
                    for observer in (SPECTATOR, *range(game.num_players)):
                        self._names[mover, _tokens(after.observations, observer)][name] += 1
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
        """The names of the moves that were made, if they are no secret; else only that a player has
        moved.
        """
        made, said = _made(before, after), list[str]()
        tokens = _tokens(after.observations, observer)
        for mover, name in _names(before, made).items():
            who = "chance" if mover == CHANCE else f"player {mover + 1}"
            if observer in (mover, ALL_SEEING):
                said.append(f"{'you' if observer == mover else who}: {name}")
            elif self._shows(tokens, mover, name) and _is_told_apart(before, made, tokens, mover):
                said.append(f"{who}: {name}")
            elif mover != CHANCE:
                said.append(f"{who} has moved")
        return "; ".join(said) or None

    def _shows(self, tokens: _Tokens, mover: int, name: str) -> bool:
        """Whether ``tokens`` were often seen, and always after a move of ``mover`` with a name."""
        names = self._names[mover, tokens] if any(tokens[1:]) else Counter[str]()
        return set(names) == {name} and names[name] >= _ENOUGH


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


def _tokens(observations: Sequence[int], observer: int) -> _Tokens:
    """What ``observer``, a player or `SPECTATOR`, noticed of a move with these observations."""
    return observer, observations[observer] if observer >= 0 else 0, observations[-1]


def _is_told_apart(before: History, made: Mapping[int, int], tokens: _Tokens, mover: int) -> bool:
    """Whether no moves show an observer ``tokens`` in which ``mover`` does something with another
    name. The observer knows its own move.
    """
    game, name = before.game, _names(before, made)[mover]
    if mover == CHANCE and not game.lists_chance:
        return True
    choices = [
        [move] if player == tokens[0] else game.actions_of(before.state, player)
        for player, move in made.items()
    ]
    if math.prod(map(len, choices)) > _MOVES:
        return False
    others = (dict(zip(made, moves, strict=True)) for moves in product(*choices))
    return not any(
        _names(before, other)[mover] != name
        and _tokens(_observations(before, other), tokens[0]) == tokens
        for other in others
    )


def _made(before: History, after: History) -> dict[int, int]:
    """What took effect with the last move: the move of a player, or of chance; or those of all
    players, if they moved at once and this was the last of them.
    """
    game, move = before.game, after.moves[-1]
    assert isinstance(move, int)  # matches are played in turns
    chosen = game.chosen(before.state) if isinstance(game, TurnBased) else ()
    if chosen and len(chosen) + 1 == game.num_players:
        return dict(enumerate((*chosen, move)))
    return {before.player: move}


def _observations(before: History, made: Mapping[int, int]) -> Sequence[int]:
    """The tokens that moves show: one for each player, then the public one."""
    game = before.game
    if len(made) == 1:
        return before.child(*made.values()).observations
    assert isinstance(game, TurnBased)
    observations = np.zeros(game.num_players + 1, np.int64)
    state, moves = game.inner_state(before.state).copy(), np.array([*made.values()], np.int64)
    with explained(before):
        game.game.apply_joint_action(state, moves, observations)
    return [int(token) for token in observations]


def _names(before: History, made: Mapping[int, int]) -> dict[int, str]:
    """The names of moves, by who made them."""
    name, state = before.game.action_name, before.state
    with explained(before):
        return {mover: name(state, mover, move) for mover, move in made.items()}
