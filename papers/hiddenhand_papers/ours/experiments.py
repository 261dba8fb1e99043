"""What the papers got wrong or left out, each with the effect that it has.

The printed item of such an experiment is the place in a paper, and its claim is ours. Further
effects are shown by readings of other experiments: of the order of cards, pre-play and how moves
are drawn in oos/fig4a, of forced wins in thesis/tab4.12, of weights and pre-play in the aggregate
method in oos/fig3b.
"""

from collections.abc import Iterator
from typing import Any, Final

from hiddenhand_papers.curves import (
    AggregateLine,
    CurveCheck,
    Curves,
    RootLine,
    StitchLine,
    line_figure,
)
from hiddenhand_papers.domains import GOOFSPIEL
from hiddenhand_papers.experiment import Experiment
from hiddenhand_papers.findings import Check, all_of, below, written
from hiddenhand_papers.ours.variants import VariantLine
from hiddenhand_papers.settling import AveragingRun, LooksLine

_WIDER: Final = 2.0  # how many times as wide an interval counts as much wider
_ITERATIONS: Final = (500, 2000, 8000)


def experiments() -> Iterator[Experiment]:
    """All of our own experiments."""
    yield _weights()
    yield _inverted()
    yield _resolving()
    yield _ties()
    yield _wiped()
    yield _averages()


_AGGREGATE: Final[dict[str, Any]] = {
    "game": "IIGS(4)",
    "per_second": 1.0,
    "times": _ITERATIONS,
    "matches": 60,
    "evening_matches": 60,
    "seeds": 20,
    "evening": 6,
    "evening_times": _ITERATIONS,
}
"""What all lines by the aggregate method have alike."""


