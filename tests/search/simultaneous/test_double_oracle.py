"""Double oracle with serialised alpha-beta: it agrees with backward induction, looks at less,
deepens in time, and plays well.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from clocks import StillClock, installed
from naive.joint_games import JointTree, VariedMoves
from naive.small_games import ii_goofspiel

from hiddenhand.errors import GameError
from hiddenhand.games.base import SIMULTANEOUS, EvaluationFunction, Game, State
from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.games.history import Event, History
from hiddenhand.games.oshi_zumo import OshiZumo, OshiZumoEvaluation
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.progress import Report
from hiddenhand.search.simultaneous.double_oracle import search as search_module
from hiddenhand.search.simultaneous.double_oracle.search import DoubleOracle, Even, evaluation_of
from hiddenhand.search.simultaneous.double_oracle.stack import TOP
from hiddenhand.search.simultaneous.simultaneous_search import verify_open
from hiddenhand.solvers.simultaneous.backward_induction import Induction, solve_by_induction
from hiddenhand.solvers.simultaneous.matrix_games import solve_matrix
from hiddenhand.trees.profile import best_response_values
from hiddenhand.trees.unroll import unroll

GAMES: list[Game] = [
    Goofspiel(4),
    Goofspiel(5),
    OshiZumo(8, 3, 1),
    OshiZumo(12, 2, 1),
    *(VariedMoves(rounds=6, seed=seed) for seed in range(1, 9)),
]


def solved(search: DoubleOracle) -> DoubleOracle:
    """The search after it has come to the end of the game."""
    while not search.is_exact:
        search.think(iterations=1)
    return search


def root_matrix(exact: Induction) -> np.ndarray:
    graph = exact.graph
    return exact.values[graph.cell[: graph.first_cell[1]]].reshape(graph.rows[0], graph.columns[0])


# --- exactness ---


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_it_agrees_with_backward_induction(game: Game) -> None:
    exact, search = solve_by_induction(game), solved(DoubleOracle(game))
    assert search.value == pytest.approx(exact.value, abs=1e-9)
    assert search.depth <= game.max_depth


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_its_play_is_optimal(game: Game) -> None:
    if History(game).player != SIMULTANEOUS:
        pytest.skip("the root has no matrix")
    exact = solve_by_induction(game)
    matrix = root_matrix(exact)
    for seat in range(2):
        search = DoubleOracle(game)
        search.start(seat, 0)
        played = solved(search).policy(matrix.shape[seat])
        assert played.sum() == pytest.approx(1.0)
        guaranteed = (played @ matrix).min() if seat == 0 else (matrix @ played).max()
        assert guaranteed == pytest.approx(exact.value, abs=1e-9)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_search_to_some_depth_is_exact_to_that_depth(depth: int) -> None:
    """The value of the game that ends after so many moves, where it pays what the evaluation says:
    by recursion with a library's matrix games.
    """
    game = OshiZumo(9, 2, 1)
    search = DoubleOracle(game)
    search.think(iterations=depth)
    assert (search.depth, search.is_exact) == (depth, False)
    assert search.value == pytest.approx(cut_off_value(game, History(game), depth), abs=1e-9)


def cut_off_value(game: Game, history: History, depth: int) -> float:
    if history.is_terminal:
        return history.returns()[0]
    if depth == 0:
        return OshiZumoEvaluation().evaluate(game, history.state, 0)
    rows, columns = history.legal_actions(0), history.legal_actions(1)
    return solve_matrix(
        [[cut_off_value(game, history.child((a, b)), depth - 1) for b in columns] for a in rows]
    ).value


@pytest.mark.parametrize("game", [Goofspiel(5), OshiZumo(12, 3, 1), OshiZumo(20, 3, 1)], ids=str)
def test_it_looks_at_fewer_states_than_backward_induction(game: Game) -> None:
    """Searched to the end at once, without deepening. By double oracle it searches few states, and
    by alpha-beta not all of them.
    """
    exact, search = solve_by_induction(game), DoubleOracle(game)
    search.depth = game.max_depth - 1
    search.think(iterations=1)
    assert search.is_exact
    assert search.value == pytest.approx(exact.value, abs=1e-9)
    thought = search.thought()
    assert 0 < thought["double oracle"] < 0.2 * exact.graph.num_states
    assert thought["table"] < 0.96 * exact.graph.num_states
    assert thought["double oracle"] + thought["alpha-beta"] < 0.5 * exact.graph.cell.size


def test_a_game_that_is_all_pure_needs_no_double_oracle_below_the_root() -> None:
    """Alpha-beta of both kinds finds the same bounds, so no entry is searched."""
    game = OshiZumo(3, 1, 1)
    assert sum(solve_by_induction(game).states_by_depth.mixed) == 0
    search = solved(DoubleOracle(game))
    assert search.thought()["double oracle"] == search.thought()["iterations"]


# --- budgets ---


def test_pieces_are_as_good_as_the_whole() -> None:
    """Compiled code may stop after any step."""
    whole, pieces = DoubleOracle(Goofspiel(4)), DoubleOracle(Goofspiel(4))
    whole.think(iterations=3)
    while pieces.depth < 3:
        pieces._begin(pieces._state())
        while pieces._search(1):
            pass
        pieces._finish_depth()
    assert pieces.thought() == whole.thought()
    assert pieces.value == whole.value
    assert pieces.policy(4).tolist() == whole.policy(4).tolist()


def test_seconds_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    search = DoubleOracle(OshiZumo(50, 3, 1))
    search.think(iterations=1)
    ticking = installed(monkeypatch, StillClock(tick=5e-3))
    began = ticking.time
    search.think(seconds=0.2)
    assert 0.2 <= ticking.time - began < 0.3
    assert search.depth >= 1
    assert not search.is_exact


def test_what_was_not_finished_is_not_played() -> None:
    search = DoubleOracle(OshiZumo(12, 3, 1))
    search.think(iterations=2)
    played = search.policy(12).tolist()
    search._begin(search._state())
    search._search(1000)
    assert search.policy(12).tolist() == played


def test_a_full_table_is_emptied() -> None:
    search = DoubleOracle(Goofspiel(6), memory=2**20)
    assert solved(search).value == pytest.approx(0.0, abs=1e-9)
    assert search.thought()["emptied"] > 0


def test_progress_is_told() -> None:
    class Watching:
        def __init__(self) -> None:
            self.reports: list[Report] = []

        def update(self, report: Report) -> None:
            self.reports.append(report)

    watching = Watching()
    DoubleOracle(Goofspiel(4)).think(iterations=2, progress=watching)
    assert {report.unit for report in watching.reports} == {"depths"}
    assert set(watching.reports[0].figures) == {"depth", "states"}
    assert watching.reports[-1].done == watching.reports[-1].figures["depth"] == 2


def test_a_progress_that_ends_the_search_loses_no_finished_depth() -> None:
    class Once:
        def update(self, report: Report) -> None:
            if search._stack.counters[TOP] == 0:
                raise StopIteration

    search = DoubleOracle(Goofspiel(4))
    search.think(iterations=3, progress=Once())
    assert search.depth == search.thought()["iterations"] == 1


# --- evaluation ---


def test_games_are_evaluated_as_they_say() -> None:
    assert isinstance(evaluation_of(OshiZumo(8, 3, 1)), OshiZumoEvaluation)
    assert isinstance(evaluation_of(VariedMoves()), Even)
    assert isinstance(evaluation_of(Goofspiel(4)), EvaluationFunction)


def test_without_an_evaluation_states_are_worth_0() -> None:
    search = DoubleOracle(JointTree.from_game(VariedMoves()))
    search.think(iterations=2)
    assert search.value == 0.0
    assert not search.is_exact


# --- in a match ---


def test_it_plays_optimally_from_every_state_of_a_match() -> None:
    """Both seats, all histories of the first two rounds: the guarantee of what is played is the
    state's value.
    """
    game = Goofspiel(4)
    exact = solve_by_induction(game)
    strategy = exact.strategy()
    tree = unroll(game)
    profile = strategy.on(tree)
    for seat in range(2):
        search, own = DoubleOracle(game), profile.copy()
        for moves in ((0, 0), (1, 3), (3, 1, 2, 0), (2, 2, 1, 0)):
            history, events = History(as_sequential(game)), list[Event]()
            for move in moves:
                history = history.child(move)
                if event := history.noticed(seat):
                    events.append(event)
            if seat == 1:
                history = history.child(history.legal_actions()[0])
                if event := history.noticed(seat):
                    events.append(event)
            search.start(seat, 0)
            search.notice(events)
            played = solved(search).policy(len(history.legal_actions()))
            first = tree.set_start[tree.find_set(history.information_key)]
            own[first : first + played.size] = played
        assert best_response_values(tree, own)[1 - seat] == pytest.approx(
            0.0, abs=1e-9
        )  # 0 is the value of the game


def test_what_is_hidden_where_few_plays_come_is_seen_in_a_match(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search_module, "verify_open", lambda game, past: None)
    search = DoubleOracle(ii_goofspiel(4))
    game = as_sequential(ii_goofspiel(4))
    history, events = History(game), list[Event]()
    for move in (3, 0):  # 4 wins against 1, 2 and 3
        history = history.child(move)
        if event := history.noticed(0):
            events.append(event)
    search.notice(events)
    with pytest.raises(
        GameError,
        match="hides things: player 0 cannot know the state, which doab needs; use oos or ismcts",
    ):
        search.think(iterations=1)


@dataclass(frozen=True)
class NothingMatters(Goofspiel):
    """Goofspiel of which nothing is remembered but the round."""

    def forget_past(self, state: State) -> None:
        state[1:] = 0


def test_what_no_longer_matters_may_be_hidden() -> None:
    game = NothingMatters(3, imp_info=True)
    verify_open(game, past=False)
    with pytest.raises(GameError, match="hides more than what is chosen at the same moment"):
        verify_open(game)
