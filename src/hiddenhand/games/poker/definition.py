"""Game definitions of the Annual Computer Poker Competition, read and written.

Source: `game.c` of the competition's server, protocol 2.0.0. A definition is lines of text:

    GAMEDEF
    limit
    numPlayers = 2
    numRounds = 4
    blind = 10 5
    raiseSize = 10 10 20 20
    firstPlayer = 2 1 1 1
    maxRaises = 3 4 4 4
    numSuits = 4
    numRanks = 13
    numHoleCards = 2
    numBoardCards = 0 3 1 1
    END GAMEDEF

Capital letters do not matter, an equals sign is a blank, and a line may end in a comment behind #.
As in the competition's server, by default `firstPlayer` is 1 for every round and `maxRaises` is
255. Text behind the end is not read. Unlike that server, `parse_definition` refuses a line that it
does not know. The server skips a mistyped word, and plays another game.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from hiddenhand.errors import FileError, GameError
from hiddenhand.files import open_to_read
from hiddenhand.text import shortened

MOST_ROUNDS: Final = 4
MOST_PLAYERS: Final = 10
MOST_HOLE_CARDS: Final = 3
MOST_BOARD_CARDS: Final = 7
UNLIMITED_RAISES: Final = 255
"""The value of `max_raises` where a definition does not give it."""

_MOST_CHIPS: Final = 2**31 - 1
_LONGEST: Final = 65536  # bytes of a file that is read

_COUNTS: Final = {
    "numplayers": (2, MOST_PLAYERS),
    "numrounds": (1, MOST_ROUNDS),
    "numsuits": (1, 4),
    "numranks": (1, 13),
    "numholecards": (1, MOST_HOLE_CARDS),
}
"""Entries of one number, each with the least and the largest that is allowed."""

_LISTS: Final = {
    "blind": ("player", 0, _MOST_CHIPS),
    "raisesize": ("round", 1, _MOST_CHIPS),
    "firstplayer": ("round", 1, MOST_PLAYERS),
    "maxraises": ("round", 0, UNLIMITED_RAISES),
    "numboardcards": ("round", 0, MOST_BOARD_CARDS),
}
"""Entries of several numbers: what there is one number for, the least and the largest."""

_NAMES: Final = {
    name.casefold(): name
    for name in (
        "numPlayers",
        "numRounds",
        "blind",
        "raiseSize",
        "firstPlayer",
        "maxRaises",
        "numSuits",
        "numRanks",
        "numHoleCards",
        "numBoardCards",
    )
}
"""The entries as the competition's files spell them, by their names in small letters."""


@dataclass(frozen=True)
class GameDefinition:
    """A limit poker game as the competition defines it. Positions are counted from 0.

    num_players: how many players there are, 2 to 10.
    num_rounds: how many betting rounds there are, 1 to 4.
    blinds: for each position, the chips it puts in before the cards are dealt.
    raise_sizes: for each round, the chips of a bet, and those that a raise adds to it.
    first_players: for each round, the position that acts first.
    max_raises: for each round, the most bets and raises. Blinds do not count.
    num_suits: how many suits the deck has, 1 to 4: the last of c, d, h, s.
    num_ranks: how many ranks the deck has, 1 to 13: the highest of 2 to ace.
    num_hole_cards: how many cards each player is dealt.
    num_board_cards: for each round, how many cards are dealt to the board before its betting.
    """

    num_players: int
    num_rounds: int
    blinds: tuple[int, ...]
    raise_sizes: tuple[int, ...]
    first_players: tuple[int, ...]
    max_raises: tuple[int, ...]
    num_suits: int
    num_ranks: int
    num_hole_cards: int
    num_board_cards: tuple[int, ...]

    @property
    def deck(self) -> tuple[int, ...]:
        """The cards of the deck, as numbers rank * 4 + suit."""
        return tuple(
            rank * 4 + suit
            for rank in range(13 - self.num_ranks, 13)
            for suit in range(4 - self.num_suits, 4)
        )

    @property
    def most_moves(self) -> tuple[int, ...]:
        """For each round the most moves: all but one check, the last bets, and each raise comes
        after all others but one have called.
        """
        others = self.num_players - 1
        return tuple(1 + others * (1 + raises) for raises in self.max_raises)

    @property
    def text(self) -> str:
        """The definition as the competition writes it; `parse_definition` reads it back."""
        first = tuple(player + 1 for player in self.first_players)
        written = {
            "numPlayers": (self.num_players,),
            "numRounds": (self.num_rounds,),
            "blind": self.blinds,
            "raiseSize": self.raise_sizes,
            "firstPlayer": first,
            "maxRaises": self.max_raises,
            "numSuits": (self.num_suits,),
            "numRanks": (self.num_ranks,),
            "numHoleCards": (self.num_hole_cards,),
            "numBoardCards": self.num_board_cards,
        }
        lines = [f"{name} = {' '.join(map(str, numbers))}" for name, numbers in written.items()]
        return "\n".join(["GAMEDEF", "limit", *lines, "END GAMEDEF", ""])


