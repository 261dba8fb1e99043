"""What `auto`, `cr` and `equilibrium` do against an opponent who errs: no move is wrong in plain
sight, by backward induction.
"""

import numpy as np
import pytest
from naive.guess_the_ace import GuessTheAce
from naive.nim import Nim
from naive.noticing import noticed
from studies.errors import KINDS, random_tree, wrong_moves

from hiddenhand.budget import Budget
from hiddenhand.matches.match import play_match
from hiddenhand.players.fixed_policies import RandomPlayer
from hiddenhand.players.registry import make_player
from hiddenhand.search.auto.perfect_information import PlainChoice
from hiddenhand.search.auto.survey import survey
from hiddenhand.search.making import make_search


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spec", ["auto", "equilibrium", "cr"])
def test_no_move_is_wrong(spec: str, kind: str) -> None:
    sealed = 2 if kind == "sealed" else 0
    counts = [
        wrong_moves(spec, random_tree(seed, 4 + sealed, **KINDS[kind]), seed, Budget(200), sealed)
        for seed in range(4 if spec == "auto" else 10)
    ]
    wrong, made = np.sum(counts, axis=0)
    assert made > 5
    assert wrong == 0


@pytest.mark.parametrize(
    ("spec", "least"),
    [("auto", 0.999), ("cr", 0.999), ("equilibrium", 0.999), ("mccr", 0.9), ("oos", 0.9)],
)
def test_an_offer_that_nobody_should_make_is_answered_well(spec: str, least: float) -> None:
    """Nobody knows the card, and only one of 52 is the ace."""
    game, offer, not_the_ace = GuessTheAce(), 1, 1
    player = make_player(game, spec)
    player.start(game, 1, seed=1)
    decision = player.act(tuple(noticed(game, 1, (7, offer))), (0, not_the_ace), Budget(400))
    assert decision.policy[not_the_ace] > least


def test_it_is_seen_that_nothing_is_hidden() -> None:
    assert survey(Nim(9)).in_plain_sight
    assert survey(random_tree(1, 5, chance=0.2)).in_plain_sight
    assert not survey(Nim(9, is_told=False)).in_plain_sight  # in public


def test_no_won_position_of_nim_is_thrown_away() -> None:
    """Who leaves a multiple of four wins."""
    heap = 10
    for seed in range(4):
        players = [RandomPlayer(), RandomPlayer()]
        players[seed % 2] = make_player(Nim(heap), "auto")
        left = heap
        record = play_match(Nim(heap), players, seed, [Budget(iterations=400)] * 2)
        for number, taken in enumerate(record.moves):
            if number % 2 == seed % 2 and left % 4 != 0:
                assert (left - taken - 1) % 4 == 0
            left -= taken + 1


def test_states_from_here_on_are_solved_where_they_fit() -> None:
    """Nim of 300 sticks has few states, and more histories than anybody can count."""
    search = make_search(Nim(300), "auto", seed=1)
    assert isinstance(search, PlainChoice)
    search.start(0, 1)
    search.notice([])
    search.think(iterations=12_040)
    assert "all 600 states from here on were solved" in search.choice
    weights = search.weights()
    assert search.policy(3).tolist() == weights.values.tolist()
    assert weights.keys.tolist() == [search.instead.resolving.belief.information_key]
    assert search.thought()["states"] == 600
    other = search.branch([])
    assert other.thought()["states"] == 0
    other.think(iterations=20)
    assert "tree search, which, as nothing is hidden" in other.choice
    assert other.policy(3).sum() == pytest.approx(1.0)


def test_a_model_of_the_opponent_is_answered_in_plain_sight() -> None:
    search = make_search(Nim(8), "auto(opponent=uniform,safety=2)", seed=1)
    search.start(0, 1)
    search.notice([])
    search.think(iterations=4000)
    assert "the model of the opponent is answered" in search.choice


@pytest.mark.slow
def test_what_is_too_large_is_searched_as_a_tree() -> None:
    player = make_player(Nim(300), "auto")
    decision = play_match(
        Nim(300), [player, RandomPlayer()], 0, [Budget(iterations=20)] * 2
    ).decisions[0][0]
    assert "tree search, which, as nothing is hidden" in decision.choice
    assert decision.thought["fallback"] == 20
