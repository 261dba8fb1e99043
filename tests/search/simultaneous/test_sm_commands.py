"""The searches of simultaneous moves on the command line and as players."""

import pytest
from typing_commands import Typed

from hiddenhand.errors import HiddenhandError
from hiddenhand.games.registry import load_game
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.players.registry import make_player
from hiddenhand.search.simultaneous.sm_mcts import SMMCTS
from hiddenhand.search.simultaneous.sm_oos import SMOOS

GAME = "goofspiel(num_cards=3)"


@pytest.mark.parametrize(
    ("spec", "traversals"),
    [
        ("sm-oos(epsilon=0.5)", 2),
        ("sm-mcts(selector=rm,gamma=0.05,propagate=means)", 1),
        ("sm-mcts(selector=duct,evaluation=true)", 1),
    ],
)
def test_search(typed: Typed, spec: str, traversals: int) -> None:
    found = typed.json(f"search {GAME} {spec} --iterations 20000 --nash-conv")
    assert found["algorithm"] == spec
    assert found["traversals"] == traversals * found["iterations"] == traversals * 20_000
    assert found["nash_conv"] < 0.3
    (first,) = found["root_strategy"]
    assert first["known"]
    assert sum(first["probabilities"].values()) == pytest.approx(1.0)


def test_parameters_reach_the_search() -> None:
    game = as_sequential(load_game(GAME))
    duct = make_player(game, "smmcts(selector=duct,move=max,exploration=1)")
    duct.start(game, 0, 0)
    assert isinstance(duct.search, SMMCTS)
    assert (duct.search.settings.move, duct.search.selector.rule.exploration) == ("max", 1.0)
    oos = make_player(game, "smoos(carry=true)")
    oos.start(game, 1, 0)
    assert isinstance(oos.search, SMOOS)
    assert (oos.search.settings.carry, oos.search.settings.epsilon) == (True, 0.6)
    with pytest.raises(HiddenhandError, match="did you mean propagate"):
        make_player(game, "smmcts(propagat=means)")
