"""The rules of a game as a text for people, where a game does not tell them itself."""

import inspect
import re
from typing import Final

_MARKS: Final = re.compile(r":\w+:(?=`)|`+|\*\*|__")  # of reStructuredText and Markdown
_NUMBERED: Final = re.compile(r"\b([Pp]layer) (\d+)\b")


def text_from_docstring(cls: type) -> str:
    """The first paragraph of the docstring of a class of games: one line, without marks of
    reStructuredText. If it counts players from 0, players 0 and 1 become 1 and 2, as on pages. ""
    for a class without a docstring of its own.
    """
    told = inspect.getdoc(cls) or ""
    if told.startswith(f"{cls.__name__}("):  # what a dataclass without a docstring gets by itself
        return ""
    paragraph = _MARKS.sub("", " ".join(told.split("\n\n")[0].split()))
    if re.search(r"\b[Pp]layer 0\b", paragraph):
        return _NUMBERED.sub(lambda found: f"{found[1]} {int(found[2]) + 1}", paragraph)
    return paragraph
