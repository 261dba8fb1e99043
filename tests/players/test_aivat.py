"""AIVAT: the mean of corrected payoffs is the mean of payoffs, exactly, and they vary less."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from naive.small_games import small

from hiddenhand import make_player, play_match
from hiddenhand.compiled.arrays import Floats
from hiddenhand.errors import OptionError, PlayerError
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History
from hiddenhand.players.aivat import Correction, ValueEstimate, corrected
from hiddenhand.players.estimates import TreeValues, ZeroValues, make_values
from hiddenhand.trees.profile import expected_values, normalised
from hiddenhand.trees.unroll import unroll


class Anything:
    """A value estimate that is wrong everywhere: another number for each history and player."""

    def after(self, history: History, moves: Sequence[int]) -> Floats:
        def value(move: int) -> Floats:
            seed = [7, *(int(before) for before in history.moves), move]  # type: ignore[arg-type]
            return np.random.default_rng(seed).normal(size=history.game.num_players)

        return np.array([value(move) for move in moves])


def moments(
    game: Game, profile: Floats, values: ValueEstimate, known: Sequence[int], limit: float | None
) -> tuple[Floats, Floats, int]:
    """Mean and variance of the corrected payoffs over all histories, and how many terms were left
    out, by a walk over the whole game.
    """
    tree, skipped = unroll(game), 0
    mean, square = np.zeros(game.num_players), np.zeros(game.num_players)

    def walk(history: History, number: int, reach: float, terms: Floats) -> None:
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
            moves, number_of_set = history.legal_actions(), tree.information_set[number]
            first = tree.set_start[number_of_set]
            pi = list(profile[first : first + len(moves)])
        for place, (move, p) in enumerate(zip(moves, pi, strict=True)):
            correction = Correction(values, game.num_players, limit)
            correction.sum = terms
            if history.player == CHANCE or history.player in known:
                correction.take(history, moves, pi, move)
            skipped += correction.skipped
            walk(
                history.child(move),
                int(tree.first_child[number]) + place,
                reach * p,
                correction.sum,
            )

    walk(History(game), 0, 1.0, np.zeros(game.num_players))
    return mean, square - mean**2, skipped


def any_profile(game: Game) -> Floats:
    tree = unroll(game)
    return normalised(tree, np.random.default_rng(3).random(tree.num_sequences) ** 2)


@pytest.mark.parametrize("known", [(0, 1), (1,), ()])
@pytest.mark.parametrize("limit", [None, 2.0])
def test_the_mean_is_exact_on_kuhn_poker(known: Sequence[int], limit: float | None) -> None:
    game = small("Kuhn")
    profile = any_profile(game)
    mean, _, skipped = moments(game, profile, Anything(), known, limit)
    assert mean == pytest.approx(expected_values(unroll(game), profile), abs=1e-12)
    assert (skipped > 0) == (limit is not None)


def test_the_mean_is_exact_on_leduc_poker() -> None:
    game = small("Leduc")
    profile, tree = any_profile(game), unroll(game)
    expected = expected_values(tree, profile)
    plain, plain_variance, _ = moments(game, profile, ZeroValues(), (0, 1), None)
    wrong, wrong_variance, _ = moments(game, profile, Anything(), (0, 1), None)
    right, right_variance, _ = moments(game, profile, TreeValues(tree, profile), (0, 1), None)
    near, near_variance, _ = moments(game, profile, make_values("solved", game), (0, 1), 13.0)
    for mean in (plain, wrong, right, near):
        assert mean == pytest.approx(expected, abs=1e-12)
    assert wrong_variance[0] > plain_variance[0] > 1.4 * near_variance[0]
    assert right_variance == pytest.approx([0.0, 0.0], abs=1e-9)


def test_three_players() -> None:
    from naive.small_games import ThreeHands

    game = ThreeHands()
    profile = any_profile(game)
    mean, _, _ = moments(game, profile, Anything(), (0, 2), None)
    assert mean == pytest.approx(expected_values(unroll(game), profile), abs=1e-12)
