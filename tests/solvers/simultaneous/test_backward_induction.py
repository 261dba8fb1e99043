"""Backward induction: the counts of the thesis, the same in fractions, the sequence-form linear
program; and what strategies are worth.
"""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from naive.exact_play import ExactPlay, has_saddle, matrix_value
from naive.joint_games import Circling, VariedMoves
from naive.small_games import Over, ii_goofspiel
from typing_commands import Typed

from hiddenhand.errors import GameError, OptionError, SolverError, TooLargeError
from hiddenhand.games.base import TERMINAL, Game
from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.games.oshi_zumo import OshiZumo
from hiddenhand.games.tron import Tron
from hiddenhand.games.turn_based import TurnBased
from hiddenhand.pursuit.games.pursuit_evasion import PursuitEvasion
from hiddenhand.solvers.linear_program import solve_lp
from hiddenhand.solvers.simultaneous.backward_induction import solve_by_induction
from hiddenhand.solvers.simultaneous.expansion import expand
from hiddenhand.solvers.simultaneous.joint_profile import (
    _segments,
    best_joint_response_values,
    joint_nash_conv,
    profile_on_histories,
    strategy_from_joint_profile,
    uniform_joint_profile,
)
from hiddenhand.solvers.simultaneous.state_graph import HiddenStateError
from hiddenhand.trees.profile import best_response_values, nash_conv
from hiddenhand.trees.strategy_files import load_strategy
from hiddenhand.trees.unroll import unroll

SMALL: list[Game] = [Goofspiel(4), OshiZumo(6, 2, 1), VariedMoves(), VariedMoves(rounds=4, seed=5)]


# --- the counts of the thesis ---


@pytest.mark.parametrize(
    ("game", "pure", "mixed", "all_mixed"),
    [
        # The thesis counts some more states as mixed (`all_mixed`) than have no saddle point, but
        # in the deepest rounds with any. How many histories there are is the same everywhere. The
        # same computation in fractions agrees with ours, see below.
        (Goofspiel(5), [1, 17, 336, 3354, 14400], [0, 8, 64, 246, 0], [1, 8, 66, 246, 0]),
        (
            OshiZumo(10, 3, 1),
            [1, 99, 2014, 14770, 48538, 79926, 69938, 33538, 8351, 861],
            [0, 0, 2, 14, 8, 0, 0, 0, 0, 0],
            [0, 1, 4, 17, 8, 0, 0, 0, 0, 0],
        ),
        (
            PursuitEvasion(4, 4, 5),
            [1, 12, 284, 7656, 241986],
            [0, 0, 40, 1008, 6726],
            [0, 0, 63, 1008, 6726],
        ),
        (
            Tron(5, 6),
            [1, 4, 14, 100, 566, 2601, 9510, 25976, 54306, 83635, 87009, 63642, 23296, 3127],
            [0, 0, 2, 0, 8, 4, 49, 80, 104, 110, 74, 0, 0, 0],
            [0, 0, 2, 0, 9, 7, 51, 92, 106, 121, 74, 0, 0, 0],
        ),
    ],
    ids=str,
)
def test_states_by_depth(
    game: Game, pure: list[int], mixed: list[int], all_mixed: list[int]
) -> None:
    """Lisy (2014), tables of Section 4.1.1; his Goofspiel is descending, with cards 1 to 5."""
    counted = solve_by_induction(game).states_by_depth
    assert counted.pure == pure
    assert counted.mixed == mixed
    thesis = {
        "Goofspiel": [0, 17, 334, 3354, 14400],
        "OshiZumo": [1, 98, 2012, 14767, 48538, 79926, 69938, 33538, 8351, 861],
        "PursuitEvasion": [1, 12, 261, 7656, 241986],
        "Tron": [1, 4, 14, 100, 565, 2598, 9508, 25964, 54304, 83624, 87009, 63642, 23296, 3127],
    }[type(game).__name__]
    assert np.add(pure, mixed).tolist() == np.add(thesis, all_mixed).tolist()
    assert np.all(np.array(mixed) <= all_mixed)


