"""`auto`: what it chooses in which kind of game, that it says so, and that what it chose is played.

That it obeys the protocol, repeats itself, and keeps within its memory is in the contract test of
all algorithms.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pytest
from clocks import StillClock, installed
from naive.noticing import noticed

from hiddenhand import clock, load_game, make_player, make_search, play_match, unroll
from hiddenhand.budget import Budget
from hiddenhand.errors import TooLargeError
from hiddenhand.evaluation.measurement import Study
from hiddenhand.evaluation.per_state_search import stitch_public_states
from hiddenhand.games.base import CHANCE, Game, State
from hiddenhand.games.history import History
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.arrays import Integers
from hiddenhand.progress import Report
from hiddenhand.search.auto import backward_induction, choice, targeting
from hiddenhand.search.auto import resolving as auto_resolving
from hiddenhand.search.auto.backward_induction import Counting
from hiddenhand.search.auto.imperfect_information import HiddenChoice
from hiddenhand.search.auto.simultaneous import JointChoice, LookAhead
from hiddenhand.search.auto.survey import survey
from hiddenhand.search.auto.targeting import AimedOOS
from hiddenhand.search.cost_model import COSTS
from hiddenhand.search.online import OnlineSearch
from hiddenhand.search.simultaneous.double_oracle.search import DoubleOracle
from hiddenhand.search.tree_budget import (
    ANYWAY,
    TELLING,
    Fitting,
    measured_pace,
    pace_of,
    variant_for,
)
from hiddenhand.solvers.simultaneous.backward_induction import solve_by_induction, solve_state
from hiddenhand.trees.tree_size import estimated_histories


def written_out(name: str) -> TreeGame:
    return TreeGame.from_game(load_game(name))


# --- what a game is ---


@pytest.mark.parametrize(
    ("name", "zero_sum_for_two", "is_open"),
    [
        ("Kuhn", True, False),
        ("phantom_ttt", True, False),
        ("dark_hex(3)", True, False),
        ("IIGS(4)", True, False),
        ("goofspiel(4)", True, True),
        ("tricks", False, False),
    ],
)
def test_what_kind_of_game_it_is_is_found_out(
    name: str, zero_sum_for_two: bool, is_open: bool
) -> None:
    found = survey(load_game(name))
    assert (found.zero_sum_for_two, found.open) == (zero_sum_for_two, is_open)
    assert (found.in_plain_sight, found.listed) == (False, True)
    assert found.histories > 10


def expected_estimate(history: History, width: float = 1.0) -> float:
    """The mean of the estimate over all random plays, by enumerating them."""
    if history.is_terminal:
        return 0.0
    moves = (
        [outcome for outcome, _ in history.chance_outcomes()]
        if history.player == CHANCE
        else history.legal_actions()
    )
    below = [expected_estimate(history.child(move), width * len(moves)) for move in moves]
    return width * len(moves) + sum(below) / len(moves)


def test_sizes_are_guessed_without_bias() -> None:
    """Knuth's estimate is right on average, over all plays and over those that are drawn."""
    assert 1.0 + expected_estimate(History(load_game("Kuhn"))) == pytest.approx(58)
    drawn = estimated_histories(load_game("Kuhn"), 1, plays=400)
    assert drawn == pytest.approx(58, rel=0.1)
    root = History(load_game("Kuhn"))
    deals = np.array([root.child(card).state for card, _ in root.chance_outcomes()])
    below = estimated_histories(load_game("Kuhn"), 1, plays=400, states=deals)
    assert below == pytest.approx(57, rel=0.1)  # all but the root


def test_what_is_decided_counts_if_asked_for() -> None:
    """The guess for II-Goofspiel is exact: each play has as many moves to choose from."""
    game = load_game("IIGS(4)")
    for decided in (True, False):
        guess = estimated_histories(game, 1, plays=10, decided=decided)
        assert guess == unroll(game, decided=decided).num_histories


