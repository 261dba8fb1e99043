"""The picture of Liar's Dice: dice, those of others under a cup, and a table of all bids."""

from typing import Any, Final

from hiddenhand.games.base import CHANCE, TERMINAL, State
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
from hiddenhand.games.scene import WIDTH, Die, Item, Presentation, Rect, Scene, Text

_MOST_DICE: Final = 28  # whose numbers have room
_MOST_FACES: Final = 12
_TABLED: Final = 5  # dice with which all bids have room
_DIE: Final = 44.0
_IN_ROW: Final = 6
_PART: Final = 60.0  # of a bid in parts: 44 pixels and a gap on a telephone of 320 pixels
_ROW: Final = 48.0  # of bids: on a telephone a finger covers some 44 pixels


def liars_dice(game: Any, state: State, observer: int) -> Scene:
    """The dice that the observer knows, others as cups, and the bids: those made have the colour of
    the player, those that are too low are walls.
    """
    dice, bids, caller = game.told(state)
    players, y = len(dice), 4.0
    counting = (game.bid(bids[-1])[1], game.faces) if bids else ()
    items: list[Item] = []
    for step in range(1, players + 1):  # the observer's dice are the last
        player = (near(observer) + step) % players
        items.append(line_of(y + 14, _whose(player, observer, players), "title", 12))
        shown, y = _dice(dice[player], player, observer, y + 28, counting)
        items += shown
    table = panel(2, y + 4)
    items.append(line_of(y + 24, _status(game, state, bids, caller, observer), "title"))
    star = f"a bid is how many dice show a face; {game.faces} counts as every face"
    items.append(line_of(y + 44, star, "note", 11))
    bid_items, y = _bids(game, state, bids, observer, y + 58)
    told = [
        does(number % players, observer, f"bid {game.action_name(state, 0, bid)}", players)
        for number, bid in enumerate(bids)
    ]
    past = wrapped_lines(told, y + 14, 46, most=2)
    return sheet(y + 8 + 18 * len(past), [table, *items, *bid_items, *past], "Liar's Dice")


def _whose(player: int, observer: int, players: int) -> str:
    name = called(player, observer, players)
    return {"they": "their dice", "you": "your dice"}.get(name, f"dice of {name}")


