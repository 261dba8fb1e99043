"""The picture of coordinated matching pennies: a penny for each player, and the place between."""

from typing import Any, Final

from hiddenhand.games.base import ALL_SEEING, State
from hiddenhand.games.scene import Circle, Item, Rect, Scene, Text
from hiddenhand.games.scenes.layout import (
    MIDDLE,
    called,
    choices,
    knows,
    line_of,
    near,
    panel,
    sheet,
    side,
    turn,
)

_SIDES: Final = ("heads", "tails")
_PLACES: Final = ("top", "bottom")
_RADIUS: Final = 26.0


def coordinated_mp(game: Any, state: State, observer: int) -> Scene:
    """The pennies, that of the observer below; a side is chosen by a click on it."""
    own, other = near(observer), 1 - near(observer)
    items: list[Item] = [panel(2, 236)]
    items += _penny(game, state, observer, other, 58)
    for place, name in enumerate(_PLACES):
        chosen = int(state[1]) == place + 1
        x = MIDDLE - 96 + 100 * place
        items.append(Rect(x, 106, 92, 26, 6, role="highlight" if chosen else "cell"))
        items.append(Text(x + 46, 119, name, 13, role="title" if chosen else "note"))
    items += _penny(game, state, observer, own, 180)
    items.append(line_of(254, turn(game, state, observer), "title"))
    return sheet(270, items, "coordinated matching pennies")


def _penny(game: Any, state: State, observer: int, player: int, y: float) -> list[Item]:
    """The penny of a player, or the two sides that the observer may name."""
    name = Text(20, y, called(player, observer), 13, "start", role="title")
    can = choices(game, state, observer)
    if can and player == observer:
        sides = [_side(MIDDLE - 46 + 92 * action, y, action, player, observer) for action in can]
        return [name, *(item for items in sides for item in items)]
    chosen = int(state[2 * player])
    if not chosen:
        return [name]
    if not knows(observer, player):
        hidden = Circle(MIDDLE, y, _RADIUS, role="hidden", label="a penny, face down")
        return [name, hidden, Text(MIDDLE, y, "?", 18, role="title")]
    items = _side(MIDDLE, y, chosen - 1, player, observer, offered=False)
    return [name, *items]


def _side(
    x: float, y: float, action: int, player: int, observer: int, offered: bool = True
) -> list[Item]:
    word = _SIDES[action]
    coin = Circle(
        x,
        y,
        _RADIUS,
        role=side(player, observer),
        action=action if offered else None,
        label=f"name {word}" if offered else word,
    )
    return [coin, Text(x, y, word, 12, role="title")]


def coordinated_mp_hidden(state: State, observer: int) -> str:
    """What the other player chose."""
    if observer == ALL_SEEING:
        return ""
    return ", ".join(
        f"{called(player, observer)} chose {_SIDES[int(state[2 * player]) - 1]}"
        for player in range(2)
        if player != observer and state[2 * player]
    )
