"""The rules of a game as a text for people, where a game does not tell them itself."""

import inspect
import re
from typing import Final

_MARKS: Final = re.compile(r":\w+:(?=`)|`+|\*\*|__")  # of reStructuredText and Markdown
_ASIDE: Final = re.compile(r"\s*\([A-Z][^()]*\.\)")
_NUMBERED: Final = re.compile(r"\b([Pp]layer) (\d+)\b")


def text_from_docstring(cls: type) -> str:
    """The first paragraph of the docstring of a class of games, in plain words; "" for a class
    without a docstring of its own.
    """
    told = inspect.getdoc(cls) or ""
    if told.startswith(f"{cls.__name__}("):  # what a dataclass without a docstring gets by itself
        return ""
    return in_plain_words(told.split("\n\n")[0], counts_from_0(told))


def counts_from_0(docstring: str) -> bool:
    """Whether a docstring calls the first player player 0."""
    return re.search(r"\b[Pp]layer 0\b", docstring) is not None


def in_plain_words(text: str, from_0: bool) -> str:
    """A text from a docstring as one line, without marks of reStructuredText and without asides.

    from_0: whether the docstring calls the players 0 and 1, which become 1 and 2, as on pages.
    """
    line = _ASIDE.sub("", _MARKS.sub("", " ".join(text.split())))
    if not from_0:
        return line
    return _NUMBERED.sub(lambda found: f"{found[1]} {int(found[2]) + 1}", line)
