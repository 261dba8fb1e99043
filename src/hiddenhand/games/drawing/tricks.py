"""The picture of a trick-taking game: the own hand, the present trick, and who took how many."""

from dataclasses import dataclass
from typing import Any, Final

from hiddenhand.games.base import CHANCE, TERMINAL, State, seat_of
from hiddenhand.games.drawing import words
from hiddenhand.games.drawing.layout import (
    MIDDLE,
    called,
    choices,
    does,
    knows,
    line_of,
    near,
    panel,
    sheet,
    side,
    turn,
    wrapped_lines,
)
from hiddenhand.games.scene import CARD_SHAPE, WIDTH, Card, Item, Presentation, Scene, Text

_HAND_WIDTH = 46.0


def tricks(game: Any, state: State, observer: int) -> Scene:
    """The own hand at the bottom, other players at the top, the trick in between."""
    told, players = game.told(state), game.players
    others = [(near(observer) + step) % players for step in range(1, players)]
    items: list[Item] = []
    y = 30.0
    for number, player in enumerate(others):
        middle = 8 + (WIDTH - 16) * (number + 0.5) / len(others)
        card = 22 if seat_of(observer) < 0 else 30
        room = _Room(middle, 30, (WIDTH - 16) / len(others) - 10, card)
        hand, bottom = _hand(game, state, player, observer, room)
        items += hand
        words, size = _seat_words(game, told, player, observer), 12 if len(others) < 3 else 10
        items.append(Text(middle, 18, words, size, role="title"))
        y = max(y, bottom)
    items += _trick(game, told, observer, y + 16)
    own = near(observer)
    hand, y = _hand(game, state, own, observer, _Room(MIDDLE, y + 106, WIDTH - 24, _HAND_WIDTH))
    items += hand
    items.append(line_of(y + 14, _seat_words(game, told, own, observer), "title", 12))
    items.append(line_of(y + 48, _status(game, state, observer), "title"))
    past = wrapped_lines(_past(game, told, observer), y + 68, 46)
    table = panel(2, y + 26, role="felt")
    return sheet(y + 66 + 18 * len(past), [table, *items, *past], "a game of tricks")


@dataclass(frozen=True)
class _Room:
    """Room for a hand.

    middle, top: where it is.
    wide: how wide it is.
    card: how wide a card is.
    """

    middle: float
    top: float
    wide: float
    card: float


def _hand(
    game: Any, state: State, player: int, observer: int, room: _Room
) -> tuple[list[Item], float]:
    """The hand of a player, and where it ends. Cards that the observer does not know lie face down,
    and may overlap; others lie in rows. Cards that only `all_shown` sees lie where they lie face
    down.
    """
    held = [card for card in range(game.num_cards) if int(game.hand_of(state, player)) >> card & 1]
    known, in_rows = knows(observer, player), knows(seat_of(observer), player)
    can = choices(game, state, observer) if player == seat_of(observer) else set()
    fit = max(int((room.wide + 3) // (room.card + 3)), 1)
    rows = -(-len(held) // fit) if in_rows else 1
    in_row = -(-len(held) // max(rows, 1))
    step = min(room.card + 3, (room.wide - room.card) / max(in_row - 1, 1))
    high = room.card * CARD_SHAPE + 3
    items: list[Item] = []
    for number, card in enumerate(held):
        row, column = divmod(number, in_row)
        here = min(in_row, len(held) - row * in_row)
        x = room.middle - (step * (here - 1) + room.card) / 2 + step * column
        y = room.top + row * high
        if not known:
            items.append(Card(x, y, room.card))
            continue
        name = game.action_name(state, player, card)
        action = card if card in can else None
        role = "highlight" if action is not None else ""
        drawn = Card(
            x, y, room.card, name[1:], name[0].upper(), role=role, action=action, label=name
        )
        items.append(drawn)
    return items, room.top + max(rows, 1) * high


def _trick(game: Any, told: Any, observer: int, y: float) -> list[Item]:
    """The cards of the present trick, or of the last one where the next has not begun."""
    if not told.tricks:
        return []
    width, trick = 40.0, told.tricks[-1]
    left = MIDDLE - (len(trick) * (width + 20) - 20) / 2
    items: list[Item] = []
    for number, (player, name) in enumerate(trick):
        x = left + number * (width + 20)
        role = side(player, observer, game.players)
        who = called(player, observer, game.players)
        items.append(Card(x, y, width, name[1:], name[0].upper(), label=f"{name}, of {who}"))
        items.append(Text(x + width / 2, y + width * CARD_SHAPE + 11, who, 11, role=role))
    return items


def _seat_words(game: Any, told: Any, player: int, observer: int) -> str:
    count = told.taken[player]
    name = called(player, observer, game.players)
    return f"{name}: {count} trick{'' if count == 1 else 's'}"


def _status(game: Any, state: State, observer: int) -> str:
    mover = game.current_player(state)
    if mover == CHANCE:
        return "cards are dealt"
    trumps = "; suit A is trumps" if game.trumps else ""
    return ("the game is over" if mover == TERMINAL else turn(game, state, observer)) + trumps


def _past(game: Any, told: Any, observer: int) -> list[str]:
    """The tricks before the present one: what was played, and who took it."""
    return [
        f"{' '.join(name for _, name in trick)}: {does(winner, observer, 'take', game.players)} it"
        for trick, winner in zip(told.tricks, told.winners, strict=False)
    ]


def tricks_hidden(game: Any, state: State, observer: int) -> str:
    """The hands of the others. Nothing is said of a hand that is empty."""
    unseen = []
    for player in range(game.players):
        hand = int(game.hand_of(state, player))
        held = [game.action_name(state, player, c) for c in range(game.num_cards) if hand >> c & 1]
        if held and not knows(observer, player):
            unseen.append(f"{does(player, observer, 'hold', game.players)} {' '.join(held)}")
    return ", ".join(unseen)


def tricks_told(game: Any, before: State, move: int, after: State, observer: int) -> str:
    """A card that is dealt, for observers who see it; or a card that is played, and the player who
    takes the trick that it completes.
    """
    mover = game.current_player(before)
    card = game.action_name(before, mover, move)
    if mover == CHANCE:
        receiver = next(
            player
            for player in range(game.num_players)
            if game.hand_of(after, player) != game.hand_of(before, player)
        )
        return words.dealt(receiver, card, observer)
    said = words.does(mover, observer, f"play {card}")
    winners = game.told(after).winners
    if len(winners) == len(game.told(before).winners):
        return said
    return f"{said}; {words.does(winners[-1], observer, 'take the trick')}"


TRICKS: Final = Presentation(tricks, tricks_hidden, tricks_told)
