"""What all runs of solvers share: how they end, what they measure, and how they continue."""

import math
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from clocks import StillClock, installed
from naive.small_trees import Watching, game_of, tree_of

from hiddenhand.errors import FileError, OptionError
from hiddenhand.solvers import cfr, runs
from hiddenhand.solvers.baselines import BASELINES
from hiddenhand.solvers.cfr import CFR
from hiddenhand.solvers.cfr_variants import VARIANTS
from hiddenhand.solvers.mccfr import MCCFR, SAMPLINGS
from hiddenhand.solvers.runs import Checkpointed, SolverRun
from hiddenhand.solvers.vector_form.public_game import VectorForm, vector_form
from hiddenhand.solvers.vector_form.vector_cfr import VectorCFR
from hiddenhand.solvers.vector_form.vector_mccfr import VectorMCCFR
from hiddenhand.solvers.vr_mccfr import VRMCCFR
from hiddenhand.trees.profile import expected_values, nash_conv, uniform_profile
from hiddenhand.trees.strategy import strategy_from_profile

SAMPLED: dict[str, tuple[Any, dict[str, Any]]] = {
    **{f"mccfr {sampling}": (MCCFR, {"sampling": sampling}) for sampling in SAMPLINGS},
    **{f"vr-mccfr {kind}": (VRMCCFR, {"baseline": kind}) for kind in BASELINES},
    "vector-mccfr": (VectorMCCFR, {}),
}
RUNS = SAMPLED | {
    **{name: (CFR, {"variant": name}) for name in VARIANTS},
    **{
        f"vector-cfr {name}": (VectorCFR, {"variant": name})
        for name in ("dcfr", "pdcfr+", "hs_dcfr")
    },
}
CONVERGING = [name for name in SAMPLED if name not in ("vr-mccfr off", "vector-mccfr")]
KEPT = [name for name, (solver, _) in RUNS.items() if issubclass(solver, Checkpointed)]
SOME = ("cfr+", "mccfr external", "vector-cfr dcfr")


@cache
def form_of(game: str) -> VectorForm:
    return vector_form(game_of(game))


def place(name: str, game: str) -> Any:
    return form_of(game) if issubclass(RUNS[name][0], VectorCFR) else tree_of(game)


def make(name: str, game: str = "Leduc", seed: int = 7, horizon: int = 100) -> Any:
    """A run, with its horizon given if it has a schedule: else the first piece would be it."""
    solver, arguments = RUNS[name]
    seeded = {"seed": seed} if name in SAMPLED else {}
    run = solver(place(name, game), **arguments, **seeded)
    if run.variant is not None and run.variant.has_schedule:
        run.variant = replace(run.variant, horizon=horizon)
    return run


def state(run: Any) -> dict[str, Any]:
    names = {"regret": run.regret, "average": run.average}
    arrays = run._arrays() if isinstance(run, Checkpointed) else names
    found = {name: np.concatenate([array], axis=None).tobytes() for name, array in arrays.items()}
    return found | {"iterations": run.iterations}


@pytest.mark.parametrize("name", RUNS)
def test_however_it_is_cut_and_looked_at_a_run_is_the_same(name: str) -> None:
    whole = make(name)
    whole.run(100)
    for pieces in ([1] * 10 + [90], [7, 90, 3]):
        cut, unseen = make(name), make(name)
        for piece in pieces:
            cut.run(piece)
            unseen.iterate(piece)
        assert state(cut) == state(unseen) == state(whole)
    looked_at = make(name)
    looked_at.run(100, target=1e-9, check_every=7)
    assert state(looked_at) == state(whole)


@pytest.mark.parametrize("name", RUNS)
def test_a_solution_says_how_it_was_found(name: str) -> None:
    run = make(name)
    found = run.run(20)
    assert (found.method, found.iterations) == (run.method, 20)
    assert found.convergence[-1] == (20, found.nash_conv)
    assert found.nash_conv == pytest.approx(nash_conv(found.tree, found.profile), abs=1e-12)
    assert found.nash_conv == run.nash_conv()
    assert found.values == pytest.approx(expected_values(found.tree, found.profile), abs=1e-12)
    assert 0 < run.seconds < found.seconds
    assert repr(run) == f"{type(run).__name__}({game_of('Leduc')}, {run.method}, 20 iterations)"


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_nash_conv_is_measured_whenever_the_iterations_have_doubled(name: str) -> None:
    first = make(name, "Kuhn")._first_look()
    run = make(name, "Kuhn", horizon=first)
    found = run.run(2 * first + 1)
    assert [at for at, _ in found.convergence] == [first, 2 * first, 2 * first + 1]
    assert found.convergence[-1][1] == found.nash_conv
    assert found.convergence[0][1] == make(name, "Kuhn", horizon=first).run(first).nash_conv
    assert [at for at, _ in run.run(2 * first).convergence] == [4 * first, 4 * first + 1]


