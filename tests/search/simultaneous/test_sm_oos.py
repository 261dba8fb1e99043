"""SM-OOS: against its slow twin, against exact values, from the root, and in matches."""

import numpy as np
import numpy.typing as npt
import pytest
from naive.duel import Duel
from naive.joint_games import joint
from naive.noticing import events_of
from naive.sm_oos import NaiveSMOOS
from naive.xoshiro import Xoshiro

from hiddenhand.games.base import Game
from hiddenhand.games.history import History
from hiddenhand.jit.infoset_table import num_sets
from hiddenhand.jit.kernels import kernel
from hiddenhand.search.simultaneous.infoset_export import known_sets
from hiddenhand.search.simultaneous.sm_oos import SMOOS
from hiddenhand.trees.profile import counterfactual_values, realisation_plan, uniform_profile
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

Floats = npt.NDArray[np.float64]


def rows(search: SMOOS) -> list[list[float]]:
    """The rows in their order, without the parent."""
    table = search.table
    return [
        table.values[table.starts[r] + 1 : table.starts[r + 1]].tolist()
        for r in range(num_sets(table))
    ]


# --- the slow twin ---


@pytest.mark.parametrize(
    ("name", "asks"),
    [("goofspiel(4)", False), ("biased rps", False), ("duel", False), ("duel", True)],
)
def test_agrees_with_the_figure_word_for_word(name: str, asks: bool) -> None:
    """To the last bit."""
    assert_word_for_word(joint(name), asks)


def test_agrees_with_the_figure_where_rules_are_compiled() -> None:
    assert_word_for_word(Duel(), asks=False)


def assert_word_for_word(game: Game, asks: bool) -> None:
    search = SMOOS(game, epsilon=0.5, evaluation=asks, seed=7)
    twin = NaiveSMOOS(game, 0.5, Xoshiro(search._rng.tolist()), asks)
    search.think(iterations=300)
    for _ in range(300):
        twin.iterate()
    assert rows(search) == twin.rows()
    assert search._rng.tolist() == twin.rng.state


@pytest.mark.parametrize("carry", [False, True])
def test_moving_on_word_for_word(carry: bool) -> None:
    """From a state in the middle of a match, with what is known from before; probabilities begin
    with 1, or with those of the match.
    """
    game = joint("duel")
    search = SMOOS(game, carry=carry)
    search.start(1, 3)
    twin = NaiveSMOOS(game, 0.6, Xoshiro(search._rng.tolist()))
    search.think(iterations=400)
    for _ in range(400):
        twin.iterate()
    # the die shows its second face; 1 against 0; then the first face, and player 0 has chosen what
    # player 1 does not know yet
    history = History(search.game)
    for move in (1, 1, 0, 0, 2):
        history = history.child(move)
    mean = twin.mean[((1,),)]
    reach = (
        (mean[0][1] / sum(mean[0]), mean[1][0] / sum(mean[1]), 0.3 * 0.5)
        if carry
        else (1.0, 1.0, 1.0)
    )
    search.notice(events_of(history, 1))
    path = ((1,), (1, 0), (0,))
    twin.restart(search._root.state[: game.state_size], path, reach)
    np.testing.assert_allclose(search._root.reach, reach, rtol=1e-15)
    for table in (twin.regret, twin.mean):
        for other in [p for p in table if p[: len(path)] != path]:
            del table[other]
    search.think(iterations=400)
    for _ in range(400):
        twin.iterate()
    assert len(rows(search)) == len(twin.rows()) > 1
    for row, expected in zip(rows(search), twin.rows(), strict=True):
        np.testing.assert_allclose(row, expected, rtol=1e-9, atol=1e-12)
    assert search._rng.tolist() == twin.rng.state
    np.testing.assert_allclose(
        search.policy(2), np.array(twin.mean[path][1]) / sum(twin.mean[path][1])
    )


def test_probabilities_that_would_be_zero_begin_with_one() -> None:
    """Where the mean strategy of a player never does what happened, nothing could be learnt
    otherwise.
    """
    search = SMOOS(joint("goofspiel(4)"), carry=True)
    search.start(0, 1)
    search.think(iterations=2_000)
    row = int(search.table.find(search._root.node[0]))
    search.table.values[row + 5] = 0.0  # the mean strategy's part of the first bid of player 0
    history = History(search.game).child(0).child(1)
    search.notice(events_of(history, 0))
    assert search._root.reach[0] == 1.0
    assert 0.0 < search._root.reach[1] < 1.0


