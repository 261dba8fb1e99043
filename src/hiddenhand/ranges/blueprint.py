"""Blueprints: strategies for whole games, found before play, in files that are opened at once.

A *blueprint* says what to play in each public history with each hand. Its file has a header of JSON
and then, for each player, a number of 16 bits for each action of each hand, in the order of
`public_game`: 65,535 times the probability, and 0 for all actions of a hand that training never
came to. The file is mapped into memory, and not read: several processes share it. The header has a
digest of each mebibyte, which is checked when somebody first looks there.
"""

import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from hiddenhand.compiled.kernels import kernel
from hiddenhand.errors import FileError
from hiddenhand.files import open_to_read, write_file
from hiddenhand.games.rules import rules_of, verify_same_rules
from hiddenhand.ranges.public_game import NOTHING, PublicGame, VectorForm

Probabilities = npt.NDArray[np.uint16]

ONE: Final = 65_535
"""The number that stands for a probability of 1."""

_BEGINS: Final = b"hiddenhand blueprint 1\n"
_CHUNK: Final = 2**20  # bytes with a digest of their own
_ALIGNED: Final = 4096
_MOST_HEADER: Final = 2**26
_FIELDS: Final[dict[str, type]] = {
    "game": str,
    "rules": str,
    "method": str,
    "iterations": int,
    "seconds": float,
    "sizes": list,
    "digests": list,
}


