"""Convergence at the root: against the search itself, and the papers' trends."""

import pytest
from naive.resolving import tree_of

from hiddenhand.budget import Budget
from hiddenhand.errors import OptionError
from hiddenhand.evaluation.convergence import converge
from hiddenhand.evaluation.measurement import Study
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.trees.profile import nash_conv


@pytest.mark.parametrize("unseen", ["fixed", "uniform"])
def test_each_point_is_what_the_search_alone_comes_to(unseen: str) -> None:
    tree = tree_of("IIGS(4)")
    found = converge(Study("oos", tree, seeds=(5, 6), unseen=unseen), Budget(1000), points=3)
    assert [point.at for point in found.curve] == [250, 500, 1000]
    for number, seed in enumerate((5, 6)):
        search = OOS(tree.game, seed=seed)
        search.run(1000)
        assert found.each[number] == pytest.approx(
            nash_conv(tree, search.strategy().on(tree, unseen, seed))
        )


@pytest.mark.timed
def test_seconds() -> None:
    found = converge(Study("mccfr", tree_of("Kuhn")), Budget(seconds=0.08), points=4)
    assert [point.at for point in found.curve] == pytest.approx([0.01, 0.02, 0.04, 0.08])
    assert (found.unit, found.iterations, found.seconds) == ("seconds", None, 0.08)


def test_small_budgets_have_fewer_points() -> None:
    assert [point.at for point in converge(Study("oos", tree_of("Kuhn")), Budget(3)).curve] == [
        1,
        3,
    ]


def test_refusals() -> None:
    study = Study("oos", tree_of("Kuhn"))
    with pytest.raises(OptionError, match="points=0"):
        converge(study, Budget(10), points=0)
    with pytest.raises(OptionError, match="give one of them"):
        converge(study, Budget(10, 1.0))
