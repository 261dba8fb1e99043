"""Writes a game as the text of an ``.efg`` file: `efg_text`.

Labels are what Gambit allows in all its versions: printable ASCII, without two blanks in a row,
without blanks at the ends.
"""

from fractions import Fraction

from hiddenhand.interop.gambit.form import CHANCE, PLAYER, ExtensiveForm, Node, Numbers


def efg_text(form: ExtensiveForm) -> str:
    """``form`` as the text that Gambit and `parse_efg` read."""
    players = " ".join(quoted(name) for name in form.players)
    lines = [f"EFG 2 R {quoted(form.title)} {{ {players} }}", quoted(form.comment), ""]
    told: set[int] = set()
    lines += [_line(form, node, told) for node in form.nodes]
    return "\n".join(lines) + "\n"


def _line(form: ExtensiveForm, node: Node, told: set[int]) -> str:
    parts = [node.kind, quoted(node.name)]
    if node.kind == PLAYER:
        parts.append(str(node.player))
    if node.kind in (PLAYER, CHANCE):
        its = form.sets[node.player, node.number]
        parts += [str(node.number), quoted(its.name), "{"]
        if node.kind == PLAYER:
            parts += [quoted(action) for action in its.actions]
        else:
            for action, p in zip(its.actions, its.probabilities, strict=True):
                parts += [quoted(action), written(p)]
        parts.append("}")
    parts.append(str(node.outcome))
    if node.outcome and node.outcome not in told:
        told.add(node.outcome)
        outcome = form.outcomes[node.outcome]
        parts += [quoted(outcome.name), braced(outcome.payoffs)]
    return " ".join(parts)


def braced(payoffs: Numbers) -> str:
    """Payoffs in braces."""
    return "{ " + ", ".join(map(written, payoffs)) + " }"


def written(number: Fraction) -> str:
    """A number: an integer, or a fraction in lowest terms."""
    return str(number)


def quoted(text: str) -> str:
    """``text`` in quotation marks."""
    return '"' + text.replace('"', '\\"') + '"'


def label(text: str) -> str:
    """``text`` as a label that Gambit allows."""
    return printable("".join(sign if sign <= "~" else " " for sign in text.replace("\\", "/")))


def printable(text: str) -> str:
    """``text`` on one line, without two blanks in a row, and without blanks at the ends."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def different(labels: list[str]) -> tuple[str, ...]:
    """``labels``, in which equal ones, and empty ones, have become different."""
    found: list[str] = []
    given = {name.casefold() for name in labels}
    met: set[str] = set()
    for number, name in enumerate(labels, 1):
        new, count = name or f"action {number}", 1
        while new.casefold() in met or (new != name and new.casefold() in given):
            count += 1
            new = f"{name or 'action'} ({count})"
        met.add(new.casefold())
        found.append(new)
    return tuple(found)
