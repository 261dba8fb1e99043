"""`auto` beside OpenSpiel's bot for games of hidden information, on OpenSpiel's own Leduc poker,
with OpenSpiel as the judge.

Usage: python -m studies.strength_openspiel [--seconds S] [--seeds N], in the root of the
repository. It needs the optional extra `peers` (OpenSpiel).

Both are asked afresh in each of the 936 information sets what they would play there, after thinking
for the same time; OpenSpiel computes the nash_conv of what comes out. Theirs is `ISMCTSBot`, by UCT
with random rollouts, its constant in units of the game's payoffs.
"""

import argparse
from typing import Any, Final

import numpy as np
from benchmarks.kept import Kept
from benchmarks.measuring import surroundings
from benchmarks.openspiel_tree import tree_of

from hiddenhand import make_search, unroll
from hiddenhand.games.history import Event, History

KEPT: Final = Kept.of(__file__)
GAME: Final = "leduc_poker"
TARGET: Final = 100.0
"""How many times lower ours has to be."""

Table = dict[str, list[tuple[int, float]]]


def ours(game: Any, seconds: float, seed: int) -> Table:
    """What `auto` plays, by OpenSpiel's information states."""
    tree = unroll(tree_of(game))
    search = make_search(tree.game, "auto", seed)
    table: Table = {}
    for number in range(tree.num_sets):
        history = tree.a_history_in(number)
        player, events, state = history.player, list[Event](), game.new_initial_state()
        followed = History(tree.game)
        for place in tree.path(_first(tree, number)):
            followed = followed.child(place)
            event = followed.noticed(player)
            events += [event] if event is not None else []
            state = state.child(_move(state, place))
        search.start(player, seed + number)
        search.notice(events)
        search.think(seconds=seconds)
        actions = state.legal_actions()
        table[state.information_state_string()] = list(
            zip(actions, search.policy(len(actions)).tolist(), strict=True)
        )
    return table


def theirs(game: Any, seconds: float, seed: int) -> Table:
    """What OpenSpiel's bot plays, by OpenSpiel's information states."""
    import pyspiel

    table: Table = {}
    waiting = [game.new_initial_state()]
    while waiting:
        state = waiting.pop()
        if state.is_terminal():
            continue
        if not state.is_chance_node():
            key = state.information_state_string()
            if key not in table:
                bot = pyspiel.ISMCTSBot(
                    seed + len(table),
                    pyspiel.RandomRolloutEvaluator(1, seed + len(table)),
                    2.0 * game.max_utility(),
                    10**8,
                    max_wall_clock_time=seconds,
                )
                policy, _ = bot.step_with_policy(state)
                table[key] = [(action, float(p)) for action, p in policy]
        waiting.extend(state.child(action) for action in state.legal_actions())
    return table


def judged(game: Any, table: Table) -> float:
    """nash_conv by OpenSpiel."""
    import pyspiel

    return float(pyspiel.nash_conv(game, pyspiel.TabularPolicy(table)))


def _first(tree: Any, number: int) -> int:
    """The first history of an information set."""
    return int(np.flatnonzero(tree.information_set == number)[0])


def _move(state: Any, place: int) -> int:
    """OpenSpiel's name of the move at a place among all that are possible."""
    moves = (
        [outcome for outcome, _ in state.chance_outcomes()]
        if state.is_chance_node()
        else state.legal_actions()
    )
    return int(moves[place])


def main() -> None:
    """Measure, print, keep."""
    import pyspiel

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=0.02)
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    game, rows = pyspiel.load_game(GAME), []
    for seed in range(arguments.seeds):
        row = {
            "auto": judged(game, ours(game, arguments.seconds, seed)),
            "OpenSpiel's bot": judged(game, theirs(game, arguments.seconds, seed)),
        }
        print(f"seed {seed}: " + ", ".join(f"{name} {value:.5f}" for name, value in row.items()))
        rows.append(row)
    ratio = float(np.median([row["OpenSpiel's bot"] / row["auto"] for row in rows]))
    met = "met" if ratio >= TARGET else "missed"
    print(f"median ratio {ratio:.0f}; target {TARGET:g}: {met}")
    found = {"seconds": arguments.seconds, "rows": rows, "ratio": ratio, "at": surroundings()}
    KEPT.write(found)


if __name__ == "__main__":
    main()
