"""Games written out: hand-made trees, trees made from rules, and trees that are wrong."""

from typing import Any

import numpy as np
import pytest
from naive.game_counts import count
from naive.playing import names_of, played, uniform_value

from hiddenhand.errors import ParameterError, TooLargeError
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.coordination_game import CoordinationGame
from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.games.history import History
from hiddenhand.games.liars_dice import LiarsDice
from hiddenhand.games.matrix_game import MatrixGame, biased_rps
from hiddenhand.games.poker.generic import GenericPoker
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.games.turn_based import as_sequential

C, T = CHANCE, TERMINAL

# The coordination game, drawn from the figure of the OOS paper: chance; player 0 twice; two leaves
# and player 1 twice; four leaves.
COORDINATION: dict[str, Any] = {
    "player": [C, 0, 0, T, T, 1, 1, T, T, T, T],
    "first_child": [1, 3, 5, 0, 0, 7, 9, 0, 0, 0, 0],
    "num_children": [2, 2, 2, 0, 0, 2, 2, 0, 0, 0, 0],
    "probability": [1, 0.5, 0.5, 1, 1, 1, 1, 1, 1, 1, 1],
    "information_set": [-1, 0, 0, -1, -1, 1, 1, -1, -1, -1, -1],
    "utilities": [[u, -u] for u in (0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 3)],
}


def changed(tree: dict[str, Any] = COORDINATION, **entries: Any) -> dict[str, Any]:
    """A copy of ``tree`` in which ``name=(index, value)`` replaces an entry; other values replace a
    whole array.
    """
    copy = {name: list(values) for name, values in tree.items()}
    for name, value in entries.items():
        if isinstance(value, tuple):
            copy[name][value[0]] = value[1]
        else:
            copy[name] = value
    return copy


def test_hand_made_tree() -> None:
    tree = TreeGame(**COORDINATION)
    assert count(tree) == count(CoordinationGame())
    assert (
        tree.num_players,
        tree.max_actions,
        tree.max_chance_outcomes,
        tree.max_depth,
        tree.max_utility,
        tree.zero_sum,
    ) == (2, 2, 2, 3, 3.0, True)
    assert played(tree, "1 0 0").returns() == (3, -3)
    assert played(tree, "0 0").returns() == (1, -1)
    assert played(tree, "0").observations[:2] == (1, 0)  # the token 1 + information set
    assert played(tree, "1 1").observations[:2] == (0, 2)
    assert repr(tree) == "TreeGame(<11 nodes, 2 players>)"


@pytest.mark.parametrize(
    "game",
    [
        KuhnPoker(),
        CoordinationGame(),
        LiarsDice(1, 1, 2),
        GenericPoker(3, 2, 0, 2),
        Goofspiel(3, imp_info=True, points_order="ascending"),
        Goofspiel(3),
        biased_rps(10),
        MatrixGame([[3, 0], [5, 1]], [[3, 5], [0, 1]]),
    ],
    ids=str,
)
def test_from_game_is_the_same_game(game: Game) -> None:
    tree = TreeGame.from_game(game)
    rules = as_sequential(game)
    assert count(tree) == count(game)
    assert tree.zero_sum == game.zero_sum
    assert tree.max_utility == max(abs(value) for value in tree.utilities.flat)
    assert uniform_value(History(tree)) == pytest.approx(uniform_value(History(rules)), abs=1e-12)
    pairs: list[set[tuple[int, int]]] = [set() for _ in range(3)]
    stack = [(History(rules), History(tree))]
    while stack:
        ours, written = stack.pop()
        assert (ours.player, ours.is_terminal) == (written.player, written.is_terminal)
        assert ours.observations == written.observations
        for player in range(2):
            pairs[player].add((ours.key(player), written.key(player)))
        pairs[2].add((ours.public_key, written.public_key))
        if ours.is_terminal:
            assert ours.returns() == written.returns()
            continue
        assert names_of(ours) == names_of(written)
        if ours.player == CHANCE:
            assert [p for _, p in ours.chance_outcomes()] == [
                p for _, p in written.chance_outcomes()
            ]
        stack += [
            (ours.child(ours_move), written.child(move))
            for move, ours_move in enumerate(ours.legal_moves())
        ]
    for matched in pairs:  # one to one
        assert len(matched) == len({key for key, _ in matched}) == len({key for _, key in matched})


