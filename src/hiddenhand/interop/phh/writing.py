"""Writes hands of limit Hold'em: `hand_text` and `write_hands`.

Source: the specification of the poker hand history format, "Required fields", "Optional fields" and
"Specification" (Kim 2024, "Recording and Describing Poker Hands").

Our games have no stacks. A stack in the file is larger than all that a player can put in, so no
player is all-in. The field ``_max_raises``, which readers of other programs ignore, keeps the most
bets and raises of each round.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from hiddenhand.errors import FileError, OptionError
from hiddenhand.files import write_file
from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import History
from hiddenhand.games.poker.betting import FOLDED, ROUND, STAKE
from hiddenhand.games.poker.hands import card_name
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.games.poker.limit_poker import CHIPS, FIRST_PLAYER, RAISE_SIZE
from hiddenhand.interop.phh.fixed_limit import VARIANT, max_raises_of, verified

ONE: Final = ".phh"
SEVERAL: Final = ".phhs"


def hand_text(history: History, players: Sequence[str] = (), hand: int | None = None) -> str:
    """A hand as text.

    history: of limit Hold'em; it need not be over.
    players: the names of the players, in the order of positions; by default none.
    hand: the number of the hand; None for no number.

    Raises OptionError for a game of which the format has no hands, and for another number of names.
    """
    game = verified(history.game)
    if players and len(players) != game.players:
        raise OptionError(
            f"{len(players)} names were given for {game.players} players; name each of them"
        )
    return "\n".join(f"{name} = {_written(value)}" for name, value in
                     _fields(game, history, players, hand)) + "\n"  # fmt: skip


def write_hands(
    path: Path | str, histories: Sequence[History], players: Sequence[Sequence[str]] = ()
) -> None:
    """Write hands to a file: one to a ``.phh`` file, any number to a ``.phhs`` file.

    players: for each hand the names of the players, in the order of positions; by default none.

    Raises OptionError as `hand_text` does, and FileError if the file cannot be written, or if its
    name does not fit the number of hands.
    """
    suffix = Path(path).suffix
    if suffix not in (ONE, SEVERAL) or (suffix == ONE and len(histories) != 1):
        raise FileError(
            f"{len(histories)} hands cannot be written to {path}; a name for one hand ends in "
            f"{ONE}, and one for several in {SEVERAL}"
        )
    names = players or [()] * len(histories)
    if len(names) != len(histories):
        raise OptionError(
            f"{len(names)} lists of players were given for {len(histories)} hands; give one for "
            "each hand"
        )
    texts = [
        hand_text(history, own, number)
        for number, (history, own) in enumerate(zip(histories, names, strict=True), 1)
    ]
    if suffix == SEVERAL:
        texts = [f"[{number}]\n{text}" for number, text in enumerate(texts, 1)]
    write_file(path, "\n".join(texts).encode())


def _fields(
    game: LimitHoldem, history: History, players: Sequence[str], hand: int | None
) -> Iterator[tuple[str, Any]]:
    """The fields of a hand, in the order of the specification."""
    blinds = list(map(int, game.blinds))
    stacks = [2 * int(game.most_chips)] * game.players
    yield "variant", VARIANT
    yield "antes", [0] * game.players
    yield "blinds_or_straddles", blinds[::-1] if game.players == 2 else blinds
    yield "small_bet", int(game.rounds[0, RAISE_SIZE])
    yield "big_bet", int(game.rounds[2, RAISE_SIZE])
    yield "starting_stacks", stacks
    yield "actions", list(_actions(game, history))
    if hand is not None:
        yield "hand", hand
    if players:
        yield "players", list(players)
    if history.is_terminal:
        paid = history.returns()
        put_in = map(int, history.state[CHIPS : CHIPS + game.players])
        yield "finishing_stacks", [_plain(own + pay) for own, pay in zip(stacks, paid, strict=True)]
        yield "winnings", [_plain(own + pay) for own, pay in zip(put_in, paid, strict=True)]
    yield "_max_raises", list(max_raises_of(game))


def _actions(game: LimitHoldem, history: History) -> Iterator[str]:
    """The actions of a hand, with those of the dealer."""
    before, dealt = History(game), list[int]()
    begun = 0  # the most chips that a player had in when the betting round began
    raised = [-1] * game.num_rounds  # who bet or raised last, in each round
    for move in history.moves:
        assert isinstance(move, int)  # players move in turns
        after = before.child(move)
        if before.player == CHANCE:
            dealt.append(move)
            if after.player != CHANCE:  # the betting begins
                yield from _dealt(game, before, dealt)
                dealt.clear()
                begun = 0 if before.state[ROUND] == 0 else int(after.state[STAKE])
        elif move == game.FOLD:
            yield f"p{before.player + 1} f"
        elif move == game.CALL:
            yield f"p{before.player + 1} cc"
        else:
            raised[before.state[ROUND]] = before.player
            yield f"p{before.player + 1} cbr {after.state[STAKE] - begun}"
        before = after
    if history.is_terminal:
        yield from _shown(game, history, raised[-1])


def _dealt(game: LimitHoldem, before: History, cards: Sequence[int]) -> Iterator[str]:
    if before.state[ROUND]:
        yield f"d db {_cards(cards)}"
        return
    for player in range(game.players):
        yield f"d dh p{player + 1} {_cards(cards[2 * player : 2 * player + 2])}"


def _shown(game: LimitHoldem, history: History, aggressor: int) -> Iterator[str]:
    """Who shows cards at a showdown: the last player who bet or raised, or else the first to act,
    and then the others around the table.
    """
    folded = int(history.state[FOLDED])
    staying = [player for player in range(game.players) if not folded >> player & 1]
    if len(staying) < 2:
        return
    first = aggressor if aggressor >= 0 else int(game.rounds[-1, FIRST_PLAYER])
    for player in sorted(staying, key=lambda player: (player - first) % game.players):
        begin = game.cards_at + 2 * player
        yield f"p{player + 1} sm {_cards(history.state[begin : begin + 2].tolist())}"


def _cards(cards: Sequence[int]) -> str:
    return "".join(map(card_name, cards))


def _plain(number: float) -> float:
    """A whole number as an integer."""
    return int(number) if float(number).is_integer() else float(number)


def _written(value: Any) -> str:
    """A value as TOML has it, whose strings and lists are those of JSON."""
    if isinstance(value, list) and value and isinstance(value[0], str):
        return "[\n" + "".join(f"  {_written(entry)},\n" for entry in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
