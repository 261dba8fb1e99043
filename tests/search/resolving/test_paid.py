"""Answers to models of the opponent in continual resolving: what they earn, and that they keep safe
from move to move.
"""

import re
from pathlib import Path

import numpy as np
import pytest

from hiddenhand.errors import FileError, OptionError
from hiddenhand.evaluation.evaluate import evaluate
from hiddenhand.evaluation.study import Evaluation
from hiddenhand.games.registry import load_game
from hiddenhand.search.algorithms import make_search
from hiddenhand.trees.profile import best_response, expected_values, normalised
from hiddenhand.trees.strategy import (
    Strategy,
    strategy_from_profile,
    strategy_from_weights,
)
from hiddenhand.trees.unroll import unroll


def stitched(game: str, search: str, iterations: int = 150) -> Evaluation:
    return evaluate(load_game(game), search, method="stitch-public", iterations=iterations)


def earned(found: Evaluation) -> float:
    assert found.against_random is not None
    return sum(found.against_random) / 2


@pytest.mark.parametrize("spec", ["cr", "auto"])
@pytest.mark.parametrize("game", ["Kuhn", "Leduc", "IIGS(4)"])
def test_no_more_is_lost_than_safety_says_in_a_whole_match(game: str, spec: str) -> None:
    iterations = 150 if spec == "cr" else 20_000
    plain = stitched(game, spec, iterations)
    for safety in (0.0, 0.05):
        found = stitched(game, f"{spec}(opponent=uniform,safety={safety})", iterations)
        assert found.nash_conv.value <= plain.nash_conv.value + 2 * safety + 0.02
        assert earned(found) > earned(plain) - 1e-6
    assert earned(found) > 1.02 * earned(plain)


def test_gifts_are_spent_and_no_more() -> None:
    plain, nothing, gifts = (
        stitched("Leduc", spec, 400)
        for spec in ("cr", "cr(opponent=uniform,safety=0)", "cr(opponent=uniform,safety=gifts)")
    )
    assert gifts.nash_conv.value <= 1.2 * plain.nash_conv.value
    assert earned(plain) < earned(nothing) < earned(gifts)


def test_trust_counts_once() -> None:
    """What a restricted Nash response loses in the whole game is not lost again at each move."""
    found = stitched("Leduc", "cr(opponent=uniform,trust=0.2)", 1000)
    assert earned(found) == pytest.approx(1.18, abs=0.03)
    assert found.nash_conv.value / 2 == pytest.approx(0.045, abs=0.01)


def test_a_file_is_a_model(tmp_path: Path) -> None:
    """Against a strategy that is far from uniform: nearly a best response where all may be lost."""
    game = load_game("Leduc")
    tree = unroll(game)
    rng = np.random.default_rng(5)
    model = normalised(tree, rng.random(tree.num_sequences) ** 6)
    strategy_from_profile(tree, model).save(tmp_path / "model")
    search = make_search("cr", game, opponent=str(tmp_path / "model"), safety=100.0)
    search.start(0, 1)
    search.think(iterations=300)
    found = strategy_from_weights(game, search.weights()).on(tree)
    profile = np.where(tree.sequence_player == 0, found, model)
    best = best_response(tree, model, 0).value
    assert expected_values(tree, profile)[0] > best - 0.1


def test_a_search_is_a_model() -> None:
    search = make_search("cr", "Kuhn", opponent="mccr", safety=0.1)
    search.think(iterations=20)
    assert search.choice == "the model of the opponent is answered"


def test_it_is_said_where_a_model_knows_nothing(tmp_path: Path) -> None:
    game = load_game("Kuhn")
    tree = unroll(game)
    whole = strategy_from_profile(tree, normalised(tree, np.ones(tree.num_sequences)))
    first = Strategy(whole.game, whole.keys[:5], whole.starts[:6], whole.probabilities[:10])
    search = make_search("cr", game, opponent=first)
    search.think(iterations=5)
    missing = int((~np.isin(tree.set_key[tree.sets_of(1)], first.keys)).sum())
    assert f"it says nothing in {missing} of 6 information sets" in search.choice
    auto = make_search("auto", game, opponent=first)
    auto.start(0, 0)
    auto.think(iterations=5000)
    assert f"it says nothing in {missing} of 6 information sets" in auto.choice
    assert "solved by" in auto.choice


def test_where_nothing_is_written_out_nothing_is_answered() -> None:
    search = make_search("auto", "LD(2,2,6)", opponent="uniform")
    search.start(0, 0)
    search.think(iterations=100)
    assert search.choice.endswith(
        "the model of the opponent is not answered, as nothing is written out"
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"opponent": "uniform", "trust": 1}, "trust=1.0 is not allowed; give a probability"),
        ({"opponent": "uniform", "trust": -0.1}, "trust=-0.1"),
        ({"opponent": "uniform", "safety": -1.0}, "safety=-1.0 is not allowed"),
        ({"opponent": "uniform", "safety": "much"}, "safety='much' is not allowed"),
        ({"opponent": "uniform", "trust": 0.1, "safety": 0.1}, "exclude each other"),
        ({"opponent": "nobody"}, "opponent='nobody' is no model of an opponent"),
        ({"opponent": "learned"}, "opponent='learned' is no model of an opponent"),
        ({"safety": 0.1}, "safety=0.1 says how a model of the opponent is used"),
        ({"trust": 0.1}, "trust=0.1 says how a model of the opponent is used"),
    ],
)
@pytest.mark.parametrize("spec", ["auto", "cr"])
def test_bad_models_are_refused(spec: str, wrong: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=re.escape(message)):
        make_search(spec, "Kuhn", **wrong)


def test_models_of_other_games_are_refused(tmp_path: Path) -> None:
    tree = unroll(load_game("Leduc"))
    model = strategy_from_profile(tree, normalised(tree, np.ones(tree.num_sequences)))
    model.save(tmp_path / "leduc")
    for opponent in (model, str(tmp_path / "leduc")):
        with pytest.raises(FileError, match="is for LeducPoker"):
            make_search("auto", "Kuhn", opponent=opponent)
    with pytest.raises(OptionError, match="in which only simultaneous moves are hidden"):
        make_search("auto", "goofspiel(num_cards=4)", opponent="uniform")
    with pytest.raises(OptionError, match="max_margin leaves nothing"):
        make_search("cr", "Kuhn", opponent="uniform", gadget="max_margin")