@pytest.mark.parametrize("name", RUNS)
def test_a_target_ends_the_run_at_the_first_look_that_meets_it(name: str) -> None:
    found = make(name, "Kuhn").run(target=0.1, check_every=30)
    steps, values = zip(*found.convergence, strict=True)
    assert steps == tuple(range(30, found.iterations + 1, 30))
    assert values[-1] == found.nash_conv <= 0.1 < min(values[:-1], default=1.0)
    assert not found.fell_short
    short = make(name, "Kuhn").run(50, target=1e-9, check_every=20)
    assert [at for at, _ in short.convergence] == [20, 40, 50]
    assert short.fell_short


@pytest.mark.parametrize("name", RUNS)
def test_an_interrupted_run_keeps_what_it_has_done(name: str) -> None:
    interrupted, whole = make(name), make(name)
    with pytest.raises(KeyboardInterrupt):
        interrupted.run(10**6, progress=Watching(interrupt_at=3))
    assert 0 < interrupted.iterations < 10**6
    whole.run(interrupted.iterations)
    for run in (interrupted, whole):
        run.run(10)
    assert state(interrupted) == state(whole)
    assert interrupted.solution().nash_conv == whole.solution().nash_conv


@pytest.mark.parametrize(("name", "module"), [("cfr+", cfr), ("mccfr external", runs)])
def test_iterations_of_a_kernel_count_that_ctrl_c_did_not_wait_for(
    name: str, module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kernel runs to its end; then Python raises, before the next statement."""
    kernel = vars(module)["_run"]

    def interrupted(*arguments: Any) -> None:
        kernel(*arguments)
        raise KeyboardInterrupt

    run, whole = make(name, "Kuhn"), make(name, "Kuhn")
    run._iterate(3)
    monkeypatch.setattr(module, "_run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run._iterate(4)
    monkeypatch.undo()
    assert run.iterations == 7
    run._iterate(2)
    whole._iterate(9)
    assert np.array_equal(run.average, whole.average)


@pytest.mark.parametrize("name", SOME)
def test_progress_is_told(name: str) -> None:
    looking, counting = Watching(), Watching()
    make(name).run(200, target=1e-9, check_every=50, progress=looking)
    make(name).iterate(200, progress=counting)
    for reports in (looking.reports, counting.reports):
        done = [report.done for report in reports]
        assert done == sorted(done)
        assert (reports[-1].done, reports[-1].total) == (200, 200)
    looks = [report.done for report in looking.reports if "nash_conv" in report.figures]
    assert looks == [50, 100, 150, 200]


@pytest.mark.parametrize("name", SOME)
def test_seconds_end_a_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, StillClock(tick=5e-3))
    run = make(name, "Kuhn")
    assert run.run(seconds=0.05).iterations > 1
    assert 0 < run.seconds < 0.08


@pytest.mark.parametrize("name", SOME)
def test_bad_limits_are_refused(name: str) -> None:
    run: SolverRun = make(name, "Kuhn")
    bad: list[tuple[dict[str, Any], str]] = [
        ({}, "give a number of iterations or of seconds, a target for nash_conv, or several"),
        (
            {"iterations": 10, "target": 1, "check_every": 0},
            "check_every=0 is not allowed; give a whole number of at least 1",
        ),
        ({"iterations": 10, "check_every": "1"}, "check_every='1' is not allowed"),
        ({"target": "0.1"}, "target='0.1' is not allowed; give a nash_conv above 0"),
    ]
    bad += [({"target": target}, f"target={target} is not") for target in (0, -1.0, math.nan)]
    bad += [
        ({"iterations": count}, f"iterations={count} is not allowed; give a whole number of at")
        for count in (0, -5, 1.5, True)
    ]
    for limits, message in bad:
        with pytest.raises(OptionError, match=message):
            run.run(**limits)


@pytest.mark.slow
@pytest.mark.parametrize("name", CONVERGING)
def test_sampling_converges(name: str) -> None:
    """Ten times the iterations more than halve nash_conv on average over seeds: it falls like
    1 / sqrt(T), which is to a third.
    """
    rows = []
    for seed in range(12):
        run, row = make(name, "Kuhn", seed), []
        for checkpoint in (300, 3000, 30_000):
            run.iterate(checkpoint - run.iterations)
            row.append(run.nash_conv())
        rows.append(row)
    mean = np.mean(rows, axis=0)
    tree = tree_of("Kuhn")
    assert mean[0] < nash_conv(tree, uniform_profile(tree))
    assert np.all(mean[1:] < 0.5 * mean[:-1]), mean


# --- checkpoints ---


@pytest.mark.parametrize("name", KEPT)
def test_a_checkpoint_continues_bit_for_bit(name: str, tmp_path: Path) -> None:
    whole, first = make(name, horizon=80), make(name, horizon=80)
    whole.run(80)
    first.run(33)
    first.save(tmp_path / "kept")
    solver, arguments = RUNS[name]
    second = solver.load(tmp_path / "kept", place(name, "Leduc"), **arguments)
    assert (second.seconds, second.variant) == (first.seconds, first.variant)
    assert state(second) == state(first)
    second.run(47)
    assert state(second) == state(whole)


@pytest.mark.parametrize("name", ["cfr", "pdcfr+", "vector-cfr dcfr", "vector-mccfr"])
def test_other_files_are_refused(name: str, tmp_path: Path) -> None:
    file, (solver, arguments), run = tmp_path / "kept", RUNS[name], make(name)
    run.run(2)
    run.save(file)
    with pytest.raises(FileError, match=r"is a checkpoint of .*Leduc.*, not of Kuhn.*; give one"):
        solver.load(file, place(name, "Kuhn"), **arguments)
    file.write_bytes(file.read_bytes()[:-200])
    with pytest.raises(FileError):
        solver.load(file, place(name, "Leduc"), **arguments)
    run.solution().strategy().save(file)
    with pytest.raises(FileError, match="holds a strategy of format 2; give a file with a"):
        solver.load(file, place(name, "Leduc"), **arguments)
    with pytest.raises(FileError, match="there is no file"):
        solver.load(tmp_path / "nothing", place(name, "Leduc"), **arguments)


def test_a_checkpoint_of_another_variant_is_refused(tmp_path: Path) -> None:
    for name in ("cfr+", "vector-cfr dcfr"):
        run, solver = make(name), RUNS[name][0]
        run.save(tmp_path / name)
        with pytest.raises(
            FileError, match=r"of another variant than cfr;|run of cfr\+, not of cfr"
        ):
            solver.load(tmp_path / name, place(name, "Leduc"), variant="cfr")
    with pytest.raises(FileError):
        VectorCFR.load(tmp_path / "vector-cfr dcfr", form_of("Leduc"), bits=32)


@pytest.mark.parametrize("horizon", [{}, {"horizon": -1}, {"horizon": "8"}])
def test_a_checkpoint_without_a_horizon_is_refused(
    horizon: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by fuzzing: a header whose checksum is right may lack a field."""
    run = make("vector-cfr dcfr")
    fields = {name: value for name, value in asdict(run.variant).items() if name != "horizon"}
    with monkeypatch.context() as patch:
        patch.setattr(runs, "asdict", lambda variant: fields | horizon)
        run.save(tmp_path / "kept")
    with pytest.raises(FileError, match=r"is damaged: no .* has such variant"):
        VectorCFR.load(tmp_path / "kept", form_of("Leduc"))


@pytest.mark.parametrize(("name", "predictive"), [("dcfr", False), ("pdcfr+", True)])
def test_a_checkpoint_from_before_there_were_schedules_and_weights_continues(
    name: str, predictive: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = CFR(tree_of("Kuhn"), replace(VARIANTS[name], prediction=float(predictive)))
    old = {name: getattr(run.variant, name) for name in ("alpha", "beta", "gamma", "alternating")}
    with monkeypatch.context() as patch:
        patch.setattr(runs, "asdict", lambda variant: old | {"predictive": predictive})
        run.save(tmp_path / "old")
    assert CFR.load(tmp_path / "old", tree_of("Kuhn")).variant == run.variant


def test_strategies_are_those_of_solutions() -> None:
    for name in SOME:
        found = make(name, "Kuhn").run(20)
        assert found.strategy() == strategy_from_profile(found.tree, found.profile)
