"""Reads hands of fixed-limit Hold'em and replays them by our rules: `read_hands`.

A hand becomes a history of `LimitHoldem`, with a definition for its blinds and bets. Each action is
checked: whether it is the player's turn, whether it is legal, and whether a bet has its size.
"""

import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from hiddenhand.errors import FileError, HiddenhandError
from hiddenhand.files import open_to_read
from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import History
from hiddenhand.games.poker.betting import RAISES, ROUND, STAKE
from hiddenhand.games.poker.hands import NUM_CARDS, card_name
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.games.poker.limit_poker import CHIPS, RAISE_SIZE
from hiddenhand.interop.phh.fixed_limit import (
    BOARD,
    MOST_RAISES_BY_DEFAULT,
    ROUNDS,
    VARIANT,
    definition_of,
)
from hiddenhand.text import shortened

_CARD: Final = {card_name(card): card for card in range(NUM_CARDS)}
_FINEST: Final = 1000  # chips of a unit of money
_LARGEST: Final = 10**6  # chips of a bet or a blind
_AMOUNT: Final = re.compile(r"\d{1,20}(\.\d{0,20})?|\.\d{1,20}", re.ASCII)


@dataclass(frozen=True)
class Hand:
    """A hand that was read.

    history: the hand, replayed; its game has the blinds and bets of the file. It need not be over.
    players: the names of the players, in the order of positions; empty if the file has none.
    chip: what a chip of the history is worth in the money of the file, 1 if all amounts are whole.
    fields: all fields of the hand, as TOML has them.
    """

    history: History
    players: tuple[str, ...]
    chip: float
    fields: Mapping[str, Any]

    def __repr__(self) -> str:
        game = self.history.game
        return f"Hand({game.num_players} players, {len(self.history.moves)} moves)"


def read_hands(path: Path | str) -> list[Hand]:
    """The hands of a ``.phh`` or ``.phhs`` file, in order.

    Raises FileError for a file that cannot be read, and for a hand that cannot be replayed: of
    another variant, with antes, with cards that are not known, with a player who is all-in, or with
    an action that is not legal. The message has the number of the hand and of the action.
    """
    with open_to_read(path) as file:
        content = file.read()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path} is no hand history: byte {error.start} is no UTF-8; give a .phh file"
        ) from error
    return parse_hands(text, path)


def parse_hands(text: str, where: object = "the file") -> list[Hand]:
    """The hands in the text of a file. Raises FileError, about ``where``; see `read_hands`."""
    try:
        fields = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also for an integer of 5,000 digits
        raise FileError(f"{where} is no hand history: {error}; give a .phh file") from error
    if "variant" in fields or not fields:
        return [_Reader(fields, f"{where}").hand()]
    hands = []
    for name, own in fields.items():
        if not isinstance(own, dict):
            raise FileError(f"{where} has no field variant; give a hand, or tables of hands")
        hands.append(_Reader(own, f"{where}, hand {shortened(name)}").hand())
    return hands


