"""What two-round poker pays, worked out from the moves alone."""

from collections.abc import Sequence


def poker_payoff(moves: Sequence[int]) -> int:
    """What player 0 wins in a whole game: two cards, a betting round, the table card, a betting
    round.

    Moves are 0 fold, 1 check or call, 1 + n bet or raise by n units; a unit is 2, then 4.
    """
    cards, rest = list(moves[:2]), list(moves[2:])
    put_in = [1, 1]
    table = -1
    for unit in (2, 4):
        player = 0
        while True:
            action = rest.pop(0)
            if action == 0:
                return -put_in[0] if player == 0 else put_in[1]
            if action == 1:
                was_level = put_in[0] == put_in[1]
                put_in[player] = max(put_in)
                if player == 1 or not was_level:
                    break
            else:
                put_in[player] = max(put_in) + unit * (action - 1)
            player = 1 - player
        if unit == 2:
            table = rest.pop(0)
    assert not rest, f"moves left after the end: {rest}"
    hands = [(card == table, card) for card in cards]
    if hands[0] == hands[1]:
        return 0
    return put_in[1] if hands[0] > hands[1] else -put_in[0]
