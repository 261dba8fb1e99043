"""Hiddenhand: games with hidden information, written as plain Python, searched at machine speed.

Names are loaded at their first use, so that importing the package (and ``hiddenhand --help``) stays
fast. `_PUBLIC` has the module of each name. A test compares it with the imports for type checkers.
"""

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any
from typing import Final as _Final

if _TYPE_CHECKING:
    from hiddenhand import errors as errors
    from hiddenhand.budget import Budget as Budget
    from hiddenhand.evaluation.evaluate import evaluate as evaluate
    from hiddenhand.evaluation.measurement import Evaluation as Evaluation
    from hiddenhand.evaluation.nash_conv import best_response as best_response
    from hiddenhand.evaluation.nash_conv import best_response_values as best_response_values
    from hiddenhand.evaluation.nash_conv import expected_values as expected_values
    from hiddenhand.evaluation.nash_conv import exploitability as exploitability
    from hiddenhand.evaluation.nash_conv import nash_conv as nash_conv
    from hiddenhand.evaluation.tracing import trace as trace
    from hiddenhand.games.base import CHANCE as CHANCE
    from hiddenhand.games.base import SIMULTANEOUS as SIMULTANEOUS
    from hiddenhand.games.base import TERMINAL as TERMINAL
    from hiddenhand.games.base import Game as Game
    from hiddenhand.games.history import History as History
    from hiddenhand.games.registry import game_names as game_names
    from hiddenhand.games.registry import load_game as load_game
    from hiddenhand.games.turn_based import TurnBased as TurnBased
    from hiddenhand.games.validation.conformance import check as check
    from hiddenhand.jit.tier_choice import use_tier as use_tier
    from hiddenhand.matches.match import MatchRecord as MatchRecord
    from hiddenhand.matches.match import play_match as play_match
    from hiddenhand.matches.ranking import TournamentRecord as TournamentRecord
    from hiddenhand.matches.ranking import play_tournament as play_tournament
    from hiddenhand.matches.tournament import Tournament as Tournament
    from hiddenhand.players.registry import make_player as make_player
    from hiddenhand.search.making import make_search as make_search
    from hiddenhand.search.resolving.exact import CR as CR
    from hiddenhand.search.resolving.external import ExternalMCCR as ExternalMCCR
    from hiddenhand.search.resolving.mccr import MCCR as MCCR
    from hiddenhand.search.result import SearchResult as SearchResult
    from hiddenhand.search.sampling.ismcts import ISMCTS as ISMCTS
    from hiddenhand.search.sampling.oos import OOS as OOS
    from hiddenhand.search.sampling.pimc import PIMC as PIMC
    from hiddenhand.search.sampling.smooth_uct import EFUCT as EFUCT
    from hiddenhand.search.sampling.smooth_uct import SmoothUCT as SmoothUCT
    from hiddenhand.search.simultaneous.double_oracle.search import DoubleOracle as DoubleOracle
    from hiddenhand.search.simultaneous.sm_mcts import SMMCTS as SMMCTS
    from hiddenhand.search.simultaneous.sm_oos import SMOOS as SMOOS
    from hiddenhand.search.solving import solve as solve
    from hiddenhand.search.training import train as train
    from hiddenhand.solvers.cfr import CFR as CFR
    from hiddenhand.solvers.general_sum import general_sum as general_sum
    from hiddenhand.solvers.mccfr import MCCFR as MCCFR
    from hiddenhand.solvers.solution import Solution as Solution
    from hiddenhand.trees.strategy import Strategy as Strategy
    from hiddenhand.trees.strategy_files import load_strategy as load_strategy
    from hiddenhand.trees.tree import GameTree as GameTree
    from hiddenhand.trees.unroll import unroll as unroll

_PUBLIC: _Final[dict[str, str]] = {
    "Budget": "budget",
    "CFR": "solvers.cfr",
    "CHANCE": "games.base",
    "CR": "search.resolving.exact",
    "DoubleOracle": "search.simultaneous.double_oracle.search",
    "EFUCT": "search.sampling.smooth_uct",
    "Evaluation": "evaluation.measurement",
    "ExternalMCCR": "search.resolving.external",
    "Game": "games.base",
    "GameTree": "trees.tree",
    "History": "games.history",
    "ISMCTS": "search.sampling.ismcts",
    "MCCFR": "solvers.mccfr",
    "MCCR": "search.resolving.mccr",
    "MatchRecord": "matches.match",
    "OOS": "search.sampling.oos",
    "PIMC": "search.sampling.pimc",
    "SIMULTANEOUS": "games.base",
    "SMMCTS": "search.simultaneous.sm_mcts",
    "SMOOS": "search.simultaneous.sm_oos",
    "SearchResult": "search.result",
    "SmoothUCT": "search.sampling.smooth_uct",
    "Solution": "solvers.solution",
    "Strategy": "trees.strategy",
    "TERMINAL": "games.base",
    "Tournament": "matches.tournament",
    "TournamentRecord": "matches.ranking",
    "TurnBased": "games.turn_based",
    "best_response": "evaluation.nash_conv",
    "best_response_values": "evaluation.nash_conv",
    "check": "games.validation.conformance",
    "evaluate": "evaluation.evaluate",
    "expected_values": "evaluation.nash_conv",
    "exploitability": "evaluation.nash_conv",
    "game_names": "games.registry",
    "general_sum": "solvers.general_sum",
    "load_game": "games.registry",
    "load_strategy": "trees.strategy_files",
    "make_player": "players.registry",
    "make_search": "search.making",
    "nash_conv": "evaluation.nash_conv",
    "play_match": "matches.match",
    "play_tournament": "matches.ranking",
    "solve": "search.solving",
    "trace": "evaluation.tracing",
    "train": "search.training",
    "unroll": "trees.unroll",
    "use_tier": "jit.tier_choice",
}
"""The public names, and the module of each. Errors are in `hiddenhand.errors`."""

__all__ = list(_PUBLIC)


def __getattr__(name: str) -> _Any:
    if name == "errors":
        return _importlib.import_module("hiddenhand.errors")
    where = _PUBLIC.get(name)
    if where is None:
        raise AttributeError(f"module 'hiddenhand' has no attribute {name!r}")
    value = getattr(_importlib.import_module(f"hiddenhand.{where}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