@pytest.mark.parametrize(
    "game", [Goofspiel(5), OshiZumo(10, 3, 1), PursuitEvasion(4, 4, 5)], ids=str
)
def test_saddle_points_are_those_of_fractions(game: Game) -> None:
    """No tolerance: each state's matrix in fractions."""
    found = solve_by_induction(game)
    graph, values = found.graph, [Fraction(payoff) for payoff in found.graph.payoff.tolist()]
    for node in graph.order[::-1].tolist():
        m, n, first = int(graph.rows[node]), int(graph.columns[node]), int(graph.first_cell[node])
        if m > 0:
            matrix = [
                [values[cell] for cell in graph.cell[first + i * n : first + (i + 1) * n].tolist()]
                for i in range(m)
            ]
            saddle = has_saddle(matrix)
            values[node] = max(map(min, matrix)) if saddle else matrix_value(matrix)
            assert found.mixed[node] == (not saddle)
            assert found.values[node] == pytest.approx(float(values[node]), abs=1e-12)


@pytest.mark.parametrize("game", [Goofspiel(4), OshiZumo(6, 3, 1), *SMALL[-2:]], ids=str)
def test_it_agrees_with_fractions(game: Game) -> None:
    exact, found = ExactPlay(game), solve_by_induction(game)
    assert found.value == pytest.approx(float(exact.value()), abs=1e-12)
    assert found.states_by_depth.pure == exact.pure
    assert found.states_by_depth.mixed == exact.mixed


# --- equilibria ---


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_it_agrees_with_the_sequence_form(game: Game) -> None:
    """The strategy is an equilibrium of the game with moves in turns, where it is filed by what
    players noticed.
    """
    found, tree = solve_by_induction(game), unroll(game)
    assert found.value == pytest.approx(solve_lp(tree).value, abs=1e-8)
    strategy = found.strategy()
    assert np.array_equal(strategy.keys, np.sort(tree.set_key))
    assert nash_conv(tree, strategy.on(tree)) == pytest.approx(0.0, abs=1e-9)
    assert found.nash_conv == pytest.approx(0.0, abs=1e-9)
    assert found.gap < 1e-9


def test_it_is_optimal_in_every_state() -> None:
    """Also where nobody gets by optimal play: the profile of each state's matrix guarantees the
    state's value.
    """
    found = solve_by_induction(Goofspiel(4))
    graph = found.graph
    for node in np.flatnonzero(graph.mover != TERMINAL):
        m, n, start = graph.rows[node], graph.columns[node], graph.first_action[node]
        matrix = found.values[
            graph.cell[graph.first_cell[node] : graph.first_cell[node + 1]]
        ].reshape(m, n)
        x, y = found.profile[start : start + m], found.profile[start + m : start + m + n]
        assert (x @ matrix).min() == pytest.approx(found.values[node], abs=1e-9)
        assert (matrix @ y).max() == pytest.approx(found.values[node], abs=1e-9)


@pytest.mark.slow
def test_oshi_zumo_with_50_coins() -> None:
    """A game of more than 10**28 histories, but of 15,300 states. By symmetry its value is 0."""
    found = solve_by_induction(OshiZumo(50, 3, 1))
    assert found.graph.num_states == 15_300
    assert found.value == pytest.approx(0.0, abs=1e-9)
    assert found.gap < 1e-10
    assert found.nash_conv == pytest.approx(0.0, abs=1e-9)


def test_a_game_in_turns_is_taken_as_it_was() -> None:
    assert (
        solve_by_induction(TurnBased(VariedMoves())).value
        == solve_by_induction(VariedMoves()).value
        != 0.0
    )


# --- profiles ---


@pytest.mark.parametrize("game", SMALL, ids=str)
@pytest.mark.parametrize("seed", [1, 2])
def test_profiles_are_worth_what_they_are_in_turns(game: Game, seed: int) -> None:
    tree, graph = unroll(game), expand(game, by_history=True)
    sizes = np.diff(_segments(graph))
    weights = np.random.default_rng(seed).random(graph.num_actions)
    segment = np.repeat(np.arange(sizes.size), sizes)
    profile = weights / np.bincount(segment, weights)[segment]
    strategy = strategy_from_joint_profile(game, graph, profile)
    behaviour = strategy.on(tree)
    assert best_joint_response_values(graph, profile) == pytest.approx(
        best_response_values(tree, behaviour), abs=1e-12
    )
    assert joint_nash_conv(graph, profile) == pytest.approx(nash_conv(tree, behaviour), abs=1e-12)
    assert strategy.game == repr(tree.game)


