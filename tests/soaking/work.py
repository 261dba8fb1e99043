"""Steps in this process, which lives as long as the soak: what leaks here shows in its memory."""

import random
from typing import Any

import numpy as np

from hiddenhand import load_strategy, make_search, nash_conv, play_match
from hiddenhand import solve as solve_game
from soaking.bench import Bench, contents, demand

_SEARCHES = ("oos", "oos(targeting=ist)", "mccfr", "ismcts", "smooth-uct")
_PLAYERS = ("oos", "ismcts", "mccfr", "pimc", "random", "oos(targeting=ist)")


def think(bench: Bench, chooser: random.Random) -> str:
    """A search that is saved and loaded on its way finds the same bits."""
    game, spec, seed = chooser.choice(bench.games), chooser.choice(_SEARCHES), chooser.randrange(99)
    parts = [chooser.randrange(1, 3000) for _ in range(chooser.randint(2, 4))]
    whole: Any = make_search(game, spec, seed=seed)
    whole.run(iterations=sum(parts))
    broken: Any = make_search(game, spec, seed=seed)
    file = bench.folder / "search"
    for part in parts:
        broken.run(iterations=part)
        broken.save(file)
        broken = type(broken).load(file, broken.game)
    whole.save(bench.folder / "whole")
    demand(contents(file) == contents(bench.folder / "whole"), f"{game} {spec}: saving changes it")
    demand(0.0 <= nash_conv(game, load_strategy(file)) < np.inf, f"{game} {spec}: no nash_conv")
    return f"{game} {spec}, {sum(parts)} iterations"


def play(bench: Bench, chooser: random.Random) -> str:
    """A match with the same seeds is the same match."""
    game = chooser.choice(bench.games)
    players = [chooser.choice(_PLAYERS) for _ in range(2)]
    seeds = {"seed": chooser.randrange(99), "chance_seed": chooser.randrange(99)}
    for _ in range(3):
        first, second = (play_match(game, players, iterations=300, **seeds) for _ in range(2))
        demand(first.moves == second.moves, f"{game} {players} {seeds}: {first} is not {second}")
        seeds["seed"] += 1
    return f"{game} {' '.join(players)}"


def solve(bench: Bench, chooser: random.Random) -> str:
    """An equilibrium is one, and CFR from a checkpoint continues as if it had never stopped."""
    game = chooser.choice(bench.games)
    exact = solve_game(game, "lp")
    demand(abs(exact.nash_conv) < 1e-6, f"{game}: nash_conv of lp is {exact.nash_conv}")
    file = bench.folder / "checkpoint"
    parts = [chooser.randrange(1, 200) for _ in range(3)]
    for part in parts:
        broken = solve_game(game, "cfr+", iterations=part, checkpoint=file)
    whole = solve_game(game, "cfr+", iterations=sum(parts))
    demand(np.array_equal(broken.profile, whole.profile), f"{game}: cfr+ in parts differs")
    return f"{game}, {sum(parts)} iterations"
