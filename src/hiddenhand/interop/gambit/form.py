"""What a file of Gambit says: an extensive-form game, with exact numbers.

The format is described by Savani and Turocy, Gambit: the package for computation in game theory,
"Game representation formats", the ``.efg`` file format.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

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
    """

    kind: str
    player: int
    number: int
    outcome: int
    name: str = ""


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
    """

    title: str
    players: tuple[str, ...]
    nodes: tuple[Node, ...]
    sets: Mapping[tuple[int, int], InformationSet]
    outcomes: Mapping[int, Outcome]
    comment: str = ""

    def num_children(self, node: Node) -> int:
        """How many children ``node`` has."""
        if node.kind == TERMINAL:
            return 0
        return len(self.sets[node.player, node.number].actions)
