"""`Wrapped`: a wrapper that changes nothing is the same game, and forwards all that a game has."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from hiddenhand.errors import GameError
from hiddenhand.games.base import SIMULTANEOUS, EvaluationFunction, Game
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.matrix_game import biased_rps
from hiddenhand.games.oshi_zumo import OshiZumo
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.scene import Scene
from hiddenhand.games.turn_based import TurnBased
from hiddenhand.games.wrapped import Wrapped

BUILT_ON_OTHERS = {
    *("actions_of", "guards", "information_model", "lists_chance"),
    *("pointed", "whole", "around_any"),
}
"""What `Game` makes of other members, what belongs to a class and not to a game, and the model of
sets, which knows the states of its own game only.
"""


@dataclass(frozen=True)
class Sum(EvaluationFunction):
    """The sum of a state, whose last entry must belong to it."""

    def evaluate(self, game: Any, state: Any, player: int) -> float:
        return float(state.sum()) + 100.0 * len(state) + 10_000.0 * game.state_size + player


@dataclass(frozen=True)
class Unusual(Game):
    """A game in which no member is what `Game` would say. Nobody could play it."""

    simultaneous, zero_sum, draws_chance, guarded = True, False, True, "perhaps"
    num_players, state_size, max_actions, max_chance_outcomes = 3, 2, 5, 6
    max_depth, max_utility = 7, 8.5
    payoff_sum = 1.5

    def initial_state(self, state: Any) -> None:
        state[:] = 1, 2

    def current_player(self, state: Any) -> int:
        return int(state[0]) + 10

    def legal_actions(self, state: Any, player: int, actions: Any) -> int:
        actions[0] = state[1] + player
        return 1

    def chance_outcomes(self, state: Any, actions: Any, probabilities: Any) -> int:
        actions[0], probabilities[0] = state[0], 0.5
        return 1

    def sample_chance(self, state: Any, rng: Any) -> int:
        return int(state[0] + rng)

    def apply_action(self, state: Any, action: int, observations: Any) -> None:
        state[0] += action
        observations[1] = action

    def apply_joint_action(self, state: Any, actions: Any, observations: Any) -> None:
        state[1] -= actions[0]
        observations[2] = actions[0]

    def returns(self, state: Any, player: int) -> float:
        return float(state[0] - player)

    def forget_past(self, state: Any) -> None:
        state[0] = 0

    def information(self, state: Any, player: int, key: int) -> int:
        return int(key + state[1] + player)

    def evaluation(self) -> EvaluationFunction:
        return Sum()

    def action_name(self, state: Any, player: int, action: int) -> str:
        return f"{action} of {player} in {state.tolist()}"

    def parse_action(self, state: Any, player: int, text: str) -> int:
        return int(state[0]) + player + len(text)

    def measures(self, state: Any) -> dict[str, float]:
        return {"sum": float(state.sum())}

    rules_text = "Be unusual."
    payoff_unit = "oddities"

    def num_distinct_actions(self) -> int:
        return 7

    def observation_tensor(self, state: Any, player: int) -> Any:
        return [float(player), *state.tolist()]

    def render(self, state: Any, player: int) -> str:
        return f"{player} sees {state.tolist()}"

    def picture(self, state: Any, player: int) -> Scene:
        return Scene(float(player), float(state.sum()), ())

    def hidden(self, state: Any, observer: int) -> str:
        return f"{state.tolist()} from {observer}"

    def tell(self, before: Any, move: Any, after: Any, observer: int) -> str:
        return f"{before.tolist()} {move} {after.tolist()} to {observer}"


@dataclass(frozen=True)
class Behind(Wrapped):
    """The inner game, with its state behind an entry that it knows nothing of."""

    @property
    def state_size(self) -> int:
        return 1 + self.game.state_size

    def inner_state(self, state: Any) -> Any:
        return state[1:]


def public_members(cls: type) -> set[str]:
    return {name for name in dir(cls) if not name.startswith("_")}


def test_every_member_of_a_game_is_forwarded() -> None:
    """A member that is added to `Game` must be added to `Wrapped`, and to `Unusual` here."""
    members = public_members(Game) - BUILT_ON_OTHERS
    assert members <= set(vars(Wrapped))
    assert members <= set(vars(Unusual))


def answers(game: Game, state: Any) -> dict[str, Any]:
    """What each member of a game says. ``state`` is room for the state of the inner game."""
    room, chances, tokens = np.zeros(9, np.int64), np.zeros(9), np.zeros(4, np.int64)
    outer = np.zeros(game.state_size, np.int64)
    inner = outer[-state.size :]

    def after(rule: str, *arguments: Any) -> tuple[Any, ...]:
        """What a rule returns, and what it writes, all of which is put back."""
        inner[:], room[:], chances[:], tokens[:] = (4, 6), 0, 0, 0
        result = getattr(game, rule)(outer, *arguments)
        written = inner.tolist(), room.tolist(), chances.tolist(), tokens.tolist()
        inner[:] = 4, 6
        return result, written

    joint = np.array([1, 2, 3])
    called = {
        "initial_state": (),
        "current_player": (),
        "legal_actions": (1, room),
        "chance_outcomes": (room, chances),
        "sample_chance": (20,),
        "apply_action": (3, tokens),
        "apply_joint_action": (joint, tokens),
        "returns": (1,),
        "forget_past": (),
        "information": (1, 30),
        "action_name": (1, 2),
        "parse_action": (1, "word"),
        "measures": (),
        "observation_tensor": (1,),
        "render": (1,),
        "picture": (1,),
        "hidden": (1,),
        "tell": (2, outer, 1),
    }
    found = {rule: after(rule, *arguments) for rule, arguments in called.items()}
    found["num_distinct_actions"] = game.num_distinct_actions()
    found["evaluation"] = game.evaluation().evaluate(game, outer, 1)
    for name in public_members(Game) - set(found) - {*BUILT_ON_OTHERS, "state_size"}:
        found[name] = getattr(game, name)
    return found


@pytest.mark.parametrize("around", [Wrapped, Behind])
def test_what_a_wrapper_says_is_what_the_inner_game_says(around: type[Wrapped]) -> None:
    plain, room = Unusual(), np.zeros(2, np.int64)
    expected = answers(plain, room)
    default = {name: vars(Game)[name] for name in expected if name in vars(Game)}
    assert all(vars(Unusual)[name] is not value for name, value in default.items())
    found = answers(around(plain), room)
    assert found == expected
    assert set(expected) == public_members(Game) - BUILT_ON_OTHERS - {"state_size"}


@pytest.mark.parametrize("game", [KuhnPoker(), biased_rps(), OshiZumo(3, 1, 1)], ids=str)
def test_a_wrapper_that_changes_nothing_is_the_same_game(game: Game) -> None:
    """The same histories with the same keys, names, pictures and payoffs."""
    plain, wrapped = list(all_histories(game)), list(all_histories(Wrapped(game)))
    assert [described(history) for history in wrapped] == [described(history) for history in plain]


def described(history: History) -> tuple[Any, ...]:
    game, player = history.game, history.player
    players = range(game.num_players)
    return (
        history.moves,
        player,
        history.state.tolist(),
        history.observations,
        [history.key(observer) for observer in players],
        history.public_key,
        history.information_key if player >= 0 else None,
        history.legal_moves() if player == SIMULTANEOUS or player >= 0 else None,
        history.returns() if history.is_terminal else None,
        [game.render(history.state, observer) for observer in players],
    )


def test_a_wrapper_says_of_chance_what_the_inner_game_says_unless_it_says_otherwise() -> None:
    @dataclass(frozen=True)
    class Listed(Wrapped):
        draws_chance = False

    @dataclass(frozen=True)
    class Below(Listed):
        pass

    @dataclass(frozen=True)
    class Plain(Wrapped):
        pass

    assert [cls(Unusual()).draws_chance for cls in (Plain, Listed, Below)] == [True, False, False]
    assert not Plain(KuhnPoker()).draws_chance
    assert not Plain(KuhnPoker()).simultaneous
    assert Wrapped(biased_rps()).simultaneous
    assert not TurnBased(biased_rps()).simultaneous


def test_a_game_without_an_evaluation_has_none_around_it() -> None:
    with pytest.raises(GameError, match="has no evaluation function"):
        Wrapped(KuhnPoker()).evaluation()
