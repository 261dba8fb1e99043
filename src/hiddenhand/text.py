"""Texts that name games and players, such as ``oos(targeting=ist,delta=0.9)`` and
``turn_based(goofspiel(num_cards=4))``.

`split` and `read_arguments` take such a text apart in one pass. They never evaluate it as code.

    call      name, or name(argument, ...)
    argument  value, or label=value
    value     a number, a word, a 'quoted text', true, false, none, [value, ...], (value, ...), or a
              call

A word is a name of letters, digits and underscores, which may end in pluses (cfr+). The form
module:Class is a call.
"""

import ast
import contextlib
import math
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

DEEPEST: Final = 50
"""The largest depth of calls and lists inside each other."""

LONGEST: Final = 1_000_000
"""The largest number of characters of a text, which may be a large matrix."""

_NOTHING: Final = 1e-12  # a smaller number is an error of rounding
_WORDS: Final = {"true": True, "false": False, "none": None}
_VALUES: Final = (
    "give numbers, words, true, false, or a list of these; other texts, such as paths, stand in "
    "quotes"
)
_BLANK: Final = re.compile(r"\s*")
_QUOTED: Final = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_PLAIN: Final = re.compile(r"[^()\[\],=]*")
_WORD: Final = re.compile(r"[^\W\d]\w*\+*")
_CLASS: Final = re.compile(r".+:\s*[^\W\d]\w*", re.DOTALL)
_FILE_CLASS: Final = re.compile(r"\.py\s*:\s*[^\W\d]\w*(?=\s*(?:\(|$))")
_NUMBER: Final = re.compile(r"[-+]?\.?\d[\w.]*([eE][-+]?\d+)?", re.ASCII)


class Unreadable(ValueError):  # noqa: N818 - its message is a part of another error
    """The text cannot be read; the message is a clause that says why."""


@dataclass(frozen=True)
class Call:
    """A call in a text.

    name: the name in front of the parentheses.
    arguments: the arguments in order, each with its label; None for an argument without label.
    """

    name: str
    arguments: tuple[tuple[str | None, Any], ...] = ()


def shortened(value: object, limit: int = 60) -> str:
    """Return ``value`` as Python writes it. A text of more than ``limit`` characters loses its
    middle.
    """
    if isinstance(value, str) and len(value) > 2 * limit:
        value = value[:limit] + value[-limit:]  # writing a million characters takes long
    return without_middle(repr(value), limit)


def on_one_line(text: str, limit: int) -> str:
    """Return ``text`` on one line, without its middle if it has more than ``limit`` characters.
    Characters that cannot be printed are written as Python writes them.
    """
    return without_middle(
        "".join(
            letter if letter.isprintable() else repr(letter)[1:-1]
            for letter in without_middle(text, limit)
        ),
        limit,
    )


def one_line(value: object, *figures: object) -> str:
    """Return the name of the class of ``value`` with its key figures, as ``repr`` shows it."""
    return f"{type(value).__name__}({', '.join(map(str, figures))})"


def without_middle(text: str, limit: int) -> str:
    """Return ``text``, without its middle if it has more than ``limit`` characters."""
    if len(text) <= limit:
        return text
    kept = limit - 3
    return f"{text[: kept - kept // 3]}...{text[len(text) - kept // 3 :]}"


def folded(name: str) -> str:
    """``name`` as names are compared: without case, blanks, hyphens and underscores."""
    return re.sub(r"[\s_-]", "", name).casefold()


def summary(docstring: str | None) -> str:
    """The first sentence of a docstring."""
    text = " ".join((docstring or "").strip().split("\n\n", maxsplit=1)[0].split())
    return re.split(r"(?<=[^.][.])\s", text, maxsplit=1)[0]


def indented(start: str, text: str) -> str:
    """Return ``text`` after ``start``, with its further lines indented like its first."""
    return start + text.replace("\n", "\n" + " " * len(start))


def split(text: str) -> tuple[str, str]:
    """Return the name in front, and the text between the outer parentheses, both without outer
    blanks. The name of a class in a file may have parentheses in the path. Raises Unreadable.
    """
    if not isinstance(text, str):
        raise Unreadable("is not a text")
    if (end := _end_of_path(text := text.strip())) and text[end:].strip()[-1:] in ("", ")"):
        return text[:end].strip(), text[end:].strip()[1:-1].strip()
    name, opening, rest = text.partition("(")
    if (
        not name.strip()
        or ")" in name
        or (opening and not rest.endswith(")"))
        or len(text) > LONGEST
    ):
        raise Unreadable("is not a name, or a name with parameters in parentheses")
    return name.strip(), rest[:-1].strip()


def _end_of_path(text: str) -> int:
    """Where the name of a class in a file ends whose path has parentheses, as in
    ``games (1)/own.py:Own``; 0 for any other text.
    """
    depth = at = 0
    for found in _FILE_CLASS.finditer(text) if "(" in text else ():
        depth += text.count("(", at, found.end()) - text.count(")", at, found.end())
        at = found.end()
        if depth == 0:
            return at if "(" in text[:at] else 0
    return 0


