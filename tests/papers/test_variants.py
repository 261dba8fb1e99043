"""Searches as they are printed, for experiments: only what is named is different."""

import numpy as np
import pytest

from hiddenhand.games.history import Event, History
from hiddenhand.jit.infoset_table import num_sets
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.search.sampling.oos import OOS
from hiddenhand_papers.experiment import QUICK
from hiddenhand_papers.ours.experiments import _inverted, _wiped
from hiddenhand_papers.ours.variants import ForgetfulISMCTS, InvertedOOS, VariantRun
from hiddenhand_papers.units import game_called


def events() -> list[Event]:
    """What player 0 notices of the first round of II-Goofspiel(4)."""
    history, noticed = History(game_called("IIGS(4)")), []
    while len(history.moves) < 2 or history.player != 0:
        move = history.legal_moves()[len(history.moves) % 2]
        history = history.child(move)
        noticed.append(history.noticed(0))
    return [event for event in noticed if event is not None]


def test_the_printed_factor_is_the_reciprocal_one() -> None:
    """Both searches are the same up to the first aim."""
    found = []
    for kind in (OOS, InvertedOOS):
        search = kind(game_called("IIGS(4)"), delta=0.5, targeting="ist", seed=3)
        search.think(iterations=50)
        search.notice(events())
        found.append(search._weighting)
    assert found[0] > 1.0
    assert found[1] == pytest.approx(1.0 / found[0])


def test_statistics_are_wiped_when_the_match_moves_on() -> None:
    counts = []
    for kind in (ISMCTS, ForgetfulISMCTS):
        search = kind(game_called("IIGS(4)"), selector="rm", seed=3)
        search.think(iterations=50)
        search.notice(events())
        counts.append(num_sets(search.table))
        search.think(iterations=50)
        assert np.isfinite(search.policy(3)).all()
    assert counts[0] > 0
    assert counts[1] == 0


def test_figures_have_a_line_of_the_variant() -> None:
    for experiment in (_inverted(), _wiped()):
        kinds = {type(unit).__name__ for unit in experiment.units(QUICK)}
        assert kinds == {"AggregateRun", "VariantRun"}
    unit = VariantRun("IIGS(4)", "oos", 10, 0, 1, "visits", 0, variant="w_T inverted")
    assert isinstance(unit.made_by(game_called("IIGS(4)")), InvertedOOS)
