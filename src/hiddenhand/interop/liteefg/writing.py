"""Writes a game as the text of a ``.game`` file of LiteEFG: `liteefg_text`.

Source: LiteEFG's page on FileEnv. The file has a header of comments, then all nodes, then the
information sets, a line for each:

    node / chance actions J=0.5 Q=0.5
    node /C:J player 1 actions check bet
    node /C:J/P1:pass leaf payoffs 1=-1 2=1
    infoset p1_1 nodes /C:J

The name of a node is the way to it. So names of actions have no blanks, and none of ``=``, ``:``
and ``/``.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from hiddenhand.interop.gambit.form import CHANCE, PLAYER, ExtensiveForm, InformationSet
from hiddenhand.interop.gambit.writing import different

ROOT: Final = "/"
_FORBIDDEN: Final = re.compile(r"[\s=:/#]+")
_LONG: Final = 10**40  # is written with an exponent


def liteefg_text(form: ExtensiveForm) -> str:
    """``form`` as the text that LiteEFG and `parse_liteefg` read."""
    names = {key: _names_of(its) for key, its in form.sets.items()}
    members: dict[tuple[int, int], list[str]] = {}
    nodes, waiting = [], [ROOT]
    for node in form.nodes:
        path = waiting.pop()
        key = node.player, node.number
        if node.kind == PLAYER:
            members.setdefault(key, []).append(path)
            nodes.append(f"node {path} player {node.player} actions {' '.join(names[key])}")
        elif node.kind == CHANCE:
            chances = zip(names[key], form.sets[key].probabilities, strict=True)
            weights = " ".join(f"{name}={decimal(p)}" for name, p in chances)
            nodes.append(f"node {path} chance actions {weights}")
        else:
            zero = (Fraction(0),) * len(form.players)
            paid = form.outcomes[node.outcome].payoffs if node.outcome else zero
            payoffs = " ".join(f"{player}={decimal(pay)}" for player, pay in enumerate(paid, 1))
            nodes.append(f"node {path} leaf payoffs {payoffs}")
        if node.kind in (PLAYER, CHANCE):
            waiting += reversed([child_of(path, node.player, name) for name in names[key]])
    sets = [
        f"infoset p{player}_{number} nodes {' '.join(paths)}"
        for (player, number), paths in members.items()
    ]
    return "\n".join([*_header(form), *nodes, *sets]) + "\n"


def child_of(path: str, player: int, action: str) -> str:
    """The name of the node to which an action leads.

    player: who moves, from 1; 0 for chance.
    """
    mover = f"P{player}" if player else "C"
    return f"{path.removesuffix(ROOT)}/{mover}:{action}"


def decimal(number: Fraction) -> str:
    """A number as a decimal that is read back to the same number in floating point."""
    is_short = number.denominator == 1 and abs(number) < _LONG
    return str(number) if is_short else repr(float(number))


def _names_of(its: InformationSet) -> tuple[str, ...]:
    """The names of actions without signs that the format needs for itself."""
    plain = [_FORBIDDEN.sub("_", name).strip("_") for name in its.actions]
    return tuple(_FORBIDDEN.sub("_", name) for name in different(plain))


def _header(form: ExtensiveForm) -> Iterator[str]:
    yield f"# {form.title}"
    yield "#"
    yield "# Opt {"
    yield "#     game_tree: true,"
    yield f"#     num_players: {len(form.players)},"
    yield "# }"
    yield "#"
