"""The pictures of ``docs/pictures.md``: a position of every game, for one observer.

    python -m docs.site.pictures docs/pictures

writes them. A position is a random play, drawn from a seed, after some moves or at its end.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from hiddenhand.games.base import ALL_SEEING, CHANCE
from hiddenhand.games.drawing.svg import svg
from hiddenhand.games.history import History
from hiddenhand.games.registry import load_game
from hiddenhand.games.scene import Scene


@dataclass(frozen=True)
class Exhibit:
    """A picture.

    name: the file is called ``game-`` and this name.
    game: the game, by name.
    moves: how many moves of the play are made.
    seed: the seed of the random play.
    observer: the observer of the picture.
    """

    name: str
    game: str
    moves: int
    seed: int
    observer: int = 0

    def scene(self) -> Scene:
        """The picture. Raises ValueError for a game without one."""
        rng = np.random.default_rng(self.seed)
        history = History(load_game(self.game))
        for _ in range(self.moves):
            if history.is_terminal:
                break
            if history.player == CHANCE:
                history = history.child(history.sample_chance(rng))
            else:
                moves = history.legal_moves()
                history = history.child(moves[int(rng.integers(len(moves)))])
        scene = history.game.picture(history.state, self.observer)
        if scene is None:
            raise ValueError(f"{self.game} has no picture")
        return scene


GALLERY: Final = (
    Exhibit("battleship", "battleship(8,8,'4,3,2')", 60, 4),
    Exhibit("biased-rps", "BRPS(10)", 0, 1),
    Exhibit("coordination", "coordination_game", 2, 5, 1),
    Exhibit("coordinated-mp", "coordinated_mp", 2, 3, 1),
    Exhibit("dark-hex", "dark_hex(size=5)", 17, 3),
    Exhibit("generic-poker", "GP(4,6,4,4)", 8, 7),
    Exhibit("goofspiel", "goofspiel", 6, 2),
    Exhibit("hidden-goofspiel", "IIGS0(6)", 3, 5, 1),
    Exhibit("kuhn", "Kuhn", 3, 1, 1),
    Exhibit("leduc", "Leduc", 7, 2, 1),
    Exhibit("liars-dice", "LD(3,3,6)", 8, 20),
    Exhibit("liars-dice-for-three", "liars_dice(2,players=3)", 9, 3),
    Exhibit("limit-holdem", "limit_holdem", 99, 18),
    Exhibit("three-players", "limit_holdem(players=3)", 16, 4, 1),
    Exhibit("oshi-zumo", "OZ(50,3,1)", 1, 5),
    Exhibit("phantom-ttt", "PTTT", 6, 1, 1),
    Exhibit("pursuit-evasion", "PE(4,4,5)", 2, 5),
    Exhibit("random-game", "random(4,5)", 1, 4),
    Exhibit("matrix-tree", "matrix_tree(2,2,[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6])", 1, 4),
    Exhibit("sealed-auction", "first_sealed_auction(players=3)", 5, 3, 2),
    Exhibit("tricks", "tricks(suits=4,ranks=8,players=4,hand=8)", 42, 9),
    Exhibit("tron", "tron(7,8,'c3 f5')", 8, 5),
    Exhibit("visibility-pursuit", "VP(map=maze50x49)", 30, 4, 1),
    Exhibit("all-seeing", "VP(map=block5,pursuers=2,moves=9,apart=2)", 7, 3, ALL_SEEING),
)


def main(folder: str) -> None:
    """Write all pictures into a folder."""
    for exhibit in GALLERY:
        path = Path(folder) / f"game-{exhibit.name}.svg"
        path.write_text(svg(exhibit.scene()), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