def test_from_game_has_a_limit() -> None:
    assert TreeGame.from_game(KuhnPoker(), max_histories=58).player.size == 58
    with pytest.raises(
        TooLargeError,
        match=r"KuhnPoker.* has more than max_histories=57 histories; raise the limit",
    ):
        TreeGame.from_game(KuhnPoker(), max_histories=57)


def test_names_of_moves() -> None:
    names = ["", "west", "east", "left", "right", "left", "right", "up", "down", "up", "down"]
    tree = TreeGame(**COORDINATION, move_names=names)
    history = played(tree, "east left")
    assert names_of(history) == ["up", "down"]
    assert tree.render(history.state, 0) == "you noticed 1, you chose left"
    assert tree.render(history.state, 1) == "you noticed 2"
    assert tree.render(History(tree).state, 1) == "nothing noticed"


def test_finer_observations() -> None:
    """Player 0 privately learns what chance did, so the set is split; without that, the sets below
    cannot be told apart.
    """
    split = changed(information_set=[-1, 0, 2, -1, -1, 1, 1, -1, -1, -1, -1])
    private = np.zeros((11, 2), np.int64)
    private[1:3, 0] = 1, 2
    public = [0, 5, 5, 6, 6, 7, 7, 0, 0, 0, 0]
    tree = TreeGame(**split, private_token=private, public_token=public)
    assert count(tree).information_sets == (2, 1)
    assert played(tree, "1 0").observations == (0, 0, 7)
    assert (
        tree.render(played(tree, "1 0").state, 0)
        == "you noticed 2, all noticed 5, you chose 0, all noticed 7"
    )
    private[2, 0] = 1
    with pytest.raises(
        ParameterError,
        match=(
            "player 0 has noticed the same at nodes 1 and 2, which are in information sets 0 and 2"
        ),
    ):
        TreeGame(**split, private_token=private, public_token=public)
    private[2, 0] = 2
    with pytest.raises(
        ParameterError,
        match="player 0 has noticed different things at nodes 1 and 2 of information set 0",
    ):
        TreeGame(**COORDINATION, private_token=private, public_token=public)


# Player 0 moves twice (nodes 0; 1 and 2), then the end.
TWICE: dict[str, Any] = {
    "player": [0, 0, 0, T, T, T, T],
    "first_child": [1, 3, 5, 0, 0, 0, 0],
    "num_children": [2, 2, 2, 0, 0, 0, 0],
    "probability": [1] * 7,
    "information_set": [0, 1, 2, -1, -1, -1, -1],
    "utilities": [[u, -u] for u in range(7)],
}


def test_perfect_recall() -> None:
    TreeGame(**TWICE)
    with pytest.raises(
        ParameterError,
        match="information set 1 breaks perfect recall: player 0 comes to node 1 by action 0 in "
        "information set 0, but to node 2 by action 1 in information set 0",
    ):
        TreeGame(**changed(TWICE, information_set=(2, 1)))
    with pytest.raises(
        ParameterError, match="player 0 comes to node 0 without a move, but to node 1 by action 0"
    ):
        TreeGame(**changed(TWICE, information_set=(1, 0)))


def test_an_own_move_then_another_with_or_without_an_opponent_between() -> None:
    """Player 0 moves at the root; chance lets player 1 move first, or not; player 0 cannot tell.
    What is noticed comes at different moments.
    """
    tree = {
        "player": [0, 0, 1, 0, T, T, T, T],
        "first_child": [1, 4, 3, 6, 0, 0, 0, 0],
        "num_children": [2, 2, 1, 2, 0, 0, 0, 0],
        "probability": [1] * 8,
        "information_set": [0, 1, 3, 2, -1, -1, -1, -1],
        "utilities": [[0.0, 0.0]] * 8,
    }
    TreeGame(**tree)  # other own moves lead there, so the sets differ
    # chance (0) leads to player 0 at 1 and 2; from 1 directly to player 0 again, from 2 over player
    # 1
    late = {
        "player": [C, 0, 0, 0, 1, 0, T, T],
        "first_child": [1, 3, 4, 6, 5, 7, 0, 0],
        "num_children": [2, 1, 1, 1, 1, 1, 0, 0],
        "probability": [1, 0.5, 0.5, 1, 1, 1, 1, 1],
        "information_set": [-1, 0, 0, 1, 2, 1, -1, -1],
        "utilities": [[0.0, 0.0]] * 8,
    }
    with pytest.raises(
        ParameterError,
        match="player 0 has noticed different things at nodes 3 and 5 of information set 1; tokens",
    ):
        TreeGame(**late)
    private = np.zeros((8, 2), np.int64)
    private[4, 1] = 1
    TreeGame(**late, private_token=private)  # if player 0 is told nothing, both ways look alike


