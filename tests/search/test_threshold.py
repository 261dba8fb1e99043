"""Searches that leave out rare moves: Ganzfried, Sandholm and Waugh (2012)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from naive.small_games import small

from hiddenhand.errors import FileError
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event, History
from hiddenhand.jit.arrays import Floats
from hiddenhand.search.making import make_search
from hiddenhand.search.online import OnlineSearch, above
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.trees.strategy import Weights, saved_strategy

THRESHOLD = 0.4


def test_above_leaves_out_what_is_below_a_share_of_the_largest() -> None:
    weights = Weights.of(
        {
            7: np.array([1.0, 4.0, 10.0]),
            3: np.array([0.0, 0.0]),
            9: np.array([2.0]),
            5: np.array([0.8, 2.0, 0.79]),
        }
    )
    kept = weights.above(THRESHOLD)
    assert kept.values.tolist() == [0.0, 4.0, 10.0, 0.0, 0.0, 2.0, 0.8, 2.0, 0.0]
    for key, row in weights.among(weights.keys).items():
        assert above(row, THRESHOLD).tolist() == kept.among(weights.keys)[key].tolist()
    assert weights.above(0.0).values.tolist() == weights.values.tolist()
    assert weights.above(1.0).values.tolist() == [0.0, 0.0, 10.0, 0.0, 0.0, 2.0, 0.0, 2.0, 0.0]
    assert Weights.of({}).above(THRESHOLD).values.size == 0


@pytest.mark.parametrize("name", ["oos", "mccfr", "mccr"])
def test_moves_below_the_threshold_are_not_played(name: str) -> None:
    """All else is as without a threshold: the search thinks the same, and what it plays keeps its
    proportions.
    """
    game, left_out = small("Leduc"), 0
    plain, search = (make_search(game, name, threshold=one) for one in (0.0, THRESHOLD))
    for (whole, left), weights in followed(game, plain, search):
        kept = np.where(whole < THRESHOLD * whole.max(), 0.0, whole)
        assert left == pytest.approx(kept / kept.sum(), abs=1e-12)
        left_out += np.count_nonzero(kept == 0.0) > np.count_nonzero(whole == 0.0)
        assert weights[1].values.tolist() == weights[0].above(THRESHOLD).values.tolist()
    assert left_out > 10


def followed(game: Game, *searches: OnlineSearch) -> Iterator[tuple[list[Floats], list[Weights]]]:
    """What searches play, and their weights, at each decision of matches in which they think."""
    for number in range(20):
        history, events = History(game), list[Event]()
        random = np.random.default_rng(number)
        for search in searches:
            search.start(0, number)
            search.think(iterations=30)
        while not history.is_terminal:
            if history.player == 0:
                for search in searches:
                    search.notice(events)
                    search.think(iterations=30)
                events = []
                actions = len(history.legal_actions())
                yield (
                    [search.policy(actions) for search in searches],
                    [search.weights() for search in searches],
                )
            move = (
                history.sample_chance(random)
                if history.player < 0
                else int(random.choice(history.legal_actions()))
            )
            history = history.child(move)
            event = history.noticed(0)
            events += [event] if event is not None else []


def test_a_file_keeps_the_threshold(tmp_path: Path) -> None:
    """The strategy in the file leaves out the same moves as the search. A search that is loaded
    from the file continues with the same threshold.
    """
    given: dict[str, Any] = {"seed": 3, "threshold": THRESHOLD}
    search, file = OOS(small("Kuhn"), **given), tmp_path / "search.npz"
    search.run(iterations=200)
    search.save(file)
    plain = OOS(small("Kuhn"), seed=3)
    plain.run(iterations=200)
    assert saved_strategy(file) == search.strategy()
    assert saved_strategy(file).probabilities.tolist() != plain.strategy().probabilities.tolist()
    again = OOS.load(file, small("Kuhn"))
    assert again.threshold == THRESHOLD
    for one in (again, search):
        one.run(iterations=200)
    assert again.strategy() == search.strategy()


def test_a_threshold_that_is_none_is_refused_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search, file = OOS(small("Kuhn"), seed=3, threshold=THRESHOLD), tmp_path / "search.npz"
    search.run(iterations=20)
    monkeypatch.setattr(search, "threshold", 2.0)
    search.save(file)
    with pytest.raises(FileError, match="threshold"):
        saved_strategy(file)
