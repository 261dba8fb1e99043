"""Searches whose iterations are divided into streams, by name."""

from collections.abc import Callable
from functools import cache
from typing import Any

from naive.joint_games import JointTree
from naive.small_games import small

from hiddenhand import ISMCTS, MCCR, OOS, SMMCTS, SMOOS, SmoothUCT, load_game
from hiddenhand.games.base import Game
from hiddenhand.search.auto.targeting import AimedOOS


@cache
def open_game() -> Game:
    return JointTree.from_game(load_game("goofspiel(num_cards=3)"))


SEARCHES: dict[str, Callable[..., Any]] = {
    "oos": lambda **more: OOS(small("IIGS(4)"), seed=3, **more),
    "oos baseline": lambda **more: OOS(small("IIGS(4)"), seed=3, baseline="set", **more),
    "ismcts": lambda **more: ISMCTS(small("IIGS(4)"), "rm", seed=3, **more),
    "smooth-uct": lambda **more: SmoothUCT(small("IIGS(4)"), seed=3, **more),
    "oos-aimed": lambda **more: AimedOOS(small("IIGS(4)"), seed=3, **more),
    "mccr": lambda **more: MCCR(small("IIGS(4)"), seed=3, mode="keep", **more),
    "smmcts": lambda **more: SMMCTS(open_game(), seed=3, **more),
    "smmcts duct": lambda **more: SMMCTS(open_game(), "duct", seed=3, **more),
    "sm-oos": lambda **more: SMOOS(open_game(), seed=3, **more),
}


def everything(search: Any) -> list[Any]:
    """What a search knows, to the last bit."""
    weights = search.weights()
    counters = search.resolver.counters if isinstance(search, MCCR) else search._counters
    return [weights.keys.tolist(), weights.values.tolist(), counters.tolist()]
