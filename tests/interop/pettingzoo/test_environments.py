"""Our games as environments: they pass PettingZoo's own tests, and say what players may know."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo", exc_type=ImportError)
pytest.importorskip("gymnasium", exc_type=ImportError)

from pettingzoo import test as trials

from hiddenhand import load_game
from hiddenhand.errors import ConformanceError, GameError, OptionError
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.validation.inspector import Inspector
from hiddenhand.interop.pettingzoo import env, parallel_env
from hiddenhand.interop.pettingzoo.table import TOKEN_BITS


def quietly(trial: Callable[..., None], *arguments: Any, **options: Any) -> None:
    """Run one of PettingZoo's tests, which warns that a dictionary is no array."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trial(*arguments, **options)


@pytest.mark.parametrize("spec", ["kuhn_poker", "tricks", "goofspiel(num_cards=6)"])
def test_the_tests_for_turns_pass(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    quietly(trials.api_test, env(spec), num_cycles=60)
    quietly(trials.seed_test, partial(env, spec), num_cycles=30)
    quietly(trials.render_test, partial(env, spec))
    assert "Passed API test" in capsys.readouterr().out


def test_the_tests_for_rounds_pass(capsys: pytest.CaptureFixture[str]) -> None:
    rounds = partial(parallel_env, "goofspiel(num_cards=6)")
    quietly(trials.parallel_api_test, rounds(), num_cycles=60)
    quietly(trials.parallel_seed_test, rounds)
    module = SimpleNamespace(
        env=partial(env, "goofspiel(num_cards=6)", illegal="replace"),
        parallel_env=partial(rounds, illegal="replace"),
    )
    quietly(trials.max_cycles_test, module)
    assert "Passed Parallel API test" in capsys.readouterr().out


def read(observation: Any) -> list[tuple[int, int, int]]:
    """The events of Kuhn poker in an observation: own action + 1, private token, public token."""
    slots = observation[2:].reshape(5, 1 + 2 + 2 * TOKEN_BITS)
    powers = 1 << np.arange(TOKEN_BITS)
    return [
        (
            int(slot[1:3] @ [1, 2]),
            int(slot[3 : 3 + TOKEN_BITS] @ powers),
            int(slot[3 + TOKEN_BITS :] @ powers),
        )
        for slot in slots
        if slot[0]
    ]


def test_an_observation_is_what_the_player_noticed() -> None:
    match = env("kuhn_poker", "ansi")
    match.reset(seed=3)
    assert match.agent_selection == "player_0"
    first, second = (match.observe(agent) for agent in match.possible_agents)
    assert first["action_mask"].tolist() == [1, 1]
    assert second["action_mask"].tolist() == [0, 0]
    assert first["observation"][:2].tolist() == [1, 0]
    assert second["observation"][:2].tolist() == [0, 1]
    # the tokens are those of the game's docstring: the own card in private, 1 for a card dealt
    (own, card, dealt), later = read(first["observation"])
    assert (own, dealt, later) == (0, 1, (0, 0, 1))
    earlier, (own, other, dealt) = read(second["observation"])
    assert (own, dealt, earlier) == (0, 1, (0, 0, 1))
    assert card != other
    assert {card, other} < {1, 2, 3}
    match.step(1)
    assert read(match.observe("player_0")["observation"])[2:] == [(2, 0, 3)]
    assert read(match.observe("player_1")["observation"])[2:] == [(0, 0, 3)]
    assert "player_1:" in match.render()
    match.step(0)
    assert all(match.terminations.values())
    assert match.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert not match.observe("player_0")["action_mask"].any()


def test_equal_seeds_deal_equal_cards_and_no_seed_goes_on() -> None:
    match, other = env("kuhn_poker"), env("kuhn_poker")
    deals = []
    for seed in (5, None, None, None, None):
        match.reset(seed=seed)
        other.reset(seed=seed)
        seen = match.observe("player_0")["observation"]
        np.testing.assert_array_equal(seen, other.observe("player_0")["observation"])
        deals.append(seen.tobytes())
    assert len(set(deals)) > 1


def test_illegal_actions_end_the_match_or_are_replaced() -> None:
    match = env("goofspiel(num_cards=3)")
    match.reset(seed=1)
    match.step(2)
    match.step(0)
    match.step(2)  # a card that was played
    assert all(match.terminations.values())
    assert match.rewards["player_0"] == -load_game("goofspiel(num_cards=3)").max_utility
    rounds = parallel_env("goofspiel(num_cards=3)", illegal="replace")
    rounds.reset(seed=1)
    for _ in range(3):
        found = rounds.step({"player_0": 1, "player_1": 1})
    assert found[2] == {"player_0": True, "player_1": True}
    assert rounds.agents == []
    ended = parallel_env("goofspiel(num_cards=3)")
    ended.reset(seed=1)
    for _ in range(2):
        found = ended.step({"player_0": 1, "player_1": 1})
    assert found[1]["player_0"] < 0
    assert found[2] == {"player_0": True, "player_1": True}


@dataclass(frozen=True)
class Seen(KuhnPoker):
    def observation_tensor(self, state: Any, player: int) -> Any:
        return np.array([player, state[0]], float)


@dataclass(frozen=True)
class Narrow(KuhnPoker):
    def num_distinct_actions(self) -> int:
        return 1


def test_a_game_may_say_what_its_players_see() -> None:
    match = env(Seen())
    match.reset(seed=1)
    assert match.observe("player_1")["observation"].tolist()[0] == 1.0
    assert match.observation_space("player_1").contains(match.observe("player_1"))


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(GameError, match="has no simultaneous moves"):
        parallel_env("kuhn_poker")
    with pytest.raises(OptionError, match="render_mode='rgb_array'"):
        env("kuhn_poker", "rgb_array")
    with pytest.raises(OptionError, match="illegal='maybe'"):
        env("kuhn_poker", illegal="maybe")
    with pytest.raises(OptionError, match="max_events=0"):
        env("kuhn_poker", max_events=0)


def test_the_check_holds_games_to_the_number_of_their_actions() -> None:
    for game, sound in ((KuhnPoker(), True), (Narrow(), False)):
        inspector = Inspector(game)
        history = inspector.root()
        while history.player < 0:
            history = inspector.child(history, inspector.visit(history).moves[0])
        if sound:
            assert inspector.visit(history).moves
        else:
            with pytest.raises(ConformanceError, match="below num_distinct_actions"):
                inspector.visit(history)
