"""What Liar's Dice pays, worked out from the moves alone."""

from collections.abc import Sequence


def liars_dice_payoff(moves: Sequence[int], num_dice: int, faces: int) -> int:
    """What player 0 wins in a whole game: the dice (face - 1), the bids from (1, face 1) upwards,
    the call.
    """
    dice = [move + 1 for move in moves[:num_dice]]
    bids = moves[num_dice:-1]
    all_bids = [
        (quantity, face) for quantity in range(1, num_dice + 1) for face in range(1, faces + 1)
    ]
    quantity, face = all_bids[bids[-1]]
    shown = dice.count(face) + (dice.count(faces) if face != faces else 0)
    bidder = 0 if len(bids) % 2 == 1 else 1
    winner = bidder if shown >= quantity else 1 - bidder
    return 1 if winner == 0 else -1
