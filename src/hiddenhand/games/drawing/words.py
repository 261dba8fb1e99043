"""What happened, in words: what the functions behind `Game.tell` have in common."""

from typing import Any

from hiddenhand.games.base import State
from hiddenhand.games.drawing.layout import does as does_among
from hiddenhand.games.drawing.layout import knows


def does(player: int, observer: int, verb: str) -> str:
    """A player and their action: "you bid 3", "player 2 bids 3"."""
    return does_among(player, observer, verb, players=0)  # no player is called "they" here


def dealt(receiver: int, card: str, observer: int) -> str:
    """A card that is dealt to a player, in words for observers who see it; "" for others."""
    if not knows(observer, receiver):
        return ""
    return (
        f"you are dealt {card}"
        if receiver == observer
        else f"player {receiver + 1} is dealt {card}"
    )


def all_do(
    game: Any, before: State, moves: tuple[int, ...], after: State, observer: int, verb: str
) -> str:
    """What all players did at once: "you bid 3, player 2 bids 4"."""
    return ", ".join(
        does(player, observer, f"{verb} {game.action_name(before, player, move)}")
        for player, move in enumerate(moves)
    )
