"""Pages of a table for tests: they keep what they are sent, and wait for what is to come."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History
from hiddenhand.web.catalogue import loaded
from hiddenhand.web.setup import PERSON, Seat, Setup
from hiddenhand.web.store import Store
from hiddenhand.web.table import Table
from hiddenhand.web.views import Onlooker

PATIENCE = 30.0


class KeptFrames:
    """A page that keeps its frames."""

    def __init__(self, onlooker: Onlooker) -> None:
        self.onlooker = onlooker
        self.frames: list[dict[str, Any]] = []
        self._came = threading.Condition()

    def send(self, frame: dict[str, Any]) -> None:
        with self._came:
            self.frames.append(frame)
            self._came.notify_all()

    def wait_for(self, wanted: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """The last frame, once it is as ``wanted``; earlier ones of the same type are outdated."""
        found: list[dict[str, Any]] = []

        def has_come() -> bool:
            newest = {frame["type"]: frame for frame in self.frames}
            found[:] = [frame for frame in newest.values() if wanted(frame)]
            return bool(found)

        with self._came:
            assert self._came.wait_for(has_come, PATIENCE), self.frames[-3:]
        return found[0]

    def wait_for_turn(self, turn: int) -> dict[str, Any]:
        return self.wait_for(lambda frame: frame.get("mine") and frame["turn"] == turn)

    def wait_for_end(self) -> dict[str, Any]:
        return self.wait_for(lambda frame: frame["type"] == "view" and frame["over"])


def setup_of(game: str, players: Sequence[str], chance_seed: int = 1) -> Setup:
    seats = tuple(
        Seat(player, f"token{seat}" if player == PERSON else "")
        for seat, player in enumerate(players)
    )
    return Setup(game, seats, 0.05, 7, chance_seed)


def table_of(setup: Setup, **more: Any) -> tuple[Table, list[dict[str, Any]]]:
    """A table, and the events that it writes."""
    events: list[dict[str, Any]] = []
    return Table("place", setup, loaded(setup.game), events.append, **more), events


def play_script(table: Table, pages: Sequence[KeptFrames], moves: Sequence[int]) -> None:
    """People make ``moves``, of which chance makes its own."""
    history = History(table.game)
    for move in moves:
        if history.player != CHANCE:
            page = pages[history.player]
            turn = history.movers.count(history.player)
            page.wait_for_turn(turn)
            table.act(history.player, turn, move)
        history = history.child(move)


def random_play(game: Game, random: Any, most: int = 200) -> History:
    """A match at random, to its end."""
    history = History(game)
    while not history.is_terminal and len(history.moves) < most:
        at_chance = history.player == CHANCE
        move = (
            history.sample_chance(random)
            if at_chance
            else int(random.choice(history.legal_actions()))
        )
        history = history.child(move)
    return history


def agreeing_histories(game: Game, seat: int, count: int) -> list[tuple[History, History]]:
    """Pairs of different histories that are one for ``seat``, who is to move, the longest first."""
    random = np.random.default_rng(3)
    alike: defaultdict[int, list[History]] = defaultdict(list)
    for _ in range(150):
        history = History(game)
        for move in random_play(game, random).moves:
            if history.player == seat:
                alike[history.key(seat)].append(history)
            history = history.child(move)
    pairs = []
    for group in alike.values():
        other = next((one for one in group if one.moves != group[0].moves), None)
        if other is not None:
            pairs.append((group[0], other))
    pairs.sort(key=lambda pair: -len(pair[0].moves))
    return pairs[:count]


def store_in(folder: Path) -> Store:
    return Store(folder / "tables.sqlite")


def wait_until(wanted: Callable[[], Any]) -> None:
    began = time.monotonic()
    while not wanted():
        assert time.monotonic() - began < PATIENCE
        time.sleep(0.005)
