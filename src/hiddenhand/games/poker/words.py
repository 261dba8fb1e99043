"""What happens at a table of poker, in words: the methods `Game.tell` of the pokers."""

from typing import Any

from hiddenhand.games.base import CHANCE, State
from hiddenhand.games.poker.limit_poker import DEALT, RECEIVER
from hiddenhand.games.scenes.words import dealt, does


def kuhn(game: Any, before: State, move: int, observer: int) -> str:
    """A move in words. Only observers who see a card read its name."""
    cards = list(map(int, before[: game.num_players]))
    return _told(game, before, move, observer, cards.index(0) if 0 in cards else None)


def two_round(game: Any, before: State, move: int, observer: int) -> str:
    """A move in words. Only observers who see a card read its name."""
    cards = game.told(before).cards
    return _told(game, before, move, observer, cards.index("") if "" in cards else None)


def limit(game: Any, before: State, move: int, observer: int) -> str:
    """A move in words. Only observers who see a card read its name."""
    number = int(before[DEALT])
    receiver = int(game.deals[number, RECEIVER]) if number < len(game.deals) else game.players
    return _told(game, before, move, observer, receiver if receiver < game.players else None)


def _told(game: Any, before: State, move: int, observer: int, receiver: int | None) -> str:
    """A card or a move in words.

    receiver: to whom a card is dealt; None for a card on the table.
    """
    mover = game.current_player(before)
    name = game.action_name(before, mover, move)
    if mover != CHANCE:
        return does(mover, observer, name)
    if receiver is None:
        return f"{name} is dealt to the table"
    return dealt(receiver, name, observer)
