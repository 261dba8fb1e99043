"""What the pokers look like: a card table for Kuhn poker, two-round poker and limit poker. For
people, in plain Python.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final

from hiddenhand.games.base import ALL_SEEING, CHANCE, TERMINAL, State
from hiddenhand.games.poker.hands import RANKS, SUITS, card_name
from hiddenhand.games.poker.limit_poker import CARDS_BY_THEN, DEALT, RECEIVER, LimitPoker
from hiddenhand.games.poker.pictures import (
    Situation,
    category_in_words,
    rounds_in_words,
    situation,
)
from hiddenhand.games.scene import Presentation, Scene
from hiddenhand.games.scenes import words
from hiddenhand.games.scenes.card_table import Seat, TableCard, card_table
from hiddenhand.games.scenes.layout import called, does, knows, near, side, turn


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
    made = [int(move) for move in state[first : first + int(state[players])]]
    moves: list[tuple[int, str]] = []
    chips, folded = [1] * players, list[int]()
    for turn_, move in enumerate(made):
        player = turn_ % players
        if move == game.BET:
            chips[player] += 1
        elif max(chips) > chips[player]:
            folded.append(player)
        moves.append((player, game.action_name(state, player, move)))
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
    """A move in words. Only observers who see a card read its name."""
    cards = list(map(int, before[: game.num_players]))
    return _told(game, before, move, observer, cards.index(0) if 0 in cards else None)


def _two_round_told(game: Any, before: State, move: int, after: State, observer: int) -> str:
    """A move in words. Only observers who see a card read its name."""
    cards = game.told(before).cards
    return _told(game, before, move, observer, cards.index("") if "" in cards else None)


def _limit_told(game: Any, before: State, move: int, after: State, observer: int) -> str:
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
        return words.does(mover, observer, name)
    if receiver is None:
        return f"{name} is dealt to the table"
    return words.dealt(receiver, name, observer)


KUHN: Final = Presentation(kuhn, kuhn_hidden, _kuhn_told)
TWO_ROUND: Final = Presentation(two_round, two_round_hidden, _two_round_told)
LIMIT: Final = Presentation(limit, limit_hidden, _limit_told)