def _weights() -> Experiment:
    def line(name: str, weighting: str, weights: str) -> AggregateLine:
        search = f"oos(targeting=ist,delta=0.5,epsilon=0.4,weighting={weighting})"
        return AggregateLine(name, search=search, preplay=2000, weights=weights, **_AGGREGATE)

    return line_figure(
        paper="ours",
        item="weights",
        title="Weights of samples and of searches in the aggregate method, IIGS(4)",
        setup=(
            "OOS with IST, δ = 0.5 and ε = 0.4; 2,000 iterations of pre-play; 60 matches from each "
            "seat; 20 seeds, at the scale evening six.",
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


def _inverted() -> Experiment:
    def line(name: str, weighting: str) -> AggregateLine:
        search = f"oos(targeting=ist,delta=0.5,epsilon=0.4,weighting={weighting})"
        return AggregateLine(name, search=search, preplay=2000, weights="visits", **_AGGREGATE)

    inverted = VariantLine(
        "w_T inverted, as Eq. 3 is printed",
        search="oos(targeting=ist,delta=0.5,epsilon=0.4)",
        preplay=2000,
        weights="visits",
        variant="w_T inverted",
        **_AGGREGATE,
    )
    return line_figure(
        paper="ours",
        item="inverted",
        title="The factor w_T right, inverted and left out, IIGS(4)",
        setup=(
            "OOS with IST, δ = 0.5 and ε = 0.4; 2,000 iterations of pre-play; 60 matches from each "
            "seat, searches weighed by visits; 20 seeds, at the scale evening six.",
            "Eq. 3 is printed as the probability of reaching the information set without the "
            "present targeting over that with it. The paper's own example, s_m / s_0 = 500, needs "
            "the contrary, and so do equal weights for samples that are equally likely.",
        ),
        lines=(line("w_T", "true"), inverted, line("no w_T", "false")),
        x="iterations a move",
        y="exploitability, sum over both players",
        checks=(_inverted_is_worse,),
    )


def _inverted_is_worse(curves: Curves) -> Check:
    """With w_T inverted, exploitability is higher at some budget, and at none lower."""
    right, wrong = (curves[name].points for name in list(curves)[:2])
    answers = [below(one, other) for (_, one), (_, other) in zip(right, wrong, strict=True)]
    words = "; ".join(
        f"at {at:,.0f} iterations {written(one)}, inverted {written(other)}"
        for (at, one), (_, other) in zip(right, wrong, strict=True)
    )
    holds = False if False in answers else True if True in answers else None
    return Check("inverted-is-worse", holds, words)


def _resolving() -> Experiment:
    def line(name: str, parameters: str) -> StitchLine:
        search = f"mccr(mode=reset,epsilon=0.6,baseline=off,{parameters})"
        return StitchLine(name, "LD(1,1,3)", search, (300, 3000, 10_000, 100_000), 15_000, 30, 10)

    return line_figure(
        paper="ours",
        item="resolving",
        title="90 % of samples start in the present information set, LD(1,1,3)",
        setup=(
            "MCCR (reset), ε = 0.6, 15,000 iterations of pre-play; searched afresh at every "
            "information set. 30 seeds, at the scale evening ten.",
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
            evening=4,
        )

    checks: tuple[CurveCheck, ...] = (_random_ties_are_better,)
    return line_figure(
        paper="ours",
        item="ties",
        title="How UCT breaks ties, from the root of II-GS(6)",
        setup=(
            "UCT with twice the largest payoff. What the OOS paper calls UCT breaks ties at random "
            "among actions within 0.01 of the best; exact ties almost never occur. 20 seeds and "
            "128 seconds of the paper's machine; evening: four seeds and 16 seconds.",
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


def _wiped() -> Experiment:
    searches = {"UCT": "ismcts(selector=ruct)", "RM": "ismcts(selector=rm)"}
    usual: dict[str, Any] = _AGGREGATE | {"preplay": 0, "weights": "visits"}
    lines: list[AggregateLine] = []
    for name, search in searches.items():
        lines.append(AggregateLine(f"{name}, kept", search=search, **usual))
        wiped = VariantLine(f"{name}, wiped", search=search, variant="statistics wiped", **usual)
        lines.append(wiped)
    return line_figure(
        paper="ours",
        item="wiped",
        title="Statistics kept from move to move, and wiped, IIGS(4)",
        setup=(
            "UCT with twice the largest payoff, RM with γ = 0.2; no pre-play; 60 matches from each "
            "seat, searches weighed by visits; 20 seeds, at the scale evening six.",
            "The authors' program throws the statistics of an information set away when a new "
            "history reaches it. “Wiped”: each search begins with empty statistics.",
        ),
        lines=tuple(lines),
        x="iterations a move",
        y="exploitability, sum over both players",
        checks=(_wiping_matters,),
    )


def _wiping_matters(curves: Curves) -> Check:
    """At the longest time, statistics that are kept make UCT more exploitable."""
    pairs = [
        (curves[f"{name}, kept"].last, curves[f"{name}, wiped"].last) for name in ("UCT", "RM")
    ]
    words = "; ".join(
        f"{name}: kept {written(kept)}, wiped {written(wiped)}"
        for name, (kept, wiped) in zip(("UCT", "RM"), pairs, strict=True)
    )
    kept, wiped = pairs[0]
    return Check("kept-uct-is-worse", below(wiped, kept), words)


_LOOKS: Final = tuple(round(10 ** (step / 2)) for step in range(4, 14))  # as in mccr/fig2left


def _averages() -> Experiment:
    shown = (
        ("divided by the sum of weights", "mover"),
        ("divided by the number of samples", "mover_printed"),
    )
    lines = tuple(
        LooksLine(
            f"b = {bonus}, {name}", AveragingRun, f"BRPS({bonus})", figure, _LOOKS, 10, 100, 10
        )
        for bonus in (10, 100)
        for name, figure in shown
    )
    return line_figure(
        paper="ours",
        item="averages",
        title="Averaged values in biased rock, paper, scissors",
        setup=(
            "MCCFR from the root with ε = 0.6; how far the mover's averaged values are from those "
            "of the equilibrium; 100 seeds and 3 million iterations; evening: ten seeds.",
            "Eq. 5 divides a sum of payoffs over their probabilities by the number of samples. "
            "That estimate has a variance that the sampling strategy keeps up, and divided by the "
            "sum of the same weights it has not.",
        ),
        lines=lines,
        x="iterations",
        y="mean distance from the equilibrium's values",
        checks=(_sum_of_weights_is_better,),
    )


def _sum_of_weights_is_better(curves: Curves) -> Check:
    """Divided by the sum of weights, values end nearer to those of the equilibrium."""
    ends = [curve.last for curve in curves.values()]
    pairs = list(zip(ends[::2], ends[1::2], strict=True))
    words = "; ".join(f"{written(right)}, as printed {written(wrong)}" for right, wrong in pairs)
    return Check("sum-of-weights-is-better", all_of([below(*pair) for pair in pairs]), words)
