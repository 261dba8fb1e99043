"""Continual resolving in vector form: as good as on histories, safe, and the same in every hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from naive.noticing import events_of
from naive.open_hands import Duel
from numba import typeof

from hiddenhand import evaluate
from hiddenhand.budget import Budget
from hiddenhand.errors import FileError, OptionError
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event, History, all_histories
from hiddenhand.games.registry import load_game
from hiddenhand.matches.match import play_match
from hiddenhand.players.registry import make_player
from hiddenhand.search.making import make_search
from hiddenhand.search.resolving import vector_cr
from hiddenhand.search.resolving.vector_cr import VectorCR
from hiddenhand.search.training import train
from hiddenhand.solvers.vector_form.blueprint import HandBlueprint
from hiddenhand.solvers.vector_form.profile import Walks
from hiddenhand.solvers.vector_form.public_game import vector_form
from hiddenhand.solvers.vector_form.public_tree_walk import BEST, Step
from hiddenhand.solvers.vector_form.vector_cfr import VectorCFR

GAMES: dict[str, Game] = {
    **{name: load_game(name) for name in ("Kuhn", "Leduc", "LD(2,1,2)")},
    "Duel": Duel(),
}


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_it_knows_where_it_is(game: Game) -> None:
    """After every history: whether it is to move, its key, and how many actions it has."""
    search = VectorCR(game)
    for history in all_histories(game):
        if history.is_terminal:
            continue
        for seat in range(2):
            search.start(seat, 0)
            search.notice(events_of(history, seat))
            follower = search.follower
            assert not follower.is_lost
            assert search.is_to_move == (history.player == seat)
            if history.player < 0:
                continue
            assert int(follower.keys[follower.hand]) == history.key(seat)
            if search.is_to_move:
                actions = len(history.legal_actions())
                assert search.policy(actions) == pytest.approx(np.full(actions, 1 / actions))


@pytest.mark.parametrize("name", ["Kuhn", "LD(1,1,3)"])
def test_it_plays_as_well_as_resolving_on_histories(name: str) -> None:
    found, twin = (
        evaluate(name, spec, method="stitch-public", iterations=100)
        for spec in ("vector-cr", "cr(resolver=dcfr)")
    )
    assert found.known == found.information_sets
    assert found.nash_conv.value < 2.0 * twin.nash_conv.value + 1e-3
    more = evaluate(name, "vector-cr", method="stitch-public", iterations=400)
    assert more.nash_conv.value < 0.6 * found.nash_conv.value


def test_the_gadget_keeps_what_hands_are_worth() -> None:
    """After some actions the opponent's hands earn no more than t(h), up to what CFR leaves."""
    game = load_game("Leduc")
    search = VectorCR(game)
    search.start(0, 0)
    history = History(game)
    for move in (1, 2):
        history = history.child(move)
    search.notice(events_of(history, 0))
    search.think(iterations=2000)
    for move in (2, 2):  # a bet, a raise
        history = history.child(move)
    search.notice(events_of(history, 0)[2:])
    worth = search._worth()
    assert worth is not None
    search.think(iterations=2000)
    run = search._run
    assert run is not None
    ranges = run.form.ranges
    assert ranges is not None
    own = (ranges[0], np.ones(ranges[1].size))
    situation, bases = search.follower.situation, search._run_bases(run, search.follower.base)
    after = run.walks.later(Step(BEST, 1), situation, bases, own, run.average[0])[:3]
    assert (after <= worth + 2e-3).all()


def test_all_hands_are_answered_together() -> None:
    game = load_game("Leduc")
    policies = []
    for card in range(3):
        search = VectorCR(game)
        search.start(0, 0)
        history = History(game).child(card).child(1)
        search.notice(events_of(history, 0))
        search.think(iterations=50)
        weights = search.weights()
        row = weights.keys.tolist().index(history.information_key)
        part = weights.values[weights.starts[row] : weights.starts[row + 1]]
        assert search.policy(2) == pytest.approx(part)
        policies.append(weights.values.tolist())
    assert policies[0] == policies[1] == policies[2]


def test_it_branches_into_other_hands() -> None:
    game = load_game("Leduc")
    search = VectorCR(game)
    search.start(0, 0)
    search.notice(events_of(History(game).child(0).child(1), 0))
    search.think(iterations=50)
    other = History(game).child(2).child(1)
    branch = search.branch(events_of(other, 0))
    row = search.weights().keys.tolist().index(other.information_key)
    assert branch.policy(2) == pytest.approx(search.weights().values[2 * row : 2 * row + 2])
    later = other.child(2).child(2)  # a bet and a raise
    deeper = branch.branch(events_of(later, 0))
    deeper.think(iterations=20)
    assert deeper.policy(2).sum() == pytest.approx(1.0)
    assert deeper.thought()["resolvings"] == 2


def test_branches_leave_each_other_as_they_are() -> None:
    game = load_game("Leduc")
    search = VectorCR(game)
    search.start(0, 0)
    here = events_of(History(game).child(0).child(1), 0)
    search.notice(here)
    search.think(iterations=20)
    first, second = search.branch(here), search.branch(here)
    first.think(iterations=30)
    assert second.policy(2).tolist() == search.policy(2).tolist()
    assert first.policy(2).tolist() != search.policy(2).tolist()
    second.think(iterations=30)
    assert second.policy(2).tolist() == first.policy(2).tolist()
    search.think(iterations=30)
    assert search.policy(2).tolist() == first.policy(2).tolist()


