"""CFR in vector form: compared with CFR on written-out games, in all variants."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from covering import covering
from naive.open_hands import Duel
from typing_commands import Typed

from hiddenhand.errors import TooLargeError
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.registry import load_game
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.solvers.cfr import CFR
from hiddenhand.solvers.cfr_variants import VARIANTS
from hiddenhand.solvers.vector_form import profile as measuring
from hiddenhand.solvers.vector_form import vector_cfr
from hiddenhand.solvers.vector_form.public_game import VectorForm, vector_form
from hiddenhand.solvers.vector_form.public_tree_walk import UPDATE, Step
from hiddenhand.solvers.vector_form.strategies import named_sets, strategy_of
from hiddenhand.solvers.vector_form.vector_cfr import VectorCFR
from hiddenhand.solvers.vector_form.vector_mccfr import VectorMCCFR
from hiddenhand.trees.profile import expected_values, nash_conv, normalised
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

GAMES: dict[str, Game] = {
    **{name: load_game(name) for name in ("Kuhn", "Leduc", "LD(1,1,4)", "LD(2,1,2)")},
    "GP": load_game("GP(3,3,2,2)"),
    "Duel": Duel(),
}


def places_in(tree: GameTree, form: VectorForm, player: int) -> tuple[Any, Any]:
    """Where actions lie in vector form, and which sequences of the tree they are."""
    named = named_sets(form, player)
    row = {int(key): number for number, key in enumerate(tree.set_key)}
    sequences = [
        np.arange(tree.set_start[row[int(key)]], tree.set_start[row[int(key)] + 1])
        for key in named.keys
    ]
    assert [one.size for one in sequences] == np.diff(named.starts).tolist()
    return named.positions, np.concatenate(sequences)


@covering("name, variant", [*GAMES], [*VARIANTS], together=1, times=2)
def test_an_iteration_does_what_it_does_on_the_tree(name: str, variant: str) -> None:
    """From regrets at random, so that no rounding decides."""
    game = GAMES[name]
    tree, form = unroll(game), vector_form(game, merges=False)
    run, twin, rng = VectorCFR(form, variant=variant), CFR(tree, variant), np.random.default_rng(3)
    size = tree.num_sequences
    twin.regret[:] = rng.normal(size=size)
    if twin.variant.negative_discount(9) == 0.0:
        twin.regret[:] = np.abs(twin.regret)
    if twin.variant.prediction > 0.0:
        twin.last_regret[:] = rng.normal(size=size)
    twin.average[:] = rng.random(size)
    predicted = twin.regret + twin.variant.prediction * twin.last_regret
    twin.strategy = normalised(tree, np.maximum(predicted, 0.0))
    twin.iterations = run.iterations = 9
    places = [places_in(tree, form, player) for player in range(2)]
    for player, (positions, sequences) in enumerate(places):
        run.regret[player][positions] = twin.regret[sequences]
        run.average[player][positions] = twin.average[sequences]
        if run.last_regret[player].size:
            run.last_regret[player][positions] = twin.last_regret[sequences]
    run._iterate(2)
    twin._iterate(2)
    for player, (positions, sequences) in enumerate(places):
        for mine, other in ((run.regret, twin.regret), (run.average, twin.average)):
            found = other[sequences]
            assert mine[player][positions] == pytest.approx(found, rel=1e-11, abs=1e-12)
    profile = twin.average_profile()
    assert run.nash_conv() == pytest.approx(nash_conv(tree, profile), abs=1e-12)
    assert run.value() == pytest.approx(expected_values(tree, profile)[0], abs=1e-12)
    assert strategy_of(form, run.average).on(tree) == pytest.approx(profile, abs=1e-12)


@pytest.mark.slow
def test_every_set_is_named_once() -> None:
    for game in GAMES.values():
        for merges in (False, True):
            form, tree = vector_form(game, merges=merges), unroll(game)
            keys = np.concatenate([named_sets(form, player).keys for player in range(2)])
            assert sorted(keys.tolist()) == sorted(tree.set_key.tolist())
            assert form.num_sets == tree.num_sets


def test_merged_hands_play_as_they_do_alone() -> None:
    game = load_game("LD(2,1,3)")
    merged, alone = vector_form(game), vector_form(game, merges=False)
    assert merged.most_hands == 6
    assert alone.most_hands == 9
    found = [VectorCFR(form, variant="cfr").run(30) for form in (merged, alone)]
    assert found[0].nash_conv == pytest.approx(found[1].nash_conv, abs=1e-12)
    first, second = (one.strategy() for one in found)
    assert first.keys.tolist() == second.keys.tolist()
    assert first.probabilities == pytest.approx(second.probabilities, abs=1e-9)


DIGESTS = """
import hashlib
from hiddenhand.games.registry import load_game
from hiddenhand.solvers.vector_form.public_game import vector_form
from hiddenhand.solvers.vector_form.vector_cfr import VectorCFR
from hiddenhand.solvers.vector_form.vector_mccfr import VectorMCCFR

form = vector_form(load_game("Leduc"))
for method in (VectorCFR, VectorMCCFR):
    run = method(form)
    run.iterate(5)
    print(run.nash_conv(), hashlib.sha256(run.average[1].tobytes()).hexdigest())
