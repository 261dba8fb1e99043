"""What the pokers look like: a card table with seats, cards, chips and words, for Kuhn poker,
two-round poker and limit poker. For people, in plain Python.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hiddenhand.games.base import ALL_SEEING, CHANCE, TERMINAL, State
from hiddenhand.games.drawing import words
from hiddenhand.games.drawing.layout import (
    MIDDLE,
    called,
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
from hiddenhand.games.poker.hands import RANKS, SUITS, card_name
from hiddenhand.games.poker.kuhn import move_name
from hiddenhand.games.poker.limit_poker import CARDS_BY_THEN, DEALT, RECEIVER, LimitPoker
from hiddenhand.games.poker.pictures import Situation, category_in_words, rounds_in_words, situation
from hiddenhand.games.scene import (
    CARD_SHAPE,
    WIDTH,
    Card,
    Chip,
    Item,
    Presentation,
    Rect,
    Scene,
    Text,
)

# --- the table ---

_GAP: Final = 4.0
_MOST_IN_A_ROW: Final = 3


@dataclass(frozen=True)
class TableCard:
    """A card as an observer sees it.

    rank, suit: as in `Card`; a rank of "" for a card that the observer does not see.
    role: as in `Item`.
    """

    rank: str = ""
    suit: str = ""
    role: str = ""

    def said(self) -> str:
        """The card in words."""
        return f"{self.rank}{self.suit}" if self.rank else "face down"


@dataclass(frozen=True)
class Seat:
    """A player at the table, as an observer sees them.

    name: what the player is called.
    role: the colour of the player's chips.
    cards: the cards of the player.
    chips: what the player has put in.
    note: what is said of the player, such as "folded".
    """

    name: str
    role: str
    cards: tuple[TableCard, ...]
    chips: int
    note: str = ""

    def said(self) -> str:
        """The seat in words."""
        cards = " ".join(card.said() for card in self.cards) or "none"
        note = f", {self.note}" if self.note else ""
        return f"{self.name}: cards {cards}, put in {self.chips}{note}"


def card_table(
    seats: Sequence[Seat],
    table: Sequence[TableCard],
    moves: list[str],
    status: str,
    label: str,
    places: int = 0,
) -> Scene:
    """A table with the first seat at the bottom, and the others at the top.

    seats: the seats, the nearest first.
    table: the cards on the table.
    moves: what happened, a line for each list of moves that belong together.
    status: what is to be done, or who won.
    label: what the whole picture shows.
    places: how many cards can lie on the table; missing ones are drawn as empty places.
    """
    items: list[Item] = []
    y = 10.0
    for first in range(1, len(seats), _MOST_IN_A_ROW):
        row = seats[first : first + _MOST_IN_A_ROW]
        wide = (WIDTH - 16) / len(row)
        width = 46.0 if len(row) == 1 else 34.0
        for number, seat in enumerate(row):
            items += _seat(seat, 8 + wide * (number + 0.5), y, width, chips_below=True)
        y += 22 + width * CARD_SHAPE + 44
    if places:
        items += _spread([*table, *[None] * (places - len(table))], MIDDLE - 24, y + 4, 42)
        # in words: chips that lie in front of the seats are not drawn a second time
        pot = sum(seat.chips for seat in seats)
        items.append(Text(WIDTH - 44, y + 34, f"pot: {pot}", 14, role="note"))
        y += 76
    own = seats[0]
    items += _stack(MIDDLE, y + 20, own.chips, own.role, "")
    y += 42
    items += _seat(own, MIDDLE, y, 56, chips_below=False)
    y += 56 * CARD_SHAPE + 26
    background = panel(2, y, role="felt")
    items.append(line_of(y + 20, status, "title"))
    y += 40
    for line in moves:
        items += (lines := wrapped_lines(line.split(", "), y))
        y += 18 * len(lines)
    return sheet(y + 2, [background, *items], label)


def _seat(seat: Seat, x: float, y: float, width: float, *, chips_below: bool) -> list[Item]:
    """A seat around ``x``, from ``y`` on: name, cards, and the chips below, or name below."""
    height = width * CARD_SHAPE
    words = f"{seat.name} ({seat.note})" if seat.note else seat.name
    role = f"{seat.role} title"
    if chips_below:
        name = Text(x, y + 8, words, 12, role=role)
        cards = _spread(seat.cards, x, y + 20, width)
        chips = _stack(x, y + 20 + height + 20, seat.chips, seat.role, seat.said())
        return [name, *cards, *chips]
    below = y + height + 14
    return [
        *_spread(seat.cards, x, y, width),
        Text(x, below, words, 12, role=role, label=seat.said()),
    ]


def _spread(cards: Sequence[TableCard | None], x: float, y: float, width: float) -> list[Item]:
    """Cards side by side around ``x``; None is an empty place."""
    left = x - (len(cards) * (width + _GAP) - _GAP) / 2
    items: list[Item] = []
    for number, card in enumerate(cards):
        at = left + number * (width + _GAP)
        if card is None:
            items.append(Rect(at, y, width, width * CARD_SHAPE, width * 0.1, role="cell faint"))
        else:
            items.append(
                Card(at, y, width, card.rank, card.suit, role=card.role, label=card.said())
            )
    return items


def _stack(x: float, y: float, amount: int, role: str, label: str) -> list[Item]:
    """A small stack of chips, with the amount on the upmost one."""
    if amount == 0:
        return []
    high = min(amount, 4) - 1
    below: list[Item] = [Chip(x, y + 3.5 * (high - n), 14, role=role) for n in range(high)]
    return [*below, Chip(x, y, 14, str(amount), role=role, label=label)]


# --- what all pokers share ---


def _holdings(observer: int, hands: Sequence[str]) -> str:
    """What players hold whose cards the observer does not see; "" for one without cards."""
    unseen = [
        f"{does(player, observer, 'hold', len(hands))} {hand}"
        for player, hand in enumerate(hands)
        if hand and not knows(observer, player)
    ]
    return ", ".join(unseen)


def _seats(
    observer: int, cards: Sequence[str], chips: Sequence[int], folded: Collection[int]
) -> list[Seat]:
    """Players with a card each, the nearest first; "" for a card that was not dealt."""
    seats, players = [], len(cards)
    for player in [(near(observer) + step) % players for step in range(players)]:
        seen = cards[player] if knows(observer, player) else ""
        role = "highlight" if seen and player == observer else ""
        seats.append(
            Seat(
                name=called(player, observer, players),
                role=side(player, observer, players),
                cards=(TableCard(seen, role=role),) if cards[player] else (),
                chips=chips[player],
                note="folded" if player in folded else "",
            )
        )
    return seats


def _ending(
    game: Any, state: State, observer: int, chips: Sequence[int], folded: Collection[int]
) -> str:
    """How a hand ended, for all that the observer knows: cards that are not shown do not tell who
    won.
    """
    players = game.num_players
    staying = [player for player in range(players) if player not in folded]
    if len(staying) == 1:
        won = sum(chips) - chips[staying[0]]
        ended = (
            does(next(iter(folded)), observer, "fold") if players == 2 else "all others have folded"
        )
        return f"{ended}: {does(staying[0], observer, 'win', players)} {won}"
    if observer != ALL_SEEING:
        return "showdown"
    paid = [game.returns(state, player) for player in range(players)]
    winners = [player for player in staying if paid[player] == max(paid)]
    if len(winners) > 1:
        return "showdown: the pot is split"
    return f"showdown: {does(winners[0], observer, 'win', players)} {max(paid):g}"


# --- Kuhn poker ---


def kuhn(game: Any, state: State, observer: int) -> Scene:
    """The card that the observer knows, chips, and moves."""
    cards, moves, chips, folded = _kuhn_facts(game, state)
    told = [f"{does(player, observer, move, len(cards))}" for player, move in moves]
    over = game.current_player(state) == TERMINAL
    status = _ending(game, state, observer, chips, folded) if over else turn(game, state, observer)
    seats = _seats(observer, cards, chips, folded)
    return card_table(seats, (), [", ".join(told)] if told else [], status, "a table of Kuhn poker")


def _kuhn_facts(
    game: Any, state: State
) -> tuple[list[str], list[tuple[int, str]], list[int], list[int]]:
    """The cards, the moves, what each player has put in, and the players who folded."""
    players = game.num_players
    cards = [
        game.action_name(state, CHANCE, int(card) - 1) if card else "" for card in state[:players]
    ]
    first = players + 1  # the place of the first move
    made = state[first : first + int(state[players])]
    moves: list[tuple[int, str]] = []
    chips, folded = [1] * players, list[int]()
    for turn_, move in enumerate(made):
        player = turn_ % players
        if move == game.BET:
            chips[player] += 1
        elif max(chips) > chips[player]:
            folded.append(player)
        moves.append((player, move_name(move, made[:turn_])))
    return cards, moves, chips, folded


def kuhn_hidden(game: Any, state: State, observer: int) -> str:
    """The cards that the observer does not see."""
    return _holdings(observer, _kuhn_facts(game, state)[0])


# --- two-round poker: Generic Poker and Leduc poker ---


def two_round(game: Any, state: State, observer: int) -> Scene:
    """The cards that the observer knows, chips, and the moves of both rounds."""
    hand = game.told(state)
    players = game.num_players
    rounds = [
        ", ".join(does(mover, observer, move, players) for mover, move in moves)
        for moves in hand.moves
    ]
    told = [f"round {number}: {moves}" for number, moves in enumerate(rounds, 1) if moves]
    status = turn(game, state, observer)
    if game.current_player(state) == TERMINAL:
        status = _ending(game, state, observer, hand.chips, hand.folded)
    return card_table(
        _seats(observer, hand.cards, hand.chips, hand.folded),
        (TableCard(hand.table),) if hand.table else (),
        told,
        status,
        "a table of two-round poker",
        places=1,
    )


def two_round_hidden(game: Any, state: State, observer: int) -> str:
    """The cards that the observer does not see."""
    return _holdings(observer, game.told(state).cards)


# --- limit poker ---


def limit(game: LimitPoker, state: State, observer: int) -> Scene:
    """The cards that the observer knows, the board, chips, and the moves of each round."""
    seen, players = situation(game, state), game.players
    names = [called(player, observer, players) for player in range(players)]
    order = [(near(observer) + step) % players for step in range(players)]
    return card_table(
        [_limit_seat(seen, player, observer, names[player]) for player in order],
        [_card(card) for card in seen.board],
        rounds_in_words(game, seen, names),
        _limit_status(game, state, seen, observer, names),
        "a table of limit poker",
        places=game.most_dealt - int(game.rounds[0, CARDS_BY_THEN]),
    )


def _limit_seat(seen: Situation, player: int, observer: int, name: str) -> Seat:
    players = len(seen.chips)
    shown = knows(observer, player) or _is_shown(seen, player)
    note = "folded" if seen.folded[player] else ""
    if _is_shown(seen, player):
        note = category_in_words(seen, player)
    return Seat(
        name=name,
        role=side(player, observer, players),
        cards=tuple(_card(card) if shown else TableCard() for card in seen.hole_cards[player]),
        chips=seen.chips[player],
        note=note,
    )


def _is_shown(seen: Situation, player: int) -> bool:
    """Whether the hand of a player is shown at the end."""
    return any(seen.winners) and not seen.folded[player] and seen.folded.count(False) > 1


def _limit_status(
    game: LimitPoker, state: State, seen: Situation, observer: int, names: list[str]
) -> str:
    if not any(seen.winners):
        return turn(game, state, observer)
    winners = [
        "them" if name == "they" else name
        for name, wins in zip(names, seen.winners, strict=True)
        if wins
    ]
    return f"the pot of {sum(seen.chips)} goes to {' and '.join(winners)}"


def _card(card: int) -> TableCard:
    return TableCard(RANKS[card // 4], SUITS[card % 4])


def limit_hidden(game: LimitPoker, state: State, observer: int) -> str:
    """The cards that the observer does not see."""
    seen = situation(game, state)
    unseen = [
        "" if _is_shown(seen, player) else " ".join(map(card_name, cards))
        for player, cards in enumerate(seen.hole_cards)
    ]
    return _holdings(observer, unseen)


# --- moves in words ---


def _kuhn_told(game: Any, before: State, move: int, after: State, observer: int) -> str:
    cards = list(map(int, before[: game.num_players]))
    return _told(game, before, move, observer, cards.index(0) if 0 in cards else None)


def _two_round_told(game: Any, before: State, move: int, after: State, observer: int) -> str:
    cards = game.told(before).cards
    return _told(game, before, move, observer, cards.index("") if "" in cards else None)


def _limit_told(game: Any, before: State, move: int, after: State, observer: int) -> str:
    number = int(before[DEALT])
    receiver = int(game.deals[number, RECEIVER]) if number < len(game.deals) else game.players
    return _told(game, before, move, observer, receiver if receiver < game.players else None)


def _told(game: Any, before: State, move: int, observer: int, receiver: int | None) -> str:
    """A card or a move in words. Only observers who see a card read its name.

    receiver: to whom a card is dealt; None for a card on the table.
    """
    mover = game.current_player(before)
    name = game.action_name(before, mover, move)
    if mover != CHANCE:
        return words.does(mover, observer, name)
    if receiver is None:
        return f"{name} is dealt to the table"
    return words.dealt(receiver, name, observer)


KUHN: Final = Presentation(kuhn, kuhn_hidden, _kuhn_told)
TWO_ROUND: Final = Presentation(two_round, two_round_hidden, _two_round_told)
LIMIT: Final = Presentation(limit, limit_hidden, _limit_told)