def test_a_game_with_moves_at_the_same_time_is_sized_as_it_is_in_turns() -> None:
    game = load_game("GS(3)")
    assert game.simultaneous
    turns = estimated_histories(as_sequential(game), 1, plays=200)
    assert estimated_histories(game, 1, plays=200) == turns > 100


@dataclass(frozen=True)
class GoesOn(Game):
    """Player 0 moves, for ever, whatever the greatest depth says."""

    state_size, max_actions, max_depth, max_utility = 1, 2, 4, 1.0

    def initial_state(self, state: State) -> None:
        state[0] = 0

    def current_player(self, state: State) -> int:
        return 0

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        actions[0], actions[1] = 0, 1
        return 2

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        observations[2] = 1 + action

    def returns(self, state: State, player: int) -> float:
        return 0.0


def test_sizing_ends_in_a_game_that_does_not() -> None:
    assert estimated_histories(GoesOn(), 1, plays=10) == 2**5 - 1


# --- what fits ---


def test_more_time_allows_for_more_histories() -> None:
    fitting = Fitting(seed=0, memory=2**30)
    limits = [fitting.limit(None, seconds) for seconds in (0.001, 0.02, 0.2, 1.0)]
    assert limits[0] == ANYWAY
    assert limits == sorted(set(limits))
    assert fitting.limit(1, 100.0) == ANYWAY
    assert fitting.limit(100_000, None) == 250_000
    assert Fitting(seed=0, memory=25_000_000).limit(None, 100.0) == 100_000


def test_the_pace_that_was_measured_before_play_decides_what_fits() -> None:
    slow, quick = (Fitting(seed=0, memory=2**32, pace=pace) for pace in (4e-7, 1e-7))
    assert quick.limit(None, 0.006) == pytest.approx(4 * slow.limit(None, 0.006), rel=0.05)
    assert quick.limit(None, 0.02, before_play=True) > 1.3 * quick.limit(None, 0.02)
    large = quick.limit(None, 2.0)  # of which each takes longer
    assert 20 * quick.limit(None, 0.02) < large < 100 * quick.limit(None, 0.02)
    assert pace_of(0.6 * 2.0, large) == pytest.approx(1e-7, rel=1e-3)
    assert measured_pace(load_game("Kuhn")) == COSTS.history  # too small to tell
    assert 1e-8 < measured_pace(load_game("LD(1,1,6)")) < 1e-5


def test_what_is_guessed_to_be_too_large_is_not_tried() -> None:
    """The guess for II-Goofspiel is exact: each play has as many moves to choose from."""
    game, tried = as_sequential(load_game("IIGS(5)")), list[int]()

    def write(most: int, progress: object) -> int:
        tried.append(most)
        return most

    fitting = Fitting(seed=0, memory=2**30)
    assert not fitting.attempt(game, write, 8_000, None)  # 20,000 histories of 26,931
    assert not tried
    fitting.begin()
    assert fitting.attempt(game, write, 10_000, None)  # 25,000, and a guess may be too high
    assert len(tried) == 1


def test_what_takes_too_long_is_given_up_and_not_tried_again() -> None:
    tried: list[int] = []

    def never_ends(most: int, progress: object) -> int:
        tried.append(most)
        for done in range(ANYWAY, 10**9, ANYWAY):
            progress.update(Report(done))  # type: ignore[attr-defined]
        raise AssertionError("nobody ended it")

    fitting, game = Fitting(seed=0, memory=2**30), load_game("Kuhn")
    assert not fitting.attempt(game, never_ends, None, 0.01)
    assert not fitting.attempt(game, never_ends, None, 0.01)
    assert len(tried) == 1
    fitting.begin()
    assert not fitting.attempt(game, never_ends, None, 0.01)
    assert len(tried) == 2


