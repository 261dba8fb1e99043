"""Reads the text of an ``.efg`` file: `parse_efg`.

What Gambit reads is read here, too: integers, decimals, powers of ten and fractions are kept
exactly; commas between payoffs may be left out; only the first node of an information set needs to
name its actions, only the first node with an outcome its payoffs. Within quotes, a backslash before
a quotation mark stands for the mark.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NoReturn

from hiddenhand.errors import FileError
from hiddenhand.interop.gambit.form import (
    CHANCE,
    PLAYER,
    TERMINAL,
    ExtensiveForm,
    InformationSet,
    Node,
    Outcome,
)
from hiddenhand.text import shortened

LONGEST_NUMBER: Final = 400
"""Characters of a number, and the largest power of ten."""

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

    def whole(self) -> ExtensiveForm:
        self._next()
        self._header()
        title = self._string("the title of the game")
        self._players = self._strings("the names of the players")
        if not self._players:
            self._fail("the game has no players")
        comment = self._value_of("text") or ""
        self._tree()
        if self._token is not None:
            self._fail("the tree is complete here, but more nodes follow")
        return ExtensiveForm(
            title, self._players, tuple(self._nodes), self._sets, self._outcomes, comment
        )

    def _header(self) -> None:
        if self._value_of("word") != "EFG":
            self._fail("the file does not begin with EFG")
        if self._value_of("number") != "2":
            self._fail("only version 2 of the format can be read")
        if self._value_of("word") not in ("R", "D"):
            self._fail("R or D must follow the version")

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
        return Node(kind, player, number, self._outcome(), name)

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
            self._verify_probabilities(probabilities)
        self._sets[player, number] = InformationSet(
            tuple(actions), tuple(probabilities), name or ""
        )

    def _verify_probabilities(self, probabilities: list[Fraction]) -> None:
        total = sum(probabilities, Fraction(0))
        if total != 1 or min(probabilities) < 0:
            self._fail(
                f"the probabilities of chance's actions are {', '.join(map(str, probabilities))}, "
                f"whose sum is {total}; they must be at least 0 and sum to exactly 1, such as 1/3 "
                "three times"
            )

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
        if number == 0:
            self._fail("outcome 0 is the one that pays nothing, and has no payoffs")
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
        if found is None:
            self._token = None
            self._fail("this cannot be read")
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
            return _fraction(value)
        except (ValueError, ZeroDivisionError):
            self._token = token
            self._fail(f"{what} is {shortened(value)}, which is no number")

    def _fail(self, said: str) -> NoReturn:
        at = self._token.at if self._token is not None else self._at
        ahead = len(self._text[at:]) - len(self._text[at:].lstrip())
        line = self._text.count("\n", 0, at + ahead) + 1
        rest = self._text[at:].strip()
        near = f"; the next text is {shortened(rest[:60])}" if rest else "; the file ends there"
        raise FileError(f"{self._what}, line {line}: {said}{near}")


def _fraction(text: str) -> Fraction:
    """The exact number. Raises ValueError for one that is too long to be worked with."""
    whole, _, below = text.partition("/")
    power = re.search(r"[eE][-+]?(\d+)", whole)
    if len(text) > LONGEST_NUMBER or (power and int(power[1]) > LONGEST_NUMBER):
        raise ValueError(text)
    return Fraction(whole) / Fraction(below) if below else Fraction(whole)
