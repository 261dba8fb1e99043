"""Reads and writes lines of the protocol: the state that a player gets (`MATCHSTATE`), and the
lines of a log for a hand (`STATE`) and for a match (`SCORE`).

    MATCHSTATE:position:hand:betting:cards
    STATE:hand:betting:cards:values:names
    SCORE:values:names

    betting   f, c and r; a `/` as soon as a round begins
    cards     the hole cards of all positions, `|` between them, nothing for those that are hidden;
              behind them the board, with a `/` wherever a round begins
    values    what each won, in chips, `|` between them
    names     the players' names, `|` between them

In `STATE`, values and names are in the order of positions; in `SCORE`, in the order of seats.

Source: `game.c` (`readMatchState`, `printMatchState`, `readState`) and `dealer.c`
(`addToLogFile`, `printFinalMessage`) of the competition's server. Unlike that server, all that is
read must be written as the server writes it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final

from hiddenhand.errors import ProtocolError
from hiddenhand.games.poker.definition import GameDefinition
from hiddenhand.games.poker.hands import hand_table, set_of
from hiddenhand.interop.acpc.betting import Betting, read_betting
from hiddenhand.interop.acpc.cards import Cards, read_cards, verify_dealt, written_cards
from hiddenhand.text import shortened

LAST_HAND: Final = 2**32 - 1
_NUMBER: Final = re.compile(r"0|[1-9]\d{0,9}", re.ASCII)
_VALUE: Final = re.compile(r"-?\d{1,15}(\.\d{1,6})?", re.ASCII)
_NAME: Final = re.compile(r"[^:|\x00-\x1f\x7f-\x9f\u2028\u2029]{1,100}")


@dataclass(frozen=True)
class MatchState:
    """The state of a hand as the dealer sends it to a player.

    position: the position of that player.
    hand: the number of the hand, from 0.
    betting: the betting so far.
    cards: the cards that the player knows. Those of others are known after a showdown.
    """

    position: int
    hand: int
    betting: Betting
    cards: Cards

    @property
    def text(self) -> str:
        """The line, without its end."""
        return f"MATCHSTATE:{self.position}:{written_hand(self.hand, self.betting, self.cards)}"

    @property
    def is_ours(self) -> bool:
        """Whether the player is to act."""
        return self.betting.actor == self.position

    @property
    def seat(self) -> int:
        """The seat of the player."""
        return seat_of(self.position, self.hand, self.betting.definition.num_players)


@dataclass(frozen=True)
class HandRecord:
    """A hand that is over. Tuples are in the order of positions.

    hand: the number of the hand, from 0.
    betting: all of the betting.
    cards: all hole cards, and the board as far as it was dealt.
    values: what each player won, in chips.
    names: the names of the players.
    """

    hand: int
    betting: Betting
    cards: Cards
    values: tuple[float, ...]
    names: tuple[str, ...]

    @property
    def text(self) -> str:
        """The line, without its end."""
        hand = written_hand(self.hand, self.betting, self.cards)
        return f"STATE:{hand}:{written_values(self.values)}:{'|'.join(self.names)}"


@dataclass(frozen=True)
class Score:
    """What each player won in a match. Tuples are in the order of seats.

    values: what each player won, in chips.
    names: the names of the players.
    """

    values: tuple[float, ...]
    names: tuple[str, ...]

    @property
    def text(self) -> str:
        """The line, without its end."""
        return f"SCORE:{written_values(self.values)}:{'|'.join(self.names)}"


def seat_of(position: int, hand: int, players: int) -> int:
    """The seat that has a position in a hand."""
    return (position + hand) % players


def position_of(seat: int, hand: int, players: int) -> int:
    """The position that a seat has in a hand."""
    return (seat - hand) % players


# --- writing ---


def written_hand(hand: int, betting: Betting, cards: Cards) -> str:
    """``hand:betting:cards``, which the lines of one hand share."""
    holes = "|".join(written_cards(hole) for hole in cards.holes)
    board = "/".join(written_cards(dealt) for dealt in _by_round(betting, cards.board))
    return f"{hand}:{betting.text}:{holes}{board}"


def written_values(values: Sequence[float]) -> str:
    """Values with at most six digits behind the point, and no zeros at their ends."""
    return "|".join(f"{value:.6f}".rstrip("0").rstrip(".") for value in values)


def _by_round(betting: Betting, board: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The cards on the board, apart for each round that has begun."""
    dealt = betting.definition.num_board_cards[: betting.round + 1]
    ends = accumulate(dealt, initial=0)
    return [board[start:end] for start, end in pairwise(ends)]


# --- reading ---