def test_histories_that_look_alike_to_a_player_are_one_set(tmp_path: Path) -> None:
    """So it is where a player need not notice a move that leads to the same state."""
    graph = expand(Goofspiel(3), by_history=True)
    after_one_move = np.flatnonzero(graph.rows == 2)
    keys = graph.keys.copy()
    keys[after_one_move[1], 0] = keys[after_one_move[0], 0]
    profile = uniform_joint_profile(graph)
    whole, merged = (
        strategy_from_joint_profile(Goofspiel(3), one, profile)
        for one in (graph, replace(graph, keys=keys))
    )
    assert merged.num_sets == whole.num_sets - 1
    merged.save(tmp_path / "strategy")
    assert load_strategy(tmp_path / "strategy") == merged


def test_states_played_by_history() -> None:
    found = solve_by_induction(Goofspiel(4))
    histories = expand(Goofspiel(4), by_history=True)
    profile = profile_on_histories(histories, found.graph, found.profile)
    assert joint_nash_conv(histories, profile) == pytest.approx(0.0, abs=1e-9)
    other = found.profile.copy()
    other[found.graph.first_action[0] : found.graph.first_action[0] + 8] = [
        1.0,
        0,
        0,
        0,
        0,
        0,
        0,
        1.0,
    ]
    assert best_joint_response_values(
        histories, profile_on_histories(histories, found.graph, other)
    ) == pytest.approx(best_joint_response_values(found.graph, other))


# --- refusals ---


def test_hidden_states_are_refused() -> None:
    with pytest.raises(
        HiddenStateError,
        match=(
            r"hides things: player 0 may not know the state when choosing.*; use the linear "
            r"program or cfr"
        ),
    ):
        solve_by_induction(ii_goofspiel(4))
    with pytest.raises(HiddenStateError, match="hides things"):
        solve_by_induction(VariedMoves(told=False))


def test_a_game_that_is_over_before_it_begins_is_worth_what_it_pays() -> None:
    assert solve_by_induction(Over()).value == 3.0


def test_a_game_that_need_not_end_is_refused() -> None:
    with pytest.raises(GameError, match="need not end: some state comes before itself"):
        solve_by_induction(Circling())


def test_too_large_games_are_refused() -> None:
    with pytest.raises(
        TooLargeError,
        match=(
            r"has more than 1,000 states \([0-9,]+ with at most \d+ moves\); allow more, or "
            r"search"
        ),
    ):
        solve_by_induction(Goofspiel(6), max_nodes=1000)
    with pytest.raises(TooLargeError, match="has more than fit into 1 MiB: states"):
        solve_by_induction(Goofspiel(8), memory=2**20)
    with pytest.raises(TooLargeError, match="more than fit into 1 MiB: histories"):
        solve_by_induction(OshiZumo(8, 3, 1)).strategy(memory=2**20)
    with pytest.raises(OptionError, match=r"max_nodes=0 with memory=.* is not allowed"):
        expand(Goofspiel(3), max_nodes=0)


def test_rounding_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hiddenhand.solvers.simultaneous.backward_induction.TOLERANCE", -1.0)
    with pytest.raises(SolverError, match="rounding left a gap"):
        solve_by_induction(Goofspiel(5))


def test_profiles_that_do_not_fit_are_refused() -> None:
    game = Goofspiel(3)
    states = expand(game)
    with pytest.raises(OptionError, match="expand the game with by_history=True"):
        strategy_from_joint_profile(game, states, uniform_joint_profile(states))
    with pytest.raises(OptionError, match="does not fit this graph"):
        joint_nash_conv(states, np.ones(3))
    with pytest.raises(OptionError, match="this is no profile"):
        joint_nash_conv(states, uniform_joint_profile(states) * 2.0)


# --- on the command line ---


def test_solve_prints_a_table_by_depth(typed: Typed) -> None:
    status, out, _ = typed("solve", "goofspiel(num_cards=4)")
    assert status == 0
    assert [line.split() for line in out.splitlines() if line.startswith("depth")] == [
        ["depth", "pure", "mixed", "mixed/all"]
    ]
    assert [line.split()[:2] for line in out.splitlines() if line.startswith("3 ")] == [
        ["3", "576"]
    ]
