"""A match of poker as text, in the usual form of hand histories: seats, antes or blinds, cards, and
the moves of each round.
"""

from collections.abc import Sequence
from typing import Any, Final

from hiddenhand.errors import OptionError
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History
from hiddenhand.games.poker.general_kuhn import GeneralKuhnPoker
from hiddenhand.games.poker.hands import card_name
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.poker.limit_poker import LimitPoker
from hiddenhand.games.poker.pictures import category_in_words, situation
from hiddenhand.games.poker.two_rounds import TwoRoundPoker
from hiddenhand.games.registry import game_spec

_KUHN: Final = (KuhnPoker, GeneralKuhnPoker)
_STREETS: Final = ("HOLE CARDS", "FLOP", "TURN", "RIVER")
_DOES: Final = {
    "fold": "folds",
    "check": "checks",
    "call": "calls",
    "bet": "bets",
    "raise": "raises",
}


def is_poker(game: Game) -> bool:
    """Whether matches of ``game`` have a hand history."""
    return isinstance(game, (*_KUHN, TwoRoundPoker, LimitPoker))


def hand_history(history: History, names: Sequence[str], number: str) -> str:
    """A match that is over, as text. Raises OptionError if its game is not poker.

    names: the name of each player.
    number: the number or name of the hand.
    """
    game = history.game
    if not is_poker(game):
        raise OptionError(
            "this match has no hand history, which exists for poker only; save its record"
        )
    lines = [f"Hiddenhand Hand #{number}: {game_spec(game)}"]
    lines += [f"Seat {seat}: {_named(names, seat - 1)}" for seat in range(1, len(names) + 1)]
    lines += _blinds(game, names)
    lines += _moves(history, names)
    lines += _summary(history, names)
    return "\n".join(lines) + "\n"


def _named(names: Sequence[str], seat: int) -> str:
    """A name that no other seat has."""
    return names[seat] if names.count(names[seat]) == 1 else f"{names[seat]} ({seat + 1})"


def _blinds(game: Any, names: Sequence[str]) -> list[str]:
    if not isinstance(game, LimitPoker):
        return [f"{_named(names, seat)}: posts the ante 1" for seat in range(game.num_players)]
    blinds = enumerate(map(int, game.blinds))
    return [f"{_named(names, seat)}: posts {blind}" for seat, blind in blinds if blind]


def _moves(history: History, names: Sequence[str]) -> list[str]:
    """The lines for the cards and the moves of each round."""
    game: Any = history.game
    lines: list[str] = []
    walked, dealt, street = History(history.game), list[int](), 0
    for move in history.moves:
        assert isinstance(move, int)  # poker is played in turns
        mover, after = walked.player, walked.child(move)
        if mover == CHANCE:
            dealt.append(move)
            if after.player != CHANCE or after.is_terminal:
                lines += _street(game, after, street, names)
                street += 1
        else:
            lines.append(f"{_named(names, mover)}: {_action(game, walked, after, mover, move)}")
        walked = after
    return lines


def _street(game: Any, after: History, street: int, names: Sequence[str]) -> list[str]:
    """The lines for the cards that were dealt before a betting round."""
    if isinstance(game, LimitPoker):
        seen = situation(game, after.state)
        if street:
            board = " ".join(map(card_name, seen.board))
            return [f"*** {_STREETS[min(street, 3)]} *** [{board}]"]
        hands = [" ".join(map(card_name, cards)) for cards in seen.hole_cards]
    elif street:
        return [f"*** TABLE CARD *** [{game.told(after.state).table}]"]
    else:
        hands = _cards(game, after)
    return [
        f"*** {_STREETS[0]} ***",
        *(f"Dealt to {_named(names, seat)} [{hand}]" for seat, hand in enumerate(hands)),
    ]


def _cards(game: Any, history: History) -> list[str]:
    """The card of each player of Kuhn or two-round poker."""
    if isinstance(game, TwoRoundPoker):
        return list(game.told(history.state).cards)
    return [
        game.action_name(history.state, CHANCE, int(card) - 1)
        for card in history.state[: game.num_players]
    ]


def _action(game: Any, before: History, after: History, mover: int, move: int) -> str:
    """A move in words, with the chips that it adds to the pot."""
    verb, _, _ = game.action_name(before.state, mover, move).partition(" ")
    put_in = _chips(game, after)[mover] - _chips(game, before)[mover]
    return f"{_DOES[verb]} {put_in}" if put_in else _DOES[verb]


def _chips(game: Any, history: History) -> list[int]:
    """The chips of each player in the pot."""
    if isinstance(game, LimitPoker):
        return list(situation(game, history.state).chips)
    if isinstance(game, TwoRoundPoker):
        return list(game.told(history.state).chips)
    bets = [mover for mover, move in zip(history.movers, history.moves, strict=True)
            if mover >= 0 and move == game.BET]  # fmt: skip
    return [1 + bets.count(seat) for seat in range(game.num_players)]


def _summary(history: History, names: Sequence[str]) -> list[str]:
    game: Any = history.game
    chips = _chips(game, history)
    lines = ["*** SUMMARY ***", f"Total pot {sum(chips)}"]
    for seat, paid in enumerate(history.returns()):
        held = ""
        if isinstance(game, LimitPoker):
            seen = situation(game, history.state)
            cards = " ".join(map(card_name, seen.hole_cards[seat]))
            made = "" if seen.folded[seat] else f", {category_in_words(seen, seat)}"
            held = f"[{cards}]{made}"
        else:
            held = f"[{_cards(game, history)[seat]}]"
        won = "won" if paid > 0 else "lost" if paid < 0 else "broke even"
        amount = f" {abs(paid):g}" if paid else ""
        lines.append(f"Seat {seat + 1}: {_named(names, seat)} {held}: {won}{amount}")
    return lines
