"""Docstrings as the site shows them.

Docstrings of this package say what a parameter or a field means as ``name: meaning``, a line for
each, with further lines indented. Here these lines become lists. All else is reStructuredText, in
which `single quotes` name something of the package.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

_NAMES: Final = r"[a-z_][a-z0-9_]*(?:, [a-z_][a-z0-9_]*)*"
_HEADS: Final = r"(?:Actions|Observations|Chance|State|Row)\b[^:]{0,30}"
_HEAD: Final = re.compile(rf"({_HEADS}):\s+(.+)")
_NAMED: Final = re.compile(rf"({_NAMES}|{_HEADS}):\s+(.+)")


@dataclass(frozen=True)
class Part:
    """A paragraph of a docstring, or a list of meanings.

    lines: the lines of a paragraph; none in a list.
    meanings: what each name means; none in a paragraph.
    """

    lines: tuple[str, ...] = ()
    meanings: tuple[tuple[str, str], ...] = ()


def parts_of(docstring: str) -> Iterator[Part]:
    """The parts of a docstring that was cleaned by `inspect.cleandoc`."""
    for paragraph in re.split(r"\n\s*\n", docstring.strip("\n")):
        lines = paragraph.split("\n")
        meanings = _meanings(lines)
        yield Part(meanings=tuple(meanings)) if meanings else Part(lines=tuple(lines))


def _meanings(lines: list[str]) -> list[tuple[str, str]]:
    """Names and meanings, if all lines are such; else nothing."""
    found: list[tuple[str, str]] = []
    for line in lines:
        under_head = bool(found) and found[-1][0][:1].isupper()
        match = (_HEAD if under_head else _NAMED).fullmatch(line)
        if match:
            found.append((match[1], match[2]))
        elif found and (under_head or line.startswith("    ")):
            # what follows "Actions: ..." goes on without being indented
            name, meaning = found[-1]
            found[-1] = name, f"{meaning} {line.strip()}"
        else:
            return []
    return found


def as_rst(lines: list[str]) -> list[str]:
    """The lines of a docstring for autodoc."""
    text: list[str] = []
    for part in parts_of("\n".join(lines)):
        if part.meanings:
            text += [f"- {_name_in_rst(name)}: {meaning}" for name, meaning in part.meanings]
        else:
            text += part.lines
        text.append("")
    return text


def _name_in_rst(name: str) -> str:
    return f"**{name}**" if name[:1].isupper() else f"``{name}``"


def as_markdown(docstring: str) -> str:
    """A docstring as Markdown, its lists included."""
    return "\n\n".join(in_markdown(part) for part in parts_of(docstring))


def in_markdown(part: Part, kept: Callable[[str], bool] = bool) -> str:
    """A part as Markdown. Of a list, only the names that ``kept`` says yes to."""
    if part.lines:
        return paragraph_in_markdown(part.lines)
    return "\n".join(
        f"- {_name_in_markdown(name)}: {inline(said)}" for name, said in part.meanings if kept(name)
    )


def paragraph_in_markdown(lines: tuple[str, ...]) -> str:
    """A paragraph; a drawing, which is indented, stays as it is."""
    if all(line.startswith("    ") or not line for line in lines) or any(
        re.search(r"\S {3,}\S", line) for line in lines
    ):
        return "\n".join(["```text", *lines, "```"])
    return inline("\n".join(lines))


def _name_in_markdown(name: str) -> str:
    return f"**{name}**" if name[:1].isupper() else f"`{name}`"


def inline(text: str) -> str:
    """Text of a docstring as Markdown: code is in single quotes there, and other signs that mean
    something in Markdown are escaped.
    """
    parts = re.split(r"``(.+?)``|`(.+?)`", text.replace("::\n", ":\n"), flags=re.DOTALL)
    out = []
    for number in range(0, len(parts), 3):
        out.append(re.sub(r"([*_<>\[\]$|\\])", r"\\\1", parts[number]))
        if number + 2 < len(parts):
            code = parts[number + 1] or parts[number + 2]
            out.append(f"`{' '.join(code.split())}`")
    return "".join(out)
