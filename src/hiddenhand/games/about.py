"""What a game says of itself besides its rules: for the list of games, the start page of the table
in the browser, and the documentation. It decorates the class of the game:

    @About("Tron", "Both ride at once, and the first to crash loses.", (BOARD, AT_ONCE))
    @dataclass(frozen=True)
    class Tron(Game):
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeVar

CARDS: Final = "cards"
DICE: Final = "dice"
BOARD: Final = "board"
PURSUIT: Final = "pursuit"
AT_ONCE: Final = "at_once"
RESEARCH: Final = "research"
OWN: Final = "own"
"""The kinds of games, by which the start page filters. `OWN` is for games of the command line."""


_Maker = TypeVar("_Maker", bound=Callable[..., Any])


@dataclass(frozen=True)
class KnownValue:
    """The value of a game for player 0, as others found it.

    game: the game, as `load_game` reads it.
    written: the value as its source writes it, a fraction or a decimal number.
    source: where it is written, or how it was found.
    """

    game: str
    written: str
    source: str

    @property
    def value(self) -> float:
        """The value as a number."""
        return float(Fraction(self.written))


@dataclass(frozen=True)
class About:
    """What a game says of itself; a decorator of its class.

    title: its name for people.
    line: a sentence about it.
    kinds: the kinds that it belongs to.
    place: its place on the start page; games of low place come first.
    minutes: about how long a match of a newcomer takes; 0 if this is not known.
    exact: whether it is small enough that an exact equilibrium is an opponent, and judges moves.
    against: the bot for newcomers. Where it is "equilibrium", solving the game takes less time than
        compiling a search.
    example: the game in a size that suits a first match, as `load_game` reads it; "" for its name
        alone.
    small: variants that are small enough to be written out and solved, for tests and for the
        documentation; none of a game that has no such variant.
    known: values that others found.
    card: of its picture on the start page, the seed of a random play; which part of that play is
        shown, 0 to 1; and which part of the height, from 0, the top, to 1, the bottom.
    """

    title: str
    line: str
    kinds: tuple[str, ...]
    place: int = 1000
    minutes: int = 2
    exact: bool = False
    against: str = "auto"
    example: str = ""
    small: tuple[str, ...] = ()
    known: tuple[KnownValue, ...] = ()
    card: tuple[int, float, float] = (1, 0.6, 0.5)

    def __call__(self, maker: _Maker) -> _Maker:
        """Write this on a class of games, or on a function that makes a game: a decorator."""
        maker.about = self  # type: ignore[attr-defined]
        return maker


def about_of(maker: Any) -> About | None:
    """What an `About` wrote on ``maker``; None if none did."""
    found = getattr(maker, "about", None)
    return found if isinstance(found, About) else None
