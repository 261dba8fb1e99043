"""A game around a game.

Some games are another game with a small change: moves made at once are made in turns, what was
secret is public, a subgame begins with a choice of the opponent. Each is a class that derives from
`Wrapped`, keeps the other game in the field ``game``, and overrides what it changes. The inner game
answers all other calls.
"""

from dataclasses import dataclass
from typing import Any

from hiddenhand.games.base import (
    SIMULTANEOUS,
    EvaluationFunction,
    Game,
    Probabilities,
    State,
    seat_of,
)
from hiddenhand.games.scene import Scene
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules
from hiddenhand.jit.views import view


@dataclass(frozen=True)
class Wrapped(Game):
    """A game that behaves like ``game``, except where a subclass overrides a method.

    The state of the inner game stands at the start of the state; a subclass that puts it elsewhere
    overrides `inner_state`. A subclass that names actions differently overrides `parse_action` as
    well as `action_name`.

    game: the inner game.
    """

    game: Any

    def __init_subclass__(cls, **keywords: Any) -> None:
        said = "draws_chance" in vars(cls)
        super().__init_subclass__(**keywords)
        if not said:
            del cls.draws_chance  # `Game` has looked for `sample_chance`, which every wrapper has

    def inner_state(self, state: State) -> State:
        """The part of ``state`` that is the state of the inner game. Not a copy."""
        return view(state, 0, self.game.state_size)

    # --- what kind of game it is ---

    @property
    def simultaneous(self) -> bool:  # type: ignore[override]  # other games say it once for a class
        return self.game.simultaneous

    @property
    def zero_sum(self) -> bool:
        return self.game.zero_sum

    @PropertyBesideRules
    def payoff_sum(self) -> float | None:
        sum_of_payoffs: float | None = self.game.payoff_sum
        return sum_of_payoffs

    @PropertyBesideRules
    def why_not_constant_sum(self) -> str:
        """See `TreeGame.why_not_constant_sum`."""
        return getattr(self.game, "why_not_constant_sum", "")

    @property
    def draws_chance(self) -> bool:
        return self.game.draws_chance

    @property
    def guarded(self) -> bool:
        return self.game.guarded

    # --- sizes ---

    @property
    def num_players(self) -> int:
        return self.game.num_players

    @property
    def state_size(self) -> int:
        return self.game.state_size

    @property
    def max_actions(self) -> int:
        return self.game.max_actions

    @property
    def max_chance_outcomes(self) -> int:
        return self.game.max_chance_outcomes

    @property
    def max_depth(self) -> int:
        return self.game.max_depth

    @property
    def max_utility(self) -> float:
        return self.game.max_utility

    # --- rules ---

    def initial_state(self, state: State) -> None:
        self.game.initial_state(self.inner_state(state))

    def current_player(self, state: State) -> int:
        return self.game.current_player(self.inner_state(state))

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        return self.game.legal_actions(self.inner_state(state), player, actions)

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        return self.game.chance_outcomes(self.inner_state(state), actions, probabilities)

    def sample_chance(self, state: State, rng: Any) -> int:
        return self.game.sample_chance(self.inner_state(state), rng)

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        self.game.apply_action(self.inner_state(state), action, observations)

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        self.game.apply_joint_action(self.inner_state(state), actions, observations)

    def returns(self, state: State, player: int) -> float:
        return self.game.returns(self.inner_state(state), player)

    def forget_past(self, state: State) -> None:
        self.game.forget_past(self.inner_state(state))

    def information(self, state: State, player: int, key: int) -> int:
        return self.game.information(self.inner_state(state), player, key)

    # --- for people, and programs that learn ---

    @PropertyBesideRules
    def rules_text(self) -> str:
        text: str = self.game.rules_text
        return text

    @PropertyBesideRules
    def payoff_unit(self) -> str:
        unit: str = self.game.payoff_unit
        return unit

    @beside_rules
    def num_distinct_actions(self) -> int:
        """As many as the inner game has; 0 where this game may have more actions."""
        adds = self.max_actions > self.game.max_actions
        return 0 if adds else self.game.num_distinct_actions()

    @beside_rules
    def observation_tensor(self, state: State, player: int) -> Floats | None:
        return self.game.observation_tensor(self.inner_state(state), player)

    def evaluation(self) -> EvaluationFunction:
        return WrappedEvaluation(self.game.evaluation())

    def action_name(self, state: State, player: int, action: int) -> str:
        return self.game.action_name(self.inner_state(state), player, action)

    def parse_action(self, state: State, player: int, text: str) -> int:
        return self.game.parse_action(self.inner_state(state), player, text)

    @beside_rules
    def measures(self, state: State) -> dict[str, float]:
        return self.game.measures(self.inner_state(state))

    def render(self, state: State, player: int) -> str:
        return self.game.render(self.inner_state(state), player)

    @beside_rules
    def picture(self, state: State, player: int) -> Scene | None:
        """The picture of the inner game. A click means something only where it is the player's
        turn in this game, too.
        """
        scene = self.game.picture(self.inner_state(state), player)
        if scene is None or not scene.actions:
            return scene
        seat = seat_of(player)
        own_turn = self.current_player(state) in (seat, SIMULTANEOUS)
        return scene.limited_to(set(self.actions_of(state, seat)) if own_turn else set())

    @beside_rules
    def hidden(self, state: State, observer: int) -> str | None:
        return self.game.hidden(self.inner_state(state), observer)

    @beside_rules
    def tell(self, before: State, move: Any, after: State, observer: int) -> str | None:
        return self.game.tell(self.inner_state(before), move, self.inner_state(after), observer)


@dataclass(frozen=True)
class WrappedEvaluation(EvaluationFunction):
    """The evaluation function of an inner game, for the game around it.

    evaluation: what evaluates states of the inner game.
    """

    around_any = True

    evaluation: Any

    def evaluate(self, game: Any, state: State, player: int) -> float:
        return self.evaluation.evaluate(game.game, game.inner_state(state), player)