def read_match_state(definition: GameDefinition, line: str) -> MatchState:
    """What a line without its end tells a player. Raises ProtocolError for any other line."""
    kind, *rest = line.split(":")
    if kind != "MATCHSTATE" or len(rest) != 4:
        raise ProtocolError(
            f"{shortened(line)} is no state of a match, which is MATCHSTATE:position:hand:betting:"
            "cards"
        )
    position = _number(rest[0], definition.num_players - 1, "a position")
    hand, betting, cards = _read_hand(definition, rest[1:])
    state = MatchState(position, hand, betting, cards)
    if not cards.holes[position]:
        raise ProtocolError(f"{shortened(line)} does not tell the player's own cards")
    return state


def read_hand_record(definition: GameDefinition, line: str) -> HandRecord:
    """The hand that a line of a log tells. Raises ProtocolError for any other line."""
    kind, *rest = line.split(":")
    if kind != "STATE" or len(rest) != 5:
        raise ProtocolError(
            f"{shortened(line)} is no hand, which is STATE:hand:betting:cards:values:names"
        )
    hand, betting, cards = _read_hand(definition, rest[:3])
    if not betting.is_over:
        raise ProtocolError(f"the hand {shortened(line)} is not over")
    if not all(cards.holes):
        raise ProtocolError(f"the hand {shortened(line)} does not tell the cards of all players")
    values, names = _read_values(definition.num_players, *rest[3:])
    return HandRecord(hand, betting, cards, values, names)


def read_score(players: int, line: str) -> Score:
    """The score that a line of a log tells. Raises ProtocolError for any other line."""
    kind, *rest = line.split(":")
    if kind != "SCORE" or len(rest) != 2:
        raise ProtocolError(f"{shortened(line)} is no score, which is SCORE:values:names")
    return Score(*_read_values(players, *rest))


def verify_name(name: str) -> None:
    """Raise ProtocolError for a name that a player cannot have in a log."""
    if not _NAME.fullmatch(name):
        raise ProtocolError(
            f"{shortened(name)} cannot be the name of a player; give 1 to 100 letters, without "
            "colons and bars"
        )


def _read_hand(definition: GameDefinition, parts: list[str]) -> tuple[int, Betting, Cards]:
    """What `written_hand` writes, taken apart at its colons."""
    hand = _number(parts[0], LAST_HAND, "the number of a hand")
    betting = read_betting(definition, parts[1])
    return hand, betting, _read_cards(betting, parts[2])


def _read_cards(betting: Betting, text: str) -> Cards:
    definition = betting.definition
    first, *later = text.split("/")
    *others, last = first.split("|")
    on_first_board = 2 * definition.num_board_cards[0]
    cut = len(last) - on_first_board
    holes = [*others, last[: max(cut, 0)]]
    board = [last[max(cut, 0) :], *later]
    counts = definition.num_board_cards[: betting.round + 1]
    if (
        len(holes) != definition.num_players
        or any(len(hole) not in (0, 2 * definition.num_hole_cards) for hole in holes)
        or [len(dealt) for dealt in board] != [2 * count for count in counts]
    ):
        raise ProtocolError(
            f"the cards {shortened(text)} are not those of {definition.num_players} players in "
            f"round {betting.round + 1}"
        )
    cards = Cards(tuple(map(read_cards, holes)), read_cards("".join(board)))
    verify_dealt(cards, definition)
    return cards


def _read_values(
    players: int, values: str, names: str
) -> tuple[tuple[float, ...], tuple[str, ...]]:
    read, called = values.split("|"), names.split("|")
    if not len(read) == len(called) == players or not all(map(_VALUE.fullmatch, read)):
        raise ProtocolError(
            f"{shortened(values)} and {shortened(names)} are not the values and names of {players} "
            "players"
        )
    for name in called:
        verify_name(name)
    return tuple(map(float, read)), tuple(called)


def _number(text: str, last: int, what: str) -> int:
    if not _NUMBER.fullmatch(text) or int(text) > last:
        raise ProtocolError(f"{shortened(text)} is not {what}; that is a number from 0 to {last}")
    return int(text)


def best_five(cards: Sequence[int]) -> int:
    """How good the best five of some cards are: larger is better, and equal hands share a pot."""
    return int(hand_table().strength(set_of(tuple(cards))))


def hand_values(betting: Betting, cards: Cards) -> tuple[float, ...]:
    """What each position wins, in chips, in a hand that is over.

    Source: `game.c` of the competition's server (`valueOfState`). In a limit game without an end of
    the chips all who are left have put in the same, so there is one pot.

    betting: all of the betting.
    cards: all cards that count; hole cards of positions that have folded may be missing.
    """
    left = betting.left
    if betting.is_showdown:
        strengths = {p: best_five((*cards.holes[p], *cards.board)) for p in left}
        best = max(strengths.values())
        left = tuple(p for p in left if strengths[p] == best)
    share = sum(betting.spent) / len(left)
    return tuple(
        share - spent if position in left else float(-spent)
        for position, spent in enumerate(betting.spent)
    )
