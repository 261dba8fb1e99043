"""A game of OpenSpiel written out as a `TreeGame`, node by node, so that both solve the same tree.

Run as a program, ``python -m benchmarks.openspiel_tree``, it checks that OpenSpiel's Leduc comes
out as published: 9,457 nodes, 936 information sets (it tells suits apart) and a nash_conv of
4.7472222 for uniform play.
"""

from typing import Any

import numpy as np

from hiddenhand import nash_conv, uniform_profile, unroll
from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.games.tree_game import TreeGame


def tree_of(game: Any) -> TreeGame:
    """``game``, a sequential ``pyspiel.Game`` with perfect recall, breadth first. Its information
    state strings become information sets.
    """
    states = [game.new_initial_state()]
    player, first_child, num_children, probability, names = [], [], [], [1.0], [""]
    numbers: dict[tuple[int, str], int] = {}
    information_set = []
    for state in states:  # grows while it is walked
        mover = (
            TERMINAL
            if state.is_terminal()
            else CHANCE
            if state.is_chance_node()
            else state.current_player()
        )
        moves = (
            []
            if mover == TERMINAL
            else state.chance_outcomes()
            if mover == CHANCE
            else [(action, 1.0) for action in state.legal_actions()]
        )
        player.append(mover)
        first_child.append(len(states))
        num_children.append(len(moves))
        information_set.append(
            numbers.setdefault((mover, state.information_state_string()), len(numbers))
            if mover >= 0
            else -1
        )
        for action, chance in moves:
            probability.append(chance)
            names.append(state.action_to_string(action))
            states.append(state.child(action))
    none = [0.0] * game.num_players()
    return TreeGame(
        player=np.array(player),
        first_child=np.array(first_child),
        num_children=np.array(num_children),
        probability=np.array(probability),
        information_set=np.array(information_set),
        utilities=np.array([state.returns() if state.is_terminal() else none for state in states]),
        move_names=names,
    )


def check_leduc() -> str:
    """Compare OpenSpiel's Leduc, written out, with what is known of it. Raises AssertionError if it
    differs.
    """
    import pyspiel

    game = pyspiel.load_game("leduc_poker")
    tree = unroll(tree_of(game))
    ours = nash_conv(tree, uniform_profile(tree))
    theirs = pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game))
    found = (tree.num_histories, tree.num_sets, round(ours, 7), round(theirs, 7))
    if found != (9457, 936, 4.7472222, 4.7472222):
        raise AssertionError(
            "OpenSpiel's Leduc was written out wrongly: nodes, information sets, our and their "
            f"nash_conv are {found}"
        )
    return (
        f"OpenSpiel's leduc_poker: {found[0]} nodes, {found[1]} information sets, nash_conv of "
        f"uniform play {ours:.7f} here and {theirs:.7f} there"
    )


if __name__ == "__main__":
    print(check_leduc())
