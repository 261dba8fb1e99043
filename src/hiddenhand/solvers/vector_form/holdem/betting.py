"""The betting of a game of limit poker as a tree: all that the two players may do, whatever the
cards are.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np

from hiddenhand.errors import GameError
from hiddenhand.games.base import Game
from hiddenhand.games.history import History
from hiddenhand.games.poker.abstraction import Bucketed
from hiddenhand.games.poker.betting import FOLDED, ROUND
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.games.poker.limit_poker import CHIPS
from hiddenhand.jit.arrays import Floats, Integers, Keys, starts_of
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import specialised_kernel

NOBODY: Final = -1


@dataclass(frozen=True)
class BettingTree(Compiled):
    """N nodes. Node 0 is the first move; children have larger numbers than their parents, and lie
    next to each other.

    player: ``int64[N]``, who moves, `NOBODY` at an end.
    round: ``int64[N]``, the betting round.
    first_child, num_children: ``int64[N]``; children are in the order of the legal actions.
    folded: ``int64[N]``, who has folded at an end, `NOBODY` at a showdown.
    stake: ``float64[N]``, what the loser loses at an end.
    first_row: ``int64[N]``, where begins what is kept of the buckets at a node: for each bucket a
        number for each action.
    first_set: ``int64[N]``, the number of the information set with the first bucket at a node.
    depth: the most moves.
    """

    player: Integers
    round: Integers
    first_child: Integers
    num_children: Integers
    folded: Integers
    stake: Floats = field(repr=False)
    first_row: Integers
    first_set: Integers
    depth: int

    @property
    def num_rows(self) -> int:
        """How many numbers are kept of all buckets."""
        return int(self.first_row[-1])


def verify_bucketed(game: Game) -> LimitHoldem:
    """The game, if it is Limit Hold'em for two with buckets. Raises GameError."""
    if not is_bucketed(game):
        raise GameError(
            f"{game} is not Limit Hold'em for two players with buckets, for which pcs is; use mccfr"
        )
    assert isinstance(game, LimitHoldem)
    return game


def is_bucketed(game: Game) -> bool:
    """Whether a game is Limit Hold'em for two players with buckets."""
    if not isinstance(game, LimitHoldem) or game.players != 2:
        return False
    return isinstance(game.abstraction, Bucketed)


@lru_cache(maxsize=2)
def betting_tree(game: LimitHoldem) -> tuple[BettingTree, Keys]:
    """The tree, and ``uint64[I]``, the keys of all information sets, node by node and bucket by
    bucket. The last entries of first_row and first_set are for a node that is not there.
    """
    histories, first_child, depth = [_dealt(History(game))], list[int](), [0]
    for number, history in enumerate(histories):  # grows while it is walked
        first_child.append(len(histories))
        if not history.is_terminal:
            histories += [_dealt(history.child(move)) for move in history.legal_moves()]
            depth += [depth[number] + 1] * (len(histories) - len(depth))
    player = np.array([NOBODY if one.is_terminal else one.player for one in histories])
    first = np.array(first_child)
    children = np.diff([*first_child, len(histories)])
    states = np.stack([one.state for one in histories])
    folded = np.array([{0: NOBODY, 1: 0, 2: 1}[int(state[FOLDED])] for state in states])
    chips = states[:, CHIPS : CHIPS + 2]
    loser = np.where(folded == NOBODY, 0, folded)
    rounds = states[:, ROUND].copy()
    cells = np.where(player == NOBODY, 0, game.abstraction.cells[rounds])
    tree = BettingTree(
        player=player,
        round=rounds,
        first_child=first,
        num_children=np.where(player == NOBODY, 0, children),
        folded=folded,
        stake=chips[np.arange(loser.size), loser].astype(np.float64),
        first_row=starts_of(cells * children),
        first_set=starts_of(cells),
        depth=max(depth),
    )
    keys = np.zeros(int(tree.first_set[-1]), np.uint64)
    _write_keys(game, tree, states, keys)
    return tree, keys


def _dealt(history: History) -> History:
    """The same with cards, where some are to be dealt."""
    while not history.is_terminal and history.player < 0:
        history = history.child(history.legal_moves()[0])
    return history


@specialised_kernel
def _write_keys(game: LimitHoldem, tree: BettingTree, states: Integers, keys: Keys) -> None:
    """The keys of the information sets."""
    for node in range(tree.player.size):
        player = tree.player[node]
        for bucket in range(tree.first_set[node + 1] - tree.first_set[node]):
            game.abstraction.put_in_bucket(game, states[node], player, bucket)
            keys[tree.first_set[node] + bucket] = game.information(states[node], player, 0)
