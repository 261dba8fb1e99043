"""Rules of games, the base class of games, and the test that a game of your own keeps the laws."""

from hiddenhand.games.base import ALL_SEEING, CHANCE, SIMULTANEOUS, SPECTATOR, TERMINAL, Game
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.registry import game_names, game_spec, load_game
from hiddenhand.games.turn_based import TurnBased, as_sequential
from hiddenhand.games.validation.conformance import CheckReport, check
from hiddenhand.jit.random import below, uniform
from hiddenhand.jit.sampling import sample

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
