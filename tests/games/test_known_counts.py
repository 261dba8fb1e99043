"""Small games counted from their rules against counts from a program written independently of this
one.
"""

import pytest
from naive.game_counts import Counts, count

from hiddenhand.games.base import Game
from hiddenhand.games.coordination_game import CoordinationGame
from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.games.liars_dice import LiarsDice
from hiddenhand.games.matrix_game import biased_rps
from hiddenhand.games.poker.generic import GenericPoker
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.poker.leduc import LeducPoker
from hiddenhand.games.tree_game import TreeGame


def ii_goofspiel(num_cards: int) -> Goofspiel:
    return Goofspiel(num_cards, imp_info=True, points_order="ascending")


# Kuhn poker by hand: 6 deals; each has the decisions "", "p", "b", "pb" and 5 endings; a player has
# 3 cards in 2 situations, of 2 actions each.
KUHN = Counts((12, 12), 4, 30, (6, 6), (13, 13), 4)
# The coordination game by hand, from the figure: 2 decisions each, in one set each; 2 + 4 leaves.
COORDINATION = Counts((2, 2), 1, 6, (1, 1), (3, 3), 2)
# All others: sequence-form program, see the module docstring.
GP_3211 = Counts((387, 387), 49, 1116, (144, 144), (337, 337), 96)
GP_3322 = Counts((11880, 11880), 265, 44883, (3960, 3960), (11353, 11353), 2640)
LD_113 = Counts((288, 288), 4, 567, (96, 96), (190, 190), 64)
IIGS_4 = Counts((737, 916), 0, 576, (369, 369), (463, 463), 80)
IIGS_5 = Counts((18426, 22905), 0, 14400, (4974, 4974), (6196, 6196), 242)
BIASED_RPS = Counts((1, 3), 0, 9, (1, 1), (4, 4), 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "expected"),
    [
        (KuhnPoker(), KUHN),
        (
            LeducPoker(),
            GP_3211,
        ),  # Leduc by rank is GP(3,2,1,1): one bet and one raise are two raises
        (GenericPoker(3, 2, 1, 1), GP_3211),
        (GenericPoker(3, 3, 2, 2), GP_3322),
        (LiarsDice(1, 1, 3), LD_113),
        (ii_goofspiel(4), IIGS_4),
        (ii_goofspiel(5), IIGS_5),
        (biased_rps(10), BIASED_RPS),
        (CoordinationGame(), COORDINATION),
        (TreeGame.from_game(LeducPoker()), GP_3211),
        (TreeGame.from_game(LiarsDice(1, 1, 3)), LD_113),
        (TreeGame.from_game(ii_goofspiel(4)), IIGS_4),
        (TreeGame.from_game(biased_rps(10)), BIASED_RPS),
        (TreeGame.from_game(CoordinationGame()), COORDINATION),
    ],
    ids=str,
)
def test_counts(game: Game, expected: Counts) -> None:
    assert count(game) == expected
