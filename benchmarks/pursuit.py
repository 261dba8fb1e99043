"""How fast pursuit with limited sight is, on one thread: `python -m benchmarks.pursuit`.

Each figure is beside the goal and, where there is one, the figure of Lisy's thesis (2014, pages 105
to 108; "Intel Core i7 CPU @ 2.80GHz"). Times are processor time, so other programs disturb little.

From these figures follows how long the experiments of `hiddenhand experiment run pursuit --scale
paper` take, which is told, too.

--seconds: processor time for each figure.
--positions: how many positions alpha-beta is timed in, for each map.
--docs: write the figures into docs/pursuit.md.
"""

import argparse
import time
from collections.abc import Iterator
from datetime import date
from typing import Any

import numpy as np

from benchmarks.kept import heading, row, write_section
from hiddenhand import History, load_game, make_search
from hiddenhand.games.history import Event
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.kernels import kernel
from hiddenhand_papers.experiment import PAPER
from hiddenhand_papers.play import Contestant
from hiddenhand_papers.pursuit.chases import Chases
from hiddenhand_papers.pursuit.experiments import experiments
from hiddenhand_papers.pursuit.times import DepthTimes
from hiddenhand_papers.pursuit.ways import ITERATIONS, SECOND, SHORT

PAGE = "docs/pursuit.md"
MAPS = ("town465", "maze50x49")
SPEEDS = (
    # search, goal, thesis, both in iterations a second
    ("istmcts(simulation=random)", 50_000, 5_000),
    ("istmcts(simulation=heavy)", 10_000, 600),
    ("istmcts(simulation=rla)", None, None),
    ("mo", 100_000, 20_867),
    ("mo(playout=informed)", None, 20_496),
)
DEPTH = 8
DEPTHS = (3, 6)  # of MM in the experiments
CORES = 2  # that the experiments are reckoned for
LIMIT = 20.0  # seconds after which a search is given up, and counts as above 10 s
Costs = dict[tuple[str, str], float]
"""By map and search, seconds for an iteration; for MM, by map and depth, seconds for a search."""


@kernel
def spread_often(terrain: Any, nodes: Any, room: Any, times: int) -> int:
    """Spread a set again and again, and return the size of the last one."""
    for _ in range(times):
        terrain.spread(nodes, room)
    return terrain.size(room)


def positions(name: str, seat: int, seed: int) -> Iterator[tuple[Any, list[Event]]]:
    """Every fifth decision of ``seat`` in a match between rules: the game, and what was noticed."""
    from hiddenhand.players.registry import make_player

    game = as_sequential(load_game(f"VP(map={name})"))
    players = [make_player(game, "runner"), make_player(game, "chaser")]
    for place, player in enumerate(players):
        player.start(game, place, seed)
    random, history = np.random.default_rng(seed), History(game)
    noticed: list[list[Event]] = [[], []]
    fresh: list[list[Event]] = [[], []]
    decisions = 0
    while not history.is_terminal:
        mover = history.player
        if mover < 0:
            move = history.sample_chance(random)
        else:
            if mover == seat:
                decisions += 1
                if decisions % 5 == 0:
                    yield game, list(noticed[seat])
            move = players[mover].act(fresh[mover], history.legal_actions(), None).action
            fresh[mover] = []
        history = history.child(move)
        for player in range(2):
            if event := history.noticed(player):
                noticed[player].append(event)
                fresh[player].append(event)


