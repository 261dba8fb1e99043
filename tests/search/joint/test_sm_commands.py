"""The searches of simultaneous moves on the command line and as players."""

from pathlib import Path

import pytest
from typing_commands import Typed

from hiddenhand.errors import HiddenhandError
from hiddenhand.games.registry import load_game
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.players.specs import make_player
from hiddenhand.search.joint.sm_mcts import SMMCTS
from hiddenhand.search.joint.sm_oos import SMOOS

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


def test_a_file_is_a_strategy_and_goes_on(typed: Typed, tmp_path: Path) -> None:
    file = str(tmp_path / "search")
    search = f"search {GAME} sm-oos --iterations 5000"
    searched = typed.json(f"{search} --nash-conv --out", file)
    measured = typed.json(f"nash-conv {GAME} --strategy", file)
    assert measured["nash_conv"] == pytest.approx(searched["nash_conv"])
    assert typed.json(f"{search} --resume", file)["iterations"] == 10_000


def test_measured_and_played(typed: Typed) -> None:
    found = typed.json(
        "evaluate", GAME, "smmcts(selector=rm)", "--method", "root", "--iterations", "4000"
    )
    assert found["nash_conv"] < 1.0
    status, out, _ = typed(
        "match",
        GAME,
        "smmcts(selector=duct)",
        "smoos(carry=true)",
        "--matches",
        "4",
        "--iterations",
        "200",
    )
    assert status == 0
    assert "smoos" in out


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("IIGS(4) smmcts", "hides more than what is chosen at the same moment"),
        ("Kuhn sm-oos", "has no simultaneous moves"),
        (f"{GAME} sm-oos -p selector=rm", "sm-oos has no parameter 'selector'"),
        (f"{GAME} oos -p propagate=means", "oos has no parameter 'propagate'"),
        (f"{GAME} smmcts -p selector=uct", "there is no selection rule 'uct'"),
        ("biased_rps(1) smmcts -p evaluation=true", "has no evaluation function"),
    ],
)
def test_bad_input(typed: Typed, command: str, says: str) -> None:
    assert says in typed.refused(f"search {command} --iterations 10")


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
