"""The messages that a page may send: JSON objects of few kinds, each with few fields. For any other
message the server answers with a sentence that says what is wrong.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from hiddenhand.errors import ProtocolError
from hiddenhand.text import shortened

LARGEST: Final = 8192
"""Characters of a message."""
_MOST_SEATS: Final = 10
_LONGEST_WAY: Final = 300
_MOST_TABLES: Final = 24
LONGEST_PAUSE: Final = 10
"""The most seconds between two moves of bots."""
ALL_SEEING: Final = -6
"""The number that stands for all players in place of a seat, as in games."""

Message = dict[str, Any]
Plain = dict[str, Any]


class _Whole:
    """An integer from ``low`` to ``high``; or None if it is not needed."""

    def __init__(self, low: int, high: int, needed: bool = True) -> None:
        self.low, self.high, self.needed = low, high, needed

    def wrong(self, value: object) -> str | None:
        if (
            isinstance(value, int)
            and not isinstance(value, bool)
            and self.low <= value <= self.high
        ):
            return None
        return f"give an integer from {self.low} to {self.high}"


class _Number(_Whole):
    """A number from ``low`` to ``high``."""

    def wrong(self, value: object) -> str | None:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and self.low <= value <= self.high:  # type: ignore[operator]
            return None
        return f"give a number from {self.low} to {self.high}"


class _Text:
    """A text of at most ``longest`` characters."""

    def __init__(self, longest: int, needed: bool = True) -> None:
        self.longest, self.needed = longest, needed

    def wrong(self, value: object) -> str | None:
        if isinstance(value, str) and len(value) <= self.longest and value.isprintable():
            return None
        return f"give a text of at most {self.longest} characters"


class _Texts(_Text):
    """A list of texts, one for each seat."""

    def wrong(self, value: object) -> str | None:
        if isinstance(value, list) and 1 <= len(value) <= _MOST_SEATS:
            wrong = [_Text.wrong(self, text) for text in value]
            return next((said for said in wrong if said), None)
        return f"give a list of 1 to {_MOST_SEATS} texts"


class _Seats:
    """A list of seats, each with the name of its table and its token."""

    needed = True

    def wrong(self, value: object) -> str | None:
        if isinstance(value, list) and len(value) <= _MOST_TABLES and all(map(self._is, value)):
            return None
        return f"give a list of at most {_MOST_TABLES} objects with a place and a token"

    @staticmethod
    def _is(value: object) -> bool:
        text = _Text(64)
        return (
            isinstance(value, dict)
            and set(value) == {"place", "token"}
            and all(text.wrong(one) is None for one in value.values())
        )


class _Moves(_Whole):
    """A list of moves."""

    def wrong(self, value: object) -> str | None:
        if isinstance(value, list) and len(value) <= _LONGEST_WAY:
            return next((said for move in value if (said := _Whole.wrong(self, move))), None)
        return f"give a list of at most {_LONGEST_WAY} moves"


class _YesNo:
    """True or false; false by default."""

    needed = False

    def wrong(self, value: object) -> str | None:
        return None if isinstance(value, bool) else "give true or false"


_PLY: Final = _Whole(0, 1_000_000, needed=False)
_SEEN_BY: Final = _Whole(ALL_SEEING, _MOST_SEATS)
_TURN: Final = _Whole(0, 1_000_000)
KINDS: Final[dict[str, dict[str, Any]]] = {
    "hello": {
        "place": _Text(64, needed=False),
        "token": _Text(64, needed=False),
        "play": _YesNo(),
    },
    "open": {"game": _Text(1000), "players": _Texts(500), "seconds": _Number(0, 60)},
    "stored": {"number": _Whole(0, 10_000_000)},
    "look_up": {"game": _Text(1000)},
    "standing": {"seats": _Seats()},
    "act": {"turn": _TURN, "action": _Whole(0, 2**62)},
    "type": {"turn": _TURN, "text": _Text(200)},
    "take_back": {},
    "again": {},
    "invite": {},
    "pace": {"seconds": _Number(0, LONGEST_PAUSE), "paused": _YesNo(), "step": _YesNo()},
    "engine": {"on": _YesNo()},
    "engines": {},
    "look": {"ply": _Whole(0, 1_000_000), "seat": _SEEN_BY},
    "record": {},
    "film": {"seat": _SEEN_BY},
    "think": {
        "slot": _Whole(0, 1),
        "player": _Text(500),
        "seconds": _Number(0, 60),
        "ply": _PLY,
        "exact": _YesNo(),
    },
    "hush": {"slot": _Whole(0, 1)},
    "below": {"slot": _Whole(0, 1), "secret": _Text(500), "way": _Moves(0, 2**62)},
    "review": {},
    "review_stop": {},
    "ask": {"player": _Text(500), "seconds": _Number(0, 60)},
    "retry": {"ply": _Whole(0, 1_000_000)},
    "hand_history": {"masked": _YesNo()},
    "lab": {},
    "lab_open": {
        "kind": _Text(20),
        "game": _Text(1000),
        "players": _Texts(500),
        "seconds": _Number(0, 120),
        "matches": _Whole(0, 1000, needed=False),
        "seed": _Whole(0, 2**62, needed=False),
    },
    "lab_look": {"run": _Text(64), "also": _YesNo()},
    "lab_away": {"run": _Text(64)},
    "lab_stop": {"run": _Text(64)},
    "lab_forget": {"run": _Text(64)},
}
"""The fields of each kind of message."""


def read_message(text: str) -> Message:
    """The message in ``text``: its kind as ``type``, and its fields. Optional fields that the text
    lacks are None. Raises ProtocolError for any other text.
    """
    if len(text) > LARGEST:
        raise ProtocolError(
            f"a message of {len(text)} characters is too long; send at most {LARGEST}"
        )
    try:
        said = json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError):
        raise ProtocolError("a message must be a JSON object") from None
    if not isinstance(said, dict) or not isinstance(said.get("type"), str):
        raise ProtocolError("a message must be a JSON object with a type, which is a text")
    fields = KINDS.get(said["type"])
    if fields is None:
        raise ProtocolError(
            f"there is no message of type {shortened(said['type'])}; choose one of: "
            f"{', '.join(KINDS)}"
        )
    return {"type": said["type"], **_fields(said, fields)}


def _fields(said: Mapping[str, Any], fields: Mapping[str, Any]) -> Message:
    unknown = [name for name in said if name != "type" and name not in fields]
    if unknown:
        raise ProtocolError(
            f"a message of type {said['type']} has no field {shortened(unknown[0])}; it has: "
            f"{', '.join(fields) or 'none'}"
        )
    found: Message = {}
    for name, field in fields.items():
        value = said.get(name)
        if value is None and not field.needed:
            found[name] = None
            continue
        wrong = field.wrong(value)
        if wrong is not None:
            raise ProtocolError(f"{name}={shortened(value)} is not allowed; {wrong}")
        found[name] = value
    return found


def _refused(constant: str) -> None:
    raise ValueError(constant)


def written(frame: Plain) -> str:
    """A frame as text for a page."""
    return json.dumps(frame, separators=(",", ":"), allow_nan=False)
