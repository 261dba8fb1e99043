"""Experiments with what a store knows of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hiddenhand_papers.experiment import EVENING, QUICK, Experiment, Scale
from hiddenhand_papers.report.pages import Shown
from hiddenhand_papers.report.verdicts import levels
from hiddenhand_papers.store import Row, Store, by_text
from hiddenhand_papers.units import Unit


def shown(
    experiments: Sequence[Experiment], scale: Scale, store: Store, *, stale: bool = False
) -> list[Shown]:
    """What ``store`` knows of ``experiments`` at the steps to a scale, and at the short ones.

    stale: whether a unit without a result of now shows the last one that other rules or other code
        gave.
    """
    kept = by_text(store.rows())
    return [_one(experiment, scale, kept, stale) for experiment in experiments]


def stored_units(experiment: Experiment, scale: Scale) -> Iterator[Unit]:
    """The units of the steps to a scale and of the short ones, by iterations and by the clock."""
    for at in (EVENING, QUICK, *scale.steps):
        for by_clock in (False, True):
            yield from experiment.units(replace(at, by_clock=by_clock))


def _one(
    experiment: Experiment,
    scale: Scale,
    kept: Mapping[str, Sequence[Row]],
    stale: bool,
) -> Shown:
    known: dict[Unit, Row] = {}
    old: dict[Unit, Row] = {}
    for unit in dict.fromkeys(stored_units(experiment, scale)):
        if rows := kept.get(unit.text):
            now = [row for row in rows if row.digest == unit.digest]
            (known if now else old)[unit] = (now or rows)[-1]
    if stale:
        known |= old
    results = {unit: row.result for unit, row in known.items()}
    return Shown(experiment, levels(experiment, results), list(known.values()), len(old), stale)
