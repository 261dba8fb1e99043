"""Simultaneous moves one after the other, each hidden until all have chosen."""

from dataclasses import dataclass
from typing import Any

from hiddenhand.compiled.arrays import Integers
from hiddenhand.compiled.views import view
from hiddenhand.errors import ParameterError
from hiddenhand.games.base import SIMULTANEOUS, Evaluation, Game, Probabilities, State

CHOSEN = 1 << 40  # public token "a player has chosen"; far from the tokens of any game


@dataclass(frozen=True)
class TurnBased(Game):
    """A game with simultaneous moves, played in turns: where all move at once, player 0 chooses
    first, then player 1, and so on.

    Nobody sees a choice before all have chosen; that somebody has chosen is public. Everything else
    is as in ``game``.

    State: that of ``game``, then the choices made in the present round, then how many there are.
    """

    game: Any

    def __post_init__(self) -> None:
        if not isinstance(self.game, Game) or not self.game.simultaneous:
            raise ParameterError(
                f"turn_based: {self.game!r} is not a game with simultaneous moves; give one such "
                "as goofspiel()"
            )

    @property
    def num_players(self) -> int:
        return self.game.num_players

    @property
    def zero_sum(self) -> bool:
        return self.game.zero_sum

    @property
    def draws_chance(self) -> bool:
        return self.game.draws_chance

    @property
    def guarded(self) -> bool:
        return self.game.guarded

    @property
    def state_size(self) -> int:
        return self.game.state_size + self.game.num_players + 1

    @property
    def max_actions(self) -> int:
        return self.game.max_actions

    @property
    def max_chance_outcomes(self) -> int:
        return self.game.max_chance_outcomes

    @property
    def max_depth(self) -> int:
        return self.game.max_depth * self.game.num_players

    @property
    def max_utility(self) -> float:
        return self.game.max_utility

    def initial_state(self, state: State) -> None:
        self._forget_choices(state)
        self.game.initial_state(self._inner(state))

    def current_player(self, state: State) -> int:
        player = self.game.current_player(self._inner(state))
        return int(state[-1]) if player == SIMULTANEOUS else player

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        return self.game.legal_actions(self._inner(state), player, actions)

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        return self.game.chance_outcomes(self._inner(state), actions, probabilities)

    def sample_chance(self, state: State, rng: Any) -> int:
        return self.game.sample_chance(self._inner(state), rng)

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        inner = self._inner(state)
        if self.game.current_player(inner) != SIMULTANEOUS:
            self.game.apply_action(inner, action, observations)
            return
        choices = view(state, self.game.state_size, self.num_players)
        chosen = state[-1]
        choices[chosen] = action
        if chosen + 1 < self.num_players:
            state[-1] = chosen + 1
            observations[self.num_players] = CHOSEN
        else:
            self.game.apply_joint_action(inner, choices, observations)
            self._forget_choices(state)

    def returns(self, state: State, player: int) -> float:
        return self.game.returns(self._inner(state), player)

    def information(self, state: State, player: int, key: int) -> int:
        return self.game.information(self._inner(state), player, key)

    def _inner(self, state: State) -> State:
        """The part of ``state`` that belongs to ``game``."""
        return view(state, 0, self.game.state_size)

    def _forget_choices(self, state: State) -> None:
        for player in range(self.num_players):
            state[self.game.state_size + player] = 0
        state[-1] = 0

    # --- for people ---

    def evaluation(self) -> Evaluation:
        return InTurns(self.game.evaluation())

    def action_name(self, state: State, player: int, action: int) -> str:
        return self.game.action_name(self._inner(state), player, action)

    def parse_action(self, state: State, player: int, text: str) -> int:
        return self.game.parse_action(self._inner(state), player, text)

    def render(self, state: State, player: int) -> str:
        picture = self.game.render(self._inner(state), player)
        if self.game.current_player(self._inner(state)) == SIMULTANEOUS and player < state[-1]:
            choice = self.action_name(state, player, int(state[self.game.state_size + player]))
            picture += f"\nyou have chosen {choice}"
        return picture


@dataclass(frozen=True)
class InTurns(Evaluation):
    """An evaluation of a game with simultaneous moves for its `TurnBased` form. Choices that are
    still hidden do not count yet.
    """

    evaluation: Any

    def evaluate(self, game: Any, state: State, player: int) -> float:
        return self.evaluation.evaluate(game.game, view(state, 0, game.game.state_size), player)


def as_sequential(game: Game) -> Game:
    """``game`` itself if its players move one at a time, else its `TurnBased` form."""
    return TurnBased(game) if game.simultaneous else game
