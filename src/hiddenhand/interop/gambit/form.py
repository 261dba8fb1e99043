"""What a file of Gambit says: an extensive-form game, with exact numbers.

The format is described by Savani and Turocy, Gambit: the package for computation in game theory,
"Game representation formats", the ``.efg`` file format.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

import numpy as np

from hiddenhand.games.matrix_game import MatrixGame

CHANCE: Final = "c"
PLAYER: Final = "p"
TERMINAL: Final = "t"

Numbers = tuple[Fraction, ...]


@dataclass(frozen=True)
class Node:
    """A node of the tree.

    kind: CHANCE, PLAYER or TERMINAL.
    player: who moves, from 1; 0 where no player does.
    number: the number of the information set, which is the player's own, or chance's; 0 at the end.
    outcome: the number of the outcome whose payoffs are paid here; 0 for none.
    name: of the node.
    line: where it stands in the file; 0 for none.
    """

    kind: str
    player: int
    number: int
    outcome: int
    name: str = ""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class InformationSet:
    """What all nodes of an information set have in common.

    actions: their names.
    probabilities: of chance's actions; empty for those of a player.
    name: of the set.
    """

    actions: tuple[str, ...]
    probabilities: Numbers = ()
    name: str = ""


@dataclass(frozen=True)
class Outcome:
    """What is paid when a play comes to a node with this outcome, besides what was paid before.

    payoffs: for each player.
    name: of the outcome.
    """

    payoffs: Numbers
    name: str = ""


@dataclass(frozen=True)
class ExtensiveForm:
    """A game as a file of Gambit holds it.

    title: of the game.
    players: their names.
    nodes: in the order of the file: each node is followed by its children's subtrees.
    sets: the information sets, by the player (0 for chance) and the number.
    outcomes: the outcomes, by number.
    comment: on the game.
    notes: what was changed when the file was read, in sentences.
    """

    title: str
    players: tuple[str, ...]
    nodes: tuple[Node, ...]
    sets: Mapping[tuple[int, int], InformationSet]
    outcomes: Mapping[int, Outcome]
    comment: str = ""
    notes: tuple[str, ...] = ()

    def num_children(self, node: Node) -> int:
        """How many children ``node`` has."""
        if node.kind == TERMINAL:
            return 0
        return len(self.sets[node.player, node.number].actions)


@dataclass(frozen=True)
class NormalForm:
    """A game in which all players choose a strategy at once, as a file of Gambit holds it.

    title: of the game.
    players: their names.
    strategies: for each player the names of the strategies.
    payoffs: for each combination of strategies, that of the first player changing fastest, what
        each player is paid.
    """

    title: str
    players: tuple[str, ...]
    strategies: tuple[tuple[str, ...], ...]
    payoffs: tuple[Numbers, ...]

    def matrix_game(self) -> MatrixGame:
        """The game of two players."""
        shape = [len(own) for own in reversed(self.strategies)]
        payoffs = np.array([[float(paid) for paid in each] for each in self.payoffs])
        rows, columns = (payoffs[:, player].reshape(shape).T for player in range(2))
        opposite = np.array_equal(rows, -columns)
        return MatrixGame(
            rows,
            None if opposite else columns,
            row_names=",".join(self.strategies[0]),
            column_names=",".join(self.strategies[1]),
        )

    def in_turns(self) -> ExtensiveForm:
        """The game in extensive form: players choose one after the other, in the dark."""
        sets = {
            (player, 1): InformationSet(own, name=self.players[player - 1])
            for player, own in enumerate(self.strategies, 1)
        }
        nodes, ends, waiting = list[Node](), list[int](), [(1, 0, 1)]
        while waiting:
            player, cell, step = waiting.pop()
            if player > len(self.players):
                ends.append(cell + 1)
                nodes.append(Node(TERMINAL, 0, 0, cell + 1))
                continue
            nodes.append(Node(PLAYER, player, 1, 0))
            own = len(self.strategies[player - 1])
            choices = reversed(range(own))
            waiting += [(player + 1, cell + step * choice, step * own) for choice in choices]
        outcomes = {cell: Outcome(self.payoffs[cell - 1]) for cell in ends}
        return ExtensiveForm(self.title, self.players, tuple(nodes), sets, outcomes)
