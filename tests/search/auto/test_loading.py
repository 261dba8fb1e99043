"""Before its clock starts, `auto` has everything compiled, or loaded, that its moves need."""

import subprocess
import sys

import pytest

PROGRAM = """
import gc
import sys
from functools import partial
from numba.core.dispatcher import Dispatcher
from hiddenhand.games.history import History
from hiddenhand.games.registry import load_game
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.players.search_player import warm_up
from hiddenhand.search.making import make_search

def loaded():
    kernels = (d for d in gc.get_objects() if isinstance(d, Dispatcher) and d.stats.cache_path)
    return {kernel.__name__: len(kernel.overloads) for kernel in kernels}

game = TreeGame.from_game(load_game(sys.argv[1]))
make = partial(make_search, spec="auto", seed=1)
for seat in range(2):
    warm_up(make, game, seat)  # as a player does before a match
search, said, before = make(game), set(), loaded()
for seconds in (0.05, 0.0002):
    for seat in range(2):
        search.start(seat, 1)
        search.think(seconds=seconds)
        history, unheard = History(game), []
        while not history.is_terminal:
            if history.player == seat:
                search.notice(unheard, seconds)
                search.think(seconds=seconds)
                search.policy(len(history.legal_actions()))
                said.add(search.choice.split(" in ")[0])
                unheard = []
            history = history.child(history.legal_actions()[-1])
            if event := history.noticed(seat):
                unheard.append(event)
print(sorted(said))
print({name for name, count in loaded().items() if count > before.get(name, 0)} or "nothing")
"""


@pytest.mark.parametrize("game", ["IIGS(4)", pytest.param("IIGS(5)", marks=pytest.mark.thorough)])
def test_nothing_is_loaded_while_a_match_is_played(game: str) -> None:
    """The larger game is also resolved by sampling."""
    command = [sys.executable, "-c", PROGRAM, game]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    said, late = done.stdout.splitlines()
    assert "was written out" in said
    assert late == "nothing"
