"""A hand that is over, in words, action by action."""

from collections.abc import Iterator
from typing import Final

from hiddenhand.interop.acpc.betting import CALL, FOLD, Betting
from hiddenhand.interop.acpc.cards import written_cards
from hiddenhand.interop.acpc.states import HandRecord

_HOLDEM: Final = (0, 3, 1, 1)
_ROUNDS: Final = ("preflop", "flop", "turn", "river")


def in_words(record: HandRecord) -> str:
    """The hand, a line for each thing that happened."""
    return "\n".join(_told(record))


def _told(record: HandRecord) -> Iterator[str]:
    definition = record.betting.definition
    betting = Betting.begun(definition)
    yield f"hand {record.hand}"
    for position, (name, hole) in enumerate(zip(record.names, record.cards.holes, strict=True)):
        blind = definition.blinds[position]
        puts = f", blind {blind}" if blind else ""
        yield f"  position {position}: {name} has {written_cards(hole)}{puts}"
    shown = -1  # the last round whose board was told
    for action in record.betting.text.replace("/", ""):
        if betting.round != shown:
            shown = betting.round
            yield f"  {_round(record, betting)}"
        name, after = record.names[betting.actor], betting.after(action)
        yield f"    {name} {_act(betting, after, action)}"
        betting = after
    for name, value in zip(record.names, record.values, strict=True):
        yield (
            f"  {name} {'wins' if value > 0 else 'loses'} {abs(value):g}"
            if value
            else (f"  {name} wins and loses nothing")
        )


def _round(record: HandRecord, betting: Betting) -> str:
    """The round that begins, with the cards on the board and the chips in the pot."""
    definition = betting.definition
    called = (
        _ROUNDS[betting.round]
        if definition.num_board_cards == _HOLDEM
        else f"round {betting.round + 1}"
    )
    board = written_cards(record.cards.board[: betting.num_board_cards])
    return f"{called}{f' {board}' if board else ''}, {sum(betting.spent)} in the pot"


def _act(before: Betting, after: Betting, action: str) -> str:
    """What the player did who was to act."""
    position = before.actor
    owed = max(before.spent) - before.spent[position]
    if action == FOLD:
        return "folds"
    if action == CALL:
        return f"calls {owed}" if owed else "checks"
    antes = before.round > 0 or len(set(before.definition.blinds)) == 1
    opens = before.raises == 0 and antes  # else there is a blind to raise
    return f"{'bets' if opens else 'raises'} to {after.spent[position]}"
