"""Experiments with what a store knows of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hiddenhand.experiments.experiment import QUICK, Experiment, Scale
from hiddenhand.experiments.pages import Shown
from hiddenhand.experiments.store import Row, Store
from hiddenhand.experiments.units import Unit
from hiddenhand.experiments.verdicts import levels


def shown(
    experiments: Sequence[Experiment], scale: Scale, store: Store, *, stale: bool = False
) -> list[Shown]:
    """What ``store`` knows of ``experiments`` at a scale, and at the scale ``quick``.

    stale: whether a unit without a result of now shows the last one that other rules or other code
        gave.
    """
    rows = store.rows()
    by_key = {row.key: row for row in rows}
    by_text = {row.unit: row for row in sorted(rows, key=lambda row: str(row.made.get("when")))}
    return [_one(experiment, scale, by_key, by_text, stale) for experiment in experiments]


def stored_units(experiment: Experiment, scale: Scale) -> Iterator[Unit]:
    """The units of a scale and of the scale quick, by iterations and by the clock."""
    for at in (QUICK, scale):
        for by_clock in (False, True):
            yield from experiment.units(replace(at, by_clock=by_clock))


def _one(
    experiment: Experiment,
    scale: Scale,
    by_key: Mapping[str, Row],
    by_text: Mapping[str, Row],
    stale: bool,
) -> Shown:
    units = dict.fromkeys(stored_units(experiment, scale))
    known = {unit: by_key[unit.key] for unit in units if unit.key in by_key}
    old = {unit: by_text[unit.text] for unit in units if unit.text in by_text and unit not in known}
    if stale:
        known |= old
    results = {unit: row.result for unit, row in known.items()}
    return Shown(experiment, levels(experiment, results), list(known.values()), len(old), stale)
