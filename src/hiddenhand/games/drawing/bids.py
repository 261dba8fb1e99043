"""Pictures of games of bids: Goofspiel, Oshi-Zumo and the sealed auction."""

from typing import Any, Final

from hiddenhand.games.base import ALL_SEEING, CHANCE, TERMINAL, State, seat_of
from hiddenhand.games.drawing import words
from hiddenhand.games.drawing.layout import (
    MIDDLE,
    called,
    choices,
    does,
    knows,
    line_of,
    near,
    outcome,
    panel,
    sheet,
    side,
    turn,
)
from hiddenhand.games.scene import (
    CARD_SHAPE,
    WIDTH,
    Arrow,
    Card,
    Chip,
    Circle,
    Item,
    Presentation,
    Rect,
    Scene,
    Text,
)

# --- Goofspiel ---

_HAND_CARD: Final = 46.0


def goofspiel(game: Any, state: State, observer: int) -> Scene:
    """A column for each round: the point card, and above and below it the bids that the observer
    knows. Below are the cards in the hand, and above those of the others.
    """
    told = game.told(state)
    own, others = near(observer), _others(told, observer)
    width = min(44.0, (WIDTH - 24) / game.num_cards - 3)
    items: list[Item] = []
    y = 2.0
    for other in others:
        items.append(line_of(y + 16, _score(told, other, observer), "title", 12))
        theirs, y = _hand(game, state, other, observer, y + 28, min(width, 24))
        items += theirs
    columns, y = _rounds(game, told, observer, y + 16, width)
    items += columns
    mine, below = _hand(game, state, own, observer, y + 14, _HAND_CARD)
    items += mine
    items.append(line_of(below + 12, _score(told, own, observer), "title", 12))
    items.append(line_of(below + 46, _goofspiel_words(game, state, told, observer), "title"))
    if told.unordered:
        rest = f"to come, in random order: {' '.join(map(str, told.to_come)) or 'nothing'}"
        items.append(line_of(below + 66, rest))
        below += 20
    table = panel(2, (below if not told.unordered else below - 20) + 24, role="felt")
    return sheet(below + 64, [table, *items], "Goofspiel")


def _others(told: Any, observer: int) -> list[int]:
    """The players who do not sit at the bottom, in the order of the seats."""
    players = len(told.points)
    return [(near(observer) + step) % players for step in range(1, players)]


def _score(told: Any, player: int, observer: int) -> str:
    points = told.points[player]
    name = called(player, observer, len(told.points))
    return f"{name}: {points:.4g} point{'' if points == 1 else 's'}"


