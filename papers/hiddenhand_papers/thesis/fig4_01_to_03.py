"""Figures 4.1 to 4.3 of Lisy's thesis: how large information sets are at each depth, and how many
of their actions an equilibrium plays.

Depth is the number of moves, those of chance included where chance really moves. (In the thesis
chance also turns the point cards of Goofspiel, whose order is known; here it does not.) The
pictures of the thesis are made of tiles, as dark as the share of the information sets of a depth
that have a size. Here a line shows the mean size, and another one the largest.

An information set of Phantom Tic-Tac-Toe has histories of several depths. The thesis takes the
depth of a random one of them, and here it is that of the first one in the order of a walk.

Supports are those of an equilibrium that a linear program finds. There are other equilibria, with
other supports. The program says nothing of a set that the player's own strategy never comes to, and
the thesis does not say what its pictures show there. So there are two readings: such sets are left
out, or they count as if all their actions were played.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.errors import TooLargeError
from hiddenhand.games.base import TERMINAL
from hiddenhand.jit.arrays import Flags, Floats, Integers, Keys
from hiddenhand.jit.history_step import advance, begin
from hiddenhand.jit.infoset_table import InformationSetTable, new_table, num_sets
from hiddenhand.jit.kernels import kernel
from hiddenhand.solvers.linear_program import solve_lp
from hiddenhand.statistics import Interval
from hiddenhand.trees.tree import GameTree
from hiddenhand_papers.experiment import Experiment, Results, Scale
from hiddenhand_papers.findings import Check, Curve, Findings, Plot
from hiddenhand_papers.measures import tree_of
from hiddenhand_papers.units import Result, Unit, game_called

_PLAYED: Final = 1e-6  # the least probability of an action that belongs to the support
_MOST_SETS: Final = 2_000_000
_COUNT, _FIRST, _LEAST, _LARGEST, _MOVER = range(5)  # what a row of the walk holds
_ROW: Final = 5
REACHED: Final = "sets that the own strategy reaches"
ALL: Final = "all sets, unreached ones playing everything"
_READINGS: Final = (REACHED, ALL)


@dataclass(frozen=True)
class SetSizes(Unit):
    """The sizes of all information sets, by a walk through every history.

    game: the name of a game without chance.

    The result has, for each player and depth, how many sets there are of each size; and how many
    sets have histories of different depths.
    """

    game: str

    def run(self) -> Result:
        """Walk."""
        table, histories = walk(game_called(self.game))
        rows = table.values[: num_sets(table) * _ROW].reshape(-1, _ROW).astype(np.int64)
        spread = int(np.sum(rows[:, _LEAST] < rows[:, _LARGEST]))
        return {
            "sizes": _tallied(rows[:, _MOVER], rows[:, _FIRST], rows[:, _COUNT]),
            "histories": histories,
            "sets": len(rows),
            "sets_of_several_depths": spread,
        }


@dataclass(frozen=True)
class SetShapes(Unit):
    """The sizes of all information sets, and the supports of an equilibrium, of a game that is
    written out.

    game: the name of the game.

    The result has, for each player and depth, how many sets there are of each size; for each
    reading, how many sets play each number of actions, how many have a choice, and how many of
    these play all actions; the most actions; and which depths are moves of chance.
    """

    game: str

    def run(self) -> Result:
        """Write the game out, and solve it."""
        tree = tree_of(self.game)
        depth = _depths(tree)
        sets = tree.information_set
        sizes = np.bincount(sets[sets >= 0], minlength=tree.num_sets)
        solved = solve_lp(tree)
        reached = _reached(tree, solved.profile)
        played = np.add.reduceat(solved.profile > _PLAYED, tree.set_start[:-1], dtype=np.int64)
        actions = np.diff(tree.set_start)
        mover = tree.set_player.astype(np.int64)
        chance = [
            level
            for level in range(len(tree.level_start) - 1)
            if tree.player[tree.level_start[level]] not in (*range(tree.num_players), TERMINAL)
        ]
        all_sets = np.where(reached, played, actions)
        chosen, everything = reached & (actions > 1), actions > 1
        return {
            "sizes": _tallied(mover, depth, sizes),
            REACHED: _tallied(mover[reached], depth[reached], played[reached])
            | {"mixed": int(np.sum((played == actions)[chosen])), "choices": int(np.sum(chosen))},
            ALL: _tallied(mover, depth, all_sets)
            | {
                "mixed": int(np.sum((all_sets == actions)[everything])),
                "choices": int(np.sum(everything)),
            },
            "most_actions": int(actions.max()),
            "chance_depths": chance,
            "nash_conv": float(solved.nash_conv),
        }


def _depths(tree: GameTree) -> Integers:
    """``int64[I]``: how many moves lead to the first history of each information set."""
    first = np.unique(tree.information_set, return_index=True)[1][-tree.num_sets :]
    return np.searchsorted(tree.level_start, first, side="right") - 1


def _reached(tree: GameTree, profile: Floats) -> Flags:
    """``bool[I]``: whether the player's own strategy comes to each information set."""
    own = np.ones(tree.num_sequences)
    for information_set in range(tree.num_sets):
        start, end = tree.set_start[information_set : information_set + 2]
        own[start:end] = own[tree.set_parent[information_set]] * profile[start:end]
    return np.asarray(own[tree.set_parent] > _PLAYED)


