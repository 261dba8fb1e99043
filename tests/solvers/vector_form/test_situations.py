"""Which games have a vector form, what it is, and what is measured with it."""

import numpy as np
import pytest
from naive.guess_the_ace import GuessTheAce
from naive.open_hands import Duel, Whispers

from hiddenhand.errors import FileError, GameError, OptionError, TooLargeError
from hiddenhand.evaluation import nash_conv as measure
from hiddenhand.evaluation.nash_conv import Options, measured, planned
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.registry import load_game
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.search.solving import solve
from hiddenhand.solvers.vector_form import public_game, situations
from hiddenhand.solvers.vector_form.public_game import vector_form
from hiddenhand.solvers.vector_form.situations import HiddenMovesError, explore
from hiddenhand.trees.profile import normalised
from hiddenhand.trees.strategy import strategy_from_profile
from hiddenhand.trees.unroll import unroll


@pytest.mark.parametrize(
    ("game", "why"),
    [
        ("phantom_ttt", "not everybody notices what player 0 does"),
        ("goofspiel(4)", "not everybody notices what player 0 does"),
        ("coordination_game", "not everybody notices what player 0 does"),
        (Whispers(whispered=True), "the player to move depends on what is hidden"),
        (GuessTheAce(), ""),
    ],
)
def test_what_is_for_the_vector_form(game: Game | str, why: str) -> None:
    rules = load_game(game) if isinstance(game, str) else game
    if not why:
        assert explore(rules)
        return
    with pytest.raises(HiddenMovesError, match=why):
        explore(rules)


def test_events_that_may_be_those_of_another_move_are_refused() -> None:
    """Player 0 hears each of two coins that shows heads, and bets on the first one: the bet is
    right in half of the matches with one head, and in all others.
    """
    worth = [[1, -1], [1, -1], [-1, 1], [-1, 1]]
    paid = np.concatenate([np.zeros(7), np.ravel(worth)])
    coins = TreeGame(
        player=[CHANCE] * 3 + [0] * 4 + [TERMINAL] * 8,
        first_child=[1, 3, 5, 7, 9, 11, 13] + [15] * 8,
        num_children=[2] * 7 + [0] * 8,
        probability=np.where(np.arange(15) == 0, 1.0, 0.5),
        information_set=[-1] * 3 + [0, 1, 1, 2] + [-1] * 8,
        utilities=np.stack([paid, -paid], axis=1),
        private_token=[[int(node in (2, 4, 6)), 0] for node in range(15)],
        public_token=[0] * 7 + [1, 2] * 4,
    )
    assert solve(coins, "lp").value == pytest.approx(0.5)
    with pytest.raises(HiddenMovesError, match="player 0 notices some outcomes of a move, and not"):
        explore(coins)


def test_other_games_are_refused() -> None:
    with pytest.raises(GameError, match="zero-sum games of two players"):
        explore(load_game("tricks"))
    with pytest.raises((GameError, TooLargeError), match="LimitHoldem"):
        explore(load_game("limit_holdem"))


def test_too_many_situations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TooLargeError, match="forget_past"):
        explore(load_game("Leduc"), effort=5000)
    monkeypatch.setattr(situations, "MAX_MOVES", 10)
    with pytest.raises(TooLargeError, match="too many hands"):
        explore(load_game("LD(1,1,6)"))


def test_more_public_histories_than_can_be_counted_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """LD(1,1,28) has more than fit in 64 bits, which takes seconds to see."""
    monkeypatch.setattr(public_game, "_MOST", 100)
    with pytest.raises(TooLargeError, match=r"some \de\+0\d actions of hands"):
        vector_form(load_game("LD(1,1,5)"))


@pytest.mark.parametrize("game", [load_game("Leduc"), load_game("LD(2,1,2)"), Duel()], ids=str)
@pytest.mark.parametrize("seed", [1, 2])
def test_strategies_are_measured_as_on_the_tree(game: Game, seed: int) -> None:
    tree = unroll(game)
    weights = np.random.default_rng(seed).random(tree.num_sequences) ** 4
    strategy = strategy_from_profile(tree, normalised(tree, weights))
    for unseen in ("uniform", "fixed"):
        part = strategy_part(strategy, 2 if unseen == "fixed" else 1)
        found, twin = (
            measured(game, part, method=method, unseen=unseen, seed=seed)
            for method in ("vector", "tree")
        )
        assert found.nash_conv == pytest.approx(twin.nash_conv, abs=1e-12)
        assert found.expected_values == pytest.approx(twin.expected_values, abs=1e-12)
        assert found.best_response_values == pytest.approx(twin.best_response_values, abs=1e-12)


def strategy_part(strategy, every):  # type: ignore[no-untyped-def]
    """A strategy that knows only every second set, or so."""
    sets = np.arange(strategy.num_sets) % every == 0
    sizes = np.diff(strategy.starts)
    kept = np.repeat(sets, sizes)
    starts = np.concatenate([[0], np.cumsum(sizes[sets])])
    return type(strategy)(
        strategy.game, strategy.keys[sets], starts, strategy.probabilities[kept], strategy.rules
    )


def test_auto_takes_the_vector_form_where_a_game_is_too_large_for_a_tree() -> None:
    assert planned(load_game("Leduc"), Options(max_histories=100)).method == "vector"
    assert planned(load_game("Leduc"), Options()).method == "tree"
    assert planned(load_game("IIGS(4)"), Options(max_histories=100)).method == "stream"
    assert measured("Leduc", max_histories=1900).method == "vector"  # it has 1939, 1876 by plays
    found = measured("Leduc", max_histories=100)
    assert found.method == "vector"
    assert found.nash_conv == pytest.approx(measured("Leduc").nash_conv, abs=1e-12)
    assert "for all hands at once" in str(planned(load_game("LD(2,1,3)"), Options(method="vector")))


def test_what_does_not_fit_is_streamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "memory_left", lambda: 10)
    assert planned(load_game("Leduc"), Options(max_histories=100)).method == "stream"
    with pytest.raises(TooLargeError, match="method stream"):
        measured("Leduc", method="vector")


def test_a_strategy_of_another_game_is_refused() -> None:
    tree = unroll(load_game("Kuhn"))
    strategy = strategy_from_profile(tree, normalised(tree, np.ones(tree.num_sequences)))
    with pytest.raises(FileError):
        measured("Leduc", strategy, method="vector")
    with pytest.raises(OptionError):
        measured("Leduc", strategy, method="matrix")