"""


def test_hands_may_make_no_difference_any_more() -> None:
    """Player 0 has one of five cards, and gives up, or is paid by the card. After giving up there
    is one move to make, and nothing is paid.
    """
    paid = np.zeros(21)
    paid[7:16:2] = [-2.0, -1.0, 0.0, 1.0, 2.0]
    game = TreeGame(
        player=[CHANCE, *[0] * 5, *[1, TERMINAL] * 5, *[TERMINAL] * 5],
        first_child=[1, *range(6, 16, 2), *np.ravel([range(16, 21), [21] * 5], "F"), *[21] * 5],
        num_children=[5, *[2] * 5, *[1, 0] * 5, *[0] * 5],
        probability=[1.0, *[0.2] * 5, *[1.0] * 15],
        information_set=[-1, *range(5), *[5, -1] * 5, *[-1] * 5],
        utilities=np.stack([paid, -paid], axis=1),
        private_token=[[node if 1 <= node <= 5 else 0, 0] for node in range(21)],
        public_token=[0] * 6 + [1, 2] * 5 + [3] * 5,
    )
    run = VectorCFR(vector_form(game))
    run.iterate(200)
    assert run.value() == pytest.approx(0.6, abs=1e-4)
    assert run.nash_conv() < 1e-4


def test_plain_python_finds_the_same_bits() -> None:
    found = [
        subprocess.run(
            [sys.executable, "-c", DIGESTS],
            env={**os.environ, **more},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for more in ({}, {"NUMBA_DISABLE_JIT": "1"})
    ]
    assert found[0] == found[1]
    assert len(found[0].splitlines()) == 2


def test_samples_are_right_on_average() -> None:
    """Many walks that sample add to R and x what one that does not adds to them."""
    form = vector_form(load_game("Leduc"))
    runs = [VectorMCCFR(form, seed=2), VectorCFR(form, variant="cfr")]
    rng = np.random.default_rng(1)
    start = [rng.normal(size=size) for size in form.sizes]
    count = 5_000
    for player in range(2):
        added = []
        for run in runs:
            walks = count if isinstance(run, VectorMCCFR) else 1
            sums, average = np.zeros((2, form.sizes[player])), np.zeros(form.sizes[player])
            for _ in range(walks):
                regret, none = start[player].copy(), np.zeros(0)
                step = Step(UPDATE, player, samples=walks > 1)
                run.walks.walk(step, (regret, none, average), (start[1 - player], none))
                change = regret - start[player]
                sums += change, change**2
            added.append((sums / walks, average / walks))
        (sampled, played), (whole, as_whole) = added
        error = np.sqrt(np.maximum(sampled[1] - sampled[0] ** 2, 0.0) / count)
        wrong = np.abs(sampled[0] - whole[0])
        assert (wrong <= 6.0 * error + 1e-9).all()
        assert wrong.sum() < 0.1 * np.abs(whole[0]).sum()
        assert np.abs(played - as_whole).sum() < 0.1 * as_whole.sum()


@pytest.mark.slow
def test_bits_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    form = vector_form(load_game("LD(1,1,5)"))
    whole = VectorCFR(form)
    whole.run(20)
    monkeypatch.setattr(measuring, "_PART", 500)
    runs = [VectorCFR(form, threads=threads) for threads in (1, 2, 3)]
    for run in runs:
        assert run.walks._parts.situation.size > 10
        run.run(20)
    for player in range(2):
        for run in runs[1:]:
            assert run.regret[player].tobytes() == runs[0].regret[player].tobytes()
            assert run.average[player].tobytes() == runs[0].average[player].tobytes()
        assert runs[0].average[player] == pytest.approx(whole.average[player], abs=1e-6)
    assert runs[1].nash_conv() == runs[0].nash_conv()


@pytest.mark.parametrize("player", [0, 1])
def test_one_player_may_never_move(player: int) -> None:
    over, paid = [TERMINAL] * 2, np.array([[0, 0], [0, 0], [1, -1]])
    game = TreeGame([player, *over], [1, 3, 3], [2, 0, 0], [1] * 3, [0, -1, -1], paid)
    found = VectorCFR(vector_form(game)).run(100)
    assert found.strategy().probabilities[player] < 0.1
    assert found.strategy().num_sets == 1


def test_a_solution_stays_when_its_run_goes_on() -> None:
    run = VectorCFR(vector_form(GAMES["Kuhn"]))
    found = run.run(3)
    strategy = found.strategy()
    run.run(3)
    assert found.strategy() == strategy


def test_numbers_of_32_bits_lead_nearly_as_far() -> None:
    form = vector_form(load_game("LD(1,1,5)"))
    short, long = (VectorCFR(form, bits=bits) for bits in (32, 64))
    assert short.average[0].dtype == np.float32
    assert long.average[0].dtype == np.float64
    assert short.run(100).nash_conv == pytest.approx(long.run(100).nash_conv, rel=0.05)


def test_what_does_not_fit_into_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_cfr, "memory_left", lambda: 1000)
    with pytest.raises(TooLargeError, match="GiB"):
        VectorCFR(vector_form(load_game("Leduc")))


def test_the_command_solves_and_goes_on(typed: Typed, tmp_path: Path) -> None:
    out, kept = tmp_path / "out.npz", tmp_path / "kept"
    options = ("--method", "vector-cfr(variant=cfr+)", "--checkpoint", str(kept), "--json")
    first, again = (
        json.loads(typed("solve", "Leduc", *options, "--iterations", "20", *more)[1])
        for more in ((), ("--out", str(out)))
    )
    assert first["iterations"] == 20
    assert again["iterations"] == 40
    assert again["method"] == "vector-cfr(variant=cfr+)"
    measured = json.loads(typed("nash-conv", "Leduc", "--strategy", str(out), "--json")[1])
    assert measured["nash_conv"] == pytest.approx(again["nash_conv"], abs=1e-12)
