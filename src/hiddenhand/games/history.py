"""A history that tests, people and a referee can walk along. It runs the rules as plain Python."""

import math
from collections.abc import Iterator
from typing import Final, NamedTuple, Self

import numpy as np

from hiddenhand.errors import GameError
from hiddenhand.games.base import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    Game,
    State,
    verify_listed,
    verify_player,
)
from hiddenhand.games.registry import game_of
from hiddenhand.jit.history_step import first_keys, notice, notice_jointly
from hiddenhand.jit.random import new_state
from hiddenhand.jit.sampling import draw
from hiddenhand.notebooks import Shown
from hiddenhand.text import shortened

Move = int | tuple[int, ...]
_MOST_LISTED: Final = 1000  # moves in a message


class Event(NamedTuple):
    """What one player noticed of one move. A move of which the player notices nothing is no event.
    The key of a player folds all events of the player, one after the other.

    action: 1 + the player's own action if the player made the move, else 0.
    private: the token that this player alone notices; 0 is nothing.
    public: the token that all notice; 0 is nothing.
    """

    action: int
    private: int
    public: int


class History(Shown):
    """A history of a game: the moves so far, the state they lead to, and what everybody noticed.

    A move is an action, or a tuple with an action for each player where all move at once.

    game: the game, or its name. Raises GameError for anything else.
    moves: the moves so far.
    movers: who made each of these moves: a player, CHANCE or SIMULTANEOUS.
    state: ``int64[state_size]``, the state after these moves.
    """

    def __init__(self, game: Game | str) -> None:
        self.game = game = game_of(game)
        self.moves: tuple[Move, ...] = ()
        self.movers: tuple[int, ...] = ()
        self.state: State = np.zeros(game.state_size, np.int64)
        self._keys = np.zeros(game.num_players + 1, np.uint64)
        game.initial_state(self.state)
        first_keys(self._keys)

    @property
    def player(self) -> int:
        """Who is to move: a player, CHANCE, SIMULTANEOUS or TERMINAL."""
        return int(self.game.current_player(self.state))

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.player == TERMINAL

    def key(self, player: int) -> int:
        """All that ``player`` noticed so far, as a key. Where ``player`` is not to move, it is the
        key of the player's augmented information set. The key of player P, in a game of P players,
        is that of the public. Raises OptionError for another player.
        """
        if player != self.game.num_players:
            verify_player(self.game, player)
        return int(self._keys[player])

    @property
    def public_key(self) -> int:
        """What everybody noticed so far, as the key of the public state."""
        return int(self._keys[-1])

    @property
    def information_key(self) -> int:
        """The key of the information set of the player who is to move; see `Game.information`."""
        player = self.player
        if player < 0:
            raise GameError(
                f"no single player is to move after {self.moves}; only a decision of one player "
                "has an information set"
            )
        return int(self.game.information(self.state, player, self._keys[player]))

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The legal actions of ``player`` (default: the player to move), or chance's outcomes."""
        return self.game.actions_of(self.state, self.player if player is None else player)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Chance's outcomes with their probabilities. Raises GameError if the game draws its chance
        and lists no outcomes.
        """
        verify_listed(self.game)
        actions = np.zeros(max(self.game.max_chance_outcomes, 1), np.int64)
        probabilities = np.zeros(actions.size)
        count = self.game.chance_outcomes(self.state, actions, probabilities)
        return [(int(actions[index]), float(probabilities[index])) for index in range(count)]

    def sample_chance(self, random: np.random.Generator) -> int:
        """An outcome of chance, drawn by its probability with one number of ``random``."""
        if self.game.draws_chance:
            return int(self.game.sample_chance(self.state, new_state(int(random.integers(2**63)))))
        outcomes = self.chance_outcomes()
        return outcomes[draw([p for _, p in outcomes], random.random())][0]

    @property
    def actions(self) -> tuple[int, ...]:
        """The moves that are not joint: all of them where moves are made in turns."""
        return tuple(move for move in self.moves if not isinstance(move, tuple))

    def legal_moves(self) -> list[Move]:
        """All moves that continue this history; joint ones as tuples."""
        if self.player != SIMULTANEOUS:
            return list(self.legal_actions())
        joint: list[tuple[int, ...]] = [()]
        for player in range(self.game.num_players):
            joint = [(*part, action) for part in joint for action in self.legal_actions(player)]
        return list(joint)

    @property
    def num_legal_moves(self) -> int:
        """How many moves continue this history. It counts joint moves without making them."""
        if self.player != SIMULTANEOUS:
            return len(self.legal_actions())
        return math.prod(len(self.legal_actions(p)) for p in range(self.game.num_players))

    def _is_legal(self, move: Move) -> bool:
        players = range(self.game.num_players)
        if self.player != SIMULTANEOUS:
            return move in self.legal_actions()
        return (
            isinstance(move, tuple)
            and len(move) == len(players)
            and all(
                action in self.legal_actions(p) for p, action in zip(players, move, strict=True)
            )
        )

    def child(self, move: Move) -> Self:
        """The history that continues this one by ``move``. Raises GameError for a move that is not
        legal. In a game that draws its chance, it does not look chance's moves up, because there
        may be too many.
        """
        player = self.player
        if not (player == CHANCE and self.game.draws_chance) and not self._is_legal(move):
            legal: object = self.legal_moves() if self.num_legal_moves <= _MOST_LISTED else "others"
            raise GameError(f"{move!r} is not a legal move after {self.moves}; legal are {legal}")
        return self.child_by(player, move)

    def child_by(self, player: int, move: Move) -> Self:
        """The history that continues this one by ``move``, which is not checked: a legal move of
        ``player``, who is to move.
        """
        after = self._copy()
        observations = np.zeros(self.game.num_players + 1, np.int64)
        if isinstance(move, tuple):
            actions = np.array(move, np.int64)
            self.game.apply_joint_action(after.state, actions, observations)
            notice_jointly(after._keys, actions, observations)
        else:
            self.game.apply_action(after.state, move, observations)
            notice(after._keys, player, move, observations)
        after.observations = tuple(observations.tolist())
        after.moves = (*self.moves, move)
        after.movers = (*self.movers, player)
        return after

    observations: tuple[int, ...] = ()
    """The tokens of the last move: a private one for each player, then the public one."""

    def noticed(self, player: int) -> Event | None:
        """What ``player`` noticed of the last move; None if the player noticed nothing."""
        if not self.moves:
            return None
        own = self.own_action(player)
        event = Event(
            0 if own is None else own + 1, self.observations[player], self.observations[-1]
        )
        return event if any(event) else None

    def own_action(self, player: int) -> int | None:
        """The action of ``player`` in the last move; None if the player did not move."""
        if not self.moves:
            return None
        move = self.moves[-1]
        if isinstance(move, tuple):
            return move[player]
        return move if self.movers[-1] == player else None

    def returns(self) -> tuple[float, ...]:
        """What each player is paid. It has a meaning only at the end of the game."""
        return tuple(
            float(self.game.returns(self.state, player)) for player in range(self.game.num_players)
        )

    def _copy(self) -> Self:
        copy = object.__new__(type(self))
        copy.game = self.game
        copy.state = self.state.copy()
        copy._keys = self._keys.copy()
        return copy

    def __repr__(self) -> str:
        return f"History({self.game}, {self.moves})"


def verify_history(value: object) -> None:
    """Raise GameError unless ``value`` is a history."""
    if not isinstance(value, History):
        raise GameError(
            f"{shortened(value)} is not a history; give one, such as History('kuhn_poker').child(0)"
        )


def all_histories(game: Game) -> Iterator[History]:
    """Every history of ``game``, depth first, the root first. Only for very small games."""
    stack = [History(game)]
    while stack:
        history = stack.pop()
        yield history
        player = history.player
        if player != TERMINAL:
            moves = (
                history.legal_moves()
                if player != CHANCE
                else [action for action, _ in history.chance_outcomes()]
            )
            stack.extend(history.child_by(player, move) for move in reversed(moves))
