"""Blueprints by hands: strategies for games in vector form, in files that are opened at once.

A file has for each player a number of 16 bits for each action of each hand, in the order of
`public_game`: 65,535 times the probability, and 0 for all actions of a hand that training never
came to.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hiddenhand.errors import FileError
from hiddenhand.jit.kernels import kernel
from hiddenhand.mapped import Mapped, write_mapped
from hiddenhand.solvers.vector_form.public_game import NOTHING, PublicGame, VectorForm
from hiddenhand.trees.blueprint import HANDS, ONE, TRAIN, About, opened_blueprint

_NAMES = ("first", "second")  # the arrays of the players


@dataclass(frozen=True, eq=False)
class HandBlueprint:
    """A blueprint by hands.

    about: what it is.
    file: with the arrays first and second, ``uint16`` numbers for each player.
    """

    about: About
    file: Mapped

    @classmethod
    def load(cls, path: Path | str, form: VectorForm) -> Self:
        """Open a file. Raises FileError unless it is a blueprint by hands of this game."""
        about, file = opened_blueprint(path, form.game, (HANDS,))
        file.verify_types(**dict.fromkeys(_NAMES, "<u2"))
        if tuple(file.arrays[name].size for name in _NAMES) != form.sizes:
            raise FileError(f"{path} does not fit {form.game}; make it anew with {TRAIN}")
        return cls(about, file)

    def numbers(self, player: int, first: int, size: int) -> npt.NDArray[np.uint16]:
        """All numbers of a player, of which a part was checked. Raises FileError where that part is
        damaged.
        """
        self.file.verify(_NAMES[player], first, size)
        return self.file.arrays[_NAMES[player]]


def write_hand_blueprint(
    path: Path | str, about: About, form: VectorForm, average: Sequence[npt.NDArray[Any]]
) -> None:
    """Write what is kept of average strategies as a blueprint by hands. Raises FileError where that
    cannot be done; then an old file is still there.
    """
    packed = [np.zeros(size, np.uint16) for size in form.sizes]
    depth = form.depth
    for player in range(2):
        room = np.zeros(depth, np.int64), np.zeros(depth, np.int64), np.zeros(depth, np.int64)
        _pack(form.arrays, player, average[player], packed[player], *room)
    write_mapped(path, HANDS, asdict(about), dict(zip(_NAMES, packed, strict=True)))


@kernel
def _pack(
    game: PublicGame,
    player: int,
    average: Any,
    packed: Any,
    situations: Any,
    edges: Any,
    bases: Any,
) -> None:
    """Walk over the public tree and write a player's probabilities.

    situations, edges, bases: ``int64[D]``, room for where the walk is.
    """
    depth = 0
    situations[0], edges[0], bases[0] = 0, game.first_edge[0], 0
    while depth >= 0:
        situation, edge = situations[depth], edges[depth]
        if edge == game.first_edge[situation] and game.mover[situation] == player:
            hands, actions = game.num_hands[situation, player], game.num_actions[situation]
            for hand in range(hands):
                total = 0.0
                for action in range(actions):
                    total += average[bases[depth] + action * hands + hand]
                if total > 0.0:
                    for action in range(actions):
                        at = bases[depth] + action * hands + hand
                        packed[at] = np.uint16(round(ONE * (average[at] / total)))
        if edge == game.first_edge[situation + 1]:
            depth -= 1
            continue
        edges[depth] += 1
        child = game.child[edge]
        if child != NOTHING:
            depth += 1
            situations[depth], edges[depth] = child, game.first_edge[child]
            bases[depth] = bases[depth - 1] + game.base[edge, player]
