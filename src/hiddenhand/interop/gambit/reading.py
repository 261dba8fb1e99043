"""Reads the texts of files of Gambit: `parse_efg` for ``.efg``, `parse_nfg` for ``.nfg``.

What Gambit reads is read here, too: integers, decimals, powers of ten and fractions are kept
exactly; commas between payoffs may be left out; only the first node of an information set needs to
name its actions, only the first node with an outcome its payoffs. Within quotes, a backslash before
a quotation mark stands for the mark. What follows the last node is ignored, as Gambit does.

Programs print probabilities of chance as decimals, whose sum is 1 but for rounding. Such numbers
are divided by their sum, and a note says so.
"""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Final, NoReturn

from hiddenhand.errors import FileError
from hiddenhand.interop.gambit.form import (
    CHANCE,
    PLAYER,
    TERMINAL,
    ExtensiveForm,
    InformationSet,
    Node,
    NormalForm,
    Numbers,
    Outcome,
)
from hiddenhand.interop.gambit.writing import different, printable
from hiddenhand.text import shortened

LONGEST_NUMBER: Final = 400
"""Characters of a number, and the largest power of ten."""
_MOST_PROFILES: Final = 10_000_000
_LARGEST: Final = Fraction(sys.float_info.max)
_ROUNDING: Final = Fraction(1, 10**9)  # of a sum of probabilities

_TOKEN: Final = re.compile(
    r"""\s*(?:
    "(?P<text>(?:[^"\\]|\\.)*)"
    | (?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?:/[-+]?\d+)?)
    | (?P<word>[A-Za-z]+)
    | (?P<sign>[{},])
    )""",
    re.VERBOSE | re.DOTALL,
)
_END: Final = re.compile(r"\s*\Z")
_ESCAPED: Final = re.compile(r'\\"')


@dataclass(frozen=True)
class _Token:
    kind: str
    value: str
    at: int


def parse_efg(text: str, what: object = "the text") -> ExtensiveForm:
    """The game that ``text`` describes.

    what: what the text is called in messages.

    Raises FileError, with the number of the line, for a text that is no such game.
    """
    return _Parser(text, what).whole()


def parse_nfg(text: str, what: object = "the text") -> NormalForm:
    """The game in normal form that ``text`` describes. Otherwise as `parse_efg`."""
    return _Parser(text, what).normal_form()


