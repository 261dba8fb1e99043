"""Reads the text of a ``.game`` file of LiteEFG: `parse_liteefg`. The format is in `writing`.

LiteEFG itself does not look for mistakes in a file. This reader does: it names the line.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from hiddenhand.errors import FileError
from hiddenhand.interop.gambit.form import (
    CHANCE,
    PLAYER,
    TERMINAL,
    ExtensiveForm,
    InformationSet,
    Node,
    Numbers,
    Outcome,
)
from hiddenhand.interop.liteefg.writing import ROOT, child_of
from hiddenhand.text import shortened

_PLAYERS: Final = re.compile(r"\b(?:num_)?players:\s*(\d{1,4})")
_NUMBER: Final = re.compile(r"[-+]?(\d{1,40}\.?\d{0,40}|\.\d{1,40})([eE][-+]?\d{1,3})?")
_LARGEST: Final = 10**300  # sums of such numbers are still numbers of the computer
_KINDS: Final = {("chance", "actions"): CHANCE, ("leaf", "payoffs"): TERMINAL}
_SHAPES: Final = (
    "write node NAME chance actions ACTION=WEIGHT ..., node NAME player NUMBER actions ACTION ..., "
    "node NAME leaf payoffs PLAYER=PAYOFF ..., or infoset NAME nodes NODE ..."
)


@dataclass(frozen=True)
class _Line:
    """A node as its line says it.

    line: where it stands.
    kind: CHANCE, PLAYER or TERMINAL.
    player: who moves, from 1; 0 where no player does.
    names: of the actions, or of the players that are paid.
    numbers: the weights of chance, or the payoffs.
    """

    line: int
    kind: str
    player: int
    names: tuple[str, ...]
    numbers: Numbers = ()


def parse_liteefg(text: str, where: object = "the file") -> ExtensiveForm:
    """The game that the text of a file says. Raises FileError, about ``where``, with the line that
    is wrong.
    """
    return _Reader(where).read(text)


class _Reader:
    """Reads one file."""

    def __init__(self, where: object) -> None:
        self._where = where
        self._players = 0
        self._lines: dict[str, _Line] = {}
        self._set_of: dict[str, tuple[int, int]] = {}
        self._sets: dict[tuple[int, int], InformationSet] = {}
        self._count = Counter[int]()  # the sets of each player so far, and of chance
        self._notes: list[str] = []

    def read(self, text: str) -> ExtensiveForm:
        """The game."""
        title = ""
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith("#"):
                title = title or line.strip("# ")
                found = _PLAYERS.search(line)
                self._players = int(found[1]) if found else self._players
            elif words := line.split():
                self._read_line(number, words)
        if not self._players >= 1:
            raise FileError(
                f"{self._where} does not say how many players there are; begin it with a comment "
                "such as '#     num_players: 2,'"
            )
        nodes, outcomes = self._tree()
        names = tuple(f"Player {player}" for player in range(1, self._players + 1))
        return ExtensiveForm(
            title, names, tuple(nodes), self._sets, outcomes, notes=tuple(self._notes)
        )

    def _read_line(self, line: int, words: Sequence[str]) -> None:
        match words:
            case ["node", name, "player", number, "actions", *actions] if actions:
                if not re.fullmatch(r"[1-9]\d{0,3}", number) or int(number) > self._players:
                    raise self._wrong(line, f"there is no player {shortened(number)}")
                if len(set(actions)) < len(actions):
                    raise self._wrong(line, "two actions have one name")
                self._add(name, _Line(line, PLAYER, int(number), tuple(actions)))
            case ["node", name, kind, what, *pairs] if pairs and (kind, what) in _KINDS:
                named = dict(self._pair(line, pair) for pair in pairs)
                if len(named) < len(pairs):
                    raise self._wrong(line, "one name stands twice")
                self._add(name, self._without_player(line, _KINDS[kind, what], named))
            case ["infoset", name, "nodes", *nodes] if nodes:
                self._group(line, name, nodes)
            case _:
                raise self._wrong(line, f"{shortened(' '.join(words))} cannot be read; {_SHAPES}")

    def _without_player(self, line: int, kind: str, named: dict[str, Fraction]) -> _Line:
        """A node at which chance moves, or that ends the game."""
        if kind == CHANCE:
            if min(named.values()) < 0 or not sum(named.values()) > 0:
                raise self._wrong(line, "the weights of chance are not at least 0 with a sum above")
            return _Line(line, kind, 0, tuple(named), tuple(named.values()))
        players = [str(player) for player in range(1, self._players + 1)]
        if sorted(named) != sorted(players):
            raise self._wrong(line, f"give a payoff of each of the {self._players} players")
        return _Line(line, kind, 0, tuple(players), tuple(named[player] for player in players))

    def _pair(self, line: int, pair: str) -> tuple[str, Fraction]:
        name, equals, number = pair.rpartition("=")
        if not name or not equals or not _NUMBER.fullmatch(number):
            raise self._wrong(
                line, f"{shortened(pair)} is no name with a number; write NAME=NUMBER"
            )
        value = Fraction(number)
        if abs(value) > _LARGEST:
            raise self._wrong(
                line, f"{shortened(pair)} is too large; give a number of at most 1e300"
            )
        return name, value

    def _add(self, name: str, node: _Line) -> None:
        if name in self._lines:
            raise self._wrong(node.line, f"the node {shortened(name)} is there already")
        self._lines[name] = node

    def _group(self, line: int, name: str, nodes: Sequence[str]) -> None:
        """Take note of an information set."""
        missing = next((node for node in nodes if node not in self._lines), None)
        if missing is not None:
            raise self._wrong(line, f"there is no node {shortened(missing)} above")
        first = self._lines[nodes[0]]
        for node in nodes:
            its = self._lines[node]
            if (its.kind, its.player, its.names) != (PLAYER, first.player, first.names):
                raise self._wrong(line, "its nodes are not of one player with equal actions")
            if node in self._set_of:
                raise self._wrong(line, f"the node {shortened(node)} is in another set already")
        key = self._new_set(first, name)
        self._set_of |= dict.fromkeys(nodes, key)

    def _new_set(self, of: _Line, name: str) -> tuple[int, int]:
        self._count[of.player] += 1
        key = of.player, self._count[of.player]
        probabilities = _normalised(of.numbers) if of.kind == CHANCE else ()
        self._sets[key] = InformationSet(of.names, probabilities, name)
        return key

    def _tree(self) -> tuple[list[Node], dict[int, Outcome]]:
        """The nodes in the order of `ExtensiveForm`, and the outcomes."""
        nodes, numbers, waiting = list[Node](), dict[Numbers, int](), [(ROOT, 0)]
        met = set[str]()
        while waiting:
            name, parent = waiting.pop()
            node = self._lines.get(name)
            if node is None:
                raise self._wrong(
                    parent, f"it leads to the node {shortened(name)}, which is missing"
                )
            met.add(name)
            if node.kind == TERMINAL:
                outcome = numbers.setdefault(node.numbers, len(numbers) + 1)
                nodes.append(Node(TERMINAL, 0, 0, outcome, name))
                continue
            key = self._set_of.get(name) or self._new_set(node, name)
            nodes.append(Node(node.kind, node.player, key[1], 0, name))
            children = [child_of(name, node.player, action) for action in node.names]
            waiting += [(child, node.line) for child in reversed(children)]
        if len(met) < len(self._lines):
            lost = next(name for name in self._lines if name not in met)
            raise self._wrong(self._lines[lost].line, f"no action leads to {shortened(lost)}")
        if any(sum(node.numbers) != 1 for node in self._lines.values() if node.kind == CHANCE):
            self._notes.append("The weights of chance were divided by their sum.")
        return nodes, {number: Outcome(payoffs) for payoffs, number in numbers.items()}

    def _wrong(self, line: int, problem: str) -> FileError:
        if not line:
            problem = f"has no node {ROOT}; give a file that begins with it"
            return FileError(f"{self._where} {problem}")
        return FileError(f"{self._where}, line {line}: {problem}")


def _normalised(weights: Numbers) -> Numbers:
    total = sum(weights, Fraction(0))
    return tuple(weight / total for weight in weights)