def timed_spread(name: str) -> float:
    """Microseconds for a step of PP from a set of 200 nodes around the middle of a map."""
    terrain = load_game(f"VP(map={name})").terrain
    middle = int(np.argmin(terrain.eccentricity))
    order = np.argsort(terrain.distance[middle], kind="stable")[:200]
    nodes, room = (np.zeros(terrain.num_words, np.int64) for _ in range(2))
    for node in order:
        nodes[terrain.bit[node] // 62] |= 1 << (terrain.bit[node] % 62)
    spread_often(terrain, nodes, room, 1)
    times = 200_000
    began = time.process_time()
    spread_often(terrain, nodes, room, times)
    return (time.process_time() - began) / times * 1e6


def speed(name: str, spec: str, seconds: float) -> float:
    """Iterations of a search a second, for the pursuers, over positions of one match."""
    made = spent = 0.0
    for game, events in positions(name, 1, 0):
        search: Any = make_search(game, spec, 0)
        search.start(1, 0)
        search.notice(events)
        search.think(iterations=1)
        began = time.process_time()
        search.think(iterations=5000)
        spent += time.process_time() - began
        made += 5000
        if spent > seconds:
            break
    return made / spent


def depth_times(name: str, depth: int, count: int) -> list[float]:
    """Seconds of alpha-beta of a depth for the pursuers in each of some positions."""
    taken: list[float] = []
    seed = 0
    while len(taken) < count:
        for game, events in positions(name, 1, seed):
            search: Any = make_search(game, "istminimax", 0, depth=depth, deepest=depth)
            search.start(1, 0)
            search.notice(events)
            began = time.process_time()
            while search.depth_reached < depth and time.process_time() - began < LIMIT:
                search.think(iterations=200_000)
                if search.is_exact:
                    break
            taken.append(time.process_time() - began)
            if len(taken) == count:
                break
        seed += 1
    return taken


def rows(seconds: float, positions: int, costs: Costs) -> Iterator[tuple[str, ...]]:
    """A row of the table for each figure, as it is found. The figures are put into ``costs``."""
    for name in MAPS:
        step = timed_spread(name)
        yield name, "a step of PP, 200 nodes", f"{step:.3f} µs", "0.3 µs on 50 x 49", ""
        for spec, goal, thesis in SPEEDS:
            a_second = speed(name, spec, seconds)
            costs[name, spec] = 1 / a_second
            found = f"{a_second:,.0f} iterations/s"
            wanted, printed = (f"{n:,}" if n else "" for n in (goal, thesis))
            yield name, f"`{spec}`", found, wanted, printed
        for depth in DEPTHS:
            costs[name, str(depth)] = float(np.mean(depth_times(name, depth, positions)))
        taken = np.array(depth_times(name, DEPTH, positions))
        costs[name, str(DEPTH)] = float(np.mean(taken))
        within, above = np.mean(taken <= 1.0), np.mean(taken > 10.0)
        found = f"{within:.0%} within 1 s, {above:.0%} above 10 s, median {np.median(taken):.2f} s"
        what = f"alpha-beta of depth {DEPTH}, {taken.size} positions"
        yield name, what, found, "95% within 1 s", "over half within 1 s"


def full_size(costs: Costs) -> Iterator[tuple[str, str, str]]:
    """For each way to run the experiments, how many matches the scale ``paper`` has, and how long
    they take. The random game and the small games, which take minutes, are left out.
    """
    units = {unit for experiment in experiments() for unit in experiment.units(PAPER)}
    matches = dict.fromkeys((SHORT, SECOND, ITERATIONS, "Fig. 5.4"), 0)
    seconds = dict.fromkeys(matches, 0.0)
    for unit in units:
        name = next((kind for kind in MAPS if f"map={kind}" in str(unit)), "")
        if isinstance(unit, DepthTimes):
            way, moves = "Fig. 5.4", 100
            a_move = costs[name, str(DEPTH)]  # what SO and MO think is little beside that
        elif isinstance(unit, Chases) and name:
            players = (unit.evader, unit.pursuers)
            a_move = sum(_a_move(player, name, costs) for player in players)
            way = SECOND if unit.evader.seconds else ITERATIONS
            if "moves=30" in unit.game:
                way = SHORT
            moves = 30 if way == SHORT else 100
        else:
            continue
        matches[way] += 1
        seconds[way] += moves * a_move
    for way, count in matches.items():
        yield way, f"{count:,}", f"{seconds[way] / CORES / 3600:,.1f} hours"


def _a_move(player: Contestant, name: str, costs: Costs) -> float:
    """Seconds that a player takes for a move."""
    if player.seconds:
        return player.seconds
    if player.player.startswith("istminimax"):
        return costs[name, player.player.rpartition("=")[2].rstrip(")")]
    words = ("heavy", "random") if player.player.startswith("istmcts") else ("informed",)
    usual = "istmcts(simulation=rla)" if player.player.startswith("istmcts") else "mo"
    kinds = {"heavy": SPEEDS[1][0], "random": SPEEDS[0][0], "informed": SPEEDS[4][0]}
    kind = next((kinds[word] for word in words if word in player.player), usual)
    return player.iterations * costs[name, kind]


def main() -> None:
    """Print all figures as a table, and write them into the page about pursuit if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--positions", type=int, default=40)
    parser.add_argument("--docs", action="store_true", help=f"write them into {PAGE}")
    given = parser.parse_args()
    table = heading(["map", "", "ours", "goal", "thesis"])
    print("\n".join(table))
    costs: Costs = {}
    for cells in rows(given.seconds, given.positions, costs):
        table.append(row(cells))
        print(table[-1], flush=True)
    full = [*heading(["", "matches", f"on {CORES} cores"]), *map(row, full_size(costs))]
    print("\n".join(full))
    if given.docs:
        when = (
            f"Measured on {date.today():%Y-%m-%d}, on a machine that other programs used as well."
        )
        write_section(PAGE, "speeds", [when, "", *table])
        write_section(PAGE, "full size", full)


if __name__ == "__main__":
    main()