class _Reader:
    """Reads one hand.

    fields: of the hand.
    where: the file, and the hand in it, for messages.
    """

    def __init__(self, fields: Mapping[str, Any], where: str) -> None:
        self._fields, self._where = fields, where

    def hand(self) -> Hand:
        """The hand, replayed."""
        if self._fields.get("variant") != VARIANT:
            raise self._wrong(
                f"variant {shortened(self._fields.get('variant'))} cannot be replayed here; give "
                f"hands of {VARIANT}, fixed-limit Hold'em"
            )
        players = len(self._amounts("blinds_or_straddles"))
        if not 2 <= players <= 10:
            raise self._wrong("blinds_or_straddles must have 2 to 10 entries")
        if any(self._amounts("antes", players)):
            raise self._wrong("antes are not part of our limit games; give hands without antes")
        bets = [self._amount("small_bet"), self._amount("big_bet")]
        money = [*self._amounts("blinds_or_straddles"), *bets]
        chips = math.lcm(*(amount.denominator for amount in money))
        if chips > _FINEST or max(money) * chips > _LARGEST or min(bets) <= 0:
            raise self._wrong("its blinds and bets are too fine, too large or 0 for chips")
        game = self._game([int(amount * chips) for amount in money])
        names = self._fields.get("players", [])
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise self._wrong("players must be a list of names")
        if names and len(names) != players:
            raise self._wrong(f"players must have {players} names")
        history = self._replayed(game, chips)
        return Hand(history, tuple(names), 1 / chips, self._fields)

    def _game(self, chips: Sequence[int]) -> LimitHoldem:
        """The game with some blinds, a small bet and a big bet."""
        *blinds, small, big = chips
        if len(blinds) == 2:
            blinds.reverse()
        most = self._fields.get("_max_raises", list(self._raises()))
        if (
            not isinstance(most, list)
            or len(most) != ROUNDS
            or not all(type(count) is int and 0 <= count <= 20 for count in most)
        ):
            problem = f"_max_raises={shortened(most)} is not allowed; give {ROUNDS} numbers"
            raise self._wrong(problem)
        definition = definition_of(tuple(blinds), small, big, tuple(most))
        try:
            return LimitHoldem(definition=definition.text)
        except HiddenhandError as error:
            raise self._wrong(str(error)) from error

    def _raises(self) -> Iterator[int]:
        """The most bets and raises of each round: by default those of the competition, or as many
        as there are in the hand.
        """
        counts, round_ = [0] * ROUNDS, 0
        for words in self._actions():
            round_ = min(round_ + (words[:2] == ["d", "db"]), ROUNDS - 1)
            counts[round_] += words[1:2] == ["cbr"]
        return map(max, counts, MOST_RAISES_BY_DEFAULT)

    def _actions(self) -> list[list[str]]:
        """The words of each action, without remarks."""
        actions = self._fields.get("actions")
        if not isinstance(actions, list) or not all(isinstance(one, str) for one in actions):
            raise self._wrong("actions must be a list of texts")
        return [action.partition("#")[0].split() for action in actions]

    def _replayed(self, game: LimitHoldem, chips: int) -> History:
        """The history of all actions."""
        stacks = self._amounts("starting_stacks", game.players)
        replay = _Replay(game)
        for number, words in enumerate(self._actions(), 1):
            problem = replay.go_on(words, chips)
            if problem:
                raise self._wrong(f"action {number}, {shortened(' '.join(words))}: {problem}")
            state = replay.history.state
            if any(state[CHIPS + seat] > stack * chips for seat, stack in enumerate(stacks)):
                problem = "a player is all-in, and our limit games have no stacks"
                raise self._wrong(f"action {number}: {problem}; give hands with larger stacks")
        return replay.history

    def _amounts(self, name: str, count: int | None = None) -> list[Fraction]:
        given = self._fields.get(name)
        if not isinstance(given, list) or (count is not None and len(given) != count):
            wanted = "amounts" if count is None else f"{count} amounts"
            raise self._wrong(f"{name} must be a list of {wanted}")
        return [self._fraction(name, amount) for amount in given]

    def _amount(self, name: str) -> Fraction:
        return self._fraction(name, self._fields.get(name))

    def _fraction(self, name: str, amount: Any) -> Fraction:
        if name == "starting_stacks" and amount == math.inf:
            return Fraction(10**12)
        if isinstance(amount, bool) or not isinstance(amount, (int, float)):
            raise self._wrong(f"{name}={shortened(amount)} is not allowed; give an amount")
        if not 0 <= amount < 10**12:  # also refuses nan
            raise self._wrong(f"{name}={amount} is not allowed; give an amount of at least 0")
        return Fraction(repr(amount))

    def _wrong(self, problem: str) -> FileError:
        return FileError(f"{self._where}: {problem}")