def _tallied(mover: Integers, depth: Integers, size: Integers) -> dict[str, Any]:
    """How often each size occurs, by player and depth: under the name "player depth" a list of
    sizes and counts.
    """
    found: dict[str, Any] = {}
    triples, counts = np.unique(np.stack([mover, depth, size]), axis=1, return_counts=True)
    for (player, level, this), count in zip(triples.T.tolist(), counts.tolist(), strict=True):
        found.setdefault(f"{player} {level}", []).append([this, count])
    return found


# --- a walk through every history ---


def walk(game: Any) -> tuple[InformationSetTable, int]:
    """All information sets of a game without chance, and how many histories there are. A row of the
    table has the number of histories in the set, the depth of the first one, the least and the
    largest depth, and who moves. Raises TooLargeError.
    """
    depths, width = game.max_depth + 1, game.max_actions
    table = new_table(per_action=0, per_set=_ROW, sets=_MOST_SETS, values=_ROW * _MOST_SETS)
    histories = _walk(
        game,
        table,
        np.zeros((depths, game.state_size), np.int64),
        np.zeros((depths, game.num_players + 1), np.uint64),
        np.zeros((depths, width), np.int64),
        np.zeros((depths, 3), np.int64),
        np.zeros(game.num_players + 1, np.int64),
    )
    if histories < 0:
        raise TooLargeError(f"{game} has more than {_MOST_SETS:,} information sets")
    return table, int(histories)


@kernel
def _walk(
    game: Any,
    table: InformationSetTable,
    states: Integers,
    keys: Keys,
    legal: Integers,
    stack: Integers,
    observations: Integers,
) -> int:
    """Depth first. Returns the number of histories, -1 if the table is full.

    states: ``int64[D, state_size]``, keys: ``uint64[D, P + 1]``, legal: ``int64[D, A]``, stack:
    ``int64[D, 3]``, room for each depth: the stack has who moves, how many actions there are, and
    how many were tried.
    """
    depth, histories, arrived = 0, 0, True
    begin(game, states[0], keys[0])
    while depth >= 0:
        if arrived:
            histories += 1
            mover = game.current_player(states[depth])
            if mover == TERMINAL:
                depth, arrived = depth - 1, False
                continue
            n = game.legal_actions(states[depth], mover, legal[depth])
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = mover, n, 0
            key = game.information(states[depth], mover, keys[depth, mover])
            row = table.find(key)
            if row < 0:
                if not table.has_room(1, 1):
                    return -1
                row = table.add(key, 0)
                table.values[row + _FIRST] = depth
                table.values[row + _LEAST] = depth
                table.values[row + _MOVER] = mover
            table.values[row + _COUNT] += 1.0
            table.values[row + _LEAST] = min(table.values[row + _LEAST], depth)
            table.values[row + _LARGEST] = max(table.values[row + _LARGEST], depth)
        tried = stack[depth, 2]
        if tried == stack[depth, 1]:
            depth, arrived = depth - 1, False
            continue
        stack[depth, 2] = tried + 1
        for index in range(states.shape[1]):
            states[depth + 1, index] = states[depth, index]
        for index in range(keys.shape[1]):
            keys[depth + 1, index] = keys[depth, index]
        advance(
            game,
            states[depth + 1],
            stack[depth, 0],
            legal[depth, tried],
            keys[depth + 1],
            observations,
        )
        depth, arrived = depth + 1, True
    return histories


# --- the experiments ---


