"""Hiddenhand: games in which players hide things from each other, written as plain Python, searched
at machine speed.

Names are loaded when first used, so that importing the package (and ``hiddenhand --help``) stays
fast.
"""

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if _TYPE_CHECKING:
    from hiddenhand.errors import HiddenhandError as HiddenhandError
    from hiddenhand.games.base import Game as Game
    from hiddenhand.games.history import History as History
    from hiddenhand.games.registry import load_game as load_game
    from hiddenhand.players.match import play_match as play_match
    from hiddenhand.players.ranking import TournamentRecord as TournamentRecord
    from hiddenhand.players.ranking import play_tournament as play_tournament
    from hiddenhand.players.specs import make_player as make_player
    from hiddenhand.search.joint.double_oracle.search import DoubleOracle as DoubleOracle
    from hiddenhand.search.joint.sm_mcts import SMMCTS as SMMCTS
    from hiddenhand.search.joint.sm_oos import SMOOS as SMOOS
    from hiddenhand.search.resolving.exact import CR as CR
    from hiddenhand.search.resolving.mccr import MCCR as MCCR
    from hiddenhand.search.sampling.ismcts import ISMCTS as ISMCTS
    from hiddenhand.search.sampling.oos import OnlineOutcomeSampling as OnlineOutcomeSampling
    from hiddenhand.search.sampling.pimc import PIMC as PIMC
    from hiddenhand.search.thinking import SearchResult as SearchResult
    from hiddenhand.states.induction import solve_by_induction as solve_by_induction
    from hiddenhand.trees.cfr import CFR as CFR
    from hiddenhand.trees.cfr import cfr as cfr
    from hiddenhand.trees.linear_program import solve_lp as solve_lp
    from hiddenhand.trees.mccfr import MCCFR as MCCFR
    from hiddenhand.trees.profile import best_response as best_response
    from hiddenhand.trees.profile import counterfactual_values as counterfactual_values
    from hiddenhand.trees.profile import expected_values as expected_values
    from hiddenhand.trees.profile import exploitability as exploitability
    from hiddenhand.trees.profile import nash_conv as nash_conv
    from hiddenhand.trees.profile import uniform_profile as uniform_profile
    from hiddenhand.trees.solution import Solution as Solution
    from hiddenhand.trees.strategy import Strategy as Strategy
    from hiddenhand.trees.strategy import load_strategy as load_strategy
    from hiddenhand.trees.strategy import strategy_from_profile as strategy_from_profile
    from hiddenhand.trees.tree import GameTree as GameTree
    from hiddenhand.trees.unroll import unroll as unroll

_HOME = {
    "CFR": "trees.cfr",
    "CR": "search.resolving.exact",
    "DoubleOracle": "search.joint.double_oracle.search",
    "Game": "games.base",
    "GameTree": "trees.tree",
    "HiddenhandError": "errors",
    "History": "games.history",
    "ISMCTS": "search.sampling.ismcts",
    "MCCFR": "trees.mccfr",
    "MCCR": "search.resolving.mccr",
    "OnlineOutcomeSampling": "search.sampling.oos",
    "PIMC": "search.sampling.pimc",
    "SMMCTS": "search.joint.sm_mcts",
    "SMOOS": "search.joint.sm_oos",
    "SearchResult": "search.thinking",
    "Solution": "trees.solution",
    "Strategy": "trees.strategy",
    "TournamentRecord": "players.ranking",
    "best_response": "trees.profile",
    "cfr": "trees.cfr",
    "counterfactual_values": "trees.profile",
    "expected_values": "trees.profile",
    "exploitability": "trees.profile",
    "load_game": "games.registry",
    "load_strategy": "trees.strategy",
    "make_player": "players.specs",
    "nash_conv": "trees.profile",
    "play_match": "players.match",
    "play_tournament": "players.ranking",
    "solve_by_induction": "states.induction",
    "solve_lp": "trees.linear_program",
    "strategy_from_profile": "trees.strategy",
    "uniform_profile": "trees.profile",
    "unroll": "trees.unroll",
}

__all__ = [
    "CFR",
    "CR",
    "DoubleOracle",
    "Game",
    "GameTree",
    "HiddenhandError",
    "History",
    "ISMCTS",
    "MCCFR",
    "MCCR",
    "OnlineOutcomeSampling",
    "PIMC",
    "SMMCTS",
    "SMOOS",
    "SearchResult",
    "Solution",
    "Strategy",
    "TournamentRecord",
    "best_response",
    "cfr",
    "counterfactual_values",
    "expected_values",
    "exploitability",
    "load_game",
    "load_strategy",
    "make_player",
    "nash_conv",
    "play_match",
    "play_tournament",
    "solve_by_induction",
    "solve_lp",
    "strategy_from_profile",
    "uniform_profile",
    "unroll",
]


def __getattr__(name: str) -> _Any:
    if name not in _HOME:
        raise AttributeError(f"module 'hiddenhand' has no attribute {name!r}")
    value = getattr(_importlib.import_module(f"hiddenhand.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_HOME)
