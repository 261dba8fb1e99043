"""Experiments with what a store knows of them."""

from collections.abc import Mapping, Sequence

from hiddenhand.experiments.experiment import QUICK, Experiment, Scale
from hiddenhand.experiments.pages import Shown
from hiddenhand.experiments.store import Row, Store
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


def _one(
    experiment: Experiment,
    scale: Scale,
    by_key: Mapping[str, Row],
    by_text: Mapping[str, Row],
    stale: bool,
) -> Shown:
    units = dict.fromkeys([*experiment.units(QUICK), *experiment.units(scale)])
    known = {unit: by_key[unit.key] for unit in units if unit.key in by_key}
    old = {unit: by_text[unit.text] for unit in units if unit.text in by_text and unit not in known}
    if stale:
        known |= old
    results = {unit: row.result for unit, row in known.items()}
    return Shown(experiment, levels(experiment, results), list(known.values()), len(old), stale)
