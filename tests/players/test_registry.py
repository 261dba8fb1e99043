"""Players as text: what it means, and what is said about text that means nothing."""

import pickle
from typing import Any

import pytest

from hiddenhand.errors import HiddenhandError, PlayerError
from hiddenhand.games.registry import load_game
from hiddenhand.players.fixed_policies import BestResponsePlayer, EquilibriumPlayer, RandomPlayer
from hiddenhand.players.human import HumanPlayer
from hiddenhand.players.registry import make_player, parse_spec
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.search.making import MakeSearch


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("random", "random"),
        (" Random() ", "random"),
        ("OOS( delta=0.9, targeting = ist )", "oos(delta=0.9,targeting=ist)"),
        ("oos(targeting='ist',delta=9e-1)", "oos(delta=0.9,targeting=ist)"),
        ("mccfr(iterations=1000)", "mccfr(iterations=1000)"),
        ("strategy(a folder/file (1).npz)", "strategy(a folder/file (1).npz)"),
        ("strategy('/tmp/file')", "strategy(/tmp/file)"),
        ("greedy(' \n\"file' ,x)", "greedy(file' ,x)"),
        ("smmcts(selector=rm)", "sm-mcts(selector=rm)"),
        ("SM_OOS", "sm-oos"),
        ("smoos", "sm-oos"),
        ("best-response( Equilibrium )", "best_response(equilibrium)"),
        ("best_response(best_response(random))", "best_response(best_response(random))"),
        (
            "ismcts(selector='true',flag=TRUE,nothing=none)",
            "ismcts(flag=True,nothing=None,selector='true')",
        ),
    ],
)
def test_text_is_written_in_one_way(text: str, canonical: str) -> None:
    assert str(parse_spec(text)) == canonical
    assert parse_spec(canonical) == parse_spec(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("random", RandomPlayer),
        ("equilibrium", EquilibriumPlayer),
        ("best_response(random)", BestResponsePlayer),
        ("human", HumanPlayer),
        ("oos(targeting=pst,delta=0.5,epsilon=1,gamma=0)", SearchPlayer),
        ("mccfr(epsilon=0.6)", SearchPlayer),
        ("ismcts(selector=rm,gamma=0.2,belief=uniform)", SearchPlayer),
    ],
)
def test_players_are_made(text: str, kind: type) -> None:
    assert isinstance(make_player(load_game("Kuhn"), text), kind)


def test_what_makes_a_search_travels_to_other_processes() -> None:
    make = MakeSearch("oos", (("delta", 0.5),))
    assert pickle.loads(pickle.dumps(make)) == make
    assert make(load_game("Kuhn")).settings.delta == 0.5


@pytest.mark.parametrize("name", [None, 3, ["random"]])
def test_a_name_is_a_text(name: Any) -> None:
    with pytest.raises(PlayerError, match="is not the name of a player; write it like random"):
        make_player("kuhn_poker", name)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not the name of a player; write it like random or oos"),
        ("oos(delta=0.9", "is not the name of a player"),
        ("oos)", "is not the name of a player"),
        ("oss", "did you mean oos?"),
        ("magic", "there is no player 'magic'; choose one of: auto, best_response, .*equilibrium"),
        ("random(seed=1)", "random has no parameters"),
        ("oos(0.9)", "cannot be read"),
        ("oos(**x)", "is not a value"),
        ("oos(delta=)", "cannot be read"),
        ("oos(delta=1,delta=1)", "cannot be read|given twice"),
        ("oos(delta=f(1))", "the value of 'delta' cannot be read"),
        ("oos(delta=[1])", "the value of 'delta' cannot be read"),
        ("oos(delt=1)", "oos has no parameter 'delt'; did you mean delta?"),
        ("oos(seed=1)", "has no parameter 'seed'"),
        ("mccfr(delta=1)", "mccfr has no parameter 'delta'"),
        ("oos(delta=much)", "delta='much' is not allowed; give a number"),
        ("oos(delta=true)", "delta=True is not allowed; give a number"),
        ("oos(targeting=1)", "targeting=1 is not allowed; give a word"),
        ("oos(iterations=0)", "iterations=0 is not allowed"),
        ("strategy", r"strategy needs a file; write it like strategy\(FILE\)"),
        ("strategy(/no/such/file)", "there is no file /no/such/file"),
        ("strategy(' ')", r"write it like strategy\(FILE\)"),
        ("best_response()", "best_response needs a player"),
        ("best_response(magic)", "there is no player 'magic'"),
        ("best_response(" * 1000 + "random" + ")" * 1000, "inside of 50 others"),
        ("oos(delta=" + "[" * 1000 + "]" * 1000 + ")", "nested more than 50 deep"),
        ("oos(delta=1e999)", "'1e999' is not a value"),
        ("x" * 100_000, "there is no player 'xxx"),
        ("oos(" + "x" * 100_000 + "=1)", "oos has no parameter 'xxx"),
    ],
)
def test_refusals(text: str, says: str) -> None:
    with pytest.raises(HiddenhandError, match=says) as refused:
        make_player(load_game("Kuhn"), text)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) <= 600