@pytest.mark.parametrize(
    ("histories", "fits"),
    [(2 * TELLING, True), (20 * TELLING, False)],
    ids=["nearly done", "hopeless"],
)
def test_what_was_begun_is_ended_if_there_is_time_for_the_rest(
    histories: int, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of the time went into the first histories, and it is known how many there are. In the
    end it was 70 %, which is more than what may be begun.
    """
    told, now = list[int](), 0.0
    monkeypatch.setattr(clock, "now", lambda: now)

    def takes_its_time(most: int, progress: object) -> int:
        nonlocal now
        for done, now_it_is in ((int(1.5 * TELLING), 0.1), (histories, 0.14)):
            now = now_it_is
            told.append(done)
            progress.update(Report(done))  # type: ignore[attr-defined]
        return histories

    tried, game = Fitting(seed=0, memory=2**30, pace=1e-9), load_game("Kuhn")
    tried.begin(float(histories))
    assert tried.attempt(game, takes_its_time, None, 0.2) == fits
    assert len(told) == (2 if fits else 1)


def test_one_slow_moment_does_not_make_small_games_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    installed(monkeypatch, StillClock())

    def is_slow(most: int, progress: object) -> int:
        clock.sleep(0.05)
        progress.update(Report(2000))  # type: ignore[attr-defined]
        return 2000

    fitting, game = Fitting(seed=0, memory=2**30), load_game("Kuhn")
    before = fitting.limit(None, 0.02)
    assert fitting.attempt(game, is_slow, None, 0.02)
    assert fitting.limit(None, 0.02) == before


def test_nothing_is_tried_where_random_plays_say_that_it_is_hopeless() -> None:
    def must_not_be_asked(most: int, progress: object) -> int:
        raise AssertionError(most, progress)

    fitting = Fitting(seed=0, memory=2**30)
    assert not fitting.attempt(load_game("phantom_ttt"), must_not_be_asked, 10**6, None)
    assert fitting.guess > 1e9


def test_the_variant_of_cfr_suits_the_iterations() -> None:
    assert variant_for(100, has_chance=True) == "dcfr+"
    assert variant_for(100, has_chance=False) == "pdcfr+"
    assert variant_for(10_000, has_chance=True) == "pdcfr+"


# --- what it chooses ---


def test_where_only_chance_has_moved_the_solving_of_the_whole_game_goes_on() -> None:
    """After the deal; and not after a pass and a bet, when the rest is solved anew."""
    game = written_out("Kuhn")
    search, thoughts = make_search(game, "auto", seed=1), list[Mapping[str, float]]()
    search.start(0, 1)
    dealt = noticed(game, 0, (0, 1))
    for events in ([], dealt, noticed(game, 0, (0, 1, 0, 1))[len(dealt) :]):
        search.notice(events)
        search.think(iterations=1000)
        thoughts.append(search.thought())
    before, after, later = thoughts
    assert before["histories"] == after["histories"] == 58 > later["histories"]
    assert after["CFR iterations"] >= 2 * before["CFR iterations"] > 1000
    assert [thought["resolvings"] for thought in thoughts] == [0, 1, 2]


@pytest.mark.parametrize(("guess", "goes_on"), [(45.0, True), (35.0, False)])
def test_what_is_nearly_as_large_as_before_is_not_solved_anew(
    guess: float, goes_on: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same after a pass and a bet, if that were guessed to leave so many of 58 histories."""
    game = written_out("Kuhn")
    search = make_search(game, "auto", seed=1)
    monkeypatch.setattr(auto_resolving, "QUICK", 10)
    search.start(0, 1)
    search.think(iterations=1000)
    monkeypatch.setattr(auto_resolving, "estimated_histories", lambda *_, **__: guess)
    search.notice(noticed(game, 0, (0, 1, 0, 1)))
    search.think(iterations=1000)
    assert (search.thought()["histories"] == 58) == goes_on
    assert search.policy(2).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["Kuhn", "IIGS(3)", "LD(1,1,2)"])
def test_what_it_plays_in_a_small_game_is_an_equilibrium(name: str) -> None:
    tree = unroll(written_out(name))
    found = stitch_public_states(Study("auto", tree, seeds=(3,)), Budget(iterations=2000))
    assert found.nash_conv.value < 1e-3