class _Parser:
    """Reads tokens from left to right. The present one is in `_token`; None is the end."""

    def __init__(self, text: str, what: object) -> None:
        self._text, self._what = text, what
        self._at = 0
        self._token: _Token | None = None
        self._nodes: list[Node] = []
        self._sets: dict[tuple[int, int], InformationSet] = {}
        self._outcomes: dict[int, Outcome] = {}
        self._players: tuple[str, ...] = ()
        self._rounded: list[str] = []
        self._counted = 0, 1  # a place in the text, and its line

    def whole(self) -> ExtensiveForm:
        title = self._opening("EFG", "2")
        comment = self._value_of("text") or ""
        self._tree()
        if self._token is not None and self._token.value in (CHANCE, PLAYER, TERMINAL):
            self._fail("the tree is complete here, but more nodes follow")
        return ExtensiveForm(
            title,
            self._players,
            tuple(self._nodes),
            self._sets,
            self._outcomes,
            comment,
            self._notes(),
        )

    def _notes(self) -> tuple[str, ...]:
        """What was changed: the first probabilities that were rounded, and how many more."""
        if not self._rounded:
            return ()
        more = len(self._rounded) - 1
        others = "one more node" if more == 1 else f"{more:,} more nodes"
        return (self._rounded[0] + (f". The same was done at {others}" if more else ""),)

    def _opening(self, kind: str, version: str) -> str:
        """The header and the players. Returns the title."""
        self._next()
        if self._value_of("word") != kind:
            self._fail(f"the file does not begin with {kind}")
        if self._value_of("number") != version:
            self._fail(f"only version {version} of the format can be read")
        if self._value_of("word") not in ("R", "D"):
            self._fail("R or D must follow the version")
        title = self._string("the title of the game")
        self._players = self._strings("the names of the players")
        if not self._players:
            self._fail("the game has no players")
        return title

    def normal_form(self) -> NormalForm:
        """The whole text as a game in normal form."""
        title = self._opening("NFG", "1")
        strategies = self._strategies()
        self._value_of("text")  # a comment
        size = prod(len(own) for own in strategies)
        payoffs = self._by_outcomes(size) if self._is("{") else self._in_a_row(size)
        return NormalForm(title, self._players, strategies, payoffs)

    def _fail_for_size(self, size: int) -> NoReturn:
        self._fail(
            f"there are {size:,} combinations of strategies; at most {_MOST_PROFILES:,} are read"
        )

    def _strategies(self) -> tuple[tuple[str, ...], ...]:
        """The names of each player's strategies; numbers where the file only counts them."""
        if not self._is("{"):
            self._fail("the strategies must stand here, in braces")
        self._next()
        found = list[Sequence[object]]()
        while not self._is("}"):
            if self._is("{"):
                found.append(self._strings("the names of the strategies"))
            else:
                count = self._integer("the number of a player's strategies")
                if count > _MOST_PROFILES:
                    self._fail_for_size(count)
                found.append(range(1, count + 1))
        self._next()
        if len(found) != len(self._players) or not all(found):
            self._fail(
                f"there are strategies of {len(found)} players, and {len(self._players)} players; "
                "each needs at least one strategy"
            )
        self._verify_size(prod(len(own) for own in found))
        return tuple(
            different([printable(str(name)).replace(",", ";") for name in own]) for own in found
        )

    def _verify_size(self, size: int) -> None:
        """Refuse a game of so many combinations of strategies, before anything is made for each."""
        if size > _MOST_PROFILES:
            self._fail_for_size(size)
        if size > len(self._text):
            self._fail(f"there are {size:,} combinations of strategies, and fewer numbers")

    def _in_a_row(self, size: int) -> tuple[Numbers, ...]:
        """The payoffs of all combinations of strategies."""
        return tuple(tuple(self._number("a payoff") for _ in self._players) for _ in range(size))

    def _by_outcomes(self, size: int) -> tuple[Numbers, ...]:
        """The payoffs of all combinations, which are named by the numbers of outcomes."""
        self._next()
        outcomes = [tuple(Fraction(0) for _ in self._players)]
        while not self._is("}"):
            if not self._is("{"):
                self._fail("an outcome must stand here, in braces")
            self._next()
            self._string("the name of the outcome")
            paid = list[Fraction]()
            while not self._is("}"):
                paid.append(self._number("a payoff"))
                if self._is(","):
                    self._next()
            self._next()
            if len(paid) != len(self._players):
                self._fail(
                    f"outcome {len(outcomes)} has {len(paid)} payoffs for {len(self._players)} "
                    "players"
                )
            outcomes.append(tuple(paid))
        self._next()
        found = list[Numbers]()
        for _ in range(size):
            number = self._integer("the number of an outcome")
            if number >= len(outcomes):
                self._fail(f"there is no outcome {number}; outcomes are numbered from 1")
            found.append(outcomes[number])
        return tuple(found)

    def _tree(self) -> None:
        """All nodes; ``waiting`` is how many subtrees have yet to be read."""
        waiting = 1
        while waiting:
            kind = self._value_of("word")
            if kind not in (CHANCE, PLAYER, TERMINAL):
                self._fail(f"a node must begin with c, p or t; {waiting} subtrees are missing")
            node = self._node(kind)
            self._nodes.append(node)
            children = 0
            if node.kind != TERMINAL:
                children = len(self._sets[node.player, node.number].actions)
            waiting += children - 1

    def _node(self, kind: str) -> Node:
        line = self._line
        name = self._string("the name of the node")
        player = number = 0
        if kind == PLAYER:
            player = self._integer("the number of the player")
            if not 1 <= player <= len(self._players):
                self._fail(
                    f"player {player} does not exist; players are numbered from 1 to "
                    f"{len(self._players)}"
                )
        if kind != TERMINAL:
            number = self._integer("the number of the information set")
            self._information_set(player, number)
        return Node(kind, player, number, self._outcome(), name, line)

    def _information_set(self, player: int, number: int) -> None:
        """The name and the actions, which only the first node of a set has to tell."""
        known = self._sets.get((player, number))
        name = self._value_of("text")
        if not self._is("{"):
            if known is None:
                self._fail(f"information set {number} is met first here, and needs its actions")
            return
        self._next()
        actions, probabilities = [], []
        while not self._is("}"):
            actions.append(self._string("the name of an action"))
            if player == 0:
                probabilities.append(self._number("the probability of the action"))
        self._next()
        if known is not None:
            if len(known.actions) != len(actions):
                self._fail(
                    f"information set {number} has {len(actions)} actions here and "
                    f"{len(known.actions)} where it was met first"
                )
            return
        if not actions:
            self._fail(f"information set {number} has no actions")
        if player == 0:
            probabilities = self._verified(probabilities)
        self._sets[player, number] = InformationSet(
            tuple(actions), tuple(probabilities), name or ""
        )

    def _verified(self, probabilities: list[Fraction]) -> list[Fraction]:
        """The probabilities of chance's actions, which sum to exactly 1."""
        total = sum(probabilities, Fraction(0))
        if abs(total - 1) > _ROUNDING or min(probabilities) < 0:
            said = f"{float(total):.12g}" if abs(total) <= _LARGEST else "beyond 1e308"
            self._fail(
                f"the probabilities of chance's actions are {_in_decimals(probabilities)}, whose "
                f"sum is {said}; they must be at least 0 and sum to 1, such as 1/3 three times"
            )
        if total != 1:
            self._rounded.append(
                f"{self._what}, line {self._line}: the probabilities of chance's actions are "
                f"{_in_decimals(probabilities)}; they were divided by {float(total)}, their "
                "sum"
            )
        return [p / total for p in probabilities]

    def _outcome(self) -> int:
        """The number of the outcome, and its payoffs, which only its first node has to tell."""
        number = self._integer("the number of the outcome")
        name = self._value_of("text")
        if not self._is("{"):
            if number and number not in self._outcomes:
                self._fail(f"outcome {number} is met first here, and needs its payoffs")
            return number
        self._next()
        payoffs = []
        while not self._is("}"):
            payoffs.append(self._number("a payoff"))
            if self._is(","):
                self._next()
        self._next()
        if len(payoffs) != len(self._players):
            self._fail(
                f"outcome {number} has {len(payoffs)} payoffs for {len(self._players)} players"
            )
        if number == 0:  # payoffs of this node alone
            number = -1 - len(self._outcomes)
        found = Outcome(tuple(payoffs), name or "")
        if self._outcomes.setdefault(number, found).payoffs != found.payoffs:
            self._fail(f"outcome {number} pays something else where it was met first")
        return number

    # --- tokens ---

    def _next(self) -> None:
        if _END.match(self._text, self._at):
            self._token = None
            return
        found = _TOKEN.match(self._text, self._at)
        if found is None:  # an error, unless the tree is complete
            self._token = _Token("unreadable", "", self._at)
            return
        kind = str(found.lastgroup)
        self._token = _Token(kind, found[kind], self._at)
        self._at = found.end()

    def _is(self, sign: str) -> bool:
        token = self._token
        return token is not None and token.kind == "sign" and token.value == sign

    def _value_of(self, kind: str) -> str | None:
        """The present token, which is passed if it is of the kind; else None."""
        token = self._token
        if token is None or token.kind != kind:
            return None
        self._next()
        return _ESCAPED.sub('"', token.value) if kind == "text" else token.value

    def _string(self, what: str) -> str:
        value = self._value_of("text")
        if value is None:
            self._fail(f"{what} must stand here, in quotation marks")
        return value

    def _strings(self, what: str) -> tuple[str, ...]:
        if not self._is("{"):
            self._fail(f"{what} must stand here, in braces")
        self._next()
        found = []
        while not self._is("}"):
            found.append(self._string(what))
        self._next()
        return tuple(found)

    def _integer(self, what: str) -> int:
        token = self._token
        value = self._value_of("number")
        if value is None or not value.isdigit() or len(value) > 9:
            self._token = token
            self._fail(f"{what} must stand here, an integer from 0 to 999999999")
        return int(value)

    def _number(self, what: str) -> Fraction:
        token = self._token
        value = self._value_of("number")
        if value is None:
            self._fail(f"{what} must stand here, a number")
        try:
            number = _fraction(value)
        except (ValueError, ZeroDivisionError):
            number = None
        if number is None or abs(number) > _LARGEST:
            self._token = token
            reason = "no number" if number is None else "too large for floating point"
            cure = f"{what} is {shortened(value)}, which is {reason}; give one up to 1e308"
            self._fail(cure, tells_text=True)
        return number

    def _fail(self, said: str, *, tells_text: bool = False) -> NoReturn:
        """Raise FileError. ``tells_text``: whether ``said`` quotes the text that is wrong."""
        if self._token is not None and self._token.kind == "unreadable":
            said = "this cannot be read"
        at = self._token.at if self._token is not None else self._at
        ahead = len(self._text[at:]) - len(self._text[at:].lstrip())
        line = self._line_of(at + ahead)
        rest = self._text[at:].strip()
        near = f"; the next text is {shortened(rest[:60])}" if rest else "; the file ends there"
        raise FileError(f"{self._what}, line {line}: {said}{'' if tells_text else near}")

    @property
    def _line(self) -> int:
        return self._line_of(self._token.at if self._token is not None else self._at)

    def _line_of(self, at: int) -> int:
        begin, line = self._counted if self._counted[0] <= at else (0, 1)
        self._counted = at, line + self._text.count("\n", begin, at)
        return self._counted[1]


def _in_decimals(numbers: list[Fraction]) -> str:
    return ", ".join(f"{float(number)}" for number in numbers)


def _fraction(text: str) -> Fraction:
    """The exact number. Raises ValueError for one that is too long to be worked with."""
    whole, _, below = text.partition("/")
    power = re.search(r"[eE][-+]?(\d+)", whole)
    if len(text) > LONGEST_NUMBER or (power and int(power[1]) > LONGEST_NUMBER):
        raise ValueError(text)
    return Fraction(whole) / Fraction(below) if below else Fraction(whole)
