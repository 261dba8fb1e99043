"""Training beside a match: a process of the lowest priority that trains the blueprint of a game in
the time that nothing else needs, for as long as this process lives.
"""

import os
import subprocess
import sys
from typing import Final, Self

from hiddenhand import clock
from hiddenhand.errors import HiddenhandError
from hiddenhand.games.registry import load_game
from hiddenhand.search.training import train
from hiddenhand.systems import (
    hear_interrupts,
    interrupt_child,
    interrupt_this_process,
    start_apart,
    when_parent_ends,
)
from hiddenhand.trees.blueprint import found_blueprint

FIRST: Final = 10.0
"""Seconds of the first part of a training."""
_LONGEST: Final = 600.0  # seconds between two times that it is written
_SHARE: Final = 0.05  # of the time, that may go into reading and writing
_GROWTH: Final = 2.0  # how many times longer each part of the training is than the one before
_PATIENCE: Final = 60.0  # seconds that a process has, to keep what it has found
_CODE: Final = """
from hiddenhand.systems import lower_priority
lower_priority()
from hiddenhand.search.background_training import train_for_parent
train_for_parent({parent}, {game!r}, {first})
"""


class QuietTraining:
    """Trains the blueprint that is kept for a game, until it is closed.

    game: the name of the game.
    first: the seconds after which there is a blueprint for the first time.
    """

    def __init__(self, game: str, first: float = FIRST) -> None:
        self.game = game
        command = [sys.executable, "-c", _CODE.format(parent=os.getpid(), game=game, first=first)]
        self._process = start_apart(command)  # Ctrl-C reaches only this process, which passes it on

    @property
    def trained(self) -> str:
        """How long the blueprint was trained, in words; empty as long as there is none."""
        found = found_blueprint(load_game(self.game))
        return "" if found is None else found[1].trained

    @property
    def is_alive(self) -> bool:
        """Whether the process trains. It ends for a game that cannot be trained."""
        return self._process.poll() is None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the training, and keep what it has found."""
        if self.is_alive:
            interrupt_child(self._process)
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def train_for_parent(parent: int, game: str, first: float) -> None:
    """Train the blueprint of a game for as long as the process ``parent`` lives, and keep what is
    found when it ends.
    """
    hear_interrupts()
    when_parent_ends(parent, interrupt_this_process)
    rules, seconds = load_game(game), first
    try:
        while True:
            began = clock.now()
            train(rules, seconds=seconds)
            around = clock.now() - began - seconds  # what reading and writing took
            seconds = min(max(_GROWTH * seconds, around / _SHARE), _LONGEST)
    except (KeyboardInterrupt, HiddenhandError):
        pass