def test_what_is_too_large_at_first_is_solved_later_in_a_match() -> None:
    """The values are handed down from the resolver that samples to the one that is exact."""
    search = make_search(load_game("LD(1,1,6)"), "auto", seed=1)
    assert isinstance(search, HiddenChoice)
    history, events, choices = History(search.game), [], []
    search.start(0, 1)
    for move in (3, 2, 1, 7, 8):
        if history.player == 0:
            search.notice(events, iterations=120_000)
            search.think(iterations=120_000)
            choices.append(search.choice)
            events = []
        legal = (
            [outcome for outcome, _ in history.chance_outcomes()]
            if history.player == CHANCE
            else history.legal_actions()
        )
        history = history.child(legal[min(move, len(legal) - 2)])
        event = history.noticed(0)
        events += [event] if event is not None else []
    assert "small enough to be resolved by sampling" in choices[0]
    assert "what comes from here on was written out" in choices[-1]
    assert search.resolving.gadget is not None
    assert search.resolving.gadget.may_terminate.any()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "fallback", "actions"),
    [
        ("phantom_ttt", "Online Outcome Sampling", 9),
        ("LD(2,2,6)", "tree search", 24),  # too many actions
        ("dark_hex(4)", "tree search", 16),  # too many histories, too
    ],
)
def test_what_is_too_large_to_be_resolved_is_sampled_or_searched_by_a_tree(
    name: str, fallback: str, actions: int
) -> None:
    search = make_search(load_game(name), "auto", seed=1)
    assert isinstance(search, HiddenChoice)
    search.start(0, 1)
    search.think(iterations=1000)
    assert fallback in search.choice
    assert search.thought()["fallback"] == 1000
    assert search.policy(actions).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("share", [0.99, 1.01])
