"""Battleship with squares as pairs and fleets as lists of sets."""

from collections import Counter

Square = tuple[int, int]
Fleet = tuple[frozenset[Square], ...]


def fleets(rows: int, columns: int, lengths: list[int]) -> list[Fleet]:
    """Every way to place ships of these lengths on a board, one after the other."""
    placed: list[Fleet] = [()]
    for length in lengths:
        ships = {
            frozenset((row + down * part, column + (1 - down) * part) for part in range(length))
            for row in range(rows)
            for column in range(columns)
            for down in (0, 1)
        }
        inside = [
            ship for ship in ships if all(row < rows and column < columns for row, column in ship)
        ]
        placed = [
            (*fleet, ship)
            for fleet in placed
            for ship in inside
            if all(not ship & other for other in fleet)
        ]
    return placed


def endings(rows: int, columns: int, lengths: list[int], shots: int) -> Counter[int]:
    """How many histories end with each payoff of player 0."""
    squares = [(row, column) for row in range(rows) for column in range(columns)]
    known: dict[tuple[frozenset[Square], ...], Counter[int]] = {}

    def shoot(
        sea: frozenset[Square],
        theirs: frozenset[Square],
        shot: frozenset[Square],
        their_shot: frozenset[Square],
    ) -> Counter[int]:
        """What is left to happen, for who is to move: ``sea`` and ``shot`` are the other's ships
        and where they were shot at.
        """
        position = (sea, theirs, shot, their_shot)
        if position not in known:
            found: Counter[int] = Counter()
            if len(shot) == len(their_shot) == shots:
                found[0] = 1
            for square in squares if not found else ():
                if square not in shot:
                    after = shot | {square}
                    below = (
                        Counter({1: 1}) if sea <= after else shoot(theirs, sea, their_shot, after)
                    )
                    found += (
                        below
                        if sea <= after
                        else Counter({-payoff: count for payoff, count in below.items()})
                    )
            known[position] = found
        return known[position]

    total: Counter[int] = Counter()
    empty: frozenset[Square] = frozenset()
    placed = [frozenset[Square]().union(*fleet) for fleet in fleets(rows, columns, lengths)]
    for first in placed:
        for second in placed:
            total += shoot(second, first, empty, empty)
    return total
