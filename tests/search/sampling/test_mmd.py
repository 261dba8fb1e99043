"""MMD search: against one exact step, and against a slow twin."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from naive.mmd import exact_step, exact_values, histories_of, rollouts
from naive.noticing import events_of
from naive.small_games import small
from naive.xoshiro import Xoshiro

from hiddenhand import evaluate, solve
from hiddenhand.errors import FileError
from hiddenhand.games.base import Game
from hiddenhand.games.history import History
from hiddenhand.jit.arrays import Floats
from hiddenhand.search.making import make_search
from hiddenhand.search.sampling.mmd import MMD, mmd_step
from hiddenhand.trees.profile import nash_conv, normalised, uniform_profile
from hiddenhand.trees.strategy import strategy_from_profile
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

SETS = 12  # information sets of a game that are looked at


def history_in(tree: GameTree, number: int) -> History:
    """One history of an information set."""
    at, moves = int(histories_of(tree, number)[0]), list[int]()
    while tree.parent[at] >= 0:
        moves.append(int(tree.action[at]))
        at = int(tree.parent[at])
    history = History(tree.game)
    for move in reversed(moves):
        history = history.child(move)
    return history


def at_set(search: MMD, history: History, seed: int = 1) -> MMD:
    """A search that has come to where ``history`` stands."""
    search.start(history.player, seed)
    search.notice(events_of(history, history.player))
    return search


def some_profile(tree: GameTree, seed: int) -> Floats:
    """A profile drawn at random, in which some actions are never played."""
    weights = np.random.default_rng(seed).exponential(size=tree.num_sequences)
    return normalised(tree, np.where(weights < 0.2, 0.0, weights))


def blueprint_of(tree: GameTree, kind: str) -> tuple[object, Floats]:
    if kind == "uniform":
        return "uniform", uniform_profile(tree)
    mixed = 0.5 * some_profile(tree, 3) + 0.5 * uniform_profile(tree)
    return strategy_from_profile(tree, mixed), mixed


@pytest.mark.parametrize(("spec", "kind"), [("Kuhn", "uniform"), ("LD(1,1,3)", "a strategy")])
def test_becomes_one_exact_step_as_rollouts_grow(spec: str, kind: str) -> None:
    tree = unroll(small(spec))
    blueprint, profile = blueprint_of(tree, kind)
    search = MMD(tree.game, blueprint=blueprint, eta=2.0, alpha=0.3)  # type: ignore[arg-type]
    most = tree.game.max_utility
    errors = np.zeros((2, SETS))
    chosen = np.random.default_rng(5).choice(tree.num_sets, SETS, replace=False)
    for place, number in enumerate(chosen):
        own = slice(int(tree.set_start[number]), int(tree.set_start[number + 1]))
        n = own.stop - own.start
        q = exact_values(tree, profile, number) / most
        exact = exact_step(q, profile[own], np.full(n, 1 / n), 2.0, 0.3)
        at_set(search, history_in(tree, number))
        assert search.policy(n) == pytest.approx(profile[own])
        for row, iterations in enumerate((200, 20_000)):
            search.think(iterations=iterations)
            errors[row, place] = np.abs(search.policy(n) - exact).max()
    assert errors[1].max() < 0.02
    assert errors[1].mean() < errors[0].mean() / 3


@pytest.mark.parametrize("kind", ["uniform", "a strategy"])
@pytest.mark.parametrize("spec", ["Leduc", "IIGS(4)"])
def test_agrees_with_its_twin_bit_for_bit(spec: str, kind: str) -> None:
    tree = unroll(small(spec))
    blueprint, _ = blueprint_of(tree, kind)
    search = MMD(tree.game, blueprint=blueprint)  # type: ignore[arg-type]
    number = int(np.argmax(np.diff(tree.set_start)))
    at_set(search, history_in(tree, number), seed=4)
    rng = Xoshiro(search._rng.tolist())
    leaves = [
        _walked(tree.game, search.belief.moves_to(leaf))
        for leaf in range(search.belief.leaves.size)
    ]
    known = None if kind == "uniform" else blueprint
    found = rollouts(leaves, search._starts.cumulative, known, rng, 101)  # type: ignore[arg-type]
    search.think(iterations=101)
    (totals,) = search._totals.values()
    assert totals.tolist() == [*map(float, map(len, found)), *map(sum, found)]


def _walked(game: Game, moves: list[int]) -> History:
    history = History(game)
    for move in moves:
        history = history.child(move)
    return history


def test_both_ways_to_write_the_step_are_the_same() -> None:
    random = np.random.default_rng(1)
    for eta, alpha in ((0.1, 0.0), (3.0, 0.2), (50.0, 0.05)):
        q, blueprint, magnet = random.normal(size=4), *random.dirichlet(np.ones(4), size=2)
        assert mmd_step(q, blueprint, magnet, eta, alpha) == pytest.approx(
            exact_step(q, blueprint, magnet, eta, alpha)
        )
    never = np.array([0.0, 1.0])
    assert mmd_step(np.array([9.0, 0.0]), never, never, 1.0, 1.0).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("spec", "before", "after"),
    [("IIGS(4)", 1.417, 0.518), ("LD(1,1,3)", 1.111, 0.331), ("coordination_game", 0.25, 0.447)],
)
def test_what_the_docstring_says_of_an_exact_step(spec: str, before: float, after: float) -> None:
    """The step is made in every information set, from uniform play with the defaults."""
    tree = unroll(small(spec))
    profile, search = uniform_profile(tree), MMD(tree.game)
    assert nash_conv(tree, profile) == pytest.approx(before, abs=0.001)
    stepped = profile.copy()
    for number in range(tree.num_sets):
        own = slice(int(tree.set_start[number]), int(tree.set_start[number + 1]))
        uniform = profile[own]
        q = exact_values(tree, profile, number) / tree.game.max_utility
        stepped[own] = mmd_step(q, uniform, uniform, search.eta, search.alpha)
    assert nash_conv(tree, stepped) == pytest.approx(after, abs=0.001)


def test_a_good_blueprint_is_not_ruined(tmp_path: Path) -> None:
    """But by a large step."""
    name, most, file = "Kuhn", 0.01, tmp_path / "blueprint"
    solved = solve(name, "cfr+", iterations=100)
    solved.strategy().save(file)
    small, large = (
        evaluate(name, spec, method="stitch-public", iterations=5000, every_set=True)
        for spec in (f"mmd(blueprint='{file}')", f"mmd(blueprint='{file}',eta=10,alpha=0.1)")
    )
    assert solved.nash_conv < 0.02
    assert small.nash_conv.value < solved.nash_conv + most
    assert large.nash_conv.value > 5 * small.nash_conv.value


def test_a_game_that_pays_nothing_leaves_the_blueprint_as_it_is() -> None:
    game = small("Kuhn")
    search = MMD(replace(game, utilities=0.0 * game.utilities))
    search.start(1, 0)
    search.notice(events_of(History(game).child(0).child(0).child(0), 1))
    search.think(iterations=10)
    assert list(search.policy(2)) == [0.5, 0.5]


def test_particles_are_some_of_the_belief() -> None:
    tree = unroll(small("LD(1,1,3)"))
    search = MMD(tree.game, particles=2)
    history = history_in(tree, tree.num_sets - 1)
    drawn = {at_set(search, history, seed)._starts.cumulative.size for seed in range(20)}
    assert drawn == {1, 2}
    assert search.belief.leaves.size == 3
    whole = at_set(MMD(tree.game), history)._starts.cumulative
    assert np.array_equal(at_set(MMD(tree.game, particles=3), history)._starts.cumulative, whole)


def test_a_blueprint_by_the_name_of_its_file(tmp_path: Path) -> None:
    tree = unroll(small("Kuhn"))
    strategy = strategy_from_profile(tree, some_profile(tree, 1))
    strategy.save(tmp_path / "kuhn.npz")
    search = make_search(tree.game, f"mmd(blueprint='{tmp_path / 'kuhn.npz'}',magnet=blueprint)")
    own = MMD(tree.game, blueprint=strategy, magnet="blueprint")
    history = history_in(tree, 0)
    for each in (search, own):
        assert isinstance(each, MMD)
        at_set(each, history).think(iterations=100)
    assert search.policy(2).tolist() == own.policy(2).tolist()
    with pytest.raises(FileError, match=r"is for .*, not for"):
        MMD(small("Leduc"), blueprint=strategy)
