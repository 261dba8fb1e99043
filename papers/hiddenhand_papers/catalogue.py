"""All experiments, by name."""

import difflib
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Final

from hiddenhand.errors import OptionError
from hiddenhand_papers.experiment import Experiment

PAPERS: Final = ("oos", "thesis", "pursuit", "smooth", "mccr", "ours")
"""The folders of papers, in the order of the list. Each has a module ``experiments`` with a
function of this name, and a file ``printed.toml``.
"""


@cache
def catalogue() -> dict[str, Experiment]:
    """All experiments by name, in the order in which they are listed."""
    found: dict[str, Experiment] = {}
    for paper in PAPERS:
        for experiment in import_module(f"hiddenhand_papers.{paper}.experiments").experiments():
            assert experiment.name not in found, experiment.name
            found[experiment.name] = experiment
    return found


def chosen(names: Sequence[str]) -> list[Experiment]:
    """The experiments with these names; all of a paper where only the paper is named, and all if
    nothing is named. Raises OptionError for a name that does not exist.
    """
    known = catalogue()
    if not names:
        return list(known.values())
    found: dict[str, Experiment] = {}
    for name in names:
        paper = {key: value for key, value in known.items() if key.startswith(f"{name}/")}
        if name not in known and not paper:
            raise OptionError(f"there is no experiment {name!r}; {_close(name)}")
        found |= {name: known[name]} if name in known else paper
    return list(found.values())


def _close(name: str) -> str:
    """Which experiments may have been meant."""
    known = [*catalogue(), *dict.fromkeys(key.partition("/")[0] for key in catalogue())]
    close = difflib.get_close_matches(name, known, n=4, cutoff=0.5)
    ends = [key for key in known if key.endswith(f"/{name}")]
    meant = [*ends, *(key for key in close if key not in ends)]
    if meant:
        return f"did you mean {', '.join(meant)}?"
    return "hiddenhand experiment list shows them all"
