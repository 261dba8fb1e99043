"""AIVAT: the mean of corrected payoffs is the mean of payoffs, exactly, and they vary less."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from naive.small_games import Forgetful, small
from naive.watching import Scripted

from hiddenhand import load_game, make_player, play_match
from hiddenhand.errors import OptionError, PlayerError
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.arrays import Floats
from hiddenhand.matches.aivat import Correction, ValueEstimate, corrected
from hiddenhand.matches.rollouts import NOTHING, RolloutValues
from hiddenhand.matches.value_estimates import TreeValues, ZeroValues, make_values
from hiddenhand.players.player import Decision
from hiddenhand.solvers.linear_program import solve_lp
from hiddenhand.trees.profile import expected_values, normalised
from hiddenhand.trees.strategy import strategy_from_profile
from hiddenhand.trees.unroll import unroll


class Anything:
    """A value estimate that is wrong everywhere: another number for each history and player."""

    def after(self, history: History, moves: Sequence[int]) -> Floats:
        def value(move: int) -> Floats:
            seed = [7, *(int(before) for before in history.moves), move]  # type: ignore[arg-type]
            return np.random.default_rng(seed).normal(size=history.game.num_players)

        return np.array([value(move) for move in moves])


Policy = Callable[[History], Sequence[float]]


def moments(
    game: Game, policy: Policy, values: ValueEstimate, known: Sequence[int], limit: float | None
) -> tuple[Floats, Floats, int]:
    """Mean and variance of the corrected payoffs over all histories, and how many terms were left
    out, by a walk over the whole game.
    """
    skipped = 0
    mean, square = np.zeros(game.num_players), np.zeros(game.num_players)

    def walk(history: History, reach: float, terms: Floats) -> None:
        nonlocal mean, square, skipped
        if history.is_terminal:
            found = np.array(history.returns()) + terms
            if limit is not None:
                assert np.abs(terms).max() <= limit
            mean, square = mean + reach * found, square + reach * found**2
            return
        if history.player == CHANCE:
            moves, pi = map(list, zip(*history.chance_outcomes(), strict=True))
        else:
            moves, pi = history.legal_actions(), list(policy(history))
        for move, p in zip(moves, pi, strict=True):
            correction = Correction(values, game.num_players, limit)
            correction.sum = terms
            if history.player == CHANCE or history.player in known:
                correction.take(history, moves, pi, move)
            skipped += correction.skipped
            walk(history.child(move), reach * p, correction.sum)

    walk(History(game), 1.0, np.zeros(game.num_players))
    return mean, square - mean**2, skipped


def anyhow(history: History) -> Sequence[float]:
    """Other probabilities in each information set."""
    weights = np.random.default_rng(history.information_key).random(len(history.legal_actions()))
    return [float(p) for p in weights**2 / (weights**2).sum()]


@pytest.mark.parametrize("known", [(0, 1), (1,), ()])
@pytest.mark.parametrize("limit", [None, 2.0])
def test_the_mean_is_exact_on_kuhn_poker(known: Sequence[int], limit: float | None) -> None:
    game = small("Kuhn")
    expected, _, _ = moments(game, anyhow, ZeroValues(), (), None)
    mean, _, skipped = moments(game, anyhow, Anything(), known, limit)
    assert mean == pytest.approx(expected, abs=1e-12)
    assert (skipped > 0) == (limit is not None)


@pytest.mark.slow
def test_the_mean_is_exact_on_leduc_poker() -> None:
    game = small("Leduc")
    tree = unroll(game)
    profile = normalised(tree, np.random.default_rng(3).random(tree.num_sequences) ** 2)
    strategy = strategy_from_profile(tree, profile)

    def policy(history: History) -> Sequence[float]:
        known = strategy.at(history.information_key)
        assert known is not None
        return [float(p) for p in known]

    expected = expected_values(tree, profile)
    plain, plain_variance, _ = moments(game, policy, ZeroValues(), (0, 1), None)
    wrong, wrong_variance, _ = moments(game, policy, Anything(), (0, 1), None)
    right, right_variance, _ = moments(game, policy, TreeValues(tree, profile), (0, 1), None)
    near, near_variance, _ = moments(game, policy, make_values("solved", game), (0, 1), 13.0)
    for mean in (plain, wrong, right, near):
        assert mean == pytest.approx(expected, abs=1e-12)
    assert wrong_variance[0] > plain_variance[0] > 1.4 * near_variance[0]
    assert right_variance == pytest.approx([0.0, 0.0], abs=1e-9)


def test_a_record_is_corrected_move_by_move() -> None:
    """An equilibrium against an equilibrium, with its own values: what is left is the value."""
    game = small("Kuhn")
    solved = make_values("solved", game)
    players = [make_player(game, "equilibrium"), make_player(game, "random")]
    record = play_match(game, [players[0], make_player(game, "equilibrium")], 1)
    assert corrected(record, solved) == pytest.approx((-1 / 18, 1 / 18))
    assert corrected(record, ZeroValues()) == record.returns
    record = play_match(game, players, seed=1, chance_seed=0)
    assert corrected(record, solved, known=(0,)) != pytest.approx(corrected(record, solved))
    with pytest.raises(PlayerError, match="players 0 to 1"):
        corrected(record, solved, known=(2,))


class Telling(Scripted):
    """Tells ``chances`` as its policy, whatever it does."""

    def __init__(self, chances: tuple[float, ...], *actions: int) -> None:
        super().__init__(*actions)
        self.chances = chances

    def act(self, *given: Any) -> Decision:
        return replace(super().act(*given), policy=self.chances)


def test_moves_without_probabilities_have_no_term() -> None:
    game = small("Kuhn")
    solved = make_values("solved", game)
    record = play_match(game, [Telling((), 0, 1), Scripted(1)], 1, chance_seed=0)
    assert corrected(record, solved) == corrected(record, solved, known=(1,))
    assert "plays check\n" in record.explain([0])
    assert "player 1" in record._repr_html_()
    for chances in ((1.0,), (0.0, 1.0)):
        record = play_match(game, [Telling(chances, 0, 1), Scripted(1)], 1, chance_seed=0)
        with pytest.raises(PlayerError, match=r"^player 1 .*has the policy .*it needs a prob"):
            corrected(record, solved)


def test_rollouts_are_means_of_what_is_paid() -> None:
    """In Kuhn poker with king against jack, after a bet: a call pays 2, a pass 1."""
    game = small("Kuhn")
    history = next(
        history
        for history in all_histories(game)
        if history.player == 1
        and {history.child(a).returns()[0] for a in history.legal_actions()} == {1.0, 2.0}
    )
    for preferred in (NOTHING, history.legal_actions()[1]):
        values = RolloutValues(game, 20, preferred=preferred, seed=3)
        assert sorted(values.after(history, history.legal_actions()).tolist()) == [
            [1.0, -1.0],
            [2.0, -2.0],
        ]
    before = History(game).child(history.moves[0])
    again = [RolloutValues(game, 997, seed=s).after(before, [history.moves[1]]) for s in (1, 1, 2)]  # type: ignore[list-item]
    assert again[0].tolist() == again[1].tolist() != again[2].tolist()


def test_what_cannot_be_solved_is_played_on() -> None:
    assert isinstance(make_values("auto", Forgetful()), RolloutValues)


def test_rollouts_by_a_strategy() -> None:
    """Rollouts by an equilibrium approach its values; the same code, uncompiled, agrees."""
    game = small("Kuhn")
    tree = unroll(game)
    strategy = strategy_from_profile(tree, solve_lp(tree).profile)
    exact = TreeValues(tree, strategy.on(tree))
    root = History(game)
    deals = [move for move, _ in root.chance_outcomes()]
    found = RolloutValues(game, 4000, strategy, seed=1).after(root, deals)
    assert found == pytest.approx(exact.after(root, deals), abs=0.1)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nothing", "there are no values .nothing."),
        ("rollouts(x", "there are no values"),
        ("rollouts(0)", "is no number of rollouts"),
        ("strategy", "need a file"),
        ("solved(3)", "take no argument"),
        ("calls", "an action CALL"),
        ("evaluation", "no evaluation function"),
    ],
)
def test_values_that_do_not_exist(name: str, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        make_values(name, small("Kuhn"))


def test_values_of_another_game_are_refused() -> None:
    record = play_match("kuhn_poker", ["random", "random"], seed=1, chance_seed=1)
    values = make_values("solved", small("BRPS(10)"))
    with pytest.raises(OptionError, match=r"the values are those of .* for the game of the match$"):
        corrected(record, values)


def test_the_evaluation_function_of_a_game() -> None:
    game = as_sequential(load_game("IIGS(3)"))
    history = History(game)
    values = make_values("evaluation", game)
    found = values.after(history, history.legal_actions())
    assert found.shape == (3, 2)
    assert found.sum(axis=1) == pytest.approx([0.0] * 3)
