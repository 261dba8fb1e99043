"""CFR and its variants: against the textbook recursion, towards equilibria, and as runs that stop,
go on, and are kept in files.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from naive.behaviour import Behaviour, behaviour_of, written_out
from naive.regret_minimisation import NaiveCFR, NaivePublishedCFR, hs_dcfr_exponents
from naive.small_games import ThreeHands, ii_goofspiel, untied

from hiddenhand.errors import FileError, OptionError
from hiddenhand.games.base import Game
from hiddenhand.games.coordination_game import CoordinationGame
from hiddenhand.games.liars_dice import LiarsDice
from hiddenhand.games.matrix_game import biased_rps
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.poker.leduc import LeducPoker
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.progress import Report
from hiddenhand.search.solving import solve
from hiddenhand.trees.cfr import CFR, cfr
from hiddenhand.trees.linear_program import solve_lp
from hiddenhand.trees.profile import nash_conv
from hiddenhand.trees.strategy import strategy_from_profile
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll
from hiddenhand.trees.variants import VARIANTS, Variant

TREE_OF = cache(unroll)
TEXTBOOK_GAMES = {
    "Kuhn": KuhnPoker(),
    "coordination": CoordinationGame(),
    "II-GS(3)": ii_goofspiel(3),
    "three players": ThreeHands(),
    "Leduc, untied": untied(LeducPoker()),
    "II-GS(4), untied": untied(ii_goofspiel(4)),
}
STATE = ("regret", "last_regret", "average", "strategy")
OTHERS = {
    "cfr, simultaneous": Variant(alternating=False),
    "cfr+, simultaneous": Variant(beta=-math.inf, gamma=1.0, alternating=False),
    "dcfr, simultaneous": Variant(alpha=1.5, beta=0.0, gamma=2.0, alternating=False),
    "predictive, discounted": Variant(alpha=2.0, beta=0.5, gamma=3.0, prediction=1.0),
}


ROUNDING_GROWS = (
    *("lcfr", "dcfr", "dcfr, simultaneous", "predictive, discounted"),
    *("dcfr+", "pcfr+", "pdcfr+", "hs_dcfr"),
)
"""Where old regret is discounted, so is all that rounding errors are measured by: in games of some
size they grow tenfold every few iterations. A third of a regret is rounded every time.
"""


def assert_same(found: Behaviour, expected: Behaviour) -> None:
    assert found.keys() == expected.keys()
    for key in found:
        assert found[key] == pytest.approx(expected[key], abs=1e-10)


def assert_equal_state(run: CFR, other: CFR) -> None:
    assert run.iterations == other.iterations
    for name in STATE:
        assert np.array_equal(getattr(run, name), getattr(other, name)), name


def gaps(run: CFR, checkpoints: tuple[int, ...]) -> list[float]:
    """nash_conv of the average strategy after so many iterations."""
    return [run.run(checkpoint - run.iterations).nash_conv for checkpoint in checkpoints]


def with_horizon(variant: str | Variant, horizon: int) -> Variant:
    """A variant, with its horizon given if it has a schedule."""
    variant = VARIANTS[variant] if isinstance(variant, str) else variant
    return replace(variant, horizon=horizon) if variant.has_schedule else variant


class Watching:
    """Keeps the reports, and raises KeyboardInterrupt at one of them."""

    def __init__(self, interrupt_at: int = -1) -> None:
        self.reports: list[Report] = []
        self.interrupt_at = interrupt_at

    def update(self, report: Report) -> None:
        self.reports.append(report)
        if len(self.reports) == self.interrupt_at:
            raise KeyboardInterrupt


def published_form(name: str, game: Game, horizon: int) -> NaivePublishedCFR:
    """A variant of 2024 as its paper writes it. ``horizon``: for a schedule."""
    root, players = written_out(game), TREE_OF(game).num_players
    if name == "dcfr+":
        return NaivePublishedCFR(root, players, lambda t: (1.5, 0.0, 4.0))
    if name == "pdcfr+":
        return NaivePublishedCFR(root, players, lambda t: (2.3, 0.0, 5.0), prediction=1 / 3)
    return NaivePublishedCFR(root, players, hs_dcfr_exponents(horizon), floored=False)


PUBLISHED = ("dcfr+", "pdcfr+", "hs_dcfr")
"""Variants whose papers write them in another form than ours; Xu et al. (2024), Zhang et al.
(2024).
"""


@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.parametrize("title", TEXTBOOK_GAMES)
def test_strategies_are_those_of_the_papers_of_2024(title: str, name: str) -> None:
    game = TEXTBOOK_GAMES[title]
    tree = TREE_OF(game)
    iterations = 12 if title.endswith("untied") else 50
    paper = published_form(name, game, iterations)
    for _ in range(iterations):
        paper.iterate()
    run = CFR(tree, name)
    run.run(iterations)
    assert_same(behaviour_of(tree, run.average_profile()), paper.average())
    assert_same(behaviour_of(tree, run.last_profile()), paper.strategy)


@pytest.mark.parametrize("pieces", [(7, 33), (1, 39), (40,)], ids=str)
def test_a_schedule_that_goes_on_begins_another(pieces: tuple[int, ...]) -> None:
    """The first piece is the horizon; a run by seconds knows none, and begins with 1."""
    tree = TREE_OF(KuhnPoker())
    paper = published_form("hs_dcfr", KuhnPoker(), pieces[0])
    for _ in range(40):
        paper.iterate()
    run = CFR(tree, "hs_dcfr")
    for piece in pieces:
        run.run(piece)
    assert run.variant.horizon == pieces[0]
    assert run.method == "hs_dcfr"
    assert_same(behaviour_of(tree, run.average_profile()), paper.average())


def test_a_budget_that_may_end_earlier_is_no_horizon() -> None:
    tree = TREE_OF(KuhnPoker())
    for limits in ({"seconds": 60.0}, {"target": 1e-9}):
        unknown, one = CFR(tree, "hs_dcfr"), CFR(tree, replace(VARIANTS["hs_dcfr"], horizon=1))
        unknown.run(60, **limits)
        one.run(60)
        assert unknown.variant.horizon == 0
        assert_equal_state(unknown, one)
        unknown.run(10)
        assert unknown.variant.horizon == 0


def test_a_checkpoint_keeps_the_horizon(tmp_path: Path) -> None:
    tree = TREE_OF(KuhnPoker())
    whole = CFR(tree, replace(VARIANTS["hs_dcfr"], horizon=30))
    whole.run(70)
    first = CFR(tree, "hs_dcfr")
    first.run(30)
    first.save(tmp_path / "checkpoint")
    second = CFR.load(tmp_path / "checkpoint", tree)
    assert second.variant.horizon == 30
    second.run(40)
    assert_equal_state(whole, second)


def test_a_checkpoint_from_before_there_were_schedules_and_weights_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = TREE_OF(KuhnPoker())
    old = ("alpha", "beta", "gamma", "alternating")
    for name, predictive in (("dcfr", False), ("pdcfr+", True)):
        run = CFR(tree, replace(VARIANTS[name], prediction=float(predictive)))
        run.run(10)
        identity = run._identity()
        identity["variant"] = {field: getattr(run.variant, field) for field in old} | {
            "predictive": predictive
        }
        monkeypatch.setattr(run, "_identity", lambda identity=identity: identity)
        run.save(tmp_path / "old")
        assert CFR.load(tmp_path / "old", tree).variant == run.variant


def test_late_iterations_count_in_a_long_schedule() -> None:
    """t^30 of a million iterations is 1e180; the average stays of the size of a strategy."""
    tree = TREE_OF(KuhnPoker())
    run = CFR(tree, "hs_dcfr")
    run.run(20_000)
    assert 1 < run.average.max() < 20_000
    assert run.solution().nash_conv < 1e-3


def test_pdcfr_plus_is_faster_than_pcfr_plus() -> None:
    """Xu et al. (2024), whose figures show it for Kuhn poker and Goofspiel."""
    for game in (KuhnPoker(), ii_goofspiel(4)):
        found = [cfr(TREE_OF(game), name, 300).nash_conv for name in ("pdcfr+", "pcfr+")]
        assert found[0] < 0.1 * found[1], (game, found)


@pytest.mark.parametrize("name", [n for n in [*VARIANTS, *OTHERS] if n not in PUBLISHED])
@pytest.mark.parametrize("title", TEXTBOOK_GAMES)
def test_strategies_are_those_of_the_textbook(title: str, name: str) -> None:
    game, variant = TEXTBOOK_GAMES[title], (VARIANTS | OTHERS)[name]
    tree = TREE_OF(game)
    iterations = 12 if title.endswith("untied") and name in ROUNDING_GROWS else 50
    textbook = NaiveCFR(written_out(game), tree.num_players, variant)
    for _ in range(iterations):
        textbook.iterate()
    run = CFR(tree, variant)
    run.run(iterations)
    assert_same(behaviour_of(tree, run.average_profile()), textbook.average())
    assert_same(behaviour_of(tree, run.last_profile()), textbook.strategy)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "game",
    [KuhnPoker(), LeducPoker(), LiarsDice(1, 1, 3), ii_goofspiel(4), biased_rps(10)],
    ids=str,
)
def test_every_variant_converges(game: Game, variant: str) -> None:
    found = gaps(CFR(TREE_OF(game), variant), (10, 100, 1000))
    assert all(later <= 0.6 * earlier for earlier, later in pairwise(found)), found
    assert found[-1] < 0.05


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_value_of_kuhn_poker_is_found(variant: str) -> None:
    """-1/18 for player 0: Kuhn (1950)."""
    found = cfr(TREE_OF(KuhnPoker()), variant, target=1e-3)
    assert found.value == pytest.approx(-1 / 18, abs=1e-3)
    assert found.values[1] == -found.values[0]


def test_cfr_plus_is_faster_than_cfr_on_leduc_poker() -> None:
    """Tammelin (2014)."""
    assert (
        cfr(TREE_OF(LeducPoker()), "cfr+", 500).nash_conv
        < 0.2 * cfr(TREE_OF(LeducPoker()), "cfr", 500).nash_conv
    )


@pytest.mark.parametrize("game", [KuhnPoker(), LeducPoker(), LiarsDice(1, 1, 3)], ids=str)
def test_alternating_updates_are_faster(game: Game) -> None:
    alternating, simultaneous = (
        Variant(beta=-math.inf, gamma=1.0),
        Variant(beta=-math.inf, gamma=1.0, alternating=False),
    )
    assert (
        cfr(TREE_OF(game), alternating, 500).nash_conv
        < 0.5 * cfr(TREE_OF(game), simultaneous, 500).nash_conv
    )


def test_the_last_iterate_of_cfr_plus_is_no_equilibrium_where_the_average_nearly_is() -> None:
    run = CFR(TREE_OF(biased_rps(10)), "cfr")
    average = run.run(1000).nash_conv
    assert average < 0.05 < nash_conv(run.tree, run.last_profile())


def test_the_last_profile_is_a_copy() -> None:
    run = CFR(TREE_OF(KuhnPoker()))
    run.last_profile()[:] = 0.0
    assert run.last_profile()[0] == 1.0


def test_a_target_ends_the_run_at_the_first_look_that_meets_it() -> None:
    found = CFR(TREE_OF(LeducPoker())).run(target=0.05, check_every=30)
    steps, values = zip(*found.convergence, strict=True)
    assert steps == tuple(range(30, found.iterations + 1, 30))
    assert values[-1] == found.nash_conv <= 0.05 < min(values[:-1])


def test_with_both_limits_the_first_ends_the_run() -> None:
    few = CFR(TREE_OF(LeducPoker())).run(50, target=1e-6, check_every=20)
    assert few.iterations == 50
    assert [step for step, _ in few.convergence] == [20, 40, 50]
    many = CFR(TREE_OF(KuhnPoker())).run(10**6, target=0.1)
    assert many.iterations == 100


def test_a_solution_says_how_it_was_found() -> None:
    found = cfr(TREE_OF(KuhnPoker()), "dcfr", 20)
    assert (found.method, found.iterations, found.convergence) == (
        "dcfr",
        20,
        ((20, found.nash_conv),),
    )
    assert found.nash_conv == nash_conv(found.tree, found.profile)
    assert found.seconds > 0
    assert CFR(TREE_OF(KuhnPoker()), Variant(alpha=7.0)).method == "cfr variant"


@pytest.mark.parametrize("pieces", [[1] * 100, [7, 90, 3], [99, 1]], ids=["ones", "three", "two"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_pieces_make_the_same_run(variant: str, pieces: list[int]) -> None:
    """Where there is a schedule, with its horizon given; else the first piece would be it."""
    tree, planned = TREE_OF(LeducPoker()), with_horizon(variant, 100)
    whole, cut = CFR(tree, planned), CFR(tree, planned)
    whole.run(100)
    for piece in pieces:
        cut.run(piece)
    assert_equal_state(whole, cut)


def test_looking_at_convergence_changes_nothing() -> None:
    whole, watched = CFR(TREE_OF(LeducPoker())), CFR(TREE_OF(LeducPoker()))
    whole.run(100)
    watched.run(100, target=1e-9, check_every=7)
    assert_equal_state(whole, watched)


@pytest.mark.parametrize("variant", [*VARIANTS, Variant(alternating=False)])
def test_a_checkpoint_goes_on_bit_for_bit(variant: str | Variant, tmp_path: Path) -> None:
    tree, planned = TREE_OF(LeducPoker()), with_horizon(variant, 80)
    whole, first = CFR(tree, planned), CFR(tree, planned)
    whole.run(80)
    first.run(33)
    first.save(tmp_path / "checkpoint")
    second = CFR.load(tmp_path / "checkpoint", tree)
    assert second.seconds == first.seconds
    assert second.variant == first.variant
    assert_equal_state(first, second)
    second.run(47)
    assert_equal_state(whole, second)


def test_a_checkpoint_of_another_game_is_refused(tmp_path: Path) -> None:
    CFR(TREE_OF(KuhnPoker())).save(tmp_path / "kuhn")
    with pytest.raises(
        FileError,
        match=(
            r"is a checkpoint of .*KuhnPoker.*, not of .*LeducPoker.*; give one made on the same "
            r"game"
        ),
    ):
        CFR.load(tmp_path / "kuhn", TREE_OF(LeducPoker()))


def test_a_file_that_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    tree = TREE_OF(KuhnPoker())
    strategy_from_profile(tree, CFR(tree).last_profile()).save(tmp_path / "strategy")
    with pytest.raises(
        FileError, match="holds a strategy of format 2; give a file with a cfr of format 2"
    ):
        CFR.load(tmp_path / "strategy", tree)
    with pytest.raises(FileError, match=r"there is no file"):
        CFR.load(tmp_path / "nothing", tree)


def test_an_interrupted_run_keeps_what_it_has_done() -> None:
    tree = TREE_OF(LeducPoker())
    interrupted, whole = CFR(tree), CFR(tree)
    with pytest.raises(KeyboardInterrupt):
        interrupted.run(10**6, progress=Watching(interrupt_at=3))
    assert 0 < interrupted.iterations < 10**6
    whole.run(interrupted.iterations)
    assert_equal_state(interrupted, whole)
    interrupted.run(10)
    whole.run(10)
    assert_equal_state(interrupted, whole)
    assert interrupted.solution().nash_conv == whole.solution().nash_conv


def test_progress_is_told() -> None:
    watching = Watching()
    CFR(TREE_OF(KuhnPoker())).run(200, target=1e-9, check_every=50, progress=watching)
    assert [report.done for report in watching.reports] == sorted(
        report.done for report in watching.reports
    )
    assert (watching.reports[-1].done, watching.reports[-1].total) == (200, 200)
    assert [report.done for report in watching.reports if "nash_conv" in report.figures] == [
        50,
        100,
        150,
        200,
    ]


def test_more_than_two_players_run() -> None:
    """Nothing is promised but that the average settles; here the game is easy enough for it to
    reach an equilibrium.
    """
    found = gaps(CFR(TREE_OF(ThreeHands()), "cfr"), (10, 100, 1000))
    assert found[0] > found[1] > found[2]


def bad_calls(tree: GameTree) -> Iterator[tuple[object, str]]:
    run = CFR(tree)
    yield run.run, "give a number of iterations or of seconds, a target for nash_conv, or several"
    for target in (0, -1.0, math.nan):
        yield (
            (lambda target=target: run.run(target=target)),
            f"target={target} is not allowed; give a nash_conv above 0",
        )
    yield (
        (lambda: run.run(10, target=1, check_every=0)),
        "check_every=0 is not allowed; give at least 1",
    )
    for count in (0, -5, 1.5, True):
        yield (
            (lambda count=count: run.run(count)),
            f"iterations={count} is not allowed; give a whole number of at least 1",
        )
    yield (
        (lambda: CFR(tree, "cfr++")),
        "there is no CFR variant 'cfr\\+\\+'; choose one of: cfr, cfr\\+, lcfr, dcfr, pcfr\\+, "
        "dcfr\\+, pdcfr\\+, hs_dcfr",
    )
    yield lambda: Variant(alpha_change=math.inf), "an exponent changes by a number"
    yield lambda: Variant(gamma=1.0, gamma_change=-2.0), "gamma=-1.0 is not allowed"
    for horizon in (-1, 2.0, True, 2**62):
        yield (
            (lambda horizon=horizon: Variant(horizon=horizon)),
            f"horizon={horizon} is not allowed; give a whole number of iterations from 1 on",
        )


def test_bad_input_is_refused() -> None:
    for call, message in bad_calls(TREE_OF(KuhnPoker())):
        with pytest.raises(OptionError, match=message):
            call()


def test_convergence_is_kept_without_a_target() -> None:
    """Looked at when the number of iterations has doubled, however the run is cut; it changes
    nothing.
    """
    tree = unroll(LeducPoker())
    first = 250 + 500_000 // tree.num_histories
    run = CFR(tree, "cfr+")
    found = run.run(4 * first + 1)
    assert [iteration for iteration, _ in found.convergence] == [
        first,
        2 * first,
        4 * first,
        4 * first + 1,
    ]
    assert found.convergence[-1][1] == found.nash_conv
    assert found.convergence[1][1] == cfr(tree, "cfr+", 2 * first).nash_conv
    assert [iteration for iteration, _ in run.run(4 * first).convergence] == [
        8 * first,
        8 * first + 1,
    ]
    assert CFR(tree, "cfr+").run(3).convergence == ((3, cfr(tree, "cfr+", 3).nash_conv),)


def test_exact_methods_do_not_converge() -> None:
    assert solve_lp(unroll(KuhnPoker())).convergence == ()


@pytest.mark.parametrize("variant", ["cfr", "pdcfr+", "hs_dcfr"])
def test_iterations_without_a_look_are_the_same(variant: str) -> None:
    tree = unroll(LeducPoker())
    seen, unseen, watching = CFR(tree, variant), CFR(tree, variant), Watching()
    seen.run(30)
    unseen.iterate(30, progress=watching)
    assert np.array_equal(seen.average, unseen.average)
    assert (seen.iterations, seen.variant) == (unseen.iterations, unseen.variant)
    assert watching.reports[-1] == Report(30, 30)


def three_players(seed: int) -> TreeGame:
    """Three players, one after the other, with two moves each, none of which is seen."""
    random = np.random.default_rng(seed)
    leaves = random.integers(-5, 6, (8, 3))
    inner = np.zeros((7, 3))
    return TreeGame(
        player=np.array([0, 1, 1, 2, 2, 2, 2] + [-4] * 8),
        first_child=np.array([1, 3, 5, 7, 9, 11, 13] + [15] * 8),
        num_children=np.array([2] * 7 + [0] * 8),
        probability=np.ones(15),
        information_set=np.array([0, 1, 1, 2, 2, 2, 2] + [-1] * 8),
        utilities=np.concatenate([inner, leaves]),
    )


@pytest.mark.parametrize("seed", range(40))
def test_a_run_with_a_target_alone_ends(seed: int) -> None:
    """Also in games of three players, in which nash_conv may stay high for ever."""
    found = solve(three_players(seed), "cfr+")
    assert found.target is not None
    assert found.fell_short == (found.nash_conv > found.target)
    if found.fell_short:
        assert found.iterations >= 4000
        best = min(gap for _, gap in found.convergence)
        earlier = min(gap for at, gap in found.convergence if 4 * at <= found.iterations + 400)
        assert best > 0.9 * earlier


def test_some_games_of_three_players_have_no_end_else() -> None:
    assert any(solve(three_players(seed), "cfr+").fell_short for seed in range(40))


def test_a_limit_takes_the_place_of_progress() -> None:
    run = CFR(TREE_OF(KuhnPoker()), "cfr+")
    assert run.run(10_000, target=1e-30).iterations == 10_000
