"""Rules of games, the base class of games, and the test that a game of your own keeps the laws."""

from hiddenhand.compiled.draws import sample
from hiddenhand.compiled.random import below, uniform
from hiddenhand.games.base import ALL_SEEING, CHANCE, SIMULTANEOUS, SPECTATOR, TERMINAL, Game
from hiddenhand.games.checking.conformance import CheckReport, check
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.registry import game_names, game_spec, load_game
from hiddenhand.games.turn_based import TurnBased, as_sequential

__all__ = [
    "ALL_SEEING",
    "CHANCE",
    "CheckReport",
    "Game",
    "History",
    "SIMULTANEOUS",
    "SPECTATOR",
    "TERMINAL",
    "TurnBased",
    "all_histories",
    "as_sequential",
    "below",
    "check",
    "game_names",
    "game_spec",
    "load_game",
    "sample",
    "uniform",
]
