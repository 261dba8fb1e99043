"""What searches with a table share."""

from pathlib import Path

import pytest

from hiddenhand.errors import FileError
from hiddenhand.games.registry import load_game
from hiddenhand.search.rules.selectors import make_selector
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.trees.strategy import load_strategy


@pytest.mark.parametrize("repetitions", [0, 50])
def test_a_saved_ismcts_goes_on_as_if_nothing_had_happened(
    tmp_path: Path, repetitions: int
) -> None:
    game = load_game("IIGS(4)")
    whole, first = (
        ISMCTS(game, "rm", belief="modelled", gamma=0.3, repetitions=repetitions, seed=5)
        for _ in range(2)
    )
    whole.run(900)
    first.run(400)
    first.save(tmp_path / "search")
    second = ISMCTS.load(tmp_path / "search", game)
    second.run(500)
    assert second.weights().values.tolist() == whole.weights().values.tolist()
    assert second.selector == whole.selector
    assert (second.belief_model, second.result().iterations, second.result().traversals) == (
        "modelled",
        900,
        900,
    )
    second.save(tmp_path / "search")
    assert (
        load_strategy(tmp_path / "search").probabilities.tolist()
        == whole.strategy().probabilities.tolist()
    )


def test_a_selection_rule_of_one_s_own_cannot_be_saved(tmp_path: Path) -> None:
    game = load_game("Kuhn")
    search = ISMCTS(game, make_selector("uct", game))
    with pytest.raises(FileError, match="cannot be written"):
        search.save(tmp_path / "search")
