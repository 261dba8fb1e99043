"""Trick-taking with hands as sets and no state to speak of."""

import itertools
from collections.abc import Iterator

Card = tuple[int, int]  # suit, rank


def deals(cards: list[Card], players: int, hand: int) -> Iterator[tuple[frozenset[Card], ...]]:
    """Every way to deal ``hand`` cards to each player; all are equally likely."""
    if players == 0:
        yield ()
        return
    for mine in itertools.combinations(cards, hand):
        rest = [card for card in cards if card not in mine]
        for others in deals(rest, players - 1, hand):
            yield (frozenset(mine), *others)


def endings(
    hands: tuple[frozenset[Card], ...], leader: int, trumps: bool
) -> Iterator[tuple[int, ...]]:
    """How many tricks each player takes, for every way to play the hands out from a new trick
    on.
    """
    if not hands[0]:
        yield (0,) * len(hands)
        return
    seats = [(leader + turn) % len(hands) for turn in range(len(hands))]
    for trick in itertools.product(*(sorted(hands[seat]) for seat in seats)):
        led = trick[0][0]
        if any(
            card[0] != led and any(suit == led for suit, _ in hands[seat])
            for seat, card in zip(seats, trick, strict=True)
        ):
            continue  # somebody did not follow suit
        ranking = [(trumps and suit == 0, suit == led, rank) for suit, rank in trick]
        winner = seats[ranking.index(max(ranking))]
        left = [hand - set(trick) for hand in hands]
        for rest in endings(tuple(left), winner, trumps):
            yield tuple(count + (seat == winner) for seat, count in enumerate(rest))