def _dice(
    dice: tuple[int, ...], player: int, observer: int, y: float, counting: tuple[int, ...]
) -> tuple[list[Item], float]:
    """The dice of a player side by side, in rows where they are many; and where they end. Dice with
    a face in ``counting``, which count for the last bid, are marked.
    """
    in_row = min(len(dice), 10)
    size = min(_DIE, (WIDTH - 40) / in_row - 5)
    known = knows(observer, player)
    items: list[Item] = []
    for number, face in enumerate(dice):
        row, column = divmod(number, in_row)
        here = min(in_row, len(dice) - row * in_row)
        x = MIDDLE - (here * (size + 5) - 5) / 2 + column * (size + 5)
        shown = face if known else 0
        role = "highlight" if shown in counting else ""
        label = f"die: {shown}" if shown else "a die that you do not see" if face else "not rolled"
        items.append(Die(x, y + row * (size + 5), size, shown, role=role, label=label))
    return items, y + -(-len(dice) // in_row) * (size + 5)


def _bids(
    game: Any, state: State, bids: list[int], observer: int, y: float
) -> tuple[list[Item], float]:
    """What can be bid, and below it "liar"; and where that ends. It is left out where it would be
    too large to be read.
    """
    can = choices(game, state, observer)
    if game.num_dice > _MOST_DICE or game.faces > _MOST_FACES:
        return [], y
    shown = _bid_table if game.num_dice <= _TABLED else _bid_parts
    items, bottom = shown(game, state, bids, can, observer, y)
    if game.liar in can:
        place = (8, bottom + 3, WIDTH - 16, _ROW - 2, 4.0)
        items.append(Rect(*place, role="highlight", label="call liar", action=game.liar))
        items.append(Text(MIDDLE, bottom + 2 + _ROW / 2, "liar!", 14, role="on"))
        bottom += _ROW + 4
    return items, bottom


def _bid_table(
    game: Any, state: State, bids: list[int], can: set[int], observer: int, y: float
) -> tuple[list[Item], float]:
    """All bids, a row for each number of dice and a column for each face; and where they end."""
    players, columns = game.num_players, game.faces
    wide = min((WIDTH - 16) / columns, 56.0)
    left = MIDDLE - wide * columns / 2
    items: list[Item] = []
    for bid in range(game.num_dice * columns):
        row, column = (place - 1 for place in game.bid(bid))
        name = game.action_name(state, 0, bid)
        role, what = "cell", "can be bid later"
        if bid in bids:
            bidder = bids.index(bid) % players
            role = side(bidder, observer, players)
            what = f"bid of {called(bidder, observer, players)}"
        elif bids and bid < bids[-1]:
            role, what = "cell faint", "too low"
        action = bid if bid in can else None
        what = "bid it" if action is not None else what
        x, top = left + column * wide, y + row * _ROW
        place = (x + 1, top + 1, wide - 2, _ROW - 2, 4.0)
        items.append(Rect(*place, role=role, label=f"{name}: {what}", action=action))
        text_role = "on" if bid in bids else "note faint" if "faint" in role else "title"
        items.append(Text(x + wide / 2, top + _ROW / 2, name, 13, role=text_role))
    return items, y + game.num_dice * _ROW


def _bid_parts(
    game: Any, state: State, bids: list[int], can: set[int], observer: int, y: float
) -> tuple[list[Item], float]:
    """The numbers of dice and the faces, of which a bid has one each; and where they end. The parts
    of the last bid have the colour of its player.
    """
    last = game.bid(bids[-1]) if bids else (0, 0)
    bidder = side((len(bids) - 1) % game.num_players, observer, game.num_players)
    higher = [(bid, game.bid(bid)) for bid in range(bids[-1] + 1 if bids else 0, game.liar)]
    items: list[Item] = []
    for part, count in enumerate((game.num_dice, game.faces)):
        in_row = -(-count // -(-count // _IN_ROW))
        for value in range(1, count + 1):
            row, column = divmod(value - 1, in_row)
            x, top = MIDDLE + (column - (in_row - 1) / 2) * _PART, y + row * _PART
            fitting = [bid for bid, parts in higher if parts[part] == value]
            meant = tuple(bid for bid in fitting if bid in can) or None
            role = bidder if last[part] == value else "cell" if fitting else "cell faint"
            if part:
                label = f"face {value}"
                items.append(Die(*_place(x, top), value, role=role, label=label, choices=meant))
            else:
                items += _number(x, top, value, role, meant)
        y += -(-count // in_row) * _PART + 6
    return items, y - 4


def _place(x: float, y: float) -> tuple[float, float, float]:
    """The corner and the size of a part of a bid, around ``x`` and below ``y``."""
    size = _PART - 2
    return x - size / 2, y + 1, size


def _number(x: float, y: float, value: int, role: str, meant: tuple[int, ...] | None) -> list[Item]:
    """A number of dice around ``x``, as a part of a bid."""
    is_last = "cell" not in role
    left, top, size = _place(x, y)
    label = f"{value} dice" if value > 1 else "1 die"
    words = "on" if is_last else "title faint" if "faint" in role else "title"
    cell = Rect(left, top, size, size, 4.0, role=role, label=label, choices=meant)
    return [cell, Text(x, y + _PART / 2, f"{value}", 15, role=words)]


def _status(game: Any, state: State, bids: list[int], caller: int, observer: int) -> str:
    if game.current_player(state) != TERMINAL:
        return turn(game, state, observer)
    challenged = does(caller, observer, "call", game.num_players)
    return f"{challenged} liar on {game.action_name(state, 0, bids[-1])}"


def liars_dice_hidden(game: Any, state: State, observer: int) -> str:
    """The faces of the dice that the observer does not see, in order of size."""
    dice, _, _ = game.told(state)
    unseen = []
    for player, rolled in enumerate(dice):
        faces = sorted(face for face in rolled if face)
        if faces and not knows(observer, player):
            held = does(player, observer, "have", len(dice))
            unseen.append(f"{held} {' '.join(map(str, faces))}")
    return ", ".join(unseen)


def liars_dice_told(game: Any, before: State, move: int, after: State, observer: int) -> str:
    """A roll, a bid or a call of liar, in words. Only observers who see a die read its face."""
    mover = game.current_player(before)
    if mover == CHANCE:
        roller = _roller(game, before)
        face = game.action_name(before, CHANCE, move)
        return words.does(roller, observer, f"roll {face}") if knows(observer, roller) else ""
    said = "call liar" if move == game.liar else f"bid {game.action_name(before, mover, move)}"
    return words.does(mover, observer, said)


def _roller(game: Any, state: State) -> int:
    """The player whose dice are being rolled."""
    return next(player for player, dice in enumerate(game.told(state)[0]) if 0 in dice)


LIARS_DICE: Final = Presentation(liars_dice, liars_dice_hidden, liars_dice_told)


def _sorted_dice_told(game: Any, before: State, move: int, after: State, observer: int) -> str:
    """The dice of a player in words, once the player sees them; else as in Liar's Dice."""
    if game.current_player(before) != CHANCE:
        return liars_dice_told(game, before, move, after, observer)
    roller = _roller(game, before)
    dice = game.told(after)[0][roller]
    if 0 in dice or not knows(observer, roller):
        return ""
    return words.does(roller, observer, f"roll {' '.join(map(str, dice))}")


SORTED_LIARS_DICE: Final = Presentation(liars_dice, liars_dice_hidden, _sorted_dice_told)
