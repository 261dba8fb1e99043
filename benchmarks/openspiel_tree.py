"""A game of OpenSpiel written out as a `TreeGame`, node by node, so that both solve the same tree.

Run as a program, ``python -m benchmarks.openspiel_tree``, it checks that OpenSpiel's Leduc comes
out as published: 9,457 nodes, 936 information sets (it tells suits apart) and a nash_conv of
4.7472222 for uniform play.
"""

from typing import Any

from hiddenhand import nash_conv, unroll
from hiddenhand.interop.openspiel import from_openspiel
from hiddenhand.trees.profile import uniform_profile


def tree_of(game: Any) -> Any:
    """``game``, a sequential ``pyspiel.Game``, as a `TreeGame`."""
    return from_openspiel(game, max_histories=10**7)


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