def _hand(
    game: Any, state: State, player: int, observer: int, y: float, width: float
) -> tuple[list[Item], float]:
    """The cards in the hand of a player in rows, and where they end."""
    held = game.told(state).hands[player]
    known = knows(observer, player) or not game.imp_info
    can = choices(game, state, observer) if player == seat_of(observer) else set()
    width = min(width, (WIDTH - 24) / 7 - 4) if len(held) > 6 else width
    in_row = max(int((WIDTH - 20) // (width + 4)), 1)
    items: list[Item] = []
    for number, card in enumerate(held):
        row, column = divmod(number, in_row)
        here = min(in_row, len(held) - row * in_row)
        x = MIDDLE - (here * (width + 4) - 4) / 2 + column * (width + 4)
        top = y + row * (width * CARD_SHAPE + 4)
        if not known:
            items.append(Card(x, top, width))
            continue
        value = str(card + game.lowest_card)
        action = card if card in can else None
        role = "highlight" if action is not None else ""
        label = f"bid {value}" if action is not None else value
        items.append(Card(x, top, width, value, role=role, action=action, label=label))
    rows = -(-len(held) // in_row)
    return items, y + rows * (width * CARD_SHAPE + 4)


def _rounds(
    game: Any, told: Any, observer: int, y: float, width: float
) -> tuple[list[Item], float]:
    """The rounds as columns, and where they end."""
    others, players = _others(told, observer), len(told.points)
    high = width * CARD_SHAPE + 5
    point_y = y + len(others) * high
    left = MIDDLE - (game.num_cards * (width + 3) - 3) / 2
    items: list[Item] = []
    for number in range(game.num_cards):
        x = left + number * (width + 3)
        if number < len(told.rounds):
            point, *bids = told.rounds[number]
            takers = told.takers[number]
            role = side(takers[0], observer, players) if len(takers) == 1 else ""
            taken = " and ".join(called(one, observer, players) for one in takers) or "nobody"
            label = f"round {number + 1}: point card {point}, taken by {taken}"
            items.append(Card(x, point_y, width, str(point), role=role, label=label))
            rows = [(other, y + high * row) for row, other in enumerate(others)]
            for player, top in (*rows, (near(observer), point_y + high)):
                seen = knows(observer, player) or not game.imp_info
                bid = str(bids[player]) if seen else ""
                who = called(player, observer, players)
                label = f"bid of {who}: {bid or 'hidden'}"
                items.append(Card(x, top, width, bid, label=label))
        elif number == len(told.rounds) and told.top is not None:
            label = f"the point card {told.top} is bid for"
            items.append(Card(x, point_y, width, str(told.top), role="highlight", label=label))
        elif told.unordered:
            items.append(Card(x, point_y, width, role="faint"))
        else:
            point = told.to_come[number - len(told.rounds) - 1]
            items.append(Card(x, point_y, width, str(point), role="faint", label=f"{point}"))
    return items, point_y + 2 * high


def _goofspiel_words(game: Any, state: State, told: Any, observer: int) -> str:
    if game.current_player(state) != TERMINAL:
        bid = f" for the {told.top}" if told.top is not None else ""
        words = turn(game, state, observer).replace("choose", "bid") + bid
        return f"{words}, and {told.carried} left by ties" if told.carried else words
    players = len(told.points)
    winners = [one for one in range(players) if told.points[one] == max(told.points)]
    if len(winners) == players:
        return "the game is over: a draw"
    if len(winners) == 1:
        return f"the game is over: {does(winners[0], observer, 'win', players)}"
    names = [called(one, observer, players) for one in winners]
    return f"the game is over: {', '.join(names[:-1])} and {names[-1]} win"


def goofspiel_hidden(game: Any, state: State, observer: int) -> str:
    """The hands that the observer does not know, where bids are hidden."""
    if not game.imp_info:
        return ""
    unseen = []
    for player, hand in enumerate(game.told(state).hands):
        cards = " ".join(str(card + game.lowest_card) for card in hand)
        if not knows(observer, player):
            held = does(player, observer, "hold", game.num_players)
            unseen.append(f"{held} {cards or 'nothing'}")
    return ", ".join(unseen)


def goofspiel_told(game: Any, before: State, move: Any, after: State, observer: int) -> str:
    """A point card that is revealed; or the bids that the observer knows, and who takes it.

    after: the state after the move.
    """
    if isinstance(move, int):
        return f"the point card is {game.action_name(before, CHANCE, move)}"
    if observer == ALL_SEEING or not game.imp_info:
        bids = words.all_do(game, before, move, after, observer, "bid")
    elif observer >= 0:
        bids = words.does(
            observer, observer, f"bid {game.action_name(before, observer, move[observer])}"
        )
    else:
        bids = ""
    card, told = f"the point card {game.told(before).top}", game.told(after)
    takers = told.takers[-1]
    taken = f"{card} {'is left for the next round' if told.carried else 'is discarded'}"
    if len(takers) == 1:
        taken = words.does(takers[0], observer, f"take {card}")
    elif takers:
        names = ["you" if one == observer else f"player {one + 1}" for one in takers]
        taken = f"{', '.join(names[:-1])} and {names[-1]} share {card}"
    return f"{bids}; {taken}" if bids else taken


GOOFSPIEL: Final = Presentation(goofspiel, goofspiel_hidden, goofspiel_told)


# --- Oshi-Zumo ---

_MOST_BIDS: Final = 99
_BIDS_IN_ROW: Final = 11


def oshi_zumo(game: Any, state: State, observer: int) -> Scene:
    """The field with the wrestler, whom the observer pushes to the right; the coins; and the bids
    that can be chosen.
    """
    own, other = near(observer), 1 - near(observer)
    coins = [int(state[0]), int(state[1])]
    items = [*_field(game, int(state[2]), observer, 56)]
    for player, x in ((own, 68.0), (other, WIDTH - 68.0)):
        who = called(player, observer)
        role = side(player, observer)
        items.append(Text(x, 20, does(player, observer, "push"), 12, role="title"))
        step = 26.0 if player == own else -26.0
        items.append(Arrow(((x - step, 36), (x + step, 36)), 3, role=role))
        items.append(Chip(x, 152, 20, str(coins[player]), role=role, label=f"coins of {who}"))
        items.append(Text(x, 182, "coins", 11, role="note"))
    if game.current_player(state) == TERMINAL:
        items.append(line_of(208, outcome(game, state, observer), "title"))
        return sheet(228, [panel(2, 222), *items], "Oshi-Zumo")
    words = turn(game, state, observer).replace("both choose", "both bid")
    items.append(line_of(152, words, "title"))
    can = sorted(choices(game, state, observer))
    items.insert(0, panel(2, 196))
    chips, below = _bid_chips(can, 222)
    return sheet(below - 16 if chips else 202, [*items, *chips], "Oshi-Zumo")


def _bid_chips(can: list[int], y: float) -> tuple[list[Item], float]:
    """A chip for each bid that can be chosen, in rows around ``y``, and where the next row lies.
    Too many bids to be read are left out.
    """
    items: list[Item] = []
    if len(can) > _MOST_BIDS:
        return items, y
    for number, bid in enumerate(can):
        row, column = divmod(number, _BIDS_IN_ROW)
        here = min(_BIDS_IN_ROW, len(can))
        x = MIDDLE + (column - (here - 1) / 2) * 31
        chip = Chip(x, y + row * 31, 13.5, str(bid), role="mine", action=bid, label=f"bid {bid}")
        items.append(chip)
    return items, y + -(-len(can) // _BIDS_IN_ROW) * 31


def _field(game: Any, wrestler: int, observer: int, y: float) -> list[Item]:
    """The places from the side of the observer, and the wrestler, who may be outside."""
    places = 2 * game.size + 1
    size = min((WIDTH - 20) / (places + 2), 46.0)
    left = MIDDLE - size * places / 2
    at = wrestler if near(observer) == 0 else places - 1 - wrestler
    items: list[Item] = []
    for place in range(-1, places + 1):
        x = left + place * size
        outside = place in (-1, places)
        role = "failed" if outside else "cell"
        items.append(Rect(x + 1, y, size - 2, 64, 4, role=role))
        if place == game.size:
            items.append(Rect(x + size / 2 - 1, y + 6, 2, 52, role="grid"))
    x = left + (at + 0.5) * size
    body = min(size * 0.42, 16.0)
    steps = at - game.size
    where = f"{abs(steps)} to the {'right' if steps > 0 else 'left'}" if steps else "in the middle"
    return [
        *items,
        Circle(x, y + 38, body, role="highlight", label=f"the wrestler is {where}"),
        Circle(x, y + 38 - body - 4, body * 0.55, role="highlight"),
        Rect(x - body, y + 38 + body * 0.25, 2 * body, body * 0.4, 2, role="wall"),
    ]


def oshi_zumo_told(game: Any, before: State, move: Any, after: State, observer: int) -> str:
    """Both bids, and what becomes of the wrestler."""
    pushed = "the wrestler stays"
    if move[0] != move[1]:
        pushed = words.does(int(move[1] > move[0]), observer, "push the wrestler")
    return f"{words.all_do(game, before, move, after, observer, 'bid')}; {pushed}"


OSHI_ZUMO: Final = Presentation(oshi_zumo, tell=oshi_zumo_told)


# --- the sealed auction ---


def auction(game: Any, state: State, observer: int) -> Scene:
    """For each player the value and the bid, as far as the observer knows them, and the bids that
    can be made.
    """
    values, made, winner = game.told(state)
    players = len(values)
    items: list[Item] = []
    y = 14.0
    for step in range(1, players + 1):  # the observer is the last
        player = (near(observer) + step) % players
        name, known = called(player, observer, players), knows(observer, player)
        role = "highlight" if player == winner else ""
        value = str(values[player]) if known and values[player] else ""
        label = f"value of {name}: {value or 'unknown'}"
        items.append(Text(88, y + 28, name, 12, role=f"{side(player, observer, players)} title"))
        if values[player]:
            items.append(Card(160, y, 40, value, role=role, label=label))
        if made[player] >= 0:
            bid = str(made[player]) if known else "?"
            own = side(player, observer, players)
            items.append(Chip(262, y + 28, 18, bid, role=own, label=f"bid of {name}: {bid}"))
        y += 40 * CARD_SHAPE + 10
    words = turn(game, state, observer)
    if winner >= 0:
        words = f"{does(winner, observer, 'win', players)} the item"
    items.append(line_of(y + 12, words, "title"))
    chips, below = _bid_chips(sorted(choices(game, state, observer)), y + 44)
    bottom = below - 10 if chips else y + 30
    return sheet(bottom + 6, [panel(2, bottom), *items, *chips], "a sealed auction")


def auction_hidden(game: Any, state: State, observer: int) -> str:
    """The values and the bids that the observer does not know."""
    values, made, _ = game.told(state)
    unseen = []
    for player, value in enumerate(values):
        if value and not knows(observer, player):
            bid = f" and bid {made[player]}" if made[player] >= 0 else ""
            unseen.append(does(player, observer, f"have the value {value}", len(values)) + bid)
    return ", ".join(unseen)


def auction_told(game: Any, before: State, move: int, after: State, observer: int) -> str:
    """A value or a bid, for observers who know it; and the winner."""
    values = game.told(before)[0]
    winner = game.told(after)[2]
    won = words.does(winner, observer, "win the item") if winner >= 0 else ""
    mover = game.current_player(before)
    if mover == CHANCE:
        if 0 not in values:
            return won
        owner = values.index(0)
        if not knows(observer, owner):
            return ""
        return words.does(
            owner, observer, f"have the value {game.action_name(before, CHANCE, move)}"
        )
    bid = f"bid {move}" if knows(observer, mover) else "make a bid"
    said = words.does(mover, observer, bid)
    return f"{said}; {won}" if won else said


SEALED_AUCTION: Final = Presentation(auction, auction_hidden, auction_told)