TWO_PLAYERS: Final = """\
GAMEDEF
limit
numPlayers = 2
numRounds = 4
blind = 10 5
raiseSize = 10 10 20 20
firstPlayer = 2 1 1 1
maxRaises = 3 4 4 4
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3 1 1
END GAMEDEF
"""

THREE_PLAYERS: Final = """\
GAMEDEF
limit
numPlayers = 3
numRounds = 4
blind = 5 10 0
raiseSize = 10 10 20 20
firstPlayer = 3 1 1 1
maxRaises = 3 4 4 4
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3 1 1
END GAMEDEF
"""

DEFINITIONS: Final[Mapping[str, str]] = {
    "holdem.limit.2p.reverse_blinds": TWO_PLAYERS,
    "holdem.limit.3p": THREE_PLAYERS,
}
"""The definitions that are built in, as text, by the names of the competition's files."""


def load_definition(name_or_path: str | Path) -> GameDefinition:
    """The built-in definition of that name, with or without ``.game`` behind it, or else the one in
    the file at that path. Raises FileError for a file that cannot be read, and GameError for one
    that is no limit definition.
    """
    name = str(name_or_path).removesuffix(".game").casefold()
    if name in DEFINITIONS:
        return parse_definition(DEFINITIONS[name])
    try:
        file = open_to_read(name_or_path)
    except FileError as problem:
        raise FileError(
            f"{problem}; give the path of a game definition, or one of: {', '.join(DEFINITIONS)}"
        ) from None
    with file:
        content = file.read(_LONGEST + 1)
    try:
        if len(content) > _LONGEST:
            raise GameError(f"it has more than {_LONGEST} bytes")
        return parse_definition(content.decode("utf-8", "replace"))
    except GameError as problem:
        raise GameError(f"{name_or_path} is no definition of a limit game: {problem}") from None


@lru_cache(maxsize=16)
def parse_definition(text: str) -> GameDefinition:
    """The definition that ``text`` writes out. Raises GameError that says what is wrong."""
    entries = _entries(text)
    counts = {name: _count(entries, name, *limits) for name, limits in _COUNTS.items()}
    lengths = {"player": counts["numplayers"], "round": counts["numrounds"]}
    for name, default in (("firstplayer", 1), ("maxraises", UNLIMITED_RAISES)):
        entries.setdefault(name, (default,) * lengths["round"])
    lists = {
        name: _list(entries, name, each, lengths[each], low, high)
        for name, (each, low, high) in _LISTS.items()
    }
    definition = GameDefinition(
        num_players=counts["numplayers"],
        num_rounds=counts["numrounds"],
        blinds=lists["blind"],
        raise_sizes=lists["raisesize"],
        first_players=tuple(player - 1 for player in lists["firstplayer"]),
        max_raises=lists["maxraises"],
        num_suits=counts["numsuits"],
        num_ranks=counts["numranks"],
        num_hole_cards=counts["numholecards"],
        num_board_cards=lists["numboardcards"],
    )
    _verify(definition)
    return definition


