"""Values, best responses and reaches of profiles, against recursion over histories and against
numbers from elsewhere.
"""

from functools import cache

import numpy as np
import pytest
from naive import behaviour as naive
from naive.behaviour import Node, behaviour_of, random_profile, written_out
from naive.small_trees import THREE, game_of, tree_of

from hiddenhand.errors import OptionError
from hiddenhand.games.base import CHANCE
from hiddenhand.trees.profile import (
    best_response,
    best_response_values,
    counterfactual_values,
    expected_values,
    exploitability,
    gap,
    history_values,
    nash_conv,
    reach_probabilities,
    realisation_plan,
    uniform_profile,
)
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

GAMES = ["Kuhn", "Leduc", "coordination_game", "IIGS(3)", "IIGS(4)", "LD(1,1,3)", "BRPS(10)", THREE]
SMALLEST = ["Kuhn", "coordination_game", "IIGS(3)", "BRPS(10)", THREE]


@cache
def both(game: str) -> tuple[GameTree, Node]:
    """The game as arrays and as nodes."""
    return tree_of(game), written_out(game_of(game))


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("game", GAMES)
def test_expected_values_are_those_of_a_recursion(game: str, seed: int) -> None:
    tree, root = both(game)
    profile = random_profile(tree, seed)
    assert expected_values(tree, profile) == pytest.approx(
        naive.expected(root, behaviour_of(tree, profile)), abs=1e-12
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("game", GAMES)
def test_best_responses_are_those_of_a_recursion(game: str, seed: int) -> None:
    tree, root = both(game)
    profile = random_profile(tree, seed)
    behaviour = behaviour_of(tree, profile)
    expected = [
        naive.best_response_value(root, behaviour, player) for player in range(tree.num_players)
    ]
    assert best_response_values(tree, profile) == pytest.approx(expected, abs=1e-12)
    assert nash_conv(tree, profile) == pytest.approx(naive.nash_conv(root, behaviour), abs=1e-12)
    assert exploitability(tree, profile) == nash_conv(tree, profile) / tree.num_players


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("game", GAMES)
def test_counterfactual_values_are_sums_over_ends(game: str, seed: int) -> None:
    tree, root = both(game)
    profile = random_profile(tree, seed)
    for player in range(tree.num_players):
        expected = naive.counterfactual(root, behaviour_of(tree, profile), player)
        values = counterfactual_values(tree, profile, player)
        own = np.flatnonzero((tree.sequence_player == player) & (tree.sequence_set >= 0))
        found = {
            (int(tree.set_key[tree.sequence_set[s]]), int(tree.sequence_action[s])): values[s]
            for s in own
        }
        assert found == pytest.approx(expected, abs=1e-12)
        assert values[player] == pytest.approx(expected_values(tree, profile)[player], abs=1e-12)
        assert np.all(values[tree.sequence_player != player] == 0.0)


def test_of_equally_good_actions_the_first_is_the_response() -> None:
    """Against rock, paper, scissors in equal parts, with a bonus of 1, all of player 0's actions
    earn 0.
    """
    tree = tree_of("BRPS(1)")
    assert best_response(tree, uniform_profile(tree), 0).profile[2:5].tolist() == [1.0, 0.0, 0.0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "values"),
    [  # best responses to uniform play, from an independently written sequence-form linear program
        ("GP(3,2,1,1)", (2.0875, 2.659722222)),
        ("GP(3,3,2,2)", (6.796130952381, 5.599826388889)),
        ("LD(1,1,3)", (0.592592592593, 0.518518518519)),
        ("LD(1,1,6)", (0.795491622575, 0.765997023810)),
        ("IIGS(5)", (0.775, 0.775)),
        ("IIGS(6)", (0.811111111111, 0.811111111111)),
        ("goofspiel(5,imp_info=True,points_order=ascending,lowest_card=0)", (0.875, 0.875)),
        ("GS(5)", (0.816666666667, 0.816666666667)),
        ("BRPS(10)", (3, 0)),
    ],
)
def test_known_best_responses_to_uniform_play(game: str, values: tuple[float, float]) -> None:
    tree = unroll(game)
    assert best_response_values(tree, uniform_profile(tree)) == pytest.approx(values, abs=1e-9)


