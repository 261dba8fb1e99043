"""What inputs are made of: letters, numbers, and damage to what is right."""

import json
import random
from collections.abc import Sequence
from typing import Any, TypeVar

_Value = TypeVar("_Value")

NUMBERS = (-1, 0, 1, 2, 7, 10**7, 10**9, 2**31, 2**62, -(2**62), 2**63, 2**64, 10**30, 10**400)
FLOATS = (0.5, -0.0, 1e300, 1e-320, float("nan"), float("inf"), -float("inf"))
_LETTERS = "\0\t\n\r\x0b\x1b\x7f\x85\u00a0é²١ａ\u2028\u202e\ufeff\ud800\U0001f600"
PIECES = (
    *(
        "()",
        "[]",
        "{}",
        ",",
        "=",
        "'",
        '"',
        "\\",
        ":",
        ";",
        "|",
        "/",
        "//",
        "#",
        "-",
        ".",
        "..",
        "*",
    ),
    *("**", "1e999", "nan", "inf", "None", "true", "-1", "0", "1/0", "0x1F", "1_0", "9" * 30),
    *("END", "99999999999", "%s", "{0}", "\r\n", "\n\n"),
)
_LONG = (
    "9" * 5000,
    "(" * 2000,
    "[" * 20_000,
    "x" * 20_000,
    '{"a":' * 3000,
    "\n" * 3000,
    "1e" * 999,
)


def letter(source: random.Random) -> str:
    """A character, likely one that is rare."""
    kind = source.random()
    if kind < 0.5:
        return chr(source.randrange(32, 127))
    return source.choice(_LETTERS) if kind < 0.9 else chr(source.randrange(0x110000))


def text(source: random.Random, most: int = 8) -> str:
    """Some characters."""
    return "".join(letter(source) for _ in range(source.randrange(most + 1)))


def damaged(source: random.Random, right: str, pieces: Sequence[str] = PIECES) -> str:
    """A text with up to four parts of it replaced, taken out, or put elsewhere."""
    for _ in range(source.choice((0, 1, 1, 2, 4))):
        start = source.randint(0, len(right))
        stop = min(len(right), start + source.choice((0, 0, 1, 1, 2, 4, 30)))
        kind = source.random()
        if kind < 0.35:
            put = source.choice(pieces)
        elif kind < 0.6:
            put = letter(source)
        elif kind < 0.75:
            put = ""
        elif kind < 0.9:  # another part of the same text
            begin = source.randint(0, len(right))
            put = right[begin : begin + source.randint(0, 12)]
        elif kind < 0.99:
            put = str(source.choice(NUMBERS + FLOATS))
        else:
            put = source.choice(_LONG)
        right = right[:start] + put + right[stop:]
    return right


def damaged_bytes(source: random.Random, right: bytes) -> bytes:
    """Bytes that are cut, longer, or changed in up to four places."""
    kind = source.random()
    if kind < 0.15:
        return right[: source.randrange(len(right))]
    if kind < 0.2:
        return right + source.randbytes(source.randint(1, 40))
    if kind < 0.23:
        return source.randbytes(source.randrange(200))
    changed = bytearray(right)
    for _ in range(source.choice((1, 1, 1, 2, 4))):
        place = source.randrange(len(changed))
        if source.random() < 0.5:
            changed[place] ^= 1 << source.randrange(8)
        else:
            changed[place] = source.randrange(256)
    return bytes(changed)


def plain(source: random.Random, depth: int = 0) -> Any:
    """Anything that JSON can hold, and some numbers that it cannot."""
    kind = source.randrange(8 if depth < 3 else 5)
    if kind < 2:
        return source.choice(NUMBERS)
    if kind == 2:
        return source.choice(FLOATS)
    if kind == 3:
        return text(source)
    if kind == 4:
        return source.choice((True, False, None, "", [], {}))
    if kind < 7:
        return [plain(source, depth + 1) for _ in range(source.randrange(4))]
    return {text(source): plain(source, depth + 1) for _ in range(source.randrange(3))}


def changed_json(source: random.Random, right: Any) -> Any:
    """A value of JSON in which something is replaced, missing, or one too much."""
    if isinstance(right, dict) and right and source.random() < 0.9:
        right = dict(right)
        name = source.choice(sorted(right))
        kind = source.random()
        if kind < 0.1:
            del right[name]
        elif kind < 0.2:
            right[text(source)] = plain(source)
        else:
            right[name] = changed_json(source, right[name])
        return right
    if isinstance(right, list) and right and source.random() < 0.9:
        right = list(right)
        place = source.randrange(len(right))
        kind = source.random()
        if kind < 0.1:
            del right[place]
        elif kind < 0.2:
            right.insert(place, source.choice(right))
        else:
            right[place] = changed_json(source, right[place])
        return right
    if isinstance(right, str) and source.random() < 0.6:
        return damaged(source, right)
    if isinstance(right, (int, float)) and abs(right) < 2**64 and source.random() < 0.4:
        return right + source.choice((-1, 1, 0.5, -2))
    return plain(source)


def json_text(source: random.Random, right: Any) -> str:
    """The text of a value of JSON that was changed, or whose text is damaged."""
    if source.random() < 0.2:
        return damaged(source, json.dumps(right))
    for _ in range(source.choice((1, 1, 2, 3))):
        right = changed_json(source, right)
    return json.dumps(right)


def chosen(source: random.Random, *values: _Value) -> _Value:
    """One of some values."""
    return source.choice(values)
