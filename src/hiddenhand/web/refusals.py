"""Messages of errors as people read them on a page."""

import re
from typing import Final

from hiddenhand.errors import OptionError
from hiddenhand.games.base import Game
from hiddenhand.web.catalogue import inner_game

_ITEM: Final = r"[\w.-]+(?:\([^()]*\))?"
_LIST: Final = re.compile(rf"{_ITEM}(?:, {_ITEM}){{8,}}")
_LISTED: Final = 6


class SetupError(OptionError):
    """A table cannot be opened.

    field: the field of the set-up that is wrong: "game", "seconds", or "seat" with its number from
        1, such as "seat 2".
    """

    several_lines = True  # the error of a rule quotes the line that fails

    def __init__(self, why: str, field: str) -> None:
        super().__init__(why)
        self.field = field


def with_short_lists(why: str) -> str:
    """A message in which a list of many names has only the first ones."""

    def shortened(found: re.Match[str]) -> str:
        names = found[0].split(", ")
        return f"{', '.join(names[:_LISTED])} and {len(names) - _LISTED} more"

    return _LIST.sub(shortened, why)


def with_title(why: str, game: Game, title: str) -> str:
    """A message that names ``game`` by its title, and not as Python writes it."""
    for played in (game, inner_game(game)):
        for written in (str(played), repr(played)):
            why = why.replace(written, title)
    return why