def _entries(text: str) -> dict[str, tuple[int, ...]]:
    """The numbers of each entry between GAMEDEF and END GAMEDEF, by its name in small letters."""
    entries: dict[str, tuple[int, ...]] = {}
    begun = False
    for line in text.splitlines():
        words = line.partition("#")[0].replace("=", " ").casefold().split()
        if not words:
            continue
        if not begun:
            if words != ["gamedef"]:
                raise GameError(f"it begins with {shortened(line)}; begin it with the line GAMEDEF")
            begun = True
        elif words == ["end", "gamedef"]:
            return entries
        elif words == ["nolimit"]:
            raise GameError("no-limit games are not played here; give a definition that says limit")
        elif words != ["limit"]:
            _enter(entries, line, words)
    raise GameError("it does not end; end it with the line END GAMEDEF")


def _enter(entries: dict[str, tuple[int, ...]], line: str, words: list[str]) -> None:
    """Put the entry that ``line`` makes, taken apart into ``words``, into ``entries``."""
    name, values = words[0], words[1:]
    if name == "stack":
        raise GameError("limit games without an end of the chips are played here; leave out stack")
    if name not in _NAMES:
        raise GameError(
            f"the line {shortened(line)} is not known; a line is limit, or one of "
            f"{', '.join(_NAMES.values())} with its numbers"
        )
    if not values or not all(value.isascii() and value.isdigit() for value in values):
        raise GameError(f"the line {shortened(line)} is not allowed; give whole numbers of 0 on")
    if any(len(value) > len(str(_MOST_CHIPS)) for value in values):
        raise GameError(f"the line {shortened(line)} has a number above {_MOST_CHIPS}")
    entries[name] = tuple(int(value) for value in values)


def _count(entries: Mapping[str, tuple[int, ...]], name: str, low: int, high: int) -> int:
    numbers = _given(entries, name)
    if len(numbers) != 1 or not low <= numbers[0] <= high:
        raise GameError(
            f"{_said(name, numbers)} is not allowed; give one number from {low} to {high}"
        )
    return numbers[0]


def _list(
    entries: Mapping[str, tuple[int, ...]], name: str, each: str, length: int, low: int, high: int
) -> tuple[int, ...]:
    """The ``length`` numbers of an entry, one for each player or round. As in the competition's
    server, an entry may have more numbers, which mean nothing.
    """
    numbers = _given(entries, name)
    if len(numbers) < length or not all(low <= number <= high for number in numbers[:length]):
        raise GameError(
            f"{_said(name, numbers)} is not allowed; give a number from {low} to {high} for each "
            f"{each}, {length} in all"
        )
    return numbers[:length]


def _given(entries: Mapping[str, tuple[int, ...]], name: str) -> tuple[int, ...]:
    if name not in entries:
        raise GameError(f"{_NAMES[name]} is missing; give it with its numbers")
    return entries[name]


def _said(name: str, numbers: tuple[int, ...]) -> str:
    return f"{_NAMES[name]} = {shortened(' '.join(map(str, numbers))).strip(chr(39))}"


def _verify(definition: GameDefinition) -> None:
    """Raise GameError if numbers that are allowed alone do not go together."""
    last = max(definition.first_players)
    if last >= definition.num_players:
        raise GameError(
            f"firstPlayer names player {last + 1}; there are {definition.num_players} players"
        )
    board = sum(definition.num_board_cards)
    if board > MOST_BOARD_CARDS:
        raise GameError(f"numBoardCards gives {board} cards in all; {MOST_BOARD_CARDS} are allowed")
    deck = definition.num_suits * definition.num_ranks
    needed = board + definition.num_players * definition.num_hole_cards
    if needed > deck:
        raise GameError(f"{needed} cards are dealt; a deck of numSuits * numRanks has {deck}")