@dataclass(frozen=True, eq=False)
class Blueprint:
    """A strategy for a game in vector form.

    path: the file.
    game: the game as text.
    rules: which rules it had, see `rules_of`.
    method: what found it.
    iterations, seconds: how long that took.
    probabilities: for each player ``uint16`` numbers, mapped into memory. Call `verify` before
        looking at a part of them.
    digests: those of all chunks.
    """

    path: Path
    game: str
    rules: str
    method: str
    iterations: int
    seconds: float
    probabilities: tuple[Probabilities, Probabilities]
    digests: list[str]
    _begin: int
    _checked: set[int] = field(default_factory=set)

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Open a file. Raises FileError unless it is a blueprint, whole, and its header intact."""
        with open_to_read(path) as file:
            header, begin = _header(path, file)
            size = os.fstat(file.fileno()).st_size
        sizes = header["sizes"]
        if size != begin + 2 * sum(sizes):
            raise FileError(
                f"{path} is a blueprint of which a part is missing: it has {size:,} bytes, not "
                f"{begin + 2 * sum(sizes):,}; make it anew with train"
            )
        first, second = (
            np.memmap(path, np.uint16, "r", begin + 2 * sum(sizes[:player]), (sizes[player],))
            if sizes[player]
            else np.zeros(0, np.uint16)
            for player in range(2)
        )
        about = {name: header[name] for name in _FIELDS if name not in ("sizes", "digests")}
        return cls(
            Path(path),
            **about,
            probabilities=(first, second),
            digests=header["digests"],
            _begin=begin,
        )

    def verify_for(self, form: VectorForm) -> None:
        """Raise FileError unless the blueprint is for this game, with the rules that it has now."""
        if self.game != repr(form.game):
            raise FileError(
                f"{self.path} is a blueprint of {self.game}, not of {form.game}; name the game it "
                "was made for"
            )
        verify_same_rules(form.game, self.path, self.rules)
        if tuple(one.size for one in self.probabilities) != form.sizes:
            raise FileError(f"{self.path} does not fit {form.game}; make it anew with train")

    def verify(self, player: int, first: int, size: int) -> None:
        """Check the digests of a part of the numbers of a player, unless that was done. Raises
        FileError.
        """
        begin = 2 * (first + (self.probabilities[0].size if player == 1 else 0))
        wanted = range(begin // _CHUNK, (begin + 2 * size - 1) // _CHUNK + 1) if size else range(0)
        missing = [chunk for chunk in wanted if chunk not in self._checked]
        if not missing:
            return
        with open_to_read(self.path) as file:
            for chunk in missing:
                file.seek(self._begin + chunk * _CHUNK)
                if hashlib.sha256(file.read(_CHUNK)).hexdigest() != self.digests[chunk]:
                    raise FileError(f"{self.path} is damaged; make it anew with train")
                self._checked.add(chunk)


def write_blueprint(
    path: Path | str,
    form: VectorForm,
    average: list[npt.NDArray[Any]],
    *,
    method: str,
    iterations: int,
    seconds: float,
) -> None:
    """Write what is kept of average strategies as a blueprint. Raises FileError where that cannot
    be done; then an old file is still there.

    method, iterations, seconds: what found them, and how long that took.
    """
    numbers, depth = np.zeros(sum(form.sizes), np.uint16), form.depth
    for player, packed in enumerate(np.split(numbers, [form.sizes[0]])):
        room = np.zeros(depth, np.int64), np.zeros(depth, np.int64), np.zeros(depth, np.int64)
        _pack(form.arrays, player, average[player], packed, *room)
    content = numbers.view(np.uint8).data
    digests = [
        hashlib.sha256(content[at : at + _CHUNK]).hexdigest()
        for at in range(0, len(content), _CHUNK)
    ]
    header = {
        "game": repr(form.game),
        "rules": rules_of(form.game),
        "method": method,
        "iterations": iterations,
        "seconds": float(seconds),
        "sizes": list(form.sizes),
        "digests": digests,
    }
    text = json.dumps(header).encode()
    front = _BEGINS + hashlib.sha256(text).hexdigest().encode() + b"\n"
    front += len(text).to_bytes(8, "little") + text
    front += bytes(-len(front) % _ALIGNED)
    write_file(path, front, content)


def _header(path: Path | str, file: Any) -> tuple[dict[str, Any], int]:
    """The header of a file, and where the numbers begin."""
    begins = file.read(len(_BEGINS))
    if begins != _BEGINS:
        if begins.startswith(_BEGINS[: _BEGINS.rindex(b" ")]):
            raise FileError(f"{path} is a blueprint of another version; make it anew with train")
        raise FileError(f"{path} is not a blueprint; give a file that train wrote")
    digest = file.read(65)[:64].decode("ascii", "replace")
    length = int.from_bytes(file.read(8), "little")
    text = file.read(length) if length <= _MOST_HEADER else b""
    if hashlib.sha256(text).hexdigest() != digest:
        raise FileError(f"{path} is damaged; make it anew with train")
    header: dict[str, Any] = json.loads(text)
    if any(type(header.get(name)) is not kind for name, kind in _FIELDS.items()):
        raise FileError(f"{path} is a blueprint of another version; make it anew with train")
    begin = file.tell()
    return header, begin + -begin % _ALIGNED


@kernel
def _pack(
    game: PublicGame,
    player: int,
    average: Any,
    packed: Any,
    situations: Any,
    edges: Any,
    bases: Any,
) -> None:
    """Walk over the public tree and write a player's probabilities.

    situations, edges, bases: ``int64[D]``, room for where the walk is.
    """
    depth = 0
    situations[0], edges[0], bases[0] = 0, game.first_edge[0], 0
    while depth >= 0:
        situation, edge = situations[depth], edges[depth]
        if edge == game.first_edge[situation] and game.mover[situation] == player:
            hands, actions = game.num_hands[situation, player], game.num_actions[situation]
            for hand in range(hands):
                total = 0.0
                for action in range(actions):
                    total += average[bases[depth] + action * hands + hand]
                if total > 0.0:
                    for action in range(actions):
                        at = bases[depth] + action * hands + hand
                        packed[at] = np.uint16(round(ONE * (average[at] / total)))
        if edge == game.first_edge[situation + 1]:
            depth -= 1
            continue
        edges[depth] += 1
        child = game.child[edge]
        if child != NOTHING:
            depth += 1
            situations[depth], edges[depth] = child, game.first_edge[child]
            bases[depth] = bases[depth - 1] + game.base[edge, player]
