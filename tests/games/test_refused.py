"""Parameters that games refuse. The message names the value and what is allowed."""

import math
import re
from pathlib import Path
from typing import Any

import pytest

from hiddenhand.errors import GameError, ParameterError
from hiddenhand.games.registry import describe_games, load_game

LINES = (Path(__file__).parent / "refused.txt").read_text().splitlines()
CLASSES = {game.name: type(load_game(game.example)) for game in describe_games() if game.about}
"""The class of each game of the package, by name."""


def test_what_is_refused_by_name() -> None:
    for line in LINES:
        text, *parts = line.split(" => ")
        if parts:
            with pytest.raises(GameError) as refused:
                load_game(text)
            assert all(part in str(refused.value) for part in parts), line
            assert "\n" not in str(refused.value)


OBJECTS: list[tuple[str, dict[str, Any], str]] = [
    ("battleship", {"ships": (2, 0)}, "ships=(2, 0) is not allowed"),
    ("coordination_game", {"left": math.inf}, "left=inf is not allowed; give a finite number"),
    ("coordination_game", {"left": math.nan}, "left=nan is not allowed; give a finite number"),
    ("coordination_game", {"left": "x"}, "left='x' is not allowed; give a finite number"),
    ("matrix_game", {"payoffs": [[math.nan]]}, "payoffs=[[nan]] is not allowed; give rows"),
    ("oshi_zumo", {"min_bid": 0}, "use GeneralOshiZumo"),
    ("phantom_ttt", {"forced_wins": 1}, "forced_wins=1 is not allowed; give True or False"),
    ("tricks", {"trumps": 2}, "trumps=2 is not allowed; give True or False"),
]


@pytest.mark.parametrize(("name", "parameters", "said"), OBJECTS)
def test_what_a_class_refuses(name: str, parameters: dict[str, Any], said: str) -> None:
    """Values that names of games cannot have."""
    make = CLASSES[name]
    with pytest.raises(ParameterError, match=f"^{make.__name__}: .*{re.escape(said)}"):
        make(**parameters)