# --- exactness: the sampled counterfactual regrets and mean strategies are unbiased ---


@pytest.mark.parametrize(
    ("name", "warm_up"),
    [("goofspiel(3)", 4), ("goofspiel(3)", 200), ("duel", 30), ("biased rps", 50)],
)
def test_samples_are_unbiased(name: str, warm_up: int) -> None:
    """The mean update of many traversals from one and the same table is the exact counterfactual
    regret of sigma, and the mean strategy's own weight.

    After a short warm-up much of the game is not in memory yet. From there on play is uniform,
    which is what sigma is where nothing was learnt.
    """
    search = SMOOS(joint(name), epsilon=0.6, seed=3)
    tree = unroll(search.game)
    search.run(iterations=warm_up)
    search._iterate(0)
    profile, known = sigma_on(tree, search)
    plan = realisation_plan(tree, profile)
    checked = 0
    for i in range(2):
        mean, error = mean_update(search, i, 100_000)
        values = counterfactual_values(tree, profile, i)
        for player, number, regret, weight in known:
            start, n = tree.set_start[number], tree.set_start[number + 1] - tree.set_start[number]
            sigma = profile[start : start + n]
            for a in range(n):
                if player == i:
                    exact = values[start + a] - sigma @ values[start : start + n]
                    assert abs(mean[regret + a] - exact) <= 5 * error[regret + a] + 1e-9
                    assert mean[weight + a] == 0.0
                else:
                    share = sigma[a] * plan[tree.set_parent[number]] * chance_part(tree, number)
                    assert abs(mean[weight + a] - share) <= 5 * error[weight + a] + 1e-9
                    assert mean[regret + a] == 0.0
                checked += 1
    assert checked >= 12


def sigma_on(tree: GameTree, search: SMOOS) -> tuple[Floats, list[tuple[int, int, int, int]]]:
    """The strategy that the search plays next; and for all sets in memory the player, the number,
    and where regrets and mean strategy are.
    """
    profile, places = uniform_profile(tree), []
    known = known_sets(search.game, search.rules, search.table, search._root)
    for player in range(2):
        for row, key, n_0, n_1 in zip(*(array.tolist() for array in known.of(player)), strict=True):
            number, n, first = tree.find_set(key), (n_0, n_1)[player], row + 1 + 2 * n_0 * player
            regret = np.maximum(search.table.values[first : first + n], 0.0)
            if regret.sum() > 0:
                profile[tree.set_start[number] : tree.set_start[number] + n] = regret / regret.sum()
            places.append((player, number, first, first + n))
    return profile, places


def chance_part(tree: GameTree, information_set: int) -> float:
    """Chance's part in the probability of the joint history; that player 1 does not know player 0's
    choice changes nothing.
    """
    at, part = int(np.flatnonzero(tree.information_set == information_set)[0]), 1.0
    while at > 0:
        part, at = part * tree.probability[at], int(tree.parent[at])
    return part


def mean_update(search: SMOOS, i: int, repeats: int) -> tuple[Floats, Floats]:
    """The mean change of the table's values by a traversal for player ``i``, and its standard
    error. Leaves the table as it was.
    """
    total, squares = np.zeros_like(search.table.values), np.zeros_like(search.table.values)
    _repeat(search._traversal(), i, repeats, total, squares)
    mean = total / repeats
    return mean, np.sqrt(np.maximum(squares / repeats - mean**2, 0.0) / repeats)


@kernel
def _repeat(search, i, repeats, total, squares):  # type: ignore[no-untyped-def]
    table = search.table
    values, slots, counts = table.values.copy(), table.slots.copy(), table.counts.copy()
    used = counts[1]
    for _ in range(repeats):
        search.traverse(i)
        for v in range(used):
            change = table.values[v] - values[v]
            total[v] += change
            squares[v] += change**2
        if table.counts[1] > used:
            table.slots[:] = slots
            table.counts[:] = counts
        table.values[: used + 100] = values[: used + 100]