@dataclass(frozen=True)
class Shapes(Experiment):
    """A figure of sizes and supports.

    unit: what measures them.
    """

    unit: Unit

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Experiment.units`: one unit at every scale."""
        yield self.unit

    def findings(self, results: Results) -> Findings:
        result = results.get(self.unit)
        if result is None:
            return Findings()
        plots = [_sizes_plot(result)]
        plots += [_supports_plot(result, reading) for reading in _READINGS if reading in result]
        checks = {"fig4.1": _goofspiel, "fig4.2": _phantom, "fig4.3": _poker}[self.item](result)
        return Findings(plots=tuple(plots), checks=tuple(checks))


def experiments() -> Iterator[Experiment]:
    """The experiments of this module."""
    title = "Sizes of information sets"
    once = "Everything is counted exactly; no search is run, and all scales are the same."
    yield Shapes(
        "thesis",
        "fig4.1",
        f"{title} and supports in II-Goofspiel(6)",
        (once,),
        SetShapes("IIGS0(6)"),
    )
    yield Shapes(
        "thesis",
        "fig4.2",
        f"{title} in Phantom Tic-Tac-Toe with forced first moves",
        (once,),
        SetSizes("phantom_ttt(forced_center=true)"),
    )
    yield Shapes(
        "thesis",
        "fig4.3",
        f"{title} and supports in Generic Poker(3,3,2,2)",
        (once,),
        SetShapes("GP(3,3,2,2)"),
    )


def _exactly(value: float) -> Interval:
    return Interval(value, value, value)


def _by_depth(tallies: dict[str, Any], player: int) -> dict[int, list[list[int]]]:
    split = {tuple(map(int, key.split())): value for key, value in tallies.items() if " " in key}
    return {depth: value for (who, depth), value in sorted(split.items()) if who == player}


def _mean(tally: list[list[int]]) -> float:
    return sum(size * count for size, count in tally) / sum(count for _, count in tally)


def _sizes_plot(result: Result) -> Plot:
    curves: list[Curve] = []
    for player in range(2):
        tallies = _by_depth(result["sizes"], player)
        means = [(float(depth), _exactly(_mean(tally))) for depth, tally in tallies.items()]
        largest = [(float(depth), _exactly(max(tally)[0])) for depth, tally in tallies.items()]
        curves += [
            Curve(f"player {player + 1}, mean", tuple(means)),
            Curve(f"player {player + 1}, largest", tuple(largest)),
        ]
    return Plot(
        "sizes",
        "Sizes of information sets",
        "depth in moves",
        "histories in the information set",
        tuple(curves),
        log_x=False,
    )


def _supports_plot(result: Result, reading: str) -> Plot:
    tallies = [_by_depth(result[reading], player) for player in range(2)]
    largest = max(size for of in tallies for tally in of.values() for size, _ in tally)
    curves: list[Curve] = []
    for support in range(1, largest + 1):
        points = {
            depth: sum(count for size, count in tally if size == support)
            / sum(count for _, count in tally)
            for of in tallies
            for depth, tally in of.items()
        }
        line = tuple((float(depth), _exactly(share)) for depth, share in sorted(points.items()))
        curves.append(
            Curve(f"{support} actions played" if support > 1 else "1 action played", line)
        )
    name = "supports" if reading == REACHED else "supports-all"
    return Plot(
        name,
        f"Supports in an equilibrium: {reading}",
        "depth in moves",
        "share of the information sets",
        tuple(curves),
        log_x=False,
        log_y=False,
    )


# --- what the text says ---


def _goofspiel(result: Result) -> list[Check]:
    means = [_by_depth(result["sizes"], player) for player in range(2)]
    rounds = list(zip(*(of.items() for of in means), strict=True))
    larger = sum(_mean(second) > _mean(first) for (_, first), (_, second) in rounds)
    first_check = Check(
        "second-player-larger",
        2 * larger > len(rounds),
        f"the mean size is larger for the second player in {larger} of {len(rounds)} rounds",
    )
    return [first_check, *(check for reading in _READINGS for check in _mixing(result, reading))]


def _mixing(result: Result, reading: str) -> list[Check]:
    own = [_by_depth(result[reading], player) for player in range(2)]
    per_round = [
        (_mean(first), _mean(second))
        for (_, first), (_, second) in zip(*(of.items() for of in own), strict=True)
    ]
    apart = max(abs(first - second) for first, second in per_round)
    mixed, choices = result[reading]["mixed"], result[reading]["choices"]
    return [
        Check(
            "supports-alike",
            apart <= 0.5,
            f"mean supports of the two players differ by at most {apart:.2f} actions in a round",
            reading,
        ),
        Check(
            "most-sets-mix-all",
            2 * mixed > choices,
            f"all actions are played in {mixed / choices:.0%} of the {choices:,} information "
            "sets that have a choice",
            reading,
        ),
    ]


def _phantom(result: Result) -> list[Check]:
    spread, sets = result["sets_of_several_depths"], result["sets"]
    tallies = [tally for of in result["sizes"].values() for tally in of]
    largest = max(size for size, _ in tallies)
    small = sum(count for size, count in tallies if size == 1) / sets
    return [
        Check(
            "sets-span-depths",
            spread > 0,
            f"{spread:,} of {sets:,} information sets hold histories of different depths",
        ),
        Check(
            "sets-are-large",
            largest > 1000 and small < 0.5,
            f"the largest has {largest:,} histories, the mean {_mean(tallies):,.0f}, and "
            f"{small:.1%} have one only",
        ),
    ]


def _poker(result: Result) -> list[Check]:
    sizes = {size for of in result["sizes"].values() for size, _ in of}
    first = result["chance_depths"][:2]
    return [
        Check("all-sets-of-size-3", sizes == {3}, f"sizes that occur: {sorted(sizes)}"),
        Check(
            "at-most-4-actions",
            result["most_actions"] <= 4,
            f"the most actions are {result['most_actions']}",
        ),
        Check("chance-twice-at-first", first == [0, 1], f"the first moves of chance: {first}"),
        *(_spread(result, reading) for reading in _READINGS),
    ]


def _spread(result: Result, reading: str) -> Check:
    shares: dict[int, int] = {}
    for player in range(2):
        for tally in _by_depth(result[reading], player).values():
            for size, count in tally:
                shares[size] = shares.get(size, 0) + count
    total = sum(shares.values())
    told = ", ".join(f"{size}: {count / total:.0%}" for size, count in sorted(shares.items()))
    often = sum(count >= 0.1 * total for count in shares.values())
    return Check("supports-spread", often >= 3, f"shares of the sizes of supports: {told}", reading)
