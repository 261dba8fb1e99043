"""Messages that no page sends, by the thousand: near to what is understood, and far from it."""

import json
import random
from collections.abc import Callable
from typing import Any

from hiddenhand.errors import HiddenhandError
from hiddenhand.web.desk import Desk
from hiddenhand.web.hall import Hall
from hiddenhand.web.messages import KINDS, read_message

NO_KINDS = ["", "__init__", "leave", "do", "é"]
FIELDS = sorted({name for fields in KINDS.values() for name in fields} | {"type", "__class__"})
TEXTS = [
    *("", "person", "random", "kuhn_poker", "Kuhn(", "os:path", "../../etc/passwd", "a.py:B"),
    *("strategy(/etc/passwd)", "oos(memory=99999999999999)", "human", "x" * 3000, "\0", "\ud800"),
    *("pass", "bet", "<script>alert(1)</script>", "best_response(" * 40, "١", "kuhn_poker(1)"),
]
NUMBERS = [0, 1, -1, 2, 7, 10**9, -(10**9), 2**63, 0.5, -0.0, 1e300, True, False, None]


def value(source: random.Random, depth: int = 0) -> Any:
    """Anything that JSON can hold."""
    kind = source.randrange(7 if depth < 2 else 4)
    if kind < 2:
        return source.choice(TEXTS)
    if kind < 4:
        return source.choice(NUMBERS)
    if kind == 4:
        return [value(source, depth + 1) for _ in range(source.randrange(4))]
    if kind == 5:
        return {source.choice(FIELDS): value(source, depth + 1) for _ in range(source.randrange(3))}
    return ["person", "random"]


def likely(source: random.Random, name: str) -> Any:
    """What a field might hold, and sometimes anything else."""
    if source.random() < 0.3:
        return value(source)
    if name == "players":
        return ["person", source.choice(["person", "random"])]
    if name in ("turn", "action", "ply", "seat", "slot", "number", "seconds"):
        return source.choice([0, 1, 2, 3, -6])
    if name in ("game", "player", "text"):
        return source.choice({"game": ["kuhn_poker"], "player": ["random"], "text": ["bet"]}[name])
    return source.choice([True, None, ""])


def message(source: random.Random) -> str:
    """A message, or what somebody took for one."""
    if source.random() < 0.05:
        return source.choice(["", "{", "[]", "null", "1e999", "NaN", '{"type":1}', "[" * 5000, "é"])
    kind = source.choice([*KINDS, *NO_KINDS])
    names = list(KINDS.get(kind, ()))
    if source.random() < 0.2:
        names = source.sample(FIELDS, source.randrange(5))
    text = json.dumps({**{name: likely(source, name) for name in names}, "type": kind})
    if source.random() < 0.1:
        place = source.randrange(len(text))
        text = text[:place] + source.choice('{}[]",:0\\') + text[place + 1 :]
    return text


def fuzz(hall: Hall, count: int, seed: int, check: Callable[[dict[str, Any]], object]) -> int:
    """Send ``count`` messages to desks of ``hall``, some at tables, and return how many were
    refused. ``check`` sees each frame that is sent. All else that is raised is a defect.
    """
    source, refused = random.Random(seed), 0
    table = hall.open("kuhn_poker", ["person", "random"], 1.0)
    token = table.setup.seats[0].token
    desks = [_desk(hall, check, *way) for way in ((None, ""), (table.place, token))]
    desks.append(_desk(hall, check, table.place, ""))
    for _ in range(count):
        try:
            source.choice(desks).do(read_message(message(source)))
        except HiddenhandError:
            refused += 1
    for desk in desks:
        desk.leave()
    return refused


def _desk(hall: Hall, check: Callable[[dict[str, Any]], object], place: Any, token: str) -> Desk:
    desk = Desk(hall, check)
    desk.do({"type": "hello", "place": place, "token": token})
    return desk
