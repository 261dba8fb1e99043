"""What `auto`, `cr` and `equilibrium` do against an opponent who errs: no move is wrong in plain
sight, by backward induction.
"""

import numpy as np
import pytest
from benchmarks.errors import KINDS, random_tree, wrong_moves
from naive.nim import Nim

from hiddenhand.budget import Budget
from hiddenhand.players.match import play_match
from hiddenhand.players.simple import RandomPlayer
from hiddenhand.players.specs import make_player
from hiddenhand.search.auto.survey import survey


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spec", ["auto", "equilibrium", "cr"])
def test_no_move_is_wrong(spec: str, kind: str) -> None:
    sealed = 2 if kind == "sealed" else 0
    counts = [
        wrong_moves(spec, random_tree(seed, 4 + sealed, **KINDS[kind]), seed, Budget(200), sealed)
        for seed in range(25)
    ]
    wrong, made = np.sum(counts, axis=0)
    assert made > 50
    assert wrong == 0


def test_it_is_seen_that_nothing_is_hidden() -> None:
    assert survey(Nim(9)).in_plain_sight
    assert survey(random_tree(1, 5, chance=0.2)).in_plain_sight
    assert not survey(Nim(9, is_told=False)).in_plain_sight  # in public


@pytest.mark.parametrize("heap", [7, 10, 13])
def test_no_won_position_of_nim_is_thrown_away(heap: int) -> None:
    """Who leaves a multiple of four wins."""
    for seed in range(4):
        players = [RandomPlayer(), RandomPlayer()]
        players[seed % 2] = make_player("auto", Nim(heap))
        left = heap
        record = play_match(Nim(heap), players, seed, [Budget(iterations=400)] * 2)
        for number, taken in enumerate(record.moves):
            if number % 2 == seed % 2 and left % 4 != 0:
                assert (left - taken - 1) % 4 == 0
            left -= taken + 1


def test_what_is_too_large_is_searched_as_a_tree() -> None:
    player = make_player("auto", Nim(40))
    decision = play_match(
        Nim(40), [player, RandomPlayer()], 0, [Budget(iterations=20)] * 2
    ).decisions[0][0]
    assert "tree search, which, as nothing is hidden" in decision.choice
    assert decision.thought["fallback"] == 20