@pytest.mark.parametrize("game", SMALLEST)
def test_reach_probabilities_are_products_along_the_path(game: str) -> None:
    tree, _ = both(game)
    profile = random_profile(tree, 5)
    behaviour = behaviour_of(tree, profile)
    reach = reach_probabilities(tree, profile)
    for history in range(tree.num_histories):
        expected = np.ones(tree.num_players + 1)
        step = history
        while step:
            before = tree.parent[step]
            player, action = int(tree.player[before]), int(tree.action[step])
            key = 0 if player == CHANCE else int(tree.keys[before, player])
            expected[player] *= (
                tree.probability[step] if player == CHANCE else behaviour[key][action]
            )
            step = before
        assert reach[history] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("game", SMALLEST)
def test_history_values_are_those_of_a_recursion(game: str) -> None:
    tree, root = both(game)
    profile = random_profile(tree, 9)
    values = history_values(tree, profile)
    for history in range(tree.num_histories):
        node = root
        for action in tree.path(history):
            node = node.children[action]
        assert values[history] == pytest.approx(
            naive.expected(node, behaviour_of(tree, profile)), abs=1e-12
        )


@pytest.mark.parametrize(
    "bad",
    [
        np.ones(8),
        np.zeros(8),
        np.array([1, 1, 2, -1, 0, 1, 0, 0.0]),
        np.array([1, 1, np.nan, 0.5, 0.5, 1, 0, 0]),
    ],
)
def test_a_profile_that_is_none_is_refused(bad: np.ndarray) -> None:
    tree = tree_of("BRPS(10)")
    for asked in (
        lambda: best_response(tree, bad, 0),
        lambda: nash_conv(tree, bad),
        lambda: counterfactual_values(tree, bad, 1),
    ):
        with pytest.raises(
            OptionError,
            match=(
                r"this is no profile: probabilities in information set . sum to .* must not be "
                r"negative and sum to 1"
            ),
        ):
            asked()


def test_a_profile_of_another_game_is_refused() -> None:
    tree = tree_of("BRPS(10)")
    with pytest.raises(
        OptionError,
        match=r"a profile of shape \(26,\) does not fit .* one number for each of 8 sequences",
    ):
        nash_conv(tree, uniform_profile(tree_of("Kuhn")))


@pytest.mark.parametrize("player", [-1, 2])
def test_a_player_who_is_not_there_is_refused(player: int) -> None:
    tree = tree_of("Kuhn")
    for asked in (best_response, counterfactual_values):
        with pytest.raises(
            OptionError, match=f"player {player} is not allowed; .* has players 0 to 1"
        ):
            asked(tree, uniform_profile(tree), player)


@pytest.mark.parametrize(
    "evaluate", [expected_values, reach_probabilities, history_values, realisation_plan]
)
def test_every_evaluation_refuses_a_profile_of_another_game(evaluate) -> None:
    """Compiled code checks no bounds, so a profile that is too short must not get there."""
    with pytest.raises(OptionError, match="does not fit"):
        evaluate(tree_of("Kuhn"), np.ones(5))


def test_profiles_are_left_alone() -> None:
    tree = tree_of("Kuhn")
    profile = random_profile(tree, 11)
    before = profile.copy()
    for evaluate in (
        nash_conv,
        expected_values,
        reach_probabilities,
        history_values,
        realisation_plan,
    ):
        evaluate(tree, profile)
    best_response(tree, profile, 1)
    counterfactual_values(tree, profile, 0)
    assert np.array_equal(profile, before)


@pytest.mark.parametrize("unit", [1.0, 1e9])
def test_no_gap_is_negative_by_rounding(unit: float) -> None:
    """In units of the payoffs: with payoffs of a billion, rounding may leave -1e-7."""
    responses, values = np.array([0.25, -0.25]) * unit, np.array([0.25, -0.25]) * unit
    assert str(gap(responses, values + 1e-16 * unit)) == "0.0"
    assert gap(responses, values - 0.5 * unit) == unit
    assert gap(responses, values + 0.5 * unit) == -unit  # an error that is not of rounding