def read_arguments(text: str) -> tuple[tuple[str | None, Any], ...]:
    """Return the arguments from the text between two parentheses. Raises Unreadable."""
    return _Reader(text).whole()


def written_word(text: str) -> str:
    """Return ``text`` as `read_arguments` reads it: as a word if it is one, else in quotes."""
    is_word = _WORD.fullmatch(text) is not None and text.casefold() not in _WORDS
    return text if is_word else repr(text)


def written_call(name: str, arguments: Iterable[tuple[str, Any]]) -> str:
    """Return ``name(label=value,...)``, or ``name`` alone without arguments. `split` and
    `read_arguments` read it back if values are numbers, words, true, false and none. Other values
    are written as Python writes them.
    """
    inside = ",".join(f"{label}={_written(value)}" for label, value in arguments)
    return f"{name}({inside})" if inside else name


def _written(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return written_word(value) if isinstance(value, str) else shortened(value)


class _Reader:
    """Reads a text from left to right, each character once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def whole(self) -> tuple[tuple[str | None, Any], ...]:
        arguments = self._items("", self._argument)
        return tuple(arguments)

    def _items(self, closing: str, item: Any) -> list[Any]:
        """Return the items that ``item`` reads, with commas between them, up to and including
        ``closing``. A comma may follow the last item.
        """
        self._depth += 1
        if self._depth > DEEPEST:
            raise Unreadable(f"is nested more than {DEEPEST} deep")
        items = []
        while self._next() != closing:
            items.append(item())
            if self._next() != closing:
                self._pass(",")
        self._at += len(closing)
        self._depth -= 1
        return items

    def _argument(self) -> tuple[str | None, Any]:
        start = self._at
        label = _PLAIN.match(self._text, start)
        assert label is not None  # it may be empty
        if (
            label.end() < len(self._text)
            and self._text[label.end()] == "="
            and label[0].strip().isidentifier()
        ):
            self._at = label.end() + 1
            return label[0].strip(), self._value()
        return None, self._value()

    def _value(self) -> Any:
        match self._next():
            case "'" | '"':
                return self._quoted()
            case "[":
                self._at += 1
                return self._items("]", self._value)
            case "(":
                return self._tuple()
        start = self._at
        plain = _PLAIN.match(self._text, start)
        assert plain is not None  # it may be empty
        self._at, text = plain.end(), plain[0].strip()
        if text and self._next() == "(":
            self._at += 1
            return Call(text, tuple(self._items(")", self._argument)))
        return _value(text)

    def _tuple(self) -> Any:
        """Return the values in parentheses as a tuple; one without comma stands for itself."""
        start = self._at = self._at + 1
        items = self._items(")", self._value)
        alone = len(items) == 1 and not self._text[start : self._at - 1].rstrip().endswith(",")
        return items[0] if alone else tuple(items)

    def _quoted(self) -> str:
        quoted = _QUOTED.match(self._text, self._at)
        if quoted is None:
            raise Unreadable(
                f"has a quotation mark without another: {shortened(self._text[self._at :])}"
            )
        self._at = quoted.end()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # a backslash that means nothing
                return str(ast.literal_eval(quoted[0]))
        except (SyntaxError, ValueError):
            raise Unreadable(f"has a text that cannot be read: {shortened(quoted[0])}") from None

    def _next(self) -> str:
        """Return the next character that is not blank; the empty text at the end."""
        blank = _BLANK.match(self._text, self._at)
        assert blank is not None  # it may be empty
        self._at = blank.end()
        return self._text[self._at : self._at + 1]

    def _pass(self, expected: str) -> None:
        if self._next() != expected:
            raise Unreadable(
                f"cannot be read from {shortened(self._text[self._at :])} on"
                if self._next()
                else "ends too early"
            )
        self._at += 1


def _value(text: str) -> Any:
    """Return the value of a text without brackets and quotes."""
    if text.casefold() in _WORDS:
        return _WORDS[text.casefold()]
    if _WORD.fullmatch(text):
        return text
    if _CLASS.fullmatch(text):
        return Call(text)
    if _NUMBER.fullmatch(text):
        with contextlib.suppress(ValueError):
            return _number(text)
    raise Unreadable(
        f"{shortened(text)} is not a value; {_VALUES}"
        if text
        else "cannot be read, because a value is missing"
    )


def _number(text: str) -> int | float:
    """Return a whole number, also with underscores or in base 16, or a decimal one. Raises
    ValueError for a text that is no number, or a number that is too large.
    """
    try:
        return int(text, 0)
    except ValueError:
        number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def rounded(value: float, digits: int = 3) -> str:
    """Return a number with some significant digits. Errors of rounding around 0 become 0."""
    return f"{value:.{digits}g}" if not abs(value) < _NOTHING else "0"