def test_compared_by_contents() -> None:
    assert TreeGame(**COORDINATION) == TreeGame(**COORDINATION)
    assert hash(TreeGame(**COORDINATION)) == hash(TreeGame(**COORDINATION))
    assert TreeGame(**COORDINATION) != TreeGame(**changed(utilities=(3, [2, -2])))


def test_keeps_its_own_arrays() -> None:
    given = np.array(COORDINATION["utilities"], float)
    tree = TreeGame(**changed(utilities=given))
    given[3] = 9
    assert tree.utilities[3, 0] == 1
    for name in (
        "player",
        "first_child",
        "num_children",
        "probability",
        "information_set",
        "utilities",
        "private_token",
        "public_token",
    ):
        array = getattr(tree, name)
        assert array.flags.c_contiguous
        assert not array.flags.writeable


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (
            changed(player=[C, 0]),
            r"player is \(2,\); with utilities of 11 nodes and 2 players it must be \(11,\)",
        ),
        (changed(player=[0.5] * 11), "player must be an array of integers"),
        (changed(utilities=[1.0] * 11), r"utilities is \(11,\); it must be \(nodes, players\)"),
        (changed(utilities=(3, [np.nan, 0])), "utilities must be an array of finite numbers"),
        (changed(player=(1, 2)), "node 1 has player 2; give 0 to 1, -1 for chance or -4 for the"),
        (changed(num_children=(3, 1)), "node 3 has player -4 and 1 children; terminal nodes have"),
        (changed(num_children=(5, 0)), "node 5 has player 1 and 0 children"),
        (changed(num_children=(5, -1)), "node 5 has player 1 and -1 children"),
        (changed(first_child=(6, 10)), "node 6 has children 10 to 11; they must lie between 7 and"),
        (changed(first_child=(5, 5)), "node 5 has children 5 to 6; they must lie between 6 and 10"),
        (changed(first_child=(2, 4)), "node 4 is a child of both node 1 and node 2; give each"),
        (changed(num_children=(6, 1)), "node 10 is no node's child; only node 0"),
        (
            changed(probability=(2, 0.4)),
            r"chance node 0 has outcomes of probability \[0.5 0.4\]; they must be positive and sum "
            "to 1",
        ),
        (changed(probability=[1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1]), "chance node 0 has outcomes of"),
        (changed(information_set=(0, 3)), "node 0 has information_set 3, but no player moves"),
        (changed(information_set=(1, -1)), "node 1 has information_set -1; where a player moves,"),
        (changed(information_set=(5, 0)), "nodes 1 and 5 share information set 0, but it is for"),
        (
            {
                **changed(first_child=[1, 3, 5, 0, 0, 7, 8, 0, 0, 0, 0]),
                "num_children": [2, 2, 2, 0, 0, 1, 3, 0, 0, 0, 0],
            },
            "nodes 5 and 6 share information set 1, but have 1 and 3 children",
        ),
        ({**COORDINATION, "private_token": np.full((11, 2), -1)}, "node 0 has private_token -1;"),
        ({**COORDINATION, "public_token": [0] * 10 + [1 << 62]}, "node 10 has public_token"),
        ({**COORDINATION, "public_token": [0] * 3}, r"public_token is \(3,\)"),
        ({**COORDINATION, "move_names": ["a", "b"]}, "move_names has 2 entries; give one line of"),
        ({**COORDINATION, "move_names": list("abbcdefghij")}, "node 0 has moves named b, b; give"),
        ({**COORDINATION, "move_names": list("abcdefghijk")}, "node 2 names its moves unlike"),
    ],
)
def test_rejects(tree: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=f"TreeGame: {message}"):
        TreeGame(**tree)