class _Replay:
    """A hand as far as it was replayed. history: its history."""

    def __init__(self, game: LimitHoldem) -> None:
        self.history = History(game)
        self._game = game
        self._hands: dict[int, list[int]] = {}
        self._board: list[int] = []
        self._used: set[int] = set()
        self._begun = 0  # the most chips that a player had in when the betting round began

    def go_on(self, words: Sequence[str], chips: int) -> str:
        """Make an action: what is wrong with it, in words, or nothing.

        chips: how many make a unit of money.
        """
        match words:
            case []:  # a remark
                return ""
            case ["d", "dh", player, cards]:
                return self._deal_hand(player, cards)
            case ["d", "db", cards]:
                return self._deal_board(cards)
            case [player, "f"]:
                return self._move(player, self._game.FOLD)
            case [player, "cc"]:
                return self._move(player, self._game.CALL)
            case [player, "cbr", amount]:
                return self._raise(player, amount, chips)
            case [player, "sm"]:
                return "" if self._seat(player) is not None else f"there is no player {player}"
            case [player, "sm", cards]:
                return self._show(player, cards)
        return "this is no action of fixed-limit Hold'em"

    def _deal_hand(self, player: str, text: str) -> str:
        seat, cards = self._seat(player), self._new_cards(text)
        if seat is None or cards is None or self.history.player != CHANCE or self._board:
            return "these cards cannot be dealt; give two known cards of the deck to each player"
        hand = self._hands.setdefault(seat, [])
        hand += cards
        if len(hand) > 2:
            return "a player has two cards"
        if sum(map(len, self._hands.values())) == 2 * self._game.players:
            for each in range(self._game.players):
                self._deal(self._hands[each])
        return ""

    def _deal_board(self, text: str) -> str:
        cards = self._new_cards(text)
        number = int(self.history.state[ROUND])
        if cards is None or self.history.player != CHANCE or number == 0:
            return "these cards cannot be dealt; deal known cards when a betting round is over"
        self._board += cards
        if len(self._board) > BOARD[number]:
            return f"{BOARD[number]} cards are dealt here"
        if len(self._board) == BOARD[number]:
            self._begun = int(self.history.state[STAKE])
            self._deal(self._board)
            self._board = []
        return ""

    def _deal(self, cards: Sequence[int]) -> None:
        for card in sorted(cards):
            self.history = self.history.child(card)

    def _new_cards(self, text: str) -> list[int] | None:
        """Cards that were not dealt before; None if these are others, or not known."""
        names = [text[place : place + 2] for place in range(0, len(text), 2)]
        cards = [_CARD[name] for name in names if name in _CARD]
        if len(cards) < len(names) or len({*cards} - self._used) < len(names):
            return None
        self._used |= {*cards}
        return cards

    def _move(self, player: str, action: int) -> str:
        if self.history.player < 0 or self._seat(player) != self.history.player:
            turn = self.history.player
            return f"it is the turn of p{turn + 1}" if turn >= 0 else "no player is to move"
        if action not in self.history.legal_actions():
            return "this is not possible here"
        self.history = self.history.child(action)
        return ""

    def _raise(self, player: str, amount: str, chips: int) -> str:
        state = self.history.state
        most, number = int(state[STAKE]), int(state[ROUND])
        wanted = most + int(self._game.rounds[number, RAISE_SIZE]) - self._begun
        # a power of ten, such as 1e999999999, would take all memory
        if not _AMOUNT.fullmatch(amount) or Fraction(amount) * chips != wanted:
            return f"a bet or raise is to {wanted / chips:g} here"
        if self.history.player >= 0 and self._game.RAISE not in self.history.legal_actions():
            return f"there were {int(state[RAISES])} bets and raises, which is the limit"
        return self._move(player, self._game.RAISE)

    def _show(self, player: str, text: str) -> str:
        seat = self._seat(player)
        names = [text[place : place + 2] for place in range(0, len(text), 2)]
        if seat is None or sorted(names) != sorted(map(card_name, self._hands.get(seat, []))):
            return "these are other cards than the player was dealt"
        return "" if self.history.is_terminal else "the hand is not over"

    def _seat(self, player: str) -> int | None:
        seats = {f"p{seat + 1}": seat for seat in range(self._game.players)}
        return seats.get(player)
