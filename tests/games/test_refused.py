"""Parameters that games refuse. The message names the class, the value and what is allowed."""

import math
import re
from typing import Any

import pytest

from hiddenhand.errors import ParameterError
from hiddenhand.games.registry import describe_games, load_game

CLASSES = {game.name: type(load_game(game.example)) for game in describe_games() if game.about}
"""The class of each game of the package, by name."""
ROW = {"payoffs": [[1, 2]]}

REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("battleship", {"rows": 0}, "rows=0 is not allowed"),
    ("battleship", {"columns": 27}, "columns=27 is not allowed; give an integer from 1 to 26"),
    ("battleship", {"rows": 4, "columns": 4, "ships": "2", "shots": 17}, "integer from 0 to 16"),
    ("battleship", {"ships": ""}, "ships='' is not allowed; give the lengths of 1 to 26 ships"),
    ("battleship", {"ships": "2,x"}, "ships='2,x' is not allowed"),
    ("battleship", {"ships": (2, 0)}, "ships=(2, 0) is not allowed"),
    ("battleship", {"ships": None}, "ships=None is not allowed"),
    ("battleship", {"ships": (2.5,)}, "is not allowed"),
    ("battleship", {"rows": 4, "columns": 4, "ships": "5"}, "no room for ship 1, of length 5"),
    # the first may lie in the middle
    ("battleship", {"rows": 1, "columns": 4, "ships": "2,2"}, "no room for ship 2, of length 2"),
    ("battleship", {"rows": 2, "columns": 2, "ships": "1,1,1,1,1"}, "no room for ship 5, of"),
    ("coordination_game", {"left": math.inf}, "left=inf is not allowed; give a finite number"),
    ("coordination_game", {"left": math.nan}, "left=nan is not allowed; give a finite number"),
    ("coordination_game", {"left": "x"}, "left='x' is not allowed; give a finite number"),
    ("coordination_game", {"left": None}, "left=None is not allowed; give a finite number"),
    ("dark_hex", {"size": 0}, "size=0 is not allowed; give an integer from 1 to 26"),
    ("dark_hex", {"size": 27}, "size=27 is not allowed; give an integer from 1 to 26"),
    ("dark_hex", {"abrupt": 1}, "abrupt=1 is not allowed"),
    ("first_sealed_auction", {"players": 1}, "players=1 is not allowed; give an integer from 2"),
    ("first_sealed_auction", {"max_value": 0}, "max_value=0 is not allowed; give an integer from"),
    ("generic_poker", {"card_types": 1}, "card_types=1 is not allowed; give an integer from 2 to"),
    ("generic_poker", {"cards_per_type": 0}, "cards_per_type=0 is not allowed; give an integer"),
    ("generic_poker", {"max_raises": -1}, "max_raises=-1 is not allowed; give an integer from 0"),
    ("generic_poker", {"bet_sizes": 0}, "bet_sizes=0 is not allowed; give an integer from 1 to"),
    (
        "generic_poker",
        {"card_types": 2, "cards_per_type": 1},
        "card_types=2 with cards_per_type=1 is not allowed; give at least 3 cards in all",
    ),
    (
        "leduc_poker",
        {"max_raises": 0},
        "max_raises=0 is not allowed; give an integer from 1",
    ),
    ("leduc_poker", {"max_raises": 101}, "max_raises=101 is not allowed"),
    ("leduc_poker", {"max_raises": 1.5}, "max_raises=1.5 is not allowed"),
    ("leduc_poker", {"max_raises": True}, "max_raises=True is not allowed"),
    ("liars_dice", {"dice1": 0}, "dice1=0 is not allowed; give an integer from 1 to 100"),
    ("liars_dice", {"dice2": 101}, "dice2=101 is not allowed; give an integer from 1 to 100"),
    ("liars_dice", {"faces": 1}, "faces=1 is not allowed; give an integer from 2 to 100"),
    ("matrix_game", {"payoffs": [[1, 2], [3]]}, "[[1, 2], [3]] is not allowed; give rows of equal"),
    ("matrix_game", {"payoffs": [1, 2]}, "payoffs=[1, 2] is not allowed; give rows"),
    ("matrix_game", {"payoffs": []}, "payoffs=[] is not allowed; give rows"),
    ("matrix_game", {"payoffs": [["a"]]}, "payoffs=[['a']] is not allowed; give rows"),
    ("matrix_game", {"payoffs": [[math.nan]]}, "payoffs=[[nan]] is not allowed; give rows"),
    (
        "matrix_game",
        ROW | {"payoffs_1": [[1], [2]]},
        "payoffs_1 is (2, 1), but payoffs is (1, 2); give matrices of one shape",
    ),
    ("matrix_game", ROW | {"row_names": "a, b"}, "row_names='a, b' is not allowed; give 1 differ"),
    ("matrix_game", ROW | {"column_names": ["a", "A"]}, "is not allowed; give 2 different names"),
    ("matrix_game", ROW | {"column_names": ["a, b", "c"]}, "2 different names without commas"),
    ("matrix_tree", {"actions": 2, "depth": 2, "leaves": [1, 2, 3]}, "give 16 finite numbers"),
    ("matrix_tree", {"actions": 1, "depth": 1, "leaves": [math.nan]}, "give 1 finite numbers"),
    ("matrix_tree", {"actions": 1, "depth": 1, "leaves": "x"}, "leaves='x' is not allowed"),
    ("matrix_tree", {"actions": 0, "depth": 1, "leaves": []}, "actions=0 is not allowed"),
    ("oshi_zumo", {"coins": 0}, "coins=0 is not allowed; give an integer from 1"),
    ("oshi_zumo", {"size": 0}, "size=0 is not allowed; give an integer from 1"),
    ("oshi_zumo", {"coins": 50, "min_bid": 0}, "min_bid=0 is not allowed; give an integer from 1"),
    ("oshi_zumo", {"coins": 3, "min_bid": 4}, "min_bid=4 is not allowed; give an integer from 1"),
    ("phantom_ttt", {"forced_wins": 1}, "forced_wins=1 is not allowed; give True or False"),
    ("phantom_ttt", {"forced_center": "yes"}, "forced_center='yes' is not allowed; give True or"),
    ("pursuit_evasion", {"rows": 1}, "rows=1 is not allowed; give an integer from 2 to 26"),
    ("pursuit_evasion", {"columns": 27}, "columns=27 is not allowed; give an integer from 2 to 26"),
    ("pursuit_evasion", {"moves": 0}, "moves=0 is not allowed; give an integer from 1 to 1000"),
    (
        "pursuit_evasion",
        {"evader": "e1"},
        "evader='e1' is not allowed; give cells from a1 to d4",
    ),
    ("pursuit_evasion", {"evader": 3}, "evader=3 is not allowed; give cells from a1 to d4"),
    ("pursuit_evasion", {"evader": "a1 a2"}, "evader='a1 a2' is not allowed; give one cell"),
    ("pursuit_evasion", {"pursuers": ""}, "pursuers='' is not allowed; give cells from a1 to d4"),
    ("pursuit_evasion", {"pursuers": "d4"}, "pursuers='d4' is not allowed; give two cells"),
    (
        "pursuit_evasion",
        {"pursuers": "d4 a1"},
        "the evader and a pursuing unit both start on a1; choose different cells",
    ),
    ("pursuit_evasion", {"start_seed": -1}, "start_seed=-1 is not allowed; give an integer from 0"),
    (
        "pursuit_evasion",
        {"start_seed": 1, "evader": "a1"},
        "leave out evader and pursuers, or start_seed",
    ),
    ("random_game", {"actions": 0}, "actions=0 is not allowed; give an integer from 1 to 100"),
    ("random_game", {"depth": 0}, "depth=0 is not allowed; give an integer from 1"),
    ("random_game", {"seed": -1}, "seed=-1 is not allowed; give an integer from 0"),
    ("random_game", {"payoffs": "edges"}, "payoffs='edges' is not allowed; choose one of: steps"),
    ("random_game", {"sign": 1}, "is not allowed; give true or false"),
    ("random_game", {"payoffs": "leaves", "sign": True}, "sign=True with payoffs='leaves' is not"),
    ("tricks", {"suits": 0}, "suits=0 is not allowed"),
    ("tricks", {"players": 5}, "players=5 is not allowed; give an integer from 2 to 4"),
    ("tricks", {"suits": 5, "ranks": 13}, "suits=5 with ranks=13 is not allowed; give at most 62"),
    ("tricks", {"hand": 6}, "hand=6 for 3 players is not allowed; there are 15 cards"),
    ("tricks", {"trumps": 2}, "trumps=2 is not allowed; give True or False"),
    ("tron", {"rows": 1}, "rows=1 is not allowed; give an integer from 2 to 26"),
    ("tron", {"columns": 40}, "columns=40 is not allowed; give an integer from 2 to 26"),
    ("tron", {"obstacles": "n1"}, "obstacles='n1' is not allowed; give cells from a1 to m13, d"),
    ("tron", {"obstacles": 5}, "obstacles=5 is not allowed; give cells from a1 to m13"),
    (
        "tron",
        {"obstacles": "a1 b2"},
        "obstacles='a1 b2' block the rider on a1; leave both corners free, and a cell beside each",
    ),
    ("tron", {"obstacles": "m12 l13"}, "obstacles='m12 l13' block the rider on m13"),
]


@pytest.mark.parametrize(("name", "parameters", "said"), REFUSED)
def test_what_is_refused(name: str, parameters: dict[str, Any], said: str) -> None:
    make = CLASSES[name]
    with pytest.raises(ParameterError, match=f"^{make.__name__}: .*{re.escape(said)}"):
        make(**parameters)
