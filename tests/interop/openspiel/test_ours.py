"""Our games, strategies and players in OpenSpiel."""

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", exc_type=ImportError)

from naive.small_games import small  # noqa: E402
from open_spiel.python.algorithms import evaluate_bots as evaluation  # noqa: E402

from hiddenhand import Budget, load_game, make_player, nash_conv, solve, unroll  # noqa: E402
from hiddenhand.errors import FileError, GameError, PlayerError  # noqa: E402
from hiddenhand.games.base import Game  # noqa: E402
from hiddenhand.interop.openspiel import (  # noqa: E402
    HiddenhandBot,
    from_openspiel,
    from_policy,
    to_tabular_policy,
)
from hiddenhand.interop.openspiel.ours import register  # noqa: E402
from hiddenhand.interop.openspiel.peer import in_turns  # noqa: E402
from hiddenhand.players.player import Decision  # noqa: E402
from hiddenhand.trees.strategy import strategy_from_profile  # noqa: E402

GAMES = ("kuhn_poker", "IIGS(3)", "tricks", "oshi_zumo(coins=4)", "LD(1,1,3)")


def there(spec: str) -> object:
    """A game of ours in OpenSpiel."""
    return pyspiel.load_game("hiddenhand", {"game": spec})


@pytest.mark.parametrize("spec", GAMES)
def test_openspiel_finds_nothing_wrong(spec: str) -> None:
    register()  # a second time
    game = there(spec)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    assert game.num_distinct_actions() > 0
    assert str(pyspiel.load_game(str(game))) == str(game)
    simultaneous = load_game(spec).simultaneous
    assert (game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS) == simultaneous


@pytest.mark.parametrize("spec", ["kuhn_poker", "IIGS(3)"])
def test_both_programs_find_the_same_nash_conv(spec: str) -> None:
    game, ours = in_turns(there(spec)), small(spec)
    uniform = unroll(ours, verified=True)
    rng = np.random.default_rng(3)
    profile = np.concatenate(
        [np.ones(uniform.num_players)]
        + [rng.dirichlet(np.ones(n)) for n in np.diff(uniform.set_start)]
    )
    strategy = strategy_from_profile(uniform, profile)
    policy = to_tabular_policy(strategy, there(spec), ours)
    assert pyspiel.nash_conv(game, policy) == pytest.approx(nash_conv(uniform, profile), abs=1e-9)
    back = from_policy(policy, there(spec), ours)
    np.testing.assert_array_equal(back.keys, strategy.keys)
    np.testing.assert_array_equal(back.probabilities, strategy.probabilities)


def test_our_equilibrium_is_one_there() -> None:
    game = pyspiel.load_game("kuhn_poker")
    found = solve(from_openspiel(game), method="lp")
    policy = to_tabular_policy(found.strategy(), game)
    assert pyspiel.nash_conv(game, policy) == pytest.approx(0.0, abs=1e-12)
    ours, went = small("kuhn_poker"), there("kuhn_poker")
    policy = to_tabular_policy(solve(ours, method="lp").strategy(), went, ours)
    assert pyspiel.nash_conv(went, policy) == pytest.approx(0.0, abs=1e-12)


def test_a_game_that_went_there_comes_back() -> None:
    back = unroll(from_openspiel(there("kuhn_poker")), verified=True)
    ours = unroll(small("kuhn_poker"), verified=True)
    assert back.counts() == ours.counts()


def test_strategies_for_other_games_are_refused() -> None:
    ours = small("kuhn_poker")
    strategy = solve(ours, method="lp").strategy()
    with pytest.raises(FileError, match="name the game it was made for"):
        to_tabular_policy(strategy, pyspiel.load_game("kuhn_poker"))
    with pytest.raises(GameError, match="not the same game"):
        to_tabular_policy(strategy, pyspiel.load_game("leduc_poker"), ours)


@pytest.mark.parametrize(
    ("name", "player"), [("kuhn_poker", "equilibrium"), ("leduc_poker", "random")]
)
def test_players_meet_the_search_of_openspiel_under_both_judges(name: str, player: str) -> None:
    game = pyspiel.load_game(name)
    best = HiddenhandBot(game, 1, player, seed=1)
    theirs = pyspiel.ISMCTSBot(1, pyspiel.RandomRolloutEvaluator(1, 1), 4.0, 50)
    paid = [
        pyspiel.evaluate_bots(game.new_initial_state(), [theirs, best], seed) for seed in range(20)
    ]
    random = np.random.RandomState(1)
    paid += [
        evaluation.evaluate_bots(game.new_initial_state(), [theirs, best], random)
        for _ in range(20)
    ]
    assert all(sum(row) == 0 and abs(row[0]) <= game.max_utility() for row in paid)
    assert len({row[0] for row in paid}) > 1


def test_bots_tell_their_policies() -> None:
    game, ours = there("GS(3)"), small("GS(3)")
    first, second = (HiddenhandBot(game, seat, "equilibrium", ours=ours) for seat in (0, 1))
    state = game.new_initial_state()
    policy = second.get_policy(state)
    assert policy == second.step_with_policy(state)[0]
    assert sum(p for _, p in policy) == pytest.approx(1.0)
    assert first.provides_policy()
    payoffs = evaluation.evaluate_bots(state, [first, second], np.random.RandomState(1))
    assert sum(payoffs) == 0
    first.restart()
    assert dict(first.get_policy(game.new_initial_state())).keys() == {0, 1, 2}


class Betting:
    """A player that tells nothing but its action, the one with the number given."""

    def __init__(self, action: int) -> None:
        self.action = action

    def start(self, game: Game, seat: int, seed: int) -> None: ...

    def act(self, *asked: object) -> Decision:
        return Decision(self.action, ())


def test_bots_need_no_probabilities() -> None:
    game = pyspiel.load_game("kuhn_poker")
    state = game.new_initial_state()
    for action in (0, 1):
        state.apply_action(action)
    assert HiddenhandBot(game, 0, Betting(1)).step_with_policy(state) == ([], 1)
    with pytest.raises(PlayerError, match="Betting answered 7; legal actions are"):
        HiddenhandBot(game, 0, Betting(7)).step(state)


def test_bots_refuse_what_is_not_theirs() -> None:
    game = pyspiel.load_game("kuhn_poker")
    with pytest.raises(PlayerError, match="seat=2"):
        HiddenhandBot(game, 2, "random")
    state = game.new_initial_state()
    for action in (0, 1):
        state.apply_action(action)
    with pytest.raises(PlayerError, match="not the turn of player 1"):
        HiddenhandBot(game, 1, make_player("kuhn_poker", "random")).step(state)
    searching = HiddenhandBot(game, 0, "random", budget=Budget(iterations=1))
    assert searching.step(state) in (0, 1)
