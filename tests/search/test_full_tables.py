"""A search whose memory is full: equal bits however it is cut into pieces, saved or not, and
nothing beyond the limit.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from naive.small_games import bushy

from hiddenhand import ISMCTS, MCCR, OOS, SMMCTS, SMOOS, ExternalMCCR, SmoothUCT, load_game
from hiddenhand.errors import FileError
from hiddenhand.games.history import History
from hiddenhand.jit.infoset_table import num_bytes
from hiddenhand.search.table_search import LEAST_MEMORY

HIDDEN = partial(bushy, hidden=True)  # made by the first test that needs it
OPEN = load_game("GS(6)")
SEARCHES: dict[str, Callable[[int], Any]] = {
    "oos": lambda memory: OOS(HIDDEN(), seed=1, memory=memory),
    "oos with baselines": lambda memory: OOS(HIDDEN(), seed=1, memory=memory, baseline="history"),
    "ismcts": lambda memory: ISMCTS(HIDDEN(), "uct", seed=1, memory=memory),
    "smooth-uct": lambda memory: SmoothUCT(HIDDEN(), seed=1, memory=memory),
    "smmcts": lambda memory: SMMCTS(OPEN, "rm", seed=1, memory=memory),
    "smoos": lambda memory: SMOOS(OPEN, seed=1, memory=memory),
}
TOTAL = 36_000


def rows(search: Any) -> list[float]:
    table = search.table
    return [
        *table.counts.tolist(),
        float(table.values[: int(table.counts[1])].sum()),
        *search._counters.tolist(),
    ]


@pytest.mark.parametrize("name", SEARCHES)
def test_pieces_and_files_make_no_difference(name: str, tmp_path: Path) -> None:
    whole, pieces, saved = (SEARCHES[name](LEAST_MEMORY) for _ in range(3))
    whole.run(iterations=TOTAL)
    for _ in range(TOTAL // 500):
        pieces.run(iterations=500)
    saved.run(iterations=TOTAL // 2)
    saved.save(tmp_path / "search")
    loaded = type(saved).load(tmp_path / "search", saved.game)
    loaded.run(iterations=TOTAL // 2)
    assert rows(whole) == rows(pieces) == rows(loaded)
    assert whole.result().refused > 0


@pytest.mark.parametrize("name", SEARCHES)
def test_a_table_that_may_grow_refuses_nothing(name: str) -> None:
    search = SEARCHES[name](2**30)
    result = search.run(iterations=4000)
    assert result.information_sets > 1228  # for which a new table has room
    assert result.refused == 0


RESOLVING: dict[str, Callable[..., Any]] = {
    "mccr keep": partial(MCCR, mode="keep"),
    "mccr with baselines": partial(MCCR, baseline="history"),
    "mccr-external": ExternalMCCR,
}


@pytest.mark.parametrize("name", RESOLVING)
def test_pieces_make_no_difference_to_resolving(name: str) -> None:
    found = []
    for size in (TOTAL, 500):
        search = RESOLVING[name](HIDDEN(), memory=2 * LEAST_MEMORY, seed=1)
        for _ in range(TOTAL // size):
            search.think(iterations=size)
        resolver = search.resolver
        assert num_bytes(resolver.table) + num_bytes(resolver._values) <= 2 * LEAST_MEMORY
        found.append([*resolver.table.counts.tolist(), *resolver._counters.tolist()])
    assert found[0] == found[1]


def test_a_search_in_the_middle_of_a_match_is_read_as_a_strategy_only(tmp_path: Path) -> None:
    for search in (OOS(HIDDEN()), ISMCTS(HIDDEN())):
        history = History(search.game).child(0)
        event = history.noticed(1)
        assert event is not None
        search.start(1, 0)
        search.notice([event])
        search.think(iterations=100)
        search.save(tmp_path / "search")
        with pytest.raises(FileError, match="in the middle of a match"):
            type(search).load(tmp_path / "search", search.game)
        assert np.isfinite(search.strategy().probabilities).all()
