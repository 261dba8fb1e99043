"""What the information sets of a written-out game let everybody know."""

from itertools import product

import numpy as np
import pytest
from studies.errors import random_tree

from hiddenhand.games.base import Game
from hiddenhand.games.coordination_game import CoordinationGame
from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.games.liars_dice import LiarsDice
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.poker.leduc import LeducPoker
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.games.tricks import Tricks
from hiddenhand.trees.unroll import unroll


def without_tokens(game: TreeGame) -> TreeGame:
    return TreeGame(
        game.player,
        game.first_child,
        game.num_children,
        game.probability,
        game.information_set,
        game.utilities,
    )


def by_descendants(game: TreeGame) -> list[frozenset[int]]:
    """The public states by their definition: pairs of nodes after equally many moves, and chains of
    them, whose descendants share an information set.
    """
    moves = [len(game._path(node)) for node in range(game.player.size)]
    below: list[set[int]] = [set() for _ in moves]
    for node in range(game.player.size):
        if game.information_set[node] >= 0:
            for above in (0, *game._path(node)):
                below[above].add(int(game.information_set[node]))
    states = [{node} for node in range(game.player.size)]
    for one, other in product(range(game.player.size), repeat=2):
        if moves[one] == moves[other] and below[one] & below[other]:
            joined = states[one] | states[other]
            for node in joined:
                states[node] = joined
    return [frozenset(state) for state in states]


def by_tokens(game: TreeGame) -> list[frozenset[int]]:
    """The nodes that have the same public tokens on the way to them, and as many moves."""
    told: dict[tuple[int, ...], set[int]] = {}
    for node in range(game.player.size):
        tokens = tuple(int(game.public_token[above]) for above in game._path(node))
        told.setdefault(tokens, set()).add(node)
    found = {node: frozenset(state) for state in told.values() for node in state}
    return [found[node] for node in range(game.player.size)]


WRITTEN = [
    KuhnPoker(),
    CoordinationGame(),
    LiarsDice(1, 1, 2),
    Goofspiel(3, imp_info=True),
    Goofspiel(3),
]


@pytest.mark.parametrize("game", WRITTEN, ids=str)
def test_public_states_are_those_of_the_definition(game: Game) -> None:
    tree = without_tokens(TreeGame.from_game(game))
    going_on = np.flatnonzero(tree.num_children > 0)
    told, defined = by_tokens(tree), by_descendants(tree)
    ends = frozenset(np.flatnonzero(tree.num_children == 0).tolist())
    assert [told[h] - ends for h in going_on] == [defined[h] - ends for h in going_on]


@pytest.mark.parametrize("game", [*WRITTEN, LeducPoker(), Tricks(2, 2, 2, 2)], ids=str)
def test_they_are_as_fine_as_what_the_rules_tell(game: Game) -> None:
    """Nothing that a rule tells everybody is unknown from the information sets."""
    told = TreeGame.from_game(game)
    tree = without_tokens(told)
    finest, given = unroll(tree), unroll(told)
    decisions = np.flatnonzero(finest.player >= 0)
    pairs = set(zip(finest.public_state[decisions], given.public_state[decisions], strict=True))
    assert len(pairs) == len({fine for fine, _ in pairs})
    assert finest.counts().information_sets == given.counts().information_sets


@pytest.mark.parametrize("chance", [0.0, 0.3])
def test_in_plain_sight_all_is_public(chance: float) -> None:
    game = random_tree(1, 6, chance)
    tree = unroll(game)
    inner = np.flatnonzero(tree.num_children > 0)
    assert np.unique(tree.public_state[inner]).size == inner.size
    assert all(np.unique(tree.augmented_set(p)[inner]).size == inner.size for p in range(2))


def test_where_nobody_counts_moves_nothing_is_public() -> None:
    """Player 1 has one information set, after one move and after two."""
    game = TreeGame(
        player=[0, 1, 0, 1, -4, -4, -4, -4],
        first_child=[1, 4, 3, 6, 8, 8, 8, 8],
        num_children=[2, 2, 1, 2, 0, 0, 0, 0],
        probability=[1.0] * 8,
        information_set=[0, 1, 2, 1, -1, -1, -1, -1],
        utilities=[[0.0, 0.0]] * 4 + [[u, -u] for u in (1.0, 2.0, 3.0, 4.0)],
    )
    assert not game.public_token.any()


def test_people_are_told_no_numbers_that_mean_nothing() -> None:
    kuhn = TreeGame.from_game(KuhnPoker())
    derived = without_tokens(kuhn)
    deep = int(np.flatnonzero(kuhn.player >= 0)[-1])
    state = np.array([deep])
    assert "all noticed" in kuhn.render(state, 0)
    assert "all noticed" not in derived.render(state, 0)
