"""Counts of a game, taken from its rules by walking every history."""

from dataclasses import dataclass

from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import all_histories
from hiddenhand.games.turn_based import as_sequential


@dataclass(frozen=True)
class Counts:
    """How many of each there are; tuples have an entry for each player."""

    decisions: tuple[int, ...]
    chance: int
    terminals: int
    information_sets: tuple[int, ...]
    sequences: tuple[int, ...]
    """1 (the empty one), and one for each action in each information set."""
    public_states: int
    """Public states in which a player decides."""


def count(game: Game) -> Counts:
    """The counts of ``game``, with simultaneous moves taken in turns."""
    decisions = [0] * game.num_players
    chance = terminals = 0
    num_actions: list[dict[int, int]] = [{} for _ in range(game.num_players)]
    public: set[int] = set()
    for history in all_histories(as_sequential(game)):
        player = history.player
        if history.is_terminal:
            terminals += 1
        elif player == CHANCE:
            chance += 1
        else:
            decisions[player] += 1
            num_actions[player][history.information_key] = len(history.legal_actions())
            public.add(history.public_key)
    return Counts(
        decisions=tuple(decisions),
        chance=chance,
        terminals=terminals,
        information_sets=tuple(len(sets) for sets in num_actions),
        sequences=tuple(1 + sum(sets.values()) for sets in num_actions),
        public_states=len(public),
    )
