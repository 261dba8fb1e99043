"""What each player wins in a hand, from the betting and the cards alone.

Source: `game.c` of the competition's server (`valueOfState`). In a limit game without an end of
the chips all who are left have put in the same, so there is one pot.
"""

from collections.abc import Sequence

from hiddenhand.games.poker.hands import hand_table, set_of
from hiddenhand.interop.acpc.betting import Betting
from hiddenhand.interop.acpc.cards import Cards


def best_five(cards: Sequence[int]) -> int:
    """How good the best five of some cards are: larger is better, and equal hands share a pot."""
    return int(hand_table().strength(set_of(tuple(cards))))


def hand_values(betting: Betting, cards: Cards) -> tuple[float, ...]:
    """What each position wins, in chips, in a hand that is over.

    betting: all of the betting.
    cards: all cards that count; hole cards of positions that have folded may be missing.
    """
    left = betting.left
    if betting.is_showdown:
        strengths = {p: best_five((*cards.holes[p], *cards.board)) for p in left}
        best = max(strengths.values())
        left = tuple(p for p in left if strengths[p] == best)
    share = sum(betting.spent) / len(left)
    return tuple(
        share - spent if position in left else float(-spent)
        for position, spent in enumerate(betting.spent)
    )