def test_sizes_decide_on_both_sides_of_their_borders(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What samples, where it aims, and whether it resolves by sampling."""
    game = written_out("Kuhn")

    def made(histories: float) -> OnlineSearch:
        found = replace(survey(game), histories=share * histories)
        for module in (choice, targeting):
            monkeypatch.setattr(module, "survey", lambda _: found)
        return make_search(game, "auto")

    fits = share < 1.0
    fallback, resolves, aims = made(1e12), made(1e9), made(1e5)
    assert isinstance(fallback, HiddenChoice)
    assert isinstance(fallback.fallback, AimedOOS) == fits
    assert isinstance(resolves, HiddenChoice)
    assert bool(resolves.resolving.samplers) == fits
    assert isinstance(aims, HiddenChoice)
    assert isinstance(aims.fallback, AimedOOS)
    assert (aims.fallback.settings.targeting == "pst") == fits


def test_the_last_trick_of_three_is_played_as_it_must_be() -> None:
    """Nobody has a choice there, and it is not written out."""
    game = load_game("tricks(suits=2,ranks=3,players=3,hand=2)")
    tree = unroll(game)
    assert unroll(game, decided=False).num_histories < tree.num_histories
    last = max(h for h in range(tree.num_histories) if tree.player[h] == 0)
    search = make_search(game, "auto", seed=1)
    search.start(0, 1)
    search.notice(noticed(game, 0, tree.path(last)))
    search.think(iterations=500)
    assert "was written out" in search.choice
    assert search.policy(1).tolist() == [1.0]


def test_simultaneous_moves_are_solved_by_induction() -> None:
    """In a match of Goofspiel(4) every move of both is optimal."""
    game = load_game("goofspiel(4)")
    search = make_search(game, "auto", seed=1)
    assert isinstance(search, JointChoice)
    search.start(0, 1)
    search.notice([])
    search.think(iterations=100_000)
    assert "backward induction" in search.choice
    solved = solve_by_induction(game)
    assert search.policy(4).tolist() == solved.profile[:4].tolist()
    weights = search.weights()
    assert weights.values.tolist() == solved.profile[:4].tolist()


def looking_ahead(search: OnlineSearch) -> DoubleOracle:
    assert isinstance(search, JointChoice)
    assert isinstance(search.candidates[0], LookAhead)
    return search.candidates[0].plays


@pytest.mark.timed
def test_where_an_evaluation_is_far_sighted_it_looks_ahead_with_it() -> None:
    game = load_game("OZ(50,3,1)")
    search, deep = make_search(game, "auto", seed=1), make_search(game, "doab")
    search.start(0, 1)
    search.think(iterations=20)
    assert "sm-mcts" in search.choice  # how deep it looks is not a matter of iterations
    search.think(seconds=0.2)
    assert "doab" in search.choice
    deep.think(iterations=looking_ahead(search).depth)
    assert search.policy(51).tolist() == deep.policy(51).tolist()


@pytest.mark.timed
def test_where_it_sees_the_end_it_plays_optimally() -> None:
    game = load_game("OZ(6,2,1)")
    search, solved = make_search(game, "auto", seed=1), solve_by_induction(game)
    search.start(0, 1)
    search.think(seconds=5.0)
    assert "sees the end" in search.choice
    deepening = looking_ahead(search)
    assert deepening.value == pytest.approx(solved.value, abs=1e-9)
    assert search.policy(7).tolist() == deepening.policy(7).tolist()


def test_solving_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few states with many actions may take longer than many states with few actions."""
    installed(monkeypatch, StillClock())
    late, patient = Counting(0.001), Counting(None)
    clock.sleep(0.002)
    late.update(Report(backward_induction.ANYWAY))
    with pytest.raises(TooLargeError):
        late.update(Report(backward_induction.ANYWAY + 1))
    patient.update(Report(10**6))
    assert patient.states == 10**6


def test_once_all_states_are_found_there_is_more_time_to_solve_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    installed(monkeypatch, StillClock())
    counting = Counting(1.0)
    clock.sleep(0.3)  # more than may go into finding them
    counting.update(Report(1000, 1000, "states solved"))
    with pytest.raises(TooLargeError):
        counting.update(Report(1000, unit="states"))


@pytest.mark.parametrize("name", ["goofspiel(4)", "OZ(6,2,1)"])
def test_a_state_is_solved_as_in_the_whole_game(name: str) -> None:
    game: Game = load_game(name)
    whole = solve_by_induction(game)
    state = np.zeros(game.state_size, np.int64)
    game.initial_state(state)
    value, rows, columns = solve_state(game, state, max_nodes=10**6)
    assert value == pytest.approx(whole.value)
    chosen = whole.profile[: rows.size + columns.size]
    assert [*rows, *columns] == chosen.tolist()
    with pytest.raises(TooLargeError):
        solve_state(game, state, max_nodes=2)


# --- as a player ---


def test_it_plays_in_time_and_says_what_it_chose() -> None:
    game = as_sequential(written_out("LD(1,1,2)"))
    players = [make_player(game, "auto"), make_player(game, "random")]
    record = play_match(game, players, seed=1, budgets=[Budget(iterations=500)] * 2)
    decisions = record.decisions[0]
    assert all(decision.choice for decision in decisions)
    assert decisions[0].choice in record.explain([0])


@pytest.mark.parametrize("name", ["LD(2,2,6)", "tricks", "goofspiel(13)"])
def test_threads_search_at_the_same_time_and_it_repeats_itself(name: str) -> None:
    found = []
    for _ in range(2):
        search = make_search(name, "auto(threads=2)", seed=3)
        search.start(0, 4)
        search.think(iterations=1000)
        found.append(search.weights())
        assert search.candidates[-1].plays._streams.count == 2
    assert np.array_equal(found[0].keys, found[1].keys)
    assert np.array_equal(found[0].values, found[1].values)
    alone = make_search(name, "auto", seed=3)
    alone.start(0, 4)
    alone.think(iterations=1000)
    assert not np.array_equal(found[0].values, alone.weights().values)