def test_events_that_fit_nothing_leave_it_lost() -> None:
    search = VectorCR(load_game("Kuhn"))
    search.start(0, 0)
    search.notice([Event(0, 99, 99)])
    assert search.follower.is_lost
    search.think(iterations=5)
    assert search.policy(2).tolist() == [0.5, 0.5]
    assert search.weights().keys.size == 0


# --- on a blueprint ---


@pytest.fixture(scope="module")
def blueprint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rough blueprint of Leduc."""
    out = tmp_path_factory.mktemp("blueprint") / "leduc"
    train(load_game("Leduc"), out, iterations=30, algorithm="vector-cfr")
    return out


@pytest.mark.slow
def test_it_begins_with_the_blueprint(blueprint: Path) -> None:
    game = load_game("Leduc")
    run = VectorCFR(vector_form(game))
    run.iterate(30)
    strategy = run.solution().strategy()
    search = VectorCR(game, blueprint=str(blueprint))
    for history in all_histories(game):
        if history.player not in (0, 1):
            continue
        search.start(history.player, 0)
        search.notice(events_of(history, history.player))
        policy = strategy.at(history.information_key)
        assert policy is not None
        if search.is_known:
            assert search.policy(policy.size) == pytest.approx(policy, abs=1e-4)


def test_what_is_loaded_ahead_is_what_walks_over_a_blueprint(
    blueprint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a kernel would be compiled while a clock runs: arrays in files are read-only."""
    walked = list[str]()

    def noting(walks: Walks, *where: Any) -> Any:
        walked.append(str(typeof(where[-1])))
        return np.zeros(9)

    monkeypatch.setattr(Walks, "later", noting)
    vector_cr._load.__wrapped__()
    form = vector_form(load_game("Leduc"))
    assert str(typeof(HandBlueprint.load(blueprint, form).numbers(0, 0, 1))) in walked


@pytest.mark.slow
def test_search_on_top_is_no_more_exploitable(blueprint: Path) -> None:
    game = load_game("Leduc")
    run = VectorCFR(vector_form(game))
    run.iterate(30)
    spec = f"vector-cr(blueprint='{blueprint}')"
    found = evaluate(game, spec, method="stitch-public", iterations=150)
    assert found.nash_conv.value < run.nash_conv()


@pytest.mark.slow
def test_a_good_blueprint_is_kept(tmp_path: Path) -> None:
    """A few iterations find nothing that is as safe."""
    game = load_game("Leduc")
    trained = train(game, tmp_path / "b", iterations=2000, algorithm="vector-cfr")
    assert trained.nash_conv is not None
    spec = f"vector-cr(blueprint='{tmp_path / 'b'}')"
    for iterations in (1, 40):
        found = evaluate(game, spec, method="stitch-public", iterations=iterations)
        assert found.nash_conv.value < trained.nash_conv + 1e-3  # 16 bits say so much
    search = make_search(game, "auto", blueprint=str(tmp_path / "b"))
    search.start(0, 0)
    search.notice(events_of(History(game).child(0).child(1), 0))
    search.think(iterations=1000)
    assert "the blueprint is safer than that" in search.choice


def test_auto_plays_on_from_a_blueprint(blueprint: Path) -> None:
    game = load_game("Leduc")
    search = make_search(game, "auto", blueprint=str(blueprint))
    search.start(0, 0)
    search.notice(events_of(History(game).child(0).child(1), 0))
    search.think(iterations=10)  # too few to resolve anything
    assert "the blueprint says what to play" in search.choice
    search.start(0, 0)
    search.notice(events_of(History(game).child(0).child(1), 0))
    search.think(iterations=5000)
    assert "solved for all hands at once" in search.choice
    assert "not from values" not in search.choice
    assert search.thought()["in vector form"] > 20
    player = make_player(game, f"auto(blueprint='{blueprint}')")
    record = play_match(game, [player, make_player(game, "random")], 1, [Budget(50)] * 2)
    assert record.decisions[0][0].choice


@pytest.mark.slow
def test_large_games_with_public_moves_are_resolved_in_vector_form() -> None:
    """Whatever comes after bid 9 of 16 in Liar's Dice of two dice of four faces each."""
    game = load_game("LD(2,2,4)")
    search = make_search(game, "auto", seed=1)
    search.start(1, 1)
    history = History(game)
    for move in (0, 1, 2, 3, 9):
        history = history.child(move)
    search.notice(events_of(history, 1))
    search.think(iterations=20_000)
    assert "for all hands at once" in search.choice
    assert "though not from values that make it safe" in search.choice
    for move in (11, 12):
        history = history.child(move)
    search.notice(events_of(history, 1)[-2:])
    search.think(iterations=20_000)
    assert "not from values" not in search.choice
    assert search.policy(4).sum() == pytest.approx(1.0)
    branch = search.branch(events_of(history, 1))
    assert branch.policy(4).sum() == pytest.approx(1.0)


def test_a_blueprint_of_another_game_is_refused(blueprint: Path, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="a blueprint of LeducPoker"):
        make_search(load_game("Kuhn"), "auto", blueprint=str(blueprint))
    with pytest.raises(FileError, match="no file"):
        VectorCR(load_game("Leduc"), blueprint=str(tmp_path / "nothing"))
    with pytest.raises(OptionError, match="either a blueprint or a model"):
        make_search(load_game("Leduc"), "auto", blueprint=str(blueprint), opponent="uniform")
