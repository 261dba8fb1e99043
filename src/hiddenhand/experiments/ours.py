"""What the papers got wrong or left out, each with the effect that it has.

The printed item of such an experiment is the place in a paper, and its claim is ours. Further
effects are shown by readings of other experiments: of the order of cards, pre-play and how moves
are drawn in oos/fig4a, of averaged values in mccr/fig2left, of weights and pre-play in the
aggregate method in oos/fig3b.
"""

from collections.abc import Iterator
from typing import Final

from hiddenhand.experiments.curves import (
    AggregateLine,
    CurveCheck,
    Curves,
    RootLine,
    StitchLine,
    line_figure,
)
from hiddenhand.experiments.experiment import Experiment
from hiddenhand.experiments.findings import Check, all_of, below, written
from hiddenhand.experiments.oos_domains import GOOFSPIEL

_WIDER: Final = 2.0  # how many times as wide an interval counts as much wider
_ITERATIONS: Final = (500, 2000, 8000)


def experiments() -> Iterator[Experiment]:
    """All of our own experiments."""
    yield _weights()
    yield _resolving()
    yield _ties()


def _weights() -> Experiment:
    def line(name: str, weighting: str, weights: str) -> AggregateLine:
        return AggregateLine(
            name,
            "IIGS(4)",
            f"oos(targeting=ist,delta=0.5,epsilon=0.4,weighting={weighting})",
            per_second=1.0,
            times=_ITERATIONS,
            preplay=2000,
            weights=weights,
            matches=60,
            quick_matches=60,
            seeds=20,
            quick=6,
            quick_times=_ITERATIONS,
        )

    return line_figure(
        paper="ours",
        item="weights",
        title="Weights of samples and of searches in the aggregate method, IIGS(4)",
        setup=(
            "OOS with IST, δ = 0.5 and ε = 0.4; 2,000 iterations of pre-play; 60 matches from each "
            "seat; 20 seeds, at the scale quick six.",
            "w_T weighs samples so that a change of aim does no harm. “By mass” adds up the sums "
            "of all searches as they are, as the authors' program did; “by visits” each search "
            "counts in an information set as often as it was there, as the paper's text says.",
        ),
        lines=(
            line("with w_T, by visits", "true", "visits"),
            line("with w_T, by mass", "true", "mass"),
            line("without w_T, by visits", "false", "visits"),
            line("without w_T, by mass", "false", "mass"),
        ),
        x="iterations a move",
        y="exploitability, sum over both players",
        checks=(_mass_varies, _mass_is_harmless_without),
    )


def _mass_varies(curves: Curves) -> Check:
    """With w_T, the interval by mass is at some budget much wider than that by visits."""
    return _widths(curves, "mass-varies-with-w-t", "with w_T", wider=True)


def _mass_is_harmless_without(curves: Curves) -> Check:
    """Without w_T it is at no budget."""
    return _widths(curves, "mass-harmless-without-w-t", "without w_T", wider=False)


def _widths(curves: Curves, name: str, which: str, *, wider: bool) -> Check:
    visits, mass = dict(curves[f"{which}, by visits"].points), curves[f"{which}, by mass"].points
    at, widest = max(mass, key=lambda point: point[1].width / visits[point[0]].width)
    words = f"at {at:,.0f} iterations: by visits {written(visits[at])}, by mass {written(widest)}"
    return Check(name, (widest.width > _WIDER * visits[at].width) is wider, words)


def _resolving() -> Experiment:
    def line(name: str, parameters: str) -> StitchLine:
        search = f"mccr(mode=reset,epsilon=0.6,baseline=off,{parameters})"
        return StitchLine(name, "LD(1,1,3)", search, (300, 3000, 10_000), 15_000, 30, 4)

    return line_figure(
        paper="ours",
        item="resolving",
        title="90 % of samples start in the present information set, LD(1,1,3)",
        setup=(
            "MCCR (reset), ε = 0.6, 15,000 iterations of pre-play; searched afresh at every "
            "information set. 30 seeds, at the scale quick four.",
            "“Corrected” samples weigh as if they had started in all histories of the public state "
            "alike; “uncorrected” ones do not, as in the published program.",
        ),
        lines=(
            line("no focus", "focus=0.0"),
            line("90 %, corrected", "focus=0.9"),
            line("90 %, uncorrected", "focus=0.9,corrected=false"),
        ),
        x="iterations in each information set",
        y="exploitability, sum over both players",
        checks=(_uncorrected_is_worse,),
    )


def _uncorrected_is_worse(curves: Curves) -> Check:
    """With the longest resolving, samples that are not corrected leave more exploitability."""
    right, wrong = curves["90 %, corrected"].last, curves["90 %, uncorrected"].last
    words = f"corrected {written(right)}, uncorrected {written(wrong)}"
    return Check("uncorrected-is-worse", below(right, wrong), words)


def _ties() -> Experiment:
    def line(name: str, search: str) -> RootLine:
        return RootLine(
            name,
            GOOFSPIEL.game,
            search,
            GOOFSPIEL.uct,
            seconds=128.0,
            doublings=12,
            shorter=3,
            seeds=20,
            quick=4,
        )

    checks: tuple[CurveCheck, ...] = (_random_ties_are_better,)
    return line_figure(
        paper="ours",
        item="ties",
        title="How UCT breaks ties, from the root of II-GS(6)",
        setup=(
            "UCT with twice the largest payoff. What the OOS paper calls UCT breaks ties at random "
            "among actions within 0.01 of the best; exact ties almost never occur. 20 seeds and "
            "128 seconds of the paper's machine; quick: four seeds and 16 seconds.",
        ),
        lines=(
            line("the first of the best", "ismcts(selector=uct)"),
            line("at random, exact ties", "ismcts(selector=ruct,tie_tolerance=0.0)"),
            line("at random, within 0.01", "ismcts(selector=ruct)"),
        ),
        x="seconds of the paper's machine",
        y="exploitability, sum over both players",
        checks=checks,
    )


def _random_ties_are_better(curves: Curves) -> Check:
    """Ties within a hundredth that are broken at random end below the two others."""
    best = curves["at random, within 0.01"].last
    others = [curve.last for name, curve in curves.items() if name != "at random, within 0.01"]
    words = f"within 0.01 {written(best)}; others {'; '.join(map(written, others))}"
    return Check("ties-within-a-hundredth", all_of([below(best, one) for one in others]), words)
