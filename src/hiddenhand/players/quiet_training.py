"""Training beside a match: a process of the lowest priority that trains the blueprint of a game in
the time that nothing else needs, for as long as this process lives.
"""

import os
import signal
import subprocess
import sys
import threading
from typing import Final, Self

from hiddenhand import clock
from hiddenhand.errors import HiddenhandError
from hiddenhand.games.registry import load_game
from hiddenhand.search.training import train
from hiddenhand.trees.blueprint import found_blueprint

FIRST: Final = 10.0
"""Seconds of the first part of a training."""
_LONGEST: Final = 600.0  # seconds between two times that it is written
_SHARE: Final = 0.05  # of the time, that may go into reading and writing
_GROWTH: Final = 2.0  # how many times longer each part of the training is than the one before
_LOOK: Final = 1.0  # seconds between looks at whether the parent lives
_PATIENCE: Final = 60.0  # seconds that a process has, to keep what it has found
_CODE: Final = """
import os
from hiddenhand.players.quiet_training import train_for_parent
if hasattr(os, "nice"):
    os.nice(19)
train_for_parent({parent}, {game!r}, {first})
"""


class QuietTraining:
    """Trains the blueprint that is kept for a game, until it is closed.

    game: the name of the game.
    first: the seconds after which there is a blueprint for the first time.
    """

    def __init__(self, game: str, first: float = FIRST) -> None:
        self.game = game
        nothing = subprocess.DEVNULL
        command = [sys.executable, "-c", _CODE.format(parent=os.getpid(), game=game, first=first)]
        # in a session of its own, so that Ctrl-C reaches only this process, which passes it on
        self._process = subprocess.Popen(
            command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True
        )

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
            self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def train_for_parent(parent: int, game: str, first: float) -> None:
    """Train the blueprint of a game for as long as the process ``parent`` lives, and keep what is
    found when it ends.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    rules, seconds = load_game(game), first
    try:
        while True:
            began = clock.now()
            train(rules, seconds=seconds)
            around = clock.now() - began - seconds  # what reading and writing took
            seconds = min(max(_GROWTH * seconds, around / _SHARE), _LONGEST)
    except (KeyboardInterrupt, HiddenhandError):
        pass


def _watch(parent: int) -> None:
    """Interrupt this process when its parent has ended."""
    while os.getppid() == parent:
        clock.sleep(_LOOK)
    os.kill(os.getpid(), signal.SIGINT)
