"""Match logs as the competition's dealer writes them.

    # name/game/hands/seed NAME GAME HANDS SEED
    #--t_response MILLISECONDS
    #--t_hand MILLISECONDS
    #--t_per_hand MILLISECONDS
    STATE:hand:betting:cards:values:names       one line for each hand
    SCORE:values:names                          when all hands were played

Source: `dealer.c` of the competition's server (`printInitialMessage`, `addToLogFile`,
`printFinalMessage`). Lines that begin with `#` or `;` are comments.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar, cast

from hiddenhand.errors import FileError, ProtocolError
from hiddenhand.files import open_to_read
from hiddenhand.games.poker.definition import DEFINITIONS, GameDefinition, load_definition
from hiddenhand.interop.acpc.betting import CALL, FOLD, Betting
from hiddenhand.interop.acpc.cards import written_cards
from hiddenhand.interop.acpc.connection import COMMENTS
from hiddenhand.interop.acpc.dealer import Limits, MatchPlan
from hiddenhand.interop.acpc.states import (
    HandRecord,
    Score,
    hand_values,
    position_of,
    read_hand_record,
    read_score,
    written_values,
)

_Value = TypeVar("_Value")

_HEADER: Final = "# name/game/hands/seed "
_TOLERANCE: Final = 1e-5
"""By how much a value may be off: values are written with six digits."""
_FEWEST: Final = 10
"""Hands of a first part of a match that can be known for it. Small games repeat fewer by chance."""


@dataclass(frozen=True)
class MatchLog:
    """A match that was logged.

    definition: the game.
    names: the names of the players, in the order of seats.
    hands: the hands, in order.
    score: what each seat won, as the log says; None in the log of a match that was not played to
        its end.
    """

    definition: GameDefinition
    names: tuple[str, ...]
    hands: tuple[HandRecord, ...]
    score: Score | None

    def won(self, record: HandRecord) -> tuple[float, ...]:
        """What each seat won in a hand."""
        if len(set(self.names)) == len(self.names):  # also where players stay in their positions
            return tuple(record.values[record.names.index(name)] for name in self.names)
        return by_seat(record.values, record.hand)

    @property
    def totals(self) -> tuple[float, ...]:
        """What each seat won in all hands, in chips."""
        return tuple(math.fsum(column) for column in zip(*map(self.won, self.hands), strict=True))

    @property
    def is_whole(self) -> bool:
        """Whether there is a score, and the hands sum up to it."""
        slack = _TOLERANCE * len(self.hands)
        return self.score is not None and all(
            abs(told - total) <= slack
            for told, total in zip(self.score.values, self.totals, strict=True)
        )


def by_seat(by_position: tuple[_Value, ...], hand: int) -> tuple[_Value, ...]:
    """What is in the order of positions in a hand, in the order of seats."""
    players = len(by_position)
    return tuple(by_position[position_of(seat, hand, players)] for seat in range(players))


class LogWriter:
    """Writes the log of a match, hand by hand, so that what was played is there if the match is
    broken off. Close it after use, or use it in a ``with`` statement. Raises FileError where the
    file cannot be written.

    path: the file, which is written anew.
    plan: the match.
    game: how the game is called in the log.
    limits: the time that the players may take.
    """

    def __init__(self, path: Path, plan: MatchPlan, game: str, limits: Limits) -> None:
        self._path = path
        try:
            self._file = path.open("w", encoding="utf-8", newline="\n")
        except OSError as error:
            raise self._failed(error) from None
        name = path.stem.replace(" ", "_") or "match"
        self._write(f"{_HEADER}{name} {game.replace(' ', '_')} {plan.hands} {plan.seed}")
        self._write(f"#--t_response {1000 * limits.move_seconds:.0f}")
        self._write(f"#--t_hand {1000 * limits.hand_seconds:.0f}")
        self._write(f"#--t_per_hand {1000 * limits.per_hand_seconds:.0f}")

    def add(self, line: HandRecord | Score) -> None:
        """Write a hand, or the score, which is in the file when this returns."""
        self._write(line.text)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _write(self, line: str) -> None:
        try:
            self._file.write(f"{line}\n")
            self._file.flush()
        except OSError as error:
            raise self._failed(error) from None

    def _failed(self, error: OSError) -> FileError:
        return FileError(
            f"{self._path} cannot be written ({error.strerror or error}); give a path in a folder "
            "you may write to"
        )


def read_logs(path: Path | str, definition: GameDefinition | None = None) -> tuple[MatchLog, ...]:
    """The matches that a file tells, also where logs were put one after the other, or where their
    lines are mixed. Raises FileError for a file that is no log.

    path: the log.
    definition: the game; by default the one that the log names, or else the built-in game for the
        log's number of players.

    A hand begins another match if its number was there already, or if its seats are those of
    another match. So does a hand after a header or a score.
    """
    with open_to_read(path) as file:
        text = file.read().decode("utf-8", "replace")
    try:
        whole = parse_log(text, definition)
        return _split(text, whole)
    except ProtocolError as problem:
        raise FileError(f"{path} is no log of a match: {problem}") from None


def told_before(logs: Sequence[MatchLog]) -> list[int | None]:
    """For each log the number of an earlier one that tells the same match; None for others. A log
    of the first part of a match, of ten hands or more, tells the same match.
    """
    texts = [[record.text for record in log.hands] for log in logs]
    found: list[int | None] = []
    for number, own in enumerate(texts):
        same = (
            earlier
            for earlier, other in enumerate(texts[:number])
            if found[earlier] is None and _is_part(own, other)
        )
        found.append(next(same, None))
    return found


def _is_part(own: list[str], other: list[str]) -> bool:
    """Whether one of two logs is the other, or its first part."""
    shared = min(len(own), len(other))
    return own[:shared] == other[:shared] and (len(own) == len(other) or shared >= _FEWEST)


def _split(text: str, whole: MatchLog) -> tuple[MatchLog, ...]:
    """The matches of a text, which was read as a single log."""
    matches: list[_Open] = []
    fresh, hands = False, iter(whole.hands)
    for line in text.split("\n")[:-1]:
        if line.startswith(_HEADER):
            fresh = True
        elif line.startswith("SCORE"):
            score = read_score(whole.definition.num_players, line.removesuffix("\r"))
            waiting = [match for match in matches if match.score is None]
            fitting = [match for match in waiting if match.fits(score)]
            if waiting:
                (fitting or waiting)[-1].score = score
        elif line.strip() and not line.startswith(COMMENTS):
            record = next(hands)
            match = None if fresh else _match_of(matches, record)
            if match is None:
                match = _Open(len(matches))
            else:
                matches.remove(match)
            matches.append(match)  # the last one is that of the last hand
            fresh = False
            match.hands.append(record)
            match.numbers.add(record.hand)
    matches.sort(key=lambda match: match.place)
    return tuple(match.log(whole.definition) for match in matches)


@dataclass(eq=False)
class _Open:
    """A match whose log is being read. ``place``: its place among the matches of the file."""

    place: int
    hands: list[HandRecord] = field(default_factory=list)
    numbers: set[int] = field(default_factory=set)
    score: Score | None = None

    @property
    def seats(self) -> tuple[str, ...]:
        """The names in the order of seats, by the last hand."""
        return by_seat(self.hands[-1].names, self.hands[-1].hand)

    def lacks(self, record: HandRecord) -> bool:
        return self.score is None and record.hand not in self.numbers

    def fits(self, score: Score) -> bool:
        log = self.log(None)
        return (
            sorted(log.names) == sorted(score.names)
            and replace(log, names=score.names, score=score).is_whole
        )

    def log(self, definition: GameDefinition | None) -> MatchLog:
        names = self.score.names if self.score else by_seat(self.hands[0].names, self.hands[0].hand)
        return MatchLog(cast(GameDefinition, definition), names, tuple(self.hands), self.score)


def _match_of(matches: list[_Open], record: HandRecord) -> _Open | None:
    """The match of which ``record`` is the next hand. The last match is that of the last hand."""
    seats = by_seat(record.names, record.hand)
    open_matches = [match for match in reversed(matches) if match.lacks(record)]
    alike = [match for match in open_matches if match.seats == seats]
    follows = [match for match in alike if match.hands[-1].hand == record.hand - 1]
    return next(iter(follows or alike or open_matches), None)


def parse_log(text: str, definition: GameDefinition | None = None) -> MatchLog:
    """The match in the text of a log; see `read_logs`. Raises ProtocolError for a text that is no
    log. A last line without its end does not count: a program may still be writing it.
    """
    lines = [line.removesuffix("\r") for line in text.split("\n")[:-1]]
    told = [
        (number, line)
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.startswith(COMMENTS)
    ]
    hint = ""
    game = definition or _named_definition(lines)
    if game is None:
        game = _guessed_definition([line for _, line in told])
        hint = "; if it is another game, give the game's definition"
    hands: list[HandRecord] = []
    score: Score | None = None
    for number, line in told:
        try:
            if line.startswith("SCORE"):
                score = read_score(game.num_players, line)
            else:
                hands.append(read_hand_record(game, line))
                _verify(hands)
        except ProtocolError as problem:
            raise ProtocolError(f"line {number}: {problem}{hint}") from None
    if not hands:
        raise ProtocolError("there is no hand in it that was played to its end")
    names = score.names if score else by_seat(hands[0].names, hands[0].hand)
    if sorted(names) != sorted(hands[0].names):
        raise ProtocolError(f"the score is of {names}, and the hands are of {hands[0].names}")
    return MatchLog(game, names, tuple(hands), score)


def _verify(hands: list[HandRecord]) -> None:
    """Raise ProtocolError unless the last hand is one of the same match and pays what it must."""
    last = hands[-1]
    if sorted(last.names) != sorted(hands[0].names):
        raise ProtocolError(f"the players are {last.names}, and before they were {hands[0].names}")
    due = hand_values(last.betting, last.cards)
    if any(abs(value - own) > _TOLERANCE for value, own in zip(last.values, due, strict=True)):
        raise ProtocolError(
            f"the values are {written_values(last.values)}; by the rules they are "
            f"{written_values(due)}"
        )


def _named_definition(lines: Iterable[str]) -> GameDefinition | None:
    """The game that a log names; None if it names none that is built in."""
    for line in lines:
        if line.startswith(_HEADER):
            words = line.removeprefix(_HEADER).split()
            name = Path(words[1]).name.removesuffix(".game").casefold() if len(words) > 1 else ""
            if name in DEFINITIONS:
                return load_definition(name)
    return None


def _guessed_definition(told: list[str]) -> GameDefinition:
    """The game that is built in for so many players as there are."""
    hand = next((line for line in told if line.startswith("STATE:")), "a|b")
    players = hand.rpartition(":")[2].count("|") + 1
    for name in DEFINITIONS:
        definition = load_definition(name)
        if definition.num_players == players:
            return definition
    raise ProtocolError(
        f"it does not tell its game, and no game of {players} players is built in; give the game's "
        "definition"
    )


# --- a hand in words ---

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
